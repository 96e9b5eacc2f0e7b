/* The recorded lists of positions, and the tables that were made of them.  The lists run from klen down to -qlen + 1,
 * or to 0 where attn_type is uni, and are cut on both sides; the second half of a bi_data batch has the negative
 * positions. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "compare/compare.h"
#include "core/arrayfile.h"
#include "relative/memory.h"
#include "trial/trial.h"

static const struct { const char *file, *params; long top; int batches; } recorded[] = {
    { "xlnet-0-bi-mem5-clamp-1.in.pos_emb.npy", "", 14, 2 },
    { "xlnet-1-uni-mem0-clamp-1.in.pos_emb.npy", "", 7, 1 },
    { "xlnet-2-bi-mem8-clamp4-bidata.in.pos_emb.npy", "clamp=4", 14, 2 },
    { "xlnet-positions-0-bi.out.y.npy", "", 12, 0 }, { "xlnet-positions-1-uni.out.y.npy", "clamp=5", 9, 0 },
};

/* Does a[p][c], or one batch of a[p][B][c], hold the table under these params, from distance `top` down? */
static bool meets(const struct mer_array *a, int batch, int batches, const char *params, long top, struct tally *y)
{
    struct trial t;
    struct arith wide;
    char sizes[64], err[400];
    long c = a->dim[a->rank - 1], p = a->dim[0];
    snprintf(sizes, sizeof sizes, "p=%ld c=%ld", p, c);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "xlnet", params, "table", MER_F32, sizes, 1 }, err, sizeof err),
        0, "%s", err);
    cr_assert_gt(trial_profile(&t, "freq=f32:4 phase=f32 table=f32:2", &wide, WIDEN, err, sizeof err), 0, "%s", err);
    for (long k = 0; k < p; k++)
        array_put(&t.in[0], k, (double)(top - k));
    for (long k = 0; k < p * c; k++)
        array_put(&t.out[0], k, array_get(a, (k / c * (batches ? batches : 1) + batch) * c + k % c));
    judge_outputs(&t, &wide, 64, y);
    trial_close(&t);
    return tally_passes(y);
}

Test(xlnet, recorded_positions_are_sinusoids_of_the_distances_the_shift_reads)
{
    for (size_t k = 0; k < sizeof recorded / sizeof *recorded; k++)
        for (int b = 0; b < (recorded[k].batches ? recorded[k].batches : 1); b++) {
            struct mer_array a;
            struct tally y;
            char err[400], params[80];
            bool backward = b && strstr(recorded[k].file, "bidata");
            cr_assert_eq(array_file("data/peers/hf-xlnet", recorded[k].file, true, &a, err, sizeof err), 0, "%s", err);
            snprintf(params, sizeof params, "%s sign=%s", recorded[k].params, backward ? "key-query" : "query-key");
            cr_expect(meets(&a, b, recorded[k].batches, params, recorded[k].top, &y),
                "%s batch %d: %ld of %ld over, at row %ld got %a want %a", recorded[k].file, b, y.over, y.n, y.at[0],
                y.got, y.want);
            snprintf(params, sizeof params, "%s sign=%s", recorded[k].params, backward ? "query-key" : "key-query");
            cr_expect_not(meets(&a, b, recorded[k].batches, params, recorded[k].top, &y), "%s: the other sign passes",
                recorded[k].file);
            if (strstr(recorded[k].params, "clamp")) {
                snprintf(params, sizeof params, "%s cut=above sign=%s", recorded[k].params,
                    backward ? "key-query" : "query-key");
                /* The uni list ends at distance 0. */
                cr_expect(meets(&a, b, recorded[k].batches, params, recorded[k].top, &y) ==
                        !strstr(recorded[k].file, "bidata"),
                    "%s: cut from above only", recorded[k].file);
            }
            free(a.data);
        }
}

/* Rows that are given are as many as the distances at which an output reads them: with the least that are accepted
 * every
 * element is a number, and the last of them is read. */
Test(xlnet, rows_that_are_too_few_are_refused_for_every_output_that_reads_them)
{
    static const char *const ways[] = { "causal=none", "causal=causal", "causal=none route=shift",
        "causal=causal route=shift" };
    enum { QUERIES = 2, KEYS = 4 };
    int asked = 0;
    for (const struct quantity *q = row_named("xlnet")->q; q->sign; q++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways && strstr(q->sign, " rows?"); k++) {
            struct sign s;
            struct trial t;
            char err[400];
            long reads = 0, accepted = 0;
            sign_read(&s, q->sign);
            const bool behind = strstr(ways[k], "causal=causal") && strcmp(s.out.name, "position");
            for (long i = 0; i < QUERIES; i++)
                for (long j = 0; j < KEYS; j++) {
                    const long delta = KEYS - QUERIES + i - j, row = KEYS - delta;
                    reads = (!behind || delta >= 0) && row + 1 > reads ? row + 1 : reads;
                }
            for (long rows = 1; rows <= reads + 1 && !accepted; rows++) {
                char sizes[60];
                snprintf(sizes, sizeof sizes, "rows mem n=%d m=%d l=%d r=%ld", QUERIES, KEYS, KEYS - QUERIES, rows);
                if (!trial_make(&t, &(struct trial_spec){ "xlnet", ways[k], s.out.name, MER_F64, sizes, 1 }, err,
                    sizeof err))
                    accepted = rows;
                else
                    cr_expect(strstr(err, "rows: "), "%s: %s", s.out.name, err);
                if (accepted)
                    reference_run(&t, &(struct arith){ 0 });
                for (long e = 0; accepted && e < array_len(&t.out[0]); e++)
                    cr_expect(!isnan(array_get(&t.out[0], e)), "%s %s, %ld rows", s.out.name, ways[k], rows);
                trial_close(&t);
            }
            cr_expect_eq(accepted, reads, "%s %s: %ld rows are accepted, %ld read", s.out.name, ways[k], accepted,
                reads);
            asked++;
        }
    cr_expect_geq(asked, 4 * 12, "%d", asked);
}

/* A sinusoid has 2 columns at least; rows that are given are none. */
Test(xlnet, given_rows_are_of_any_width)
{
    for (int width = 1; width <= 2; width++)
        for (int given = 0; given < 2; given++) {
            struct trial t;
            char sizes[80], err[400] = "";
            snprintf(sizes, sizeof sizes, "h=1 n=1 m=2 d=2 c=%d%s", width, given ? " rows r=3" : "");
            const int rc = trial_make(&t, &(struct trial_spec){ "xlnet", "", "position", MER_F64, sizes, 1 }, err,
                sizeof err);
            cr_expect(given || width == 2 ? !rc : rc && strstr(err, "the sinusoids are 1 wide"), "%s: %s", sizes, err);
            trial_close(&t);
        }
}

/* A row that is given fills as many numbers as it has channels, the last row, too. */
Test(xlnet, a_given_row_fills_its_own_channels_alone)
{
    enum { KEYS = 4, ROWS = 3, CHANNELS = 2 };
    double rows[ROWS * CHANNELS] = { 1, 2, 3, 4, 5, 6 };
    struct mer_array in[] = { { .name = "k", .type = MER_F64, .rank = 3, .dim = { 1, KEYS, 1 }, .data = rows },
        { .name = "rows", .type = MER_F64, .rank = 2, .dim = { ROWS, CHANNELS }, .data = rows } };
    const struct mer_call call = { .n_in = 2, .in = in };
    const struct arith exact = { 0 };
    struct ask w = { .call = &call, .arith = &exact };
    ask_reset(&w, 64);
    for (long t = 0; t < ROWS; t++) {
        const struct ball *R[CHANNELS + 1] = { 0 };
        memory_row(&w, row_named("xlnet"), KEYS - t, true, CHANNELS, R);
        for (long c = 0; c < CHANNELS; c++)
            cr_expect_eq(b_value(R[c]), rows[t * CHANNELS + c], "row %ld, channel %ld: %g", t, c, b_value(R[c]));
        cr_expect(!R[CHANNELS], "row %ld goes on behind its channels", t);
    }
    ask_clear(&w);
}
