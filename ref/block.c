/* Transformer block: attention and a feed-forward layer, each with a residual and a norm.
 * Vaswani et al. 2017, section 3.1; Xiong et al. 2020
 *   order=post       a = N(x + A(x))        b = N(a + X(a, memory))        y = N(b + F(b))
 *   order=pre        a = x + A(N(x))        b = a + X(N(a), memory)        y = b + F(N(b))
 *   order=parallel   y = x + A(N(x)) + F(N(x))                             (encoder; GPT-J, PaLM)
 * encoder leaves out b.  A: row layer, self-attention; X: row layer, cross-attention; F: row feedforward; N: row
 * layernorm or rmsnorm, with gains ga, gx, gf and shifts sa, sx, sf of attention, cross-attention and feed-forward.  wi
 * and xi hold the weights of q, k, v side by side.  causal, window and rope are of self-attention; cross_causal of
 * cross-attention, which no published model masks.  memory_norm=again: what cross-attention reads goes
 * by gx once more, behind a norm that the encoder already ended with.  Parameters: ref/core/layer/block_params.c;
 * gradients: block_grad.c beside it.
 * Traps: a pre-norm stack needs one more norm at its end (row encdec).  FLAT's released code adds a sublayer's output
 * to itself (residual=doubled). */
#include <stdlib.h>
#include "layer/block.h"

/* Line i of output `out` of a part, which is asked once and freed. */
static void part(struct ask *w, struct sublayer s, const char *out, long i, long c, const struct ball **y)
{
    sublayer_line(w, &s, out, i, c, y);
    sublayer_free(&s);
}
/* The norm of one row of c numbers; y may be x. */
static void norm(
    struct ask *w, const char *gain, const char *shift, const struct ball **x, long c, const struct ball **y)
{
    part(w, block_norm(w, gain, shift, x, 1), "y", 0, c, y);
}
/* Attention of row i of x over the rows of z; where z is NULL, over the rows of x (self-attention). */
static void attend(
    struct ask *w, const struct mer_array *x, const struct mer_array *z, bool own, long i, const struct ball **y)
{
    part(w, block_attention(w, x, z, own), z ? "cross" : "y", i, x->dim[1], y);
}
/* The feed-forward layer of one row of c numbers. */
static void feed(struct ask *w, const struct ball **x, long c, const struct ball **y)
{
    part(w, block_feed(w, x, 1), "y", 0, c, y);
}

/* The residual of one row, x + s as parameter `residual` has it; y may be x or s. */
static void add(struct ask *w, const struct ball *const *x, const struct ball *const *s, long c, const struct ball **y)
{
    const int how = ((const struct block *)w->params)->residual;
    for (long k = 0; k < c; k++) {
        const struct ball *from = b_true(w, how == INPUT) ? x[k] : s[k];
        y[k] = b_true(w, how == NONE) ? s[k] : b_step(w, ADDITION, b_add(w, from, s[k]));
    }
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
    attend(w, b_true(w, p->order == POST) ? x : &rows, NULL, false, i, t);
    add(w, y, t, c, y);
    if (b_true(w, p->order == POST))
        norm(w, "ga", "sa", y, c, y);
    if (decoder) {
        struct mer_array memory = b_true(w, p->memory == AS_IT_IS) ? *z : rows_of("key", from, m, c);
        for (long j = 0; j < m && p->memory == AGAIN; j++) {
            for (long k = 0; k < c; k++)
                t[k] = b_element(w, z, j * c + k);
            norm(w, "gx", "sx", t, c, from + j * c);
        }
        if (b_true(w, p->order == POST))
            memcpy(in + i * c, y, (size_t)c * sizeof *y);
        else
            norm(w, "gx", "sx", y, c, in + i * c);
        attend(w, &rows, &memory, p->keys == OWN, i, t);
        add(w, y, t, c, y);
        if (b_true(w, p->order == POST))
            norm(w, "gx", "sx", y, c, y);
    }
    if (b_true(w, p->order == POST))
        feed(w, y, c, t);
    else if (b_true(w, p->order == PRE || decoder))
        norm(w, "gf", "sf", y, c, t), feed(w, t, c, t);
    else
        feed(w, in + i * c, c, t);
    add(w, y, t, c, y);
    if (b_true(w, p->order == POST))
        norm(w, "gf", "sf", y, c, y);
    free(in), free(t), free(from);
}
static void encoder(struct ask *w, const struct ball **y) { page(w, false, y); }
static void decoder(struct ask *w, const struct ball **y) { page(w, true, y); }

static void of_encoder(struct ask *w, const struct ball **y) { block_grad(w, false, (enum block_input)w->of, y); }
static void of_decoder(struct ask *w, const struct ball **y) { block_grad(w, true, (enum block_input)w->of, y); }

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
#define ATTENTION "wi[c,s] bi?[s] wo[u,c] bo?[c] ga[c] sa?[c] "
#define FORWARD "w1[c,f] b1?[f] wg?[c,f] bg?[f] w2[f,c] b2?[c] gf[c] sf?[c] int token?[n]<t "
#define ENCODER "x[n,c] " ATTENTION FORWARD "int keep?[n,n]<2 "
#define DECODER "x[n,c] memory[m,c] " ATTENTION "xi[c,s] xb?[s] xo[u,c] xc?[c] gx[c] sx?[c] " FORWARD \
    "int source?[m]<t "
#define ENCODER_LOSS ENCODER "dencoder[n,c] "
#define LOSS DECODER "ddecoder[n,c] "
const struct row row_block = {
    .name = "block", .title = "Transformer block", .cite = "Vaswani et al. 2017",
    .steps = { "addition" }, .parts = parts,
    .declares = block_params, .size = sizeof(struct block), .presets = presets, .contracts = contracts,
    .extent = block_extent, .refuse = block_refuse, .needs = block_needs, .sizes = "c=6 f=7",
    .q = {
      { ENCODER "-> encoder[n|c]", encoder }, { DECODER "-> decoder[n|c]", decoder },
      { ENCODER_LOSS "-> dx[|n,c]", of_encoder, .of = DX }, { ENCODER_LOSS "-> dwi[|c,s]", of_encoder, .of = DWI },
      { ENCODER_LOSS "-> dbi[|s]", of_encoder, .of = DBI }, { ENCODER_LOSS "-> dwo[|u,c]", of_encoder, .of = DWO },
      { ENCODER_LOSS "-> dbo[|c]", of_encoder, .of = DBO }, { ENCODER_LOSS "-> dga[|c]", of_encoder, .of = DGA },
      { ENCODER_LOSS "-> dsa[|c]", of_encoder, .of = DSA }, { ENCODER_LOSS "-> dw1[|c,f]", of_encoder, .of = DW1 },
      { ENCODER_LOSS "-> db1[|f]", of_encoder, .of = DB1 }, { ENCODER_LOSS "-> dwg[|c,f]", of_encoder, .of = DWG },
      { ENCODER_LOSS "-> dbg[|f]", of_encoder, .of = DBG }, { ENCODER_LOSS "-> dw2[|f,c]", of_encoder, .of = DW2 },
      { ENCODER_LOSS "-> db2[|c]", of_encoder, .of = DB2 }, { ENCODER_LOSS "-> dgf[|c]", of_encoder, .of = DGF },
      { ENCODER_LOSS "-> dsf[|c]", of_encoder, .of = DSF },
      { LOSS "-> dx_decoder[|n,c]", of_decoder, .of = DX },
      { LOSS "-> dmemory_decoder[|m,c]", of_decoder, .of = DMEMORY },
      { LOSS "-> dwi_decoder[|c,s]", of_decoder, .of = DWI }, { LOSS "-> dbi_decoder[|s]", of_decoder, .of = DBI },
      { LOSS "-> dwo_decoder[|u,c]", of_decoder, .of = DWO }, { LOSS "-> dbo_decoder[|c]", of_decoder, .of = DBO },
      { LOSS "-> dga_decoder[|c]", of_decoder, .of = DGA }, { LOSS "-> dsa_decoder[|c]", of_decoder, .of = DSA },
      { LOSS "-> dxi_decoder[|c,s]", of_decoder, .of = DXI }, { LOSS "-> dxb_decoder[|s]", of_decoder, .of = DXB },
      { LOSS "-> dxo_decoder[|u,c]", of_decoder, .of = DXO }, { LOSS "-> dxc_decoder[|c]", of_decoder, .of = DXC },
      { LOSS "-> dgx_decoder[|c]", of_decoder, .of = DGX }, { LOSS "-> dsx_decoder[|c]", of_decoder, .of = DSX },
      { LOSS "-> dw1_decoder[|c,f]", of_decoder, .of = DW1 }, { LOSS "-> db1_decoder[|f]", of_decoder, .of = DB1 },
      { LOSS "-> dwg_decoder[|c,f]", of_decoder, .of = DWG }, { LOSS "-> dbg_decoder[|f]", of_decoder, .of = DBG },
      { LOSS "-> dw2_decoder[|f,c]", of_decoder, .of = DW2 }, { LOSS "-> db2_decoder[|c]", of_decoder, .of = DB2 },
      { LOSS "-> dgf_decoder[|c]", of_decoder, .of = DGF }, { LOSS "-> dsf_decoder[|c]", of_decoder, .of = DSF } },
};
