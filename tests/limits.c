/* Parameters at the ends of their ranges, where the formula still has a value: eps = 0 of every norm, and llama3 with
 * one wavelength for both ends of its ramp. */
#include <criterion/criterion.h>
#include <math.h>
#include "command.h"
#include "compare/compare.h"
#include "trial/trial.h"

static void make(struct trial *t, const char *row, const char *params, const char *out, const char *sizes)
{
    char why[600];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ row, params, out, MER_F64, sizes, 1 }, why, sizeof why), 0, "%s",
        why);
}

/* Of two numbers a, b the normalised ones are -1 and 1 whatever they are, rstd is 2 / |a - b|, and no gradient is left:
 * without eps, exactly. */
Test(limits, layernorm_without_eps_of_two_numbers_is_one_and_minus_one)
{
    static const double pairs[][2] = { { 1, 2 }, { -0x1p-500, 0x1p-500 }, { 3, 0x1p-40 }, { 0x1p-1060, 0 } };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        for (int outside = 0; outside < 2; outside++) {
            struct trial t;
            make(&t, "layernorm", outside ? "eps=0 affine=none place=outside" : "eps=0 affine=none", "y rstd dx",
                "n=1 d=2");
            const double *x = pairs[k];
            array_put(trial_in(&t, "x"), 0, x[0]), array_put(trial_in(&t, "x"), 1, x[1]);
            reference_run(&t, &(struct arith){ 0 });
            cr_expect(array_get(&t.out[0], 0) == (x[0] < x[1] ? -1 : 1) &&
                    array_get(&t.out[0], 1) == -array_get(&t.out[0], 0),
                "%zu: %a %a", k, array_get(&t.out[0], 0), array_get(&t.out[0], 1));
            cr_expect_eq(array_get(&t.out[1], 0), 2 / fabs(x[0] - x[1]), "%zu: %a", k, array_get(&t.out[1], 0));
            cr_expect(
                array_get(&t.out[2], 0) == 0 && array_get(&t.out[2], 1) == 0, "%zu: %a", k, array_get(&t.out[2], 0));
            trial_close(&t);
        }
}

Test(limits, rmsnorm_without_eps_is_the_direction)
{
    struct trial t;
    make(&t, "rmsnorm", "eps=0 affine=none", "y rstd", "n=1 d=4");
    for (int k = 0; k < 4; k++)
        array_put(trial_in(&t, "x"), k, k % 2 ? -0x1p-700 : 0x1p-700);
    reference_run(&t, &(struct arith){ 0 });
    for (int k = 0; k < 4; k++)
        cr_expect_eq(array_get(&t.out[0], k), k % 2 ? -1 : 1);
    cr_expect_eq(array_get(&t.out[1], 0), 0x1p700);
    trial_close(&t);
}

/* Where nothing varies the quotient is 0 / 0: undefined, which is said, and no number is taken for it. */
Test(limits, of_a_line_without_variance_nothing_is_claimed)
{
    static const char *const rows[][2] = { { "layernorm", "eps=0 affine=none" }, { "rmsnorm", "eps=0 affine=none" } };
    for (int k = 0; k < 2; k++) {
        struct trial t;
        make(&t, rows[k][0], rows[k][1], "y", "n=1 d=3");
        struct tally y;
        struct arith wide;
        char why[600];
        for (int j = 0; j < 3; j++)
            array_put(trial_in(&t, "x"), j, k ? 0 : 5), array_put(&t.out[0], j, 0);
        cr_assert_geq(arith_read(&wide, t.row, "scale=f32", WIDEN, why, sizeof why), 0, "%s", why);
        judge_outputs(&t, &wide, 0, &y);
        cr_expect(y.undecided > 0 && !tally_passes(&y), "%s: %ld of %ld", rows[k][0], y.undecided, y.n);
        trial_close(&t);
    }
}

/* Every row that has an eps takes 0 and none below. */
Test(limits, every_eps_may_be_nothing_and_none_may_be_less)
{
    long rows = 0;
    char why[600];
    for (const struct row *const *r = all_rows; *r; r++) {
        const struct param *p = row_params(*r);
        while (p->name && strcmp(p->name, "eps"))
            p++;
        if (!p->name)
            continue;
        rows++;
        cr_expect_eq(row_takes(*r, "eps=0", why, sizeof why), 0, "%s", why);
        cr_expect(row_takes(*r, "eps=-1/1000", why, sizeof why) == -1 && strstr(why, "eps"), "%s: %s", (*r)->name, why);
    }
    cr_expect_gt(rows, 7);
}

/* L = 64, hi = lo = 4: wavelengths beyond 16 are divided by the factor, shorter ones are not, and none lies between. */
Test(limits, llama3_with_one_end_is_a_step)
{
    static const char words[] =
        "dim=16 base=10 scaling=llama3 factor=8 trained=64 low_freq_factor=%s high_freq_factor=%s";
    static const char *const ends[][2] = { { "4", "4" }, { "4/3", "4/3" }, { "1e-9", "1e-9" } };
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        char params[300];
        snprintf(params, sizeof params, words, ends[e][0], ends[e][1]);
        struct trial t, plain;
        make(&t, "rope", params, "freq", ""), make(&plain, "rope", "dim=16 base=10", "freq", "");
        reference_run(&t, &(struct arith){ 0 }), reference_run(&plain, &(struct arith){ 0 });
        const double lo = (double[]){ 4, 4.0 / 3, 1e-9 }[e];
        for (int k = 0; k < 8; k++) {
            const double w = array_get(&plain.out[0], k);
            cr_expect_eq(array_get(&t.out[0], k), 2 * acos(-1) / w > 64 / lo ? w / 8 : w, "%s %d", ends[e][0], k);
        }
        trial_close(&t), trial_close(&plain);
    }
    for (int k = 0; k < 2; k++) {
        char args[400];
        snprintf(args, sizeof args,
            "judge own:scalar --row rope --out %s --params 'dim=16 base=10 scaling=llama3 factor=8 trained=64 "
            "low_freq_factor=4/3 high_freq_factor=4/3' --few",
            k ? "y" : "'cos sin'");
        const int rc = meridian("", args);
        cr_expect(rc == 0, "%s: %d %s%s", args, rc, out, err);
    }
}
