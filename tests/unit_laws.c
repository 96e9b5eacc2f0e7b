/* Queries and keys of unit length (ref/core/softmax/unit.h) and log-probabilities (log_softmax.h) under contracts, step
 * by step as their headers have them: each step has a format of its own, and one at a time has fewer bits. */
#include <criterion/criterion.h>
#include "softmax/log_softmax.h"
#include "softmax/unit.h"
#include "ball/input.h"

enum { SUM_STEP, EACH, D = 5 };
static const double x_of[D] = { 0.75, -1.25, 3.375, 0.0625, -2.5 }, dy_of[D] = { 1.5, -0.375, 2.25, -4.125, 0.875 };
static double gain_of[D] = { 1.125, 0.5, -2.25, 3.5, 0.875 };
static const struct mer_array gain = { .name = "gain", .type = MER_F64, .rank = 1, .dim = { D }, .data = gain_of };

static const struct ball *number(struct ask *w, double x)
{
    struct ball *b = (struct ball *)b_si(w, 0);
    mpfr_set_d(b->mid, x, MPFR_RNDN);
    b->mag = up_of(b->mid);
    return b;
}
static const struct ball *each(struct ask *w, const struct ball *x) { return b_step(w, EACH, x); }
/* sum x y, by steps. */
static const struct ball *product_sum(struct ask *w, const struct ball *const *x, const struct ball *const *y)
{
    const struct ball *t[D];
    for (int k = 0; k < D; k++)
        t[k] = each(w, b_mul(w, x[k], y[k]));
    return b_sum(w, SUM_STEP, t, D);
}
/* x times the gain. */
static const struct ball *with_gain(struct ask *w, const struct unit *u, const struct ball *x, long k)
{
    if (!u->gain)
        return x;
    const struct ball *g = b_element(w, u->gain, k);
    return each(w, b_mul(w, x, u->offset ? each(w, b_add(w, b_si(w, 1), g)) : g));
}

/* N, and R of a norm whose eps is not inside the root. */
static const struct ball *norm_of(struct ask *w, const struct unit *u, const struct ball *const *x,
    const struct ball **R)
{
    const struct ball *square = product_sum(w, x, x), *eps = b_q(w, u->eps);
    if (u->kind == UNIT_RMS)
        square = b_step(w, SUM_STEP, b_div(w, square, b_si(w, D)));
    if (u->place == EPS_INSIDE)
        return *R = each(w, b_sqrt(w, each(w, b_add(w, square, eps))));
    *R = each(w, b_sqrt(w, square));
    return u->place == EPS_CLAMP ? b_max(w, *R, each(w, eps)) : each(w, b_add(w, *R, eps));
}
static void one(int k, const struct unit *u)
{
    struct arith a = { .how = ROUND };
    struct ask w = { .arith = &a };
    const struct ball *x[D], *dy[D], *y[D], *g[D], *R;
    for (int s = 0; s < 2; s++)
        a.at[s] = (struct rounding){ .f = &formats[(k & 1) == s ? MER_BF16 : MER_F16], .ulps = 1 };
    ask_reset(&w, 100);
    for (int j = 0; j < D; j++)
        x[j] = number(&w, x_of[j]), dy[j] = number(&w, dy_of[j]);
    const struct ball *N = norm_of(&w, u, x, &R);
    unit_line(&w, u, x, D, y);
    for (int j = 0; j < D; j++)
        cr_assert(mpfr_equal_p(y[j]->mid, with_gain(&w, u, each(&w, b_div(&w, x[j], N)), j)->mid), "case %d, %d", k, j);
    /* dx = gain dy / N - x <gain dy, x> / (d N^2 R), and without the second where the norm is eps. */
    for (int j = 0; j < D; j++)
        g[j] = with_gain(&w, u, dy[j], j);
    const struct ball *by = b_mul(&w, b_mul(&w, N, N), R);
    by = each(&w, u->kind == UNIT_RMS ? b_mul(&w, by, b_si(&w, D)) : by);
    by = each(&w, b_div(&w, product_sum(&w, g, x), by));
    if (u->place == EPS_CLAMP && b_cmp(R, b_q(&w, u->eps)) < 0)
        by = b_si(&w, 0);
    unit_grad(&w, u, x, D, dy, y);
    for (int j = 0; j < D; j++) {
        const struct ball *want = b_step(&w, SUM_STEP,
            b_sub(&w, each(&w, b_div(&w, g[j], N)), each(&w, b_mul(&w, x[j], by))));
        cr_assert(mpfr_equal_p(y[j]->mid, want->mid), "gradient, case %d, %d: %g, not %g", k, j, b_value(y[j]),
            b_value(want));
    }
    ask_clear(&w);
}
/* eps is of no format, and in the last case larger than the line is long. */
Test(unit_laws, a_line_and_its_gradient_are_rounded_step_by_step)
{
    static const char *const eps[] = { "1/3", "1/1000", "50/3" };
    for (int k = 0; k < 2 * 2 * 3 * 3 * 3; k++) {
        mpq_t q;
        mpq_init(q), mpq_set_str(q, eps[k / 12 % 3], 10);
        const struct unit u = { .kind = k / 2 % 2 ? UNIT_RMS : UNIT_L2, .place = k / 4 % 3, .eps = q,
            .offset = k / 36 == 2, .gain = k / 36 ? &gain : NULL, .sum = SUM_STEP, .each = EACH };
        one(k, &u), mpq_clear(q);
    }
}

enum { SHIFT, EXP, TOTAL, LOG, NORMAL, LOG_STEPS };
Test(unit_laws, log_probabilities_are_rounded_step_by_step)
{
    static const double scores[][4] = { { 3.14453125, 1.7568359375, -2.501953125, 0.31298828125 },
        { 0.2509765625, 5.37890625, 1.0009765625, 5.3125 }, { -1.501953125, 0.7509765625, 1.126953125, -3.626953125 },
        { -4.75390625, -0.5009765625, 0.2509765625, 2.876953125 } };
    static const struct log_steps steps = { SHIFT, EXP, TOTAL, LOG, NORMAL };
    for (int k = 0; k < LOG_STEPS * 4 * 4; k++) {
        const long n = 1 + k % 4;
        const double *score = scores[k / 4 % 4];
        struct arith a = { .how = ROUND };
        struct ask w = { .arith = &a };
        const struct ball *y[4], *z[4], *e[4];
        for (int s = 0; s < LOG_STEPS; s++)
            a.at[s] = (struct rounding){ .f = &formats[s == k / 16 ? MER_BF16 : MER_F16], .ulps = 1 };
        ask_reset(&w, 100);
        double most = score[0];
        for (long v = 0; v < n; v++)
            y[v] = number(&w, score[v]), most = score[v] > most ? score[v] : most;
        log_softmax(&w, steps, y, n);
        for (long v = 0; v < n; v++)
            z[v] = b_step(&w, SHIFT, number(&w, score[v] - most)), e[v] = b_step(&w, EXP, b_exp(&w, z[v]));
        const struct ball *lse = b_step(&w, LOG, b_log(&w, b_sum(&w, TOTAL, e, n)));
        for (long v = 0; v < n; v++)
            cr_assert(mpfr_equal_p(y[v]->mid, b_step(&w, NORMAL, b_sub(&w, z[v], lse))->mid), "case %d, %ld: %g", k, v,
                b_value(y[v]));
        ask_clear(&w);
    }
}
