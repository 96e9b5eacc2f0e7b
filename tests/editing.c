/* What each operation of an edit makes of a number and of the terms of a sum, by its name; and that a step of another
 * number, or another kind of operation, is left as it is. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "trial/trial.h"

enum { MOST = 9, STEP = 3 };

static struct arith edit_by(const char *name)
{
    return (struct arith){ .edit = { .step = STEP + 1, .op = edit_named(name, strlen(name)) } };
}

Test(editing, changes_a_number_as_its_name_says)
{
    static const struct { const char *name; double at[4]; } list[] = { /* Of -3, -1/2, 4 and 0. */
        { "zero", { 0, 0, 0, 0 } },
        { "one", { 1, 1, 1, 1 } },
        { "negate", { 3, 0.5, -4, 0 } },
        { "double", { -6, -1, 8, 0 } },
        { "halve", { -1.5, -0.25, 2, 0 } },
        { "square", { 9, 0.25, 16, 0 } },
        { "invert", { -1 / 3.0, -2, 0.25, (double)NAN } },
        { "absolute", { 3, 0.5, 4, 0 } },
    };
    static const long numbers[] = { -6, -1, 8, 0 };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int j = 0; j < 4; j++) {
            const struct arith a = edit_by(list[k].name);
            struct ask w = { .arith = &a };
            ask_reset(&w, 64);
            const struct ball *x = b_ratio(&w, numbers[j], 2), *y = edit_value(&w, STEP, x);
            const double want = list[k].at[j];
            cr_expect(isnan(want) ? mpfr_nan_p(y->mid) != 0 || isinf(y->rad.m) :
                    b_value(y) == want && b_radius(y) <= 0x1p-60,
                "%s of %g: %g", list[k].name, b_value(x), b_value(y));
            cr_expect(edit_value(&w, STEP + 1, x) == x && edit_value(&w, STEP - 1, x) == x, "%s at another step",
                list[k].name);
            ask_clear(&w);
        }
}

/* Expects that of the terms 1 .. n those remain whose numbers these digits are, as they were. */
static void remains(const char *name, long n, const char *digits)
{
    const struct arith a = edit_by(name);
    struct ask w = { .arith = &a };
    ask_reset(&w, 64);
    const struct ball *t[MOST];
    for (long k = 0; k < n; k++)
        t[k] = b_si(&w, k + 1);
    long left = n;
    const struct ball **to = edit_terms(&w, STEP, t, &left);
    cr_assert(to && left == (long)strlen(digits), "%s of %ld terms leaves %ld", name, n, left);
    for (long k = 0; k < left; k++)
        cr_expect(to[k] == t[digits[k] - '1'], "%s of %ld terms: term %ld", name, n, k);
    free(to);
    cr_expect(!edit_terms(&w, STEP + 1, t, &n) && edit_value(&w, STEP, t[0]) == t[0], "%s elsewhere", name);
    ask_clear(&w);
}

Test(editing, keeps_the_terms_that_its_name_says)
{
    static const struct { const char *name; long n; const char *digits; } list[] = {
        { "without-first", 5, "2345" }, { "without-first", 1, "" }, { "without-last", 5, "1234" },
        { "without-last", 1, "" }, { "odd-only", 5, "24" }, { "odd-only", 6, "246" }, { "even-only", 5, "135" },
        { "even-only", 6, "135" }, { "first-half", 5, "12" }, { "first-half", 6, "123" }, { "first-half", 1, "" },
        { "tail-4", 3, "" }, { "tail-4", 4, "1234" }, { "tail-4", 7, "1234" }, { "tail-4", 8, "12345678" },
        { "tail-8", 7, "" }, { "tail-8", 9, "12345678" }, { "tail-16", 9, "" }, { "tail-32", 9, "" },
        { "tail-64", 9, "" }, { "tail-128", 9, "" } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        remains(list[k].name, list[k].n, list[k].digits);
}

Test(editing, makes_a_mean_of_a_sum)
{
    const struct arith a = edit_by("mean");
    for (long n = 1; n < MOST; n++) {
        struct ask w = { .arith = &a };
        ask_reset(&w, 64);
        const struct ball *t[MOST];
        for (long k = 0; k < n; k++)
            t[k] = b_si(&w, n * (k + 1));
        long left = n;
        const struct ball **to = edit_terms(&w, STEP, t, &left);
        cr_assert(to && left == n, "all %ld terms stay", n);
        for (long k = 0; k < n; k++)
            cr_expect(b_value(to[k]) == (double)(k + 1), "term %ld of %ld: %g", k, n, b_value(to[k]));
        free(to), ask_clear(&w);
    }
}

/* An edit of numbers leaves the terms of a sum, and names are read whole. */
Test(editing, of_numbers_leaves_terms_alone_and_names_are_read_whole)
{
    for (int k = 0; edit_ops[k].name; k++) {
        const struct arith a = edit_by(edit_ops[k].name);
        struct ask w = { .arith = &a };
        ask_reset(&w, 64);
        const struct ball *t[] = { b_si(&w, 1), b_si(&w, 2) };
        long n = 2;
        const struct ball **to = edit_terms(&w, STEP, t, &n);
        cr_expect_eq(to != NULL, edit_ops[k].sums, "%s", edit_ops[k].name);
        cr_expect(edit_ops[k].sums || n == 2, "%s", edit_ops[k].name);
        cr_expect_eq(edit_named(edit_ops[k].name, strlen(edit_ops[k].name)), k);
        cr_expect_eq(edit_named(edit_ops[k].name, strlen(edit_ops[k].name) - 1), -1, "less of %s", edit_ops[k].name);
        free(to), ask_clear(&w);
    }
    cr_expect(edit_named("", 0) == -1 && edit_named("zeroth", 6) == -1 && edit_named("zeroth", 4) == 0);
}
