/* The climb as a part of the suite's own run. */
#ifndef CLIMB_TIER_H
#define CLIMB_TIER_H
#include "judge/verdict.h"
void climb_tier(struct sink *s, const char *row, double seconds); /* row NULL: all */
#endif
