/* The climb as a part of the suite's own run. */
#ifndef CLIMB_TIER_H
#define CLIMB_TIER_H
#include "judge/verdict.h"
/* Searches with the seed of the day until so many millions of balls were made, and says each class of escapes to the
 * sink as a failure.  row NULL: all rows; of one row a tenth of the work. */
void climb_tier(struct sink *s, const char *row, double work);
/* today's: the days since 1970, when this was first asked */
long climb_tier_seed(void);
#endif
