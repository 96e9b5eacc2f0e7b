"""torch.nn.functional.softmax, layer_norm and rms_norm; the word cuda means the first GPU.
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/norms_torch.py cuda" """
from fractions import Fraction
import sys
import numpy as np
import torch
from torch.nn import functional as F
from meridian_subject import kernel, serve

DEVICE = "cuda" if "cuda" in sys.argv else "cpu"
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}

def on(type, *arrays):
    return [None if a is None else torch.from_numpy(np.array(a)).to(DEVICE, TYPES[type]) for a in arrays]

def back(y):
    return y.float().cpu().numpy()

def declare(type):
    # expf of CUDA errs by at most one ulp, exp_u20 of the CPU by 9.41 half-ulps (attention_torch.py)
    @kernel("softmax", "p", type, "shift=f32 exp=f32:%s total=f32 div=f32:2" % ("2+1.2e-38" if DEVICE == "cuda" else "9.5+1.7e-38"))
    def softmax(params, x):
        if params["softmax1"] != "off" or params["scale"] != "1":
            return None
        y = F.softmax(*on(type, x), -1)
        return back(y if params["empty"] == "nan" else torch.where(torch.isneginf(on(type, x)[0]).all(-1, keepdim=True), 0, y))

    # rsqrtf errs by at most two ulps (CUDA C++ Programming Guide, Mathematical Functions)
    @kernel("rmsnorm", "y", type, "square=f32 mean=f32 root=f32:4 scale=f32 gain=f32")
    def rmsnorm(params, x, gain=None):
        if params["place"] != "inside" or params["offset"] != "0":
            return None
        a, g = on(type, x, gain if "gain" in params["affine"] else None)
        return back(F.rms_norm(a, (a.shape[-1],), g, float(Fraction(params["eps"]))))

    @kernel("layernorm", "y", type, "route=welford mean=f32 centre=f32 square=f32 moment=f32 root=f32:4 scale=f32 gain=f32 shift=f32")
    def layernorm(params, x, gain=None, shift=None):
        if params["place"] != "inside" or params["variance"] != "biased" or params["apply"] != "centred":
            return None
        a, g, s = on(type, x, gain if "gain" in params["affine"] else None, shift if "shift" in params["affine"] else None)
        return back(F.layer_norm(a, (a.shape[-1],), g, s, float(Fraction(params["eps"]))))

for t in TYPES:
    declare(t)
serve(f"torch {torch.__version__} on {DEVICE}")
