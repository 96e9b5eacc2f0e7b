"""Relative attention with biases of its own: Transformer-XL (Dai et al. 2019, section 3.3), XLNet (Yang et al. 2019), DeBERTa (He et al. 2021), and the four
terms of a score with what methods keep of them (Su 2021; Dai et al. 2019)."""
from mpmath import mp, mpf
from attend import projected, relative, scale_of
from norms import layer_normed
from question import NoFormula
from real import add, dot, inf, scaled, sqrt, times, total, val
from sines import sine_row
from tables import clip, heads_of, joined, of_keys


def memory(c):
    """The memory M = keys - queries."""
    return len(c.x("k")[0]) - len(c.x("q")[0]) if c.has("k") and c.has("q") else c.n["m"] - c.n["n"]


# -- Transformer-XL ----------------------------------------------------------------------------------------------------------------------------
def txl_distance(p, i, j, m):
    d = m + i - j
    d = min(d, p.clamp) if p.clamp >= 0 else d
    return -d if p.sign == "key-query" else d


def sines_at(c, t, width):
    return c.kept(("row", t, width), lambda: sine_row(mpf(t), width, c.p.base, c.p.layout))


def txl_row(c, h, t):
    """r = W_kR R_t; or the row that is given for the distance."""
    if c.has("r"):
        rows = c.x("r")[h]
        return rows[clip(-t if c.p.sign == "key-query" else t, 0, len(rows) - 1)]     # given by delta, whatever the sign of R
    w = c.x("wr")[h]
    return c.kept(("projected", h, t), lambda: times(sines_at(c, t, len(w)), w))


def txl_score(c, h, i, j):
    q, k = c.x("q")[h][i], c.x("k")[h][j]
    r = txl_row(c, h, txl_distance(c.p, i, j, memory(c)))
    return (dot(add(q, c.x("u")[h]), k) + dot(add(q, c.x("vr")[h]), r)) * scale_of(c.p, len(q))


def causal(c, h, i, j):
    return c.p.causal == "none" or j <= memory(c) + i


def txl_term(left, right):
    def term(c, h, i, j):
        a = c.x("q")[h][i] if left == "q" else c.x(left)[h]
        return dot(a, c.x("k")[h][j] if right == "k" else txl_row(c, h, txl_distance(c.p, i, j, memory(c))))
    return of_keys(term)


def shifted(c, i):
    """Of a given matrix: a column of zeros in front, read with rows one shorter, the first row left out (kimiyoung mem_transformer.py _rel_shift)."""
    s = c.x("s")
    n, m = len(s), len(s[0])
    flat = [x for row in s for x in [mpf(0)] + row]
    return flat[n + i * m:n + (i + 1) * m]


def layer(c, q_of=lambda c: c.x("x")):
    """q of x (or of the other stream), keys and values of the memory and x."""
    def make():
        x, bias = c.x("x"), lambda name: c.x(name) if c.has(name) else None
        own = q_of(c)
        past = c.x("mem") if c.has("mem") else []
        if c.p.of.get("order", (0, ""))[1] == "pre":    # normalised before: memory and x
            norm = lambda rows: [layer_normed(r, bias("gain"), bias("shift"), c.p.eps) for r in rows]
            past, own, x = norm(past), norm(own), norm(x)
        arrays = {"q": projected(own, c.x("wq"), bias("bq")), "k": projected(past + x, c.x("wk"), bias("bk")), "v": projected(past + x, c.x("wv"), bias("bv"))}
        for name in ("u", "vr", "wr", "rs", "se", "seg", "rows"):
            if c.has(name):
                arrays[name] = c.x(name)
        if c.has("mask"):
            arrays["hides"] = c.x("mask")
        return c.part(arrays)
    return c.kept("layer", make)


def no_mask(seen):
    """mask: what is not 0 hides a key, of every head."""
    return lambda c, h, i, j: seen(c, h, i, j) and not (c.has("hides") and c.x("hides")[i][j])


TXL = relative(txl_score, None, no_mask(causal))


def joined_layer(quantities, of, residual=lambda c, i: c.x("x")[i], order=lambda c: c.p.order):
    def page(c, i):
        fits(c)
        heads = [quantities["o"](of(c), h, i) for h in range(len(c.x("wq")))]
        y = joined(c, heads)
        gain, shift = (c.x(name) if c.has(name) else None for name in ("gain", "shift"))
        if order(c) == "none":
            return y
        y = add(residual(c, i), y)
        return layer_normed(y, gain, shift, c.p.eps) if order(c) == "post" else y
    return page


def fits(c):
    """Keys are those of the memory and of x."""
    past = len(c.x("mem")) if c.has("mem") else 0
    if "m" in c.n and c.n["m"] != past + c.n["n"]:
        raise NoFormula("m is not l + n in a layer")
    return True


TXL.update(given=TXL["o"], content=txl_term("q", "k"), position=txl_term("q", "r"), content_bias=txl_term("u", "k"), position_bias=txl_term("vr", "r"), shifted=shifted,
           layer_weights=lambda c, h, i: fits(c) and TXL["weights"](layer(c), h, i), y=joined_layer(TXL, layer))


# -- XLNet -------------------------------------------------------------------------------------------------------------------------------------
def xl_distance(p, d):
    if p.clamp >= 0:
        d = min(d, p.clamp) if p.cut == "above" else clip(d, -p.clamp, p.clamp)
    return -d if p.sign == "key-query" else d


def xl_row(c, h, i, j):
    w = c.x("wr")[h]
    if c.has("rows"):
        n, m = len(c.x("q")[h]), c.n["m"] if "k" not in c.arrays else len(c.x("k")[h])
        t, rows = m - (m - n + i - j), c.x("rows")
        if not 0 <= t < len(rows):
            raise NoFormula("fewer rows than distances")
        return times(rows[t], w)
    t = xl_distance(c.p, memory(c) + i - j)
    return c.kept(("projected", h, t), lambda: times(sines_at(c, t, len(w)), w))


def xl_segment(c, h, i, j):
    q = add(c.x("q")[h][i], c.x("rs")[h])
    return total(dot(q, c.x("se")[s][h]) * a for s, a in enumerate(c.x("seg")[i][j]))


def xl_score(c, h, i, j):
    q, k = c.x("q")[h][i], c.x("k")[h][j]
    s = dot(add(q, c.x("u")[h]), k) + dot(add(q, c.x("vr")[h]), xl_row(c, h, i, j)) + xl_segment(c, h, i, j)
    return s * scale_of(c.p, len(q))


def xl_shifted(c, i):
    """s[n,P]: read as P rows of n, the first left out, back to n rows of P - 1, the first m kept (zihangdai/xlnet rel_shift)."""
    s, m = c.x("s"), c.n["m"]
    n, p = len(s), len(s[0])
    if p - 1 < m:
        raise NoFormula("a matrix with fewer columns than the shift reads")
    flat = [x for row in s for x in row][n:]
    return flat[i * (p - 1):i * (p - 1) + m]


XL = relative(xl_score, None, no_mask(causal))


def stream(c):
    return layer(c, lambda c: c.x("query") if c.has("query") else c.x("x"))


XLNET = dict(XL, content=of_keys(lambda c, h, i, j: dot(add(c.x("q")[h][i], c.x("u")[h]), c.x("k")[h][j])),
             position=of_keys(lambda c, h, i, j: dot(add(c.x("q")[h][i], c.x("vr")[h]), xl_row(c, h, i, j))), segment=of_keys(xl_segment),
             table=lambda c, i: sine_row(mpf(xl_distance(c.p, c.x("distance")[i])), c.n["c"], c.p.base, c.p.layout), shifted=xl_shifted,
             layer_weights=lambda c, h, i: fits(c) and XL["weights"](stream(c), h, i),
             y=joined_layer(XL, stream, lambda c, i: (c.x("query") if c.has("query") else c.x("x"))[i], lambda c: "post"))


# -- DeBERTa -----------------------------------------------------------------------------------------------------------------------------------
def deberta_bucket(p, x):
    """v2's logarithmic bucket: mid + least t with (|x|/mid)^(mid-1) <= ((M-1)/mid)^t, by whole powers."""
    if p.distance == "linear":
        return x
    mid = p.span // 2
    if p.beyond == "clipped":
        x = clip(x, -(p.max_position - 1), p.max_position - 1)
    a = abs(x)
    if a <= mid:
        return x
    t = 0
    while not a ** (mid - 1) * mid ** t <= (p.max_position - 1) ** t * mid ** (mid - 1):
        t += 1
    return (mid + t) * (1 if x > 0 else -1)


def deberta_index(p, x):
    return clip(deberta_bucket(p, x), -p.span, p.span - 1) + p.span


def both(p, i, j):
    """The rows of kr and qr that a pair reads."""
    x = p.memory + i - j
    return deberta_index(p, x), deberta_index(p, x if p.p2c_index == "code" else -x)


def c2p(c, h, i, j):
    return dot(c.x("q")[h][i], c.x("kr")[h][both(c.p, i, j)[0]])


def p2c(c, h, i, j):
    return dot(c.x("k")[h][j], c.x("qr")[h][both(c.p, i, j)[1]])


def deberta_score(c, h, i, j):
    p, q = c.p, c.x("q")[h][i]
    s, terms = dot(q, c.x("k")[h][j]), 1
    if p.terms in ("both", "c2p"):
        s, terms = s + c2p(c, h, i, j), terms + 1
    if p.terms in ("both", "p2c"):
        s, terms = s + p2c(c, h, i, j), terms + 1
    return s / {"terms": sqrt(mpf(terms * len(q))), "width": sqrt(mpf(len(q))), "none": mpf(1)}[p.scale]


DE = relative(deberta_score, None, lambda c, h, i, j: not c.has("both") or (c.x("both")[i] != 0 and c.x("both")[j] != 0))


def deberta_layer(c):
    def make():
        x, rel = c.x("x"), c.x("rel")
        own = c.x("query") if c.has("query") else x
        own = [add(a, b) for a, b in zip(own, c.x("z"))] if c.has("z") else own
        key = lambda name, shared: c.x(name) if c.has(name) else c.x(shared) if c.has(shared) else None
        arrays = {"q": projected(own, c.x("wq"), c.x("bq")), "k": projected(x, c.x("wk"), c.x("bk")), "v": projected(x, c.x("wv"), c.x("bv"))}
        for name, weight, bias, shared in (("kr", "wkr", "bkr", "k"), ("qr", "wqr", "bqr", "q")):
            if c.has(weight):
                arrays[name] = projected(rel, c.x(weight), c.x(bias) if c.has(bias) else None)
            else:
                arrays[name] = projected(rel, c.x("w" + shared), c.x("b" + shared))
        if c.has("mask"):
            arrays["both"] = c.x("mask")
        return c.part(arrays)
    return c.kept("layer", make)


def square(c):
    if c.n["m"] != c.n["n"]:
        raise NoFormula("m is not n in self-attention")
    return True


DEBERTA = dict(DE, c2c=of_keys(lambda c, h, i, j: dot(c.x("q")[h][i], c.x("k")[h][j])), c2p=of_keys(c2p), p2c=of_keys(p2c),
               bucket=lambda c, i: deberta_bucket(c.p, c.x("relative_position")[i]), row=lambda c, i: deberta_index(c.p, c.x("relative_position")[i]),
               index=lambda c, i, j: list(both(c.p, i, j)), layer_weights=lambda c, h, i: square(c) and DE["weights"](deberta_layer(c), h, i), layer_heads=heads_of(DE)(deberta_layer))


# -- the four terms ------------------------------------------------------------------------------------------------------------------------------
def far(p, i, j):
    t = p.memory + i - j
    return -t if p.sign == "key-query" else t


def index(p, i, j):
    return clip(far(p, i, j), p.least, p.most) - p.least


def index_back(p, i, j):
    t = far(p, i, j)
    return clip(-t if p.back == "reversed" else t, p.least, p.most) - p.least


def four(c, h, i, j):
    p = c.p
    at = lambda name, k, w: c.kept((name, h, k), lambda: times(c.x(name)[k], c.x(w)[h]))
    qx, qp, ky, ks = at("x", i, "wq"), at("p", i, "wq"), at("y", j, "wk"), at("s", j, "wk")
    zero = mpf(0)
    second = {"none": lambda: zero, "position": lambda: dot(qx, ks), "relative": lambda: dot(qx, c.x("rk")[h][index(p, i, j)])}[p.content_position]()
    third = {"none": lambda: zero, "position": lambda: dot(qp, ky), "relative": lambda: dot(c.x("rq")[h][index_back(p, i, j)], ky), "bias": lambda: dot(c.x("u")[h], ky)}[p.position_content]()
    last = {"none": lambda: zero, "position": lambda: dot(qp, ks), "bias": lambda: dot(c.x("w")[h], c.x("rk")[h][index(p, i, j)]), "scalar": lambda: c.x("beta")[h][i][j]}[p.position_position]()
    return [dot(qx, ky), second, third, last]


def expansion_score(c, h, i, j):
    p, d = c.p, len(c.x("wq")[h][0])
    terms = sum(x != "none" for x in (p.content_position, p.position_content, p.position_position))
    return total(four(c, h, i, j)) / {"none": mpf(1), "width": sqrt(mpf(d)), "terms": sqrt(mpf((1 + terms) * d))}[p.scale]


def expansion_value(c, h, i, j):
    p, y = c.p, c.x("y")[j]
    v = times(add(y, c.x("s")[j]) if p.value == "position" else y, c.x("wv")[h])
    return add(v, c.x("rv")[h][index(p, i, j)]) if p.value == "relative" else v


def mixed(c, h, i):
    from softmix import Mix, keep
    m = len(c.x("y"))
    return Mix(m, {j: expansion_score(c, h, i, j) for j in range(m) if keep(c, h, i, j)}, lambda j: expansion_value(c, h, i, j))


EXPANSION = {"o": lambda c, h, i: mixed(c, h, i).output(len(c.x("wv")[h][0])), "lse": lambda c, h, i: mixed(c, h, i).lse,
             "score": lambda c, h, i: [expansion_score(c, h, i, j) for j in range(len(c.x("y")))], "terms": four, "values": expansion_value,
             "index": lambda c, i, j: index(c.p, i, j), "index_back": lambda c, i, j: index_back(c.p, i, j)}
ROWS = {"txl": TXL, "xlnet": XLNET, "deberta": DEBERTA, "expansion": EXPANSION}
