/* Checks arrays against a signature.  The letters of the signature are bound by the arrays one after the other, and a
 * refusal states the shape found and the shape expected. */
#ifndef EXTENTS_H
#define EXTENTS_H
#include "trial/trial_types.h"
static const long EXTENT_MOST = 1L << 40; /* the largest extent of one axis that sizes may ask for */
/* Checks array a as the axes x of the signature `sign`: rank, extents, size, strides, that g divides h.  Binds letters
 * that are free in t.  0, or -1 and one line in err. */
int extents_check(
    struct trial *t, const struct mer_array *a, const struct axes *x, const char *sign, char *err, size_t n);
#endif
