/* fork, limits, the call, and its outputs through shared memory. */
#include "contain.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "ball.h"
#include "protocol.h"

const struct limits usual_limits = { 20, 2048 };
enum { OUTS = 32 };

#ifndef __SANITIZE_ADDRESS__ /* its shadow memory needs terabytes of addresses: no limit there */
static long mapped(void) /* bytes of address space in use */
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%ld", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return pages * sysconf(_SC_PAGESIZE);
}
#endif

static long limited;
void limit_memory(long megabytes) { limited = megabytes; }
long memory_limit(long usual) { return limited ? limited : usual; }

static const struct rlimit *both(rlim_t x) { static struct rlimit r; r.rlim_cur = r.rlim_max = x; return &r; }

/* What a subject prints to standard output would stand among the verdicts: it goes to a file of SAID bytes that cannot grow. */
enum { SAID = 4096, MARK = 0xa5, MARGIN = 4096 }; /* MARGIN: bytes before and behind an output, which must stay MARK */

static int said_open(void)
{
    int fd = memfd_create("said", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, SAID) || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW)))
        close(fd), fd = -1;
    return fd;
}

/* The first line of it, quoted, behind what is in why; once a process where why is NULL. */
static void said_close(int fd, char *why, size_t n)
{
    static bool told;
    char text[80] = "";
    if (fd < 0)
        return;
    if (pread(fd, text, sizeof text - 1, 0) > 0 && *text) {
        text[strcspn(text, "\n")] = 0, one_line(text);
        if (why)
            snprintf(why + strlen(why), n - strlen(why), "; it printed '%s' to standard output", text);
        else if (!told)
            fprintf(stderr, "meridian: the subject prints to standard output ('%s'): put aside\n", text);
        told |= !why;
    }
    close(fd);
}

static _Noreturn void child(const struct mer_kernel *k, struct mer_call c, void *const *shared, volatile int *answer, const struct limits *l, int said)
{
    struct mer_array out[OUTS];
    memcpy(out, c.out, (size_t)c.n_out * sizeof *out);
    for (int i = 0; i < c.n_out; i++)
        out[i].data = (char *)shared[i] + MARGIN;
    c.out = out;
    dup2(said >= 0 ? said : 2, 1);
    setrlimit(RLIMIT_CORE, both(0));
#ifndef __SANITIZE_ADDRESS__
    setrlimit(RLIMIT_AS, both((rlim_t)(mapped() + (memory_limit(l->megabytes) << 20))));
#endif
    setrlimit(RLIMIT_CPU, both((rlim_t)l->seconds + 1));
    setrlimit(RLIMIT_FSIZE, both((rlim_t)l->megabytes << 20));
    *answer = mer_ask(k, &c);
    fflush(stdout); /* not NULL: files that are read share their place with the parent */
    _exit(0);
}

static int wait_for(pid_t pid, const struct limits *l, int *status) /* 1: it had to be killed */
{
    struct timespec start, now, nap = { 0, 20000 };
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            return 0;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - start.tv_sec >= l->seconds) {
            kill(pid, SIGKILL);
            waitpid(pid, status, 0);
            return 1;
        }
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec < 5000000 ? nap.tv_nsec * 2 : nap.tv_nsec;
    }
}

/* The output whose surroundings were written to, or -1. */
static int overrun(const struct mer_call *c, void *const *shared, const size_t *bytes)
{
    for (int i = 0; i < c->n_out; i++)
        for (size_t b = 0; b < MARGIN; b++)
            if (((unsigned char *)shared[i])[b] != MARK || ((unsigned char *)shared[i])[MARGIN + bytes[i] + b] != MARK)
                return i;
    return -1;
}

int contain_ask(const struct mer_kernel *k, struct mer_call *c, const struct limits *l, char *why, size_t n)
{
    void *shared[OUTS];
    size_t bytes[OUTS], page = (size_t)sysconf(_SC_PAGESIZE);
    int status = 0, rc = MER_CRASHED, made = 0;
    volatile int *answer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->n_out > OUTS || answer == MAP_FAILED)
        return snprintf(why, n, "cannot be contained: %s", c->n_out > OUTS ? "too many outputs" : strerror(errno)), MER_CRASHED;
    for (; made < c->n_out; made++) {
        bytes[made] = (size_t)mer_span(&c->out[made]) * type_size(c->out[made].type);
        shared[made] = mmap(NULL, bytes[made] + 2 * MARGIN, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared[made] == MAP_FAILED)
            break;
        memset(shared[made], MARK, MARGIN), memset((char *)shared[made] + MARGIN + bytes[made], MARK, MARGIN);
        memcpy((char *)shared[made] + MARGIN, c->out[made].data, bytes[made]);
    }
    *answer = -1;
    fflush(NULL);
    const int said = said_open();
    pid_t pid = made == c->n_out ? fork() : -1;
    if (pid == 0)
        child(k, *c, shared, answer, l, said);
    if (pid < 0)
        snprintf(why, n, "cannot be contained: %s", strerror(errno));
    else if (wait_for(pid, l, &status))
        snprintf(why, n, "hung: killed after %d s", l->seconds);
    else if (WIFSIGNALED(status))
        snprintf(why, n, "crashed: %s", strsignal(WTERMSIG(status)));
    else if (*answer < MER_OK || *answer > MER_BAD)
        snprintf(why, n, *answer == -1 ? "left early (exit %d) before it answered" : "broke the protocol: run answered %d", *answer == -1 ? WEXITSTATUS(status) : *answer);
    else if (overrun(c, shared, bytes) >= 0)
        snprintf(why, n, "wrote outside its output '%.40s' (%zu bytes)", c->out[overrun(c, shared, bytes)].name, bytes[overrun(c, shared, bytes)]);
    else
        rc = *answer;
    said_close(said, rc == MER_CRASHED ? why : NULL, n);
    for (int i = 0; i < made; i++) {
        if (rc == MER_OK)
            memcpy(c->out[i].data, (char *)shared[i] + MARGIN, bytes[i]);
        munmap(shared[i], bytes[i] + 2 * MARGIN);
    }
    munmap((void *)answer, page);
    return rc;
}

static const struct mer_kernel *asked; /* of contain_together: what the child inherits */
static struct mer_call *const *calls;
static int n_calls;

static int one_by_one(const struct mer_call *c)
{
    int rc = MER_OK;
    for (int i = 0, at = 0; i < n_calls && rc == MER_OK; at += calls[i++]->n_out) {
        struct mer_call one = *calls[i];
        one.out = c->out + at;
        rc = mer_ask(asked, &one);
    }
    return rc;
}

int contain_together(const struct mer_kernel *k, struct mer_call *const *c, int n_c, const struct limits *l, char *why, size_t n)
{
    struct mer_array out[OUTS];
    struct mer_call all = { .row = k->row, .params = "", .out = out };
    const struct mer_kernel sequence = { .row = k->row, .out = k->out, .type = k->type, .run = one_by_one };
    for (int i = 0; i < n_c; i++)
        for (int o = 0; o < c[i]->n_out; o++, all.n_out++)
            if (all.n_out < OUTS)
                out[all.n_out] = c[i]->out[o];
    asked = k, calls = c, n_calls = n_c;
    return contain_ask(&sequence, &all, l, why, n);
}
