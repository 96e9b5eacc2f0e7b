/* What ref/core/rotary/remap.h promises of a score: the product of the turned query and key over all channels, times
 * the scale. */
#include <criterion/criterion.h>
#include "law.h"

/* A query and its only key at one place are turned alike, so that their score, and the line's logsumexp, is
 * scale <q, k>. */
Test(remap_laws, one_place_is_the_product_of_all_channels_times_the_scale)
{
    enum { DIM = 4 };
    static const char *const rows[] = { "streaming", "rerope", "selfextend", "lminfinite" };
    const double q[DIM] = { 1, -2, 3, 5 }, k[DIM] = { 7, 1, -0.5, 2 }, v = 1;
    const struct given in[] = { { "q", q, 3, { 1, 1, DIM } }, { "k", k, 3, { 1, 1, DIM } },
        { "v", &v, 3, { 1, 1, 1 } } };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 128);
        const struct ball *y;
        law_line(w, (struct law_of){ row_named(rows[r]), "lse", "dim=4 scale=1/8" }, (struct givens){ in, 3 }, NULL, 1,
            &y);
        cr_expect(b_overlap(y, b_ratio(w, 27, 16)) && b_radius(y) < 0x1p-80, "%s: %.17g", rows[r], b_value(y));
        law_close(&l, true);
    }
}
