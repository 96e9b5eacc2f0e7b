/* Subjects whose numbers leave their format, are rounded once more, or exchange two words: each is diagnosed by what a
 * kernel of that kind computes, never by a coarser step whose balls hold anything. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "compare/compare.h"
#include "diagnose/diagnose.h"
#include "diagnose/causes.h"
#include "trial/change.h"
#include "named.h"

/* softmax(q k^T / sqrt d) v in float32, with or without the maximum subtracted; a total of 0 is divided by 1. */
static void attend(struct trial *t, bool shifted)
{
    const struct mer_array *q = trial_in(t, "q"), *k = trial_in(t, "k"), *v = trial_in(t, "v");
    const long n = q->dim[1], m = k->dim[1], d = q->dim[2], e = v->dim[2];
    float *s = calloc((size_t)m, sizeof *s);
    for (long row = 0; row < q->dim[0] * n; row++) {
        const long h = row / n;
        float top = -INFINITY, total = 0;
        for (long j = 0; j < m; j++) {
            float x = 0;
            for (long c = 0; c < d; c++)
                x += (float)array_get(q, row * d + c) * (float)array_get(k, (h * m + j) * d + c);
            s[j] = x / sqrtf((float)d);
            top = fmaxf(top, s[j]);
        }
        for (long j = 0; j < m; j++)
            total += s[j] = expf(s[j] - (shifted ? top : 0));
        for (long c = 0; c < e; c++) {
            float y = 0;
            for (long j = 0; j < m; j++)
                y += s[j] * (float)array_get(v, (h * m + j) * e + c);
            array_put((struct mer_array *)&t->out[0], row * e + c, (double)(y / (total > 0 ? total : 1)));
        }
    }
    free(s);
}
static const char soft[] = "dot=f32 product=f32 score=f32:2 shift=f32 exp=f32:6 sum=f32 total=f32 div=f32";

/* Scores of some hundreds, up and down: weights are infinities in one line and all 0 in another. */
static void wide(struct trial *t, bool shifted)
{
    named_make(t, "attention", "", "o", "h=2 g=2 n=6 m=7 d=16 e=5 normal", soft);
    const struct mer_array *q = trial_in(t, "q"), *k = trial_in(t, "k");
    for (long i = 0; i < array_len(k); i++) /* All keys are alike, so that lines are high or low as a whole. */
        array_put((struct mer_array *)k, i, fabs(array_get(k, i)) + 4);
    for (long i = 0; i < array_len(q); i++) /* In one line of three scores are ordinary. */
        array_put((struct mer_array *)q, i,
            i / 16 % 3 ? (i / 16 % 3 - 1.5) * (40 + fabs(array_get(q, i))) : array_get(q, i) / 4);
    attend(t, shifted);
}
Test(beyond, a_softmax_without_its_maximum_has_its_name, .timeout = 120)
{
    struct trial right, wrong;
    struct arith a;
    struct tally y;
    char err[600];
    wide(&right, true), wide(&wrong, false);
    cr_assert_gt(trial_profile(&right, soft, &a, WIDEN, err, sizeof err), 0, "%s", err);
    judge_outputs(&right, &a, 0, &y);
    cr_expect(tally_passes(&y), "with its maximum: %ld over", y.over);
    trial_close(&right);
    named_expect(&wrong, ":sub:left");
}

/* Scores made in bfloat16 leave weights of such lines anything: that explains what is there, 0 and NaN included,
 * and is no name. */
Test(beyond, a_coarser_step_needs_teeth_where_something_is_wrong, .timeout = 120)
{
    static struct diagnosis d;
    struct trial t;
    wide(&t, false);
    cr_expect(!diagnose(&t, &d) || !strstr(d.answer[0].m.id, "bf16"), "%s", d.answer[0].m.id);
    trial_close(&t);
}

/* An exponent that is multiplied by the width in place of being divided: frequencies 1, 0, 0 .., whatever their
 * format. */
Test(beyond, a_frequency_below_its_format_is_zero, .timeout = 120)
{
    struct trial t;
    named_make(&t, "rope", "dim=24", "cos sin", "n=7", "f32");
    const struct mer_array *pos = trial_in(&t, "pos");
    for (int o = 0; o < 2; o++)
        for (long i = 0; i < array_len(&t.out[o]); i++) {
            const double angle = i % 12 ? 0 : array_get(pos, i / 12);
            array_put(&t.out[o], i, (double)(float)(o ? sin(angle) : cos(angle)));
        }
    named_expect(&t, ":ratio:mul");
}

/* The product of the second half's first term, rounded, then squared and rounded again: three roundings, not one. */
Test(beyond, an_operation_more_is_a_rounding_more, .timeout = 120)
{
    struct trial t;
    named_make(&t, "rope", "dim=64", "y", "h=3 n=40 normal", "f32");
    const struct mer_array *x = trial_in(&t, "x"), *pos = trial_in(&t, "pos");
    for (long line = 0; line < 120; line++)
        for (long k = 0; k < 32; k++) {
            const double angle = array_get(pos, line % 40) * pow(10000, -2. * (double)k / 64);
            const float c = (float)cos(angle), s = (float)sin(angle), p = (float)array_get(x, line * 64 + k),
                        r = (float)array_get(x, line * 64 + k + 32), ps = p * s;
            array_put(&t.out[0], line * 64 + k, (double)(p * c - r * s));
            array_put(&t.out[0], line * 64 + k + 32, (double)(r * c + ps * ps));
        }
    named_expect(&t, ":mul:square:3of4");
}

Test(beyond, two_words_of_three_may_be_exchanged)
{
    static const char *const declared[] = { "form=relative", "form=key" };
    for (int k = 0; k < 2; k++) {
        struct trial t, other;
        struct arith a;
        char err[600];
        named_make(&t, "alibi", declared[k], "bias", "n=6 m=7", "f64");
        cr_assert_eq(trial_copy(&other, &t, err, sizeof err), 0);
        cr_assert_eq(trial_change(&other, declared[!k], err, sizeof err), 0, "%s", err);
        cr_assert_geq(trial_profile(&other, "f64", &a, ROUND, err, sizeof err), 0, "%s", err);
        reference_run(&other, &a);
        memcpy(t.out[0].data, other.out[0].data, (size_t)array_len(&t.out[0]) * sizeof(float));
        trial_close(&other);
        named_expect(&t, "relative<>key");
    }
    struct trial t;
    char err[600];
    named_make(&t, "alibi", "form=key", "bias", "n=6 m=7", "f64");
    cr_expect_neq(trial_change(&t, "relative<>nosuch", err, sizeof err), 0);
    cr_expect(strstr(err, "no words"), "%s", err);
    trial_close(&t);
}

/* A cause that a later failure of the kernel leaves alone, of a class that it was in, is the name of the earlier
 * ones, too. */
Test(beyond, what_later_failures_leave_is_the_name_of_all)
{
    static const struct cause first = { .kernel = "shaw.o f32", .name = "shaw.a", .same = "b, cc", .n = 1 };
    static const struct { struct cause c; int causes; } then[] = {
        { { .kernel = "shaw.o f32", .name = "shaw.cc", .repair = "cc", .n = 1 }, 1 },
        { { .kernel = "shaw.o f32", .name = "shaw.c", .repair = "c", .n = 1 }, 2 },
        { { .kernel = "shaw.o f32", .name = "shaw.cc", .alone = true, .n = 1 }, 2 },
        { { .kernel = "t5.o f32", .name = "t5.cc", .n = 1 }, 2 },
        { { .kernel = "shaw.o f32", .name = "shaw.d", .of_all = true, .n = 1 }, 1 },
        { { .kernel = "t5.o f32", .name = "t5.d", .of_all = true, .n = 1 }, 2 },
    };
    for (size_t k = 0; k < sizeof then / sizeof *then; k++) {
        struct causes s = { 0 };
        causes_add(&s, &first), causes_add(&s, &then[k].c);
        cr_expect_eq(s.n, then[k].causes, "%s", then[k].c.name);
        cr_expect(s.n == 2 || (s.at[0].n == 2 && !strcmp(s.at[0].name, then[k].c.name)), "%s", s.at[0].name);
        causes_free(&s);
    }
}

/* Wrong heads alone, of a table whose lines hold one element each: a sample of lines has to be as large as of
 * others. */
Test(beyond, a_few_heads_of_a_bias_are_enough_for_a_name)
{
    struct trial t;
    named_make(&t, "alibi", "heads=12", "bias", "n=10 m=10", "f64");
    for (long at = 0; at < 1200; at++) {
        const long h = at / 100, power = h < 8 ? h + 1 : 2 * (h - 8) + 1;
        const double slope = exp2(h < 8 ? -(double)power : (double)power / 2);
        array_put(&t.out[0], at, (double)(float)(-slope * (double)(at / 10 % 10 - at % 10)));
    }
    named_expect(&t, "div:negate");
}

/* The number of a query taken twice, and an exponent that is not divided. */
Test(beyond, numbers_of_places_and_both_parts_of_a_ratio_are_edited)
{
    struct trial t;
    named_make(&t, "alibi", "", "bias", "n=10 m=10", "f64");
    for (long at = 0; at < 800; at++)
        array_put(
            &t.out[0], at, -exp2(-(double)(at / 100 + 1)) * (double)(2 * (at / 10 % 10) - at % 10));
    named_expect(&t, ":apart-left:double");
    named_make(&t, "sinusoid", "dim=16 base=3/2", "p", "n=6", "f64");
    for (long at = 0; at < 96; at++) {
        const double angle = array_get(trial_in(&t, "pos"), at / 16) * pow(1.5, -2. * (double)(at % 16 / 2));
        array_put(&t.out[0], at, (double)(float)(at % 2 ? cos(angle) : sin(angle)));
    }
    named_expect(&t, ":ratio:left");
}

/* Nothing is turned: sines of 0 and cosines of 1 are trivial numbers, and say exactly what is wrong. */
Test(beyond, sines_of_0_beside_cosines_of_1_have_a_name)
{
    struct trial t;
    named_make(&t, "rope", "dim=24", "cos sin", "n=7", "f32");
    for (int o = 0; o < 2; o++)
        for (long i = 0; i < array_len(&t.out[o]); i++)
            array_put(&t.out[o], i, o ? 0 : 1);
    named_expect(&t, "pos@=zero");
}

/* An answer that is off by two bounds and no more: an edit that changes nothing here must not explain it by balls
 * that are wide for what one operation more would round. */
Test(beyond, a_small_excess_is_no_operation_more)
{
    static struct diagnosis d;
    struct trial t;
    struct arith a;
    struct tally y;
    char err[600];
    double by = 0x1p-18;
    for (int k = 0; k < 2; k++) {
        named_make(&t, "rope", "dim=24", "y", "h=2 n=6 normal", "f32");
        cr_assert_geq(trial_profile(&t, "f32", &a, ROUND, err, sizeof err), 0, "%s", err);
        reference_run(&t, &a);
        for (long i = 0; i < array_len(&t.out[0]); i++)
            array_put(&t.out[0], i, array_get(&t.out[0], i) * (1 + by));
        cr_assert_gt(trial_profile(&t, "f32", &a, WIDEN, err, sizeof err), 0, "%s", err);
        judge_outputs(&t, &a, 0, &y);
        if (!k)
            by *= 2 / y.ratio, trial_close(&t);
    }
    cr_expect(y.over > 0 && y.ratio < 3, "%g", y.ratio);
    cr_expect(!diagnose(&t, &d) || (!strstr(d.answer[0].m.id, ":square") && !strstr(d.answer[0].m.id, ":invert")), "%s",
        d.answer[0].m.id);
    trial_close(&t);
}
