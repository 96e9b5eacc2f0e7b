/* Heads that share keys; see shared_head.h. */
#include "row/shared_head.h"

long shared_head(const struct ask *w, bool tile, long h, long heads, long groups)
{
    const long g = tile ? i_mod(w, h, groups) : i_div(w, i_mul(w, groups, h), heads);
    return g < 0 ? 0 : g < groups ? g : groups - 1;
}
