/* Normalisation of lines in float32, as it is written down: the scalar kernels of layernorm and rmsnorm.  Every sum
 * left to right. */
#ifndef NORM_LINES_H
#define NORM_LINES_H
#include "floats.h"
struct norm_rows { float mean, r; };                                            /* r: the inverse deviation */
/* the sum of squares is divided by d - less */
struct norm_fast { float eps; int64_t d, less; int outside; };
/* eps, place, variance; d of input x[n,d] */
struct norm_fast norm_fast_of(const struct mer_call *c);
typedef struct norm_rows norm_moments(const struct norm_fast *n, const float *x); /* of one line x[d] */
norm_moments norm_two_passes, norm_one_pass, norm_welford, norm_no_mean;        /* the last: mean 0 */
/* dx[d] of a[d], the gradient of (x - mean) r; mean: the mean of a is taken away (layernorm); dx may be a. */
void norm_fast_back(const struct norm_fast *n, struct norm_rows l, const float *x, const float *a, int mean, float *dx);
/* x[n,d] (and dy) of the call, moments of every line, gain + offset if there: the outputs y, mean, rstd, dx, dgain that
 * the call wants. */
int norm_run(const struct mer_call *c, norm_moments *moments, int mean, int folded, int cast);
#endif
