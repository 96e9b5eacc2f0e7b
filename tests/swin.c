/* What windows.h promises of version 2's network: a bound holds what a program rounds on its way. */
#include "told.h"
#include "given_ball.h"
#include "law.h"
#include "row/row.h"

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

/* Each weight of the network has the derivative as its gradient. */
Test(swin, gradients_of_the_network_are_derivatives)
{
    const struct row *r = row_named("swin");
    int asked = 0;
    for (const struct quantity *q = r->q; q->sign; q++) {
        struct adjoint a;
        if (adjoint_of(r, q, &a) && strstr(q->sign, "dcontinuous"))
            asked += is_derivative(r, q, "height=2 width=2", "continuous", "h=2 s=3");
    }
    cr_expect_geq(asked, 1, "%d", asked);
}
