"""com.microsoft.RotaryEmbedding of onnxruntime, CPU provider; the tables are ours, in float64 rounded once.
   PYTHONPATH=harness/adapters/python meridian judge --exec "python3 harness/adapters/examples/rope_onnxruntime.py"     (needs onnx, onnxruntime) """
from fractions import Fraction
import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper
from meridian_subject import kernel, serve

def session(interleaved, width, heads):
    names = ["x", "pos", "cos", "sin"]
    partial = dict(rotary_embedding_dim=width, num_heads=heads)
    node = helper.make_node("RotaryEmbedding", names, ["y"], domain="com.microsoft", interleaved=interleaved, **partial)
    of = lambda name: helper.make_tensor_value_info(name, TensorProto.INT64 if name == "pos" else TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "rope", [of(n) for n in names], [of("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
    options = ort.SessionOptions()
    options.log_severity_level = 3
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

@kernel("rope", "y", "f32", "exponent=f64 power=f64:2 freq=f64 phase=f64 table=f64:2 store=f32 product=f32 sum=f32")
def rotate(params, x, pos):
    dim, width = int(params["dim"]), int(params["rotary"]) or int(params["dim"])
    if params["scaling"] != "default" or params["partial"] != "prefix":
        return None
    a = pos[:, None] * float(Fraction(params["base"])) ** (-np.arange(0, width, 2) / width)  # one table row a position: ids 0 .. n-1
    feed = dict(x=x[None], pos=np.arange(len(pos))[None], cos=np.cos(a).astype(np.float32), sin=np.sin(a).astype(np.float32))
    return session(int(params["layout"] == "interleaved"), width if width < dim else 0, x.shape[0] if width < dim else 0).run(None, feed)[0][0]

serve(f"onnxruntime {ort.__version__}")
