/* Facts of single rows that a reader would count on: which numbers a line is made of, and where it is no number. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "law.h"
#include "page_line.h"
#include "told.h"
#include "words/read.h"

static void fill(struct page_line *x, const char *name, double with)
{
    struct mer_array *a = trial_in(&x->t, name);
    for (long k = 0; k < array_len(a); k++)
        array_put(a, k, with);
}
static void open_line(struct page_line *x, const char *row, const char *params, const char *out, const char *sizes)
{
    line_open(x, &(struct trial_spec){ row, params, out, MER_F32, sizes, 5 }, "", EXACT);
    x->w.form = row_quantity(x->t.row, out)->form, x->w.of = row_quantity(x->t.row, out)->of;
}

/* A gate that is the logarithm of the decay has slope 1, and one that is made of it has its own.  There are not as many
 * queries as keys, so that none can stand for the other. */
Test(row_facts, gradients_of_decays_and_of_interpolated_biases_are_derivatives)
{
    static const struct { const char *row, *params, *out, *of, *sizes; } list[] = {
        { "gla", "gate=log", "da", "o final", "h=1 n=2 d=2 e=1" },
        { "gla", "gate=logsigmoid", "da", "o final", "h=1 n=2 d=2 e=1" },
        { "fire", "", "dw1", "bias", "h=2 n=2 m=3 s=2" }, { "fire", "", "db1", "bias", "h=2 n=2 m=3 s=2" },
        { "fire", "", "dw2", "bias", "h=2 n=2 m=3 s=2" }, { "fire", "", "db2", "bias", "h=2 n=2 m=3 s=2" } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct row *r = row_named(list[k].row);
        cr_expect(is_derivative(r, row_quantity(r, list[k].out), list[k].params, list[k].of, list[k].sizes), "%s %s",
            list[k].row, list[k].out);
    }
}

/* The coefficients of group 0 are 0, so that its sums are, too, whatever token is asked. */
Test(row_facts, a_table_of_waves_is_of_its_own_group_and_token)
{
    static const char *const outs[][2] = { { "cos", "cos_coef" }, { "sin", "sin_coef" } };
    for (int k = 0; k < 2; k++)
        for (long at = 0; at < 4; at++) {
            struct page_line x;
            open_line(&x, "fope", "dim=4 clip=none", outs[k][0], "c=2 n=2");
            struct mer_array *coef = trial_in(&x.t, outs[k][1]);
            for (long c = 0; c < array_len(coef); c++)
                array_put(coef, c, c >= array_len(coef) / 2);
            fill(&x, "pos", 1);
            x.w.at[0] = at / 2, x.w.at[1] = at % 2;
            line_ask(&x);
            for (long c = 0; c < x.w.len; c++)
                cr_expect_eq(b_value(x.y[c]) != 0, at / 2 == 1, "%s of group %ld, token %ld: %g", outs[k][0], at / 2,
                    at % 2, b_value(x.y[c]));
            line_close(&x);
        }
}
/* Edits of every second turn count on it. */
Test(row_facts, whether_a_wave_is_kept_is_asked_once_of_each)
{
    static struct sites all;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "fope", "dim=6", "cos", MER_F32, "c=1 n=1", 5 }, edit_nowhere, EXACT);
    line_sites(&x, &all);
    long most;
    sites_made(&all, SITE_LESS, "fope.c", "live", &most);
    cr_expect_eq(most, 6 / 2, "%ld", most);
    free(all.use);
    line_close(&x);
}

/* A key to the right, however large, is hidden; without hiding it, infinity times a number of either sign is none. */
Test(row_facts, forgetting_attention_does_not_read_what_stands_to_the_right)
{
    static const char *const outs[] = { "o", "lse", "dq" };
    for (int k = 0; k < 3; k++)
        for (int right = 0; right < 2; right++)
            for (int start = 0; start < 2; start++) {
                struct page_line x;
                char params[80];
                snprintf(params, sizeof params, "right=%s start=%s", right ? "difference" : "hidden",
                    start ? "zero" : "end");
                open_line(&x, "forget", params, outs[k], "h=1 g=1 n=2 m=2 d=1 e=1");
                fill(&x, "q", 1), fill(&x, "k", 1), array_put(trial_in(&x.t, "k"), 1, (double)INFINITY);
                line_ask(&x);
                cr_expect_eq(mpfr_number_p(x.y[0]->mid) && b_radius(x.y[0]) < 1, !right, "%s, %s: %g +- %g", outs[k],
                    params, b_value(x.y[0]), b_radius(x.y[0]));
                line_close(&x);
            }
}
/* A line is asked often, and of many heads. */
Test(row_facts, a_line_of_forgetting_attention_makes_the_biases_of_its_own_query)
{
    size_t used[2];
    for (int more = 0; more < 2; more++) {
        struct page_line x;
        open_line(&x, "forget", "", "o", more ? "h=6 g=1 n=5 m=3 d=1 e=1" : "h=1 g=1 n=1 m=3 d=1 e=1");
        x.w.at[0] = more ? 3 : 0, x.w.at[1] = more ? 4 : 0;
        line_ask(&x);
        used[more] = x.w.used;
        line_close(&x);
    }
    cr_expect_eq(used[0], used[1], "%zu balls, and of more heads and queries %zu", used[0], used[1]);
}

/* With one channel, an unbiased variance is divided by 0. */
Test(row_facts, what_an_undefined_norm_has_made_is_no_number)
{
    static const char *const outs[] = { "y", "rstd", "dx", "dgain" };
    for (int k = 0; k < 4; k++)
        for (int unbiased = 0; unbiased < 2; unbiased++) {
            struct page_line x;
            open_line(&x, "layernorm", unbiased ? "variance=unbiased" : "", outs[k], "n=2 d=1");
            line_ask(&x);
            cr_expect_eq(mpfr_nan_p(x.y[0]->mid) != 0, unbiased, "%s: %g", outs[k], b_value(x.y[0]));
            line_close(&x);
        }
}

/* A line of 1 and -1 without eps is itself normalised; the gain is 3 and 5, the shift 7 and 11. */
Test(row_facts, a_norm_applies_and_gathers_what_its_words_say)
{
    static const struct { const char *words; double is[2]; } list[] = { { "affine=gain-shift", { 3 + 7, -5 + 11 } },
        { "affine=gain", { 3, -5 } }, { "affine=none", { 1, -1 } } };
    const double x[] = { 1, -1, -1, 1, 1, -1 }, gain[] = { 3, 5 }, shift[] = { 7, 11 }, dy[] = { 1, 2, 4, 8, 16, 32 };
    const struct given in[] = { { "x", x, 2, { 3, 2 } }, { "gain", gain, 1, { 2 } }, { "shift", shift, 1, { 2 } },
        { "dy", dy, 2, { 3, 2 } } };
    const struct row *r = row_named("layernorm");
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    const struct ball *y[2];
    for (int k = 0; k < 3; k++) {
        char params[80];
        snprintf(params, sizeof params, "eps=0 %s", list[k].words);
        law_line(w, (struct law_of){ r, "y", params }, (struct givens){ in, 3 }, NULL, 2, y);
        cr_expect(b_value(y[0]) == list[k].is[0] && b_value(y[1]) == list[k].is[1], "%s: %g %g", params, b_value(y[0]),
            b_value(y[1]));
    }
    law_line(w, (struct law_of){ r, "dshift", "eps=0" }, (struct givens){ in, 4 }, NULL, 2, y);
    cr_expect(b_value(y[0]) == 1 + 4 + 16 && b_value(y[1]) == 2 + 8 + 32, "dshift: %g %g", b_value(y[0]),
        b_value(y[1]));
    law_line(w, (struct law_of){ r, "dgain", "eps=0" }, (struct givens){ in, 4 }, NULL, 2, y);
    cr_expect(b_value(y[0]) == 1 - 4 + 16 && b_value(y[1]) == -2 + 8 - 32, "dgain: %g %g", b_value(y[0]),
        b_value(y[1]));
    law_close(&l, true);
}

/* One head of one layer: of the formulas of f the first two have 1 + 1e-5, and the last has 1. */
Test(row_facts, a_single_layer_decays_as_its_own_formula_says)
{
    static const struct { const char *words; long more; } list[] = { { "layers_of=minimax", 1 },
        { "layers_of=transformers", 1 }, { "layers_of=fla", 0 } };
    const double one = 1, none = 0;
    const struct given in[] = { { "q", &one, 3, { 1, 1, 1 } }, { "k", &none, 3, { 1, 1, 1 } },
        { "v", &one, 3, { 1, 1, 1 } }, { "state", &one, 3, { 1, 1, 1 } } };
    for (int k = 0; k < 3; k++) {
        struct law_ask l;
        char params[80];
        const struct ball *y;
        snprintf(params, sizeof params, "layers=1 slopes=power scale=1 %s", list[k].words);
        struct ask *w = law_open(&l, "", 128);
        law_line(w, (struct law_of){ row_named("lightning"), "o", params }, (struct givens){ in, 4 }, NULL, 1, &y);
        const struct ball *rate = b_mul(w, b_ratio(w, 1, 256), b_add(w, b_si(w, 1), b_ratio(w, list[k].more, 100000)));
        cr_expect(b_overlap(y, b_exp(w, b_neg(w, rate))) && b_radius(y) < 1e-30, "%s: %.12g", params, b_value(y));
        law_close(&l, true);
    }
}

/* 4097 times 4099 lies in the middle between two numbers of 24 bits, and 1 - 2^-80 of it so near to that that 64 bits
 * do not tell its side. */
Test(row_facts, a_line_of_weights_waits_for_its_own_query_alone)
{
    for (int k = 0; k < 4; k++) {
        const int query = k / 2, near = k % 2;
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "layer", "heads=1 width=1", "weights", MER_F64, "n=2 c=1", 5 },
            "project=f32", ROUND);
        array_put(trial_in(&x.t, "x"), !near, 1), array_put(trial_in(&x.t, "x"), near, 4097 * (1 + 0x1p-40));
        array_put(trial_in(&x.t, "wq"), 0, 4099 * (1 - 0x1p-40)), array_put(trial_in(&x.t, "wk"), 0, 0);
        x.w.at[1] = query;
        ask_reset(&x.w, 64), line_page(&x.w, row_quantity(x.t.row, "weights"), NULL, x.y);
        cr_expect_eq(x.w.undecided, query == near, "query %d, %d is near", query, near);
        line_close(&x);
    }
}
/* A token is padding or none. */
Test(row_facts, the_tokens_of_a_layer_are_0_or_1)
{
    struct trial t;
    char why[400] = "";
    for (int token = 0; token < 3; token++) {
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "layer", "", "y", MER_F32, "n=2 c=2 token", 5 }, why,
            sizeof why), 0, "%s", why);
        array_put(trial_in(&t, "token"), 1, token);
        const int rc = trial_check(&t, why, sizeof why);
        cr_expect(token < 2 ? !rc : rc && strstr(why, "allowed 0 to 1"), "token %d: %s", token, why);
        trial_close(&t);
    }
}

/* What is no number overlaps with every ball, and would hold every law. */
Test(row_facts, no_law_and_no_gradient_holds_by_what_is_no_number)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 64);
    const struct ball *const number[] = { b_si(w, 1), b_si(w, 2) }, *const none[] = { number[0], b_nan(w) };
    cr_expect(law_same_line(number, number, 2) && law_same_line(none, none, 1));
    cr_expect(!law_same_line(number, none, 2) && !law_same_line(none, number, 2) && !law_same_line(none, none, 2));
    law_close(&l, true);
    for (int unbiased = 0; unbiased < 2; unbiased++) {
        struct trial t;
        char why[400];
        const struct ball *forward, *backward;
        static const struct arith exact = { .how = EXACT };
        struct ask of = { .arith = &exact };
        const char *const params = unbiased ? "variance=unbiased" : "eps=1";
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "layernorm", params, "dx y", MER_F64, "n=2 d=1", 5 }, why,
            sizeof why), 0, "%s", why);
        ask_reset(&of, 128);
        cr_expect_eq(adjoint_sides(&of, t.row, row_quantity(t.row, "dx"), t.params, &t.call, 9, &forward, &backward),
            !unbiased, "%s: %g, %g", params, b_value(forward), b_value(backward));
        ask_clear(&of), trial_close(&t);
    }
}
