"""Linear attention as a state (Katharopoulos et al. 2020), with the delta rule (Yang et al. 2024, arXiv:2406.06484) and decays (arXiv:2412.06464, arXiv:2510.26692):
the pairwise form, in which nothing is a recurrence: every token's write is the solution of a triangular system over all tokens before it, and an output is a sum over them."""
from mpmath import mpf
from question import NoFormula
from real import add, dot, exp, log, scaled, sqrt, total, val


def unit(c, name, g, t):
    x, p = c.x(name)[g][t], c.p
    if p.l2norm == "none":
        return x
    square = dot(x, x)
    if p.l2norm == "add":
        return scaled(1 / sqrt(square + p.l2_eps), x)
    return scaled(1 / sqrt(square), x) if val(square) > p.l2_eps ** 2 else scaled(1 / p.l2_eps, x)


def sigmoid(x):
    return 1 / (1 + exp(-x))


def key_head(c, h):
    g = len(c.x("k"))
    return h % g if c.p.group == "tile" else g * h // len(c.x("v"))


def log_decays(c, h, t):
    """Of one token, a list over the channels of the key."""
    width = len(c.x("k")[0][0])
    if not c.has("a"):
        return [mpf(0)] * width
    a = c.x("a")[h][t]
    a = a if isinstance(a, list) else [a]
    if c.p.gate != "log":
        if val(c.x("A_log")[h]) > 10 ** 6:
            raise NoFormula("the rate exp(A_log) is beyond what either system holds")
        rate, bias = exp(c.x("A_log")[h]), c.x("dt_bias")[h]
        z = [x + b for x, b in zip(a, bias if isinstance(bias, list) else [bias])]
        a = [-rate * log(1 + exp(x)) if c.p.gate == "softplus" else c.p.lower_bound * sigmoid(rate * x) for x in z]
    return a if len(a) == width else a * width


def strength(c, h, t):
    b = c.x("beta")[h][t]
    return c.p.beta_max * sigmoid(b) if c.p.strength == "sigmoid" else b


def running(c, h):
    """The sums of the decays' logarithms up to and with each token, [n + 1], 0 at first."""
    def make():
        sums = [[mpf(0)] * len(c.x("k")[0][0])]
        for t in range(len(c.x("v")[h])):
            sums.append(add(sums[-1], log_decays(c, h, t)))
        return sums
    return c.kept(("sums", h), make)


def read(c, h, x, until, j_end):
    """S^T x of the state that the tokens j < j_end have written, decayed up to the sums `until`."""
    e = len(c.x("v")[h][0])
    y = [mpf(0)] * e
    if c.has("state"):
        s = c.x("state")[h]
        weighed = [exp(g) * a for g, a in zip(until, x)]
        y = [dot(weighed, [row[k] for row in s]) for k in range(e)]
    for j in range(j_end):
        gap = [exp(a - b) for a, b in zip(until, running(c, h)[j + 1])]
        w = total([g * a * b for g, a, b in zip(gap, unit(c, "k", key_head(c, h), j), x)])
        y = add(y, scaled(w, written(c, h, j)))
    return y


def written(c, h, i):
    """u_i, what token i writes behind its key."""
    def make():
        v = c.x("v")[h][i]
        if not c.has("beta"):
            return v
        late = c.has("a") and c.p.order == "correct-first"
        old = read(c, h, unit(c, "k", key_head(c, h), i), running(c, h)[i if late else i + 1], i)
        return scaled(strength(c, h, i), [a - b for a, b in zip(v, old)])
    return c.kept(("write", h, i), make)


def output(c, h, t):
    q = unit(c, "q", key_head(c, h), t)
    q = scaled(c.p.scale if c.p.scale != 0 else 1 / sqrt(mpf(len(q))), q)
    if c.p.of["read"][1] == "after":                    # p.read is a method
        return read(c, h, q, running(c, h)[t + 1], t + 1)
    late = c.has("a") and c.p.order == "correct-first" and c.has("beta")
    return read(c, h, q, running(c, h)[t if late else t + 1], t)


def final(c, h, i):
    d, n = len(c.x("k")[0][0]), len(c.x("v")[h])
    return read(c, h, [mpf(int(k == i)) for k in range(d)], running(c, h)[n], n)


RECURRENCE = {"o": output, "final": final}
ROWS = {"deltanet": RECURRENCE, "gateddelta": RECURRENCE, "kda": RECURRENCE}
