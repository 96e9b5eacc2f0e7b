/* Sigmoid attention: digits of the specification, gradients against dual numbers, and impossible input refused. */
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
    for (long k = 0, n = a->dim[1], d = a->dim[2]; k < array_len(a); k++)
        array_put(a, k, u(stream, k / (n * d), k / d % n, k % d));
}
Test(sigmoid, the_digits_of_the_specification_are_its_own)
{
    static const struct { const char *params; long h, i, k; const char *digits; } told[] = {
        { "", 0, 2, 0, "0.15376617666670130938" },
        { "causal=bottomright shift=visible", 0, 1, 0, "-0.13206583404905632584" },
        { "shift=given", 1, 2, 1, "-0.11721652037251228340" },
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct trial t;
        char why[400];
        const struct ball *y[2];
        struct arith exact = { 0 };
        struct ask w = { .arith = &exact };
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "sigmoid", told[k].params, "o", MER_F64,
            "h=2 g=2 n=3 m=3 d=2 e=2", 1 }, why, sizeof why), 0, "%s", why);
        fill(&t, "q", 1), fill(&t, "k", 2), fill(&t, "v", 3);
        ask_reset(&w, 128);
        w.params = t.params, w.call = &t.call, w.at[0] = told[k].h, w.at[1] = told[k].i, w.len = 2;
        line_page(&w, row_quantity(t.row, "o"), NULL, y);
        mpfr_t want;
        mpfr_init2(want, 128);
        mpfr_set_str(want, told[k].digits, 10, MPFR_RNDN);
        mpfr_sub(want, want, y[told[k].k]->mid, MPFR_RNDN);
        cr_expect(fabs(mpfr_get_d(want, MPFR_RNDN)) < 0.51e-20 && b_radius(y[told[k].k]) < 1e-30, "%s: %g +- %g",
            told[k].params, mpfr_get_d(want, MPFR_RNDN), b_radius(y[told[k].k]));
        mpfr_clear(want);
        ask_clear(&w), trial_close(&t);
    }
}

Test(sigmoid, gradients_are_derivatives)
{
    static const char *const params[] = { "", "causal=bottomright shift=visible group=tile",
        "shift=given level=-2 scale=1/3", "causal=offset offset=2 window=3 shift=trained trained=5" };
    static const struct arith exact = { 0 };
    const struct row *r = row_named("sigmoid");
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
            snprintf(outs, sizeof outs, "%s o", s.out.name);
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "sigmoid", params[k], outs, MER_F64,
                "h=4 g=2 n=3 m=5 d=2 e=2 bias keep", 3 }, why, sizeof why), 0, "%s", why);
            ask_reset(&w, 192);
            cr_assert(adjoint_sides(&w, t.row, q, t.params, &t.call, 20, &forward, &backward));
            cr_expect(b_overlap(forward, backward) && b_radius(forward) < 0x1p-120 && b_radius(backward) < 0x1p-120,
                "%s %s: %g, %g", params[k], outs, b_value(forward), b_value(backward));
            asked += b_value(forward) != 0;
            ask_clear(&w), trial_close(&t);
        }
    cr_expect_eq(asked, 16, "%d", asked);
}

Test(sigmoid, impossible_input_is_refused_in_one_line)
{
    static const struct { const char *args, *says; } bad[] = {
        { "eval sigmoid o --scale -1", "scale: must not be below 0" },
        { "eval sigmoid o --causal offset --offset 2199023255552", "offset: must lie from -2^40 to 2^40" },
        { "eval sigmoid o --trained 0", "trained" },
        { "eval sigmoid o --shift rows", "shift" },
        { "eval sigmoid o --sizes h=3,g=2", "3" },
        { "eval sigmoid o --in keep=2 --sizes \"h=1 g=1 n=1 m=1\"", "keep" },
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        int rc = meridian("", bad[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, bad[k].says) && !*out, "%s: exit %d, %s%s", bad[k].args, rc,
            err, out);
    }
}
