/* Pairs of channels; see pairs.h. */
#include "rotary/pairs.h"

bool pair_ends(const struct ask *w, struct paired p, long k, long *a, long *b)
{
    if (!p.neighbours) {
        *a = k;
        *b = i_add(w, k, p.pairs);
    } else {
        *a = i_mul(w, 2, k);
        *b = i_add(w, 2 * k, 1);
    }
    *a = site_written(w, *a, p.dim), *b = site_written(w, *b, p.dim);
    return *a >= 0 && *b >= 0;
}
