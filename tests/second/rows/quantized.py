"""Attention over a quantized cache (OCP Microscaling Formats 1.0; Liu et al. 2024, arXiv:2402.02750): keys and values are codes times the scale of their block, and then a query mixes them."""
from softmix import Mix, in_base, scored


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
    def make():
        q, g, m = c.x("q")[h][i], h // (len(c.x("q")) // len(c.x("k"))), len(c.x("k")[0])
        scores = {j: scored(c.p, q, line(c, "k", g, j)) for j in range(m) if sees(c, i, j)}
        return Mix(m, scores, lambda j: line(c, "v", g, j))
    return c.kept(("mixed", h, i), make)


ROWS = {"quantized": {
    "o": lambda c, h, i: mixed(c, h, i).output(len(c.x("v")[0][0])),
    "lse": lambda c, h, i: [in_base(c.p, mixed(c, h, i).lse)],
    "key": lambda c, g, j: line(c, "k", g, j),
    "value": lambda c, g, j: line(c, "v", g, j),
}}
