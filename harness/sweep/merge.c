/* Joins the files of shards: each is attached for reading, its latest cells are compared with those that are there by
 * their canonical text, and copied with their runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arith/need.h"
#include "base/leftover.h"
#include "sweep/sweep.h"

struct merging { sqlite3 *db; const char *const *from; int file; char *err; size_t n; long cells; };

static int fails(struct merging *m, const char *path)
{
    return snprintf(m->err, m->n, "%s: %s", path, sqlite3_errmsg(m->db)), -1;
}

/* The run and the key of the latest result of a cell; -1: there is none. */
static int64_t ask(sqlite3 *db, const char *sql, const char *text, char *key, size_t n)
{
    sqlite3_stmt *q = NULL;
    int64_t run = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK) {
        sqlite3_bind_text(q, 1, text, -1, SQLITE_TRANSIENT);
        if (sqlite3_step(q) == SQLITE_ROW && sqlite3_column_type(q, 0) == SQLITE_INTEGER) {
            run = sqlite3_column_int64(q, 0);
            snprintf(key, n, "%s", (const char *)sqlite3_column_text(q, 1));
        }
    }
    sqlite3_finalize(q);
    return run;
}

static char *text_of(struct merging *m, const char *schema, const char *key, int64_t run, const char *what)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = need_stream(&text, &n);
    dump_cell(f, m->db, schema, key, run, what);
    fclose(f);
    return text;
}

/* Writes the beginnings of the first lines in which two dumps differ; whole lines would be too long for a message. */
static void line_of_difference(const char *a, const char *b, char *to, size_t n)
{
    while (*a && *a == *b)
        a++, b++;
    snprintf(to, n, "..%.40s and ..%.40s", a, b);
    for (char *s = to; *s; s++)
        *s = *s == '\t' || *s == '\n' ? ' ' : *s;
}

/* The file from which this cell was copied. */
static const char *who(const struct merging *m, const char *what)
{
    char sql[120];
    sqlite3_stmt *q = NULL;
    int file = 0;
    snprintf(sql, sizeof sql, "SELECT file FROM temp.brought WHERE what = ?");
    if (sqlite3_prepare_v2(m->db, sql, -1, &q, NULL) == SQLITE_OK) {
        sqlite3_bind_text(q, 1, what, -1, SQLITE_TRANSIENT);
        file = sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int(q, 0) : 0;
    }
    sqlite3_finalize(q);
    return m->from[file];
}

static int exec(struct merging *m, const char *sql, const char *key, int64_t run, const char *what)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(m->db, sql, -1, &q, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_bind_text(q, 1, key, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(q, 2, run);
        if (sqlite3_bind_parameter_count(q) > 2)
            sqlite3_bind_text(q, 3, what, -1, SQLITE_TRANSIENT);
        if (sqlite3_bind_parameter_count(q) > 3)
            sqlite3_bind_int(q, 4, m->file);
        rc = sqlite3_step(q);
    }
    sqlite3_finalize(q);
    return rc == SQLITE_DONE ? 0 : fails(m, m->from[m->file]);
}

/* Copies one cell.  The runs of this file are numbered behind those of the files before it: id + temp.shift. */
static int copy(struct merging *m, const char *key, int64_t run, const char *what)
{
    static const char *const steps[] = {
        "INSERT OR IGNORE INTO main.run SELECT id + (SELECT by FROM temp.shift), started, machine, cpu, compiler, "
            "\"commit\", version, isa, mpfr FROM a.run WHERE id = ?2 AND ?1 = ?1",
        "INSERT INTO main.item SELECT run + (SELECT by FROM temp.shift), key, what, seconds FROM a.item WHERE key = "
            "?1 AND run = ?2",
        "INSERT INTO main.result SELECT run + (SELECT by FROM temp.shift), key, row, quantity, subject, params, "
            "measure, value, bits, bound, bound_bits, witness, method, n, seed, verdict FROM a.result WHERE key = ?1 "
            "AND run = ?2 ORDER BY rowid",
        "INSERT INTO main.point SELECT run + (SELECT by FROM temp.shift), key, series, x, y, bits FROM a.point WHERE "
            "key = ?1 AND run = ?2 ORDER BY rowid",
        "INSERT INTO main.seal SELECT key, run + (SELECT by FROM temp.shift), digest FROM a.seal WHERE key = ?1 AND "
            "run = ?2",
        "INSERT INTO temp.brought SELECT ?3, ?4 WHERE ?1 = ?1 AND ?2 = ?2",
    };
    int rc = 0;
    for (size_t k = 0; k < sizeof steps / sizeof *steps && rc == 0; k++)
        rc = exec(m, steps[k], key, run, what);
    return rc;
}

static int take(struct merging *m, const char *key, int64_t run, const char *what)
{
    char other[64];
    if (!store_seals(m->db, "a", key, run))
        return snprintf(m->err, m->n,
                   "%s: cell '%.300s' is not as it was written (its digest does not fit); sweep that shard again",
                   m->from[m->file], what),
               -1;
    int64_t there = ask(m->db, "SELECT max(run), key FROM main.item WHERE what = ?", what, other, sizeof other);
    if (there < 0)
        return m->cells += strncmp(what, "recipe ", 7) != 0, copy(m, key, run, what);
    if (!strncmp(what, "recipe ", 7)) /* a recipe that grew between shards: the first one's figures */
        return 0;
    char *mine = text_of(m, "main", other, there, what), *theirs = text_of(m, "a", key, run, what), why[120];
    bool same = !strcmp(mine, theirs);
    line_of_difference(mine, theirs, why, sizeof why);
    free(mine), free(theirs);
    return same ? 0 :
                  (snprintf(m->err, m->n, "%s and %s disagree about the cell '%.300s': %s; nothing was merged",
                       who(m, what), m->from[m->file], what, why),
                      -1);
}

static int join(struct merging *m)
{
    const char *path = m->from[m->file];
    char sql[200];
    sqlite3 *alone = NULL;
    sqlite3_stmt *q = NULL;
    int rc = store_read(&alone, path, m->err, m->n);
    sqlite3_close(alone);
    if (rc)
        return -1;
    if (sqlite3_prepare_v2(m->db, "ATTACH ? AS a", -1, &q, NULL) != SQLITE_OK)
        return fails(m, path);
    sqlite3_bind_text(q, 1, path, -1, SQLITE_TRANSIENT);
    rc = sqlite3_step(q);
    sqlite3_finalize(q), q = NULL;
    if (rc != SQLITE_DONE)
        return fails(m, path);
    snprintf(sql, sizeof sql, "BEGIN; UPDATE temp.shift SET by = (SELECT coalesce(max(id), 0) FROM main.run)");
    rc = sqlite3_exec(m->db, sql, NULL, NULL, NULL) == SQLITE_OK &&
            sqlite3_prepare_v2(m->db, "SELECT what, key, max(run) FROM a.item GROUP BY what ORDER BY what", -1, &q,
                NULL) == SQLITE_OK ?
        0 :
        fails(m, path);
    int step = SQLITE_DONE;
    while (rc == 0 && (step = sqlite3_step(q)) == SQLITE_ROW)
        rc = take(m, (const char *)sqlite3_column_text(q, 1), sqlite3_column_int64(q, 2),
            (const char *)sqlite3_column_text(q, 0));
    if (rc == 0 && step != SQLITE_DONE)
        rc = fails(m, path);
    sqlite3_finalize(q);
    if (sqlite3_exec(m->db, rc ? "ROLLBACK; DETACH a" : "COMMIT; DETACH a", NULL, NULL, NULL) != SQLITE_OK && rc == 0)
        rc = fails(m, path);
    return rc;
}

int merge_files(const char *const *from, int files, const char *to, long *cells, char *err, size_t n)
{
    char part[4300], journal[4320], note[300];
    struct store *s = NULL;
    struct merging m = { .from = from, .err = err, .n = n };
    if (access(to, F_OK) == 0)
        return snprintf(err, n, "%s: is there already; give another name or remove it", to), -1;
    snprintf(part, sizeof part, "%.4200s.part-%ld", to, (long)getpid());
    snprintf(journal, sizeof journal, "%s-journal", part);
    unlink(part);
    leftover_add(part), leftover_add(journal);
    int rc = store_open_plain(&s, part, note, sizeof note, err, n);
    if (rc == 0) {
        m.db = store_db(s);
        rc = sqlite3_exec(m.db,
                 "PRAGMA synchronous=OFF; CREATE TEMP TABLE shift(by INTEGER); INSERT INTO shift VALUES(0); CREATE "
                 "TEMP TABLE brought(what TEXT PRIMARY KEY, file INTEGER); CREATE INDEX main.item_what ON item(what)",
                 NULL, NULL, NULL) == SQLITE_OK ?
            0 :
            fails(&m, part);
    }
    for (; m.file < files && rc == 0; m.file++)
        rc = join(&m);
    if (rc == 0 &&
        sqlite3_exec(m.db,
            "DROP INDEX main.item_what; PRAGMA synchronous=FULL; BEGIN IMMEDIATE; PRAGMA user_version=1; COMMIT", NULL,
            NULL, NULL) != SQLITE_OK)
        rc = fails(&m, part);
    store_close(s);
    if (rc == 0 && link(part, to)) /* never over a file that came meanwhile */
        rc = (snprintf(err, n, "%s: %s", to, strerror(errno)), -1);
    leftover_settle(part, false), leftover_settle(journal, false);
    *cells = m.cells;
    return rc;
}
