/* A subject is what answers calls: own kernels, a shared library, a process, or a folder of recorded arrays (a
 * pack). */
#ifndef SUBJECT_H
#define SUBJECT_H
#include <stdbool.h>
#include "meridian.h"
#include "trial/trial.h"

struct subject {
    char name[128];
    const struct mer_kernel *kernel; /* what it offers; ends with row NULL */
    /* Answers a call: MER_OK, MER_SKIP or MER_BAD, or one of contain.h; why: one line. */
    int (*run)(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n);
    /* The same for n_c calls, one after the other in one process; NULL: run is called for each of them. */
    int (*together)(
        struct subject *s, const struct mer_kernel *k, struct mer_call *const *c, int n_c, char *why, size_t n);
    /* Of a pack, which brings its own cases, else NULL: 1 and the next case, with recorded outputs, in t; 0: no more; 2
     * and err: a case that is not understood; -1 and err: one that is broken.  trial_close(t) is due after each but
     * 0. */
    int (*next)(struct subject *s, struct trial *t, char *err, size_t n);
    void (*close)(struct subject *s); /* frees the subject's state and ends its processes */
    void *state;                     /* the transport's own */
    struct mer_kernel own[2];        /* room for a declared kernel */
    int seconds;                     /* limit of one call */
    /* Cache of exact values (answers.h), borrowed and shared with subjects that are asked the same; NULL: none. */
    struct exact_answers *answers;
    /* The whole name it was opened by, or the command of a process; it lives to the end of the program (kept.h).  NULL:
     * the same as name. */
    const char *told;
    bool process;                    /* whether `told` is a command */
};
/* Whether two kernels are one entry of a subject's list, or copies of it in which profile and outputs were replaced.
 * run is NULL where the kernel is not in this process; then each entry has its own text of the row's name, and the
 * pointer identifies it. */
static inline bool kernel_same(const struct mer_kernel *a, const struct mer_kernel *b)
{
    return a->run == b->run && (a->run || a->row == b->row);
}
/* Makes s the own kernels of a slot ("avx512"), under the name that s has already.  0, or -1 and one line in err: there
 * is no such slot, or this machine lacks its instructions. */
int subject_own(struct subject *s, const char *slot, char *err, size_t n);
#endif
