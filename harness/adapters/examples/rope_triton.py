"""Rotary embedding as a Triton kernel, float32, float16 and bfloat16, on a GPU; without one, in Triton's interpreter on the
CPU (TRITON_INTERPRET=1), which runs the same kernel with numpy's arithmetic.
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/rope_triton.py" """
import os
import numpy as np
import torch
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported
import triton
import triton.language as tl
from meridian_subject import kernel, serve

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def turn(x, cos, sin, y, n, d, half, PAIRS: tl.constexpr, BLOCK: tl.constexpr):
    """x and y are [rows,d], n positions one after the other; cos and sin are [n,half] in float32.  A program turns a row."""
    row = tl.program_id(0)
    k = tl.arange(0, BLOCK)
    there = k < half
    c = tl.load(cos + (row % n) * half + k, there, 0.0)
    s = tl.load(sin + (row % n) * half + k, there, 0.0)
    a = 2 * k if PAIRS else k
    b = a + 1 if PAIRS else k + half
    u = tl.load(x + row * d + a, there, 0.0).to(tl.float32)
    v = tl.load(x + row * d + b, there, 0.0).to(tl.float32)
    tl.store(y + row * d + a, (u * c - v * s).to(y.dtype.element_ty), there)
    tl.store(y + row * d + b, (v * c + u * s).to(y.dtype.element_ty), there)

def rotate(params, x, pos, type):
    d, width = x.shape[2], int(params["rotary"]) or x.shape[2]
    if params["scaling"] != "default" or params["partial"] != "prefix":
        return None
    freq = float(params["base"]) ** (-2.0 * np.arange(width // 2) / width)
    angle = torch.from_numpy(pos[:, None] * freq).to(DEVICE)  # float64: positions may be large
    x = torch.from_numpy(np.array(x)).to(DEVICE, type)
    y = x.clone()
    if x.numel() and width:
        turn[(x.shape[0] * x.shape[1],)](x, angle.cos().float(), angle.sin().float(), y, x.shape[1], d, width // 2,
                                          PAIRS=params["layout"] == "interleaved", BLOCK=triton.next_power_of_2(max(width // 2, 1)))
    return y.float().cpu().numpy()

# numpy's power and the sines of a device are within two ulps of float64; the sum of two products may be fused, which rounds less.
STEPS = "exponent=f64 power=f64:4 freq=f64 phase=f64 table=f64:4 store=f32 product=f32 sum=f32"

@kernel("rope", "y", "f32", STEPS)
def rotate_f32(params, x, pos):
    return rotate(params, x, pos, torch.float32)

@kernel("rope", "y", "f16", STEPS)
def rotate_f16(params, x, pos):
    return rotate(params, x, pos, torch.float16)

@kernel("rope", "y", "bf16", STEPS)  # the interpreter of Triton 3.9 truncates it: data/findings/triton-bf16.md
def rotate_bf16(params, x, pos):
    return rotate(params, x, pos, torch.bfloat16)

serve(f"triton {triton.__version__} on {DEVICE}")
