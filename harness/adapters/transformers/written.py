"""Attention that a module writes out by itself, without the library's interface: a product, a softmax of it, and a product
of that with the values.  A first pass learns which products of a module these are; in later ones the arrays of a question
take the place of what goes into them, and scales, masks, caps and what else is done between them is the model's own."""
import torch
from torch.overrides import TorchFunctionMode
from sites import HIDDEN, Declined, Done, nothing_of

PRODUCTS = ("matmul", "__matmul__", "bmm", "baddbmm", "einsum")
HEADS = ("num_heads", "num_attention_heads", "n_heads", "n_head", "nhead")  # attributes of modules
MIXES = ("softmax", "scaled_dot_product_attention", "multi_head_attention_forward", "_native_multi_head_attention",
         "_transformer_encoder_layer_fwd")  # without any of these nothing attends
ADDS = ("add", "__add__", "__radd__", "__iadd__", "add_")


class Product:
    """One product of a pass as a[.., n, d] b[.., d, m]: `of(a, b)` is what the pass goes on with, `rows` the same as
    [.., n, m]; more: what is added in the same call, or None, and then `of` takes another array in its place, too."""

    def __init__(self, a, b, of, rows=lambda y: y, more=None):
        self.a, self.b, self.of, self.rows, self.more = a, b, of, rows, more


def summed(function, equation, a, b):
    """A sum of products by its equation, "bhid,bhjd->bhij", as a Product; None: it is none."""
    ours, theirs, out = (side.strip() for side in equation.replace("->", ",").split(","))
    both = [c for c in out if c in ours and c in theirs]
    parts = [[c for c in ours if c in out and c not in theirs], [c for c in ours if c in theirs and c not in out],
             [c for c in theirs if c in out and c not in ours]]
    if any(len(part) != 1 for part in parts) or "." in equation or len(both) + 2 != len(ours) or len(ours) != len(theirs):
        return None
    n, d, m = (part[0] for part in parts)
    to_a, to_b, rows = ([letters.index(c) for c in [*both, *last]] for letters, last in ((ours, (n, d)), (theirs, (d, m)), (out, (n, m))))
    back_a, back_b = [to_a.index(k) for k in range(len(ours))], [to_b.index(k) for k in range(len(theirs))]
    return Product(a.permute(to_a), b.permute(to_b), lambda x, y: function(equation, x.permute(back_a), y.permute(back_b)),
                   lambda y: y.permute(rows))


def product_of(word, function, args, kwargs):
    """The Product that a call of one of PRODUCTS is, or None."""
    if word == "einsum":
        args = (args[0], *args[1]) if len(args) == 2 and isinstance(args[1], (list, tuple)) else args
        return summed(function, *args) if len(args) == 3 and isinstance(args[0], str) and args[0].count(",") == 1 else None
    at = 1 if word == "baddbmm" else 0
    named = {"batch1": 1, "batch2": 2} if word == "baddbmm" else {"other": 1, "mat2": 1}
    args, kwargs = list(args), dict(kwargs)
    args += [kwargs.pop(key) for key in named if key in kwargs]
    if len(args) < at + 2 or min(args[at].dim(), args[at + 1].dim()) < 3:
        return None
    return Product(args[at], args[at + 1], lambda a, b, *more: function(*(more or args[:at]), a, b, *args[at + 2:], **kwargs),
                   more=args[0] if at else None)


class Listening(TorchFunctionMode):
    """Tells `on`, where there is one, of every product, softmax and sum: product(name, module, p) of a Product,
    softmax(name, x, call) and sum(name, args, call) give what the pass goes on with."""

    def __init__(self, watch):
        super().__init__()
        self.watch, self.on, self.mixes = watch, None, 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs, word = kwargs or {}, getattr(function, "__name__", "")
        self.mixes += word in MIXES
        if self.on is None or not args or word not in (*PRODUCTS, *ADDS, "softmax"):
            return function(*args, **kwargs)
        module, name = self.watch.inner()
        if word in ADDS:
            return self.on.sum(name, args[:2], lambda x: function(*x, *args[2:], **kwargs))
        if word == "softmax":
            return self.on.softmax(name, args[0], lambda x: function(x, *args[1:], **kwargs))
        p = product_of(word, function, args, kwargs)
        return self.on.product(name, module, p) if p else function(*args, **kwargs)


def heads_in(module, shape):
    """How many heads queries [.., heads, n, d] or [batch * heads, n, d] have, by their shape and what their module says of
    it; None: the two contradict each other, and the axes are others."""
    said = next((v for v in (getattr(module, key, None) for key in HEADS) if isinstance(v, int) and v > 0), shape[-3])
    return said if shape[-3] == said or len(shape) == 3 and shape[-3] % said == 0 else None


class Learn:
    """Learns in one pass which products of each module are its scores and its outputs: of[name], as sites have it."""

    def __init__(self):
        self.seen, self.of = {}, {}

    def product(self, name, module, p):
        y, seen = p.of(p.a, p.b), self.seen.setdefault(name, {"products": [], "softmax": None})
        seen["products"].append((p, y.numel()))
        if seen["softmax"] and name not in self.of and p.a.numel() == seen["softmax"][1]:
            first = seen["softmax"][0]
            query, key = seen["products"][first][0].a, seen["products"][first][0].b
            heads = heads_in(module, query.shape)
            if heads is None:
                return y
            self.of[name] = {
                "class": type(module).__name__, "heads": heads,
                "kv_heads": heads if key.shape[-3] == query.shape[-3] else key.shape[-3],
                "head_dim": query.shape[-1], "value_dim": p.b.shape[-1], "whole": query.shape[-2] == key.shape[-1],
                "tokens": key.shape[-1], "sinks": False, "more": [], "written": [first, len(seen["products"]) - 1],
                "query": query, "key": key}
        return y

    def softmax(self, name, x, call):
        seen = self.seen.get(name)
        scores = [k for k, p in enumerate(seen["products"]) if p[1] == x.numel()] if seen else []
        if scores and not seen["softmax"]:
            seen["softmax"] = scores[0], x.numel()  # products of positions, which are added to it, come behind
        return call(x)

    def sum(self, name, args, call):
        return call(args)


class Put:
    """Puts q[h,n,d], k[g,m,d] and v[g,m,e] in the place of a site's last n queries and of its m keys and values of the last
    of its calls (those before it are padding).  out: what comes of them; scores: what its softmax takes, [h,n,m].

    What is added to the scores between them and is not hidden counts as 0: `added` holds which arguments of which sums these
    are, numbered from 0; None: they are found in this pass, whose queries are all 0, so that the scores are, too."""

    def __init__(self, site, q, k, v, added):
        self.site, self.q, self.k, self.v = site, q, k, v
        self.finds, self.added = added is None, [] if added is None else added
        self.at, self.sums, self.out, self.scores = -1, -1, [], None

    def of_ours(self, theirs, ours):
        """A copy of the model's array [.., heads, rows, width], with the last rows of its first line replaced."""
        y = theirs.clone().reshape(-1, ours.shape[0], *theirs.shape[-2:])
        if y.shape[3] != ours.shape[2] or y.shape[2] < ours.shape[1]:
            raise Declined(f"the model has {tuple(y.shape[1:])} here, asked is {tuple(ours.shape)}")
        y[0, :, y.shape[2] - ours.shape[1]:] = ours
        return y.reshape(theirs.shape)

    def product(self, name, module, p):
        if name != self.site["name"]:
            return p.of(p.a, p.b)
        self.at += 1
        first, second = self.site["written"]
        if self.at == first:
            if p.b.shape[-1] != self.k.shape[1]:
                raise Declined(f"the model has {p.b.shape[-1]} keys here, asked is {self.k.shape[1]}")
            more = [] if p.more is None else [nothing_of(p.more)]
            return p.of(self.of_ours(p.a, self.q), self.of_ours(p.b.transpose(-1, -2), self.k).transpose(-1, -2), *more)
        if self.at == second:
            y = p.rows(p.of(p.a, self.of_ours(p.b, self.v)))
            self.out.append(y.reshape(-1, self.q.shape[0], *y.shape[-2:])[0, :, -self.q.shape[1]:].transpose(0, 1))
            raise Done
        return p.of(p.a, p.b)

    def sum(self, name, args, call):
        if name != self.site["name"] or self.at < self.site["written"][0] or self.scores is not None:
            return call(args)
        self.sums += 1
        if self.finds:
            self.added += [(self.sums, k) for k, x in enumerate(args) if torch.is_tensor(x) and x.dim() >= 2
                           and x.is_floating_point() and nothing_of(self.first(x)).ne(self.first(x)).any()]
        return call([nothing_of(x) if (self.sums, k) in self.added else x for k, x in enumerate(args)])

    def first(self, x):
        """Of an array that goes by lines, the part of the first, whose queries are ours; others whole."""
        one = self.q.shape[0] * x.shape[-1] * x.shape[-2]
        return x.reshape(-1, one)[0] if x.numel() > one and x.numel() % one == 0 else x

    def softmax(self, name, x, call):
        if name == self.site["name"] and self.at >= self.site["written"][0] and self.scores is None:
            self.scores = x.reshape(-1, self.q.shape[0], *x.shape[-2:])[0, :, -self.q.shape[1]:].detach()
        return call(x)


def adds_own(scores):
    """Whether a model adds something of its own to the scores of keys that it does not hide; scores: of queries that are 0."""
    top = scores.amax(-1, keepdim=True)
    return bool((torch.where(scores > top - HIDDEN, scores - top, 0) != 0).any())
