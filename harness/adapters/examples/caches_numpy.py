"""Caches in numpy: attention over keys and values of eight bits, kept as the bytes that a cache holds; the scores of an indexer.
fnuz: bytes of e4m3 are read with the bias of e4m3fnuz, as older AMD machines have it, which is a mistake.
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/caches_numpy.py" """
import sys
from fractions import Fraction
import numpy as np
from meridian_subject import kernel, serve

def numbers(exponent_bits, fraction_bits, most):
    """What the bytes 0 .. 127 of a floating code stand for, up to its largest number; with the sign bit, the same below 0."""
    byte = np.arange(128)
    e, f = byte >> fraction_bits, byte & (1 << fraction_bits) - 1
    bias = 2 ** (exponent_bits - 1) - 1
    x = np.where(e > 0, 1 + f / 2.0 ** fraction_bits, f / 2.0 ** fraction_bits) * 2.0 ** (np.maximum(e, 1) - bias)
    return x[x <= most]

CODES = {"e4m3": numbers(4, 3, 448), "e5m2": numbers(5, 2, 57344)}

def stored(x, code):
    """The bytes of a cache: a row of meridian hands over the numbers that they stand for."""
    if code == "int8":
        return x.astype(np.int8)
    return (np.searchsorted(CODES[code], np.abs(x)) | np.where(np.signbit(x), 128, 0)).astype(np.uint8)

def read(byte, code):
    if code == "int8":
        return byte.astype(np.float64)
    return np.where(byte & 128, -1.0, 1.0) * CODES[code][byte & 127] * (0.5 if code == "e4m3" and "fnuz" in sys.argv else 1)

def unpacked(params, name, codes, scale):
    """[g,m,d] from bytes and the scale of each block of tokens and channels, of which the last goes on to the end."""
    tokens, width = int(params[f"{name}_tokens"]), int(params[f"{name}_width"])
    row = np.minimum(np.arange(codes.shape[1]) // tokens, scale.shape[1] - 1)
    column = np.minimum(np.arange(codes.shape[2]) // width, scale.shape[2] - 1)
    return read(codes, params[f"{name}_code"]) * scale.astype(np.float64)[:, row][:, :, column]

STEPS = "unpack=f64 dot=f64 product=f64 score=f64:3 shift=f64 exp=f64:2 weight=f64 sum=f64 total=f64 div=f64 log=f64:4"

@kernel("quantized", "o lse", "f32", STEPS)
def attention(params, q, k, v, k_scale, v_scale, k_zero=None, v_zero=None):
    known = {"e4m3", "e5m2", "int8"}
    if k_zero is not None or v_zero is not None or not {params["k_code"], params["v_code"]} <= known:
        return None
    if params["cap"] != "0" or params["window"] != "0" or params["causal"] not in ("none", "bottomright"):
        return None
    key = unpacked(params, "k", stored(k, params["k_code"]), k_scale)
    value = unpacked(params, "v", stored(v, params["v_code"]), v_scale)
    (heads, n, d), m = q.shape, key.shape[1]
    of = np.arange(heads) * key.shape[0] // heads
    scale = float(Fraction(params["scale"])) or d ** -0.5
    s = np.einsum("hnd,hmd->hnm", q.astype(np.float64), key[of]) * scale
    if params["causal"] == "bottomright":
        s = np.where(np.arange(m) <= m - n + np.arange(n)[:, None], s, -np.inf)
    top = np.max(s, axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        p = np.exp(s - np.where(np.isfinite(top), top, 0))
        total = p.sum(-1, keepdims=True)
        o = np.einsum("hnm,hme->hne", p, value[of]) / np.where(total > 0, total, 1)
        lse = np.log(total[..., 0]) + np.where(np.isfinite(top), top, 0)[..., 0]
    return o.astype(np.float32), (lse / (np.log(2) if params["base"] == "2" else 1)).astype(np.float32)

@kernel("sparse", "index_score", "f32", "pair=f64 match=f64 weighed=f64 vote=f64")
def index_score(params, iq, ik, iw):
    """The lightning indexer of DeepSeek-V3.2: a weighed sum over its heads of what lies above 0."""
    n, m = iq.shape[1], ik.shape[0]
    if params["window"] != "0" or params["causal"] not in ("none", "bottomright"):
        return None
    product = np.einsum("bna,ma->bnm", iq.astype(np.float64), ik.astype(np.float64))
    s = np.einsum("bnm,bn->nm", np.maximum(product, 0), iw.astype(np.float64))
    if params["causal"] == "bottomright":
        s = np.where(np.arange(m) <= m - n + np.arange(n)[:, None], s, -np.inf)
    return s.astype(np.float32)

serve(f"numpy {np.__version__}")
