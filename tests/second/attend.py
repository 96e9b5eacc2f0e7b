"""What rows of relative attention share: scores of their own, one softmax, values that a position may be added to; and the layer around it."""
from mpmath import mpf
from real import add, dot, sqrt, times, total
from softmix import Mix, keep


def every(c, h, i, j):
    return True


def relative(score, value=None, seen=every, empty=lambda p: p.of["empty"][1] if "empty" in p.of else "zero"):
    """The quantities o, lse and weights of a row with scores score(c, h, i, j), values v_j or value(c, h, i, j), and
    visible keys seen(c, h, i, j)."""
    def mix(c, h, i):
        def make():
            keys = len(c.x("k")[h])
            there = [j for j in range(keys) if keep(c, h, i, j) and seen(c, h, i, j)]
            return Mix(keys, {j: score(c, h, i, j) for j in there}, (lambda j: value(c, h, i, j)) if value else lambda j: c.x("v")[h][j], empty=empty(c.p))
        return c.kept(("mix", h, i), make)
    return {"o": lambda c, h, i: mix(c, h, i).output(width(c)), "lse": lambda c, h, i: mix(c, h, i).lse, "weights": lambda c, h, i: mix(c, h, i).weights()}


def width(c):
    v = c.x("v")
    return len(v[0][0]) if v and v[0] else c.n.get("e", c.n.get("d", 0))


def scale_of(p, d):
    return p.scale if p.scale != 0 else 1 / sqrt(mpf(d))


def projected(x, w, b=None):
    """Projects x[n,c] by w[h,c,d] and b[h,d] to heads [h,n,d]."""
    return [[add(times(row, w[h]), b[h]) if b else times(row, w[h]) for row in x] for h in range(len(w))]
