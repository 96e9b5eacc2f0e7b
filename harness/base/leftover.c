/* Removes what is not finished when a signal ends the process; see leftover.h. */
#include "base/leftover.h"
#include "arith/need.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An entry of the list: a path, and the process that is to remove it; 0: free.  Entries are never freed, so that the
 * handler may walk the list at any moment: an entry is filled before `owner` says that it is, and reused after `owner`
 * says that it is free. */
struct leftover { struct leftover *next; char *path; _Atomic pid_t owner; };
static _Atomic(struct leftover *) first;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ };

/* Files first, then the folders that they lay in; only what a handler of a signal may call. */
static void ended(int sig)
{
    const pid_t self = getpid();
    for (struct leftover *x = atomic_load(&first); x; x = x->next)
        if (atomic_load(&x->owner) == self)
            unlink(x->path);
    for (struct leftover *x = atomic_load(&first); x; x = x->next)
        if (atomic_load(&x->owner) == self)
            rmdir(x->path);
    signal(sig, SIG_DFL);
    raise(sig);
}

static void left(void) /* at exit: nothing is left where the program gives up in the middle */
{
    for (struct leftover *x = atomic_load(&first); x; x = x->next)
        if (atomic_load(&x->owner) == getpid())
            leftover_settle(x->path, false);
}

static void watch(void) /* handles each of the signals that nobody ignores or handles */
{
    struct sigaction own = { .sa_handler = ended }, now;
    static bool asked;
    if (!asked)
        asked = !atexit(left);
    sigfillset(&own.sa_mask);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        if (!sigaction(ends[k], NULL, &now) && now.sa_handler == SIG_DFL)
            sigaction(ends[k], &own, NULL);
}

void leftover_add(const char *path)
{
    char *copy = need_copy(path); /* both before the lock: where there is no memory left, `left` wants it */
    struct leftover *x, *more = need(1, sizeof *more);
    pthread_mutex_lock(&writing);
    watch(); /* each time: a caller may have put its own back in between */
    for (x = atomic_load(&first); x && atomic_load(&x->owner) == getpid();)
        x = x->next;
    if (x) {
        free(x->path), free(more);
        x->path = copy;
        atomic_store(&x->owner, getpid());
    } else {
        *more = (struct leftover){ .next = atomic_load(&first), .path = copy, .owner = getpid() };
        atomic_store(&first, more);
    }
    pthread_mutex_unlock(&writing);
}

static bool below(const char *path, const char *folder)
{
    const size_t n = strlen(folder);
    return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}

void leftover_settle(const char *path, bool keep)
{
    pthread_mutex_lock(&writing);
    for (int folders = 0; folders < 2; folders++)
        for (struct leftover *x = atomic_load(&first); x; x = x->next) {
            if (atomic_load(&x->owner) != getpid() || !below(x->path, path))
                continue;
            if (!keep && !folders)
                unlink(x->path);
            else if (!keep)
                rmdir(x->path);
            if (folders)
                atomic_store(&x->owner, 0);
        }
    pthread_mutex_unlock(&writing);
}
