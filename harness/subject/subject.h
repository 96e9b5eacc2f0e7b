/* Who answers: own kernels, a shared library, a process, a folder of recorded arrays.  All of them answer struct
 * mer_call. */
#ifndef SUBJECT_H
#define SUBJECT_H
#include <stdbool.h>
#include "meridian.h"
#include "trial/trial.h"

struct subject {
    char name[96];
    const struct mer_kernel *kernel; /* what it offers; ends with row NULL */
    /* a MER_ answer, or MER_CRASHED and why */
    int (*run)(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n);
    /* The same for n_c calls, one after the other in one process; NULL: run is called for each of them. */
    int (*together)(
        struct subject *s, const struct mer_kernel *k, struct mer_call *const *c, int n_c, char *why, size_t n);
    /* NULL, or the subject brings its own cases (pack): 1, 0 at the end, -1 */
    int (*next)(struct subject *s, struct trial *t, char *err, size_t n);
    void (*close)(struct subject *s);
    void *state;
    struct mer_kernel own[2];        /* room for a declared kernel */
    int seconds;                     /* limit of one call */
    /* borrowed, shared with subjects that are asked the same: answers.h; NULL: none are kept */
    struct answers *answers;
    /* as it was asked for, whole, or of a process its command; lives to the end of the program (kept.h); NULL: name
     * says it */
    const char *told;
    bool process;
};
/* Whether two are one entry of a subject's list, or copies of it in which profile and outputs were replaced: run is
 * NULL where the kernel is not in this process, and then the text of its row belongs to it alone. */
static inline bool kernel_same(const struct mer_kernel *a, const struct mer_kernel *b)
{
    return a->run == b->run && (a->run || a->row == b->row);
}
/* The kernels of a slot of this machine ("avx512"), for the name that s already has.  0, or -1 and one line in err. */
int subject_own(struct subject *s, const char *slot, char *err, size_t n);
#endif
