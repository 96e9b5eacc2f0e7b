/* XLNet's relative attention.   Yang et al. 2019, sections 2.4, 2.5
 *   s[j] = scale (<q_i + u, k_j> + <q_i + v, r> + sum_s seg[i][j][s] <q_i + b, e_s>)
 *   r = W_kR R_delta, delta = M + i - j, M = m - n
 * u, v, b (r_w_bias, r_r_bias, r_s_bias of the code; here u, vr, rs) are one vector a head.  R: sinusoids in two
 * halves, of both signs of delta.  seg is one-hot: (1, 0) where query and key lie in one segment, (0, 1) where not; e
 * (se) has one vector a head for each.  clamp cuts delta on both sides; -1: not.  sign=key-query: R at -delta (the
 * second half of a bi_data batch).  rows, where given, stand for R: row t is what is used at delta = m - t.
 * The two streams share weights, keys and values, which are always the content's: the query stream brings q, its
 * residual and its own mask.
 * route=shift: the relative shift of the terms of position, ref/core/relative/memory.h.
 * Gradients as of row txl, with the pair's e beside r:  dq_i = scale sum_j ds (k_j + r + e)    db = scale sum ds e
 * de_s = scale sum ds seg_s (q_i + b)
 * Trap: the code hides by -1e30 on the score, so a row with nothing visible is a uniform mean there, and 0 here. */
#include <stdlib.h>
#include "layer/project.h"
#include "relative/memory.h"

struct xlnet { struct memory of; int causal, cut, sums; };
enum { ALL, CAUSAL };
enum { SIDES, ABOVE };
enum { IN_TURN, PLACES_FIRST };
extern const struct row row_xlnet;

static void row_of(struct ask *w, long distance, long c, const struct ball **R)
{
    memory_row(w, &row_xlnet, distance, ((const struct xlnet *)w->params)->cut == SIDES, c, R);
}
static const struct placed here = { row_of, memory_delta, "vr", PROJECT, COLLECT, BIAS, JOIN };

static const struct ball *content(struct ask *w, long h, long i, long j)
{
    return biased_dot(w, h, i, true, "u", BIAS, span(w, "k", h, j));
}
static const struct ball *place(struct ask *w, long h, struct memory_entry X)
{
    return placed_dot(w, &here, X.distance, h, X.query, true, "vr");
}
static const struct ball *position(struct ask *w, long h, long i, long j)
{
    return place(w, h, (struct memory_entry){ i, memory_delta(w, i, j) });
}

/* sum_s seg[i][j][s] <q_i + b, e_s>, or of e_s[c] where c >= 0; beyond the columns of seg 0. */
static const struct ball *by_segment(struct ask *w, long h, long i, long j, long c)
{
    const long S = dim_in(w, "se", 0);
    const struct ball **t = need((size_t)S, sizeof *t), *y;
    for (long s = 0; s < S; s++) {
        const struct ball *e = j >= dim_in(w, "seg", 1) ? NULL :
            c >= 0 ? b_in(w, "se", s, h, c) : biased_dot(w, h, i, true, "rs", BIAS, span(w, "se", s, h));
        t[s] = e ? b_step(w, PRODUCT, b_mul(w, b_in(w, "seg", i, j, s), e)) : b_si(w, 0);
    }
    y = b_sum(w, DOT, t, S);
    free(t);
    return y;
}
static const struct ball *segment(struct ask *w, long h, long i, long j) { return by_segment(w, h, i, j, -1); }
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct xlnet *p = w->params;
    const struct ball *x = content(w, h, i, j), *y = place(w, h, memory_entry(w, p->causal == CAUSAL, i, j));
    return mix_scaled(w, mix_terms(w, JOIN, p->sums == PLACES_FIRST, x, y, segment(w, h, i, j)), p->of.scale);
}
static struct mix mixing(const struct ask *w)
{
    return memory_mix(w, score, ((const struct xlnet *)w->params)->causal == ALL ? mix_kept : memory_past, &here);
}

static struct mix_grad gradient(const struct ask *w) { return memory_grad(mixing(w)); }
static const struct ball *met_by_query(struct ask *w, long h, long i, long j, long c)
{
    return b_step(w, JOIN, b_add(w, placed_key(w, h, i, j, c), by_segment(w, h, i, j, c)));
}
static const struct ball *met_by_segment(struct ask *w, long h, long i, long j, long c)
{
    const struct ball *seg = b_in(w, "seg", i, j, w->at[0]);
    return b_step(w, PRODUCT, b_mul(w, seg, b_step(w, BIAS, b_add(w, mix_q(w, h, i, c), b_in(w, "rs", h, c, 0)))));
}
static bool of_second(const struct ask *w, long h, long i, long j) { (void)i, (void)j; return h == w->at[1]; }

static void table_page(struct ask *w, const struct ball **y)
{
    row_of(w, i_in(w, "distance", w->at[0], 0), w->len, y);
}
static void shifted(struct ask *w, const struct ball **y) { memory_shifted(w, false, y); }

static struct around around(struct ask *w)
{
    const struct memory *p = w->params;
    return (struct around){ &row_xlnet, "u vr wr rs se seg rows", "mask", PROJECT, COLLECT, JOIN, MEAN, NORM,
        AROUND_POST, p->eps, .query = "query" };
}
static const struct param params[] = {
    { "clamp", "-1", "distances are cut to -clamp..clamp; -1 = not", INT, offsetof(struct memory, clamp), .least = -1,
        .most = 1L << 40 },
    { .list = memory_scale_params },
    { "eps", "1e-12", "of the layer's normalisation", RATIONAL, offsetof(struct memory, eps) },
    { .list = memory_wave_params },
    { "causal", "none", "mask: every key (attn_type bi), or j <= M + i (uni)", ENUM, offsetof(struct xlnet, causal),
        .choices = "none causal" },
    { "cut", "both", "clamp cuts both sides, or from above only (Transformer-XL)", ENUM, offsetof(struct xlnet, cut),
        .choices = "both above" },
    { .list = memory_route_params },
    { "sums", "in-turn", "(content + position) + segment, or content + (position + segment)", ROUTE,
        offsetof(struct xlnet, sums), .choices = "in-turn places-first" },
    { .as = &memory_route, .at = offsetof(struct memory, route) },
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
#define SCORES "u[h,d] vr[h,d] wr[h,c,d] rs[h,d] se[s,h,d] seg[n,m,s] rows?[r,c] "
#define MIXING "q[h,n,d] k[h,m,d] v[h,m,e] " SCORES
#define GRADIENT MIXING "do[h,n,e] int keep?[h,n,m]<2 "
#define LAYER "x[n,c] query?[n,c] mem?[l,c] wq[h,c,d] wk[h,c,d] wv[h,c,e] "
const struct row row_xlnet = {
    .name = "xlnet", .title = "relative attention of two streams with segments", .cite = "Yang et al. 2019",
    .steps = { mix_steps, grad_steps, memory_steps }, .parts = place_parts,
    .declares = params, .size = sizeof(struct xlnet), .presets = presets, .contracts = contracts,
    .refuse = memory_refuse, .misfit = memory_misfit, .sizes = "c=4 d=3 e=2 s=2 r=32",
    .q = {
      { MIXING "int keep?[h,n,m]<2 -> o[h,n|e]", .ask = mix_output, .mix = mixing },
      { MIXING "int keep?[h,n,m]<2 -> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { "q[h,n,d] k[h,m,d] " SCORES "int keep?[h,n,m]<2 -> weights[h,n|m]", .ask = mix_weights, .mix = mixing },
      { "q[h,n,d] k[h,m,d] u[h,d] -> content[h,n|m]", .term = content },
      { "q[h,n,d] k[h,m,d] vr[h,d] wr[h,c,d] rows?[r,c] -> position[h,n|m]", .term = position },
      { "q[h,n,d] rs[h,d] se[s,h,d] seg[n,m,s] -> segment[h,n|m]", .term = segment },
      { "int distance[p] -> table[p|c]", table_page }, { "s[n,p] -> shifted[n|m]", shifted },
      { LAYER SCORES "mask?[n,m] -> layer_weights[h,n|m]", .layer = around_weights, .around_of = around },
      { LAYER "wo[h,e,c] " SCORES "gain?[c] shift?[c] mask?[n,m] -> y[n|c]",
          .layer = around_output, .around_of = around },
      { GRADIENT "-> dq[h,n|d]", .grad = mix_query_grad, .back = gradient, .met.key = met_by_query },
      { GRADIENT "-> dk[h,m|d]", .grad = mix_key_grad, .back = gradient, .met = { mix_of_key, placed_query } },
      { GRADIENT "-> dv[h,m|e]", .grad = mix_value_grad, .back = gradient, .met.of = mix_of_key },
      { GRADIENT "-> du[h|d]", .grad = mix_pair_grad, .back = gradient, .met = { mix_of_head, .key = mix_k } },
      { GRADIENT "-> dvr[h|d]", .grad = mix_pair_grad, .back = gradient, .met = { mix_of_head, .key = placed_r } },
      { GRADIENT "-> dwr[h,c|d]", .grad = mix_pair_grad, .back = gradient,
          .met = { mix_of_head, .key = placed_query_v, .last = placed_column } },
      { GRADIENT "-> drs[h|d]", .grad = mix_pair_grad, .back = gradient, .met = { mix_of_head, .key = by_segment } },
      { GRADIENT "-> dse[s,h|d]", .grad = mix_pair_grad, .back = gradient,
          .met = { of_second, .key = met_by_segment } } },
};
