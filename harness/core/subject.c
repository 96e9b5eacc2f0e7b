/* Subjects: own kernels.  (A shared library: host.c.  A process: process.c.  A folder of arrays: pack.c.)  All answer struct mer_call. */
#include <stdio.h>
#include <sys/stat.h>
#include "contain.h"
#include "host.h"
#include "kept.h"
#include "kernels.h"

static int run_together(struct subject *s, const struct mer_kernel *k, struct mer_call *const *c, int n_c, char *why, size_t n)
{
    for (int i = 0; i < n_c; i++)
        if (trial_fits(k, c[i], why, n) != MER_OK)
            return MER_BAD;
    return contain_together(k, c, n_c, &(struct limits){ s->seconds, usual_limits.megabytes }, why, n);
}

static int run_here(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n) { return run_together(s, k, &c, 1, why, n); }
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
    s->run = run_here, s->together = run_together;
    s->close = close_list;
    return 0;
}

int subject_open_within(struct subject *s, const char *what, int seconds, char *err, size_t n)
{
    struct stat st;
    *s = (struct subject){ .seconds = seconds, .told = kept(what) };
    snprintf(s->name, sizeof s->name, "%s", what);
    if (!strncmp(what, "own", 3))
        return open_own(s, what[3] == ':' ? what + 4 : "scalar", err, n);
    if (stat(what, &st))
        return snprintf(err, n, "%s: no such file", what), -1;
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)) /* to load a pipe is to wait for whoever writes to it */
        return snprintf(err, n, "%s: neither a file nor a folder; give a library, a folder of arrays or own:SLOT", what), -1;
    return S_ISDIR(st.st_mode) ? subject_pack(s, what, err, n) : subject_host(s, what, seconds, err, n);
}

int subject_open(struct subject *s, const char *what, char *err, size_t n)
{
    return subject_open_within(s, what, usual_limits.seconds, err, n);
}
