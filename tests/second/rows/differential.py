"""Differential attention (Ye et al. 2024, arXiv:2410.05258): two maps of weights are built, one is taken off the other, and the rest mixes the values."""
from mpmath import mpf
from real import dot, exp, sqrt, total, val


def level(p):
    return p.level if p.level != 0 else mpf(4) / 5 - mpf(3) / 5 * exp(mpf(-3) / 10 * (p.layer - 1))


def key_of(c, h, half, heads, groups):
    """The key head and the half of it."""
    if c.p.keys == "repeated":
        # Both halves of every key head in one list, each written heads / groups times in a row.
        row = [(g, s) for g in range(groups) for s in (0, 1) for _ in range(heads // groups)]
        return row[2 * h + half]
    return h // (heads // groups), half


def weights(c, q, keys, i, n):
    m = len(keys)
    s = c.p.scale if c.p.scale != 0 else 1 / sqrt(mpf(len(q)))
    seen = m if c.p.causal == "off" else max(0, min(m, i + 1 + m - n))
    scores = [s * dot(q, keys[j]) for j in range(seen)]
    if not scores:
        return [mpf(0)] * m
    top = max(val(x) for x in scores)
    e = [exp(x - top) for x in scores]
    z = total(e)
    return [x / z for x in e] + [mpf(0)] * (m - seen)


def end(c, z):
    if c.p.norm == "rms":
        width = sqrt(dot(z, z) / len(z) + c.p.eps)
        z = [x / width for x in z]
    if c.has("gain"):
        z = [g * x for g, x in zip(c.x("gain"), z)]
    return [x * (1 - level(c.p)) for x in z] if c.p.fade == "on" else z


def mixed(c, h, i, first, second, share):
    n, v = len(c.x("q1")[h]), c.x("v")[h * len(c.x("v")) // len(c.x("q1"))]
    one, two = weights(c, c.x("q1")[h][i], first, i, n), weights(c, c.x("q2")[h][i], second, i, n)
    rest = [a - share * b for a, b in zip(one, two)]
    return end(c, [dot(rest, [row[k] for row in v]) for k in range(len(v[0]))])


def output(c, h, i):
    heads, groups = len(c.x("q1")), len(c.x("v"))
    keys = []
    for half in (0, 1):
        g, of = key_of(c, h, half, heads, groups)
        keys.append(c.x("k2" if of else "k1")[g])
    share = exp(dot(c.x("lambda_q1"), c.x("lambda_k1"))) - exp(dot(c.x("lambda_q2"), c.x("lambda_k2"))) + level(c.p)
    return mixed(c, h, i, keys[0], keys[1], share)


def gated(c, h, i):
    k = c.x("k")[h * len(c.x("k")) // len(c.x("q1"))]
    return mixed(c, h, i, k, k, 1 / (1 + exp(-c.x("a")[h][i])))


ROWS = {"differential": {"o": output, "gated": gated}}
