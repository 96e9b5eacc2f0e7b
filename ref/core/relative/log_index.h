/* Which logarithmic bucket a distance has, in whole numbers. */
#ifndef LOG_INDEX_H
#define LOG_INDEX_H

/* The number x = steps ln(n/exact) / ln(far/exact), with 0 < exact < far and exact <= n.  It is compared without a
 * logarithm, so that no tie is left to rounding:
 *   x >= t/over  <=>  n^(over steps) exact^t >= far^t exact^(over steps)
 * Only where these powers are too large to be written down, and therefore differ, do logarithms say how.  steps is at
 * most 2^40. */
struct log_index { long n, exact, far, steps; };
/* The sign of x - t/over, as -1, 0 or 1. */
int log_index_cmp(const struct log_index *x, long t, long over);
/* The floor of min(x, most), and that of min(x + 1/2, most). */
long log_index_floor(const struct log_index *x, long most);
long log_index_nearest(const struct log_index *x, long most);
/* The least whole number that is not below x. */
long log_index_ceil(const struct log_index *x);
#endif
