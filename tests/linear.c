/* Linear attention: the slopes of its features. */
#include <criterion/criterion.h>
#include "law.h"

/* With one token o = phi(q) phi(k) v.  Here phi(k), v and do are 1, so that dq is the slope of phi at q; and the same
 * with q and k exchanged. */
Test(linear, gradients_have_the_slope_of_the_feature)
{
    /* one: where phi is 1.  power: the slope is e^x, else it is `slope`. */
    static const struct { const char *feature; long x, one; bool power; long slope; } list[] = {
        { "relu", 2, 1, false, 1 }, { "relu", -2, 1, false, 0 }, { "identity", 2, 1, false, 1 },
        { "elu1", 2, 0, false, 1 }, { "elu1", -1, 0, true, 0 }, { "exp", 0, 0, false, 1 }, { "exp", 2, 0, true, 0 },
        { "exp", -1, 0, true, 0 } };
    for (size_t k = 0; k < 2 * (sizeof list / sizeof *list); k++) {
        const double x = (double)list[k / 2].x, other = (double)list[k / 2].one, one = 1;
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
        const struct ball *want = list[k / 2].power ? b_exp(w, b_si(w, list[k / 2].x)) : b_si(w, list[k / 2].slope);
        cr_expect(b_overlap(y[0], want) && b_radius(y[0]) < 0x1p-60, "d%c of %s at %g: %.17g, not %.17g",
            k % 2 ? 'k' : 'q', list[k / 2].feature, x, b_value(y[0]), b_value(want));
        law_close(&l, true);
    }
}
