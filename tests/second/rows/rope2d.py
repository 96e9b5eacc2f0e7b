"""Rotary encoding of images: EVA-02 (Fang et al. 2023), Pixtral, Llama 4, RoPE-ViT (Heo et al. 2024), Kimi-VL, DINOv3, from their code."""
from mpmath import mp, mpf
from real import cos, power, sin


def axis(p, k):
    """Which of the two axes turns pair k, 0 rows and 1 columns, and the exponent of its frequency in steps of -2/dim."""
    quarter = p.dim // 4
    second, t = (k >= quarter, k % quarter) if p.axes == "blocks" else (k % 2 == 1, k // 2)
    exponent = 2 * t if p.frequency == "restart" else 2 * t + (1 if second else 0)
    return (0 if second else 1) if p.first == "columns" else (1 if second else 0), exponent


def frequency(p, k):
    return power(p.base, mpf(-2 * axis(p, k)[1]) / p.dim)


def place(c, a, i):
    p, at = c.p, c.x("pos")[a][i]
    if p.coordinates == "centred":
        size = (p.height, p.width)[a]
        return 2 * mp.pi * p.stretch * (2 * (mpf(at) + mpf(1) / 2) / size - 1)
    return p.stretch * (at + p.start)


def angles(c, i):
    return [place(c, axis(c.p, k)[0], i) * frequency(c.p, k) for k in range(c.p.dim // 2)]


def mixed_angles(c, h, i):
    order = (1, 0) if c.p.first == "columns" else (0, 1)
    f = c.x("freqs")
    return [place(c, order[0], i) * f[0][h][k] + place(c, order[1], i) * f[1][h][k] for k in range(c.p.dim // 2)]


def turned(p, x, angle, sign=1):
    y = list(x)
    for k, t in enumerate(angle):
        a, b = (2 * k, 2 * k + 1) if p.layout == "interleaved" else (k, k + p.dim // 2)
        y[a] = x[a] * cos(t) - x[b] * sin(t) * sign
        y[b] = x[b] * cos(t) + x[a] * sin(t) * sign
    return y


ROWS = {"rope2d": {
    "y": lambda c, h, i: turned(c.p, c.x("x")[h][i], angles(c, i)),
    "dx": lambda c, h, i: turned(c.p, c.x("dy")[h][i], angles(c, i), -1),
    "mixed": lambda c, h, i: turned(c.p, c.x("x")[h][i], mixed_angles(c, h, i)),
    "dx_mixed": lambda c, h, i: turned(c.p, c.x("dmixed")[h][i], mixed_angles(c, h, i), -1),
    "cos": lambda c, i: [cos(t) for t in angles(c, i)],
    "sin": lambda c, i: [sin(t) for t in angles(c, i)],
    "angle": angles,
    "axis": lambda c, k: [axis(c.p, k)[0]],
    "freq": lambda c: [frequency(c.p, k) for k in range(c.p.dim // 2)],
}}
