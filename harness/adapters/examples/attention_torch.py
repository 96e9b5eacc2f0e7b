"""torch.nn.functional.scaled_dot_product_attention on the CPU; the backend is the word behind: math (default) or flash.
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/attention_torch.py flash" """
from fractions import Fraction
import sys
import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from meridian_subject import kernel, plain, serve, visible

FLASH = "flash" in sys.argv
STEPS = "dot=f32 product=f32:4 score=f32:2 bias=f32 shift=f32 exp=f32:2 weight=f32:2.01 sum=f32 total=f32 div=f32:2"  # math: q and k times sqrt(scale) first; weights are divided before they are stored
# exp_u20 of ATen/cpu/vec ("ULP=20"): repeating its operations for every float32 from -86.6 to 0 gives an error of at most
# 9.41 half-ulps; below 2^-125.5 it returns 0.
FLASH_STEPS = "dot=f32 product=f32 score=f32:2 bias=f32 shift=f32 exp=f32:9.5+1.7e-38 weight=%s sum=f32 total=f32 div=f32:2 route=online block=32 rescale=f32"

def attend(params, q, k, v, bias, keep, type):
    n, m = q.shape[1], k.shape[1]
    if not plain(params) or params["order"] != "scale-first" and bias is not None or FLASH and v.shape[2] != q.shape[2]:
        return None
    q, k, v = (torch.from_numpy(np.array(a)).to(type) for a in (q, k, v))
    see = visible(params, n, m)
    see = None if see is None and keep is None else torch.from_numpy(np.array(np.ones((n, m), bool) if see is None else see) & (np.ones((1, 1, 1), bool) if keep is None else keep != 0))
    if see is not None and params["empty"] != "zero" and not bool(see.any(dim=-1).all()):
        return None  # a query that sees no key gives 0 here
    causal = params["causal"] == "topleft" and bias is None and keep is None and (params["window"], params["left"], params["right"]) == ("0", "-1", "-1")
    mask = None if see is None or causal else see.expand(q.shape[0], n, m)[None]
    if bias is not None:
        mask = torch.from_numpy(np.array(bias)).to(type)[None].masked_fill(~(see if see is not None else torch.ones(n, m, dtype=torch.bool)), float("-inf"))
    if params["group"] == "tile":
        k, v = (a.repeat(len(q) // len(a), 1, 1) for a in (k, v))
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION if FLASH else SDPBackend.MATH):
        y = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], mask, is_causal=causal, scale=float(Fraction(params["scale"])) or None, enable_gqa=True)
    return y[0].float().numpy()

@kernel("attention", "o", "f32", FLASH_STEPS % "f32" if FLASH else STEPS)
def attend_f32(params, q, k, v, bias=None, keep=None):
    return attend(params, q, k, v, bias, keep, torch.float32)

@kernel("attention", "o", "bf16", FLASH_STEPS % "bf16" if FLASH else STEPS)
def attend_bf16(params, q, k, v, bias=None, keep=None):
    return attend(params, q, k, v, bias, keep, torch.bfloat16)

@kernel("attention", "o", "f16", FLASH_STEPS % "f16" if FLASH else STEPS)
def attend_f16(params, q, k, v, bias=None, keep=None):
    return attend(params, q, k, v, bias, keep, torch.float16)

serve(f"torch {torch.__version__}")
