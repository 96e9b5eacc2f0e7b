/* Rewrites inputs of a trial as a kernel would read them that errs in an index, a stride, a sign or an optional input.
 *   "bias@=negate"       every element is changed (value_edits)
 *   "k@m=roll"           along the axis m, index j reads another index, or 0 (index_maps of edit/maps.h)
 *   "@m=roll"            the same for all inputs that have the axis
 *   "@g=f16"             every element of all inputs that have the axis is changed
 *   "bias@nm=stride"     two neighbouring axes are read with each other's extents: (i, j) reads the place of (j, i)
 *   "bias@nm=transpose"  the input is stored in that order, and read as its signature says
 *   "bias@nm=packed"     (i, j) reads the place i + j: the step from line to line is that from element to element
 *   "bias@=absent"       an optional input is not read */
#ifndef REARRANGE_H
#define REARRANGE_H
#include "trial/trial.h"

struct rearrangement { const char *name, *says; };
extern const struct rearrangement value_edits[]; /* says: how the input is read, in words; ends with name NULL */
extern const struct rearrangement axes_edits[];  /* the same of two neighbouring axes, the latter the faster */
/* Whether the text has the form INPUT@LETTERS=WORD; the names in it may still be unknown. */
bool is_rearrangement(const char *change);
/* Changes t in place; its arrays are dense and its own.  0, or -1 and one line in err: no such input, letter or word; t
 * may be changed in part then. */
int rearrange(struct trial *t, const char *change, char *err, size_t n);
/* Sets *x to the axes of input `name` in the signature of some output of t.  false: no output has it. */
bool input_axes(const struct trial *t, const char *name, struct axes *x);
#endif
