/* Layer normalisation, shared by rows whose recorded layers end or begin with it.                     Ba, Kiros, Hinton 2016
 *   y = gain (x - mean x) / sqrt(var x + eps) + shift      var x = sum (x - mean x)^2 / n, biased; eps inside the root */
#ifndef NORM_H
#define NORM_H
#include "ball.h"
/* y[n] of x[n]; gain, shift [n] or NULL (1, 0); y may be x.  Steps: mean, both sums and their divisions; norm, every other operation. */
void layer_norm(struct ask *w, int mean, int norm, const struct ball *const *x, long n, const struct mer_array *gain, const struct mer_array *shift, mpq_srcptr eps, const struct ball **y);
#endif
