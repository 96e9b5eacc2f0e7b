/* A page rounds every number that an operation takes and that it answers (each_rounded.c asks all pages under all
 * words): here of the few numbers that a single word, a single output or a constant of no format brings up. */
#include "rounded.h"

Test(rounded_laws, what_few_words_bring_up_is_rounded_too)
{
    static const struct { const char *row, *params, *out, *sizes; } list[] = {
        { "rope", "dim=64 base=150000 scaling=yarn factor=32.3 trained=4096", "freq", "" },
        { "rope", "dim=64 base=150000 scaling=yarn factor=32.3 trained=4096", "amplitude", "" },
        { "swin", "height=2 width=2", "dw1", "h=1 s=2" },
        { "mla", "scaling=yarn factor=40.3 mscale=1 mscale_all_dim=1", "o", "n=2 m=2 h=1" },
        { "feedforward", "", "dx", "n=1" },
    };
    found[0] = 0;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct row *r = row_named(list[k].row);
        const struct trial_spec of = { r->name, list[k].params, list[k].out, MER_F32, list[k].sizes, 3 };
        struct trial t;
        char err[400];
        cr_assert_eq(trial_make(&t, &of, err, sizeof err), 0, "%s", err);
        const long before = asked;
        ask_page(&t, (int)(row_quantity(r, list[k].out) - r->q), list[k].params);
        cr_expect_gt(asked, before, "%s %s: nothing was asked", r->name, list[k].out);
        trial_close(&t);
    }
    cr_expect_str_empty(found, "not rounded before another operation takes it:%s", found);
}
