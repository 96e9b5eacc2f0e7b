"""Attention whose output is gated (Qiu et al. 2025, arXiv:2505.06708): the weights are quotients of exponentials, the gate multiplies what they mix, channel by channel."""
from mpmath import mpf
from real import add, dot, exp, scaled, sqrt, total, val
from softmix import keep


def seen(c, h, i, j):
    n, m, p = len(c.x("q")[h]), len(c.x("k")[0]), c.p
    place = i + {"bottomright": m - n, "offset": p.offset}.get(p.causal, 0)
    return keep(c, h, i, j) and not (p.causal != "none" and j > place) and not (p.window and j <= place - p.window)


def mixed(c, h, i):
    """The output of attention before its gate; 0 where nothing is seen."""
    def make():
        q, groups = c.x("q")[h][i], len(c.x("k"))
        g = h % groups if c.p.group == "tile" else h // (len(c.x("q")) // groups)
        s = c.p.scale if c.p.scale != 0 else 1 / sqrt(mpf(len(q)))
        y, v = [mpf(0)] * len(c.x("v")[g][0]), c.x("v")[g]
        x = {j: s * dot(q, k) for j, k in enumerate(c.x("k")[g]) if seen(c, h, i, j)}
        if not x:
            return y
        top = max(val(a) for a in x.values())
        w = {j: exp(a - top) for j, a in x.items()}
        for j, a in w.items():
            y = add(y, scaled(a, v[j]))
        return [a / total(list(w.values())) for a in y]
    return c.kept(("mixed", h, i), make)


def gate(c, x):
    if c.p.act == "identity":
        return x
    s = exp(x) / (1 + exp(x)) if val(x) < 0 else 1 / (1 + exp(-x))
    return x * s if c.p.act == "silu" else s


def output(c, h, i):
    return [a * gate(c, x) for a, x in zip(mixed(c, h, i), c.x("gate")[h][i])]


def output_head(c, h, i):
    return scaled(gate(c, c.x("gate_head")[h][i]), mixed(c, h, i))


ROWS = {"gatedout": {"y": output, "y_head": output_head}}
