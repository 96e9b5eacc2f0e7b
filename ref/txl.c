/* Transformer-XL's relative attention.                                                  Dai et al. 2019, section 3.3
 *   s[j] = scale (<q_i, k_j> + <q_i, r> + <u, k_j> + <v, r>)      r = W_kR R_delta, delta = M + i - j, M = m - n
 *                 (a) content  (b) position (c) content bias (d) position bias
 *   computed as scale (<q_i + u, k_j> + <q_i + v, r>)
 * R is the sinusoid of c columns, c the model's width; an odd c ends in a zero column.  wr = W_kR[h,c,d] is not W_kE,
 * which made k.  u and v (here vr) are one vector a head, added behind W_q: the seeds' u in R^c is one for the model,
 * and 001's u W_Q is this u.  causal=none: every distance of a bidirectional layer (Conformer).  clamp: R at
 * min(delta, clamp), -1: no clamp.  sign=key-query: R at -delta.
 * route=shift reads (b) + (d) from X[i][c] = <q_i + v, r of distance m - 1 - c>, P columns behind one of zeros, by the
 * relative shift (core/relative/memory.c).  P = m when causal: right of j = M + i then stands a 0, and behind it row
 * i + 1; otherwise P = n + m - 1.
 * Quantity `given` is o where r is an input, one vector for each distance from 0; others are cut to that range.
 * Gradients, times scale: dq_i = sum_j ds (k_j + r)    dk_j = sum_i ds (q_i + u)    du = sum ds k_j    dv = sum ds r
 * dW_kR[c] = sum ds R[c] (q_i + v).  The layer around it: ref/core/layer/project.h. */
#include "layer/project.h"
#include "relative/memory.h"

struct txl { struct memory of; int causal, order; };
enum { CAUSAL, ALL };
extern const struct row row_txl;

static void row_of(struct ask *w, long distance, long c, const struct ball **R)
{
    memory_row(w, &row_txl, distance, false, c, R);
}
static const struct placed here = { row_of, memory_delta, "vr", PROJECT, COLLECT, BIAS, JOIN };

/* <q_i, k_j> and <u, k_j>; <q_i, r> and <v, r> of a distance: without q, or without the bias, if so asked. */
static const struct ball *at_key(struct ask *w, long h, long i, long j, bool query, const char *bias)
{
    return biased_dot(w, h, i, query, bias, BIAS, span(w, "k", h, j));
}
static const struct ball *at_place(struct ask *w, long h, long i, long distance, bool query, const char *bias)
{
    if (!has_in(w, "r"))
        return placed_dot(w, &here, distance, h, i, query, bias);
    const long at = i_clip(w, memory_cut(w, distance, false), 0, dim_in(w, "r", 1) - 1);
    return biased_dot(w, h, i, query, bias, BIAS, span(w, "r", h, at));
}
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct txl *p = w->params;
    const struct memory_entry X = memory_entry(w, p->causal == CAUSAL, i, j);
    const bool zeros = p->of.route == SKEWED && X.distance == dim_in(w, "k", 1);
    const struct ball *s = at_key(w, h, i, j, true, "u"),
                      *place = b_true(w, zeros) ? b_si(w, 0) : at_place(w, h, X.query, X.distance, true, "vr");
    return mix_scaled(w, b_step(w, JOIN, b_add(w, s, place)), p->of.scale);
}
static struct mix mixing(const struct ask *w)
{
    return memory_mix(w, score, ((const struct txl *)w->params)->causal == ALL ? mix_kept : memory_past, &here);
}
static struct mix_grad gradient(const struct ask *w) { return memory_grad(mixing(w)); }
static const struct ball *content(struct ask *w, long h, long i, long j) { return at_key(w, h, i, j, true, NULL); }
static const struct ball *position(struct ask *w, long h, long i, long j)
{
    return at_place(w, h, i, memory_delta(w, i, j), true, NULL);
}
static const struct ball *content_bias(struct ask *w, long h, long i, long j) { return at_key(w, h, i, j, false, "u"); }
static const struct ball *position_bias(struct ask *w, long h, long i, long j)
{
    return at_place(w, h, i, memory_delta(w, i, j), false, "vr");
}
static void shifted(struct ask *w, const struct ball **y) { memory_shifted(w, true, y); }

static struct around around(struct ask *w)
{
    const struct txl *p = w->params;
    return (struct around){ &row_txl, "u vr wr", "mask", PROJECT, COLLECT, JOIN, MEAN, NORM, p->order, p->of.eps };
}

static const struct param params[] = {
    { "clamp", "-1", "distances are cut to at most this; -1 = not", INT, offsetof(struct memory, clamp), .least = -1,
        .most = 1L << 40 },
    { .list = memory_scale_params },
    { "eps", "1/100000", "of the layer's normalisation", RATIONAL, offsetof(struct memory, eps) },
    { .list = memory_wave_params },
    { "causal", "causal", "mask: j <= M + i, or every key", ENUM, offsetof(struct txl, causal),
        .choices = "causal none" },
    { "order", "post", "the layer's residual and normalisation", ENUM, offsetof(struct txl, order),
        .choices = "post pre none" },
    { .list = memory_route_params },
    { .as = &memory_route, .at = offsetof(struct memory, route) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:1901.02860" },
    { "seed", "scale=1 layout=interleaved", "001_46dc594335e7cb0b.txt; the table of the Transformer" },
    { "code:kimiyoung/transformer-xl", "route=shift clamp=5 order=pre",
        "mem_transformer.py; clamp_len is 400 (wt103 base), 820 (enwik8), 1000 (large)" },
    { "code:huggingface/transformers", "causal=none layout=interleaved order=none frequency=logarithm route=shift",
        "modeling_wav2vec2_conformer.py" },
    { 0 },
};
static const struct preset contracts[] = { { 0 } };
#define SCORES "u[h,d] vr[h,d] wr[h,c,d] "
#define GRADIENT "q[h,n,d] k[h,m,d] v[h,m,e] " SCORES "do[h,n,e] int keep?[h,n,m]<2 "
#define LAYER "bq?[h,d] bk?[h,d] bv?[h,e] "
const struct row row_txl = {
    .name = "txl", .title = "relative attention with memory", .cite = "Dai et al. 2019",
    .steps = { mix_steps, grad_steps, memory_steps }, .parts = place_parts,
    .declares = params, .size = sizeof(struct txl), .presets = presets, .contracts = contracts, .refuse = memory_refuse,
    .misfit = memory_misfit, .sizes = "c=4 d=3 e=2",
    .q = {
      { "q[h,n,d] k[h,m,d] v[h,m,e] " SCORES "int keep?[h,n,m]<2 -> o[h,n|e]", .ask = mix_output, .mix = mixing },
      { "q[h,n,d] k[h,m,d] v[h,m,e] " SCORES "int keep?[h,n,m]<2 -> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { "q[h,n,d] k[h,m,d] " SCORES "int keep?[h,n,m]<2 -> weights[h,n|m]", .ask = mix_weights, .mix = mixing },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] r[h,p,d] int keep?[h,n,m]<2 -> given[h,n|e]", .ask = mix_output,
          .mix = mixing },
      { "q[h,n,d] k[h,m,d] -> content[h,n|m]", .term = content },
      { "q[h,n,d] k[h,m,d] wr[h,c,d] -> position[h,n|m]", .term = position },
      { "q[h,n,d] k[h,m,d] u[h,d] -> content_bias[h,n|m]", .term = content_bias },
      { "q[h,n,d] k[h,m,d] vr[h,d] wr[h,c,d] -> position_bias[h,n|m]", .term = position_bias },
      { "s[n,m] -> shifted[n|m]", shifted },
      { "x[n,c] mem?[l,c] wq[h,c,d] wk[h,c,d] wv[h,c,e] " LAYER SCORES "gain?[c] shift?[c] int mask?[n,m]<2 "
          "-> layer_weights[h,n|m]", .layer = around_weights, .around_of = around },
      { "x[n,c] mem?[l,c] wq[h,c,d] wk[h,c,d] wv[h,c,e] wo[h,e,c] " LAYER "bo?[c] " SCORES "gain?[c] shift?[c] "
          "int mask?[n,m]<2 -> y[n|c]", .layer = around_output, .around_of = around },
      { GRADIENT "-> dq[h,n|d]", .grad = mix_query_grad, .back = gradient, .met.key = placed_key },
      { GRADIENT "-> dk[h,m|d]", .grad = mix_key_grad, .back = gradient, .met = { mix_of_key, placed_query } },
      { GRADIENT "-> dv[h,m|e]", .grad = mix_value_grad, .back = gradient, .met.of = mix_of_key },
      { GRADIENT "-> du[h|d]", .grad = mix_pair_grad, .back = gradient, .met = { mix_of_head, .key = mix_k } },
      { GRADIENT "-> dvr[h|d]", .grad = mix_pair_grad, .back = gradient, .met = { mix_of_head, .key = placed_r } },
      { GRADIENT "-> dwr[h,c|d]", .grad = mix_pair_grad, .back = gradient,
          .met = { mix_of_head, .key = placed_query_v, .last = placed_column } },
    } };
