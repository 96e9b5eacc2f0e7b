/* Searches for a cause of a kernel's failures, as long as there is work for them. */
#ifndef JOINT_SEARCH_H
#define JOINT_SEARCH_H
#include "diagnose/joint/standing.h"
/* Whether the kernel has work left for searches. */
bool search_left(const struct failures *known);
/* Whether this process has work left for any, and that one which is told here was done. */
bool search_left_for_any(void);
void search_paid(const struct diagnosis *d);
/* Looks for what explains t.  What explains all that is kept as well stands from then on; where nothing does,
 * d->alone is set.  false: nothing explains t; d->spent where there was no work left. */
bool search_for(struct failures *known, const struct trial *t, struct diagnosis *d);
/* Looks further for what explains t as well as all that is kept, where what was found explains t alone; true: that
 * stands, and d is replaced. */
bool search_whole(struct failures *known, const struct trial *t, struct diagnosis *d);
/* Looks for what explains the kept failure k, and t as well as all others; true: that stands, and d is the diagnosis
 * of t. */
bool search_at(struct failures *known, int k, const struct trial *t, struct diagnosis *d);
#endif
