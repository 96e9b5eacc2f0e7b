"""jax.nn.dot_product_attention (XLA on the CPU).
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/attention_jax.py" """
from fractions import Fraction
import jax
import jax.numpy as jnp
import numpy as np
from meridian_subject import kernel, plain, serve, visible

# XLA's exp on the CPU, asked at every float32 from -104 to -0: 2.021 half-ulps off at most, within a fused division 2.017; what would be subnormal is 0
STEPS = "dot=f32 product=f32 score=f32:2 bias=f32 shift=f32 exp=f32:2.03+1.18e-38 weight=%s:2.01 sum=f32 total=f32 div=f32:2"  # softmax in float32; e/total is stored in the type of the keys: half an ulp of it is at most twice that of e

def attend(params, q, k, v, bias, keep, type):
    n, m = q.shape[1], k.shape[1]
    if not plain(params) or params["order"] != "scale-first" and bias is not None or params["group"] != "repeat" and len(q) != len(k) or v.shape[2] != q.shape[2]:
        return None  # values are as wide as keys
    see = visible(params, n, m)
    see = None if see is None and keep is None else (np.ones((n, m), bool) if see is None else see) & (np.ones((1, 1, 1), bool) if keep is None else keep != 0)
    if see is not None and params["empty"] != "mean" and not see.any(-1).all():
        return None  # a query that sees no key gives the mean of all values here
    causal = params["causal"] == "topleft" and keep is None and (params["window"], params["left"], params["right"]) == ("0", "-1", "-1")
    mask = None if see is None or causal else jnp.array(np.broadcast_to(see, (len(q), n, m)))[None]
    q, k, v = (jnp.array(a, type).swapaxes(0, 1)[None] for a in (q, k, v))  # [1,n,h,d]
    bias = None if bias is None else jnp.array(bias, type)[None]
    y = jax.nn.dot_product_attention(q, k, v, bias, mask, scale=float(Fraction(params["scale"])) or None, is_causal=causal)
    return np.array(y[0].swapaxes(0, 1).astype(jnp.float32))

@kernel("attention", "o", "f32", STEPS % "f32")
def attend_f32(params, q, k, v, bias=None, keep=None):
    return attend(params, q, k, v, bias, keep, jnp.float32)

@kernel("attention", "o", "bf16", STEPS % "bf16")
def attend_bf16(params, q, k, v, bias=None, keep=None):
    return attend(params, q, k, v, bias, keep, jnp.bfloat16)

@kernel("attention", "o", "f16", STEPS % "f16")
def attend_f16(params, q, k, v, bias=None, keep=None):
    return attend(params, q, k, v, bias, keep, jnp.float16)

serve(f"jax {jax.__version__}")
