"""The bytes of the process transport (harness/adapters/README.md): element types, and numpy arrays from bytes and back.

bf16 is no type of numpy.  As carry() has it, a bf16 array is float32 on the side of numpy, whose values are those of
bf16, and is rounded to nearest, ties to even, on its way out."""
import json
import numpy as np

ABI = 1
TYPES = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<u2", "i64": "<i8", "i32": "<i4", "u8": "|u1"}
REAL = ("f64", "f32", "f16", "bf16")
DTYPES = {name: np.dtype(code) for name, code in TYPES.items()}


def count(shape):
    """How many elements an array of this shape has; 1 of rank 0."""
    n = 1
    for extent in shape:
        n *= extent
    return n


def size(array):
    """How many bytes an array of a question has: {"type", "shape"}."""
    return DTYPES[array["type"]].itemsize * count(array["shape"])


def widen(bits):
    """The float32 values of bf16 bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def round_bf16(y):
    """The bf16 bits nearest to float32 values, ties to even; a NaN stays one."""
    y = np.ascontiguousarray(y, np.float32)
    b = y.view(np.uint32)
    near = (b + 0x7FFF + ((b >> 16) & 1)) >> 16
    return np.where(np.isnan(y), (b >> 16) | 0x40, near).astype("<u2")


def decode(raw, type, shape):
    """The array of these bytes, which it shares, except that bf16 is widened."""
    a = np.frombuffer(raw, DTYPES[type]).reshape(shape)
    return widen(a) if type == "bf16" else a


def encode(y, type, shape):
    """The bytes of an array, converted to the type.  ValueError: it has another shape."""
    y = np.asarray(y)
    if list(y.shape) != list(shape):
        raise ValueError(f"result has shape {list(y.shape)}, asked for {list(shape)}")
    return (round_bf16(y) if type == "bf16" else np.ascontiguousarray(y, DTYPES[type])).tobytes()


def line(answer):
    """The line of an answer."""
    return json.dumps({"meridian": ABI, **answer}, separators=(",", ":")).encode() + b"\n"


def done(arrays):
    """The line of the answer that the arrays asked for follow."""
    return line({"status": 0, "out": [{k: a[k] for k in ("name", "type", "shape")} for a in arrays]})


def words(params):
    """A call's parameters as a dictionary of texts."""
    return dict(word.split("=", 1) for word in params.split())
