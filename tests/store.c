/* The results store keeps what it acknowledged: through odd numbers, kill -9, damage, full disks and locked folders. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "arith/need.h"
#include "core/files.h"
#include "store/store.h"

static char dir[64], file[96], note[600], err[600];

static void fresh(void)
{
    strcpy(dir, "/tmp/meridian-store-XXXXXX");
    cr_assert(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/results.db", dir);
}

static void clean(void)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    cr_assert_eq(system(command), 0);
}

static struct store *opened(void)
{
    static const struct provenance p = { "machine", "cpu", "compiler", "commit", "version", "isa", "mpfr" };
    struct store *s = NULL;
    if (store_open(&s, file, note, sizeof note, err, sizeof err) || store_run(s, &p, err, sizeof err))
        return store_close(s), NULL;
    return s;
}

static int item(struct store *s, int k, double value)
{
    char what[32], key[33];
    snprintf(what, sizeof what, "item %d", k);
    store_key(key, "stamp", what);
    store_begin(s, key, what);
    for (int j = 0; j < 20; j++)
        store_put(s, &(struct entry){ .row = "rope", .measure = "m", .value = value, .bound = (double)NAN, .n = k });
    return store_commit(s, 0, err, sizeof err);
}

static long answer(struct store *s, const char *sql)
{
    sqlite3_stmt *q = NULL;
    long x = sqlite3_prepare_v2(store_db(s), sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW ?
        (long)sqlite3_column_int64(q, 0) :
        -1;
    if (x == 0 && q && sqlite3_column_type(q, 0) == SQLITE_TEXT)
        x = !strcmp((const char *)sqlite3_column_text(q, 0), "ok");
    sqlite3_finalize(q);
    return x;
}

static bool one_line(const char *s) { return *s && !strchr(s, '\n'); }

Test(store, odd_numbers_survive_by_their_bits)
{
    static const double odd[] = { (double)NAN, -0.0, 0.0, (double)INFINITY, -(double)INFINITY, 0x1p-1074,
        -0x1.fffffffffffffp+1023, 0.1 };
    enum { N = sizeof odd / sizeof *odd };
    fresh();
    struct store *s = opened();
    cr_assert(s, "%s", err);
    for (int k = 0; k < N; k++)
        cr_assert_eq(item(s, k, odd[k]), 0, "%s", err);
    store_close(s);
    s = opened();
    sqlite3_stmt *q;
    cr_assert_eq(
        sqlite3_prepare_v2(store_db(s), "SELECT n, bits, num(bits) FROM result GROUP BY n ORDER BY n", -1, &q, NULL),
        SQLITE_OK);
    for (int k = 0; k < N; k++) {
        cr_assert_eq(sqlite3_step(q), SQLITE_ROW);
        double got = bits_read((const char *)sqlite3_column_text(q, 1));
        cr_expect(memcmp(&got, &odd[k], sizeof got) == 0, "%a came back as %a", odd[k], got);
        if (k < 2)
            cr_expect_str_eq((const char *)sqlite3_column_text(q, 2), k ? "-0" : "NaN");
    }
    sqlite3_finalize(q);
    cr_expect_eq(answer(s, "SELECT count(*) FROM result WHERE n = 0 AND value IS NULL"), 20,
        "SQLite no longer makes NaN NULL: the comment in store.h is wrong");
    cr_expect(isnan(bits_read("no bits")));
    store_close(s);
    clean();
}

Test(store, an_item_is_there_whole_or_not_and_shows_in_the_view_once)
{
    char a[33], b[33];
    fresh();
    struct store *s = opened();
    store_key(a, "ab", "c"), store_key(b, "a", "bc");
    cr_expect_str_neq(a, b, "the seam between stamp and question is not hashed");
    cr_expect_eq(item(s, 1, 1), 0);
    cr_expect_eq(answer(s, "SELECT count(*) FROM now"), 20);
    store_close(s);
    s = opened();
    cr_expect_eq(answer(s, "SELECT count(*) FROM now"), 0, "results of another run's plan are shown");
    cr_expect_eq(item(s, 1, 2), 0, "an item cannot be measured again");
    cr_expect_eq(answer(s, "SELECT count(*) FROM now WHERE value = 2"), 20, "the older result is shown");
    cr_expect_eq(answer(s, "SELECT count(*) FROM now"), 20);
    cr_expect_eq(answer(s, "SELECT count(*) FROM result"), 40, "history is lost");
    cr_expect_eq(item(s, 1, 3), -1, "an item counts twice in one run");
    cr_expect_eq(answer(s, "SELECT count(*) FROM result"), 40);
    cr_expect_eq(item(s, 3, 3), 0, "the refusal closed the store: %s", err);
    store_key(a, "stamp", "item 1"), store_key(b, "stamp", "item 2");
    cr_expect(store_has(s, a) && !store_has(s, b));
    store_close(s);
    clean();
}

Test(store, kill_minus_nine_loses_only_the_item_in_flight)
{
    fresh();
    struct store *s = opened();
    cr_assert(s);
    store_close(s);
    int acknowledged[2], last = -1, k;
    cr_assert_eq(pipe(acknowledged), 0);
    pid_t pid = fork();
    if (!pid) {
        s = opened();
        for (k = 0;; k++)
            if (item(s, k, k) || write(acknowledged[1], &k, sizeof k) != sizeof k)
                break;
        raise(SIGABRT);
    }
    close(acknowledged[1]);
    while (last < 40 && read(acknowledged[0], &k, sizeof k) == sizeof k)
        last = k;
    kill(pid, SIGKILL);
    /* What it still acknowledged before the signal is read, too. */
    while (read(acknowledged[0], &k, sizeof k) == sizeof k)
        last = k;
    int status;
    waitpid(pid, &status, 0);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && last >= 40);
    s = opened();
    cr_assert(s, "%s", err);
    cr_expect_eq(*note, 0, "%s", note);
    cr_expect_eq(answer(s, "SELECT integrity_check FROM pragma_integrity_check"), 1, "the file is damaged");
    cr_expect_geq(answer(s, "SELECT count(*) FROM item"), last + 1, "an acknowledged item is lost");
    cr_expect_eq(answer(s, "SELECT count(*) FROM (SELECT key FROM result GROUP BY key HAVING count(*) <> 20)"), 0,
        "half an item is there");
    cr_expect_eq(answer(s, "SELECT count(*) FROM item WHERE key NOT IN (SELECT key FROM result)"), 0);
    store_close(s);
    clean();
}

static void damage(int how)
{
    struct store *s = opened();
    for (int k = 0; k < 60; k++)
        item(s, k, k);
    store_close(s);
    int fd = open(file, O_RDWR);
    static char junk[3000];
    memset(junk, 0xa5, sizeof junk);
    cr_assert_eq(pwrite(fd, junk, sizeof junk, how ? 8192 : 0), (ssize_t)sizeof junk);
    close(fd);
}

Test(store, a_damaged_file_is_set_aside_and_never_overwritten)
{
    char aside[160];
    fresh();
    for (int k = 0; k < 2; k++) {
        damage(k);
        uint64_t before = file_digest(file, 1);
        struct store *s = opened();
        cr_assert(s, "%s", err);
        snprintf(aside, sizeof aside, "%s.corrupt-%d", file, k + 1);
        cr_expect(one_line(note) && strstr(note, aside), "note: '%s'", note);
        cr_expect_eq(file_digest(aside, 1), before, "%s is not the damaged file", aside);
        cr_expect_eq(answer(s, "SELECT count(*) FROM result"), 0);
        cr_expect_eq(item(s, 1, 1), 0);
        store_close(s);
    }
    clean();
}

/* SQLite quotes what it does not understand, and a terminal would obey it. */
Test(store, bytes_of_a_damaged_schema_are_not_printed)
{
    fresh();
    store_close(opened());
    char *text = need(1 << 16, 1);
    const int fd = open(file, O_RDWR);
    const ssize_t n = pread(fd, text, 1 << 16, 0);
    char *at = n > 0 ? memmem(text, (size_t)n, "TEXT NOT NULL)", 14) : NULL;
    cr_assert(at);
    cr_assert_eq(pwrite(fd, "\x18", 1, at - text + 5), 1);
    close(fd), free(text);
    store_close(opened());
    cr_expect(strstr(note, "set aside as") && !strchr(note, '\x18'), "%s", note);
    clean();
}

Test(store, somebody_elses_database_is_left_alone)
{
    sqlite3 *db;
    fresh();
    sqlite3_open(file, &db);
    sqlite3_exec(db, "CREATE TABLE theirs(x); INSERT INTO theirs VALUES(1)", NULL, NULL, NULL);
    sqlite3_close(db);
    uint64_t before = file_digest(file, 1);
    cr_expect_null(opened());
    cr_expect(one_line(err) && strstr(err, "left as it is"), "%s", err);
    cr_expect_eq(file_digest(file, 1), before);
    clean();
}

/* A file that was named by mistake: it is nothing of this program's, whatever it is. */
Test(store, what_was_never_a_store_is_left_alone)
{
    static char of_bytes[70000];
    /* How they begin, and their sizes: the fourth has the header of another program's database and nothing else. */
    static const struct { char begin[32]; size_t n; } files[] = {
        { "root:x:0:0:root:/root:/bin/sh\n", 30 }, { "x", 1 }, { "SQLite formal", 13 },
        { "SQLite format 3\0\x10\0\2\2\0@  \0\0\0\1", 128 }, { "\xa5\xa5\xa5", sizeof of_bytes },
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        fresh();
        memcpy(of_bytes, files[k].begin, sizeof files[k].begin);
        cr_assert_eq(file_replace(file, of_bytes, files[k].n, err, sizeof err), 0, "%s", err);
        const uint64_t before = file_digest(file, 1);
        cr_expect_null(opened(), "case %zu", k);
        cr_expect(one_line(err) && strstr(err, file) && strstr(err, "left as it is"), "case %zu: %s", k, err);
        cr_expect(file_digest(file, 1) == before && !*note, "case %zu: it was touched: %s", k, note);
        clean();
    }
}

/* Runs f in a child, whose limits and identity are its own. */
static int in_child(int (*f)(void))
{
    pid_t pid = fork();
    int status;
    if (!pid) {
        int rc = f();
        /* The child ends by a signal, as an exit would run handlers of the test library.  Who started the tests may
         * ignore that signal, as perf does, and a child that lived on would run the rest of the test, too. */
        signal(SIGUSR1, SIG_DFL);
        signal(SIGUSR2, SIG_DFL);
        kill(getpid(), rc ? SIGUSR1 : SIGUSR2);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR2 ? 0 : -1;
}

static int fills_the_disk(void)
{
    signal(SIGXFSZ, SIG_IGN);
    struct store *s = opened();
    struct rlimit small = { 200000, 200000 };
    if (!s || item(s, 1, 1) || setrlimit(RLIMIT_FSIZE, &small))
        return 1;
    for (int k = 2; k < 5000; k++)
        if (item(s, k, k)) {
            bool said = one_line(err) && strstr(err, "earlier results are kept"),
                 there = answer(s, "SELECT count(*) FROM result WHERE n = 1") == 20,
                 whole =
                     answer(s, "SELECT count(*) FROM (SELECT key FROM result GROUP BY key HAVING count(*) <> 20)") == 0;
            return !(said && there && whole);
        }
    return 1;
}

Test(store, a_full_disk_gives_one_line_and_keeps_earlier_results)
{
    fresh();
    cr_expect_eq(in_child(fills_the_disk), 0);
    struct store *s = opened();
    cr_assert(s, "%s", err);
    cr_expect_eq(*note, 0, "%s", note);
    cr_expect_eq(answer(s, "SELECT integrity_check FROM pragma_integrity_check"), 1);
    cr_expect_eq(answer(s, "SELECT count(*) FROM result WHERE n = 1"), 20);
    store_close(s);
    clean();
}

static int is_locked_out(void)
{
    if (geteuid() == 0 && setuid(65534)) /* The superuser may write in any folder, so another user tries. */
        return 1;
    struct store *s = opened();
    return !(s == NULL && one_line(err) && strstr(err, file));
}

Test(store, a_read_only_folder_gives_one_line)
{
    fresh();
    cr_assert_eq(chmod(dir, 0555), 0);
    cr_expect_eq(in_child(is_locked_out), 0);
    chmod(dir, 0755);
    clean();
}
