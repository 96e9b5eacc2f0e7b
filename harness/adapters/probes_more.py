"""Probes of further Python libraries: flax, tinygrad (on the CPU; CC names its compiler), mlx and mlx_lm, longrope in transformers."""
import os
import shutil
import numpy as np
from probes import F16, F32, WORST, call, empty_row, hidden, probe, qkv

def flax_attention(q, k, v, mask=None, bias=None, linen=False):
    import jax.numpy as jnp
    from flax import linen as old, nnx
    turned = [jnp.array(a).swapaxes(0, 1)[None] for a in (q, k, v)]
    y = (old if linen else nnx).dot_product_attention(*turned, mask=None if mask is None else jnp.array(mask)[None], bias=None if bias is None else jnp.array(bias)[None])
    return np.array(y[0].swapaxes(0, 1))

@probe("flax-empty-row", "flax", "attention", "", F32, "nnx.dot_product_attention, boolean mask, a query that sees no key")
def flax_empty():
    q, k, v, keep = empty_row()
    return call(q, k, v, flax_attention(q, k, v, mask=keep > 0), keep=keep)

@probe("flax-empty-row-bias", "flax", "attention", "", F32, "nnx.dot_product_attention, bias of -inf, a query that sees no key")
def flax_empty_bias():
    q, k, v, keep = empty_row()
    bias = np.where(keep > 0, 0, -np.inf).astype(np.float32)
    return call(q, k, v, flax_attention(q, k, v, bias=bias), bias=bias)

@probe("flax-hidden-nan", "flax", "attention", "", F32, "nnx.dot_product_attention, boolean mask, hidden values are NaN")
def flax_hidden():
    q, k, v, keep = hidden(np.nan)
    return call(q, k, v, flax_attention(q, k, v, mask=keep > 0), keep=keep)

@probe("flax-linen-f16-overflow", "flax", "attention", "", F16, "linen.dot_product_attention, float16, scores beyond 65504")
def flax_overflow():
    q, k, v = (a.astype(np.float16) for a in qkv(seed=4, scale=300.0))
    v = (v / 256).astype(np.float16)
    return call(q, k, v, flax_attention(q, k, v, linen=True))

def clang():
    """The name under which clang, which tinygrad calls, is installed; None where it is not."""
    return next((name for name in ["clang"] + [f"clang-{n}" for n in range(22, 12, -1)] if shutil.which(name)), None)

def tinygrad():
    """The Tensor class of tinygrad, set up for the CPU, for which it compiles with clang."""
    os.environ.setdefault("DEV", "CPU")
    os.environ.setdefault("CC", clang() or "clang")
    from tinygrad import Tensor
    return Tensor

def tinygrad_attention(q, k, v, mask=None):
    T = tinygrad()
    return T(q[None]).scaled_dot_product_attention(T(k[None]), T(v[None]), attn_mask=None if mask is None else T(mask[None])).numpy()[0]

@probe("tinygrad-cos", "tinygrad", "rope", "dim=2", "table=f32:2", "Tensor.sin and Tensor.cos of float32, of the first pair: the angle is the position itself; declared: within one unit in the last place")
def tinygrad_cos():
    T, pos = tinygrad(), np.array(WORST, np.int64)
    angle = T(pos.astype(np.float32))
    return {"pos": pos}, {"sin": angle.sin().numpy()[:, None], "cos": angle.cos().numpy()[:, None]}

@probe("tinygrad-empty-row", "tinygrad", "attention", "", F32, "Tensor.scaled_dot_product_attention, boolean mask, a query that sees no key")
def tinygrad_empty():
    q, k, v, keep = empty_row()
    return call(q, k, v, tinygrad_attention(q, k, v, keep > 0), keep=keep)

@probe("tinygrad-hidden-nan", "tinygrad", "attention", "", F32, "Tensor.scaled_dot_product_attention, boolean mask, hidden values are NaN")
def tinygrad_hidden():
    q, k, v, keep = hidden(np.nan)
    return call(q, k, v, tinygrad_attention(q, k, v, keep > 0), keep=keep)

@probe("tinygrad-f16-overflow", "tinygrad", "attention", "", F16, "Tensor.scaled_dot_product_attention, float16, scores beyond 65504")
def tinygrad_overflow():
    q, k, v = (a.astype(np.float16) for a in qkv(seed=4, scale=300.0))
    v = (v / 256).astype(np.float16)
    return call(q, k, v, tinygrad_attention(q, k, v))

@probe("mlx-softmax-bf16", "mlx", "softmax", "", "score=f32 shift=f32 exp=f32:2 total=f32 div=bf16", "softmax on the CPU, bfloat16, lines of 700 numbers; declared: only stored in bfloat16")
def mlx_softmax():
    import mlx.core as mx
    with mx.stream(mx.cpu):
        x = mx.array(qkv(h=1, n=3, d=700, seed=13)[0][0]).astype(mx.bfloat16)
        y = mx.softmax(x, axis=-1).astype(mx.float32)
        mx.eval(y)
        return {"x": np.array(x.astype(mx.float32))}, {"p": np.array(y)}

def mlx_rope(d, base, first, n, **config):
    """Rotated by mlx_lm.models.rope_utils.initialize_rope on the CPU."""
    import mlx.core as mx
    from mlx_lm.models.rope_utils import initialize_rope
    x = qkv(h=1, n=n, d=d, seed=8)[0]
    with mx.stream(mx.cpu):
        y = initialize_rope(d, base, False, config, 32)(mx.array(x)[None], offset=first)
        mx.eval(y)
        return {"x": x, "pos": np.arange(first, first + n, dtype=np.int64)}, {"y": np.array(y)[0]}

ROPE = "exponent=f32:2 power=f32:4 freq=f32:4 phase=f32 table=f32:2 amplitude=f32:2 product=f32:2 sum=f32:2"
SHORT, LONG = [1.0, 1.05, 1.2, 2.0], [1.5, 2.25, 7.0, 64.0]
LONGROPE = "dim=8 layout=half scaling=longrope factor=4 trained=8 length=7 short_factor=1,1.05,1.2,2 long_factor=1.5,2.25,7,64"

@probe("mlx_lm-longrope", "mlx_lm", "rope", LONGROPE, ROPE, "models.rope_utils SuScaledRoPE, 6 tokens where 8 were trained: the short factors")
def mlx_longrope():
    return mlx_rope(8, 10000.0, 1, 6, type="longrope", original_max_position_embeddings=8, short_factor=SHORT, long_factor=LONG)

@probe("mlx_lm-yarn-truncate", "mlx_lm", "rope", "dim=64 base=150000 layout=half scaling=yarn factor=32 trained=4096 truncate=off", ROPE, "models.rope_utils YarnRoPE with the rope_scaling of gpt-oss: truncate false")
def mlx_yarn():
    return mlx_rope(64, 150000.0, 1000, 6, rope_type="yarn", factor=32.0, original_max_position_embeddings=4096, beta_fast=32.0, beta_slow=1.0, truncate=False)

@probe("transformers-longrope-batch", "transformers", "rope", LONGROPE + " attention_factor=1", "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 amplitude=f32",
       "models.llama LlamaRotaryEmbedding, rope_type longrope: 6 tokens where 8 were trained, in a batch with a sequence at positions 100 to 105")
def longrope_batch():
    import torch
    from transformers.models.llama.modeling_llama import LlamaConfig, LlamaRotaryEmbedding
    law = {"rope_type": "longrope", "rope_theta": 10000.0, "factor": 4.0, "attention_factor": 1.0, "original_max_position_embeddings": 8, "short_factor": SHORT, "long_factor": LONG}
    table = LlamaRotaryEmbedding(LlamaConfig(hidden_size=16, num_attention_heads=2, head_dim=8, max_position_embeddings=32, rope_parameters=law))
    pos = np.arange(1, 7, dtype=np.int64)
    cos, sin = table(torch.zeros(2, 6, 8), torch.from_numpy(np.stack([pos, pos + 99])))
    return {"pos": pos}, {"cos": cos[0, :, :4].numpy(), "sin": sin[0, :, :4].numpy()}

@probe("x_transformers-bf16", "x_transformers", "rope", "dim=16 layout=interleaved", "exponent=f32 power=f32:2 freq=f32 cast=bf16 phase=f32 table=f32:2 store=bf16 product=bf16 sum=bf16",
       "RotaryEmbedding after module.to(bfloat16), positions from 254; declared: frequencies and tables stored in bfloat16")
def x_transformers_bf16():
    import torch
    from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb
    x = torch.from_numpy(qkv(h=1, n=6, d=16, seed=8)[0]).to(torch.bfloat16)
    pos = np.arange(254, 260, dtype=np.int64)
    freqs, scale = RotaryEmbedding(16).to(torch.bfloat16)(torch.from_numpy(pos))
    return {"x": x.float().numpy(), "pos": pos}, {"y": apply_rotary_pos_emb(x[None], freqs, scale)[0].float().numpy()}

@probe("transformers-gptj-from-config", "transformers", "rope", "dim=16", "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2",
       "models.gptj, AutoModel.from_config(dtype=torch.bfloat16), positions from 1024: the model's float32 table")
def gptj_from_config():
    import torch
    from transformers import AutoModel, GPTJConfig
    config = GPTJConfig(n_embd=32, n_head=2, n_layer=1, rotary_dim=16, n_positions=2048, vocab_size=8, n_inner=8, bos_token_id=0, eos_token_id=0)
    made = AutoModel.from_config(config, dtype=torch.bfloat16)  # from 5.24.0 on one table serves all layers
    table = getattr(made, "rotary_emb", made.h[0].attn).embed_positions.float().numpy()
    pos = np.arange(1024, 1030, dtype=np.int64)
    return {"pos": pos}, {"cos": table[pos, 8:].copy(), "sin": table[pos, :8].copy()}

@probe("transformers-olmo3-theta", "transformers", "rope", "dim=16", "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2",
       "models.olmo3 Olmo3RotaryEmbedding, rope_theta 10000: the table of the layers with a window, positions from 1024")
def olmo3_theta():
    import torch
    from transformers import Olmo3Config
    from transformers.models.olmo3.modeling_olmo3 import Olmo3RotaryEmbedding
    config = Olmo3Config(hidden_size=32, num_attention_heads=2, num_hidden_layers=4, max_position_embeddings=2048, rope_theta=10000.0)
    pos = np.arange(1024, 1030, dtype=np.int64)
    cos, sin = Olmo3RotaryEmbedding(config)(torch.zeros(1, 6, 16), torch.from_numpy(pos)[None], "sliding_attention")
    return {"pos": pos}, {"cos": cos[0, :, :8].numpy(), "sin": sin[0, :, :8].numpy()}

@probe("transformers-mamba2-step", "transformers", "ssd", "dt_min=0.1", "product=f32 dot=f32 value=f32 decay=f32 write=f32 state=f32 output=f32 shift=f32 softplus=f32:2 limit=f32 rate=f32 log=f32:2 factor=f32:2 skip=f32 join=f32",
       "models.mamba2 Mamba2Model, time_step_limit (0.1, inf): what its first layer hands to the step of one token behind a cache of five, and has back")
def mamba2_step():
    import torch
    from transformers import Mamba2Config, Mamba2Model
    from transformers.models.mamba2 import modeling_mamba2 as source
    torch.manual_seed(0)
    config = Mamba2Config(hidden_size=16, num_heads=4, head_dim=8, state_size=8, n_groups=1, num_hidden_layers=1, vocab_size=8, chunk_size=8, time_step_limit=(0.1, float("inf")))
    model, seen, step = Mamba2Model(config).eval(), {}, source.mamba2_selective_state_update
    def heard(state, x, dt, A, B, C, D, dt_bias=None, **rest):
        seen.update(state=state[0].transpose(1, 2).clone(), x=x[0, :, None], dt=dt[0, :, :1], B=B[0, :, None], C=C[0, :, None], D=D[:, 0], dt_bias=dt_bias[:, 0])
        seen["y"] = step(state, x, dt, A, B, C, D, dt_bias=dt_bias, **rest)[0, :, None]
        seen["final"] = state[0].transpose(1, 2)
        return seen["y"][:, 0][None]
    ids = torch.tensor([[1, 2, 3, 4, 5, 6]])
    with torch.no_grad():
        past = model(ids[:, :5], use_cache=True).cache_params
        source.mamba2_selective_state_update = heard
        try:
            model(ids[:, 5:], cache_params=past, use_cache=True)
        finally:
            source.mamba2_selective_state_update = step
        seen["A"] = model.layers[0].mixer.A_log
    got = {k: np.ascontiguousarray(v.detach().float().numpy()) for k, v in seen.items()}
    out = {k: got.pop(k) for k in ("y", "final")}
    return got, out

@probe("transformers-aimv2-text", "transformers", "attention", "causal=bottomright", F32,
       "models.aimv2 Aimv2TextModel with sdpa and an attention_mask of ones: the first layer's queries, keys, values and their attention")
def aimv2_text():
    import torch
    from transformers import Aimv2TextConfig, Aimv2TextModel
    torch.manual_seed(0)
    config = Aimv2TextConfig(vocab_size=20, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=8, eos_token_id=19, attn_implementation="sdpa")
    seen, sdpa_of = [], torch.nn.functional.scaled_dot_product_attention
    def noted(q, k, v, **more):
        y = sdpa_of(q, k, v, **more)
        seen.append([a[0].detach().numpy().copy() for a in (q, k, v, y)])
        return y
    torch.nn.functional.scaled_dot_product_attention = noted
    try:
        Aimv2TextModel(config).eval()(torch.tensor([[1, 2, 3, 4, 5]]), attention_mask=torch.ones(1, 5, dtype=torch.long))
    finally:
        torch.nn.functional.scaled_dot_product_attention = sdpa_of
    q, k, v, y = seen[0]
    return call(q, k, v, y)

@probe("transformers-moshi-window", "transformers", "attention", "causal=bottomright window=4", F32,
       "models.moshi MoshiModel with sdpa, sliding_window 4, ten tokens at once: the first layer's queries, keys, values and their attention")
def moshi_window():
    import torch
    from transformers import MoshiConfig, MoshiModel
    torch.manual_seed(0)
    config = MoshiConfig(vocab_size=20, hidden_size=16, ffn_dim=16, num_hidden_layers=1, num_attention_heads=2, sliding_window=4, attn_implementation="sdpa")
    seen, sdpa_of = [], torch.nn.functional.scaled_dot_product_attention
    def noted(q, k, v, **more):
        y = sdpa_of(q, k, v, **more)
        seen.append([a[0].detach().numpy().copy() for a in (q, k, v, y)])
        return y
    torch.nn.functional.scaled_dot_product_attention = noted
    try:
        MoshiModel(config).eval()(torch.arange(1, 11)[None], use_cache=False)
    finally:
        torch.nn.functional.scaled_dot_product_attention = sdpa_of
    q, k, v, y = seen[0]
    return call(q, k, v, y)
