/* What the headers of harness/compare promise, at the places where each promise ends: infinities, trivial outputs,
 * which lines are asked, and what the cache of answers keeps. */
#include <criterion/criterion.h>
#include <math.h>
#include "compare/answers.h"
#include "compare/compare.h"

static const double inf = (double)INFINITY, nan_ = (double)NAN;
static const struct arith exact = { .how = EXACT };

static void make(struct trial *t, const char *row, const char *params, const char *outs, int type, const char *sizes)
{
    char err[400];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ row, params, outs, type, sizes, 5 }, err, sizeof err), 0, "%s",
        err);
}
static void profile(struct trial *t, const char *words, struct arith *a)
{
    char err[400];
    cr_assert_geq(trial_profile(t, words, a, WIDEN, err, sizeof err), 0, "%s", err);
}

/* An infinite factor leaves an infinity with the sign of the other one, and that may need more bits: here x_1 is below
 * the mean of its line by 2^-64, while the sum at the first precision is too small by more.  The other infinity is
 * wrong. */
Test(compare_laws, the_sign_of_an_infinity_is_decided)
{
    static const double unit = 0x1p-61, x[] = { 4, 1, 0.4 * 0x1p-61, 0.4 * 0x1p-61, -0.6 * 0x1p-61 };
    struct trial t;
    struct tally y;
    struct arith wide;
    double sum = 0;
    make(&t, "layernorm", "", "y", MER_F32, "n=1 d=5");
    for (long i = 0; i < 5; i++)
        array_put(mer_find(t.in, t.call.n_in, "x"), i, x[i]), array_put(mer_find(t.in, t.call.n_in, "gain"), i, inf),
            array_put(mer_find(t.in, t.call.n_in, "shift"), i, 0), sum += i > 1 ? x[i] / unit : 0;
    cr_assert(sum > 0.1, "the mean is above 1");
    reference_run(&t, &exact);
    profile(&t, "scale=f32", &wide);
    for (long i = 0; i < 5; i++) {
        const double is = i == 0 ? inf : -inf;
        cr_expect_eq(array_get(&t.out[0], i), is, "%ld: %g", i, array_get(&t.out[0], i));
        for (int k = 0; k < 4; k++) {
            array_put(&t.out[0], i, (double[]){ is, -is, 0, nan_ }[k]);
            judge_outputs(&t, &wide, 0, &y);
            cr_expect(y.n == 5 && y.over == (k > 0) && y.correct == 5 - (k > 0), "%ld, %d: %ld over", i, k, y.over);
        }
        array_put(&t.out[0], i, is);
    }
    trial_close(&t);
}
