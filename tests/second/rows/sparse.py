"""Attention over selected keys (DeepSeek-V3.2-Exp, equations 1 and 2; Yuan et al. 2025, arXiv:2502.11089): a list of the keys that a query has selected is made first, by entries, and then mixed as it stands."""
from mpmath import mpf
from real import dot, inf, total, val
from softmix import Mix, in_base, scored


def key_head(c, h):
    groups = len(c.x("k"))
    return h % groups if c.p.group == "tile" else h // (len(c.x("q")) // groups)


def hides(c, i, j, n, m):
    """Does the mask hide key j of m from query i of n?"""
    place = i + {"bottomright": m - n, "offset": c.p.offset}.get(c.p.causal, 0)
    return (c.p.causal != "none" and j > place) or (c.p.window > 0 and j <= place - c.p.window)


def chosen(c, h, i):
    """The keys of the query, in the order of its entries; a key of two entries stands there twice, or once."""
    n, m, size = len(c.x("q")[h]), len(c.x("k")[0]), c.p.block_size
    entries = c.x("index")[key_head(c, h)][i]
    if c.p.duplicates == "once":
        entries = list(dict.fromkeys(entries))
    keys = [j for x in entries if x >= 0 for j in range(x * size, min((x + 1) * size, m))]
    return [j for j in keys if not hides(c, i, j, n, m)]


def mixed(c, h, i):
    """Over the keys as they are chosen: one that is chosen twice has two places."""
    def make():
        q, keys, g = c.x("q")[h][i], chosen(c, h, i), key_head(c, h)
        scores = {at: scored(c.p, q, c.x("k")[g][j]) for at, j in enumerate(keys)}
        return Mix(len(keys), scores, lambda at: c.x("v")[g][keys[at]], empty=c.p.empty)
    return c.kept(("mixed", h, i), make)


def lse(c, h, i):
    y = mixed(c, h, i).lse
    return [inf if val(y) == -inf and c.p.alone == "plus" else in_base(c.p, y)]


def votes(c, i):
    heads, k, n = c.x("iq"), c.x("ik"), len(c.x("iq")[0])
    def score(j):
        return total(c.x("iw")[b][i] * max(dot(q[i], k[j]), mpf(0)) for b, q in enumerate(heads))
    return {j: score(j) for j in range(len(k)) if not hides(c, i, j, n, len(k))}


def index_score(c, i):
    y = votes(c, i)
    return [y.get(j, -inf) for j in range(len(c.x("ik")))]


def selected(c, i):
    y = votes(c, i)
    best = sorted(y, key=lambda j: (-y[j], j))[:c.p.topk]
    return [mpf(j in best) for j in range(len(c.x("ik")))]


ROWS = {"sparse": {"o": lambda c, h, i: mixed(c, h, i).output(len(c.x("v")[0][0])), "lse": lse, "index_score": index_score, "selected": selected}}
