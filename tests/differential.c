/* Differential attention: which half of which head of keys a half reads where they are repeated one by one, and what
 * its gradients, and those of latent attention, leave of the ask that wants them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "differential/differential.h"
#include "told.h"
#include "trial/trial.h"

/* The 2 G halves of keys are repeated one by one, H / G times each: half s of head h reads the one of place
 * floor((2 h + s) G / H).  Values are repeated as whole heads: head h reads floor(h G / H). */
Test(differential, halves_of_keys_that_are_repeated_one_by_one)
{
    static const long heads[][2] = { { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 2 }, { 6, 2 }, { 8, 1 }, { 6, 3 } };
    const struct arith exact = { 0 };
    const struct differential p = { .keys = KEYS_REPEATED };
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        struct mer_array in[] = { { .name = "q1", .rank = 3, .dim = { heads[k][0], 1, 1 } },
            { .name = "v", .rank = 3, .dim = { heads[k][1], 1, 1 } } };
        const struct mer_call call = { .n_in = 2, .in = in };
        const struct ask w = { .params = &p, .call = &call, .arith = &exact };
        for (long x = 0; x < 2 * heads[k][0]; x++) {
            int of;
            const long place = x * heads[k][1] / heads[k][0], g = differ_key(&w, x / 2, (int)(x % 2), &of);
            cr_expect_eq(differ_value(&w, x / 2), x / 2 * heads[k][1] / heads[k][0]);
            cr_expect(g == place / 2 && of == place % 2, "%ld heads of %ld: half %ld reads half %d of %ld", heads[k][0],
                heads[k][1], x, of, g);
        }
    }
}

/* Gradients that are too many for the exact path leave it as it was for what is asked next. */
Test(differential, gradients_leave_the_path_as_it_was)
{
    static const struct { const char *row, *out, *sizes[2]; } list[] = {
        { "differential", "dv", { "h=1 g=1 n=2 m=2", "h=1 g=1 n=4 m=5" } },
        { "mla", "dw_uv", { "h=1 n=2 m=2", "h=1 n=4 m=5" } },
    };
    for (int k = 0; k < 8; k++) {
        struct trial t;
        const struct arith exact = { 0 };
        const struct ball *y[64];
        char err[400];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ list[k / 4].row, "", list[k / 4].out, MER_F64,
            list[k / 4].sizes[k / 2 % 2], 5 }, err, sizeof err), 0, "%s", err);
        struct ask w = { .params = t.params, .call = &t.call, .arith = &exact, .exact = k % 2,
            .len = t.out[0].dim[t.out[0].rank - 1] };
        ask_reset(&w, 100);
        line_page(&w, row_quantity(t.row, list[k / 4].out), NULL, y);
        cr_expect_eq(w.exact, k % 2, "%s, %s", list[k / 4].row, list[k / 4].sizes[k / 2 % 2]);
        ask_clear(&w), trial_close(&t);
    }
}

/* Gradients of few pairs are made on the exact path where that is asked, of more they are not: with one key its weight
 * is 1, and a product of two doubles has no radius there. */
Test(differential, gradients_of_few_pairs_are_exact)
{
    static const struct { const char *sizes; bool exact; } list[] = { { "h=1 n=16 m=1", true },
        { "h=2 n=8 m=1", true }, { "h=1 n=17 m=1", false }, { "h=3 n=6 m=1", false } };
    for (int k = 0; k < 8; k++) {
        struct trial t;
        const struct arith exact = { 0 };
        const struct ball *y[64];
        char err[400], sizes[80];
        snprintf(sizes, sizeof sizes, "%s%s", list[k / 2].sizes, k % 2 ? "" : " g=1 e=2");
        const struct trial_spec of = { k % 2 ? "mla" : "differential", k % 2 ? "" : "norm=off level=1/2 causal=off",
            k % 2 ? "dw_uv" : "dv", MER_F64, sizes, 5 };
        cr_assert_eq(trial_make(&t, &of, err, sizeof err), 0, "%s", err);
        for (int j = 0; j < 4 && k % 2 == 0; j++) /* lambda = exp(0) - exp(0) + 1/2 */
            memset(t.in[5 + j].data, 0, (size_t)array_len(&t.in[5 + j]) * sizeof(double));
        struct mer_array *up = trial_in(&t, "do");
        for (long j = 0; j < array_len(up); j++) /* Their sum has more bits than the ask. */
            array_put(up, j, ldexp(1.0 / 3, -(int)(j % 40)));
        struct ask w = { .params = t.params, .call = &t.call, .arith = &exact, .exact = true,
            .len = t.out[0].dim[t.out[0].rank - 1] };
        ask_reset(&w, 53);
        line_page(&w, row_quantity(t.row, of.outs), NULL, y);
        cr_expect_eq(b_radius(y[0]) == 0, list[k / 2].exact, "%s, %s: %g +- %g", of.row, sizes, b_value(y[0]),
            b_radius(y[0]));
        ask_clear(&w), trial_close(&t);
    }
}

/* Where the halves are repeated one by one, the head of keys is half the place of the half: a count done differently
 * there is another head.  Where whole heads are repeated nothing is counted in halves. */
Test(differential, an_edit_of_the_count_of_halves_reads_other_keys)
{
    enum { HEADS = 4, GROUPS = 2 };
    for (int repeated = 0; repeated < 2; repeated++) {
        const struct differential p = { .keys = repeated ? KEYS_REPEATED : KEYS_HALVES };
        struct mer_array in[] = { { .name = "q1", .rank = 3, .dim = { HEADS, 1, 1 } },
            { .name = "v", .rank = 3, .dim = { GROUPS, 1, 1 } } };
        const struct mer_call call = { .n_in = 2, .in = in };
        int lines = 0;
        for (int line = 1; line < 100; line++) {
            char words[80], err[300];
            struct arith a;
            snprintf(words, sizeof words, "edit=differential/differential.c:%d:over:zero", line);
            cr_assert_geq(arith_read(&a, row_named("differential"), words, EXACT, err, sizeof err), 0, "%s", err);
            const struct ask w = { .params = &p, .call = &call, .arith = &a };
            bool other = false;
            for (int h = 0, of; h < HEADS; h++)
                other |= differ_key(&w, h, 0, &of) != h / 2;
            lines += other;
        }
        cr_expect_eq(lines, repeated, "%d lines count halves", lines);
    }
}

/* With and without the norm of what is left, and with both ways to repeat keys, gradients are derivatives. */
Test(differential, gradients_with_and_without_a_norm_are_derivatives)
{
    static const char *const words[] = { "norm=off", "norm=rms", "keys=repeated" };
    const struct row *r = row_named("differential");
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        int asked = 0;
        for (const struct quantity *q = r->q; q->sign; q++) {
            struct adjoint a;
            if (adjoint_of(r, q, &a))
                asked += is_derivative(r, q, words[k], a.of[0]->form ? "gated" : "o", "h=2 g=1 n=2 m=2 d=2 e=2 gain");
        }
        cr_expect_geq(asked, 8, "%s: %d", words[k], asked);
    }
}
