/* What buckets.h and log_index.h promise of logarithmic buckets: a bucket is that of the integers, at every precision
 * and at every tie. */
#include <criterion/criterion.h>
#include "relative/buckets.h"

static const struct bucket_steps none = { 0, -1, 0, 0, 0 };

/* Distances at the edge of a bucket, and next to it: with few bits their logarithms look alike.  More bits may be asked
 * for next to an edge, but not at one, where there are never enough. */
Test(bucket_laws, where_few_bits_leave_a_bucket_open_the_integers_decide)
{
    static const struct { struct bucket of; long is; bool tie; } list[] = {
        { { { 999999, 1, 1000000, 8 }, BUCKET_DOWN, 9, 0 }, 8, false },
        { { { 1000000, 1, 1000000, 8 }, BUCKET_DOWN, 9, 0 }, 9, true },
        { { { 10, 1, 1000, 3 }, BUCKET_DOWN, 9, 0 }, 2, true },
        { { { 100, 1, 1000, 3 }, BUCKET_DOWN, 9, 0 }, 3, true },
        { { { 999999, 1, 1000000000000, 1 }, BUCKET_NEAREST, 9, 0 }, 1, false },
        { { { 1000000, 1, 1000000000000, 1 }, BUCKET_NEAREST, 9, 0 }, 2, true },
        { { { 1000000, 1, 1000000, 8 }, BUCKET_UP, 9, 0 }, 9, true },
        { { { 1000001, 1, 1000000, 8 }, BUCKET_UP, 9, 0 }, 10, false },
    };
    static const struct arith exact = { .how = EXACT };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct bucket *b = &list[k].of;
        cr_expect_eq(bucket_number(b), list[k].is, "%ld, %d: %ld", b->x.n, b->how, bucket_number(b));
        for (int bits = 10; bits < 80; bits++) {
            struct ask w = { .arith = &exact };
            ask_reset(&w, bits);
            const double x = b_value(bucket_ball(&w, b, none));
            cr_expect(w.undecided ? !list[k].tie : x == (double)list[k].is, "%ld, %d, %d bits: %g", b->x.n,
                b->how, bits, x);
            ask_clear(&w);
        }
    }
}

/* Numbers b^i of steps that end at b^j are whole, though the quotient of their logarithms mostly is not. */
Test(bucket_laws, a_whole_number_of_steps_is_none_of_rounding)
{
    for (long b = 3, exact = 1; b < 40; b++, exact = b % 5 + 1)
        for (long i = 1, n = b * exact; i <= 6; i++, n *= b)
            for (long j = i, far = n; j <= 6; j++, far *= b) {
                const struct log_index x = { n, exact, far, j }, below = { n - 1, exact, far, j },
                                       above = { n + 1, exact, far, j };
                cr_expect(log_index_floor(&x, j) == i && log_index_nearest(&x, j) == i && log_index_ceil(&x) == i,
                    "%ld^%ld of %ld: %ld, %ld", b, i, j, log_index_floor(&x, j), log_index_ceil(&x));
                cr_expect(log_index_floor(&below, j) == i - 1 && log_index_ceil(&below) == i, "%ld^%ld - 1", b, i);
                cr_expect(log_index_floor(&above, j) == i && log_index_ceil(&above) == i + 1, "%ld^%ld + 1", b, i);
            }
}
