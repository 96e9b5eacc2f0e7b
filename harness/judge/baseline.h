/* `judge --baseline FILE.db`: compares a run with earlier runs of the same questions.  The file is a results store
 * (store.h) to which each run of judge adds its own answers.  The best of all runs is what counts, so that a slow rise
 * is seen too.  With a new file nothing is worse than before. */
#ifndef BASELINE_H
#define BASELINE_H
#include <stdio.h>
#include "judge/finding.h"
/* A question is worse, and becomes a FAIL, where its worst gauge is above 1 and more than twice that of some earlier
 * run (one bit is lost; a gauge up to 1/2 is what rounding to the output's format takes, so that less than 1 is never
 * worse); or where it passed in the latest run that asked it and is not judged now (SKIP, VACUOUS, UNDECIDED). */
struct baseline;
/* Opens or makes the store at path for one subject.  0; or -1 and one line in err: the file is no results store, was
 * altered, or cannot be written.  baseline_close frees *b, and is due either way. */
int baseline_open(struct baseline **b, const char *path, const char *subject, char *err, size_t n);
/* Compares f with earlier runs and keeps it for the store.  Returns f, or *g, filled with the verdict that follows
 * ("accuracy regressed: 0.6 -> 2.1 ulp, since ..").  A finding with f->elsewhere is another kernel's: it is returned as
 * it is and not kept. */
const struct finding *baseline_meets(struct baseline *b, const struct finding *f, struct finding *g);
/* Writes this run to the store, prints to `to` how many questions were as before, better, worse and new, and frees b.
 * 0, or -1 and one line in err.  With `to` NULL nothing is written or printed.  b may be NULL: 0. */
int baseline_close(struct baseline *b, FILE *to, char *err, size_t n);
#endif
