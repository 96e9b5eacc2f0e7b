/* Edits whose answers are infinite, NaN or 0: of queries that see no key, of masks and of quotients by 0.  What such an
 * answer is, by the definition, and the name that each has. */
#include <criterion/criterion.h>
#include <math.h>
#include "diagnose/diagnose.h"
#include "edited.h"
#include "words/each.h"

/* The last operation of a page, taken at another place, gives the answer of that place, where that is no number, too:
 * of queries that see no key the log-sum-exp is minus infinity to every base. */
Test(edits_infinite, the_last_number_of_another_place_is_its_answer, .timeout = 60)
{
    static const char sizes[] = "h=4 g=2 n=40 m=3 d=4 e=4 keep normal";
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    struct sought want = { ":div.0:", "even" };
    struct trial t;
    char err[600];
    long empty = 0;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "base=2", "lse", MER_F32, sizes, 6 }, err,
        sizeof err), 0, "%s", err);
    edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
    trial_close(&t);
    cr_assert(*want.change);
    struct arith a;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "base=2", "lse", MER_F32, sizes, 6 }, err,
        sizeof err), 0, "%s", err);
    cr_assert(trial_profile(&t, "", &a, ROUND, err, sizeof err) >= 0, "%s", err);
    reference_run(&t, &a);
    for (long i = 0; i < array_len(&t.out[0]); i++)
        empty += isinf(array_get(&t.out[0], i)) != 0;
    trial_close(&t);
    cr_expect(empty > 0 && same_effect("attention", "base=2", "lse", sizes,
        (const char *const[]){ want.change, "edit=out:0:out.0:even" }), "%ld rows see nothing; %s", empty, want.change);
}

/* Whether a query sees a key, asked the other way round: those that see some have what is agreed for those that see
 * none, and these have no values to add up. */
Test(edits_infinite, a_query_that_sees_none_is_told_by_a_condition)
{
    static const char *const params[] = { "causal=offset offset=-2", "causal=offset offset=-2 empty=nan",
        "causal=offset offset=-2 empty=mean" };
    static const char sizes[] = "h=1 g=1 n=5 m=4 d=3 e=2 normal";
    static const struct place some[] = { { 0, 0 }, { 0, 4 } };
    for (int k = 0; k < 6; k++) {
        const bool lse = k / 3;
        struct sought want = { "mix.c:", "truth:not" };
        struct trial t;
        struct arith a;
        char err[600];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", params[k % 3], lse ? "lse" : "o", MER_F32, sizes,
            5 }, err, sizeof err), 0, "%s", err);
        edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
        cr_assert(trial_profile(&t, want.change, &a, ROUND, err, sizeof err) >= 0, "%s", err);
        reference_run(&t, &a);
        for (long i = 0; i < array_len(&t.out[0]); i++) {
            const double got = array_get(&t.out[0], i);
            double mean = 0;
            for (long j = 0; j < 4; j++)
                mean += array_get(trial_in(&t, "v"), 2 * j + i % 2) / 4;
            const bool empty = i / 2 < 2;
            const double wanted = empty || k == 0 ? 0 : k == 1 ? (double)NAN : mean;
            const bool is = lse ? isinf(got) && got < 0 : isnan(wanted) ? isnan(got) : got == (double)(float)wanted;
            cr_expect(is, "%s, %ld: %g", params[k % 3], i, got);
        }
        trial_close(&t);
    }
}

/* The total of the query before: that of one that sees no key is 0, and so it is told that this one sees none; and one
 * that sees none has a total, and no values to add up. */
Test(edits_infinite, the_total_of_a_query_that_sees_none_is_zero)
{
    static const char params[] = "scale=1 empty=nan", sizes[] = "h=1 g=1 n=4 m=3 d=1 e=1 keep normal";
    static const bool sees[4] = { false, true, true, false };
    struct sought want = { "soft.c:", "sum.1:back" };
    static const struct place some[] = { { 0, 1 }, { 0, 2 } };
    struct trial t;
    struct arith a;
    char err[600];
    double e[4][3], total[4] = { 0 }, values[4] = { 0 };
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", params, "o", MER_F32, sizes, 5 }, err,
        sizeof err), 0, "%s", err);
    struct mer_array *keep = mer_find(t.in, t.call.n_in, "keep");
    for (long k = 0; k < 12; k++)
        array_put(keep, k, sees[k / 3]);
    for (int i = 0; i < 4; i++) {
        double top = -(double)INFINITY;
        for (int j = 0; j < 3; j++)
            e[i][j] = array_get(trial_in(&t, "q"), i) * array_get(trial_in(&t, "k"), j), top = fmax(top, e[i][j]);
        for (int j = 0; j < 3 && sees[i]; j++)
            e[i][j] = exp(e[i][j] - top), total[i] += e[i][j],
            values[i] += e[i][j] * array_get(trial_in(&t, "v"), j);
    }
    edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
    cr_assert(strstr(want.change, "soft.c"), "%s", want.change);
    cr_assert(trial_profile(&t, want.change, &a, ROUND, err, sizeof err) >= 0, "%s", err);
    reference_run(&t, &a);
    const double got[] = { array_get(&t.out[0], 1), array_get(&t.out[0], 2), array_get(&t.out[0], 3) };
    cr_expect(isnan(got[0]), "%g", got[0]);
    cr_expect_eq(got[1], (double)(float)(values[2] / total[1]));
    cr_expect_eq(got[2], 0);
    trial_close(&t);
}

/* An infinity is explained by what gives it, before what gives NaN; and by nothing that gives the other infinity. */
Test(edits_infinite, infinities_are_told_from_each_other_and_from_nan, .timeout = 60)
{
    static const char params[] = "causal=bottomright", sizes[] = "h=4 g=2 n=9 m=7 d=8 e=6 normal";
    static const char *const ops[] = { "negate", "nan" };
    static struct diagnosis d;
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    for (int k = 0; k < 2; k++) {
        struct sought want = { ":mask:", ops[k] };
        struct trial t;
        char err[600];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", params, "lse", MER_F32, sizes, 5 }, err,
            sizeof err), 0, "%s", err);
        edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
        trial_close(&t);
        answered(&t, "attention", params, "lse", sizes, want.change);
        cr_expect(diagnose(&t, &d) && !strcmp(d.answer[0].m.change, want.change), "%s: %s", want.change,
            d.answer[0].m.id);
        cr_expect(!d.answer[0].open && !strstr(d.same, "index"), "%s: %s", want.change, d.same);
        trial_close(&t);
    }
}

/* An answer of zeros, and one that is divided by 0, each of which has one name that says just that. */
Test(edits_infinite, zeros_and_quotients_by_zero_have_names, .timeout = 60)
{
    static const struct { const char *row, *params, *out, *sizes, *change; bool of_class; } asked[] = {
        { "shaw", "", "o", "h=2 g=2 n=7 m=9 normal", "edit=out:0:out:zero", false },
        { "attention", "base=2", "lse", "h=4 g=2 n=9 m=2 d=8 e=6 normal", ":integer:one", true },
    };
    static struct diagnosis d;
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        static const struct place some[] = { { 0, 0 }, { 0, 3 } };
        struct sought want = { "score.c:", asked[k].change, .last = true };
        struct trial t;
        char err[600];
        if (asked[k].of_class) {
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ asked[k].row, asked[k].params, asked[k].out, MER_F32,
                asked[k].sizes, 5 }, err, sizeof err), 0, "%s", err);
            edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
            trial_close(&t);
        } else
            strcpy(want.change, asked[k].change);
        answered(&t, asked[k].row, asked[k].params, asked[k].out, asked[k].sizes, want.change);
        const bool is = asked[k].of_class ? diagnose(&t, &d) : diagnose_listed(&t, &d);
        cr_expect(is && diagnosis_holds(&d, want.change), "%s: %s", want.change, is ? d.answer[0].m.id : "no name");
        trial_close(&t);
    }
}

/* NaN where nothing is visible is explained by what is undefined there; NaN elsewhere is not. */
static bool nan_has_a_name(long at)
{
    static struct diagnosis d;
    struct trial t;
    struct arith a;
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "shaw", "", "o", MER_F32, "h=2 n=6 m=7 d=6 e=5 keep normal", 5 },
        err, sizeof err), 0, "%s", err);
    const struct mer_array *keep = trial_in(&t, "keep");
    for (long k = 0; k < array_len(keep); k++) /* The last query of each head sees nothing. */
        array_put((struct mer_array *)keep, k, k / keep->dim[2] % keep->dim[1] < keep->dim[1] - 1);
    cr_assert_geq(trial_profile(&t, "f32", &a, ROUND, err, sizeof err), 0, "%s", err);
    reference_run(&t, &a);
    for (long k = 0; k < 10; k++)
        array_put(&t.out[0], (k / 5 * 6 + at) * 5 + k % 5, (double)NAN);
    cr_assert_gt(trial_profile(&t, "f32", &a, WIDEN, err, sizeof err), 0, "%s", err);
    const bool is = diagnose(&t, &d) && strstr(d.answer[0].m.change, "edit=softmax/") && !d.answer[0].partly;
    cr_log_info("NaN of query %ld: %s", at, d.explained ? d.answer[0].m.id : "no name");
    trial_close(&t);
    return is;
}
Test(edits_infinite, nan_where_nothing_is_visible_has_a_name, .timeout = 120)
{
    cr_expect(nan_has_a_name(5));
    cr_expect(!nan_has_a_name(2));
}

/* A total that may be any small number is no 0: a line whose weights are all nearly lost divides by it, and its answer
 * may be anything, while one whose weights are all certainly 0 is one without keys. */
Test(edits_infinite, weights_that_are_nearly_lost_are_not_lost)
{
    static const char *const change[] = { "plus--1000000000000", "zero" };
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    for (int k = 0; k < 2; k++) {
        struct sought want = { "soft.c:", k ? ":exp:zero" : ":sub:zero" };
        struct trial t;
        struct arith a;
        char err[600], word[200];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, "h=1 g=1 n=1 m=3 d=2 e=1", 5 },
            err, sizeof err), 0, "%s", err);
        edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
        cr_assert(*want.change, "%s is not enumerated", want.op);
        snprintf(word, sizeof word, "%.*s%s", (int)(strrchr(want.change, ':') + 1 - want.change), want.change,
            change[k]);
        cr_assert_geq(arith_read(&a, t.row, word, WIDEN, err, sizeof err), 0, "%s", err);
        struct ask w = { .params = t.params, .call = &t.call, .arith = &a, .len = 1 };
        const struct ball *y[1];
        ask_reset(&w, 100);
        line_page(&w, row_quantity(t.row, "o"), NULL, y);
        cr_expect(k ? b_value(y[0]) == 0 && b_radius(y[0]) == 0 : isinf(b_radius(y[0])) != 0, "%s: %g +- %g", word,
            b_value(y[0]), b_radius(y[0]));
        ask_clear(&w), trial_close(&t);
    }
}

/* Nobody sees a key: every answer is 0 and every log-sum-exp minus infinity, which no trivial output is. */
Test(edits_infinite, that_nothing_is_seen_has_a_name, .timeout = 60)
{
    static const char sizes[] = "h=2 g=1 n=5 m=6 d=4 e=3 normal";
    static struct diagnosis d; /* large */
    struct trial t;
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "quantized", "", "o lse", MER_F32, sizes, 7 }, err, sizeof err),
        0, "%s", err);
    strcpy(t.profile, "dot=f64 score=f64 exp=f64 sum=f64 total=f64 div=f64 log=f64");
    for (long i = 0; i < array_len(&t.out[0]); i++)
        array_put(&t.out[0], i, 0);
    for (long i = 0; i < array_len(&t.out[1]); i++)
        array_put(&t.out[1], i, (double)-INFINITY);
    cr_expect(diagnose(&t, &d) && strstr(d.answer[0].m.change, ":truth:"), "%s", d.answer[0].m.change);
    for (long i = 0; i < array_len(&t.out[1]); i++) /* Zeros alone have too many causes. */
        array_put(&t.out[1], i, 0);
    diagnose(&t, &d);
    cr_expect(!strstr(d.answer[0].m.change, ":truth:") || !d.explained, "%s", d.answer[0].m.change);
    trial_close(&t);
}
