/* Numbers known to lie in an interval: the shortest decimal, and expressions of what a question holds. */
#include "diagnose/hypotheses/number.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "core/gen.h"

static const struct number_terms some = { 6,
    { { "2", 2 }, { "pi", 3.14159265358979324 }, { "d", 58 }, { "h", 12 }, { "n", 31 }, { "base", 10000 } } };

Test(number, decimals_are_as_short_as_they_can_be)
{
    static const struct { double low, high; int digits, is; const char *text; } list[] = {
        { 0.09, 0.11, 17, 1, "0.1" }, { 0.1234, 0.1236, 17, 4, "0.1235" }, { 0.12349, 0.12351, 3, 0, NULL },
        { -50001, -49999, 8, 1, "-5e+04" }, { 0.25, 0.25, 17, 2, "0.25" }, { 0.2, 0.2, 0, 0, NULL },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[40] = "";
        const int is = number_decimal(list[k].low, list[k].high, list[k].digits, text, sizeof text);
        cr_expect_eq(is, list[k].is, "%zu: %d", k, is);
        if (list[k].text)
            cr_expect_str_eq(text, list[k].text);
    }
}

Test(number, expressions_of_one_and_of_two_things_are_found)
{
    static const struct { double x; enum number_form form; const char *says; } list[] = {
        { 58, NUMBER_TERM, "d" }, { 1.0 / 58, NUMBER_PRODUCT, "1/d" }, { -12, NUMBER_PRODUCT, "-h" },
        { 0.13130643285972254, NUMBER_POWER, "1/sqrt d" }, { 3.4641016151377544, NUMBER_POWER, "sqrt h" },
        { 3.4641016151377544, NUMBER_TERM, NULL }, { 58.0 / 31, NUMBER_POWER, NULL }, { 2, NUMBER_TERM, NULL },
        { 58.0 / 31, NUMBER_PRODUCT, "d/n" }, { 31.0 / 58, NUMBER_PRODUCT, "n/d" }, { 0.5, NUMBER_PRODUCT, NULL },
        { 1.0 / (12 * 31), NUMBER_PRODUCT, "1/(h n)" }, { 6.2831853071795865, NUMBER_PRODUCT, "2 pi" },
        { 3.4641016151377544 / 31, NUMBER_PRODUCT, "sqrt(h)/n" },
        { 12 * 7.6157731058639087, NUMBER_PRODUCT, "sqrt(d) h" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const double r = fabs(list[k].x) * 0x1p-30;
        double x;
        char text[80];
        const bool is = number_expression(&some, list[k].form, list[k].x - r, list[k].x + r, &x, text, sizeof text);
        cr_expect_eq(is, list[k].says != NULL, "%zu: %s", k, is ? text : "none");
        if (!is || !list[k].says)
            continue;
        cr_expect_str_eq(text, list[k].says);
        cr_expect(fabs(x - list[k].x) <= r);
    }
}

/* Numbers that are no expression have hardly one, however well they are known: a fiftieth one of one term, and a
 * fiftieth one of two. */
Test(number, drawn_numbers_are_hardly_ever_an_expression)
{
    enum { DRAWN = 20000 };
    for (int bits = 4; bits <= 24; bits += 2) {
        int is = 0;
        for (uint64_t k = 0; k < DRAWN; k++) {
            const double mid = pow(10, 6 * (double)(gen_bits(5, (uint64_t)bits, k) >> 11) * 0x1p-53 - 3);
            double x;
            char text[80];
            const double r = mid * ldexp(1, -bits);
            is += number_expression(&some, NUMBER_PRODUCT, mid - r, mid + r, &x, text, sizeof text);
        }
        cr_expect(is <= DRAWN / 25, "known to %d bits: %d of %d are one", bits, is, DRAWN);
    }
}

/* What a question holds by name, and nothing that multiplies by 1 or by nothing. */
Test(number, terms_are_the_sizes_and_parameters_of_the_question)
{
    struct trial t;
    struct number_terms of;
    char err[600];
    const struct trial_spec spec = { "rope", "dim=58 base=12345", "y", MER_F32, "h=1 n=9", 5 };
    cr_assert_eq(trial_make(&t, &spec, err, sizeof err), 0, "%s", err);
    number_terms_of(&of, &t);
    bool base = false, n = false, h = false;
    for (int k = 0; k < of.n; k++) {
        base |= !strcmp(of.of[k].says, "base") && of.of[k].x == 12345;
        n |= !strcmp(of.of[k].says, "n") && of.of[k].x == 9;
        h |= !strcmp(of.of[k].says, "h");
        cr_expect(of.of[k].x > 0 && of.of[k].x != 1 && isfinite(of.of[k].x), "%s", of.of[k].says);
    }
    cr_expect(base && n && !h);
    trial_close(&t);
}
