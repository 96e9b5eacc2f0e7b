"""Sigmoid attention (Ramapuram et al. 2024, arXiv:2409.04431): every visible key adds its value by a weight of its own, 1 / (1 + e^-(score + b)), and nothing is divided."""
from mpmath import mpf
from real import add, dot, exp, log, scaled, sqrt, val
from softmix import keep


def seen(c, h, i, j):
    n, m, p = len(c.x("q")[h]), len(c.x("k")[0]), c.p
    place = i + {"bottomright": m - n, "offset": p.offset}.get(p.causal, 0)
    biased = not c.has("bias") or val(c.x("bias")[h][i][j]) != mpf("-inf")
    return keep(c, h, i, j) and biased and not (p.causal != "none" and j > place) and not (p.window and j <= place - p.window)


def offset(c, h, i):
    m, p = len(c.x("k")[0]), c.p
    if p.shift == "given":
        return p.level
    return -log(mpf({"keys": m, "trained": p.trained}.get(p.shift) or sum(seen(c, h, i, j) for j in range(m))))


def key_head(c, h):
    g = len(c.x("k"))
    return h % g if c.p.group == "tile" else h // (len(c.x("q")) // g)


def weights(c, h, i):
    """By key; None of a key that is not seen."""
    def make():
        q, y = c.x("q")[h][i], []
        s = c.p.scale if c.p.scale != 0 else 1 / sqrt(mpf(len(q)))
        for j, k in enumerate(c.x("k")[key_head(c, h)]):
            if not seen(c, h, i, j):
                y.append(None)
                continue
            x = s * dot(q, k) + offset(c, h, i)
            x = x + c.x("bias")[h][i][j] if c.has("bias") else x
            # e^x / (1 + e^x) where e^-x would be huge: the same number.
            y.append(exp(x) / (1 + exp(x)) if val(x) < 0 else 1 / (1 + exp(-x)))
        return y
    return c.kept(("weights", h, i), make)


def output(c, h, i):
    v = c.x("v")[key_head(c, h)]
    y = [mpf(0)] * (len(v[0]) if v else c.n["e"])
    for w, x in zip(weights(c, h, i), v):
        y = add(y, scaled(w, x)) if w is not None else y
    return y


ROWS = {"sigmoid": {"o": output, "weights": lambda c, h, i: [mpf(0) if w is None else w for w in weights(c, h, i)]}}
