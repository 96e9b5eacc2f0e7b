"""Softmax over the keys that are seen, and what it mixes (Bridle 1990; Vaswani et al. 2017, eq. 1)."""
from mpmath import mp, mpf
from real import Node, dot, exp, inf, log, nan, sqrt, tanh, total, val


def softmax(scores):
    """The weights of these scores, by key, and the log of the sum of exponentials.  A score of -inf has weight 0.  None
    where there is no score at all."""
    there = {j: s for j, s in scores.items() if val(s) != -inf}
    if not there:
        return None, -inf
    top = max(val(s) for s in there.values())
    e = {j: exp(s - top) for j, s in there.items()}
    z = total(e.values())
    return {j: x / z for j, x in e.items()}, log(z) + top


class Mix:
    """One mixing: scores by visible key, values as a function of the key, others that are scores which join the sum and
    have no value, and what an empty row is: zero, nan or mean."""

    def __init__(self, keys, scores, values=None, others=(), empty="zero"):
        self.keys, self.values, self.empty = keys, values, empty
        every = dict(scores)
        every.update({("sink", k): s for k, s in enumerate(others)})
        self.p, self.lse = softmax(every)

    def weights(self):
        if self.p is None:
            return [{"zero": mpf(0), "nan": nan, "mean": mpf(1) / max(self.keys, 1)}[self.empty]] * self.keys
        return [self.p.get(j, mpf(0)) for j in range(self.keys)]

    def output(self, width):
        if self.p is None and self.empty != "mean":
            return [nan if self.empty == "nan" else mpf(0)] * width
        if self.p is None:
            # By definition no gradient passes here (ref/core/softmax/mix.h).
            rows = [self.values(j) for j in range(self.keys)]
            return [total(val(r[k]) for r in rows) / self.keys for k in range(width)]
        used = [(p, self.values(j)) for j, p in self.p.items() if not isinstance(j, tuple)]
        return [dot([p for p, _ in used], [v[k] for _, v in used]) for k in range(width)]


def scored(p, q, k):
    """The score of a query and a key: their product times scale (0: 1/sqrt(d)), and where there is a cap c, c tanh(s / c)."""
    s = (p.scale if p.scale != 0 else 1 / sqrt(mpf(len(q)))) * dot(q, k)
    return p.cap * tanh(s / p.cap) if p.cap != 0 else s


def in_base(p, y):
    """A natural logarithm in the base that the row answers."""
    return y / mp.log(2) if p.base == "2" else y


def keep(c, h, i, j):
    """May the query see the key by the input keep[h,n,m]?  It may where that is absent or not 0."""
    return not c.has("keep") or (j < len(c.x("keep")[h][i]) and c.x("keep")[h][i][j] != 0)
