"""Puts questions of meridian to a live model: the arrays of a question take the place of the model's own queries, keys
and values where it attends, or of what it turns where it turns; masks, scales, caches, tables and kernels are its own.

Modes of attention: `prefill` all tokens in one pass, without a cache; `cached` the tokens before the queries in a first
pass, the queries in a second; `decode` each query in a pass of its own; `static` the same in a cache of fixed length;
`padded` in a batch of two, of which the first is padded on the left."""
import inspect
import torch
from sites import Declined, Done, adds_more, axis_of, layer_of, order_of, place_of, tables, turned, unbiased, unbiased_mask
from written import Learn, Listening, Put, adds_own

MODES = ("prefill", "cached", "decode", "static", "padded")
TOKENS = 11  # of the pass that looks for sites: no number of heads


def ids(n, batch=1):
    """[batch, n] of token numbers, small ones."""
    return (torch.arange(n) % 5 + 7).repeat(batch, 1)


def through(name, module, call, query, key, value, args, kwargs):
    """What attention makes of its own arguments."""
    return call(module, query, key, value, *args, **kwargs)


def said_of(error):
    """An exception as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


class Live:
    """One model in one element type that attends in one way.  part: the name of the part of it that is run, "" for all of
    it: a model of pictures and text is not run without pictures, but its text model is.  fed: the inputs with which it runs
    where it takes more than text, or None (feed.py)."""

    def __init__(self, model, watch, part="", fed=None):
        self.model, self.watch, self.fed, self.listening = model, watch, fed, Listening(watch)
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
        """One pass over n tokens, or over what it is fed; what the listeners raise as Done ends it."""
        if self.fed:
            return self.forward_fed(self.fed, attend, rotate, more)
        kwargs = {"input_ids": ids(n, batch), **more}
        if "decoder_input_ids" in self.takes:
            kwargs["decoder_input_ids"] = ids(n, batch)
        if "use_cache" in self.takes:
            kwargs.setdefault("use_cache", False)
        for name in more:
            if name not in self.takes:
                raise Declined(f"{type(self.runs).__name__} takes no {name}")
        self.passed(kwargs, attend, rotate)

    def forward_fed(self, fed, attend, rotate, more):
        """The same with these inputs, whose length is their own."""
        if more:
            raise Declined(f"it takes no text, and so no {', '.join(more)} of ours")
        type = next((p.dtype for p in self.runs.parameters() if p.is_floating_point()), torch.float32)
        kwargs = {k: v.to(type) if v.is_floating_point() else v for k, v in fed.items()}
        if "use_cache" in self.takes:
            kwargs["use_cache"] = False
        self.passed(kwargs, attend, rotate)

    def passed(self, kwargs, attend, rotate):
        self.watch.attend, self.watch.rotate, self.watch.stack[:] = attend, rotate, []
        try:
            with torch.no_grad(), self.listening:
                self.runs(**kwargs)
        except Done:
            pass
        finally:
            self.watch.attend = self.watch.rotate = None

    def feed(self):
        """Looks for inputs with which the model attends or turns, and keeps them; the message with which the last pass ended
        early, or None: then self.listening.mixes says whether anything may have attended in it."""
        import feed

        def run(fed):
            met, self.listening.on = [], Learn()
            try:
                self.forward_fed(fed, lambda *of: met.append(1) or through(*of), lambda name, call, parts: met.append(1) or call({}), {})
                return bool(met or self.listening.on.of), None
            except Exception as e:
                return bool(met or self.listening.on.of), said_of(e)
            finally:
                self.listening.on = None
        self.listening.mixes = 0
        self.fed, said = feed.found(run, self.takes, getattr(self.runs, "main_input_name", "input_ids"), self.runs.config)
        return said

    def survey(self, written=False):
        """[sites], and the message with which the pass over all of them ended early, or None.  written: sites, too, where
        attention is written out."""
        found, made, learn = {}, {}, Learn() if written else None
        hooks = [m.register_forward_hook(lambda m, _, y: made.__setitem__(m, y)) for m in self.runs.modules() if projects(m)]

        def attend(name, module, call, query, key, value, args, kwargs):
            if query.dim() == 4 and name not in found.get("attention", {}):
                found.setdefault("attention", {})[name] = {
                    "class": type(module).__name__, "heads": query.shape[1], "kv_heads": key.shape[1],
                    "head_dim": query.shape[3], "value_dim": value.shape[3], "whole": query.shape[2] == key.shape[2],
                    "tokens": query.shape[2],
                    "length": query.shape[2] if self.fed and query.shape[2] == key.shape[2] and bounded(args, kwargs) else None,
                    "sinks": sink_of(module, query.shape[1]) is not None,
                    "scaled": scaled_by(query, [made[m] for m in module.children() if m in made]),
                    "more": sorted(k for k, v in kwargs.items() if v is not None) + ["mask_position_bias"] * any(
                        adds_more(v) for v in [*args, kwargs.get("attention_mask")])}
            return call(module, query, key, value, *args, **kwargs)

        def rotate(name, call, parts):
            names = turned(parts)
            if names and name not in found.get("rotation", {}):
                found.setdefault("rotation", {})[name] = {
                    "shape": list(parts[names[0]].shape), "order": order_of(call, parts)}
            return call({})
        self.listening.on = learn
        try:
            self.forward(TOKENS, attend, rotate)
            ended = None
        except Exception as e:
            ended = said_of(e)
        self.listening.on = None
        for hook in hooks:
            hook.remove()
        sites = []
        attends, turns = found.get("attention", {}), found.get("rotation", {})
        for name, site in learn.of.items() if learn else ():
            module = self.model.get_submodule(name)
            outputs = [made[m] for m in module.modules() if m in made]
            factors = [scaled_by(site[of], outputs) for of in ("query", "key")]
            moved = self.moved_by(name, module, site) if None in factors else (None, None)
            factors = [own or told for own, told in zip(factors, moved)]
            del site["query"], site["key"]
            site["untold"] = None in factors
            site["scaled"] = None if site["untold"] or factors == [1, 1] else float(torch.tensor(
                factors[0] * factors[1], dtype=torch.float32))
            attends.setdefault(name, site)
        for name, turn in turns.items():
            shape = turn.pop("shape")
            axis = axis_of(shape, attends.get(name, {}).get("tokens", TOKENS))
            turn.update(axis=axis, heads=shape[3 - axis] if len(shape) == 4 else 1, width=shape[-1])
        for name in sorted({*attends, *turns}, key=lambda s: (place_of(s), layer_of(s))):
            sites.append({"name": name, "config": config_path(self.model, name), "place": place_of(name), "layer": layer_of(name), **attends.get(name, {}),
                          "rotation": turns.get(name)})
        return sites, ended

    def moved_by(self, name, module, site):
        """The factors by which queries and keys of attention that is written out move when the output of a projection does,
        whatever is added to it, and however it is turned then; None: by no power of the heads' width."""
        factors = {"query": None, "key": None}
        for linear in (m for m in module.modules() if projects(m)):
            hook = linear.register_forward_hook(lambda _, __, y: y + torch.sign(torch.randn(
                y.shape, generator=torch.Generator().manual_seed(3))).to(y.dtype))
            self.listening.on = learn = Learn()
            try:
                self.forward(TOKENS)
            except Exception:
                continue
            finally:
                hook.remove()
                self.listening.on = None
            for of in factors:
                moved = learn.of.get(name, {}).get(of)
                if moved is not None and moved.shape == site[of].shape and factors[of] is None:
                    factors[of] = power_of(site["head_dim"], moved.double() - site[of].double())
        return factors["query"], factors["key"]

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
        if site.get("written"):
            return self.written_out(site, mode, q, k, v, first)
        if mode in ("prefill", "padded"):
            return self.at_once(name, q, k, v, first)
        return self.in_steps(name, mode, module, q, k, v)

    def written_out(self, site, mode, q, k, v, first):
        if mode not in ("prefill", "padded"):
            raise Declined("attention that is written out is asked in one pass")
        if site["untold"]:
            raise Declined("by what its queries and keys are multiplied before their product cannot be told")
        none = torch.zeros_like(q)
        added = self.put(site, none[:, :1].expand(-1, k.shape[1], -1), k, v, 0, None).added
        left = self.put(site, none, k, v, first, added).scores
        if left is None or adds_own(left):
            raise Declined("what its positions add to its scores cannot be taken off")
        return whole(self.put(site, q, k, v, first, added).out, q, v)

    def put(self, site, q, k, v, first, added):
        """What comes of a question's arrays in one pass over attention that is written out."""
        self.listening.on = put = Put(site, q, k, v, added)
        try:
            self.forward(k.shape[1], **self.padding(k.shape[1], first))
        finally:
            self.listening.on = None
        return put

    def adds(self, site):
        """Whether the site adds something of its own to its scores, which questions take off."""
        n = site.get("length") or TOKENS
        q, k, v = (torch.zeros(h, n, d) for h, d in ((site["heads"], site["head_dim"]), (site["kv_heads"], site["head_dim"]),
                                                     (site["kv_heads"], site["value_dim"])))
        return bool(self.put(site, q, k, v, 0, None).added)

    def padding(self, m, first):
        """The arguments of a batch of two over m tokens, of which the first ones are padding in one of them."""
        if not first:
            return {}
        mask = torch.ones(2, m, dtype=torch.long)
        mask[0, :first] = 0
        masks = [name for name in ("attention_mask", "decoder_attention_mask") if name in self.takes]
        return {"batch": 2, **dict.fromkeys(masks or ["attention_mask"], mask)}

    def at_once(self, name, q, k, v, first):
        out, n, m = [], q.shape[1], k.shape[1]

        def attend(where, module, call, query, key, value, args, kwargs):
            if where == name and self.fed:
                fits_heads(query, q), fits_heads(key, k), fits_heads(value, v)
                if (query.shape[2], key.shape[2]) == (n, m):
                    args, kwargs = unbiased(args, kwargs)
                    args, kwargs = [one_line(v) for v in args], {k: one_line(v) for k, v in kwargs.items()}
                else:
                    args, kwargs = boundless(args, n, m), boundless(kwargs, n, m)
                out.append(call(module, q[None], k[None], v[None], *args, **kwargs)[0][0])
                raise Done
            if where == name:
                fits(query, q, m), fits(key, k, m), fits(value, v, m)
                query, key, value = query.clone(), key.clone(), value.clone()
                query[:, :, m - n:], key[:], value[:] = q, k, v
                args, kwargs = unbiased(args, kwargs)
                out.append(call(module, query, key, value, *args, **kwargs)[0][0, m - n:])
                raise Done
            return call(module, query, key, value, *args, **kwargs)
        self.forward(m, attend, **self.padding(m, first))
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
                args, kwargs = unbiased(args, kwargs)
                out.append(call(module, query, key, value, *args, **kwargs)[0][0])
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


def config_path(model, name):
    """Which inner configuration of the model's the module of that name is made from, "vision_config": the one of the nearest
    module around it that has one; "": the whole."""
    words = name.split(".")
    for k in range(len(words), -1, -1):
        own = getattr(model.get_submodule(".".join(words[:k])), "config", None)
        path = path_to(model.config, own)
        if path is not None:
            return path
    return ""


def path_to(config, own):
    """The attributes that lead from a configuration to an inner one, with points between; None: none does."""
    from transformers import PretrainedConfig
    if own is None or config is own:
        return None if own is None else ""
    for key, inner in vars(config).items():
        if isinstance(inner, PretrainedConfig):
            below = path_to(inner, own)
            if below is not None:
                return f"{key}.{below}".rstrip(".")
    return None


def asked_of(site):
    """An empty list for what a site answers about positions; Declined where it counts them itself."""
    if site["rotation"].get("own"):
        raise Declined("it counts positions itself, whatever it is told")
    return []


def scaled_by(query, made):
    """The factor by which queries are a projection's output, or the first of three equal parts of one, in whatever order; 1:
    they are one as it is; None: they are none by a factor."""
    width = query.shape[-3] * query.shape[-1]
    for y in made:
        thirds = [y[..., :width], y.reshape(*y.shape[:-1], -1, 3, query.shape[-1])[..., 0, :]] if y.shape[-1] == 3 * width else []
        for part in [y] + thirds:
            factor = times(part, query)
            if factor is not None:
                return factor
    return None


def projects(module):
    """Whether a module multiplies by a matrix of its own: a linear layer, a convolution, by whatever name."""
    weight = getattr(module, "weight", None)
    return not list(module.children()) and torch.is_tensor(weight) and weight.dim() >= 2 and not isinstance(module, torch.nn.Embedding)


def power_of(width, moved):
    """The power of the width by which numbers moved, each of which moved by 1 before; None: by none, or not at all."""
    size = float((moved * moved).mean()) ** 0.5
    for power in (0.0, -0.25, -0.5, -1.0):
        if abs(size - width ** power) < 1e-4 * width ** power:
            return 1 if not power else width ** power
    return None


def times(ours, theirs):
    """The factor by which one array is another in any order, but for signs; None: it is not."""
    ours, theirs = (x.double().abs().flatten().sort().values for x in (ours, theirs))
    if ours.shape != theirs.shape or not ours.any():
        return None
    factor = float((theirs * ours).sum() / (ours * ours).sum())
    if not torch.allclose(theirs, factor * ours, rtol=1e-5, atol=0):
        return None
    return 1 if abs(factor - 1) <= 1e-6 else float(torch.tensor(factor, dtype=torch.float32))


def sink_of(module, heads):
    """The parameter of a module that is a logit for each head by the name of a sink, or None."""
    return next((p for name, p in module.named_parameters(recurse=False) if "sink" in name and p.numel() == heads), None)


def held(theirs, ours, to):
    """Whether the model's array [1, heads, length, width] is the end of the question's [heads, tokens, width] up to a token."""
    return theirs.shape[1:] == ours[:, max(0, to - theirs.shape[2]):to].shape and torch.equal(
        theirs[0], ours[:, max(0, to - theirs.shape[2]):to])


def one_line(v):
    """Of an array of a batch, the first line."""
    return v[:1] if torch.is_tensor(v) and v.dim() >= 2 else v


def bounded(args, kwargs):
    """Whether what a model gives its attention goes by its own tokens, so that it is asked at their number alone."""
    try:
        boundless(args, 1, 1), boundless(kwargs, 1, 1)
        return False
    except Declined:
        return True


def boundless(arguments, n, m):
    """The arguments of an attention function of a model that is fed for n queries and m keys.  A mask that hides nothing is
    of any length; Declined where anything else of them goes by tokens."""
    if isinstance(arguments, (list, tuple)):
        return [boundless({"attention_mask": v}, n, m)["attention_mask"] for v in arguments]
    out = {}
    for key, v in arguments.items():
        v = unbiased_mask(v)
        if torch.is_tensor(v) and v.dim() >= 2:
            if not (v.all() if v.dtype == torch.bool else (v == 0).all()):
                raise Declined(f"its attention is given {key}, which goes by its own tokens")
            v = v.new_full((1, 1, n, m), 1 if v.dtype == torch.bool else 0)
        out[key] = v
    return out


def fits_heads(theirs, ours):
    """Declined where the model's array [batch, heads, n, width] has other heads or another width than the question's."""
    if (theirs.shape[1], theirs.shape[3]) != (ours.shape[0], ours.shape[2]):
        raise Declined(f"the model has {theirs.shape[1]} heads of {theirs.shape[3]} here, asked is {tuple(ours.shape)}")


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
