/* The suite's own quality: each named mistake against each quantity of its row. */
#ifndef KILL_H
#define KILL_H
#include <stdio.h>
#include "trial/mistake.h"
#include "trial/trial.h"
/* One line a mistake: per quantity `named` (killed, and diagnosed as itself), `killed` (also where another mistake
 * explains it as well),
 * `.` (does not show there).  Mistakes declared equivalent must show nowhere.
 * whole: every quantity; else each mistake only as far as the first that names it, which decides as much.
 * Returns how many mistakes survive everywhere or are nowhere named as themselves, or are wrongly declared
 * equivalent. */
int kill_matrix(FILE *f, const struct row *r, bool whole);
void mistake_parts(const char *where, char *params, char *sizes, size_t n); /* what trial_make wants; each of n bytes */
/* every step in f32, frequencies and angles in f64: sees every mistake */
void profile_sharp(const struct row *r, char *text, size_t n);
/* t: inputs as the mistake's line asks for, in the sharp profile, answered by the row with the mistake, its own steps
 * rounded and the output stored.
 * False: the change is of an input that this quantity does not have.  trial_close is due either way. */
bool mistake_subject(
    struct trial *t, const struct row *r, const struct mistake *m, const char *out, int type, const char *fill);
/* One mistake against one quantity, on inputs of a type and a fill (inputs.h).  best: NULL, or the mistake that the
 * diagnosis names, which tells
 * NAMED from KILLED.  SURVIVES also where the change is of an input that this quantity does not have. */
enum fate { SURVIVES, KILLED, NAMED };
enum fate mistake_fate(
    const struct row *r, const struct mistake *m, const char *out, int type, const char *fill, struct mistake *best);
#endif
