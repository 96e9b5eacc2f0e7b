"""Attention forward as a Triton kernel, tile by tile, on a GPU; without one, in Triton's interpreter on the CPU.  Words:
tf32 (float32 operands as the matrix units take them by default) or ieee (the default here).
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/attention_triton.py tf32" """
import math, os, sys
from fractions import Fraction
import numpy as np
import torch
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported
import triton
import triton.language as tl
from meridian_subject import kernel, plain, serve, visible

GPU = torch.cuda.is_available()
DEVICE, FLOAT32 = "cuda" if GPU else "cpu", "tf32" if "tf32" in sys.argv else "ieee"
ROWS, KEYS = 16, 32  # of a tile

@triton.jit
def attend(q, k, v, see, o, n, m, d, e, shared, scale, TILED: tl.constexpr, G: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
           D: tl.constexpr, E: tl.constexpr, PRECISION: tl.constexpr):
    """q[h,n,d] k[g,m,d] v[g,m,e] see[h,n,m] -> o[h,n,e]; `shared` query heads in a row share a key head.  D and E are d and e, padded.
    Scores are taken in base 2: scale is 1/sqrt(d) log2(e)."""
    i, h = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.program_id(1)
    g = h % G if TILED else h // shared
    c, w = tl.arange(0, D), tl.arange(0, E)
    there = i[:, None] < n
    query = tl.load(q + (h * n + i[:, None]) * d + c[None, :], there & (c[None, :] < d), 0.0)
    top = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    out = tl.zeros((ROWS, E), tl.float32)
    for first in range(0, m, KEYS):
        j = first + tl.arange(0, KEYS)
        seen = tl.load(see + (h * n + i[:, None]) * m + j[None, :], there & (j[None, :] < m), 0) != 0
        used = (j < m) & (tl.max(seen.to(tl.int32), 0) != 0)  # what a key holds that no query of the tile sees must not matter
        key = tl.load(k + (g * m + j[None, :]) * d + c[:, None], used[None, :] & (c[:, None] < d), 0.0)
        value = tl.load(v + (g * m + j[:, None]) * e + w[None, :], used[:, None] & (w[None, :] < e), 0.0)
        s = tl.where(seen, tl.dot(query, key, input_precision=PRECISION) * scale, float("-inf"))
        now = tl.maximum(top, tl.max(s, 1))
        base = tl.where(now == float("-inf"), 0.0, now)
        keep = tl.exp2(top - base)
        p = tl.exp2(s - base[:, None])
        total = total * keep + tl.sum(p, 1)
        out = out * keep[:, None] + tl.dot(p.to(value.dtype), value, input_precision=PRECISION)
        top = now
    out = out / tl.where(total == 0.0, 1.0, total)[:, None]
    tl.store(o + (h * n + i[:, None]) * e + w[None, :], out.to(o.dtype.element_ty), there & (w[None, :] < e))

def ask(params, q, k, v, keep, type):
    (h, n, d), (g, m, e) = q.shape, v.shape
    if not plain(params) or params["empty"] != "zero":
        return None
    see = visible(params, n, m)
    see = np.broadcast_to((np.ones((n, m), bool) if see is None else see) & (True if keep is None else keep != 0), (h, n, m))
    q, k, v = (torch.from_numpy(np.array(a)).to(DEVICE, type) for a in (q, k, v))
    see = torch.from_numpy(np.array(see, np.int8, order="C")).to(DEVICE)
    o = torch.zeros((h, n, e), dtype=type, device=DEVICE)
    if o.numel() and m:
        scale = float(Fraction(params["scale"])) or d ** -0.5
        attend[(triton.cdiv(n, ROWS), h)](q, k, v, see, o, n, m, d, e, h // g, scale * math.log2(math.e), TILED=params["group"] == "tile",
                                          G=g, ROWS=ROWS, KEYS=KEYS, D=max(16, triton.next_power_of_2(d)), E=max(16, triton.next_power_of_2(e)),
                                          PRECISION=FLOAT32)
    return o.float().cpu().numpy()

# Of a device: ex2.approx errs by 2^-22.5 of its value and flushes subnormal numbers to 0 (PTX ISA), so three ulps and a half-ulp; a division
# by at most two ulps.  score: the scale is rounded, and so is the product with it.  Sums: 16-bit operands on the matrix
# units in blocks of 16 with 25 bits (Hopper; ref/core/ball/tensor.h), float32 ones by fused additions in any tree, or cut to tf32, of
# which the units drop bits: two half-ulps.
TREE, UNIT = "f32", "f32/tc16:25"
REST = "score=f32:3 shift=f32 exp=f32:7+1.2e-38 total=f32 rescale=f32:7+1.2e-38 div=f32:4 route=online block=32"
def steps(sums, weight, more=""):
    return f"dot={sums} {weight} sum={sums} {REST} {more}".strip()
ON_TF32 = steps("f32/tc4:23" if GPU else TREE, "weight=tf32:2", "in.q=tf32:2 in.k=tf32:2 in.v=tf32:2")

@kernel("attention", "o", "f32", ON_TF32 if FLOAT32 == "tf32" else steps(TREE, "weight=f32"))
def attend_f32(params, q, k, v, keep=None):
    return ask(params, q, k, v, keep, torch.float32)

@kernel("attention", "o", "f16", steps(UNIT if GPU else TREE, "weight=f16"))
def attend_f16(params, q, k, v, keep=None):
    return ask(params, q, k, v, keep, torch.float16)

if GPU:  # the interpreter knows no operations on bfloat16 (Triton's documentation, Debugging Triton)
    @kernel("attention", "o", "bf16", steps(UNIT, "weight=bf16"))
    def attend_bf16(params, q, k, v, keep=None):
        return ask(params, q, k, v, keep, torch.bfloat16)

serve(f"triton {triton.__version__} on {DEVICE}")
