/* What every relative-attention row must keep to: lengths of one and two, more keys than queries and fewer, positions
 * past 65536, hidden keys that hold NaN, no key at all; shapes that disagree are named, parameters that are undefined
 * are refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "compare/compare.h"
#include "kernels.h"
#include "part.h"
#include "trial/trial.h"

static const struct { const char *row, *params; } rows[] = {
    { "shaw", "least=-1 most=3" },
    { "shaw", "least=-1 most=3 memory=4" },
    { "shaw", "least=65530 most=65536 sign=query-key memory=65539" },
    { "shaw", "least=-3 most=0 beyond=zero causal=causal memory=2" },
    { "t5", "heads=2" },
    { "t5", "heads=3 direction=causal offset=65539" },
    { "deberta", "span=3" },
    { "deberta", "p2c_index=code distance=log memory=65539" },
    { "deberta", "span=300 memory=37" },
    { "deberta", "span=300 terms=p2c distance=log max_position=20000 beyond=open" },
    { "tener", "dim=6 memory=4" },
    { "tener", "dim=7 odd=zero sign=key-query extra=key layout=concat spacing=shifted memory=65539" },
    { "nezha", "reach=2 memory=3" },
    { "nezha", "dim=7 argument=distance" },
    { "nezha", "memory=65538 reach=65536 layout=concat" },
    { "txl", "" },
    { "txl", "clamp=4" },
    { "txl", "clamp=0 sign=key-query" },
    { "txl", "causal=none layout=interleaved clamp=3" },
    { "txl", "causal=none sign=key-query base=100" },
    { "xlnet", "clamp=2" },
    { "xlnet", "causal=causal sign=key-query layout=interleaved" },
    { "xlnet", "clamp=1 cut=above" },
};
enum { ROWS = sizeof rows / sizeof *rows };

/* f answers how many of its cases the kernel offered.  The scalar kernel offers every case; those of another slot
 * together offer none or every one. */
static void with_kernels(
    const char *row, int (*f)(const struct mer_kernel *k, const char *params), const char *params, int cases)
{
    for (const struct slot *s = slots; s->name; s++) {
        int seen = 0, first = s == slots || strcmp(s[-1].name, s->name) != 0;
        for (const struct slot *t = s; first && t->name && !strcmp(t->name, s->name); t++)
            for (const struct mer_kernel *k = t->kernel; t->here() && k->row; k++)
                if (!strcmp(k->row, row) && !strcmp(k->out, "o lse"))
                    seen += f(k, params);
        cr_expect(seen == cases || (seen == 0 && s != slots), "%s %s: slot %s offers %d of %d cases", row, params,
            s->name, seen, cases);
    }
}

/* Hides a third of the pairs, and key 1 from everybody; what is hidden from all holds NaN. */
static void poison(struct trial *t, uint64_t seed)
{
    struct mer_array *keep = trial_in(t, "keep"), *k = trial_in(t, "k"), *v = trial_in(t, "v");
    for (long i = 0; i < array_len(keep); i++)
        array_put(keep, i, i % keep->dim[2] != 1 && gen_bits(seed, 5, (uint64_t)i) % 3 != 0);
    for (long h = 0; h < k->dim[0] && k->dim[1] > 1; h++) {
        for (long c = 0; c < k->dim[2]; c++)
            array_put(k, (h * k->dim[1] + 1) * k->dim[2] + c, (double)NAN);
        for (long c = 0; c < v->dim[2]; c++)
            array_put(v, (h * v->dim[1] + 1) * v->dim[2] + c, (double)NAN);
    }
}

/* Pairs of query and key from which on a third of the sizes is judged, others on another day. */
enum { LARGE = 1000 };
static int lengths(const struct mer_kernel *k, const char *params)
{
    int offered = 0;
    static const int size[][2] = { { 1, 1 }, { 1, 2 }, { 2, 1 }, { 2, 2 }, { 3, 7 }, { 7, 3 }, { 5, 17 }, { 53, 70 },
        { 3, 530 }, { 103, 700 }, { 1103, 20 } };
    for (size_t z = 0; z < sizeof size / sizeof *size; z++) {
        char sizes[64], err[400];
        struct trial t;
        struct tally y;
        struct arith a;
        snprintf(sizes, sizeof sizes, "n=%d m=%d keep", size[z][0], size[z][1]);
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, params, k->out, MER_F32, sizes, z + 1 }, err,
            sizeof err), 0, "%s", err);
        cr_assert_gt(trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
        poison(&t, z);
        int rc = mer_ask(k, &t.call);
        cr_assert(rc == MER_OK || rc == MER_SKIP, "%s %s %s", k->row, params, sizes);
        offered += rc == MER_OK;
        const bool judged = rc == MER_OK && (size[z][0] * size[z][1] < LARGE || is_due((long)(z + strlen(params)), 3));
        if (judged)
            judge_outputs(&t, &a, size[z][1] < 700 ? 24 : 4, &y);
        cr_expect(!judged || tally_passes(&y),
            "%s %s %s: %ld of %ld over, undecided %ld, %s %ld %ld | %ld got %a want %a", k->row, params, sizes, y.over,
            y.n, y.undecided, y.out, y.at[0], y.at[1], y.k, y.got, y.want);
        trial_close(&t);
    }
    return offered;
}
Test(relative, kernels_stay_in_bounds_at_every_length_and_pass_over_hidden_keys)
{
    for (int r = 0; r < ROWS; r++)
        with_kernels(rows[r].row, lengths, rows[r].params, 11);
}

/* Rows whose memory is the keys that are there: distances past 65536 need as many keys; all but a few are hidden, which
 * costs nothing. */
Test(relative, distances_past_65536_are_right)
{
    static const char *const far[] = { "txl", "xlnet" };
    static const long seen[] = { 0, 1, 7, 40000, 65599, 65601, 65602 };
    for (size_t r = 0; r < sizeof far / sizeof *far; r++)
        for (const struct slot *s = slots; s->name; s++)
            for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++) {
                struct trial t;
                struct tally y;
                struct arith a;
                char err[400];
                if (strcmp(k->row, far[r]) || strcmp(k->out, "o lse"))
                    continue;
                cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, "", k->out, MER_F32,
                    "h=1 n=2 m=65603 d=3 e=2 c=4 keep", 5 }, err, sizeof err), 0, "%s", err);
                cr_assert_gt(trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
                struct mer_array *keep = trial_in(&t, "keep");
                memset(keep->data, 0, (size_t)array_len(keep) * 8);
                for (size_t j = 0; j < sizeof seen / sizeof *seen; j++)
                    array_put(keep, seen[j], 1), array_put(keep, 65603 + seen[j], 1);
                int rc = mer_ask(k, &t.call);
                cr_assert(rc == MER_OK || (rc == MER_SKIP && s != slots), "%s", k->row);
                if (rc == MER_SKIP) {
                    trial_close(&t);
                    continue;
                }
                judge_outputs(&t, &a, 4, &y);
                cr_expect(tally_passes(&y), "%s: %ld of %ld over, ratio %g, %s %ld %ld | %ld got %a want %a", k->row,
                    y.over, y.n, y.ratio, y.out, y.at[0], y.at[1], y.k, y.got, y.want);
                trial_close(&t);
            }
}

static int no_key(const struct mer_kernel *k, const char *params)
{
    struct trial t;
    char err[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, params, k->out, MER_F32, "n=2 m=1", 1 }, err, sizeof err),
        0, "%s", err);
    trial_in(&t, "k")->dim[1] = trial_in(&t, "v")->dim[1] = 0;
    int rc = mer_ask(k, &t.call);
    cr_assert(rc == MER_OK || rc == MER_SKIP);
    for (long i = 0; rc == MER_OK && i < array_len(&t.out[0]); i++)
        cr_expect_eq(array_get(&t.out[0], i), 0, "%s", k->row);
    for (long i = 0; rc == MER_OK && i < array_len(&t.out[1]); i++)
        cr_expect_eq(array_get(&t.out[1], i), -(double)INFINITY, "%s", k->row);
    trial_in(&t, "q")->dim[1] = t.out[0].dim[1] = t.out[1].dim[1] = 0; /* Now there is no query either. */
    cr_expect_eq(mer_ask(k, &t.call), rc);
    trial_close(&t);
    return rc == MER_OK;
}
Test(relative, no_key_at_all_gives_zero_and_minus_infinity)
{
    for (int r = 0; r < ROWS; r++)
        with_kernels(rows[r].row, no_key, rows[r].params, 1);
}

Test(relative, undefined_parameters_are_refused_in_words)
{
    static const struct {
        const char *row, *params, *says;
    } bad[] = { { "shaw", "least=2 most=1", "at most most" }, { "shaw", "scale=-1", "below 0" },
        { "shaw", "least=-65537", "-65537" }, { "shaw", "sign=both", "both" },
        { "deberta", "distance=log span=1", "fewer than 2" },
        { "deberta", "distance=log span=8 max_position=5", "must exceed" }, { "tener", "dim=7", "odd width" },
        { "tener", "dim=2 spacing=shifted", "is 0" }, { "flat", "words=2,1", "behind its tail" },
        { "flat", "chars=9 reach=7", "does not cover" }, { "expansion", "least=2 most=1", "at most most" },
        { "nezha", "base=1", "greater than 1" }, { "nezha", "dim=1", "1" }, { "nezha", "reach=-1", "-1" },
        { "txl", "base=1/2", "greater than 1" }, { "txl", "clamp=-2", "-2" }, { "txl", "eps=-1", "not be below 0" },
        { "xlnet", "base=0", "greater than 1" }, { "xlnet", "clamp=-2", "-2" }, { "xlnet", "scale=-1/2", "below 0" } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct trial t;
        char err[400] = "";
        cr_expect_eq(trial_make(&t, &(struct trial_spec){ bad[k].row, bad[k].params, "o", MER_F32, "", 1 }, err,
            sizeof err), -1, "%s", bad[k].params);
        cr_expect(strstr(err, bad[k].says) && !strchr(err, '\n'), "%s %s: %s", bad[k].row, bad[k].params, err);
        trial_close(&t);
    }
}

Test(relative, shapes_that_disagree_are_named)
{
    static const struct { const char *row, *params, *array; int axis; const char *says; } bad[] = {
        { "shaw", "least=-1 most=3", "tk", 0, "'tk' axis r is 6, expected 5" },
        { "shaw", "", "v", 1, "'v' axis m is 6, expected 5" },
        { "shaw", "", "k", 2, "'k' axis d is 9, expected 8" },
        { "deberta", "span=3", "qr", 1, "'qr' axis r is 7, expected 6" },
        { "tener", "", "u", 1, "'u' axis d is 9, expected 8" },
        { "expansion", "least=-1 most=3", "rk", 1, "'rk' axis r is 6, expected 5" },
        { "txl", "", "vr", 1, "'vr' axis d is 9, expected 8" },
        { "txl", "", "u", 0, "'u' axis h is 3, expected 2" },
        { "txl", "", "wr", 2, "'wr' axis d is 9, expected 8" },
        { "xlnet", "", "seg", 1, "'seg' axis m is 6, expected 5" },
        { "xlnet", "", "se", 1, "'se' axis h is 3, expected 2" },
        { "nezha", "dim=8", "v", 2, "'v' axis d is 9, expected 8" },
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct trial t;
        char err[400] = "";
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ bad[k].row, bad[k].params, "o", MER_F32, "n=3 m=5 d=8", 1 },
            err, sizeof err), 0, "%s", err);
        trial_in(&t, bad[k].array)->dim[bad[k].axis]++;
        cr_expect_eq(trial_check(&t, err, sizeof err), -1);
        cr_expect(strstr(err, bad[k].says) && strstr(err, "->"), "%s: %s", bad[k].array, err);
        trial_in(&t, bad[k].array)->dim[bad[k].axis]--;
        trial_close(&t);
    }
}
