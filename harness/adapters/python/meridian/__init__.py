"""meridian: judges Python callables against the certified reference of position encodings and attention.

    import meridian
    def test_attention():
        meridian.conforms(my_attention, "attention", causal="bottomright", types=["f32", "bf16"])

A callable takes a row's arrays by the names of its signature, and those of the row's parameters that it has keywords for;
it returns the output, or a tuple or a dictionary of several.  What it takes no keyword for is what it stands for: the
conventions given here, or else the row's defaults.  It declines a question by returning None or raising
NotImplementedError.  `meridian.rows()` names the rows and `meridian.describe("rope")` says what one has: arrays,
parameters with their meaning, presets."""
import json
import os
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from . import _program, _table
from ._verdict import Verdict

__all__ = ["conforms", "judge", "fingerprint", "diff", "exact", "why", "model", "rows", "describe", "Verdict", "Said",
           "Exact", "Model"]


def judge(f, row, out=None, *, types=("f32",), profile=None, like=None, isolate=False, preset=None, grad=None, sizes=None,
          seed=1, lines=64, seconds=20, checks=None, few=False, contract=None, baseline=None, name=None, **conventions):
    """Judges the callable f as a row's quantity, and returns a Verdict.

    out: the output or outputs ("o lse"), by default the row's first.  types: element types, f64 f32 f16 bf16.  profile:
    the arithmetic that it declares (a text, or one for each type), by default that every step rounds to the element
    type.  like: what arrays it is given: "numpy", "torch", "jax", "cupy", "mlx", a device of torch, or a function.
    isolate: whether it runs in a child process, which contains crashes and hangs.  preset: a preset of the row.  grad:
    "torch" or "jax" judges the gradients of f, by that library, by the row's gradient outputs.  sizes, seed, lines,
    checks, few, contract: as the flags of `meridian judge`.  seconds: limit of one call.  baseline: a file of earlier
    results; what became worse fails.  Conventions are the row's parameters.

    TypeError: a keyword that the row has not, or arrays that f does not take; ValueError: another value than allowed."""
    from . import _judge
    asked = _judge.Asked(f, row, out, types, profile, like, isolate, seconds, preset, grad, name, conventions)
    words = ["judge", "{}", "--json", "--text", "--seed", str(seed), "--lines", str(lines), *asked.limit(),
             *asked.params()]
    stated = profile if isinstance(profile, str) else None  # on the command line its words are refused and not judged
    for flag, value in (("sizes", sizes), ("checks", checks), ("contract", contract), ("profile", stated),
                        ("baseline", baseline)):
        if value is not None:
            words += [f"--{flag}", os.fspath(value) if flag == "baseline" else str(value)]
    with _judge.alone(baseline):
        rc, said, notes = _judge.converse([asked], words + ["--few"] * bool(few))
    if rc == 2 and checks and "offers nothing that these checks ask about" in notes:
        rc = 77
    if rc == 2:
        raise ValueError(_program.refused(notes))
    return Verdict(rc, asked, *_judge.findings(said), notes, asked.subject.declined, _judge.python)


def conforms(f, row, out=None, *, types=("f32",), **how):
    """Judges f as `judge` does, with the same keywords.  AssertionError, with the verdict as its text, where it does not
    pass or nothing was judged; else the Verdict."""
    __tracebackhide__ = True
    verdict = judge(f, row, out, types=types, **how)
    if not verdict:
        raise AssertionError(verdict.text)
    return verdict


class Said(str):
    """What the program said.  status: its exit status; true where that is 0."""
    status = 0

    def __new__(cls, text, status=0):
        self = super().__new__(cls, text.rstrip("\n"))
        self.status = status
        return self

    def __bool__(self):
        return self.status == 0


def _said(rc, out, err):
    if rc == 2:
        raise ValueError(_program.refused(err))
    return Said(out + ("" if rc in (0, 1) else err), rc)


def fingerprint(f, row=None, out=None, *, types=("f32",), profile=None, like=None, isolate=False, seconds=20, name=None,
                **conventions):
    """Which conventions and which precision f has, found by asking it: the program's text, true where all its answers are
    explained.  row: by default the one that f's signature fits (its parameters, then its name); TypeError, with the
    candidates, where it fits several or none."""
    from . import _infer, _judge
    row = row or _infer.row_of([f], out, conventions)
    asked = _judge.Asked(f, row, out, types, profile, like, isolate, seconds, None, None, name, conventions)
    return _said(*_judge.converse([asked], ["fingerprint", "{}", *asked.limit(), *asked.params()]))


def diff(f, g, row=None, out=None, *, types=("f32",), profile=None, like=None, isolate=False, seconds=20, **conventions):
    """The conventions of f and g side by side, and how to get from f to g: the program's text, true where they have the
    same.  row: as in `fingerprint`, by default the one that both fit."""
    from . import _infer, _judge
    row = row or _infer.row_of([f, g], out, conventions)
    names = [_judge.name_of(x) for x in (f, g)]
    names[1] += "'" * (names[0] == names[1])
    asked = [_judge.Asked(x, row, out, types, profile, like, isolate, seconds, None, None, name, conventions)
             for x, name in zip((f, g), names)]
    return _said(*_judge.converse(asked, ["diff", "{}", "{}", *asked[0].params()]))


class Exact:
    """A certified number.  element: its name, "cos[0|1]"; text: its decimal digits; radius: by how much the exact value
    may be off before it was rounded to these digits; known: whether that is the precision asked for.  float(), Decimal
    and Fraction come from the digits."""

    def __init__(self, element, value, radius, verdict, exact):
        self.element, self.text, self.radius = element, value, float(radius)
        self.known, self.exact = verdict == "PASS", exact

    def __float__(self):
        return float(self.text)

    @property
    def fraction(self):
        return Fraction(self.text)

    @property
    def decimal(self):
        return Decimal(self.text)

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<meridian.Exact {self.element} = {self.text}>"


def _quantity(row, name):
    quantities = _table.row(row).quantities
    return quantities[_table.one_of(f"quantity of row {row}", name, quantities)]


def _point(verb, what, flags, given, *switches):
    """Runs a verb about one line of a quantity: "rope.cos", its parameters and its arrays by name."""
    name, _, quantity = what.partition(".")
    row = _table.row(name)
    arrays = {a["name"] for a in _quantity(name, quantity)["in"]}
    for key in given:
        if key not in arrays and key not in row.params:
            raise TypeError(f"{what} has no {key!r}{_table.nearest(key, [*arrays, *row.params])}")
    words = [verb, name, quantity, *switches]
    for flag, value in flags.items():
        if value is not None:
            words += [f"--{flag}", str(value)]
    for key, text in row.said({k: v for k, v in given.items() if k not in arrays}).items():
        words += [f"--{key}", text]
    for key, value in given.items():
        if key in arrays:
            flat = [value] if not hasattr(value, "__len__") else _flat(value)
            words += ["--in", f"{key}={','.join(_table.number(key, v) for v in flat)}"]
    return _program.run(words)


def _flat(value):
    value = value.tolist() if hasattr(value, "tolist") else value
    return [x for v in value for x in _flat(v)] if isinstance(value, (list, tuple)) else [value]


def exact(what, *, at=None, k=None, digits=40, contract=None, sizes=None, seed=None, **given):
    """The exact value of a quantity, "rope.cos", with certified digits: one Exact, or a list of a whole line.  Parameters
    and arrays are keywords (dim=128, pos=131071); at: leading indices, "0,3"; k: the one element that is asked for."""
    name, _, quantity = what.partition(".")
    if k is not None and any(a["name"] == "k" for a in _quantity(name, quantity)["in"]):
        given, k = {**given, "k": k}, None
    rc, out, err = _point("eval", what, dict(at=at, k=k, digits=digits, contract=contract, sizes=sizes, seed=seed),
                          given, "--json")
    if rc == 2:
        raise ValueError(_program.refused(err))
    values = [Exact(**json.loads(line)) for line in out.splitlines() if line.startswith("{")]
    return values[0] if len(values) == 1 else values


def why(what, contract, *, at=None, k=None, sizes=None, seed=None, **given):
    """Which rounding step of a contract (its name, or steps: "phase=f32") lost the bits: the program's text."""
    return _said(*_point("why", what, dict(contract=contract, at=at, k=k, sizes=sizes, seed=seed), given))


class Model(list):
    """What a configuration says and what its position tables compute: a list of dictionaries, one for each encoding and
    contract, as `meridian model --json` prints them.  card: its card, a dictionary: what the model does with positions,
    heads, masks and windows, what stays open, and which keys were read."""

    def __init__(self, tables, card):
        super().__init__(tables)
        self.card = card

    def frame(self):
        """The tables as a pandas.DataFrame.  ImportError where pandas is not installed."""
        import pandas
        return pandas.json_normalize(list(self))


def model(config, *, contract=None, limit=None, tables=True):
    """A model's card, and what its position tables compute over its whole context: a Model.  config: a config.json by its
    path, a dictionary, or an object with a to_dict(), as configurations of transformers are.  tables: False leaves the
    tables unjudged, and gives the card at once.  ValueError: it is no configuration."""
    words = [w for flag, v in (("contract", contract), ("limit", limit)) if v is not None for w in (f"--{flag}", str(v))]
    config = config.to_dict() if hasattr(config, "to_dict") else config
    with tempfile.TemporaryDirectory() as folder:
        path = config
        if isinstance(config, Mapping):
            path = os.path.join(folder, "config.json")
            with open(path, "w") as f:
                json.dump(dict(config), f, default=str)  # as a dtype of torch says itself
        elif not os.path.isfile(path):
            raise ValueError(f"{os.fspath(path)!r} is no file; a model has one configuration")
        card = _objects(["model", os.fspath(path), "--json", "--card"])
        found = _objects(["model", os.fspath(path), "--json", *words]) if tables else []
    return Model(found, card[0]["card"])


def _objects(words):
    """The objects that the program prints, one a line."""
    rc, out, err = _program.run(words)
    if rc == 2:
        raise ValueError(_program.refused(err))
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def rows():
    """The rows' names with their titles."""
    return {name: f"{row['title']} ({row['cite']})" for name, row in _table.table()["rows"].items()}


def describe(row):
    """What a row has, as text: its quantities, its parameters with their meaning, steps, presets and contracts."""
    _table.row(row)
    return _said(*_program.run(["show", row]))
