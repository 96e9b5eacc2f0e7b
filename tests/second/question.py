"""A question as `meridian second` prints it: parameters, sizes, inputs and the reference's answers."""
import itertools
import math
from fractions import Fraction
from mpmath import mp, mpf
from mpmath.libmp import from_man_exp, fzero
from real import Node, backward, dot, total, val


class NoFormula(Exception):
    """The second system has no formula for these parameters, and says why."""


def exact(text):
    """The number that a hexfloat of any length, or inf, -inf or nan, writes, without rounding."""
    if text in ("inf", "+inf", "-inf", "nan"):
        return mpf(text)
    sign, text = (-1, text[1:]) if text[0] == "-" else (1, text)
    digits, _, power = text[2:].partition("p")
    whole, _, part = digits.partition(".")
    man = sign * int(whole + part, 16)
    return mp.make_mpf(from_man_exp(man, int(power or 0) - 4 * len(part)) if man else fzero)


class Params:
    """Parameters by name: integers, choices as text, lists of Fractions.  Rational numbers are rounded when they are
    asked for, to the precision of that moment."""

    def __init__(self, params):
        self.of = {name: (kind, self.read(kind, text)) for name, (kind, text) in params.items()}

    @staticmethod
    def read(kind, text):
        if kind == "integer":
            return int(text)
        if kind == "rational":
            return Fraction(text)
        if kind == "list":
            return [Fraction(x) for x in text.split(",") if x]
        return text

    def __getattr__(self, name):
        kind, value = self.of[name]
        return mpf(value.numerator) / value.denominator if kind == "rational" else value


def nest(flat, shape):
    """The flat numbers as nested lists of that shape."""
    if not shape:
        return flat[0]
    if len(shape) == 1:
        return list(flat)
    step = len(flat) // shape[0] if shape[0] else 0
    return [nest(flat[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


def rational(value):
    return mpf(value.numerator) / value.denominator


class Question:
    """One question: p are its parameters, n its extents by letter, x(name) an input as nested lists, and formulas what
    its row defines, by quantity."""

    def __init__(self, text, formulas):
        self.told = text
        self.p, self.n, self.formulas = Params(text["params"]), text["sizes"], formulas
        self.arrays = {}
        for name, a in text["in"].items():
            self.arrays[name] = nest(a["v"] if a["integer"] else [exact(v) for v in a["v"]], a["shape"])
        self.memo = {}

    def has(self, name):
        return name in self.arrays

    def x(self, name):
        return self.arrays[name]

    def shape(self, name):
        return self.told["in"][name]["shape"]

    def part(self, arrays, formulas=None, **params):
        """Another question with these arrays and this one's parameters, some of them changed."""
        q = Question.__new__(Question)
        q.told, q.p, q.n, q.formulas, q.memo, q.arrays = self.told, Params({}), dict(self.n), formulas or self.formulas, {}, arrays
        q.p.of = dict(self.p.of)
        for name, value in params.items():
            q.p.of[name] = ("given", value)
        return q

    def kept(self, key, make):
        """What make() answers, which is made once a question."""
        if key not in self.memo:
            self.memo[key] = make()
        return self.memo[key]

    def line(self, quantity, at):
        """Line `at` of the quantity, as a flat list."""
        f = self.formulas.get(quantity)
        if f is not None:
            return flat(f(self, *at))
        return self.gradient(quantity, at)

    # -- gradients --------------------------------------------------------------------------------------------------------------------
    def of_gradient(self, quantity):
        """The outputs whose gradients are given, and the input whose gradient dX or dX_OUT asks for."""
        outs = [o for o in self.formulas if self.has("d" + o)]
        if not outs or quantity[0] != "d":
            raise NoFormula("no formula")
        name = quantity[1:]
        for o in outs:
            if not self.has(name) and name.endswith("_" + o):
                name = name[:-len(o) - 1]
        return outs, name

    def gradient(self, quantity, at):
        outs, name = self.of_gradient(quantity)

        def make():
            nodes = []

            def as_nodes(a):
                if isinstance(a, list):
                    return [as_nodes(b) for b in a]
                nodes.append(Node(a))
                return nodes[-1]
            arrays = dict(self.arrays)
            # An optional input that is not there counts as zeros.
            shape = self.shape(name) if self.has(name) else self.told["shape"]
            flat_zeros = [mpf(0)] * math.prod(shape)
            arrays[name] = as_nodes(self.arrays[name] if self.has(name) else nest(flat_zeros, shape))
            q = self.part(arrays)
            terms = []
            for o in outs:
                sign = self.leads(o)
                for where in itertools.product(*(range(len_of(self.x("d" + o), k)) for k in range(sign))):
                    up = self.x("d" + o)
                    for k in where:
                        up = up[k]
                    terms.append(dot(flat(up), flat(q.formulas[o](q, *where))))
            loss = total(terms)
            if isinstance(loss, Node):
                backward(loss)
            return nest([x.g if x.g is not None else mpf(0) for x in nodes], shape)
        try:
            g = self.kept("gradient " + name, make)
        except KeyError as e:
            raise NoFormula("an input of the formula is not given: %s" % e)
        for k in at:
            g = g[k]
        return flat(g)

    def leads(self, out):
        """How many indices stand before the bar of that output."""
        return self.formulas["leads"][out]


def len_of(a, k):
    while k:
        a, k = a[0], k - 1
    return len(a)


def flat(a):
    if isinstance(a, (list, tuple)):
        return [y for x in a for y in flat(x)]
    return [a]
