"""Attention of ONNX opset 24 in onnxruntime, CPU provider.
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/attention_onnxruntime.py"     (needs onnx, onnxruntime) """
from fractions import Fraction
import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper
from meridian_subject import kernel, plain, serve, visible

TYPES = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "bool": TensorProto.BOOL}

def run(feed, outputs, **attributes):
    names = [n if n in feed else "" for n in ("Q", "K", "V", "M", "PK", "PV")]
    while not names[-1]:
        names.pop()
    node = helper.make_node("Attention", names, outputs, **attributes)
    of = lambda n, a: helper.make_tensor_value_info(n, TYPES[str(a.dtype)], a.shape)
    graph = helper.make_graph([node], "attention", [of(n, a) for n, a in feed.items()], [helper.make_tensor_value_info(n, TYPES[str(feed["Q"].dtype)], None) for n in outputs])
    options = ort.SessionOptions()
    options.log_severity_level = 3
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=10)
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feed)[0][0]

def attend(params, q, k, v, bias, keep):
    h, n, m, past = len(q), q.shape[1], k.shape[1], int(params["offset"])
    if not plain(params) or params["order"] != "scale-first" and bias is not None or params["group"] != "repeat" and h != len(k):
        return None
    feed = {"Q": q[None], "K": k[None], "V": v[None]}
    whole = (params["window"], params["left"], params["right"]) == ("0", "-1", "-1") and keep is None and bias is None
    native = whole and (params["causal"] == "topleft" or params["causal"] == "offset" and 0 < past < m)
    if native and params["causal"] == "offset":  # the first `offset` keys are the past
        feed.update({"PK": k[None, :, :past], "PV": v[None, :, :past], "K": k[None, :, past:], "V": v[None, :, past:]})
    see = visible(params, n, m)
    see = np.broadcast_to((True if see is None else see) & (np.ones((1, 1, 1), bool) if keep is None else keep != 0), (h, n, m))
    if params["empty"] != "zero" and not see.any(-1).all():
        return None  # a query that sees no key gives 0 here
    if not native and (bias is not None or not see.all()):
        feed["M"] = np.ascontiguousarray(see if bias is None else np.where(see, bias, np.array(-np.inf, q.dtype)))[None]
    scale = {"scale": float(Fraction(params["scale"]))} if params["scale"] != "0" else {}
    return run({n: np.ascontiguousarray(a) for n, a in feed.items()}, ["Y", "K2", "V2"] if "PK" in feed else ["Y"], is_causal=int(native), **scale)

@kernel("attention", "o", "f32", "dot=f32 product=f32 score=f32 bias=f32 shift=f32 exp=f32:8 weight=f32:2.01 sum=f32 total=f32 div=f32")
def attend_f32(params, q, k, v, bias=None, keep=None):
    return attend(params, q, k, v, bias, keep)

@kernel("attention", "o", "f16", "dot=f32 product=f32 score=f16 bias=f16 shift=f32 exp=f32:8 weight=f16:2.01 sum=f32 total=f32 div=f32")  # x86: products in f32; scores and weights stored in f16
def attend_f16(params, q, k, v, bias=None, keep=None):
    return attend(params, q, k, v, bias, keep)

serve(f"onnxruntime {ort.__version__}")
