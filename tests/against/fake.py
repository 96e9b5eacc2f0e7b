#!/usr/bin/env python3
"""Stands for Python with a library where none is installed: the test names this file by MERIDIAN_PYTHON.  It answers as
harness/adapters/transformers/against.py does, for one made-up model that rotates and attends in plain Python floats.

FAKE=right; quarter: the same by another base, no whole number; both: a model whose windows reach to both sides; window:
one key more than the configuration's window; towers: the text tower of a model of text and pictures, whose sites lie at like places; fed: a model whose inputs have one length, in float32 alone; layout: neighbours are turned, not halves; heads: the notes say another number of heads; absent, refused, dies, silent: what an adapter may do instead of answering."""
import json
import math
import os
import struct
import sys

WRONG = os.environ.get("FAKE", "right")
CONFIG = {"model_type": "mistral", "hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
          "num_hidden_layers": 2, "vocab_size": 64, "sliding_window": 5, "rope_theta": 10000.0,
          "max_position_embeddings": 4096}
BOTH = {"model_type": "modernbert", "hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 3, "vocab_size": 64,
        "local_attention": 8, "max_position_embeddings": 4096}
F32 = "dot=f32 product=f32 score=f32:2 shift=f32 exp=f32:2 weight=f32:2.01 sum=f32 total=f32 div=f32:2"
ROPE = "exponent=f64 power=f64:2 freq=f64 phase=f64 table=f64:2 store=f32 product=f32 sum=f32"
SITE = {"name": "layers.0.self_attn", "place": "layers.self_attn", "layer": 0, "heads": 5 if WRONG == "heads" else 4,
        "kv_heads": 5 if WRONG == "heads" else 2, "head_dim": 8, "value_dim": 8, "sinks": False,
        "ways": ["eager/prefill", "eager/padded"], "rotation": {"heads": 4, "width": 8, "axis": 2}}
if WRONG == "quarter":
    CONFIG["rope_theta"] = 5000.25
if WRONG == "both":
    CONFIG = BOTH
    SITE.update(name="layers.1.attn", place="layers.attn", layer=1, kv_heads=4)


PART = {"hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 64}
if WRONG == "towers":
    CONFIG = {"model_type": "clip", "text_config": PART, "vision_config": PART}
    SITE.update(name="text_model.encoder.layers.0.self_attn", place="text_model.encoder.layers.self_attn", kv_heads=4,
                config="text_config", rotation=None)
    SITE["class"] = "CLIPAttention"
if WRONG == "fed":
    SITE.update(ways=["eager/prefill"], length=7, types=["f32"])


def angles(pos):
    return [[p * CONFIG.get("rope_theta", 10000.0) ** (-k / 4) for k in range(4)] for p in pos]


def tables(pos):
    return [math.cos(a) for line in angles(pos) for a in line], [math.sin(a) for line in angles(pos) for a in line]


def turned(x, pos, h, n, d):
    y = list(x)
    for at in range(h * n):
        for k, a in enumerate(angles(pos)[at % n]):
            i, j = (2 * k, 2 * k + 1) if WRONG == "layout" else (k, k + d // 2)
            a0, b0 = x[at * d + i], x[at * d + j]
            y[at * d + i], y[at * d + j] = a0 * math.cos(a) - b0 * math.sin(a), b0 * math.cos(a) + a0 * math.sin(a)
    return y


def attended(q, k, v, shape, first):
    (h, n, d), (g, m, e), out = shape["q"], shape["v"], []
    window = CONFIG.get("sliding_window", m if WRONG == "towers" else 0) + (WRONG == "window")
    if WRONG == "fed" and (n, m) != (7, 7):
        return None
    for at in range(h):
        key = at // (h // g)
        for i in range(n):
            here = i + m - n
            seen = [j for j in range(first, m) if 0 <= here - j < window or not window and abs(here - j) <= 4]
            s = {j: sum(q[(at * n + i) * d + c] * k[(key * m + j) * d + c] for c in range(d)) / math.sqrt(d) for j in seen}
            w = {j: math.exp(s[j] - max(s.values())) for j in seen}
            out += [sum(w[j] * v[(key * m + j) * e + c] for j in seen) / sum(w.values()) for c in range(e)]
    return out


def answered(ask, arrays):
    shape = {a["name"]: a["shape"] for a in ask["in"]}
    words = dict(word.split("=", 1) for word in ask["params"].split())
    if ask["out"][0]["type"] != "f32" or words["as"].split("/", 1)[1] not in SITE["ways"]:
        return None
    if ask["row"] == "attention":
        return [attended(arrays["q"], arrays["k"], arrays["v"], shape, int(words.get("first", 0)))]
    return [turned(arrays["x"], arrays["pos"], *shape["x"])] if "x" in shape else list(tables(arrays["pos"]))


def serve():
    get, to = sys.stdin.buffer, sys.stdout.buffer
    while head := get.readline():
        ask = json.loads(head)
        if ask.get("hello"):
            offers = ("attention", "o", F32), ("rope", "y", ROPE), ("rope", "cos sin", ROPE)
            kernels = [dict(row=r, out=o, type="f32", profile=p) for r, o, p in offers]
            to.write(json.dumps({"meridian": 1, "status": 0, "name": "fake", "kernels": kernels}).encode() + b"\n")
            to.flush()
            continue
        arrays = {}
        for a in ask["in"]:
            code = {"f32": "f", "i64": "q", "i32": "i", "bf16": "H"}[a["type"]]
            many = math.prod(a["shape"])
            arrays[a["name"]] = struct.unpack(f"<{many}{code}", get.read(many * struct.calcsize("<" + code)))
        y = answered(ask, arrays)
        to.write(json.dumps({"status": 0 if y else 1}).encode() + b"\n")
        for x in y or ():
            to.write(struct.pack(f"<{len(x)}f", *x))
        to.flush()


def main():
    notes = {"library": "fake 1", "config": CONFIG, "cut": ["hidden_size 4096 -> 32"], "sites": [SITE], "profiles": {
        "rope/f32": ROPE, "attention/eager/f32": F32, "rope/bf16": F32, "attention/eager/bf16": F32}}
    if WRONG == "dies":
        os.abort()
    if WRONG in ("absent", "refused"):
        notes = {WRONG: "No module named 'torch'" if WRONG == "absent" else "ValueError: heads do not divide the width"}
    with open(sys.argv[sys.argv.index("--notes") + 1], "w", encoding="utf-8") as f:
        json.dump(notes, f)
    if WRONG in ("absent", "refused"):
        sys.exit(1)
    serve()


main()
