/* How much of its bound each step of a row was seen to use, alone, with everything else exact, at elements whose bound
 * is that step's for at least a half (the store rounds, too): data/tightness/ROW.tsv,
 * one line a step,
 *     step<TAB>largest share<TAB>case<TAB>reason
 * written by `meridian climb --only steps --write` from what a store holds; share 0 and "-": no question used any of
 * it.  A share below TIGHT_FAIR has a reason,
 * which a person writes and the program keeps; any other has "-".  A case asked again must use as much, or the bound
 * has become looser. */
#ifndef TIGHTNESS_H
#define TIGHTNESS_H
#include <sqlite3.h>
#include <stdio.h>
#include "row/row.h"

static const double TIGHT_FAIR = 0.3;
enum { TIGHT_CASE = 1500, TIGHT_REASON = 400 };
struct tightness { char step[40], text[TIGHT_CASE + 8], reason[TIGHT_REASON]; double share; };
/* The lines of a row, n[] of them filled, at most as many as a row has steps (STEPS).  How many; -1 and one line: a
 * line that cannot be read, or no file. */
int tightness_read(const struct row *row, struct tightness *at, char *err, size_t n);
/* The file, made from the store's climbs and from the lines that are there: the larger share stays, reasons stay.  0,
 * or -1 and one line. */
int tightness_write(sqlite3 *db, const struct row *row, char *err, size_t n);
/* What is wrong with a row's lines goes to `to`, a line each: a step without one, a step that the row lacks, a low
 * share without a reason, a reason that is
 * stale.  How many are wrong. */
long tightness_check(const struct row *row, FILE *to);
#endif
