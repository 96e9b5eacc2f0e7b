/* Softmax of lines, alone: what attention, a classifier and a sampler end with.   Bridle 1990
 *   s_j = scale x_j        p_j = exp(s_j - max s) / sum_k exp(s_k - max s)        lse = max s + log sum_k exp(s_k - max
 *                          s)
 * over j with keep_j not 0 and x_j above -inf; the others are 0.  scale: the inverse of a temperature.  softmax1: a 1
 * joins the sum, exp(0 - max s) with
 * 0 joining the maximum (Miller 2023).  A line that is hidden whole: `empty`, and lse = -inf.
 * For dp the gradient of p:  dx_j = scale p_j (dp_j - sum_k p_k dp_k)
 * The maximum changes no real number; without it, exp overflows at 89 in float32, 11.1 in float16.
 * Trap: a line of -inf alone is -inf - (-inf), NaN, unless an implementation asks. */
#include <math.h>
#include <stdlib.h>
#include "row/row.h"
#include "ball/stored.h"

struct softmax { mpq_t scale; int softmax1, empty; };
enum { OFF, ON };
enum { ZERO, POLICY_NAN };
enum { SCORE, SHIFT, EXP, TOTAL, DIV, LOG, PRODUCT, COLLECT, COMBINE };

/* One line: e[n] are the exponentials, NULL where hidden, and total is their sum; the caller frees e.  max is NULL
 * where the line is hidden whole, unless softmax1 joins it. */
struct softmax_line { long n; const struct ball **e, *max, *total; };

static bool hidden(const struct ask *w, long i, long j)
{
    const struct mer_array *x = array_in(w, "x");
    return (has_in(w, "keep") && i_in(w, "keep", i, j) == 0) ||
        (x->type != BALLS && stored_value(w, x, i * x->dim[1] + j) == (double)-INFINITY);
}

static struct softmax_line line_open(struct ask *w)
{
    const struct softmax *p = w->params;
    const long i = w->at[0], n = dim_in(w, "x", 1);
    struct softmax_line l = { .n = n, .e = need((size_t)n + 1, sizeof *l.e),
        .max = p->softmax1 == ON ? b_si(w, 0) : NULL };
    const struct ball **t = need((size_t)n + 2, sizeof *t);
    long terms = 0;
    for (long j = 0; j < n; j++)
        if (!hidden(w, i, j)) {
            l.e[j] = b_in(w, "x", i, j, 0);
            if (b_true(w, mpq_cmp_si(p->scale, 1, 1) != 0))
                l.e[j] = b_scaled(w, SCORE, l.e[j], b_held(w, SCORE, b_q(w, p->scale)));
            l.max = l.max ? b_max(w, l.max, l.e[j]) : l.e[j];
        }
    if (l.max && w->dual) /* No number depends on it, and a constant has no corner at ties. */
        l.max = b_at(w, l.max);
    for (long j = 0; j < n; j++)
        if (l.e[j])
            t[terms++] = l.e[j] = b_step(w, EXP, b_exp(w, b_step(w, SHIFT, b_sub(w, l.e[j], l.max))));
    if (p->softmax1 == ON)
        t[terms++] = b_step(w, EXP, b_exp(w, b_neg(w, l.max)));
    l.total = b_sum(w, TOTAL, t, terms);
    free(t);
    return l;
}

static void weights(struct ask *w, const struct ball **y)
{
    struct softmax_line l = line_open(w);
    for (long j = 0; j < l.n; j++)
        y[j] = l.e[j] ? b_step(w, DIV, b_div(w, l.e[j], l.total)) :
            !l.max && b_true(w, ((const struct softmax *)w->params)->empty == POLICY_NAN) ? b_nan(w) :
                                                                                            b_si(w, 0);
    free(l.e);
}

static void logsumexp(struct ask *w, const struct ball **y)
{
    struct softmax_line l = line_open(w);
    y[0] = l.max ? b_step(w, LOG, b_add(w, l.max, b_step(w, LOG, b_log(w, l.total)))) : b_minus_inf(w);
    free(l.e);
}

static void input_grad(struct ask *w, const struct ball **y)
{
    const struct softmax *p = w->params;
    const long i = w->at[0], n = w->len;
    const struct ball **t = need((size_t)n + 1, sizeof *t);
    weights(w, y);
    for (long j = 0; j < n; j++)
        t[j] = b_step(w, PRODUCT, b_mul(w, y[j], b_in(w, "dp", i, j, 0)));
    const struct ball *mean = b_sum(w, COLLECT, t, n);
    for (long j = 0; j < n; j++) {
        y[j] = b_step(w, COMBINE, b_mul(w, y[j], b_step(w, COMBINE, b_sub(w, b_in(w, "dp", i, j, 0), mean))));
        if (b_true(w, mpq_cmp_si(p->scale, 1, 1) != 0))
            y[j] = b_scaled(w, SCORE, y[j], b_held(w, SCORE, b_q(w, p->scale)));
    }
    free(t);
}

static const char *refuse(const void *q)
{
    return mpq_sgn(((const struct softmax *)q)->scale) > 0 ? NULL : "scale: must be greater than 0";
}
static const struct param params[] = {
    { "scale", "1", "of x: the inverse of a temperature", RATIONAL, offsetof(struct softmax, scale) },
    { "softmax1", "off", "a 1 joins the sum", ENUM, offsetof(struct softmax, softmax1), .choices = "off on" },
    { "empty", "zero", "p where nothing is there", ENUM, offsetof(struct softmax, empty), .choices = "zero nan" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "Bridle 1990, Probabilistic Interpretation of Feedforward Classification Network Outputs" },
    { "code:pytorch", "empty=nan", "torch.softmax of a line of -inf" },
    { "temperature", "scale=10/7", "Hinton, Vinyals, Dean 2015 (arXiv:1503.02531), T = 0.7" },
    { "softmax1", "softmax1=on", "Miller 2023, Attention Is Off By One" },
    { 0 },
};
static const struct preset contracts[] = {
    { "f32", "score=f32 shift=f32 exp=f32 total=f32/lanes1 div=f32 log=f32 product=f32 collect=f32/lanes1 combine=f32",
        "naive loops" },
    { 0 }
};
const struct row row_softmax = {
    .name = "softmax", .title = "softmax of lines", .cite = "Bridle 1990",
    .steps = { "score shift exp total div log product collect combine" },
    .declares = params, .size = sizeof(struct softmax), .presets = presets, .contracts = contracts, .empty = "n",
    .refuse = refuse,
    .q = { { "x[n,m] int keep?[n,m]<2 -> p[n|m]", weights }, { "x[n,m] int keep?[n,m]<2 -> lse[n|]", logsumexp },
    { "x[n,m] int keep?[n,m]<2 dp[n,m] -> dx[n|m]", input_grad } },
};
