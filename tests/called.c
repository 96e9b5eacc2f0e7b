/* What a called page's words say is read once for all lines of an asker, and again when a word, the arithmetic or the
 * way to read it changes. */
#include <criterion/criterion.h>
#include <math.h>
#include "row/called.h"
#include "ball/trace.h"
#include "trial/trial.h"

Test(called, is_one_for_the_same_words_and_another_for_any_other)
{
    struct arith plain = { .how = WIDEN, .text = "sum=f32" }, other = { .how = WIDEN, .text = "sum=bf16" },
                 round = { .how = ROUND, .text = "sum=f32" }, silent = { .how = WIDEN };
    struct ask w = { .arith = &plain, .prec = 64 };
    const struct row *r = row_named("attention"), *t5 = row_named("t5");
    char words[] = "causal=none window=2";
    const struct called *first = read_call(&w, r, "o", words), *x;
    memcpy(words, "causal=topleft      ", 20); /* The caller may use its buffer for something else. */
    cr_expect(first == read_call(&w, r, "o", "causal=none window=2"));
    const struct { const struct row *row; const char *out, *words; const struct arith *arith; } list[] = {
        { r, "lse", "causal=none window=2", &plain },
        { r, "o", "causal=none window=3", &plain },
        { t5, "o", "", &plain },
        { r, "o", "causal=none window=2", &other },
        { r, "o", "causal=none window=2", &round }, { r, "o", "causal=none window=2", &silent },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        w.arith = list[k].arith;
        x = read_call(&w, list[k].row, list[k].out, list[k].words);
        cr_expect(x != first && x->row == list[k].row && x->quantity == row_quantity(x->row, list[k].out) &&
                x->arith.how == w.arith->how,
            "%zu", k);
        for (size_t j = 0; j < k; j++) {
            w.arith = list[j].arith;
            cr_expect(x != read_call(&w, list[j].row, list[j].out, list[j].words), "%zu is %zu", k, j);
        }
    }
    ask_clear(&w);
}

/* Words that the row does not take: no value, no abort, and the reason where somebody wants to know it. */
Test(called, in_words_that_the_row_refuses_has_no_value)
{
    static const struct { const char *row, *out, *words, *says; } list[] = {
        { "sinusoid", "p", "dim=1 odd=zero", "dim" },
        { "sinusoid", "p", "dim=7", "odd width" },
        { "sinusoid", "p", "nosuch=1", "nosuch" },
        { "rope", "freq", "dim=8 base=0", "base" },
    };
    struct arith plain = { .how = EXACT };
    const struct ball *y[8];
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trace trace = { .impossible = "" };
        struct ask w = { .arith = &plain, .trace = &trace };
        ask_reset(&w, 64);
        line_of(&w, (struct page_of){ row_named(list[k].row), list[k].out, list[k].words }, NULL, 8, y);
        cr_expect(w.undecided && isinf(b_radius(y[7])) && strstr(trace.impossible, list[k].says), "%s: '%s'",
            list[k].words, trace.impossible);
        w.trace = NULL;
        cr_expect_null(read_call(&w, row_named(list[k].row), list[k].out, list[k].words));
        ask_clear(&w);
    }
}

Test(called, of_a_page_in_a_page_reaches_the_value)
{
    static const char *const steps[] = { "", "attention.weight=bf16", "attention.sum=bf16", "attention.weight=bf16" };
    const struct row *r = row_named("layer");
    struct trial t;
    char err[400];
    double radius[4];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "layer", "heads=2", "y", MER_F32, "n=3 m=4", 2 }, err,
        sizeof err), 0, "%s", err);
    struct ask w = { .params = t.params, .call = &t.call, .len = t.out[0].dim[t.out[0].rank - 1] };
    const struct ball **y = need((size_t)w.len + 1, sizeof *y);
    for (int k = 0; k < 4; k++) { /* One asker, under four arithmetics in turn. */
        struct arith a;
        cr_assert_geq(arith_read(&a, r, steps[k], WIDEN, err, sizeof err), 0, "%s", err);
        w.arith = &a;
        ask_reset(&w, 64);
        line_page(&w, row_quantity(r, "y"), NULL, y);
        radius[k] = b_radius(y[0]);
    }
    cr_expect(radius[0] < radius[1] && radius[0] < radius[2] && !(radius[1] <= radius[2] && radius[1] >= radius[2]) &&
            radius[3] <= radius[1] && radius[3] >= radius[1],
        "%g %g %g %g", radius[0], radius[1], radius[2], radius[3]);
    free(y), ask_clear(&w), trial_close(&t);
}
