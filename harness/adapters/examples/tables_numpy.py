"""Position tables and biases in numpy: sinusoid in float64 stored as float32, ALiBi slopes and biases, T5 buckets by a float32 logarithm.
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/tables_numpy.py" """
import math
from fractions import Fraction
import numpy as np
from meridian_subject import kernel, serve

@kernel("sinusoid", "p", "f32", "freq=f64:4 phase=f64 table=f64:2 store=f32")
def sinusoid(params, pos):
    dim = int(params["dim"])
    if params["spacing"] != "paper" or params["min_timescale"] != "1" or params["padding"] != "-1" or dim % 2:
        return None
    angle = (pos + int(params["origin"]))[:, None] * float(Fraction(params["base"])) ** (-np.arange(0, dim, 2) / dim)
    pair = np.stack([np.sin(angle), np.cos(angle)], 1 if params["layout"] == "concat" else 2)  # [n,2,k] or [n,k,2]
    return pair.reshape(len(pos), dim).astype(np.float32)

def slopes_of(params):
    """The slopes as get_slopes of the authors has them: those of the largest power of two below, then every second one of
    twice as many heads."""
    heads, most, first = int(params["heads"]), int(params["max"]), int(params["first"])
    if params["family"] not in ("interleave", "geometric"):
        return None
    n = heads if params["family"] == "geometric" else 2 ** int(math.log2(heads))
    near = [2.0 ** (-most * (h + first) / n) for h in range(n)]
    return np.array(near + [2.0 ** (-most * (2 * h + first) / (2 * n)) for h in range(heads - n)])

@kernel("alibi", "slopes", "f32", "slope=f64:4")
def slopes(params):
    s = slopes_of(params)
    return None if s is None else s.astype(np.float32)

@kernel("alibi", "bias", "f32", "slope=f64:4 bias=f64")
def linear_bias(params):
    (_, n, m), s = params.shape["bias"], slopes_of(params)
    if s is None or params["sign"] != "minus":
        return None
    j = np.arange(m)
    delta = int(params["offset"]) + np.arange(n)[:, None] - j
    steps = {"relative": -delta, "absolute": -np.abs(delta), "key": j + 0 * delta}[params["form"]]
    return (s[:, None, None] * steps).astype(np.float32)

def bucket_of(params, rho):
    """Buckets as modeling_t5.py computes them: the quotient of logarithms in float32, truncated."""
    b, far = int(params["buckets"]), int(params["max_distance"])
    if params["last"] != "clamped" or params["form"] != "buckets":
        return None
    both = params["direction"] == "bidirectional"
    b = b // 2 if both else b
    n, base = (np.abs(rho), b * (rho > 0)) if both else (np.maximum(-rho, 0), 0)
    e = b // 2
    up = np.float32(0.5 if params["edge"] == "nearest" else 0)
    steps = np.log(np.maximum(n, 1).astype(np.float32) / np.float32(e)) / np.float32(math.log(far / e)) * np.float32(b - e) + up
    return base + np.where(n < e, n, np.minimum(e + steps.astype(np.int64), b - 1))

@kernel("t5", "bucket", "f32", "route=logarithm ratio=f32 log=f32:4 quotient=f32 span=f32")
def bucket(params, relative_position):
    return bucket_of(params, relative_position)

@kernel("t5", "bias", "f32", "table=f32")
def bucketed_bias(params, table):
    _, n, m = params.shape["bias"]
    row = bucket_of(params, np.arange(m) - np.arange(n)[:, None] - int(params["offset"]))
    return None if row is None else table[row].transpose(2, 0, 1)

serve(f"numpy {np.__version__}")
