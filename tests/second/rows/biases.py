"""Biases of scores: linear (Press et al. 2022), kernelized (Chi et al. 2022), bucketed (Raffel et al. 2020)."""
from mpmath import mp, mpf
from attend import projected, relative
from question import NoFormula
from real import dot, exp, log, power, sqrt, total, times, val


# -- linear ------------------------------------------------------------------------------------------------------------------------------
def exponent(p, h):
    """The exponents t_h of slope_h = 2^(-max t_h), with `first` as the exponent of head 0 in place of 1."""
    heads, move = p.heads, p.first - 1
    below = 1 << (heads.bit_length() - 1)
    above = below if below == heads else 2 * below
    if p.family == "strided":       # MPT: every second of the next power of two's, then those left out
        steps = list(range(1, above + 1))
        order = steps if above == heads else steps[1::2] + steps[0::2]
        return (order[h] + move) / mpf(above)
    if p.family in ("geometric", "paper"):
        return (h + 1 + move) / mpf(heads)
    if h < below:
        return (h + 1 + move) / mpf(below)
    return (2 * (h - below) + 1 + move) / mpf(2 * below)


def slope(c, h):
    return power(mpf(2), -c.p.max * exponent(c.p, h))


def linear(c, h, i, j):
    p, d = c.p, c.p.offset + i - j
    y = {"relative": -d, "absolute": -abs(d), "key": j}[p.form] * slope(c, h)
    return -y if p.sign == "plus" else y


# -- kernelized: eq. 5 and 6 ---------------------------------------------------------------------------------------------------------------
def clamped(x, least, most=None):
    """A number outside the clamp counts as the constant at its border, and has no slope there."""
    if val(x) < least:
        return least
    return most if most is not None and val(x) > most else x


def distance(c, i, j):
    d = c.p.offset + i - j
    return abs(d) if c.p.form == "absolute" else max(d, 0)


def kernel(c, h, i, j):
    p, d = c.p, mpf(distance(c, i, j))
    a = clamped(c.x("a")[h], p.least)
    if p.kind == "log":
        return -(clamped(c.x("p")[h], p.least) * log(1 + a * d))
    return -(a * power(d, clamped(c.x("p")[h], p.least, mpf(2)))) if d else mpf(0)


def signed(c, y):
    return -y if c.p.sign == "plus" else y


def weight(c, h, i, j):
    """The factor exp(-a D^p) of a score, whatever the kind of the bias."""
    p, d = c.p, mpf(distance(c, i, j))
    e = clamped(c.x("a")[h], p.least) * power(d, clamped(c.x("p")[h], p.least, mpf(2))) if d else mpf(0)
    return exp(signed(c, -e))


# -- bucketed --------------------------------------------------------------------------------------------------------------------------------
def t5_bucket(p, rho):
    """rho = key - query.  The logarithm's floor by whole powers: least t with n^K >= far^t e^(K-t)."""
    n, most, base = -rho, p.buckets, 0
    if p.direction == "bidirectional":
        most //= 2
        base, n = (most if n < 0 else 0), abs(n)
    else:
        n = max(n, 0)
    e = most // 2
    if n < e:
        return base + n
    k = most - e

    def start(t, shift=0):
        """Does n reach e (far/e)^((2t - shift)/(2K))?"""
        u = 2 * t - shift
        return n ** (2 * k) * e ** u >= p.max_distance ** u * e ** (2 * k) if u >= 0 else True
    shift = 1 if p.edge == "nearest" else 0
    t = 0
    while start(t + 1, shift) and t < 4 * 10 ** 4 and not (p.last == "clamped" and t >= most - 1 - e):
        t += 1
    return base + e + (min(t, most - 1 - e) if p.last == "clamped" else t)


def t5_bias(c, h, i, j):
    p = c.p
    if p.form == "pairs":
        q = p.offset + i
        return c.x("table")[q * p.trained + j][h] if 0 <= q < p.trained and j < p.trained else mpf("nan")
    row = t5_bucket(p, j - (p.offset + i))
    return c.x("table")[row][h] if row < len(c.x("table")) else mpf("nan")


def t5_score(c, h, i, j):
    q = c.x("q")[h][i]
    s = dot(q, c.x("k")[h][j])
    return (s / sqrt(mpf(len(q))) if c.p.scale == "width" else s) + t5_bias(c, h, i, j)


def t5_dtable_bias(c, b, h):
    p = c.p
    up = c.x("dbias")[h]
    def row(i, j):
        return (p.offset + i) * p.trained + j if p.form == "pairs" else t5_bucket(p, j - (p.offset + i))
    inside = lambda i, j: p.form != "pairs" or (0 <= p.offset + i < p.trained and j < p.trained)
    return total(up[i][j] for i in range(len(up)) for j in range(len(up[0])) if inside(i, j) and row(i, j) == b)


def t5_layer(c):
    """The heads of x, without biases, for self-attention."""
    def make():
        x = c.x("x")
        if "m" in c.n and c.n["m"] != len(x):
            raise NoFormula("m is not n in self-attention")
        arrays = {"q": projected(x, c.x("wq")), "k": projected(x, c.x("wk")), "v": projected(x, c.x("wv")), "table": c.x("table")}
        if c.has("keep"):
            arrays["keep"] = c.x("keep")
        return c.part(arrays)
    return c.kept("layer", make)


MIXED = relative(t5_score)


def t5_y(c, i):
    wo = c.x("wo")
    heads = [MIXED["o"](t5_layer(c), h, i) for h in range(len(wo))]
    return [total(dot(heads[h], [row[k] for row in wo[h]]) for h in range(len(wo))) for k in range(len(wo[0][0]))]


T5 = dict(MIXED, layer_weights=lambda c, h, i: MIXED["weights"](t5_layer(c), h, i), y=t5_y, bucket=lambda c, i: t5_bucket(c.p, c.x("relative_position")[i]), bias=t5_bias, dtable_bias=t5_dtable_bias)
ROWS = {"alibi": {"slopes": slope, "bias": linear},
        "kerple": {"bias": lambda c, h, i, j: signed(c, kernel(c, h, i, j)), "weight": weight},
        "t5": T5}
