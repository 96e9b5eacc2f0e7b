/* Wrong variants that nobody wrote down: every input of a question read in another way (trial/rearrange.h), every
 * parameter
 * a little off, every step of the page done differently (ball/ball.h).  They are enumerated from the row's signatures,
 * parameters and steps, so a row that is added has its own. */
#ifndef EDITS_H
#define EDITS_H
#include "diagnose/hypothesis.h"
/* f(change, what it does, with) of each, in the order: inputs, parameters, steps; change: as trial_change reads it. */
void edits_each(const struct trial *t, void (*f)(const char *change, const char *effect, void *with), void *with);
/* The same of the operations that the row's page makes on n lines of t, each at the place where it is written
 * (edit/site.h).  per: of every second, third and fourth time alone; else of all times that a line makes it. */
void edits_of_sites(const struct trial *t, const struct place *p, int n, bool per,
    void (*f)(const char *change, const char *effect, void *with), void *with);
#endif
