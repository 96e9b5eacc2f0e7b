/* One rounding from double to any type that is stored.  The way to 16 bits leads through a float that is rounded to
 * odd: toward zero, with the last bit set where that was inexact.  Such a float is a tie of 16 bits only where x is, so
 * rounding it to nearest even gives what rounding x would. */
#ifndef ODD_H
#define ODD_H
#include <math.h>
#include "half.h"
#include "meridian.h"

static inline float to_odd(double x)
{
    float f = (float)x;
    uint32_t b = bits_of(f);
    if ((double)f != x && !(b & 1))
        b += fabs((double)f) < fabs(x) ? 1u : -1u;
    return float_of(b);
}
/* Bytes of an element; type is MER_F32, MER_BF16 or MER_F16 here and below. */
static inline size_t size_of(int32_t type) { return type == MER_F32 ? 4 : 2; }
/* to[k] = x, rounded once. */
static inline void store_once(void *to, int64_t k, double x, int32_t type)
{
    if (type == MER_F32)
        ((float *)to)[k] = (float)x;
    else
        ((uint16_t *)to)[k] = type == MER_BF16 ? to_bf16(to_odd(x)) : to_f16(to_odd(x));
}
/* The same of a float: rounded once, or where the type is MER_F32 not at all. */
static inline void store_float(void *to, int64_t k, float x, int32_t type)
{
    if (type == MER_F32)
        ((float *)to)[k] = x;
    else
        ((uint16_t *)to)[k] = type == MER_BF16 ? to_bf16(x) : to_f16(x);
}
/* from[k], exactly. */
static inline float load_float(const void *from, int64_t k, int32_t type)
{
    return type == MER_F32 ? ((const float *)from)[k] :
        type == MER_BF16   ? from_bf16(((const uint16_t *)from)[k]) :
                             from_f16(((const uint16_t *)from)[k]);
}
static inline double load_wide(const void *from, int64_t k, int32_t type) { return (double)load_float(from, k, type); }
#endif
