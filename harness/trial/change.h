/* Changes of a trial: what a mistake does differently, as a text that data files and diagnoses use. */
#ifndef CHANGE_H
#define CHANGE_H
#include "trial/trial.h"

/* Copies t with its arrays, dense whatever the strides of t; m->answers is NULL.  0, or -1 and one line in err;
 * trial_close(m) is due either way. */
int trial_copy(struct trial *m, const struct trial *t, char *err, size_t n);
/* Whether all outputs of both, which ask the same question, have the same bits. */
bool trial_same_outputs(const struct trial *a, const struct trial *b);
/* Changes t in place.  t owns its arrays and has none with strides: trial_make or trial_copy made it.
 *   a parameter  "layout=half", "window+=1", "window=chunk" (the value of another number), "layout+=1" (the next word
 *                of its list, after the last the first), "concat<>interleaved" (two words of a list exchanged: of
 *                the first parameter that is one of them), "factor^=2" (a rational to a power); a number that says
 *                that there is none (length=-1) is none to count on from
 *   a step       "freq=bf16", which is appended to t->profile
 *   an input     "pos+=1", "relative_position*=-1", "sink+=0.5"; "w1<>wg": two inputs of one shape exchanged;
 *                "k@m=roll": read in another way (rearrange.h)
 * Several words change one after the other; counting and exchanges come before parameters and steps.
 * 0, or -1 and one line in err. */
int trial_change(struct trial *t, const char *change, char *err, size_t n);
#endif
