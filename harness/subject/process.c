/* A process as a subject: started by sh below a warden (warden.h) and asked over pipes under a time limit.  One that
 * breaks the protocol is killed with everything that it started, and started again for the next question.  A process
 * that was there before, and gave descriptors, is asked the same way but can be neither killed nor started again: after
 * the first breach its descriptors are closed, and nothing more is asked.  Reading and writing go on at the same time
 * (poll), so that full pipes cannot block both sides; SIGPIPE is ignored, and a failed write means that the process has
 * ended. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "subject/contain.h"
#include "base/clock.h"
#include "core/kept.h"
#include "subject/protocol.h"
#include "subject/subject.h"
#include "trial/trial.h"
#include "subject/warden.h"

/* STARTING: the first answer may take so many limits, since a program may have to load much.  PATIENCE: after so many
 * hangs nothing more is asked. */
enum { STARTING = 3, PATIENCE = 2 };
/* to, from: descriptors of its input and output; fresh: it has not answered yet; runs: they are open; given: they were
 * given, and command is NULL and there is no warden. */
struct child { char *command; struct warden warden; int to, from, hangs; bool fresh, runs, given;
    struct mer_kernel *offers; };
/* One exchange.  head: the line that is sent, before the bytes of inputs; in: got bytes of the answer, of room; want:
 * how long the whole answer is, known once its line is read. */
struct talk { const char *head; size_t head_len; struct mer_call *c; char *in; size_t got, room, want; };

static const double WATCH = 0.2; /* seconds between two measurements of its memory */

struct process_birth { const char *command; int in, out; };

static void become(const void *with)
{
    const struct process_birth *b = with;
    const struct rlimit none = { 0, 0 },
                        file = { (rlim_t)usual_limits.megabytes << 20, (rlim_t)usual_limits.megabytes << 20 };
    sigset_t empty;
    setpgid(0, 0), prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(b->in, STDIN_FILENO), dup2(b->out, STDOUT_FILENO);
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&empty), sigprocmask(SIG_SETMASK, &empty, NULL);
    setrlimit(RLIMIT_CORE, &none), setrlimit(RLIMIT_FSIZE, &file);
    execl("/bin/sh", "sh", "-c", b->command, (char *)NULL);
    _exit(127);
}

static int start(struct child *p)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC))
        return -1;
    if (pipe2(from, O_CLOEXEC))
        return close(to[0]), close(to[1]), -1;
    const int failed = warden_start(&p->warden, become, &(struct process_birth){ p->command, to[0], from[1] });
    close(to[0]), close(from[1]);
    if (failed)
        return close(to[1]), close(from[0]), -1;
    p->to = to[1], p->from = from[0], p->fresh = p->runs = true;
    fcntl(p->to, F_SETFL, O_NONBLOCK), fcntl(p->from, F_SETFL, O_NONBLOCK);
    return 0;
}

/* Closes its input, waits up to `grace` seconds for its exit, and kills all that is left.  Returns its wait status, or
 * -1 where it was killed, or where it is not this program's to end. */
static int stop(struct child *p, double grace)
{
    int status = -1;
    if (!p->runs)
        return 0;
    close(p->to);
    if (!p->given)
        warden_wait(&p->warden, grace), status = warden_end(&p->warden);
    close(p->from);
    p->runs = false;
    return status;
}

static void ended(struct child *p, const char *when, char *why, size_t n)
{
    /* sh passes a signal on as 128 + n */
    int s = stop(p, 1),
        sig = s >= 0 && WIFSIGNALED(s)                         ? WTERMSIG(s) :
        s >= 0 && WEXITSTATUS(s) > 128 && WEXITSTATUS(s) < 160 ? WEXITSTATUS(s) - 128 :
                                                                 0;
    if (s < 0)
        snprintf(why, n, "%s %s", p->given ? "its process ended or closed the connection" : "closed its output", when);
    else if (sig)
        snprintf(why, n, "crashed: %s %s", strsignal(sig), when);
    else
        snprintf(why, n, "left early (exit %d%s) %s", WEXITSTATUS(s),
            WEXITSTATUS(s) == 127 ? ": command not found" : "", when);
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

/* Sends everything and reads the answer, whatever the order.  0, or MER_CRASHED and why; *status: of the answer's line,
 * which ends at *line. */
static int exchange(struct child *p, struct talk *t, double limit, int *status, size_t *line, char *why, size_t n)
{
    int k = 0, parts = 1 + (t->c ? t->c->n_in : 0);
    size_t at = 0, len;
    double end = now() + limit;
    *line = 0, t->want = SIZE_MAX;
    while (k < parts || t->got < t->want) {
        struct pollfd f[2] = { { p->from, POLLIN, 0 }, { k < parts ? p->to : -1, POLLOUT, 0 } };
        double left = end - now();
        int ready = left > 0 ? poll(f, 2, left < WATCH ? (int)(1000 * left) + 1 : (int)(1000 * WATCH)) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        const long held = p->given ? 0 : warden_watched(&p->warden);
        if (held > memory_held()) {
            stop(p, 0);
            return snprintf(why, n, "killed: it held %ld MB of memory, allowed %ld", held, memory_held()), MER_CRASHED;
        }
        if (!ready && left > 0)
            continue;
        if (ready <= 0) {
            p->hangs++, stop(p, 0);
            return snprintf(why, n,
                       p->given             ? "hung: no whole answer in %.0f s" :
                       t->want == SIZE_MAX  ? "hung: killed after %.0f s without an answer" :
                           t->got < t->want ? "wrong size: %3$zu of %2$zu bytes of the answer came in %1$.0f s" :
                                              "hung: killed after %.0f s; it answered but does not read its inputs",
                       limit, t->want, t->got),
                   MER_CRASHED;
        }
        if (f[0].revents) {
            ssize_t got = read(p->from, t->in + t->got, t->room - t->got);
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
                char when[100];
                snprintf(when, sizeof when,
                    t->want == SIZE_MAX ? "before it answered" : "after %zu of %zu bytes of its answer", t->got,
                    t->want);
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
                    snprintf(why, n, "wrong size: it sent more than the %zu bytes of the outputs asked for",
                        t->want - *line);
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
    if (p->given && !p->runs)
        return snprintf(why, n, "not asked: the connection to its process is closed"), MER_CRASHED;
    struct pollfd f = { p->runs ? p->from : -1, POLLIN, 0 };
    /* More bytes than the answer has, or its end: the next answer would be read from the wrong place. */
    if (p->runs && poll(&f, 1, 0) > 0) {
        bool gone = !(f.revents & POLLIN);
        stop(p, gone ? 1 : 0);
        if (!gone)
            return snprintf(why, n, "broke the protocol: bytes on standard output that belong to no question"),
                   MER_CRASHED;
        if (p->given)
            return snprintf(why, n, "its process ended or closed the connection"), MER_CRASHED;
    }
    if (!p->runs && start(p))
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

/* Asks what it offers; as subject_exec answers, which has made the rest of s. */
static int hello(struct subject *s, char *err, size_t n)
{
    int status = MER_OK;
    size_t line = 0;
    struct child *p = s->state;
    struct talk t = { .head = protocol_hello, .head_len = strlen(protocol_hello) };
    const int rc = converse(s, &t, &status, &line, err, n);
    p->offers = rc ? NULL : protocol_kernels(t.in, line, err, n);
    for (struct mer_kernel *k = p->offers; k && k->row; k++)
        k->strided = 0; /* what is sent to a process is dense */
    s->kernel = p->offers;
    free(t.in);
    if (p->offers)
        return 0;
    const bool broken = !rc || p->hangs;
    char why[600];
    snprintf(why, sizeof why, "%s", err), snprintf(err, n, "'%.80s': %s", s->name, why);
    return close_child(s), broken ? -MER_CRASHED : -1;
}

int subject_exec(
    struct subject *s, const char *command, const struct mer_kernel *declared, int limit, char *err, size_t n)
{
    struct child *p = need(1, sizeof *p);
    *s = (struct subject){
        .run = run_child, .close = close_child, .state = p, .seconds = limit, .told = kept(command), .process = true
    };
    snprintf(s->name, sizeof s->name, "%s", command);
    p->command = need_copy(command);
    if (!declared)
        return hello(s, err, n);
    s->own[0] = *declared;
    s->kernel = s->own;
    return 0;
}

int subject_given(struct subject *s, const char *given, int limit, char *err, size_t n)
{
    int to, from, read = 0;
    struct stat st;
    if (sscanf(given, "%9d,%9d%n", &from, &to, &read) != 2 || (given[read] && given[read] != '=') || from < 0 ||
        to < 0 || from == to)
        return snprintf(err, n, "fd:%.60s: two descriptors and a name are wanted: fd:5,6=NAME", given), -1;
    if (fstat(from, &st) || fstat(to, &st))
        return snprintf(err, n, "fd:%.60s: %s", given, strerror(errno)), -1;
    const char *name = given[read] ? given + read + 1 : given;
    struct child *p = need(1, sizeof *p);
    *p = (struct child){ .to = to, .from = from, .fresh = true, .runs = true, .given = true };
    *s = (struct subject){
        .run = run_child, .close = close_child, .state = p, .seconds = limit, .told = kept(name)
    };
    snprintf(s->name, sizeof s->name, "%s", name);
    fcntl(to, F_SETFL, O_NONBLOCK), fcntl(from, F_SETFL, O_NONBLOCK);
    fcntl(to, F_SETFD, FD_CLOEXEC), fcntl(from, F_SETFD, FD_CLOEXEC);
    return hello(s, err, n);
}
