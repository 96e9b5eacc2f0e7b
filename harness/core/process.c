/* A process as a subject: started by sh, asked over pipes under a time limit, killed with its whole group when it breaks the protocol and
 * started again for the next question.  Both directions move at once (poll), so full pipes cannot lock; SIGPIPE is an answer, not a death. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "contain.h"
#include "kept.h"
#include "protocol.h"
#include "trial.h"

enum { STARTING = 3, PATIENCE = 2 }; /* the first answer may take 3 limits (imports); after 2 hangs nothing more is asked */
struct child { char *command; pid_t pid; int to, from, hangs; bool fresh, stale; struct mer_kernel *offers; };
struct talk { const char *head; size_t head_len; struct mer_call *c; char *in; size_t got, room, want; }; /* want: of the answer, once its line is read */

static const double WATCH = 0.2; /* s between looks at its memory */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long allowed(void) { return memory_limit(sysconf(_SC_PHYS_PAGES) / 2 * (sysconf(_SC_PAGESIZE) >> 10) >> 10); }

static long resident(pid_t group) /* megabytes of all processes of the group: /proc/N/stat, fields 5 (group) and 24 (pages) */
{
    DIR *d = opendir("/proc");
    long pages = 0;
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char path[300], text[600];
        long g, rss;
        if (*e->d_name < '1' || *e->d_name > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
        FILE *f = fopen(path, "r");
        size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
        if (f)
            fclose(f);
        text[len] = 0;
        const char *s = strrchr(text, ')'); /* a name may hold anything */
        if (s && sscanf(s + 1, " %*c %*d %ld %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %ld", &g, &rss) == 2 && g == group)
            pages += rss;
    }
    if (d)
        closedir(d);
    return pages * (sysconf(_SC_PAGESIZE) >> 10) >> 10;
}

static int start(struct child *p)
{
    int to[2], from[2];
    struct rlimit none = { 0, 0 }, file = { (rlim_t)usual_limits.megabytes << 20, (rlim_t)usual_limits.megabytes << 20 };
    if (pipe2(to, O_CLOEXEC))
        return -1;
    if (pipe2(from, O_CLOEXEC))
        return close(to[0]), close(to[1]), -1;
    fflush(NULL);
    p->pid = fork();
    if (!p->pid) {
        setpgid(0, 0); /* its own group: what it starts dies with it */
        dup2(to[0], 0), dup2(from[1], 1);
        signal(SIGPIPE, SIG_DFL);
        setrlimit(RLIMIT_CORE, &none), setrlimit(RLIMIT_FSIZE, &file);
        execl("/bin/sh", "sh", "-c", p->command, (char *)NULL);
        _exit(127);
    }
    close(to[0]), close(from[1]);
    if (p->pid < 0)
        return close(to[1]), close(from[0]), p->pid = 0, -1;
    setpgid(p->pid, p->pid); /* both sides: no race */
    p->to = to[1], p->from = from[0], p->fresh = true;
    fcntl(p->to, F_SETFL, O_NONBLOCK), fcntl(p->from, F_SETFL, O_NONBLOCK);
    return 0;
}

/* Closes its input, waits for its exit up to `grace` seconds, kills the group, reaps: no zombie.  How it ended: a wait status. */
static int stop(struct child *p, double grace)
{
    siginfo_t info = { 0 };
    int status = 0;
    double end = seconds() + grace;
    if (!p->pid)
        return 0;
    close(p->to);
    do
        if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOWAIT | WNOHANG) || info.si_pid)
            break;
    while (seconds() < end && !nanosleep(&(struct timespec){ 0, 2000000 }, NULL));
    kill(-p->pid, SIGKILL); /* before the reaping: the group's number is still ours */
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(p->from);
    p->pid = 0;
    return info.si_pid ? status : -1;
}

static void ended(struct child *p, const char *when, char *why, size_t n)
{
    int s = stop(p, 1), sig = s >= 0 && WIFSIGNALED(s) ? WTERMSIG(s) : s >= 0 && WEXITSTATUS(s) > 128 && WEXITSTATUS(s) < 160 ? WEXITSTATUS(s) - 128 : 0; /* sh passes a signal on as 128 + n */
    if (s < 0)
        snprintf(why, n, "closed its output %s", when);
    else if (sig)
        snprintf(why, n, "crashed: %s %s", strsignal(sig), when);
    else
        snprintf(why, n, "left early (exit %d%s) %s", WEXITSTATUS(s), WEXITSTATUS(s) == 127 ? ": command not found" : "", when);
}

/* Part k of what is sent: the line, then each input's bytes. */
static const char *part(const struct talk *t, int k, size_t *len)
{
    const struct mer_array *a = k && t->c ? &t->c->in[k - 1] : NULL;
    *len = a ? (size_t)array_len(a) * type_size(a->type) : t->head_len;
    return a ? a->data : t->head;
}

static size_t out_bytes(const struct mer_call *c)
{
    size_t n = 0;
    for (int k = 0; c && k < c->n_out; k++)
        n += (size_t)array_len(&c->out[k]) * type_size(c->out[k].type);
    return n;
}

/* Sends everything and reads the answer, whatever the order.  0, or MER_CRASHED and why; *status: of the answer's line, which ends at *line. */
static int exchange(struct child *p, struct talk *t, double limit, int *status, size_t *line, char *why, size_t n)
{
    int k = 0, parts = 1 + (t->c ? t->c->n_in : 0);
    size_t at = 0, len;
    double end = seconds() + limit;
    *line = 0, t->want = SIZE_MAX;
    while (k < parts || t->got < t->want) {
        struct pollfd f[2] = { { p->from, POLLIN, 0 }, { k < parts ? p->to : -1, POLLOUT, 0 } };
        double left = end - seconds();
        int ready = left > 0 ? poll(f, 2, left < WATCH ? (int)(1000 * left) + 1 : (int)(1000 * WATCH)) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (!ready && left > 0) { /* it is at work: what does it hold? */
            const long held = resident(p->pid);
            if (held <= allowed())
                continue;
            stop(p, 0);
            return snprintf(why, n, "killed: it held %ld MB of memory, allowed %ld", held, allowed()), MER_CRASHED;
        }
        if (ready <= 0) {
            p->hangs++, stop(p, 0);
            return snprintf(why, n, t->want == SIZE_MAX ? "hung: killed after %.0f s without an answer" : t->got < t->want ? "wrong size: %3$zu of %2$zu bytes of the answer came in %1$.0f s" : "hung: killed after %.0f s; it answered but does not read its inputs",
                            limit, t->want, t->got), MER_CRASHED;
        }
        if (f[0].revents) {
            ssize_t got = read(p->from, t->in + t->got, t->room - t->got);
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
                char when[100];
                snprintf(when, sizeof when, t->want == SIZE_MAX ? "before it answered" : "after %zu of %zu bytes of its answer", t->got, t->want);
                return ended(p, when, why, n), MER_CRASHED;
            }
            t->got += got > 0 ? (size_t)got : 0;
            const char *nl = !*line ? memchr(t->in, '\n', t->got < LINE_MAX_BYTES ? t->got : LINE_MAX_BYTES) : NULL;
            if (nl) {
                *line = (size_t)(nl - t->in) + 1;
                *status = t->c ? protocol_answer(t->in, *line, t->c, why, n) : MER_OK;
                t->want = *line + (*status == MER_OK ? out_bytes(t->c) : 0);
            }
            if ((nl && *status == MER_CRASHED) || (!*line && t->got >= LINE_MAX_BYTES) || t->got > t->want) {
                if (!nl && !*line)
                    snprintf(why, n, "broke the protocol: %d bytes without a line's end", LINE_MAX_BYTES);
                else if (*status != MER_CRASHED)
                    snprintf(why, n, "wrong size: it sent more than the %zu bytes of the outputs asked for", t->want - *line);
                return stop(p, 0), MER_CRASHED;
            }
        }
        if (f[1].revents) {
            const char *from = part(t, k, &len);
            ssize_t sent = at < len ? write(p->to, from + at, len - at) : 0;
            if (sent < 0 && errno != EAGAIN && errno != EINTR)
                return ended(p, "before it had read its inputs", why, n), MER_CRASHED;
            at += sent > 0 ? (size_t)sent : 0;
            if (at == len)
                k++, at = 0;
        }
    }
    return 0;
}

static int converse(struct subject *s, struct talk *t, int *status, size_t *line, char *why, size_t n)
{
    struct child *p = s->state;
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    if (p->hangs >= PATIENCE)
        return snprintf(why, n, "not asked: it hung %d times", p->hangs), MER_CRASHED;
    struct pollfd f = { p->pid ? p->from : -1, POLLIN, 0 };
    if (p->pid && poll(&f, 1, 0) > 0) { /* bytes nobody asked for, or its end: the next answer would be read askew */
        bool gone = !(f.revents & POLLIN);
        stop(p, gone ? 1 : 0);
        if (!gone)
            return snprintf(why, n, "broke the protocol: bytes on standard output that belong to no question"), MER_CRASHED;
    }
    if (!p->pid && start(p))
        return snprintf(why, n, "cannot be started: %s", strerror(errno)), MER_CRASHED;
    t->room = LINE_MAX_BYTES + out_bytes(t->c) + 1;
    t->in = need(t->room, 1);
    if (!t->in)
        return snprintf(why, n, "out of memory"), MER_CRASHED;
    sigaction(SIGPIPE, &ignore, &before);
    int rc = exchange(p, t, s->seconds * (p->fresh ? STARTING : 1), status, line, why, n);
    sigaction(SIGPIPE, &before, NULL);
    p->fresh = false;
    return rc;
}

static int run_child(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    int status = MER_CRASHED;
    size_t at;
    char *head = protocol_ask(c);
    struct talk t = { .head = head, .head_len = strlen(head), .c = c };
    (void)k;
    int rc = converse(s, &t, &status, &at, why, n);
    for (int i = 0; i < c->n_out && !rc && status == MER_OK; i++) {
        size_t bytes = (size_t)array_len(&c->out[i]) * type_size(c->out[i].type);
        memcpy(c->out[i].data, t.in + at, bytes), at += bytes;
    }
    free(head), free(t.in);
    return rc ? rc : status;
}

static void close_child(struct subject *s)
{
    struct child *p = s->state;
    stop(p, 2);
    kernels_free(p->offers);
    free(p->command);
    free(p);
}

int subject_exec(struct subject *s, const char *command, const struct mer_kernel *declared, int limit, char *err, size_t n)
{
    int status = MER_OK, rc;
    size_t line = 0;
    struct child *p = need(1, sizeof *p);
    *s = (struct subject){ .run = run_child, .close = close_child, .state = p, .seconds = limit, .told = kept(command), .process = true };
    snprintf(s->name, sizeof s->name, "%s", command);
    p->command = need_copy(command);
    if (declared) {
        s->own[0] = *declared;
        s->kernel = s->own;
        return 0;
    }
    struct talk t = { .head = protocol_hello, .head_len = strlen(protocol_hello) };
    rc = converse(s, &t, &status, &line, err, n);
    p->offers = rc ? NULL : protocol_kernels(t.in, line, err, n);
    s->kernel = p->offers;
    free(t.in);
    if (p->offers)
        return 0;
    bool broken = !rc || p->hangs;
    return close_child(s), broken ? -MER_CRASHED : -1;
}
