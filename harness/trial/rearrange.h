/* Inputs of a trial read in another way, said in one word: what a kernel that goes wrong with an index, a stride, a
 * sign or an optional input makes of them.
 *   "bias@=negate"    every element: edit of a number (value_edits)
 *   "k@m=roll"        along the axis of that letter: index j reads another one, or 0 (index_maps of edit/site.h)
 *   "@m=roll"         the same of all inputs that have the letter
 *   "bias@nm=stride"  two axes read with the extents of each other: element (i, j) lies where (j, i) would
 *   "bias@nm=transpose"  written in that order, and read as it should be
 *   "bias@=absent"    an optional input that is not read */
#ifndef REARRANGE_H
#define REARRANGE_H
#include "trial/trial.h"

struct rearrangement { const char *name, *says; };
extern const struct rearrangement value_edits[]; /* ends with name NULL */
/* Is it one of these words? */
bool is_rearrangement(const char *change);
/* Changes t in place.  0, or -1 and one line: no such input, letter or word. */
int rearrange(struct trial *t, const char *change, char *err, size_t n);
/* The axes of input `name` in the signature of some output of t. false: no output has it. */
bool input_axes(const struct trial *t, const char *name, struct axes *x);
#endif
