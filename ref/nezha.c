/* Functional relative positions.   Wei et al. 2019, section 2.2 (NEZHA)
 *   s[j] = <q_i, k_j + t[r]> / sqrt(d)      o_i = sum_j p[j] (v_j + t[r])      r = clip(x, -reach, reach) + reach
 *   t[r] = the sinusoid of d columns, one table for keys and values, at angle (r - reach) w (paper) or r w (code):
 *   parameter argument
 * x = j - c, query i stands at c = memory + i.  An odd width ends in a zero column.  d is the width of a head, not of
 * the model.  mask=add: a hidden key's score is lowered by 10000 (the code), so a row with nothing visible is the
 * softmax of its own scores.  Layers: token = 0 hides a key (padding).
 * Gradients: dq_i = sum_j ds_ij (k_j + t[r]) / sqrt(d); dk and dv as without t, but for ds, which sees v_j + t[r].
 * Trap: code and paper differ by the angle reach w, a rotation of q, k, v and o (proofs): trained weights take it up,
 * numbers do not. */
#include "layer/project.h"
#include "row/shared.h"
#include "relative/apart.h"
#include "relative/place.h"
#include "row/memo.h"

struct nezha {
    long dim, reach, memory; struct tiles tiles; mpq_t base; int sign, argument, layout, mask, route, sums;
};
enum { KEY_MINUS_QUERY, QUERY_MINUS_KEY };
enum { INDEX, DISTANCE };
enum { SKIP, ADD };
enum { INTERLEAVED, CONCAT };
enum { POWERS, LOGARITHM };
enum { JOINED, APART };
/* JOIN rounds sums of two: content + place, v + t, the mask's -10000; PROJECT and COLLECT the layer's products and
 * sums; GATHER the sum of weighted t under sums=apart. */
enum { JOIN = GRAD_STEPS, PROJECT, COLLECT, GATHER };
extern const struct row row_nezha;

static long index_of(const struct ask *w, long i, long j)
{
    const struct nezha *p = w->params;
    const long x = apart(w, p->sign == KEY_MINUS_QUERY, p->memory, i, j);
    return i_add(w, i_clip(w, x, -p->reach, p->reach), p->reach);
}
static void make_row(struct ask *w, long r, long d, const struct ball **t) /* t[d] */
{
    const struct nezha *p = w->params;
    wave_row(w, (struct place_waves){ p->base, b_true(w, p->layout == INTERLEAVED), p->route == LOGARITHM },
        b_true(w, p->argument == INDEX) ? r : lag(w, r, p->reach), d, t);
}
static void row_of(struct ask *w, long r, long d, const struct ball **t)
{
    memo_row(w, row_params(&row_nezha), w->params, sizeof(struct nezha), r, d, make_row, t);
}
static const struct placed here = { row_of, index_of, .bias = JOIN, .join = JOIN };

static const struct ball *position(struct ask *w, long h, long i, long j)
{
    return placed_dot(w, &here, index_of(w, i, j), h, i, true, NULL);
}
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct ball *s = b_step(w, JOIN, b_add(w, mix_qk(w, h, i, j), position(w, h, i, j)));
    const bool lowered = ((const struct nezha *)w->params)->mask == ADD && !mix_kept(w, h, i, j);
    s = mix_scaled(w, s, NULL);
    return b_true(w, lowered) ? b_step(w, JOIN, b_sub(w, s, b_si(w, 10000))) : s;
}
static bool visible(const struct ask *w, long h, long i, long j)
{
    return ((const struct nezha *)w->params)->mask == ADD || mix_kept(w, h, i, j);
}
static struct mix mixing(const struct ask *w)
{
    const struct nezha *p = w->params;
    return mix_on(w, (struct mix){ dim_in(w, "k", 1), score, mix_v, visible, .with = &here }, &p->tiles);
}

static void output(struct ask *w, const struct ball **y)
{
    const struct mix m = mixing(w);
    placed_output(w, &m, ((const struct nezha *)w->params)->sums == APART ? GATHER : 0, y);
}
static struct mix_grad gradient(const struct ask *w)
{
    struct mix_grad g = { mixing(w), "do", mix_width };
    g.m.value = placed_value;
    return g;
}

static void place_page(struct ask *w, const struct ball **y) { row_of(w, index_of(w, w->at[0], w->at[1]), w->len, y); }
static void table_page(struct ask *w, const struct ball **y) { row_of(w, w->at[0], w->len, y); }

static const struct around around = { &row_nezha, "", "token", PROJECT, COLLECT, .order = AROUND_BARE };

static long extent(const void *q, char axis)
{
    const struct nezha *p = q;
    return axis == 'r' ? 2 * p->reach + 1 : axis == 'd' ? p->dim : 0;
}
static const char *refuse(const void *q)
{
    return mpq_cmp_ui(((const struct nezha *)q)->base, 1, 1) <= 0 ? "base: must be greater than 1" : NULL;
}
static const struct param params[] = {
    { .as = &param_head_width, .at = offsetof(struct nezha, dim) },
    { "reach", "64", "distances are clipped to -reach..reach", INT, offsetof(struct nezha, reach), .least = 0,
        .most = 65536 },
    { .as = &param_memory, .at = offsetof(struct nezha, memory) },
    { .as = &param_timescale, .at = offsetof(struct nezha, base) },
    { "sign", "key-query", "distance x", ENUM, offsetof(struct nezha, sign), .choices = "key-query query-key" },
    { "argument", "index", "the sinusoid's argument: the shifted index r, or the signed distance", ENUM,
        offsetof(struct nezha, argument), .choices = "index distance" },
    { .as = &param_sine_layout, .at = offsetof(struct nezha, layout) },
    { "mask", "skip", "a hidden key is skipped, or its score lowered by 10000", ENUM, offsetof(struct nezha, mask),
        .choices = "skip add" },
    { "route", "powers", "how frequencies are computed", ROUTE, offsetof(struct nezha, route),
        .choices = "powers logarithm" },
    { .list = tiles_params, .at = offsetof(struct nezha, tiles) },
    { .as = &param_sums, .at = offsetof(struct nezha, sums) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "argument=distance", "arXiv:1909.00204" },
    { "code:huawei-noah/Pretrained-Language-Model", "mask=add",
        "NEZHA-TensorFlow/modeling.py, NEZHA-PyTorch/modeling_nezha.py" },
    { "a small reach, an odd width", "reach=2 dim=7", "the code's zero column" }, { 0 },
};
static const struct preset contracts[] = { { 0 } };
#define MIXING "q[h,n,d] k[h,m,d] v[h,m,d] "
#define GRADIENT MIXING "do[h,n,d] int keep?[h,n,m]<2 "
#define LAYER "x[n,c] wq[h,c,d] wk[h,c,d] wv[h,c,d] bq?[h,d] bk?[h,d] bv?[h,d] int token?[n]<t "
const struct row row_nezha = {
    .name = "nezha", .title = "functional relative positions", .cite = "Wei et al. 2019",
    .steps = { mix_steps, grad_steps, "join project collect gather" }, .parts = place_parts,
    .declares = params, .size = sizeof(struct nezha), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse,
    .q = {
      { MIXING "int keep?[h,n,m]<2 -> o[h,n|d]", output },
      { MIXING "int keep?[h,n,m]<2 -> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { "q[h,n,d] k[h,m,d] int keep?[h,n,m]<2 -> weights[h,n|m]", .ask = mix_weights, .mix = mixing },
      { "-> int index[n,m|]", .index = index_of },
      { "-> place[n,m|d]", place_page },
      { "-> table[r|d]", table_page },
      { "q[h,n,d] -> position[h,n|m]", .term = position },
      { LAYER "-> layer_weights[h,n|m]", .layer = around_weights, .around = &around },
      { LAYER "-> layer_heads[n|h,d]", .layer = around_heads, .around = &around },
      { GRADIENT "-> dq[h,n|d]", .grad = mix_query_grad, .back = gradient, .met.key = placed_key },
      { GRADIENT "-> dk[h,m|d]", .grad = mix_key_grad, .back = gradient, .met = { mix_of_key, mix_q } },
      { GRADIENT "-> dv[h,m|d]", .grad = mix_value_grad, .back = gradient, .met.of = mix_of_key } },
};
