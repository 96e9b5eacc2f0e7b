"""Forgetting attention (Lin et al. 2025, arXiv:2503.02130): the product of all gates between key and query multiplies e^score."""
from mpmath import mpf
from real import dot, exp, log, scaled, add, sqrt, total, val


def gate(c, h, l):
    a = c.x("a")[h][l]
    return a if c.p.gate == "log" else -log(1 + exp(-a))


def decay(c, h, place, j, m):
    """The log of the product of the gates behind key j up to the query's place; None: hidden."""
    more = 1 if c.p.first == "next" else 0
    first, last = j + more, min(max(place + more, 0), m)
    if j > place:
        if c.p.right == "hidden":
            return None
        return -total([gate(c, h, l) for l in range(last, first)]) if first > last else mpf(0)
    return total([gate(c, h, l) for l in range(first, last)]) if first < last else mpf(0)


def place(c, i, n, m):
    return m - n + i if c.p.start == "end" else i


def bias(c, h, i):
    m = len(c.x("a")[h])
    return [mpf("-inf") if d is None else d for d in (decay(c, h, i, j, m) for j in range(m))]


def scores(c, h, i):
    q, heads, n, m = c.x("q")[h][i], len(c.x("q")), len(c.x("q")[h]), len(c.x("a")[h])
    g = h * len(c.x("k")) // heads
    s = c.p.scale if c.p.scale != 0 else 1 / sqrt(mpf(len(q)))
    seen = {}
    for j in range(m):
        d = decay(c, h, place(c, i, n, m), j, m)
        if d is not None:
            seen[j] = s * dot(q, c.x("k")[g][j]) + d
    return g, seen


def output(c, h, i):
    g, s = scores(c, h, i)
    mean = [mpf(0)] * len(c.x("v")[g][0])
    if not s:
        return mean
    top = max(val(x) for x in s.values())
    w = {j: exp(x - top) for j, x in s.items()}
    for j, x in w.items():
        mean = add(mean, scaled(x, c.x("v")[g][j]))
    return [y / total(list(w.values())) for y in mean]


def lse(c, h, i):
    s = scores(c, h, i)[1]
    if not s:
        return [mpf("-inf")]
    top = max(val(x) for x in s.values())
    return [log(total([exp(x - top) for x in s.values()])) + top]


ROWS = {"forget": {"o": output, "lse": lse, "bias": bias}}
