/* One rounding from double to any type that is stored: through a float rounded to odd, since rounding that to 16 bits
 * is rounding x once. */
#ifndef ODD_H
#define ODD_H
#include <math.h>
#include "half.h"
#include "meridian.h"

static inline float to_odd(double x) /* the last bit set where inexact */
{
    float f = (float)x;
    uint32_t b = bits_of(f);
    if ((double)f != x && !(b & 1))
        b += fabs((double)f) < fabs(x) ? 1u : -1u;
    return float_of(b);
}
static inline size_t size_of(int32_t type) { return type == MER_F32 ? 4 : 2; }
static inline void store_once(void *to, int64_t k, double x, int32_t type) /* MER_F32, MER_BF16 or MER_F16 */
{
    if (type == MER_F32)
        ((float *)to)[k] = (float)x;
    else
        ((uint16_t *)to)[k] = type == MER_BF16 ? to_bf16(to_odd(x)) : to_f16(to_odd(x));
}
static inline double load_wide(const void *from, int64_t k, int32_t type) /* exact */
{
    return (double)(type == MER_F32 ? ((const float *)from)[k] :
            type == MER_BF16        ? from_bf16(((const uint16_t *)from)[k]) :
                                      from_f16(((const uint16_t *)from)[k]));
}
#endif
