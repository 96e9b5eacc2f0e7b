/* A page rounds every number that an operation takes and that it answers (each_rounded.c asks all pages under all
 * words): here of the few numbers that a single word, a single output or a constant of no format brings up. */
#include "law.h"
#include "rounded.h"

Test(rounded_laws, what_few_words_bring_up_is_rounded_too)
{
    static const struct { const char *row, *params, *out, *sizes; } list[] = {
        { "rope", "dim=64 base=150000 scaling=yarn factor=32.3 trained=4096", "freq", "" },
        { "swin", "height=2 width=2", "dw1", "h=1 s=2" },
        { "swin", "height=2 width=2 top=16.3", "dw2", "h=1 s=2" },
        { "swin", "height=2 width=2 top=16.3", "continuous", "h=1 s=2" },
        { "floater", "solver=rk4 activation=tanh", "dstart", "n=3 d=2 f=2" },
        { "attention", "temperature=logn trained=2", "lse", "h=1 g=1 n=3 m=3" },
        { "mla", "scaling=yarn factor=40.3 mscale=1 mscale_all_dim=1", "o", "n=2 m=2 h=1" },
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

/* The gradient by the input of a feed-forward layer rounds what is multiplied by w1 as a product of its own: with
 * products in bfloat16, (1 + 2^-7)^2 is 1 + 2^-6, and no sum is rounded. */
Test(rounded_laws, the_last_product_of_a_feed_forward_layer_is_rounded)
{
    double x = 1, w1 = 1 + 0x1p-7, w2 = 1 + 0x1p-7, b1 = 0, b2 = 0, dy = 1;
    const struct given in[] = { { "x", &x, 2, { 1, 1 } }, { "w1", &w1, 2, { 1, 1 } }, { "b1", &b1, 1, { 1 } },
        { "w2", &w2, 2, { 1, 1 } }, { "b2", &b2, 1, { 1 } }, { "dy", &dy, 2, { 1, 1 } } };
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *y;
    char err[300];
    cr_assert_geq(arith_read(&l.a, row_named("feedforward"), "product=bf16", ROUND, err, sizeof err), 0, "%s", err);
    ask_reset(&l.w, 128);
    law_line(&l.w, (struct law_of){ row_named("feedforward"), "dx", "" }, (struct givens){ in, 6 }, NULL, 1, &y);
    cr_expect(b_value(y) == 1 + 0x1p-6 && b_radius(y) == 0, "%.17g +- %g", b_value(y), b_radius(y));
    law_close(&l, true);
}

/* So does each linear map on the way forward: (1 + 2^-7)^2 is 1 + 2^-6 in the first one, and 1 + 2^-6 + 2^-7, which
 * has 8 bits, in the second. */
Test(rounded_laws, products_of_both_linear_maps_are_rounded)
{
    double x = 1 + 0x1p-7, w1 = 1 + 0x1p-7, w2 = 1 + 0x1p-7, b1 = 0, b2 = 0;
    const struct given in[] = { { "x", &x, 2, { 1, 1 } }, { "w1", &w1, 2, { 1, 1 } }, { "b1", &b1, 1, { 1 } },
        { "w2", &w2, 2, { 1, 1 } }, { "b2", &b2, 1, { 1 } } };
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *y;
    char err[300];
    cr_assert_geq(arith_read(&l.a, row_named("feedforward"), "product=bf16", ROUND, err, sizeof err), 0, "%s", err);
    ask_reset(&l.w, 128);
    law_line(&l.w, (struct law_of){ row_named("feedforward"), "y", "act=relu" }, (struct givens){ in, 5 }, NULL, 1, &y);
    cr_expect(b_value(y) == 1 + 0x1p-6 + 0x1p-7 && b_radius(y) == 0, "%.17g +- %g", b_value(y), b_radius(y));
    law_close(&l, true);
}

/* The gradient by the start of a flow rounds both maps' products: at w1 = w2 = 1 + 2^-7, and a step of Euler of length
 * 1 behind the start, its part beside the 1 that stays is (1 + 2^-7)^2, which is 1 + 2^-6 in bfloat16. */
Test(rounded_laws, products_of_the_gradient_of_a_flow_are_rounded)
{
    const double zero = 0, x = 1, w1 = 1 + 0x1p-7, w2 = 1 + 0x1p-7, dp[] = { 0, 1 };
    const struct given in[] = { { "start", &x, 1, { 1 } }, { "w1", &w1, 2, { 1, 1 } }, { "t1", &zero, 1, { 1 } },
        { "b1", &zero, 1, { 1 } }, { "w2", &w2, 2, { 1, 1 } }, { "t2", &zero, 1, { 1 } }, { "b2", &zero, 1, { 1 } },
        { "dp", dp, 2, { 2, 1 } } };
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *y;
    char err[300];
    cr_assert_geq(arith_read(&l.a, row_named("floater"), "product=bf16", ROUND, err, sizeof err), 0, "%s", err);
    ask_reset(&l.w, 128);
    static const char euler[] = "solver=euler dt=1 substeps=1 activation=identity";
    law_line(&l.w, (struct law_of){ row_named("floater"), "dstart", euler }, (struct givens){ in, 8 }, NULL, 1, &y);
    cr_expect(b_value(y) == 2 + 0x1p-6 && b_radius(y) == 0, "%.17g +- %g", b_value(y), b_radius(y));
    law_close(&l, true);
}
