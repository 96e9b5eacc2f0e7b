/* Extents of arrays against a signature: letters are bound by the arrays in turn, and every refusal names both
 * shapes. */
#ifndef EXTENTS_H
#define EXTENTS_H
#include "trial/trial.h"
static const long EXTENT_MOST = 1L << 40; /* of one axis, as sizes may ask for it */
/* Array a as axes x of the signature `sign`: binds the letters that are free.  0, or -1 and one line in err. */
int extents_check(
    struct trial *t, const struct mer_array *a, const struct axes *x, const char *sign, char *err, size_t n);
#endif
