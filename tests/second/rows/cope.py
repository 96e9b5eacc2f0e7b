"""CoPE (Golovneva et al. 2024, arXiv:2405.18719): sums of sigmoids from key to query, and a vector between two learned ones."""
from mpmath import mp, mpf
from real import add, dot, exp, log, scaled, sqrt, total, val


def place(c, i):
    return i if c.p.start == "zero" else len(c.x("k")[0]) - len(c.x("q")[0]) + i


def scale(c):
    return c.p.scale if c.p.scale != 0 else 1 / sqrt(mpf(len(c.x("q")[0][0])))


def group(c, h):
    return h * len(c.x("k")) // len(c.x("q"))


def gate(c, h, i, l):
    here = place(c, i)
    if l == here and c.p.own == "out" or l > here and c.p.upto == "query":
        return None
    s = dot(c.x("q")[h][i], c.x("kg" if c.has("kg") else "k")[group(c, h)][l])
    return 1 / (1 + exp(-s * scale(c) if c.p.gates == "scaled" else -s))


def positions(c, h, i):
    m, most = len(c.x("k")[0]), len(c.x("emb")) - 1
    open_ = [gate(c, h, i, l) for l in range(m)]
    sums = [total([g for g in open_[j:] if g is not None]) for j in range(m)]
    return [p if val(p) < most else mpf(most) for p in sums]


def vector(c, p):
    """The line from the embedding below p to the one above."""
    f = int(mp.floor(val(p)))
    low = c.x("emb")[f]
    if val(p) == f:
        return low
    return add(scaled(p - f, c.x("emb")[f + 1]), scaled(1 - (p - f), low))


def bias(c, h, i):
    by = scale(c) if c.p.add == "before" else 1
    return [by * dot(c.x("q")[h][i], vector(c, p)) for p in positions(c, h, i)]


def scores(c, h, i):
    s = {}
    for j, b in enumerate(bias(c, h, i)):
        if c.p.causal == "off" or j <= place(c, i):
            s[j] = scale(c) * dot(c.x("q")[h][i], c.x("k")[group(c, h)][j]) + b
    return s


def output(c, h, i):
    s, v = scores(c, h, i), c.x("v")[group(c, h)]
    if not s:
        return [mpf(0)] * len(v[0])
    top = max(val(x) for x in s.values())
    w = {j: exp(x - top) for j, x in s.items()}
    z = total(list(w.values()))
    return [dot([w[j] / z for j in w], [v[j][k] for j in w]) for k in range(len(v[0]))]


def lse(c, h, i):
    s = scores(c, h, i)
    if not s:
        return [mpf("-inf")]
    top = max(val(x) for x in s.values())
    return [log(total([exp(x - top) for x in s.values()])) + top]


ROWS = {"cope": {"o": output, "lse": lse, "position": positions, "bias": bias}}
