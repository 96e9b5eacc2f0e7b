/* Attention over a cache of codes (struct mer_codes of libmeridian.h): what its slots share. */
#ifndef CODED_H
#define CODED_H
#include "tile/tiles.h"
#include "libmeridian.h"

/* How the blocks of a cache lie under the lanes of a vector: a line is in one block; each vector is; every channel has
 * its own; or none of these. */
enum coded_lie { CODED_LINE, CODED_ONE, CODED_EACH, CODED_ANY };
/* A cache of so many lines a head, each of `width` elements in `bytes` bytes. */
struct coded_cache {
    struct mer_codes of;
    int64_t lines, width, bytes;
    enum coded_lie lie;
    int shift;             /* each block has 2^shift channels, at least 16, or is a line; -1: neither */
    int32_t *column;       /* [width in whole 16s]: the column of each channel's block */
    float table[16];       /* the numbers of codes of 4 bits */
};
/* A problem.  q [h][n][d] and o [h][n][e] are of one type, lse [h][n] of its own; o or lse NULL: not wanted. */
struct coded_problem {
    int64_t h, g, n, m, d, e;
    float scale, cap;      /* cap 0: none */
    int all, binary;       /* 1: a query sees keys behind its place, too; lse is a logarithm to base 2 */
    int64_t place, window; /* of query 0; 0: none */
    int32_t type, lse_type;
    const void *q;
    void *o, *lse;
    struct coded_cache k, v;
    int64_t rows;          /* at most so many, padded, are taken together */
    struct tile_rows x;    /* rows of queries [d] and of sums of values [e] */
    float *keys, *values;  /* a tile: [TILE_KEYS][x.q_wide] and [TILE_KEYS][x.acc_wide] */
    void *room;
};
typedef int coded_attend(const struct coded_problem *x); /* a MER_ answer */
coded_attend coded_avx2, coded_avx512;

/* Query i sees the keys coded_first .. coded_end - 1; neither falls as i grows. */
static inline int64_t coded_first(const struct coded_problem *x, int64_t i)
{
    const int64_t first = x->window ? x->place + i - x->window + 1 : 0;
    return first < 0 ? 0 : first > x->m ? x->m : first;
}
static inline int64_t coded_end(const struct coded_problem *x, int64_t i)
{
    const int64_t end = x->place + i + 1;
    return x->all || end > x->m ? x->m : end < 0 ? 0 : end;
}
/* The row of a cache's blocks that line j has. */
static inline int64_t coded_row(const struct coded_cache *c, int64_t j)
{
    const int64_t row = j / c->of.tokens;
    return row < c->of.rows ? row : c->of.rows - 1;
}
/* The caches of a call of row `quantized` as codes.  MER_OK, MER_SKIP where they are not numbers of a code that struct
 * mer_codes has, or MER_BAD without memory; coded_release is due for both in any case. */
int coded_pack(const struct mer_call *c, struct mer_codes *k, struct mer_codes *v);
void coded_release(struct mer_codes *x);
/* A call of row `quantized` answered by a slot.  Its codes are packed first, so that what is judged is what a packed
 * cache gets. */
int coded_run(const struct mer_call *c, coded_attend *attend);
#endif
