/* Sweeps over clip ranges and lengths: they are in the store, the saturated shares are those of a formula beside the
 * pages, and a clip one too far is seen where a pair saturates and nowhere else. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "examine/examine.h"
#include "pack/open.h"
#include "report/core/report.h"

/* Does distance d (query - key) read the outermost row of its side at range K?  This is a formula in integers, apart
 * from the pages:
 *   clip to -K .. K: |d| >= K                 DeBERTa, clipped to -K .. K - 1: d >= K - 1 or d <= -K
 *   16 buckets of DeBERTa: the last but one ends where (n/8)^7 = ((K-1)/8)^6
 *   32 buckets of T5: the last begins at (n/8)^8 = (K/8)^7 */
static bool outermost(const char *name, long K, long d)
{
    typedef unsigned __int128 wide;
    wide n = (wide)labs(d), power = n, limit = 8;
    if (!strcmp(name, "DeBERTa"))
        return d >= K - 1 || d <= -K;
    if (!strncmp(name, "DeBERTa,", 8)) {
        for (int k = 1; k < 7; k++)
            power *= n, limit *= (wide)(K - 1);
        return power > limit;
    }
    if (!strncmp(name, "T5", 2)) {
        for (int k = 1; k < 8; k++)
            power *= n, limit *= (wide)K;
        return power >= limit;
    }
    return labs(d) >= K;
}
static long count(const char *name, long K, long n, long m, long *of)
{
    long seen = 0;
    *of = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            if (strcmp(name, "Transformer-XL") || m - n + i - j >= 0)
                ++*of, seen += outermost(name, K, m - n + i - j);
    return seen;
}
static long number_behind(const char *text, const char *key)
{
    const char *s = strstr(text, key);
    cr_assert(s, "no %s in %s", key, text);
    return atol(s + strlen(key));
}

Test(clipping, the_sweeps_are_in_the_store_and_their_shares_are_the_formulas, .timeout = 120)
{
    static const struct provenance here = { "machine", "cpu", "compiler", "commit", "version", "isa", "mpfr" };
    static const struct {
        const char *name, *key;
    } rows[] = { { "Shaw", "most=" }, { "NEZHA", "reach=" }, { "Transformer-XL", "clamp=" }, { "XLNet", "clamp=" },
        { "DeBERTa", "span=" }, { "DeBERTa, 16 buckets", "max_position=" }, { "T5, 32 buckets", "max_distance=" } };
    char dir[] = "/tmp/meridian-clipping-XXXXXX", file[80], note[600], text[80], command[80];
    struct report r = { .dir = dir, .quick = true, .stamp = "clipping" };
    long cells = 0, told = 0;
    cr_assert(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/results.db", dir);
    cr_assert_eq(store_open(&r.store, file, note, sizeof note, r.err, sizeof r.err), 0, "%s", r.err);
    cr_assert_eq(store_run(r.store, &here, r.err, sizeof r.err), 0, "%s", r.err);
    const struct section *const *s = report_sections();
    while (*s && strcmp((*s)->name, "clipping"))
        s++;
    cr_assert(*s, "no section of clipped distances");
    cr_assert_eq((*s)->measure(&r), 0, "%s", r.err);
    sqlite3_stmt *q = NULL;
    cr_assert_eq(sqlite3_prepare_v2(store_db(r.store),
                     "SELECT subject, params, witness, value, n FROM now WHERE measure='saturated'", -1, &q, NULL),
        SQLITE_OK);
    while (sqlite3_step(q) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(q, 0), *params = (const char *)sqlite3_column_text(q, 1),
                   *witness = (const char *)sqlite3_column_text(q, 2);
        long n = number_behind(witness, "pairs; "), m = number_behind(witness, "queries, "), of, k = 0;
        while (strcmp(rows[k].name, name))
            cr_assert_lt(++k, 7, "an unknown row %s", name);
        long K = number_behind(params, rows[k].key), want = count(name, K, n, m, &of),
             beyond = count(name, K + 1, n, m, &of);
        cr_expect(sqlite3_column_int64(q, 4) == of && sqlite3_column_double(q, 3) == (double)want / (double)of &&
                atol(witness) == want,
            "%s %s: %s; the formula %ld of %ld", name, params, witness, want, of);
        cells++, told += want != beyond;
    }
    sqlite3_finalize(q);
    cr_expect_eq(cells, 84, "%ld cells", cells); /* Cells of ranges, 5 x 9 + 5 + 6, and of lengths, 7 x 4. */
    cr_expect_geq(told, 50, "a range of one more changes %ld counts only", told);
    report_cell(store_db(r.store),
        "SELECT count(*) || ' ' || sum(verdict='PASS') || ' ' || sum(subject LIKE '% f32') FROM now WHERE "
        "measure='clip gauge'",
        text, sizeof text);
    cr_expect_str_eq(text, "168 168 84", "measured, within the bound, in float32: %s", text);
    report_cell(store_db(r.store), "SELECT count(*) FROM now WHERE measure='clip used' AND value > 0 AND value <= 1",
        text, sizeof text);
    cr_expect_str_eq(text, "168", "shares of the bound in (0, 1]: %s", text);
    store_close(r.store);
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    cr_expect_eq(system(command), 0);
}

/* A kernel asked to clip at 11 and judged as if it had been asked for 10. */
static enum word clipped_late(const char *row, const char *pattern, const char *sizes, char *why, size_t n)
{
    char ten[80], eleven[80];
    struct subject s;
    struct trial t;
    struct tally y;
    struct finding f = { .word = CRASHED };
    struct mistake match;
    snprintf(ten, sizeof ten, "%s10", pattern), snprintf(eleven, sizeof eleven, "%s11", pattern);
    if (subject_open(&s, "own:scalar", why, n))
        return CRASHED;
    const struct mer_kernel *k = s.kernel;
    while (k->row && (strcmp(k->row, row) || strcmp(k->out, "o lse")))
        k++;
    if (k->row && trial_make(&t, &(struct trial_spec){ row, eleven, "o", MER_F32, sizes, 5 }, why, n) == 0) {
        if (s.run(&s, k, &t.call, why, n) == MER_OK && trial_params(&t, ten, why, n) == 0) {
            snprintf(t.profile, sizeof t.profile, "%s", k->profile);
            examine_outputs(&t, 0, &y, &f, &match);
        }
        trial_close(&t);
    }
    s.close(&s);
    return f.word;
}

Test(clipping, a_clip_one_too_far_is_seen_where_a_pair_saturates_and_nowhere_else)
{
    static const struct {
        const char *row, *pattern, *other;
    } rows[] = { { "nezha", "argument=distance memory=3 reach=", "h=1" }, { "txl", "clamp=", "h=1 c=4 d=3 e=2" },
        { "xlnet", "clamp=", "h=1 c=4 d=3 e=2" } };
    for (int k = 0; k < 3; k++) {
        char sizes[80], why[600] = "";
        snprintf(sizes, sizeof sizes, "n=8 m=12 %s", rows[k].other); /* Distances -8 .. 11: one pair is beyond 10. */
        if (!strcmp(rows[k].row, "nezha"))
            snprintf(sizes, sizeof sizes, "n=9 m=12 %s", rows[k].other);
        enum word far = clipped_late(rows[k].row, rows[k].pattern, sizes, why, sizeof why);
        cr_expect_eq(far, FAILED, "%s: one pair beyond the clip, not seen: %s %s", rows[k].row, word_name[far], why);
        snprintf(sizes, sizeof sizes, "n=8 m=11 %s", rows[k].other); /* Here no pair is. */
        enum word near = clipped_late(rows[k].row, rows[k].pattern, sizes, why, sizeof why);
        cr_expect_eq(near, PASS, "%s: no pair beyond the clip: %s %s", rows[k].row, word_name[near], why);
    }
}
