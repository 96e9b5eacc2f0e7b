/* Which row of a table a pair of positions reads, in whole numbers: clipping, the relative shift, logarithmic
 * buckets. */
#ifndef INDEX_H
#define INDEX_H
#include <stdbool.h>
/* From query c to key j: j - c, or c - j. */
static inline long signed_distance(bool to_key, long c, long j) { return to_key ? j - c : c - j; }
static inline long clip(long x, long least, long most) { return x < least ? least : x > most ? most : x; }

/* The relative shift: X[n,W] read as [W,n], the first row dropped, read as [n,W-1].   Dai et al. 2019, appendix B
 * Where its entry (i, j) stood in X; row n: behind the end, where nothing was. */
struct index_entry { long row, column; };
static inline struct index_entry rel_shift(long n, long W, long i, long j)
{
    long at = n + i * (W - 1) + j;
    return (struct index_entry){ at / W, at % W };
}

/* x = steps ln(n/exact) / ln(far/exact), 0 < exact < far, exact <= n.  Without a logarithm, so that no tie is left to
 * rounding:
 *   x >= t/over  <=>  n^(over steps) exact^t >= far^t exact^(over steps) */
struct log_index { long n, exact, far, steps; };
int log_index_cmp(const struct log_index *x, long t, long over); /* the sign of x - t/over */
long log_index_floor(const struct log_index *x, long most);      /* of min(x, most) */
long log_index_nearest(const struct log_index *x, long most);    /* of min(x + 1/2, most), downwards */
long log_index_ceil(const struct log_index *x);
#endif
