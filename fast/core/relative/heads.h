/* Projections to heads in float32, as they are written down:  y[h][n][d] = sum_c x[n][c] w[h][c][d], left to right,
 * then + b[h][d].  Their profile is HEADS_STEPS. */
#ifndef HEADS_H
#define HEADS_H
#include "meridian.h"
#define HEADS_STEPS "project=f32 collect=f32"
/* y[h,n,d] from x[n,c], weight[h,c,d] and bias[h,d], or NULL for none.  The caller frees its data, which is NULL where
 * there is no memory or shapes disagree. */
struct mer_array to_heads(
    const char *name, const struct mer_array *x, const struct mer_array *weight, const struct mer_array *bias);
#endif
