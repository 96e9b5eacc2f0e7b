"""Attention over a quantized cache (OCP Microscaling Formats 1.0; Liu et al. 2024, arXiv:2402.02750): keys and values are codes times the scale of their block, and then a query mixes them."""
from mpmath import mp, mpf
from real import add, dot, exp, log, scaled, sqrt, tanh, total, val


def line(c, x, g, j):
    """Key (x = k) or value (x = v) j of head g, channel by channel."""
    scales, p = c.x(x + "_scale")[g], c.p
    tokens, width = (p.k_tokens, p.k_width) if x == "k" else (p.v_tokens, p.v_width)
    row = min(int(j) // int(tokens), len(scales) - 1)
    zeros = c.x(x + "_zero")[g][row] if c.has(x + "_zero") else None
    out = []
    for a, code in enumerate(c.x(x)[g][j]):
        at = min(a // int(width), len(scales[row]) - 1)
        s = scales[row][at]
        if zeros is None:
            out.append(s * code)
        elif p.zero == "before":
            out.append(s * (code - zeros[at]))
        else:
            out.append(s * code + zeros[at])
    return out


def sees(c, i, j):
    n, m, p = len(c.x("q")[0]), len(c.x("k")[0]), c.p
    place = {"none": i, "bottomright": m - n + i, "topleft": i, "offset": i + int(p.offset)}[p.causal]
    return (p.causal == "none" or j <= place) and (not p.window or j > place - p.window)


def mixed(c, h, i):
    """The scores less their largest as exponentials, by key; that largest; and the values."""
    def make():
        q, p = c.x("q")[h][i], c.p
        g = h // (len(c.x("q")) // len(c.x("k")))
        s = p.scale if p.scale != 0 else 1 / sqrt(mpf(len(q)))
        seen = [j for j in range(len(c.x("k")[0])) if sees(c, i, j)]
        x = [s * dot(q, line(c, "k", g, j)) for j in seen]
        x = [p.cap * tanh(a / p.cap) for a in x] if p.cap != 0 else x
        top = max(val(a) for a in x) if x else mpf(0)
        return [exp(a - top) for a in x], top, [line(c, "v", g, j) for j in seen]
    return c.kept(("mixed", h, i), make)


def output(c, h, i):
    w, _, v = mixed(c, h, i)
    y = [mpf(0)] * len(c.x("v")[0][0])
    for a, one in zip(w, v):
        y = add(y, scaled(a, one))
    return [a / total(w) for a in y] if w else y


def lse(c, h, i):
    w, top, _ = mixed(c, h, i)
    y = log(total(w)) + top if w else -mp.inf
    return [y / mp.log(2) if c.p.base == "2" else y]


ROWS = {"quantized": {"o": output, "lse": lse, "key": lambda c, g, j: line(c, "k", g, j), "value": lambda c, g, j: line(c, "v", g, j)}}
