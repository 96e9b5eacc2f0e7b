"""The table of rows: names, quantities, parameters and checks, as the program itself states them.  A wheel holds it as
table.json; in the source tree the program is asked.  Nothing in it is typed in by hand."""
import difflib
import functools
import json
import os
from fractions import Fraction
from ._program import HERE, refused, run

TYPES = ("f64", "f32", "f16", "bf16")


def ask():
    """Asks the program for the whole table."""
    def lines(*words):
        rc, out, err = run([*words, "--json"])
        if rc:
            raise RuntimeError(refused(err))
        return [json.loads(text) for text in out.splitlines()]
    rows = [lines("show", row["row"])[0] for row in lines("list")]
    return {"rows": {row["row"]: row for row in rows}, "checks": lines("list", "--checks")}


@functools.lru_cache(None)
def table():
    stored = os.path.join(HERE, "table.json")
    if os.path.exists(stored):
        with open(stored) as f:
            return json.load(f)
    return ask()


def nearest(word, words):
    """", did you mean 'layout'?" or nothing."""
    near = difflib.get_close_matches(str(word), list(words), 1, 0.5)
    return f"; did you mean '{near[0]}'?" if near else ""


def one_of(what, word, words, error=ValueError):
    if word not in words:
        raise error(f"{what}: found {word!r}{nearest(word, words)} (allowed: {' '.join(words)})")
    return word


class Row:
    """One row: .quantities by name of output, .params by name, .presets by name."""

    def __init__(self, row):
        self.name, self.title, self.cite = row["row"], row["title"], row["cite"]
        self.quantities = {q["out"]["name"]: q for q in row["quantities"]}
        self.params = {p["name"]: p for p in row["parameters"]}
        self.presets = {p["name"]: p for p in row["presets"]}
        self.defaults = {name: p["default"] for name, p in self.params.items()}
        self.vocabulary = row["vocabulary"]

    def outs(self, out):
        """The outputs that are meant: a name, several in one text, a sequence of names; None: the first of the row."""
        if out is None:
            return [next(iter(self.quantities))]
        outs = out.split() if isinstance(out, str) else list(out)
        for name in outs:
            one_of(f"out of row {self.name}", name, self.quantities)
        if not outs or len(set(outs)) != len(outs):
            raise ValueError(f"out: found {out!r}; at least one name, and none twice")
        return outs

    def said(self, conventions):
        """Conventions as a dictionary of texts, in the order of the row.  TypeError: an unknown name; ValueError: a value
        that is none of its choices."""
        for name in conventions:
            if name not in self.params:
                raise TypeError(f"row {self.name} has no parameter {name!r}{nearest(name, self.params)} "
                                f"(it has: {' '.join(self.params)})")
        return {name: text_of(p, conventions[name]) for name, p in self.params.items() if name in conventions}

    def preset(self, name):
        """The parameters of a preset as a dictionary of texts."""
        one_of(f"preset of row {self.name}", name, self.presets)
        return dict(word.split("=", 1) for word in self.presets[name]["text"].split())

    def renamed(self, names, outs):
        """Which of these names of others mean an array or a parameter of the row where those outputs are asked: a
        dictionary from ours to theirs.  A name that is the row's own means itself, and one that means several things, or
        an array in another layout than the row's own (a leading batch axis apart), means nothing here."""
        axes = {a["name"]: a["axes"] for out in outs for a in self.quantities[out]["in"]}
        meant = {}
        for rule in self.vocabulary:
            ours, theirs = rule["ours"], rule["theirs"]
            if theirs not in names or theirs in axes or theirs in self.params:
                continue
            laid = [layout.removeprefix("B,").replace(",", "") for layout in rule["axes"].split("|")]
            if ours in self.params if rule["kind"] == "param" else axes.get(ours) in laid:
                meant.setdefault(theirs, set()).add(ours)
        plain = {}
        for theirs, ours in meant.items():
            if len(ours) == 1 and not ours & set(names):
                plain.setdefault(*ours, theirs)
        return plain

    def checks(self, outs):
        """The checks that ask about one of these outputs."""
        asked = {f"{self.name}.{out}" for out in outs}
        return [c for c in table()["checks"] if asked & set(c["asks"].split())]


@functools.lru_cache(None)
def row(name):
    rows = table()["rows"]
    return Row(rows[one_of("row", name, rows)])


def text_of(param, value):
    """A value of a parameter as the program's text."""
    name, choices = param["name"], param.get("choices", "").split()
    if choices:
        if isinstance(value, bool):
            pair = next((p for p in (("on", "off"), ("yes", "no")) if set(p) <= set(choices)), None)
            value = pair[not value] if pair else value
        return one_of(name, value, choices)
    if isinstance(value, (list, tuple)) and param["kind"] == "list":
        return ",".join(number(name, v) for v in value)
    if isinstance(value, str):
        if not value or set(value) & set(" \t\n="):
            raise ValueError(f"{name}: found {value!r}; a number is wanted")
        return value
    return number(name, value)


def number(name, value):
    if isinstance(value, bool) or value is None:
        raise ValueError(f"{name}: found {value!r}; a number is wanted")
    if hasattr(value, "item") and not isinstance(value, Fraction):
        value = value.item()
    if isinstance(value, float) and value == int(value) and abs(value) < 2 ** 53:
        value = int(value)
    return str(value) if isinstance(value, (int, Fraction)) else repr(float(value))


def value_of(param, text):
    """The text of a parameter as a callable is given it: int, float, a tuple of floats, or the word."""
    if param["kind"] == "integer":
        return int(text)
    if param["kind"] == "rational":
        return float(Fraction(text))
    if param["kind"] == "list":
        return tuple(float(Fraction(v)) for v in text.split(",") if v)
    return text


def same(param, a, b):
    """Whether two texts are one value of a parameter."""
    if a == b or param.get("choices"):
        return a == b
    return [Fraction(v) for v in a.split(",") if v] == [Fraction(v) for v in b.split(",") if v]
