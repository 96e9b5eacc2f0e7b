/* The warden and its asker exchange messages over a socket pair: SWEEP and END to the warden; ENDED_FIRST, SWEPT and
 * ENDED_ALL back. */
#include "subject/warden.h"
#include "base/clock.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "arith/need.h"

enum order { SWEEP, END, ENDED_FIRST, SWEPT, ENDED_ALL };
struct message { int what, status; };
/* PATIENCE: seconds that the warden has to carry out an order, after which it is killed itself.  CHASE: seconds that it
 * keeps killing processes which fork as fast as they are killed. */
static const double PATIENCE = 5, CHASE = 2;

struct process { pid_t pid, parent; long pages; };

/* Reads /proc/N/stat.  The name may hold any characters, so fields are counted behind its closing bracket: state and
 * parent, and 20 fields later the resident pages. */
static bool process_read(const char *pid, struct process *p)
{
    char path[300], text[600];
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *f = fopen(path, "re");
    const size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[len] = 0;
    const char *s = strrchr(text, ')');
    p->pid = (pid_t)strtol(pid, NULL, 10);
    return s &&
        sscanf(s + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %ld",
            &p->parent, &p->pages) == 2;
}

/* Lists all processes of the machine; the caller frees. */
static size_t processes(struct process **list)
{
    size_t n = 0, room = 0;
    *list = NULL;
    DIR *d = opendir("/proc");
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        struct process p;
        if (*e->d_name < '1' || *e->d_name > '9' || !process_read(e->d_name, &p))
            continue;
        if (n == room)
            *list = need_more(*list, room = room ? 2 * room : 256, sizeof **list);
        (*list)[n++] = p;
    }
    if (d)
        closedir(d);
    return n;
}

long warden_memory(const struct warden *w)
{
    struct process *p;
    const size_t n = processes(&p);
    bool *below = need(n + 1, sizeof *below);
    long pages = 0;
    for (bool found = true; found;) { /* a child may stand before its parent */
        found = false;
        for (size_t k = 0; k < n; k++) {
            bool is = p[k].parent == w->pid;
            for (size_t j = 0; j < n && !is && !below[k]; j++)
                is = below[j] && p[j].pid == p[k].parent;
            if (is && !below[k])
                below[k] = found = true, pages += p[k].pages;
        }
    }
    free(below), free(p);
    return pages * (sysconf(_SC_PAGESIZE) >> 10) >> 10;
}

long warden_watched(struct warden *w)
{
    static const double APART = 0.2; /* seconds between two measurements */
    if (now() - w->measured < APART)
        return 0;
    w->measured = now();
    return warden_memory(w);
}

/* Kills every child of this process but `but`, and returns how many there were. */
static int kill_children(pid_t but)
{
    char path[60];
    int seen = 0, pid;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "re");
    while (f && fscanf(f, "%d", &pid) == 1)
        if (pid != but)
            kill(pid, SIGKILL), seen++;
    if (f)
        return fclose(f), seen;
    struct process *p; /* a kernel without that file */
    const size_t n = processes(&p);
    for (size_t k = 0; k < n; k++)
        if (p[k].parent == getpid() && p[k].pid != but)
            kill(p[k].pid, SIGKILL), seen++;
    free(p);
    return seen;
}

struct keeper { int control; pid_t first; bool over; }; /* what the warden knows */

static void tell(const struct keeper *k, enum order what, int status)
{
    const struct message w = { (int)what, status };
    if (write(k->control, &w, sizeof w) < 0 && errno != EPIPE)
        _exit(EXIT_FAILURE);
}

/* Collects the children that have ended.  false: there is no child any more. */
static bool reap(struct keeper *k)
{
    int status;
    pid_t got;
    while ((got = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0)
        if (got == k->first && !k->over)
            k->over = true, tell(k, ENDED_FIRST, status);
    return got == 0;
}

/* Kills all children but `but`.  Their children become children of this process, so it repeats until none is left or
 * CHASE seconds have passed. */
static void sweep(struct keeper *k, pid_t but)
{
    const double end = now() + CHASE;
    while (reap(k) && kill_children(but) && now() < end)
        nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
}

static _Noreturn void keep(struct keeper *k, int signals)
{
    struct pollfd f[2] = { { k->control, POLLIN, 0 }, { signals, POLLIN, 0 } };
    struct message w = { .what = SWEEP };
    ssize_t got = 1;
    while (got > 0 && w.what != END) {
        struct signalfd_siginfo info;
        if (poll(f, 2, -1) < 0)
            continue;
        if (f[1].revents && read(signals, &info, sizeof info) < 0)
            break;
        reap(k);
        if (!f[0].revents)
            continue;
        got = read(k->control, &w, sizeof w); /* 0: the asker is gone */
        if (got > 0 && w.what == SWEEP)
            sweep(k, k->first), tell(k, SWEPT, 0);
    }
    k->over = true; /* what ends from here on was killed */
    sweep(k, 0);
    tell(k, ENDED_ALL, 0);
    _exit(EXIT_SUCCESS);
}

static _Noreturn void warden(int control, void (*body)(const void *with), const void *with)
{
    struct keeper k = { .control = control };
    sigset_t all, child;
    setsid(); /* no signal of a terminal reaches it */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigfillset(&all), sigprocmask(SIG_SETMASK, &all, NULL);
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&child), sigaddset(&child, SIGCHLD);
    k.first = fork();
    if (!k.first) {
        close(control);
        body(with);
        _exit(EXIT_FAILURE);
    }
    const int high = fcntl(control, F_DUPFD, 3);
    k.control = dup2(high, 0);
    close_range(1, ~0u, 0);
    const int signals = signalfd(-1, &child, 0);
    if (k.first < 0 || signals < 0)
        _exit(EXIT_FAILURE);
    keep(&k, signals);
}

int warden_start(struct warden *w, void (*body)(const void *with), const void *with)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return -1;
    fflush(NULL);
    *w = (struct warden){ .pid = fork(), .control = pair[0] };
    if (!w->pid) {
        close(pair[0]);
        warden(pair[1], body, with);
    }
    close(pair[1]);
    if (w->pid < 0)
        return close(pair[0]), w->pid = 0, -1;
    return 0;
}

/* Reads the next message of the warden; -1: it has ended. */
static int hear(struct warden *w)
{
    struct message x;
    ssize_t got;
    while ((got = read(w->control, &x, sizeof x)) < 0 && errno == EINTR)
        ;
    if (got != (ssize_t)sizeof x)
        return w->gone = true, -1;
    if (x.what == ENDED_FIRST)
        w->over = true, w->status = x.status;
    return x.what;
}

void warden_news(struct warden *w) { hear(w); }

/* Reads messages until `what` comes.  false: it did not within so many seconds, or the warden has ended. */
static bool await(struct warden *w, enum order what, double seconds)
{
    const double end = now() + seconds;
    for (int got = -2; got != (int)what;) {
        struct pollfd f = { w->control, POLLIN, 0 };
        const double left = end - now();
        const int ready = poll(&f, 1, left > 0 ? (int)(1000 * left) + 1 : 0);
        if (!ready || (ready < 0 && errno != EINTR))
            return false;
        got = ready > 0 ? hear(w) : got;
        if (got == -1)
            return false;
    }
    return true;
}

bool warden_wait(struct warden *w, double seconds) { return w->over || await(w, ENDED_FIRST, seconds); }

static bool command(struct warden *w, enum order what)
{
    const struct message x = { .what = (int)what };
    return send(w->control, &x, sizeof x, MSG_NOSIGNAL) == (ssize_t)sizeof x;
}

bool warden_sweep(struct warden *w) { return command(w, SWEEP) && await(w, SWEPT, PATIENCE); }

int warden_end(struct warden *w)
{
    if (!w->pid)
        return -1;
    if (!command(w, END) || !await(w, ENDED_ALL, PATIENCE))
        kill(w->pid, SIGKILL);
    close(w->control);
    while (waitpid(w->pid, &(int){ 0 }, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
    return w->over && !WIFSTOPPED(w->status) ? w->status : -1;
}
