/* How far models read: shares and scores by octaves, where weights are known by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "lab/page/distance_figures.h"
#include "lab/text/reading.h"

static const struct lab_size size = {
    .layers = 2, .heads = 4, .channels = 16, .inner = 6, .vocab = 9, .length = 10, .reach = 50
};
enum { N = 37 };

/* What is read in one row of tokens by a model whose queries and keys are all 0 where `blank`, not divided by
 * queries. */
static struct reads of(const char *encoding, int blank)
{
    struct model m;
    struct pass p;
    struct op weights;
    struct reads d = { .octaves = 7 };
    char why[400];
    static float w[4 * N * N];
    int64_t token[N];
    cr_assert_eq(model_open(&m, encoding, &size, why, sizeof why), 0, "%s", why);
    float *params = need((size_t)m.count, sizeof *params);
    model_draw(&m, &maths_f32, 3, params);
    for (int l = 0; l < size.layers && blank; l++)
        memset(params + m.block[m.layer[l].wi].at, 0, (size_t)m.block[m.layer[l].wi].count * sizeof *params);
    for (int k = 0; k < N; k++)
        token[k] = (k * 5 + k * k) % size.vocab;
    cr_assert_eq(pass_open(&p, &m, (struct pass_form){ .maths = &maths_f32, .rows = 1, .length = N, .backward = 1 },
        why, sizeof why), 0, "%s", why);
    cr_assert_eq(reads_open(&weights, &p, why, sizeof why), 0, "%s: %s", encoding, why);
    cr_assert_eq(reads_add(&d, &p, &weights, params, token, w), MER_OK, "%s offers no weights", encoding);
    op_close(&weights), pass_close(&p), free(params);
    return d;
}

Test(reading, all_weights_are_somewhere)
{
    static const char *const some[] = { "none", "rope", "alibi", "t5", "kerple", "sinusoid", "learned", "txl", "shaw",
        "nezha", "deberta", "tener" };
    for (int k = 0; k < 12; k++) {
        const struct reads d = of(some[k], 0);
        double sum = 0;
        int64_t pairs = 0;
        for (int o = 0; o < 7; o++)
            sum += d.share[o], pairs += d.n[o];
        cr_expect(fabs(sum - size.layers * size.heads * N) < 1e-3 &&
                pairs == size.layers * size.heads * N * (N + 1) / 2 && d.n[6] == size.layers * size.heads * 5 * 6 / 2,
            "%s: %.9g of %d, %d pairs", some[k], sum, (int)(size.layers * size.heads * N), (int)pairs);
        cr_expect(fabs(d.score[0]) < 1e-12 && d.mean > 0, "%s: a place's score less its own", some[k]);
    }
}

Test(reading, equal_scores_read_everything_alike_and_linear_biases_alone_are_their_curve)
{
    const struct reads none = of("none", 1), alibi = of("alibi", 1);
    double share[7] = { 0 }, mean = 0, score[7] = { 0 };
    const double slope[] = { 0.25, 0.0625, 0.015625, 0.00390625 };
    for (int i = 0; i < N; i++)
        for (int k = 0, o = 0; k <= i; k++) {
            while (octave_first(o + 1) <= k)
                o++;
            share[o] += 8.0 / (i + 1), mean += 8.0 / (i + 1) * k;
            for (int h = 0; h < 4; h++)
                score[o] -= 2 * slope[h] * k;
        }
    for (int o = 0; o < 7; o++) {
        cr_expect(fabs(none.share[o] - share[o]) < 1e-4 && fabs(none.score[o]) < 1e-3,
            "none, octave %d: %g of %g, score %g", o, none.share[o], share[o], none.score[o]);
        cr_expect(fabs(alibi.score[o] - score[o]) <= 1e-5 * fabs(score[o]) + 1e-4, "alibi, octave %d: %g, not %g", o,
            alibi.score[o], score[o]);
    }
    cr_expect(fabs(none.mean - mean) < 1e-3, "%g, not %g", none.mean, mean);
}

/* The curve that the figure lays over alibi's scores is what the model without content has; mean cosines come from the
 * definition. */
Test(reading, exact_curves_by_octave_are_means_over_the_pairs_of_a_text)
{
    struct study s = { .task = "lm", .sizes = 1, .size = { N } };
    char why[300];
    sqlite3 *db;
    sqlite3_stmt *q;
    int rows = 0;
    const struct reads alibi = of("alibi", 1);
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    cr_assert_eq(curves_make(db, &s, why, sizeof why), 0, "%s", why);
    cr_assert_eq(
        sqlite3_prepare_v2(db,
            "SELECT encoding, depth, value, scaled FROM temp.exact_curve WHERE encoding IN ('alibi', 'rope', 'none')",
            -1, &q, NULL),
        SQLITE_OK);
    while (sqlite3_step(q) == SQLITE_ROW) {
        const int first = (int)sqlite3_column_double(q, 1), past = first ? 2 * first : 1,
                  o = first ? 1 + (int)log2(first) : 0,
                  turned = !strcmp((const char *)sqlite3_column_text(q, 0), "rope");
        double want = turned ? 0 : alibi.score[o] / (double)alibi.n[o], pairs = 0;
        for (int k = first; k < past && k < N && turned; k++) {
            double g = 0;
            for (int i = 0; i < 8; i++) /* The width of a head is 16. */
                g += (cos(k * pow(10000, -i / 8.0)) - 1) / 8;
            want += g * (N - k), pairs += N - k;
        }
        want /= turned ? pairs : 1;
        cr_expect(
            fabs(sqlite3_column_double(q, 2) - want) <= 1e-4 * fabs(want) + 1e-6 && sqlite3_column_int(q, 3) == turned,
            "%s, from %d: %g, not %g", (const char *)sqlite3_column_text(q, 0), first, sqlite3_column_double(q, 2),
            want);
        rows++;
    }
    cr_expect_eq(rows, 14);
    sqlite3_finalize(q), sqlite3_close(db);
}
