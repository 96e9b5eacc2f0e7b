/* Sinusoids of a run of distances, correctly rounded to float32: the fixed table of relative encodings. */
#ifndef DISTANCE_H
#define DISTANCE_H
#include "meridian.h"
/* y[rows][dim], row t of distance first + t; base and layout are the call's parameters, an odd width ends in a zero
 * column.
 * The caller frees it.  NULL: no memory, or a distance beyond 2^53. */
float *distance_table(const struct mer_call *c, int64_t dim, int64_t first, int64_t rows);
/* Kernels that are asked often: prepare makes the table, distance_table then copies it.  c->state is theirs;
 * distance_prepare: of distance_rows. */
int distance_keep(struct mer_call *c, int64_t dim, int64_t first, int64_t rows);
int distance_prepare(struct mer_call *c);
void distance_release(void *state);
/* R[n + m - 1][c] of the call's q[h,n,d], k[h,m,d] and wr[h,c,d], row t of distance 1 - n + t; sign=key-query: of minus
 * that.  As above. */
float *distance_rows(const struct mer_call *c);
/* W_kR R: y[h][n + m - 1][d], of those rows.
 * Each sum left to right.  The caller frees it; NULL as above. */
float *distance_lines(const struct mer_call *c);
#endif
