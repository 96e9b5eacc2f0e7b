"""What is added to, multiplied with or looked up for a token: sinusoids (Vaswani et al. 2017), learned and hierarchical tables (Devlin et al. 2019; Su 2020),
products (Su 2020), complex orders (Wang et al. 2020), token embeddings."""
from mpmath import mp, mpf
from question import NoFormula
from real import Node, add, cos, dot, scaled, sin, sqrt, total, times, val
from sines import sine_row


def sinusoid(c, i):
    p = c.p
    t = c.x("pos")[i] + p.origin
    if p.padding >= 0 and t == p.padding:
        return [mpf(0)] * p.dim
    return sine_row(mpf(t), p.dim, p.base, p.layout, p.spacing, p.odd, p.min_timescale)


def learned_rows(c, table, pos):
    """The vector of a position.  In the hierarchical form the first n positions are rows, and the others have two
    digits to base n."""
    p, rows = c.p, table[c.p.offset:]
    if p.form == "table":
        return rows[pos]
    i, j = divmod(pos, len(rows))

    def u(k):
        return [(x - p.alpha * y) / (1 - p.alpha) for x, y in zip(rows[k], rows[0])]
    return [p.alpha * x + (1 - p.alpha) * y for x, y in zip(u(i), u(j))]


def learned_gradient(c, r):
    """The table is not given here; zeros stand for it, as the map is linear."""
    n = len(c.x("dp")[0])

    def make():
        table = [[Node(mpf(0)) for _ in range(n)] for _ in range(c.p.rows)]
        from real import backward
        loss = total(dot(up, learned_rows(c, table, pos)) for up, pos in zip(c.x("dp"), c.x("pos")))
        if isinstance(loss, Node):
            backward(loss)
        return [[x.g if x.g is not None else mpf(0) for x in row] for row in table]
    return c.kept("table", make)[r]


def row_number(c, i):
    p, token = c.p, c.x("token")
    if p.positions == "index":
        return p.offset + p.past + i
    return p.padding if token[i] == p.padding else p.offset + p.past + sum(t != p.padding for t in token[:i])


LEARNED = {"p": lambda c, i: learned_rows(c, c.x("table"), c.x("pos")[i]), "row": row_number, "dtable": learned_gradient}


def factor(c, p):
    return [1 + x for x in p] if c.p.form == "one_plus" else p


def product(c, x, p):
    return [a * b for a, b in zip(x, factor(c, p))]


def place(c, i):
    return sine_row(mpf(c.x("pos")[i]), c.p.dim, c.p.base, odd="zero")


PRODUCT = {"y": lambda c, i: product(c, c.x("x")[i], c.x("p")[i]), "z": lambda c, i: product(c, c.x("x")[i], place(c, i)),
           "dx": lambda c, i: product(c, c.x("dy")[i], c.x("p")[i]), "dp": lambda c, i: [a * b for a, b in zip(c.x("dy")[i], c.x("x")[i])],
           "dx_z": lambda c, i: product(c, c.x("dz")[i], place(c, i))}


def wave(c, word, pos, amplitude=True):
    """The pairs (re, im) of r exp(i (w pos + theta)), by dimension."""
    angle = [w * pos + t for w, t in zip(c.x("frequency")[word], c.x("theta")[word])]
    r = c.x("amplitude")[word] if c.has("amplitude") else [Node(mpf(1))] * len(angle)
    return [(a * cos(t), a * sin(t)) for a, t in zip(r, angle)]


def complex_score(c, i, j):
    p = c.p
    a, b = wave(c, c.x("word")[i], c.x("pos")[i]), wave(c, c.x("key")[j], c.x("key_pos")[j])
    sign = -1 if p.pairing == "conjugated" else 1
    re = total(x[0] * y[0] - sign * x[1] * y[1] for x, y in zip(a, b))
    if p.value == "real":
        return re
    if p.imaginary == "twice":
        if sign < 0:
            raise NoFormula("imaginary=twice of a conjugated product: the released code has none")
        im = total(2 * x[0] * y[1] for x, y in zip(a, b))
    else:
        im = total(x[1] * y[0] + sign * x[0] * y[1] for x, y in zip(a, b))
    return sqrt(re * re + im * im)


def damplitude(c, j):
    """The gradient of the amplitude, in which re and im are linear."""
    one = [[mpf(1)] * len(c.x("frequency")[0])] * len(c.x("frequency"))
    q = c.part(dict(c.arrays, amplitude=one))
    out = [mpf(0)] * len(one[0])
    for i, w in enumerate(c.x("word")):
        if w == j:
            for k, (re, im) in enumerate(wave(q, w, c.x("pos")[i])):
                out[k] += re * c.x("dre")[i][k] + im * c.x("dim")[i][k]
    return out


COMPLEX = {"re": lambda c, i: [x for x, _ in wave(c, c.x("word")[i], c.x("pos")[i])], "im": lambda c, i: [y for _, y in wave(c, c.x("word")[i], c.x("pos")[i])],
           "score": complex_score, "damplitude": damplitude}


def token_scale(c, d):
    return sqrt(mpf(d)) if c.p.scale == 0 else c.p.scale


def embedding(c, i):
    p, token = c.p, c.x("token")[i]
    row = scaled(token_scale(c, len(c.x("table")[0])), c.x("table")[token])
    pad = token == p.padding
    if pad and p.pad == "zero-token":
        row = [mpf(0)] * len(row)
    if p.positions == "yes" and not (pad and p.pad == "zero-position"):
        row = add(row, c.x("place")[i])
    return row


def logits(c, i):
    y = [dot(c.x("h")[i], row) for row in c.x("table")]
    return add(y, c.x("bias")) if c.p.bias == "yes" else y


def dtable(c, v):
    out = [mpf(0)] * len(c.x("dy")[0])
    if v == c.p.padding and c.p.pad == "zero-token":
        return out
    for i, t in enumerate(c.x("token")):
        if t == v:
            out = add(out, scaled(token_scale(c, len(out)), c.x("dy")[i]))
    return out


EMBEDDING = {"y": embedding, "logits": logits, "dtable": dtable, "dh": lambda c, i: times(c.x("dlogits")[i], c.x("table")),
             "dtable_logits": lambda c, v: [total(c.x("dlogits")[i][v] * c.x("h")[i][k] for i in range(len(c.x("h")))) for k in range(len(c.x("h")[0]))],
             "dbias": lambda c: [total(row[k] for row in c.x("dlogits")) for k in range(len(c.x("dlogits")[0]))]}
ROWS = {"sinusoid": {"p": sinusoid}, "learned": LEARNED, "product": PRODUCT, "complexorder": COMPLEX, "embedding": EMBEDDING}
