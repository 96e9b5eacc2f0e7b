/* What a comparison does at its edges: a line that is not decided, the last of few lines, a number between two of the
 * output's type, and digits of a number far from 1. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare/ball_share.h"
#include "compare/compare.h"

static const struct arith exact = { 0 };

static void make(struct trial *t, const char *row, const char *params, const char *out, int type, const char *sizes)
{
    char err[400];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ row, params, out, type, sizes, 5 }, err, sizeof err), 0, "%s",
        err);
}
static void put(struct trial *t, const char *name, const double *x, long n)
{
    struct mer_array *a = trial_in(t, name);
    cr_assert(a && array_len(a) == n);
    for (long k = 0; k < n; k++)
        array_put(a, k, x[k]);
}

/* The bucket of distance 16 is 24 + floor(8 log 2 / log 16): the quotient is 1/4, so that no precision decides on which
 * side of 2 the product of real logarithms lies.  Such a line is counted as undecided, and no element of it as right or
 * wrong. */
Test(compared, a_line_that_is_not_decided_is_neither_right_nor_wrong)
{
    static const char contract[] = "route=logarithm ratio=bf16";
    struct trial t;
    struct tally y;
    struct arith round;
    char err[400];
    make(&t, "t5", contract, "bucket", MER_F32, "n=3");
    put(&t, "relative_position", (const double[]){ 8, 16, 11 }, 3);
    cr_assert_gt(trial_profile(&t, contract, &round, ROUND, err, sizeof err), 0, "%s", err);
    for (long k = 0; k < 3; k++)
        array_put(&t.out[0], k, 24);
    judge_outputs(&t, &round, 0, &y);
    cr_expect(y.lines == 3 && y.n == 2 && y.undecided == 1 && y.over == 0 && !tally_passes(&y), "%ld %ld %ld %ld",
        y.lines, y.n, y.undecided, y.over);
    trial_close(&t);
}

/* <q, k> = 1 + 2^-24 + 2^-60 is above the middle of two floats by less than a double holds: the reference rounds it
 * once, to 1 + 2^-23, while 1 + 2^-24 itself is a tie and becomes 1.  Below the middle it is 1, too. */
Test(compared, the_reference_rounds_an_output_once)
{
    static const struct { double last; double want; } list[] = {
        { 0x1p-60, 1 + 0x1p-23 }, { 0, 1 }, { -0x1p-60, 1 },
    };
    struct trial t;
    make(&t, "attention", "scale=1", "scores", MER_F32, "h=1 g=1 n=1 m=1 d=3");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        put(&t, "q", (const double[]){ 1, 0x1p-24, list[k].last }, 3), put(&t, "k", (const double[]){ 1, 1, 1 }, 3);
        reference_run(&t, &exact);
        cr_expect(array_get(&t.out[0], 0) == list[k].want, "%a: %a", list[k].last, array_get(&t.out[0], 0));
    }
    trial_close(&t);
}

/* Of many lines a few are compared, the first and the last among them, and each of those once. */
Test(compared, of_few_lines_the_first_and_the_last_are_some)
{
    static const long at[] = { 0, 39 };
    struct trial t;
    struct tally y;
    struct arith wide;
    char err[400];
    make(&t, "attention", "scale=1", "scores", MER_F32, "h=1 g=1 n=40 m=3 d=2");
    cr_assert_gt(trial_profile(&t, "exact", &wide, WIDEN, err, sizeof err), 0, "%s", err);
    reference_run(&t, &exact);
    judge_outputs(&t, &wide, 4, &y);
    cr_expect(y.lines == 4 && y.lines_of == 40 && y.n == 12 && y.over == 0, "%ld of %ld lines, %ld elements", y.lines,
        y.lines_of, y.n);
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        const double was = array_get(&t.out[0], at[k] * 3 + 1);
        array_put(&t.out[0], at[k] * 3 + 1, was + 1);
        judge_outputs(&t, &wide, 4, &y);
        cr_expect(y.over == 1 && y.at[1] == at[k] && y.k == 1, "line %ld: %ld over", at[k], y.over);
        array_put(&t.out[0], at[k] * 3 + 1, was);
    }
    trial_close(&t);
}

/* The third line is a random one: neither always the one behind the first, nor always the same. */
Test(compared, what_follows_the_first_and_the_last_line_is_random)
{
    struct trial t;
    int second = 0, same = 0;
    make(&t, "attention", "scale=1", "scores", MER_F32, "h=1 g=1 n=97 m=3 d=2");
    for (int o = 0; o < 16; o++) {
        long *line = lines_sampled(&t.out[0], 2, o, 3, 97), *next = lines_sampled(&t.out[0], 2, o + 1, 3, 97);
        cr_expect(line[0] == 0 && line[1] == 96 && line[2] > 0 && line[2] < 96, "%ld", line[2]);
        second += line[2] == 1, same += line[2] == next[2];
        free(line), free(next);
    }
    cr_expect(second < 8 && same < 8, "%d %d", second, same);
    trial_close(&t);
}

/* `own` is the share of the worst element that is off by more than two ulp: not of one that its rounding explains. */
Test(compared, of_a_bound_only_what_is_off_by_more_than_two_ulp_is_used)
{
    struct trial t;
    struct tally y;
    struct arith wide;
    char err[400];
    make(&t, "attention", "scale=1", "scores", MER_F32, "h=1 g=1 n=1 m=1 d=1");
    put(&t, "q", (const double[]){ 1.5 }, 1), put(&t, "k", (const double[]){ 1 }, 1);
    cr_assert_gt(trial_profile(&t, "dot=bf16", &wide, WIDEN, err, sizeof err), 0, "%s", err);
    for (int ulps = 0; ulps < 5; ulps++) {
        array_put(&t.out[0], 0, 1.5 + ulps * 0x1p-23);
        judge_outputs(&t, &wide, 0, &y);
        cr_expect(tally_passes(&y) && (y.ratio > 0) == (ulps > 0) && y.own == (ulps > 2 ? y.ratio : 0),
            "%d ulp: %g, %g", ulps, y.ratio, y.own);
    }
    trial_close(&t);
}

/* 2^-100 / 3 and 2^100 / 3 have 40 digits where a witness is evaluated again, as any number has. */
Test(compared, digits_of_a_witness_are_as_many_far_from_1)
{
    static const struct { double q; const char *digits; } list[] = {
        { 0x1p-100, "2.629536350736706018039095217609287432244e-31" },
        { 0x1p100, "422550200076076467165567735125.3333333333" },
        { 1, "0.3333333333333333333333333333333333333333" },
    };
    struct trial t;
    struct tally y;
    make(&t, "attention", "scale=1/3", "scores", MER_F32, "h=1 g=1 n=1 m=1 d=1");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        put(&t, "q", &list[k].q, 1), put(&t, "k", (const double[]){ 1 }, 1);
        reference_run(&t, &exact);
        judge_outputs(&t, &exact, 0, &y);
        tally_sharpen(&t, &y);
        cr_expect_str_eq(y.digits, list[k].digits);
    }
    trial_close(&t);
}

/* A distance that a double does not hold is taken away from 0: what is beyond the radius by less than a double tells is
 * outside.  The number may be that much farther than the midpoint's own bits tell, too. */
Test(compared, no_distance_is_taken_for_a_smaller_one)
{
    static const double beside[] = { 0x1p-60, 0x1p-200 };
    for (int k = 0; k < 2; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct ball b = { .rad = up_d(1) };
            mpfr_init2(b.mid, 60), mpfr_set_si(b.mid, sign, MPFR_RNDN);
            cr_expect_eq(ball_share(&b, 0), 1);
            cr_expect_gt(ball_share(&b, -sign * beside[k]), 1, "%g", -sign * beside[k]);
            cr_expect_leq(ball_share(&b, sign * beside[k]), 1);
            mpfr_clear(b.mid);
        }
}
