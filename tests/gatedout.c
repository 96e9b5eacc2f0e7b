/* Attention with a gated output: digits of the specification, gradients against dual numbers, and impossible input
 * refused. */
#include "page_line.h"
#include "row/question.h"
#include "told.h"

/* u(s; h, t, i) = ((37 s + 23 h + 11 t + 5 i) mod 17 - 8) / 8 of the specification's golden numbers. */
static double u(long s, long h, long t, long i) { return (double)((37 * s + 23 * h + 11 * t + 5 * i) % 17 - 8) / 8; }
static void fill(struct trial *t, const char *name, long stream)
{
    struct mer_array *a = trial_in(t, name);
    const long d = a->dim[a->rank - 1], n = a->rank == 3 ? a->dim[1] : a->dim[0];
    for (long k = 0; k < array_len(a); k++)
        array_put(a, k, u(stream, k / (n * d), k / d % n, k % d));
}
Test(gatedout, the_digits_of_the_specification_are_its_own)
{
    static const struct { const char *out, *gate; long h, i, k; const char *digits; } told[] = {
        { "y", "gate", 0, 2, 0, "0.076357655816780819755" },
        { "y_head", "gate_head", 1, 2, 1, "-0.074360513508004071021" },
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct trial t;
        char why[400];
        const struct ball *y[2];
        struct arith exact = { 0 };
        struct ask w = { .arith = &exact };
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "gatedout", "", told[k].out, MER_F64,
            "h=2 g=2 n=3 m=3 d=2 e=2", 1 }, why, sizeof why), 0, "%s", why);
        fill(&t, "q", 1), fill(&t, "k", 2), fill(&t, "v", 3), fill(&t, told[k].gate, 5);
        ask_reset(&w, 128);
        const struct quantity *q = row_quantity(t.row, told[k].out);
        w.params = t.params, w.call = &t.call, w.at[0] = told[k].h, w.at[1] = told[k].i, w.len = 2, w.form = q->form;
        line_page(&w, q, NULL, y);
        cr_expect(has_digits(y[told[k].k], told[k].digits), "%s, case %zu: %.20g",
            told[k].out, k, b_value(y[told[k].k]));
        ask_clear(&w), trial_close(&t);
    }
}

Test(gatedout, gradients_are_derivatives)
{
    static const char *const params[] = { "", "act=silu causal=bottomright group=tile", "act=identity window=2" };
    const struct row *r = row_named("gatedout");
    int asked = 0;
    for (size_t k = 0; k < sizeof params / sizeof *params; k++)
        for (const struct quantity *q = r->q; q->sign; q++) {
            struct adjoint a;
            if (adjoint_of(r, q, &a))
                asked += is_derivative(r, q, params[k], q->form ? "y_head" : "y",
                    "h=4 g=2 n=3 m=5 d=2 e=2 keep");
        }
    cr_expect_eq(asked, 24, "%d", asked);
}

Test(gatedout, impossible_input_is_refused_in_one_line)
{
    static const struct refused bad[] = {
        { "eval gatedout y --scale -1", "scale: must not be below 0" },
        { "eval gatedout y --causal offset --offset 2199023255552", "offset: must lie from -2^40 to 2^40" },
        { "eval gatedout y --act tanh", "act" },
        { "eval gatedout y --sizes \"h=3 g=2\"", "3" },
        { "eval gatedout y_head --in gate_head=1,2 --sizes \"h=1 g=1 n=3\"", "gate_head" },
    };
    are_refused(bad, sizeof bad / sizeof *bad);
}

/* One line of a made-up case; line_close is due. */
static void ask_gated(struct page_line *x, const char *params, const char *out, enum fault fault, bool ones)
{
    line_open(x, &(struct trial_spec){ "gatedout", params, out, MER_F32, "h=2 g=2 n=3 m=3 d=2 e=2 keep", 5 }, "",
        EXACT);
    const struct quantity *q = row_quantity(x->t.row, out);
    struct mer_array *gate = trial_in(&x->t, q->form ? "gate_head" : "gate"), *keep = trial_in(&x->t, "keep");
    for (long k = 0; k < array_len(gate) && ones; k++)
        array_put(gate, k, 1);
    for (long k = 0; k < array_len(keep); k++) /* Key 2 alone is seen. */
        array_put(keep, k, k % 3 == 2);
    x->a.fault = fault, x->w.form = q->form, x->w.at[0] = 1, x->w.at[1] = 2;
    line_ask(x);
}
/* Without its gate a row is what gates of 1 make it. */
Test(gatedout, what_is_not_gated_is_as_with_gates_of_1)
{
    static const char *const outs[] = { "y", "y_head", "dq", "dk", "dv", "dq_y_head", "dk_y_head", "dv_y_head" };
    for (size_t k = 0; k < sizeof outs / sizeof *outs; k++) {
        struct page_line ungated, ones;
        ask_gated(&ungated, "", outs[k], FAULTS, false); /* The first fault of the row's own is "ungated". */
        ask_gated(&ones, "act=identity", outs[k], FAULT_NONE, true);
        for (long c = 0; c < ones.w.len; c++)
            cr_expect(mpfr_number_p(ungated.y[c]->mid) && b_overlap(ungated.y[c], ones.y[c]) &&
                b_radius(ungated.y[c]) < 1e-20, "%s, %ld: %g, not %g", outs[k], c, b_value(ungated.y[c]),
                b_value(ones.y[c]));
        line_close(&ungated), line_close(&ones);
    }
}
Test(gatedout, the_one_key_that_is_kept_gives_its_value)
{
    struct page_line x;
    ask_gated(&x, "act=identity", "y", FAULT_NONE, true);
    for (long c = 0; c < 2; c++)
        cr_expect_eq(b_value(x.y[c]), array_get(trial_in(&x.t, "v"), (3 + 2) * 2 + c), "%ld: %g", c, b_value(x.y[c]));
    line_close(&x);
}

/* What dq, dk and dv are made of is made once for all their lines, but on the exact path, which keeps nothing. */
Test(gatedout, gated_seeds_are_made_once_and_the_same_on_both_paths)
{
    static const char *const outs[] = { "dq", "dk", "dv" };
    for (int k = 0; k < 3; k++) {
        struct page_line x;
        const struct ball *first[2];
        size_t used[3];
        ask_gated(&x, "act=silu", outs[k], FAULT_NONE, false);
        for (int c = 0; c < 2; c++)
            first[c] = balls_own(&x.y[c], 1);
        used[0] = x.w.used;
        for (int exact = 0; exact < 2; exact++) {
            x.w.exact = exact;
            line_ask(&x);
            used[1 + exact] = x.w.used;
            for (int c = 0; c < 2; c++)
                cr_expect(mpfr_number_p(x.y[c]->mid) && b_overlap(x.y[c], first[c]), "%s, exact %d: %g, not %g",
                    outs[k], exact, b_value(x.y[c]), b_value(first[c]));
        }
        cr_expect(used[1] < used[0] && used[1] < used[2], "%s: %zu, again %zu, on the exact path %zu balls", outs[k],
            used[0], used[1], used[2]);
        free((void *)first[0]), free((void *)first[1]), line_close(&x);
    }
}
