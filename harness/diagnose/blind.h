/* Which mistakes a case cannot reveal by its own inputs: those named mistakes whose exact outputs would lie inside
 * every ball of the declared arithmetic. */
#ifndef BLIND_H
#define BLIND_H
#include "trial/trial.h"
/* asked: mistakes of the row that change this question; hidden: those among them that it cannot reveal; names: their
 * ids, cut where there is no more room. */
struct blind { long asked, hidden; char names[300]; };
/* Fills b.  t->profile is the declared arithmetic; compares at most `lines` lines of each output (0: all), the same
 * ones as judge_outputs. */
void blind_count(const struct trial *t, long lines, struct blind *b);
#endif
