/* Enumerates wrong variants that no list has: every input of a question read in another way (trial/rearrange.h), every
 * parameter with another value, every step of the page done differently (ball/ball.h).  They are derived from the row's
 * signatures, parameters and steps, so that a new row needs no list of its own. */
#ifndef EDITS_H
#define EDITS_H
#include "diagnose/hypotheses/hypothesis.h"
#include "words/each.h"
/* Calls f(change, effect, equal, with) for each edit of t, in the order inputs, parameters, steps.  change: as
 * trial_change reads it; effect: a sentence without its full stop; equal: NULL here.  The texts are valid during the
 * call. */
void edits_each(const struct trial *t, site_word *f, void *with);
/* The same for the operations that the row's page makes on the n lines p of t, each at the place where it is written
 * (edit/site.h). */
void edits_of_sites(
    const struct trial *t, const struct place *p, int n, enum site_words words, site_word *f, void *with);
#endif
