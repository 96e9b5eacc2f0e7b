/* Normalisation: the balls of every route hold every step, use a fair part, keep what the terms share, and tell the
 * routes apart far from 0. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "compare/compare.h"
#include "kernels.h"
#include "law.h"
#include "trial/trial.h"
#include "page_line.h"

static void move(struct trial *t, double by)
{
    struct mer_array *x = trial_in(t, "x");
    for (long k = 0; k < array_len(x); k++)
        array_put(x, k, array_get(x, k) + by);
}

static double used(const char *row, const char *words, const char *out, const char *sizes, double far, uint64_t seed)
{
    struct trial t;
    struct tally y;
    struct arith round, wide;
    char err[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ row, words, out, seed & 2 ? MER_F64 : MER_F32, sizes, seed }, err,
        sizeof err), 0, "%s", err);
    move(&t, far);
    cr_assert_geq(arith_read(&round, t.row, words, ROUND, err, sizeof err), 0, "%s", err);
    reference_run(&t, &round);
    cr_assert_geq(trial_profile(&t, words, &wide, WIDEN, err, sizeof err), 0, "%s", err);
    judge_outputs(&t, &wide, 24, &y);
    cr_expect(tally_passes(&y), "%s.%s %s, seed %d: %ld over, ratio %g, got %a want %a bound %g", row, out, words,
        (int)seed, y.over, y.ratio, y.got, y.want, y.bound);
    trial_close(&t);
    return y.own;
}

static const char *const step[] = { "mean=bf16", "mean=bf16/lanes1", "centre=bf16", "square=bf16", "moment=bf16/lanes1",
    "root=bf16", "scale=bf16", "gain=bf16", "shift=bf16", "moment=f16/lanes4 mean=f16/lanes4", "product=bf16",
    "collect=bf16", "combine=bf16",
    "mean=bf16/lanes1 centre=bf16 square=bf16 moment=bf16/lanes1 root=bf16 scale=bf16" };
enum { STEPS_HERE = sizeof step / sizeof *step };

Test(norms, every_step_of_every_route_of_layernorm_stays_in_its_ball, .timeout = 300)
{
    static const char *const route[] = { "", "route=one-pass", "route=welford", "apply=folded",
        "variance=unbiased place=outside", "variance=unbiased route=one-pass",
        "route=welford apply=folded place=outside" };
    static const char *const outs[] = { "y", "rstd", "mean", "dx", "dgain" };
    for (size_t r = 0; r < sizeof route / sizeof *route; r++)
        for (int k = 0; k < STEPS_HERE; k++)
            for (int o = 0; o < 5; o++)
                for (uint64_t seed = 1; seed <= 4; seed++) {
                    char words[300];
                    snprintf(words, sizeof words, "eps=1/100 %s %s", route[r], step[k]);
                    used("layernorm", words, outs[o], "n=4 d=9", (double)(seed % 2) * 3.25, seed);
                }
}

/* With two or three elements nothing averages out: what is reached at best. */
Test(norms, bounds_of_short_lines_are_nearly_reached, .timeout = 300)
{
    static const struct { const char *row, *words, *out; double far, least; } list[] = {
        { "layernorm", "mean=bf16/lanes1", "y", 3, 0.4 },
        { "layernorm", "centre=bf16", "y", 0, 0.4 },
        { "layernorm", "square=bf16", "rstd", 0, 0.4 },
        { "layernorm", "moment=bf16/lanes1", "rstd", 0, 0.4 },
        { "layernorm", "root=bf16", "y", 0, 0.4 },
        { "layernorm", "scale=bf16", "y", 0, 0.5 },
        { "layernorm", "gain=bf16", "y", 0, 0.5 },
        { "layernorm", "shift=bf16", "y", 0, 0.5 },
        { "layernorm", "route=one-pass square=bf16", "rstd", 0, 0.3 },
        { "layernorm", "route=one-pass moment=bf16/lanes1", "rstd", 0, 0.3 },
        { "layernorm", "route=welford mean=bf16", "mean", 3, 0.4 },
        { "layernorm", "route=welford centre=bf16", "mean", 0, 0.3 },
        { "layernorm", "route=welford square=bf16", "rstd", 0, 0.4 },
        { "layernorm", "apply=folded scale=bf16", "y", 3, 0.4 },
        { "layernorm", "product=bf16", "dx", 0, 0.3 },
        { "layernorm", "collect=bf16/lanes1", "dx", 0, 0.3 },
        { "layernorm", "combine=bf16", "dx", 0, 0.3 },
        { "rmsnorm", "square=bf16", "y", 0, 0.4 },
        { "rmsnorm", "root=bf16", "y", 0, 0.4 },
        { "rmsnorm", "cast=bf16", "y", 0, 0.5 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double worst = 0;
        for (uint64_t seed = 1; seed <= 100; seed++) {
            char words[100];
            snprintf(words, sizeof words, "eps=1/100 %s", list[k].words);
            worst =
                fmax(worst, used(list[k].row, words, list[k].out, seed % 2 ? "n=3 d=2" : "n=3 d=3", list[k].far, seed));
        }
        cr_expect_gt(worst, list[k].least, "%s %s of %s uses only %g", list[k].row, list[k].words, list[k].out, worst);
    }
}

static double radius_of(const char *words, const char *out, double far) /* The radius of the widest element. */
{
    struct trial t;
    struct arith a;
    char err[400];
    const struct ball *y[64];
    double most = 0;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "layernorm", words, out, MER_F32, "n=1 d=64", 3 }, err,
        sizeof err), 0, "%s", err);
    move(&t, far);
    cr_assert_geq(trial_profile(&t, words, &a, WIDEN, err, sizeof err), 0, "%s", err);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &a, .len = array_len(&t.out[0]) };
    ask_reset(&w, 90);
    line_page(&w, row_quantity(t.row, out), NULL, y);
    for (long k = 0; k < w.len; k++)
        most = fmax(most, b_radius(y[k]));
    ask_clear(&w), trial_close(&t);
    return most;
}

#define F32 "mean=f32/lanes1 centre=f32 square=f32 moment=f32/lanes1 root=f32 scale=f32 gain=f32 shift=f32"

/* An error t of the mean enters the variance as t^2: at x = 1e4 + [-1, 1] the inverse deviation is known to some ulps;
 * in one pass to nothing. */
Test(norms, far_from_0_two_passes_keep_the_deviation_and_one_pass_loses_it)
{
    double two = radius_of("eps=1e-12 " F32, "rstd", 1e4), near = radius_of("eps=1e-12 " F32, "rstd", 0),
           one = radius_of("eps=1e-12 route=one-pass " F32, "rstd", 1e4);
    cr_expect(two < 5e-3 && near < 1e-5 && one > 1e5, "two passes %g, near 0 %g, one pass %g", two, near, one);
    double y = radius_of(F32, "y", 1e4), folded = radius_of("apply=folded " F32, "y", 1e4),
           welford = radius_of("route=welford " F32, "y", 1e4);
    cr_expect(
        y < folded && folded < 4 * y && welford > y && welford < 1, "y %g, folded %g, Welford %g", y, folded, welford);
}

static const char *judged(const struct mer_kernel *k, const char *profile, double far)
{
    struct trial t;
    struct tally y;
    struct arith a;
    char err[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "layernorm", "", "y", MER_F32, "n=3 d=96", 5 }, err, sizeof err),
        0, "%s", err);
    move(&t, far);
    cr_assert_eq(mer_ask(k, &t.call), MER_OK);
    cr_assert_gt(trial_profile(&t, profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
    judge_outputs(&t, &a, 0, &y);
    const char *word = tally_verdict(&y);
    trial_close(&t);
    return word;
}

/* The scalar kernel of layernorm's y in float32 that has this profile. */
static const struct mer_kernel *scalar(const char *profile)
{
    extern const struct mer_kernel layernorm_scalar[];
    for (const struct mer_kernel *k = layernorm_scalar; k->row; k++)
        if (!strcmp(k->out, "y") && !strcmp(k->type, "f32") && !strcmp(k->profile, profile))
            return k;
    return NULL;
}

Test(norms, a_kernel_of_one_pass_fails_as_two_passes_where_the_mean_is_large)
{
    const struct mer_kernel *two = scalar(F32), *one = scalar(F32 " route=one-pass"),
                            *welford = scalar("mean=f32 centre=f32 square=f32 moment=f32 root=f32 scale=f32 gain=f32 "
                                              "shift=f32 route=welford"); /* A recursion is no sum with an order. */
    cr_assert(two && one && welford);
    cr_expect_str_eq(judged(two, two->profile, 1e4), "PASS");
    cr_expect_str_eq(judged(welford, welford->profile, 1e4), "PASS");
    cr_expect_str_eq(judged(one, one->profile, 0), "PASS");
    cr_expect_str_eq(judged(one, two->profile, 1e4), "FAIL");
    cr_expect_str_eq(judged(one, one->profile, 1e4), "VACUOUS", "nothing is left of a variance made in one pass");
}

/* A line of one number, of equal numbers, and a deviation that does not exist. */
Test(norms, short_and_constant_lines)
{
    static const struct {
        const char *params, *sizes;
        double x;
        bool nan;
    } list[] = { { "", "n=2 d=1", 7, false }, { "", "n=2 d=5", 0.1, false }, { "eps=1e-12", "n=2 d=3", 1e4 / 3, false },
        { "place=outside eps=1e-6", "n=2 d=7", 0.1, false }, { "variance=unbiased place=outside", "n=2 d=1", 7, true },
        { "variance=unbiased", "n=2 d=1", 7, true } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        char err[400];
        struct arith exact = { 0 };
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "layernorm", list[k].params, "y", MER_F32, list[k].sizes, 3 },
            err, sizeof err), 0, "%s", err);
        for (long i = 0; i < array_len(trial_in(&t, "x")); i++)
            array_put(trial_in(&t, "x"), i, list[k].x);
        reference_run(&t, &exact);
        for (long i = 0; i < array_len(&t.out[0]); i++) {
            double y = array_get(&t.out[0], i);
            cr_expect(list[k].nan ? isnan(y) : y == array_get(trial_in(&t, "shift"), i % t.out[0].dim[1]), "%s %s: %g",
                list[k].params, list[k].sizes, y);
        }
        trial_close(&t);
    }
}

/* Each line has a scale of its own: 1/|x| of lines of one number, without eps. */
Test(norms, a_scale_is_that_of_its_line)
{
    static const double x[] = { 1, -2, 8 };
    static const struct given in = { "x", x, 2, { 3, 1 } };
    struct law_ask l;
    struct ask *w = law_open(&l, "", 100);
    for (long i = 0; i < 3; i++) {
        const struct ball *y;
        law_line(w, (struct law_of){ row_named("rmsnorm"), "rstd", "eps=0" }, (struct givens){ &in, 1 },
            (long[MER_RANK]){ i }, 1, &y);
        cr_expect_eq(b_value(y) * fabs(x[i]), 1, "line %ld: %g", i, b_value(y));
    }
    law_close(&l, true);
}

/* One pass over 1 + 2^-10 and 1 + 2^-9 in float16 finds a mean square of 1 + 3 2^-10 and the square 1 + 4 2^-10 of a
 * mean: a contract takes 0 for the variance of -2^-10, so that the line is divided by the root of eps. */
Test(norms, a_contract_takes_no_variance_below_0)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "layernorm", "route=one-pass eps=1/512", "y", MER_F32, "n=1 d=2", 5 },
        "mean=f16 square=f16 moment=f16 centre=f16", ROUND);
    for (int k = 0; k < x.t.call.n_in; k++)
        for (long i = 0; i < array_len(&x.t.in[k]); i++)
            array_put(&x.t.in[k], i, strcmp(x.t.in[k].name, "x") ? 1 : i ? 1 + 0x1p-9 : 1 + 0x1p-10);
    line_ask(&x);
    cr_expect(fabs(b_value(x.y[0]) - (1 - 0x1p-10 * sqrt(512))) < 0x1p-11, "%g", b_value(x.y[0]));
    line_close(&x);
}

/* Squares that overflow leave a variance that may be anything, and so nothing is promised of what is made of it: an
 * honest kernel may divide infinities. */
Test(norms, what_overflows_promises_nothing)
{
    static const char *const rows[] = { "layernorm", "rmsnorm" },
                      *const words[] = { "square=f32 moment=f32", "square=f32 mean=f32" };
    for (int k = 0; k < 2; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ rows[k], "", "rstd", MER_F32, "n=1 d=4", 5 }, words[k], WIDEN);
        struct mer_array *in = trial_in(&x.t, "x");
        for (int i = 0; i < 4; i++)
            array_put(in, i, i % 2 ? 0x1p100 : -0x1p100);
        line_ask(&x);
        cr_expect(isinf(b_radius(x.y[0])), "%s: %g +- %g", rows[k], b_value(x.y[0]), b_radius(x.y[0]));
        line_close(&x);
    }
}
