"""Short causal convolution (Gu, Dao 2023): every output as a sum over the w inputs that end with its own token."""
from mpmath import mpf
from real import exp, total


def line(c, ch):
    """The w inputs before the call, then those of the call."""
    w = len(c.x("weight")[0])
    return (list(c.x("state")[ch]) if c.has("state") else [mpf(0)] * w) + [row[ch] for row in c.x("x")]


def y(c, t):
    out = []
    for ch, taps in enumerate(c.x("weight")):
        w = len(taps)
        taps = taps if c.p.taps == "newest-last" else taps[::-1]
        p = total([a * b for a, b in zip(taps, line(c, ch)[t + 1:t + 1 + w])]) + (c.x("bias")[ch] if c.has("bias") else 0)
        out.append(p / (1 + exp(-p)) if c.p.act == "silu" else p)
    return out


def final(c, ch):
    return line(c, ch)[-len(c.x("weight")[0]):]


ROWS = {"conv": {"y": y, "final": final}}
