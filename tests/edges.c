/* Terms of bounds that are small beside the others, each asked where it is all that is left: without it the ball is
 * left by a number that the profile allows. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <math.h>
#include "climb/climb.h"

/* A line's ball with no store around it, which would hide what is small.  The caller trims w. */
static const struct ball *bare(struct ask *w, const struct trial *t, const struct arith *a, mpfr_prec_t bits)
{
    static const struct ball *y[8];
    w->params = t->params, w->call = &t->call, w->arith = a, w->len = t->out[0].dim[t->out[0].rank - 1];
    ask_reset(w, bits);
    line_page(w, row_quantity(t->row, t->out[0].name), NULL, y);
    return y[0];
}

static void make(struct trial *t, const char *row, const char *params, const char *out, const char *sizes,
    const char *profile, struct arith *a)
{
    char err[600];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ row, params, out, MER_F32, sizes, 1 }, err, sizeof err), 0, "%s",
        err);
    cr_assert_geq(arith_read(a, t->row, profile, WIDEN, err, sizeof err), 0, "%s", err);
}
static void put(struct trial *t, const char *name, long k, double x) { array_put(trial_in(t, name), k, x); }

/* Two values a unit apart and nearly all weight on the first: as a double the mean is the first, and half of what the
 * weights move is its distance. */
Test(edges, a_mean_that_a_double_cannot_hold_still_moves)
{
    struct trial t;
    struct arith a;
    struct ask w = { 0 };
    make(&t, "attention", "scale=1", "o", "h=1 g=1 n=1 m=2 d=1 e=1", "exp=bf16:32", &a);
    const double gap = 23, u = 32 * 0x1p-8, step = 0x1p-23;
    put(&t, "q", 0, 1), put(&t, "k", 0, gap), put(&t, "k", 1, 0), put(&t, "v", 0, 1), put(&t, "v", 1, 1 + step);
    /* The weight of the second key: as it is, and at its most. */
    const double p = exp(-gap), low = p / (1 + p), high = p * (1 + u) / (1 - u + p * (1 + u));
    const struct ball *y = bare(&w, &t, &a, 90);
    cr_expect_geq(b_radius(y), (high - low) * step * 0.9, "%a for %a", b_radius(y), (high - low) * step);
    ask_clear(&w), trial_close(&t);
}

/* Weights off by T move the mean of -1 and 1 from 0 to tanh T, and a total that is off then moves that. */
Test(edges, what_the_weights_moved_is_divided_by_a_total_that_is_off)
{
    struct trial t;
    struct arith a;
    struct ask w = { 0 };
    make(&t, "attention", "scale=1", "o", "h=1 g=1 n=1 m=2 d=1 e=1", "score=bf16 total=bf16:8/lanes1", &a);
    /* Between two numbers of bfloat16 that are an eighth apart: one score goes up and the other down. */
    const double k = 20.0625;
    put(&t, "q", 0, 1), put(&t, "k", 0, k), put(&t, "k", 1, k), put(&t, "v", 0, -1), put(&t, "v", 1, 1);
    const double e = exp(-0.125), total = 1 + e, off = 4 * 0x1p-7, farthest = (1 - e) / (total - off + 0x1p-8);
    cr_expect_geq(b_radius(bare(&w, &t, &a, 200)), farthest, "%a for %a", b_radius(bare(&w, &t, &a, 200)), farthest);
    ask_clear(&w), trial_close(&t);
}

/* Of a line of one number, a mean that is off by t and differences that are off by e the same way: (t + e)^2, of which
 * 2 t e is the larger part beside t^2. */
Test(edges, errors_of_the_mean_and_of_the_differences_add_up)
{
    struct trial t;
    struct arith a;
    struct ask w = { 0 };
    make(&t, "layernorm", "eps=1 affine=none", "rstd", "n=1 d=1", "mean=bf16:4/lanes1 centre=bf16:4", &a);
    put(&t, "x", 0, 1 + 3 * 0x1p-7);
    /* The sum and the quotient are 4 half-ulps lower, the difference 4 higher. */
    const double mean = 0x1p-5, difference = mean + 4 * 0x1p-13, least = 1 / sqrt(1 + difference * difference);
    cr_expect_geq(b_radius(bare(&w, &t, &a, 200)), (1 - least) * 0.999999, "%a for %a", b_radius(bare(&w, &t, &a, 200)),
        1 - least);
    ask_clear(&w), trial_close(&t);
}

/* Accumulators of float64: the bound's own partial sum, a double, goes to the even neighbour at every tie, the
 * adversary's upward, so that the latter is in the next binade long before the former's error says so. */
Test(edges, the_partial_sum_of_a_bound_is_itself_off)
{
    enum { TIES = 60, LARGER = 20 };
    double x[1 + TIES + LARGER];
    const struct ball *b[1 + TIES + LARGER];
    struct adverse up = { .seed = 1 };
    struct arith round = { .how = ROUND, .adverse = &up }, wide = { .how = WIDEN }, exact = { .how = EXACT };
    struct ask w = { .arith = &wide };
    long n = 0;
    x[n++] = 2 - TIES * 0x1p-52;
    for (int k = 0; k < TIES; k++)
        x[n++] = 0x1p-53;
    for (int k = 0; k < LARGER; k++)
        x[n++] = 0x1p-52;
    up.way[0] = UPWARD;
    cr_assert_null(rounding_read(&round.at[0], "f64/lanes1"));
    wide.at[0] = round.at[0];
    ask_reset(&w, 200);
    for (long k = 0; k < n; k++) {
        const struct mer_array one = { "x", MER_F64, 1, { 1 }, &x[k], { 0 } };
        b[k] = b_element(&w, &one, 0);
    }
    const struct ball *ball = b_sum(&w, 0, b, n);
    w.arith = &round;
    const double got = b_value(adverse_sum(&w, 0, b, n));
    w.arith = &exact;
    cr_expect_leq(
        got - b_value(b_sum(&w, 0, b, n)), b_radius(ball), "%a, ball %a", got - b_value(ball), b_radius(ball));
    cr_expect_geq(got, 2);
    ask_clear(&w);
}

/* Accumulators that are rescaled leave the grid of the subnormals again: each key's sum loses up to half the smallest
 * of them, in one direction. */
Test(edges, rescaled_sums_underflow_at_every_key)
{
    enum { KEYS = 60 };
    struct trial t;
    struct arith wide, round;
    struct ask w = { 0 };
    char err[600];
    make(&t, "attention", "scale=1 route=online block=1", "o", "h=1 g=1 n=1 m=60 d=1 e=1", "product=f16 sum=f16/lanes1",
        &wide);
    cr_assert_geq(arith_read(&round, t.row, "product=f16 sum=f16/lanes1", ROUND, err, sizeof err), 0, "%s", err);
    put(&t, "q", 0, 1);
    for (int k = 0; k < KEYS; k++)
        /* Half a unit, which is rounded up to one.  A partial sum of j units loses j 2^-7 of one by rescaling, and is
         * rounded up again. */
        put(&t, "k", k, k * 0x1p-7), put(&t, "v", k, 0x1p-25 + 0x1p-31);
    const struct ball *ball = bare(&w, &t, &wide, 200);
    const double mid = b_value(ball), radius = b_radius(ball), got = b_value(bare(&w, &t, &round, 200));
    cr_expect_leq(fabs(got - mid), radius, "%a, ball %a +- %a", got, mid, radius);
    cr_expect_geq(fabs(got - mid), radius / 2, "%a, ball %a +- %a", got, mid, radius);
    ask_clear(&w), trial_close(&t);
}

/* With ftz every partial sum below the normal numbers may become 0: all of it is lost. */
Test(edges, flushed_sums_lose_all_their_terms)
{
    enum { TERMS = 30 };
    double x[TERMS];
    const struct ball *b[TERMS];
    struct arith wide = { .how = WIDEN, .ftz = true };
    struct ask w = { .arith = &wide };
    cr_assert_null(rounding_read(&wide.at[0], "f16/lanes1"));
    ask_reset(&w, 200);
    for (long k = 0; k < TERMS; k++) {
        x[k] = 0x1p-15;
        const struct mer_array one = { "x", MER_F64, 1, { 1 }, &x[k], { 0 } };
        b[k] = b_element(&w, &one, 0);
    }
    cr_expect_geq(b_radius(b_sum(&w, 0, b, TERMS)), TERMS * 0x1p-15);
    ask_clear(&w);
}

/* What line_eval calls known is known to 2^-12 of the last place, also where the page cancels and the rounding was
 * decided earlier: 8 bits of differences of 2^-33. */
Test(edges, a_line_that_cancels_is_asked_at_more_bits)
{
    struct trial t;
    struct arith exact = { .how = EXACT };
    struct ask w = { .arith = &exact, .len = 3 };
    const struct ball *y[3];
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "layernorm", "eps=1e-300 affine=none", "y", MER_F64, "n=1 d=3",
        1 }, err, sizeof err), 0, "%s", err);
    put(&t, "x", 0, 1), put(&t, "x", 1, 1 + 0x1p-33), put(&t, "x", 2, 1 + 0x1p-31);
    w.params = t.params, w.call = &t.call;
    cr_assert_eq(line_eval(&w, row_quantity(t.row, "y"), format_named("bf16", 4), y), YES);
    for (int k = 0; k < 3; k++)
        cr_expect_leq(
            b_radius(y[k]), ldexp(fabs(b_value(y[k])), -18), "%d: %a +- %a", k, b_value(y[k]), b_radius(y[k]));
    ask_clear(&w), trial_close(&t);
}

/* The x with erf x = y, to 300 bits. */
static void inverse_erf(struct ask *w, mpfr_t x, mpfr_srcptr y)
{
    mpfr_t slope, off;
    mpfr_inits2(mpfr_get_prec(x), slope, off, (mpfr_ptr)0);
    mpfr_set_d(x, 0.5, MPFR_RNDN);
    for (int turn = 0; turn < 14; turn++) {
        ask_reset(w, mpfr_get_prec(x));
        struct ball *at = (struct ball *)b_si(w, 0);
        mpfr_set(at->mid, x, MPFR_RNDN);
        mpfr_sub(off, b_erf(w, at)->mid, y, MPFR_RNDN);
        mpfr_sqr(slope, x, MPFR_RNDN), mpfr_exp(slope, slope, MPFR_RNDN), mpfr_mul(off, off, slope, MPFR_RNDN);
        mpfr_const_pi(slope, MPFR_RNDN), mpfr_sqrt(slope, slope, MPFR_RNDN), mpfr_mul(off, off, slope, MPFR_RNDN),
            mpfr_div_2ui(off, off, 1, MPFR_RNDN);
        mpfr_sub(x, x, off, MPFR_RNDN);
    }
    mpfr_clears(slope, off, (mpfr_ptr)0);
}

/* Values 2^-50 of a place beside a tie of 64 bits: there the series' own roundings decide to which side it goes, and
 * then half a place is not all. */
Test(edges, of_erf_beside_a_tie_the_series_counts)
{
    struct ask w = { .arith = &(struct arith){ .how = EXACT } };
    mpfr_t y, x, off, rad;
    mpfr_inits2(360, y, x, off, rad, (mpfr_ptr)0);
    for (int k = 0; k < 40; k++) {
        mpfr_set_d(y, 0.5 + k / 90.0, MPFR_RNDN), mpfr_prec_round(y, 64, MPFR_RNDN), mpfr_prec_round(y, 360, MPFR_RNDN);
        mpfr_set_ui_2exp(off, 1, -65, MPFR_RNDN), mpfr_add(y, y, off, MPFR_RNDN);
        mpfr_set_si_2exp(off, k % 2 ? 1 : -1, -114, MPFR_RNDN), mpfr_add(y, y, off, MPFR_RNDN);
        inverse_erf(&w, x, y);
        ask_reset(&w, 64);
        struct ball *at = (struct ball *)b_si(&w, 0);
        mpfr_set_prec(at->mid, 360), mpfr_set(at->mid, x, MPFR_RNDN);
        const struct ball *e = b_erf(&w, at);
        mpfr_sub(off, e->mid, y, MPFR_RNDN), mpfr_abs(off, off, MPFR_RNDN), up_get(rad, e->rad);
                cr_expect(mpfr_lessequal_p(off, rad), "%d", k);
    }
    mpfr_clears(y, x, off, rad, (mpfr_ptr)0), ask_clear(&w);
}
