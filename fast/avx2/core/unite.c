/* Unions of rows: fast/core/rotate/unite.h. */
#include "rotate/unite.h"

void unite_avx2(uint8_t *to, const uint8_t *x, const uint8_t *y, const uint8_t *z, int64_t bytes)
{
    unite_all(to, x, y, z, bytes);
}
