/* Sandwich: sums of cosines are made once for a distance and those of products for each pair, a head's ratio is rounded
 * where it is computed, and the query stands on the left of a product. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "law.h"

/* A sum that is known is copied, which is one ball, and any number of heads and lines has it of the same distance. */
Test(sandwich, a_sum_is_made_once_for_its_distance)
{
    static const double distances[][3] = { { 5, 5, 6 }, { 0, 0, 1 } };
    for (int n = 0; n < 2; n++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 128);
        const struct given in = { "distance", distances[n], 1, { 3 } };
        const struct law_of of = { row_named("sandwich"), "similarity", "heads=3 width=16" };
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
}

/* Products are rounded at positions, so that two pairs of one distance have two sums. */
Test(sandwich, a_sum_of_products_is_made_for_each_pair)
{
    double y[2][2];
    for (int alone = 0; alone < 2; alone++) {
        char err[300];
        struct law_ask l = { .w = { .arith = &l.a } };
        cr_assert_eq(arith_read(&l.a, row_named("sandwich"), "table=bf16", ROUND, err, sizeof err), 1, "%s", err);
        ask_reset(&l.w, 128);
        for (long i = alone; i < 2; i++) {
            const struct ball *x;
            law_line(&l.w, (struct law_of){ row_named("sandwich"), "bias", "heads=1 max=1 width=6 route=product" },
                (struct givens){ NULL, 0 }, (long[MER_RANK]){ 0, 1 + i, i }, 1, &x);
            y[alone][i] = b_value(x);
        }
        law_close(&l, true);
    }
    cr_expect(y[0][1] == y[1][1] && y[0][0] != y[0][1], "%.17g, and behind it %.17g, alone %.17g", y[0][0], y[0][1],
        y[1][1]);
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

/* S of 3 with one term, of the frequency 1, by products of sinusoids; side: "left" or "right" has the products on that
 * line of the page be what they have there. */
static double sum_by_products(int line, const char *side)
{
    static const double three = 3;
    const struct given in = { "distance", &three, 1, { 1 } };
    struct law_ask l = { .w = { .arith = &l.a } };
    char words[60], err[300];
    const struct ball *y;
    snprintf(words, sizeof words, "edit=sandwich.c:%d:mul:%s", line, side);
    cr_assert_geq(arith_read(&l.a, row_named("sandwich"), line ? words : "", ROUND, err, sizeof err), 0, "%s", err);
    ask_reset(&l.w, 100);
    law_line(&l.w, (struct law_of){ row_named("sandwich"), "similarity", "width=2 route=product" },
        (struct givens){ &in, 1 }, NULL, 1, &y);
    const double x = b_value(y);
    law_close(&l, true);
    return x;
}
/* What stands on the left of a product is the query's, at position 3, and on the right the key's, at 0: an edit that
 * leaves out the other one tells of the one that it names. */
Test(sandwich, the_left_factor_of_a_product_is_the_querys)
{
    int met = 0;
    for (int line = 1; line < 130; line++) {
        const double left = sum_by_products(line, "left"), right = sum_by_products(line, "right");
        if (fabs(right - 1) < 1e-15) /* sin 0 + cos 0 */
            met += fabs(left - sin(3) - cos(3)) < 1e-15;
    }
    cr_expect(fabs(sum_by_products(0, "") - cos(3)) < 1e-15);
    cr_expect_eq(met, 1, "%d", met);
}

/* A sum is even in the distance, though what is kept of short distances stands beside the frequencies. */
Test(sandwich, a_sum_is_even_in_the_distance)
{
    static const double distance[] = { 32768, 32767, 32766, 3, 0 };
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    for (size_t k = 0; k < sizeof distance / sizeof *distance; k++) {
        const double minus = -distance[k];
        const struct given in[] = { { "distance", distance + k, 1, { 1 } }, { "distance", &minus, 1, { 1 } } };
        const struct law_of of = { row_named("sandwich"), "similarity", "width=6" };
        for (int again = 0; again < 2; again++) {
            const struct ball *on, *back;
            law_line(w, of, (struct givens){ in, 1 }, NULL, 1, &on), law_line(w, of, (struct givens){ in + 1, 1 }, NULL,
                1, &back);
            cr_expect(b_overlap(on, back) && b_radius(on) < 0x1p-80 && b_radius(back) < 0x1p-80, "%g: %.17g, %.17g",
                distance[k], b_value(on), b_value(back));
        }
    }
    law_close(&l, true);
}
