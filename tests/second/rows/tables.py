"""Attention with vectors or sinusoids at relative positions: Shaw et al. 2018, NEZHA (Wei et al. 2019), TENER (Yan et al. 2019), FLAT (Li et al. 2020)."""
from mpmath import mp, mpf
from attend import projected, relative, scale_of
from question import NoFormula
from real import Node, add, dot, scaled, sqrt, times, total, val
from sines import sine_row


def clip(x, least, most):
    return min(max(x, least), most)


# -- Shaw, eq. 3-5 ---------------------------------------------------------------------------------------------------------------------------
def shaw_row(p, i, j):
    """The row of the table, or -1 where there is none (beyond=zero)."""
    x = j - (p.memory + i)
    x = -x if p.sign == "query-key" else x
    if p.beyond == "zero" and not p.least <= x <= p.most:
        return -1
    return clip(x, p.least, p.most) - p.least


def vector(table, r):
    return table[r] if r >= 0 else [mpf(0)] * len(table[0])


def shaw_content(c, h, i, j):
    return dot(c.x("q")[h][i], c.x("k")[h][j])


def shaw_position(c, h, i, j, table="tk"):
    q, t = c.x("q")[h][i], vector(c.x(table), shaw_row(c.p, i, j))
    s = dot(q, t)
    if c.p.against == "both":
        s = s + dot(c.x("k")[h][j], t)
    return s


def shaw_score(table="tk"):
    return lambda c, h, i, j: (shaw_content(c, h, i, j) + shaw_position(c, h, i, j, table)) * scale_of(c.p, len(c.x("q")[h][i]))


def shaw_seen(c, h, i, j):
    return c.p.causal == "none" or j <= c.p.memory + i


def shaw_value(table):
    return lambda c, h, i, j: add(c.x("v")[h][j], vector(c.x(table), shaw_row(c.p, i, j)))


def of_keys(term):
    return lambda c, h, i: [term(c, h, i, j) for j in range(len(c.x("k")[h]) if c.has("k") else c.n["m"])]


ONE = relative(shaw_score("t"), shaw_value("t"), shaw_seen)
SHAW = dict(relative(shaw_score(), shaw_value("tv"), shaw_seen), shared=ONE["o"],
            index=lambda c, i, j: shaw_row(c.p, i, j), place=lambda c, i, j: vector(c.x("tk"), shaw_row(c.p, i, j)), content=of_keys(shaw_content), position=of_keys(shaw_position))


def shaw_layer(c):
    """The layer's attention: q, k, v of x, and the keys that are no padding.  Values are summed as they are: the layer has one table."""
    def make():
        p, x = c.p, c.x("x")
        bias = lambda name: c.x(name) if c.has(name) else None
        arrays = {"q": projected(x, c.x("wq"), bias("bq")), "k": projected(x, c.x("wk"), bias("bk")), "v": projected(x, c.x("wv"), bias("bv")), "tk": c.x("tk")}
        if c.has("token"):
            arrays["keep"] = [[c.x("token")] * len(x)] * len(c.x("wq"))
        return c.part(arrays)
    return c.kept("layer", make)


SHAW_LAYER = relative(shaw_score(), None, shaw_seen)


def square(c):
    """Self-attention has as many keys as queries: a question that says otherwise has no meaning."""
    if c.n["m"] != c.n["n"]:
        raise NoFormula("m is not n in self-attention")
    return True


def heads_of(quantities):
    return lambda of: lambda c, i: [quantities["o"](of(c), h, i) for h in range(len(c.x("wq")))]


def joined(c, heads):
    """The output projection of heads' lines: wo[h,e,c] and its bias."""
    wo = c.x("wo")
    y = [total(dot(heads[h], [row[k] for row in wo[h]]) for h in range(len(wo))) for k in range(len(wo[0][0]))]
    return add(y, c.x("bo")) if c.has("bo") else y


SHAW["layer_weights"] = lambda c, h, i: square(c) and SHAW_LAYER["weights"](shaw_layer(c), h, i)
SHAW["layer_heads"] = heads_of(SHAW_LAYER)(shaw_layer)
SHAW["y"] = lambda c, i: joined(c, SHAW["layer_heads"](c, i))


# -- NEZHA, section 2.2 ----------------------------------------------------------------------------------------------------------------------
def nezha_row(p, i, j):
    x = j - (p.memory + i)
    return clip(-x if p.sign == "query-key" else x, -p.reach, p.reach) + p.reach


def nezha_table(c, r):
    p = c.p
    t = r if p.argument == "index" else r - p.reach
    return c.kept(("row", r), lambda: sine_row(mpf(t), p.dim, p.base, p.layout))


def nezha_place(c, i, j):
    return nezha_table(c, nezha_row(c.p, i, j))


def nezha_position(c, h, i, j):
    return dot(c.x("q")[h][i], nezha_place(c, i, j))


def nezha_score(c, h, i, j):
    q = c.x("q")[h][i]
    s = (dot(q, c.x("k")[h][j]) + dot(q, nezha_place(c, i, j))) / sqrt(mpf(len(q)))
    hidden = c.has("hidden") and not (j < len(c.x("hidden")[h][i]) and c.x("hidden")[h][i][j])
    return s - 10000 if hidden else s


def nezha_value(c, h, i, j):
    return add(c.x("v")[h][j], nezha_place(c, i, j))


MIXED = relative(nezha_score, nezha_value)


def added(c):
    """Under mask=add a hidden key stays, with a lower score."""
    def make():
        if c.p.mask == "skip" or not c.has("keep"):
            return c
        arrays = dict(c.arrays, hidden=c.arrays["keep"])
        del arrays["keep"]
        return c.part(arrays)
    return c.kept("added", make)


def nezha_layer(c):
    def make():
        x = c.x("x")
        bias = lambda name: c.x(name) if c.has(name) else None
        arrays = {"q": projected(x, c.x("wq"), bias("bq")), "k": projected(x, c.x("wk"), bias("bk")), "v": projected(x, c.x("wv"), bias("bv"))}
        if c.has("token"):
            arrays["keep"] = [[c.x("token")] * len(x)] * len(c.x("wq"))
        return added(c.part(arrays))
    return c.kept("layer", make)


NEZHA = {name: (lambda f: lambda c, h, i: f(added(c), h, i))(MIXED[name]) for name in ("o", "lse", "weights")}
NEZHA.update(index=lambda c, i, j: nezha_row(c.p, i, j), place=nezha_place, table=nezha_table, position=of_keys(nezha_position),
             layer_weights=lambda c, h, i: square(c) and MIXED["weights"](nezha_layer(c), h, i), layer_heads=heads_of(MIXED)(nezha_layer))


# -- TENER, eq. 6-8 --------------------------------------------------------------------------------------------------------------------------
def tener_distance(p, i, j):
    t = p.memory + i - j
    return -t if p.sign == "key-query" else t


def tener_row(c, t):
    p = c.p
    return c.kept(("row", t), lambda: sine_row(mpf(t), p.dim, p.base, p.layout, p.spacing, p.odd))


def tener_terms(c, h, i, j):
    """The four terms, and the fifth of the released code; 0 where there is none."""
    q, k, t = c.x("q")[h][i], c.x("k")[h][j], tener_distance(c.p, i, j)
    r = tener_row(c, t)
    s = [dot(q, k), dot(q, r), dot(c.x("u")[h], k), dot(c.x("w")[h], r)]
    if c.p.extra == "key":
        return s + [dot(k, tener_row(c, -t))]
    return s + [mpf(0)]


def width_scale(p, d):
    return 1 / sqrt(mpf(d)) if p.scale == "width" else mpf(1)


TENER = dict(relative(lambda c, h, i, j: total(tener_terms(c, h, i, j)) * width_scale(c.p, c.p.dim)), r=lambda c, i: tener_row(c, c.x("distance")[i]),
             terms=tener_terms, index=lambda c, i, j: tener_distance(c.p, i, j))


# -- FLAT, eq. 3-9 ---------------------------------------------------------------------------------------------------------------------------
def spans(p):
    """Heads and tails: the characters, then the words."""
    w = [int(x) for x in p.words]
    return [(k, k) for k in range(p.chars)] + list(zip(w[0::2], w[1::2]))


def distances(p, i, j):
    s = spans(p)
    (a, b), (x, y) = s[i], s[j]
    return [a - x, a - y, b - x, b - y]


def flat_place(c, t):
    p = c.p
    return c.kept(("row", t), lambda: sine_row(mpf(t + (p.reach if p.index == "shifted" else 0)), p.dim, p.base, p.layout, p.spacing, p.odd))


def fused(c, i, j):
    """The vector R_ij of a pair."""
    def make():
        d = distances(c.p, i, j)
        d = d if c.p.fusion == "four" else [d[0], d[3]]
        y = times([x for t in d for x in flat_place(c, t)], c.x("wf"))
        y = add(y, c.x("bf")) if c.has("bf") else y
        return [x if val(x) > 0 else mpf(0) for x in y]
    return c.kept(("fused", i, j), make)


def flat_terms(c, h, i, j):
    q, k = c.x("q")[h][i], c.x("k")[h][j]
    def make():
        r = times(fused(c, i, j), c.x("wr")[h])
        return add(r, c.x("br")[h]) if c.has("br") else r
    r = c.kept(("head", h, i, j), make)
    return [dot(q, k), dot(q, r), dot(c.x("u")[h], k), dot(c.x("w")[h], r)]


FLAT = dict(relative(lambda c, h, i, j: total(flat_terms(c, h, i, j)) * width_scale(c.p, len(c.x("q")[h][i]))), terms=flat_terms, r=fused, head=lambda c, i: spans(c.p)[i][0],
            tail=lambda c, i: spans(c.p)[i][1], distance=lambda c, i, j: [t + (c.p.reach if c.p.index == "shifted" else 0) for t in distances(c.p, i, j)])
ROWS = {"shaw": SHAW, "nezha": NEZHA, "tener": TENER, "flat": FLAT}
