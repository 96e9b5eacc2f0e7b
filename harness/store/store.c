/* The results store.  Each item is one transaction, so that no acknowledged result is lost when a writer is killed.
 * The journal is a write-ahead log, or a rollback journal where the file may lie on a shared file system. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "store/store.h"
#include "base/digest.h"
#include "core/printable.h"
#include "arith/need.h"

/* A transaction that waits for the disk takes milliseconds (two fsync).  Only a loss of power makes that necessary:
 * what a killed process has written is kept by the system.  So a plain store waits for the disk at most once in so many
 * seconds: for every slow item, and for some of the quick ones. */
enum { SYNC_SECONDS = 1 };
enum { APPLICATION = 0x6d657264, SCHEMA = 1 }; /* "merd" in the file's header; user_version */

struct store {
    sqlite3 *db;
    sqlite3_stmt *put, *point;
    char *path, key[33];
    int64_t run;
    bool frozen, plain, waits, made; /* made: no file was there before */
    time_t synced;
    /* FNV-1a of the item's results and of its points, each in its own order */
    uint64_t seal[2];
    int failed; /* first SQLite error inside the item in flight */
};

static const char schema[] =
    "CREATE TABLE run(id INTEGER PRIMARY KEY, started TEXT NOT NULL, machine TEXT NOT NULL, cpu TEXT NOT NULL, "
    "compiler TEXT NOT NULL,"
    " \"commit\" TEXT NOT NULL, version TEXT NOT NULL, isa TEXT NOT NULL, mpfr TEXT NOT NULL) STRICT;"
    "CREATE TABLE item(run INTEGER NOT NULL, key TEXT NOT NULL, what TEXT NOT NULL, seconds REAL NOT NULL, PRIMARY "
    "KEY(key, run)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE result(run INTEGER NOT NULL, key TEXT NOT NULL, row TEXT NOT NULL, quantity TEXT NOT NULL, subject "
    "TEXT NOT NULL,"
    " params TEXT NOT NULL, measure TEXT NOT NULL, value REAL, bits TEXT NOT NULL, bound REAL, bound_bits TEXT NOT "
    "NULL, witness TEXT NOT NULL,"
    " method TEXT NOT NULL, n INTEGER NOT NULL, seed INTEGER NOT NULL, verdict TEXT NOT NULL) STRICT;"
    "CREATE INDEX result_key ON result(key, run);"
    "CREATE TABLE point(run INTEGER NOT NULL, key TEXT NOT NULL, series TEXT NOT NULL, x REAL, y REAL, bits TEXT NOT "
    "NULL) STRICT;"
    "CREATE INDEX point_key ON point(key, run);";
static const char seals[] = "CREATE TABLE IF NOT EXISTS main.seal(key TEXT NOT NULL, run INTEGER NOT NULL, digest TEXT "
                            "NOT NULL, PRIMARY KEY(key, run)) STRICT, WITHOUT ROWID;";
static const char views[] = "CREATE TEMP TABLE plan(key TEXT PRIMARY KEY, run INTEGER NOT NULL);"
                            "CREATE TEMP VIEW now AS SELECT r.*, r.rowid AS at FROM plan p CROSS JOIN main.result r ON "
                            "r.key = p.key AND r.run = p.run;"
                            "CREATE TEMP VIEW curve AS SELECT q.*, q.rowid AS at FROM plan p CROSS JOIN main.point q "
                            "ON q.key = p.key AND q.run = p.run;";

void bits_write(double x, char text[17])
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    snprintf(text, 17, "%016" PRIx64, b);
}

double bits_read(const char *text)
{
    char *end;
    uint64_t b = text ? strtoull(text, &end, 16) : 0;
    double x;
    if (!text || end != text + 16)
        return (double)NAN;
    memcpy(&x, &b, sizeof x);
    return x;
}

static void sql_num(sqlite3_context *c, int n, sqlite3_value **v)
{
    char text[40];
    double x = sqlite3_value_type(v[0]) == SQLITE_TEXT ? bits_read((const char *)sqlite3_value_text(v[0])) :
        sqlite3_value_type(v[0]) == SQLITE_NULL        ? (double)NAN :
                                                         sqlite3_value_double(v[0]);
    if (isnan(x))
        strcpy(text, "NaN"); /* its sign carries nothing */
    else
        snprintf(text, sizeof text, "%.*g", n > 1 ? sqlite3_value_int(v[1]) : 3, x);
    sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

static void sql_many(sqlite3_context *c, int n, sqlite3_value **v)
{
    char plain[32], text[48];
    int used = 0, len = snprintf(plain, sizeof plain, "%lld", (long long)sqlite3_value_int64(v[0])),
        sign = *plain == '-';
    (void)n;
    for (int k = 0; k < len; k++) {
        text[used++] = plain[k];
        if (k >= sign && k + 1 < len && (len - k - 1) % 3 == 0)
            text[used++] = ',';
    }
    sqlite3_result_text(c, text, used, SQLITE_TRANSIENT);
}

/* The integer that a pragma answers, or -1 on an error. */
static int64_t pragma(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *q = NULL;
    int64_t x = sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW ?
        sqlite3_column_int64(q, 0) :
        -1;
    sqlite3_finalize(q);
    return x;
}

static bool damaged(sqlite3 *db, char *why, size_t n)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &q, NULL);
    rc = rc == SQLITE_OK ? sqlite3_step(q) : rc;
    bool bad = rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB ||
        (rc == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(q, 0), "ok"));
    snprintf(why, n, "%s", rc == SQLITE_ROW ? "its pages are inconsistent" : sqlite3_errmsg(db));
    printable(why); /* It may quote bytes of the file. */
    sqlite3_finalize(q);
    return bad;
}

/* Whether a file that is no whole database was a results store: it has the header of one, or what is left of it, or its
 * first pages hold the schema.  Anything else is somebody's file, named by mistake. */
static bool was_store(const char *path)
{
    static const char magic[16] = "SQLite format 3", table[] = "CREATE TABLE result(";
    enum { AT = 68, PAGES = 1 << 16 }; /* application_id, https://www.sqlite.org/fileformat.html, 1.3 */
    static const unsigned char own[4] = { APPLICATION >> 24, APPLICATION >> 16 & 255, APPLICATION >> 8 & 255,
        APPLICATION & 255 };
    char *head = need(PAGES, 1);
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(head, 1, PAGES, f) : 0;
    if (f)
        fclose(f);
    const bool whole = n >= AT + sizeof own && !memcmp(head + AT, own, sizeof own);
    const bool begun = n < AT + sizeof own || whole; /* what ends before its number may have been one */
    const bool is = (n && begun && !memcmp(head, magic, n < sizeof magic ? n : sizeof magic)) ||
        memmem(head, n, table, sizeof table - 1);
    free(head);
    return is;
}

static int set_aside(const char *path, char *to, size_t n)
{
    struct stat st;
    for (int k = 1; k < 10000; k++) {
        char from[5000], side[5000];
        snprintf(to, n, "%s.corrupt-%d", path, k);
        if (lstat(to, &st) == 0 || link(path, to)) { /* link, unlike rename, never replaces */
            if (errno == EEXIST || lstat(to, &st) == 0)
                continue;
            return -1;
        }
        if (unlink(path))
            return -1;
        for (int s = 0; s < 2; s++) {
            snprintf(from, sizeof from, "%.4200s%s", path, s ? "-shm" : "-wal");
            snprintf(side, sizeof side, "%.4200s%s", to, s ? "-shm" : "-wal");
            if (rename(from, side) && errno != ENOENT)
                return -1;
        }
        return 0;
    }
    return -1;
}

static int say(struct store *s, int rc, char *err, size_t n)
{
    const char *hint = (rc & 0xff) == SQLITE_FULL ? "the disk is full" :
        (rc & 0xff) == SQLITE_IOERR               ? "cannot write (disk full, or a file size limit)" :
        (rc & 0xff) == SQLITE_READONLY || (rc & 0xff) == SQLITE_CANTOPEN ? "cannot open for writing" :
        (rc & 0xff) == SQLITE_BUSY                                       ? "another process is writing it" :
                                                                           sqlite3_errmsg(s->db);
    snprintf(err, n, "%s: %s; earlier results are kept", s->path, hint);
    return -1;
}

static int prepare(struct store *s)
{
    int rc =
        sqlite3_exec(s->db, s->plain ? "PRAGMA journal_mode=DELETE;" : "PRAGMA journal_mode=WAL;", NULL, NULL, NULL);
    rc = rc == SQLITE_OK ?
        sqlite3_exec(s->db, "PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;", NULL, NULL, NULL) :
        rc;
    char made[sizeof schema + 128];
    if (rc == SQLITE_OK && pragma(s->db, "PRAGMA user_version") == 0) {
        snprintf(made, sizeof made, "BEGIN IMMEDIATE; %s PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT;",
            schema, APPLICATION, SCHEMA);
        rc = sqlite3_exec(s->db, made, NULL, NULL, NULL);
    }
    rc = rc == SQLITE_OK ? sqlite3_exec(s->db, seals, NULL, NULL, NULL) : rc;
    rc = rc == SQLITE_OK ? sqlite3_exec(s->db, views, NULL, NULL, NULL) : rc;
    rc = rc == SQLITE_OK ?
        sqlite3_prepare_v2(s->db, "INSERT INTO result VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1, &s->put, NULL) :
        rc;
    rc = rc == SQLITE_OK ? sqlite3_prepare_v2(s->db, "INSERT INTO point VALUES(?,?,?,?,?,?)", -1, &s->point, NULL) : rc;
    rc = rc == SQLITE_OK ?
        sqlite3_create_function(s->db, "num", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_num, NULL, NULL) :
        rc;
    return rc == SQLITE_OK ?
        sqlite3_create_function(s->db, "many", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_many, NULL, NULL) :
        rc;
}

static bool foreign(sqlite3 *db)
{
    int64_t version = pragma(db, "PRAGMA user_version"), tables = pragma(db, "SELECT count(*) FROM sqlite_master");
    return (version == 0 && tables > 0) ||
        (version > 0 && (version != SCHEMA || pragma(db, "PRAGMA application_id") != APPLICATION));
}

int store_check(sqlite3 *db, const char *path, char *err, size_t n)
{
    char why[200];
    if (damaged(db, why, sizeof why))
        return snprintf(err, n, "%s: damaged (%s)", path, why), -1;
    return foreign(db) || pragma(db, "PRAGMA user_version") != SCHEMA ?
           snprintf(err, n, "%s: no results store of this version", path),
           -1 : 0;
}

/* What the file is, if SQLite would wait for it without end or take it for a new database; NULL: nothing of the
 * kind. */
static const char *strange_file(const char *path)
{
    struct stat st;
    if (stat(path, &st) || (S_ISREG(st.st_mode) && st.st_size != 1))
        return NULL;
    if (S_ISREG(st.st_mode)) /* SQLite takes one byte for none */
        return "a file of one byte, and left as it is";
    return S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe";
}

int store_read(sqlite3 **db, const char *path, char *err, size_t n)
{
    const char *strange = strange_file(path);
    *db = NULL;
    if (strange)
        return snprintf(err, n, "%.400s: %s; give a file that `meridian sweep` made", path, strange), -1;
    if (sqlite3_open_v2(path, db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return snprintf(err, n, "%.400s: %s; `meridian sweep` makes it", path, sqlite3_errmsg(*db)), -1;
    return store_check(*db, path, err, n);
}

static int open_as(struct store **out, bool plain, const char *path, char *note, size_t note_size, char *err, size_t n)
{
    struct store *s = need(1, sizeof *s);
    s->plain = plain;
    char why[200], aside[4200];
    *note = 0;
    *out = NULL;
    s->path = need_copy(path);
    s->made = access(path, F_OK) != 0;
    if (strange_file(path)) {
        snprintf(err, n, "%.400s: %s; name a results store or a new file", path, strange_file(path));
        return store_close(s), -1;
    }
    for (int attempt = 0; attempt < 2; attempt++) {
        int rc = sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
        sqlite3_busy_timeout(s->db, 10000);
        if (rc == SQLITE_OK && damaged(s->db, why, sizeof why)) {
            sqlite3_close(s->db);
            s->db = NULL;
            if (!was_store(path)) {
                snprintf(err, n, "%.400s: no results store (%s), and left as it is; name another file", path, why);
                return store_close(s), -1;
            }
            if (attempt || set_aside(path, aside, sizeof aside)) {
                snprintf(err, n, "%s: damaged (%s) and cannot be set aside: %s", path, why, strerror(errno));
                return store_close(s), -1;
            }
            snprintf(note, note_size, "%s: damaged (%s); set aside as %s", path, why, aside);
            continue;
        }
        if (rc == SQLITE_OK && foreign(s->db)) {
            snprintf(err, n, "%s: a database, but no results store of this version; left as it is", path);
            return store_close(s), -1;
        }
        rc = rc == SQLITE_OK ? prepare(s) : rc;
        if (rc != SQLITE_OK)
            return say(s, rc, err, n), store_close(s), -1;
        break;
    }
    *out = s;
    return 0;
}
int store_open(struct store **s, const char *path, char *note, size_t note_size, char *err, size_t n)
{
    return open_as(s, false, path, note, note_size, err, n);
}
int store_open_plain(struct store **s, const char *path, char *note, size_t note_size, char *err, size_t n)
{
    return open_as(s, true, path, note, note_size, err, n);
}

/* A file of this program that could not hold anything does not stay: no byte of it is a result. */
static void drop_empty(const struct store *s)
{
    struct stat st;
    if (s->made && !stat(s->path, &st) && S_ISREG(st.st_mode) && !st.st_size)
        unlink(s->path);
}

void store_close(struct store *s)
{
    if (!s)
        return;
    sqlite3_finalize(s->put);
    sqlite3_finalize(s->point);
    sqlite3_close(s->db);
    drop_empty(s);
    free(s->path);
    free(s);
}

static void bind(sqlite3_stmt *q, int k, const char *text)
{
    sqlite3_bind_text(q, k, text ? text : "", -1, SQLITE_TRANSIENT);
}

int store_run(struct store *s, const struct provenance *p, char *err, size_t n)
{
    char when[32];
    time_t t = time(NULL);
    struct tm tm;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &tm));
    const char *text[] = { when, p->machine, p->cpu, p->compiler, p->commit, p->version, p->isa, p->mpfr };
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(s->db, "INSERT INTO run VALUES(NULL,?,?,?,?,?,?,?,?)", -1, &q, NULL);
    for (int k = 0; k < 8 && rc == SQLITE_OK; k++)
        bind(q, k + 1, text[k]);
    rc = rc == SQLITE_OK ? sqlite3_step(q) : rc;
    sqlite3_finalize(q);
    if (rc != SQLITE_DONE)
        return say(s, rc, err, n);
    s->run = sqlite3_last_insert_rowid(s->db);
    return 0;
}

/* Two digests side by side: one of 64 bits is too short to name every cell of many sweeps. */
static void lanes(uint64_t h[2]) { h[0] = digest_start, h[1] = 0x6c62272e07bb0142u; }

void store_key(char key[33], const char *stamp, const char *what)
{
    uint64_t h[2];
    lanes(h);
    for (int lane = 0; lane < 2; lane++) /* the closing 0 is hashed too: "a","bc" differs from "ab","c" */
        h[lane] = digest(digest(h[lane], stamp, strlen(stamp) + 1), what, strlen(what) + 1);
    snprintf(key, 33, "%016" PRIx64 "%016" PRIx64, h[0], h[1]);
}

bool store_has(struct store *s, const char *key)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(s->db,
            "INSERT OR REPLACE INTO plan SELECT key, max(run) FROM item WHERE key = ? GROUP BY key", -1, &q,
            NULL) != SQLITE_OK)
        return false;
    bind(q, 1, key);
    bool done = sqlite3_step(q) == SQLITE_DONE && sqlite3_changes(s->db) == 1;
    sqlite3_finalize(q);
    return done;
}

/* Adds a text with its closing 0 to a digest; NULL counts as "". */
static uint64_t absorb(uint64_t h, const char *text)
{
    return digest(h, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* The bits of a number as SQLite keeps it: -0 becomes 0, and NaN is NULL. */
static const char *kept(double x, char bits[17])
{
    bits_write(x == 0 ? 0 : x, bits);
    return isnan(x) ? "" : bits;
}

static void seal_text(const uint64_t seal[2], char text[33])
{
    snprintf(text, 33, "%016" PRIx64 "%016" PRIx64, seal[0], seal[1]);
}

bool store_seals(sqlite3 *db, const char *schema_name, const char *key, int64_t run)
{
    static const char *const columns[] = {
        "row, quantity, subject, params, measure, value, bits, bound, bound_bits, witness, method, n, seed, verdict",
        "series, x, y, bits", "digest"
    };
    static const char *const table[] = { "result", "point", "seal" };
    uint64_t h[2];
    lanes(h);
    char sql[300], want[33] = "", got[33];
    bool good = true;
    for (int k = 0; k < 3 && good; k++) {
        sqlite3_stmt *q = NULL;
        int rc;
        snprintf(sql, sizeof sql, "SELECT %s FROM %s.%s WHERE key = ? AND run = ?%s", columns[k], schema_name, table[k],
            k < 2 ? " ORDER BY rowid" : "");
        good = sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK;
        if (good) {
            sqlite3_bind_text(q, 1, key, -1, SQLITE_TRANSIENT);
            sqlite3_bind_int64(q, 2, run);
            while ((rc = sqlite3_step(q)) == SQLITE_ROW)
                for (int j = 0; j < sqlite3_column_count(q); j++) {
                    char bits[17];
                    bool is_real = sqlite3_column_type(q, j) == SQLITE_FLOAT;
                    const char *text =
                        is_real ? kept(sqlite3_column_double(q, j), bits) : (const char *)sqlite3_column_text(q, j);
                    if (k < 2)
                        h[k] = absorb(h[k], text);
                    else
                        snprintf(want, sizeof want, "%s", text);
                }
            good = rc == SQLITE_DONE;
        }
        sqlite3_finalize(q);
    }
    seal_text(h, got);
    return good && !strcmp(want, got);
}

bool store_sound(struct store *s, const char *key)
{
    sqlite3_stmt *q = NULL;
    int64_t run = -1;
    if (sqlite3_prepare_v2(s->db, "SELECT max(run) FROM item WHERE key = ?", -1, &q, NULL) == SQLITE_OK) {
        bind(q, 1, key);
        run = sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
    }
    sqlite3_finalize(q);
    return store_seals(s->db, "main", key, run);
}

bool store_did(struct store *s, const char *key)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(s->db, "SELECT 1 FROM item WHERE key = ? AND run = ?", -1, &q, NULL) != SQLITE_OK)
        return false;
    bind(q, 1, key);
    sqlite3_bind_int64(q, 2, s->run);
    bool did = sqlite3_step(q) == SQLITE_ROW;
    sqlite3_finalize(q);
    return did;
}

int store_begin(struct store *s, const char *key, const char *what)
{
    snprintf(s->key, sizeof s->key, "%s", key);
    lanes(s->seal);
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (s->plain) {
        bool wait = t.tv_sec >= s->synced + SYNC_SECONDS;
        sqlite3_exec(s->db, wait ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=OFF", NULL, NULL, NULL);
        s->synced = wait ? t.tv_sec : s->synced, s->waits = wait;
    }
    s->failed = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    sqlite3_stmt *q = NULL;
    int rc = s->failed ? s->failed : sqlite3_prepare_v2(s->db, "INSERT INTO item VALUES(?,?,?,0)", -1, &q, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(q, 1, s->run);
        bind(q, 2, key);
        bind(q, 3, what);
        rc = sqlite3_step(q);
    }
    sqlite3_finalize(q);
    s->failed = s->failed ? s->failed : rc == SQLITE_DONE ? 0 : rc;
    return s->failed ? -1 : 0;
}

static void run_once(struct store *s, sqlite3_stmt *q)
{
    int rc = sqlite3_step(q);
    if (rc != SQLITE_DONE && !s->failed)
        s->failed = rc;
    sqlite3_reset(q);
}

void store_put(struct store *s, const struct entry *e)
{
    const char *text[] = { e->row, e->quantity, e->subject, e->params, e->measure };
    char bits[17], bound[17], n[24], seed[24], real[2][17];
    bits_write(e->value, bits);
    bits_write(e->bound, bound);
    snprintf(n, sizeof n, "%" PRId64, e->n);
    snprintf(seed, sizeof seed, "%" PRId64, (int64_t)e->seed); /* as SQLite keeps it */
    const char *sealed[] = { e->row, e->quantity, e->subject, e->params, e->measure, kept(e->value, real[0]), bits,
        kept(e->bound, real[1]), bound, e->witness, e->method, n, seed, e->verdict };
    for (size_t k = 0; k < sizeof sealed / sizeof *sealed; k++)
        s->seal[0] = absorb(s->seal[0], sealed[k]);
    sqlite3_bind_int64(s->put, 1, s->run);
    bind(s->put, 2, s->key);
    for (int k = 0; k < 5; k++)
        bind(s->put, 3 + k, text[k]);
    sqlite3_bind_double(s->put, 8, e->value);
    bind(s->put, 9, bits);
    sqlite3_bind_double(s->put, 10, e->bound);
    bind(s->put, 11, bound);
    bind(s->put, 12, e->witness);
    bind(s->put, 13, e->method);
    sqlite3_bind_int64(s->put, 14, e->n);
    sqlite3_bind_int64(s->put, 15, (int64_t)e->seed);
    bind(s->put, 16, e->verdict);
    run_once(s, s->put);
}

void store_point(struct store *s, const char *series, double x, double y)
{
    char bits[17], real[2][17];
    bits_write(y, bits);
    const char *sealed[] = { series, kept(x, real[0]), kept(y, real[1]), bits };
    for (size_t k = 0; k < sizeof sealed / sizeof *sealed; k++)
        s->seal[1] = absorb(s->seal[1], sealed[k]);
    sqlite3_bind_int64(s->point, 1, s->run);
    bind(s->point, 2, s->key);
    bind(s->point, 3, series);
    sqlite3_bind_double(s->point, 4, x);
    sqlite3_bind_double(s->point, 5, y);
    bind(s->point, 6, bits);
    run_once(s, s->point);
}

void store_undo(struct store *s) { sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL); }

int store_commit(struct store *s, double seconds, char *err, size_t n)
{
    char sql[300], seal[33];
    seal_text(s->seal, seal);
    snprintf(sql, sizeof sql,
        "UPDATE item SET seconds = %.6f WHERE key = '%s' AND run = %lld; INSERT INTO seal VALUES('%s', %lld, '%s'); "
        "COMMIT;",
        seconds, s->key, (long long)s->run, s->key, (long long)s->run, seal);
    int rc = s->failed ? s->failed : sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    if (rc == SQLITE_OK && !store_has(s, s->key))
        rc = SQLITE_ERROR;
    if (rc == SQLITE_OK)
        return 0;
    say(s, rc, err, n);
    store_undo(s);
    return -1;
}

bool store_waited(const struct store *s) { return s->waits; }
sqlite3 *store_db(struct store *s) { return s->db; }
int64_t store_run_id(const struct store *s) { return s->run; }

int store_freeze(struct store *s)
{
    static const char make[] = "CREATE TEMP TABLE frozen AS SELECT r.*, r.rowid AS at FROM plan p CROSS JOIN "
                               "main.result r ON r.key = p.key AND r.run = p.run;";
    static const char show[] =
        "DROP VIEW temp.now; CREATE TEMP VIEW now AS SELECT * FROM frozen; CREATE INDEX temp.frozen_key ON frozen(key, "
        "measure); CREATE INDEX temp.frozen_measure ON frozen(measure, subject); ANALYZE temp;";
    int rc = s->frozen ? sqlite3_exec(s->db, "DROP TABLE temp.frozen", NULL, NULL, NULL) : SQLITE_OK;
    s->frozen = true;
    rc = rc == SQLITE_OK ? sqlite3_exec(s->db, make, NULL, NULL, NULL) : rc;
    return rc == SQLITE_OK ? sqlite3_exec(s->db, show, NULL, NULL, NULL) : rc;
}
