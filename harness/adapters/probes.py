"""Small cases in which released libraries deviate from their definition.  Each is computed by the installed library and
written as a case of a pack in meridian's own words; data/peers/probes is such a pack, recorded.
   python3 harness/adapters/probes.py FOLDER [LIBRARY ...]    then: meridian judge FOLDER
A probe returns inputs and outputs by the names of the row's signature.  Libraries that cannot be imported are printed
and left out.  Inputs are fixed, and asymmetric so that exchanged axes show.  Probes of further libraries are in the
files probes_*.py beside this one, which are found by name."""
import glob, importlib, importlib.metadata, json, os, sys
import numpy as np
os.environ.setdefault("KERAS_BACKEND", "jax")  # keras asks for one; the smallest of the three

# For every library that is asked.  exp is the widest that any of them was measured at: torch's flash kernel (examples/attention_torch.py).
# product: where q and k are multiplied by the rounded root of the scale first, two roundings each.
F32 = "dot=f32 product=f32:4 score=f32:2 bias=f32 shift=f32 exp=f32:9.5+1.7e-38 weight=f32:2.01 sum=f32 total=f32 div=f32:2"
F16 = "dot=f32 product=f32 score=f32:2 bias=f32 shift=f32 exp=f32:9.5+1.7e-38 weight=f16:2.01 sum=f32 total=f32 div=f32:2"
PROBES = []

def probe(id, library, row, params, profile, source):
    def declare(f):
        PROBES.append((id, library, row, params, profile, source, f))
        return f
    return declare

def qkv(h=2, n=3, m=5, d=4, seed=1, scale=1.0):
    """q, k and v of shape [h,.,d]: standard normal float32 from an own generator, the same under every version of numpy."""
    def uniform(count, stream):
        x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1000003 * (17 * seed + stream))
        for shift, by in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
            x = (x ^ (x >> np.uint64(shift))) * np.uint64(by)
        return (x >> np.uint64(11)).astype(np.float64) / 2.0 ** 53
    def normal(stream, *shape):
        count = int(np.prod(shape))
        coarse = sum(uniform(count, 12 * stream + k) for k in range(12)) - 6  # 12 uniforms: near enough to normal, and no libm
        return (np.round(coarse * scale * 1024) / 1024).astype(np.float32).reshape(shape)
    return normal(1, h, n, d), normal(2, h, m, d), normal(3, h, m, d)

def onnx_model(op, feed, outputs, domain="", opset=24, **attributes):
    """An ONNX model of one node, serialised; feed: its inputs (name, array or None) in order."""
    from onnx import helper
    of = lambda n, a: helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
    node = helper.make_node(op, [n if a is not None else "" for n, a in feed], outputs, domain=domain, **attributes)
    first = next(a for n, a in feed if a is not None)
    graph = helper.make_graph([node], "probe", [of(n, a) for n, a in feed if a is not None], [helper.make_tensor_value_info(o, helper.np_dtype_to_tensor_dtype(first.dtype), None) for o in outputs])
    imports = [helper.make_opsetid("", opset if not domain else 17)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    return helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString()

def onnx_node(op, feed, outputs, domain="", opset=24, **attributes):
    """The outputs of one node, computed by the CPU provider of onnxruntime."""
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(onnx_model(op, feed, outputs, domain, opset, **attributes), options, providers=["CPUExecutionProvider"])
    return session.run(None, {n: a for n, a in feed if a is not None})[0]

def merged(a):  # [h,n,d] -> [1,n,hd], as the contributed operators want it
    return np.ascontiguousarray(a.transpose(1, 0, 2).reshape(1, a.shape[1], -1))

def apart(y, h):
    return np.ascontiguousarray(y[0].reshape(y.shape[1], h, -1).transpose(1, 0, 2))

def call(q, k, v, o, **more):
    return {"q": q, "k": k, "v": v, **more}, {"o": o}

@probe("onnxruntime-past-one-query", "onnxruntime", "attention", "causal=offset offset=4", F32, "Attention, opset 24, is_causal, one query, a past of 4 and 3 new keys")
def past_one_query():
    q, k, v = qkv(n=1, m=7)
    feed = [("Q", q[None]), ("K", k[None, :, 4:]), ("V", v[None, :, 4:]), ("M", None), ("PK", k[None, :, :4]), ("PV", v[None, :, :4])]
    return call(q, k, v, onnx_node("Attention", [(n, None if a is None else np.ascontiguousarray(a)) for n, a in feed], ["Y", "K2", "V2"], is_causal=1)[0])

@probe("onnxruntime-unidirectional", "onnxruntime", "attention", "causal=topleft", F32, "com.microsoft.MultiHeadAttention, unidirectional=1, 3 queries, 5 keys")
def unidirectional():
    q, k, v = qkv(seed=2)
    return call(q, k, v, apart(onnx_node("MultiHeadAttention", [("q", merged(q)), ("k", merged(k)), ("v", merged(v))], ["y"], "com.microsoft", num_heads=2, unidirectional=1), 2))

@probe("onnxruntime-padding", "onnxruntime", "attention", "", F32, "com.microsoft.MultiHeadAttention, key_padding_mask hides keys 3 and 4, whose scores are larger by about 20000")
def padding():
    q, k, v = qkv(seed=3)
    q, k = np.abs(q) + 1, np.abs(k) + 1
    k[:, 3:] *= 4096
    keep = np.broadcast_to(np.array([1, 1, 1, 0, 0], np.uint8), (2, 3, 5)).copy()
    y = onnx_node("MultiHeadAttention", [("q", merged(q)), ("k", merged(k)), ("v", merged(v)), ("b", None), ("mask", np.array([[1, 1, 1, 0, 0]], np.int32))], ["y"], "com.microsoft", num_heads=2)
    return call(q, k, v, apart(y, 2), keep=keep)

@probe("onnxruntime-f16-overflow", "onnxruntime", "attention", "", F16, "Attention, opset 24, float16, scores beyond 65504")
def f16_overflow():
    q, k, v = qkv(seed=4, scale=300.0)
    q, k, v = q.astype(np.float16), k.astype(np.float16), (v / 256).astype(np.float16)
    return call(q, k, v, onnx_node("Attention", [("Q", q[None]), ("K", k[None]), ("V", v[None])], ["Y"])[0])

def hidden(value, of="v"):
    """q, k, v and a mask that hides keys 3 and 4, whose k or v (of) holds `value`: it must not reach the output."""
    q, k, v = qkv(seed=5)
    {"k": k, "v": v}[of][:, 3:] = value
    return q, k, v, np.broadcast_to(np.array([1, 1, 1, 0, 0], np.uint8), (2, 3, 5)).copy()

@probe("onnxruntime-hidden-nan", "onnxruntime", "attention", "", F32, "Attention, opset 24, boolean mask, hidden values are NaN")
def onnxruntime_hidden():
    q, k, v, keep = hidden(np.nan)
    return call(q, k, v, onnx_node("Attention", [("Q", q[None]), ("K", k[None]), ("V", v[None]), ("M", keep[0] > 0)], ["Y"])[0], keep=keep)

def sdpa(q, k, v, mask, backend):
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel(getattr(SDPBackend, backend)):
        return torch.nn.functional.scaled_dot_product_attention(*(torch.from_numpy(a)[None] for a in (q, k, v)), torch.from_numpy(mask)[None])[0].numpy()

@probe("torch-hidden-nan", "torch", "attention", "", F32, "scaled_dot_product_attention, flash backend on the CPU, boolean mask, hidden values are NaN")
def torch_hidden():
    q, k, v, keep = hidden(np.nan)
    return call(q, k, v, sdpa(q, k, v, keep > 0, "FLASH_ATTENTION"), keep=keep)

@probe("torch-hidden-key-nan", "torch", "attention", "", F32, "scaled_dot_product_attention, math backend on the CPU, additive mask of -inf, hidden keys are NaN")
def torch_hidden_key():
    q, k, v, keep = hidden(np.nan, "k")
    return call(q, k, v, sdpa(q, k, v, np.where(keep > 0, 0, -np.inf).astype(np.float32), "MATH"), keep=keep)

def multihead(need_weights):
    """nn.MultiheadAttention with unit projections; every key is hidden from the second query."""
    import torch
    q, k, v = qkv(h=1, n=3, m=5, seed=6)
    keep = np.ones((1, 3, 5), np.uint8)
    keep[:, 1] = 0
    module = torch.nn.MultiheadAttention(4, 1, bias=False, batch_first=True).eval()
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
        module.out_proj.weight.copy_(torch.eye(4))
        y = module(*(torch.from_numpy(a) for a in (q, k, v)), attn_mask=torch.from_numpy(keep[0] == 0), need_weights=need_weights)[0]
    return call(q, k, v, y.numpy(), keep=keep)

@probe("torch-multihead-weights", "torch", "attention", "", F32, "nn.MultiheadAttention, need_weights=True (the default), a query that sees no key")
def multihead_weights():
    return multihead(True)

@probe("torch-multihead-zero-key", "torch", "attention", "", F32, "nn.MultiheadAttention, add_zero_attn, is_causal with its mask, need_weights=False: a sixth key and value of zeros, visible to every query")
def multihead_zero():
    import torch
    q, k, v = qkv(h=1, n=3, m=5, seed=11)
    keep = np.tril(np.ones((3, 6), np.uint8))
    keep[:, 5] = 1
    module = torch.nn.MultiheadAttention(4, 1, bias=False, batch_first=True, add_zero_attn=True).eval()
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
        module.out_proj.weight.copy_(torch.eye(4))
        y = module(*(torch.from_numpy(a) for a in (q, k, v)), attn_mask=torch.from_numpy(keep[:, :5] == 0), is_causal=True, need_weights=False)[0]
    zero = np.zeros((1, 1, 4), np.float32)
    return call(q, np.concatenate([k, zero], 1), np.concatenate([v, zero], 1), y.numpy(), keep=keep[None])

@probe("torch-multihead", "torch", "attention", "", F32, "nn.MultiheadAttention, need_weights=False, a query that sees no key")
def multihead_plain():
    return multihead(False)

def jax_attention(q, k, v, mask=None, bias=None):
    import jax
    turned = [jax.numpy.array(a).swapaxes(0, 1)[None] for a in (q, k, v)]
    y = jax.nn.dot_product_attention(*turned, bias=None if bias is None else jax.numpy.array(bias)[None], mask=None if mask is None else jax.numpy.array(mask)[None])
    return np.array(y[0].swapaxes(0, 1))

def empty_row():
    q, k, v = qkv(seed=7)
    keep = np.ones((2, 3, 5), np.uint8)
    keep[:, 1] = 0
    return q, k, v, keep

@probe("jax-empty-row", "jax", "attention", "", F32, "nn.dot_product_attention, boolean mask, a query that sees no key")
def jax_empty():
    q, k, v, keep = empty_row()
    return call(q, k, v, jax_attention(q, k, v, mask=keep > 0), keep=keep)

@probe("jax-empty-row-bias", "jax", "attention", "", F32, "nn.dot_product_attention, bias of -inf, a query that sees no key")
def jax_empty_bias():
    q, k, v, keep = empty_row()
    bias = np.where(keep > 0, 0, -np.inf).astype(np.float32)
    return call(q, k, v, jax_attention(q, k, v, bias=bias), bias=bias)

@probe("jax-hidden-nan", "jax", "attention", "", F32, "nn.dot_product_attention, boolean mask, hidden values are NaN")
def jax_hidden():
    q, k, v, keep = hidden(np.nan)
    return call(q, k, v, jax_attention(q, k, v, mask=keep > 0), keep=keep)

WORST = [53156, 26070, 5891, 5408, 524289]  # of pair 0 the angle is the position: no frequency, no phase to round

def first_pair(sin, cos):
    pos = np.array(WORST, np.int64)
    angle = pos.astype(np.float32)
    return {"pos": pos}, {"sin": sin(angle)[:, None], "cos": cos(angle)[:, None]}

@probe("numpy-sin", "numpy", "rope", "dim=2", "table=f32:2", "sin and cos of float32, of the first pair: the angle is the position itself; declared: within one unit in the last place")
def numpy_sin():
    return first_pair(np.sin, np.cos)

@probe("onnxruntime-sin", "onnxruntime", "rope", "dim=2", "table=f32:2", "Sin and Cos of ONNX opset 17, of the first pair: the angle is the position itself; declared: within one unit in the last place")
def onnxruntime_sin():
    return first_pair(lambda x: onnx_node("Sin", [("x", x)], ["y"], opset=17), lambda x: onnx_node("Cos", [("x", x)], ["y"], opset=17))

@probe("onnxruntime-groupnorm", "onnxruntime", "layernorm", "", "mean=f32 centre=f32 square=f32 moment=f32 root=f32:2 scale=f32:2 gain=f32 shift=f32", "GroupNormalization of ONNX opset 21, one group of 64 channels, means of 4000 deviations")
def onnxruntime_groupnorm():
    x = qkv(h=1, n=3, d=64, seed=12)[0][0] + np.float32(4000)
    gain, shift = np.linspace(0.5, 1.5, 64, dtype=np.float32), np.linspace(-1, 1, 64, dtype=np.float32)
    y = onnx_node("GroupNormalization", [("x", x[:, :, None]), ("g", gain), ("b", shift)], ["y"], opset=21, epsilon=1e-5, num_groups=1)
    return {"x": x, "gain": gain, "shift": shift}, {"y": y[:, :, 0]}

@probe("transformers-falcon-alibi", "transformers", "alibi", "heads=6 form=key", "route=powers base=f32:2 slope=f32:2 bias=f32", "models.falcon build_alibi_tensor, dtype float32, 300 keys, none hidden")
def falcon_alibi():
    import torch
    from transformers.models.falcon.modeling_falcon import build_alibi_tensor
    return {}, {"bias": build_alibi_tensor(torch.ones(1, 300, dtype=torch.long), 6, torch.float32).reshape(6, 1, 300).numpy()}

@probe("transformers-rope-long", "transformers", "rope", "dim=128 base=500000 layout=half", "table=f16", "models.llama LlamaRotaryEmbedding, float32, default frequencies; declared: no worse than a table stored in float16")
def rope_long():
    import torch
    from transformers.models.llama.modeling_llama import LlamaConfig, LlamaRotaryEmbedding
    config = LlamaConfig(hidden_size=256, num_attention_heads=2, head_dim=128, max_position_embeddings=131072, rope_parameters={"rope_type": "default", "rope_theta": 500000.0})
    pos = np.array([3, 1021, 30011, 100003, 131071], np.int64)
    cos, sin = LlamaRotaryEmbedding(config)(torch.zeros(1, 1, 128), torch.from_numpy(pos)[None])
    return {"pos": pos}, {"cos": cos[0, :, :64].numpy(), "sin": sin[0, :, :64].numpy()}

@probe("transformers-rope-state", "transformers", "rope", "dim=128 layout=half scaling=dynamic factor=4 trained=2048 length=3000", "rebase=f32 exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 amplitude=f32",
       "models.llama LlamaRotaryEmbedding, rope_type dynamic: 3000 tokens, after a prompt of 8000 was answered")
def rope_state():
    import torch
    from transformers.models.llama.modeling_llama import LlamaConfig, LlamaRotaryEmbedding
    table = LlamaRotaryEmbedding(LlamaConfig(hidden_size=256, num_attention_heads=2, head_dim=128, max_position_embeddings=2048, rope_parameters={"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 4.0}))
    table(torch.zeros(1, 1, 128), torch.arange(8000)[None])
    cos, sin = table(torch.zeros(1, 1, 128), torch.arange(3000)[None])
    pos = np.array([3, 257, 1021, 2999], np.int64)
    return {"pos": pos}, {"cos": cos[0, pos, :64].numpy(), "sin": sin[0, pos, :64].numpy()}

@probe("transformers-conformer-bf16", "transformers", "rope", "dim=64 layout=half", "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 store=bf16",
       "models.wav2vec2_conformer rotary embedding after module.to(bfloat16), 300 frames; declared: only stored in bfloat16")
def conformer_bf16():
    import torch
    from transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer import Wav2Vec2ConformerConfig, Wav2Vec2ConformerRotaryPositionalEmbedding
    table = Wav2Vec2ConformerRotaryPositionalEmbedding(Wav2Vec2ConformerConfig(hidden_size=128, num_attention_heads=2)).to(torch.bfloat16)
    cos, sin = table(torch.zeros(1, 300, 128, dtype=torch.bfloat16)).float()[:, :, 0, 0, :32].numpy()
    pos = np.array([3, 100, 255, 257, 299], np.int64)
    return {"pos": pos}, {"cos": cos[pos], "sin": sin[pos]}

@probe("transformers-vjepa2", "transformers", "rope", "dim=16 layout=interleaved", "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 product=f32 sum=f32", "models.vjepa2 rotate_queries_or_keys, float32: neighbours are pairs")
def vjepa2():
    import torch
    from transformers.models.vjepa2.modeling_vjepa2 import rotate_queries_or_keys
    x, pos = qkv(h=2, n=5, d=16, seed=8)[0], np.array([0, 1, 2, 13, 31], np.int64)
    return {"x": x, "pos": pos}, {"y": rotate_queries_or_keys(torch.from_numpy(x)[None], torch.from_numpy(pos.astype(np.float32))[None, None])[0].numpy()}

@probe("jax-standardize", "jax", "layernorm", "affine=none", "mean=f32 centre=f32 square=f32 moment=f32 root=f32 scale=f32 product=f32 collect=f32 combine=f32", "nn.standardize, float32, epsilon 1e-5, means 1, 60 and 4000 deviations away from 0")
def jax_standardize():
    import jax
    x = qkv(h=1, n=3, d=64, seed=3)[0][0] + np.array([[1], [60], [4000]], np.float32)
    return {"x": x}, {"y": np.array(jax.nn.standardize(jax.numpy.array(x), axis=-1, epsilon=1e-5))}

def mlx_attention(q, k, v, mask):
    import mlx.core as mx
    mask = mask if isinstance(mask, str) or mask is None else mx.array(mask)[None]
    with mx.stream(mx.cpu):
        y = mx.fast.scaled_dot_product_attention(*(mx.array(a)[None] for a in (q, k, v)), scale=q.shape[-1] ** -0.5, mask=mask)
        mx.eval(y)
    return np.array(y)[0]

@probe("mlx-causal-more-queries", "mlx", "attention", "causal=bottomright", F32, "fast.scaled_dot_product_attention on the CPU, mask causal, 5 queries, 3 keys: the first two see nothing")
def mlx_causal():
    q, k, v = qkv(n=5, m=3, seed=9)
    return call(q, k, v, mlx_attention(q, k, v, "causal"))

@probe("mlx-empty-row-bias", "mlx", "attention", "", F32, "fast.scaled_dot_product_attention on the CPU, additive mask of -inf, a query that sees no key")
def mlx_empty_bias():
    q, k, v, keep = empty_row()
    bias = np.where(keep > 0, 0, -np.inf).astype(np.float32)
    return call(q, k, v, mlx_attention(q, k, v, bias), bias=bias)

@probe("mlx-hidden-nan", "mlx", "attention", "", F32, "fast.scaled_dot_product_attention on the CPU, boolean mask, hidden values are NaN")
def mlx_hidden():
    q, k, v, keep = hidden(np.nan)
    return call(q, k, v, mlx_attention(q, k, v, keep > 0), keep=keep)

@probe("mlx-f16-overflow", "mlx", "attention", "", F16, "fast.scaled_dot_product_attention on the CPU, float16, scores beyond 65504")
def mlx_overflow():
    q, k, v = (a.astype(np.float16) for a in qkv(seed=4, scale=300.0))
    v = (v / 256).astype(np.float16)
    return call(q, k, v, mlx_attention(q, k, v, None))

def keras_attention(q, k, v, keep):
    """layers.MultiHeadAttention with unit projections, one head."""
    import keras
    layer, eye = keras.layers.MultiHeadAttention(1, 4, use_bias=False), np.eye(4)
    layer(q, v, k)
    layer.set_weights([eye.reshape(4, 1, 4)] * 3 + [eye.reshape(1, 4, 4)])
    return keras.ops.convert_to_numpy(layer(q, v, k, attention_mask=keep))

@probe("keras-empty-row", "keras", "attention", "", F32, "layers.MultiHeadAttention, attention_mask, a query that sees no key")
def keras_empty():
    q, k, v, keep = (a[:1] for a in empty_row())
    return call(q, k, v, keras_attention(q, k, v, keep > 0), keep=keep)

@probe("keras-hidden-nan", "keras", "attention", "", F32, "layers.MultiHeadAttention, attention_mask, hidden values are NaN")
def keras_hidden():
    q, k, v, keep = (a[:1] for a in hidden(np.nan))
    return call(q, k, v, keras_attention(q, k, v, keep > 0), keep=keep)

def sines(dtype, start):
    import keras
    import keras_hub
    layer = keras_hub.layers.SinePositionEncoding(dtype=dtype)
    y = layer(keras.ops.zeros((1, 6, 16), dtype=dtype), start_index=start)
    return {"pos": np.arange(start, start + 6, dtype=np.int64)}, {"p": keras.ops.convert_to_numpy(keras.ops.cast(y, "float32"))[0]}

@probe("keras_hub-sine-bf16", "keras_hub", "sinusoid", "dim=16", "freq=f32:2 phase=f32 table=f32:2 store=bf16", "layers.SinePositionEncoding, dtype bfloat16, six positions from 254; declared: only stored in bfloat16")
def sine_bf16():
    return sines("bfloat16", 254)

@probe("keras_hub-sine-f16", "keras_hub", "sinusoid", "dim=16", "freq=f32:2 phase=f32 table=f32:2 store=f16", "layers.SinePositionEncoding, dtype float16, six positions from 65500; declared: only stored in float16")
def sine_f16():
    return sines("float16", 65500)

@probe("rotary_embedding_torch-bf16", "rotary_embedding_torch", "rope", "dim=16 layout=interleaved", "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 store=bf16 product=bf16 sum=bf16",
       "RotaryEmbedding.rotate_queries_or_keys of a bfloat16 tensor, offset 254, frequencies float32")
def rotary_bf16():
    import torch
    from rotary_embedding_torch import RotaryEmbedding
    x = torch.from_numpy(qkv(h=1, n=6, d=16, seed=8)[0]).to(torch.bfloat16)
    y = RotaryEmbedding(dim=16).rotate_queries_or_keys(x[None], offset=254)[0].detach()
    return {"x": x.float().numpy(), "pos": np.arange(254, 260, dtype=np.int64)}, {"y": y.float().numpy()}

def version(library):
    """The version of a Python module, or of a crate (probes_rust.py); ImportError where it is not installed."""
    if library in ("candle", "burn"):
        return importlib.import_module("probes_rust").version(library)
    module = importlib.import_module(library)
    if library == "tinygrad" and not (os.environ.get("CC") or importlib.import_module("probes_more").clang()):
        raise ImportError("no clang, with which it compiles")
    return (getattr(module, "__version__", None) or importlib.metadata.version(library)).split("-")[0]  # openvino: 2026.4.1-22982-...

def record(folder, libraries):
    cases, versions = [], {}
    os.makedirs(folder, exist_ok=True)
    for id, library, row, params, profile, source, ask in PROBES:
        if libraries and library not in libraries:
            continue
        try:
            if library not in versions:
                versions[library] = version(library)
        except ImportError as e:
            print(f"not run: {id}: {e}", file=sys.stderr)
            continue
        case = {"id": id, "row": row, "params": dict(w.split("=") for w in params.split()), "profile": dict(w.split("=") for w in profile.split()), "in": {}, "out": {}, "source": f"{library} {versions[library]}: {source}"}
        for side, arrays in zip(("in", "out"), ask()):
            for name, a in arrays.items():
                case[side][name] = f"{id}.{side}.{name}.npy"
                np.save(os.path.join(folder, case[side][name]), np.ascontiguousarray(a))
        cases.append(case)
    with open(os.path.join(folder, "pack.json"), "w") as f:
        json.dump({"meridian_pack": 1, "name": "probes", "producer": versions, "cases": cases}, f, indent=1)
        f.write("\n")

if __name__ == "__main__":
    sys.modules["probes"] = sys.modules["__main__"]  # of which the files beside this one take their helpers
    for file in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "probes_*.py"))):
        importlib.import_module(os.path.basename(file)[:-3])
    record(sys.argv[1], sys.argv[2:])
