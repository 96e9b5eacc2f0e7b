"""Arrays of numpy, torch, jax and others at the boundary: what a callable is given, and what it gave back.

A question's arrays are numpy's first.  `like` says what they become: "numpy"; "torch", "jax", "cupy" or "mlx"; a device
of torch ("cuda", "cuda:1", "mps") or a torch.device; or a function of (numpy array, type)."""
import importlib
import sys
import numpy as np
from . import _wire

NAMES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16"}


class Kind:
    """How arrays become those of one library.  device: where its arrays lie, as text, or None: nobody asks."""
    name, device, widened = "numpy", None, False

    def give(self, a, type):
        return a

    def settle(self):
        """Waits until the device has done all that was asked of it."""

    def after(self, host, given, type):
        """The bytes of an input after the callable, whose host array was `host`; None: nobody can have changed it."""
        return host.tobytes()


class Numpy(Kind):
    def __init__(self):
        try:
            self.bf16 = np.dtype(importlib.import_module("ml_dtypes").bfloat16)
        except ImportError:
            self.bf16, self.widened = None, True

    def give(self, a, type):
        if type != "bf16":
            return a
        return a.view(self.bf16) if self.bf16 else _wire.widen(a)

    def after(self, host, given, type):
        return _wire.round_bf16(given).tobytes() if type == "bf16" and self.widened else host.tobytes()


class Torch(Kind):
    def __init__(self, device="cpu"):
        self.torch = importlib.import_module("torch")
        device = self.torch.device(device)
        if device.type != "cpu" and device.index is None:  # "cuda" means the current one
            device = self.torch.empty(0, device=device).device
        self.at, self.device, self.name = device, str(device), "torch" if device.type == "cpu" else f"torch on {device}"
        self.module = getattr(self.torch, device.type, None)

    def give(self, a, type):
        t = self.torch.from_numpy(a.view(np.int16)).view(self.torch.bfloat16) if type == "bf16" else \
            self.torch.from_numpy(a)
        return t if self.at.type == "cpu" else t.to(self.at)

    def settle(self):
        if self.at.type != "cpu" and hasattr(self.module, "synchronize"):
            self.module.synchronize()

    def after(self, host, given, type):
        return host.tobytes() if self.at.type == "cpu" else Taken(given).array.tobytes()


class Jax(Kind):
    name = "jax"

    def __init__(self):
        self.jnp = importlib.import_module("jax.numpy")
        self.bf16 = np.dtype(importlib.import_module("ml_dtypes").bfloat16)
        self.wide = importlib.import_module("jax").config.jax_enable_x64

    def give(self, a, type):
        if type == "i64" and not self.wide:
            a = a.astype(np.int32)
        return self.jnp.array(a.view(self.bf16) if type == "bf16" else a)

    def after(self, host, given, type):
        return None


class Module(Kind):
    """Any library with an asarray or array of numpy's arrays."""

    def __init__(self, name, module):
        self.name, self.module = name, importlib.import_module(module)
        self.make = getattr(self.module, "asarray", None) or self.module.array

    def give(self, a, type):
        if type == "bf16":
            return self.make(_wire.widen(a)).astype(self.module.bfloat16)
        return self.make(a)

    def after(self, host, given, type):
        a = Taken(given)
        return a.array.tobytes() if NAMES.get(a.type, a.type) == type else None


class Made(Kind):
    def __init__(self, make):
        self.name, self.make = getattr(make, "__name__", "arrays"), make

    def give(self, a, type):
        return self.make(a, type)


def kind(like):
    """The Kind that `like` means.  ValueError: nothing of that name is here."""
    if isinstance(like, Kind):
        return like
    if callable(like):
        return Made(like)
    word = str(like)
    try:
        if word == "numpy":
            return Numpy()
        if word == "jax":
            return Jax()
        if word in ("cupy", "mlx"):
            return Module(word, {"mlx": "mlx.core"}.get(word, word))
        return Torch("cpu" if word == "torch" else like)
    except ImportError as e:
        raise ValueError(f"like={word!r}: {e}") from e
    except (RuntimeError, AssertionError) as e:  # torch's own words about a device that is not here
        raise ValueError(f"like={word!r}: no library of arrays, and no device of torch: {str(e).splitlines()[0]}") from e


def is_torch(y):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(y, torch.Tensor)


class Taken:
    """A result at the boundary: .array in numpy, contiguous or not, on the host; .type: its element type in the words
    of meridian or else of its library; .device: of torch's arrays, or None."""

    def __init__(self, y):
        self.device = None
        if is_torch(y):
            self.device, self.type = str(y.device), str(y.dtype).split(".")[-1]
            if y.is_meta:
                raise TypeError("a tensor on meta, which has no elements")
            y = y.detach().resolve_conj().resolve_neg() if y.is_conj() or y.is_neg() else y.detach()
            y = y.cpu()
            torch = sys.modules["torch"]
            self.array = (y.contiguous().view(torch.int16) if y.dtype == torch.bfloat16 else y).numpy()
        else:
            self.array, self.type = self.read(y)
        if self.type == "bfloat16":
            self.array = self.array.view(np.uint16)
        self.type = NAMES.get(self.type, self.type)

    @staticmethod
    def read(y):
        """The array of anything but torch's, and the name of its element type."""
        if hasattr(y, "__dlpack_device__") and not hasattr(y, "__array__"):
            y = np.from_dlpack(y) if y.__dlpack_device__()[0] == 1 else y.get() if hasattr(y, "get") else y
        if not hasattr(y, "__array__") and not hasattr(y, "__dlpack__"):
            raise TypeError(f"a {type(y).__name__}, which is no array")
        if "bfloat16" in str(getattr(y, "dtype", "")) and getattr(y.dtype, "itemsize", 0) != 2:
            # a library whose bfloat16 numpy has no word for: its float32 values are the same
            return _wire.round_bf16(np.asarray(y.astype(sys.modules[type(y).__module__].float32))), "bfloat16"
        a = np.asarray(y)
        return a, a.dtype.name


def place(y):
    """(first address, behind the last) of the elements of a tensor of torch; None: it has none."""
    if not y.numel() or y.layout != sys.modules["torch"].strided:
        return None
    reach = 1 + sum((n - 1) * s for n, s in zip(y.shape, y.stride()))
    return y.data_ptr(), y.data_ptr() + reach * y.element_size()


def shared(x, y):
    """Whether two arrays of one library, numpy or torch, lie over each other."""
    if isinstance(x, np.ndarray):
        return isinstance(y, np.ndarray) and np.may_share_memory(x, y)
    if not is_torch(x) or not is_torch(y) or x.device != y.device or y.is_meta:
        return False
    a, b = place(x), place(y)
    return a is not None and b is not None and a[0] < b[1] and b[0] < a[1]
