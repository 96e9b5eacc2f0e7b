/* A trial: one call, ready to be asked of anybody, with the row that can answer it.  Letters are bound here, once. */
#ifndef TRIAL_H
#define TRIAL_H
#include "core/gen.h"
#include "row/row.h"
#include "ruler/ruler.h"

/* arrays of one call: a whole layer with its weights, and all their gradients */
enum { TRIAL_IN = 32, TRIAL_OUT = 24 };
struct trial {
    const struct row *row;
    /* canonical parameters; the declared arithmetic; what of it holds for these sizes (sized.h) */
    char id[96], text[TEXT_MAX], profile[1024], here[1024];
    void *params;
    int type;                              /* of the real arrays */
    struct mer_call call;
    struct mer_array in[TRIAL_IN], out[TRIAL_OUT];
    char names[TRIAL_IN + TRIAL_OUT][32];
    long size[128];                        /* by letter */
    bool bound[128];                       /* whether the letter has one: 0 is a size too */
    struct answers *answers;               /* borrowed; where exact values are kept (answers.h), or NULL */
};
/* What a made-up case is about; every text is borrowed until the call that reads it returns. */
struct trial_spec {
    const char *row, *params;              /* the row's name; its parameters in words, what is not named by default */
    const char *outs;                      /* the outputs that are asked for, "cos sin": words with blanks between */
    int type;                              /* of its real arrays: MER_F32 .. */
    /* "n=7 m=9 bias probe": extents of letters, optional inputs that are present, a way to fill (inputs.h); NULL: none
     * of these, letters have small extents of their own (trial.c) */
    const char *sizes;
    uint64_t seed;                         /* of the generator that fills the inputs; trial_size does not read it */
};
/* Makes the arrays of that case: inputs filled, outputs all NaN, so that an element not written fails.
 * 0, or -1 with one line in err; trial_close is due either way. */
int trial_make(struct trial *t, const struct trial_spec *of, char *err, size_t n);
/* The same without arrays: letters are bound, *bytes is what the arrays would take.  trial_close is due here, too. */
int trial_size(struct trial *t, const struct trial_spec *of, double *bytes, char *err, size_t n);
/* Whether a row reads every word of sizes: its letters, its inputs, a way to fill.  0, or -1 and err. */
int trial_sizes(const struct row *r, const char *sizes, char *err, size_t n);
/* Check arrays somebody else supplied in t->call against the signature, binding letters: ranks, extents, that g divides
 * h, that an axis of 0 is one the row allows (row->empty), that no array is larger than one may be or reaches further,
 * that no output lies on itself; that integers are integers within
 * 2^53, bounded and cumulative where the signature says so, and reals are reals; that no input belongs to another
 * question; that a part of the row has a
 * value for these shapes (row->misfit).  Of arrays without data,
 * whose headers alone were read, everything but the values.  0, or -1 and one line that names both shapes. */
int trial_check(struct trial *t, char *err, size_t n);
/* The same of a call that is about to be asked of kernel k, and its element types: MER_OK, or MER_BAD and one line.
 * Rows and quantities that are not
 * known here pass.  Kernels read what their row's signature says is there: every door to them comes through this. */
int trial_fits(const struct mer_kernel *k, const struct mer_call *c, char *err, size_t n);
/* every input that its parameters read; other parameters may read more. 0 or -1 and err */
int trial_holds(const struct trial *t, char *err, size_t n);
int trial_params(struct trial *t, const char *text, char *err, size_t n); /* parse, validate, rewrite t->text */
/* Declare the arithmetic of the outputs in t: steps go to a, a route to the parameters.  How many steps, or -1 and
 * err. */
int trial_profile(struct trial *t, const char *profile, struct arith *a, enum how how, char *err, size_t n);
struct mer_array *trial_in(struct trial *t, const char *name); /* an input that trial_make has made: never NULL */
void trial_close(struct trial *t);
#endif
