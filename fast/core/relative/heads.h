/* Projections in float32, as written down:  y[h][n][d] = sum_c x[n][c] w[h][c][d], left to right, then + b[h][d].
 * Their profile: HEADS_STEPS. */
#ifndef HEADS_H
#define HEADS_H
#include "meridian.h"
#define HEADS_STEPS "project=f32 collect=f32"
/* y[h,n,d], with memory to free, from x[n,c]; bias: NULL for none.  data is NULL where there is no memory or shapes
 * disagree. */
struct mer_array to_heads(
    const char *name, const struct mer_array *x, const struct mer_array *weight, const struct mer_array *bias);
#endif
