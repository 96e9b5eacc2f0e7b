/* The climb (harness/climb: a search for right outputs that the bounds refuse) as a part of `meridian check`. */
#ifndef CLIMB_TIER_H
#define CLIMB_TIER_H
#include "judge/verdict.h"
/* Searches with the seed of the day until so many millions of balls were made, and says each class of escapes to the
 * sink as a failure.  row NULL: all rows; of one row a tenth of the work. */
void climb_tier(struct sink *s, const char *row, double work);
/* The seed of the day: the days since 1970 when this was first called. */
long climb_tier_seed(void);
#endif
