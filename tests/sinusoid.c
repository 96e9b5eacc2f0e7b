/* Numbers that others printed, or that were computed once with other code: every one to its last digit; and what each
 * library's convention means. */
#include <criterion/criterion.h>
#include "digits.h"

static const struct { const char *params; double pos; long len, k; const char *decimal; } known[] = {
    { "dim=4", 1, 4, 0, "0.84147098480789650665" },
    { "dim=4", 1, 4, 1, "0.54030230586813971740" },
    { "dim=4", 1, 4, 2, "0.00999983333416666468" },
    { "dim=4", 1, 4, 3, "0.99995000041666527778" },
    { "dim=4", 2, 4, 0, "0.90929742682568169540" },
    { "dim=4", 2, 4, 1, "-0.41614683654714238700" },
    { "dim=4", 2, 4, 2, "0.01999866669333307937" },
    { "dim=4", 2, 4, 3, "0.99980000666657777841" },
    { "dim=4", 3, 4, 0, "0.14112000805986722210" },
    { "dim=4", 3, 4, 1, "-0.98999249660044545727" },
    { "dim=4", 3, 4, 2, "0.02999550020249566077" },
    { "dim=4", 3, 4, 3, "0.99955003374898751627" },
    { "dim=2", 710, 2, 0, "6.028870669e-5" },
    { "dim=4 layout=concat", 2, 4, 0, "0.90929742682568169540" },
    { "dim=4 layout=concat", 2, 4, 2, "-0.41614683654714238700" },
    /* In fairseq the first token is row 2. */
    { "dim=4 layout=concat spacing=shifted odd=zero origin=2 padding=1", 0, 4, 0, "0.90929742682568169540" },
    /* The last frequency is exactly 1/base. */
    { "dim=6 spacing=shifted", 10000, 6, 4, "0.84147098480789650665" },
    /* With d = 2 the divisor d/2 - 1 = 0 is taken as 1. */
    { "dim=2 spacing=shifted", 3, 2, 0, "0.14112000805986722210" },
    { "dim=5 odd=drop", 2, 5, 0, "0.90929742682568169540" },
};

Test(sinusoid, known_numbers_agree_to_their_last_digit)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 256);
        const struct ball *y = element(w, "sinusoid", "p", known[i].params, known[i].pos, known[i].len, known[i].k);
        cr_expect(digits_agree(y, known[i].decimal), "p[%ld] of %s: %.20g, printed %s", known[i].k, known[i].params,
            b_value(y), known[i].decimal);
        law_close(&l, true);
    }
}

/* S(k), the inner product of rows 0 and k. */
static const struct ball *sum(struct ask *w, const char *params, long d, double k)
{
    const struct ball *y[2048], *s = b_si(w, 0);
    law_row(w, row_named("sinusoid"), "p", params, NULL, k, d, y);
    for (long i = 1; i < d; i += 2)
        s = b_add(w, s, y[i]);
    return s;
}

Test(sinusoid, the_inner_product_first_rises_where_it_should)
{
    static const struct {
        long d, first;
    } t[] = { { 2, 4 }, { 4, 4 }, { 8, 4 }, { 16, 4 }, { 32, 5 }, { 64, 6 }, { 128, 12 }, { 256, 25 }, { 512, 44 },
        { 768, 44 }, { 1024, 69 } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 96);
        char params[40];
        snprintf(params, sizeof params, "dim=%ld", t[i].d);
        const struct ball *last = sum(w, params, t[i].d, 0);
        long k = 0;
        for (int order = -1; order == -1;) {
            const struct ball *next = sum(w, params, t[i].d, (double)++k);
            order = b_cmp(next, last);
            cr_assert_neq(order, 2);
            last = next;
        }
        cr_expect_eq(k, t[i].first, "d=%ld rises at %ld", t[i].d, k);
        law_close(&l, true);
    }
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    cr_expect(digits_agree(sum(w, "dim=64", 64, 5), "23.503970810450") &&
        digits_agree(sum(w, "dim=64", 64, 6), "23.559396969648"));
    cr_expect(digits_agree(sum(w, "dim=512", 512, 43), "134.758700266125") &&
        digits_agree(sum(w, "dim=512", 512, 44), "134.770351389390"));
    law_close(&l, true);
}

Test(sinusoid, odd_widths_and_the_padding_row_end_as_declared)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    const struct ball *zero = b_si(w, 0), *y[9];
    law_row(w, row_named("sinusoid"), "p", "dim=7 odd=zero layout=concat", NULL, 5, 7, y);
    cr_expect(!b_cmp(y[6], zero) && b_cmp(y[5], zero));
    law_row(w, row_named("sinusoid"), "p", "dim=7 odd=drop layout=concat", NULL, 5, 7, y);
    cr_expect(b_cmp(y[3], zero) == 1 && digits_agree(y[4], "0.283662185463226264")); /* Four sines, then cos 5. */
    law_row(w, row_named("sinusoid"), "p", "dim=6 padding=1 origin=2", NULL, -1, 6, y);
    for (int k = 0; k < 6; k++)
        cr_expect_eq(b_cmp(y[k], zero), 0);
    law_close(&l, true);
}

/* tensor2tensor multiplies by min_timescale: its frequencies run from m to m^2/base with m = 2, where 1/m to 1/base was
 * meant (issue 1923). */
Test(sinusoid, min_timescale_multiplies)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    const struct ball *y[6];
    law_row(w, row_named("sinusoid"), "p", "dim=6 spacing=shifted layout=concat min_timescale=2", NULL, 1, 6, y);
    cr_expect(digits_agree(y[0], "0.90929742682568169540"), "sin 2");
    cr_expect(digits_agree(y[2], "0.000399999989333333419"), "sin 4e-4");
    law_close(&l, true);
}
