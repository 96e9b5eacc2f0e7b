/* Elements of arrays of every type of the ABI, and the names of the types. */
#ifndef BALL_ARRAY_H
#define BALL_ARRAY_H
#include <stddef.h>
#include "meridian.h"

/* BALLS is the element type of an array of `const struct ball *`, in which pages call pages; it never crosses the
 * ABI. */
enum { BALLS = 100 };
/* Element i, counted flat in C order, of an array whose type is one of the ABI's.  It is exact, for integers up to
 * 2^53. */
double array_get(const struct mer_array *a, long i);
/* Stores x as element i.  For a float type it is rounded once, to nearest even; for an integer type it is cut toward
 * zero, and x must lie in the range of the type. */
void array_put(struct mer_array *a, long i, double x);
/* The number of elements of all axes together; an array of rank 0 has 1. */
long array_len(const struct mer_array *a);
/* The bytes of an element of a type of the ABI. */
size_t type_size(int type);
/* The names of those types, "f64" .., and the type that has a name, -1 where there is none. */
extern const char *const type_name[MER_TYPES];
int type_named(const char *s);
#endif
