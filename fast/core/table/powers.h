/* Products of integer powers, compared exactly: they decide a bucket where two logarithms tie. */
#ifndef POWERS_H
#define POWERS_H
#include <stdint.h>
struct power_term { uint64_t base; int64_t exponent; }; /* base >= 1, exponent >= 0 */
/* The answer where there is no memory. */
enum { POWERS_NO_ROOM = 2 };
/* x[0] x[1] against y[0] y[1], each a base to its exponent: -1, 0 or 1, or POWERS_NO_ROOM.  Logarithms decide where
 * their error cannot matter, whole numbers, which take memory for the call, otherwise. */
int powers_compare(const struct power_term x[2], const struct power_term y[2]);
#endif
