"""Rotary encodings: Su et al. 2021; frequency laws of Chen et al. 2023 (linear), bloc97 2023 (NTK), Peng et al. 2023 (YaRN), Llama 3.1, Ding et al. 2024
(LongRoPE); xPos (Sun et al. 2022), several axes (Qwen2-VL, Qwen3-VL), remapped distances (ReRoPE, Self-Extend, StreamingLLM)."""
from fractions import Fraction
from mpmath import mp, mpf
from question import NoFormula, rational
from real import cos, dot, floor, log, nan, power, sin, sqrt, total
from softmix import Mix, keep


def width(p):
    return p.rotary or p.dim


def yarn_ramp(p, r, k):
    """The ramp of YaRN (Peng et al. 2023, eq.  23): 0 where the frequency stays, 1 where it is divided.  D(rho) is the
    pair that turns rho times within the trained length."""
    def pair(turns):
        return r * log(p.trained / (2 * mp.pi * turns)) / (2 * log(p.base))
    low, high = pair(p.beta_fast), pair(p.beta_slow)
    if p.truncate == "on":
        low, high = mp.floor(low), mp.ceil(high)
    low, high = max(low, mpf(0)), min(high, mpf(r - 1))
    if low == high:
        high += mpf(1) / 1000
    return min(max((k - low) / (high - low), mpf(0)), mpf(1))


def frequency(p, k):
    """The frequencies w_k."""
    r = width(p)
    if p.partial == "proportional":
        if k >= r // 2:
            return mpf(0)
        r = p.dim
    base, f = p.base, p.factor
    if p.scaling == "dynamic":
        n = max(p.length, p.trained)
        base = base * power(f * n / p.trained - (f - 1), mpf(r) / (r - 2))
    elif p.scaling == "ntk":
        base = base * power(f, mpf(r) / (r - 2))
    w = power(base, mpf(-2 * k) / r)
    if p.scaling == "linear":
        return w / f
    if p.scaling == "yarn":
        t = yarn_ramp(p, r, k)
        return w * (1 - t) + w / f * t
    if p.scaling == "llama3":
        wave, lo, hi = 2 * mp.pi / w, p.low_freq_factor, p.high_freq_factor
        if wave < p.trained / hi:
            return w
        if wave > p.trained / lo:
            return w / f
        s = (p.trained / wave - lo) / (hi - lo)
        return (1 - s) * w / f + s * w
    if p.scaling == "longrope":
        divisors = p.long_factor if p.length > p.trained else p.short_factor
        return w / rational(divisors[k])
    return w


def amplitude(p):
    """A, by which cosines and sines are multiplied.  Only the laws that have one read attention_factor (modeling_rope_utils.py)."""
    if p.scaling not in ("yarn", "longrope"):
        return mpf(1)
    if p.attention_factor != 0:
        return p.attention_factor

    def g(m):
        return 1 + m * log(p.factor) / 10 if p.factor > 1 else mpf(1)
    if p.scaling == "yarn":
        return g(p.mscale) / g(p.mscale_all_dim) if p.mscale != 0 and p.mscale_all_dim != 0 else g(mpf(1))
    if p.scaling == "longrope" and p.factor > 1:
        return sqrt(1 + log(p.factor) / log(mpf(p.trained)))
    return mpf(1)


def pairs(c):
    p = c.p
    return p.dim // 2 if p.partial == "proportional" else width(p) // 2


def frequencies(c):
    return c.kept("frequencies", lambda: list(c.x("freq")) if c.has("freq") else [frequency(c.p, k) for k in range(pairs(c))])


def angles(c, i):
    if c.has("angle"):
        return c.x("angle")[i]
    return [c.x("pos")[i] * w for w in frequencies(c)]


def cosines(c, i):
    a = c.kept("amplitude", lambda: amplitude(c.p))
    return [a * cos(t) for t in angles(c, i)]


def sines(c, i):
    a = c.kept("amplitude", lambda: amplitude(c.p))
    return [a * sin(t) for t in angles(c, i)]


def turned(x, cs, sn, layout, rotary):
    """Pairs (k, k + K) or (2k, 2k+1) of the first `rotary` channels turned; others as they are."""
    y, half = list(x), rotary // 2
    for k in range(half):
        a, b = (2 * k, 2 * k + 1) if layout == "interleaved" else (k, k + half)
        y[a], y[b] = x[a] * cs[k] - x[b] * sn[k], x[b] * cs[k] + x[a] * sn[k]
    return y


def rope_y(c, h, i):
    p = c.p
    cs = c.x("cos")[i] if c.has("cos") else c.kept(("cos", i), lambda: cosines(c, i))
    sn = c.x("sin")[i] if c.has("sin") else c.kept(("sin", i), lambda: sines(c, i))
    return turned(c.x("x")[h][i], cs, sn, p.layout, p.dim if p.partial == "proportional" else width(p))


def back(of):
    """dx = the transposed map of dy: the same turn backwards."""
    def page(c, h, i):
        p = c.p
        cs, sn, rotary = of(c, i)
        return turned(c.x("dy")[h][i], cs, [-s for s in sn], p.layout, rotary)
    return page


def rope_tables(c, i):
    return (c.x("cos")[i] if c.has("cos") else cosines(c, i), c.x("sin")[i] if c.has("sin") else sines(c, i), c.p.dim if c.p.partial == "proportional" else width(c.p))


ROPE = {"y": rope_y, "cos": cosines, "sin": sines, "angle": angles, "freq": frequencies, "amplitude": lambda c: amplitude(c.p), "dx": back(rope_tables)}


# -- xPos: Sun et al. 2022, algorithm 1 ----------------------------------------------------------------------------------------------
def plain(c, k):
    return power(c.p.base, mpf(-2 * k) / c.p.dim)


def decay(c, i):
    p = c.p
    e = (c.x("pos")[i] - p.centre) / mpf(p.scale_base)
    e = -e if p.side == "key" else e
    return [power((mpf(2 * k) / p.dim + p.gamma) / (1 + p.gamma), e) for k in range(p.dim // 2)]


def xpos_cos(c, i):
    return [s * cos(c.x("pos")[i] * plain(c, k)) for k, s in enumerate(decay(c, i))]


def xpos_sin(c, i):
    return [s * sin(c.x("pos")[i] * plain(c, k)) for k, s in enumerate(decay(c, i))]


def xpos_y(c, h, i):
    return turned(c.x("x")[h][i], c.kept(("cos", i), lambda: xpos_cos(c, i)), c.kept(("sin", i), lambda: xpos_sin(c, i)), c.p.layout, c.p.dim)


XPOS = {"y": xpos_y, "cos": xpos_cos, "sin": xpos_sin, "scale": decay, "dx": back(lambda c, i: (xpos_cos(c, i), xpos_sin(c, i), c.p.dim))}


# -- several axes: Wang et al. 2024, section 2.1; Qwen3-VL -----------------------------------------------------------------------------
def axis(p, k):
    t, h, w = (int(x) for x in p.sections)
    if p.mode == "chunked":
        return 0 if k < t else 1 if k < t + h else 2
    if k % 3 == 1 and k < 3 * h:
        return 1
    if k % 3 == 2 and k < 3 * w:
        return 2
    return 0 if p.mode == "interleaved" or k % 3 == 0 else 3


def m_angles(c, i):
    return [(c.x("pos")[axis(c.p, k)][i] if axis(c.p, k) < 3 else 0) * plain(c, k) for k in range(c.p.dim // 2)]


def m_cos(c, i):
    return [cos(t) for t in m_angles(c, i)]


def m_sin(c, i):
    return [sin(t) for t in m_angles(c, i)]


MROPE = {"y": lambda c, h, i: turned(c.x("x")[h][i], m_cos(c, i), m_sin(c, i), c.p.layout, c.p.dim), "cos": m_cos, "sin": m_sin,
         "axis": lambda c, k: axis(c.p, k), "freq": lambda c: [plain(c, k) for k in range(c.p.dim // 2)],
         "dx": back(lambda c, i: (m_cos(c, i), m_sin(c, i), c.p.dim))}


# -- remapped distances: score = scale t_i Re sum_k q_k conj(k_k) e^(i w_k rho) --------------------------------------------------------
def remapped(rho, seen=lambda p, c, j: j <= c):
    """The quantities of a row whose pairs (c, j) stand at distance rho(p, c, j)."""
    def score(q, h, i, j):
        p, c = q.p, q.p.memory + i
        x, y, d = q.x("q")[h][i], q.x("k")[h][j], rho(p, c, j)
        terms = []
        for k in range(p.dim // 2):
            a, b = (2 * k, 2 * k + 1) if p.layout == "interleaved" else (k, k + p.dim // 2)
            t = q.kept(("turn", d, k), lambda: (cos(plain(q, k) * rational_of(d)), sin(plain(q, k) * rational_of(d))))
            terms.append((x[a] * y[a] + x[b] * y[b]) * t[0] + (x[a] * y[b] - x[b] * y[a]) * t[1])
        scale = p.scale if p.scale != 0 else 1 / sqrt(mpf(p.dim))
        if p.trained:
            scale = scale * max(mpf(1), log(mpf(c + 1)) / log(mpf(p.trained)))
        return total(terms) * scale

    def mix(q, h, i):
        keys = len(q.x("k")[h])
        return q.kept(("mix", h, i), lambda: Mix(keys, {j: score(q, h, i, j) for j in range(keys) if seen(q.p, q.p.memory + i, j) and keep(q, h, i, j)}, lambda j: q.x("v")[h][j],
                                          empty=q.p.empty))
    return {"o": lambda q, h, i: mix(q, h, i).output(q.n["e"]), "lse": lambda q, h, i: mix(q, h, i).lse, "distance": lambda q, i, j: rational_of(rho(q.p, q.p.memory + i, j))}


def rational_of(d):
    return rational(d) if hasattr(d, "numerator") and not isinstance(d, int) else mpf(d)


def rectified(p, c, j):
    d = c - j
    return d if d < p.window else p.window + (Fraction(d - p.window, p.leak) if p.leak else 0)


def grouped(p, c, j):
    d, w, g = c - j, p.window, p.group
    return d if d < w else c // g - j // g + w - (Fraction(w, g) if p.division == "true" else w // g)


def evicted(p, c):
    return max(0, c + 1 - p.sinks - p.recent)


def cached(p, c, j):
    if p.positions == "text":
        return c - j
    e = evicted(p, c)
    return c - e - (j if j < p.sinks else j - e)


def held(p, c, j):
    return j <= c and (j < p.sinks or j > c - p.recent)


STREAMING = dict(remapped(cached, held), visible=lambda q, i, j: int(held(q.p, q.p.memory + i, j)))
ROWS = {"rope": ROPE, "xpos": XPOS, "mrope": MROPE, "rerope": remapped(rectified), "selfextend": remapped(grouped), "streaming": STREAMING}
