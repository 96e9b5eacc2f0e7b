/* Sandwich: sums of cosines are made once for a distance, and a head's ratio is rounded where it is computed. */
#include <criterion/criterion.h>
#include "law.h"

/* A sum that is known is copied, which is one ball, and any number of heads and lines has it of the same distance. */
Test(sandwich, a_sum_is_made_once_for_its_distance)
{
    static const char params[] = "heads=3 width=16";
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    const double distance[] = { 5, 5, 6 };
    const struct given in = { "distance", distance, 1, { 3 } };
    const struct law_of of = { row_named("sandwich"), "similarity", params };
    const struct ball *y[3];
    size_t made[3];
    for (long k = 0; k < 3; k++) {
        const size_t before = w->used;
        law_line(w, of, (struct givens){ &in, 1 }, (long[MER_RANK]){ k }, 1, y + k);
        made[k] = w->used - before;
    }
    cr_expect_eq(made[1], 1, "%zu balls of what is known", made[1]);
    cr_expect(made[0] > 16 && made[2] > 8, "%zu and %zu balls of what is new", made[0], made[2]);
    cr_expect(mpfr_equal_p(y[0]->mid, y[1]->mid) && !mpfr_equal_p(y[0]->mid, y[2]->mid));
    law_close(&l, true);
}

/* S of no distance is width/2 = 1.  The first of three heads has the ratio 8/3, which is 171/64 in bfloat16. */
Test(sandwich, a_ratio_is_rounded)
{
    static const char params[] = "heads=3 width=2";
    struct law_ask l = { .w = { .arith = &l.a } };
    char err[300];
    const struct ball *y;
    cr_assert_eq(arith_read(&l.a, row_named("sandwich"), "ratio=bf16", ROUND, err, sizeof err), 1, "%s", err);
    ask_reset(&l.w, 128);
    law_line(&l.w, (struct law_of){ row_named("sandwich"), "bias", params }, (struct givens){ NULL, 0 },
        (long[MER_RANK]){ 0 }, 1, &y);
    cr_expect(b_overlap(y, b_ratio(&l.w, 64, 171)) && b_radius(y) < 0x1p-100, "%.17g", b_value(y));
    law_close(&l, true);
}
