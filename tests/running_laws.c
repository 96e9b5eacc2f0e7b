/* Where the running sums and the total of a softmax may leave their format on the way: relative to the scores so far,
 * by the roundings of their terms, and by the errors of their weights. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "softmax/soft.h"
#include "given_ball.h"

/* A softmax of made-up exponentials e[n]. */
static struct soft made(struct ask *w, const double *e, long n, struct weights *x)
{
    struct soft s = soft_room(n);
    x->D = calloc((size_t)n, sizeof *x->D), x->R = calloc((size_t)n, sizeof *x->R);
    for (long j = 0; j < n; j++)
        soft_join(w, &s, j, given_ball(w, log(e[j]), 0)), s.e[j] = given_ball(w, e[j], 0);
    return s;
}

/* While a later score is not known a weight counts as much more than at last: two values of which the second one's
 * weight makes the first one nothing are never added up as large ones, and two of equal weight are.  float16 ends at
 * 65504. */
Test(running_laws, a_running_sum_overflows_relative_to_the_scores_so_far)
{
    static const struct { double e[3], v[3]; long n; double high; bool is; } list[] = {
        { { 1, 1 }, { 60000, 60000 }, 2, 1, true },
        { { 1, 1 }, { 30000, 30000 }, 2, 1, false },
        { { 0x1p-20, 1 }, { 60000, 60000 }, 2, 1, false },
        { { 0x1p-20, 0x1p-20, 1 }, { 60000, 60000, 0 }, 3, 1, true },
        { { 0x1p-20, 0x1p-21, 1 }, { 40000, 60000, 0 }, 3, 1, true },
        { { 0x1p-20, 0x1p-22, 1 }, { 40000, 60000, 0 }, 3, 1, false },
        { { 1, 0x1p-20, 1 }, { 60000, 60000, 1 }, 3, 1, false },
        { { 1 }, { 65500 }, 1, 1, true }, /* It may be rounded up on the way. */
        { { 1 }, { 65000 }, 1, 1, false },
        { { 1 }, { 600 }, 1, 128, true },
        { { 1 }, { 400 }, 1, 128, false },
        { { 1, 1, 1 }, { 30000, 1, 40000 }, 3, 1, true },
        { { 1, 1, 1 }, { 30000, 1, 30000 }, 3, 1, false },
    };
    for (size_t k = 0; k < 2 * sizeof list / sizeof *list; k++) {
        const bool moving = k % 2;
        struct arith a = { .how = WIDEN };
        struct ask w = { .arith = &a };
        struct up V[3];
        a.at[SUM] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
        ask_reset(&w, 100);
        struct weights x = { .high = up_d(list[k / 2].high), .moving = moving };
        struct soft s = made(&w, list[k / 2].e, list[k / 2].n, &x);
        for (int j = 0; j < 3; j++)
            V[j] = up_d(list[k / 2].v[j]);
        cr_expect_eq(soft_overflows(&w, &s, &x, SUM, V), moving && list[k / 2].is, "case %zu", k / 2);
        cr_expect(!soft_overflows(&w, &s, &x, TOTAL, V), "no format, no end");
        a.at[SUM].f = NULL, a.at[RESCALE] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
        cr_expect_eq(soft_overflows(&w, &s, &x, SUM, V), moving && list[k / 2].is, "rescaled, case %zu", k / 2);
        weights_free(&x), soft_free(&s), ask_clear(&w);
    }
}

/* The roundings of a weight and of its product count, too, where they are coarser than those of the sum. */
Test(running_laws, a_running_sum_overflows_by_the_roundings_of_its_terms)
{
    static const int steps[] = { OUTPUT, WEIGHT, PRODUCT };
    for (int k = 0; k < 3; k++) {
        struct arith a = { .how = WIDEN };
        struct ask w = { .arith = &a };
        a.at[SUM] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
        a.at[steps[k]] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
        ask_reset(&w, 100);
        struct weights x = { .high = up_d(1), .moving = true };
        struct soft s = made(&w, (const double[]){ 1 }, 1, &x);
        cr_expect_eq(soft_overflows(&w, &s, &x, SUM, &(struct up){ 65400 * 0x1p-16, 16 }), k > 0, "step %d", steps[k]);
        weights_free(&x), soft_free(&s), ask_clear(&w);
    }
}

/* A weight that may be less than it should be makes those beside it count for more. */
Test(running_laws, a_running_sum_overflows_by_the_errors_of_its_weights)
{
    for (int k = 0; k < 2; k++) {
        struct arith a = { .how = WIDEN };
        struct ask w = { .arith = &a };
        a.at[SUM] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
        ask_reset(&w, 100);
        struct weights x = { .high = up_d(1), .moving = true };
        struct soft s = made(&w, (const double[]){ 1, 0x1p-20 }, 2, &x);
        x.D[0] = up_d(k ? 0.5 : 0x1p-20);
        const struct up V[] = { up_d(40000), up_d(40000) };
        cr_expect_eq(soft_overflows(&w, &s, &x, SUM, V), k == 1, "case %d", k);
        weights_free(&x), soft_free(&s), ask_clear(&w);
    }
}

/* Without values all count as 1: so many weights as fit, and one more. */
Test(running_laws, a_total_overflows_by_the_number_of_its_weights)
{
    struct arith a = { .how = WIDEN };
    struct ask w = { .arith = &a };
    a.at[TOTAL] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
    ask_reset(&w, 100);
    for (long n = 2; n <= 3; n++) {
        struct weights x = { .high = up_d(30000), .moving = true };
        struct soft s = made(&w, (const double[]){ 1, 1, 1 }, n, &x);
        cr_expect_eq(soft_overflows(&w, &s, &x, TOTAL, NULL), n == 3, "%ld weights", n);
        weights_free(&x), soft_free(&s);
    }
    ask_clear(&w);
}

/* The weights of a total are at most as many as there are keys, however little is known of them. */
Test(running_laws, a_total_of_uncertain_weights_is_no_larger_than_their_number)
{
    struct arith a = { .how = WIDEN };
    struct ask w = { .arith = &a };
    a.at[TOTAL] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
    ask_reset(&w, 100);
    struct weights x = { .high = up_d(30000), .moving = true };
    struct soft s = made(&w, (const double[]){ 1, 1 }, 2, &x);
    x.D[0] = x.D[1] = up_d(2);
    cr_expect(!soft_overflows(&w, &s, &x, TOTAL, NULL));
    weights_free(&x), soft_free(&s), ask_clear(&w);
}

/* Each of n keys may round a running sum up by u twice, where it is added and where it is rescaled: by (1 + u)^2n in
 * all, which is above 10 here; and all weights may be larger together. */
Test(running_laws, a_running_sum_overflows_by_all_roundings_of_many_keys)
{
    enum { N = 300 };
    static double one[N];
    for (int k = 0; k < 2; k++) {
        struct arith a = { .how = WIDEN };
        struct ask w = { .arith = &a };
        struct up V[N];
        a.at[SUM] = a.at[RESCALE] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
        ask_reset(&w, 100);
        struct weights x = { .high = up_d(1), .moving = true, .common = up_d(k ? 1 : 0) };
        for (int j = 0; j < N; j++)
            one[j] = 1, V[j] = up_d(0x1p128 / 6 / N / (k ? 2 : 1));
        struct soft s = made(&w, one, N, &x);
        cr_expect(soft_overflows(&w, &s, &x, SUM, V), "case %d", k);
        weights_free(&x), soft_free(&s), ask_clear(&w);
    }
}
