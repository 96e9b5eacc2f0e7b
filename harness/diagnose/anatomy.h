/* Anatomy of a failure: facts read off the wrong elements, for where nothing has a name.  Where they are (the smallest
 * rule), what stands there (never written, a factor, what belongs to another index, ..), what is right all the same
 * (sums, lengths, signs), and along which axis the error grows.  A fact is stated where it holds for every wrong
 * element that was looked at, by the radii of the declared arithmetic; none is a guess. */
#ifndef ANATOMY_H
#define ANATOMY_H
#include "trial/trial.h"
enum { ANATOMY_FACTS = 8, ANATOMY_FACT = 200 };
/* number: the first of its kernel is 1 (joint.h) */
struct anatomy { int n, number; char fact[ANATOMY_FACTS][ANATOMY_FACT]; };
/* t->profile: the declared arithmetic; t's outputs fail under it.  Reads the output with the largest share of wrong
 * elements, for at most about two seconds of processor time. */
void anatomy_read(const struct trial *t, struct anatomy *a);
/* Adds one fact, unless there is no room. */
void anatomy_add(struct anatomy *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
