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
    return y.ratio;
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
        "dot=f32 product=f32 score=f32 shift=f32 exp=f32 weight=bf16 sum=f32 total=f32 rescale=f32 div=f32 "
        "log=f32 output=bf16 dp=f32 ds=bf16" };
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

/* What is known exactly. */
static enum truth ask_exactly(struct trial *t, double *y, long n, struct cost *cost)
{
    const struct arith real = { 0 };
    const struct ball *b[8];
    struct ask w = { .params = t->params, .call = &t->call, .arith = &real, .len = n, .cost = cost };
    enum truth known = line_eval(&w, row_quantity(t->row, t->out[0].name), &formats[1], b);
    for (long c = 0; c < n; c++)
        y[c] = b[c]->rad.m == 0 || cost->ties == 0 ? b_value(b[c]) : (double)NAN;
    ask_clear(&w);
    return known;
}

static void given(struct trial *t, const char *name, const double *x)
{
    struct mer_array *a = trial_in(t, name);
    for (long k = 0; k < array_len(a); k++)
        array_put(a, k, x[k]);
}

Test(gradients, vanish_exactly_where_they_do)
{
    static const struct { const char *what, *name; double x[6]; const char *sizes; } list[] = {
        { "all values are one", "v", { 0.3, -1.7, 0.3, -1.7, 0.3, -1.7 }, "h=1 g=1 n=1 m=3 d=2 e=2" },
        { "all keys are one", "k", { 0.3, -1.7, 0.3, -1.7, 0.3, -1.7 }, "h=1 g=1 n=1 m=3 d=2 e=2" },
        { "one key is visible", "v", { 1, 2 }, "h=1 g=1 n=1 m=1 d=2 e=2" } };
    for (int k = 0; k < 3; k++)
        for (int o = 0; o < 2; o++) {
            struct trial t;
            struct cost c = { 0 };
            char err[300];
            double y[2];
            if (k == 1 && o == 1)
                continue; /* With equal keys and unequal values dk does not vanish. */
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", outs[o], MER_F32, list[k].sizes, 3 },
                err, sizeof err), 0, "%s", err);
            given(&t, list[k].name, list[k].x);
            enum truth known = ask_exactly(&t, y, 2, &c);
            cr_expect(known == YES && y[0] == 0 && y[1] == 0 && c.ties == 0 && c.prec <= 400,
                "%s, %s: %d, %a, %a, %ld bits", list[k].what, outs[o], known, y[0], y[1], c.prec);
            trial_close(&t);
        }
}

/* Scores a, a, b, b, b with irrational weights: o is algebraic only where both groups have one mean, and then it is
 * that mean; 1 + 2^-24 ties in float. */
Test(gradients, a_mean_common_to_groups_of_equal_scores_is_exact)
{
    const double q[] = { 1, 0.5 }, k[] = { 1, 2, 1, 2, 3, 1, 3, 1, 3, 1 },
                 v[] = { 1, 1 + 0x1p-23, 1, 1, 1 + 0x1.8p-23 },
                 w[] = { 1, 1 + 0x1p-23, 1 + 0x1p-24, 1 + 0x1p-24, 1 + 0x1p-24 };
    for (int same = 0; same < 2; same++) {
        struct trial t;
        struct cost c = { 0 };
        char err[300];
        double y;
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F64, "h=1 g=1 n=1 m=5 d=2 e=1", 3 },
            err, sizeof err), 0, "%s", err);
        given(&t, "q", q), given(&t, "k", k), given(&t, "v", same ? w : v);
        enum truth known = ask_exactly(&t, &y, 1, &c);
        if (same)
            cr_expect(known == YES && y == 1 + 0x1p-24 && c.exact == 1 && c.ties == 0 && c.prec <= 400,
                "%d, %a, %ld bits, %d ties", known, y, c.prec, (int)c.ties);
        else /* (0 + 2^-23) / 2 and 2^-23 1.5 / 3 are equal, too, from other values. */
            cr_expect(known == YES && y == 1 + 0x1p-24 && c.exact == 1 && c.ties == 0, "%d, %a, %ld bits, %d ties",
                known, y, c.prec, (int)c.ties);
        trial_close(&t);
    }
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

/* Sums over plain numbers: the balls of plain.h against those made ball by ball from the same numbers as doubles. */
static void both_ways(const char *words, const char *out, enum how how, int type, uint64_t seed)
{
    struct trial t[2];
    struct arith a;
    struct ask w[2];
    char err[300];
    const struct ball *y[2][8];
    const long len = out[0] == 'l' ? 1 : 5;
    for (int k = 0; k < 2; k++)
        cr_assert_eq(trial_make(&t[k], &(struct trial_spec){ "attention", "", out, k ? MER_F64 : type,
            "h=1 g=1 n=2 m=19 d=7 e=5", seed }, err, sizeof err), 0, "%s", err);
    for (int k = 0; k < t[0].call.n_in; k++)
        for (long j = 0; j < array_len(&t[0].in[k]); j++)
            array_put(&t[1].in[k], j, array_get(&t[0].in[k], j));
    for (int k = 0; k < 2; k++) {
        cr_assert_geq(trial_profile(&t[k], words, &a, how, err, sizeof err), 0, "%s", err);
        w[k] = (struct ask){ .params = t[k].params, .call = &t[k].call, .arith = &a, .len = len };
        ask_reset(&w[k], 90);
        line_page(&w[k], row_quantity(t[k].row, out), NULL, y[k]);
    }
    for (long c = 0; c < len; c++) {
        double r[2] = { b_radius(y[0][c]), b_radius(y[1][c]) };
        cr_assert(b_overlap(y[0][c], y[1][c]), "%s %s", out, words);
        cr_expect(how == EXACT ? r[0] < 1e-20 : fabs(r[0] / r[1] - 1) < 1e-9 && b_value(y[0][c]) == b_value(y[1][c]),
            "%s of %s: radius %g by doubles, %g by balls", words, out, r[0], r[1]);
    }
    for (int k = 0; k < 2; k++)
        ask_clear(&w[k]), trial_close(&t[k]);
}

Test(gradients, sums_over_plain_numbers_give_the_same_balls)
{
    static const char *const words[] = { "", "dot=f32/lanes4 product=f32 sum=f32/lanes2 total=f32 exp=f32",
        "dot=f32 sum=f32/h6 weight=bf16", "route=online block=3 product=bf16 sum=f32/lanes1 rescale=f32 exp=f16",
        "product=f16 ftz=on dot=f16 exp=f32", "route=lazy block=2 slack=1 sum=bf16/lanes1 product=bf16 weight=bf16",
        "dot=bf16/lanes1 product=bf16:2 score=bf16", "route=split block=4 sum=f32 weight=f16" };
    static const int type[] = { MER_F32, MER_F16, MER_BF16 };
    for (int k = 0; k < 8; k++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            both_ways(words[k], "o", k ? WIDEN : EXACT, type[seed % 3], seed),
                both_ways(words[k], "lse", k ? WIDEN : EXACT, type[seed % 3], seed);
        }
}

/* x + y - x, with y far below x: two doubles hold it, or the ball says that they do not. */
Test(gradients, a_plain_dot_that_cancels_is_exact_or_says_how_far_off_it_is)
{
    float x[4] = { 0x1p60f, 1, -0x1p60f, 0x1.234568p-40f }, one[4] = { 1, 1, 1, 1 },
          y[4] = { 0x1p100f, 0x1.8p40f, -0x1p100f, 0x1p-30f };
    const struct arith real = { 0 };
    struct ask w = { .arith = &real };
    struct mer_array a = { "x", MER_F32, 1, { 4 }, x }, b = { "one", MER_F32, 1, { 4 }, one },
                     c = { "y", MER_F32, 1, { 4 }, y };
    ask_reset(&w, 90);
    const struct ball *s = b_dot(&w, PRODUCT, DOT, (struct span){ &a, 0 }, (struct span){ &b, 0 }, 4),
                      *t = b_dot(&w, PRODUCT, DOT, (struct span){ &c, 0 }, (struct span){ &b, 0 }, 4);
    cr_expect(s->rad.m == 0 && b_value(s) == 1 + 0x1.234568p-40, "%a +- %g", b_value(s), b_radius(s));
    cr_expect(
        fabs(b_value(t) - (0x1.8p40 + 0x1p-30)) <= b_radius(t) && (t->rad.m > 0 || b_value(t) == 0x1.8p40 + 0x1p-30),
        "%a +- %g", b_value(t), b_radius(t));
    w.exact = true;
    ask_reset(&w, 90);
    t = b_dot(&w, PRODUCT, DOT, (struct span){ &c, 0 }, (struct span){ &b, 0 }, 4);
    cr_expect(t->rad.m == 0);
    ask_clear(&w);
}

/* 1 + 2^-60 + 2^-120 takes 121 bits, two doubles hold 113 at most: the ball says what they leave. */
Test(gradients, a_plain_dot_too_long_for_two_doubles_is_not_called_exact)
{
    float x[3] = { 1, 0x1p-60f, 0x1p-120f }, one[3] = { 1, 1, 1 };
    const struct arith real = { 0 };
    struct ask w = { .arith = &real };
    struct mer_array a = { "x", MER_F32, 1, { 3 }, x }, b = { "one", MER_F32, 1, { 3 }, one };
    ask_reset(&w, 90);
    const struct ball *s = b_dot(&w, PRODUCT, DOT, (struct span){ &a, 0 }, (struct span){ &b, 0 }, 3);
    cr_expect(b_radius(s) >= 0x1p-120 && b_radius(s) <= 0x1p-80, "radius %g", b_radius(s));
    ask_clear(&w);
}

/* Two keys whose weighted values nearly cancel: what a weight's own radius leaves in the numerator is then most of the
 * mean's error. */
Test(gradients, a_plain_mean_keeps_the_radius_of_its_weights)
{
    struct trial t;
    char err[300];
    for (int k = 1; k <= 40; k++) {
        const struct arith real = { 0 };
        /* The exact output is (exp(-k/16) - its float) / Z. */
        const double q[] = { 1 }, keys[] = { 0, -k / 16.0 }, v[] = { -(double)(float)exp(-k / 16.0), 1 };
        const struct ball *y[2];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "scale=1", "o", MER_F32,
            "h=1 g=1 n=1 m=2 d=1 e=1", 1 }, err, sizeof err), 0, "%s", err);
        given(&t, "q", q), given(&t, "k", keys), given(&t, "v", v);
        struct ask w[2] = { { .params = t.params, .call = &t.call, .arith = &real, .len = 1 },
            { .params = t.params, .call = &t.call, .arith = &real, .len = 1 } };
        for (int p = 0; p < 2; p++)
            /* w[0] works with doubles and w[1] with balls. */
            ask_reset(&w[p], p ? 400 : 90), line_page(&w[p], row_quantity(t.row, "o"), NULL, &y[p]);
        cr_expect(b_overlap(y[0], y[1]) && b_radius(y[0]) < 0x1p-80 && b_radius(y[1]) < 0x1p-300,
            "k = %d: %.20g +- %g, it is %.20g", k, b_value(y[0]), b_radius(y[0]), b_value(y[1]));
        ask_clear(&w[0]), ask_clear(&w[1]), trial_close(&t);
    }
}

/* Equal values need neither more bits nor the exact path, whatever the scores: grouping scores would cost the square of
 * the keys. */
Test(gradients, a_mean_of_equal_values_is_known_at_once)
{
    struct trial t;
    struct cost c = { 0 };
    char err[300];
    double y;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F64, "h=1 g=1 n=1 m=9 d=2 e=1", 5 },
        err, sizeof err), 0, "%s", err);
    for (long j = 0; j < 9; j++)
        array_put(trial_in(&t, "v"), j, 1 + 0x1p-24); /* These values are ties in float. */
    enum truth known = ask_exactly(&t, &y, 1, &c);
    cr_expect(known == YES && y == 1 + 0x1p-24 && c.exact == 0 && c.retries == 0, "%d, %a, %d retries, exact path %d",
        known, y, (int)c.retries, (int)c.exact);
    trial_close(&t);
}

/* An infinite value that is seen is the mean; one that is not leaves nothing. */
Test(gradients, a_value_that_is_not_finite_goes_by_balls)
{
    const struct arith real = { 0 };
    struct trial t;
    char err[300];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=topleft", "o", MER_F32,
        "h=1 g=1 n=2 m=2 d=3 e=2", 1 }, err, sizeof err), 0, "%s", err);
    array_put(trial_in(&t, "v"), 3, (double)INFINITY);
    for (long i = 0; i < 2; i++) {
        struct ask w = { .params = t.params, .call = &t.call, .arith = &real, .len = 2, .at = { 0, i } };
        const struct ball *y[2];
        ask_reset(&w, 64);
        line_page(&w, row_quantity(t.row, "o"), NULL, y);
        cr_expect(isfinite(b_value(y[0])) && (i ? b_value(y[1]) == (double)INFINITY : isfinite(b_value(y[1]))),
            "query %ld: %g %g", i, b_value(y[0]), b_value(y[1]));
        ask_clear(&w);
    }
    trial_close(&t);
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
            cr_expect(
                decided && b_overlap(forward, backward) && b_radius(forward) < 0x1p-90 && b_radius(backward) < 0x1p-90,
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
