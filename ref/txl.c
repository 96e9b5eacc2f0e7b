/* Transformer-XL's relative attention.                                                  Dai et al. 2019, section 3.3
 *   s[j] = scale (<q_i, k_j> + <q_i, r> + <u, k_j> + <v, r>)      r = W_kR R_delta, delta = M + i - j, M = m - n
 *                 (a) content  (b) position (c) content bias (d) position bias       computed as <q_i + u, k_j> + <q_i
 *                              + v, r>
 * R: the sinusoid of c columns, c the model's width; W_kR[h,c,d] is not W_kE, which made k.  u, v (here vr) one vector
 * a head, behind W_q:
 * the seeds' u in R^c is per model, and 001's u W_Q is this u.  An odd c ends in a zero column.
 * causal=none: every distance of a bidirectional layer (Conformer).  clamp: min(delta, clamp); -1 none.
 * sign=key-query: R at -delta.
 * Gradients, times scale: dq_i = sum_j ds (k_j + r)    dk_j = sum_i ds (q_i + u)    du = sum ds k_j    dv = sum ds r
 * dW_kR[c] = sum ds R[c] (q_i + v)
 * route=shift: (b) + (d) out of X[i][c] = <q_i + v, r of m - 1 - c>, P columns behind one of zeros, by the relative
 * shift (ref/core/row/index.h). P = m when causal (then right of j = M + i stands 0, then row i + 1), n + m - 1
 * otherwise.
 * given: o where r is an input, one vector for each distance 0 ..; others are cut to that range.  Layer:
 * ref/core/layer/project.h. */
#include <stdlib.h>
#include "row/memo.h"
#include "softmax/mix_grad.h"
#include "layer/place.h"
#include "layer/project.h"

struct txl { long clamp, block; mpq_t base, scale, eps; int sign, layout, causal, order, frequency, route, softmax; };
enum { QUERY_MINUS_KEY, KEY_MINUS_QUERY };
enum { CAUSAL, ALL };
enum { DIRECT, SKEWED };
enum { CONCAT, INTERLEAVED };
enum { POWERS, LOGARITHM };
/* (a + c) + (b + d), the residual; q + u, q + v; products and sums of W_kR and the layer */
enum { JOIN = GRAD_STEPS, BIAS, PROJECT, COLLECT, MEAN, NORM };
extern const struct row row_txl, row_sinusoid;

static long delta(const struct ask *w, long i, long j) { return dim_in(w, "k", 1) - dim_in(w, "q", 1) + i - j; }
static long cut(const struct txl *p, long distance)
{
    return p->clamp >= 0 && distance > p->clamp ? p->clamp : distance;
}
static struct place_waves waves_of(const struct txl *p)
{
    return (struct place_waves){ p->base, p->layout == INTERLEAVED, p->frequency == LOGARITHM };
}
static void make_row(struct ask *w, long distance, long c, const struct ball **R)
{
    const struct txl *p = w->params;
    long x = cut(p, distance);
    wave_row(w, waves_of(p), p->sign == KEY_MINUS_QUERY ? -x : x, c, R);
}

static void row_of(struct ask *w, long distance, long c, const struct ball **R)
{
    memo_row(w, row_txl.params, w->params, row_txl.size, distance, c, make_row, R);
}

/* <q_i, k_j> and <u, k_j>; <q_i, r> and <v, r> at a distance; without q or without the bias if so asked */
static const struct ball *at_key(struct ask *w, long h, long i, long j, bool query, const char *bias)
{
    return biased_dot(w, h, i, query, bias, BIAS, span(w, "k", h, j));
}
static const struct ball *at_place(struct ask *w, long h, long i, long distance, bool query, const char *bias)
{
    if (has_in(w, "r"))
        return biased_dot(
            w, h, i, query, bias, BIAS, span(w, "r", h, clip(cut(w->params, distance), 0, dim_in(w, "r", 1) - 1)));
    return wave_dot(w, (struct wave_steps){ PROJECT, COLLECT, BIAS }, row_of, distance, h, i, query, bias);
}
static const struct ball *shifted_place(struct ask *w, long h, long i, long j)
{
    long n = dim_in(w, "q", 1), m = dim_in(w, "k", 1),
         P = ((const struct txl *)w->params)->causal == CAUSAL ? m : n + m - 1;
    struct index_entry X = rel_shift(n, P + 1, i, j);
    return X.column == 0 ? b_si(w, 0) : at_place(w, h, X.row, m - X.column, true, "vr");
}
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct txl *p = w->params;
    const struct ball *s = at_key(w, h, i, j, true, "u");
    s = b_step(w, JOIN,
        b_add(w, s, p->route == SKEWED ? shifted_place(w, h, i, j) : at_place(w, h, i, delta(w, i, j), true, "vr")));
    return mix_scaled(w, s, p->scale);
}
static bool visible(const struct ask *w, long h, long i, long j)
{
    return mix_kept(w, h, i, j) && (((const struct txl *)w->params)->causal == ALL || delta(w, i, j) >= 0);
}
static struct mix mixing(const struct ask *w)
{
    const struct txl *p = w->params;
    return (struct mix){ dim_in(w, "k", 1), score, mix_v, visible, .route = p->softmax,
        .block = p->softmax == ONLINE ? p->block : 0 };
}

static const struct ball *scale_of(struct ask *w) { return mix_scale(w, ((const struct txl *)w->params)->scale); }
static struct mix_grad gradient(const struct ask *w) { return (struct mix_grad){ mixing(w), "do", scale_of }; }
/* R[c] of a pair */
static const struct ball *wave(struct ask *w, long i, long j, long c)
{
    return wave_entry(w, row_of, delta(w, i, j), c);
}
/* r[c] */
static const struct ball *place_of(struct ask *w, long h, long i, long j, long c)
{
    return wave_projected(w, row_of, delta(w, i, j), PROJECT, COLLECT, h, c);
}
static const struct ball *biased(struct ask *w, const char *bias, long h, long i, long c)
{
    return b_step(w, BIAS, b_add(w, mix_q(w, h, i, c), b_in(w, bias, h, c, 0)));
}
static const struct ball *with_u(struct ask *w, long h, long i, long c) { return biased(w, "u", h, i, c); }
static const struct ball *met_by_query(struct ask *w, long h, long i, long j, long c)
{
    return b_step(w, JOIN, b_add(w, mix_k(w, h, i, j, c), place_of(w, h, i, j, c)));
}
static const struct ball *met_by_map(struct ask *w, long h, long i, long j, long c)
{
    return b_step(w, PRODUCT, b_mul(w, wave(w, i, j, w->at[1]), biased(w, "vr", h, i, c)));
}
static void query_grad(struct ask *w, const struct ball **y)
{
    struct mix_grad g = gradient(w);
    mix_query_grad(w, &g, met_by_query, y);
}
static void key_grad(struct ask *w, const struct ball **y)
{
    struct mix_grad g = gradient(w);
    mix_key_grad(w, &g, mix_of_key, with_u, y);
}
static void value_grad(struct ask *w, const struct ball **y)
{
    struct mix_grad g = gradient(w);
    mix_value_grad(w, &g, mix_of_key, y);
}
static void u_grad(struct ask *w, const struct ball **y)
{
    struct mix_grad g = gradient(w);
    mix_pair_grad(w, &g, mix_of_head, mix_k, y);
}
static void v_grad(struct ask *w, const struct ball **y)
{
    struct mix_grad g = gradient(w);
    mix_pair_grad(w, &g, mix_of_head, place_of, y);
}
static void map_grad(struct ask *w, const struct ball **y)
{
    struct mix_grad g = gradient(w);
    mix_pair_grad(w, &g, mix_of_head, met_by_map, y);
}

static const struct ball *content(struct ask *w, long h, long i, long j) { return at_key(w, h, i, j, true, NULL); }
static const struct ball *position(struct ask *w, long h, long i, long j)
{
    return at_place(w, h, i, delta(w, i, j), true, NULL);
}
static const struct ball *content_bias(struct ask *w, long h, long i, long j) { return at_key(w, h, i, j, false, "u"); }
static const struct ball *position_bias(struct ask *w, long h, long i, long j)
{
    return at_place(w, h, i, delta(w, i, j), false, "vr");
}
static void shifted(struct ask *w, const struct ball **y) /* the trick alone, zero and stale entries included */
{
    for (long j = 0; j < w->len; j++) {
        struct index_entry X = rel_shift(dim_in(w, "s", 0), dim_in(w, "s", 1) + 1, w->at[0], j);
        y[j] = X.column ? b_in(w, "s", X.row, X.column - 1, 0) : b_si(w, 0);
    }
}

static struct around around(const struct ask *w)
{
    const struct txl *p = w->params;
    return (struct around){ &row_txl, "u vr wr", "mask", PROJECT, COLLECT, JOIN, MEAN, NORM, p->order, p->eps };
}
static void layer_weights(struct ask *w, const struct ball **y) { around_weights(w, around(w), y); }
static void layer_output(struct ask *w, const struct ball **y) { around_output(w, around(w), y); }

static const char *refuse(const void *q) { const struct txl *p = q; return wave_refuse(p->base, p->scale, p->eps); }
static int misfit(const void *q, const struct mer_call *c, char *why, size_t n)
{
    const struct mer_array *wr = mer_in(c, "wr");
    return wr ? wave_misfit(waves_of(q), wr->dim[1], why, n) : 0;
}
static const struct param params[] = {
    { "clamp", "-1", "distances are cut to at most this; -1 = not", INT, offsetof(struct txl, clamp), .least = -1,
        .most = 1L << 40 },
    { "base", "10000", "longest timescale", RATIONAL, offsetof(struct txl, base) },
    { "scale", "0", "0 = 1/sqrt(d)", RATIONAL, offsetof(struct txl, scale) },
    { "eps", "1/100000", "of the layer's normalisation", RATIONAL, offsetof(struct txl, eps) },
    { "sign", "query-key", "R at delta = M + i - j, or at -delta", ENUM, offsetof(struct txl, sign),
        .choices = "query-key key-query" },
    { "layout", "concat", "order of sines and cosines", ENUM, offsetof(struct txl, layout),
        .choices = "concat interleaved" },
    { "causal", "causal", "mask: j <= M + i, or every key", ENUM, offsetof(struct txl, causal),
        .choices = "causal none" },
    { "order", "post", "the layer's residual and normalisation", ENUM, offsetof(struct txl, order),
        .choices = "post pre none" },
    { "frequency", "powers", "how R's frequencies are computed", ROUTE, offsetof(struct txl, frequency),
        .choices = "powers logarithm" },
    { "softmax", "two-passes", "which algorithm rounds: ref/core/softmax/mix.h", ROUTE, offsetof(struct txl, softmax),
        .choices = "two-passes online" },
    { "block", "16", "keys per step of online", INT, offsetof(struct txl, block), .least = 1, .most = 1 << 20,
        .route = true },
    { "route", "direct", "position terms at their distance, or through the shift", ROUTE, offsetof(struct txl, route),
        .choices = "direct shift" },
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
static const struct row *const parts[] = { &row_sinusoid, NULL };
const struct row row_txl = {
    .name = "txl", .title = "relative attention with memory", .cite = "Dai et al. 2019",
    .steps = { mix_steps, grad_steps, "join bias project collect mean norm" }, .parts = parts,
    .params = params, .size = sizeof(struct txl), .presets = presets, .contracts = contracts, .refuse = refuse,
    .misfit = misfit, .sizes = "c=4 d=3 e=2",
    .q = { { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] int keep?[h,n,m] -> o[h,n|e]", .ask = mix_output,
    .mix = mixing }, { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] int keep?[h,n,m] -> lse[h,n|]",
    .ask = mix_lse, .mix = mixing },
      { "q[h,n,d] k[h,m,d] u[h,d] vr[h,d] wr[h,c,d] int keep?[h,n,m] -> weights[h,n|m]", .ask = mix_weights,
          .mix = mixing },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] r[h,p,d] int keep?[h,n,m] -> given[h,n|e]", .ask = mix_output,
          .mix = mixing },
      { "q[h,n,d] k[h,m,d] -> content[h,n|m]", .term = content },
      { "q[h,n,d] k[h,m,d] wr[h,c,d] -> position[h,n|m]", .term = position },
      { "q[h,n,d] k[h,m,d] u[h,d] -> content_bias[h,n|m]", .term = content_bias },
      { "q[h,n,d] k[h,m,d] vr[h,d] wr[h,c,d] -> position_bias[h,n|m]", .term = position_bias },
      { "s[n,m] -> shifted[n|m]", shifted },
      { "x[n,c] mem?[l,c] wq[h,c,d] wk[h,c,d] wv[h,c,e] bq?[h,d] bk?[h,d] bv?[h,e] u[h,d] vr[h,d] wr[h,c,d] gain?[c] "
          "shift?[c] int mask?[n,m] -> layer_weights[h,n|m]", layer_weights },
      { "x[n,c] mem?[l,c] wq[h,c,d] wk[h,c,d] wv[h,c,e] wo[h,e,c] bq?[h,d] bk?[h,d] bv?[h,e] bo?[c] u[h,d] vr[h,d] "
          "wr[h,c,d] gain?[c] shift?[c] int mask?[n,m] -> y[n|c]", layer_output },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] do[h,n,e] int keep?[h,n,m] -> dq[h,n|d]", query_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] do[h,n,e] int keep?[h,n,m] -> dk[h,m|d]", key_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] do[h,n,e] int keep?[h,n,m] -> dv[h,m|e]", value_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] do[h,n,e] int keep?[h,n,m] -> du[h|d]", u_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] do[h,n,e] int keep?[h,n,m] -> dvr[h|d]", v_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] do[h,n,e] int keep?[h,n,m] -> dwr[h,c|d]", map_grad } },
};
