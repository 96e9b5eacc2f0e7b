"""Linear attention with decays (Katharopoulos et al. 2020; Sun et al. 2023, arXiv:2307.08621; Yang et al. 2023, arXiv:2312.06635; Qin et al. 2024, arXiv:2401.04658)
as weighted sums over tokens: o_t = sum_j w_tj v_j, with w_tj = sum_c q_tc k_jc times all decays between, and what they leave of the first state.  Nothing is a recurrence."""
from mpmath import mpf
from real import add, dot, exp, log, power, scaled, sqrt, total, val
from rotary import turned
from mpmath import cos, sin


def lines(c, name, h, t, map):
    return c.kept((name, h, t), lambda: map(c, name, h, t))


def raw(c, name, h, t):
    return c.x(name)[h][t]


def elu1(c, name, h, t):
    phi = {"elu1": lambda x: x + 1 if val(x) > 0 else exp(x), "relu": lambda x: x if val(x) > 0 else 0 * x, "exp": exp, "identity": lambda x: x}[c.p.feature]
    return [phi(x) for x in raw(c, name, h, t)]


def silu(c, name, h, t):
    return [x / (1 + exp(-x)) if c.p.act == "silu" else x for x in raw(c, name, h, t)]


def rotated(c, name, h, t):
    x, p = raw(c, name, h, t), c.p
    if p.rotation == "none":
        return x
    d, at = len(x), p.offset + t
    if p.rotation == "linspace":
        freq = [power(p.base, mpf(-k) / (d // 2 - 1)) if d > 2 else mpf(1) for k in range(d // 2)]
    else:
        freq = [power(p.base, mpf(-2 * k) / d) for k in range(d // 2)]
    stretch = [mpf(1)] * (d // 2)
    if p.rotation == "xpos":
        stretch = [power((mpf(2 * k) / d + mpf(2) / 5) / (mpf(7) / 5), (at if name == "q" else -at) / p.scale_base) for k in range(d // 2)]
    return turned(x, [s * cos(at * f) for s, f in zip(stretch, freq)], [s * sin(at * f) for s, f in zip(stretch, freq)], p.layout, d)


def given(c, h, t):
    """The logarithms of the decays of a token, a list over the channels of the key."""
    a = c.x("a")[h][t]
    return a if c.p.gate == "log" else [-log(1 + exp(-x)) / c.p.tau for x in a]


def by_head(c, h):
    heads, p = len(c.x("v")), c.p
    e = mpf(-p.first - h) if p.gamma == "power" or heads == 1 else mpf(-p.first) - mpf(4 * h) / (heads - 1)
    return log(1 - power(mpf(2), e))


def slope(c, h):
    """Of layer and head."""
    heads, p = len(c.x("v")), c.p
    small, l, below = mpf(1) / 100000, p.layer, p.layers - 1
    share = {"minimax": lambda: 1 - mpf(l) / below + small if below else 1 + small, "transformers": lambda: 1 - l / (below + small) + small,
             "fla": lambda: 1 - mpf(l) / p.layers}[p.layers_of]()
    if p.slopes == "linear":
        return -share * 8 * h / heads
    whole = 1 << (heads.bit_length() - 1)
    if p.slopes == "power" or whole == heads:
        return -share * power(mpf(2), mpf(-8 * (h + 1)) / heads)
    return -share * power(mpf(2), mpf(-8 * (h + 1)) / whole if h < whole else mpf(-8 * (2 * (h - whole) + 1)) / (2 * whole))


def row(map, decays=None, normalised=lambda c: False, everything=lambda c: False):
    def span(c, h, begin, end):
        """What the decays of the tokens begin .. end - 1 leave, by channel."""
        width = len(c.x("k")[0][0])
        if decays is None:
            return [mpf(1)] * width
        logs = total_of([decays(c, h, t) for t in range(begin, end)], width)
        return [exp(x) for x in logs]

    def total_of(rows, width):
        return [total([r[k] for r in rows]) if rows else mpf(0) for k in range(width)]

    def weights(c, h, x, until, n):
        return [total([a * b * g for a, b, g in zip(x, lines(c, "k", h, j, map), span(c, h, j + 1, until))]) for j in range(n)]

    def carried(c, h, x, until):
        return [a * g for a, g in zip(x, span(c, h, 0, until))]

    def read(c, h, x, until, n):
        """S^T x behind the decays of the tokens below `until` and the writes of those below n, and z^T x."""
        w, e = weights(c, h, x, until, n), len(c.x("v")[0][0])
        y, first = [mpf(0)] * e, carried(c, h, x, until)
        for j in range(n):
            y = add(y, scaled(w[j], lines(c, "v", h, j, map if map is silu else raw)))
        if c.has("state"):
            y = add(y, [dot(first, [r[k] for r in c.x("state")[h]]) for k in range(e)])
        return y, total(w) + (dot(first, c.x("z")[h]) if c.has("z") else 0)

    def output(c, h, t):
        n = len(c.x("v")[h])
        q, s = lines(c, "q", h, t, map), c.p.scale
        q = scaled(s if s != 0 else 1 / sqrt(mpf(len(q))), q)
        seen, decayed = (n, n) if everything(c) else (t + (c.p.of["read"][1] == "after"), t + 1)
        y, z = read(c, h, q, decayed, seen)
        return [x / (z + c.p.eps) for x in y] if normalised(c) else y

    def basis(c, i):
        return [mpf(int(k == i)) for k in range(len(c.x("k")[0][0]))]

    def final(c, h, i):
        n = len(c.x("v")[h])
        return read(c, h, basis(c, i), n, n)[0]

    def final_z(c, h):
        n = len(c.x("v")[h])
        return [read(c, h, basis(c, i), n, n)[1] for i in range(len(c.x("k")[0][0]))]
    return {"o": output, "final": final, "final_z": final_z} if normalised is summed else {"o": output, "final": final}


def summed(c):
    return c.p.normalise == "sum"


def alike(of):
    """A decay of the head, in every channel of every token."""
    return lambda c, h, t: [of(c, h)] * len(c.x("k")[0][0])


ROWS = {"linear": row(elu1, None, summed, lambda c: c.p.causal == "off"), "gla": row(raw, given), "retention": row(rotated, alike(by_head)),
        "lightning": row(silu, alike(slope))}
