/* How much of its bound each step of a row was seen to use, alone and with everything else exact, at elements at least
 * half of whose bound is that step's (the store rounds, too). data/tightness/ROW.tsv has one line a step,
 *     step<TAB>largest share<TAB>case<TAB>reason
 * written by `meridian climb --only steps --write` from what a store holds; share 0 and case "-": no question used
 * any of the bound.  A share below TIGHT_FAIR has a reason, which a person writes and the program keeps; any other
 * has "-".  Where a case uses less when it is asked again, the bound has become looser. */
#ifndef TIGHTNESS_H
#define TIGHTNESS_H
#include <sqlite3.h>
#include <stdio.h>
#include "row/row.h"

static const double TIGHT_FAIR = 0.3; /* below this share a step's bound needs a reason */
enum { TIGHT_CASE = 1500, TIGHT_REASON = 400 };
/* One line of the file; text is the case. */
struct tightness { char step[40], text[TIGHT_CASE + 8], reason[TIGHT_REASON]; double share; };
/* Reads the lines of a row into at[], which has room for as many as a row has steps (STEPS).  How many; -1 and one
 * line: no file, or a line that cannot be read. */
int tightness_read(const struct row *row, struct tightness *at, char *err, size_t n);
/* Writes the row's file from the climbs in the store and the lines that are there: the larger share stays, and so do
 * reasons. 0, or -1 and one line. */
int tightness_write(sqlite3 *db, const struct row *row, char *err, size_t n);
/* Writes what is wrong with a row's lines to `to`, a line each: a step without a line, a line of a step that the row
 * lacks, a low share without a reason, a reason that no longer applies.  How many are wrong. */
long tightness_check(const struct row *row, FILE *to);
#endif
