/* Arrays of float32, bf16 or f16 as float32: copies in, which are exact, and copies out, rounded to nearest even
 * (half.h). */
#ifndef FLOATS_H
#define FLOATS_H
#include "meridian.h"
int64_t floats_count(const struct mer_array *a);                   /* how many elements */
/* A copy, which the caller frees.  NULL: no memory, or a is NULL. */
float *floats_of(const struct mer_array *a);
/* The same of the input `name`, where `read` says that the parameters have it read; NULL otherwise. */
float *floats_where(const struct mer_call *c, const char *name, int read);
float *floats_turned(const struct mer_array *a);                   /* the same of a[m,n], transposed to [n,m] */
float *floats_room(int64_t n);                                     /* n zeros, the caller's; NULL: no memory */
/* Fills the first output, [d], with the sum over the rows of the input name[n,d], in order.  MER_OK, or MER_BAD without
 * memory. */
int floats_sum(const struct mer_call *c, const char *name);
/* Fills a from x, rounded to its type.  MER_OK, or MER_BAD where x is NULL, so that a failed allocation may be
 * passed. */
int floats_put(struct mer_array *a, const float *x);
#endif
