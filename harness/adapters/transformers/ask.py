"""Puts questions of meridian to a live model: the arrays of a question take the place of the model's own queries, keys
and values where it attends, or of what it turns where it turns; masks, scales, caches, tables and kernels are its own.

Modes of attention: `prefill` all tokens in one pass, without a cache; `cached` the tokens before the queries in a first
pass, the queries in a second; `decode` each query in a pass of its own; `static` the same in a cache of fixed length;
`padded` in a batch of two, of which the first is padded on the left."""
import inspect
import torch
from sites import Declined, Done, axis_of, layer_of, order_of, place_of, tables, turned, unbiased

MODES = ("prefill", "cached", "decode", "static", "padded")
TOKENS = 11  # of the pass that looks for sites: no number of heads


def ids(n, batch=1):
    """[batch, n] of token numbers, small ones."""
    return (torch.arange(n) % 5 + 7).repeat(batch, 1)


class Live:
    """One model in one element type that attends in one way.  part: the name of the part of it that is run, "" for all of
    it: a model of pictures and text is not run without pictures, but its text model is."""

    def __init__(self, model, watch, part=""):
        self.model, self.watch = model, watch
        watch.add(model)
        self.choose(part)

    def choose(self, part):
        """Runs this part from now on."""
        self.runs = self.model.get_submodule(part)
        self.takes = inspect.signature(self.runs.forward).parameters

    def parts(self):
        """The names of the parts that are models of text by themselves; first the whole."""
        from transformers import PreTrainedModel
        return [name for name, m in self.model.named_modules() if isinstance(m, PreTrainedModel)
                and "input_ids" in inspect.signature(m.forward).parameters]

    def forward(self, n, attend=None, rotate=None, batch=1, **more):
        """One pass over n tokens; what the listeners raise as Done ends it."""
        kwargs = {"input_ids": ids(n, batch), **more}
        if "decoder_input_ids" in self.takes:
            kwargs["decoder_input_ids"] = ids(n, batch)
        if "use_cache" in self.takes:
            kwargs.setdefault("use_cache", False)
        for name in more:
            if name not in self.takes:
                raise Declined(f"{type(self.runs).__name__} takes no {name}")
        self.watch.attend, self.watch.rotate, self.watch.stack[:] = attend, rotate, []
        try:
            with torch.no_grad():
                self.runs(**kwargs)
        except Done:
            pass
        finally:
            self.watch.attend = self.watch.rotate = None

    def survey(self):
        """[sites], and the message with which the pass over all of them ended early, or None."""
        found, made = {}, {}
        hooks = [m.register_forward_hook(lambda m, _, y: made.__setitem__(m, y)) for m in self.runs.modules()
                 if isinstance(m, torch.nn.Linear)]

        def attend(name, module, call, query, key, value, args, kwargs):
            if query.dim() == 4 and name not in found.get("attention", {}):
                found.setdefault("attention", {})[name] = {
                    "class": type(module).__name__, "heads": query.shape[1], "kv_heads": key.shape[1],
                    "head_dim": query.shape[3], "value_dim": value.shape[3], "whole": query.shape[2] == key.shape[2],
                    "sinks": sink_of(module, query.shape[1]) is not None,
                    "scaled": scaled_by(query, [made[m] for m in module.children() if m in made]),
                    "more": sorted(k for k, v in kwargs.items() if v is not None)}
            return call(module, query, key, value, *args, **kwargs)

        def rotate(name, call, parts):
            names = turned(parts)
            if names and name not in found.get("rotation", {}):
                shape = parts[names[0]].shape
                axis = axis_of(shape, TOKENS)
                found.setdefault("rotation", {})[name] = {
                    "axis": axis, "heads": shape[3 - axis] if len(shape) == 4 else 1, "width": shape[-1],
                    "order": order_of(call, parts)}
            return call({})
        try:
            self.forward(TOKENS, attend, rotate)
            ended = None
        except Exception as e:
            ended = " ".join(f"{type(e).__name__}: {e}".split())[:300]
        for hook in hooks:
            hook.remove()
        sites = []
        attends, turns = found.get("attention", {}), found.get("rotation", {})
        for name in sorted({*attends, *turns}, key=lambda s: (place_of(s), layer_of(s))):
            sites.append({"name": name, "place": place_of(name), "layer": layer_of(name), **attends.get(name, {}),
                          "rotation": turns.get(name)})
        return sites, ended

    def attend(self, site, mode, q, k, v, first, sink):
        """The output [h, n, e] of the site's attention for q[h,n,d], k[g,m,d], v[g,m,e], of which the first keys are
        padding."""
        name = site["name"]
        module = self.model.get_submodule(name)
        if site["scaled"]:
            q = q * site["scaled"]  # the model does so before its interface, where q is put in its place
        if sink is not None:
            sink_of(module, q.shape[0]).data.copy_(sink)
        n, m = q.shape[1], k.shape[1]
        if n > m or (first > 0) != (mode == "padded") or first > m - n:
            raise Declined("not of this mode")
        if mode in ("prefill", "padded"):
            return self.at_once(name, q, k, v, first)
        return self.in_steps(name, mode, module, q, k, v)

    def at_once(self, name, q, k, v, first):
        out, n, m = [], q.shape[1], k.shape[1]

        def attend(where, module, call, query, key, value, args, kwargs):
            if where == name:
                fits(query, q, m), fits(key, k, m), fits(value, v, m)
                query, key, value = query.clone(), key.clone(), value.clone()
                query[:, :, m - n:], key[:], value[:] = q, k, v
                out.append(call(module, query, key, value, *args, **unbiased(kwargs))[0][0, m - n:])
                raise Done
            return call(module, query, key, value, *args, **kwargs)
        if first:
            mask = torch.ones(2, m, dtype=torch.long)
            mask[0, :first] = 0
            masks = [name for name in ("attention_mask", "decoder_attention_mask") if name in self.takes]
            self.forward(m, attend, batch=2, **dict.fromkeys(masks or ["attention_mask"], mask))
        else:
            self.forward(m, attend)
        return whole(out, q, v)

    def in_steps(self, name, mode, module, q, k, v):
        if not hasattr(module, "layer_idx") or "past_key_values" not in self.takes:
            raise Declined("it takes no cache")
        out, n, m, (cache, own) = [], q.shape[1], k.shape[1], self.cache(mode, k.shape[1])
        update, past = own.update, m - n
        at, put_to = [0, 0], [0]

        def put(key, value, layer, *args, **kwargs):
            if layer == module.layer_idx:
                rows = slice(at[0], at[1])
                fits(key, k[:, rows], at[1] - at[0]), fits(value, v[:, rows], at[1] - at[0])
                key, value = k[None, :, rows].contiguous(), v[None, :, rows].contiguous()
                put_to[0] = at[1]
            return update(key, value, layer, *args, **kwargs)

        def attend(where, module, call, query, key, value, args, kwargs):
            if where == name and at[0] >= past:
                fits(query, q, at[1] - at[0])
                if put_to[0] != at[1]:
                    raise Declined("it attends without the cache that it was given")
                if mode != "static" and not (held(key, k, at[1]) and held(value, v, at[1])):
                    raise Declined("it makes something else of what its cache holds before it attends")
                query = q[None, :, at[0] - past:at[1] - past].contiguous()
                out.append(call(module, query, key, value, *args, **unbiased(kwargs))[0][0])
                if at[1] == m:
                    raise Done
                return out[-1][None], None
            return call(module, query, key, value, *args, **kwargs)
        own.update = put
        steps = [(0, past)] * (past > 0)
        steps += [(past, m)] if mode == "cached" else [(j, j + 1) for j in range(past, m)]
        for at[0], at[1] in steps:
            self.forward(at[1] - at[0], attend, past_key_values=cache, use_cache=True)
        return whole(out, q, v)

    def cache(self, mode, m):
        """(what the model is given, the part of it that self-attention fills)."""
        from transformers import DynamicCache, EncoderDecoderCache, StaticCache
        config = self.runs.config
        made = StaticCache(config=config, max_cache_len=m + 3) if mode == "static" else DynamicCache(config=config)
        return (EncoderDecoderCache(made, DynamicCache()) if "decoder_input_ids" in self.takes else made), made

    def keeps_positions(self, site):
        """Whether the tables of a site are the same wherever the model is told that its tokens are: it counts them itself."""
        return all(torch.equal(a, b) for a, b in zip(*(self.tables(site, torch.arange(k, k + 3)) for k in (0, 5))))

    def rotate(self, site, x, pos):
        """x[h,n,d] turned by the site at these positions, its channels where they were."""
        out = asked_of(site)

        def rotate(where, call, parts):
            if where == site["name"]:
                name = turned(parts)[0]
                like = parts[name]
                if like.shape[-1] != x.shape[2]:
                    raise Declined("another width")
                y = x[None] if site["rotation"]["axis"] == 2 else x[None].transpose(1, 2)
                y = call({name: y[:, 0] if like.dim() == 3 and x.shape[0] == 1 else y})
                y = (y[0] if isinstance(y, tuple) else y)[0]
                y = y if site["rotation"]["axis"] == 2 else y.transpose(0, 1) if y.dim() == 3 else y[None]
                if site["rotation"]["order"]:
                    y = y[..., torch.tensor(site["rotation"]["order"]).argsort()]
                out.append(y)
                raise Done
            return call({})
        self.forward(x.shape[1], None, rotate, position_ids=pos[None])
        if not out:
            raise Declined("it turns nothing there")
        return out[0]

    def tables(self, site, pos):
        """(cos, sin) [n,k] with which the site turns at these positions."""
        out = asked_of(site)

        def rotate(where, call, parts):
            if where == site["name"]:
                out.append(tables(parts))
                raise Done
            return call({})
        self.forward(len(pos), None, rotate, position_ids=pos[None])
        if not out:
            raise Declined("it turns nothing there")
        return out[0]


def asked_of(site):
    """An empty list for what a site answers about positions; Declined where it counts them itself."""
    if site["rotation"].get("own"):
        raise Declined("it counts positions itself, whatever it is told")
    return []


def scaled_by(query, made):
    """The factor, other than 1, by which queries [1,h,n,d] are a projection's output [1,n,h*d] at the attention interface;
    None: they are one as it is, or none by a factor."""
    for y in made:
        if y.dim() == 3 and y.shape[0] == 1 and y.shape[1] == query.shape[2] and y.numel() == query.numel():
            y = y.view(*y.shape[:2], query.shape[1], query.shape[3]).transpose(1, 2).double()
            factor = float((query.double() * y).sum() / (y * y).sum())
            if torch.allclose(query.double(), factor * y, rtol=1e-5, atol=0) and abs(factor - 1) > 1e-6:
                return float(torch.tensor(factor, dtype=torch.float32))
    return None


def sink_of(module, heads):
    """The parameter of a module that is a logit for each head by the name of a sink, or None."""
    return next((p for name, p in module.named_parameters(recurse=False) if "sink" in name and p.numel() == heads), None)


def held(theirs, ours, to):
    """Whether the model's array [1, heads, length, width] is the end of the question's [heads, tokens, width] up to a token."""
    return theirs.shape[1:] == ours[:, max(0, to - theirs.shape[2]):to].shape and torch.equal(
        theirs[0], ours[:, max(0, to - theirs.shape[2]):to])


def fits(theirs, ours, length):
    """Declined where the model's array [batch, heads, length, width] is of another shape than the question's."""
    want = (ours.shape[0], length, ours.shape[2])
    if tuple(theirs.shape[1:]) != want:
        raise Declined(f"the model has {tuple(theirs.shape[1:])} here, asked is {want}")


def whole(out, q, v):
    """[h,n,e] of the outputs [n', h, e] of each pass."""
    if not out:
        raise Declined("its attention does not go through the library's interface")
    y = torch.cat(out)
    if tuple(y.shape) != (q.shape[1], q.shape[0], v.shape[2]):
        raise Declined(f"its output is {tuple(y.shape)}")
    return y.transpose(0, 1)
