/* Sums over numbers of at most 24 bits (float, half, bfloat16), whose products are exact doubles: the balls of b_dot
 * and of a softmax mean at a tenth of the time.  Used below PLAIN_BITS and off the exact path; more precision, and
 * every other array, goes by balls. */
#ifndef PLAIN_H
#define PLAIN_H
#include <math.h>
#include "row/mixing.h"
enum { PLAIN_BITS = 96, PLAIN_TERMS = 1 << 20 };
/* Whether a line of `a` may be summed by plain.c: an input of 32 or 16 bits that is read as it is, at up to PLAIN_BITS,
 * outside contracts, the exact path and tangents. */
bool plain_here(const struct ask *w, const struct mer_array *a);
/* The dot product of b_dot; NULL where it does not apply: a factor that is no finite number, a line that is not
 * plain_here, more than PLAIN_TERMS products, or a single one, which is no sum and keeps its lift (types.h). */
const struct ball *plain_dot(struct ask *w, int product, int sum, struct span x, struct span y, long d);

/* A bound on a sum of n doubles >= 0, each the rounded result of at most 8 operations on bounds: rounded up for all of
 * it. */
static inline struct up plain_up(double sum, long n)
{
    return up_add(up_mul(up_d(sum), up_d(1 + 0x1p-48 * (double)(n + 16))), (struct up){ 0.5, -900 });
}
/* A sum of two doubles that is not carried out: hi + lo, where lo is small beside hi. */
struct twofold { double hi, lo; };
/* Knuth's exact sum: *s + t is the new *s plus the answer, which is the rounding error. */
static inline double two_sum(double *s, double t)
{
    double a = *s, x = a + t, b = x - a;
    *s = x;
    return (a - (x - b)) + (t - b);
}
/* The ball sum.hi + sum.lo +- error, whose radius also holds its own rounding; size becomes its mag, and n its n
 * (types.h). */
const struct ball *plain_sum_of(struct ask *w, struct twofold sum, struct up error, struct up size, double n);

#endif
