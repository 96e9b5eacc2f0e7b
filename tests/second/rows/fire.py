"""FIRE (Li et al. 2024, arXiv:2310.04418): a network of distances as shares of the query's position; gradients by the tape."""
from mpmath import mpf
from real import dot, log, total, val


def psi(p, t):
    return p.rate * t if p.transform == "linear" else log(1 + p.rate * t)


def share(p, i, j):
    at = mpf(p.offset + i)
    most = p.threshold if p.normaliser == "threshold" else max(at, p.threshold)
    return psi(p, abs(at - j)) / (psi(p, mpf(most)) + p.eps)


def hidden(c, i, j):
    x = share(c.p, i, j)
    layer = [b + w * x for w, b in zip(c.x("w1"), c.x("b1"))]
    return [z if val(z) > 0 else 0 * z for z in layer]


def bias(c, h, i, j):
    return c.x("b2")[h] + dot(c.x("w2")[h], hidden(c, i, j))


ROWS = {"fire": {"bias": bias}}
