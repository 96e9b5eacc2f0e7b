"""torch.nn.functional.scaled_dot_product_attention, the math backend on the CPU.
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/attention_torch.py" """
import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from meridian_subject import kernel, serve

STEPS = "dot=f32 product=f32 score=f32 shift=f32 exp=f32:2 weight=f32 sum=f32 total=f32 rescale=f32 div=f32 log=f32:2 bias=f32"

def visible(params, n, m):
    """[n,m] of booleans, or None: every key."""
    if params["causal"] == "none" and int(params["window"]) == 0:
        return None
    i, j = torch.arange(n)[:, None], torch.arange(m)[None, :]
    at = i + (m - n if params["causal"] == "bottomright" else 0)
    see = torch.ones(n, m, dtype=torch.bool) if params["causal"] == "none" else j <= at
    return see & (j > at - int(params["window"])) if int(params["window"]) else see

@kernel("attention", "y", "f32", STEPS)
def attention(params, q, k, v, bias=None, keep=None):
    if params["route"] != "two-passes" or keep is not None:
        return None
    q, k, v = (torch.from_numpy(np.array(a)) for a in (q, k, v))
    see = visible(params, q.shape[1], k.shape[1])
    if see is not None and not bool(see.any(dim=1).all()):
        return None  # a query that sees no key: a question of policy
    mask = None if see is None else torch.zeros(see.shape).masked_fill(~see, float("-inf"))
    if bias is not None:
        mask = torch.from_numpy(np.array(bias)) + (0 if mask is None else mask)
    repeat = q.shape[0] // k.shape[0]
    k, v = k.repeat_interleave(repeat, 0), v.repeat_interleave(repeat, 0)
    with sdpa_kernel(SDPBackend.MATH):
        y = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], mask, scale=float(params["scale"]) or None)
    return y[0].numpy()

serve(f"torch {torch.__version__}")
