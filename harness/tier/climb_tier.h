/* The climb (harness/climb: a search for right outputs that the bounds refuse) as a part of `meridian check`. */
#ifndef CLIMB_TIER_H
#define CLIMB_TIER_H
#include "judge/verdict.h"
/* Searches for `seconds` on all rows, or for a tenth of that on the one named, and reports to s. */
void climb_tier(struct sink *s, const char *row, double seconds);
/* The seed of the day: the days since 1970 when this was first called. */
long climb_tier_seed(void);
#endif
