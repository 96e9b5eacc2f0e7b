/* Attention with a gated output: digits of the specification, gradients against dual numbers, and impossible input
 * refused. */
#include <criterion/criterion.h>
#include <math.h>
#include "adjoint.h"
#include "command.h"
#include "trial/trial.h"

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
        mpfr_t want;
        mpfr_init2(want, 128);
        mpfr_set_str(want, told[k].digits, 10, MPFR_RNDN);
        mpfr_sub(want, want, y[told[k].k]->mid, MPFR_RNDN);
        cr_expect(fabs(mpfr_get_d(want, MPFR_RNDN)) < 0.51e-21 && b_radius(y[told[k].k]) < 1e-30, "%s: off by %g +- %g",
            told[k].out, mpfr_get_d(want, MPFR_RNDN), b_radius(y[told[k].k]));
        mpfr_clear(want);
        ask_clear(&w), trial_close(&t);
    }
}

Test(gatedout, gradients_are_derivatives)
{
    static const char *const params[] = { "", "act=silu causal=bottomright group=tile", "act=identity window=2" };
    static const struct arith exact = { 0 };
    const struct row *r = row_named("gatedout");
    int asked = 0;
    for (size_t k = 0; k < sizeof params / sizeof *params; k++)
        for (const struct quantity *q = r->q; q->sign; q++) {
            struct trial t;
            struct sign s;
            struct adjoint a;
            char why[400], outs[80];
            const struct ball *forward, *backward;
            struct ask w = { .arith = &exact };
            if (!adjoint_of(r, q, &a))
                continue;
            sign_read(&s, q->sign);
            snprintf(outs, sizeof outs, "%s %s", s.out.name, q->form ? "y_head" : "y");
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "gatedout", params[k], outs, MER_F64,
                "h=4 g=2 n=3 m=5 d=2 e=2 keep", 3 }, why, sizeof why), 0, "%s", why);
            ask_reset(&w, 192);
            cr_assert(adjoint_sides(&w, t.row, q, t.params, &t.call, 20, &forward, &backward));
            cr_expect(b_overlap(forward, backward) && b_radius(forward) < 0x1p-120 && b_radius(backward) < 0x1p-120,
                "%s %s: %g, %g", params[k], outs, b_value(forward), b_value(backward));
            asked += b_value(forward) != 0;
            ask_clear(&w), trial_close(&t);
        }
    cr_expect_eq(asked, 24, "%d", asked);
}

Test(gatedout, impossible_input_is_refused_in_one_line)
{
    static const struct { const char *args, *says; } bad[] = {
        { "eval gatedout y --scale -1", "scale: must not be below 0" },
        { "eval gatedout y --causal offset --offset 2199023255552", "offset: must lie from -2^40 to 2^40" },
        { "eval gatedout y --act tanh", "act" },
        { "eval gatedout y --sizes \"h=3 g=2\"", "3" },
        { "eval gatedout y_head --in gate_head=1,2 --sizes \"h=1 g=1 n=3\"", "gate_head" },
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        int rc = meridian("", bad[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, bad[k].says) && !*out, "%s: exit %d, %s%s", bad[k].args, rc,
            err, out);
    }
}
