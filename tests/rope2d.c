/* Rotary encoding of images: what a page reads and makes, and the gradient of trained frequencies. */
#include <criterion/criterion.h>
#include "law.h"
#include "page_line.h"

/* The operations of a line of `out`; free(all->use) is due. */
static void noted_line(const char *params, const char *out, struct sites *all)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "rope2d", params, out, MER_F64, "h=2 n=2", 5 }, "edit=nowhere:0:add:zero",
        ROUND);
    line_sites(&x, all);
    line_close(&x);
}
/* Each pair has a frequency of either axis, and no more of them are read than that. */
Test(rope2d, trained_frequencies_are_read_once_for_each_pair)
{
    for (long dim = 4; dim <= 12; dim += 4) {
        char params[20];
        struct sites *all = need(1, sizeof *all);
        snprintf(params, sizeof params, "dim=%ld", dim);
        noted_line(params, "mixed", all);
        const long read = sites_made(all, SITE_INPUT, "ref/rope2d.c", "freqs", NULL);
        cr_expect_eq(read, dim, "%s: %ld", params, read);
        free(all->use), free(all);
    }
}
/* A coordinate that is not stretched is not multiplied either, so that no fault of a product is looked for there. */
Test(rope2d, what_is_not_stretched_is_not_multiplied)
{
    static const struct { const char *params; bool made; } list[] = { { "dim=8", false },
        { "dim=8 stretch=1", false }, { "dim=8 stretch=1/2", true }, { "dim=8 stretch=2", true },
        { "dim=8 coordinates=centred height=2 width=2", false } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct sites *all = need(1, sizeof *all);
        noted_line(list[k].params, "angle", all);
        const long made = sites_made(all, SITE_MUL, "ref/rope2d.c", "stretch", NULL);
        cr_expect_eq(made > 0, list[k].made, "%s: %ld products", list[k].params, made);
        free(all->use), free(all);
    }
}

/* A gradient that is overwritten by each token, where it should be added up, is that of the last token alone. */
Test(rope2d, an_overwritten_gradient_is_that_of_the_last_token)
{
    enum { PAIRS = 2, WIDTH = 2 * PAIRS };
    static const double freqs[2 * PAIRS] = { 0.5, 0.25, 0.125, 0.75 }, pos[2][2] = { { 1, 3 }, { 2, 5 } },
                        last[2] = { 3, 5 };
    double x[2 * WIDTH], dy[2 * WIDTH];
    law_fill(x, 2 * WIDTH, 3), law_fill(dy, 2 * WIDTH, 4);
    const struct given both[] = { { "x", x, 3, { 1, 2, WIDTH } }, { "dmixed", dy, 3, { 1, 2, WIDTH } },
        { "pos", pos[0], 2, { 2, 2 } }, { "freqs", freqs, 3, { 2, 1, PAIRS } } };
    const struct given one[] = { { "x", x + WIDTH, 3, { 1, 1, WIDTH } }, { "dmixed", dy + WIDTH, 3, { 1, 1, WIDTH } },
        { "pos", last, 2, { 2, 1 } }, both[3] };
    const struct law_of of = { row_named("rope2d"), "dfreqs", "dim=4" };
    for (long axis = 0; axis < 2; axis++) {
        const struct ball *y[3][PAIRS];
        struct law_ask l = { .w = { .arith = &l.a } };
        for (int k = 0; k < 3; k++) { /* the fault, the last token, and all of them */
            char err[300];
            cr_assert_geq(arith_read(&l.a, of.row, k ? "" : "fault=overwritten", ROUND, err, sizeof err), 0, "%s",
                err);
            if (!k)
                ask_reset(&l.w, 128);
            law_line(&l.w, of, (struct givens){ k == 1 ? one : both, 4 }, (long[MER_RANK]){ axis, 0 }, PAIRS, y[k]);
        }
        cr_expect(law_same_line(y[0], y[1], PAIRS) && !law_same_line(y[0], y[2], PAIRS),
            "axis %ld: %.17g, %.17g, %.17g", axis, b_value(y[0][0]), b_value(y[1][0]), b_value(y[2][0]));
        law_close(&l, true);
    }
}
