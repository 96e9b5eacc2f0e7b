/* Prints the canonical dump: one line for each result or point, sorted by the cell's text and then by the line itself,
 * with numbers as their bits and without timed ones. */
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "sweep/sweep.h"

static int by_line(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int gather(
    sqlite3 *db, const char *schema, const char *sql, const char *key, int64_t run, char ***line, size_t *lines)
{
    char text[900];
    sqlite3_stmt *q = NULL;
    int rc;
    snprintf(text, sizeof text, sql, schema);
    if ((rc = sqlite3_prepare_v2(db, text, -1, &q, NULL)) != SQLITE_OK)
        return rc;
    sqlite3_bind_text(q, 1, key, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(q, 2, run);
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        *line = need_more(*line, *lines + 1, sizeof **line);
        (*line)[(*lines)++] = need_copy((const char *)sqlite3_column_text(q, 0));
    }
    sqlite3_finalize(q);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int dump_cell(FILE *f, sqlite3 *db, const char *schema, const char *key, int64_t run, const char *what)
{
    static const char results[] = "SELECT measure || char(9) || quantity || char(9) || row || char(9) || subject || "
                                  "char(9) || params || char(9) || CASE method WHEN 'timed' THEN '-' || char(9) || '-' "
                                  "|| char(9) || '-' ELSE bits || char(9) || bound_bits || char(9) || witness END"
                                  " || char(9) || method || char(9) || CASE method WHEN 'timed' THEN '-' ELSE n END || "
                                  "char(9) || seed || char(9) || verdict FROM %s.result WHERE key = ? AND run = ?";
    static const char points[] = "SELECT 'point' || char(9) || series || char(9) || printf('%%.17g', x) || char(9) || "
                                 "bits FROM %s.point WHERE key = ? AND run = ?";
    char **line = NULL;
    size_t lines = 0;
    int rc = gather(db, schema, results, key, run, &line, &lines);
    rc = rc == SQLITE_OK ? gather(db, schema, points, key, run, &line, &lines) : rc;
    if (lines)
        qsort(line, lines, sizeof *line, by_line);
    fprintf(f, "%s\n", what);
    for (size_t k = 0; k < lines; k++)
        fprintf(f, "\t%s\n", line[k]), free(line[k]);
    free(line);
    return rc;
}

long dump_all(FILE *f, sqlite3 *db, char *err, size_t n)
{
    sqlite3_stmt *q = NULL;
    long cells = 0;
    /* key: of the row that has the maximum */
    int rc = sqlite3_prepare_v2(db,
        "SELECT what, key, max(run) FROM main.item WHERE what NOT LIKE 'recipe %' GROUP BY what ORDER BY what", -1, &q,
        NULL);
    fprintf(f,
        "# meridian sweep, canonical dump 1: cell, then measure quantity row subject params bits bound witness method "
        "n seed verdict; point series x bits\n");
    while (rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        const char *what = (const char *)sqlite3_column_text(q, 0), *key = (const char *)sqlite3_column_text(q, 1);
        if (!store_seals(db, "main", key, sqlite3_column_int64(q, 2))) {
            snprintf(err, n,
                "cell '%.300s' is not as it was written (its digest does not fit): sweep again, it is measured anew",
                what);
            return sqlite3_finalize(q), -1;
        }
        rc = dump_cell(f, db, "main", key, sqlite3_column_int64(q, 2), what);
        cells++;
    }
    if (rc != SQLITE_DONE)
        snprintf(err, n, "%s", sqlite3_errmsg(db));
    sqlite3_finalize(q);
    return rc == SQLITE_DONE ? cells : -1;
}
