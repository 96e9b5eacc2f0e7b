/* The union of three rows of bytes, to[bytes] = x | y | z, for tables whose entries come from several (axes.c): one
 * body, compiled for each width of vectors.  Rows begin anywhere. */
#ifndef ROTATE_UNITE_H
#define ROTATE_UNITE_H
#include <stdint.h>
#include "inline.h"

typedef void unite_rows(uint8_t *to, const uint8_t *x, const uint8_t *y, const uint8_t *z, int64_t bytes);
unite_rows unite_scalar, unite_avx2, unite_avx512;

typedef uint8_t unite_64 __attribute__((vector_size(64), aligned(1), may_alias));
typedef uint8_t unite_16 __attribute__((vector_size(16), aligned(1), may_alias));
INLINE void unite_all(uint8_t *to, const uint8_t *x, const uint8_t *y, const uint8_t *z, int64_t bytes)
{
    int64_t b = 0;
    for (; b + 64 <= bytes; b += 64)
        *(unite_64 *)(to + b) = *(const unite_64 *)(x + b) | *(const unite_64 *)(y + b) | *(const unite_64 *)(z + b);
    for (; b + 16 <= bytes; b += 16)
        *(unite_16 *)(to + b) = *(const unite_16 *)(x + b) | *(const unite_16 *)(y + b) | *(const unite_16 *)(z + b);
    for (; b < bytes; b++)
        to[b] = (uint8_t)(x[b] | y[b] | z[b]);
}
#endif
