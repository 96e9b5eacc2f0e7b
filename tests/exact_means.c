/* Softmax means, their gradients and products that are known exactly, or by plain numbers: what vanishes, what a mean
 * of equal values is, and sums in doubles that say how far off they are. */
#include <criterion/criterion.h>
#include <math.h>
#include "compare/compare.h"
#include "softmax/mix_grad.h"
#include "trial/trial.h"

/* What is known exactly. */
static enum truth ask_exactly(struct trial *t, double *y, long n, struct cost *cost)
{
    const struct arith real = { 0 };
    const struct ball *b[8];
    struct ask w = { .params = t->params, .call = &t->call, .arith = &real, .len = n, .cost = cost };
    enum truth known = line_eval(&w, row_quantity(t->row, t->out[0].name), &formats[1], b);
    for (long c = 0; c < n; c++)
        y[c] = b[c]->rad.m == 0 || cost->ties == 0 ? b_value(b[c]) : (double)NAN;
    ask_clear(&w);
    return known;
}

static void given(struct trial *t, const char *name, const double *x)
{
    struct mer_array *a = trial_in(t, name);
    for (long k = 0; k < array_len(a); k++)
        array_put(a, k, x[k]);
}

Test(exact_means, vanish_exactly_where_they_do)
{
    static const char *const outs[] = { "dq", "dk" };
    static const struct { const char *what, *name; double x[6]; const char *sizes; } list[] = {
        { "all values are one", "v", { 0.3, -1.7, 0.3, -1.7, 0.3, -1.7 }, "h=1 g=1 n=1 m=3 d=2 e=2" },
        { "all keys are one", "k", { 0.3, -1.7, 0.3, -1.7, 0.3, -1.7 }, "h=1 g=1 n=1 m=3 d=2 e=2" },
        { "one key is visible", "v", { 1, 2 }, "h=1 g=1 n=1 m=1 d=2 e=2" } };
    for (int k = 0; k < 3; k++)
        for (int o = 0; o < 2; o++) {
            struct trial t;
            struct cost c = { 0 };
            char err[300];
            double y[2];
            if (k == 1 && o == 1)
                continue; /* With equal keys and unequal values dk does not vanish. */
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", outs[o], MER_F32, list[k].sizes, 3 },
                err, sizeof err), 0, "%s", err);
            given(&t, list[k].name, list[k].x);
            enum truth known = ask_exactly(&t, y, 2, &c);
            cr_expect(known == YES && y[0] == 0 && y[1] == 0 && c.ties == 0 && c.prec <= 400,
                "%s, %s: %d, %a, %a, %ld bits", list[k].what, outs[o], known, y[0], y[1], c.prec);
            trial_close(&t);
        }
}

/* Scores a, a, b, b, b with irrational weights: o is algebraic only where both groups have one mean, and then it is
 * that mean; 1 + 2^-24 ties in float. */
Test(exact_means, a_mean_common_to_groups_of_equal_scores_is_exact)
{
    const double q[] = { 1, 0.5 }, k[] = { 1, 2, 1, 2, 3, 1, 3, 1, 3, 1 },
                 v[] = { 1, 1 + 0x1p-23, 1, 1, 1 + 0x1.8p-23 },
                 w[] = { 1, 1 + 0x1p-23, 1 + 0x1p-24, 1 + 0x1p-24, 1 + 0x1p-24 };
    for (int same = 0; same < 2; same++) {
        struct trial t;
        struct cost c = { 0 };
        char err[300];
        double y;
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F64, "h=1 g=1 n=1 m=5 d=2 e=1", 3 },
            err, sizeof err), 0, "%s", err);
        given(&t, "q", q), given(&t, "k", k), given(&t, "v", same ? w : v);
        enum truth known = ask_exactly(&t, &y, 1, &c);
        if (same)
            cr_expect(known == YES && y == 1 + 0x1p-24 && c.exact == 1 && c.ties == 0 && c.prec <= 400,
                "%d, %a, %ld bits, %d ties", known, y, c.prec, (int)c.ties);
        else /* (0 + 2^-23) / 2 and 2^-23 1.5 / 3 are equal, too, from other values. */
            cr_expect(known == YES && y == 1 + 0x1p-24 && c.exact == 1 && c.ties == 0, "%d, %a, %ld bits, %d ties",
                known, y, c.prec, (int)c.ties);
        trial_close(&t);
    }
}

/* Sums over plain numbers: the balls of plain.h against those made ball by ball from the same numbers as doubles. */
static void both_ways(const char *words, const char *out, enum how how, int type, uint64_t seed)
{
    struct trial t[2];
    struct arith a;
    struct ask w[2];
    char err[300];
    const struct ball *y[2][8];
    const long len = out[0] == 'l' ? 1 : 5;
    for (int k = 0; k < 2; k++)
        cr_assert_eq(trial_make(&t[k], &(struct trial_spec){ "attention", "", out, k ? MER_F64 : type,
            "h=1 g=1 n=2 m=19 d=7 e=5", seed }, err, sizeof err), 0, "%s", err);
    for (int k = 0; k < t[0].call.n_in; k++)
        for (long j = 0; j < array_len(&t[0].in[k]); j++)
            array_put(&t[1].in[k], j, array_get(&t[0].in[k], j));
    for (int k = 0; k < 2; k++) {
        cr_assert_geq(trial_profile(&t[k], words, &a, how, err, sizeof err), 0, "%s", err);
        w[k] = (struct ask){ .params = t[k].params, .call = &t[k].call, .arith = &a, .len = len };
        ask_reset(&w[k], 90);
        line_page(&w[k], row_quantity(t[k].row, out), NULL, y[k]);
    }
    for (long c = 0; c < len; c++) {
        double r[2] = { b_radius(y[0][c]), b_radius(y[1][c]) };
        cr_assert(b_overlap(y[0][c], y[1][c]), "%s %s", out, words);
        cr_expect(how == EXACT ? r[0] < 1e-20 : fabs(r[0] / r[1] - 1) < 1e-9 && b_value(y[0][c]) == b_value(y[1][c]),
            "%s of %s: radius %g by doubles, %g by balls", words, out, r[0], r[1]);
    }
    for (int k = 0; k < 2; k++)
        ask_clear(&w[k]), trial_close(&t[k]);
}

Test(exact_means, sums_over_plain_numbers_give_the_same_balls)
{
    static const char *const words[] = { "", "dot=f32/lanes4 product=f32 sum=f32/lanes2 total=f32 exp=f32",
        "dot=f32 sum=f32/h6 weight=bf16", "route=online block=3 product=bf16 sum=f32/lanes1 rescale=f32 exp=f16",
        "product=f16 ftz=on dot=f16 exp=f32", "route=lazy block=2 slack=1 sum=bf16/lanes1 product=bf16 weight=bf16",
        "dot=bf16/lanes1 product=bf16:2 score=bf16", "route=split block=4 sum=f32 weight=f16" };
    static const int type[] = { MER_F32, MER_F16, MER_BF16 };
    for (int k = 0; k < 8; k++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            both_ways(words[k], "o", k ? WIDEN : EXACT, type[seed % 3], seed),
                both_ways(words[k], "lse", k ? WIDEN : EXACT, type[seed % 3], seed);
        }
}

/* x + y - x, with y far below x: two doubles hold it, or the ball says that they do not. */
Test(exact_means, a_plain_dot_that_cancels_is_exact_or_says_how_far_off_it_is)
{
    float x[4] = { 0x1p60f, 1, -0x1p60f, 0x1.234568p-40f }, one[4] = { 1, 1, 1, 1 },
          y[4] = { 0x1p100f, 0x1.8p40f, -0x1p100f, 0x1p-30f };
    const struct arith real = { 0 };
    struct ask w = { .arith = &real };
    struct mer_array a = { "x", MER_F32, 1, { 4 }, x }, b = { "one", MER_F32, 1, { 4 }, one },
                     c = { "y", MER_F32, 1, { 4 }, y };
    ask_reset(&w, 90);
    const struct ball *s = b_dot(&w, PRODUCT, DOT, (struct span){ &a, 0 }, (struct span){ &b, 0 }, 4),
                      *t = b_dot(&w, PRODUCT, DOT, (struct span){ &c, 0 }, (struct span){ &b, 0 }, 4);
    cr_expect(s->rad.m == 0 && b_value(s) == 1 + 0x1.234568p-40, "%a +- %g", b_value(s), b_radius(s));
    cr_expect(
        fabs(b_value(t) - (0x1.8p40 + 0x1p-30)) <= b_radius(t) && (t->rad.m > 0 || b_value(t) == 0x1.8p40 + 0x1p-30),
        "%a +- %g", b_value(t), b_radius(t));
    w.exact = true;
    ask_reset(&w, 90);
    t = b_dot(&w, PRODUCT, DOT, (struct span){ &c, 0 }, (struct span){ &b, 0 }, 4);
    cr_expect(t->rad.m == 0);
    ask_clear(&w);
}

/* 1 + 2^-60 + 2^-120 takes 121 bits, two doubles hold 113 at most: the ball says what they leave. */
Test(exact_means, a_plain_dot_too_long_for_two_doubles_is_not_called_exact)
{
    float x[3] = { 1, 0x1p-60f, 0x1p-120f }, one[3] = { 1, 1, 1 };
    const struct arith real = { 0 };
    struct ask w = { .arith = &real };
    struct mer_array a = { "x", MER_F32, 1, { 3 }, x }, b = { "one", MER_F32, 1, { 3 }, one };
    ask_reset(&w, 90);
    const struct ball *s = b_dot(&w, PRODUCT, DOT, (struct span){ &a, 0 }, (struct span){ &b, 0 }, 3);
    cr_expect(b_radius(s) >= 0x1p-120 && b_radius(s) <= 0x1p-80, "radius %g", b_radius(s));
    ask_clear(&w);
}

/* Two keys whose weighted values nearly cancel: what a weight's own radius leaves in the numerator is then most of the
 * mean's error. */
Test(exact_means, a_plain_mean_keeps_the_radius_of_its_weights)
{
    struct trial t;
    char err[300];
    for (int k = 1; k <= 40; k++) {
        const struct arith real = { 0 };
        /* The exact output is (exp(-k/16) - its float) / Z. */
        const double q[] = { 1 }, keys[] = { 0, -k / 16.0 }, v[] = { -(double)(float)exp(-k / 16.0), 1 };
        const struct ball *y[2];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "scale=1", "o", MER_F32,
            "h=1 g=1 n=1 m=2 d=1 e=1", 1 }, err, sizeof err), 0, "%s", err);
        given(&t, "q", q), given(&t, "k", keys), given(&t, "v", v);
        struct ask w[2] = { { .params = t.params, .call = &t.call, .arith = &real, .len = 1 },
            { .params = t.params, .call = &t.call, .arith = &real, .len = 1 } };
        for (int p = 0; p < 2; p++)
            /* w[0] works with doubles and w[1] with balls. */
            ask_reset(&w[p], p ? 400 : 90), line_page(&w[p], row_quantity(t.row, "o"), NULL, &y[p]);
        cr_expect(b_overlap(y[0], y[1]) && b_radius(y[0]) < 0x1p-80 && b_radius(y[1]) < 0x1p-300,
            "k = %d: %.20g +- %g, it is %.20g", k, b_value(y[0]), b_radius(y[0]), b_value(y[1]));
        ask_clear(&w[0]), ask_clear(&w[1]), trial_close(&t);
    }
}

/* Equal values need neither more bits nor the exact path, whatever the scores: grouping scores would cost the square of
 * the keys. */
Test(exact_means, a_mean_of_equal_values_is_known_at_once)
{
    struct trial t;
    struct cost c = { 0 };
    char err[300];
    double y;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F64, "h=1 g=1 n=1 m=9 d=2 e=1", 5 },
        err, sizeof err), 0, "%s", err);
    for (long j = 0; j < 9; j++)
        array_put(trial_in(&t, "v"), j, 1 + 0x1p-24); /* These values are ties in float. */
    enum truth known = ask_exactly(&t, &y, 1, &c);
    cr_expect(known == YES && y == 1 + 0x1p-24 && c.exact == 0 && c.retries == 0, "%d, %a, %d retries, exact path %d",
        known, y, (int)c.retries, (int)c.exact);
    trial_close(&t);
}

/* An infinite value that is seen is the mean; one that is not leaves nothing. */
Test(exact_means, a_value_that_is_not_finite_goes_by_balls)
{
    const struct arith real = { 0 };
    struct trial t;
    char err[300];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=topleft", "o", MER_F32,
        "h=1 g=1 n=2 m=2 d=3 e=2", 1 }, err, sizeof err), 0, "%s", err);
    array_put(trial_in(&t, "v"), 3, (double)INFINITY);
    for (long i = 0; i < 2; i++) {
        struct ask w = { .params = t.params, .call = &t.call, .arith = &real, .len = 2, .at = { 0, i } };
        const struct ball *y[2];
        ask_reset(&w, 64);
        line_page(&w, row_quantity(t.row, "o"), NULL, y);
        cr_expect(isfinite(b_value(y[0])) && (i ? b_value(y[1]) == (double)INFINITY : isfinite(b_value(y[1]))),
            "query %ld: %g %g", i, b_value(y[0]), b_value(y[1]));
        ask_clear(&w);
    }
    trial_close(&t);
}
