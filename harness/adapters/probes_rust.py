"""Probes of Rust crates: candle and burn, through the program of harness/adapters/rust, which speaks the process transport.
   MERIDIAN_CRATES names that program (cargo build --release --features candle,burn)."""
import json, os, subprocess
import numpy as np
from probes import F32, call, empty_row, hidden, probe, qkv

def ask(words, lines, body=b""):
    program = os.environ.get("MERIDIAN_CRATES")
    if not program or not os.path.exists(program):
        raise ImportError("MERIDIAN_CRATES names no program")
    answer = subprocess.run([program, *words], input=json.dumps(lines).encode() + b"\n" + body, stdout=subprocess.PIPE, check=True).stdout
    head, _, rest = answer.partition(b"\n")
    return json.loads(head), rest

def version(library):
    try:
        return ask([library], {"meridian": 1, "hello": True})[0]["name"].split()[1]
    except subprocess.CalledProcessError as e:
        raise ImportError(f"{library}: {e}")

TYPES = {"float32": "f32", "float16": "f16", "int64": "i64", "uint8": "u8"}

def bf16(a):
    """x rounded to bfloat16, ties to even, as its 16 bits."""
    b = np.ascontiguousarray(a, np.float32).view(np.uint32)
    return ((b + 0x7FFF + ((b >> 16) & 1)) >> 16).astype("<u2")

def crate(words, row, out, shape, params="", type="f32", **arrays):
    """Asks the crate one call and returns its output `out`; a bf16 output is returned as float32."""
    lists = [{"name": n, "type": type if a.dtype == np.float32 else TYPES[str(a.dtype)], "shape": list(a.shape)} for n, a in arrays.items()]
    raw = b"".join((bf16(a) if type == "bf16" and a.dtype == np.float32 else np.ascontiguousarray(a)).tobytes() for a in arrays.values())
    head, body = ask(words, {"meridian": 1, "row": row, "params": params, "in": lists, "out": [{"name": out, "type": type, "shape": list(shape)}]}, raw)
    if head["status"] != 0:
        raise ValueError(f"{words} {row} {params}: {head}")
    if type == "bf16":
        return (np.frombuffer(body, "<u2").astype(np.uint32) << 16).view(np.float32).reshape(shape)
    return np.frombuffer(body, {"f32": "<f4", "i64": "<i8"}[type]).reshape(shape)

def rope_tables(words, pos, pairs, params):
    """Asks the crate one call and returns its outputs cos and sin."""
    ask_for = [{"name": n, "type": "f32", "shape": [len(pos), pairs]} for n in ("cos", "sin")]
    head, body = ask(words, {"meridian": 1, "row": "rope", "params": params, "in": [{"name": "pos", "type": "i64", "shape": list(pos.shape)}], "out": ask_for}, pos.tobytes())
    if head["status"] != 0:
        raise ValueError(str(head))
    both = np.frombuffer(body, "<f4").reshape(2, len(pos), pairs)
    return {"cos": both[0], "sin": both[1]}

def attention(words, q, k, v, params="", **more):
    return call(q, k, v, crate(words, "attention", "o", q.shape, params, q=q, k=k, v=v, **more), **more)

@probe("candle-causal-one-query", "candle", "attention", "causal=topleft", F32, "candle_nn::attention::flash_attn, AttnMask::causal(), one query, 5 keys")
def candle_decode():
    return attention(["candle"], *qkv(n=1), params="causal=topleft")

@probe("candle-causal-batch", "candle", "attention", "causal=topleft", F32, "candle_nn::attention::flash_attn, AttnMask::causal(), 3 queries, 5 keys, twice in a batch")
def candle_batch():
    return attention(["candle", "batch=2"], *qkv(seed=2), params="causal=topleft")

@probe("candle-causal-alone", "candle", "attention", "causal=topleft", F32, "candle_nn::attention::flash_attn, AttnMask::causal(), 3 queries, 5 keys, alone")
def candle_alone():
    return attention(["candle"], *qkv(seed=2), params="causal=topleft")

@probe("candle-alibi-unmasked", "candle", "attention", "", F32, "candle_nn::attention::flash_attn, AttnMask::None, max_bias 8, two heads; the bias is -|i - j| 2^(-4 (h + 1))")
def candle_alibi_unmasked():
    q, k, v = qkv(n=5)
    bias = (-np.abs(np.arange(5)[:, None] - np.arange(5)) * np.array([2.0 ** -4, 2.0 ** -8])[:, None, None]).astype(np.float32)
    inputs, outputs = attention(["candle", "max_bias=8"], q, k, v)
    return {**inputs, "bias": bias}, outputs

def slopes(heads):
    """x rounded to float16, which removes the errors of reading it out of float32 weights."""
    return {}, {"slopes": crate(["candle"], "alibi", "slopes", [heads], f"heads={heads} max=8").astype(np.float16).astype(np.float32)}

@probe("candle-alibi-slopes", "candle", "alibi", "heads=12", "slope=f16", "candle_nn::attention::flash_attn, max_bias 8, twelve heads; slopes read out of the weights of two keys, rounded to float16")
def candle_slopes():
    return slopes(12)

@probe("candle-alibi-slopes-8", "candle", "alibi", "heads=8", "slope=f16", "candle_nn::attention::flash_attn, max_bias 8, eight heads; slopes read out of the weights of two keys, rounded to float16")
def candle_slopes_eight():
    return slopes(8)

FAR = np.array([0, -1, -7, -8, -9, -15, -16, -17, -20, -31, -33, -63, -65, -100, -127, -128, -200], np.int64)

@probe("candle-t5-decoder", "candle", "t5", "direction=causal", "", "candle_transformers t5::T5ForConditionalGeneration: the buckets of a decoder, read out of its attention")
def candle_decoder():
    return {"relative_position": FAR}, {"bucket": crate(["candle"], "t5", "bucket", FAR.shape, "direction=causal buckets=32 max_distance=128", "i64", relative_position=FAR)}

@probe("candle-t5-encoder", "candle", "t5", "", "", "candle_transformers t5::T5EncoderModel: the buckets of an encoder, read out of its attention")
def candle_encoder():
    far = np.concatenate([FAR, -FAR[1:]])
    return {"relative_position": far}, {"bucket": crate(["candle"], "t5", "bucket", far.shape, "direction=bidirectional buckets=32 max_distance=128", "i64", relative_position=far)}

@probe("candle-layernorm", "candle", "layernorm", "", "mean=f32 centre=f32 square=f32 moment=f32 root=f32:2 scale=f32:2 gain=f32 shift=f32", "candle_nn::LayerNorm, float32, means of 4000 deviations")
def candle_layernorm():
    x = qkv(h=1, n=3, d=64, seed=12)[0][0] + np.float32(4000)
    gain, shift = np.linspace(0.5, 1.5, 64, dtype=np.float32), np.linspace(-1, 1, 64, dtype=np.float32)
    return {"x": x, "gain": gain, "shift": shift}, {"y": crate(["candle"], "layernorm", "y", x.shape, "eps=1/100000", x=x, gain=gain, shift=shift)}

@probe("candle-softmax-bf16", "candle", "softmax", "", "score=f32 shift=f32 exp=f32:2 total=f32 div=bf16", "candle_nn::ops::softmax_last_dim, bfloat16, lines of 700 numbers; declared: only stored in bfloat16")
def candle_softmax():
    x = qkv(h=1, n=3, d=700, seed=13)[0][0].astype(np.float32)
    x = (bf16(x).astype(np.uint32) << 16).view(np.float32)
    return {"x": x}, {"p": crate(["candle"], "softmax", "p", x.shape, "scale=1", "bf16", x=x)}

def turned(words, d, first, n, params, type="f32"):
    x = qkv(h=1, n=n, d=d, seed=8)[0]
    x = (bf16(x).astype(np.uint32) << 16).view(np.float32)
    pos = np.arange(first, first + n, dtype=np.int64)
    return {"x": x, "pos": pos}, {"y": crate(words, "rope", "y", x.shape, f"dim={d} {params}", type, x=x, pos=pos)}

@probe("candle-phi3-bf16", "candle", "rope", "dim=16 layout=half", "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 store=bf16 product=bf16 sum=bf16", "candle_transformers phi3::RotaryEmbedding, bfloat16, positions from 254; declared: tables stored and products made in bfloat16")
def candle_phi3():
    return turned(["candle", "table=phi3"], 16, 254, 6, "base=10000", "bf16")

LONG = "scaling=longrope trained=8 factor=4 length={} attention_factor=1 short_factor=1,1.05,1.2,2 long_factor=1.5,2.25,7,64"

@probe("candle-phi3-longrope", "candle", "rope", "dim=8 layout=half " + LONG.format(8), "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 product=f32 sum=f32", "candle_transformers phi3::RotaryEmbedding, longrope, 6 of 8 trained positions, short factors; the amplitude is left out of the question")
def candle_longrope():
    return turned(["candle", "table=phi3"], 8, 1, 6, "base=10000 " + LONG.format(8))

LAW = "scaling=longrope trained=8 factor=4 length=32 short_factor=1,1,1,1 long_factor=1,1,1,1"

@probe("candle-phi3-amplitude", "candle", "rope", "dim=8 layout=half " + LAW, "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 amplitude=f32 product=f32 sum=f32", "candle_transformers phi3::RotaryEmbedding, longrope with factors of 1, 8 positions trained of 32: only the amplitude is asked for")
def candle_amplitude():
    return turned(["candle", "table=phi3"], 8, 1, 6, "base=10000 " + LAW)

@probe("candle-rope-long", "candle", "rope", "dim=128 base=500000 layout=half", "table=f16", "frequencies and angles in float32, as candle_transformers llama::Cache makes them; declared: no worse than a table stored in float16")
def candle_long():
    pos = np.array([3, 1021, 30011, 100003, 131071], np.int64)
    return {"pos": pos}, rope_tables(["candle"], pos, 64, "dim=128 base=500000 rotary=0")

@probe("burn-padding", "burn", "attention", "", F32, "nn.MultiHeadAttention, mask_pad hides keys 3 and 4; the scores of the others are below -10000")
def burn_padding():
    q, k, v = qkv(h=1, seed=3)
    q, k = np.abs(q) + 1, np.abs(k) + 1
    k[:, :3] *= -8192
    keep = np.broadcast_to(np.array([1, 1, 1, 0, 0], np.uint8), (1, 3, 5)).copy()
    return attention(["burn", "by=heads"], q, k, v, keep=keep)

@probe("burn-empty-row", "burn", "attention", "", F32, "nn.MultiHeadAttention, mask_attn, a query that sees no key")
def burn_empty():
    q, k, v, keep = (a[:1] for a in empty_row())
    return attention(["burn", "by=heads"], q, k, v, keep=keep)

@probe("burn-empty-row-function", "burn", "attention", "", F32, "tensor::module::attention, a mask, a query that sees no key: 0, as defined")
def burn_empty_function():
    q, k, v, keep = empty_row()
    return attention(["burn"], q, k, v, keep=keep)

@probe("burn-hidden-nan", "burn", "attention", "", F32, "tensor::module::attention, a mask, hidden values are NaN")
def burn_hidden():
    q, k, v, keep = hidden(np.nan)
    return attention(["burn"], q, k, v, keep=keep)

@probe("burn-rope-long", "burn", "rope", "dim=128 base=500000 layout=interleaved", "table=f16 product=f32 sum=f32", "nn.RotaryEncoding, float32, shifted to 131066; declared: no worse than a table stored in float16")
def burn_long():
    return turned(["burn"], 128, 131066, 6, "base=500000 layout=interleaved rotary=0 scaling=default attention_factor=0")
