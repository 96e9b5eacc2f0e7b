/* Short causal convolution: digits of the specification. */
#include "told.h"

static double u(long s, long t, long i) { return (double)((37 * s + 11 * t + 5 * i) % 17 - 8) / 8; }
static void fill(struct trial *t, const char *name, long stream)
{
    struct mer_array *a = trial_in(t, name);
    const long last = a->dim[a->rank - 1];
    for (long k = 0; k < array_len(a); k++)
        array_put(a, k, u(stream, k / last, k % last));
}

Test(conv, the_digits_of_the_specification_are_its_own)
{
    static const struct { const char *sizes; long t, c; const char *digits; } told[] = {
        { "n=5 c=2 w=4", 4, 0, "-0.27837517353163606625" }, { "n=5 c=2 w=4", 2, 1, "0.21163203136968962605" },
        { "n=5 c=2 w=4 bias state", 0, 0, "-0.030273755267311523226" },
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct trial t;
        char err[400];
        const struct ball *y[2];
        struct arith exact = { 0 };
        struct ask w = { .arith = &exact };
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "conv", "", "y", MER_F64, told[k].sizes, 1 }, err,
            sizeof err), 0, "%s", err);
        fill(&t, "x", 1), fill(&t, "weight", 2);
        if (mer_find(t.in, t.call.n_in, "state")) {
            /* Of w = 4 inputs the specification has the last three. */
            for (long c = 0; c < 2; c++)
                for (long i = 0; i < 3; i++)
                    array_put(trial_in(&t, "state"), 4 * c + i + 1, u(4, c, i));
            array_put(trial_in(&t, "bias"), 0, 0.5), array_put(trial_in(&t, "bias"), 1, -0.25);
        }
        ask_reset(&w, 128);
        w.params = t.params, w.call = &t.call, w.at[0] = told[k].t, w.len = 2;
        line_page(&w, row_quantity(t.row, "y"), NULL, y);
        cr_expect(has_digits(y[told[k].c], told[k].digits), "%s, case %zu: %.20g",
            told[k].sizes, k, b_value(y[told[k].c]));
        ask_clear(&w), trial_close(&t);
    }
}
