"""torch.nn.functional.scaled_dot_product_attention; words: the backend (math, the default; flash; on a GPU also efficient and
cudnn), and cuda for the first GPU.
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/attention_torch.py flash cuda" """
from fractions import Fraction
import sys
import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from meridian_subject import kernel, plain, serve, visible

BACKENDS = {"math": SDPBackend.MATH, "flash": SDPBackend.FLASH_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
WAY = next((w for w in BACKENDS if w in sys.argv), "math")
FLASH, CUDA, FUSED = WAY == "flash", "cuda" in sys.argv, WAY != "math"
DEVICE = "cuda" if CUDA else "cpu"
STEPS = "dot=f32 product=f32:4 score=f32:2 bias=f32 shift=f32 exp=f32:2 weight=f32:2.01 sum=f32 total=f32 div=f32:2"  # math: q and k times sqrt(scale) first; weights are divided before they are stored
# exp_u20 of ATen/cpu/vec ("ULP=20"): repeating its operations for every float32 from -86.6 to 0 gives an error of at most
# 9.41 half-ulps; below 2^-125.5 it returns 0.
FLASH_STEPS = "dot=f32 product=f32 score=f32:2 bias=f32 shift=f32 exp=f32:9.5+1.7e-38 weight=%s sum=f32 total=f32 div=f32:2 route=online block=32 rescale=f32"

# On a GPU: scores in base 2 by ex2.approx (2^-22.5 of its value, subnormal results flushed: PTX ISA), divisions by a reciprocal, weights
# stored in the operands' type for the matrix units, whose sums take blocks of 16 and 25 bits on Hopper (ref/core/ball/tensor.h).
# Tiles are of 64 keys or more.  efficient makes float32 products of three products of tf32 parts, which lose 2^-21 of them.
GPU_STEPS = "dot=f32/tc16:25 score=f32:3 shift=f32 exp=f32:7+1.2e-38 weight=%s sum=f32/tc16:25 total=f32 rescale=f32:7+1.2e-38 div=f32:4 route=online block=64"
GPU_F32 = "dot=f32 product=f32:16 score=f32:3 bias=f32 shift=f32 exp=f32:7+1.2e-38 weight=f32:16 sum=f32 total=f32 rescale=f32:7+1.2e-38 div=f32:4 route=online block=64"

def steps(type):
    if not CUDA:
        return FLASH_STEPS % type if FLASH else STEPS
    if not FUSED:
        return STEPS
    return GPU_F32 if type == "f32" else GPU_STEPS % type + (" bias=f32" if WAY == "efficient" else "")

def attend(params, q, k, v, bias, keep, type):
    n, m = q.shape[1], k.shape[1]
    if not plain(params) or params["order"] != "scale-first" and bias is not None or FLASH and v.shape[2] != q.shape[2]:
        return None
    q, k, v = (torch.from_numpy(np.array(a)).to(DEVICE, type) for a in (q, k, v))
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
    elif WAY in ("efficient", "cudnn"):  # which take no groups
        k, v = (a.repeat_interleave(len(q) // len(a), 0) for a in (k, v))
    mask = mask if mask is None else mask.to(DEVICE)
    try:
        with sdpa_kernel(BACKENDS[WAY]):
            y = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], mask, is_causal=causal, scale=float(Fraction(params["scale"])) or None, enable_gqa=True)
    except RuntimeError as e:
        if "No available kernel" in str(e):  # of this backend, for this type, mask or width
            return None
        raise
    return y[0].float().cpu().numpy()

@kernel("attention", "o", "f32", steps("f32"))
def attend_f32(params, q, k, v, bias=None, keep=None):
    return attend(params, q, k, v, bias, keep, torch.float32)

@kernel("attention", "o", "bf16", steps("bf16"))
def attend_bf16(params, q, k, v, bias=None, keep=None):
    return attend(params, q, k, v, bias, keep, torch.bfloat16)

@kernel("attention", "o", "f16", steps("f16"))
def attend_f16(params, q, k, v, bias=None, keep=None):
    return attend(params, q, k, v, bias, keep, torch.float16)

serve(f"torch {torch.__version__} on {torch.cuda.get_device_name() if CUDA else 'the CPU'}")
