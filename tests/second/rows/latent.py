"""Multi-head latent attention (DeepSeek-AI 2024, arXiv:2405.04434): every score is the bilinear form of query and latent, W_uk between them, and the rotated parts' product."""
from mpmath import mpf
from real import add, dot, exp, log, scaled, sqrt, total, val
from rotary import amplitude, frequency, turned
from mpmath import cos, sin


class Rope:
    """Parameters of row rope, as mla's say them."""

    def __init__(self, p, r):
        self.p, self.dim = p, r
        self.rotary, self.partial, self.length, self.attention_factor = 0, "prefix", 0, mpf(0)

    def __getattr__(self, name):
        return getattr(self.p, name)


def turn(c, x, at):
    p, r = c.p, len(x)
    if p.rope == "off":
        return x
    rope = Rope(p, r)
    size = c.kept("amplitude", lambda: amplitude(rope))
    freq = c.kept("freq", lambda: [frequency(rope, k) for k in range(r // 2)])
    return turned(x, [size * cos(at * f) for f in freq], [size * sin(at * f) for f in freq], p.layout, r)


def factor(c):
    p, d, r, wide = c.p, len(c.x("q_nope")[0][0]), len(c.x("q_pe")[0][0]), len(c.x("c")[0])
    s = p.scale if p.scale != 0 else 1 / sqrt(mpf({"whole": d + r, "nope": d, "latent": wide + r}[p.width]))
    g = mpf(1)
    if p.scaling == "yarn" and p.factor > 1:
        g = p.mscale_all_dim * log(p.factor) / 10 + 1
    return s * {"square": g * g, "once": g, "none": 1}[p.warming]


def scores(c, h, i):
    n, m = len(c.x("q_nope")[h]), len(c.x("c"))
    seen = m if c.p.causal == "off" else min(m, m - n + i + 1)
    q = turn(c, c.x("q_pe")[h][i], m - n + i if c.p.start == "end" else i)
    through = [dot(c.x("q_nope")[h][i], [row[b] for row in c.x("w_uk")[h]]) for b in range(len(c.x("c")[0]))]
    k = lambda j: c.kept(("k", j), lambda: turn(c, c.x("k_pe")[j], j))
    return [factor(c) * (dot(through, c.x("c")[j]) + dot(q, k(j))) for j in range(max(seen, 0))]


def output(c, h, i):
    s = scores(c, h, i)
    if not s:
        return [mpf(0)] * len(c.x("w_uv")[h])
    top = max(val(x) for x in s)
    weights = [exp(x - top) for x in s]
    mean = [mpf(0)] * len(c.x("c")[0])
    for w, latent in zip(weights, c.x("c")):
        mean = add(mean, scaled(w, latent))
    return [dot(row, mean) / total(weights) for row in c.x("w_uv")[h]]


def lse(c, h, i):
    s = scores(c, h, i)
    if not s:
        return [mpf("-inf")]
    top = max(val(x) for x in s)
    return [log(total([exp(x - top) for x in s])) + top]


ROWS = {"mla": {"o": output, "lse": lse}}
