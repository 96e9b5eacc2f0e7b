/* A child of its own session with limits, watched until its end; then whatever it left behind is found, counted and
 * ended. */
#include "launch.h"
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int meridian_main(int argc, char **argv); /* harness/core/main.c under another name */
int (*launch_program)(int argc, char **argv) = meridian_main;

/* Of the sanitizers' runtime, where there is one. */
void __sanitizer_set_report_path(const char *path) __attribute__((weak));
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
/* Not strict_string_checks, which measures every string that is looked at to its end and costs a fifth of the time;
 * `make sanitize` has it. */
const char *__asan_default_options(void)
{
    return "exitcode=99:detect_leaks=1:leak_check_at_exit=0:allocator_may_return_null=1:"
           "max_allocation_size_mb=3000:handle_abort=1:malloc_context_size=12:"
           "detect_stack_use_after_return=1:intercept_tls_get_addr=0:quarantine_size_mb=16";
}
const char *__ubsan_default_options(void) { return "print_stacktrace=1"; }

static void (*ubsan_report_path)(const char *);
static char leaves; /* its address alone counts */

void launch_prepare(void)
{
    void *ubsan = dlopen("libubsan.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (ubsan)
        *(void **)&ubsan_report_path = dlsym(ubsan, "__sanitizer_set_report_path");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

double launch_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the processes of a session, their children in sessions of their own (a warden's), and our own other children,
 * hold and do.  family: those seen so far; /proc lists parents first, but where numbers began again.  megabytes counts
 * what several of them share once for each. */
struct survey { long megabytes; unsigned long ticks; int running, count, mine[64], n_mine, family[256], n_family; };

static bool of_family(const struct survey *v, int parent)
{
    for (int k = 0; k < v->n_family; k++)
        if (v->family[k] == parent)
            return true;
    return false;
}

static void survey_one(struct survey *v, pid_t session, long pid)
{
    char path[64], text[700], state;
    unsigned long user, kernel;
    long rss;
    int parent, its;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *f = fopen(path, "r");
    size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[len] = 0;
    const char *s = strrchr(text, ')'); /* fields 3 state, 4 parent, 6 session, 14 and 15 ticks, 24 pages */
    if (!s || sscanf(s + 1, " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %*u %*u %ld",
                     &state, &parent, &its, &user, &kernel, &rss) != 6)
        return;
    if (parent == getpid() && v->n_mine < 64)
        v->mine[v->n_mine++] = (int)pid;
    if ((its != session && parent != getpid() && !of_family(v, parent)) || state == 'Z')
        return;
    if (v->n_family < 256)
        v->family[v->n_family++] = (int)pid;
    v->count++;
    v->running += state == 'R' || state == 'D'; /* D: it waits for the disk */
    v->ticks += user + kernel;
    v->megabytes += rss * (sysconf(_SC_PAGESIZE) >> 10) >> 10;
}

static struct survey survey(pid_t session)
{
    struct survey v = { 0 };
    DIR *d = opendir("/proc");
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        if (*e->d_name >= '1' && *e->d_name <= '9')
            survey_one(&v, session, atol(e->d_name));
    if (d)
        closedir(d);
    return v;
}

/* The memory of the processes found, in megabytes, where each page counts once however many of them share it: children
 * hold most of what they have in common with their parent.  Where the system does not say it, what they hold each. */
static long proportional(const struct survey *v)
{
    double kilobytes = 0;
    int read = 0;
    for (int k = 0; k < v->n_family; k++) {
        char path[64], line[200];
        double own = 0;
        snprintf(path, sizeof path, "/proc/%d/smaps_rollup", v->family[k]);
        FILE *f = fopen(path, "r");
        while (f && fgets(line, sizeof line, f))
            if (sscanf(line, "Pss: %lf", &own) == 1)
                break;
        if (f)
            fclose(f);
        kilobytes += own, read += own > 0;
    }
    return read ? (long)(kilobytes / 1024) : v->megabytes;
}

static void redirect(int to, const char *path, int flags)
{
    const int fd = open(path, flags, 0666);
    if (fd >= 0)
        dup2(fd, to), close(fd);
}

static const char *under(const struct places *p, const char *name)
{
    static char path[PATH_MAX];
    path_join(path, p->root, name);
    return path;
}

/* Both runtimes have a function of this name, and only the first is seen by the linker. */
static void report_to(const char *path)
{
    if (ubsan_report_path)
        ubsan_report_path(path);
    if (__sanitizer_set_report_path)
        __sanitizer_set_report_path(path);
}

/* The last of all handlers, since it was the first: without what the runtimes do to every global at an end, which costs
 * as much as most cases. */
static void leave(int status, void *leaks)
{
    if (leaks && __lsan_do_recoverable_leak_check)
        __lsan_do_recoverable_leak_check();
    fflush(NULL);
    _exit(status);
}

static void surroundings(const struct world *w, const struct places *p)
{
    const char *path = getenv("PATH");
    char keep[4000];
    snprintf(keep, sizeof keep, "%s", path ? path : "/usr/bin:/bin");
    clearenv();
    setenv("PATH", keep, 1);
    setenv("MERIDIAN_DATA", p->data, 1);
    setenv("TMPDIR", p->tmp, 1);
    setenv("HOME", p->root, 1); /* not TMPDIR: compilers and the like keep things at home */
    for (const char *s = w->env.s; s && *s; s += strlen(s) + 1)
        putenv((char *)(uintptr_t)s);
}

static _Noreturn void child(const struct world *w, const struct places *p, const struct bounds *b)
{
    const struct rlimit none = { 0, 0 }, size = { w->limit, w->limit };
    setsid();
    setrlimit(RLIMIT_CORE, &none);
    report_to(under(p, "report"));
    redirect(0, "/dev/null", O_RDONLY);
    redirect(2, under(p, "err"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    redirect(1, *w->out ? w->out : under(p, "out"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    if (chdir(p->folder))
        _exit(98);
    surroundings(w, p);
    if (w->limit != RLIM_INFINITY)
        setrlimit(RLIMIT_FSIZE, &size);
    on_exit(leave, b->leaks ? &leaves : NULL);
    exit(launch_program(w->argc, w->argv));
}

/* Ends one process of the family, as the case says. */
static void end_one(struct seen *s, pid_t pid, const struct world *w, const struct survey *v)
{
    const int who = v->n_family ? v->family[w->end_of % v->n_family] : 0;
    if (!who || kill(who, SIGKILL))
        return;
    s->alone = s->killed = who == pid;
    s->orphaned = who != pid;
}

/* Waits for its end or for its limits; a case with `kill` is ended after so long, and of one with `end` a process. */
static void watch(struct seen *s, pid_t pid, const struct world *w, const struct bounds *b)
{
    const double begin = launch_now(), limit = w->kill_ms ? 1e-3 * w->kill_ms : b->seconds;
    const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    for (bool due = w->end_ms > 0;;) {
        struct pollfd one = { fd, POLLIN, 0 };
        const double gone = launch_now() - begin, left = (due ? 1e-3 * w->end_ms : limit) - gone;
        const int step = left < 0 ? 0 : left > 0.1 ? 100 : (int)(1e3 * left) + 1;
        if (poll(&one, 1, step) > 0)
            break;
        const struct survey v = survey(pid);
        if (due && launch_now() - begin >= 1e-3 * w->end_ms)
            end_one(s, pid, w, &v), due = false;
        s->fat = v.megabytes > b->megabytes && proportional(&v) > b->megabytes;
        if (!s->fat && launch_now() - begin < limit)
            continue;
        s->killed |= !s->fat && w->kill_ms, s->late = !s->fat && !w->kill_ms;
        if (s->late) {
            usleep(300000);
            const struct survey later = survey(pid);
            /* Trap: what has ended since the limit is a zombie, which a survey leaves out, and waits for nothing. */
            if (poll(&one, 1, 0) > 0) {
                s->late = false;
                break;
            }
            s->idle = !v.running && !later.running && later.ticks == v.ticks;
            s->busy = (double)later.ticks / (double)sysconf(_SC_CLK_TCK);
        }
        kill(pid, SIGKILL);
        break;
    }
    close(fd);
    s->seconds = launch_now() - begin;
}

/* Ends what is left of a run; how many processes there were after a moment in which they may have left by themselves.
 * */
static int sweep_up(pid_t session, bool patient)
{
    int left = 0;
    const double begin = launch_now();
    for (bool hard = false;;) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (waitpid(-1, NULL, WNOHANG) < 0)
            return left;
        if (!hard && patient && launch_now() - begin < 0.5) {
            usleep(5000);
            continue;
        }
        const struct survey v = survey(session);
        left = left > v.count ? left : v.count;
        for (int k = 0; k < v.n_mine; k++)
            kill(v.mine[k], SIGKILL);
        hard = true;
        usleep(2000);
    }
}

static void reports(struct seen *s, const struct places *p, pid_t pid)
{
    char path[PATH_MAX];
    DIR *d = opendir(p->root);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        struct bytes t = { 0 };
        if (strncmp(e->d_name, "report.", 7))
            continue;
        path_join(path, p->root, e->d_name);
        bytes_read(&t, path);
        bytes_put(atoi(e->d_name + 7) == pid ? &s->ours : &s->report, t.s, t.n);
        unlink(path);
        free(t.s);
    }
    if (d)
        closedir(d);
    bytes_put(&s->report, s->ours.s ? s->ours.s : "", s->ours.n);
}

void launch(struct seen *s, const struct world *w, const struct places *p, const struct bounds *b)
{
    int status = 0;
    *s = (struct seen){ .status = -1 };
    fflush(NULL);
    bytes_write(under(p, "out"), "", 0), bytes_write(under(p, "err"), "", 0);
    const pid_t pid = fork();
    if (!pid)
        child(w, p, b);
    if (pid < 0) {
        perror("storm: fork");
        exit(2);
    }
    watch(s, pid, w, b);
    waitpid(pid, &status, 0);
    s->left = sweep_up(pid, !s->late && !s->fat && (!s->killed || s->alone));
    if (WIFEXITED(status))
        s->status = WEXITSTATUS(status);
    else
        s->signal = WTERMSIG(status);
    bytes_put(&s->ours, "", 0);
    bytes_read(&s->out, under(p, "out"));
    bytes_read(&s->err, under(p, "err"));
    reports(s, p, pid);
}

void seen_free(struct seen *s) { free(s->out.s), free(s->err.s), free(s->report.s), free(s->ours.s); }

int launch_plain(const struct places *p, const char *folder, const char *const *word, struct bytes *out)
{
    struct world w = { .limit = RLIM_INFINITY };
    struct places here = *p;
    struct seen s;
    while (word[w.argc])
        w.argc++;
    w.argv = (char **)(uintptr_t)word;
    snprintf(here.folder, sizeof here.folder, "%s", folder);
    launch(&s, &w, &here, &(struct bounds){ 300, 8000, false });
    const int status = s.status;
    if (out)
        bytes_put(out, s.out.s, s.out.n);
    else if (status)
        fprintf(stderr, "storm: %s: status %d: %s\n", word[1], status, s.err.s);
    seen_free(&s);
    return status;
}
