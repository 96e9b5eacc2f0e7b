/* Linear attention: the slopes of its features. */
#include <criterion/criterion.h>
#include "law.h"

/* With one token o = phi(q) phi(k) v, and here k is such that phi(k) = 1 and v = do = 1: dq is the slope of phi at q,
 * as is dk with both exchanged. */
Test(linear, gradients_have_the_slope_of_the_feature)
{
    static const struct { const char *feature; double x, one, slope; } list[] = { { "relu", 2, 1, 1 },
        { "relu", -2, 1, 0 }, { "identity", 2, 1, 1 }, { "elu1", 2, 0, 1 }, { "exp", 0, 0, 1 }, { "exp", 2, 0, 0 },
        { "exp", -1, 0, 0 }, { "elu1", -1, 0, 0 } };
    for (size_t k = 0; k < 2 * (sizeof list / sizeof *list); k++) {
        const double x = list[k / 2].x, other = list[k / 2].one, one = 1;
        const struct given in[] = { { "q", k % 2 ? &other : &x, 3, { 1, 1, 1 } },
            { "k", k % 2 ? &x : &other, 3, { 1, 1, 1 } }, { "v", &one, 3, { 1, 1, 1 } },
            { "do", &one, 3, { 1, 1, 1 } } };
        struct law_ask l;
        struct ask *w = law_open(&l, "", 128);
        const struct ball *y[1];
        char params[80];
        snprintf(params, sizeof params, "feature=%s normalise=none scale=1", list[k / 2].feature);
        law_line(w, (struct law_of){ row_named("linear"), k % 2 ? "dk" : "dq", params }, (struct givens){ in, 4 },
            (long[MER_RANK]){ 0 }, 1, y);
        /* A slope of 0 but at relu stands for e^x. */
        const bool power = list[k / 2].slope == 0 && list[k / 2].feature[0] == 'e';
        const struct ball *want = power ? b_exp(w, b_si(w, (long)x)) : b_si(w, (long)list[k / 2].slope);
        cr_expect(b_overlap(y[0], want) && b_radius(y[0]) < 0x1p-60, "d%c of %s at %g: %.17g, not %.17g",
            k % 2 ? 'k' : 'q', list[k / 2].feature, x, b_value(y[0]), b_value(want));
        law_close(&l, true);
    }
}
