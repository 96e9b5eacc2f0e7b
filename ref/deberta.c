/* Disentangled attention.   He, Liu, Gao, Chen 2021, eq. 2-4 and Algorithm 1
 *   s[j] = (<q_i, k_j> + <q_i, kr[d(i,j)]> + <k_j, qr[d']>) / sqrt((1 + T) d)      T = number of position terms
 *   d(i,j) = clip(b(c - j), -span, span - 1) + span      c = memory + i      b(x) = x, or v2's logarithmic bucket:
 *     |x| <= mid: x;   else sign(x) (mid + ceil((mid-1) ln(|x|/mid) / ln((M-1)/mid)))   mid = span/2, M = max_position
 * d' = d(j,i) in the paper, d(i,j) in the released code: the paper's table for p2c is the transpose.  parameter
 * p2c_index
 * Beyond M the Microsoft code first clips x to M - 1, Hugging Face does not: at x <= -M their rows are 1 and 0.
 * parameter beyond
 * Gradients, with ds over sqrt(..):  dq_i = sum ds_ij (k_j + kr[d])    dk_j = sum ds_ij (q_i + qr[d'])
 * dkr[r] = sum of ds_ij q_i, dqr[r] of ds_ij k_j, where r is read
 * Layer: kr, qr are projections of the table rel; without wkr, wqr by those of keys and queries.  Visible where mask_i
 * mask_j = 1.  Enhanced mask decoder: queries of x + z (absolute positions z) in its first pass, of `query` (the first
 * pass's output) in its second; keys and values of x. */
#include <stdlib.h>
#include "layer/project.h"
#include "row/shared.h"
#include "relative/buckets.h"
#include "softmax/mix_grad.h"

struct deberta {
    long span, max_position, memory, block;
    int distance, beyond, p2c_index, terms, scale, empty, route, softmax, sums;
};
enum { LINEAR, LOGARITHMIC };
enum { CLIPPED, OPEN };
enum { PAPER, CODE };
enum { BOTH, C2P, P2C, NONE };
enum { BY_TERMS, BY_WIDTH, UNSCALED };
enum { INTEGER, LOGARITHM };
enum { IN_TURN, PLACES_FIRST };
enum { JOIN = GRAD_STEPS, PROJECT, COLLECT, RATIO, LN, QUOTIENT, CEILING };
extern const struct row row_deberta;

static long size_of(const struct deberta *p, long x)
{
    long n = labs(x);
    return p->beyond == CLIPPED && n >= p->max_position ? p->max_position - 1 : n;
}
static struct bucket beyond_mid(const struct deberta *p, long n)
{
    const long mid = p->span / 2;
    return (struct bucket){ { n, mid, p->max_position - 1, mid - 1 }, BUCKET_UP, 0 };
}
static long bucket_of(const struct deberta *p, long x) /* b(x) */
{
    const long n = size_of(p, x), mid = p->span / 2;
    const struct bucket b = beyond_mid(p, n);
    return p->distance == LINEAR ? x : (x < 0 ? -1 : 1) * (n <= mid ? n : mid + bucket_number(&b));
}
static long clipped(const struct deberta *p, long b) { return clip(b, -p->span, p->span - 1) + p->span; }
static long row_of(const struct deberta *p, long i, long j) { return clipped(p, bucket_of(p, p->memory + i - j)); }
static long row_back(const struct deberta *p, long i, long j)
{
    return p->p2c_index == CODE ? row_of(p, i, j) : clipped(p, bucket_of(p, j - p->memory - i));
}

static const struct ball *bucket_here(struct ask *w)
{
    const struct deberta *p = w->params;
    const long x = i_in(w, "relative_position", w->at[0], 0), n = size_of(p, x), mid = p->span / 2;
    if (p->route == INTEGER || p->distance == LINEAR || n <= mid)
        return b_si(w, bucket_of(p, x));
    const struct bucket far = beyond_mid(p, n);
    const struct bucket_steps steps = { RATIO, RATIO, LN, QUOTIENT, CEILING };
    const struct ball *b = b_add(w, b_si(w, mid), bucket_ball(w, &far, steps));
    return x < 0 ? b_neg(w, b) : b;
}
static void bucket(struct ask *w, const struct ball **y) { y[0] = bucket_here(w); }
static void row_page(struct ask *w, const struct ball **y)
{
    long span = ((const struct deberta *)w->params)->span;
    y[0] = b_add(w, b_max(w, b_si(w, -span), b_min(w, b_si(w, span - 1), bucket_here(w))), b_si(w, span));
}
/* of kr, of qr */
static void index_page(struct ask *w, const struct ball **y)
{
    y[0] = b_si(w, row_of(w->params, w->at[0], w->at[1])), y[1] = b_si(w, row_back(w->params, w->at[0], w->at[1]));
}

static const struct ball *c2p(struct ask *w, long h, long i, long j)
{
    return b_dot(w, PRODUCT, DOT, span(w, "q", h, i), span(w, "kr", h, row_of(w->params, i, j)), dim_in(w, "q", 2));
}
static const struct ball *p2c(struct ask *w, long h, long i, long j)
{
    return b_dot(w, PRODUCT, DOT, span(w, "k", h, j), span(w, "qr", h, row_back(w->params, i, j)), dim_in(w, "q", 2));
}
static long terms_of(const struct deberta *p) { return p->terms == BOTH ? 2 : p->terms != NONE; }
static const struct ball *scale_of(struct ask *w)
{
    const struct deberta *p = w->params;
    return b_width(w, SCORE, NULL, dim_in(w, "q", 2) * (p->scale == BY_TERMS ? 1 + terms_of(p) : 1));
}
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct deberta *p = w->params;
    const struct ball *s = mix_qk(w, h, i, j);
    if (p->terms == BOTH && p->sums == PLACES_FIRST)
        s = b_step(w, JOIN, b_add(w, s, b_step(w, JOIN, b_add(w, c2p(w, h, i, j), p2c(w, h, i, j)))));
    else if (p->terms == BOTH || p->terms == C2P)
        s = b_step(w, JOIN, b_add(w, s, c2p(w, h, i, j)));
    if ((p->terms == BOTH && p->sums == IN_TURN) || p->terms == P2C)
        s = b_step(w, JOIN, b_add(w, s, p2c(w, h, i, j)));
    return p->scale == UNSCALED ? s : b_scaled(w, SCORE, s, scale_of(w));
}
static struct mix mixing(const struct ask *w)
{
    const struct deberta *p = w->params;
    return (struct mix){ dim_in(w, "k", 1), score, mix_v, mix_kept, .route = p->softmax,
        .block = p->softmax == ONLINE ? p->block : 0, .empty = p->empty };
}

static struct mix_grad gradient(const struct ask *w)
{
    return (
        struct mix_grad){ mixing(w), "do", ((const struct deberta *)w->params)->scale == UNSCALED ? NULL : scale_of };
}
static bool has_term(const struct ask *w, int only)
{
    const struct deberta *p = w->params;
    return p->terms == BOTH || p->terms == only;
}
static const struct ball *met_by_query(struct ask *w, long h, long i, long j, long c)
{
    const struct ball *k = mix_k(w, h, i, j, c);
    return has_term(w, C2P) ? b_step(w, JOIN, b_add(w, k, b_in(w, "kr", h, row_of(w->params, i, j), c))) : k;
}
static const struct ball *met_by_key(struct ask *w, long h, long i, long c)
{
    const struct ball *q = mix_q(w, h, i, c);
    return has_term(w, P2C) ? b_step(w, JOIN, b_add(w, q, b_in(w, "qr", h, row_back(w->params, i, w->at[1]), c))) : q;
}
static bool of_key_row(const struct ask *w, long h, long i, long j)
{
    return has_term(w, C2P) && h == w->at[0] && row_of(w->params, i, j) == w->at[1];
}
static bool of_query_row(const struct ask *w, long h, long i, long j)
{
    return has_term(w, P2C) && h == w->at[0] && row_back(w->params, i, j) == w->at[1];
}
static struct mer_array table(
    struct ask *w, const char *name, const char *own, const char *own_bias, const char *shared, const char *shared_bias)
{
    bool has = has_in(w, own);
    struct linear l = { *array_in(w, has ? own : shared), has ? mer_in(w->call, own_bias) : array_in(w, shared_bias),
        PROJECT, COLLECT };
    return project(w, name, array_in(w, "rel"), &l, l.weight.dim[0], 0, dim_in(w, "rel", 0));
}
static struct around around(struct ask *w)
{
    return (struct around){ &row_deberta, "", "mask", PROJECT, COLLECT, JOIN, .order = AROUND_BARE, .query = "query",
        .plus = "z", .both = true,
        .own = { table(w, "kr", "wkr", "bkr", "wk", "bk"), table(w, "qr", "wqr", "bqr", "wq", "bq") } };
}
static void layer_heads(struct ask *w, const struct ball **y) { around_heads(w, around(w), y); }
static void layer_weights(struct ask *w, const struct ball **y) { around_weights(w, around(w), y); }

static long extent(const void *q, char axis)
{
    return axis == 'r' ? 2 * ((const struct deberta *)q)->span : axis == 't' ? 2 : 0;
}
/* without its bias a projection has none (DeBERTa v1's of keys) */
static int misfit(const void *q, const struct mer_call *c, char *why, size_t n)
{
    const bool key = mer_in(c, "bkr") && !mer_in(c, "wkr"), query = mer_in(c, "bqr") && !mer_in(c, "wqr");
    (void)q;
    return key || query ?
           snprintf(why, n, "%s is the bias of %s, which is missing", key ? "bkr" : "bqr", key ? "wkr" : "wqr"),
           -1 : 0;
}
static const char *refuse(const void *q)
{
    const struct deberta *p = q;
    return p->distance == LINEAR ? NULL :
        p->span < 2              ? "span: fewer than 2 buckets" :
        p->max_position - 1 <= p->span / 2 || p->max_position < p->span ?
                      "max_position: must exceed the exact range and reach span" :
                      NULL;
}
static const struct param params[] = {
    { "span", "4", "k: the tables have 2k rows; buckets of distance=log", INT, offsetof(struct deberta, span),
        .least = 1, .most = 4096 },
    { "max_position", "12", "M, where the last bucket of distance=log begins", INT,
        offsetof(struct deberta, max_position), .least = 2, .most = 1 << 30 },
    { .as = &param_memory, .at = offsetof(struct deberta, memory) },
    { "distance", "linear", "b(x): itself, or logarithmic buckets", ENUM, offsetof(struct deberta, distance),
        .choices = "linear log" },
    { "beyond", "clipped", "|x| >= max_position: clipped first, or not", ENUM, offsetof(struct deberta, beyond),
        .choices = "clipped open" },
    { "p2c_index", "paper", "d(j,i), or d(i,j)", ENUM, offsetof(struct deberta, p2c_index), .choices = "paper code" },
    { "terms", "both", "position terms", ENUM, offsetof(struct deberta, terms), .choices = "both c2p p2c none" },
    { "scale", "terms", "1/sqrt((1+T)d), 1/sqrt(d), or none", ENUM, offsetof(struct deberta, scale),
        .choices = "terms width none" },
    { .as = &param_empty, .at = offsetof(struct deberta, empty) },
    { .as = &param_softmax, .at = offsetof(struct deberta, softmax) },
    { .as = &param_online_block, .at = offsetof(struct deberta, block) },
    { "sums", "in-turn", "(content + c2p) + p2c, or content + (c2p + p2c)", ROUTE, offsetof(struct deberta, sums),
        .choices = "in-turn places-first" },
    { "route", "integer", "quantities bucket and row: powers of integers, or logarithms", ROUTE,
        offsetof(struct deberta, route), .choices = "integer logarithm" },
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
        "make_log_bucket_position" },
    { 0 }
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
    .extent = extent, .refuse = refuse, .misfit = misfit, .sizes = "c=6 d=4 e=3",
    .q = {
      { MIXING "int keep?[h,n,m]<2 -> o[h,n|e]", .ask = mix_output, .mix = mixing },
      { MIXING "int keep?[h,n,m]<2 -> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { MIXING "int keep?[h,n,m]<2 -> weights[h,n|m]", .ask = mix_weights, .mix = mixing },
      { "q[h,n,d] k[h,m,d] -> c2c[h,n|m]", .term = mix_qk },
      { "q[h,n,d] k[h,m,d] kr[h,r,d] -> c2p[h,n|m]", .term = c2p },
      { "q[h,n,d] k[h,m,d] qr[h,r,d] -> p2c[h,n|m]", .term = p2c },
      { "int relative_position[n] -> int bucket[n|]", bucket }, { "int relative_position[n] -> int row[n|]", row_page },
      { "-> int index[n,m|t]", index_page },
      { LAYER "-> layer_weights[h,n|m]", layer_weights }, { LAYER "-> layer_heads[n|h,e]", layer_heads },
      { GRADIENT "-> dq[h,n|d]", .grad = mix_query_grad, .back = gradient, .met.key = met_by_query },
      { GRADIENT "-> dk[h,m|d]", .grad = mix_key_grad, .back = gradient, .met = { mix_of_key, met_by_key } },
      { GRADIENT "-> dv[h,m|e]", .grad = mix_value_grad, .back = gradient, .met.of = mix_of_key },
      { GRADIENT "-> dkr[h,r|d]", .grad = mix_key_grad, .back = gradient, .met = { of_key_row, mix_q } },
      { GRADIENT "-> dqr[h,r|d]", .grad = mix_pair_grad, .back = gradient, .met = { of_query_row, .key = mix_k } } },
};
