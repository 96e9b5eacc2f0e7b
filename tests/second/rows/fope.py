"""FoPE (Hua et al. 2024, arXiv:2412.17739): Fourier sums of the frequencies above the floor in the place of single cosines and sines."""
from mpmath import mp, mpf
from real import cos, dot, power, sin


def frequencies(p):
    least = 2 * mp.pi / p.trained
    every = [power(p.base, mpf(-2 * k) / p.dim) for k in range(p.dim // 2)]
    if p.keep:
        return every[:p.keep] + [mpf(0)] * (len(every) - p.keep)
    if p.clip == "none":
        return every
    return [w if w > least else least if p.clip == "floor" else mpf(0) for w in every]


def waves(c, f, i):
    """Cosines or sines of the frequencies that enter the sums."""
    every = frequencies(c.p)
    return [f(c.x("pos")[i] * w) for w in every if w != 0 or c.p.zeros == "mixed"]


def table(c, name, f, other, g, i):
    basis, coef = waves(c, f, i), c.x(name)[g]
    made = [dot([row[o] for row in coef], basis) for o in range(len(coef[0]))]
    return made + [mpf(other)] * (c.p.dim // 2 - len(made))


def cosines(c, g, i):
    return table(c, "cos_coef", cos, 1, g, i)


def sines(c, g, i):
    return table(c, "sin_coef", sin, 1 if c.p.pad == "one" else 0, g, i)


def turned(name, sign):
    def page(c, h, i):
        p, x = c.p, c.x(name)[h][i]
        g, half = h * len(c.x("cos_coef")) // len(c.x(name)), c.p.dim // 2
        y = list(x)
        for k, (u, s) in enumerate(zip(cosines(c, g, i), sines(c, g, i))):
            a, b = (2 * k, 2 * k + 1) if p.layout == "interleaved" else (k, k + half)
            y[a], y[b] = x[a] * u - sign * (x[b] * s), x[b] * u + sign * (x[a] * s)
        return y
    return page


ROWS = {"fope": {"y": turned("x", 1), "dx": turned("dy", -1), "cos": cosines, "sin": sines, "freq": lambda c: frequencies(c.p),
                 "kept": lambda c: [sum(1 for k, w in enumerate(frequencies(c.p)) if w == power(c.p.base, mpf(-2 * k) / c.p.dim))]}}
