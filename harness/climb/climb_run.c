/* Workers of the climb.  Each writes what it finds into memory that it shares with its parent, so that a page that
 * aborts, or a kernel that crashes or hangs, costs one question, and it is known which. */
#include "climb/climb_run.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/worker.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "examine/examine.h"
#include "base/words.h"

struct climb_worker {
    struct climb_found found;
    uint64_t at;                        /* the place of its random stream when the latest question was drawn */
    int row;                            /* the row of that question */
    /* when it was drawn, by a clock that the parent reads too; 0: none is being asked */
    double drawn;
    char now[CLIMB_CASE];               /* the case of that question */
    double left;                        /* seconds of the run that are still left */
};
/* The questions with the largest shares, from which later ones start: of each row, of its page and its kernels
 * apart, one case for each way of asking. */
enum { BEST = 24 };
struct best { char key[200], *text; double share; };
struct working {
    struct best best[CLIMB_ROWS][2][BEST];
    const struct climb_run *run;
    struct climb_worker *w;
    struct climber *m;
    struct climb *c;
    struct chance r;
    double begun;
};

enum {
    HANGS_AFTER = 60,   /* seconds of processor time of one question, after which its worker is killed */
    GRACE = 5,          /* seconds beyond the end of the run for which a question being asked is waited for */
    SHRINK_SECONDS = 4, /* for making an escape small */
    UPHILL_WORK = 1000000, /* for one climb, in balls made (climber_work) */
    REDRAWN = 5         /* how often other inputs are tried for a question before the climb */
};

static bool asked_of(const struct climb_run *run, int k) { return !run->row || run->row == all_rows[k]; }

/* The row that has had least work.  Not least time: a seed asks the same questions on every machine. */
static int next_row(const struct working *x)
{
    int best = -1;
    for (int k = 0; all_rows[k] && k < CLIMB_ROWS; k++)
        if (asked_of(x->run, k) && (best < 0 || x->w->found.row[k].work < x->w->found.row[best].work))
            best = k;
    return best;
}

static const struct mer_kernel *draw_kernel(const struct row *row, const struct slot **slot, struct chance *r)
{
    const struct mer_kernel *found = NULL;
    long n = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
            if (!strcmp(k->row, row->name) && chance_one_in(r, ++n))
                found = k, *slot = s;
    return found;
}

/* The names of a profile's steps, "dot score" of "dot=f16/h8 score=f32:2": escapes that differ in formats alone are
 * of one class. */
static void names_of_steps(char *to, size_t n, const char *profile)
{
    *to = 0;
    for (const char *s = profile + strspn(profile, " "); *s; s = word_next(s)) {
        const size_t at = strlen(to), word = strcspn(s, " ");
        const char *slash = memchr(s, '/', word);
        snprintf(
            to + at, n - at, "%s%.*s%.*s", at ? " " : "", (int)strcspn(s, "="), s, slash ? 2 : 0, slash ? slash : "");
    }
}

static void key_of(char *key, size_t n, const struct climb *c, const struct climb_answer *y)
{
    char steps[120];
    const char *how = isinf(y->share) ? " not finite" : "";
    names_of_steps(steps, sizeof steps, c->profile);
    if (c->kernel)
        snprintf(key, n, "%s %.60s %s %s%s", c->t.row->name, c->kernel->out, c->slot->name, c->kernel->type, how);
    else
        snprintf(key, n, "%s %.60s [%s]%s", c->t.row->name, c->out, steps, how);
}

static struct climb_escape *class_of(struct climb_found *f, const char *key)
{
    for (int k = 0; k < f->escapes; k++)
        if (!strcmp(f->escape[k].key, key))
            return &f->escape[k];
    return NULL;
}

static struct climb_escape *new_class(struct climb_found *f, int row, const char *key)
{
    if (f->escapes == CLIMB_ESCAPES)
        return NULL;
    struct climb_escape *e = &f->escape[f->escapes++];
    *e = (struct climb_escape){ .row = row };
    snprintf(e->key, sizeof e->key, "%s", key);
    return e;
}

static void store_case(struct climb_escape *e, const struct climb *c)
{
    char *text = climb_text(c);
    snprintf(e->text, sizeof e->text, "%s", text);
    free(text);
}

static void escaped(struct working *x, int row, struct climb_answer *y)
{
    /* escapes of one row and one way of asking that are made small; later ones are only counted */
    enum { SHRUNK_MOST = 12 };
    struct climb_found *f = &x->w->found;
    struct climb_sum *s = &f->row[row];
    char key[200];
    const bool own = x->c->kernel != NULL;
    s->escapes[own]++;
    key_of(key, sizeof key, x->c, y);
    struct climb_escape *e = class_of(f, key);
    if (!e && s->escapes[own] <= SHRUNK_MOST) {
        climb_shrink(x->m, x->c, y, SHRINK_SECONDS, &s->asked[own]);
        key_of(key, sizeof key, x->c, y);
        e = class_of(f, key);
    }
    if (e) {
        e->n++;
        return;
    }
    if (!(e = new_class(f, row, key)))
        return;
    e->n = 1, e->share = y->share;
    store_case(e, x->c);
    if (x->run->say)
        x->run->say(e, false, now() - x->begun, x->run->with);
}

static void store_alone(struct climb_sum *s, int step, const struct climb *c, double share)
{
    char *text = climb_text(c);
    if (strlen(text) < sizeof s->alone_case[step]) /* a case that is too long to be kept could not be asked again */
        s->alone[step] = share, strcpy(s->alone_case[step], text);
    free(text);
}

static void note_alone(struct climb_sum *s, const struct climb *c, const struct climb_answer *y)
{
    const char *p = c->profile + strspn(c->profile, " ");
    size_t len;
    const char *name;
    if (c->kernel || p[strcspn(p, " ")])
        return;
    for (int k = 0; (name = row_step(c->t.row, k, &len)); k++)
        if (!strncmp(p, name, len) && p[len] == '=') {
            s->alone_asked[k]++;
            if (y->share <= 1 && y->own > s->alone[k])
                store_alone(s, k, c, y->own);
        }
}

static void note_largest(struct climb_sum *s, const struct climb *c, const struct climb_answer *y)
{
    const bool own = c->kernel != NULL;
    if (!(y->share <= 1) || y->share <= s->share[own])
        return;
    s->share[own] = y->share;
    snprintf(s->where[own], sizeof s->where[own], "%.60s %s%s%.60s; %.60s", c->out, own ? c->slot->name : "",
        own ? " " : "", c->profile, c->sizes);
}

/* Tries other inputs for the same question, and keeps those that use more of the bound. */
static void other_inputs(struct working *x, struct climb_answer *y, long *asked)
{
    struct climb *next = need(1, sizeof *next);
    struct climb_answer z;
    if (!climb_copy(next, x->c)) {
        climb_redraw(next, &x->r);
        climb_ask(x->m, next, &z);
        ++*asked;
        if (z.asked && !(z.share <= y->share)) {
            struct climb *was = x->c;
            x->c = next, next = was, *y = z;
        }
    }
    climb_close(next), free(next);
}

static void keep_best(struct working *x, int row, const struct climb_answer *y)
{
    struct best *b = x->best[row][x->c->kernel != NULL], *at = NULL;
    char key[200] = "";
    if (!(y->share <= 1) || y->share < 0.05)
        return;
    key_of(key, sizeof key - 3, x->c, y);
    const size_t end = strlen(key);
    /* several questions of a kind are kept, as one hill is not the highest */
    key[end] = x->c->few ? 'f' : 'm', key[end + 1] = "01234"[strlen(x->c->params) % 5];
    for (int k = 0; k < BEST && !at; k++)
        at = b[k].text && !strcmp(b[k].key, key) ? &b[k] : NULL;
    for (int k = 0; k < BEST && !at; k++)
        at = b[k].text ? NULL : &b[k];
    if (!at)
        at = &b[chance_below(&x->r, BEST)];
    else if (at->text && at->share > y->share && !chance_one_in(&x->r, 20))
        return;
    free(at->text);
    at->text = climb_text(x->c), at->share = y->share;
    snprintf(at->key, sizeof at->key, "%s", key);
}

/* Takes a question with a large share and changes a word of it. false: there is none, or it cannot be made. */
static bool from_best(struct working *x, int row, bool own)
{
    const struct best *b = &x->best[row][own][chance_below(&x->r, BEST)];
    char err[900];
    if (!b->text || strlen(b->text) > 20000 || climb_read(x->c, b->text, err, sizeof err))
        return false;
    struct climb *next = climb_vary(x->c, &x->r);
    if (next)
        climb_close(x->c), free(x->c), x->c = next;
    return next != NULL;
}

/* The step that was asked least, first among those whose share is still below TIGHT_FAIR. */
static int next_step(const struct row *row, const struct climb_sum *s)
{
    size_t len;
    int best = -1;
    for (int k = 0; row_step(row, k, &len); k++)
        if (best < 0 || (s->alone[k] < TIGHT_FAIR) > (s->alone[best] < TIGHT_FAIR) ||
            ((s->alone[k] < TIGHT_FAIR) == (s->alone[best] < TIGHT_FAIR) && s->alone_asked[k] < s->alone_asked[best]))
            best = k;
    return best;
}

static int draw(struct working *x, int row, const struct slot *slot, const struct mer_kernel *kernel)
{
    struct climb_sum *s = &x->w->found.row[row];
    if (!x->run->steps)
        return kernel || x->run->page ? climb_draw(x->c, all_rows[row], slot, kernel, &x->r) : -1;
    const int step = next_step(all_rows[row], s);
    s->alone_asked[step]++; /* counted before it is made, so that a step that cannot be is not tried for ever */
    return climb_draw_step(x->c, all_rows[row], step, &x->r);
}

static void one_question(struct working *x)
{
    const int row = next_row(x);
    struct climb_sum *s = &x->w->found.row[row];
    const struct slot *slot = NULL;
    const struct mer_kernel *kernel =
        x->run->own && (!x->run->page || chance_one_in(&x->r, 2)) ? draw_kernel(all_rows[row], &slot, &x->r) : NULL;
    const bool again = chance_one_in(&x->r, 3) && (kernel || x->run->page);
    const double start = thread_ns(), work = climber_work(x->m), most = work + UPHILL_WORK;
    struct climb_answer y;
    x->w->at = x->r.at, x->w->row = row;
    snprintf(x->w->now, sizeof x->w->now, "%s, while it was drawn: seed %llu, choice %llu", all_rows[row]->name,
        (unsigned long long)x->r.seed, (unsigned long long)x->r.at);
    if ((again && from_best(x, row, kernel != NULL)) || !draw(x, row, slot, kernel)) {
        char *text = climb_text(x->c);
        snprintf(x->w->now, sizeof x->w->now, "%s", text);
        free(text);
        x->w->drawn = now();
        climb_ask(x->m, x->c, &y);
        s->asked[kernel != NULL]++, s->undecided += y.undecided;
        for (long k = 0; k < REDRAWN && y.asked && y.share <= 1 && !again && climber_work(x->m) < most; k++)
            other_inputs(x, &y, &s->asked[kernel != NULL]);
        if (y.asked && y.share <= 1)
            climb_uphill(x->m, x->c, &y, &x->r, x->run->patience, UPHILL_WORK, &s->asked[kernel != NULL]);
        keep_best(x, row, &y);
        note_alone(s, x->c, &y), note_largest(s, x->c, &y);
        if (y.asked && !(y.share <= 1))
            escaped(x, row, &y);
        x->w->drawn = 0;
    }
    s->seconds += (thread_ns() - start) * 1e-9 + 1e-6;
    s->work += climber_work(x->m) - work + 1; /* one that cannot be drawn is not drawn for ever */
}

/* The work of a worker, that of processes which it replaced included. */
static double work_of(const struct climb_worker *w)
{
    double all = 0;
    for (int k = 0; k < CLIMB_ROWS; k++)
        all += w->found.row[k].work;
    return all;
}

static _Noreturn void work(const struct climb_run *run, struct climb_worker *w, uint64_t stream, double begun)
{
    struct working *x = need(1, sizeof *x);
    x->run = run, x->w = w, x->m = climber_open(), x->c = need(1, sizeof *x->c), x->begun = begun;
    climber_hurry(x->m);
    if (run->steps)
        climber_own(x->m);
    x->r = (struct chance){ .seed = gen_bits(run->seed, 17, stream), .at = w->at };
    const double until = now() + w->left;
    while (now() < until && (run->work <= 0 || work_of(w) < run->work))
        one_question(x);
    fflush(stdout);
    _exit(0);
}

static void crashed(const struct climb_run *run, struct climb_worker *w, const char *how, double begun)
{
    char key[200];
    struct climb_sum *s = &w->found.row[w->row];
    s->crashed++;
    snprintf(key, sizeof key, "%s %s", all_rows[w->row]->name, how);
    struct climb_escape *e = class_of(&w->found, key);
    if (e) {
        e->n++;
        return;
    }
    if (!(e = new_class(&w->found, w->row, key)))
        return;
    e->n = 1, e->share = (double)INFINITY;
    memcpy(e->text, w->now, sizeof e->text);
    if (run->say)
        run->say(e, true, now() - begun, run->with);
}

/* seen: when the question was drawn that it was last found at, and its processor time then */
struct climb_job { pid_t pid; struct climb_worker *w; double until, seen[2]; };

static pid_t begin(const struct climb_run *run, struct climb_job *j, uint64_t stream, double begun)
{
    j->w->left = j->until - now(), j->w->drawn = 0;
    const pid_t pid = worker_fork();
    if (pid == 0)
        work(run, j->w, stream, begun);
    return pid;
}

/* Processor time that a worker has used, by its own clock, so that a busy machine does not count; below 0: the
 * process is gone. */
static double used(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    return clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t) ? -1 :
                                                                          (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Whether it has spent too much processor time on the question that it drew at that time. */
static bool hangs(struct climb_job *j, double drawn)
{
    const double at = used(j->pid);
    if (!(drawn >= j->seen[0] && drawn <= j->seen[0]))
        j->seen[0] = drawn, j->seen[1] = at;
    return drawn > 0 && at >= 0 && at - j->seen[1] > HANGS_AFTER;
}

/* Waits until every worker has ended; one that crashes or hangs is replaced, and its stream goes on beyond the
 * question that it was at. */
static int watch(const struct climb_run *run, struct climb_job *job, double begun)
{
    int running = run->jobs;
    struct progress far;
    progress_begin(&far, "climb", "s", run->seconds < 1e8 ? run->seconds : 0);
    while (running > 0) {
        progress_step(&far, now() - begun, all_rows[job->w->row]->name);
        const struct timespec nap = { 0, 20000000 };
        nanosleep(&nap, NULL);
        for (int k = 0; k < run->jobs; k++) {
            struct climb_job *j = &job[k];
            int status = 0;
            char how[60] = "";
            if (!j->pid)
                continue;
            /* read once, as the worker may finish its question meanwhile */
            const double drawn = *(volatile double *)&j->w->drawn;
            if (hangs(j, drawn))
                kill(j->pid, SIGKILL), snprintf(how, sizeof how, "hangs");
            else if (now() > j->until + GRACE || (run->stop && *run->stop)) { /* its last question stays unanswered */
                kill(j->pid, SIGKILL), waitpid(j->pid, &status, 0);
                j->pid = 0, running--;
                continue;
            } else if (waitpid(j->pid, &status, WNOHANG) != j->pid)
                continue;
            if (*how)
                waitpid(j->pid, &status, 0);
            else if (WIFSIGNALED(status))
                snprintf(how, sizeof how, "%s", strsignal(WTERMSIG(status)));
            else if (WEXITSTATUS(status))
                snprintf(how, sizeof how, "leaves with %d", WEXITSTATUS(status));
            j->pid = 0;
            if (*how) {
                crashed(run, j->w, how, begun);
                /* counted as work, so that a row that only crashes is not asked all the time */
                j->w->found.row[j->w->row].work += UPHILL_WORK;
                j->w->at += 1000;
                if (now() < j->until && (j->pid = begin(run, j, (uint64_t)k, begun)) > 0)
                    continue;
            }
            running--;
        }
    }
    progress_wipe(&far);
    return 0;
}

static void add_up(struct climb_found *to, const struct climb_found *f)
{
    for (int k = 0; k < CLIMB_ROWS; k++) {
        struct climb_sum *s = &to->row[k];
        const struct climb_sum *x = &f->row[k];
        s->undecided += x->undecided, s->crashed += x->crashed, s->seconds += x->seconds, s->work += x->work;
        for (int own = 0; own < 2; own++) {
            s->asked[own] += x->asked[own], s->escapes[own] += x->escapes[own];
            if (x->share[own] > s->share[own])
                s->share[own] = x->share[own], memcpy(s->where[own], x->where[own], sizeof s->where[own]);
        }
        for (int j = 0; j < STEPS; j++) {
            s->alone_asked[j] += x->alone_asked[j];
            if (x->alone[j] > s->alone[j])
                s->alone[j] = x->alone[j], memcpy(s->alone_case[j], x->alone_case[j], sizeof s->alone_case[j]);
        }
    }
    for (int k = 0; k < f->escapes; k++) {
        struct climb_escape *e = class_of(to, f->escape[k].key);
        if (e)
            e->n += f->escape[k].n;
        else if (to->escapes < CLIMB_ESCAPES)
            to->escape[to->escapes++] = f->escape[k];
    }
}

int climb_run(const struct climb_run *r, struct climb_found *f, char *err, size_t n)
{
    struct climb_job job[CLIMB_JOBS] = { { 0 } };
    const double begun = now();
    const size_t bytes = sizeof(struct climb_worker) * (size_t)r->jobs;
    struct climb_worker *w = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (w == MAP_FAILED)
        return snprintf(err, n, "no memory for %d workers", r->jobs), -1;
    for (int k = 0; k < r->jobs; k++) {
        job[k] = (struct climb_job){ .w = &w[k], .until = begun + r->seconds };
        job[k].pid = begin(r, &job[k], (uint64_t)k, begun);
    }
    bool any = false;
    for (int k = 0; k < r->jobs; k++)
        any |= job[k].pid > 0;
    if (any)
        watch(r, job, begun);
    for (int k = 0; k < r->jobs; k++)
        add_up(f, &w[k].found);
    munmap(w, bytes);
    return any ? 0 : (snprintf(err, n, "no worker could be started"), -1);
}
