/* `judge --baseline FILE.db`: what was measured before of the same questions, and what is worse since.  A results store
 * (store.h); each run of judge adds
 * its own answers, and the best of all runs is what counts, so that a slow rise is seen too.  A new file accepts what
 * is. */
#ifndef BASELINE_H
#define BASELINE_H
#include "judge/verdict.h"
/* Worse: the worst gauge is more than twice what it was in some earlier run, where 1/2, what rounding to the output's
 * format takes, counts as the least:
 * one bit lost beyond the store.  Or: passed in the latest run that asked, and now not judged (SKIP, VACUOUS,
 * UNDECIDED).  Both are a FAIL. */
struct baseline;
/* 0; or -1 and one line: no results store, altered, cannot be written. */
int baseline_open(struct baseline **b, const char *path, const char *subject, char *err, size_t n);
/* f with what was before: itself, or g filled with what it is then ("accuracy regressed: 0.6 -> 2.1 ulp, since .."). */
const struct finding *baseline_meets(struct baseline *b, const struct finding *f, struct finding *g);
/* Adds this run and says in one line how many questions were as before, better, worse, new.  0; or -1 and one line in
 * err.
 * to NULL: adds and says nothing.  b may be NULL. */
int baseline_close(struct baseline *b, FILE *to, char *err, size_t n);
#endif
