"""Normalisation (Ba, Kiros, Hinton 2016; Zhang, Sennrich 2019) and the feed-forward layer (Vaswani et al. 2017, eq. 2; Shazeer 2020)."""
from mpmath import mp, mpf
from real import Node, add, dot, erf, exp, sqrt, tanh, times, total, val


def reciprocal(v, eps, place):
    return 1 / sqrt(v + eps) if place == "inside" else 1 / (sqrt(v) + eps)


def variance(x, mean, unbiased=False):
    d = [a - mean for a in x]
    return dot(d, d) / (len(x) - (1 if unbiased else 0))


def layer_normed(x, gain, shift, eps, unbiased=False, place="inside"):
    mean = total(x) / len(x)
    r = reciprocal(variance(x, mean, unbiased), eps, place)
    y = [(a - mean) * r for a in x]
    y = [a * g for a, g in zip(y, gain)] if gain is not None else y
    return add(y, shift) if shift is not None else y


def root_normed(x, gain, eps, place="inside", offset=0):
    r = reciprocal(dot(x, x) / len(x), eps, place)
    y = [a * r for a in x]
    return [a * (g + offset) for a, g in zip(y, gain)] if gain is not None else y


def ln(c, i, plain=False):
    p = c.p
    gain = None if p.affine == "none" or plain or not c.has("gain") else c.x("gain")
    shift = c.x("shift") if p.affine == "gain-shift" and not plain and c.has("shift") else None
    return layer_normed(c.x("x")[i], gain, shift, p.eps, p.variance == "unbiased", p.place)


def mean(c, i):
    return total(c.x("x")[i]) / len(c.x("x")[i])


def ln_rstd(c, i):
    return reciprocal(variance(c.x("x")[i], mean(c, i), c.p.variance == "unbiased"), c.p.eps, c.p.place)


def rms(c, i, plain=False):
    p = c.p
    return root_normed(c.x("x")[i], None if p.affine == "none" or plain or not c.has("gain") else c.x("gain"), p.eps, p.place, p.offset)


def dgain(y):
    """The gradients of y = gain xhat + shift; that of the gain itself is not asked for."""
    def page(c):
        rows = [y(c, i, True) for i in range(len(c.x("x")))]
        return [total(r[k] * u[k] for r, u in zip(rows, c.x("dy"))) for k in range(len(c.x("x")[0]))]
    return page


def down(name):
    """The sum of the upstream gradient's lines."""
    return lambda c: [total(row[k] for row in c.x(name)) for k in range(len(c.x(name)[0]))]


LAYERNORM = {"y": ln, "mean": mean, "rstd": ln_rstd, "dgain": dgain(ln), "dshift": down("dy")}
RMSNORM = {"y": rms, "rstd": lambda c, i: reciprocal(dot(c.x("x")[i], c.x("x")[i]) / len(c.x("x")[i]), c.p.eps, c.p.place), "dgain": dgain(rms)}


# -- feed-forward ------------------------------------------------------------------------------------------------------------------------------
def relu(x, kink):
    if val(x) == 0 and isinstance(x, Node):
        return Node(mpf(0), ((x, kink),))
    return x if val(x) > 0 else mpf(0)


def activated(p, x):
    kink = p.kink if "kink" in p.of else mpf(0)
    if p.act == "relu":
        return relu(x, kink)
    if p.act == "gelu":
        return x * (1 + erf(x / mp.sqrt(2))) / 2
    if p.act == "gelu-tanh":
        return x * (1 + tanh(mp.sqrt(2 / mp.pi) * (x + mpf(44715) / 1000000 * x * x * x))) / 2
    if p.act == "quick-gelu":
        return x / (1 + exp(-mpf(1702) / 1000 * x))
    return 1 / (1 + exp(-x)) if p.act == "sigmoid" else x / (1 + exp(-x))


def forward(p, x, w1, b1, wg, bg, w2, b2):
    """One line through the layer; a bias that is not there is None."""
    u = times(x, w1)
    u = add(u, b1) if b1 is not None else u
    if p.gated == "yes":
        g = times(x, wg)
        g = add(g, bg) if bg is not None else g
        u = [activated(p, a) * b for a, b in zip(g, u)]
    else:
        u = [activated(p, a) for a in u]
    y = times(u, w2)
    return add(y, b2) if b2 is not None else y


def given(c, name):
    """A bias that bias=no does not read has the gradient of one that stands at 0."""
    if name[0] == "b" and c.p.bias == "no" and c.has(name) and any(isinstance(x, Node) for x in c.x(name)):
        return [x - val(x) for x in c.x(name)]
    return c.x(name) if c.has(name) and (name[0] != "b" or c.p.bias == "yes") else None


def ff(c, i):
    return forward(c.p, c.x("x")[i], c.x("w1"), given(c, "b1"), given(c, "wg"), given(c, "bg"), c.x("w2"), given(c, "b2"))


def turn(a):
    return [list(col) for col in zip(*a)]


def columns(c):
    """yt, which is y in columns."""
    w1, w2 = turn(c.x("w1t")), turn(c.x("w2t"))
    wg = turn(c.x("wgt")) if c.has("wgt") else None
    return turn([forward(c.p, x, w1, given(c, "b1"), wg, given(c, "bg"), w2, given(c, "b2")) for x in turn(c.x("xt"))])


FEEDFORWARD = {"y": ff, "a": lambda c, i: [activated(c.p, u) for u in c.x("u")[i]], "yt": columns, "db2": down("dy")}
ROWS = {"layernorm": LAYERNORM, "rmsnorm": RMSNORM, "feedforward": FEEDFORWARD}
