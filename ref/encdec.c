/* Encoder-decoder Transformer.   Vaswani et al. 2017, section 3 and figure 1
 *   x_0 = src + p    x_b = encoder_b(x_b-1)    memory = x_E          t_0 = tgt + p    t_b = decoder_b(t_b-1, memory)
 *   logits = t_D head        logprob = logits - log sum exp logits
 * Blocks are row block's; their weights lie behind one another, the E of the encoder first (l = E + D; cross-attention
 * q = D).  p: row sinusoid,
 * added at the first block alone (positions=first).  final: a norm at the end of both stacks (gl, sl; e = 2): pre-norm
 * stacks need it; torch.nn.Transformer has it always. Gradients of logprob (of logits and decoded: its stages; of the
 * encoder alone: those of row block): core/encdec.h. Trap: the decoder reads the encoder's last block, at every depth
 * (depth=each: the one of its own depth). */
#include <stdlib.h>
#include "layer/encdec.h"
#include "row/shared.h"

static void encoded(struct ask *w, const struct ball **y) /* It fills all of [m][c] at once. */
{
    const struct ball **x = encdec_encode(w, ((const struct encdec *)w->params)->encoders, NULL, NULL);
    memcpy(y, x, (size_t)w->len * sizeof *y);
    free(x);
}
static void decoded(struct ask *w, const struct ball **y)
{
    const struct ball **t = encdec_decode(w, NULL, NULL);
    memcpy(y, t, (size_t)w->len * sizeof *y);
    free(t);
}
static void logits(struct ask *w, const struct ball **y) /* It fills all of [n][v] at once. */
{
    const struct ball **t = encdec_decode(w, NULL, NULL);
    encdec_logits(w, t, y);
    free(t);
}
static void logprob(struct ask *w, const struct ball **y)
{
    logits(w, y);
    encdec_logprob(w, y, dim_in(w, "tgt", 0), dim_in(w, "head", 1));
}

static void gradient(struct ask *w, const struct ball **y) { encdec_grad(w, (enum encdec_input)w->of, y); }
static long extent(const void *q, char axis)
{
    const struct encdec *p = q;
    return axis == 'l' ? p->encoders + p->decoders :
        axis == 'q'    ? p->decoders :
        axis == 'e'    ? 2 :
        axis == 's'    ? 3 * p->heads * p->width :
        axis == 'u'    ? p->heads * p->width :
        axis == 't'    ? 2 :
                         0;
}
static bool needs(const void *q, const char *input) { return !strcmp(input, "gl") && encdec_normed(q); }
static const char *refuse(const void *q)
{
    return mpq_sgn(((const struct encdec *)q)->eps) >= 0 ? NULL : "eps: must not be below 0";
}
static const struct param params[] = {
    { "encoders", "1", "blocks of the encoder, E", INT, offsetof(struct encdec, encoders), .least = 1, .most = 1024 },
    { "decoders", "1", "blocks of the decoder, D", INT, offsetof(struct encdec, decoders), .least = 1, .most = 1024 },
    { "order", "post", "where the norms stand: row block", ENUM, offsetof(struct encdec, order),
        .choices = "post pre" },
    { "final", "pre", "a norm behind the last block: of pre-norm stacks, of any, of none", ENUM,
        offsetof(struct encdec, final), .choices = "pre always never" },
    { "positions", "first", "where sinusoids are added", ENUM, offsetof(struct encdec, positions),
        .choices = "first every none" },
    { "depth", "last", "which encoder block a decoder block reads", ENUM, offsetof(struct encdec, depth),
        .choices = "last each" },
    { .as = &param_act, .at = offsetof(struct encdec, act) },
    { .as = &param_norms_eps, .at = offsetof(struct encdec, eps) },
    { "heads", "2", "number of heads", INT, offsetof(struct encdec, heads), .least = 1, .most = 1024 },
    { "width", "3", "of a head", INT, offsetof(struct encdec, width), .least = 1, .most = 65536 },
    { "causal", "topleft", "of the decoder's self-attention", ENUM, offsetof(struct encdec, causal),
        .choices = "none topleft" },
    { "cross_causal", "none", "of cross-attention", ENUM, offsetof(struct encdec, cross_causal),
        .choices = "none topleft bottomright" },
    { "residual", "input", "row block", ENUM, offsetof(struct encdec, residual), .choices = "input doubled none" },
    { "memory_norm", "none", "row block", ENUM, offsetof(struct encdec, memory), .choices = "none again" },
    { .as = &param_moments, .at = offsetof(struct encdec, moments) },
    { .as = &param_apply, .at = offsetof(struct encdec, apply) },
    { .as = &param_mixing_route, .at = offsetof(struct encdec, route) },
    { .as = &param_mixing_block, .at = offsetof(struct encdec, keys_a_step) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:1706.03762: 6 and 6 blocks there; here one each, since bounds of a deep stack say nothing: "
        "judge it block by block" },
    { "pre-norm", "order=pre act=gelu", "arXiv:2002.04745" },
    { 0 },
};
static const struct row *const parts[] = { &row_block, &row_layer, &row_attention, &row_rope, &row_layernorm,
    &row_rmsnorm, &row_feedforward, &row_sinusoid, NULL };
static const struct preset contracts[] = { { 0 } };
#define ENCODER \
    "src[m,c] wi[l,c,s] bi?[l,s] wo[l,u,c] bo?[l,c] ga[l,c] sa?[l,c] w1[l,c,f] b1?[l,f] w2[l,f,c] b2?[l,c] gf[l,c] " \
    "sf?[l,c] gl?[e,c] sl?[e,c] int source?[m]<t "
#define DECODER ENCODER "tgt[n,c] xi[q,c,s] xb?[q,s] xo[q,u,c] xc?[q,c] gx[q,c] sx?[q,c] "
#define LOSS DECODER "head[c,v] dlogprob[n,v] "
const struct row row_encdec = {
    .name = "encdec", .title = "encoder-decoder Transformer", .cite = "Vaswani et al. 2017",
    .steps = { "place head read off odds mass logmass join" }, .parts = parts,
    .declares = params, .size = sizeof(struct encdec), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse, .needs = needs, .misfit = encdec_misfit, .sizes = "c=6 f=7 v=5",
    .q = { { ENCODER "-> encoded[|m,c]", encoded }, { DECODER "-> decoded[|n,c]", decoded },
    { DECODER "head[c,v] -> logits[|n,v]", logits }, { DECODER "head[c,v] -> logprob[|n,v]", logprob },
      { LOSS "-> dsrc[|m,c]", gradient, .of = D_SRC },
      { LOSS "-> dtgt[|n,c]", gradient, .of = D_TGT },
      { LOSS "-> dwi[|l,c,s]", gradient, .of = D_WI },
      { LOSS "-> dbi[|l,s]", gradient, .of = D_BI },
      { LOSS "-> dwo[|l,u,c]", gradient, .of = D_WO },
      { LOSS "-> dbo[|l,c]", gradient, .of = D_BO },
      { LOSS "-> dga[|l,c]", gradient, .of = D_GA },
      { LOSS "-> dsa[|l,c]", gradient, .of = D_SA },
      { LOSS "-> dw1[|l,c,f]", gradient, .of = D_W1 },
      { LOSS "-> db1[|l,f]", gradient, .of = D_B1 },
      { LOSS "-> dw2[|l,f,c]", gradient, .of = D_W2 },
      { LOSS "-> db2[|l,c]", gradient, .of = D_B2 },
      { LOSS "-> dgf[|l,c]", gradient, .of = D_GF },
      { LOSS "-> dsf[|l,c]", gradient, .of = D_SF },
      { LOSS "-> dxi[|q,c,s]", gradient, .of = D_XI },
      { LOSS "-> dxb[|q,s]", gradient, .of = D_XB },
      { LOSS "-> dxo[|q,u,c]", gradient, .of = D_XO },
      { LOSS "-> dxc[|q,c]", gradient, .of = D_XC },
      { LOSS "-> dgx[|q,c]", gradient, .of = D_GX },
      { LOSS "-> dsx[|q,c]", gradient, .of = D_SX },
      { LOSS "-> dgl[|e,c]", gradient, .of = D_GL },
      { LOSS "-> dsl[|e,c]", gradient, .of = D_SL }, { LOSS "-> dhead[|c,v]", gradient, .of = D_HEAD },
    },
};
