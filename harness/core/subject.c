/* Subjects: own kernels, a shared library.  (A process: process.c.  A folder of arrays: pack.c.)  All answer struct mer_call. */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "contain.h"
#include "kept.h"
#include "kernels.h"
#include "protocol.h"
#include "trial.h"

static int run_here(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    if (trial_fits(k, c, why, n) != MER_OK)
        return MER_BAD;
    return contain_ask(k, c, &(struct limits){ s->seconds, usual_limits.megabytes }, why, n);
}
static void close_library(struct subject *s) { dlclose(s->state); }
static void close_list(struct subject *s) { free(s->state); }

static int open_own(struct subject *s, const char *slot, char *err, size_t n)
{
    size_t used = 0;
    struct mer_kernel *list = need(256, sizeof *list);
    for (const struct slot *o = slots; o->name; o++)
        if (!strcmp(o->name, slot) && o->here())
            for (const struct mer_kernel *k = o->kernel; k->row; k++)
                list[used++] = *k;
    if (!used)
        return free(list), snprintf(err, n, "slot '%s' is not on this machine", slot), -1;
    s->kernel = s->state = list;
    s->run = run_here, s->contained = true;
    s->close = close_list;
    return 0;
}

/* Loading runs their code: tried in a contained child first, where a crash, a hang or a bad table costs nothing. */
static const struct mer_plugin *load(void **handle, const char *path, char *err, size_t n)
{
    const char *fault = NULL;
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle)
        return snprintf(err, n, "%s", dlerror()), NULL;
    const struct mer_plugin *(*entry)(void);
    *(void **)&entry = dlsym(*handle, "meridian_plugin"); /* POSIX: object to function pointer */
    const struct mer_plugin *p = entry ? entry() : NULL;
    if (!p)
        return snprintf(err, n, "%s: %s", path, entry ? "meridian_plugin() answers NULL" : "no symbol meridian_plugin"), NULL;
    if (p->abi != MER_ABI)
        return snprintf(err, n, "%s: another ABI version: it says %d, this is %d", path, (int)p->abi, MER_ABI), NULL;
    for (const struct mer_kernel *k = p->kernel; !fault && (!k || k->row); k++)
        fault = !k ? "no kernels" : !k->run ? "a kernel has no run" : kernel_fault(k);
    return fault ? snprintf(err, n, "%s: %s", path, fault), NULL : p;
}

static int try_load(const struct mer_call *c)
{
    void *handle;
    *(char *)c->out[0].data = 0;
    return load(&handle, c->params, c->out[0].data, (size_t)c->out[0].dim[0]) ? MER_OK : MER_SKIP; /* SKIP: refused, and why; outputs only come back after OK */
}

static int open_library(struct subject *s, const char *path, char *err, size_t n)
{
    char why[400] = "";
    struct mer_array text = { "err", MER_U8, 1, { sizeof why }, why };
    struct mer_kernel k = { .run = try_load };
    struct mer_call c = { .row = "", .params = path, .n_out = 1, .out = &text };
    int rc = contain_ask(&k, &c, &usual_limits, why, sizeof why);
    if (rc == MER_CRASHED)
        return snprintf(err, n, "%.200s: while it was loaded it %.300s", path, why), -MER_CRASHED;
    fflush(stdout);
    const int out = dup(1);
    dup2(2, 1); /* what a library prints while it is loaded is no verdict */
    const struct mer_plugin *p = load(&s->state, path, err, n); /* a refusal of the child is met again here, before any kernel of theirs runs */
    fflush(stdout);
    dup2(out, 1), close(out);
    if (!p)
        return s->state ? dlclose(s->state) : 0, -1;
    s->kernel = p->kernel;
    s->run = run_here, s->contained = true;
    s->close = close_library;
    return 0;
}

int subject_open(struct subject *s, const char *what, char *err, size_t n)
{
    struct stat st;
    *s = (struct subject){ .seconds = usual_limits.seconds, .told = kept(what) };
    snprintf(s->name, sizeof s->name, "%s", what);
    if (!strncmp(what, "own", 3))
        return open_own(s, what[3] == ':' ? what + 4 : "scalar", err, n);
    if (stat(what, &st))
        return snprintf(err, n, "%s: no such file", what), -1;
    return S_ISDIR(st.st_mode) ? subject_pack(s, what, err, n) : open_library(s, what, err, n);
}
