/* The child process that answers (confine, contain_answer), and what the asker concludes from its end (contain_settle).
 * For own kernels the child is a fork of this program. */
#include "subject/contain.h"
#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "core/printable.h"
#include "subject/warden.h"

const struct limits usual_limits = { 20, 2048 };

static long limited;
void limit_memory(long megabytes) { limited = megabytes; }
long memory_limit(long usual) { return limited ? limited : usual; }
long memory_held(void) { return memory_limit(sysconf(_SC_PHYS_PAGES) / 2 * (sysconf(_SC_PAGESIZE) >> 10) >> 10); }

/* SAID: bytes of a subject's output that are kept; QUOTED: bytes of its first line that are shown.  HIGH: a descriptor
 * number above those that programs use. */
enum { SAID = 4096, QUOTED = 80, HIGH = 960 };

int said_open(void)
{
    const int fd = memfd_create("said", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, SAID) || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK)))
        return close(fd), -1;
    return fd;
}

/* Copies the first line and empties the file, for every process that writes to it.  false: nothing was printed. */
static bool said_line(int fd, char text[QUOTED])
{
    static const char empty[SAID];
    memset(text, 0, QUOTED);
    if (fd < 0 || pread(fd, text, QUOTED - 1, 0) <= 0 || !*text)
        return false;
    text[strcspn(text, "\n")] = 0, one_line(text);
    return pwrite(fd, empty, sizeof empty, 0) == sizeof empty && !lseek(fd, 0, SEEK_SET);
}

void said_tell(const struct said *s, char *why, size_t n)
{
    static const char *const where[] = { "output", "error" };
    static bool told[2];
    char text[QUOTED];
    for (int k = 0; k < 2; k++) {
        if (!said_line(k ? s->err : s->out, text))
            continue;
        if (why)
            snprintf(why + strlen(why), n - strlen(why), "; it printed '%s' to standard %s", text, where[k]);
        else if (!told[k])
            fprintf(stderr, "meridian: the subject prints to standard %s ('%s'): put aside\n", where[k], text);
        told[k] |= !why;
    }
}

/* Ends a child at exit.  What foreign code registers in the child runs before it; the handlers that the parent had
 * registered before the fork would run after it, and must not run in the child. */
static void leave(int status, void *with)
{
    (void)with;
    fflush(stdout), fflush(stderr);
    _exit(status);
}

static void close_but(int keep)
{
    const int least = STDERR_FILENO + 1, most = (int)sysconf(_SC_OPEN_MAX);
    const bool done = (keep <= least || !close_range((unsigned)least, (unsigned)keep - 1, 0)) &&
        !close_range((unsigned)(keep < least ? least : keep + 1), ~0u, 0);
    for (int fd = least; fd < most && !done; fd++) /* an older kernel */
        if (fd != keep)
            close(fd);
}

/* Sets only the soft limit, at most to the hard one, so that it can be raised again for the next call. */
static void limit(__rlimit_resource_t what, rlim_t to)
{
    struct rlimit r;
    if (getrlimit(what, &r))
        return;
    r.rlim_cur = to < r.rlim_max ? to : r.rlim_max;
    setrlimit(what, &r);
}

/* A copy of the descriptor with a number of HIGH or more, which programs that close all low numbers do not reach. */
static int moved_up(int fd)
{
    struct rlimit files;
    const bool low = getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur <= HIGH;
    return fcntl(fd, F_DUPFD, low ? STDERR_FILENO + 1 : HIGH);
}

int confine(int out, int err, int keep)
{
    sigset_t none;
    keep = moved_up(keep), out = moved_up(out), err = moved_up(err); /* any of them may be 0, 1 or 2 */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    for (int sig = 1; sig < NSIG; sig++) {
        struct sigaction now;
        bool set = !sigaction(sig, NULL, &now) && now.sa_handler != SIG_DFL;
#ifdef __SANITIZE_ADDRESS__ /* whose handlers report what they were built to find */
        set = set && now.sa_handler == SIG_IGN;
#endif
        if (set)
            signal(sig, SIG_DFL);
    }
    sigemptyset(&none), sigprocmask(SIG_SETMASK, &none, NULL);
    const int in = open("/dev/null", O_RDONLY);
    dup2(in, STDIN_FILENO), dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
    close_but(keep);
    limit(RLIMIT_CORE, 0);
    on_exit(leave, NULL);
    return keep;
}

#ifndef __SANITIZE_ADDRESS__ /* its shadow memory needs terabytes of addresses: no limit there */
/* The bytes of address space in use. */
static long mapped(void)
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

void limit_child(long megabytes, int seconds)
{
#ifndef __SANITIZE_ADDRESS__
    limit(RLIMIT_AS, (rlim_t)(mapped() + (megabytes << 20)));
#else
    (void)megabytes;
#endif
    limit(RLIMIT_FSIZE, (rlim_t)usual_limits.megabytes << 20);
    if (seconds)
        limit(RLIMIT_CPU, (rlim_t)seconds + 1);
}

static struct answered *back; /* of the arena that this process answers now; NULL: none */
static struct sigaction before[2]; /* of SIGSEGV and SIGBUS */

/* Handler of SIGSEGV and SIGBUS: notes a faulting address within the arena, then lets the signal act as before.  A
 * handler that foreign code installs replaces it. */
static void touched(int sig, siginfo_t *info, void *context)
{
    const uint64_t at = back ? (uint64_t)(uintptr_t)info->si_addr - back->base : 0;
    const bool here = back && info->si_code > 0 && at < back->span;
    (void)context;
    if (here)
        back->fault = at, back->faulted = FAULT_ADDRESS;
    if (here)
        signal(sig, SIG_DFL);
    else
        sigaction(sig, &before[sig == SIGBUS], NULL);
    if (info->si_code <= 0)
        raise(sig); /* the signal was sent by somebody: no instruction will fault again and raise it */
}

static void watch_faults(void)
{
    enum { STACK = 1 << 16 };
    static char room[STACK]; /* the usual one may be what ran out */
    const stack_t stack = { .ss_sp = room, .ss_size = sizeof room };
    struct sigaction act = { .sa_sigaction = touched, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    static const int faults[] = { SIGSEGV, SIGBUS };
    sigaltstack(&stack, NULL);
    for (int k = 0; k < 2; k++)
        sigaction(faults[k], &act, &before[k]);
}

/* Fills memory that is given, and freed, as the page of the arena says. */
static void perturb(const struct answered *page)
{
#if defined M_PERTURB && !defined __SANITIZE_ADDRESS__ /* which fills memory itself */
    mallopt(M_PERTURB, page->perturb);
#else
    (void)page;
#endif
}

/* Maps the arena and closes its descriptor, which foreign code is not to find. */
static struct mer_call *enter(int arena, int *n)
{
    struct answered *page;
    struct mer_call *c = arena_enter(arena, &page, n);
    close(arena);
    if (!c)
        _exit(EXIT_FAILURE);
    back = page;
    perturb(page);
    return c;
}

/* Has the C library look at the end of its memory, where a write beyond the last piece that a kernel was given has left
 * a size that cannot be: it aborts then.  Other pieces it looks at when they are freed. */
static void look_at_memory(void)
{
    enum { PIECE = 100000 }; /* So much comes from that end, and is no mapping of its own. */
    char *volatile p = malloc(PIECE);
    free(p);
}

static void answer(struct mer_call *c, int n, uint64_t nonce, const struct mer_kernel *k)
{
    const pid_t me = getpid();
    struct answered *page = back;
    int rc = MER_OK;
    for (int i = 0; i < n && rc == MER_OK; i++)
        rc = mer_ask(k, &c[i]);
    look_at_memory();
    fflush(stdout); /* not NULL: files that are read share their place with the parent */
    if (getpid() != me) /* a child that foreign code forked may come back too */
        _exit(EXIT_SUCCESS);
    page->answer = rc, page->nonce = nonce;
}

/* Gives this process a group of its own, which ends with its parent, even where its parent has them. */
static void stand_alone(void) { setpgid(0, 0), prctl(PR_SET_PDEATHSIG, SIGKILL); }

void contain_answer(int arena, uint64_t nonce, const struct mer_kernel *k, const struct limits *l)
{
    int n = 0;
    struct mer_call *c = enter(arena, &n);
    stand_alone();
    limit_child(l->megabytes, l->seconds);
    watch_faults();
    answer(c, n, nonce, k);
    _exit(EXIT_SUCCESS);
}

void contain_stay(void)
{
    stand_alone();
    limit(RLIMIT_AS, RLIM_INFINITY);
    limit(RLIMIT_FSIZE, (rlim_t)usual_limits.megabytes << 20);
    watch_faults();
}

void contain_answer_one(int arena, uint64_t nonce, const struct mer_kernel *k)
{
    int n = 0;
    struct mer_call *c = enter(arena, &n);
    answer(c, n, nonce, k);
    arena_leave(back), back = NULL;
}

/* Waits until the process behind the descriptor ends, for LOOK_MS at most: that it was stopped, no descriptor tells.
 * Where there is none, as on kernels before 5.3, it naps, each time twice as long. */
static void wait_a_moment(int process, struct timespec *nap)
{
    enum { LOOK_MS = 20, NAP_MOST = 5000000 }; /* ms; nanoseconds */
    struct pollfd end = { process, POLLIN, 0 };
    if (process >= 0) {
        poll(&end, 1, LOOK_MS);
        return;
    }
    nanosleep(nap, NULL);
    nap->tv_nsec = nap->tv_nsec < NAP_MOST ? nap->tv_nsec * 2 : nap->tv_nsec;
}

/* How a child ended, and its status; process: a descriptor of it, or -1. */
static enum ended wait_by(int process, pid_t pid, int limit_s, int *status)
{
    enum { NAP_FIRST = 20000 }; /* nanoseconds */
    struct timespec nap = { 0, NAP_FIRST };
    const double end = now() + limit_s;
    do {
        const pid_t got = waitpid(pid, status, WNOHANG | WUNTRACED);
        if (got < 0 && errno != EINTR)
            return *status = errno, LOST;
        if (got == pid)
            return WIFSTOPPED(*status) ? STOPPED : ENDED;
        wait_a_moment(process, &nap);
    } while (now() < end);
    return HUNG;
}

static enum ended wait_for(pid_t pid, int limit_s, int *status)
{
    const int process = (int)syscall(SYS_pidfd_open, pid, 0);
    const enum ended how = wait_by(process, pid, limit_s, status);
    if (process >= 0)
        close(process);
    if (how == ENDED || how == LOST)
        return how;
    kill(pid, SIGKILL);
    while (waitpid(pid, &(int){ 0 }, 0) < 0 && errno == EINTR)
        ;
    return how;
}

void ended_say(enum ended how, int status, int seconds, char *why, size_t n)
{
    if (how == HUNG)
        snprintf(why, n, "hung: killed after %d s", seconds);
    else if (how == STOPPED)
        snprintf(why, n, "stopped itself: %s", strsignal(WSTOPSIG(status)));
    else if (how == DEAF)
        snprintf(why, n, "closed the connection by which it is asked");
    else if (how == UNKEPT)
        snprintf(why, n, "killed the process that watches over it");
    else if (how == GREEDY)
        snprintf(why, n, "killed: it held %d MB of memory", status);
    else if (how == LOST)
        snprintf(why, n, "could not be contained: %s", strerror(status));
    else if (WIFSIGNALED(status))
        snprintf(why, n, "crashed: %s", strsignal(WTERMSIG(status)));
    else
        snprintf(why, n, "left early (exit %d) before it answered", WEXITSTATUS(status));
}

int contain_settle(const struct arena *a, enum ended how, int status, const struct limits *l, const struct said *said,
    char *why, size_t n)
{
    int answer, rc = MER_CRASHED;
    char where[200];
    if (!arena_answer(a, &answer) || how != ENDED) {
        ended_say(how, status, l->seconds, why, n);
        if (arena_fault(a, where, sizeof where))
            snprintf(why + strlen(why), n - strlen(why), "; it %s", where);
    } else if (answer < MER_OK || answer > MER_BAD)
        snprintf(why, n, "broke the protocol: run answered %d", answer);
    else if (arena_overrun(a, where, sizeof where))
        snprintf(why, n, "%s", where);
    else
        rc = answer;
    if (rc == MER_OK)
        arena_take(a);
    said_tell(said, rc == MER_CRASHED ? why : NULL, n);
    return rc;
}

int contain_together(
    const struct mer_kernel *k, struct mer_call *const *c, int n_c, const struct limits *l, char *why, size_t n)
{
    struct arena a;
    int status = 0, rc = MER_UNASKED;
    if (!arena_open(&a, c, n_c, why, n)) {
        const struct said said = { said_open(), -1 };
        const struct limits own = { l->seconds, memory_limit(l->megabytes) };
        fflush(NULL);
        const pid_t pid = fork();
        if (pid == 0) {
            const int fd = confine(said.out >= 0 ? said.out : STDERR_FILENO, STDERR_FILENO, a.fd);
            contain_answer(fd, a.nonce, k, &own);
        }
        if (pid < 0)
            snprintf(why, n, "cannot be contained: %s", strerror(errno));
        else {
            const enum ended how = wait_for(pid, l->seconds, &status);
            rc = contain_settle(&a, how, status, l, &said, why, n);
        }
        if (said.out >= 0)
            close(said.out);
    }
    arena_close(&a);
    return rc;
}

int contain_ask(const struct mer_kernel *k, struct mer_call *c, const struct limits *l, char *why, size_t n)
{
    return contain_together(k, &c, 1, l, why, n);
}
