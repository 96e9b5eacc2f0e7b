"""Sandwich (Chi et al. 2023, arXiv:2212.10356), by its appendix E: inner products of sinusoids, whatever route the question names."""
from mpmath import mpf
from real import cos, power, sin


def sinusoid(p, position):
    terms = range(p.first, p.first + p.width // 2)
    angles = [position / power(mpf(p.base), mpf(2 * t) / p.width) for t in terms]
    return [sin(x) for x in angles] + [cos(x) for x in angles]


def product(c, i, j):
    p = c.p
    def make(position):
        return c.kept(("sinusoid", position), lambda: sinusoid(p, mpf(position)))
    s = sum(x * y for x, y in zip(make(i), make(j)))
    return s - mpf(p.width) / 2 if p.centre == "half" else s


def clipped(c, i, j):
    return max(i, j) if c.p.form == "causal" else i


def bias(c, h, i, j):
    i += c.p.offset
    return product(c, clipped(c, i, j), j) / (mpf(c.p.max) * (h + 1) / c.p.heads)


def similarity(c, i):
    d = int(c.x("distance")[i])
    return product(c, clipped(c, d, 0), 0)


ROWS = {"sandwich": {"bias": bias, "similarity": similarity}}
