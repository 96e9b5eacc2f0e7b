/* What an arithmetic uses of its bound. */
#ifndef OWN_SHARE_H
#define OWN_SHARE_H
#include <math.h>
#include "compare/compare.h"

/* The share of the bound that the worst element uses; 0 where that element is not off by more than two ulp of the
 * output's type (MER_F32 or MER_F64).  The rounding of an output to its type uses a share of its bound, too, and would
 * stand for a step that the page forgets in both readings, contract and profile. */
static inline double own_share(const struct tally *y, int type)
{
    return fabs(y->got - y->want) > ldexp(fabs(y->want), type == MER_F64 ? -51 : -22) ? y->ratio : 0;
}
#endif
