"""Probes of tract and openvino, which read ONNX; they run the same models as onnxruntime does in probes.py."""
import tempfile
import numpy as np
from probes import F16, F32, apart, call, empty_row, hidden, merged, onnx_model, probe, qkv

def tract_node(op, feed, outputs, domain="", opset=24, **attributes):
    import tract
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(onnx_model(op, feed, outputs, domain, opset, **attributes))
        file.flush()
        run = tract.onnx().load(file.name).into_model().into_runnable()
        return run.run([a for _, a in feed if a is not None])[0].to_numpy()

def openvino_node(op, feed, outputs, domain="", opset=24, **attributes):
    import openvino
    core = openvino.Core()
    model = core.compile_model(core.read_model(onnx_model(op, feed, outputs, domain, opset, **attributes), b""), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return model([a for _, a in feed if a is not None])[0]

def attention(node, q, k, v, mask=None, **more):
    return node("Attention", [("Q", q[None]), ("K", k[None]), ("V", v[None]), ("M", mask)], ["Y"], **more)[0]

def additive(keep):
    return np.where(keep[0] > 0, 0, -np.inf).astype(np.float32)

@probe("tract-past", "tract", "attention", "causal=offset offset=4", F32, "Attention, opset 24, is_causal, a past of 4 keys, 3 queries and keys")
def tract_past():
    q, k, v = qkv(m=7)
    feed = [("Q", q[None]), ("K", k[None, :, 4:]), ("V", v[None, :, 4:]), ("M", None), ("PK", k[None, :, :4]), ("PV", v[None, :, :4])]
    return call(q, k, v, tract_node("Attention", [(n, None if a is None else np.ascontiguousarray(a)) for n, a in feed], ["Y", "K2", "V2"], is_causal=1)[0])

@probe("tract-unidirectional", "tract", "attention", "causal=topleft", F32, "com.microsoft.MultiHeadAttention, unidirectional=1, 5 queries and keys")
def tract_unidirectional():
    q, k, v = qkv(n=5, seed=2)
    return call(q, k, v, apart(tract_node("MultiHeadAttention", [("q", merged(q)), ("k", merged(k)), ("v", merged(v))], ["y"], "com.microsoft", num_heads=2, unidirectional=1), 2))

@probe("tract-empty-row", "tract", "attention", "", F32, "Attention, opset 24, additive mask of -inf, a query that sees no key")
def tract_empty():
    q, k, v, keep = empty_row()
    return call(q, k, v, attention(tract_node, q, k, v, additive(keep)), keep=keep)

@probe("tract-hidden-nan", "tract", "attention", "", F32, "Attention, opset 24, additive mask of -inf, hidden values are NaN")
def tract_hidden():
    q, k, v, keep = hidden(np.nan)
    return call(q, k, v, attention(tract_node, q, k, v, additive(keep)), keep=keep)

@probe("openvino-hidden-nan", "openvino", "attention", "", F32, "Attention, opset 24, boolean mask, hidden values are NaN")
def openvino_hidden():
    q, k, v, keep = hidden(np.nan)
    return call(q, k, v, attention(openvino_node, q, k, v, keep[0] > 0), keep=keep)

@probe("openvino-empty-row", "openvino", "attention", "", F32, "opset13.scaled_dot_product_attention, boolean mask, a query that sees no key")
def openvino_empty():
    import openvino
    from openvino import opset13
    q, k, v, keep = empty_row()
    feed = [q[None], k[None], v[None], keep[0] > 0]
    given = [opset13.parameter(a.shape, a.dtype) for a in feed]
    model = openvino.Core().compile_model(openvino.Model([opset13.scaled_dot_product_attention(*given, causal=False)], given), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return call(q, k, v, model(feed)[0][0], keep=keep)
