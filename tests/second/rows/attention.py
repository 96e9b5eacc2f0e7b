"""Scaled dot-product attention (Vaswani et al. 2017, eq. 1) with what deployed models add: masks (flash-attention, ONNX, Gemma, Llama 4), caps (Gemma 2), sinks
(gpt-oss; Miller 2023), QK-norm (Qwen3, SwinV2), temperatures (Llama 4; Su 2021; Nakanishi 2025).  And softmax alone (Bridle 1990)."""
from mpmath import mp, mpf
from question import NoFormula
from real import dot, inf, log, nan, scaled, sqrt, tanh, total, val
from softmix import Mix, softmax


def group(c, h):
    """The key head that a query head reads."""
    keys, heads = len(c.x("k")) if c.has("k") else len(c.x("kt")), len(c.x("q"))
    return h % keys if c.p.group == "tile" else h * keys // heads


# -- visibility ----------------------------------------------------------------------------------------------------------------------------
def stands(p, i, n, m, length):
    """c, the position of query i among the keys."""
    if p.causal == "bottomright":
        return i + (m if length < 0 else min(length, m)) - n
    return i + p.offset if p.causal == "offset" else i


def reaches(p, c, j):
    right = p.right
    if p.causal != "none":
        if not (j <= c + max(right, 0) or j < p.prefix):
            return False
    elif right >= 0 and j > c + right:
        return False
    if p.left >= 0 and j < c - p.left:
        return False
    w = p.window
    if w > 0:
        way = p.windows if "windows" in p.of else "past"
        inside = {"past": c - w < j, "within": abs(c - j) < w, "closed": abs(c - j) <= w, "halves": abs(c - j) <= w // 2, "uneven": c - j < (w + 1) // 2 and j - c < w // 2 + 1}[way]
        if not inside:
            return False
    if p.chunk > 0:
        start = p.start if "start" in p.of else 0
        if (j - start) // p.chunk != (c - start) // p.chunk:
            return False
    return True


def document(lengths, i):
    return max(s for s in range(len(lengths)) if lengths[s] <= i)


def within(c, i, n, m):
    """(first query, queries, first key, keys) of the document that query i lies in; all of them where none is told."""
    if not c.has("cu_seqlens_q"):
        return 0, n, 0, m
    q, k = c.x("cu_seqlens_q"), c.x("cu_seqlens_k")
    s = document(q, i)
    return q[s], q[s + 1] - q[s], k[s], k[s + 1] - k[s]


def position(c, i, n, m):
    """The position of query i, counted from the start of its document or of the pack."""
    p, length = c.p, c.p.length if "length" in c.p.of else -1
    q0, queries, k0, keys = within(c, i, n, m) if p.of.get("counted", (0, "document"))[1] == "document" else (0, n, 0, m)
    return stands(p, i - q0, queries, keys, length), k0, keys


def visible(c, h, i, j, n, m):
    """Is key j visible to query i by all the rules at once?"""
    p = c.p
    at, k0, keys = position(c, i, n, m)
    q0, queries, from_key, count = within(c, i, n, m)
    if not from_key <= j < from_key + count:
        return False
    length = p.length if "length" in p.of else -1
    first = p.first if "first" in p.of else 0
    if not (first <= j - k0 and (length < 0 or j - k0 < length)):
        return False
    if c.has("keep") and (j >= len(c.x("keep")[h][i]) or not c.x("keep")[h][i][j]):
        return False
    if c.has("doc"):
        doc = c.x("doc")
        own = c.x("query_doc")[i] if c.has("query_doc") else doc[k0 + at] if 0 <= k0 + at < m else None
        if doc[j] != own:
            return False
    return reaches(p, at, j - k0)


# -- scores --------------------------------------------------------------------------------------------------------------------------------
def unit(c, x, gain):
    """A line normalised by its rms or l2 norm, times its gain."""
    p = c.p
    if p.norm == "none":
        return x
    r2 = dot(x, x) / (len(x) if p.norm == "rms" else 1)
    if p.eps_at == "inside":
        n = sqrt(r2 + p.eps)
    elif p.eps_at == "outside":
        n = sqrt(r2) + p.eps
    else:
        n = sqrt(r2) if val(r2) > p.eps ** 2 else p.eps
    y = [a / n for a in x]
    if c.has(gain):
        more = 1 if p.gain == "offset" else 0
        y = [a * (g + more) for a, g in zip(y, c.x(gain))]
    return y


def temperature(c, i, n, m):
    p = c.p
    if p.temperature == "none":
        return 1
    at = position(c, i, n, m)[0] - (p.warm_start if "warm_start" in p.of else 0)
    if p.temperature == "llama4":
        return 1 + p.temper * log(mpf(1 + (at + 1) // p.floor)) if at >= 0 else mpf(1)
    if at < 0:
        return mpf(1) if p.temperature == "logn" else mpf(0)
    if p.temperature == "logn":
        return max(mpf(1), log(mpf(at + 1)) / log(mpf(p.trained)))
    return p.temper * log(mpf(at + 1))


def capped(p, s):
    return s if p.cap == 0 else p.cap * tanh(s / p.cap)


def product(c, h, i, j):
    """The scaled product of query and key, with the query's temperature; under order=bias-first (Falcon) the bias is
    scaled with it."""
    p, n, m = c.p, len(c.x("q")[h]), len(c.x("k")[0])
    q = c.kept(("q", h, i), lambda: unit(c, c.x("q")[h][i], "q_gain"))
    k = c.kept(("k", group(c, h), j), lambda: unit(c, c.x("k")[group(c, h)][j], "k_gain"))
    s = dot(q, k)
    if bias_first(c) and c.has("bias"):
        s = s + c.x("bias")[h][i][j]
    return s * scale(c, len(q)) * c.kept(("t", i), lambda: temperature(c, i, n, m))


def bias_first(c):
    return c.p.of.get("order", (0, ""))[1] == "bias-first"


def scale(c, d):
    return c.p.scale if c.p.scale != 0 else 1 / sqrt(mpf(d))


def score(c, h, i, j, stage="weights"):
    """The score of a key, or None where it is not visible. `stage` says how far towards the softmax it is taken."""
    p, n, m = c.p, len(c.x("q")[h]), len(c.x("k")[0])
    mask = p.of["mask"][1] if "mask" in p.of else "hide"
    if c.has("bias") and val(c.x("bias")[h][i][j]) == -inf and stage not in ("product", "capped"):
        return None
    s = product(c, h, i, j)
    if stage == "product":
        return s
    before = p.of.get("cap_at", (0, "before"))[1] == "before"
    if before:
        s = capped(p, s)
    if stage == "capped":
        return s if before else capped(p, s)
    if c.has("bias"):
        s = s if bias_first(c) else s + c.x("bias")[h][i][j]
    seen = visible(c, h, i, j, n, m)
    if not seen:
        if mask == "hide":
            if before or p.cap == 0:
                return None
            s = -inf
        else:
            s = s + p.constant * p.times if mask == "add" else p.constant + mpf(0)
    if not before:
        s = -p.cap if not seen and mask == "hide" else capped(p, s)
    return s


def others(c, h):
    if c.has("sink"):
        return [c.x("sink")[h]]
    return [mpf(0)] if c.p.softmax1 == "on" else []


def mix(c, h, i):
    def make():
        m = len(c.x("k")[0])
        there = {j: s for j in range(m) for s in [score(c, h, i, j)] if s is not None}
        return Mix(m, there, lambda j: c.x("v")[group(c, h)][j], others(c, h), c.p.empty)
    return c.kept(("mix", h, i), make)


def lse(c, h, i):
    y = mix(c, h, i).lse
    return y / log(mpf(2)) if c.p.of.get("base", (0, "e"))[1] == "2" and val(y) != -inf else y


def scores(c, h, i):
    p, m = c.p, len(c.x("k")[0])
    stage = p.stage
    if stage == "weights":
        return mix(c, h, i).weights()
    y = [score(c, h, i, j, stage) for j in range(m)]
    return [-inf if s is None else s for s in y]


def sights(c, h, i):
    n, m = c.n["n"], c.n["m"]
    return [int(visible(c, h, i, j, n, m)) for j in range(m)]


def context(c, h):
    """One query for each head, with its keys as columns; it sees all but the padding, which `first` and `length`
    name."""
    def make():
        return c.part({"q": [[row] for row in c.x("q")], "k": [[list(col) for col in zip(*kt)] for kt in c.x("kt")], "v": c.x("v")}, causal="none", window=0, left=-1, right=-1, chunk=0)
    return mix(c.kept("rows", make), h, 0).output(len(c.x("v")[0][0]))


ATTENTION = {"o": lambda c, h, i: mix(c, h, i).output(len(c.x("v")[0][0])), "lse": lse, "weights": lambda c, h, i: mix(c, h, i).weights(), "scores": scores, "visible": sights, "context": context}


# -- softmax alone ----------------------------------------------------------------------------------------------------------------------------
def line(c, i):
    def make():
        x = c.x("x")[i]
        there = {j: s * c.p.scale for j, s in enumerate(x) if val(s) != -inf and not (c.has("keep") and not c.x("keep")[i][j])}
        return Mix(len(x), there, None, [mpf(0)] if c.p.softmax1 == "on" else [], c.p.empty)
    return c.kept(("line", i), make)


def share(c, i):
    """The weights p.  Where a line is empty and empty=nan, p is no number whatever x is, and so is its gradient."""
    y = line(c, i)
    return [x * nan for x in c.x("x")[i]] if y.p is None and c.p.empty == "nan" else y.weights()


ROWS = {"attention": ATTENTION, "softmax": {"p": share, "lse": lambda c, i: line(c, i).lse}}
