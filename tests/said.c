/* What a wrong variant says of an answer, and where it says nothing: its balls hold anything where numbers get large,
 * and of lines without keys a kernel may think otherwise.  Names of numbers that one of an operation's two operands
 * takes elsewhere, or that are reduced over another axis. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "compare/compare.h"
#include "diagnose/joint/joint.h"
#include "edit/maps.h"
#include "edit/site.h"
#include "trial/change.h"
#include "named.h"

static const char soft[] = "dot=f32 product=f32 score=f32:2 shift=f32 exp=f32:6 sum=f32 total=f32 div=f32";

/* What is wrong with an attention: the scale is the root of d, not its inverse; the reference point is the largest
 * score of a key over the queries; weights are not divided, and lines without keys divide by their total; all values
 * get the weight of the first key; all scores of the last query are 0, after its mask; the scale is -1/2. */
enum wrong { RIGHT, SCALE, POINT, UNDIVIDED, FIRST_WEIGHT, LAST_LOST, CONSTANT };

/* Scores s[n][m] of one head; hidden keys have -inf. */
static void scores(struct trial *t, long h, enum wrong fault, float *s)
{
    const struct mer_array *q = trial_in(t, "q"), *k = trial_in(t, "k");
    const struct mer_array *keep = mer_find((struct mer_array *)t->in, t->call.n_in, "keep");
    const long n = q->dim[1], m = k->dim[1], d = q->dim[2];
    for (long at = 0; at < n * m; at++) {
        float x = 0;
        for (long c = 0; c < d; c++)
            x += (float)array_get(q, (h * n + at / m) * d + c) * (float)array_get(k, (h * m + at % m) * d + c);
        x *= fault == SCALE ? sqrtf((float)d) : fault == CONSTANT ? -0.5f : 1 / sqrtf((float)d);
        s[at] = fault == LAST_LOST && at / m == n - 1                ? 0 :
            keep && array_get(keep, h * n * m + at) == 0 ? -INFINITY :
                                                                       x;
    }
}
static void attend(struct trial *t, enum wrong fault)
{
    const struct mer_array *v = trial_in(t, "v");
    const long n = trial_in(t, "q")->dim[1], m = v->dim[1], e = v->dim[2];
    float *s = calloc((size_t)(n * m), sizeof *s);
    for (long h = 0; h < v->dim[0]; h++) {
        scores(t, h, fault, s);
        for (long i = 0; i < n; i++) {
            float top = -INFINITY, total = 0, point = 0;
            for (long j = 0; j < m; j++)
                top = fmaxf(top, s[i * m + j]);
            for (long c = 0; c < e; c++) {
                float y = 0;
                total = 0;
                for (long j = 0; j < m; j++) {
                    point = isinf(top) ? 0 : top;
                    for (long l = 0; fault == POINT && l < n; l++)
                        point = l ? fmaxf(point, s[l * m + j]) : s[j];
                    const float w = expf(s[i * m + j] - point), first = expf(s[i * m] - point);
                    total += w, y += (fault == FIRST_WEIGHT ? first : w) * (float)array_get(v, (h * m + j) * e + c);
                }
                const float by = fault != UNDIVIDED ? (total > 0 ? total : 1) : total > 0 ? 1 : total;
                array_put(&t->out[0], ((h * n + i) * e) + c, (double)(y / by));
            }
        }
    }
    free(s);
}

/* Scores of some hundreds in one query of four: there the roundings of the scores alone move every weight. */
static void uneven(struct trial *t, enum wrong fault)
{
    named_make(t, "attention", "", "o", "h=2 g=2 n=8 m=7 d=16 e=5 normal", soft);
    const struct mer_array *q = trial_in(t, "q");
    for (long i = 0; i < array_len(q); i++)
        array_put((struct mer_array *)q, i, array_get(q, i) * (i / 16 % 4 ? 0.25 : 2e4));
    attend(t, fault);
}

Test(said, a_variant_that_says_nothing_of_some_lines_explains_the_others, .timeout = 120)
{
    static struct diagnosis d;
    struct trial t;
    struct arith a;
    struct tally y;
    char err[600];
    uneven(&t, RIGHT);
    cr_assert_gt(trial_profile(&t, soft, &a, WIDEN, err, sizeof err), 0, "%s", err);
    judge_outputs(&t, &a, 0, &y);
    cr_expect(tally_passes(&y), "the right scale: %ld over", y.over);
    trial_close(&t);
    uneven(&t, SCALE);
    cr_expect(diagnose(&t, &d), "%s", d.answers ? d.answer[0].m.id : "nothing");
    cr_expect(d.answer[0].open > 0 && answer_full(&d.answer[0]), "%ld of %ld, %ld open", d.answer[0].explained,
        d.answer[0].n, d.answer[0].open);
    named_expect(&t, ":integer:invert");
}

/* Weights that are all 0 leave nothing to say of any line: that explains no answer, whatever it is. */
Test(said, a_variant_that_says_nothing_of_most_lines_explains_nothing, .timeout = 120)
{
    static struct diagnosis d;
    struct trial t;
    for (int k = 0; k < 2; k++) {
        named_make(&t, "attention", "", "o", "h=2 g=2 n=6 m=7 d=16 e=5 keep normal", soft);
        attend(&t, RIGHT);
        for (long i = 0; i < array_len(&t.out[0]) && k; i += 2)
            array_put(&t.out[0], i, NAN);
        for (long i = 0; i < array_len(&t.out[0]) && !k; i++)
            array_put(&t.out[0], i, 0.5 + array_get(&t.out[0], i) * array_get(&t.out[0], i));
        const bool is = diagnose(&t, &d);
        for (int j = 0; j < d.all_n; j++)
            cr_expect(!is || !strstr(d.all[j].m.id, "zero"), "%s explains %ld, open %ld", d.all[j].m.id,
                d.answer[0].explained, d.answer[0].open);
        trial_close(&t);
    }
}

Test(said, to_tell_is_to_say_something_of_most_elements)
{
    cr_expect(fit_tells(&(struct fit){ .n = 9, .open = 4 }));
    cr_expect(!fit_tells(&(struct fit){ .n = 10, .open = 5 }) && !fit_tells(&(struct fit){ .n = 0 }));
}

Test(said, a_reference_point_of_another_axis_has_its_name, .timeout = 120)
{
    struct trial t;
    named_make(&t, "attention", "", "o", "h=2 g=2 n=6 m=7 d=16 e=5 normal", soft);
    attend(&t, POINT);
    named_expect(&t, ":sub-right.1:across-largest");
}

/* Weights that nobody divides, while lines without keys are divided by 0: one fault, two looks. */
Test(said, lines_without_keys_may_look_otherwise, .timeout = 120)
{
    struct trial t;
    named_make(&t, "attention", "", "o", "h=2 g=2 n=6 m=7 d=16 e=5 keep normal", soft);
    struct mer_array *keep = mer_find(t.in, t.call.n_in, "keep");
    for (long i = 0; i < 7; i++)
        array_put(keep, i, 0);
    attend(&t, UNDIVIDED);
    cr_assert(isnan(array_get(&t.out[0], 0)));
    named_expect(&t, "total:one");
}

/* A constant of the expression stands where all of it was: -1/2, for d to that power. */
Test(said, a_constant_in_place_of_an_expression_has_a_name, .timeout = 120)
{
    struct trial t;
    named_make(&t, "attention", "", "o", "h=2 g=2 n=6 m=7 d=16 e=5 normal", soft);
    attend(&t, CONSTANT);
    named_expect(&t, ":div:minus-half");
}

/* x as float16 holds it. */
static double half(double x)
{
    uint16_t bits;
    struct mer_array one = { .type = MER_F16, .rank = 1, .dim = { 1 }, .data = &bits };
    array_put(&one, 0, x);
    return array_get(&one, 0);
}

/* Angles in half precision: each is the one number that the format has there, infinite beyond its largest. */
Test(said, a_number_in_half_precision_has_a_name, .timeout = 120)
{
    struct trial t;
    named_make(&t, "rope", "dim=24", "y", "h=3 n=9 normal",
        "exponent=f64 power=f64 freq=f64 phase=f64 table=f32 product=f32 sum=f32");
    const struct mer_array *x = trial_in(&t, "x"), *pos = trial_in(&t, "pos");
    for (long line = 0; line < 27; line++)
        for (long k = 0; k < 12; k++) {
            const double angle = half(array_get(pos, line % 9) * pow(10000, -2. * (double)k / 24));
            const float c = (float)cos(angle), s = (float)sin(angle), a = (float)array_get(x, line * 24 + k),
                        b = (float)array_get(x, line * 24 + k + 12);
            array_put(&t.out[0], line * 24 + k, (double)(a * c - b * s));
            array_put(&t.out[0], line * 24 + k + 12, (double)(b * c + a * s));
        }
    named_expect(&t, ":mul:f16");
}

/* A kernel that hides keys by scores of minus infinity has weights of them, too, which a fault brings back. */
Test(said, hidden_keys_come_back_with_weights_of_others, .timeout = 120)
{
    struct trial t;
    named_make(&t, "attention", "", "o", "h=2 g=2 n=6 m=7 d=16 e=5 keep normal", soft);
    attend(&t, FIRST_WEIGHT);
    named_expect(&t, ":mul-left.p:first:hidden");
}

/* Of many failures the first are explained by a query that is 0; what is masked tells that it is the score that is, and
 * this is asked of all of them again. */
Test(said, what_a_late_failure_tells_explains_all_earlier_ones, .timeout = 120)
{
    static struct diagnosis d;
    joint_begin("the last query");
    for (int k = 0; k < 9; k++) {
        struct trial t;
        char sizes[80];
        snprintf(sizes, sizeof sizes, "h=2 g=2 n=%d m=7 d=8 e=5 normal%s", 3 + k, k < 8 ? "" : " keep");
        named_make(&t, "attention", "", "o", sizes, soft);
        attend(&t, LAST_LOST);
        cr_expect(joint_diagnose(&t, &d) && !d.alone && d.of_all, "%d: %s", k,
            d.answers ? d.answer[0].m.id : "nothing");
        cr_expect(!strstr(d.answer[0].m.id, "q@n") == (k == 8), "%d: %s", k, d.answer[0].m.id);
        trial_close(&t);
    }
    joint_begin(NULL);
}

/* One operand of one of the four products of a rotation: x of the first position for all, in the second half's first
 * product alone. */
Test(said, one_operand_of_one_product_has_a_name, .timeout = 120)
{
    struct trial t;
    named_make(&t, "rope", "dim=24", "y", "h=3 n=9 normal", "f32");
    const struct mer_array *x = trial_in(&t, "x"), *pos = trial_in(&t, "pos");
    for (long line = 0; line < 27; line++)
        for (long k = 0; k < 12; k++) {
            const double angle = array_get(pos, line % 9) * pow(10000, -2. * (double)k / 24);
            const float c = (float)cos(angle), s = (float)sin(angle), a = (float)array_get(x, line * 24 + k),
                        b = (float)array_get(x, line * 24 + k + 12),
                        first = (float)array_get(x, line / 9 * 9 * 24 + k + 12);
            array_put(&t.out[0], line * 24 + k, (double)(a * c - b * s));
            array_put(&t.out[0], line * 24 + k + 12, (double)(first * c + a * s));
        }
    named_expect(&t, ":mul-left.1:first:");
}

/* The same operand added up over the positions, in float32, as an accumulator that nobody empties: every addition is a
 * rounding. */
Test(said, a_number_that_is_added_up_is_rounded_each_time, .timeout = 120)
{
    struct trial t;
    named_make(&t, "rope", "dim=8", "y", "h=2 n=300 uniform",
        "exponent=f64 power=f64 freq=f64 phase=f64 table=f32 product=f32 sum=f32");
    const struct mer_array *x = trial_in(&t, "x"), *pos = trial_in(&t, "pos");
    for (long i = 0; i < array_len(x); i++)
        array_put((struct mer_array *)x, i, (double)(float)(1 + fabs(array_get(x, i)) / 3));
    for (long h = 0; h < 2; h++) {
        float sum[4] = { 0 };
        for (long i = 0; i < 300; i++)
            for (long k = 0; k < 4; k++) {
                const long at = (h * 300 + i) * 8 + k;
                const double angle = array_get(pos, i) * pow(10000, -2. * (double)k / 8);
                const float c = (float)cos(angle), s = (float)sin(angle), a = (float)array_get(x, at),
                            b = (float)array_get(x, at + 4);
                sum[k] += b;
                array_put(&t.out[0], at, (double)(a * c - b * s));
                array_put(&t.out[0], at + 4, (double)(sum[k] * c + a * s));
            }
    }
    named_expect(&t, ":mul-left.1:summed:");
}

/* Of two heads the next one is the one before; three tell them apart, and the name of both failures is the one that is
 * true of three. */
Test(said, words_that_ask_the_same_are_kept_side_by_side, .timeout = 120)
{
    static struct diagnosis d;
    static const char *const sizes[] = { "h=2 g=2 n=6 m=7 d=8 e=5 keep normal", "h=3 g=3 n=6 m=7 d=8 e=5 keep normal" };
    joint_begin("heads of a mask");
    for (int k = 0; k < 2; k++) {
        struct trial t, other;
        char err[600];
        named_make(&t, "attention", "", "o", sizes[k], soft);
        cr_assert_eq(trial_copy(&other, &t, err, sizeof err), 0);
        cr_assert_eq(trial_change(&other, "keep@h=back", err, sizeof err), 0, "%s", err);
        attend(&other, RIGHT);
        memcpy(t.out[0].data, other.out[0].data, (size_t)array_len(&t.out[0]) * sizeof(float));
        cr_expect(joint_diagnose(&t, &d) && !d.alone, "h=%d: %s", k + 2, d.answer[0].m.id);
        cr_expect(!k || (!strcmp(d.answer[0].m.id, "keep@h=back") && !d.tried), "%s, of %d tried", d.answer[0].m.id,
            d.tried);
        trial_close(&other), trial_close(&t);
    }
    joint_begin(NULL);
}

/* Where all scores are large the wrong scale says nothing; it stands by another failure, contradicts nothing, and does
 * not match. */
Test(said, a_failure_of_which_the_cause_says_nothing_is_not_matched, .timeout = 120)
{
    static struct diagnosis d;
    joint_begin("scales");
    for (int k = 0; k < 2; k++) {
        struct trial t;
        named_make(&t, "attention", "", "o", "h=2 g=2 n=8 m=7 d=16 e=5 normal", soft);
        struct mer_array *q = trial_in(&t, "q");
        for (long i = 0; i < array_len(q) && k; i++)
            array_put(q, i, array_get(q, i) * 2e4);
        attend(&t, SCALE);
        cr_expect(joint_diagnose(&t, &d) && !d.alone, "%d: %s", k, d.answers ? d.answer[0].m.id : "nothing");
        cr_expect(d.silent == (k > 0), "of %ld of %ld it says nothing", d.answer[0].open, d.answer[0].n);
        char text[2000] = "";
        FILE *f = fmemopen(text, sizeof text, "w");
        diagnosis_say(f, "attention", &d);
        fclose(f);
        cr_expect(strstr(text, k ? "consistent with" : "matches"), "%s", text);
        cr_expect(!strstr(text, "it says nothing") == !k, "%s", text);
        trial_close(&t);
    }
    joint_begin(NULL);
}

/* Half of what a parameter stands for where it is 0: rotary = 0 is all of dim. */
Test(said, what_stands_for_a_parameter_of_0_is_halved, .timeout = 120)
{
    struct trial t, other;
    struct arith a;
    char err[600];
    named_make(&t, "rope", "dim=24", "y", "h=2 n=9 normal", "f32");
    cr_assert_eq(trial_copy(&other, &t, err, sizeof err), 0);
    cr_assert_eq(trial_change(&other, "rotary=12", err, sizeof err), 0, "%s", err);
    cr_assert_geq(trial_profile(&other, "f32", &a, ROUND, err, sizeof err), 0, "%s", err);
    reference_run(&other, &a);
    memcpy(t.out[0].data, other.out[0].data, (size_t)array_len(&t.out[0]) * sizeof(float));
    trial_close(&other);
    named_expect(&t, "rotary=12");
}

Test(said, maps_that_do_the_same_are_known)
{
    const int roll = index_map_named("roll", 4), back = index_map_named("back", 4),
              tail = index_map_named("tail-16", 7);
    cr_expect(index_first(back, 2) < back && index_first(back, 3) == back);
    cr_expect(index_first(roll, 2) < roll && index_first(roll, 5) == roll);
    cr_expect(!index_empties(index_map_named("without-last", 12), 2), "the first place stays");
    cr_expect(index_empties(tail, 15) && !index_empties(tail, 16) && !index_empties(roll, 5));
    cr_expect(!index_tells(tail, 15) && !index_tells(tail, 16) && index_tells(tail, 17), "all or nothing is no tail");
}
