/* The climb as a part of the suite's own run. */
#ifndef CLIMB_TIER_H
#define CLIMB_TIER_H
#include "judge/verdict.h"
void climb_tier(struct sink *s, const char *row, double seconds); /* row NULL: all; of one row: a tenth of the time */
/* today's: the days since 1970, when this was first asked */
long climb_tier_seed(void);
#endif
