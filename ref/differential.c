/* Differential attention.                                          Ye et al. 2024, arXiv:2410.05258, sections 2.1, 2.2
 * A head has two halves of queries and of keys, and values that both halves share:
 *   z_i = (softmax(scale q1 k1^T) - lambda softmax(scale q2 k2^T)) v      o_i = (1 - lambda_init) RMSNorm(z_i)
 *   lambda = exp(<lambda_q1, lambda_k1>) - exp(<lambda_q2, lambda_k2>) + lambda_init, one for all heads of a layer
 *   lambda_init = 0.8 - 0.6 exp(-0.3 (layer - 1)), the first layer being 1; or level, where that is not 0
 * RMSNorm is that of a head's e channels, eps inside its root; behind it comes `gain` where that is given, one vector
 * for all heads (microsoft/unilm has it, DiffLlama of transformers has not).
 *   gated      Diff V2 (microsoft/unilm, Diff-Transformer-V2): both halves read one k, and lambda = sigmoid(a), one for
 *              each token and head; as published it has neither norm nor factor: norm=off fade=off
 *   keys       halves: half s of head h reads half s of key head floor(h / (H/G)); repeated: the 2 G halves of keys are
 *              repeated one by one, so that both halves of a query may read the same
 *   route      outputs: o1 - lambda o2, as with flash attention; weights: the weights are subtracted, then meet v
 * Query i of n stands at m - n + i.  Gradients: ref/core/differential/differ_grad.c.
 * Traps: with one key both softmaxes are 1, and no wrong score is seen; the norm hides every factor before it, such as
 * one of v, and keeps its sign.  Before the norm 1 - lambda_init would change nothing; behind it, it counts. */
#include <stdlib.h>
#include "differential/differential.h"
#include "layer/norm.h"
#include "row/shared.h"
extern const struct row row_attention;

static const struct differential *own(const struct ask *w) { return w->params; }
/* z[e] of outputs. */
static void of_outputs(struct ask *w, const struct half x[2], const struct ball *share, const struct ball **z)
{
    const long e = w->len;
    const struct ball **o = need(2 * (size_t)e + 1, sizeof *o);
    for (int half = 0; half < 2; half++)
        differ_ask(w, &x[half], "o", w->at[1], e, o + half * e);
    differ_rest(w, share, o, o + e, z);
    free(o);
}
/* z[e] of weights. */
static void of_weights(struct ask *w, const struct half x[2], const struct ball *share, const struct ball **z)
{
    const long e = w->len, m = differ_of(w).m;
    /* The terms take the place of the second half's weights, which are subtracted by then. */
    const struct ball **p = need(2 * (size_t)m + 1, sizeof *p), **t = p + m;
    for (int half = 0; half < 2; half++)
        differ_ask(w, &x[half], "weights", w->at[1], m, p + half * m);
    for (long j = 0; j < m; j++)
        p[j] = b_step(w, DIFF_REST, b_sub(w, p[j], b_step(w, DIFF_PART, b_mul(w, share, p[m + j]))));
    for (long c = 0; c < e; c++) {
        for (long j = 0; j < m; j++)
            t[j] = b_step(w, DIFF_VALUED, b_mul(w, p[j], x[0].v[j * e + c]));
        z[c] = b_sum(w, DIFF_MIXED, t, m);
    }
    free(p);
}
static void normed(struct ask *w, const struct ball **y) /* y[e], in its place */
{
    struct norm n = differ_norm(w);
    struct normed m = norm_open(w, &n, y, w->len);
    memcpy(y, m.y, (size_t)w->len * sizeof *y);
    norm_close(&m);
}
static void output(struct ask *w, const struct ball **y)
{
    const long h = w->at[0], i = w->at[1];
    struct half x[2] = { differ_open(w, h, 0), differ_open(w, h, 1) };
    (own(w)->route == ROUTE_WEIGHTS ? of_weights : of_outputs)(w, x, differ_share(w, h, i), y);
    if (b_true(w, own(w)->norm == NORM_RMS))
        normed(w, y);
    for (long c = 0; c < w->len; c++)
        y[c] = differ_gained(w, DIFF_GAINED, y[c], c);
    const struct ball *fade = b_true(w, own(w)->fade == FADE_ON) ? differ_fade(w) : NULL;
    for (long c = 0; c < w->len && fade; c++)
        y[c] = b_step(w, DIFF_FADED, b_mul(w, fade, y[c]));
    differ_close(&x[0]), differ_close(&x[1]);
}

static const char *refuse(const void *params)
{
    const struct differential *p = params;
    return mpq_sgn(p->scale) < 0                                     ? "scale: must not be below 0" :
        mpq_sgn(p->eps) < 0                                          ? "eps: must not be below 0" :
        mpq_sgn(p->level) < 0 || mpq_cmp_ui(p->level, 1, 1) >= 0     ? "level: must be at least 0 and below 1" :
        mpq_sgn(p->level) && p->layer != 1                           ? "layer: level says what it would" :
                                                                       NULL;
}
static const struct param params[] = {
    { .as = &param_scale, .at = offsetof(struct differential, scale) },
    { "layer", "1", "number of the layer, from 1: what lambda_init is made of", INT,
        offsetof(struct differential, layer), .least = 1, .most = 1 << 20 },
    { "level", "0", "lambda_init; 0 = 0.8 - 0.6 exp(-0.3 (layer - 1))", RATIONAL,
        offsetof(struct differential, level) },
    { "keys", "halves", "which half of the keys a half of a query reads", ENUM, offsetof(struct differential, keys),
        .choices = "halves repeated" },
    { "causal", "on", "does query i of n see no key behind m - n + i?", ENUM, offsetof(struct differential, causal),
        .choices = "on off" },
    { "norm", "rms", "of a head's output", ENUM, offsetof(struct differential, norm), .choices = "rms off" },
    { .as = &param_norms_eps, .at = offsetof(struct differential, eps) },
    { "fade", "on", "is the output multiplied by 1 - lambda_init?", ENUM, offsetof(struct differential, fade),
        .choices = "on off" },
    { "route", "outputs", "two outputs are subtracted, or two lines of weights", ROUTE,
        offsetof(struct differential, route), .choices = "outputs weights" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2410.05258, equations 1 to 3" },
    { "code:microsoft/unilm", "keys=repeated route=weights",
        "Diff-Transformer/multihead_diffattn.py: repeat_kv of 2 G heads; its flash files are the paper's" },
    { "deep", "layer=28", "arXiv:2410.05258, equation 3: a late layer, lambda_init near 0.8" },
    { "constant", "level=4/5", "arXiv:2410.05258, ablation studies: lambda_init = 0.8 in all layers" },
    { "without norm", "norm=off", "arXiv:2410.05258, ablation studies: without GroupNorm" },
    { "v2", "norm=off fade=off", "microsoft/unilm Diff-Transformer-V2: output gated" }, { 0 },
};
static const struct preset contracts[] = { { 0 } };
static const struct row *const parts[] = { &row_attention, NULL };
#define V1 "q1[h,n,d] q2[h,n,d] k1[g,m,d] k2[g,m,d] v[g,m,e] " \
    "lambda_q1[d] lambda_k1[d] lambda_q2[d] lambda_k2[d] "
#define V2 "q1[h,n,d] q2[h,n,d] k[g,m,d] v[g,m,e] a[h,n] "
#define BACK V1 "gain?[e] do[h,n,e] -> "
#define BACK2 V2 "gain?[e] dgated[h,n,e] -> "
const struct row row_differential = {
    .name = "differential", .title = "differential attention", .cite = "Ye et al. 2024",
    .steps = { "inner power lambda_init share part rest square moment root normal gained faded valued mixed slope "
        "gather" }, .parts = parts,
    .declares = params, .size = sizeof(struct differential), .presets = presets, .contracts = contracts,
    .refuse = refuse, .sizes = "d=4 e=3",
    .q = { { V1 "gain?[e] -> o[h,n|e]", output }, { V2 "gain?[e] -> gated[h,n|e]", output, .form = true },
        { BACK "dq1[h,n|d]", differ_grad, .of = DIFF_Q1 }, { BACK "dq2[h,n|d]", differ_grad, .of = DIFF_Q2 },
        { BACK "dk1[g,m|d]", differ_grad, .of = DIFF_K1 }, { BACK "dk2[g,m|d]", differ_grad, .of = DIFF_K2 },
        { BACK "dv[g,m|e]", differ_grad, .of = DIFF_V },
        { BACK "dlambda_q1[|d]", differ_grad, .of = DIFF_LQ1 }, { BACK "dlambda_k1[|d]", differ_grad, .of = DIFF_LK1 },
        { BACK "dlambda_q2[|d]", differ_grad, .of = DIFF_LQ2 }, { BACK "dlambda_k2[|d]", differ_grad, .of = DIFF_LK2 },
        { V1 "gain[e] do[h,n,e] -> dgain[|e]", differ_grad, .of = DIFF_GAIN },
        { BACK2 "dq1_gated[h,n|d]", differ_grad, .of = DIFF_Q1, .form = true },
        { BACK2 "dq2_gated[h,n|d]", differ_grad, .of = DIFF_Q2, .form = true },
        { BACK2 "dk_gated[g,m|d]", differ_grad, .of = DIFF_K1, .form = true },
        { BACK2 "dv_gated[g,m|e]", differ_grad, .of = DIFF_V, .form = true },
        { BACK2 "da[h|n]", differ_grad, .of = DIFF_A, .form = true },
        { V2 "gain[e] dgated[h,n,e] -> dgain_gated[|e]", differ_grad, .of = DIFF_GAIN, .form = true } },
};
