/* Normalisation of one line: rows layernorm and rmsnorm, and rows whose recorded layers end or begin with one.
 *   y_k = (x_k - mu) r gain_k + shift_k     mu = mean x, or 0 (centred = false)
 *   v = sum (x_k - mu)^2 / N, N = d or d - 1
 *   r = 1 / sqrt(v + eps), or outside: 1 / (sqrt(v) + eps)
 * Routes to the variance: two passes, as above; one pass, v = max(0, sum x^2 / N - mu^2 d / N); Welford's recursion
 * over mean and sum of squares. folded: x r + (-mu r) in place of (x - mu) r. */
#ifndef NORM_H
#define NORM_H
#include "ball/ball.h"
enum { NORM_TWO_PASSES, NORM_ONE_PASS, NORM_WELFORD };
/* Steps: mean, its sum and division; centre, x - mu; square, products; moment, their sum and division; root, all
 * between v and r; scale, the product with r; gain, shift.  Backward: product, every product; collect, sums and their
 * divisions; combine, the rest. */
struct norm {
    mpq_srcptr eps;
    bool centred, unbiased, outside, folded;
    int route, mean, centre, square, moment, root, scale, gain, shift, product, collect, combine;
};
/* A line x[d] normalised: off[d] = x - mu, y[d] = off r, and what they are made of.  r NULL: it is undefined (N =
 * 0). */
struct normed { const struct ball *const *x, **off, **y, *mean, *variance, *r; long d; };
/* Normalises x[d], which is borrowed and must outlive the result; the caller calls norm_close. */
struct normed norm_open(struct ask *w, const struct norm *n, const struct ball *const *x, long d);
void norm_close(struct normed *m);
/* The same of line i of an input x[n,d]; the caller calls norm_line_close. */
struct norm_line { struct normed m; const struct ball **x; };
struct norm_line norm_line_open(struct ask *w, const struct norm *n, const char *input, long i);
void norm_line_close(struct norm_line *l);
/* The way back: from a[d], the gradient of (x - mu) r, to dx[d], the gradient of x.  dx may be a.
 *   dx = r (a - mean a - y <a, y> / N)      outside: the last term times (sqrt(v) + eps) / sqrt(v) */
void norm_back(
    struct ask *w, const struct norm *n, const struct normed *m, const struct ball *const *a, const struct ball **dx);
/* The normalisation of a layer, biased, eps inside: gain, shift [d] or NULL (1, 0).  Steps: mean, both sums and their
 * divisions; norm, every other operation. */
struct layer_norm { int mean, norm; const struct mer_array *gain, *shift; mpq_srcptr eps; };
/* y[d] of x[d]; y may be x. */
void layer_norm(struct ask *w, const struct layer_norm *n, const struct ball *const *x, long d, const struct ball **y);
#endif
