"""Multi-head attention layers, Transformer blocks and the encoder-decoder (Vaswani et al. 2017, sections 3.1 and 3.2.2; Xiong et al. 2020)."""
from mpmath import mpf
from attention import ATTENTION
from norms import forward, layer_normed, root_normed
from question import NoFormula
from real import add, exp, log, total, times, val
from rotary import ROPE, amplitude, frequency, turned
from real import cos, sin
from sines import sine_row
from softmix import softmax


def linear(rows, w, b):
    return [add(times(r, w), b) if b is not None else times(r, w) for r in rows]


def heads(rows, count, width, split):
    """The columns of each head: a block of them, or every count-th."""
    take = (lambda h: range(h * width, (h + 1) * width)) if split == "blocks" else (lambda h: range(h, count * width, count))
    return [[[r[k] for k in take(h)] for r in rows] for h in range(count)]


def joined(lines, count, width, split):
    """The inverse: the lines of the heads as one line of count * width columns."""
    if split == "blocks":
        return [x for line in lines for x in line]
    return [lines[k % count][k // count] for k in range(count * width)]


class Layer:
    """A question whose parameters are those of row layer; arrays as that row names them."""

    def __init__(self, c, q, k, v, bias=None, sink=None, keep=None, pos=None, turn=True):
        """The projected rows q, k and v."""
        p = c.p
        many, few = p.heads, p.kv_heads or p.heads
        wide = p.value_width or p.width
        split = p.of.get("split", (0, "blocks"))[1]
        self.many, self.wide, self.split = many, wide, split
        arrays = {"q": heads(q, many, p.width, split), "k": heads(k, few, p.width, split), "v": heads(v, few, wide, split)}
        if turn and p.rope == "on":
            arrays["q"] = [[self.turned(c, r, pos[i] if pos else i) for i, r in enumerate(h)] for h in arrays["q"]]
            arrays["k"] = [[self.turned(c, r, pos[i] if pos else i) for i, r in enumerate(h)] for h in arrays["k"]]
        if bias is not None:
            arrays["bias"] = bias
        if sink is not None:
            arrays["sink"] = sink
        if keep is not None:
            arrays["keep"] = [keep] * many
        given = {name: value for name, value in dict(softmax1="off", norm="none", temperature="none", group="repeat", empty="zero", cap=mpf(0), scale=mpf(0), left=-1, right=-1,
                                                     prefix=0, chunk=0, offset=0, window=0, gain="plain", eps_at="inside").items() if name not in p.of}
        self.c = c.part(arrays, ATTENTION, **given)
        self.c.n = {}

    @staticmethod
    def turned(c, row, at):
        def tables():
            usual = dict(scaling="default", factor=mpf(1), trained=0, length=0, beta_fast=mpf(32), beta_slow=mpf(1), truncate="on", mscale=mpf(0), mscale_all_dim=mpf(0),
                         attention_factor=mpf(0), low_freq_factor=mpf(1), high_freq_factor=mpf(4))
            q = c.part({}, ROPE, dim=c.p.width, rotary=0, partial="prefix", **{name: value for name, value in usual.items() if name not in c.p.of})
            w = [frequency(q.p, k) for k in range(c.p.width // 2)]
            a = amplitude(q.p)
            return [a * cos(at * x) for x in w], [a * sin(at * x) for x in w]
        cs, sn = c.kept(("turn", at), tables)
        return turned(row, cs, sn, c.p.layout, c.p.width)

    def line(self, i):
        return joined([ATTENTION["o"](self.c, h, i) for h in range(self.many)], self.many, self.wide, self.split)

    def weights(self, h, i):
        return ATTENTION["weights"](self.c, h, i)


def mask(c, n, m, name="token"):
    """keep[n][m] out of the tokens' mask (whose 1 says visible, or hidden) and the input keep; None where neither is
    given."""
    token = c.x(name) if c.has(name) else None
    own = c.x("keep") if c.has("keep") else None
    if token is None and own is None:
        return None
    hidden = c.p.of.get("ones", (0, "visible"))[1] == "hidden"
    live = lambda x: (x == 0) if hidden else (x != 0)
    return [[int((token is None or live(token[j])) and (own is None or own[i][j] != 0)) for j in range(m)] for i in range(n)]


def bias_of(c, name):
    """Which biases are added: all of them, those of the projections, or that of the output."""
    if not c.has(name):
        return None
    way = c.p.biases
    out = name in ("bo", "out_bias")
    return None if (way == "no-output" and out) or (way == "no-input" and not out) else c.x(name)


def stored(c, w):
    """wo as [in][out], however its numbers lie."""
    if c.p.stored == "in-out":
        return w
    flat, n = [x for row in w for x in row], len(w)
    return [[flat[k * n + i] for k in range(len(w[0]))] for i in range(n)]


def own_layer(c):
    def make():
        x = c.x("x")
        if c.has("wv"):
            v = linear(x, c.x("wv"), bias_of(c, "bv"))
        else:       # Gradients of weights alone.
            v = [[mpf(0)] * (c.p.kv_heads or c.p.heads) * (c.p.value_width or c.p.width)] * len(x)
        return Layer(c, linear(x, c.x("wq"), bias_of(c, "bq")), linear(x, c.x("wk"), bias_of(c, "bk")), v, c.x("bias") if c.has("bias") else None,
                     c.x("sink") if c.has("sink") else None, mask(c, len(x), len(x)), c.x("pos") if c.has("pos") else None)
    return c.kept("own", make)


def output(line, w, b):
    y = times(line, w)
    return add(y, b) if b is not None else y


def layer_y(c, i):
    return output(own_layer(c).line(i), stored(c, c.x("wo")), bias_of(c, "bo"))


def cross(c, i):
    def make():
        x, key, value = c.x("x"), c.x("key"), c.x("value")
        return Layer(c, linear(x, c.x("wq"), bias_of(c, "bq")), linear(key, c.x("wk"), bias_of(c, "bk")), linear(value, c.x("wv"), bias_of(c, "bv")),
                     c.x("bias") if c.has("bias") else None, c.x("sink") if c.has("sink") else None, mask(c, len(x), len(key)), None, False)
    return output(c.kept("cross", make).line(i), stored(c, c.x("wo")), bias_of(c, "bo"))


def fused(c, i):
    """Weights [out, in], those of q, k and v stacked (torch.nn.MultiheadAttention)."""
    def make():
        p, x, w = c.p, c.x("x"), c.x("in_proj")
        cut = [0, p.heads * p.width, (p.heads + (p.kv_heads or p.heads)) * p.width, len(w)]
        b = bias_of(c, "in_bias")
        q, k, v = (linear(x, [list(col) for col in zip(*w[lo:hi])], b[lo:hi] if b is not None else None) for lo, hi in zip(cut, cut[1:]))
        return Layer(c, q, k, v, None, c.x("sink") if c.has("sink") else None, mask(c, len(x), len(x)), c.x("pos") if c.has("pos") else None)
    w = c.x("out_proj")
    if c.p.stored == "out-in":      # the other way round than the signature says, as for wo
        flat, out, of = [x for row in w for x in row], len(w), len(w[0])
        w = [[flat[i * out + k] for i in range(of)] for k in range(out)]
    return output(c.kept("fused", make).line(i), [list(col) for col in zip(*w)], bias_of(c, "out_bias"))


def self_weights(c, h, i):
    if c.n["m"] != c.n["n"]:
        raise NoFormula("m is not n in self-attention")
    return own_layer(c).weights(h, i)


def down(name, bias):
    def page(c):
        if c.p.biases == "no-output":
            return [mpf(0)] * len(c.x(name)[0])
        return [total(row[k] for row in c.x(name)) for k in range(len(c.x(name)[0]))]
    return page


LAYER = {"y": layer_y, "cross": cross, "fused": fused, "weights": self_weights, "dbo": down("dy", "bo"), "dbo_cross": down("dcross", "bo")}


# -- blocks --------------------------------------------------------------------------------------------------------------------------------------
class Block:
    """One block: get(name) gives an array or None; p the parameters of row block."""

    def __init__(self, c, get, token=None, keep=None, source=None):
        self.c, self.get, self.token, self.keep, self.source, self.p = c, get, token, keep, source, c.p

    def choice(self, name, otherwise):
        return self.p.of.get(name, (0, otherwise))[1]

    def norm(self, x, which):
        gain, shift = self.get("g" + which), self.get("s" + which)
        if self.choice("norm", "layer") == "rms":
            return root_normed(x, gain, self.p.eps)
        return layer_normed(x, gain, shift, self.p.eps)

    def attended(self, rows, others, wi, bi, wo, bo, crossing):
        """Rows attend to others; wi holds the weights of q, k, v side by side."""
        c, p = self.c, self.p
        w, b = self.get(wi), self.get(bi)
        kv, wide = p.of.get("kv_heads", (0, 0))[1] or p.heads, p.of.get("value_width", (0, 0))[1] or p.width
        cut = [0, p.heads * p.width, (p.heads + kv) * p.width, (p.heads + kv) * p.width + kv * wide]
        part = lambda lo, hi: ([r[lo:hi] for r in w], b[lo:hi] if b is not None else None)
        q, k, v = linear(rows, *part(*cut[:2])), linear(others, *part(*cut[1:3])), linear(others, *part(*cut[2:]))
        token = self.source if crossing else self.token
        keep = None
        if token is not None and len(token) != len(others):
            raise NoFormula("a mask of the memory over other keys")
        if token is not None or (self.keep is not None and not crossing):
            keep = [[int((token is None or token[j] != 0) and (crossing or self.keep is None or self.keep[i][j] != 0)) for j in range(len(others))] for i in range(len(rows))]
        given = dict(norm="none", causal=self.choice("cross_causal", "none") if crossing else p.causal, window=0 if crossing else self.choice("window", 0), kv_heads=kv, value_width=wide,
                     scale=p.logit_scale if "logit_scale" in p.of else mpf(0), rope=self.choice("rope", "off"), empty="zero")
        layer = Layer(c.part({}, **given), q, k, v, None, None, keep, None, not crossing)
        return [output(layer.line(i), self.get(wo), self.get(bo)) for i in range(len(rows))]

    def fed(self, rows):
        gated = self.choice("gated", "no")
        q = self.c.part({}, gated=gated)
        return [forward(q.p, r, self.get("w1"), self.get("b1"), self.get("wg"), self.get("bg"), self.get("w2"), self.get("b2")) for r in rows]

    def around(self, rows, f, which):
        """A sublayer with its residual and its norm."""
        p, residual = self.p, self.choice("residual", "input")
        own = [self.norm(r, which) for r in rows] if p.order == "pre" else rows
        out = f(own)
        y = [add(a, b) if residual == "input" else add(b, b) if residual == "doubled" else b for a, b in zip(rows, out)]
        return [self.norm(r, which) for r in y] if p.order == "post" else y

    def encode(self, x):
        attend = lambda rows: self.attended(rows, rows, "wi", "bi", "wo", "bo", False)
        if self.p.order == "parallel":
            residual = self.choice("residual", "input")
            if residual != "input":
                raise NoFormula("a parallel block with another residual")
            own = [self.norm(r, "a") for r in x]        # one norm for both (modeling_gptj.py ln_1)
            a, f = attend(own), self.fed(own)
            return [add(add(r, s), t) for r, s, t in zip(x, a, f)]
        return self.around(self.around(x, attend, "a"), self.fed, "f")

    def decode(self, x, memory):
        if self.p.order == "parallel":
            raise NoFormula("a parallel block of a decoder")
        met = x if self.choice("keys", "memory") == "own" else memory
        if self.choice("memory_norm", "none") == "again":       # whichever rows they are
            met = [self.norm(r, "x") for r in met]
        attend = lambda rows: self.attended(rows, rows, "wi", "bi", "wo", "bo", False)
        meet = lambda rows: self.attended(rows, met, "xi", "xb", "xo", "xc", True)
        y = self.around(x, attend, "a")
        y = self.around(y, meet, "x")
        return self.around(y, self.fed, "f")


def getter(c):
    return lambda name: c.x(name) if c.has(name) else None


def given(c, name):
    return c.x(name) if c.has(name) else None


def encoder(c, i):
    return c.kept("encoder", lambda: Block(c, getter(c), given(c, "token"), given(c, "keep")).encode(c.x("x")))[i]


def decoder(c, i):
    return c.kept("decoder", lambda: Block(c, getter(c), given(c, "token"), None, given(c, "source")).decode(c.x("x"), c.x("memory")))[i]


# -- encoder and decoder ---------------------------------------------------------------------------------------------------------------------------
class Stack:
    def __init__(self, c):
        self.c, self.p = c, c.p

    def placed(self, x, first):
        way = self.p.positions
        if way == "none" or (way == "first" and not first):
            return x
        return [add(r, self.c.kept(("place", i), lambda: sine_row(mpf(i), len(r), mpf(10000)))) for i, r in enumerate(x)]

    def block(self, k):
        """The weights of block k, counted over all blocks with encoders first; those of cross-attention are counted
        over decoders alone."""
        c, e = self.c, self.p.encoders
        def get(name):
            if not c.has(name):
                return None
            at = k - e if name in ("xi", "xb", "xo", "xc", "gx", "sx") else k
            return c.x(name)[at]
        crossed = self.c.part(self.c.arrays, causal="none" if k < e else self.p.causal)
        return Block(crossed, get, given(c, "source") if k < e else None, None, given(c, "source"))

    def final(self, rows, end):
        p, c = self.p, self.c
        if p.final == "never" or (p.final == "pre" and p.order != "pre"):
            return rows
        gain, shift = (c.x(n)[end] if c.has(n) else None for n in ("gl", "sl"))
        return [layer_normed(r, gain, shift, p.eps) for r in rows]

    def encoded(self):
        """After every block; the last one with the final norm."""
        x, all_of = self.c.x("src"), []
        for k in range(self.p.encoders):
            x = self.block(k).encode(self.placed(x, k == 0))
            all_of.append(x)
        if not all_of:
            all_of = [self.placed(x, True)]
        return all_of

    def decoded(self):
        p = self.p
        every = self.encoded()
        t = self.c.x("tgt")
        for k in range(p.decoders):
            depth = k if p.depth == "each" and k < p.encoders else len(every) - 1
            memory = self.final(every[depth], 0) if depth == len(every) - 1 else every[depth]
            t = self.block(p.encoders + k).decode(self.placed(t, k == 0), memory)
        return self.final(t, 1)

    def logits(self):
        return [times(r, self.c.x("head")) for r in self.decoded()]

    def logprob(self):
        rows = []
        for r in self.logits():
            _, lse = softmax(dict(enumerate(r)))
            rows.append([x - lse for x in r])
        return rows


ENCDEC = {"encoded": lambda c: (lambda s: s.final(s.encoded()[-1], 0))(Stack(c)), "decoded": lambda c: Stack(c).decoded(), "logits": lambda c: Stack(c).logits(),
          "logprob": lambda c: Stack(c).logprob()}
ROWS = {"layer": LAYER, "block": {"encoder": encoder, "decoder": decoder}, "encdec": ENCDEC}
