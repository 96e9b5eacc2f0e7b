/* Words that honest kernels need, each with a kernel that needs it: refused without the word, held by it, and refused
 * with it where something else is wrong, too.  The kernels are attention in float64, but for what they say; so the word
 * alone decides.  And what a word does to a question: of parts, by sizes, at every kind of step. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "compare/compare.h"
#include "trial/profile.h"
#include "trial/valid.h"

#define F64 "dot=f64 product=f64 score=f64:4 shift=f64 exp=f64:4 sum=f64 total=f64 div=f64 "

/* The formats of inputs and of weights, NULL for none; `first` says that weights are divided before the values. */
struct kernel { const char *inputs, *weights; int first; bool last_key_missing; };

static double rounded(double x, const char *format)
{
    mpfr_t y;
    if (!format)
        return x;
    mpfr_init2(y, 53);
    mpfr_set_d(y, x, MPFR_RNDN);
    round_to(y, format_named(format, strlen(format)));
    x = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    return x;
}

static void one_query(struct trial *t, const struct kernel *k, long h, long i)
{
    const struct mer_array *q = trial_in(t, "q"), *key = trial_in(t, "k"), *v = trial_in(t, "v");
    const long d = q->dim[2], m = key->dim[1], e = v->dim[2], g = h / (q->dim[0] / key->dim[0]),
               used = m - k->last_key_missing;
    double s[64], most = (double)-INFINITY, total = 0;
    for (long j = 0; j < used; j++) {
        s[j] = 0;
        for (long c = 0; c < d; c++)
            s[j] += array_get(q, (h * q->dim[1] + i) * d + c) * rounded(array_get(key, (g * m + j) * d + c), k->inputs);
        s[j] /= sqrt((double)d);
        most = fmax(most, s[j]);
    }
    for (long j = 0; j < used; j++)
        total += s[j] = exp(s[j] - most);
    for (long c = 0; c < e; c++) {
        double o = 0;
        for (long j = 0; j < used; j++)
            o += rounded(k->first ? s[j] / total : s[j], k->weights) *
                rounded(array_get(v, (g * m + j) * e + c), k->inputs);
        array_put(&t->out[0], (h * q->dim[1] + i) * e + c, k->first ? o : o / total);
    }
}

static void attend(struct trial *t, const struct kernel *k)
{
    const struct mer_array *q = trial_in(t, "q");
    for (long h = 0; h < q->dim[0]; h++)
        for (long i = 0; i < q->dim[1]; i++)
            one_query(t, k, h, i);
}

/* How many of 12 questions (all seeds) lie outside, and the largest share of the bound. */
static int refused(const struct kernel *k, const char *profile, int type, double *share)
{
    static const char *const sizes[] = { "h=2 g=1 n=4 m=9 d=58 e=5", "h=2 g=2 n=3 m=33 d=7 e=3",
        "h=1 g=1 n=5 m=2 d=1 e=4" };
    int bad = 0;
    *share = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct trial t;
        struct tally y;
        struct arith a;
        char err[600];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", type, sizes[seed % 3], seed }, err,
            sizeof err), 0, "%s", err);
        attend(&t, k);
        cr_assert_gt(trial_profile(&t, profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
        judge_outputs(&t, &a, 0, &y);
        bad += !tally_passes(&y);
        *share = fmax(*share, y.ratio);
        trial_close(&t);
    }
    return bad;
}

Test(words, an_honest_kernel_is_refused_without_its_word_and_held_by_it)
{
    static const struct { struct kernel k; const char *word; } list[] = {
        { { .inputs = "f16" }, "in.k=f16 in.v=f16" }, { { .inputs = "bf16" }, "in.k=bf16 attention.in.v=bf16" },
        { { .weights = "f16" }, "weight=f16" },
        { { .weights = "f16", .first = 1 }, "weight=f16 divide=first" },
        { { .weights = "bf16", .first = 1 }, "divide=first weight=bf16" },
        { { .weights = "f16", .first = 1, .inputs = "f16" }, "weight=f16 divide=first in.k=f16 in.v=f16" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct kernel faulty = list[k].k;
        char profile[300];
        double share, without;
        faulty.last_key_missing = true;
        cr_expect_gt(refused(&list[k].k, F64, MER_F64, &without), 6, "%s: held without it", list[k].word);
        snprintf(profile, sizeof profile, F64 "%s", list[k].word);
        cr_expect_eq(
            refused(&list[k].k, profile, MER_F64, &share), 0, "%s: refused, %g of the bound", list[k].word, share);
        cr_expect_gt(share, 0.05, "%s: uses %g", list[k].word, share);
        cr_expect_gt(refused(&faulty, profile, MER_F64, &share), 6, "%s: a missing key passes", list[k].word);
    }
}

/* Six keys of nearly equal weight, with values of 1 and -1 as the roundings of the weights fall, so that all errors add
 * up.  Weights rounded after the division leave the ball of weights rounded before it, as half an ulp of e_j over the
 * total is less than half an ulp of e_j / total; and they come near the end of their own ball. */
static double aligned(const char *profile, uint64_t seed)
{
    struct trial t;
    struct tally y;
    struct arith a;
    char err[600];
    double e[6], total = 0;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "scale=1", "o", MER_F64, "h=1 g=1 n=1 m=6 d=1 e=1",
        seed }, err, sizeof err), 0, "%s", err);
    array_put(trial_in(&t, "q"), 0, 1);
    for (int j = 0; j < 6; j++) {
        const double s = j ? -(double)(gen_bits(seed, 1, (uint64_t)j) % 4096) / 0x1p18 : 0;
        array_put(trial_in(&t, "k"), j, s), total += e[j] = exp(s);
    }
    for (int j = 0; j < 6; j++)
        array_put(trial_in(&t, "v"), j, rounded(e[j] / total, "f16") > e[j] / total ? 1 : -1);
    attend(&t, &(struct kernel){ .weights = "f16", .first = 1 });
    cr_assert_gt(trial_profile(&t, profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
    judge_outputs(&t, &a, 0, &y);
    trial_close(&t);
    return y.ratio;
}

Test(words, weights_rounded_after_the_division_need_their_own_order)
{
    double before = 0, after = 0;
    for (uint64_t seed = 1; seed <= 600; seed++)
        before = fmax(before, aligned(F64 "weight=f16", seed)),
        after = fmax(after, aligned(F64 "weight=f16 divide=first", seed));
    cr_expect(before > 1 && after < 1 && after > 0.8, "of the ball before the division %g, after it %g", before, after);
}

/* Which row an input word is about: the asked row's own input; a part's only where the asked row has none of that name,
 * or by its scope. */
Test(words, an_input_without_a_scope_is_the_asked_rows_own)
{
    const struct row *layer = row_named("layer"), *attention = row_named("attention"), *rope = row_named("rope");
    struct arith a;
    arith_scope(&a, layer, layer, "in.x=f16 in.k=bf16 rope.in.x=f32", WIDEN);
    cr_expect(a.inputs == 1 && a.in[0].r.f == format_named("f16", 3));
    arith_scope(&a, layer, attention, "in.x=f16 in.k=bf16 rope.in.x=f32", WIDEN);
    cr_expect(a.inputs == 1 && a.in[0].r.f == format_named("bf16", 4));
    arith_scope(&a, layer, rope, "in.x=f16 in.k=bf16 rope.in.x=f32", WIDEN);
    cr_expect(a.inputs == 1 && a.in[0].r.f == format_named("f32", 3));
    arith_scope(&a, layer, rope, "in.x=f16", WIDEN);
    cr_expect_eq(a.inputs, 0);
    for (const struct row *const *r = all_rows; *r; r++)
        cr_expect(strcmp((*r)->name, "in"), "the word in. before inputs would be that row's scope");
}

/* exact: the one rounding is the store.  What the reference itself answers passes, and one ulp of one element does
 * not. */
Test(words, exact_allows_the_store_alone)
{
    for (int moved = 0; moved < 2; moved++) {
        struct trial t;
        struct tally y;
        struct arith a;
        char err[600];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, "n=4 m=9", 3 }, err,
            sizeof err), 0, "%s", err);
        cr_assert_eq(trial_profile(&t, "exact", &a, WIDEN, err, sizeof err), 1, "%s", err);
        reference_run(&t, &(struct arith){ 0 });
        if (moved)
            array_put(&t.out[0], 5, (double)nextafterf((float)array_get(&t.out[0], 5), 9));
        judge_outputs(&t, &a, 0, &y);
        cr_expect_eq(tally_passes(&y), !moved, "moved %d: ratio %g", moved, y.ratio);
        trial_close(&t);
    }
}

/* A tree of height 3 joins eight terms, not nine; weights cannot be divided before online knows their total. */
Test(words, a_profile_that_contradicts_the_question_fails_with_the_reason)
{
    static const struct { const char *profile, *sizes, *says; } list[] = {
        { F64 "total=f64/h3", "n=2 m=8", NULL },
        { F64 "total=f64/h3", "n=2 m=9", "total=f64/h3 contradicts the question: 9 terms need a tree of height 4 at "
            "least" },
        { F64 "route=online block=2 divide=first", "n=2 m=9", "divide=first contradicts the route" },
        { F64 "divide=first", "n=2 m=9", NULL },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        struct tally y;
        struct arith a;
        char err[600];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F64, list[k].sizes, 3 }, err,
            sizeof err), 0, "%s", err);
        reference_run(&t, &(struct arith){ 0 });
        cr_assert_gt(trial_profile(&t, list[k].profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
        judge_outputs(&t, &a, 0, &y);
        cr_expect(
            list[k].says ? !tally_passes(&y) && strstr(y.impossible, list[k].says) : tally_passes(&y) && !*y.impossible,
            "%s: '%s'", list[k].profile, y.impossible);
        trial_close(&t);
    }
}

/* Another kernel from 64 keys on: the word that holds is that of the question. */
Test(words, a_word_by_size_holds_where_its_condition_does)
{
    static const struct { const char *profile; long m; int lanes, route; } list[] = {
        { "dot=f32/lanes8[m<64] dot=f32/lanes16[m>=64] route=online[m>=64]", 63, 8, 0 },
        { "dot=f32/lanes8[m<64] dot=f32/lanes16[m>=64] route=online[m>=64]", 64, 16, 1 },
        { "dot=f32/lanes4[m>=10,m<20] dot=f32/lanes5[m=20] score=f32", 19, 4, 0 },
        { "dot=f32/lanes4[m>=10,m<20] dot=f32/lanes5[m=20] score=f32", 20, 5, 0 },
        { "dot=f32/lanes4[m>=10,m<20] dot=f32/lanes5[m=20] score=f32", 21, 0, 0 },
        { "dot=f32/lanes4[m>3,n<=4]", 9, 4, 0 },
        { "dot=f32/lanes4[m>3,n<4] score=f32", 9, 0, 0 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        struct arith a;
        char err[900], sizes[40];
        snprintf(sizes, sizeof sizes, "n=4 m=%ld", list[k].m);
        cr_expect_eq(valid_profile(row_named("attention"), NULL, list[k].profile, err, sizeof err), 0, "%s", err);
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, sizes, 3 }, err, sizeof err),
            0, "%s", err);
        cr_assert_geq(trial_profile(&t, list[k].profile, &a, WIDEN, err, sizeof err), 1, "%s", err);
        cr_expect(a.at[0].lanes == list[k].lanes && mer_is(&t.call, "route", list[k].route ? "online" : "two-passes"),
            "%s at m = %ld: %d lanes, %s", list[k].profile, list[k].m, a.at[0].lanes, t.text);
        trial_close(&t);
    }
    struct trial t;
    struct arith a;
    char err[900];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=16", "freq", MER_F32, "", 3 }, err, sizeof err), 0,
        "%s", err);
    cr_expect(
        trial_profile(&t, "freq=f32[n>3]", &a, WIDEN, err, sizeof err) == -1 && strstr(err, "this question has no n"),
        "%s", err);
    trial_close(&t);
}

/* An absolute error beside half-ulps, at every kind of step, by the route's own rounding of each: f16 moved by as much
 * again. */
Test(words, an_absolute_error_widens_a_ball_by_what_it_says)
{
    static const struct { const char *row, *params, *out, *sizes, *step; } list[] = {
        { "feedforward", "act=gelu", "y", "n=3", "curve" },
        { "attention", "", "o", "n=3 m=9", "exp" },
        { "attention", "route=online block=2", "o", "n=3 m=9", "exp" },
        { "attention", "route=online block=1", "o", "h=1 g=1 n=1 m=17 e=1", "rescale" },
        { "attention", "route=lazy block=1 slack=1 scale=2", "o", "n=3 m=9", "exp" },
        { "attention", "route=online block=2", "o", "n=3 m=9", "shift" },
        { "attention", "", "o", "n=3 m=9", "dot" },
        { "attention", "", "o", "n=3 m=9", "sum" },
        { "attention", "", "lse", "n=3 m=9", "total" },
        { "attention", "route=exp2", "dq", "n=3 m=9", "exp" },
        { "attention", "", "o", "n=3 m=9", "in.v" },
        { "rope", "dim=16", "y", "n=4", "table" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double bound[3] = { 0 };
        for (int way = 0; way < 3; way++) {
            struct trial t;
            struct tally y;
            struct arith a;
            char err[900], profile[200];
            snprintf(profile, sizeof profile, "%s=f64%s", list[k].step, (const char *[]){ "", "+1e-6", "+1e-3" }[way]);
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ list[k].row, list[k].params, list[k].out, MER_F64,
                list[k].sizes, 3 }, err, sizeof err), 0, "%s", err);
            reference_run(&t, &(struct arith){ 0 });
            array_put(&t.out[0], 0, array_get(&t.out[0], 0) + 1e-9);
            cr_assert_gt(trial_profile(&t, profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
            judge_outputs(&t, &a, 0, &y);
            cr_expect_eq(tally_passes(&y), way > 0, "%s %s %s: ratio %g", list[k].row, list[k].out, profile, y.ratio);
            bound[way] = 1e-9 / y.ratio;
            trial_close(&t);
        }
        cr_expect(bound[2] > 300 * bound[1] && bound[2] < 3000 * bound[1], "%s %s: bounds %g and %g", list[k].row,
            list[k].step, bound[1], bound[2]);
    }
}

/* Every row that turns pairs by row rope takes its route: the angle by repeated products is refused by powers and held
 * by its word. */
Test(words, a_route_of_a_part_is_a_word_of_every_row_that_has_it)
{
    static const char *const out[] = { "cos", "y", "o" };
    int turned = 0;
    for (const struct row *const *r = all_rows; *r; r++) {
        char err[900];
        bool known = !row_knows(*r, "rope.route=iterated", err, sizeof err), apart = false;
        for (int k = 0; known && k < 3 && !apart; k++)
            for (const struct preset *p = (*r)->presets; p->name && !apart && row_quantity(*r, out[k]); p++) {
                struct trial t;
                struct arith a, wide;
                struct tally powers, iterated;
                cr_assert_eq(trial_make(&t, &(struct trial_spec){ (*r)->name, p->text, out[k], MER_F32, "n=4 m=4", 3 },
                    err, sizeof err), 0, "%s", err);
                for (int i = 0; i < t.call.n_in; i++)
                    if (t.in[i].type == MER_I64 && !strcmp(t.in[i].name, "pos"))
                        for (long e = 0; e < array_len(&t.in[i]); e++)
                            /* Far out, where phases in bf16 are turns apart. */
                            array_put(&t.in[i], e, (double)(3000 + 997 * e));
                cr_assert_geq(
                    trial_profile(&t, "rope.route=iterated rope.phase=f16", &a, ROUND, err, sizeof err), 0, "%s", err);
                reference_run(&t, &a);
                cr_assert_geq(
                    arith_read(&wide, *r, "rope.route=iterated rope.phase=f16", WIDEN, err, sizeof err), 0, "%s", err);
                judge_outputs(&t, &wide, 4, &iterated);
                /* A phase beyond the largest number of float16 is infinite, and what comes of it is no number. */
                cr_expect(iterated.over == 0 || isnan(iterated.got), "%s.%s %s: %ld over", (*r)->name, out[k], p->text,
                    iterated.over);
                cr_assert_geq(arith_read(&wide, *r, "rope.phase=f16", WIDEN, err, sizeof err), 0, "%s", err);
                judge_outputs(&t, &wide, 4, &powers);
                apart = powers.over > 0;
                trial_close(&t);
            }
        turned += apart;
        cr_expect(!known || apart || strcmp((*r)->name, "mrope"), "mrope: the route makes no difference");
    }
    cr_expect_gt(turned, 1); /* These are mrope and xpos; the others are too near to tell. */
}
