/* Layer normalisation.   Ba, Kiros, Hinton 2016 (arXiv:1607.06450)
 *   y = gain (x - mu) r + shift      mu = sum x / d      v = sum (x - mu)^2 / N, N = d, or d - 1 (variance=unbiased)
 *   r = 1 / sqrt(v + eps) (place=inside), or 1 / (sqrt(v) + eps) (outside)                 over the last axis
 * For dy the gradient of y and a = gain dy, xhat = (x - mu) r:
 *   dx = r (a - mean a - xhat <a, xhat> / N)       dgain = sum_i dy_i xhat_i       dshift = sum_i dy_i
 * (outside: the last term of dx by (sqrt(v) + eps) / sqrt(v), undefined where v = 0).  A constant line gives y = shift;
 * d = 1 unbiased: NaN. Trap: in one pass, v = mean x^2 - mu^2, nothing is left of v in float32 where mu is some
 * thousand times sqrt(v), and v may come out negative. */
#include <stdlib.h>
#include "layer/norm.h"
#include "row/shared.h"
#include "row/row.h"

struct layernorm { mpq_t eps; int variance, place, affine, route, apply; };
enum { BIASED, UNBIASED }; enum { INSIDE, OUTSIDE }; enum { BOTH, GAIN_ONLY, NO_AFFINE }; enum { CENTRED, FOLDED };
enum { MEAN, CENTRE, SQUARE, MOMENT, ROOT, SCALE, GAIN, SHIFT, PRODUCT, COLLECT, COMBINE };

static bool needs(const void *q, const char *input)
{
    const struct layernorm *p = q;
    return strcmp(input, "gain") ? p->affine == BOTH : p->affine != NO_AFFINE; /* It is one of gain and shift. */
}

static struct norm norm_of(const struct ask *w)
{
    const struct layernorm *p = w->params;
    return (struct norm){ p->eps, true, p->variance == UNBIASED, p->place == OUTSIDE, p->apply == FOLDED, p->route,
        MEAN, CENTRE, SQUARE, MOMENT, ROOT, SCALE, GAIN, SHIFT, PRODUCT, COLLECT, COMBINE };
}
static struct norm_line open_line(struct ask *w, long i)
{
    struct norm n = norm_of(w);
    return norm_line_open(w, &n, "x", i);
}

static void output(struct ask *w, const struct ball **y) /* y[d] */
{
    struct norm_line l = open_line(w, w->at[0]);
    for (long k = 0; k < w->len; k++) {
        y[k] = l.m.r ? l.m.y[k] : b_nan(w);
        y[k] = l.m.r && needs(w->params, "gain") ? b_step(w, GAIN, b_mul(w, y[k], b_in(w, "gain", k, 0, 0))) : y[k];
        y[k] = l.m.r && needs(w->params, "shift") ? b_step(w, SHIFT, b_add(w, y[k], b_in(w, "shift", k, 0, 0))) : y[k];
    }
    norm_line_close(&l);
}

static void mean(struct ask *w, const struct ball **y)
{
    struct norm_line l = open_line(w, w->at[0]);
    y[0] = l.m.mean;
    norm_line_close(&l);
}
static void inverse(struct ask *w, const struct ball **y)
{
    struct norm_line l = open_line(w, w->at[0]);
    y[0] = l.m.r ? l.m.r : b_nan(w);
    norm_line_close(&l);
}
static void input_grad(struct ask *w, const struct ball **y) /* dx[d] */
{
    struct norm n = norm_of(w);
    struct norm_line l = open_line(w, w->at[0]);
    for (long k = 0; k < w->len; k++) {
        const struct ball *dy = b_in(w, "dy", w->at[0], k, 0);
        y[k] = !l.m.r                ? b_nan(w) :
            needs(w->params, "gain") ? b_step(w, PRODUCT, b_mul(w, b_in(w, "gain", k, 0, 0), dy)) :
                                       dy;
    }
    if (l.m.r)
        norm_back(w, &n, &l.m, y, y);
    norm_line_close(&l);
}

/* All of dgain[d] at once, summed over the rows: t[d][n] is dy xhat. */
static void gain_grad(struct ask *w, const struct ball **y)
{
    long n = array_in(w, "dy")->dim[0], d = w->len;
    const struct ball **t = need((size_t)(n * d) + 1, sizeof *t);
    bool defined = true;
    for (long i = 0; i < n; i++) {
        struct norm_line l = open_line(w, i);
        defined = l.m.r != NULL; /* as of every row */
        for (long k = 0; k < d && defined; k++)
            t[k * n + i] = b_step(w, PRODUCT, b_mul(w, b_in(w, "dy", i, k, 0), l.m.y[k]));
        norm_line_close(&l);
    }
    for (long k = 0; k < d; k++)
        y[k] = defined ? b_sum(w, COLLECT, t + k * n, n) : b_nan(w);
    free(t);
}
static void shift_grad(struct ask *w, const struct ball **y) /* All of dshift[d]: the sums of dy over the rows. */
{
    const long n = array_in(w, "dy")->dim[0];
    const struct ball **t = need((size_t)n + 1, sizeof *t);
    for (long k = 0; k < w->len; k++) {
        for (long i = 0; i < n; i++)
            t[i] = b_in(w, "dy", i, k, 0);
        y[k] = b_sum(w, COLLECT, t, n);
    }
    free(t);
}

static const char *refuse(const void *q)
{
    return mpq_sgn(((const struct layernorm *)q)->eps) >= 0 ? NULL : "eps: must not be below 0";
}
static const struct param params[] = {
    { "eps", "1/100000", "keeps the division from 0", RATIONAL, offsetof(struct layernorm, eps) },
    { "variance", "biased", "the sum of squares by d, or by d - 1", ENUM, offsetof(struct layernorm, variance),
        .choices = "biased unbiased" },
    { .as = &param_eps_place, .at = offsetof(struct layernorm, place) },
    { "affine", "gain-shift", "what follows", ENUM, offsetof(struct layernorm, affine),
        .choices = "gain-shift gain none" },
    { "route", "two-passes", "how the variance is made: ref/core/layer/norm.h", ROUTE,
        offsetof(struct layernorm, route), .choices = "two-passes one-pass welford" },
    { "apply", "centred", "(x - mu) r, or x r - mu r", ROUTE, offsetof(struct layernorm, apply),
        .choices = "centred folded" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:1607.06450, with the eps of its code" },
    { "code:pytorch", "", "torch.nn.LayerNorm: eps=1e-5, biased, inside" },
    { "code:tensorflow/tensor2tensor", "eps=1e-6", "common_layers.py layer_norm_compute" },
    { "BERT", "eps=1e-12", "google-research/bert modeling.py; NEZHA" },
    { "annotated", "eps=1e-6 variance=unbiased place=outside",
        "harvardnlp/annotated-transformer: a_2 (x - mean) / (std + eps) + b_2" },
    { "keras", "eps=1/1000", "keras.layers.LayerNormalization" },
    { "no bias", "affine=gain", "torch LayerNorm(bias=False)" },
    { "no affine", "affine=none", "torch LayerNorm(elementwise_affine=False)" },
    { 0 },
};
static const struct preset contracts[] = {
    { "f32", "mean=f32 centre=f32 square=f32 moment=f32 root=f32 scale=f32 gain=f32 shift=f32 product=f32 collect=f32 "
        "combine=f32", "operation by operation" },
    { "one pass f32", "route=one-pass mean=f32 centre=f32 square=f32 moment=f32 root=f32 scale=f32 gain=f32 shift=f32 "
        "product=f32 collect=f32 combine=f32", "flax LayerNorm use_fast_variance" },
    { 0 },
};
const struct row row_layernorm = {
    .name = "layernorm", .title = "layer normalisation", .cite = "Ba, Kiros, Hinton 2016",
    .steps = { "mean centre square moment root scale gain shift product collect combine" },
    .declares = params, .size = sizeof(struct layernorm), .presets = presets, .contracts = contracts,
    .empty = "n", .refuse = refuse, .needs = needs,
    .q = { { "x[n,d] gain?[d] shift?[d] -> y[n|d]", output }, { "x[n,d] -> mean[n|]", mean },
    { "x[n,d] -> rstd[n|]", inverse },
      { "x[n,d] gain?[d] dy[n,d] -> dx[n|d]", input_grad },
      { "x[n,d] dy[n,d] -> dgain[|d]", gain_grad },
      { "dy[n,d] -> dshift[|d]", shift_grad } },
};
