"""Writes the type stub of the package, __init__.pyi: one overload of a function for each row, whose keywords are that row's
parameters, with their choices as types and their meaning as documentation."""
import inspect
import keyword

BY_ROW = ("conforms", "judge", "fingerprint", "diff")
HEAD = '''"""Judges Python callables against the certified reference.  Written from the table of rows of the program."""
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Any, Callable, Literal, Mapping, Optional, Protocol, Sequence, Union, overload

Number = Union[int, float, str, Fraction]
Type = Literal["f64", "f32", "f16", "bf16"]
'''
KEYWORDS = {
    "types": "Union[Type, Sequence[Type]]", "profile": "Union[None, str, Mapping[str, str]]", "like": "Any",
    "isolate": "bool", "grad": 'Optional[Literal["torch", "jax"]]', "sizes": "Optional[str]", "seed": "int",
    "lines": "int", "seconds": "int", "checks": "Optional[str]", "few": "bool", "contract": "Optional[str]",
    "baseline": "Union[None, str, PathLike[str]]", "name": "Optional[str]"}


def words(names):
    return f"Literal[{', '.join(map(repr, names))}]"


def type_of(param):
    if param.get("choices"):
        choices = param["choices"].split()
        flags = {"on", "off"} <= set(choices) or {"yes", "no"} <= set(choices)
        return f"Union[bool, {words(choices)}]" if flags else words(choices)
    if param["kind"] == "list":
        return "Union[str, Sequence[Number]]"
    return "Union[int, str]" if param["kind"] == "integer" else "Number"


def meaning(param):
    text = f"{param['name']}: {param['help']}" + (f" {{{param['choices']}}}" if param.get("choices") else "")
    return text.replace("\\", "\\\\").replace('"""', "'''") + f"; default {param['default'] or 'none'}"


def overload(name, function, row, result):
    own = inspect.signature(function).parameters.values()
    outs = [q["out"]["name"] for q in row["quantities"]]
    head = [f"{p.name}: Callable[..., Any]" for p in own if p.name in ("f", "g")]
    head += [f'row: Literal["{row["row"]}"]', f"out: Union[None, str, Sequence[{words(outs)}]] = ..."]
    kept = [p.name for p in own if p.kind == p.KEYWORD_ONLY]
    if name == "conforms":  # it hands its other keywords on
        kept = [k for k in KEYWORDS] + ["preset"]
    for p in row["parameters"]:
        if p["name"] in {*kept, "f", "g", "row", "out"} or keyword.iskeyword(p["name"]):
            raise ValueError(f"row {row['row']}: a parameter {p['name']!r} cannot be a keyword beside {name}'s own")
    presets = words([p["name"] for p in row["presets"]])
    types = {**KEYWORDS, "preset": f"Optional[{presets}]"}
    keywords = [f"{k}: {types[k]} = ..." for k in kept]
    keywords += [f"{p['name']}: {type_of(p)} = ..." for p in row["parameters"]]
    doc = [f"{row['title']} ({row['cite']})", "", *[q["sign"] for q in row["quantities"]], "",
           *map(meaning, row["parameters"])]
    text = "\n    ".join(doc)
    return f"@overload\ndef {name}(\n    {', '.join(head)}, *,\n    " + ",\n    ".join(keywords) + \
        f") -> {result}:\n    r\"\"\"{text}\"\"\"\n    ...\n"


def rowless(name, function):
    """The overload of a function whose row may be left out: it is found by the callable's signature."""
    own = inspect.signature(function).parameters.values()
    head = [f"{p.name}: Callable[..., Any]" for p in own if p.name in ("f", "g")]
    kept = [f"{p.name}: {KEYWORDS[p.name]} = ..." for p in own if p.kind == p.KEYWORD_ONLY]
    outs = "out: Union[None, str, Sequence[str]] = ..."
    return f"@overload\ndef {name}(\n    {', '.join(head)}, *, {outs},\n    {', '.join(kept)},\n" + \
        "    **conventions: Any) -> Said: ...\n"


def write(table):
    import meridian
    out = [HEAD]
    for name in BY_ROW:
        function = getattr(meridian, "judge" if name == "conforms" else name)
        result = "Verdict" if name in ("conforms", "judge") else "Said"
        for row in table["rows"].values():
            out.append(overload(name, function, row, result))
        if result == "Said":
            out.append(rowless(name, function))
    quantities = [f"{row['row']}.{q['out']['name']}" for row in table["rows"].values() for q in row["quantities"]]
    out.append(f"""Quantity = {words(quantities)}
def exact(what: Quantity, *, at: Optional[str] = ..., k: Any = ..., digits: int = ..., contract: Optional[str] = ...,
    sizes: Optional[str] = ..., seed: Optional[int] = ..., **given: Any) -> Union[Exact, list[Exact]]: ...
def why(what: Quantity, contract: str, *, at: Optional[str] = ..., k: Optional[int] = ..., sizes: Optional[str] = ...,
    seed: Optional[int] = ..., **given: Any) -> Said: ...
def model(config: Union[str, PathLike[str], Mapping[str, Any], Configuration], *, contract: Optional[str] = ...,
    limit: Optional[int] = ..., tables: bool = ...) -> Model: ...
def rows() -> dict[str, str]: ...
def describe(row: {words(table["rows"])}) -> Said: ...

class Configuration(Protocol):
    def to_dict(self) -> Mapping[str, Any]: ...

class Model(list[dict[str, Any]]):
    card: dict[str, Any]
    def frame(self) -> Any: ...

class Said(str):
    status: int
    def __bool__(self) -> bool: ...

class Exact:
    element: str
    text: str
    radius: float
    known: bool
    exact: bool
    def __float__(self) -> float: ...
    @property
    def fraction(self) -> Fraction: ...
    @property
    def decimal(self) -> Decimal: ...

class Verdict:
    status: Literal["PASS", "FAIL", "CRASH", "NOTHING"]
    findings: list[dict[str, Any]]
    failures: list[dict[str, Any]]
    asked: dict[str, Any]
    declined: dict[str, int]
    notes: list[str]
    @property
    def text(self) -> str: ...
    def __bool__(self) -> bool: ...
    def counts(self) -> dict[str, int]: ...
    def smallest(self) -> Optional[dict[str, Any]]: ...
    def rows(self) -> list[dict[str, Any]]: ...
    def frame(self) -> Any: ...
""")
    return "\n".join(out)
