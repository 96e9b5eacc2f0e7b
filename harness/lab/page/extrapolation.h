/* The page of `meridian extrapolate`: loss against length, needle by depth and length, exact match, changes at
 * evaluation, gates.  Every number is a query. */
#ifndef EXTRAPOLATION_H
#define EXTRAPOLATION_H
#include "lab/page/extrapolated.h"
#include "store/store.h"
/* Writes the page and its figures into the folder dir.  0, or -1 and one line in err. */
int extrapolation_page(struct store *s, const char *dir, const struct extrapolated *of, char *err, size_t n);
#endif
