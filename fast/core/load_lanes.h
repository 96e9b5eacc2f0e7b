/* Loads and stores of LANES elements of a stored type as float32: include lanes256.h or lanes512.h first. */
#ifndef LOAD_LANES_H
#define LOAD_LANES_H
#include "meridian.h"

/* The next `left` elements of an array from element `at` on, at most LANES, as float32; the rest of the lanes is 0. */
INLINE vec load_some(int32_t type, const void *x, int64_t at, int64_t left)
{
    const vmask m = vfirst(left);
    return type == MER_BF16 ? vload_half(m, (const uint16_t *)x + at) :
        type == MER_F16     ? vload_f16(m, (const uint16_t *)x + at) :
                              vload_some(m, (const float *)x + at);
}
/* The same of LANES elements. */
INLINE vec load_whole(int32_t type, const void *x, int64_t at)
{
    return type == MER_BF16 ? vload_half_whole((const uint16_t *)x + at) :
        type == MER_F16     ? vload_f16_whole((const uint16_t *)x + at) :
                              vload((const float *)x + at);
}
/* The next `left` elements, at most LANES: whole vectors without a mask. */
INLINE vec load_next(int32_t type, const void *x, int64_t at, int64_t left)
{
    return left >= LANES ? load_whole(type, x, at) : load_some(type, x, at, left);
}
/* The first `left` lanes of x, at most LANES, rounded to the type, as elements of y from `at` on. */
INLINE void store_next(int32_t type, void *y, int64_t at, int64_t left, vec x)
{
    if (type == MER_BF16)
        vstore_half(vfirst(left), (uint16_t *)y + at, x);
    else if (type == MER_F16)
        vstore_f16(vfirst(left), (uint16_t *)y + at, x);
    else
        vstore_some(vfirst(left), (float *)y + at, x);
}
/* The lanes of m of float32 or (bf16) bfloat16 elements from element `at` on, as float32; and back, rounded. */
INLINE vec load_masked(const void *x, int64_t at, vmask m, int bf16)
{
    return bf16 ? vload_half(m, (const uint16_t *)x + at) : vload_some(m, (const float *)x + at);
}
INLINE void store_masked(void *y, int64_t at, vmask m, int bf16, vec x)
{
    if (bf16)
        vstore_half(m, (uint16_t *)y + at, x);
    else
        vstore_some(m, (float *)y + at, x);
}
#endif
