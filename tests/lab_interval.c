/* Intervals and tests of means: Student's distribution against integration, scores against published values and the
 * equation that defines them, Holm's steps against the closed test over all subsets. */
#include <criterion/criterion.h>
#include <math.h>
#include <mpfr.h>
#include "lab/page/interval.h"

/* y = (1 + x^2 / f)^(-(f + 1) / 2) */
static void density(mpfr_t y, const mpfr_t x, long f)
{
    mpfr_sqr(y, x, MPFR_RNDN), mpfr_div_si(y, y, f, MPFR_RNDN), mpfr_add_ui(y, y, 1, MPFR_RNDN);
    mpfr_sqrt(y, y, MPFR_RNDN), mpfr_pow_si(y, y, -(f + 1), MPFR_RNDN);
}

/* The integral of the density from 0 to t, by Romberg's scheme of 2^10 trapezia at 200 bits. */
static void integral(mpfr_t y, double t, long f)
{
    enum { TURNS = 11 };
    mpfr_t r[TURNS], x, v, old, now;
    mpfr_inits2(200, x, v, old, now, (mpfr_ptr)0);
    for (int k = 0; k < TURNS; k++)
        mpfr_init2(r[k], 200);
    mpfr_set_d(x, t, MPFR_RNDN), density(v, x, f), mpfr_add_ui(v, v, 1, MPFR_RNDN);
    mpfr_mul_d(r[0], v, t / 2, MPFR_RNDN);
    for (int k = 1; k < TURNS; k++) {
        mpfr_set_ui(now, 0, MPFR_RNDN);
        for (long i = 1; i < 1L << k; i += 2) {
            mpfr_set_d(x, t, MPFR_RNDN), mpfr_mul_si(x, x, i, MPFR_RNDN), mpfr_div_2ui(x, x, (unsigned)k, MPFR_RNDN);
            density(v, x, f), mpfr_add(now, now, v, MPFR_RNDN);
        }
        mpfr_mul_d(now, now, t, MPFR_RNDN), mpfr_div_2ui(now, now, (unsigned)k, MPFR_RNDN);
        mpfr_div_2ui(v, r[0], 1, MPFR_RNDN), mpfr_add(now, now, v, MPFR_RNDN);
        for (int j = 0; j < k; j++) { /* r[j] is of the turn before until it is replaced */
            mpfr_set(old, r[j], MPFR_RNDN), mpfr_set(r[j], now, MPFR_RNDN);
            mpfr_sub(v, now, old, MPFR_RNDN);
            mpfr_set_ui(x, 1, MPFR_RNDN), mpfr_mul_2ui(x, x, (unsigned)(2 * j + 2), MPFR_RNDN);
            mpfr_sub_ui(x, x, 1, MPFR_RNDN), mpfr_div(v, v, x, MPFR_RNDN), mpfr_add(now, now, v, MPFR_RNDN);
        }
        mpfr_set(r[k], now, MPFR_RNDN);
    }
    mpfr_set(y, r[TURNS - 1], MPFR_RNDN);
    for (int k = 0; k < TURNS; k++)
        mpfr_clear(r[k]);
    mpfr_clears(x, v, old, now, (mpfr_ptr)0);
}

Test(lab_interval, student_is_the_integral_of_its_density)
{
    static const long freedom[] = { 1, 2, 3, 4, 5, 9, 10, 29, 64 };
    static const double at[] = { 0.125, 0.5, 1, 2, 2.75, 4 };
    mpfr_t part, whole, g;
    mpfr_inits2(200, part, whole, g, (mpfr_ptr)0);
    for (size_t k = 0; k < sizeof freedom / sizeof *freedom; k++)
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            const long f = freedom[k];
            integral(part, at[i], f);
            /* the integral over all x: sqrt(f pi) Gamma(f/2) / Gamma((f + 1)/2) */
            mpfr_const_pi(whole, MPFR_RNDN), mpfr_mul_si(whole, whole, f, MPFR_RNDN);
            mpfr_sqrt(whole, whole, MPFR_RNDN);
            mpfr_set_d(g, (double)f / 2, MPFR_RNDN), mpfr_gamma(g, g, MPFR_RNDN), mpfr_mul(whole, whole, g, MPFR_RNDN);
            mpfr_set_d(g, (double)(f + 1) / 2, MPFR_RNDN), mpfr_gamma(g, g, MPFR_RNDN);
            mpfr_div(whole, whole, g, MPFR_RNDN), mpfr_div(part, part, whole, MPFR_RNDN);
            const double want = 0.5 - mpfr_get_d(part, MPFR_RNDN), y = student_above(at[i], f);
            /* Half of the quantity is exact to 2^-60 by the integral; the header says 2^-40 of the other. */
            cr_expect(fabs(y - want) <= 0x1p-40, "f=%ld t=%g: %.17g, not %.17g", f, at[i], y, want);
            cr_expect(fabs(student_above(-at[i], f) - (1 - want)) <= 0x1p-40);
        }
    mpfr_clears(part, whole, g, (mpfr_ptr)0);
}

/* Closed forms: f = 1 is Cauchy's, f = 2 is 1/2 - t / (2 sqrt(2 + t^2)); points as every table prints them. */
Test(lab_interval, student_points_are_those_of_the_tables)
{
    static const struct { long f; double level, t; } table[] = { { 1, 0.95, 12.7062 }, { 2, 0.95, 4.3027 },
        { 3, 0.95, 3.1824 }, { 4, 0.95, 2.7764 }, { 4, 0.90, 2.1318 }, { 5, 0.99, 4.0321 }, { 10, 0.95, 2.2281 },
        { 30, 0.95, 2.0423 }, { 63, 0.95, 1.9983 } };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const double t = student_point(table[k].level, table[k].f);
        cr_expect(fabs(t - table[k].t) <= 0.00005 + 1e-12, "f=%ld: %.9g", table[k].f, t);
        cr_expect(fabs(2 * student_above(t, table[k].f) - (1 - table[k].level)) <= 0x1p-38);
    }
    for (double t = 0.25; t < 60; t *= 3) {
        cr_expect(fabs(student_above(t, 1) - (0.5 - atan(t) / 3.14159265358979323846)) <= 0x1p-45);
        cr_expect(fabs(student_above(t, 2) - (0.5 - t / (2 * sqrt(2 + t * t)))) <= 0x1p-45);
    }
    cr_expect(fabs(normal_point(0.95) - 1.959963985) <= 5e-10 && fabs(normal_point(0.90) - 1.644853627) <= 5e-10);
}

/* Newcombe 1998, Statistics in Medicine 17, 857-872, table I, method 3 and 873-890, table II, method 10. */
Test(lab_interval, scores_are_the_published_ones_and_solve_their_equation)
{
    static const struct { double right, of, low, high; } one[] = { { 81, 263, 0.2553, 0.3662 },
        { 15, 148, 0.0624, 0.1605 }, { 0, 20, 0.0000, 0.1611 }, { 1, 29, 0.0061, 0.1718 } };
    static const struct { double a, of, b, among, low, high; } two[] = { { 56, 70, 48, 80, 0.0524, 0.3339 },
        { 9, 10, 3, 10, 0.1705, 0.8090 }, { 5, 56, 0, 29, -0.0381, 0.1926 }, { 10, 10, 0, 10, 0.6075, 1.0000 } };
    const double z = normal_point(0.95);
    for (int k = 0; k < 4; k++) {
        const double p = one[k].right / one[k].of;
        const struct interval y = wilson(p, one[k].of, z);
        cr_expect(fabs(y.low - one[k].low) <= 0.00005 + 1e-12 && fabs(y.high - one[k].high) <= 0.00005 + 1e-12,
            "%g of %g: [%g, %g]", one[k].right, one[k].of, y.low, y.high);
        const double ends[] = { y.low, y.high };
        for (int i = 0; i < 2; i++) /* |p - e| = z sqrt(e (1 - e) / n) */
            cr_expect(fabs(fabs(p - ends[i]) - z * sqrt(ends[i] * (1 - ends[i]) / one[k].of)) <= 0x1p-40);
        /* One seed of each: the seeds say nothing, the trials everything. */
        const double x = two[k].a / two[k].of - two[k].b / two[k].among;
        const struct sample s = { &x, 1, { two[k].a / two[k].of, two[k].b / two[k].among },
            { two[k].of, two[k].among } };
        const struct interval d = sample_interval(&s, 0.95);
        cr_expect(fabs(d.low - two[k].low) <= 0.00005 + 1e-12 && fabs(d.high - two[k].high) <= 0.00005 + 1e-12,
            "%d: [%g, %g]", k, d.low, d.high);
    }
}

/* The adjusted p of Holm's steps are those of the closed test: the greatest over all sets of hypotheses that hold the
 * one of what Bonferroni says of that set. */
Test(lab_interval, holm_is_the_closed_test_of_bonferroni)
{
    enum { N = 6 };
    static const double cases[][N] = { { 0.001, 0.02, 0.04, 0.011, 0.5, 0.9 }, { 0.05, 0.05, 0.05, 0.05, 0.05, 0.05 },
        { 0.2, 0.009, 0.0091, 0.0092, 1, 0.3 }, { 0, 0, 1, 1, 0.02, 0.01 } };
    for (int c = 0; c < 4; c++) {
        double p[N];
        for (int k = 0; k < N; k++)
            p[k] = cases[c][k];
        holm(p, N);
        for (int k = 0; k < N; k++) {
            double most = 0;
            for (int set = 1; set < 1 << N; set++) {
                double least = 1;
                int size = 0;
                for (int i = 0; i < N; i++)
                    if (set >> i & 1)
                        size++, least = fmin(least, cases[c][i]);
                if (set >> k & 1)
                    most = fmax(most, fmin(1, size * least));
            }
            cr_expect(fabs(p[k] - most) <= 0x1p-50, "case %d, p %g: %.17g, not %.17g", c, cases[c][k], p[k], most);
        }
    }
}

/* Five trainings that get everything right do not say that the next one does. */
Test(lab_interval, seeds_that_agree_still_have_an_interval_where_trials_are_counted)
{
    const double right[] = { 1, 1, 1, 1, 1 }, none[] = { 0, 0, 0, 0, 0 }, same[] = { 0.25, 0.25, 0.25 };
    const struct interval all = mean_interval(right, 5, 100, 0.95), no = mean_interval(none, 5, 100, 0.95);
    /* Wilson's of 100 of 100 begins at 100 / (100 + 1.96^2). */
    cr_expect(all.high == 1 && all.low < 0.9631 && all.low > 0.9629, "[%g, %g]", all.low, all.high);
    cr_expect(no.low == 0 && fabs(no.high - (1 - all.low)) <= 0x1p-40);
    cr_expect(isnan(mean_interval(same, 3, 0, 0.95).low), "no spread, no interval");
    cr_expect(!sample_spreads(&(struct sample){ same, 3, { 0 }, { 0 } }) &&
        sample_beyond(&(struct sample){ same, 3, { 0 }, { 0 } }, 0, 1) == 1);
}

/* The p of a margin is the alpha whose interval ends there, from both sides, for means and for shares. */
Test(lab_interval, the_p_of_a_margin_is_the_level_whose_interval_ends_there)
{
    const double x[] = { 0.31, 0.18, 0.4, 0.22, 0.29 };
    const struct sample plain = { x, 5, { 0 }, { 0 } }, shares = { x, 5, { 0.9, 0.62 }, { 200, 200 } };
    const struct sample *const both[] = { &plain, &shares };
    for (int k = 0; k < 2; k++)
        for (double m = -0.1; m < 0.7; m += 0.05) {
            const int sign = sample_mean(both[k]) > m ? 1 : -1;
            const double p = sample_beyond(both[k], m, sign);
            if (p < 1e-9 || p > 0.49)
                continue;
            const struct interval y = sample_interval(both[k], 1 - 2 * p);
            cr_expect(fabs((sign > 0 ? y.low : y.high) - m) <= 1e-6, "%d, margin %g: p %g, [%g, %g]", k, m, p, y.low,
                y.high);
            cr_expect(sample_beyond(both[k], m, -sign) == 1);
        }
    cr_expect(sample_beyond(&shares, 0.1, 1) >= sample_beyond(&plain, 0.1, 1), "trials only widen");
    const double broken[] = { 1, 2, (double)NAN, 3, 4 };
    cr_expect(sample_beyond(&(struct sample){ broken, 5, { 0 }, { 0 } }, 0, 1) == 1, "a loss that is no number");
}
