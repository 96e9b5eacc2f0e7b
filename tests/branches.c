/* Sigmoid, softplus and ReLU in the forms that code has (ref/core/edit/branches.h): the same number, operation by
 * operation what an edit makes of it, and asked by nothing else. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "edit/branches.h"
#include "edit_as.h"
#include "trial/trial.h"
#include "words/read.h"

typedef const struct ball *function(struct ask *w, const struct ball *x);
static const struct ball *sigmoid(struct ask *w, const struct ball *x) { return b_sigmoid(w, x); }
static const struct ball *softplus(struct ask *w, const struct ball *x) { return b_softplus(w, x); }

enum { RELU_LINE = __LINE__ + 1 };
static const struct ball *relu(struct ask *w, const struct ball *x) { return b_relu(w, x); }
static const struct ball *heaviside(struct ask *w, const struct ball *x)
{
    return heaviside_in_form(w, x, (b_si)(w, 5));
}

/* An operation of a form, in the order in which the page makes them, and one thing that is done to it. */
struct step { const char *kind, *op; double is; };
enum { STEPS_MOST = 12 };

/* Asks f of n/4 under that edit. */
static void asked(struct ask *w, struct arith *a, const char *words, function *f, long n, const struct ball **y)
{
    char err[300];
    cr_assert(site_read(&a->edit, words, strlen(words)), "%s: %s", words, err);
    *w = (struct ask){ .arith = a, .sites = w->sites };
    ask_reset(w, BITS);
    *y = f(w, (b_ratio)(w, n, 4));
}

/* Every operation of the forms of f at n/4 is in the list, and does what stands there. */
static void follows(function *f, double plain, long n, const struct step *list)
{
    static struct sites all;
    struct arith a = { .how = EXACT };
    struct ask w = { .sites = &all };
    const struct ball *y;
    char words[100];
    memset(&all, 0, sizeof all);
    asked(&w, &a, edit_nowhere + 5, f, n, &y);
    cr_expect(is(y, plain), "%ld/4: %.17g, not %.17g", n, b_value(y), plain);
    ask_clear(&w), free(all.use), w.sites = NULL;
    int k = 0;
    for (int s = 0; s < all.n; s++) {
        const char *file = strstr(all.s[s].at.file, "edit/branches.c");
        if (!file)
            continue;
        cr_assert(list[k].kind && all.s[s].form, "%ld/4: more than %d operations", n, k);
        snprintf(words, sizeof words, "%s:%d:%s:%s", file, all.s[s].at.line, list[k].kind, list[k].op);
        asked(&w, &a, words, f, n, &y);
        cr_expect(is(y, list[k].is), "%s of %ld/4: %.17g, not %.17g", words, n, b_value(y), list[k].is);
        ask_clear(&w), k++;
    }
    cr_expect(!list[k].kind, "%ld/4: no operation %d, %s", n, k, list[k].kind);
}

Test(branches, every_operation_of_a_sigmoid_has_edits)
{
    static const long numbers[] = { 3, -3, 17, -17 };
    for (int k = 0; k < 4; k++) {
        const double x = (double)numbers[k] / 4, e = exp(-x), E = exp(x);
        const struct step above[] = {
            { "neg", "zero", 0.5 },
            { "exp", "double", 1 / (1 + 2 * e) },
            { "add", "left", 1 },
            { "div", "double", 2 / (1 + e) },
            { "neg", "zero", 0.5 },
            { "exp", "double", 1 / (1 + 2 * e) },
            { "integer", "more", 1 / (2 + e) },
            { "add", "left", 1 },
            { "integer", "more", 2 / (1 + e) },
            { "div", "double", 2 / (1 + e) },
            { NULL, NULL, 0 },
        };
        const struct step below[] = {
            { "neg", "zero", 0.5 },
            { "exp", "double", 1 / (1 + 2 * e) },
            { "add", "left", 1 },
            { "div", "double", 2 / (1 + e) },
            { "exp", "double", 2 * E / (1 + E) },
            { "exp", "double", E / (1 + 2 * E) },
            { "integer", "more", E / (2 + E) },
            { "add", "left", E },
            { "div", "double", 2 * E / (1 + E) },
            { NULL, NULL, 0 },
        };
        follows(sigmoid, 1 / (1 + e), numbers[k], x > 0 ? above : below);
    }
}
Test(branches, every_operation_of_a_softplus_has_edits)
{
    static const long numbers[] = { 3, -3, 17, -17 };
    for (int k = 0; k < 4; k++) {
        const double x = (double)numbers[k] / 4, e = exp(-x), E = exp(x);
        const struct step above[] = { { "neg", "zero", x + log(2) }, { "exp", "double", x + log1p(2 * e) },
            { "add", "left", x }, { "log", "double", x + 2 * log1p(e) }, { "add", "left", x }, { NULL, NULL, 0 } };
        const struct step below[] = { { "exp", "double", log1p(2 * E) }, { "add", "left", 0 },
            { "log", "double", 2 * log1p(E) }, { NULL, NULL, 0 } };
        follows(softplus, x > 0 ? x + log1p(e) : log1p(E), numbers[k], x > 0 ? above : below);
    }
}
/* A unit that is dead below 1, and one whose dead numbers are 1. */
Test(branches, a_relu_has_a_border_and_a_dead_number)
{
    static const long numbers[] = { 3, -3, 17, -17 };
    for (int k = 0; k < 4; k++) {
        const double x = (double)numbers[k] / 4;
        const struct step line[] = { { "integer", "more", x > 1 ? x : 0 }, { "integer", "more", x > 0 ? x : 1 },
            { NULL, NULL, 0 } };
        const struct step slope[] = { { "integer", "more", x > 1 }, { "integer", "more", 1 },
            { "integer", "double", x > 0 ? 2 : 0 }, { NULL, NULL, 0 } };
        follows(relu, x > 0 ? x : 0, numbers[k], line);
        follows(heaviside, x > 0, numbers[k], slope);
    }
    /* At the border it is that of the page. */
    static const struct arith exact = { .how = EXACT };
    struct ask w = { .arith = &exact };
    ask_reset(&w, BITS);
    cr_expect(b_value(heaviside(&w, (b_si)(&w, 0))) == 5 && b_value(relu(&w, (b_si)(&w, 0))) == 0);
    ask_clear(&w);
    /* The page's own operation is the larger of two, and known as such where it is written. */
    struct arith least = { .how = EXACT };
    struct ask v = { .sites = NULL };
    const struct ball *y;
    char words[100];
    snprintf(words, sizeof words, "%s:%d:max:min", __FILE__, RELU_LINE);
    asked(&v, &least, words, relu, 3, &y);
    cr_expect(is(y, 0), "%s: %g", words, b_value(y));
    ask_clear(&v);
}
/* Where it is noted what takes no rounding, an expression is one operation. */
Test(branches, what_is_noted_for_roundings_has_no_form)
{
    static struct sites all;
    struct arith a = { .how = WIDEN };
    struct ask w = { .sites = &all };
    const struct ball *y;
    all.bits = 24;
    asked(&w, &a, edit_nowhere + 5, sigmoid, 3, &y);
    for (int k = 0; k < all.n; k++)
        cr_expect_null(strstr(all.s[k].at.file, "edit/branches.c"));
    cr_expect_eq(all.n, 1, "%d operations", all.n);
    ask_clear(&w);
    asked(&w, &a, edit_nowhere + 5, relu, 3, &y), ask_clear(&w);
    asked(&w, &a, edit_nowhere + 5, heaviside, 3, &y), ask_clear(&w);
    for (int k = 0; k < all.n; k++)
        cr_expect_null(strstr(all.s[k].at.file, "edit/branches.c"));
    cr_expect_eq(all.n, 3, "%d operations", all.n);
    free(all.use);
}
