/* Sinusoids of a run of distances, correctly rounded to float32: the fixed table of relative encodings. */
#ifndef DISTANCE_H
#define DISTANCE_H
#include "meridian.h"
/* y[rows][dim], whose row t is of distance first + t; base and layout are parameters of the call, and an odd width ends
 * in a column of zeros.  The caller frees it.  NULL: no memory, or a distance beyond 2^53. */
float *distance_table(const struct mer_call *c, int64_t dim, int64_t first, int64_t rows);
/* For kernels that are asked often: distance_keep, as a kernel's prepare, makes that table once as c->state, and
 * distance_table with the same arguments then copies it.  distance_prepare keeps the table of distance_rows, and
 * declines a call that brings rows of its own. */
int distance_keep(struct mer_call *c, int64_t dim, int64_t first, int64_t rows);
int distance_prepare(struct mer_call *c);
void distance_release(void *state);
/* R[n + m - 1][c] for the call's q[h,n,d], k[h,m,d] and wr[h,c,d]: row t is of distance 1 - n + t, or with
 * sign=key-query of minus that.  Ownership and NULL as above. */
float *distance_rows(const struct mer_call *c);
/* W_kR R of those rows, y[h][n + m - 1][d], each sum left to right.  Ownership and NULL as above. */
float *distance_lines(const struct mer_call *c);
#endif
