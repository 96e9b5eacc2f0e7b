/* Direction-aware attention of TENER.                                   Yan, Deng, Li, Qiu 2019, eq. 6-8
 *   s[j] = <q_i, k_j> + <q_i, R_t> + <u, k_j> + <w, R_t>
 *   R_t = sinusoidal row t of head width d, not projected; no scale
 * t = c - j (paper) or j - c (code): parameter sign.  Query i stands at c = memory + i; u, w are the paper's u, v, one
 * vector a head.  Why it is directed: <q, R_t> = sum_k q_sin sin(w_k t) + q_cos cos(w_k t) has an odd part unless every
 * q_sin is 0.  The released code adds a fifth term <k_j, R_{-t}>, spaces frequencies by d/2 - 1, lays sines before
 * cosines and fills padding with -inf.
 * Gradients: dq_i = sum_j ds (k_j + R_t)    dk_j = sum_i ds (q_i + u, + R_{-t})    du = sum ds k_j    dw = sum ds R_t
 * Its index trick (a padded table read with another row length) is the law in proofs/tener.c.
 * Trap: its table of 1201 rows, distances -601 .. 599, is renewed only when L > 601: L = 601 reads distance 600, past
 * the end. */
#include <stdlib.h>
#include "relative/apart.h"
#include "relative/place.h"
#include "row/shared.h"
#include "row/memo.h"
#include "rotary/sine_row.h"

struct tener { long memory; struct sine_row sine; struct tiles tiles; int sign, extra, scale, empty; };
enum { QUERY_MINUS_KEY, KEY_MINUS_QUERY };
enum { NONE, KEY };
enum { EXTRA = FOUR_TERMS, TERMS };
enum { JOIN = GRAD_STEPS }; /* It rounds sums of terms, and of a query and its bias. */
extern const struct row row_tener;

static long distance(const struct ask *w, long i, long j)
{
    const struct tener *p = w->params;
    return apart(w, p->sign == KEY_MINUS_QUERY, p->memory, i, j);
}
static void make_row(struct ask *w, long t, long d, const struct ball **R)
{
    (void)d, sine_row(w, &((const struct tener *)w->params)->sine, t, R);
}
static void row_of(struct ask *w, long t, long d, const struct ball **R)
{
    memo_row(w, row_params(&row_tener), w->params, sizeof(struct tener), t, d, make_row, R);
}
static const struct placed here = { row_of, distance, "w", .bias = JOIN, .join = JOIN };

static void terms_of(struct ask *w, long h, long i, long j, const struct ball **t) /* t[TERMS] */
{
    const struct tener *p = w->params;
    const long d = p->sine.dim;
    const struct ball **R = need((size_t)d, sizeof *R);
    struct mer_array back = { .type = BALLS, .rank = 1, .dim = { d }, .data = R };
    placed_terms(w, &here, h, i, j, t);
    t[EXTRA] = b_si(w, 0);
    if (b_true(w, p->extra == KEY)) {
        row_of(w, -distance(w, i, j), d, R);
        t[EXTRA] = b_dot(w, PRODUCT, DOT, span(w, "k", h, j), (struct span){ &back, 0 }, d);
    }
    free(R);
}
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct tener *p = w->params;
    const struct ball *t[TERMS], *s;
    terms_of(w, h, i, j, t);
    s = t[CONTENT_TERM];
    const int all = b_true(w, p->extra == KEY) ? TERMS : EXTRA;
    for (int k = 1; k < all; k++)
        s = b_step(w, JOIN, b_add(w, s, t[k]));
    return mix_by_width(w, p->scale, s);
}
static struct mix mixing(const struct ask *w)
{
    const struct tener *p = w->params;
    return mix_on(w, (struct mix){ dim_in(w, "k", 1), score, mix_v, mix_kept, .empty = p->empty, .with = &here },
        &p->tiles);
}
static struct mix_grad gradient(const struct ask *w)
{
    return mix_grad_by_width(mixing(w), ((const struct tener *)w->params)->scale);
}
static const struct ball *met_by_key(struct ask *w, long h, long i, long c)
{
    const struct ball *s = placed_query(w, h, i, c);
    return b_true(w, ((const struct tener *)w->params)->extra == KEY) ?
        b_step(w, JOIN, b_add(w, s, placed_wave(w, &here, -distance(w, i, w->at[1]), c))) :
        s;
}

static void terms(struct ask *w, const struct ball **y) { terms_of(w, w->at[0], w->at[1], w->at[2], y); }
static void table(struct ask *w, const struct ball **y)
{
    sine_row(w, &((const struct tener *)w->params)->sine, i_in(w, "distance", w->at[0], 0), y);
}

static long extent(const void *q, char axis)
{
    return axis == 'd' ? ((const struct tener *)q)->sine.dim : axis == 't' ? TERMS : 0;
}
static const char *refuse(const void *q) { return sine_row_refuse(&((const struct tener *)q)->sine); }
static const struct param params[] = {
    { .as = &param_head_width, .at = offsetof(struct tener, sine.dim) },
    { .as = &param_memory, .at = offsetof(struct tener, memory) },
    { .as = &param_timescale, .at = offsetof(struct tener, sine.base) },
    { .as = &param_sign, .at = offsetof(struct tener, sign) },
    { "extra", "none", "fifth term <k_j, R_-t>", ENUM, offsetof(struct tener, extra), .choices = "none key" },
    { .as = &param_scaled, .at = offsetof(struct tener, scale) },
    { .as = &param_sine_layout, .at = offsetof(struct tener, sine.layout) },
    { .as = &param_sine_spacing, .at = offsetof(struct tener, sine.spacing) },
    { .as = &param_sine_odd, .at = offsetof(struct tener, sine.odd) },
    { .as = &param_empty, .at = offsetof(struct tener, empty) },
    { .list = tiles_params, .at = offsetof(struct tener, tiles) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:1911.04474" },
    { "code:fastnlp/TENER", "sign=key-query extra=key layout=concat spacing=shifted odd=zero empty=nan",
        "modules/relative_transformer.py" },
    { "scaled", "sign=key-query extra=key layout=concat spacing=shifted odd=zero scale=width",
        "modules/relative_transformer.py with scale=True" },
    { "odd width", "dim=7 sign=key-query extra=key layout=concat spacing=shifted odd=zero",
        "modules/relative_transformer.py: a zero column" },
    { 0 },
};
static const struct preset contracts[] = { { 0 } };
#define MIXING "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] w[h,d] "
#define GRADIENT MIXING "do[h,n,e] int keep?[h,n,m]<2 "
const struct row row_tener = {
    .name = "tener", .title = "direction-aware attention", .cite = "Yan et al. 2019",
    .steps = { mix_steps, grad_steps, "join" }, .parts = place_parts,
    .declares = params, .size = sizeof(struct tener), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse,
    .q = {
      { MIXING "int keep?[h,n,m]<2 -> o[h,n|e]", .ask = mix_output, .mix = mixing },
      { MIXING "int keep?[h,n,m]<2 -> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { "q[h,n,d] k[h,m,d] u[h,d] w[h,d] -> terms[h,n,m|t]", terms },
      { "int distance[n] -> r[n|d]", table },
      { "-> int index[n,m|]", .index = distance },
      { GRADIENT "-> dq[h,n|d]", .grad = mix_query_grad, .back = gradient, .met.key = placed_key },
      { GRADIENT "-> dk[h,m|d]", .grad = mix_key_grad, .back = gradient, .met = { mix_of_key, met_by_key } },
      { GRADIENT "-> dv[h,m|e]", .grad = mix_value_grad, .back = gradient, .met.of = mix_of_key },
      { GRADIENT "-> du[h|d]", .grad = mix_pair_grad, .back = gradient, .met = { mix_of_head, .key = mix_k } },
      { GRADIENT "-> dw[h|d]", .grad = mix_pair_grad, .back = gradient, .met = { mix_of_head, .key = placed_r } } },
};
