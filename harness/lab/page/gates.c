/* Computes means with intervals and decides gates; see gates.h. */
#include "lab/page/gates.h"
#include "base/tsv.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data.h"
#include "lab/exact/insert.h"

enum { SEEDS = 64 };
struct side { char encoding[32], variant[32]; long size; double depth; };
struct gate { char id[80], task[16], measure[16], worse[64], what[16], better[64], source[160]; double margin; };

double student(long freedom)
{
    /* for 1 .. 10 degrees of freedom; beyond, the value for 10 is larger than the true one */
    static const double t[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228 };
    return t[(freedom < 1 ? 1 : freedom > 10 ? 10 : freedom) - 1];
}

static int sql(sqlite3 *db, const char *text, char *err, size_t n)
{
    char *why = NULL;
    int rc = sqlite3_exec(db, text, NULL, NULL, &why);
    if (rc)
        snprintf(err, n, "%s", why);
    sqlite3_free(why);
    return rc ? -1 : 0;
}

int means_make(sqlite3 *db, char *err, size_t n)
{
    static const char make[] =
        "DROP VIEW IF EXISTS temp.asked; DROP TABLE IF EXISTS temp.mean;"
        "CREATE TEMP VIEW asked AS SELECT quantity AS task, row AS encoding, subject AS variant, measure, "
        "CAST(substr(params, 6) AS INTEGER) AS size,"
        " CAST(substr(params, instr(params, 'depth=') + 6) AS REAL) AS depth, value, n, seed FROM now WHERE "
        "method='sample' AND params LIKE 'size=%';"
        "CREATE TEMP TABLE mean(task TEXT, encoding TEXT, variant TEXT, measure TEXT, size INTEGER, depth REAL, mean "
        "REAL, half REAL, worst REAL, seeds INTEGER);"
        "INSERT INTO mean SELECT task, encoding, variant, measure, size, depth, avg(value), CASE WHEN count(*) > 1 "
        "THEN (avg(value * value) - avg(value) * avg(value)) / (count(*) - 1) END,"
        " CASE WHEN measure IN ('tail', 'all') THEN max(value) ELSE min(value) END, count(*) FROM asked GROUP BY task, "
        "encoding, variant, measure, size, depth;";
    sqlite3_stmt *get, *put;
    if (sql(db, make, err, n))
        return -1;
    int rc = sqlite3_prepare_v2(db, "SELECT rowid, half, seeds FROM mean WHERE half IS NOT NULL", -1, &get, NULL) ||
        sqlite3_prepare_v2(db, "UPDATE mean SET half=?2 WHERE rowid=?1", -1, &put, NULL);
    while (!rc && sqlite3_step(get) == SQLITE_ROW) { /* half holds the variance of the mean until here */
        const double v = sqlite3_column_double(get, 1);
        sqlite3_bind_int64(put, 1, sqlite3_column_int64(get, 0));
        sqlite3_bind_double(put, 2, student((long)sqlite3_column_int64(get, 2) - 1) * sqrt(v > 0 ? v : 0));
        sqlite3_step(put), sqlite3_reset(put);
    }
    sqlite3_finalize(get), sqlite3_finalize(put);
    return rc ? (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1) : 0;
}

static int side_read(struct side *s, const char *text)
{
    *s = (struct side){ .depth = -1 };
    return sscanf(text, "%31[^/]/%31[^@]@%ld:%lf", s->encoding, s->variant, &s->size, &s->depth) >= 3 ? 0 : -1;
}

/* Collects the values of both sides of a gate for the seeds that have both; such pairs share initialisation, batches
 * and questions. */
static long pairs(sqlite3 *db, const struct gate *g, const struct side *a, const struct side *b, double (*x)[2])
{
    sqlite3_stmt *q = NULL;
    long count = 0;
    sqlite3_prepare_v2(db,
        "SELECT p.value, q.value FROM asked p JOIN asked q ON p.seed=q.seed WHERE p.task=?1 AND q.task=?1 AND "
        "p.measure=?2 AND q.measure=?2"
        " AND p.encoding=?3 AND p.variant=?4 AND p.size=?5 AND p.depth=?6 AND q.encoding=?7 AND q.variant=?8 AND "
        "q.size=?9 AND q.depth=?10 ORDER BY p.seed",
        -1, &q, NULL);
    sqlite3_bind_text(q, 1, g->task, -1, SQLITE_STATIC), sqlite3_bind_text(q, 2, g->measure, -1, SQLITE_STATIC);
    const struct side *const s[] = { a, b };
    for (int k = 0; k < 2; k++) {
        sqlite3_bind_text(q, 3 + 4 * k, s[k]->encoding, -1, SQLITE_STATIC),
            sqlite3_bind_text(q, 4 + 4 * k, s[k]->variant, -1, SQLITE_STATIC);
        sqlite3_bind_int64(q, 5 + 4 * k, s[k]->size), sqlite3_bind_double(q, 6 + 4 * k, s[k]->depth);
    }
    while (count < SEEDS && sqlite3_step(q) == SQLITE_ROW)
        x[count][0] = sqlite3_column_double(q, 0), x[count++][1] = sqlite3_column_double(q, 1);
    sqlite3_finalize(q);
    return count;
}

static const char *decide(const struct gate *g, double (*x)[2], long n, double unigram, double *seen, double *half)
{
    const int loss = !strcmp(g->measure, "tail") || !strcmp(g->measure, "all");
    double sum = 0, square = 0;
    long ties = 0;
    for (long k = 0; k < n; k++) {
        ties += loss && x[k][0] >= unigram && x[k][1] >= unigram;
        const double a = loss && x[k][0] > unigram ? unigram : x[k][0],
                     b = loss && x[k][1] > unigram ? unigram : x[k][1], d = loss ? a - b : b - a;
        sum += d, square += d * d;
    }
    *seen = n ? sum / (double)n : (double)NAN;
    const double v = n > 1 ? (square / (double)n - *seen * *seen) / (double)(n - 1) : (double)NAN;
    *half = n > 1 ? student(n - 1) * sqrt(v > 0 ? v : 0) : (double)NAN;
    return !n                                                                        ? "SKIP" :
        ties == n                                                                    ? "TIE" :
        (!strcmp(g->what, "within") ? fabs(*seen) <= g->margin : *seen >= g->margin) ? "PASS" :
                                                                                       "FAIL";
}

/* Why a gate is not passed, in words. */
static const char *reason(const struct gate *g, const char *verdict, double seen, double half)
{
    static char text[160];
    if (!strcmp(verdict, "PASS"))
        return "";
    if (!strcmp(verdict, "SKIP"))
        return "not trained, or not asked";
    if (!strcmp(verdict, "TIE"))
        return "both are worse than the frequencies of single symbols: collapsed, no order";
    if (!strcmp(g->what, "within"))
        snprintf(text, sizeof text, "they are farther apart; the first is %s", seen > 0 ? "worse" : "better");
    else
        snprintf(text, sizeof text, "%s%s",
            seen > 0     ? "the order holds, by less than the margin" :
                seen < 0 ? "the order is the other way round" :
                           "no difference at all",
            fabs(seen) <= half ? "; the seeds' interval holds 0" : "");
    return text;
}

static int put(sqlite3 *db, const struct gate *g, double seen, double half, long seeds, const char *verdict)
{
    return insert_line(db, "gate", "ttttttdddittt", g->id, g->task, g->measure, g->worse, g->what, g->better, g->margin,
        seen, half, (int64_t)seeds, verdict, g->source, reason(g, verdict, seen, half));
}

int gates_make(sqlite3 *db, double unigram, char *err, size_t n)
{
    char path[600];
    struct tsv t;
    int rc = 0;
    if (sql(db,
            "DROP TABLE IF EXISTS temp.gate; CREATE TEMP TABLE gate(id TEXT, task TEXT, measure TEXT, worse TEXT, what "
            "TEXT, better TEXT, margin REAL, seen REAL, half REAL, seeds INTEGER, verdict TEXT, source TEXT, reason "
            "TEXT)",
            err, n))
        return -1;
    if (!tsv_open(&t, data_path("gates.tsv", path, sizeof path)))
        return snprintf(err, n, "no %.500s", path), -1;
    while (!rc && tsv_next(&t)) {
        struct gate g;
        struct side a, b;
        double x[SEEDS][2], seen, half;
        char margin[32];
        const struct tsv_place to[] = { { g.id, sizeof g.id }, { g.task, sizeof g.task },
            { g.measure, sizeof g.measure }, { g.worse, sizeof g.worse }, { g.what, sizeof g.what },
            { g.better, sizeof g.better }, { margin, sizeof margin }, { g.source, sizeof g.source }, { 0 } };
        if (tsv_take(&t, to) != 8 || sscanf(margin, "%lf", &g.margin) != 1 ||
            side_read(&a, g.worse) || side_read(&b, g.better) ||
            (strcmp(g.what, "within") && strcmp(g.what, "exceeds"))) {
            rc = (snprintf(err, n,
                      "%.400s: line %ld: eight columns, sides as encoding/variant@size[:depth], exceeds or within",
                      path, t.line),
                -1);
            break;
        }
        const long seeds = pairs(db, &g, &a, &b, x);
        const char *verdict = decide(&g, x, seeds, unigram, &seen, &half);
        rc = put(db, &g, seen, half, seeds, verdict) ? (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1) : 0;
    }
    tsv_close(&t);
    return rc;
}
