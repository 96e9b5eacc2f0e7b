"""Relative biases of windows (Liu et al. 2021, arXiv:2103.14030; 2022, arXiv:2111.09883): places as pairs of row and column."""
from mpmath import mpf
from real import dot, exp, log, val


def token(p, i):
    return (i // p.width, i % p.width) if p.order == "rows" else (i % p.height, i // p.height)


def apart(c, i, j):
    (yi, xi), (yj, xj) = token(c.p, i), token(c.p, j)
    sign = 1 if c.p.sign == "query-key" else -1
    return sign * (yi - yj), sign * (xi - xj)


def row(c, i, j):
    dy, dx = apart(c, i, j)
    return (c.p.height - 1 + dy) * (2 * c.p.width - 1) + c.p.width - 1 + dx


def index(c, i, j):
    return [mpf(row(c, i, j))]


def bias(c, h, i):
    return [c.x("table")[row(c, i, j)][h] for j in range(c.p.height * c.p.width)]


def spaced(c, d, size, trained):
    x = mpf(8 * abs(d)) / ((trained or size) - 1)
    x = log(x + 1) / log(mpf(8)) if c.p.spacing == "log" else x
    return -x if d < 0 else x


def continuous(c, h, i):
    out = []
    for j in range(c.p.height * c.p.width):
        dy, dx = apart(c, i, j)
        at = [spaced(c, dy, c.p.height, c.p.trained_height), spaced(c, dx, c.p.width, c.p.trained_width)]
        hidden = [b + dot(w, at) for w, b in zip(c.x("w1"), c.x("b1"))]
        out.append(c.p.top / (1 + exp(-dot(c.x("w2")[h], [x if val(x) > 0 else 0 * x for x in hidden]))))
    return out


ROWS = {"swin": {"index": index, "bias": bias, "continuous": continuous}}
