/* Disentangled attention.   He, Liu, Gao, Chen 2021, eq. 2-4 and Algorithm 1
 *   s[j] = (<q_i, k_j> + <q_i, kr[d(i,j)]> + <k_j, qr[d']>) / sqrt((1 + T) d)      T = number of position terms
 *   d(i,j) = clip(b(c - j), -span, span - 1) + span      c = memory + i      b(x) = x, or version 2's logarithmic
 *   bucket (ref/core/relative/signed.h)
 * d' = d(j,i) in the paper, d(i,j) in the released code: the paper's table for p2c is the transpose.  parameter
 * p2c_index
 * Gradients, with ds over sqrt(..):  dq_i = sum ds_ij (k_j + kr[d])    dk_j = sum ds_ij (q_i + qr[d'])
 * dkr[r] = sum of ds_ij q_i, dqr[r] of ds_ij k_j, where r is read
 * Layer: kr, qr are projections of the table rel; without wkr, wqr by those of keys and queries.  Visible where mask_i
 * mask_j = 1.  Enhanced mask decoder: queries of x + z (absolute positions z) in its first pass, of `query` (the first
 * pass's output) in its second; keys and values of x. */
#include "layer/project.h"
#include "row/shared.h"
#include "relative/signed.h"
#include "relative/table.h"

struct deberta { struct signed_rows of; struct tiles tiles; int p2c_index, terms, scale, empty, sums; };
enum { PAPER, CODE };
enum { BOTH, C2P, P2C, NONE };
enum { BY_TERMS, BY_WIDTH, UNSCALED };
enum { IN_TURN, PLACES_FIRST };
enum { JOIN = GRAD_STEPS, PROJECT, COLLECT, RATIO, LN, QUOTIENT, CEILING };
extern const struct row row_deberta;

static long ahead_of(const struct ask *w, long i, long j)
{
    return i_add(w, ((const struct signed_rows *)w->params)->memory, lag(w, i, j));
}
static long row_of(const struct ask *w, long i, long j) { return signed_row(w, ahead_of(w, i, j)); } /* d(i,j) */
static long row_back(const struct ask *w, long i, long j) /* d' */
{
    const struct deberta *p = w->params;
    const long x = ahead_of(w, i, j);
    return signed_row(w, b_true(w, p->p2c_index == CODE) ? x : lag(w, 0, x));
}
static const struct tables tables[] = {
    [BOTH] = { .key = { "kr", row_of }, .query = { "qr", row_back }, .join = JOIN },
    [C2P] = { .key = { "kr", row_of }, .join = JOIN },
    [P2C] = { .query = { "qr", row_back }, .join = JOIN },
    [NONE] = { .join = JOIN },
};
static const struct ball *c2p(struct ask *w, long h, long i, long j)
{
    return table_term(w, table_by_query(w, &tables[BOTH], h, i, j));
}
static const struct ball *p2c(struct ask *w, long h, long i, long j)
{
    return table_term(w, table_by_key(w, &tables[BOTH], h, i, j));
}
static const struct ball *scale_of(struct ask *w)
{
    const struct deberta *p = w->params;
    const long T = p->terms == BOTH ? 2 : p->terms != NONE;
    return b_width(w, SCORE, NULL, dim_in(w, "q", 2) * (b_true(w, p->scale == BY_TERMS) ? 1 + T : 1));
}
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct deberta *p = w->params;
    const struct tables *t = &tables[p->terms];
    const struct ball *s = mix_terms(w, JOIN, p->sums == PLACES_FIRST, mix_qk(w, h, i, j),
        table_by_query(w, t, h, i, j), table_by_key(w, t, h, i, j));
    return b_true(w, p->scale == UNSCALED) ? s : b_scaled(w, SCORE, s, scale_of(w));
}
static struct mix mixing(const struct ask *w)
{
    const struct deberta *p = w->params;
    return mix_on(w, (struct mix){ dim_in(w, "k", 1), score, mix_v, mix_kept, .empty = p->empty,
        .with = &tables[p->terms] }, &p->tiles);
}
static struct mix_grad gradient(const struct ask *w)
{
    const bool unscaled = ((const struct deberta *)w->params)->scale == UNSCALED;
    return (struct mix_grad){ mixing(w), "do", b_true(w, unscaled) ? NULL : scale_of };
}

static const struct bucket_steps steps = { RATIO, RATIO, LN, QUOTIENT, CEILING };
static void bucket(struct ask *w, const struct ball **y) { y[0] = signed_bucket_ball(w, steps); }
static void row_page(struct ask *w, const struct ball **y) { y[0] = signed_row_ball(w, steps); }
static void index_page(struct ask *w, const struct ball **y) /* Row numbers of kr and of qr. */
{
    y[0] = b_si(w, row_of(w, w->at[0], w->at[1])), y[1] = b_si(w, row_back(w, w->at[0], w->at[1]));
}

static const struct around around = { &row_deberta, "", "mask", PROJECT, COLLECT, JOIN, .order = AROUND_BARE,
    .query = "query", .plus = "z", .both = true,
    .map = { { "kr", "rel", "wkr", "bkr", "wk", "bk" }, { "qr", "rel", "wqr", "bqr", "wq", "bq" } } };
/* Refuses bkr, bqr without wkr, wqr.  A projection whose bias is not given has none (DeBERTa v1's of the keys). */
static int misfit(const void *q, const struct mer_call *c, char *why, size_t n)
{
    (void)q;
    return around_misfit(&around, c, why, n);
}
static long extent(const void *q, char axis)
{
    return axis == 'r' ? 2 * ((const struct signed_rows *)q)->span : axis == 't' ? 2 : 0;
}
static const struct param params[] = {
    { .list = signed_params },
    { "p2c_index", "paper", "d(j,i), or d(i,j)", ENUM, offsetof(struct deberta, p2c_index), .choices = "paper code" },
    { "terms", "both", "position terms", ENUM, offsetof(struct deberta, terms), .choices = "both c2p p2c none" },
    { "scale", "terms", "1/sqrt((1+T)d), 1/sqrt(d), or none", ENUM, offsetof(struct deberta, scale),
        .choices = "terms width none" },
    { .as = &param_empty, .at = offsetof(struct deberta, empty) },
    { .list = tiles_params, .at = offsetof(struct deberta, tiles) },
    { "sums", "in-turn", "(content + c2p) + p2c, or content + (c2p + p2c)", ROUTE, offsetof(struct deberta, sums),
        .choices = "in-turn places-first" },
    { .as = &signed_route, .at = offsetof(struct signed_rows, route) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2006.03654 Algorithm 1" },
    { "seed", "scale=none", "001_46dc594335e7cb0b.txt: no scale, R_{j,i}" },
    { "code:microsoft/DeBERTa", "p2c_index=code distance=log",
        "disentangled_attention.py, da_utils.py; v1: distance=linear" },
    { "code:huggingface/transformers", "p2c_index=code distance=log beyond=open empty=mean", "modeling_deberta_v2.py" },
    { "c2p only", "terms=c2p span=3", "pos_att_type=c2p" },
    { 0 },
};
static const struct preset contracts[] = {
    { "hf-f32", "distance=log route=logarithm beyond=open ratio=f32 ln=f32 quotient=f32 ceiling=f32",
        "make_log_bucket_position" }, { 0 }
};
#define MIXING "q[h,n,d] k[h,m,d] v[h,m,e] kr[h,r,d] qr[h,r,d] "
#define GRADIENT MIXING "do[h,n,e] int keep?[h,n,m]<2 "
#define LAYER \
    "x[n,c] rel[r,c] wq[h,c,d] bq[h,d] wk[h,c,d] bk[h,d] wv[h,c,e] bv[h,e] wkr?[h,c,d] bkr?[h,d] wqr?[h,c,d] " \
    "bqr?[h,d] int mask?[n]<2 query?[n,c] z?[n,c] "
const struct row row_deberta = {
    .name = "deberta", .title = "disentangled attention", .cite = "He et al. 2021",
    .steps = { mix_steps, grad_steps, "join project collect ratio ln quotient ceiling" },
    .declares = params, .size = sizeof(struct deberta), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = signed_refuse, .misfit = misfit, .sizes = "c=6 d=4 e=3",
    .q = {
      { MIXING "int keep?[h,n,m]<2 -> o[h,n|e]", .ask = mix_output, .mix = mixing },
      { MIXING "int keep?[h,n,m]<2 -> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { MIXING "int keep?[h,n,m]<2 -> weights[h,n|m]", .ask = mix_weights, .mix = mixing },
      { "q[h,n,d] k[h,m,d] -> c2c[h,n|m]", .term = mix_qk },
      { "q[h,n,d] k[h,m,d] kr[h,r,d] -> c2p[h,n|m]", .term = c2p },
      { "q[h,n,d] k[h,m,d] qr[h,r,d] -> p2c[h,n|m]", .term = p2c },
      { "int relative_position[n] -> int bucket[n|]", bucket }, { "int relative_position[n] -> int row[n|]", row_page },
      { "-> int index[n,m|t]", index_page },
      { LAYER "-> layer_weights[h,n|m]", .layer = around_weights, .around = &around },
      { LAYER "-> layer_heads[n|h,e]", .layer = around_heads, .around = &around },
      { GRADIENT "-> dq[h,n|d]", .grad = mix_query_grad, .back = gradient, .met.key = table_key },
      { GRADIENT "-> dk[h,m|d]", .grad = mix_key_grad, .back = gradient, .met = { mix_of_key, table_query } },
      { GRADIENT "-> dv[h,m|e]", .grad = mix_value_grad, .back = gradient, .met.of = mix_of_key },
      { GRADIENT "-> dkr[h,r|d]", .grad = mix_key_grad, .back = gradient, .met = { table_of_key, mix_q } },
      { GRADIENT "-> dqr[h,r|d]", .grad = mix_pair_grad, .back = gradient, .met = { table_of_query, .key = mix_k } } },
};
