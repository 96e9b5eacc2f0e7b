/* Pairs of channels; see pairs.h. */
#include "rotary/pairs.h"

bool pair_ends(const struct ask *w, struct paired p, long k, long *a, long *b)
{
    *a = p.neighbours ? i_mul(w, 2, k) : k;
    *b = i_add(w, p.neighbours ? 2 * k : k, p.neighbours ? 1 : p.pairs);
    *a = site_written(w, *a, p.dim), *b = site_written(w, *b, p.dim);
    return *a >= 0 && *b >= 0;
}
