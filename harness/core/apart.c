/* fork; three temporary files for text, JUnit and Markdown; counts in shared memory. */
#include "apart.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct apart_sum { long count[COUNTS]; double cost[3]; };
enum { BYTES = sizeof(struct apart_sum) };

bool apart_here(struct apart *a, struct sink *s)
{
    void *sum = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *a = (struct apart){ .pid = -1, .out = tmpfile(), .junit = tmpfile(), .md = tmpfile(), .sum = sum == MAP_FAILED ? NULL : sum };
    fflush(NULL);
    if (a->out && a->junit && a->md && a->sum)
        a->pid = fork();
    if (a->pid == 0) {
        memset(s->count, 0, sizeof s->count), memset(s->cost, 0, sizeof s->cost);
        s->junit = s->junit ? a->junit : NULL, s->md = s->md ? a->md : NULL;
        if (dup2(fileno(a->out), 1) < 0)
            _exit(1);
    }
    return a->pid <= 0;
}

void apart_done(struct apart *a, const struct sink *s)
{
    if (a->pid)
        return;
    memcpy(a->sum->count, s->count, sizeof s->count);
    memcpy(a->sum->cost, s->cost, sizeof s->cost);
    bool bad = fflush(stdout) || fflush(a->junit) || fflush(a->md);
    _exit(bad);
}

static void append(FILE *to, FILE *from)
{
    char text[1 << 14];
    size_t n;
    rewind(from);
    while (to && (n = fread(text, 1, sizeof text, from)) > 0)
        fwrite(text, 1, n, to);
}

void apart_join(struct apart *a, struct sink *s)
{
    int status = 0;
    pid_t got = -1;
    while (a->pid > 0 && (got = waitpid(a->pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (a->pid > 0) {
        append(stdout, a->out), append(s->junit, a->junit), append(s->md, a->md);
        for (int k = 0; k < COUNTS; k++)
            s->count[k] += a->sum->count[k];
        for (int k = 0; k < 3; k++)
            s->cost[k] += a->sum->cost[k];
        if (got != a->pid || status) {
            struct finding f = { .word = CRASHED, .subject = "check", .row = "*", .quantity = "*" };
            snprintf(f.reason, sizeof f.reason, "half of the run ended early: %s", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "its output could not be written");
            sink_say(s, &f);
        }
    }
    FILE *files[] = { a->out, a->junit, a->md };
    for (int k = 0; k < 3; k++)
        if (files[k])
            fclose(files[k]);
    if (a->sum)
        munmap(a->sum, BYTES);
}
