/* Pairs of channels; see pairs.h. */
#include "rotary/pairs.h"

bool pair_ends(const struct ask *w, struct paired p, long k, long *a, long *b)
{
    const bool apart = !b_true(w, p.neighbours);
    *a = b_true(w, p.neighbours) ? i_mul(w, 2, k) : k;
    *b = i_add(w, apart ? k : 2 * k, apart ? p.pairs : 1);
    *a = site_written(w, *a, p.dim), *b = site_written(w, *b, p.dim);
    return *a >= 0 && *b >= 0;
}
