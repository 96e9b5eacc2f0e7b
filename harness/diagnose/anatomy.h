/* Anatomy of a failure that no hypothesis explains: facts about its wrong elements.  Where they are (the simplest
 * rule), what they are (never written, a factor of the exact value, the value of another index, ..), what is right
 * nevertheless (sums, lengths of pairs, signs), and along which axis the error grows.  A fact is stated only where it
 * holds, by the radii of the declared arithmetic, for every wrong element that was evaluated. */
#ifndef ANATOMY_H
#define ANATOMY_H
#include "trial/trial.h"
enum { ANATOMY_FACTS = 8, ANATOMY_FACT = 200 };
/* n facts.  number: 1 for the first failure of its kernel that is taken apart, 2 for the second (joint.h). */
struct anatomy { int n, number; char fact[ANATOMY_FACTS][ANATOMY_FACT]; };
/* Fills a with facts about t, whose outputs fail under t->profile, the declared arithmetic.  They are about the real
 * output with the largest share of wrong elements; it takes about two seconds of a quiet core at most. */
void anatomy_read(const struct trial *t, struct anatomy *a);
/* Adds one fact, cut to ANATOMY_FACT bytes; none where there is no room. */
void anatomy_add(struct anatomy *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
