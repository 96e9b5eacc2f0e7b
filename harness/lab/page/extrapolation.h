/* The page of `meridian extrapolate`: loss against length, needle by depth and length, exact match, changes at
 * evaluation, gates.  Every number is a query. */
#ifndef EXTRAPOLATION_H
#define EXTRAPOLATION_H
#include "lab/train/design.h"
#include "store/store.h"
/* What a page is of: its kind in a sentence, the design, the parameters of training that were set beside it, and the
 * entropy of single symbols of its text. */
struct extrapolated { const char *kind; const struct study *study; long studies; const char *set; double unigram; };
/* Writes the page and its figures into the folder dir.  0, or -1 and one line in err. */
int extrapolation_page(struct store *s, const char *dir, const struct extrapolated *of, char *err, size_t n);
#endif
