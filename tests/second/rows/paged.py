"""Attention over a paged cache (Kwon et al. 2023, arXiv:2309.06180): the keys of a sequence are gathered by its table first, then a query mixes those up to its position."""
from mpmath import mp, mpf
from real import add, dot, exp, log, scaled, sqrt, tanh, total, val


def gathered(c, name, i):
    """The lines [g][.] of the keys 0 .. pos[i] of the query's sequence, in order."""
    pages = [c.x(name)[k] for k in c.x("table")[c.x("seq")[i]]]
    lines = [slot for page in pages for slot in page]
    return lines[:c.x("pos")[i] + 1]


def mixed(c, h, i):
    """The scores less their largest as exponentials, by key; that largest; and the values."""
    def make():
        q, groups, p = c.x("q")[h][i], len(c.x("k")[0][0]), c.p
        g = h % groups if p.group == "tile" else h // (len(c.x("q")) // groups)
        s = p.scale if p.scale != 0 else 1 / sqrt(mpf(len(q)))
        x = [s * dot(q, k[g]) for k in gathered(c, "k", i)]
        x = [p.cap * tanh(a / p.cap) for a in x] if p.cap != 0 else x
        first = max(len(x) - p.window, 0) if p.window else 0
        top = max(val(a) for a in x[first:])
        return [exp(a - top) for a in x[first:]], top, [v[g] for v in gathered(c, "v", i)[first:]]
    return c.kept(("mixed", h, i), make)


def output(c, h, i):
    w, _, v = mixed(c, h, i)
    y = [mpf(0)] * len(v[0])
    for a, line in zip(w, v):
        y = add(y, scaled(a, line))
    return [a / total(w) for a in y]


def lse(c, h, i):
    w, top, _ = mixed(c, h, i)
    y = log(total(w)) + top
    return [y / mp.log(2) if c.p.base == "2" else y]


ROWS = {"paged": {"o": output, "lse": lse}}
