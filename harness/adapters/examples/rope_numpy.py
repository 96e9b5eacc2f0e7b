"""Rotary embedding in numpy: frequencies and angles in float64, the rotation in float32.
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/rope_numpy.py" """
from fractions import Fraction
import numpy as np
from meridian_subject import kernel, serve

F32 = "exponent=f64 power=f64:2 freq=f64 phase=f64 table=f64:2 store=f32 product=f32 sum=f32"

def angles(params, pos):
    """Angles [n,k] in float64; None for a scaling, or a partial rotation that spans the head, which this example lacks."""
    if params["scaling"] != "default" or params["partial"] != "prefix":
        return None
    width = int(params["rotary"]) or int(params["dim"])
    return pos[:, None] * float(Fraction(params["base"])) ** (-np.arange(0, width, 2) / width)  # base: "10000" or "1/3"

@kernel("rope", "cos sin", "f32", F32)
def table(params, pos):
    a = angles(params, pos)
    return None if a is None else (np.cos(a).astype(np.float32), np.sin(a).astype(np.float32))

@kernel("rope", "y", "f32", F32)
def rotate(params, x, pos):
    a = angles(params, pos)
    if a is None:
        return None
    c, s, half = np.cos(a).astype(np.float32), np.sin(a).astype(np.float32), a.shape[1]
    even, odd = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if params["layout"] == "interleaved" else (slice(0, half), slice(half, 2 * half))
    y = x.copy()
    y[..., even] = x[..., even] * c - x[..., odd] * s
    y[..., odd] = x[..., odd] * c + x[..., even] * s
    return y

serve(f"numpy {np.__version__}")
