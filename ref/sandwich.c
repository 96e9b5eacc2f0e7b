/* Sandwich: what is left of sinusoids in a score when only position meets position.   Chi et al. 2023, arXiv:2212.10356
 *   S(D) = sum over t of cos(D base^(-2t/d))      t = first .. first + d/2 - 1      bias[h][i][j] = S(o + i - j) / r_h
 *   r_h = max (h+1)/H, the compression ratio of head h
 * d is a number of the bias alone (128 in the paper), not the width of a head.  first: the program of the paper's
 * appendix E counts from 0, NeMo from 1.  centre=half takes d/2 from S, so that the bias is at most 0; softmax does not
 * see it.  route=product is the appendix: the inner product of two sinusoids, rounded at absolute positions.
 * form=causal: D = 0 where the key stands to the right. */
#include "row/memo.h"
#include "row/row.h"
#include "row/shared.h"

struct sandwich { long heads, width, max, offset, first; mpq_t base; int form, centre, route, scaled; };
enum { ABSOLUTE, CAUSAL }; enum { NONE, HALF }; enum { COSINE, PRODUCTS }; enum { DIVIDED, MULTIPLIED };
enum { FREQ, PHASE, TABLE, PRODUCT, SUM, SHIFT, RATIO, BIAS };
/* Numbers of the memo: frequency t is t; S(D) of 0 <= D is KEPT_SUMS + D. */
enum { WIDEST = 4096, KEPT_SUMS = 1 << 15 };

static const struct param params[] = {
    { .as = &param_heads, .at = offsetof(struct sandwich, heads) },
    { "width", "128", "d, even; S has d/2 terms", INT, offsetof(struct sandwich, width), .least = 2, .most = WIDEST },
    { .as = &param_timescale, .at = offsetof(struct sandwich, base) },
    { "max", "8", "ratio r of the last head", INT, offsetof(struct sandwich, max), .least = 1, .most = 64 },
    { .as = &param_offset, .at = offsetof(struct sandwich, offset) },
    { "first", "0", "t of the first term", INT, offsetof(struct sandwich, first), .least = 0, .most = 1 },
    { "form", "absolute", "distance to keys on the right: as to the left, or 0", ENUM,
        offsetof(struct sandwich, form), .choices = "absolute causal" },
    { "centre", "none", "what S is reduced by: nothing, or d/2", ENUM, offsetof(struct sandwich, centre),
        .choices = "none half" },
    { "route", "cosine", "cosines of distances, or products of sinusoids at positions", ROUTE,
        offsetof(struct sandwich, route), .choices = "cosine product" },
    { "scaled", "divided", "S / r, or S times the rounded 1/r", ROUTE, offsetof(struct sandwich, scaled),
        .choices = "divided multiplied" },
    { 0 },
};

static const struct ball *freq(struct ask *w, const struct sandwich *p, long t)
{
    const struct ball *known = memo_get(w, params, p, sizeof *p, t);
    const struct ball *e = known ? NULL : b_step(w, FREQ, b_ratio(w, i_mul(w, -2, t), p->width));
    return known ? known : memo_put(w, t, b_step(w, FREQ, b_pow(w, b_given(w, FREQ, b_q(w, p->base)), e)));
}
static const struct ball *phase(struct ask *w, const struct sandwich *p, long position, long t)
{
    return b_step(w, PHASE, b_mul(w, b_si(w, position), freq(w, p, t)));
}
typedef const struct ball *wave(struct ask *w, const struct ball *x);
/* The product of what the sinusoids of positions i and j hold of term t: two sines, or two cosines. */
static const struct ball *pair(struct ask *w, const struct sandwich *p, wave *f, long i, long j, long t)
{
    const struct ball *x = b_step(w, TABLE, f(w, phase(w, p, i, t))), *y = b_step(w, TABLE, f(w, phase(w, p, j, t)));
    return b_step(w, PRODUCT, b_mul(w, x, y));
}
/* S of a query at position i and a key at position j, which is d to its left. */
static const struct ball *sum_of(struct ask *w, long i, long j, long d)
{
    const struct sandwich *p = w->params;
    const long K = p->width / 2;
    const struct ball **t = need(2 * (size_t)K, sizeof *t);
    for (long k = 0; k < K && p->route == COSINE; k++)
        t[k] = b_step(w, TABLE, b_cos(w, phase(w, p, d, i_add(w, p->first, k))));
    for (long k = 0; k < 2 * K && p->route == PRODUCTS; k++) /* all sines stand before all cosines */
        t[k] = pair(w, p, k < K ? b_sin : b_cos, i, j, i_add(w, p->first, i_mod(w, k, K)));
    const struct ball *sum = b_sum(w, SUM, t, p->route == COSINE ? K : 2 * K);
    free(t);
    return b_true(w, p->centre == HALF) ? b_step(w, SHIFT, b_sub(w, sum, b_si(w, K))) : sum;
}
/* The same, kept for the next line where it depends on a short distance alone. */
static const struct ball *similarity_at(struct ask *w, long i, long j)
{
    const struct sandwich *p = w->params;
    const long d = lag(w, i, j), what = d < 0 || p->route != COSINE ? MEMO_MOST : KEPT_SUMS + d; /* MEMO_MOST: unkept */
    const struct ball *known = memo_get(w, params, p, sizeof *p, what);
    /* Frequencies are asked for by the sum, under the same parameters, so that it is still the same table. */
    return known ? known : memo_put(w, what, sum_of(w, i, j, d));
}

static void bias(struct ask *w, const struct ball **y)
{
    const struct sandwich *p = w->params;
    long i = i_add(w, p->offset, w->at[1]), j = counted(w, w->at[2]), r = p->max * counted(w, w->at[0] + 1);
    const struct ball *s = similarity_at(w, b_true(w, p->form == CAUSAL) && i_less(w, i, j) ? j : i, j);
    y[0] = b_step(w, BIAS,
        p->scaled == DIVIDED ? b_div(w, s, b_step(w, RATIO, b_ratio(w, r, p->heads))) :
                               b_mul(w, s, b_step(w, RATIO, b_ratio(w, p->heads, r))));
}
/* S of a query that stands `distance` to the right of its key, at position 0. */
static void similarity(struct ask *w, const struct ball **y)
{
    const struct sandwich *p = w->params;
    long d = i_in(w, "distance", w->at[0], 0);
    y[0] = similarity_at(w, b_true(w, p->form == CAUSAL && d < 0) ? 0 : d, 0);
}

static long extent(const void *q, char axis) { return axis == 'h' ? ((const struct sandwich *)q)->heads : 0; }
static const char *refuse(const void *q)
{
    const struct sandwich *p = q;
    return p->width % 2 ? "width: must be even, as half of it are terms" :
        mpq_cmp_ui(p->base, 1, 1) <= 0 ? "base: must be greater than 1" :
                                         NULL;
}
static const struct preset presets[] = {
    { "appendix E", "", "arXiv:2212.10356, appendix E: np.arange(bar_d // 2)" },
    { "counted from 1", "first=1 heads=12", "NVIDIA/NeMo: torch.arange(1, hidden_size / 2 + 1)" },
    { "appendix E, product", "route=product heads=6", "arXiv:2212.10356, appendix E: pos_embs @ pos_embs.T" },
    { "code:NVIDIA/NeMo", "heads=12 width=64 first=1 centre=half form=causal",
        "sandwich_relative_position_embedding.py: d is the width of a head" },
    { "code:meta-pytorch/attention-gym", "scaled=multiplied heads=5", "attn_gym/mods/sandwich.py, release 0.0.17" },
    { "small", "heads=3 width=6 base=100", "fewer terms than heads have channels" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "freq=f32:2 phase=f32 table=f32:2 product=f32 sum=f32 shift=f32 ratio=f32 bias=f32",
        "every operation in float32; pow and cos to one ulp" },
    { "attention-gym", "scaled=multiplied freq=f32:3 phase=f32 table=f32:2 sum=f32 ratio=f32 bias=f32",
        "attn_gym/mods/sandwich.py: 1 / 10000^e, so that the power is rounded before its inverse" },
    { 0 },
};
const struct row row_sandwich = {
    .name = "sandwich", .title = "sums of cosines as biases", .cite = "Chi et al. 2023",
    .steps = { "freq phase table product sum shift ratio bias" },
    .declares = params, .size = sizeof(struct sandwich), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse,
    .q = { { "-> bias[h,n,m|]", bias }, { "int distance[n] -> similarity[n|]", similarity } },
};
