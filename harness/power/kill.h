/* The quality of the suite itself: each named mistake is tried in each quantity of its row. */
#ifndef KILL_H
#define KILL_H
#include <stdio.h>
#include "trial/mistake.h"
#include "trial/trial.h"
/* Prints one line a mistake, with a word for each quantity: `named` (it fails and is diagnosed as itself), `killed` (it
 * fails, but another mistake may explain it), `.` (it does not show).  Mistakes that are declared equivalent must show
 * nowhere.  whole: every quantity is tried; otherwise each mistake only up to the first that names it, which is enough
 * to decide.  every: of so many mistakes one is to be named, another one for another `turn`, and the others only to
 * show (1: all are to be named).  Returns how many mistakes show nowhere, are nowhere named as themselves where they
 * are to be, or are wrongly declared equivalent. */
int kill_matrix(FILE *f, const struct row *r, bool whole, long every, long turn);
/* Splits the `where` of a mistake into parameters and sizes as trial_make takes them; each has room for n bytes. */
void mistake_parts(const char *where, char *params, char *sizes, size_t n);
/* Writes the sharp profile of a row: every step in f32, frequencies and angles in f64.  It shows every mistake. */
void profile_sharp(const struct row *r, char *text, size_t n);
/* Makes t with inputs as the mistake's line asks for, under the sharp profile, with outputs of the row with the
 * mistake, whose own steps are rounded.  false: the change is of an input that this quantity does not have.
 * trial_close is due either way. */
bool mistake_subject(
    struct trial *t, const struct row *r, const struct mistake *m, const char *out, int type, const char *fill);
/* What becomes of one mistake in one quantity, on inputs of a type and a fill (inputs.h).  best: gets the mistake that
 * the diagnosis names; NULL: no diagnosis, and NAMED is not told from KILLED.  SURVIVES also where the change is of an
 * input that this quantity does not have. */
enum fate { SURVIVES, KILLED, NAMED };
enum fate mistake_fate(
    const struct row *r, const struct mistake *m, const char *out, int type, const char *fill, struct mistake *best);
#endif
