/* Changes of a trial: what a named mistake does differently, said in one word. */
#ifndef CHANGE_H
#define CHANGE_H
#include "trial/trial.h"

/* A copy with arrays of its own, dense whatever the strides of t; kept exact values are not copied.  The caller closes
 * it.
 * 0, or -1 and one line in err. */
int trial_copy(struct trial *m, const struct trial *t, char *err, size_t n);
/* Changes t in place: "layout=half", "window+=1", "window=chunk" (the number that another parameter has), "layout+=1"
 * (the next word of its list, the first behind the last), "factor^=2" (a parameter), "freq=bf16" (a step: joins
 * t->profile), "pos+=1", "relative_position*=-1", "sink+=0.5" (an input), "w1<>wg" (two inputs of one shape
 * exchanged).  0, or -1 and one line in err. */
int trial_change(struct trial *t, const char *change, char *err, size_t n);
#endif
