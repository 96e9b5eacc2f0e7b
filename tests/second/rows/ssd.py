"""State-space duality (Dao and Gu 2024, arXiv:2405.21060) by its quadratic form: y = (L o C B^T) dt x, with L_ij the product of the decays of the tokens j + 1 .. i,
and what those leave of the first state.  Nothing is a recurrence."""
from mpmath import mpf
from question import NoFormula
from real import add, dot, exp, log, scaled, total, val


def clamped(c, x):
    p = c.p
    if val(x) < p.dt_min:
        return p.dt_min
    return p.dt_max if p.dt_max and val(x) > p.dt_max else x


def soft(c, x):
    return log(1 + exp(x)) if c.p.dt_softplus == "on" else x


def step(c, h, t):
    x = c.x("dt")[h][t]
    x = x + c.x("dt_bias")[h] if c.has("dt_bias") else x
    return soft(c, clamped(c, x)) if c.p.clamp == "before" else clamped(c, soft(c, x))


def rate(c, h):
    a = c.x("A")[h]
    if c.p.a_log == "on" and val(a) > 10 ** 6:
        raise NoFormula("the rate exp(A_log) is beyond what either system holds")
    return -exp(a) if c.p.a_log == "on" else a


def group(c, h):
    g = len(c.x("B"))
    return h % g if c.p.group == "tile" else g * h // len(c.x("x"))


def cut(c, begin, end):
    """Does a document other than the first begin at one of the tokens begin .. end - 1?"""
    return c.has("cu_seqlens") and any(begin <= k < end for k in c.x("cu_seqlens")[1:])


def left(c, h, begin, end):
    """What the decays of the tokens begin .. end - 1 leave: nothing that either system resolves below exp(-10^7)."""
    if cut(c, begin, end):
        return mpf(0)
    logs = total([step(c, h, t) * rate(c, h) for t in range(begin, end)])
    return exp(logs) if val(logs) > -10 ** 7 else mpf(0)


def read(c, h, x, until, n):
    """S^T x behind the decays of the tokens below `until` and the writes of those below n."""
    y = [mpf(0)] * len(c.x("x")[h][0])
    for j in range(n):
        weight = dot(x, c.x("B")[group(c, h)][j]) * left(c, h, j + 1, until) * step(c, h, j)
        y = add(y, scaled(weight, c.x("x")[h][j]))
    if c.has("state"):
        rest = left(c, h, 0, until)
        y = add(y, [rest * dot(x, [row[k] for row in c.x("state")[h]]) for k in range(len(y))])
    return y


def output(c, h, t):
    y = read(c, h, c.x("C")[group(c, h)][t], t + 1, t + (c.p.of["read"][1] == "after"))
    if c.has("D"):
        y = add(y, scaled(c.x("D")[h], c.x("x")[h][t]))
    if c.has("z"):
        z = c.x("z")[h][t]
        y = [a * (b if c.p.gate == "silu" else 1) / (1 + exp(-b)) for a, b in zip(y, z)]
    return y


def final(c, h, i):
    d, n = len(c.x("B")[0][0]), len(c.x("x")[h])
    return read(c, h, [mpf(int(k == i)) for k in range(d)], n, n)


ROWS = {"ssd": {"y": output, "final": final}}
