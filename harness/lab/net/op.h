/* One judged operation of a trained model: a row's outputs for arrays of fixed shapes, asked again and again with other
 * data. In float32 the best slot's own kernel answers; in float64 the row's page does, correctly rounded: the same
 * model in the arithmetic of the reference. */
#ifndef OP_H
#define OP_H
#include "trial/trial.h"

struct op {
    struct trial t;                 /* shapes and names; data is the caller's, or NULL */
    const struct mer_kernel *kernel; /* found at the first run; NULL in float64 */
    const char *slot;
    char outs[96];
    double *clock;                  /* NULL, or where op_run adds its processor seconds */
};
/* outs "dq dk dv".  sizes: as trial_make, "h=4 n=64 keep": letters, then names of optional inputs.  0, or -1 and one
 * line. */
int op_open(struct op *o, int type, const char *row, const char *params, const char *outs, const char *sizes, char *err,
    size_t n);
void op_close(struct op *o);                                  /* of a zeroed op too */
/* an input or an output of the op; a name that it lacks is ignored */
void op_set(struct op *o, const char *name, void *data);
/* a MER_ answer; MER_SKIP: no own kernel offers these parameters */
int op_run(struct op *o);
/* of a letter: the row's own, then that of sizes; 0: neither */
long op_extent(const struct row *r, const void *params, char axis, const char *sizes);
#endif
