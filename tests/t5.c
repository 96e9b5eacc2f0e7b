/* Every distance to 4096 of many configurations: the kernel's starts, the page's powers of integers, and the ties;
 * bfloat16 logarithms fail where they are known to. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "compare/compare.h"
#include "kernels.h"
#include "law.h"
#include "trial/trial.h"

extern const struct mer_kernel t5_scalar[];
enum { FAR = 4096 };

static void ask(struct trial *t, const char *params)
{
    char err[300];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ "t5", params, "bucket", MER_F32, "n=8193", 1 }, err, sizeof err),
        0, "%s", err);
    for (long k = 0; k <= 2 * FAR; k++)
        array_put(&t->in[0], k, (double)(k - FAR));
}

Test(t5, every_bucket_of_every_distance_to_4096_is_exact)
{
    static const int size[][2] = { { 4, 3 }, { 8, 20 }, { 16, 32 }, { 16, 128 }, { 32, 17 }, { 32, 128 }, { 32, 256 },
        { 64, 256 }, { 64, 512 }, { 128, 1024 }, { 320, 800 }, { 33, 100000 } };
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (int causal = 0; causal < 2; causal++) {
            struct trial t;
            struct tally y;
            char params[100];
            snprintf(params, sizeof params, "buckets=%d max_distance=%d direction=%s", size[k][0], size[k][1],
                causal ? "causal" : "bidirectional");
            ask(&t, params);
            cr_assert_eq(mer_ask(&t5_scalar[0], &t.call), MER_OK);
            judge_outputs(&t, &(struct arith){ 0 }, 2 * FAR + 1, &y);
            cr_expect(tally_passes(&y) && y.n == 2 * FAR + 1 && y.correct == y.n, "%s: %ld over, at %ld got %g want %g",
                params, y.over, y.at[0] - FAR, y.got, y.want);
            trial_close(&t);
        }
}

Test(t5, bf16_logarithms_move_the_buckets_of_45_and_90_only)
{
    struct trial t, exact;
    struct arith bf;
    char err[300];
    cr_assert_eq(
        arith_read(&bf, row_named("t5"), "ratio=bf16 log=bf16 quotient=bf16 span=bf16", ROUND, err, sizeof err), 4,
        "%s", err);
    ask(&t, "route=logarithm"), ask(&exact, "");
    reference_run(&t, &bf);
    mer_ask(&t5_scalar[0], &exact.call);
    for (long k = 0; k <= FAR; k++) {
        double off = array_get(&t.out[0], FAR - k) - array_get(&exact.out[0], FAR - k);
        cr_expect(off == (k == 45 || k == 90), "distance %ld is off by %g", k, off);
    }
    trial_close(&t), trial_close(&exact);
}

Test(t5, impossible_configurations_are_refused_in_words)
{
    static const struct {
        const char *params, *says;
    } t[] = { { "buckets=2", "too few" }, { "buckets=3", "too few" }, { "max_distance=8", "exact range" },
        { "direction=causal max_distance=16", "exact range" } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const struct row *r = row_named("t5");
        char err[200] = "";
        void *p = calloc(1, r->size);
        cr_assert_eq(params_read(row_params(r), p, t[i].params, err, sizeof err), 0, "%s", err);
        cr_expect(r->refuse(p) && strstr(r->refuse(p), t[i].says), "%s", t[i].params);
        params_clear(row_params(r), p), free(p);
    }
}

/* form=pairs: a number a pair of positions, below `trained`; beyond it there is none, for the page and for the
 * kernel. */
Test(t5, unbucketed_biases_are_read_by_position_and_end_where_training_ended)
{
    const struct mer_kernel *attend = t5_scalar;
    while (attend->row && strcmp(attend->out, "o lse"))
        attend++;
    for (int offset = 0; offset < 4; offset++) {
        struct trial t;
        struct tally y;
        struct arith a;
        char params[60], err[900];
        snprintf(params, sizeof params, "form=pairs trained=6 heads=2 offset=%d", offset);
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "t5", params, "o lse", MER_F32, "n=4 m=6 d=4 e=3", 3 }, err,
            sizeof err), 0, "%s", err);
        cr_assert_gt(trial_profile(&t, attend->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
        cr_assert_eq(mer_ask(attend, &t.call), MER_OK);
        for (long h = 0; h < 2; h++)
            for (long i = 0; i < 4; i++)
                cr_expect_eq(
                    isnan(array_get(&t.out[1], h * 4 + i)), offset + i >= 6, "offset %d, query %ld", offset, i);
        judge_outputs(&t, &a, 64, &y);
        cr_expect(tally_passes(&y) && y.n == 32, "%s: %ld over of %ld", params, y.over, y.n);
        trial_close(&t);
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "t5", params, "bias", MER_F32, "n=4 m=8", 3 }, err,
            sizeof err), 0, "%s", err);
        reference_run(&t, &(struct arith){ 0 });
        for (long k = 0; k < 2 * 4 * 8; k++) {
            long h = k / 32, i = k / 8 % 4 + offset, j = k % 8;
            double b = array_get(&t.out[0], k);
            cr_expect(i >= 6 || j >= 6 ? isnan(b) : b == array_get(&t.in[0], (i * 6 + j) * 2 + h), "(%ld, %ld)", i, j);
        }
        trial_close(&t);
    }
}

/* Buckets that are counted on end where the table ends: every pair behind it reads its last row. */
Test(t5, a_bucket_that_is_counted_on_reads_the_last_row_of_the_table)
{
    static const double table[] = { 3, 5, 7, 11 }, far = -100000;
    const struct given in[] = { { "table", table, 2, { 4, 1 } }, { "relative_position", &far, 1, { 1 } } };
    static const char params[] = "direction=causal buckets=4 max_distance=8 heads=1 last=open offset=100000";
    struct law_ask l;
    struct ask *w = law_open(&l, "", 64);
    const struct ball *bucket, *bias;
    law_line(w, (struct law_of){ row_named("t5"), "bucket", params }, (struct givens){ in + 1, 1 }, NULL, 1, &bucket);
    law_line(w, (struct law_of){ row_named("t5"), "bias", params }, (struct givens){ in, 1 }, NULL, 1, &bias);
    cr_expect(b_value(bucket) >= 4 && b_value(bias) == table[3], "bucket %g, bias %g", b_value(bucket), b_value(bias));
    law_close(&l, true);
}
