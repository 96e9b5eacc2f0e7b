/* Inputs of the call that a question is about, as balls and as integers.  An element is exact as it was given; where
 * the profile says that the input is stored in a narrower format, it is stored there first (stored.h). */
#ifndef BALL_INPUT_H
#define BALL_INPUT_H
#include "ball/types.h"

/* Element [i][j][k] of an input of rank 1 to 3, as it is stored (stored.h); indices that the rank has no use for are 0.
 * An input that the call does not hold ends the program: see array_in. */
const struct ball *b_in(struct ask *w, const char *name, long i, long j, long k);
/* Element k of an array, counted flat in C order; no number where the array has none. */
const struct ball *b_element(struct ask *w, const struct mer_array *a, long k);
/* Element [i][j] of an integer input of rank 1 or 2; 0 where the input has none. */
long i_in(const struct ask *w, const char *name, long i, long j);
/* Does the call hold an input of this name? */
bool has_in(const struct ask *w, const char *name);
/* The first input of this name, which the call owns.  It is never NULL: whoever asks has bound what the signature
 * requires (trial_check), and a page that asks for another input is a fault of the program, which ends by abort. */
const struct mer_array *array_in(const struct ask *w, const char *name);
/* Its extent along an axis, from 0. */
static inline long dim_in(const struct ask *w, const char *name, int axis) { return array_in(w, name)->dim[axis]; }
#endif
