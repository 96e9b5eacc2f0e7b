/* Wrong variants that nobody wrote down: every input of a question read in another way (trial/rearrange.h), every
 * parameter
 * a little off, every step of the page done differently (ball/ball.h).  They are enumerated from the row's signatures,
 * parameters and steps, so a row that is added has its own. */
#ifndef EDITS_H
#define EDITS_H
#include "trial/trial.h"
/* f(change, what it does, with) of each, in the order: inputs, parameters, steps; change: as trial_change reads it. */
void edits_each(const struct trial *t, void (*f)(const char *change, const char *effect, void *with), void *with);
#endif
