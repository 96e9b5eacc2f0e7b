"""Attention as it is first written: numpy, float32, the whole score matrix; and Shaw's relative keys and values on top.
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/attention_numpy.py" """
from fractions import Fraction
import numpy as np
from meridian_subject import kernel, plain, serve, visible

STEPS = "dot=f32 product=f32 score=f32:2 shift=f32 exp=f32:6 weight=f32 sum=f32 total=f32 div=f32 log=f32:6 bias=f32"  # numpy's float32 exp and log: under 3 ulps

def heads_of(params, a, heads):
    return np.tile(a, (heads // len(a), 1, 1)) if params.get("group") == "tile" else np.repeat(a, heads // len(a), 0)

def scores(params, q, k, bias=None, keep=None):
    """Scores [h,n,m]; -inf where a key is hidden."""
    scale = np.float32(float(Fraction(params["scale"])) or q.shape[2] ** -0.5)
    s = np.einsum("hnd,hmd->hnm", q, heads_of(params, k, len(q)))
    s = (s + bias) * scale if bias is not None and params.get("order") == "bias-first" else s * scale + (0 if bias is None else bias)
    see = visible(params, q.shape[1], k.shape[1])
    hide = np.zeros(s.shape, bool) if see is None else np.broadcast_to(~see, s.shape)
    return np.where(hide if keep is None else hide | (keep == 0), np.float32(-np.inf), s)

def softmax(s, v, empty="zero"):
    """o and lse; a query that sees no key has the value that the parameter `empty` asks for."""
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    total = e.sum(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = np.where(total > 0, np.log(total) + top, -np.inf)[..., 0]
    o = np.einsum("hnm,hme->hne", e, v) / np.where(total > 0, total, 1)
    return np.where(total > 0, o, {"zero": 0, "nan": np.nan, "mean": v.mean(1, keepdims=True)}[empty]).astype(np.float32), lse

def ask(params, q, k, v, bias, keep):
    if params["route"] != "two-passes" or not plain(params):
        return None, None
    return softmax(scores(params, q, k, bias, keep), heads_of(params, v, len(q)), params["empty"])

@kernel("attention", "o", "f32", STEPS)
def output(params, q, k, v, bias=None, keep=None):
    return ask(params, q, k, v, bias, keep)[0]

@kernel("attention", "lse", "f32", STEPS)
def logsumexp(params, q, k, v, bias=None, keep=None):
    lse = ask(params, q, k, v, bias, keep)[1]
    return lse if lse is None or params["base"] == "e" else lse / np.float32(np.log(2))

@kernel("shaw", "o", "f32", STEPS.replace("bias=f32", "join=f32"))
def shaw(params, q, k, v, tk, tv, keep=None):
    n, m, least, most = q.shape[1], k.shape[1], int(params["least"]), int(params["most"])
    if params["beyond"] != "clip" or params["against"] != "query" or params["causal"] != "none":
        return None
    x = np.arange(m)[None, :] - np.arange(n)[:, None] - int(params["memory"])
    r = np.clip(x if params["sign"] == "key-query" else -x, least, most) - least
    scale = np.float32(float(Fraction(params["scale"])) or q.shape[2] ** -0.5)
    s = (np.einsum("hnd,hmd->hnm", q, k) + np.einsum("hnd,nmd->hnm", q, tk[r])) * scale
    s = s if keep is None else np.where(keep == 0, np.float32(-np.inf), s)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    total = e.sum(-1, keepdims=True)
    return np.einsum("hnm,hnme->hne", e, v[:, None] + tv[r]) / np.where(total > 0, total, 1)

serve(f"numpy {np.__version__}")
