/* Gradients of softmax mixing: their balls hold every step of every route, use a fair part, and keep what the terms
 * share. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "adjoint.h"
#include "compare/compare.h"
#include "kernels.h"
#include "softmax/mix_grad.h"
#include "trial/trial.h"

static const char *const outs[] = { "dq", "dk", "dv" };

static double used_of(struct trial *t, const char *words, long *over)
{
    struct tally y;
    struct arith round, wide;
    char err[400];
    cr_assert_geq(arith_read(&round, t->row, words, ROUND, err, sizeof err), 0, "%s", err);
    reference_run(t, &round);
    cr_assert_geq(trial_profile(t, words, &wide, WIDEN, err, sizeof err), 0, "%s", err);
    judge_outputs(t, &wide, 24, &y);
    *over = y.over + y.undecided;
    return y.own;
}

static double used(const char *words, const char *out, const char *sizes, uint64_t seed)
{
    struct trial t;
    char err[400];
    long over;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", words, out, seed & 2 ? MER_F64 : MER_F32, sizes,
        seed }, err, sizeof err), 0, "%s", err);
    double share = used_of(&t, words, &over);
    cr_assert(over == 0, "%s %s, seed %d: %g of the bound", out, words, (int)seed, share);
    trial_close(&t);
    return share;
}

Test(gradients, every_step_of_every_route_stays_in_its_ball, .timeout = 300)
{
    static const char *const step[] = { "dot=bf16/lanes1", "product=bf16", "score=bf16", "shift=bf16", "exp=bf16",
        "weight=bf16", "sum=bf16/lanes1", "total=bf16/lanes1", "rescale=bf16", "div=bf16", "log=bf16", "output=bf16",
        "dp=bf16", "ds=bf16", "sum=bf16/lanes4 dot=bf16/lanes3", "exp=f16 ftz=on",
        ("dot=f32 product=f32 score=f32 shift=f32 exp=f32 weight=bf16 sum=f32 total=f32 rescale=f32 div=f32 "
         "log=f32 output=bf16 dp=f32 ds=bf16") };
    static const char *const route[] = { "", "causal=bottomright", "route=online block=3",
        "route=split block=4 causal=bottomright left=6", "route=exp2", "route=lazy block=3 slack=1 scale=2" };
    for (size_t r = 0; r < sizeof route / sizeof *route; r++)
        for (size_t k = 0; k < sizeof step / sizeof *step; k++)
            for (int o = 0; o < 3; o++) {
                char words[300];
                snprintf(words, sizeof words, "%s %s", route[r], step[k]);
                for (uint64_t seed = 1; seed <= 3; seed++)
                    used(words, outs[o], "h=2 g=1 n=5 m=11 d=4 e=3", seed);
            }
}

/* With two or three keys and few columns little averages out: what is reached at best, so that half of each term would
 * be exceeded. */
Test(gradients, bounds_of_few_keys_are_nearly_reached, .timeout = 300)
{
    static const struct { const char *words, *out; double least; } list[] = {
        { "score=bf16", "dq", 0.4 },
        { "shift=bf16", "dq", 0.4 },
        { "exp=bf16", "dq", 0.4 },
        { "sum=bf16/lanes1", "dq", 0.3 },
        { "total=bf16/lanes1", "dq", 0.3 },
        { "div=bf16", "dq", 0.3 },
        { "product=bf16", "dq", 0.25 },
        { "dp=bf16", "dq", 0.4 },
        { "ds=bf16", "dq", 0.5 },
        { "exp=bf16", "dk", 0.4 },
        { "dp=bf16", "dk", 0.4 },
        { "ds=bf16", "dk", 0.5 },
        { "div=bf16", "dk", 0.3 },
        { "total=bf16/lanes1", "dk", 0.3 },
        { "exp=bf16", "dv", 0.3 },
        { "div=bf16", "dv", 0.5 },
        { "weight=bf16", "dv", 0.5 },
        { "total=bf16/lanes1", "dv", 0.5 },
        { "sum=bf16/lanes1", "dv", 0.4 },
        { "route=online block=1 exp=bf16", "dq", 0.2 },
        { "route=online block=1 output=bf16", "dq", 0.5 },
        { "route=online block=1 log=bf16", "dq", 0.5 },
        { "route=online block=1 shift=bf16", "dq", 0.2 },
        { "route=online block=1 log=bf16", "dv", 0.5 },
        { "route=exp2 log=bf16", "dv", 0.3 },
        { "route=exp2 output=bf16", "dk", 0.5 },
        { "route=split block=1 output=bf16", "dq", 0.5 },
        { "route=online block=1 score=bf16", "dv", 0.4 },
        { "route=online block=1 dp=bf16", "dk", 0.4 }, { "route=online block=1 ds=bf16", "dq", 0.5 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double worst = 0;
        for (uint64_t seed = 1; seed <= 120; seed++)
            worst = fmax(worst,
                used(list[k].words, list[k].out, seed % 2 ? "h=1 g=1 n=2 m=2 d=1 e=2" : "h=1 g=1 n=2 m=3 d=2 e=1",
                    seed));
        cr_expect_gt(worst, list[k].least, "%s of %s uses only %g", list[k].words, list[k].out, worst);
    }
}

/* Every dp a little below the middle of two bfloat16 numbers, and o anywhere: dp errs downwards by half an ulp, and at
 * times <do, o> upwards by as much. */
Test(gradients, an_error_of_the_pairing_alone_stays_in_its_ball)
{
    static const char *const words[] = { "route=online block=4 dot=bf16/lanes1", "route=online block=4 product=bf16",
        "route=exp2 output=bf16" };
    static const double least[] = { 0.8, 0.3, 0.8 }; /* With products the forward ones err, too. */
    for (int k = 0; k < 3; k++) {
        double worst = 0;
        for (uint64_t seed = 1; seed <= 300; seed++) {
            struct trial t;
            char err[400];
            long over;
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", words[k], seed % 2 ? "dq" : "dk", MER_F64,
                "h=1 g=1 n=1 m=3 d=1 e=1", seed }, err, sizeof err), 0, "%s", err);
            for (int j = 0; j < 3; j++)
                array_put(trial_in(&t, "v"), j, 128.4990234375 + 2 * (double)(gen_bits(seed, 1, (uint64_t)j) % 3));
            array_put(trial_in(&t, "do"), 0, 1);
            for (int j = 0; j < 3; j++)
                array_put(trial_in(&t, "k"), j, 1 + (double)(gen_bits(seed, 2, (uint64_t)j) % 4));
            array_put(trial_in(&t, "q"), 0, 1);
            double share = used_of(&t, words[k], &over);
            cr_assert(over == 0, "%s, seed %d: %g of the bound", words[k], (int)seed, share);
            worst = fmax(worst, share);
            trial_close(&t);
        }
        cr_expect_gt(worst, least[k], "%s uses only %g", words[k], worst);
    }
}

/* The radii of one line of `out` under a profile. */
static void radii(struct trial *t, const char *words, double *radius, long n)
{
    struct arith a;
    char err[400];
    const struct ball *y[16];
    cr_assert_geq(trial_profile(t, words, &a, WIDEN, err, sizeof err), 0, "%s", err);
    struct ask w = { .params = t->params, .call = &t->call, .arith = &a, .len = n };
    ask_reset(&w, 90);
    line_page(&w, row_quantity(t->row, t->out[0].name), NULL, y);
    for (long c = 0; c < n; c++)
        radius[c] = b_radius(y[c]);
    ask_clear(&w);
}

/* v + c leaves dp - D alone, and k + c the weights and k - E[k]: errors of weights and of stored ds must not see the c.
 * Separate balls grew with it. */
Test(gradients, what_all_terms_share_does_not_widen_the_ball)
{
    static const struct {
        const char *words, *out, *moved;
    } list[] = { { "exp=bf16", "dq", "v" }, { "shift=bf16", "dq", "v" }, { "exp=bf16", "dk", "v" },
        { "exp=bf16", "dq", "k" }, { "shift=bf16", "dq", "k" }, { "route=online block=16 exp=bf16", "dk", "v" } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double r[2][3];
        for (int moved = 0; moved < 2; moved++) {
            struct trial t;
            char err[400];
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", list[k].words, list[k].out, MER_F32,
                "h=1 g=1 n=2 m=12 d=3 e=3", 7 }, err, sizeof err), 0, "%s", err);
            struct mer_array *a = trial_in(&t, list[k].moved);
            for (long j = 0; j < array_len(a); j++)
                array_put(a, j, ldexp(nearbyint(ldexp(array_get(a, j), 8)), -8) + (moved ? 512 : 0));
            radii(&t, list[k].words, r[moved], 3);
            trial_close(&t);
        }
        for (int c = 0; c < 3; c++)
            cr_expect(r[0][c] > 0 && fabs(r[1][c] / r[0][c] - 1) < 1e-6, "%s of %s, %s + 512: radius %g becomes %g",
                list[k].words, list[k].out, list[k].moved, r[0][c], r[1][c]);
    }
}

/* Tables of values and keys, where one line gathers several keys of a query. */
static const struct ball *factor(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i;
    return b_in(w, "k", 0, j, c);
}
static const struct ball *query(struct ask *w, long h, long i, long c) { return b_in(w, "q", h, i, c); }
static const struct ball *value(struct ask *w, long h, long i, long j, long c)
{
    (void)h;
    return b_in(w, "v", 0, (i + 2 * j) % 5, c);
}
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    return b_step(w, SCORE, b_dot(w, PRODUCT, DOT, span(w, "q", h, i), span(w, "k", 0, j), 2));
}
static bool visible(const struct ask *w, long h, long i, long j) { (void)w; return (h + i + 3 * j) % 7 != 0; }
static bool of_class(const struct ask *w, long h, long i, long j) { (void)h; return (i + 2 * j) % 5 == w->at[0]; }
static bool of_key(const struct ask *w, long h, long i, long j)
{
    (void)h, (void)i;
    return w->at[0] < 0 || j == w->at[0];
}
static struct mix_grad table(int route)
{
    return (struct mix_grad){ { .keys = 7,
                                  .score = score,
                                  .value = value,
                                  .visible = visible,
                                  .route = route,
                                  .block = route == ONLINE ? 2 : 0 },
        "do", NULL };
}

enum { TABLE_KEY, TABLE_VALUE, QUERY, BIAS_GRAD };
static void table_line(struct ask *w, int what, int route, const struct ball **y)
{
    struct mix_grad g = table(route);
    switch (what) {
    case TABLE_KEY: mix_key_grad(w, &g, &(struct mix_met){ .of = of_class, .query = query }, y); break;
    case TABLE_VALUE: mix_value_grad(w, &g, &(struct mix_met){ .of = of_class }, y); break;
    case QUERY: mix_query_grad(w, &g, &(struct mix_met){ .key = factor }, y); break;
    default: mix_score_grad(w, &g, NULL, y);
    }
}

Test(gradients, of_tables_stay_in_their_balls)
{
    static const char *const step[] = { "exp=bf16", "dp=bf16", "ds=bf16", "div=bf16", "weight=bf16",
        "total=bf16/lanes1", "sum=bf16/lanes1", "product=bf16", "dot=bf16/lanes1", "score=bf16", "output=bf16",
        "log=bf16" };
    for (uint64_t seed = 1; seed <= 12; seed++)
        for (int k = 0; k < 12; k++)
            for (int what = 0; what < 4; what++)
                for (int route = TWO_PASSES; route <= ONLINE; route++) {
                    struct trial t;
                    struct arith round, wide;
                    char err[300];
                    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "dq", MER_F32,
                        "h=2 g=1 n=3 m=7 d=2 e=2", seed }, err, sizeof err), 0, "%s", err);
                    arith_read(&round, t.row, step[k], ROUND, err, sizeof err);
                    arith_read(&wide, t.row, step[k], WIDEN, err, sizeof err);
                    const long len = what == BIAS_GRAD ? 7 : 2;
                    struct ask a = { .params = t.params, .call = &t.call, .arith = &round, .len = len, .at = { 1, 2 } },
                               b = a;
                    const struct ball *x[7], *y[7];
                    b.arith = &wide;
                    ask_reset(&a, 200), ask_reset(&b, 90);
                    table_line(&a, what, route, x), table_line(&b, what, route, y);
                    for (long c = 0; c < len; c++) {
                        struct up off = up_add(up_far(x[c]->mid, y[c]->mid), x[c]->rad);
                        cr_assert(!a.undecided && !up_less(y[c]->rad, off),
                            "%s, what %d, route %d, seed %d: off %g, radius %g", step[k], what, route, (int)seed,
                            up_double(off), b_radius(y[c]));
                    }
                    ask_clear(&a), ask_clear(&b), trial_close(&t);
                }
}

Test(gradients, of_a_table_are_the_sums_over_its_keys)
{
    const struct arith real = { 0 };
    struct trial t;
    char err[300];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "dq", MER_F32, "h=2 g=1 n=3 m=7 d=2 e=2", 5 },
        err, sizeof err), 0, "%s", err);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &real, .len = 2 };
    struct mix_grad g = table(TWO_PASSES);
    const struct mix_met by_class = { .of = of_class, .query = query }, by_key = { .of = of_key, .query = query };
    const struct ball *all[2], *one[2], *classes = NULL, *keys = NULL;
    ask_reset(&w, 200);
    for (w.at[0] = 0; w.at[0] < 5; w.at[0]++)
        mix_key_grad(&w, &g, &by_class, one), classes = classes ? b_add(&w, classes, one[1]) : one[1];
    for (w.at[0] = 0; w.at[0] < 7; w.at[0]++)
        mix_key_grad(&w, &g, &by_key, one), keys = keys ? b_add(&w, keys, one[1]) : one[1];
    w.at[0] = -1;
    mix_key_grad(&w, &g, &by_key, all);
    cr_expect(b_overlap(classes, all[1]) && b_overlap(keys, all[1]) && b_radius(all[1]) < 1e-40 &&
            b_overlap(all[1], b_si(&w, 0)),
        "a query's ds add up to 0");
    mix_value_grad(&w, &g, &by_key, all);
    const struct ball *sum = b_si(&w, 0);
    for (long r = 0; r < 6; r++)
        sum = b_add(&w, sum, b_in(&w, "do", r / 3, r % 3, 1));
    cr_expect(b_overlap(sum, all[1]) && b_radius(all[1]) < 1e-40, "a query's weights add up to 1");
    ask_clear(&w), trial_close(&t);
}

/* Every query masked: gradients are 0 and it gives none, in every arithmetic. */
Test(gradients, of_empty_rows_are_zero)
{
    static const char *const words[] = { "causal=offset offset=-9",
        "causal=offset offset=-9 route=online block=4 exp=bf16 output=bf16 sum=bf16/lanes2" };
    for (int k = 0; k < 2; k++)
        for (int o = 0; o < 3; o++) {
            struct trial t;
            char err[300];
            long over;
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", words[k], outs[o], MER_F32,
                "h=1 g=1 n=3 m=4 d=2 e=2", 1 }, err, sizeof err), 0, "%s", err);
            used_of(&t, k ? "route=online block=4 exp=bf16 output=bf16 sum=bf16/lanes2" : "exp=bf16", &over);
            for (long j = 0; j < array_len(&t.out[0]); j++)
                cr_expect(over == 0 && array_get(&t.out[0], j) == 0, "%s %s", outs[o], words[k]);
            trial_close(&t);
        }
}

/* The bias and the gains under what no preset combines: pages against dual numbers, the kernel within its bound.
 * Temperatures of 0 once divided a slope. */
static const char *const bent[] = { "cap=2 cap_at=after causal=bottomright",
    "cap=3/2 temperature=ssmax temper=1/2 causal=topleft",
    "order=bias-first temperature=logn trained=2 causal=bottomright", "mask=fill constant=-3 causal=topleft",
    "mask=add constant=-1 causal=topleft cap=2 cap_at=after",
    "mask=fill constant=-2 causal=topleft order=bias-first cap=3 temperature=ssmax",
    "norm=rms gain=offset cap=2 cap_at=after softmax1=on", "norm=l2 order=bias-first eps_at=clamp empty=mean" };
Test(gradients, a_bias_and_gains_under_every_option, .timeout = 120)
{
    static const char *const out[] = { "dbias", "dq_gain", "dk_gain" },
                             *const asked[] = { "dbias", "dq_gain dk_gain", NULL },
                             *const sizes = "h=4 g=2 n=5 m=7 d=4 e=3 bias q_gain k_gain sink keep";
    static const struct arith exact = { 0 };
    for (size_t k = 0; k < sizeof bent / sizeof *bent; k++)
        for (int o = 0; o < 3; o++) {
            struct trial t;
            struct tally y;
            struct arith a;
            char err[400], both[40];
            const struct ball *forward, *backward;
            struct ask w = { .arith = &exact };
            snprintf(both, sizeof both, "%s o", out[o]);
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", bent[k], both, MER_F64, sizes, 5 }, err,
                sizeof err), 0, "%s", err);
            ask_reset(&w, 192);
            bool decided =
                adjoint_sides(&w, t.row, row_quantity(t.row, out[o]), t.params, &t.call, 9, &forward, &backward);
            cr_expect(decided && b_overlap(forward, backward) && b_radius(forward) < 0x1p-90 &&
                    b_radius(backward) < 0x1p-90,
                "%s under %s: %.17g +- %g, adjoint %.17g +- %g", out[o], bent[k], b_value(forward), b_radius(forward),
                b_value(backward), b_radius(backward));
            ask_clear(&w), trial_close(&t);
            const struct mer_kernel *s = NULL;
            for (const struct slot *of = slots; asked[o] && of->name && !s; of++)
                for (const struct mer_kernel *one = of->kernel; one->row && !s; one++)
                    s = !strcmp(one->row, "attention") && !strcmp(one->out, asked[o]) ? one : NULL;
            cr_assert(s || !asked[o]);
            if (s) {
                cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", bent[k], asked[o], MER_F32, sizes, 6 },
                    err, sizeof err), 0, "%s", err);
                cr_assert_gt(trial_profile(&t, s->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
                int rc = mer_ask(s, &t.call);
                cr_expect_eq(
                    rc, o && !strstr(bent[k], "norm=") ? MER_SKIP : MER_OK, "%s under %s: %d", asked[o], bent[k], rc);
                if (rc == MER_OK) {
                    judge_outputs(&t, &a, 64, &y);
                    cr_expect(
                        tally_passes(&y), "%s under %s: %g of the bound, got %a", asked[o], bent[k], y.ratio, y.got);
                }
                trial_close(&t);
            }
        }
}
