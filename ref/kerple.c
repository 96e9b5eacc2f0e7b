/* Kernelized relative biases.                                            Chi et al. 2022, arXiv:2205.09921, eq. 5 and 6
 *   log      bias[h][i][j] = -p_h ln(1 + a_h D)
 *   power    bias[h][i][j] = -a_h D^p_h,  0^p = 0
 * weight[h][i][j] = exp(-a_h D^p_h), a factor before the bias: of the power kernel whatever `kind` the bias is.
 * D = o + i - j;  form=causal: 0 where the key stands to the right;  form=absolute: |o + i - j|.  a and p are trained,
 * one a head, and clamped as the authors' code does: below `least` a number counts as `least`, and the exponent above 2
 * as 2 (beyond it the kernel is not conditionally positive definite).  Gradients dp, da: from dbias (dp_weight,
 * da_weight: from dweight); 0 where the number is clamped, not where it stands at the clamp.
 * Trap: power and log take (a, p) in different parts: in log p is the factor and a stands inside. */
#include "row/row.h"
#include "row/shared.h"

struct kerple { long heads, offset; mpq_t least; int form, kind, sign; };
enum { CAUSAL, ABSOLUTE }; enum { LOG_KERNEL, POWER_KERNEL }; enum { MINUS, PLUS };
enum { PRODUCT, ONE, LOG, POWER, BIAS, EXP, SLOPE, SUM };

/* A quantity of the weight has `form`: its kernel is the power whatever the bias's is. */
static const struct kerple *kerple_of(const struct ask *w) { return w->params; }
static bool power_kernel(const struct ask *w) { return w->form || kerple_of(w)->kind == POWER_KERNEL; }
static bool exponent(const struct ask *w, const char *name) { return power_kernel(w) && *name == 'p'; }
static bool plus(const struct ask *w) { return kerple_of(w)->sign == PLUS; }

/* The trained number of a head as the operation of that step takes it. */
static const struct ball *clamped(struct ask *w, int step, const char *name, long h)
{
    const struct ball *x = b_max(w, b_in(w, name, h, 0, 0), b_given(w, step, b_q(w, kerple_of(w)->least)));
    return b_true(w, exponent(w, name)) ? b_min(w, x, b_si(w, 2)) : x;
}
static const struct ball *unclamped(struct ask *w, const char *name, long h) /* 0 where the clamp holds, else 1. */
{
    const struct ball *x = b_in(w, name, h, 0, 0);
    const bool above = exponent(w, name) && b_true(w, b_cmp(x, b_si(w, 2)) == 1);
    return b_si(w, b_true(w, b_cmp(x, b_q(w, kerple_of(w)->least)) != -1) && !above);
}
static long distance(const struct ask *w, long i, long j)
{
    const struct kerple *p = w->params;
    long d = i_add(w, p->offset, lag(w, i, j));
    return b_true(w, p->form == ABSOLUTE) ? counted(w, labs(d)) : i_less(w, 0, d) ? d : 0;
}
static const struct ball *power(struct ask *w, long h, long d)
{
    return b_true(w, d != 0) ? b_step(w, POWER, b_pow(w, b_si(w, d), clamped(w, POWER, "p", h))) : b_si(w, 0);
}
static const struct ball *times(struct ask *w, struct source at, const char *name, long h, const struct ball *x)
{
    return b_step(w, PRODUCT, site_two(w, at, SITE_MUL, b_mul, clamped(w, PRODUCT, name, h), x));
}
static const struct ball *inside(struct ask *w, long h, long d)
{
    return b_step(w, ONE, b_add(w, b_si(w, 1), times(w, HERE, "a", h, b_si(w, d))));
}
/* -d bias / dp: ln(1 + a D), and a D^p ln D of the power kernel */
static const struct ball *slope_of_p(struct ask *w, long h, long d)
{
    const struct ball *x = b_true(w, power_kernel(w)) ? b_si(w, i_less(w, 1, d) ? d : 1) : inside(w, h, d),
                      *log = b_step(w, LOG, b_log(w, x));
    return b_true(w, power_kernel(w)) ? b_step(w, SLOPE, b_mul(w, times(w, HERE, "a", h, power(w, h, d)), log)) : log;
}
static const struct ball *slope_of_a(struct ask *w, long h, long d) /* -d bias / da */
{
    return b_true(w, power_kernel(w)) ? power(w, h, d) :
                                        b_step(w, SLOPE, b_div(w, times(w, HERE, "p", h, b_si(w, d)), inside(w, h, d)));
}

static void bias(struct ask *w, const struct ball **y)
{
    long h = w->at[0], d = distance(w, w->at[1], w->at[2]);
    const struct ball *x = b_true(w, power_kernel(w)) ? b_mul(w, clamped(w, BIAS, "a", h), power(w, h, d)) :
                                                        b_mul(w, clamped(w, BIAS, "p", h), slope_of_p(w, h, d));
    y[0] = b_step(w, BIAS, b_true(w, plus(w)) ? x : b_neg(w, x));
}
static const struct ball *weight_of(struct ask *w, long h, long d)
{
    const struct ball *x = times(w, HERE, "a", h, power(w, h, d));
    return b_step(w, EXP, b_exp(w, b_true(w, plus(w)) ? x : b_neg(w, x)));
}
static void weight(struct ask *w, const struct ball **y)
{
    y[0] = weight_of(w, w->at[0], distance(w, w->at[1], w->at[2]));
}

/* The sum over the pairs of head h of seed times -slope, and times `outer` where that is given.  Under the fault
 * "overwritten" each pair replaces the sum so far, so that only the last one counts. */
typedef const struct ball *of_distance(struct ask *w, long h, long d);
static const struct ball *gather(struct ask *w, const char *seed, of_distance *slope, of_distance *outer)
{
    const long h = w->at[0], n = dim_in(w, seed, 1), m = dim_in(w, seed, 2);
    /* A slope depends on i - j alone: s[i - j + m - 1] holds one for every diagonal. */
    const struct ball **t = need((size_t)(n * m + n + m) + 1, sizeof *t), **s = t + n * m;
    long terms = 0;
    for (long k = 0; k < n + m - 1; k++) {
        s[k] = slope(w, h, distance(w, k - (m - 1), 0));
        s[k] = outer ? b_step(w, SLOPE, b_mul(w, s[k], outer(w, h, distance(w, k - (m - 1), 0)))) : s[k];
    }
    for (long k = 0; k < n * m; k++) {
        terms = w->arith->fault == FAULT_OVERWRITTEN ? 0 : terms;
        t[terms++] = b_step(w, PRODUCT, b_mul(w, b_in(w, seed, h, k / m, k % m), s[k / m - k % m + m - 1]));
    }
    const struct ball *sum = b_neg(w, b_sum(w, SUM, t, terms));
    free(t);
    return sum;
}
/* The gradient that w->of names, p or a, of the bias, or with w->form of the weight. */
static void grad(struct ask *w, const struct ball **y)
{
    of_distance *slope = b_true(w, w->of == 'p') ? slope_of_p : slope_of_a;
    const struct ball *sum = gather(w, w->form ? "dweight" : "dbias", slope, b_true(w, w->form) ? weight_of : NULL);
    y[0] = b_mul(w, unclamped(w, w->of == 'p' ? "p" : "a", w->at[0]), b_true(w, plus(w)) ? b_neg(w, sum) : sum);
}
static long extent(const void *q, char axis) { return axis == 'h' ? ((const struct kerple *)q)->heads : 0; }
static const char *refuse(const void *q)
{
    const struct kerple *p = q;
    return mpq_sgn(p->least) <= 0 ? "least: must be above 0, or a logarithm and a power of the distance are undefined" :
        mpq_cmp_si(p->least, 2, 1) > 0 ? "least: above 2, the largest exponent" :
                                         NULL;
}
static const struct param params[] = {
    { .as = &param_heads, .at = offsetof(struct kerple, heads) },
    { .as = &param_offset, .at = offsetof(struct kerple, offset) },
    { "kind", "log", "the kernel", ENUM, offsetof(struct kerple, kind), .choices = "log power" },
    { "form", "causal", "distance to keys on the right: 0, or as to the left", ENUM, offsetof(struct kerple, form),
        .choices = "causal absolute" },
    { "least", "1/100", "where a and p are clamped from below", RATIONAL, offsetof(struct kerple, least) },
    { .as = &param_penalty, .at = offsetof(struct kerple, sign) },
    { 0 },
};
static const struct preset presets[] = {
    { "log", "", "arXiv:2205.09921, eq. 6; chijames/KERPLE ParallelKerpleLog" },
    { "power", "kind=power heads=5", "arXiv:2205.09921, eq. 5; chijames/KERPLE ParallelKerplePower" },
    { "paper", "form=absolute heads=6", "arXiv:2205.09921: |m - n|" },
    { "power, both sides", "kind=power form=absolute heads=7", "arXiv:2205.09921, eq. 5" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "product=f32 one=f32 log=f32:2 power=f32:2 bias=f32 exp=f32:2 slope=f32 sum=f32",
        "every operation in float32" },
    { 0 }
};
const struct row row_kerple = {
    .name = "kerple", .title = "kernelized relative biases", .cite = "Chi et al. 2022",
    .steps = { "product one log power bias exp slope sum" },
    .declares = params, .size = sizeof(struct kerple), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse,
    .q = { { "p[h] a[h] -> bias[h,n,m|]", bias }, { "p[h] a[h] -> weight[h,n,m|]", weight, .form = true },
      { "p[h] a[h] dbias[h,n,m] -> dp[h|]", grad, .of = 'p' }, { "p[h] a[h] dbias[h,n,m] -> da[h|]", grad, .of = 'a' },
      { "p[h] a[h] dweight[h,n,m] -> dp_weight[h|]", grad, .of = 'p', .form = true },
      { "p[h] a[h] dweight[h,n,m] -> da_weight[h|]", grad, .of = 'a', .form = true } },
};
