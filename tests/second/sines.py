"""Rows of sinusoidal tables (Vaswani et al. 2017, section 3.5), with the conventions of its descendants."""
from mpmath import mpf
from real import cos, power, sin


def sine_row(t, width, base, layout="interleaved", spacing="paper", odd="zero", least=1):
    """The pair sin(t w_k), cos(t w_k), with w_k = least (base/least)^-e, where e = 2k/width, or k/(pairs - 1) for the
    shifted spacing."""
    pairs = width // 2
    sines = pairs + (width % 2 if odd == "drop" else 0)

    def angle(k):
        e = mpf(2 * k) / width if spacing == "paper" else mpf(k) / max(pairs - 1, 1)
        return t * (least * power(mpf(base) / least, -e))
    s = [sin(angle(k)) for k in range(sines)]
    c = [cos(angle(k)) for k in range(pairs)]
    if layout == "concat":
        row = s + c
    else:
        row = []
        for k in range(sines):
            row += [s[k]] + ([c[k]] if k < pairs else [])
    return row + [mpf(0)] * (width - len(row))
