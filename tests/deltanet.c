/* The delta rule whose map is no contraction: what an early rounding becomes is in its bound. */
#include <criterion/criterion.h>
#include "compare/compare.h"
#include "trial/trial.h"

/* With beta |k|^2 = 4 the map I - beta k k^T multiplies by -3, and v = 2 holds a state of 1 where it is: what is 2^-13
 * beside that is lost by the first rounding to float16, and would have tripled with every token since. */
Test(deltanet, roundings_that_grow_with_every_token_are_in_the_bound)
{
    enum { N = 7 };
    for (int d = 1; d <= 2; d++) {
        struct trial t;
        struct arith a;
        struct tally y;
        char err[400], sizes[80];
        snprintf(sizes, sizeof sizes, "g=1 h=1 n=%d d=%d e=1 state", N, d);
        const struct trial_spec of = { "deltanet", "l2norm=none scale=1", "o", MER_F64, sizes, 5 };
        cr_assert_eq(trial_make(&t, &of, err, sizeof err), 0, "%s", err);
        for (long k = 0; k < N * d; k++)
            array_put(trial_in(&t, "q"), k, k % d == 0), array_put(trial_in(&t, "k"), k, k % d == 0 ? 2 : 0);
        for (long k = 0; k < N; k++)
            array_put(trial_in(&t, "v"), k, 2), array_put(trial_in(&t, "beta"), k, 1);
        for (long k = 0; k < d; k++)
            array_put(trial_in(&t, "state"), k, k ? 0 : 1 + 0x1p-13);
        cr_assert_geq(trial_profile(&t, "state=f16", &a, ROUND, err, sizeof err), 0, "%s", err);
        reference_run(&t, &a);
        cr_assert_geq(trial_profile(&t, "state=f16", &a, WIDEN, err, sizeof err), 0, "%s", err);
        judge_outputs(&t, &a, 0, &y);
        cr_expect(y.n == N && !y.over, "d=%d: %ld of %ld over, %g of the bound", d, y.over, y.n, y.ratio);
        trial_close(&t);
    }
}
