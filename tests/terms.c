/* Terms of a radius that random inputs hardly ever need, each with an input that needs it: without the term an honest
 * value lies outside the ball. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "command.h"
#include "compare/compare.h"
#include "row/row.h"
#include "trial/trial.h"

static const struct arith exact = { 0 };

/* n/d lies in its ball at every precision; the radius is 0 where, and only where, d divides a power of two that the
 * bits hold. */
Test(terms, a_rational_that_is_no_dyadic_has_a_radius)
{
    static const struct {
        const char *q;
        bool dyadic;
    } cases[] = { { "1/3", false }, { "-5/11", false }, { "2/7", false }, { "1/1000000000000000000000", false },
        { "10000000000000001/1000000000000000000000", false }, { "3/8", true }, { "-7", true },
        { "1/1267650600228229401496703205376", true } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (mpfr_prec_t prec = 53; prec <= 424; prec += 53)
            for (int path = 0; path < 2; path++) {
                struct ask w = { .arith = &exact, .exact = path };
                mpq_t q, low, high;
                mpfr_t end;
                mpq_inits(q, low, high, (mpq_ptr)0);
                mpq_set_str(q, cases[k].q, 10);
                ask_reset(&w, prec);
                const struct ball *b = b_q(&w, q);
                cr_expect_eq(
                    b->rad.m == 0, cases[k].dyadic, "%s at %ld bits: radius %g", cases[k].q, (long)prec, b_radius(b));
                mpfr_init2(end, prec + 200);
                up_get(end, b->rad);
                mpfr_get_q(high, end);
                mpfr_get_q(low, b->mid);
                mpq_sub(low, low, q), mpq_abs(low, low);
                cr_expect_leq(mpq_cmp(low, high), 0, "%s at %ld bits is outside its ball", cases[k].q, (long)prec);
                mpfr_clear(end), mpq_clears(q, low, high, (mpq_ptr)0), ask_clear(&w);
            }
    cr_expect_eq(
        meridian(
            "", "eval rope cos --dim 8 --scaling yarn --factor 2 --trained 64 --attention_factor 1/3 --pos 0 --k 0"),
        0);
    cr_expect(!strstr(out, "exact") && strstr(out, "+- "), "a third is not exact: %s", out);
    cr_expect_eq(
        meridian(
            "", "eval rope cos --dim 8 --scaling yarn --factor 2 --trained 64 --attention_factor 1/4 --pos 0 --k 0"),
        0);
    cr_expect(strstr(out, "exact"), "a quarter is: %s", out);
}

/* One query of width 1 and value width 1: the scores are the keys, the values are given.  How much of its bound the
 * contract uses. */
static double used(const char *words, long m, const double *key, const double *value)
{
    char err[400], sizes[64], text[200];
    struct trial t;
    struct tally y;
    struct arith round, wide;
    snprintf(sizes, sizeof sizes, "h=1 g=1 n=1 m=%ld d=1 e=1", m);
    snprintf(text, sizeof text, "scale=1 %s", words);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", text, "o", MER_F64, sizes, 1 }, err, sizeof err), 0,
        "%s", err);
    array_put(&t.in[0], 0, 1);
    for (long j = 0; j < m; j++)
        array_put(&t.in[1], j, key[j]), array_put(&t.in[2], j, value[j]);
    cr_assert_geq(arith_read(&round, t.row, text, ROUND, err, sizeof err), 0, "%s", err);
    reference_run(&t, &round);
    cr_assert_geq(trial_profile(&t, text, &wide, WIDEN, err, sizeof err), 0, "%s", err);
    judge_outputs(&t, &wide, 0, &y);
    cr_expect(tally_passes(&y), "%s, %ld keys: %g of the bound", words, m, y.ratio);
    trial_close(&t);
    return y.own;
}

/* The sum of the weights is as far from Z as the weights are from theirs: Z - sum D, which here is far from Z. */
Test(terms, moved_weights_make_the_total_smaller)
{
    double share = used("score=bf16", 2, (double[]){ 40.1249, 32.1251 }, (double[]){ 0, 1 });
    cr_expect(share > 0.9 && share <= 1, "%g", share);
}

/* Weights below the smallest float16 become 0 or 2^-24: their relative error has no bound, so the mean is not held by
 * the range of the relative errors. */
Test(terms, weights_that_underflow_have_no_relative_error)
{
    enum { KEYS = 20001 };
    double *key = need(2 * KEYS, sizeof *key), *value = key + KEYS;
    key[0] = 17.4;
    for (long j = 1; j < KEYS; j++)
        value[j] = 1;
    double share = used("exp=f16", KEYS, key, value);
    cr_expect(share > 0.9 && share <= 1, "%g", share);
    free(key);
}

/* Values 1 and -1 under equal scores: the mean is 0, and what a total that is too small magnifies is the error of the
 * mean alone. */
Test(terms, a_small_total_magnifies_the_error_of_a_mean_that_is_0)
{
    char err[400];
    struct trial t;
    struct tally y;
    struct arith a;
    const char *words = "scale=1 score=bf16 total=bf16:8/lanes1";
    /* Half an ulp of 1.1, and eight of them in each of two sums below 2. */
    const double T = 0x1p-8, total = exp(T) + exp(-T) - 2 * 8 * 0x1p-8;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", words, "o", MER_F64, "h=1 g=1 n=1 m=2 d=1 e=1", 1 },
        err, sizeof err), 0, "%s", err);
    cr_assert_geq(trial_profile(&t, words, &a, WIDEN, err, sizeof err), 0, "%s", err);
    array_put(&t.in[0], 0, 1), array_put(&t.in[1], 0, 1.1), array_put(&t.in[1], 1, 1.1), array_put(&t.in[2], 0, 1),
        array_put(&t.in[2], 1, -1);
    array_put(&t.out[0], 0, (exp(T) - exp(-T)) / total);
    judge_outputs(&t, &a, 0, &y);
    cr_expect(tally_passes(&y) && y.own > 0.97, "%g", y.ratio);
    trial_close(&t);
}

/* erf is summed with 40 bits more than are kept, in `parts` roundings.  Where erf x is that near to the middle of two
 * numbers, the sum can lie on the other side of it. */
Test(terms, the_roundings_of_a_series_count_beside_the_last_one)
{
    enum { BITS = 12, FINE = 400 };
    long beyond = 0;
    mpfr_t low, high, middle;
    mpfr_inits2(FINE, low, high, middle, (mpfr_ptr)0);
    for (long k = 0; k < 300; k++) {
        struct ask fine = { .arith = &exact }, coarse = { .arith = &exact };
        /* The middle of two numbers of 12 bits between 1/2 and 1. */
        mpfr_set_si_2exp(middle, 2 * (2048 + 5 * k) + 1, -BITS - 1, MPFR_RNDN);
        mpfr_set_ui(low, 0, MPFR_RNDN), mpfr_set_ui(high, 4, MPFR_RNDN);
        for (int step = 0; step < 64; step++) { /* Halves [low, high], between whose images the middle lies. */
            ask_reset(&fine, FINE), ask_reset(&coarse, BITS);
            struct ball *at = (struct ball *)b_si(&fine, 0);
            mpfr_add(at->mid, low, high, MPFR_RNDN);
            mpfr_div_2ui(at->mid, at->mid, 1, MPFR_RNDN);
            const struct ball *y = b_erf(&coarse, at), *real = b_erf(&fine, at);
            struct up off = up_far(y->mid, real->mid), half = { 0.5, mpfr_get_exp(y->mid) - BITS };
            cr_expect(!up_less(up_add(y->rad, real->rad), off), "erf near the middle %ld: off by %g, radius %g", k,
                up_double(off), b_radius(y));
            beyond += up_less(up_mul(half, up_d(1 + 0x1p-45)), off);
            mpfr_swap(mpfr_cmp(real->mid, middle) < 0 ? low : high, at->mid);
        }
        ask_clear(&fine), ask_clear(&coarse);
    }
    cr_expect_gt(beyond, 0, "the sum never lay on the other side");
    mpfr_clears(low, high, middle, (mpfr_ptr)0);
}

/* 2^30 pi less its integer: at first known to about a sixteenth of a float's ulp, which would decide its rounding and
 * yet read wrongly in ulps. */
static void fraction(struct ask *w, const struct ball **y)
{
    const struct ball *far = b_mul(w, b_pi(w), b_si(w, 1L << 30));
    y[0] = b_sub(w, far, b_si(w, 3373259426));
}
Test(terms, a_value_is_known_far_below_its_last_place)
{
    struct quantity q = { .page = fraction };
    struct mer_call c = { 0 };
    struct ask w = { .arith = &exact, .call = &c, .len = 1 };
    const struct ball *y;
    cr_expect_eq(line_eval(&w, &q, &formats[1], &y), YES);
    struct up ulp = { 0.5, mpfr_get_exp(y->mid) - 23 };
    cr_expect(!up_less(up_2exp(ulp, -11), y->rad), "known to %g ulp", up_double(up_div(y->rad, ulp)));
    ask_clear(&w);
}

/* The ball of output `name` of t's one line under `a`: mid and radius as doubles, the radius upward. */
static double ball_of(const struct trial *t, const struct arith *a, const char *name, double *radius)
{
    struct ask w = { .params = t->params, .call = &t->call, .arith = a, .len = 1 };
    const struct ball *y;
    ask_reset(&w, 200);
    line_page(&w, row_quantity(t->row, name), NULL, &y);
    const double mid = b_value(y);
    *radius = b_radius(y);
    ask_clear(&w);
    return mid;
}
static double in_format(double x, const struct format *f)
{
    mpfr_t y;
    mpfr_init2(y, 53);
    mpfr_set_d(y, x, MPFR_RNDN);
    round_to(y, f);
    x = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    return x;
}

/* A line of one number c: its variance is 0, and what a machine finds is the square of its mean's error t and its
 * difference's error e together, (t + e)^2. */
Test(terms, errors_of_the_mean_and_of_the_differences_meet)
{
    char err[400];
    struct trial t;
    struct arith a;
    double most = 0;
    const struct format *bf16 = format_named("bf16", 4);
    const char *words = "eps=10 mean=bf16:16 centre=bf16";
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "layernorm", words, "rstd", MER_F64, "n=1 d=1", 1 }, err,
        sizeof err), 0, "%s", err);
    cr_assert_geq(trial_profile(&t, words, &a, WIDEN, err, sizeof err), 0, "%s", err);
    for (uint64_t k = 0; k < 20000; k++) {
        const double c = 1 + ldexp((double)(gen_bits(3, 1, k) % (1 << 23)), -23);
        double far, radius;
        array_put(trial_in(&t, "x"), 0, c);
        const double mean = ball_of(&t, &a, "mean", &far);
        double end = in_format(mean + far, bf16);
        /* A mean that the profile allows. */
        end = end > mean + far ? in_format(end * (1 - 0x1p-8), bf16) : end;
        const double off = in_format(c - end, bf16), got = 1 / sqrt(off * off + 10),
                     want = ball_of(&t, &a, "rstd", &radius);
        most = fmax(most, fabs(got - want) / radius);
    }
    cr_expect(most <= 1 + 1e-12 && most > 0.999, "%g", most);
    trial_close(&t);
}

/* Products that cancel: evaluating the bound must not take part in it.  Nothing is declared to round, so that half a
 * place of the stored number is allowed. */
Test(terms, a_bound_holds_none_of_its_own_evaluation)
{
    static const struct { double q[3], k[3]; } cases[] = {
        { { 1, 0x1p-60, 1 }, { 1, 0x1p-60, -1 } },
        { { 0x1p60, 0x1p-60, 0x1p60 }, { 0x1p60, 0x1p-40, -0x1p60 } },
        { { 1 + 0x1p-52, 0x1p-400, 1 }, { 1 - 0x1p-52, 1, -1 } },
        { { 1, 0x1p-500, 1 }, { 0x1p100, 0, -0x1p100 } },
        { { 0x1.8p50, 0x1p-300, 3 }, { 0x1p50, 0x1.4p-300, -0x1p99 } },
        { { 1, 0x1.8p-100, 1 }, { 1, 0x1p-20, -1 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char err[400];
        struct trial t;
        struct tally y;
        struct arith a, round;
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "scale=1", "scores", MER_F64,
            "h=1 g=1 n=1 m=1 d=3", 1 }, err, sizeof err), 0, "%s", err);
        for (int k = 0; k < 3; k++)
            array_put(&t.in[0], k, cases[c].q[k]), array_put(&t.in[1], k, cases[c].k[k]);
        cr_assert_geq(trial_profile(&t, "", &a, WIDEN, err, sizeof err), 0, "%s", err);
        cr_assert_geq(arith_read(&round, t.row, "", ROUND, err, sizeof err), 0, "%s", err);
        reference_run(&t, &round);
        const double right = array_get(&t.out[0], 0);
        judge_outputs(&t, &a, 0, &y);
        cr_expect(tally_passes(&y), "case %d: %a is right, bound %g", (int)c, right, y.bound);
        array_put(&t.out[0], 0, right == 0 ? 0x1p-1073 : right * (1 + 0x1p-51));
        judge_outputs(&t, &a, 0, &y);
        cr_expect(
            y.over == 1 && y.undecided == 0, "case %d: %a passes for %a, bound %g", (int)c, y.got, right, y.bound);
        array_put(&t.out[0], 0, right + 5e-36);
        judge_outputs(&t, &a, 0, &y);
        cr_expect(right + 5e-36 == right || y.over == 1, "case %d: %a passes for %a, bound %g", (int)c, right + 5e-36,
            right, y.bound);
        trial_close(&t);
    }
}
