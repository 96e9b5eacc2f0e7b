"""Gradients of a callable as a subject: torch.autograd or jax.vjp of it answers the row's gradient outputs.

A row names them by what they are of: from "do", the gradient of the loss by the output o, come "dq", "dk" and "dv"; where a
row has two forms, "dx_decoder" comes from "ddecoder"."""
import inspect
from ._subject import Wrong, required, short, takes


def forward_of(row, out):
    """(the quantity that a gradient output is of, the input that it is by), or None: it is no gradient."""
    names = {a["name"] for a in row.quantities[out]["in"]}
    for forward, q in row.quantities.items():
        if "d" + forward in names and "d" + forward not in {a["name"] for a in q["in"]}:
            by = out[1:].removesuffix("_" + forward)
            if out.startswith("d") and by in {a["name"] for a in q["in"]}:
                return forward, by
    return None


def gradient(f, row, out, like, library):
    """(a callable for the row's gradients, their names, the library's arrays).  out: the gradient outputs that are wanted,
    by default those by every input that the row's first quantity must have."""
    if out is None:
        first, q = next(iter(row.quantities.items()))
        must = {a["name"] for a in q["in"] if not a["optional"]}
        of = {name: forward_of(row, name) for name in row.quantities}
        outs = [name for name in row.quantities if of[name] and of[name][0] == first and of[name][1] in must]
        if not outs:
            raise ValueError(f"row {row.name} has no gradients of {first}")
    else:
        outs = row.outs(out)
    of = [forward_of(row, name) for name in outs]
    if None in of or len({forward for forward, _ in of}) > 1:
        raise ValueError(f"grad: {' '.join(outs)} are not gradients of one output of row {row.name}")
    make = {"torch": Torch, "jax": Jax}[library]
    inputs = {a["name"] for name in outs for a in row.quantities[name]["in"]}
    return make(f, of[0][0], dict(zip(outs, [by for _, by in of])), inputs), outs, like or library


class Gradient:
    """forward: the output that f computes.  by: which input each gradient is by.  shapes: of the outputs of the question
    that is being answered, set by who asks: an input that a gradient does not depend on is not brought, and is 0."""

    def __init__(self, f, forward, by, inputs):
        self.f, self.forward, self.by, self.shapes = f, forward, by, {}
        self.__wrapped__ = f
        absent = set(by.values()) - inputs
        named, anything = takes(f)
        must = required(f)
        p = inspect.Parameter
        names = sorted((named - absent) | {"d" + forward})
        self.__signature__ = inspect.Signature(
            [p(n, p.KEYWORD_ONLY, default=p.empty if n in must or n == "d" + forward else None) for n in names] +
            ([p("others", p.VAR_KEYWORD)] if anything else []))

    def one(self, y):
        """The output that is differentiated, of all that f returned."""
        if isinstance(y, dict):
            y = y.get(self.forward)
        return y[0] if isinstance(y, (tuple, list)) else y

    def __call__(self, **given):
        loss = given.pop("d" + self.forward)
        for out, name in self.by.items():
            if name not in given:
                given[name] = self.zeros(self.shapes[out], loss)
        return self.back(given, list(self.by.values()), loss)


class Torch(Gradient):
    def zeros(self, shape, like):
        return like.new_zeros(tuple(shape))

    def back(self, given, names, loss):
        import torch
        given = dict(given)
        for name in names:
            given[name] = given[name].detach().clone().requires_grad_()
        with torch.enable_grad():
            y = self.one(self.f(**given))
        if y is None:
            return None
        if not isinstance(y, torch.Tensor) or not y.requires_grad:
            raise Wrong(f"returned {self.forward} without a gradient by {' '.join(names)}")
        if y.shape != loss.shape:
            raise Wrong(f"returned {self.forward} of shape {list(y.shape)}, asked for {list(loss.shape)}")
        if y.dtype != loss.dtype:
            raise Wrong(f"returned {self.forward} of type {short(y.dtype)}, asked for {short(loss.dtype)}")
        got = torch.autograd.grad(y, [given[name] for name in names], loss, allow_unused=True)
        return tuple(torch.zeros_like(given[name]) if g is None else g for name, g in zip(names, got))


class Jax(Gradient):
    def zeros(self, shape, like):
        import jax.numpy as jnp
        return jnp.zeros(tuple(shape), like.dtype)

    def back(self, given, names, loss):
        import jax
        rest = {k: v for k, v in given.items() if k not in names}
        y, back = jax.vjp(lambda *by: self.one(self.f(**dict(zip(names, by)), **rest)), *[given[n] for n in names])
        if y.shape != loss.shape or y.dtype != loss.dtype:
            raise Wrong(f"returned {self.forward} as {short(y.dtype)}{list(y.shape)}, asked for "
                        f"{short(loss.dtype)}{list(loss.shape)}")
        return tuple(back(loss))
