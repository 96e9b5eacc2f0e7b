"""Where a live model rotates and attends, and calls that put other arrays in the place of its own.

A site is a module that calls the library's attention interface or a rotary function.  `Watch` wraps both for the whole
library: a watched call tells its listener which module it comes from and may be given other inputs."""
import inspect
import re
import sys

ROTARY = re.compile(r"^_?apply_.*rot\w*$")
HIDDEN = 1e3  # a score that is so far below the largest is of a key that is hidden
BIAS = re.compile(r"position_bias$")


class Done(Exception):
    """Ends a forward pass early: what was wanted of it is there."""


class Declined(Exception):
    """A question that this model cannot be asked, with the reason."""


def place_of(name):
    """The place of a module without the numbers of its layers: "model.layers.3.self_attn" -> "model.layers.self_attn"."""
    return ".".join(word for word in name.split(".") if not word.isdigit())


def layer_of(name):
    """The number of the layer, or of the stage of layers, that a module lies in: the first number of its name, 0 where it
    has none."""
    numbers = [int(word) for word in name.split(".") if word.isdigit()]
    return numbers[0] if numbers else 0


class Watch:
    """Wraps the attention interface and the rotary functions of the modeling modules that are loaded.

    attend(name, module, call, query, key, value, args, kwargs): called instead of the attention function `call`;
    rotate(name, call, parts): called instead of a rotary function, parts: its arguments by name.  Either may be None."""

    def __init__(self):
        self.names, self.stack, self.attend, self.rotate = {}, [], None, None

    def add(self, model):
        """Watches this model too."""
        for name, module in model.named_modules():
            self.names[module] = name
            module.register_forward_pre_hook(lambda m, _: self.stack.append(m))
            module.register_forward_hook(lambda m, _, __: self.stack.pop() and None)

    def inner(self):
        """(module, its name): the innermost one whose forward pass runs and that is none of torch's own, such as Softmax;
        (None, ""): there is none."""
        for m in reversed(self.stack):
            if not type(m).__module__.startswith("torch.nn"):
                return m, self.names.get(m, "")
        return None, ""

    def here(self):
        """The name of the innermost module whose forward pass runs."""
        return self.names.get(self.stack[-1], "") if self.stack else ""

    def around_attention(self, function):
        def call(module, query, key, value, *args, **kwargs):
            if self.attend is None:
                return function(module, query, key, value, *args, **kwargs)
            return self.attend(self.names.get(module, ""), module, function, query, key, value, args, kwargs)
        return call

    def around_rotary(self, function):
        parameters = inspect.signature(function).parameters
        names = list(parameters)
        if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters.values()):
            return function  # what it takes has no names
        def call(*args, **kwargs):
            if self.rotate is None:
                return function(*args, **kwargs)
            parts = dict(zip(names, args), **kwargs)
            return self.rotate(self.here(), lambda changed: function(**{**parts, **changed}), parts)
        return call


def install(watch):
    """Makes the loaded modeling modules go through the watch.  The library's own registry of attention functions answers
    with wrapped ones."""
    from transformers.modeling_utils import AttentionInterface
    asked = AttentionInterface.get_interface
    AttentionInterface.get_interface = lambda self, name, default: watch.around_attention(asked(self, name, default))
    for name, module in list(sys.modules.items()):
        if name.startswith("transformers.models.") and ".modeling_" in name:
            for word, function in list(vars(module).items()):
                if ROTARY.match(word) and inspect.isfunction(function):
                    setattr(module, word, watch.around_rotary(function))


def unbiased(args, kwargs):
    """(args, kwargs) of an attention function with zeros in the place of what a model adds to the scores, such as T5's
    buckets, be it in its mask: no question about attention has the model's own bias, and a row of its own judges that."""
    import torch
    kwargs = {k: torch.zeros_like(v) if BIAS.search(k) and torch.is_tensor(v) else v for k, v in kwargs.items()}
    return [unbiased_mask(v) for v in args], {k: unbiased_mask(v) if k == "attention_mask" else v for k, v in kwargs.items()}


def unbiased_mask(v):
    """A mask of real numbers without all that does not hide a key; anything else as it is."""
    return nothing_of(v) if adds_more(v) else v


def adds_more(v):
    """Whether a mask is one of real numbers that does more than hide keys."""
    import torch
    return torch.is_tensor(v) and v.is_floating_point() and v.dim() >= 3 and bool((nothing_of(v) != v).any())


def nothing_of(added):
    """What is added to scores, without all that does not hide a key."""
    import torch
    return torch.where(added > -HIDDEN, torch.zeros_like(added), added)


def turned(parts):
    """The names of the arguments that a rotary function turns: all before its tables that are arrays of rank 3 or 4."""
    names = []
    for name, v in parts.items():
        if name in ("cos", "sin", "freqs_cis", "freqs", "sinusoidal_pos", "sincos"):
            break
        if hasattr(v, "dim") and v.dim() in (3, 4) and v.is_floating_point():
            names.append(name)
    return names


def axis_of(shape, n):
    """The axis of an array [batch, heads, n, width] or [batch, n, heads, width] on which the n positions lie."""
    return 2 if len(shape) == 4 and shape[2] == n else 1


def order_of(call, parts):
    """The order in which a rotary function leaves the channels of what it turns, as a list, found where nothing turns
    (cos 1, sin 0); None where they stay in place or this cannot be told.  A function that takes neighbours apart into
    halves changes no score as long as queries and keys come out in the same order, which is checked here."""
    import torch
    names = turned(parts)
    if not torch.is_tensor(parts.get("cos")) or not torch.is_tensor(parts.get("sin")):
        return None
    channels = {name: torch.arange(parts[name].shape[-1], dtype=parts[name].dtype).expand(parts[name].shape) for name in names}
    out = call({**channels, "cos": torch.ones_like(parts["cos"]), "sin": torch.zeros_like(parts["sin"])})
    orders = [[int(c) for c in y.reshape(-1, y.shape[-1])[0]] for y in (out if isinstance(out, tuple) else (out,))
              if torch.is_tensor(y)]
    width = parts[names[0]].shape[-1]
    if any(order != orders[0] for order in orders) or sorted(orders[0]) != list(range(width)):
        return None
    return None if orders[0] == list(range(width)) else orders[0]


def tables(parts):
    """(cos, sin) [n, pairs] from the arguments of a rotary function: complex factors, or tables whose halves or neighbours
    repeat.  Declined where they are of another form."""
    import torch
    factors = next((v for v in parts.values() if torch.is_tensor(v) and v.is_complex()), None)
    if factors is not None:
        flat = factors.reshape(-1, *factors.shape[-2:])[0]
        return flat.real, flat.imag
    both = [parts.get("cos"), parts.get("sin")]
    if any(not torch.is_tensor(v) for v in both):
        raise Declined("its rotary function takes no cos and sin")
    out = []
    for v in both:
        v = v.reshape(-1, *v.shape[-2:])[0]
        half = v.shape[-1] // 2
        if v.shape[-1] % 2 == 0 and torch.equal(v[..., :half], v[..., half:]):
            v = v[..., :half]
        elif v.shape[-1] % 2 == 0 and torch.equal(v[..., ::2], v[..., 1::2]):
            v = v[..., ::2]
        out.append(v)
    return tuple(out)
