/* Arrays as float32, whatever 16-bit type they have: copies in, copies out.  To: to nearest even (half.h). */
#ifndef FLOATS_H
#define FLOATS_H
#include "meridian.h"
int64_t floats_count(const struct mer_array *a);                   /* elements */
/* a copy, the caller frees; NULL: no memory, or a is NULL */
float *floats_of(const struct mer_array *a);
/* the same of an input, if the parameters say that it is read */
float *floats_where(const struct mer_call *c, const char *name, int read);
float *floats_turned(const struct mer_array *a);                   /* the same of a[m,n], as [n,m] */
float *floats_room(int64_t n);                                     /* n zeros */
/* the one output [d] = the sum over rows of input name[n,d], in order */
int floats_sum(const struct mer_call *c, const char *name);
int floats_put(struct mer_array *a, const float *x);               /* MER_OK, or MER_BAD where x is NULL */
#endif
