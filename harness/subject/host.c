/* This process (the asker) and the host talk over a stream socket.  The host first sends a frame, which holds its hello
 * (protocol.h) or the reason why the library is no plug-in.  Then each question is a struct request with the descriptor
 * of an arena (SCM_RIGHTS), and each answer a struct reply. */
#include "subject/host.h"
#include "base/clock.h"
#include "core/printable.h"
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "subject/contain.h"
#include "subject/protocol.h"
#include "subject/stayer.h"
#include "subject/subject.h"
#include "subject/warden.h"

enum { KERNELS_MOST = 4096, HELLO_MOST = 1 << 24 }; /* of one plug-in; bytes of its hello */
static const double WATCH = 0.2; /* seconds between two measurements of the memory of a child that stays */
static const double GRACE = 1; /* seconds to wait for the end of a process once its socket is closed */

/* refused: the bytes are the reason; stays: its child answers one question after another (stayer.h) */
struct frame { uint32_t refused, stays, bytes; };
struct host {
    char *path, *hello; /* hello: what it said when it was loaded first */
    size_t hello_bytes;
    bool stays; /* then nobody but this process limits the memory of its child */
    struct warden warden; /* pid 0: not loaded now */
    int socket;
    struct said said;
    struct mer_kernel *offers;
};

/* Functions of the host. */

struct host_birth { const char *path; int socket, other, out, err; }; /* other: the asker's end */

/* Loads a library; *stays: whether it wants a child that stays. */
static const struct mer_plugin *load(const char *path, bool *stays, char *err, size_t n)
{
    char here[4096];
    const char *fault = NULL;
    /* a bare name would be looked for elsewhere */
    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return snprintf(err, n, "%s", dlerror()), NULL;
    const struct mer_plugin *(*entry)(void);
    *(void **)&entry = dlsym(handle, "meridian_plugin"); /* POSIX: object to function pointer */
    const int *said = dlsym(handle, "meridian_stays");
    *stays = said && *said;
    const struct mer_plugin *p = entry ? entry() : NULL;
    if (!p)
        return snprintf(err, n, "%s: %s", path, entry ? "meridian_plugin() answers NULL" : "no symbol meridian_plugin"),
               NULL;
    if (p->abi != MER_ABI)
        return snprintf(err, n, "%s: another ABI version: it says %d, this is %d", path, (int)p->abi, MER_ABI), NULL;
    if (!p->kernel || !p->kernel->row)
        return snprintf(err, n, "%s: no kernels", path), NULL;
    for (const struct mer_kernel *k = p->kernel; !fault && k->row; k++)
        fault = k - p->kernel == KERNELS_MOST ? "more than 4096 kernels: does their list end with a row of NULL?" :
            !k->run                           ? "a kernel has no run" :
                                                kernel_fault(k);
    return fault ? snprintf(err, n, "%s: %s", path, fault), NULL : p;
}

static bool send_all(int to, const void *bytes, size_t n)
{
    for (size_t sent = 0; sent < n;) {
        const ssize_t k = send(to, (const char *)bytes + sent, n - sent, MSG_NOSIGNAL);
        if (k < 0 && errno != EINTR)
            return false;
        sent += k > 0 ? (size_t)k : 0;
    }
    return true;
}

/* Loads the library and sends its hello, or why there is none; NULL then.  The hello is written under the default
 * floating-point environment: constructors of the library may have changed rounding and traps. */
static const struct mer_plugin *introduce(const char *path, bool *stays, int to, pid_t me)
{
    char why[400] = "";
    fenv_t own;
    const struct mer_plugin *p = load(path, stays, why, sizeof why);
    if (getpid() != me)
        _exit(EXIT_SUCCESS); /* the library forked, and both come back */
    fegetenv(&own), fesetenv(FE_DFL_ENV);
    char *hello = p ? protocol_offer(p, why, sizeof why) : NULL;
    const char *text = hello ? hello : why;
    const struct frame f = { !hello, *stays, (uint32_t)strlen(text) };
    const bool sent = send_all(to, &f, sizeof f) && send_all(to, text, f.bytes);
    fesetenv(&own);
    while (!sent)
        pause(); /* the library has closed the socket; the asker notices and ends this process */
    free(hello);
    return hello ? p : NULL;
}

/* Answers one request in a child and waits for it.  SIGCHLD is reset meanwhile: the library may have set it to be
 * ignored, and the child's status would be lost. */
static struct reply attend(const struct mer_kernel *k, const struct request *r, int arena, int asker)
{
    const struct limits l = { r->seconds, (long)r->megabytes };
    struct sigaction usual = { .sa_handler = SIG_DFL }, own;
    sigaction(SIGCHLD, &usual, &own);
    const pid_t pid = arena < 0 ? -1 : fork();
    int status = 0;
    pid_t got;
    if (!pid) {
        close(asker);
        sigaction(SIGCHLD, &own, NULL);
        contain_answer(arena, r->nonce, k, &l);
    }
    const int fault = pid < 0 ? arena < 0 ? EMFILE : errno : ECHILD;
    while ((got = pid < 0 ? -1 : waitpid(pid, &status, WUNTRACED)) < 0 && pid > 0 && errno == EINTR)
        ;
    if (got > 0 && WIFSTOPPED(status))
        kill(pid, SIGKILL), waitpid(pid, &(int){ 0 }, 0);
    sigaction(SIGCHLD, &own, NULL);
    return got < 0 ? (struct reply){ LOST, fault } : (struct reply){ WIFSTOPPED(status) ? STOPPED : ENDED, status };
}

/* The host's whole run: it loads the library and answers requests until the asker closes the socket. */
static void live(const void *with)
{
    const struct host_birth *b = with;
    struct request r;
    int arena;
    close(b->other);
    const int asker = confine(b->out, b->err, b->socket);
    const pid_t me = getpid();
    limit_child(memory_limit(usual_limits.megabytes), 0);
    bool stays = false;
    struct stayer child = { 0 };
    const struct mer_plugin *p = introduce(b->path, &stays, asker, me);
    while (p && request_receive(asker, &r, &arena)) {
        const struct reply answer = stays ? stayer_attend(&child, p, &r, arena, asker) :
                                            attend(&p->kernel[r.kernel], &r, arena, asker);
        if (arena >= 0)
            close(arena);
        if (!send_all(asker, &answer, sizeof answer))
            break;
    }
    _exit(EXIT_SUCCESS); /* the library's destructors and atexit handlers are not run */
}

/* Functions of the asker. */

static void leave(struct host *h)
{
    if (!h->warden.pid)
        return;
    if (h->warden.gone) /* then the host is being killed too, and its end closes the socket */
        poll(&(struct pollfd){ .fd = h->socket }, 1, (int)(1000 * GRACE));
    close(h->socket);
    warden_end(&h->warden);
}

/* Reads n bytes from the host until the time `end`.  false: it hung or ended, or it held too much memory, which *ended
 * tells, and it was killed. */
static bool hear(struct host *h, void *to, size_t n, double end, struct reply *ended)
{
    for (size_t got = 0; got < n;) {
        struct pollfd f[2] = { { h->socket, POLLIN, 0 }, { h->warden.control, POLLIN, 0 } };
        const double left = end - now();
        const double nap = h->stays && left > WATCH ? WATCH : left;
        const int ready = left > 0 ? poll(f, 2, (int)(1000 * nap) + 1) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        const long held = h->stays ? warden_watched(&h->warden) : 0;
        if (held > memory_held())
            return *ended = (struct reply){ GREEDY, (int32_t)held }, leave(h), false;
        if (!ready && h->stays && left > WATCH)
            continue;
        if (ready <= 0)
            return *ended = (struct reply){ HUNG, 0 }, leave(h), false;
        ssize_t k = f[0].revents ? recv(h->socket, (char *)to + got, n - got, MSG_DONTWAIT) : -1;
        got += k > 0 ? (size_t)k : 0;
        if (k > 0 || (f[0].revents && k < 0 && (errno == EAGAIN || errno == EINTR)))
            continue;
        if (k == 0)
            warden_wait(&h->warden, GRACE); /* its end, or its socket's alone? */
        else
            warden_news(&h->warden);
        *ended = (struct reply){ h->warden.gone ? UNKEPT : DEAF, 0 };
        if (h->warden.over)
            *ended = (struct reply){ WIFSTOPPED(h->warden.status) ? STOPPED : ORPHANED, h->warden.status };
        return leave(h), false;
    }
    return true;
}

/* Starts a host and reads its first frame.  Returns the frame's text with a closing 0, which the caller frees; NULL:
 * why says how the host ended. */
static char *start(struct host *h, int seconds, struct frame *f, char *why, size_t n)
{
    int pair[2];
    struct reply ended;
    const double end = now() + seconds;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return snprintf(why, n, "could not be started: %s", strerror(errno)), NULL;
    const struct host_birth b = { h->path, pair[1], pair[0], h->said.out, h->said.err };
    const int failed = warden_start(&h->warden, live, &b) ? errno : 0;
    close(pair[1]);
    h->socket = pair[0];
    if (failed)
        return close(pair[0]), snprintf(why, n, "could not be started: %s", strerror(failed)), NULL;
    char *text = NULL;
    if (hear(h, f, sizeof *f, end, &ended)) {
        if (f->bytes > HELLO_MOST)
            return leave(h), snprintf(why, n, "broke the protocol: a hello of %u bytes", f->bytes), NULL;
        text = need((size_t)f->bytes + 1, 1);
        if (hear(h, text, f->bytes, end, &ended))
            return text;
    }
    free(text);
    ended_say((enum ended)ended.how, ended.status, seconds, why, n);
    said_tell(&h->said, why, n);
    return NULL;
}

/* Starts a new host after a hang or a crash ended the last.  Kernels are requested by number, so it must offer the same
 * list as before.  0, or -1 and why. */
static int restart(struct host *h, int seconds, char *why, size_t n)
{
    struct pollfd f = { h->warden.control, POLLIN, 0 };
    struct frame frame;
    char reason[400] = "";
    if (h->warden.pid && poll(&f, 1, 0) > 0)
        leave(h);
    if (h->warden.pid)
        return 0;
    char *hello = start(h, seconds, &frame, reason, sizeof reason);
    const bool same = hello && !frame.refused && frame.bytes == h->hello_bytes && !memcmp(hello, h->hello, frame.bytes);
    if (!hello)
        snprintf(why, n, "when it was loaded again it %s", reason);
    else if (!same)
        leave(h),
            snprintf(why, n, "when it was loaded again it %s",
                frame.refused ? "was no plug-in any more" : "offered something else");
    free(hello);
    return same ? 0 : -1;
}

/* The number of a kernel in the list that was offered.  Copies of an entry are recognised by the pointer to its row's
 * name, which they share. */
static int place_of(const struct host *h, const struct mer_kernel *k)
{
    int i = 0;
    while (h->offers[i].row && h->offers[i].row != k->row)
        i++;
    return i;
}

static int together(
    struct subject *s, const struct mer_kernel *k, struct mer_call *const *c, int n_c, char *why, size_t n)
{
    struct host *h = s->state;
    struct arena a;
    struct reply reply;
    const struct limits l = { s->seconds, memory_limit(usual_limits.megabytes) };
    int rc = MER_UNASKED;
    for (int i = 0; i < n_c; i++)
        if (trial_fits(k, c[i], why, n) != MER_OK)
            return MER_BAD;
    if (restart(h, s->seconds, why, n))
        return MER_CRASHED;
    if (!arena_open(&a, c, n_c, why, n)) {
        const struct request r = { a.nonce, l.megabytes, place_of(h, k), s->seconds };
        const double end = now() + s->seconds;
        struct reply ended;
        request_send(h->socket, &r, a.fd); /* of a failure to send hear() tells: the host has ended */
        const bool heard = hear(h, &reply, sizeof reply, end, &ended);
        if (!heard)
            reply = ended;
        else if (!warden_sweep(&h->warden))
            leave(h);
        rc = contain_settle(&a, (enum ended)reply.how, reply.status, &l, &h->said, why, n);
    }
    arena_close(&a);
    return rc;
}

static int run_hosted(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    return together(s, k, &c, 1, why, n);
}

static void close_host(struct subject *s)
{
    struct host *h = s->state;
    leave(h);
    if (h->said.out >= 0)
        close(h->said.out);
    if (h->said.err >= 0)
        close(h->said.err);
    kernels_free(h->offers);
    free(h->path), free(h->hello), free(h);
}

int subject_host(struct subject *s, const char *path, int seconds, char *err, size_t n)
{
    struct frame f = { 0 };
    char why[600] = "";
    struct host *h = need(1, sizeof *h);
    *h = (struct host){ .path = need_copy(path), .said = { said_open(), said_open() } };
    s->state = h, s->close = close_host, s->run = run_hosted, s->together = together, s->seconds = seconds;
    h->hello = start(h, seconds, &f, why, sizeof why);
    h->hello_bytes = f.bytes, h->stays = f.stays;
    if (!h->hello)
        return snprintf(err, n, "%.200s: while it was loaded it %.380s", path, why), close_host(s), -MER_CRASHED;
    if (f.refused)
        return snprintf(err, n, "%s", h->hello), one_line(err), close_host(s), -1;
    h->offers = protocol_kernels(h->hello, f.bytes, why, sizeof why);
    s->kernel = h->offers;
    return h->offers ? 0 : (snprintf(err, n, "%.200s: %.380s", path, why), close_host(s), -1);
}
