/* Makes a trial (trial_types.h), checks one whose arrays others supply, and frees it.  The letters of the row's
 * signatures are bound to extents here. */
#ifndef TRIAL_H
#define TRIAL_H
#include "core/gen.h"
#include "ruler/ruler.h"
#include "trial/trial_types.h"

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
/* Makes the arrays of that case: inputs are filled from its seed, outputs with bytes 0xff (NaN), so that an element
 * that nobody writes fails.  0, or -1 and one line in err.  trial_close is due either way; t must stay where it is,
 * since t->call points into it. */
int trial_make(struct trial *t, const struct trial_spec *of, char *err, size_t n);
/* The same without memory for the arrays: letters are bound, and *bytes is what the arrays would take. */
int trial_size(struct trial *t, const struct trial_spec *of, double *bytes, char *err, size_t n);
/* Checks arrays in t->call that others supplied, and binds the letters to their extents: ranks and extents agree; g
 * divides h; an axis of 0 is one that the row allows (row->empty); no array is larger than one may be or has strides
 * that reach further; no output overlaps itself; reals are reals, not above the largest that the row allows (row->most)
 * and of its code (row->code), where NaN passes; integers are integers within 2^53, bounded and cumulative where the
 * signature says so; no input is foreign to the outputs; the parts of the row have a value for these shapes
 * (row->misfit).  Of arrays without data, of which only the headers were read, values are not checked.  0, or -1 and
 * one line in err that names what was found and what is expected. */
int trial_check(struct trial *t, char *err, size_t n);
/* The same for a call that kernel k is about to be asked, with the element types that k reads: MER_OK, or MER_BAD and
 * one line in err.  Rows and quantities that are not known here pass.  Kernels trust their row's signature, so every
 * call comes through here first. */
int trial_fits(const struct mer_kernel *k, const struct mer_call *c, char *err, size_t n);
/* Checks that t has every input that its parameters need, after a change of the parameters.  0, or -1 and one line in
 * err. */
int trial_holds(const struct trial *t, char *err, size_t n);
/* Reads and checks parameters, replaces t->params, and writes t->text in canonical form.  0, or -1 and one line in
 * err. */
int trial_params(struct trial *t, const char *text, char *err, size_t n);
/* Declares the arithmetic of the outputs: copies profile to t->profile, reads the steps that hold for these sizes into
 * *a, and adds a route to the parameters.  Returns how many steps are named, or -1 and one line in err. */
int trial_profile(struct trial *t, const char *profile, struct arith *a, enum how how, char *err, size_t n);
/* The input of that name.  The caller knows that t has it: the program aborts where it does not. */
struct mer_array *trial_in(struct trial *t, const char *name);
/* Frees arrays and parameters.  t may be zero or the remains of a failure, and must not be closed twice. */
void trial_close(struct trial *t);
#endif
