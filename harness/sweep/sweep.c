/* Runs a plan with worker processes and one writer.  A worker reads the number of a cell, measures it and sends the
 * outcome as text; it never opens the file.  A worker that dies loses only its cell; when the writer dies, the system
 * kills the workers. */
#include "sweep/sweep.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/worker.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "examine/examine.h"
#include "arith/need.h"

enum { JOBS = 256 };
/* The head of a worker's answer, which `bytes` bytes follow: the outcome, or one line why there is none. */
struct sweep_head { int status; double seconds; size_t bytes; };
struct sweep_worker { pid_t pid; int to, from; long cell; double since; };
struct queue { const long *todo; long n, next; };

/* Writes all of data, in a worker; when the writer has ended, the worker ends. */
static void whole(int fd, const void *data, size_t n)
{
    for (const char *s = data; n;) {
        ssize_t some = write(fd, s, n);
        if (some < 0 && errno != EINTR)
            _exit(1);
        s += some > 0 ? some : 0, n -= some > 0 ? (size_t)some : 0;
    }
}

static bool got_whole(int fd, void *data, size_t n)
{
    for (char *s = data; n;) {
        ssize_t some = read(fd, s, n);
        if (some == 0 || (some < 0 && errno != EINTR))
            return false;
        s += some > 0 ? some : 0, n -= some > 0 ? (size_t)some : 0;
    }
    return true;
}

static void work(const struct plan *p, int from, int to)
{
    long k;
    while (got_whole(from, &k, sizeof k)) {
        struct cell c;
        struct outcome o = { 0 };
        char err[600] = "";
        double start = now();
        o.to = need_stream(&o.text, &o.size);
        int status = cell_read(&c, p->what[k], err, sizeof err) || c.measure->run(&c, &o, err, sizeof err);
        fclose(o.to);
        struct sweep_head h = { status, now() - start, status ? strlen(err) : o.size };
        whole(to, &h, sizeof h);
        whole(to, status ? err : o.text, h.bytes);
        free(o.text);
    }
    _exit(0);
}

static int start(struct sweep_worker *all, int jobs, struct sweep_worker *w, const struct plan *p, char *err, size_t n)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC))
        return snprintf(err, n, "no pipe: %s", strerror(errno)), -1;
    if (pipe2(from, O_CLOEXEC))
        return close(to[0]), close(to[1]), snprintf(err, n, "no pipe: %s", strerror(errno)), -1;
    w->pid = worker_fork();
    if (!w->pid) {
        close(to[1]), close(from[0]);
        /* a copy of another one's pipe would keep it waiting for work when the writer has closed it */
        for (int k = 0; k < jobs; k++)
            if (all[k].pid && &all[k] != w)
                close(all[k].to), close(all[k].from);
        work(p, to[0], from[1]);
    }
    close(to[0]), close(from[1]);
    if (w->pid < 0)
        return close(to[1]), close(from[0]), w->pid = 0, snprintf(err, n, "no worker: %s", strerror(errno)), -1;
    w->to = to[1], w->from = from[0], w->cell = -1;
    return 0;
}

/* Closes the pipes of a worker, waits for its end, and returns its wait status. */
static int stop(struct sweep_worker *w)
{
    int status = 0;
    if (!w->pid)
        return 0;
    close(w->to), close(w->from);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
    return status;
}

void sweep_key(const struct sweep *s, const char *what, char key[33])
{
    char stamp[600], name[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(what, " "), what);
    const struct measure *m = measure_named(name);
    snprintf(stamp, sizeof stamp, "%s %s %s", s->here.program, s->here.isa, m && m->machine ? s->here.cpu : "");
    store_key(key, stamp, what);
}

static void complain(struct sweep *s, const char *what, const char *why)
{
    if (!*s->first)
        snprintf(s->first, sizeof s->first, "%.300s: %.300s", what, why);
}

static int commit(struct sweep *s, const char *what, const struct sweep_head *h, const char *text, char *err, size_t n)
{
    char key[33];
    double begin = now();
    sweep_key(s, what, key);
    if (store_begin(s->store, key, what) == 0 && outcome_store(text, s->store)) {
        store_undo(s->store);
        return s->failed++, complain(s, what, "its outcome cannot be read"), 0;
    }
    if (store_commit(s->store, h->seconds, err, n))
        return -1;
    s->done++;
    *(store_waited(s->store) ? s->waits++, &s->wait_seconds : &s->store_seconds) += now() - begin;
    return 0;
}

static void give(struct sweep_worker *w, struct queue *q)
{
    w->cell = q->next < q->n ? q->todo[q->next++] : -1;
    w->since = now();
    if (w->cell >= 0 && write(w->to, &w->cell, sizeof w->cell) != sizeof w->cell) /* it died idle: hear() will see it */
        kill(w->pid, SIGKILL);
}

/* Reads one answer of w, or notes its end.  It is given its next cell before this answer is stored.  0, or -1 and err:
 * the store cannot be written. */
static int hear(struct sweep *s, struct sweep_worker *w, struct queue *q, char *err, size_t n)
{
    struct sweep_head h;
    const char *what = s->plan->what[w->cell];
    char *text = NULL, why[80];
    int rc = 0;
    bool good = got_whole(w->from, &h, sizeof h);
    if (good) {
        text = need(h.bytes + 1, 1);
        good = got_whole(w->from, text, h.bytes);
    }
    w->cell = -1;
    if (good)
        give(w, q);
    if (!good) {
        int status = stop(w);
        snprintf(why, sizeof why, "the worker died: %s", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it left");
        s->crashed++, complain(s, what, why);
    } else if (h.status)
        s->failed++, complain(s, what, text);
    else
        rc = commit(s, what, &h, text, err, n);
    free(text);
    return rc;
}

static bool missing(struct sweep *s, const char *what)
{
    char key[33];
    sweep_key(s, what, key);
    bool there = !s->fresh && store_has(s->store, key), sound = there && store_sound(s->store, key);
    s->damaged += there && !sound, s->reused += sound;
    return !sound;
}

/* Gives every idle worker of the first `jobs` a cell, then waits for answers, until all cells are done.  0, or -1 and
 * err. */
static int pump(struct sweep *s, struct sweep_worker *w, int jobs, const long *todo, long n_todo, char *err, size_t n)
{
    struct pollfd f[JOBS];
    struct queue q = { todo, n_todo, 0 };
    const long before = s->done;
    struct progress how;
    progress_begin(&how, "sweep", "cells", (double)n_todo);
    for (int busy = 1; busy || q.next < q.n;) {
        busy = 0;
        for (int k = 0; k < jobs; k++) {
            if (w[k].cell < 0 && q.next < q.n) {
                if (!w[k].pid && start(w, s->jobs, &w[k], s->plan, err, n))
                    return -1;
                give(&w[k], &q);
            }
            bool waits = w[k].cell >= 0;
            f[k] = (struct pollfd){ waits ? w[k].from : -1, POLLIN, 0 };
            busy += waits;
            if (waits && s->seconds && now() - w[k].since > s->seconds)
                kill(w[k].pid, SIGKILL);
        }
        if (busy && poll(f, (nfds_t)jobs, 500) < 0 && errno != EINTR)
            return snprintf(err, n, "poll: %s", strerror(errno)), -1;
        for (int k = 0; k < jobs && busy; k++)
            if (f[k].fd >= 0 && f[k].revents && hear(s, &w[k], &q, err, n))
                return -1;
        progress_step(&how, (double)(s->done - before), s->name);
    }
    progress_wipe(&how);
    return 0;
}

int sweep_run(struct sweep *s, char *err, size_t n)
{
    struct sweep_worker w[JOBS] = { 0 };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, pipe_before;
    long *todo = need((size_t)s->plan->n + 1, sizeof *todo), *alone = need((size_t)s->plan->n + 1, sizeof *alone),
         n_todo = 0, n_alone = 0;
    struct cell c;
    s->jobs = s->jobs > JOBS ? JOBS : s->jobs;
    for (long k = s->shard.index; k < s->plan->n; k += s->shard.count, s->cells++)
        if (missing(s, s->plan->what[k])) {
            bool timed = cell_read(&c, s->plan->what[k], err, n) == 0 && c.measure->machine;
            *(timed ? &alone[n_alone++] : &todo[n_todo++]) = k;
        }
    sigaction(SIGPIPE, &ignore, &pipe_before);
    for (int k = 0; k < s->jobs; k++)
        w[k].cell = -1;
    int rc = pump(s, w, s->jobs, todo, n_todo, err, n);
    /* what is timed has the machine for itself, as far as this program goes */
    rc = rc ? rc : pump(s, w, 1, alone, n_alone, err, n);
    for (int k = 0; k < s->jobs; k++) {
        if (rc && w[k].pid)
            kill(w[k].pid, SIGKILL);
        stop(&w[k]);
    }
    sigaction(SIGPIPE, &pipe_before, NULL);
    free(todo), free(alone);
    return rc;
}

int sweep_words(struct sweep *s, long count[4])
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(store_db(s->store),
        "SELECT coalesce(sum(verdict='FAIL'), 0), coalesce(sum(verdict='SKIP'), 0), coalesce(sum(verdict IN "
        "('VACUOUS', 'UNDECIDED')), 0), coalesce(sum(verdict NOT IN ('FAIL', 'SKIP', 'VACUOUS', 'UNDECIDED')), 0) FROM "
        "now WHERE measure <> 'recipe'",
        -1, &q, NULL);
    if (rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        for (int k = 0; k < 4; k++)
            count[k] = (long)sqlite3_column_int64(q, k);
    sqlite3_finalize(q);
    return rc;
}
