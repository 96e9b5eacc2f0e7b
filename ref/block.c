/* Transformer block: attention and a feed-forward layer, each with a residual and a norm.
 * Vaswani et al. 2017, section 3.1; Xiong et al. 2020
 *   order=post       a = N(x + A(x))        b = N(a + X(a, memory))        y = N(b + F(b))
 *   order=pre        a = x + A(N(x))        b = a + X(N(a), memory)        y = b + F(N(b))
 *   order=parallel   y = x + A(N(x)) + F(N(x))                             (encoder; GPT-J, PaLM)
 * encoder leaves out b.  A: row layer, self-attention; X: row layer, cross-attention; F: row feedforward; N: row
 * layernorm or rmsnorm, with gains
 * ga, gx, gf and shifts sa, sx, sf of attention, cross-attention and feed-forward.  wi and xi hold the weights of q, k,
 * v side by side. causal, window, rope are of self-attention; cross_causal of cross-attention, which no published model
 * masks.
 * Trap: a pre-norm stack needs one more norm at its end (row encdec).  Trap: FLAT's released code adds a sublayer's
 * output to itself
 * (residual=doubled).  memory_norm=again: by gx once more, behind a norm that the encoder already ended with. */
#include <stdlib.h>
#include "layer/block.h"

/* one row; y may be x */
static void norm(
    struct ask *w, const char *gain, const char *shift, const struct ball **x, long c, const struct ball **y)
{
    struct sublayer s = block_norm(w, gain, shift, x, 1);
    sublayer_line(w, &s, "y", 0, c, y);
    sublayer_free(&s);
}
/* row i over rows of x (the others unread) and z; z NULL: self-attention */
static void attend(
    struct ask *w, const struct mer_array *x, const struct mer_array *z, bool own, long i, const struct ball **y)
{
    struct sublayer s = block_attention(w, x, z, own);
    sublayer_line(w, &s, z ? "cross" : "y", i, x->dim[1], y);
    sublayer_free(&s);
}
static void feed(struct ask *w, const struct ball **x, long c, const struct ball **y) /* one row */
{
    struct sublayer s = block_feed(w, x, 1);
    sublayer_line(w, &s, "y", 0, c, y);
    sublayer_free(&s);
}

/* y may be x or s */
static void add(struct ask *w, const struct ball *const *x, const struct ball *const *s, long c, const struct ball **y)
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
    const struct ball **in = need((size_t)(n * c) + 1, sizeof *in), **t = need((size_t)c + 1, sizeof *t),
                      **from = need((size_t)(m * c) + 1, sizeof *from);
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

static void gradient(struct ask *w, const struct ball **y) { block_grad(w, w->form, (enum block_input)w->of, y); }

static long extent(const void *q, char axis)
{
    const struct block *p = q;
    return axis == 's' ? block_size(p, 0) + block_size(p, 1) + block_size(p, 2) :
        axis == 'u'    ? p->heads * (p->value_width ? p->value_width : p->width) :
        axis == 't'    ? 2 :
                         0;
}
static bool needs(const void *q, const char *input) { return !strcmp(input, "wg") && ((const struct block *)q)->gated; }
static const char *refuse(const void *q)
{
    const struct block *p = q;
    return p->kv_heads && p->heads % p->kv_heads ? "kv_heads: must divide heads" :
        p->rope && p->width % 2                  ? "width: rope turns pairs" :
        mpq_sgn(p->base) <= 0                    ? "base: must be positive" :
        mpq_sgn(p->eps) < 0                      ? "eps: must not be below 0" :
                                                   NULL;
}
static const struct param params[] = {
    { "order", "post", "where the norms stand", ENUM, offsetof(struct block, order), .choices = "post pre parallel" },
    { "norm", "layer", "layer normalisation, or root mean square", ENUM, offsetof(struct block, norm),
        .choices = "layer rms" },
    { "eps", "1/100000", "of the norms", RATIONAL, offsetof(struct block, eps) },
    { "residual", "input", "what a sublayer's output is added to: its input, itself, nothing", ENUM,
        offsetof(struct block, residual), .choices = "input doubled none" },
    { "act", "relu", "activation: row feedforward", ENUM, offsetof(struct block, act),
        .choices = "relu gelu gelu-tanh silu" },
    { "gated", "no", "act(x wg) (x w1) in place of act(x w1)", ENUM, offsetof(struct block, gated),
        .choices = "no yes" },
    { "heads", "2", "number of query heads H", INT, offsetof(struct block, heads), .least = 1, .most = 1024 },
    { "kv_heads", "0", "number of key heads G; 0 = heads", INT, offsetof(struct block, kv_heads), .least = 0,
        .most = 1024 },
    { "width", "4", "of a head's q and k", INT, offsetof(struct block, width), .least = 1, .most = 65536 },
    { "value_width", "0", "of a head's v; 0 = width", INT, offsetof(struct block, value_width), .least = 0,
        .most = 65536 },
    { "logit_scale", "0", "of attention; 0 = 1/sqrt(width)", RATIONAL, offsetof(struct block, scale) },
    { "causal", "none", "which keys query i may see", ENUM, offsetof(struct block, causal),
        .choices = "none topleft bottomright" },
    { "window", "0", "keys visible to the left, itself included; 0 = all", INT, offsetof(struct block, window),
        .least = 0, .most = 1 << 30 },
    { "group", "repeat", "which key head a query head reads", ENUM, offsetof(struct block, group),
        .choices = "repeat tile" },
    { "rope", "off", "rotary encoding of q and k of self-attention", ENUM, offsetof(struct block, rope),
        .choices = "off on" },
    { "base", "10000", "rope: w_k = base^(-2k/d)", RATIONAL, offsetof(struct block, base) },
    { "layout", "half", "rope: pairs (k, k + d/2) or (2k, 2k+1)", ENUM, offsetof(struct block, layout),
        .choices = "half interleaved" },
    { "keys", "memory", "of cross-attention: the memory's, or the decoder's own x", ENUM, offsetof(struct block, keys),
        .choices = "memory own" },
    { "memory_norm", "none", "the memory as it is, or by gx once more", ENUM, offsetof(struct block, memory),
        .choices = "none again" },
    { "cross_causal", "none", "which keys of the memory query i may see", ENUM, offsetof(struct block, cross_causal),
        .choices = "none topleft bottomright" },
    { "moments", "two-passes", "route of row layernorm", ROUTE, offsetof(struct block, moments),
        .choices = "two-passes one-pass welford" },
    { "apply", "centred", "of row layernorm: (x - mu) r, or x r - mu r", ROUTE, offsetof(struct block, apply),
        .choices = "centred folded" },
    { "route", "two-passes", "which algorithm rounds: ref/core/softmax/mix.h", ROUTE, offsetof(struct block, route),
        .choices = "two-passes online split exp2 lazy" },
    { "block", "16", "keys per step of online, lazy and split", INT, offsetof(struct block, keys_a_step), .least = 1,
        .most = 1 << 20, .route = true },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "causal=bottomright", "arXiv:1706.03762: post-norm; the decoder's mask" },
    { "pre-norm", "order=pre act=gelu eps=1e-6", "arXiv:2002.04745; transformer_base_v2 of tensorflow/tensor2tensor" },
    { "llama", "order=pre norm=rms act=silu gated=yes heads=4 kv_heads=2 causal=bottomright rope=on",
        "huggingface/transformers modeling_llama.py" },
    { "gpt-j", "order=parallel act=gelu-tanh causal=bottomright rope=on layout=interleaved", "modeling_gptj.py" },
    { 0 },
};
static const struct row *const parts[] = { &row_layer, &row_attention, &row_rope, &row_layernorm, &row_rmsnorm,
    &row_feedforward, NULL };
static const struct preset contracts[] = { { 0 } };
#define ENCODER                                                                                                        \
    "x[n,c] wi[c,s] bi?[s] wo[u,c] bo?[c] ga[c] sa?[c] w1[c,f] b1?[f] wg?[c,f] bg?[f] w2[f,c] b2?[c] gf[c] sf?[c] "    \
    "int "                                                                                                             \
    "token?[n]<t int keep?[n,n]<t "
#define DECODER                                                                                                        \
    "x[n,c] memory[m,c] wi[c,s] bi?[s] wo[u,c] bo?[c] ga[c] sa?[c] xi[c,s] xb?[s] xo[u,c] xc?[c] gx[c] sx?[c] "        \
    "w1[c,f] "                                                                                                         \
    "b1?[f] wg?[c,f] bg?[f] w2[f,c] b2?[c] gf[c] sf?[c] int token?[n]<t int source?[m]<t "
const struct row row_block = {
    .name = "block", .title = "Transformer block", .cite = "Vaswani et al. 2017",
    .steps = { "addition" }, .parts = parts,
    .params = params, .size = sizeof(struct block), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse, .needs = needs, .sizes = "c=6 f=7",
    .q = { { ENCODER "-> encoder[n|c]", encoder }, { DECODER "-> decoder[n|c]", decoder },
      { ENCODER "dencoder[n,c] -> dx[|n,c]", gradient, .of = DX },
      { ENCODER "dencoder[n,c] -> dwi[|c,s]", gradient, .of = DWI },
      { ENCODER "dencoder[n,c] -> dbi[|s]", gradient, .of = DBI },
      { ENCODER "dencoder[n,c] -> dwo[|u,c]", gradient, .of = DWO },
      { ENCODER "dencoder[n,c] -> dbo[|c]", gradient, .of = DBO },
      { ENCODER "dencoder[n,c] -> dga[|c]", gradient, .of = DGA },
      { ENCODER "dencoder[n,c] -> dsa[|c]", gradient, .of = DSA },
      { ENCODER "dencoder[n,c] -> dw1[|c,f]", gradient, .of = DW1 },
      { ENCODER "dencoder[n,c] -> db1[|f]", gradient, .of = DB1 },
      { ENCODER "dencoder[n,c] -> dwg[|c,f]", gradient, .of = DWG },
      { ENCODER "dencoder[n,c] -> dbg[|f]", gradient, .of = DBG },
      { ENCODER "dencoder[n,c] -> dw2[|f,c]", gradient, .of = DW2 },
      { ENCODER "dencoder[n,c] -> db2[|c]", gradient, .of = DB2 },
      { ENCODER "dencoder[n,c] -> dgf[|c]", gradient, .of = DGF },
      { ENCODER "dencoder[n,c] -> dsf[|c]", gradient, .of = DSF },
      { DECODER "ddecoder[n,c] -> dx_decoder[|n,c]", gradient, .of = DX, .form = true },
      { DECODER "ddecoder[n,c] -> dmemory_decoder[|m,c]", gradient, .of = DMEMORY, .form = true },
      { DECODER "ddecoder[n,c] -> dwi_decoder[|c,s]", gradient, .of = DWI, .form = true },
      { DECODER "ddecoder[n,c] -> dbi_decoder[|s]", gradient, .of = DBI, .form = true },
      { DECODER "ddecoder[n,c] -> dwo_decoder[|u,c]", gradient, .of = DWO, .form = true },
      { DECODER "ddecoder[n,c] -> dbo_decoder[|c]", gradient, .of = DBO, .form = true },
      { DECODER "ddecoder[n,c] -> dga_decoder[|c]", gradient, .of = DGA, .form = true },
      { DECODER "ddecoder[n,c] -> dsa_decoder[|c]", gradient, .of = DSA, .form = true },
      { DECODER "ddecoder[n,c] -> dxi_decoder[|c,s]", gradient, .of = DXI, .form = true },
      { DECODER "ddecoder[n,c] -> dxb_decoder[|s]", gradient, .of = DXB, .form = true },
      { DECODER "ddecoder[n,c] -> dxo_decoder[|u,c]", gradient, .of = DXO, .form = true },
      { DECODER "ddecoder[n,c] -> dxc_decoder[|c]", gradient, .of = DXC, .form = true },
      { DECODER "ddecoder[n,c] -> dgx_decoder[|c]", gradient, .of = DGX, .form = true },
      { DECODER "ddecoder[n,c] -> dsx_decoder[|c]", gradient, .of = DSX, .form = true },
      { DECODER "ddecoder[n,c] -> dw1_decoder[|c,f]", gradient, .of = DW1, .form = true },
      { DECODER "ddecoder[n,c] -> db1_decoder[|f]", gradient, .of = DB1, .form = true },
      { DECODER "ddecoder[n,c] -> dwg_decoder[|c,f]", gradient, .of = DWG, .form = true },
      { DECODER "ddecoder[n,c] -> dbg_decoder[|f]", gradient, .of = DBG, .form = true },
      { DECODER "ddecoder[n,c] -> dw2_decoder[|f,c]", gradient, .of = DW2, .form = true },
      { DECODER "ddecoder[n,c] -> db2_decoder[|c]", gradient, .of = DB2, .form = true },
      { DECODER "ddecoder[n,c] -> dgf_decoder[|c]", gradient, .of = DGF, .form = true },
      { DECODER "ddecoder[n,c] -> dsf_decoder[|c]", gradient, .of = DSF, .form = true } },
};
