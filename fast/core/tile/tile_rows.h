/* Softmax attention of rows that share their keys, a tile of float32 keys and values at a time, for the slots: include
 * lanes256.h or lanes512.h, then this.
 *   scores   4 rows x LANES / 4 keys in registers over a line: LANES accumulators (channel mod LANES), a balanced tree
 *   values   4 rows x NV vectors of a line in registers over the keys in order
 * A total is LANES accumulators (key mod LANES) and a balanced tree; a tile that raises a row's greatest score rescales
 * what the row has gathered.  All operations are fused. */
#ifndef TILE_ROWS_H
#define TILE_ROWS_H
#include <math.h>
#include "tile/tiles.h"
#include "exp_lanes.h"
#include "load_lanes.h"

/* R rows by K keys in registers; so many keys stay in the first cache while all rows pass. */
enum { R = TILE_ROWS, K = LANES / R, TOGETHER = 8, PANEL = NV * LANES };

/* The memory of the next tile, in `left` stretches that are fetched one after the other, a line where the number of a
 * step has none of the bits of `pace`, so that all the work on a tile has its share. */
enum { STRETCHES = 4 };
struct tile_ahead { const char *at[STRETCHES], *end[STRETCHES]; int64_t pace; int left; };
/* Step t: asks for one more line to be brought to the caches, which is a hint and cannot fault.  x NULL: for none. */
INLINE void fetch(struct tile_ahead *x, int64_t t)
{
    if (!x || t & x->pace || !x->left)
        return;
    const int k = x->left - 1;
    _mm_prefetch(x->at[k], _MM_HINT_T0);
    x->at[k] += 64;
    x->left -= x->at[k] >= x->end[k];
}
/* One more stretch, if it is none of nothing. */
INLINE void ahead_add(struct tile_ahead *x, const void *array, int64_t from, int64_t end)
{
    if (array && end > from)
        x->at[x->left] = (const char *)array + from, x->end[x->left] = (const char *)array + end, x->left++;
}
/* Spreads what was added over the work of so many rows on a whole tile of lines of so many vectors in all. */
INLINE void ahead_pace(struct tile_ahead *x, int64_t rows, int64_t q_wide, int64_t acc_wide)
{
    int64_t lines = 0, steps = rows / R * TILE_KEYS * (q_wide / (K * LANES) + acc_wide / PANEL);
    for (int k = 0; k < x->left; k++)
        lines += (x->end[k] - x->at[k]) / 64;
    for (; 2 * steps >= 3 * lines && x->pace < 15; steps /= 2)
        x->pace = 2 * x->pace + 1;
}

/* y[n] = x[at ..], widened; nothing beyond y[n] is written. */
INLINE void widen_line(int32_t type, float *y, const void *x, int64_t at, int64_t n)
{
    int64_t t = 0;
    for (; t + LANES <= n; t += LANES)
        vstore(y + t, load_whole(type, x, at + t));
    if (t < n)
        vstore_some(vfirst(n - t), y + t, load_some(type, x, at + t, n - t));
}

/* Some rows have seen no key, and their queries are 0. */
INLINE void rows_open(const struct tile_rows *x, int64_t rows)
{
    memset(x->q, 0, (size_t)(rows * x->q_wide) * sizeof *x->q);
    memset(x->acc, 0, (size_t)(rows * x->acc_wide) * sizeof *x->acc);
    memset(x->total, 0, (size_t)(rows * LANES) * sizeof *x->total);
    for (int64_t row = 0; row < rows; row++)
        x->top[row] = -INFINITY;
}

/* Keys or values of a tile: LANES elements of line j from element t on.  lines_load: floats that lie at f[.][wide].  A
 * hint asks for memory that is needed later, `n` elements in line with those.  kind: a constant of the caller's. */
struct tile_lines { const float *f; int64_t wide; const void *more; };
typedef vec tile_load(const struct tile_lines *from, int kind, int64_t j, int64_t t);
typedef void tile_hint(const struct tile_lines *from, int kind, int64_t j, int64_t t, int64_t n);
INLINE void no_hint(const struct tile_lines *from, int kind, int64_t j, int64_t t, int64_t n)
{
    (void)from, (void)kind, (void)j, (void)t, (void)n;
}
INLINE vec lines_load(const struct tile_lines *from, int kind, int64_t j, int64_t t)
{
    (void)kind;
    return vload(from->f + j * from->wide + t);
}

/* The scores of R rows by K keys from `key` on; beyond the part its first or its last key again. */
INLINE void score_tile(const struct tile_rows *x, tile_load *load, tile_hint *hint, int kind,
    const struct tile_lines *k, struct tile_part p, int64_t key, struct tile_ahead *next)
{
    vec acc[LANES], y[K];
    float score[LANES];
    const float *q = x->q + p.from * x->q_wide;
    int64_t at[K];
#pragma GCC unroll 16
    for (int c = 0; c < K; c++)
        hint(k, kind, key + c, 0, x->q_wide),
            at[c] = key + c < p.first ? p.first : key + c < p.end ? key + c : p.end - 1;
#pragma GCC unroll 16
    for (int c = 0; c < LANES; c++)
        acc[c] = vset(0);
    for (int64_t t = 0; t < x->q_wide; t += LANES) {
        fetch(next, t / LANES);
#pragma GCC unroll 16
        for (int c = 0; c < K; c++)
            y[c] = load(k, kind, at[c], t);
#pragma GCC unroll 16
        for (int r = 0; r < R; r++) {
            const vec one = vload(q + r * x->q_wide + t);
#pragma GCC unroll 16
            for (int c = 0; c < K; c++)
                acc[r * K + c] = vfma(one, y[c], acc[r * K + c]);
        }
    }
    vstore(score, vtrees(acc));
#pragma GCC unroll 16
    for (int r = 0; r < R; r++)
        memcpy(x->s + (p.from + r) * TILE_KEYS + key, score + r * K, K * sizeof *score);
}
/* The scores of a part; those of other keys in the same TOGETHERs are anything. */
INLINE void scores(const struct tile_rows *x, tile_load *load, tile_hint *hint, int kind,
    const struct tile_lines *k, struct tile_part p, struct tile_ahead *next)
{
    for (int64_t some = p.first / TOGETHER * TOGETHER; some < p.end; some += TOGETHER)
        for (int64_t row = p.from; row < p.from + p.rows; row += R)
            for (int64_t key = some; key < some + TOGETHER; key += K)
                score_tile(x, load, hint, kind, k, (struct tile_part){ row, R, p.first, p.end }, key, next);
}

/* The scores of a row, brought to what softmax sees of them (-inf of keys that are not in the part), become weights
 * exp(s - top) in place. */
INLINE void weigh(const struct tile_rows *x, struct tile_part p, int64_t row)
{
    float *s = x->s + row * TILE_KEYS, *top = x->top + row, *acc = x->acc + row * x->acc_wide;
    vec peak = vset(-INFINITY), total = vload(x->total + row * LANES);
    for (int64_t t = 0; t < TILE_KEYS; t += LANES) {
        const vec y = vpick(vbetween(p.first - t, p.end - t), vload(s + t), vset(-INFINITY));
        peak = vmax(y, peak);
        vstore(s + t, y);
    }
    const float high = vtop(peak);
    if (high > *top) {
        const vec by = vexp(vset(*top - high));
        *top = high, total = vmul(total, by);
        for (int64_t c = 0; c < x->acc_wide; c += LANES)
            vstore(acc + c, vmul(vload(acc + c), by));
    }
    const vec at = vset(*top == -INFINITY ? 0 : *top);
    for (int64_t t = 0; t < TILE_KEYS; t += LANES) {
        const vec w = vexp(vsub(vload(s + t), at));
        total = vadd(total, w);
        vstore(s + t, w);
    }
    vstore(x->total + row * LANES, total);
}

/* acc of R rows, a panel from `column` on, += the weighted values of the part's keys. */
INLINE void value_tile(const struct tile_rows *x, tile_load *load, tile_hint *hint, int kind,
    const struct tile_lines *v, struct tile_part p, int64_t column, struct tile_ahead *next)
{
    vec acc[R][NV], y[NV];
    float *to = x->acc + p.from * x->acc_wide + column;
    const float *s = x->s + p.from * TILE_KEYS;
#pragma GCC unroll 16
    for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int c = 0; c < NV; c++)
            acc[r][c] = vload(to + r * x->acc_wide + c * LANES);
    for (int64_t j = p.first; j < p.end; j++) {
        fetch(next, j), hint(v, kind, j, column, PANEL);
#pragma GCC unroll 4
        for (int c = 0; c < NV; c++)
            y[c] = load(v, kind, j, column + c * LANES);
#pragma GCC unroll 16
        for (int r = 0; r < R; r++) {
            const vec w = vset(s[r * TILE_KEYS + j]);
#pragma GCC unroll 4
            for (int c = 0; c < NV; c++)
                acc[r][c] = vfma(w, y[c], acc[r][c]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int c = 0; c < NV; c++)
            vstore(to + r * x->acc_wide + c * LANES, acc[r][c]);
}
/* The values of a part. */
INLINE void values(const struct tile_rows *x, tile_load *load, tile_hint *hint, int kind,
    const struct tile_lines *v, struct tile_part p, struct tile_ahead *next)
{
    for (int64_t column = 0; column < x->acc_wide; column += PANEL)
        for (int64_t row = p.from; row < p.from + p.rows; row += R)
            value_tile(x, load, hint, kind, v, (struct tile_part){ row, R, p.first, p.end }, column, next);
}

/* The mean of the values of a row, in place, 0 beyond n and where there is no key; the answer is its log-sum-exp. */
INLINE double row_mean(const struct tile_rows *x, int64_t row, int64_t n)
{
    float *y = x->acc + row * x->acc_wide;
    const float total = vtree(vload(x->total + row * LANES)), top = x->top[row];
    for (int64_t t = 0; t < n; t += LANES)
        vstore(y + t, vpick(vfirst(total == 0 ? 0 : n - t), vdiv(vload(y + t), vset(total)), vset(0)));
    return total == 0 ? (double)-INFINITY : (double)(top == -INFINITY ? 0 : top) + log((double)total);
}
#endif
