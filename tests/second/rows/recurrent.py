"""Recurrent encoder and decoder (Elman 1990; Sutskever et al. 2014; Cho et al. 2014; Bahdanau et al. 2015; Luong et al. 2015), and positions by a dynamical system
(Liu et al. 2020, eq. 5-7)."""
from mpmath import mp, mpf
from real import add, dot, exp, nan, scaled, sqrt, tanh, times, total, val
from softmix import softmax


def apply(w, x):
    """Matrix [out][in] times column x."""
    return [dot(row, x) for row in w]


def states(c):
    """The state h after each token that is read."""
    def make():
        h, out = [mpf(0)] * len(c.x("wh")), []
        x = c.x("x")
        for row in reversed(x) if c.p.source == "reversed" else x:
            h = [tanh(a + b + e) for a, b, e in zip(apply(c.x("wx"), row), apply(c.x("wh"), h), c.x("bh"))]
            out.append(h)
        return out
    return c.kept("states", make)


def weigh(c, query, keys):
    """The weights over the encoder's states."""
    p = c.p
    if p.attention == "additive":
        own = apply(c.x("wa"), query)
        bent = (lambda v: v) if p.scorer == "linear" else tanh
        s = {j: dot(c.x("va"), [bent(a + b) for a, b in zip(own, apply(c.x("ua"), h))]) for j, h in enumerate(keys)}
    else:
        scale = p.scale if p.scale != 0 else 1 / sqrt(mpf(len(query)))
        s = {j: dot(query, h) * scale for j, h in enumerate(keys)}
    w, _ = softmax(s)
    return [w[j] for j in range(len(keys))]


def mixed(w, keys):
    return [dot(w, [h[k] for h in keys]) for k in range(len(keys[0]))]


def none(keys):
    """The context under attention=none, which is the last state alone."""
    return [mpf(int(j == len(keys) - 1)) for j in range(len(keys))]


def inputs(c, t):
    y = c.x("target")
    if c.p.forcing == "unshifted":
        return y[t]
    return y[t - 1] if t else c.p.start


def run(c):
    """The weights, the context and the state of each step."""
    def make():
        p, h = c.p, states(c)
        first = h[-1] if p.init == "last" else [mpf(0)] * len(c.x("ws"))
        s, out = [first], []
        for t in range(len(c.x("target"))):
            query = s[max(t - p.lag, 0)]
            w = none(h) if p.attention == "none" else weigh(c, query, h)
            context = mixed(w, h)
            parts = (apply(c.x("wy"), c.x("emb")[inputs(c, t)]), apply(c.x("ws"), s[t]), apply(c.x("wc"), context), c.x("bs"))
            s.append([tanh(total(x)) for x in zip(*parts)])
            out.append((w, context, s[-1]))
        return out
    return c.kept("run", make)


def logprob(c, t):
    y = add(apply(c.x("wo"), run(c)[t][2]), c.x("bo"))
    _, lse = softmax(dict(enumerate(y)))
    return [x - lse for x in y]


def align(c, t):
    keys = c.x("states")
    return none(keys) if c.p.attention == "none" else weigh(c, c.x("query")[t], keys)


SEQ2SEQ = {"h": lambda c, j: states(c)[j], "align": align, "read": lambda c, t: mixed(align(c, t), c.x("states")), "input": inputs, "weights": lambda c, t: run(c)[t][0],
           "context": lambda c, t: run(c)[t][1], "s": lambda c, t: run(c)[t][2], "logprob": logprob}


# -- FLOATER -------------------------------------------------------------------------------------------------------------------------------------
TABLEAU = {"euler": ([0], [[]], [1]), "midpoint": ([0, (1, 2)], [[], [(1, 2)]], [0, 1]),
           "rk4": ([0, (1, 2), (1, 2), 1], [[], [(1, 2)], [0, (1, 2)], [0, 0, 1]], [(1, 6), (1, 3), (1, 3), (1, 6)]),
           "rk4_38": ([0, (1, 3), (2, 3), 1], [[], [(1, 3)], [(-1, 3), 1], [1, -1, 1]], [(1, 8), (3, 8), (3, 8), (1, 8)])}


def share(x):
    return mpf(x[0]) / x[1] if isinstance(x, tuple) else mpf(x)


def flow(c, t, x):
    """The dynamics h(t, p): two layers, with the time as one more input of both."""
    if c.p.activation == "zero":
        return [mpf(0)] * len(x)
    bent = {"relu": lambda v: v if val(v) > 0 else mpf(0), "tanh": tanh, "identity": lambda v: v}[c.p.activation]
    inner = [bent(a + t * s + b) for a, s, b in zip(apply(c.x("w1"), x), c.x("t1"), c.x("b1"))]
    return [a + t * s + b for a, s, b in zip(apply(c.x("w2"), inner), c.x("t2"), c.x("b2"))]


def solved(c, start, key):
    """Positions origin, origin + 1, ..: fixed steps of dt / substeps from position 0 on."""
    def until(i):
        p = c.p
        row = c.kept(("path", key), lambda: [start])
        step = p.dt / p.substeps
        cs, rows, weights = TABLEAU[p.solver]
        while len(row) <= i + p.origin:
            x, at = row[-1], len(row) - 1
            for k in range(p.substeps):
                t, slopes = at * p.dt + k * step, []
                for where, of in zip(cs, rows):
                    y = x
                    for a, s in zip(of, slopes):
                        if a != 0:
                            y = add(y, scaled(step * share(a), s))
                    slopes.append(flow(c, t + share(where) * step, y))
                for b, s in zip(weights, slopes):
                    x = add(x, scaled(step * share(b), s)) if b != 0 else x
            row.append(x)
        return row[i + p.origin]
    return until


def exponential(c, i):
    """exp(t A) start: the series of t A / 2^s, squared s times; the two precisions tell what cancels on the way."""
    t, a = (i + c.p.origin) * c.p.dt, c.x("a")
    size = abs(t) * max(sum(abs(val(x)) for x in row) for row in a)
    halvings, n = max(0, mp.mag(size) + 4 if size else 0), len(a)
    with mp.extraprec(3 * int(halvings) + 60):
        small = [[x * t / mp.ldexp(1, halvings) for x in row] for row in a]
        unit = [[mpf(int(k == m)) for m in range(n)] for k in range(n)]
        y, term, k, bound = unit, unit, 1, mpf(1)
        while bound > mp.ldexp(1, -mp.prec):
            term = [[x / k for x in times(row, small)] for row in term]
            y, bound, k = [add(p, q) for p, q in zip(y, term)], bound / (16 * k), k + 1
        for _ in range(int(halvings)):
            y = [times(row, y) for row in y]
        return apply(y, c.x("start"))


FLOATER = {"p": lambda c, i: solved(c, c.x("start"), ())(i), "bias": lambda c, i, s, l: solved(c, c.x("start")[s][l], (s, l))(i), "linear": exponential}
ROWS = {"seq2seq": SEQ2SEQ, "floater": FLOATER}
