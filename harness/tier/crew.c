/* Each process is a fork with four temporary files, for text, JUnit, Markdown and the causes of failures (an array of
 * struct cause).  Shared memory holds the places of each part's output in these files, and the counts. */
#include "tier/crew.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/worker.h"
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CAUSES = 3, FILES, HANDS = 64 };
struct crew_place { int hand; long from[FILES], to[FILES]; struct spent spent; atomic_bool taken, done; };
struct tally_of { long count[COUNTS]; double cost[3]; };
struct board { atomic_long next; struct tally_of hand[HANDS]; struct crew_place at[]; }; /* shared */
struct hand { pid_t pid; FILE *file[FILES]; int status; bool gone; };

int crew_hands(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n < 1 ? 1 : n > HANDS ? HANDS : n;
}

static void measure(
    struct sink *s, long k, void (*part)(struct sink *s, long k, void *with), void *with, struct spent *x)
{
    const struct sink old = *s;
    double start = process_seconds();
    part(s, k, with);
    x->seconds = process_seconds() - start;
    for (int c = 0; c < 3; c++)
        x->pages[c] = s->cost[c] - old.cost[c];
    for (int c = 0; c < COUNTS; c++)
        x->verdicts += c == SKIPPED || c == ELSEWHERE ? 0 : s->count[c] - old.count[c];
}

static void work(struct sink *s, struct board *b, int me, struct hand *h, long n,
    void (*part)(struct sink *s, long k, void *with), void *with)
{
    memset(s->count, 0, sizeof s->count), memset(s->cost, 0, sizeof s->cost);
    progress_silence(); /* the process that all belong to says how far the whole is */
    s->junit = s->junit ? h->file[1] : NULL, s->md = s->md ? h->file[2] : NULL;
    if (dup2(fileno(h->file[0]), 1) < 0)
        _exit(1);
    for (long k; (k = atomic_fetch_add(&b->next, 1)) < n;) {
        struct crew_place *p = &b->at[k];
        FILE *file[FILES] = { stdout, h->file[1], h->file[2], h->file[CAUSES] };
        p->hand = me, s->causes.n = 0;
        atomic_store(&p->taken, true);
        for (int f = 0; f < FILES; f++)
            fflush(file[f]), p->from[f] = lseek(fileno(file[f]), 0, SEEK_END);
        measure(s, k, part, with, &p->spent);
        if (s->causes.n) /* There is no array before the first. */
            fwrite(s->causes.at, sizeof *s->causes.at, (size_t)s->causes.n, file[CAUSES]);
        for (int f = 0; f < FILES; f++) {
            if (fflush(file[f]))
                _exit(1);
            p->to[f] = lseek(fileno(file[f]), 0, SEEK_END);
        }
        memcpy(b->hand[me].count, s->count, sizeof s->count);
        memcpy(b->hand[me].cost, s->cost, sizeof s->cost);
        atomic_store(&p->done, true);
    }
    _exit(0);
}

static void append(FILE *to, FILE *from, long at, long end)
{
    char text[1 << 14];
    ssize_t n;
    for (; to && at < end &&
         (n = pread(fileno(from), text, (size_t)(end - at) < sizeof text ? (size_t)(end - at) : sizeof text, at)) > 0;
         at += n)
        fwrite(text, 1, (size_t)n, to);
}

/* Adds the causes of a part, which stand in a file from `at` to `end`.  What explains all failures that its process
 * knows says nothing about those of another. */
static void add_causes(struct sink *s, FILE *from, long at, long end)
{
    struct cause c;
    for (; at < end && pread(fileno(from), &c, sizeof c, at) == (ssize_t)sizeof c; at += (long)sizeof c)
        c.of_all = false, causes_add(&s->causes, &c);
}

static void lost(struct sink *s, const struct hand *h, const char *what)
{
    struct finding f = { .word = CRASHED, .subject = "check", .row = "*", .quantity = "*" };
    if (h)
        snprintf(f.reason, sizeof f.reason, "%.300s: its process ended early: %s", what,
            WIFSIGNALED(h->status) ? strsignal(WTERMSIG(h->status)) : "its output could not be written");
    else
        snprintf(f.reason, sizeof f.reason, "%.300s: no other process was left for it", what);
    sink_say(s, &f);
}

/* Notes the processes that have ended; whether some process is still at work. */
static bool attend(struct hand *h, int hands)
{
    bool any = false;
    for (int k = 0; k < hands; k++) {
        pid_t got = h[k].gone ? 0 : waitpid(h[k].pid, &h[k].status, WNOHANG);
        h[k].gone |= got == h[k].pid || (got < 0 && errno != EINTR);
        any |= !h[k].gone;
    }
    return any;
}

static void alone(struct sink *s, long n, void (*part)(struct sink *s, long k, void *with),
    const char *(*name)(long k, void *with), void *with, struct spent *spent)
{
    struct progress how;
    progress_begin(&how, "check", "parts", (double)n);
    for (long k = 0; k < n; k++) {
        progress_step(&how, (double)k, name(k, with));
        measure(s, k, part, with, &spent[k]), spent[k].taken = spent[k].done = true;
        progress_wipe(&how);
    }
}

void crew_run(struct sink *s, long n, int hands, void (*part)(struct sink *s, long k, void *with),
    const char *(*name)(long k, void *with), void *with, struct spent *spent)
{
    struct hand h[HANDS] = { 0 };
    size_t bytes = sizeof(struct board) + (size_t)n * sizeof(struct crew_place);
    const bool one = hands < 2 || s->brief;
    struct board *b = one ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int here = 0;
    for (; b != MAP_FAILED && here < hands && here < HANDS; here++) {
        bool files = true;
        for (int f = 0; f < FILES; f++)
            files &= (h[here].file[f] = tmpfile()) != NULL;
        h[here].pid = files ? worker_fork() : -1;
        if (h[here].pid == 0)
            work(s, b, here, &h[here], n, part, with);
        if (h[here].pid < 0)
            break;
    }
    if (!here)
        alone(s, n, part, name, with, spent);
    long said = 0;
    struct progress how;
    progress_begin(&how, "check", "parts", (double)n);
    for (bool any = here > 0; any;) {
        any = attend(h, here);
        if (said < n && !atomic_load(&b->at[said].done))
            progress_step(&how, (double)said, name(said, with));
        else
            progress_wipe(&how);
        for (; said < n && (atomic_load(&b->at[said].done) || !any); said++) {
            struct crew_place *p = &b->at[said];
            FILE *to[FILES] = { stdout, s->junit, s->md };
            for (int f = 0; f < FILES && p->done; f++)
                append(to[f], h[p->hand].file[f], p->from[f], p->to[f]);
            if (p->done)
                add_causes(s, h[p->hand].file[CAUSES], p->from[CAUSES], p->to[CAUSES]);
            else
                lost(s, p->taken ? &h[p->hand] : NULL, name(said, with));
            spent[said] = p->spent, spent[said].taken = p->taken, spent[said].done = p->done;
        }
        fflush(stdout);
        if (any)
            nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    }
    for (int k = 0; k < here; k++)
        for (int c = 0; c < COUNTS; c++)
            s->count[c] += b->hand[k].count[c], s->cost[c % 3] += c < 3 ? b->hand[k].cost[c] : 0;
    for (int k = 0; k <= here && k < HANDS; k++)
        for (int f = 0; f < FILES; f++)
            if (h[k].file[f])
                fclose(h[k].file[f]);
    if (b != MAP_FAILED)
        munmap(b, bytes);
}
