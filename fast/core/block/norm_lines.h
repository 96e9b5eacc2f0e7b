/* Normalisation of lines in float32, as it is written down: the scalar kernels of layernorm and rmsnorm.  Every sum
 * goes left to right. */
#ifndef NORM_LINES_H
#define NORM_LINES_H
#include "floats.h"
struct norm_rows { float mean, r; };                                            /* r: the inverse deviation */
/* Lines of d elements.  The sum of squares is divided by d - less.  outside: eps is added behind the root, not
 * inside. */
struct norm_fast { float eps; int64_t d, less; int outside; };
/* From the parameters eps, place and variance, and from the input x[n,d]. */
struct norm_fast norm_fast_of(const struct mer_call *c);
/* Mean and inverse deviation of one line x[d]; norm_no_mean is that of rmsnorm, with mean 0. */
typedef struct norm_rows norm_moments(const struct norm_fast *n, const float *x);
norm_moments norm_two_passes, norm_one_pass, norm_welford, norm_no_mean;
/* dx[d] from a[d], the gradient of (x - mean) r.  mean: 1 for layernorm, where the mean of a is taken away, 0 for
 * rmsnorm. dx may be a. */
void norm_fast_back(const struct norm_fast *n, struct norm_rows l, const float *x, const float *a, int mean, float *dx);
/* Answers a call x[n,d], and for gradients dy[n,d], with those of the outputs y, mean, rstd, dx and dgain that it
 * wants. folded: y is x r - mean r.  cast: y is rounded to bf16 before the gain.  MER_OK, or MER_BAD without memory. */
int norm_run(const struct mer_call *c, norm_moments *moments, int mean, int folded, int cast);
#endif
