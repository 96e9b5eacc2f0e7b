/* One judged operation of a trained model: a row's outputs for arrays of fixed shapes, computed again and again with
 * other data.  In float32 the own kernel of the best slot computes them; in float64 the row's page does, correctly
 * rounded, so that the same model can be run in the arithmetic of the reference. */
#ifndef OP_H
#define OP_H
#include "trial/trial.h"

struct op {
    struct trial t;                 /* shapes and names; the data is the caller's, or NULL */
    const struct mer_kernel *kernel; /* chosen at the first run; NULL in float64 */
    const char *slot;               /* the slot of that kernel */
    char outs[96];
    double *clock;                  /* NULL, or where op_run adds the processor seconds that it takes */
    const char *by;                 /* who answers in place of this program (own_subject.h), or NULL */
};
/* Opens the outputs `outs` ("dq dk dv") of a row.  sizes as for trial_make: letters, then names of optional inputs,
 * "h=4 n=64 keep".  0, or -1 and one line in err; op_close is due either way. */
int op_open(struct op *o, int type, const char *row, const char *params, const char *outs, const char *sizes, char *err,
    size_t n);
void op_close(struct op *o);                                  /* may be called for an op that is all zero */
/* Sets the data of an input or an output, which is borrowed; a name that the op does not have is ignored. */
void op_set(struct op *o, const char *name, void *data);
/* Computes the outputs from the data that is set.  A MER_ answer; MER_SKIP: no own kernel offers these parameters. */
int op_run(struct op *o);
/* Whether an output of the row has an input of that name. */
bool op_takes(const struct row *r, const char *out, const char *input);
/* The extent of a letter: that which the row sets, else that of sizes; 0: neither. */
long op_extent(const struct row *r, const void *params, char axis, const char *sizes);
#endif
