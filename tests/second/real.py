"""Real numbers of the second system: mpmath's, and the same with a tape for derivatives (reverse mode: Linnainmaa 1970).

Functions take either kind.  Comparisons look at values; at a kink a derivative is that of the branch taken, as the formula that calls says.
"""
from mpmath import mp, mpf


def quotient(x, y):
    """x / y.  What is divided by 0 is no number, which reaches all that depend on it and nothing else."""
    return x / y if y else mpf("nan")


class Node:
    """A value and how it depends on others: pairs of a node and the partial derivative by it."""
    __slots__ = ("v", "of", "g")

    def __init__(self, v, of=()):
        self.v, self.of, self.g = v, of, None

    def __add__(self, y):
        if isinstance(y, Node):
            return Node(self.v + y.v, ((self, 1), (y, 1)))
        return Node(self.v + y, ((self, 1),))
    __radd__ = __add__

    def __neg__(self):
        return Node(-self.v, ((self, -1),))

    def __sub__(self, y):
        return self + (-y)

    def __rsub__(self, y):
        return -self + y

    def __mul__(self, y):
        if isinstance(y, Node):
            return Node(self.v * y.v, ((self, y.v), (y, self.v)))
        return Node(self.v * y, ((self, y),))
    __rmul__ = __mul__

    def __truediv__(self, y):
        if isinstance(y, Node):
            q = quotient(self.v, y.v)
            return Node(q, ((self, quotient(1, y.v)), (y, quotient(-q, y.v))))
        return Node(quotient(self.v, y), ((self, quotient(mpf(1), y)),))

    def __rtruediv__(self, y):
        q = quotient(y, self.v)
        return Node(q, ((self, quotient(-q, self.v)),))


def val(x):
    return x.v if isinstance(x, Node) else x


def _of(f, slope):
    def g(x):
        if isinstance(x, Node):
            y = f(x.v)
            return Node(y, ((x, slope(x.v, y)),))
        return f(x)
    return g


exp = _of(mp.exp, lambda x, y: y)
log = _of(mp.log, lambda x, y: 1 / x)
sqrt = _of(mp.sqrt, lambda x, y: 1 / (2 * y) if y else mpf("nan"))
sin = _of(mp.sin, lambda x, y: mp.cos(x))
cos = _of(mp.cos, lambda x, y: -mp.sin(x))
tanh = _of(mp.tanh, lambda x, y: 1 - y * y)
erf = _of(mp.erf, lambda x, y: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x))


def power(x, y):
    """x^y for x > 0."""
    if isinstance(x, Node) or isinstance(y, Node):
        return exp(y * log(x))
    return mp.power(x, y)


def total(xs):
    """The sum of a list, 0 where it is empty, as a single node."""
    v, of = mpf(0), []
    for x in xs:
        if isinstance(x, Node):
            v += x.v
            of.append((x, 1))
        else:
            v += x
    return Node(v, of) if of else v


def dot(a, b):
    """The inner product <a, b>, as a single node for the whole sum.  Both must have the same number of terms."""
    assert len(a) == len(b), (len(a), len(b))
    v, of = mpf(0), []
    for x, y in zip(a, b):
        p, q = val(x), val(y)
        v += p * q
        if isinstance(x, Node):
            of.append((x, q))
        if isinstance(y, Node):
            of.append((y, p))
    return Node(v, of) if of else v


def add(a, b):
    assert len(a) == len(b), (len(a), len(b))
    return [x + y for x, y in zip(a, b)]


def scaled(s, a):
    return [s * x for x in a]


def times(x, w):
    """The row vector x times the matrix w[in][out]."""
    assert len(x) == len(w), (len(x), len(w))
    return [dot(x, [row[k] for row in w]) for k in range(len(w[0]))] if w else []


def backward(y):
    """Adds to the g of every node the derivative of y by it."""
    order, seen, stack = [], set(), [(y, False)]
    while stack:
        x, done = stack.pop()
        if done:
            order.append(x)
        elif id(x) not in seen:
            seen.add(id(x))
            stack.append((x, True))
            stack.extend((p, False) for p, _ in x.of)
    for x in order:
        x.g = mpf(0)
    y.g = mpf(1)
    for x in reversed(order):
        for p, d in x.of:
            p.g += x.g * d


def floor(x):
    return int(mp.floor(x))


inf = mpf("inf")
nan = mpf("nan")
