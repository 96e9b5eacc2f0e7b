/* The parameters and optional inputs that a failure depends on: the same question, with another word of one parameter
 * or without one input, is answered rightly. */
#ifndef CONDITIONS_H
#define CONDITIONS_H
#include "diagnose/diagnose.h"
#include "judge/question.h"
/* Where what explains the failure t of q contradicts other answers of the kernel: whether it explains all under one of
 * those conditions (joint/under.h).  Further questions are asked under it, of which one at least has to be wrong as the
 * cause says; what contradicts one makes it fall.  Then d has the condition; else d is untouched. */
bool condition_questions(const struct question *q, const struct trial *t, struct diagnosis *d);
/* Adds a fact for each of those conditions. */
void condition_facts(const struct question *q, const struct trial *t, struct anatomy *a);
#endif
