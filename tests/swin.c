/* What windows.h promises of distances and of version 2's network: a bound holds what a program rounds on its way, and
 * gradients are derivatives. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "given_ball.h"
#include "law.h"
#include "row/row.h"
#include "told.h"

/* A distance of 1 in a window that was trained 64 wide is 8/63: bfloat16 has 1 + 8/63 as 9/8, and logarithms of it and
 * of 8 that are rounded likewise.  The network hands the distance on as it is. */
Test(swin, a_bound_holds_the_rounded_argument_of_the_logarithm)
{
    const double w1[] = { 0, 1 }, b1 = 0, w2 = 1;
    const struct given in[] = { { "w1", w1, 2, { 1, 2 } }, { "b1", &b1, 1, { 1 } }, { "w2", &w2, 2, { 1, 1 } } };
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *y[4];
    char err[300];
    cr_assert_eq(arith_read(&l.a, row_named("swin"), "log=bf16", WIDEN, err, sizeof err), 1, "%s", err);
    ask_reset(&l.w, 128);
    static const char params[] = "height=2 width=2 trained_width=64 trained_height=64";
    law_line(&l.w, (struct law_of){ row_named("swin"), "continuous", params }, (struct givens){ in, 3 },
        (long[MER_RANK]){ 0, 1 }, 4, y);
    /* ln(9/8) is 0.117783, ln 8 is 2.0794: in bfloat16 241/2048 and 133/64, whose quotient is 116/2048. */
    const double quotient = 116 * 0x1p-11;
    const struct ball *want = (b_mul)(&l.w, b_si(&l.w, 16), b_sigmoid(&l.w, given_ball(&l.w, quotient, 0)));
    cr_expect(b_overlap(y[0], want) && b_radius(y[0]) < 0x1p-4, "%.17g in %.17g +- %g", b_value(want), b_value(y[0]),
        b_radius(y[0]));
    law_close(&l, true);
}

/* With w1 = w2 = 0 and b1 = 1 every score is 0, whose slope is 16/4, and each weight w2 is met by 1: its gradient adds
 * up all 16 pairs of a window of 4 tokens, of the first neuron as of the last. */
Test(swin, the_gradient_of_each_neuron_adds_up_all_pairs)
{
    const double zero[4] = { 0 }, one[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    const struct given in[] = { { "w1", zero, 2, { 2, 2 } }, { "b1", one, 1, { 2 } }, { "w2", zero, 2, { 1, 2 } },
        { "dcontinuous", one, 3, { 1, 4, 4 } } };
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    const struct ball *y[2];
    law_line(w, (struct law_of){ row_named("swin"), "dw2", "height=2 width=2" }, (struct givens){ in, 4 },
        (long[MER_RANK]){ 0, 0 }, 1, y);
    law_line(w, (struct law_of){ row_named("swin"), "dw2", "height=2 width=2" }, (struct givens){ in, 4 },
        (long[MER_RANK]){ 0, 1 }, 1, y + 1);
    cr_expect(b_value(y[0]) == 64 && b_value(y[1]) == 64, "%g, %g", b_value(y[0]), b_value(y[1]));
    law_close(&l, true);
}

/* A table, and the network of version 2, have a gradient of every pair at its distance, whichever way that is counted.
 */
Test(swin, gradients_of_either_sign_are_derivatives)
{
    static const char *const signs[] = { "height=2 width=3 sign=query-key", "height=2 width=3 sign=key-query" };
    const struct row *r = row_named("swin");
    for (int k = 0; k < 2; k++) {
        int asked = 0;
        for (const struct quantity *q = r->q; q->sign; q++) {
            struct adjoint a;
            if (adjoint_of(r, q, &a))
                asked += is_derivative(r, q, signs[k], q->of ? "continuous" : "bias", "h=1 s=3");
        }
        cr_expect_geq(asked, 4, "%s: %d", signs[k], asked);
    }
}

/* Of a seed of ones the gradient of a table's entry counts its pairs: of 4 rows and 3 columns (4 - |dy|)(3 - |dx|) lie
 * (dy, dx) apart. */
Test(swin, the_gradient_of_a_table_counts_the_pairs_of_its_rows_and_columns)
{
    enum { HEIGHT = 4, WIDTH = 3, TOKENS = HEIGHT * WIDTH };
    double one[TOKENS * TOKENS];
    for (int k = 0; k < TOKENS * TOKENS; k++)
        one[k] = 1;
    const struct given in = { "dbias", one, 3, { 1, TOKENS, TOKENS } };
    struct law_ask l;
    struct ask *w = law_open(&l, "", 64);
    for (long dy = 1 - HEIGHT; dy < HEIGHT; dy++)
        for (long dx = 1 - WIDTH; dx < WIDTH; dx++) {
            const struct ball *y;
            const long at[MER_RANK] = { (dy + HEIGHT - 1) * (2 * WIDTH - 1) + dx + WIDTH - 1 };
            law_line(w, (struct law_of){ row_named("swin"), "dtable", "height=4 width=3" }, (struct givens){ &in, 1 },
                at, 1, &y);
            cr_expect_eq(b_value(y), (double)((HEIGHT - labs(dy)) * (WIDTH - labs(dx))), "(%ld, %ld): %g", dy, dx,
                b_value(y));
        }
    law_close(&l, true);
}
