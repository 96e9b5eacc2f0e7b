/* Values worth trying for a parameter whose value is not known. */
#ifndef FINGERPRINT_CANDIDATES_H
#define FINGERPRINT_CANDIDATES_H
#include "row/row.h"

enum { CANDIDATES = 48 };
/* Writes values worth trying for parameter p of r into v[CANDIDATES]: `now` first, then others of the row, and those of
 * hints ("key=value key=value ..", which may name other parameters too).  Returns how many. */
int candidates(const struct row *r, const struct param *p, const char *now, const char *hints, char v[][96]);
#endif
