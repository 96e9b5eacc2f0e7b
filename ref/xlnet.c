/* XLNet's relative attention.   Yang et al. 2019, sections 2.4, 2.5
 *   s[j] = scale (<q_i + u, k_j> + <q_i + v, r> + sum_s seg[i][j][s] <q_i + b, e_s>)
 *   r = W_kR R_delta, delta = M + i - j, M = m - n
 * u, v, b (r_w_bias, r_r_bias, r_s_bias of the code; here u, vr, rs): one vector a head.  R: sinusoids in two halves,
 * of both signs of delta. seg: one-hot, (1, 0) where query and key lie in one segment, (0, 1) where not; e (se): one
 * vector a head for each.
 * clamp cuts delta on both sides; -1 none.  sign=key-query: R at -delta (the second half of a bi_data batch).
 * Two streams share weights, keys and values, which are always the content's: the query stream brings q, its residual
 * and its own mask.
 * Gradients as of row txl, with e of the pair's segment beside r: dq_i = scale sum_j ds (k_j + r + e)
 * db = scale sum ds e    de_s = scale sum ds seg_s (q_i + b)
 * route=shift: the relative shift (ref/core/row/index.h) of X[n,P], column c at distance m - c, P = n + m (m + 1 if
 * causal), m columns kept.
 * rows, where given, stand for R: row t is what is used at delta = m - t.  The code hides by -1e30 on the score: in a
 * row with nothing visible it leaves a uniform mean, this row 0. */
#include <stdlib.h>
#include "row/memo.h"
#include "softmax/mix_grad.h"
#include "layer/place.h"
#include "layer/project.h"

struct xlnet {
    long clamp, block;
    mpq_t base, scale, eps;
    int sign, layout, causal, cut, frequency, route, softmax, sums;
};
enum { QUERY_MINUS_KEY, KEY_MINUS_QUERY };
enum { ALL, CAUSAL };
enum { SIDES, ABOVE };
enum { DIRECT, SKEWED };
enum { CONCAT, INTERLEAVED };
enum { POWERS, LOGARITHM };
enum { IN_TURN, PLACES_FIRST };
enum { JOIN = GRAD_STEPS, BIAS, PROJECT, COLLECT, MEAN, NORM };
extern const struct row row_xlnet, row_sinusoid;

static long delta(const struct ask *w, long i, long j) { return dim_in(w, "k", 1) - dim_in(w, "q", 1) + i - j; }
static struct place_waves waves_of(const struct xlnet *p)
{
    return (struct place_waves){ p->base, p->layout == INTERLEAVED, p->frequency == LOGARITHM };
}
static void make_row(struct ask *w, long distance, long c, const struct ball **R)
{
    const struct xlnet *p = w->params;
    long x = p->clamp < 0 ? distance : clip(distance, p->cut == SIDES ? -p->clamp : distance, p->clamp);
    wave_row(w, waves_of(p), p->sign == KEY_MINUS_QUERY ? -x : x, c, R);
}
static void sinusoid_of(struct ask *w, long distance, long c, const struct ball **R)
{
    memo_row(w, row_xlnet.params, w->params, row_xlnet.size, distance, c, make_row, R);
}
static void row_given(struct ask *w, long distance, long c, const struct ball **R)
{
    long t = dim_in(w, "k", 1) - distance;
    for (long k = 0; k < c; k++)
        R[k] = t >= 0 && t < dim_in(w, "rows", 0) ? b_in(w, "rows", t, k, 0) : b_nan(w);
}

static const struct ball *content(struct ask *w, long h, long i, long j)
{
    return biased_dot(w, h, i, true, "u", BIAS, span(w, "k", h, j));
}
static const struct ball *place(struct ask *w, long h, long i, long distance)
{
    return wave_dot(w, (struct wave_steps){ PROJECT, COLLECT, BIAS }, has_in(w, "rows") ? row_given : sinusoid_of,
        distance, h, i, true, "vr");
}
static const struct ball *position(struct ask *w, long h, long i, long j) { return place(w, h, i, delta(w, i, j)); }
static const struct ball *shifted_position(struct ask *w, long h, long i, long j)
{
    long n = dim_in(w, "q", 1), m = dim_in(w, "k", 1);
    struct index_entry X = rel_shift(n, ((const struct xlnet *)w->params)->causal == CAUSAL ? m + 1 : n + m, i, j);
    return place(w, h, X.row, m - X.column);
}
static const struct ball *segment(struct ask *w, long h, long i, long j)
{
    long S = dim_in(w, "se", 0), columns = dim_in(w, "seg", 1);
    const struct ball **t = need((size_t)S, sizeof *t), *s;
    for (long k = 0; k < S; k++)
        t[k] = j < columns ?
            b_step(w, PRODUCT,
                b_mul(w, b_in(w, "seg", i, j, k), biased_dot(w, h, i, true, "rs", BIAS, span(w, "se", k, h)))) :
            b_si(w, 0);
    s = b_sum(w, DOT, t, S);
    free(t);
    return s;
}
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct xlnet *p = w->params;
    const struct ball *x = content(w, h, i, j), *y = (p->route == SKEWED ? shifted_position : position)(w, h, i, j),
                      *z = segment(w, h, i, j);
    const struct ball *s = p->sums == IN_TURN ? b_add(w, b_step(w, JOIN, b_add(w, x, y)), z) :
                                                b_add(w, x, b_step(w, JOIN, b_add(w, y, z)));
    return mix_scaled(w, b_step(w, JOIN, s), p->scale);
}
static bool visible(const struct ask *w, long h, long i, long j)
{
    return mix_kept(w, h, i, j) && (((const struct xlnet *)w->params)->causal == ALL || delta(w, i, j) >= 0);
}
static struct mix mixing(const struct ask *w)
{
    const struct xlnet *p = w->params;
    return (struct mix){ dim_in(w, "k", 1), score, mix_v, visible, .route = p->softmax,
        .block = p->softmax == ONLINE ? p->block : 0 };
}

static const struct ball *scale_of(struct ask *w) { return mix_scale(w, ((const struct xlnet *)w->params)->scale); }
static struct mix_grad gradient(const struct ask *w) { return (struct mix_grad){ mixing(w), "do", scale_of }; }
static wave_of *row_now(const struct ask *w) { return has_in(w, "rows") ? row_given : sinusoid_of; }
/* R[c] of a pair */
static const struct ball *wave(struct ask *w, long i, long j, long c)
{
    return wave_entry(w, row_now(w), delta(w, i, j), c);
}
/* r[c] */
static const struct ball *place_of(struct ask *w, long h, long i, long j, long c)
{
    return wave_projected(w, row_now(w), delta(w, i, j), PROJECT, COLLECT, h, c);
}
static const struct ball *biased(struct ask *w, const char *bias, long h, long i, long c)
{
    return b_step(w, BIAS, b_add(w, mix_q(w, h, i, c), b_in(w, bias, h, c, 0)));
}
static const struct ball *with_u(struct ask *w, long h, long i, long c) { return biased(w, "u", h, i, c); }
static const struct ball *segment_of(struct ask *w, long h, long i, long j, long c) /* e of the pair */
{
    const long S = dim_in(w, "se", 0);
    const struct ball **t = need((size_t)S, sizeof *t), *y;
    for (long k = 0; k < S; k++)
        t[k] = j < dim_in(w, "seg", 1) ? b_step(w, PRODUCT, b_mul(w, b_in(w, "seg", i, j, k), b_in(w, "se", k, h, c))) :
                                         b_si(w, 0);
    y = b_sum(w, DOT, t, S);
    free(t);
    return y;
}
static const struct ball *met_by_query(struct ask *w, long h, long i, long j, long c)
{
    return b_step(w, JOIN,
        b_add(w, b_step(w, JOIN, b_add(w, mix_k(w, h, i, j, c), place_of(w, h, i, j, c))), segment_of(w, h, i, j, c)));
}
static const struct ball *met_by_map(struct ask *w, long h, long i, long j, long c)
{
    return b_step(w, PRODUCT, b_mul(w, wave(w, i, j, w->at[1]), biased(w, "vr", h, i, c)));
}
static const struct ball *met_by_segment(struct ask *w, long h, long i, long j, long c)
{
    return j < dim_in(w, "seg", 1) ?
        b_step(w, PRODUCT, b_mul(w, b_in(w, "seg", i, j, w->at[0]), biased(w, "rs", h, i, c))) :
        b_si(w, 0);
}
static bool of_second(const struct ask *w, long h, long i, long j) { (void)i, (void)j; return h == w->at[1]; }
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
static void b_grad(struct ask *w, const struct ball **y)
{
    struct mix_grad g = gradient(w);
    mix_pair_grad(w, &g, mix_of_head, segment_of, y);
}
static void segment_grad(struct ask *w, const struct ball **y)
{
    struct mix_grad g = gradient(w);
    mix_pair_grad(w, &g, of_second, met_by_segment, y);
}

static void table_page(struct ask *w, const struct ball **y)
{
    sinusoid_of(w, i_in(w, "distance", w->at[0], 0), w->len, y);
}
static void shifted(struct ask *w, const struct ball **y) /* the trick alone; an entry behind the end: no number */
{
    for (long j = 0; j < w->len; j++) {
        struct index_entry X = rel_shift(dim_in(w, "s", 0), dim_in(w, "s", 1), w->at[0], j);
        y[j] = X.row < dim_in(w, "s", 0) ? b_in(w, "s", X.row, X.column, 0) : b_nan(w);
    }
}

static struct around around(const struct ask *w)
{
    const struct xlnet *p = w->params;
    return (struct around){ &row_xlnet, "u vr wr rs se seg rows", "mask", PROJECT, COLLECT, JOIN, MEAN, NORM,
        AROUND_POST, p->eps, .query = "query" };
}
static void layer_weights(struct ask *w, const struct ball **y) { around_weights(w, around(w), y); }
static void layer_output(struct ask *w, const struct ball **y) { around_output(w, around(w), y); }

static const char *refuse(const void *q) { const struct xlnet *p = q; return wave_refuse(p->base, p->scale, p->eps); }
/* rows that are given stand for sinusoids */
static int misfit(const void *q, const struct mer_call *c, char *why, size_t n)
{
    const struct mer_array *wr = mer_in(c, "wr"), *table = mer_out(c, "table");
    return (wr && !mer_in(c, "rows") && wave_misfit(waves_of(q), wr->dim[1], why, n)) ||
            (table && wave_misfit(waves_of(q), table->dim[1], why, n)) ?
        -1 :
        0;
}
static const struct param params[] = {
    { "clamp", "-1", "distances are cut to -clamp..clamp; -1 = not", INT, offsetof(struct xlnet, clamp), .least = -1,
        .most = 1L << 40 },
    { "base", "10000", "longest timescale", RATIONAL, offsetof(struct xlnet, base) },
    { "scale", "0", "0 = 1/sqrt(d)", RATIONAL, offsetof(struct xlnet, scale) },
    { "eps", "1e-12", "of the layer's normalisation", RATIONAL, offsetof(struct xlnet, eps) },
    { "sign", "query-key", "R at delta = M + i - j, or at -delta", ENUM, offsetof(struct xlnet, sign),
        .choices = "query-key key-query" },
    { "layout", "concat", "order of sines and cosines", ENUM, offsetof(struct xlnet, layout),
        .choices = "concat interleaved" },
    { "causal", "none", "mask: every key (attn_type bi), or j <= M + i (uni)", ENUM, offsetof(struct xlnet, causal),
        .choices = "none causal" },
    { "cut", "both", "clamp cuts both sides, or from above only (Transformer-XL)", ENUM, offsetof(struct xlnet, cut),
        .choices = "both above" },
    { "frequency", "powers", "how R's frequencies are computed", ROUTE, offsetof(struct xlnet, frequency),
        .choices = "powers logarithm" },
    { "softmax", "two-passes", "which algorithm rounds: ref/core/softmax/mix.h", ROUTE, offsetof(struct xlnet, softmax),
        .choices = "two-passes online" },
    { "block", "16", "keys per step of online", INT, offsetof(struct xlnet, block), .least = 1, .most = 1 << 20,
        .route = true },
    { "sums", "in-turn", "(content + position) + segment, or content + (position + segment)", ROUTE,
        offsetof(struct xlnet, sums), .choices = "in-turn places-first" },
    { "route", "direct", "position terms at their distance, or through the shift", ROUTE, offsetof(struct xlnet, route),
        .choices = "direct shift" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:1906.08237" },
    { "code:zihangdai/xlnet", "route=shift clamp=4", "modeling.py: attn_type bi; clamp_len of the released "
        "configurations is -1" },
    { "code:zihangdai/xlnet, uni", "route=shift causal=causal sign=key-query",
        "modeling.py: attn_type uni; a backward half of bi_data" },
    { 0 },
};
static const struct preset contracts[] = { { 0 } };
static const struct row *const parts[] = { &row_sinusoid, NULL };
const struct row row_xlnet = {
    .name = "xlnet", .title = "relative attention of two streams with segments", .cite = "Yang et al. 2019",
    .steps = { mix_steps, grad_steps, "join bias project collect mean norm" }, .parts = parts,
    .params = params, .size = sizeof(struct xlnet), .presets = presets, .contracts = contracts, .refuse = refuse,
    .misfit = misfit, .sizes = "c=4 d=3 e=2 s=2",
    .q = { { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[p,c] int "
    "keep?[h,n,m] -> o[h,n|e]", .ask = mix_output, .mix = mixing },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[p,c] int keep?[h,n,m] "
          "-> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { "q[h,n,d] k[h,m,d] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[p,c] int keep?[h,n,m] -> "
          "weights[h,n|m]", .ask = mix_weights, .mix = mixing },
      { "q[h,n,d] k[h,m,d] u[h,d] -> content[h,n|m]", .term = content },
      { "q[h,n,d] k[h,m,d] vr[h,d] wr[h,c,d] rows?[p,c] -> position[h,n|m]", .term = position },
      { "q[h,n,d] rs[h,d] se[s,h,d] seg[n,m,s] -> segment[h,n|m]", .term = segment },
      { "int distance[p] -> table[p|c]", table_page },
      { "s[n,p] -> shifted[n|m]", shifted },
      { "x[n,c] query?[n,c] mem?[l,c] wq[h,c,d] wk[h,c,d] wv[h,c,e] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] "
          "seg[n,m,s] rows?[p,c] mask?[n,m] -> layer_weights[h,n|m]", layer_weights },
      { "x[n,c] query?[n,c] mem?[l,c] wq[h,c,d] wk[h,c,d] wv[h,c,e] wo[h,e,c] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] "
          "se[s,h,d] seg[n,m,s] rows?[p,c] gain?[c] shift?[c] mask?[n,m] -> y[n|c]", layer_output },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[p,c] do[h,n,e] int "
          "keep?[h,n,m] -> dq[h,n|d]", query_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[p,c] do[h,n,e] int "
          "keep?[h,n,m] -> dk[h,m|d]", key_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[p,c] do[h,n,e] int "
          "keep?[h,n,m] -> dv[h,m|e]", value_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[p,c] do[h,n,e] int "
          "keep?[h,n,m] -> du[h|d]", u_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[p,c] do[h,n,e] int "
          "keep?[h,n,m] -> dvr[h|d]", v_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[p,c] do[h,n,e] int "
          "keep?[h,n,m] -> dwr[h,c|d]", map_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[p,c] do[h,n,e] int "
          "keep?[h,n,m] -> drs[h|d]", b_grad },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[p,c] do[h,n,e] int "
          "keep?[h,n,m] -> dse[s,h|d]", segment_grad } },
};
