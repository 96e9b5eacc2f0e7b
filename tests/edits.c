/* Wrong variants that nobody wrote down: each is found again, by itself or in a class, from what it answers. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "base/digest.h"
#include "compare/compare.h"
#include "core/gen.h"
#include "diagnose/edits.h"
#include "diagnose/joint/joint.h"
#include "trial/change.h"
#include "trial/valid.h"
#include "part.h"

enum { DRAWN = 6000 };
struct drawn { char change[DRAWN][96]; int n; };
static void draw(const char *change, const char *effect, const char *equal, void *with)
{
    (void)equal;
    struct drawn *d = with;
    cr_assert(*effect);
    if (d->n < DRAWN && strlen(change) < sizeof *d->change)
        strcpy(d->change[d->n++], change);
}

/* Are most numbers of the outputs 0 or not finite?  Such an answer has too many causes to be told. */
static bool says_nothing(const struct trial *t)
{
    long all = 0, some = 0;
    for (int o = 0; o < t->call.n_out; o++)
        for (long i = 0; i < array_len(&t->out[o]); i++) {
            const double x = array_get(&t->out[o], i);
            all++, some += isfinite(x) && x != 0;
        }
    return 2 * some < all;
}

/* The reference with one edit as the subject, rounded once.  0: outside the bounds; 1: within, or it cannot be, or it
 * answers little but 0 and what is not finite. */
static int answered(
    struct trial *t, const char *row, const char *params, const char *out, const char *sizes, const char *change)
{
    struct trial wrong;
    struct arith a;
    struct tally y;
    char err[600];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ row, params, out, MER_F32, sizes, 5 }, err, sizeof err), 0, "%s",
        err);
    int rc = trial_copy(&wrong, t, err, sizeof err) || trial_change(&wrong, change, err, sizeof err) ||
        trial_check(&wrong, err, sizeof err) || trial_profile(&wrong, wrong.profile, &a, ROUND, err, sizeof err) < 0;
    if (!rc) {
        reference_run(&wrong, &a);
        for (int o = 0; o < t->call.n_out; o++)
            memcpy(t->out[o].data, wrong.out[o].data, (size_t)array_len(&t->out[o]) * type_size(t->out[o].type));
        const char *said = row_named(row)->contracts[0].text;
        rc = trial_profile(t, said ? said : "f32", &a, WIDEN, err, sizeof err) <= 0;
        if (!rc)
            judge_outputs(t, &a, 0, &y);
        rc = rc || !y.over || says_nothing(t);
    }
    trial_close(&wrong);
    return rc;
}

/* Do two changes answer the same, bit by bit, to other numbers of the same shapes? */
static bool same_effect(
    const char *row, const char *params, const char *out, const char *sizes, const char *const change[2])
{
    struct trial t[2];
    char err[600];
    bool same = true;
    for (int k = 0; k < 2; k++) {
        struct arith a;
        cr_assert_eq(trial_make(&t[k], &(struct trial_spec){ row, params, out, MER_F32, sizes, 6 }, err, sizeof err), 0,
            "%s", err);
        *t[k].profile = 0;
        same = same && !trial_change(&t[k], change[k], err, sizeof err) && !trial_check(&t[k], err, sizeof err) &&
            trial_profile(&t[k], t[k].profile, &a, ROUND, err, sizeof err) >= 0;
        if (same)
            reference_run(&t[k], &a);
    }
    same = same && !memcmp(t[0].out[0].data, t[1].out[0].data, (size_t)array_len(&t[0].out[0]) * type_size(t[0].type));
    trial_close(&t[0]), trial_close(&t[1]);
    return same;
}

/* An order of texts by chance in which a new one moves no other. */
static uint64_t lot(const char *change) { return gen_bits(2026, 7, digest_text(change)); }
static int by_lot(const void *a, const void *b)
{
    const uint64_t x = lot(a), y = lot(b);
    return x < y ? -1 : x > y;
}

/* Of edits drawn from all of a row's, those of inputs, parameters and steps, or those of the operations of its page:
 * how many that leave the bounds are found, alone or in a class. */
static void finds(const char *row, const char *params, const char *out, const char *sizes, int most, bool sites)
{
    static struct drawn all;
    static struct diagnosis d;
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    char err[600];
    struct trial t;
    int told = 0, found = 0;
    all.n = 0;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ row, params, out, MER_F32, sizes, 5 }, err, sizeof err), 0, "%s",
        err);
    if (sites)
        edits_of_sites(&t, some, 2, WORDS_ALL, draw, &all), edits_of_sites(&t, some, 2, WORDS_APART, draw, &all);
    else
        edits_each(&t, draw, &all);
    trial_close(&t);
    cr_assert_gt(all.n, 60, "%s has %d edits", row, all.n);
    qsort(all.change, (size_t)all.n, sizeof *all.change, by_lot);
    for (int k = 0; told < most && k < 400 && k < all.n; k++) {
        const char *change = all.change[k];
        if (!answered(&t, row, params, out, sizes, change)) {
            told++;
            const bool is = diagnose(&t, &d);
            /* Its own name, one of its class, or another name of the same change. */
            const bool named = is &&
                (diagnosis_holds(&d, change) ||
                    same_effect(row, params, out, sizes, (const char *const[]){ change, d.answer[0].m.change }));
            found += named;
            if (!named)
                cr_log_info("%s %s: not explained; instead %s", row, change, is ? d.answer[0].m.id : "nothing");
        }
        trial_close(&t);
    }
    cr_expect(told >= most / 2 && 5 * found >= 4 * told, "%s: %d of %d edits are found again", row, found, told);
    cr_log_info("%s: %d of %d found again, of %d", row, found, told, all.n);
}
Test(edits, what_is_planted_is_found_again, .timeout = 300)
{
    finds("attention", "causal=bottomright", "o", "h=4 g=2 n=5 m=9 d=8 e=6 bias keep normal", 12, false);
    finds("rope", "dim=24", "y", "h=2 n=9 normal", 8, false);
    finds("alibi", "heads=6", "bias", "n=5 m=7", 4, false);
}
/* The same of operations of pages, each at the line where it is written: nobody wrote one of them down. */
Test(edits, an_operation_done_differently_is_found_again, .timeout = 600)
{
    if (is_due(0, 2)) /* the two dear ones in turn */
        finds("attention", "causal=bottomright", "o", "h=4 g=2 n=5 m=9 d=8 e=6 bias keep normal", 18, true);
    if (is_due(1, 2))
        finds("shaw", "", "o", "h=2 n=5 m=7 d=6 e=5 normal", 8, true);
    finds("rope", "dim=24", "y", "h=2 n=9 normal", 8, true);
    finds("alibi", "heads=6", "bias", "n=5 m=7", 6, true);
}

/* Rows made of rows hand each other lines of numbers, and an edit of an index reads lines that the page alone would not
 * make: they are there all the same.  A line that was left out was a null pointer once.  Where every place that an edit
 * can reach holds a number, so does the answer. */
static int reads_lines(const struct trial_spec *spec, bool finite)
{
    static struct drawn all;
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    char err[600];
    struct trial t;
    int lines = 0;
    all.n = 0;
    if (trial_make(&t, spec, err, sizeof err))
        return 0;
    edits_of_sites(&t, some, 2, WORDS_ALL, draw, &all);
    for (int k = 0; k < all.n; k++) {
        struct trial wrong;
        struct arith a;
        if (!strstr(all.change[k], ":index.") && !strstr(all.change[k], ":line."))
            continue;
        cr_assert_eq(trial_copy(&wrong, &t, err, sizeof err), 0, "%s", err);
        *wrong.profile = 0;
        cr_assert_eq(trial_change(&wrong, all.change[k], err, sizeof err), 0, "%s", err);
        cr_assert_geq(trial_profile(&wrong, wrong.profile, &a, ROUND, err, sizeof err), 0, "%s", err);
        reference_run(&wrong, &a);
        for (long i = 0; finite && i < array_len(&wrong.out[0]); i++)
            cr_expect(isfinite(array_get(&wrong.out[0], i)), "%s %s: element %ld is no number", spec->row,
                all.change[k], i);
        trial_close(&wrong), lines++;
    }
    trial_close(&t);
    return lines;
}
Test(edits, of_an_index_reach_lines_that_the_page_alone_leaves_out, .timeout = 120)
{
    cr_assert_gt(
        reads_lines(&(struct trial_spec){ "layer", "heads=2 width=4", "y", MER_F32, "n=3 c=6 normal", 5 }, true), 20);
    cr_assert_gt(
        reads_lines(&(struct trial_spec){ "block", "heads=2 width=4", "encoder", MER_F32, "n=3 c=6 normal", 5 }, true),
        20);
}
Test(edits, of_an_index_are_answered_in_every_row, .timeout = 300)
{
    int lines = 0;
    for (const struct row *const *r = all_rows; *r; r++) {
        struct sign first;
        if (!is_due(r - all_rows, 4))
            continue;
        sign_read(&first, (*r)->q[0].sign);
        lines += reads_lines(&(struct trial_spec){ (*r)->name, "", first.out.name, MER_F32, NULL, 5 }, false);
    }
    cr_assert_gt(lines, 100, "%d edits of an index", lines);
}

/* Keeps the first change that holds both texts, or the last. */
struct wanted { const char *kind, *op; bool last; char change[96]; };
static void keep_first(const char *change, const char *effect, const char *equal, void *with)
{
    (void)equal;
    struct wanted *x = with;
    (void)effect;
    const bool is = strstr(change, x->kind) && strstr(change, x->op) && strlen(change) < sizeof x->change;
    if (is && (x->last || !*x->change))
        strcpy(x->change, change);
}

/* What a page computes is taken of another place: of the next query or head, along the keys, of the next turn; masks
 * and sums do something else.  Each is enumerated, and found again by itself or in its class. */
Test(edits, numbers_of_another_place_have_names, .timeout = 300)
{
    static const char sizes[] = "h=4 g=2 n=5 m=9 d=8 e=6 bias normal", kept[] = "h=4 g=2 n=3 m=12 d=8 e=6 keep normal";
    static const struct { const char *row, *params, *out, *sizes; struct wanted want; } asked[] = {
        { "attention", "causal=bottomright", "o", sizes, { ":exp.1:", "roll" } },
        { "attention", "causal=bottomright", "o", sizes, { ":exp.p:", "summed" } },
        { "attention", "causal=bottomright", "o", sizes, { ":sum.0:", "back" } },
        { "attention", "causal=bottomright", "o", sizes, { ":sum:", "largest" } },
        { "attention", "causal=bottomright", "o", sizes, { ":index.2:", "first" } },
        /* The last condition is that of causality: without the first, that of documents, no key is seen at all. */
        { "attention", "causal=bottomright", "o", sizes, { "visible.c:", "truth:not", .last = true } },
        { "attention", "causal=bottomright", "o", kept, { "visible.c:", "both:either" } },
        /* Where the last queries see all keys, a hidden one is +inf or NaN to the others alone. */
        { "attention", "causal=offset offset=6", "lse", sizes, { ":mask:", "negate" } },
        { "attention", "causal=offset offset=6", "o", sizes, { ":mask:", "nan" } },
        { "attention", "causal=offset offset=6", "o", sizes, { ":mask:", "zero" } },
        { "attention", "causal=offset offset=-2 empty=mean", "o", sizes, { "mix.c:", "truth:not" } },
        { "attention", "causal=bottomright", "o", sizes, { ":div:", "minus-one" } },
        { "rope", "dim=24", "y", "h=2 n=9 normal", { ":mul.1:", "summed:3of4" } },
        { "alibi", "heads=6", "bias", "n=5 m=7", { ":apart:", "square" } },
        { "alibi", "heads=6", "bias", "n=5 m=7", { ":apart-left:", "negate" } },
        { "rope", "dim=24", "y", "h=2 n=9 normal", { ":cos:", "tan" } },
        /* The last power is base^(-2k/r), which the page itself writes as a quotient. */
        { "rope", "dim=24", "y", "h=2 n=9 normal", { ":pow:", "mul", .last = true } },
        /* d^(-1/2), as many write the scale, with a product in place of the power. */
        { "attention", "causal=bottomright", "o", sizes, { "score.c:", "pow:mul" } },
        /* Where the numbers of a pair lie: in halves, and interleaved. */
        { "rope", "dim=24", "y", "h=2 n=9 normal", { "rotary.c:", "plus:left" } },
        { "rope", "dim=24 layout=interleaved", "y", "h=2 n=9 normal", { "rotary.c:", "times:more" } },
        { "sinusoid", "dim=24 layout=concat", "p", "n=9", { "sinusoid.c:", "plus:left", .last = true } },
        /* A convolution that sees one token too many, and rows of a table that begin elsewhere. */
        { "conv", "", "y", "n=9 c=5 normal", { "conv.c:", "apart:less" } },
        { "learned", "rows=40 offset=2", "p", "n=9", { "learned.c:", "plus:right" } },
        { "alibi", "heads=6", "bias", "n=5 m=7", { ":pow.0:", "even" } },
        { "alibi", "heads=6", "bias", "n=5 m=7", { ":plus:", "double" } },
        { "alibi", "heads=6", "bias", "n=5 m=7", { ":apart.1:", "roll" } },
        { "t5", "buckets=16 max_distance=32", "bias", "n=30 m=33", { ":over:", "right" } },
        { "t5", "buckets=16 max_distance=32", "bias", "n=30 m=33", { ":less:", "further" } },
        /* Both directions taken for one, and distances beyond the exact ones that do not count on from these. */
        { "t5", "buckets=16 max_distance=32", "bias", "n=30 m=33", { "t5.c:", "truth:not" } },
        { "t5", "buckets=16 max_distance=32 route=logarithm", "bias", "n=30 m=33", { "buckets.c:", "add:right" } },
        /* The base of the heads behind those of a power of two alone, and keys that are squared before a distance. */
        { "alibi", "heads=6", "bias", "n=5 m=7", { "alibi.c:", "integer:more", .last = true } },
        { "alibi", "heads=6", "bias", "n=5 m=7", { "alibi.c:76:", "whole:square" } },
        { "shaw", "", "o", "h=2 g=2 n=7 m=9 normal", { ":clip:", "halve" } },
        { "shaw", "", "o", "h=2 g=2 n=7 m=9 normal", { "clipped.c:", "apart:reversed" } },
        { "attention", "causal=bottomright", "o", sizes, { ":less:", "further" } },
    };
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    static struct diagnosis d;
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        struct wanted want = asked[k].want;
        struct trial t;
        char err[600];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ asked[k].row, asked[k].params, asked[k].out, MER_F32,
            asked[k].sizes, 5 }, err, sizeof err), 0, "%s", err);
        edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
        edits_of_sites(&t, some, 2, WORDS_APART, keep_first, &want);
        trial_close(&t);
        cr_assert(*want.change, "%s: %s%s is not enumerated", asked[k].row, want.kind, want.op);
        cr_assert_eq(answered(&t, asked[k].row, asked[k].params, asked[k].out, asked[k].sizes, want.change), 0, "%s",
            want.change);
        cr_expect(diagnose(&t, &d) && (diagnosis_holds(&d, want.change) ||
            same_effect(asked[k].row, asked[k].params, asked[k].out, asked[k].sizes,
                (const char *const[]){ want.change, d.answer[0].m.change })), "%s: %s", want.change, d.answer[0].m.id);
        trial_close(&t);
    }
}

/* The last operation of a page, taken at another place, gives the answer of that place, where that is no number, too:
 * of queries that see no key the log-sum-exp is minus infinity to every base. */
Test(edits, the_last_number_of_another_place_is_its_answer, .timeout = 60)
{
    static const char sizes[] = "h=4 g=2 n=40 m=3 d=4 e=4 keep normal";
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    struct wanted want = { ":div.0:", "even" };
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
Test(edits, a_query_that_sees_none_is_told_by_a_condition)
{
    static const char *const params[] = { "causal=offset offset=-2", "causal=offset offset=-2 empty=nan",
        "causal=offset offset=-2 empty=mean" };
    static const char sizes[] = "h=1 g=1 n=5 m=4 d=3 e=2 normal";
    static const struct place some[] = { { 0, 0 }, { 0, 4 } };
    for (int k = 0; k < 6; k++) {
        const bool lse = k / 3;
        struct wanted want = { "mix.c:", "truth:not" };
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
Test(edits, the_total_of_a_query_that_sees_none_is_zero)
{
    static const char params[] = "scale=1 empty=nan", sizes[] = "h=1 g=1 n=4 m=3 d=1 e=1 keep normal";
    static const bool sees[4] = { false, true, true, false };
    struct wanted want = { "soft.c:", "sum.1:back" };
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
Test(edits, infinities_are_told_from_each_other_and_from_nan, .timeout = 60)
{
    static const char params[] = "causal=bottomright", sizes[] = "h=4 g=2 n=9 m=7 d=8 e=6 normal";
    static const char *const ops[] = { "negate", "nan" };
    static struct diagnosis d;
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    for (int k = 0; k < 2; k++) {
        struct wanted want = { ":mask:", ops[k] };
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
Test(edits, zeros_and_quotients_by_zero_have_names, .timeout = 60)
{
    static const struct { const char *row, *params, *out, *sizes, *change; bool of_class; } asked[] = {
        { "shaw", "", "o", "h=2 g=2 n=7 m=9 normal", "edit=out:0:out:zero", false },
        { "attention", "base=2", "lse", "h=4 g=2 n=9 m=2 d=8 e=6 normal", ":integer:one", true },
    };
    static struct diagnosis d;
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        static const struct place some[] = { { 0, 0 }, { 0, 3 } };
        struct wanted want = { "score.c:", asked[k].change, .last = true };
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

/* A lost tail is all that a short axis has: the answer is 0 there, which has too many causes, and the cause is that of
 * another failure of the kernel.  By itself the first one has no name. */
Test(edits, a_trivial_answer_has_the_name_of_the_other_failures, .timeout = 120)
{
    static struct diagnosis d;
    static const char lost[] = "edit=out:0:out.1:tail-8";
    struct trial t, other;
    joint_begin("short");
    cr_assert_eq(answered(&other, "alibi", "heads=6", "bias", "n=12 m=7", lost), 0);
    answered(&t, "alibi", "heads=6", "bias", "n=5 m=7", lost);
    cr_expect(diagnose(&t, &d) && diagnosis_holds(&d, "edit=out:0:out:zero") && !diagnosis_holds(&d, lost));
    joint_fresh(&other);
    cr_expect(joint_diagnose(&t, &d) && !d.alone && diagnosis_holds(&d, lost), "%s", d.answer[0].m.id);
    trial_close(&t), trial_close(&other);
    joint_begin(NULL);
}

/* One cause of several outputs of a row: what stands for one of them is found for the next without a search, of the
 * same subject alone. */
Test(edits, what_stands_for_one_output_is_the_cause_of_another, .timeout = 120)
{
    static const struct mer_kernel bias = { .row = "t5", .out = "bias", .type = "f32" },
                                   bucket = { .row = "t5", .out = "bucket", .type = "f32" };
    static const char params[] = "buckets=16 max_distance=32", *const subjects[] = { "one", "one", "another" };
    static struct diagnosis d;
    struct wanted want = { "buckets.c:", ":whole:more" };
    struct trial t;
    char err[600];
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "t5", params, "bias", MER_F32, "n=30 m=33", 5 }, err, sizeof err),
        0, "%s", err);
    edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
    trial_close(&t);
    for (int k = 0; k < 3; k++) {
        joint_kernel(subjects[k], k ? &bucket : &bias);
        cr_assert_eq(answered(&t, "t5", params, k ? "bucket" : "bias", k ? "n=60" : "n=30 m=33", want.change), 0, "%s",
            want.change);
        cr_expect(joint_diagnose(&t, &d) && diagnosis_holds(&d, want.change), "%s: %s", want.change, d.answer[0].m.id);
        cr_expect((d.work > 0) == (k != 1), "%s: work %g", subjects[k], d.work);
        trial_close(&t);
    }
    joint_begin(NULL);
}

/* Keeps which of the documents' words begin one of the row's. */
struct shown { char word[24][96]; bool there[24]; int n; };
static void find_shown(const char *change, const char *effect, const char *equal, void *with)
{
    struct shown *x = with;
    (void)effect, (void)equal;
    for (int k = 0; k < x->n; k++)
        x->there[k] |= !strncmp(change, x->word[k], strlen(x->word[k])) &&
            strchr(".:-", change[strlen(x->word[k])]);
}
/* Takes the words "edit=FILE:LINE:KIND" of a document. */
static void take_shown(struct shown *x, const char *path)
{
    char line[4000];
    FILE *f = fopen(path, "r");
    cr_assert(f != NULL, "%s", path);
    while (fgets(line, sizeof line, f))
        for (const char *s = line; (s = strstr(s, "edit="));) {
            char file[60], kind[20];
            int at;
            s += 5;
            if (sscanf(s, "%59[a-z0-9_/].c:%d:%19[a-z]", file, &at, kind) != 3)
                continue;
            cr_assert_lt(x->n, 24);
            snprintf(x->word[x->n++], sizeof *x->word, "edit=%s.c:%d:%s", file, at, kind);
        }
    fclose(f);
}
/* Examples name lines of pages, which move: each is an operation that some row has there. */
Test(edits, words_that_documents_show_are_there, .timeout = 60)
{
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    static const char *const documents[] = { "harness/README.md", "ref/core/edit/site.h", "ref/core/edit/whole.h",
        "harness/diagnose/diagnose.h", "harness/diagnose/diagnose.c" };
    static struct shown x;
    char err[400];
    for (size_t k = 0; k < sizeof documents / sizeof *documents; k++)
        take_shown(&x, documents[k]);
    cr_assert_geq(x.n, 8, "%d words", x.n);
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct quantity *q = (*r)->q; q->sign && q < (*r)->q + 2; q++) {
            struct sign s;
            struct trial t;
            sign_read(&s, q->sign);
            if (!trial_make(&t, &(struct trial_spec){ (*r)->name, "", s.out.name, MER_F32, "", 5 }, err, sizeof err))
                edits_of_sites(&t, some, 2, WORDS_ALL, find_shown, &x);
            trial_close(&t);
        }
    for (int k = 0; k < x.n; k++)
        cr_expect(x.there[k], "%s: no row has such an operation there", x.word[k]);
}

/* A page that is looked at answers what it answers otherwise; and a word that names no place, kind or operation is
 * refused. */
Test(edits, a_page_that_is_looked_at_is_the_same)
{
    struct arith a;
    char err[600];
    static const char *const unknown[] = { "edit=nowhere:0:add:zero", "edit=nowhere:1:in:zero" };
    static const char *const elsewhere[] = { "edit=nowhere:0:add:zero", "edit=nowhere:1:mul.2:roll" };
    cr_expect(!same_effect("shaw", "", "o", "", unknown));
    cr_expect(same_effect("shaw", "", "o", "", elsewhere));
    for (const char *const *s = (const char *const[]){ "edit=rope.c:1:mul:roll", "edit=rope.c:1:mul.9:roll",
             "edit=rope.c:mul:div", "edit=rope.c:1:mul:div:5of4", "edit=rope.c:1:mul:div:1of4:2", NULL }; *s; s++)
        cr_expect_eq(arith_read(&a, row_named("rope"), *s, WIDEN, err, sizeof err), -1, "%s", *s);
}

/* Failures of one kernel are one story: what explains the first and not the second is no name for both. */
Test(edits, a_name_explains_all_failures_of_a_kernel, .timeout = 120)
{
    static struct diagnosis d;
    static const char *const sizes[] = { "h=2 g=2 n=4 m=7 d=8 e=5 normal", "h=2 g=2 n=6 m=9 d=7 e=5 normal" };
    struct trial t;
    joint_begin("one");
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(answered(&t, "attention", "", "o", sizes[k], "k@m=reverse"), 0);
        cr_expect(joint_diagnose(&t, &d) && !d.alone && diagnosis_holds(&d, "k@m=reverse"), "%s", d.answer[0].m.id);
        trial_close(&t);
    }
    cr_assert_eq(answered(&t, "attention", "", "o", sizes[0], "q@d=roll"), 0);
    joint_diagnose(&t, &d);
    cr_expect(d.alone && !diagnosis_holds(&d, "k@m=reverse"), "%s", d.answer[0].m.id);
    trial_close(&t);
    joint_begin("another");
    cr_assert_eq(answered(&t, "attention", "", "o", sizes[0], "q@d=roll"), 0);
    cr_expect(joint_diagnose(&t, &d) && !d.alone, "%s", d.answer[0].m.id);
    trial_close(&t);
    joint_begin(NULL);
}

/* A kernel that computes with a number of its own, whatever is declared: the first failure alone cannot tell it from a
 * number that is one too large, and the second one does. */
Test(edits, a_number_of_its_own_is_told_from_one_more, .timeout = 120)
{
    static const struct { const char *declared, *is; } asked[] = {
        { "causal=bottomright window=3", "window=4" },
        { "causal=bottomright window=6", "window=4" },
    };
    static const char *const names[] = { "window+1", "window=4" }, sizes[] = "h=2 g=2 n=7 m=12 d=8 e=5 normal";
    static struct diagnosis d;
    struct trial t;
    joint_begin("four");
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(answered(&t, "attention", asked[k].declared, "o", sizes, asked[k].is), 0);
        cr_expect(joint_diagnose(&t, &d) && !d.alone && diagnosis_holds(&d, names[k]), "%s", d.answer[0].m.id);
        trial_close(&t);
    }
    joint_begin(NULL);
}

/* A kernel that exchanges two layouts is one story under both, said by the name that each of them has. */
Test(edits, an_exchanged_layout_has_a_name_under_both, .timeout = 120)
{
    static const struct { const char *declared, *is; } asked[] = {
        { "dim=24 layout=half", "layout=interleaved" },
        { "dim=24 layout=interleaved", "layout=half" },
        { "dim=24 layout=half base=500", "layout=interleaved" },
    };
    static struct diagnosis d;
    struct trial t;
    joint_begin("exchanged");
    for (int k = 0; k < 3; k++) {
        cr_assert_eq(answered(&t, "rope", asked[k].declared, "y", "h=2 n=7 normal", asked[k].is), 0);
        cr_expect(joint_diagnose(&t, &d) && !d.alone && !strcmp(d.answer[0].m.change, asked[k].is), "%s: %s",
            asked[k].declared, d.answer[0].m.change);
        trial_close(&t);
    }
    joint_begin(NULL);
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
Test(edits, nan_where_nothing_is_visible_has_a_name, .timeout = 120)
{
    cr_expect(nan_has_a_name(5));
    cr_expect(!nan_has_a_name(2));
}

/* Keys and values that one function reads are inputs that share a letter: an operation on all of them has one name. */
Test(edits, of_all_inputs_with_a_letter_have_names, .timeout = 60)
{
    static const char sizes[] = "h=4 g=2 n=5 m=9 d=8 e=6 normal";
    static const char *const changes[] = { "@g=f16", "@g=halve", "@g=negate" };
    static struct diagnosis d;
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        struct trial t;
        cr_assert_eq(answered(&t, "attention", "causal=bottomright", "o", sizes, changes[k]), 0);
        cr_expect(diagnose(&t, &d) && diagnosis_holds(&d, changes[k]), "%s: %s", changes[k], d.answer[0].m.id);
        cr_expect(k || strstr(d.answer[0].repair, "axis g"), "%s", d.answer[0].repair);
        trial_close(&t);
    }
}

/* length=-1 says that there is no padding: one more than that is no mistake by one. */
Test(edits, what_is_none_is_not_counted_on)
{
    static const struct { const char *params; int rc; } asked[] = { { "", -1 }, { "length=3", 0 }, { "length=0", 0 } };
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        struct trial t;
        char err[600] = "";
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", asked[k].params, "o", MER_F32, NULL, 5 }, err,
            sizeof err), 0, "%s", err);
        cr_expect(trial_change(&t, "length+=1", err, sizeof err) == asked[k].rc, "%s: %s", asked[k].params, err);
        cr_expect(!asked[k].rc || strstr(err, "length"), "%s", err);
        trial_close(&t);
    }
}

/* What stands in place of another: the number of a parameter is written by its name. */
Test(edits, a_parameter_takes_the_number_of_another)
{
    struct trial t;
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=bottomright chunk=5", "o", MER_F32, "n=9",
        3 }, err, sizeof err), 0);
    cr_assert_eq(trial_change(&t, "chunk=0 window=chunk", err, sizeof err), 0, "%s", err);
    cr_expect(mer_int(&t.call, "window") == 5 && mer_int(&t.call, "chunk") == 0, "%s", t.text);
    cr_expect_neq(trial_change(&t, "causal=chunk", err, sizeof err), 0);
    trial_close(&t);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=8", "y", MER_F32, "n=3", 3 }, err, sizeof err), 0);
    cr_assert_eq(trial_change(&t, "layout+=3", err, sizeof err), 0, "%s", err);
    cr_expect(mer_is(&t.call, "layout", "interleaved"), "%s", t.text);
    cr_assert_eq(trial_change(&t, "layout+=-5", err, sizeof err), 0, "%s", err);
    cr_expect(mer_is(&t.call, "layout", "half"), "%s", t.text);
    /* Of several words none is lost. */
    const double x = array_get(&t.in[0], 5);
    cr_assert_eq(trial_change(&t, "x*=4 x*=-2 layout=interleaved", err, sizeof err), 0, "%s", err);
    cr_expect(array_get(&t.in[0], 5) == -8 * x && x != 0 && mer_is(&t.call, "layout", "interleaved"), "%s", t.text);
    cr_expect_neq(trial_change(&t, "x*=4 nothing=1", err, sizeof err), 0);
    trial_close(&t);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, "n=4 m=4 h=1 g=1 d=8 e=8", 3 },
        err, sizeof err), 0);
    const double key = array_get(mer_find(t.in, t.call.n_in, "k"), 3), value = array_get(
        mer_find(t.in, t.call.n_in, "v"), 3);
    cr_assert_eq(trial_change(&t, "k<>v v*=2", err, sizeof err), 0, "%s", err);
    cr_expect(array_get(mer_find(t.in, t.call.n_in, "k"), 3) == value &&
        array_get(mer_find(t.in, t.call.n_in, "v"), 3) == 2 * key, "an exchange, and what is left of its line");
    trial_close(&t);
}

/* A constant that a step holds, a scale or a cap, is no result of it: an edit of the step changes what it gives,
 * once. */
Test(edits, once)
{
    static const struct {
        const char *row, *params, *out, *edit, *same;
    } list[] = {
        { "attention", "scale=1/2", "o", "edit=score:double", "scale=1" },
        { "attention", "", "o", "edit=score:double", "q@=double" },
        { "attention", "", "o", "edit=score:negate", "q@=negate" },
        { "shaw", "", "o", "edit=score:negate", "q@=negate" },
        { "softmax", "scale=1/2", "p", "edit=score:double", "scale=1" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect(same_effect(list[k].row, list[k].params, list[k].out, "",
                      (const char *const[]){ list[k].edit, list[k].same }),
            "%s %s: %s and %s", list[k].row, list[k].params, list[k].edit, list[k].same);
}
