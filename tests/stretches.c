/* Stretches of numbers behind one another (state/stretch.h), and whole numbers that are held (arith/held.h). */
#include <criterion/criterion.h>
#include <limits.h>
#include "arith/held.h"
#include "state/stretch.h"

/* The first begins at 0, each behind the one before it, and nothing is written behind the end of the last. */
Test(stretches, each_begins_where_the_one_before_it_ends)
{
    const long size[] = { 3, 0, 5 };
    long place[] = { -1, -1, -1, -1, -1 };
    static const long is[] = { 0, 3, 3, 8, -1 };
    stretch_places(size, 3, place);
    for (int k = 0; k < 5; k++)
        cr_expect_eq(place[k], is[k], "place %d: %ld", k, place[k]);
}

Test(stretches, a_ball_fills_its_stretch_and_nothing_behind_it)
{
    static const struct ball x;
    for (long n = 0; n < 4; n++) {
        const struct ball *y[5] = { NULL };
        stretch_fill(y + 1, n, &x);
        for (long k = 0; k < 5; k++)
            cr_expect_eq(y[k] == &x, k >= 1 && k <= n, "%ld of %ld", k, n);
    }
}

Test(stretches, a_number_is_held_between_two_others)
{
    static const struct { long x, least, most, is; } list[] = { { 3, 0, 5, 3 }, { 0, 0, 5, 0 }, { 5, 0, 5, 5 },
        { -1, 0, 5, 0 }, { 6, 0, 5, 5 }, { LONG_MIN, -7, -2, -7 }, { LONG_MAX, -7, -2, -2 }, { 4, 2, 2, 2 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect_eq(held(list[k].x, list[k].least, list[k].most), list[k].is, "%ld", list[k].x);
}
