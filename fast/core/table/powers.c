/* Products of integer powers, compared exactly: powers.h. */
#include <math.h>
#include <stdlib.h>
#include "table/powers.h"

static double log_of(const struct power_term x[2])
{
    return (double)x[0].exponent * log((double)x[0].base) + (double)x[1].exponent * log((double)x[1].base);
}

/* x = x base^exponent, with little-endian limbs of 32 bits of which `used` are in use.  Returns how many are then. */
static int64_t times(uint32_t *x, int64_t used, struct power_term p)
{
    for (int64_t t = 0; t < p.exponent; t++) {
        unsigned __int128 carry = 0;
        for (int64_t k = 0; k < used; k++) {
            carry += (unsigned __int128)x[k] * p.base;
            x[k] = (uint32_t)carry, carry >>= 32;
        }
        for (; carry; carry >>= 32)
            x[used++] = (uint32_t)carry;
    }
    return used;
}

/* Each logarithm is within an ulp, then there are one product and one sum, all of positive terms: either side is off by
 * at most 4 2^-53 of itself, so a difference of 2^-49 of both is beyond doubt. */
int powers_compare(const struct power_term x[2], const struct power_term y[2])
{
    double left = log_of(x), right = log_of(y), limbs = (left > right ? left : right) / log(2) / 32 + 8;
    if (fabs(left - right) > 0x1p-49 * (left + right))
        return left > right ? 1 : -1;
    uint32_t *a = malloc(2 * (size_t)limbs * sizeof *a), *b = a ? a + (size_t)limbs : NULL;
    if (!a)
        return POWERS_NO_ROOM;
    a[0] = b[0] = 1;
    int64_t n = times(a, times(a, 1, x[0]), x[1]), m = times(b, times(b, 1, y[0]), y[1]), k = n - 1;
    while (n == m && k > 0 && a[k] == b[k])
        k--;
    int order = n != m ? (n > m ? 1 : -1) : a[k] > b[k] ? 1 : a[k] < b[k] ? -1 : 0;
    free(a);
    return order;
}
