/* Which numbers a real input of a row may hold: those up to a largest one (row->most), or those of a code
 * (row->code). */
#ifndef ALLOWED_H
#define ALLOWED_H
#include "trial/trial.h"

/* The code whose numbers alone the input of that name may hold; NULL: any numbers. */
const struct code *allowed_code(const struct trial *t, const char *name);
/* Brings the input a of t to them: of a number x above the largest it makes 2 most - x; a number that is none of the
 * code becomes the nearest one, of a code without negative numbers by magnitude.  Whoever fills an input by itself
 * calls this afterwards. */
void allowed_bring(const struct trial *t, struct mer_array *a);
/* Are all numbers of a, an input of t, allowed?  NaN is.  Of an array without data nothing is asked.  0, or -1 and one
 * line in err with the signature `sign`. */
int allowed(const struct trial *t, const struct mer_array *a, const char *sign, char *err, size_t n);
#endif
