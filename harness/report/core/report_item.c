/* One item of the report: measured once for a given program, machine and question. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "examine/examine.h"
#include "base/clock.h"
#include "report/core/report.h"

void report_progress(struct report *r, const char *what)
{
    progress_step(&r->how, r->done + r->reused, what);
}

int report_topics(struct report *r)
{
    if (sqlite3_exec(store_db(r->store),
            "CREATE TEMP TABLE topic(key TEXT PRIMARY KEY, title TEXT, place INTEGER) WITHOUT ROWID;"
            "CREATE TEMP TABLE drawn(name TEXT PRIMARY KEY, title TEXT, says TEXT) WITHOUT ROWID;",
            NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    return snprintf(r->err, sizeof r->err, "%s", sqlite3_errmsg(store_db(r->store))), -1;
}

static void belongs(struct report *r, const char *key)
{
    char *sql = r->topic ? sqlite3_mprintf("INSERT OR IGNORE INTO temp.topic VALUES(%Q,%Q,%d)", key, r->topic->title,
                               r->topic->order) : NULL;
    if (sql)
        sqlite3_exec(store_db(r->store), sql, NULL, NULL, NULL);
    sqlite3_free(sql);
}

int report_item(struct report *r, const char *what, void (*fill)(struct report *, const void *), const void *with)
{
    char key[33];
    store_key(key, r->stamp, what);
    report_progress(r, what);
    belongs(r, key);
    if (r->fresh ? store_did(r->store, key) : store_has(r->store, key)) /* models share scans: fresh means once */
        return r->reused++, 0;
    double start = now();
    if (store_begin(r->store, key, what) == 0)
        fill(r, with);
    if (store_commit(r->store, now() - start, r->err, sizeof r->err))
        return -1;
    r->done++;
    return 0;
}

void report_put(struct report *r, const struct entry *e) { store_put(r->store, e); }

struct skip { const char *what, *subject, *why; };

static void put_skip(struct report *r, const void *with)
{
    const struct skip *s = with;
    report_put(r,
        &(struct entry){ .subject = s->subject,
            .measure = "not run",
            .quantity = s->what,
            .value = (double)NAN,
            .bound = (double)NAN,
            .witness = s->why,
            .verdict = "SKIP" });
}

void report_skip(struct report *r, const char *what, const char *subject, const char *why)
{
    char key[900];
    struct skip s = { what, subject, why };
    snprintf(key, sizeof key, "skip %s %s %s", what, subject, why);
    report_item(r, key, put_skip, &s);
}

int report_cell(sqlite3 *db, const char *sql, char *text, size_t n)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW ? 0 : -1;
    snprintf(text, n, "%s", rc == 0 && sqlite3_column_text(q, 0) ? (const char *)sqlite3_column_text(q, 0) : "");
    sqlite3_finalize(q);
    return rc;
}
