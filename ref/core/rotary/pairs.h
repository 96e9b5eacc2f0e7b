/* Where the numbers lie that a rotation turns together. */
#ifndef PAIRS_H
#define PAIRS_H
#include "edit/whole.h"
/* The pairs of a head of that width: k and k + pairs, or neighbours, 2k and 2k + 1. */
struct paired { long dim, pairs; bool neighbours; };
/* Where the two numbers of pair k lie.  false: under an edit one of them lies in no head. */
bool pair_ends(const struct ask *w, struct paired p, long k, long *a, long *b);
#endif
