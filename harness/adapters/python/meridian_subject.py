"""A Python function as a subject of `meridian judge --exec`: the process transport (harness/adapters/README.md), in numpy.

    @kernel("rope", "y", "f32", "phase=f32 table=f32 product=f32 sum=f32")
    def rotate(params, x, pos):  # params: texts by name, params.shape["y"]; arrays, read-only, dense, C order
        return y                 # or a tuple, in the order of "cos sin"; None: not offered for these parameters
    serve("my library 1.2")

A word on the command line makes a copy of the subject that is wrong on purpose: `mine.py layout=half` computes with that
parameter, whatever was asked, and `mine.py window+=1` with one more than was asked.  bf16 arrays arrive as float32, and
outputs are rounded to bf16, ties to even.  What the function prints goes to standard error."""
import inspect, json, os, sys, traceback
import numpy as np
from meridian._wire import REAL, decode, done, encode, line, size, words

_kernels, _believes = [], dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)

def kernel(row, out, type, profile, **claims):
    """Declares a function: row, outputs ("cos sin"), element type, arithmetic step by step; claims: gauge=1.01, correct=True."""
    def declare(f):
        _kernels.append((dict(row=row, out=out, type=type, profile=profile, **_place(f), **claims), f))
        return f
    return declare

def _place(f):
    """Where the function is, for pages of CI: its file below the working folder, and its line."""
    try:
        code = inspect.unwrap(f).__code__
        path = os.path.relpath(code.co_filename)
    except (AttributeError, ValueError):
        return {}
    return {} if path.startswith("..") else {"source": f"{path}:{code.co_firstlineno}"}

class Params(dict):
    """The parameters of a call as a dictionary of texts; shape: the shapes of the outputs asked for, by name."""
    shape = {}

PLAIN = {"prefix": "0", "windows": "past", "chunk": "0", "start": "0", "first": "0", "length": "-1", "mask": "hide", "cap": "0", "softmax1": "off", "norm": "none", "temperature": "none"}

def plain(params):
    """Whether the call asks for plain attention, without what later models add: caps, sinks, chunks, prefixes, finite
    masks, norms, temperatures.  A subject that would leave such a parameter unread must return None instead."""
    return all(params.get(name, value) == value for name, value in PLAIN.items())

def visible(params, n, m):
    """[n,m] of booleans: which keys a query sees under causal, offset, window, left and right of an attention row; None: every key."""
    row = {"causal": "none", "offset": "0", "window": "0", "left": "-1", "right": "-1", **params}
    at = np.arange(n)[:, None] + {"bottomright": m - n, "offset": int(row["offset"])}.get(row["causal"], 0)
    ahead, see = np.arange(m)[None, :] - at, np.ones((n, m), bool)
    if int(row["right"]) >= 0:
        see &= ahead <= int(row["right"])
    elif row["causal"] != "none":
        see &= ahead <= 0
    if int(row["left"]) >= 0:
        see &= -ahead <= int(row["left"])
    if int(row["window"]):
        see &= -ahead < int(row["window"])
    return None if see.all() else see

def _answer(ask, arrays):
    wanted = " ".join(a["name"] for a in ask["out"])
    types = {a["type"] for a in ask["out"]}
    for declared, f in _kernels:
        if declared["row"] == ask["row"] and declared["out"] == wanted and (declared["type"] in types or not types & set(REAL)):
            params = Params(words(ask["params"]))
            params.update((key.rstrip("+"), str(int(params[key.rstrip("+")]) + int(v)) if key.endswith("+") else v) for key, v in _believes.items())
            params.shape = {a["name"]: tuple(a["shape"]) for a in ask["out"]}
            try:
                inspect.signature(f).bind(params, **arrays)
            except TypeError as e: # an optional input that it has no argument for, or one that it needs
                return line({"status": 1, "why": f"{f.__name__}: {e}"})
            y = f(params, **arrays)
            if y is None:
                return line({"status": 1})
            y = y if isinstance(y, tuple) else (y,)
            return done(ask["out"]) + b"".join(encode(v, a["type"], a["shape"]) for v, a in zip(y, ask["out"]))
    return line({"status": 1})

def serve(name):
    """Answers until standard input ends."""
    to = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    get = sys.stdin.buffer
    while head := get.readline():
        ask = json.loads(head)
        if ask.get("hello"):
            answer = line({"status": 0, "name": name, "kernels": [k for k, _ in _kernels]})
        else:
            arrays = {a["name"]: decode(get.read(size(a)), a["type"], a["shape"]) for a in ask["in"]}
            try:
                answer = _answer(ask, arrays)
            except Exception as e:
                traceback.print_exc()
                answer = line({"status": 2, "why": f"{type(e).__name__}: {e}"})
        to.write(answer)
        to.flush()
