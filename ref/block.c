/* Transformer block: attention and a feed-forward layer, each with a residual and a norm.        Vaswani et al. 2017, section 3.1; Xiong et al. 2020
 *   order=post       a = N(x + A(x))        b = N(a + X(a, memory))        y = N(b + F(b))
 *   order=pre        a = x + A(N(x))        b = a + X(N(a), memory)        y = b + F(N(b))
 *   order=parallel   y = x + A(N(x)) + F(N(x))                             (encoder; GPT-J, PaLM)
 * encoder leaves out b.  A: row layer, self-attention; X: row layer, cross-attention; F: row feedforward; N: row layernorm or rmsnorm, with gains
 * ga, gx, gf and shifts sa, sx, sf of attention, cross-attention and feed-forward.  wi and xi hold the weights of q, k, v side by side.
 * causal, window, rope are of self-attention; cross_causal of cross-attention, which no published model masks.
 * Trap: a pre-norm stack needs one more norm at its end (row encdec).  Trap: FLAT's released code adds a sublayer's output to itself
 * (residual=doubled).  memory_norm=again: by gx once more, behind a norm that the encoder already ended with. */
#include <stdio.h>
#include <stdlib.h>
#include "ball.h"
#include "row.h"

struct block {
    long heads, kv_heads, width, value_width, window, keys_a_step;
    mpq_t eps, scale, base;
    int order, norm, residual, keys, memory, act, gated, causal, cross_causal, group, rope, layout, route, moments, apply;
};
enum { POST, PRE, PARALLEL }; enum { LAYER, RMS }; enum { INPUT, DOUBLED, NONE }; enum { MEMORY, OWN }; enum { AS_IT_IS, AGAIN };
enum { ADDITION }; /* of what a sublayer is given and what it makes */
static const char attending[] = "heads kv_heads width value_width group route block", turning[] = "causal window rope base layout";
extern const struct row row_block, row_layer, row_layernorm, row_rmsnorm, row_feedforward, row_attention, row_rope;

static long key_heads(const struct block *p) { return p->kv_heads ? p->kv_heads : p->heads; }
static long value_width(const struct block *p) { return p->value_width ? p->value_width : p->width; }
static void named(struct mer_array *in, int *n, struct ask *w, const char *theirs, const char *ours) /* handed on, where it is there */
{
    if (has_in(w, theirs))
        in[*n] = *array_in(w, theirs), in[(*n)++].name = ours;
}
static struct mer_array rows_of(const char *name, const struct ball **x, long n, long c) { return (struct mer_array){ .name = name, .type = BALLS, .rank = 2, .dim = { n, c }, .data = x }; }

static void norm(struct ask *w, const char *gain, const char *shift, const struct ball **x, long c, const struct ball **y) /* one row; y may be x */
{
    const struct block *p = w->params;
    struct mer_array in[3] = { rows_of("x", x, 1, c) };
    char text[200];
    int n = 1;
    named(in, &n, w, gain, "gain");
    if (p->norm == LAYER)
        named(in, &n, w, shift, "shift");
    params_pick(row_block.params, p, p->norm == RMS ? "eps" : "eps apply", text, sizeof text - 60);
    if (p->norm == LAYER)
        snprintf(text + strlen(text), 60, " affine=%s route=%s", n == 3 ? "gain-shift" : "gain", (const char *[]){ "two-passes", "one-pass", "welford" }[p->moments]);
    line_of(w, p->norm == RMS ? &row_rmsnorm : &row_layernorm, "y", text, in, n, NULL, c, y);
}

static struct mer_array columns(const char *name, const struct mer_array *a, long from, long n) /* of a[c,s], or entries of a[s] */
{
    const long s = a->dim[a->rank - 1], rows = array_len(a) / s;
    struct mer_array y = { .name = name, .type = a->type, .rank = a->rank, .dim = { a->rank == 2 ? rows : n, n }, .data = need((size_t)(rows * n) + 1, sizeof(double)) };
    for (long k = 0; k < rows * n; k++)
        array_put(&y, k, array_get(a, k / n * s + from + k % n));
    return y;
}

/* Row i of attention over rows of x (the others unread) and z; z NULL: self-attention. */
static void attend(struct ask *w, const struct mer_array *x, const struct mer_array *z, bool own, long i, const struct ball **y)
{
    static const char *const names[] = { "wq", "wk", "wv", "bq", "bk", "bv" };
    const struct block *p = w->params;
    const struct mer_array *weight = array_in(w, z ? "xi" : "wi"), *shift = mer_in(w->call, z ? "xb" : "bi");
    const long size[3] = { p->heads * p->width, key_heads(p) * p->width, key_heads(p) * value_width(p) };
    struct mer_array in[14] = { *x };
    char text[600];
    int n = 1, owned;
    for (long k = 0, from = 0; k < 3; from += size[k++]) {
        in[n++] = columns(names[k], weight, from, size[k]);
        if (shift)
            in[n++] = columns(names[k + 3], shift, from, size[k]);
    }
    owned = n, in[0].name = "x";
    named(in, &n, w, z ? "xo" : "wo", "wo"), named(in, &n, w, z ? "xc" : "bo", "bo"), named(in, &n, w, z && !own ? "source" : "token", "token");
    if (z)
        in[n] = *z, in[n++].name = "key", in[n] = *z, in[n++].name = "value";
    else
        named(in, &n, w, "keep", "keep");
    params_pick(row_block.params, p, attending, text, sizeof text);
    size_t at = strlen(text);
    at += (size_t)gmp_snprintf(text + at, sizeof text - at, " scale=%Qd ", p->scale);
    if (z)
        snprintf(text + at, sizeof text - at, "causal=%s", (const char *[]){ "none", "topleft", "bottomright" }[p->cross_causal]);
    else
        params_pick(row_block.params, p, turning, text + at, sizeof text - at);
    line_of(w, &row_layer, z ? "cross" : "y", text, in, n, (long[MER_RANK]){ i }, x->dim[1], y);
    while (--owned)
        free(in[owned].data);
}

static void feed(struct ask *w, const struct ball **x, long c, const struct ball **y) /* one row */
{
    static const char *const weights[] = { "w1", "w2", "wg" }, *const shifts[] = { "b1", "b2", "bg" };
    const struct block *p = w->params;
    struct mer_array in[7] = { rows_of("x", x, 1, c) };
    bool shifted = has_in(w, "b1") || has_in(w, "b2") || has_in(w, "bg");
    double *zero = need((size_t)(c + array_in(w, "w1")->dim[1]) + 1, sizeof *zero);
    char text[200];
    int n = 1;
    for (int k = 0; k < 2 + p->gated; k++) {
        named(in, &n, w, weights[k], weights[k]);
        if (shifted) /* one that is not there is 0 */
            in[n++] = has_in(w, shifts[k]) ? *array_in(w, shifts[k]) : (struct mer_array){ .name = shifts[k], .type = MER_F64, .rank = 1, .dim = { array_in(w, weights[k])->dim[1] }, .data = zero };
    }
    params_pick(row_block.params, p, "act gated", text, sizeof text);
    snprintf(text + strlen(text), 40, " bias=%s", shifted ? "yes" : "no");
    line_of(w, &row_feedforward, "y", text, in, n, NULL, c, y);
    free(zero);
}

static void add(struct ask *w, const struct ball *const *x, const struct ball *const *s, long c, const struct ball **y) /* y may be x or s */
{
    const int how = ((const struct block *)w->params)->residual;
    for (long k = 0; k < c; k++)
        y[k] = how == NONE ? s[k] : b_step(w, ADDITION, b_add(w, how == INPUT ? x[k] : s[k], s[k]));
}

/* Row i of x through a sublayer f: post, y = N(x + f(x)); pre, y = x + f(N(x)).  t: room for one row. */
static void page(struct ask *w, bool decoder, const struct ball **y)
{
    const struct block *p = w->params;
    const struct mer_array *x = array_in(w, "x"), *z = decoder ? array_in(w, p->keys == OWN ? "x" : "memory") : NULL;
    const long n = x->dim[0], c = x->dim[1], i = w->at[0], m = z ? z->dim[0] : 0;
    const struct ball **in = need((size_t)(n * c) + 1, sizeof *in), **t = need((size_t)c + 1, sizeof *t), **from = need((size_t)(m * c) + 1, sizeof *from);
    struct mer_array rows = rows_of("x", in, n, c);
    for (long k = 0; k < n * c; k++)
        in[k] = p->order != POST || k / c == i ? b_element(w, x, k) : NULL;
    memcpy(y, in + i * c, (size_t)c * sizeof *y);
    for (long j = 0; j < n && p->order != POST; j++)
        norm(w, "ga", "sa", in + j * c, c, in + j * c);
    attend(w, p->order == POST ? x : &rows, NULL, false, i, t);
    add(w, y, t, c, y);
    if (p->order == POST)
        norm(w, "ga", "sa", y, c, y);
    if (decoder) {
        struct mer_array memory = p->memory == AS_IT_IS ? *z : rows_of("key", from, m, c);
        for (long j = 0; j < m && p->memory == AGAIN; j++) {
            for (long k = 0; k < c; k++)
                t[k] = b_element(w, z, j * c + k);
            norm(w, "gx", "sx", t, c, from + j * c);
        }
        if (p->order == POST)
            memcpy(in + i * c, y, (size_t)c * sizeof *y);
        else
            norm(w, "gx", "sx", y, c, in + i * c);
        attend(w, &rows, &memory, p->keys == OWN, i, t);
        add(w, y, t, c, y);
        if (p->order == POST)
            norm(w, "gx", "sx", y, c, y);
    }
    if (p->order == PRE || decoder)
        memcpy(t, y, (size_t)c * sizeof *t);
    if (p->order == POST)
        feed(w, y, c, t);
    else if (p->order == PRE || decoder)
        norm(w, "gf", "sf", y, c, t), feed(w, t, c, t);
    else
        feed(w, in + i * c, c, t);
    add(w, y, t, c, y);
    if (p->order == POST)
        norm(w, "gf", "sf", y, c, y);
    free(in), free(t), free(from);
}
static void encoder(struct ask *w, const struct ball **y) { page(w, false, y); }
static void decoder(struct ask *w, const struct ball **y) { page(w, true, y); }

static long extent(const void *q, char axis)
{
    const struct block *p = q;
    return axis == 's' ? (p->heads + key_heads(p)) * p->width + key_heads(p) * value_width(p) : axis == 'u' ? p->heads * value_width(p) : axis == 't' ? 2 : 0;
}
static bool needs(const void *q, const char *input) { return !strcmp(input, "wg") && ((const struct block *)q)->gated; }
static const char *refuse(const void *q)
{
    const struct block *p = q;
    return p->heads % key_heads(p) ? "kv_heads: must divide heads" : p->rope && p->width % 2 ? "width: rope turns pairs" : mpq_sgn(p->base) <= 0 ? "base: must be positive" : mpq_sgn(p->eps) <= 0 ? "eps: must be greater than 0" : NULL;
}
static const struct param params[] = {
    { "order", "post", "where the norms stand", ENUM, offsetof(struct block, order), .choices = "post pre parallel" },
    { "norm", "layer", "layer normalisation, or root mean square", ENUM, offsetof(struct block, norm), .choices = "layer rms" },
    { "eps", "1/100000", "of the norms", RATIONAL, offsetof(struct block, eps) },
    { "residual", "input", "what a sublayer's output is added to: its input, itself, nothing", ENUM, offsetof(struct block, residual), .choices = "input doubled none" },
    { "act", "relu", "activation: row feedforward", ENUM, offsetof(struct block, act), .choices = "relu gelu gelu-tanh silu" },
    { "gated", "no", "act(x wg) (x w1) in place of act(x w1)", ENUM, offsetof(struct block, gated), .choices = "no yes" },
    { "heads", "2", "number of query heads H", INT, offsetof(struct block, heads), .least = 1, .most = 1024 },
    { "kv_heads", "0", "number of key heads G; 0 = heads", INT, offsetof(struct block, kv_heads), .least = 0, .most = 1024 },
    { "width", "4", "of a head's q and k", INT, offsetof(struct block, width), .least = 1, .most = 65536 },
    { "value_width", "0", "of a head's v; 0 = width", INT, offsetof(struct block, value_width), .least = 0, .most = 65536 },
    { "logit_scale", "0", "of attention; 0 = 1/sqrt(width)", RATIONAL, offsetof(struct block, scale) },
    { "causal", "none", "which keys query i may see", ENUM, offsetof(struct block, causal), .choices = "none topleft bottomright" },
    { "window", "0", "keys visible to the left, itself included; 0 = all", INT, offsetof(struct block, window), .least = 0, .most = 1 << 30 },
    { "group", "repeat", "which key head a query head reads", ENUM, offsetof(struct block, group), .choices = "repeat tile" },
    { "rope", "off", "rotary encoding of q and k of self-attention", ENUM, offsetof(struct block, rope), .choices = "off on" },
    { "base", "10000", "rope: w_k = base^(-2k/d)", RATIONAL, offsetof(struct block, base) },
    { "layout", "half", "rope: pairs (k, k + d/2) or (2k, 2k+1)", ENUM, offsetof(struct block, layout), .choices = "half interleaved" },
    { "keys", "memory", "of cross-attention: the memory's, or the decoder's own x", ENUM, offsetof(struct block, keys), .choices = "memory own" },
    { "memory_norm", "none", "the memory as it is, or by gx once more", ENUM, offsetof(struct block, memory), .choices = "none again" },
    { "cross_causal", "none", "which keys of the memory query i may see", ENUM, offsetof(struct block, cross_causal), .choices = "none topleft bottomright" },
    { "moments", "two-passes", "route of row layernorm", ROUTE, offsetof(struct block, moments), .choices = "two-passes one-pass welford" },
    { "apply", "centred", "of row layernorm: (x - mu) r, or x r - mu r", ROUTE, offsetof(struct block, apply), .choices = "centred folded" },
    { "route", "two-passes", "which algorithm rounds: ref/core/mix.h", ROUTE, offsetof(struct block, route), .choices = "two-passes online split exp2 lazy" },
    { "block", "16", "keys per step of online, lazy and split", INT, offsetof(struct block, keys_a_step), .least = 1, .most = 1 << 20 },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "causal=bottomright", "arXiv:1706.03762: post-norm; the decoder's mask" }, { "pre-norm", "order=pre act=gelu eps=1e-6", "arXiv:2002.04745; transformer_base_v2 of tensorflow/tensor2tensor" },
    { "llama", "order=pre norm=rms act=silu gated=yes heads=4 kv_heads=2 causal=bottomright rope=on", "huggingface/transformers modeling_llama.py" },
    { "gpt-j", "order=parallel act=gelu-tanh causal=bottomright rope=on layout=interleaved", "modeling_gptj.py" }, { 0 },
};
static const struct row *const parts[] = { &row_layer, &row_attention, &row_rope, &row_layernorm, &row_rmsnorm, &row_feedforward, NULL };
static const struct preset contracts[] = { { 0 } };
const struct row row_block = {
    .name = "block", .title = "Transformer block", .cite = "Vaswani et al. 2017",
    .steps = { "addition" }, .parts = parts,
    .params = params, .size = sizeof(struct block), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse, .needs = needs, .sizes = "c=6 f=7",
    .q = { { "x[n,c] wi[c,s] bi?[s] wo[u,c] bo?[c] ga[c] sa?[c] w1[c,f] b1?[f] wg?[c,f] bg?[f] w2[f,c] b2?[c] gf[c] sf?[c] int token?[n]<t int keep?[n,n]<t -> encoder[n|c]", encoder },
      { "x[n,c] memory[m,c] wi[c,s] bi?[s] wo[u,c] bo?[c] ga[c] sa?[c] xi[c,s] xb?[s] xo[u,c] xc?[c] gx[c] sx?[c] w1[c,f] b1?[f] wg?[c,f] bg?[f] w2[f,c] b2?[c] gf[c] sf?[c] int token?[n]<t int source?[m]<t -> decoder[n|c]", decoder } },
};
