/* Which row of a table a pair of positions reads, in whole numbers: the relative shift, logarithmic buckets. */
#ifndef INDEX_H
#define INDEX_H
#include <stdbool.h>

/* The relative shift reads X[n,W] as [W,n], drops the first row, and reads the rest as [n,W-1] (Dai et al. 2019,
 * appendix B).  This is where its entry (i, j) stood in X; row n is behind the end, where nothing was. */
struct index_entry { long row, column; };
static inline struct index_entry rel_shift(long n, long W, long i, long j)
{
    long at = n + i * (W - 1) + j;
    return (struct index_entry){ at / W, at % W };
}

/* The number x = steps ln(n/exact) / ln(far/exact), with 0 < exact < far and exact <= n.  It is compared without a
 * logarithm, so that no tie is left to rounding:
 *   x >= t/over  <=>  n^(over steps) exact^t >= far^t exact^(over steps) */
struct log_index { long n, exact, far, steps; };
/* The sign of x - t/over, as -1, 0 or 1. */
int log_index_cmp(const struct log_index *x, long t, long over);
/* The floor of min(x, most), and that of min(x + 1/2, most). */
long log_index_floor(const struct log_index *x, long most);
long log_index_nearest(const struct log_index *x, long most);
/* The least whole number that is not below x. */
long log_index_ceil(const struct log_index *x);
#endif
