/* Runs all shards by an engine; see engine.h. */
#include "sweep/engine.h"
#include "base/progress.h"
#include "base/words.h"
#include "core/cli.h"
#include "core/files.h"
#include "sweep/sweep.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* FIRST, LONGEST: milliseconds between two looks at the queue, each time half as long again. TRIES: how often in a row
 * the scheduler may not answer, some ten minutes. */
enum { FIRST = 100, LONGEST = 30000, TRIES = 30 };

/* Runs a command of the shell, whose output is written to out[n].  Its exit status; 128 and more: it cannot be run. */
static int told(const char *command, char *out, size_t n)
{
    char rest[4096];
    fflush(NULL);
    FILE *f = popen(command, "r");
    size_t at = f ? fread(out, 1, n - 1, f) : 0;
    out[at] = 0;
    while (f && fread(rest, 1, sizeof rest, f))
        ; /* a program that cannot write its output would be killed for it */
    const int status = f ? pclose(f) : -1;
    return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static bool on_path(const char *program)
{
    char command[200], text[1 << 10];
    snprintf(command, sizeof command, "command -v %.100s", program);
    return !told(command, text, sizeof text);
}

static int lines_of(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += *s == '\n';
    return n;
}

/* How many tasks of the array have not ended: those that squeue lists and, since it forgets jobs as they end and may be
 * late to see them begin, those that sacct calls pending or at work. -1: neither program answers. */
static int left_of(const char *job)
{
    static const char alive[] = "PENDING RUNNING REQUEUED RESIZING SUSPENDED COMPLETING CONFIGURING STAGE_OUT";
    static char text[1 << 20];
    char command[200];
    int n = 0;
    snprintf(command, sizeof command, "squeue --noheader --array --jobs=%s --format=%%T 2>/dev/null", job);
    const int queue = told(command, text, sizeof text);
    if (!queue && *text)
        return lines_of(text);
    snprintf(command, sizeof command, "sacct --noheader --allocations --array --parsable2 --jobs=%s --format=State "
        "2>/dev/null", job);
    const int account = told(command, text, sizeof text);
    for (char *s = text; !account && *s; s += strcspn(s, "\n"), s += *s == '\n')
        n += words_find(alive, s, strcspn(s, " \n")) != NULL;
    return account && queue ? -1 : n;
}

/* Waits until no task of the array is left.  0, or -1 and err: the scheduler does not answer. */
static int await(const char *job, long shards, char *err, size_t n)
{
    struct progress how;
    long pause = FIRST;
    progress_begin(&how, "sweep", "shards", (double)shards);
    for (int tries = 0, left; (left = left_of(job)) != 0;) {
        tries = left < 0 ? tries + 1 : 0;
        if (tries > TRIES)
            return progress_wipe(&how), snprintf(err, n, "neither squeue nor sacct says how job %s is; its shards go "
                "on, and the same command joins them when they have ended", job), -1;
        if (left > 0)
            progress_step(&how, (double)(shards > left ? shards - left : 0), job);
        nanosleep(&(struct timespec){ pause / 1000, pause % 1000 * 1000000 }, NULL);
        pause = pause < LONGEST * 2 / 3 ? pause * 3 / 2 : LONGEST;
    }
    return progress_wipe(&how), 0;
}

/* Gives the script to sbatch and, where that is asked, waits.  1: it was submitted and is not waited for; 0: it has
 * ended; -1 and err. */
static int by_slurm(const struct submission *e, const char *script, char *err, size_t n)
{
    char command[1200], said[400], job[40];
    if (!on_path("sbatch"))
        return snprintf(err, n, "sbatch is not on this machine's path: run this where jobs are submitted, or submit "
                   "what --emit slurm prints"), -1;
    snprintf(command, sizeof command, "sbatch --parsable '%s'", script);
    const int rc = told(command, said, sizeof said);
    snprintf(job, sizeof job, "%.*s", (int)strspn(said, "0123456789"), said);
    if (rc || !*job)
        return snprintf(err, n, "sbatch %.300s ended with %d and names no job", script, rc), -1;
    fprintf(stderr, "meridian sweep: Slurm job %s, %ld shards\n", job, e->job.shards);
    if (e->wait)
        return await(job, e->job.shards, err, n);
    printf("%s\n", job);
    return 1;
}

static int by_script(const struct submission *e, const char *script, char *err, size_t n)
{
    char command[1200], text[1 << 12];
    if (!on_path(e->name))
        return snprintf(err, n, "%s is not on this machine's path", e->name), -1;
    snprintf(command, sizeof command, "sh '%s' >&2", script);
    return told(command, text, sizeof text), 0; /* what a shard did is read from its file */
}

/* A file's number of cells, and in count[4] its results: FAIL; SKIP; VACUOUS or UNDECIDED; other. -1 and err. */
static long read_words(const char *path, long count[4], char *err, size_t n)
{
    static const char sql[] = "WITH latest AS (SELECT what, key, max(run) AS run FROM item WHERE what NOT LIKE 'recipe "
        "%' GROUP BY what) SELECT (SELECT count(*) FROM latest), coalesce(sum(verdict='FAIL'), 0), "
        "coalesce(sum(verdict='SKIP'), 0), coalesce(sum(verdict IN ('VACUOUS', 'UNDECIDED')), 0), coalesce(sum(verdict "
        "NOT IN ('FAIL', 'SKIP', 'VACUOUS', 'UNDECIDED')), 0) FROM latest JOIN result USING (key, run)";
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    long cells = -1;
    if (store_read(&db, path, err, n))
        return sqlite3_close(db), -1;
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW) {
        cells = (long)sqlite3_column_int64(q, 0);
        for (int k = 0; k < 4; k++)
            count[k] = (long)sqlite3_column_int64(q, k + 1);
    } else
        snprintf(err, n, "%.300s: %s", path, sqlite3_errmsg(db));
    sqlite3_finalize(q), sqlite3_close(db);
    return cells;
}

/* Joins the shards where every cell has a result, and says what came of them. */
static int collect(const struct submission *e, char *err, size_t n)
{
    const long want = e->cells < e->job.shards ? e->cells : e->job.shards; /* those that have cells */
    char **file = need((size_t)want, sizeof *file), whole[1000], late[300] = "";
    size_t at = 0;
    long there = 0, count[4] = { 0 }, cells = 0;
    for (long k = 0, own; k < want; k++, there += own > 0 ? own : 0) {
        file[k] = need(strlen(e->job.base) + 60, 1);
        sprintf(file[k], "%s.%ld-of-%ld.db", e->job.base, k + 1, e->job.shards);
        own = access(file[k], R_OK) ? 0 : read_words(file[k], count, err, n);
        if (own < (e->cells - k + e->job.shards - 1) / e->job.shards && at + 24 < sizeof late)
            at += (size_t)snprintf(late + at, sizeof late - at, " %ld", k + 1);
    }
    snprintf(whole, sizeof whole, "%s.db", e->job.base);
    int rc = *late ? EXIT_CRASH : 0;
    if (*late)
        fprintf(stderr, "meridian sweep: %ld of %ld cells have no result, of the shards%s; the others are kept, and "
            "the same command goes on\n", e->cells - there, e->cells, late);
    else if (merge_files((const char *const *)file, (int)want, whole, &cells, err, n) ||
        read_words(whole, count, err, n) < 0)
        rc = -1;
    else {
        printf("%s: %ld cells of %ld shards; results: %ld, FAIL %ld, VACUOUS or UNDECIDED %ld, SKIP %ld\n", whole,
            there, e->job.shards, count[3], count[0], count[2], count[1]);
        rc = count[0] ? EXIT_FAIL : count[3] ? EXIT_PASS : EXIT_NOTHING;
    }
    for (long k = 0; k < want; k++)
        free(file[k]);
    return free(file), rc;
}

int engine_run(const struct submission *e, char *err, size_t n)
{
    char script[1000], *text = NULL;
    size_t length;
    snprintf(script, sizeof script, "%s.db", e->job.base);
    if (!access(script, F_OK))
        return snprintf(err, n, "%s: is there already; give another --out or remove it", script), -1;
    snprintf(script, sizeof script, "%s.job.sh", e->job.base);
    FILE *f = need_stream(&text, &length);
    int rc = shard_script(f, e->name, &e->job, false, err, n);
    fclose(f);
    rc = rc ? rc : file_replace(script, text, length, err, n);
    free(text);
    if (!rc)
        rc = !strcmp(e->name, "slurm") ? by_slurm(e, script, err, n) : by_script(e, script, err, n);
    return rc < 0 ? -1 : rc ? EXIT_PASS : collect(e, err, n);
}
