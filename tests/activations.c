/* Activations: every bfloat16 number through every kernel, NaN and the ends of the line, and the corner of relu. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "compare/compare.h"
#include "kernels.h"
#include "trial/trial.h"

static const char *const acts[] = { "act=relu", "act=gelu", "act=gelu-tanh", "act=silu", "act=quick-gelu",
    "act=sigmoid" };
enum { ACTS = sizeof acts / sizeof *acts };

/* Calls f for every kernel of that quantity and type which this machine can run. */
static void each_kernel(
    const char *row, const char *out, const char *type, void (*f)(const struct mer_kernel *k, const char *slot))
{
    int seen = 0;
    for (int s = 0; slots[s].name; s++)
        for (const struct mer_kernel *k = slots[s].kernel; slots[s].here() && k->row; k++)
            if (!strcmp(k->row, row) && !strcmp(k->out, out) && !strcmp(k->type, type))
                f(k, slots[s].name), seen++;
    cr_assert_gt(seen, 0, "no kernel of %s.%s in %s", row, out, type);
}

static void all_of_bf16(const struct mer_kernel *k, const char *slot)
{
    for (int a = 0; a < ACTS; a++) {
        struct trial t;
        struct tally y;
        struct arith wide;
        char err[400];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "feedforward", acts[a], "a", MER_BF16, "n=255 f=256", 3 },
            err, sizeof err), 0, "%s", err);
        /* All bfloat16 numbers but the infinities and NaN, with both signs in turn. */
        for (long i = 0; i < 255 * 256; i++)
            ((uint16_t *)trial_in(&t, "u")->data)[i] = (uint16_t)((i & 1) << 15 | i >> 1);
        cr_assert_eq(mer_ask(k, &t.call), MER_OK);
        cr_assert_gt(trial_profile(&t, k->profile, &wide, WIDEN, err, sizeof err), 0, "%s", err);
        judge_outputs(&t, &wide, 0, &y);
        cr_expect(tally_passes(&y), "%s %s: %ld over, %ld undecided, got %a want %a bound %g", slot, acts[a], y.over,
            y.undecided, y.got, y.want, y.bound);
        cr_expect(!k->correct || y.correct == y.n, "%s %s: %ld of %ld are not correctly rounded", slot, acts[a],
            y.n - y.correct, y.n);
        trial_close(&t);
    }
}
Test(activations, every_bfloat16_number_is_within_its_bound_and_correct_where_claimed, .timeout = 300)
{
    each_kernel("feedforward", "a", "bf16", all_of_bf16);
}

static void at_the_ends(const struct mer_kernel *k, const char *slot)
{
    static const double in[] = { (double)NAN, (double)INFINITY, 0, -0.0, 0x1p-149, -0x1p-149, -200, -90, 100, 0x1p127,
        -0x1p127 };
    enum { N = sizeof in / sizeof *in };
    for (int a = 0; a < ACTS; a++) {
        struct trial t;
        char err[400];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "feedforward", acts[a], "a", MER_F32, "n=1 f=11", 3 }, err,
            sizeof err), 0, "%s", err);
        for (int i = 0; i < N; i++)
            array_put(trial_in(&t, "u"), i, in[i]);
        cr_assert_eq(mer_ask(k, &t.call), MER_OK);
        double y[N];
        for (int i = 0; i < N; i++)
            y[i] = array_get(&t.out[0], i);
        /* sigmoid is 1/2 at 0; the others have the factor x. */
        const double half = strcmp(acts[a], "act=sigmoid") ? 0 : 0.5;
        cr_expect(isnan(y[0]) && y[1] == (half ? 1 : (double)INFINITY) && y[2] == half && y[3] == half,
            "%s %s: %g %g %g %g", slot, acts[a], y[0], y[1], y[2], y[3]);
        cr_expect(fabs(y[4] - half) <= 0x1p-149 && fabs(y[5] - half) <= 0x1p-149 && fabs(y[6]) < 1e-30 &&
                fabs(y[7]) < 1e-30 && y[8] == (half ? 1 : 100) && y[9] == (half ? 1 : 0x1p127) && y[10] == 0,
            "%s %s: %g %g %g %g %g %g %g", slot, acts[a], y[4], y[5], y[6], y[7], y[8], y[9], y[10]);
        trial_close(&t);
    }
}
Test(activations, nan_stays_nan_and_the_ends_are_the_limits) { each_kernel("feedforward", "a", "f32", at_the_ends); }

Test(activations, relu_of_nan_is_nan_and_its_corner_is_declared)
{
    struct trial t;
    struct arith exact = { 0 };
    char err[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "feedforward", "kink=1/2", "a du", MER_F64, "n=1 f=3", 3 }, err,
        sizeof err), 0, "%s", err);
    array_put(trial_in(&t, "u"), 0, (double)NAN), array_put(trial_in(&t, "u"), 1, 0),
        array_put(trial_in(&t, "da"), 1, 6);
    reference_run(&t, &exact);
    cr_expect(isnan(array_get(&t.out[0], 0)) && isnan(array_get(&t.out[1], 0)) && array_get(&t.out[1], 1) == 3,
        "%g %g %g", array_get(&t.out[0], 0), array_get(&t.out[1], 0), array_get(&t.out[1], 1));
    trial_close(&t);
}
