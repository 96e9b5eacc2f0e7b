/* Attention of few queries: keys and values are read once, as they lie, so memory sets the pace.  Included after
 * flash_tile.h.  A score is LANES accumulators over d (channel mod LANES) and a balanced tree; totals and outputs are
 * as in flash_tile.h.
 * One bf16 query over 32768 keys of 128, 8 heads, 16 lanes, GB/s where reading alone reaches 13 to 15:
 *   v0 rows as they lie, all columns of FEW_KEYS keys together     9.8
 *   v1 lines fetched AHEAD keys before their use                  11.6   (4 keys 11.1, 16 11.4, 64 10.4)
 * float32 gains nothing by v1 and goes without. */
#ifndef FLASH_ROW_H
#define FLASH_ROW_H
#include "attention/flash.h"
enum { FEW_KEYS = 32, AHEAD = 8 };

/* The next `left` elements of q, k or v from element `at` on, at most LANES, as float32; the rest of the lanes is 0. */
INLINE vec load_some(const struct flash *f, const void *x, int64_t at, int64_t left)
{
    return f->bf16 ? vload_half(vfirst(left), (const uint16_t *)x + at) :
                     vload_some(vfirst(left), (const float *)x + at);
}
INLINE vec load_whole(const struct flash *f, const void *x, int64_t at)
{
    return f->bf16 ? vload_half(vfirst(LANES), (const uint16_t *)x + at) : vload((const float *)x + at);
}

/* Asks for n bf16 elements to be brought to the first cache.  It is a hint only: the address may lie beyond the
 * array. */
INLINE void fetch(const struct flash *f, const void *x, int64_t at, int64_t n)
{
    const char *p = row_at(f, x, at);
    for (int64_t b = 0; f->bf16 && b < 2 * n; b += 64)
        _mm_prefetch(p + b, _MM_HINT_T0);
}
/* Keys first .. end - 1 of key head g, as query i of head h reads them; their scores are counted from key b0. */
struct few_keys { int64_t h, i, g, b0, first, end; };

/* s[j - b0] = <q, k_j>; q[d to whole LANES], filled with zeros */
INLINE void row_scores(const struct flash *f, const float *q, float *s, struct few_keys x)
{
    for (int64_t j = x.first; j < x.end; j++) {
        int64_t at = flash_k(f, x.g, j), t = 0;
        vec a = vset(0);
        fetch(f, f->k, flash_k(f, x.g, j + AHEAD), f->d);
        for (; t + LANES <= f->d; t += LANES)
            a = vfma(vload(q + t), load_whole(f, f->k, at + t), a);
        if (t < f->d)
            a = vfma(vload(q + t), load_some(f, f->k, at + t, f->d - t), a);
        s[j - x.b0] = vtree(a);
    }
}

/* acc[column ..] of nv vectors += the weighted values of these keys; s as in row_scores.  A hidden key has weight 0,
 * and its value is not read. */
INLINE void row_gather(
    const struct flash *f, float *acc, const float *s, struct few_keys x, int64_t column, int nv)
{
    vec a[NV];
#pragma GCC unroll 4
    for (int c = 0; c < nv; c++)
        a[c] = vload(acc + column + c * LANES);
    for (int64_t j = x.first; j < x.end; j++) {
        float p = s[j - x.b0];
        fetch(f, f->v, flash_v(f, x.g, j + AHEAD) + column, nv * LANES);
        if (p == 0 && flash_hidden(f, x.h, x.i, j))
            continue;
#pragma GCC unroll 4
        for (int c = 0; c < nv; c++)
            a[c] = vfma(vset(p),
                nv == NV ? load_whole(f, f->v, flash_v(f, x.g, j) + column + c * LANES) :
                           load_some(f, f->v, flash_v(f, x.g, j) + column, f->e - column),
                a[c]);
    }
#pragma GCC unroll 4
    for (int c = 0; c < nv; c++)
        vstore(acc + column + c * LANES, a[c]);
}

/* Query i of head h from its first key to its stored row.  q[d], s[ROW] and acc[E] are room. */
INLINE void one_row(const struct flash *f, int64_t h, int64_t i, float *q, float *s, float *acc, int64_t E)
{
    int64_t g = flash_key_head(f, h), lo = flash_first(f, i), hi = flash_end(f, i);
    float top = f->sink ? f->sink[h] : -INFINITY;
    vec total = vset(0), none = vset(-INFINITY);
    for (int64_t t = 0; t < f->d; t += LANES)
        vstore(q + t, load_some(f, f->q, flash_q(f, h, i) + t, f->d - t));
    memset(acc, 0, (size_t)E * sizeof *acc);
    for (int64_t b0 = lo / FLASH_KEYS * FLASH_KEYS; b0 < hi; b0 += FLASH_KEYS) {
        int64_t first = lo > b0 ? lo : b0, end = b0 + FLASH_KEYS < hi ? b0 + FLASH_KEYS : hi,
                from = (first - b0) / LANES * LANES, to = end - b0;
        struct sight rules = sight_of(f, RULED, h, i, b0);
        vec peak = none, at;
        row_scores(f, q, s, (struct few_keys){ h, i, g, b0, first, end });
        for (int64_t j = from; j < to; j += LANES) {
            vec x = settle(f, RULED, &rules, vload_some(vbetween(first - b0 - j, to - j), s + j), j);
            peak = vmax(x, peak);
            vstore(s + j, x);
        }
        float high = vtop(peak);
        if (high > top) {
            vec by = vexp(vset(top - high));
            top = high;
            total = vmul(total, by);
            for (int64_t c = 0; c < E; c += LANES)
                vstore(acc + c, vmul(vload(acc + c), by));
        }
        at = vset(top == -INFINITY ? 0 : top);
        for (int64_t j = from; j < to; j += LANES) {
            vec p = vexp(vsub(vload(s + j), at));
            total = vadd(total, p);
            vstore(s + j, p);
        }
        /* All columns of few keys, so that all cache lines of a value are read while they are fetched. */
        for (int64_t c0 = first; c0 < end; c0 += FEW_KEYS)
            for (int64_t column = 0, c1 = c0 + FEW_KEYS < end ? c0 + FEW_KEYS : end; column < f->e;) {
                const struct few_keys some = { h, i, g, b0, c0, c1 };
                if (column + PANEL <= f->e)
                    row_gather(f, acc, s, some, column, NV), column += PANEL;
                else
                    row_gather(f, acc, s, some, column, 1), column += LANES;
            }
    }
    finish_row(f, h, i, acc, total, top);
}

/* The whole problem, a query at a time.  MER_OK always. */
static int attend_rows(const struct flash *f)
{
    int64_t E = (f->e + LANES - 1) / LANES * LANES;
    float *room = f->scratch, *q = take(&room, f->d + LANES), *s = take(&room, ROW), *acc = take(&room, E);
    for (int64_t r = 0; r < f->h * f->n; r++)
        one_row(f, r / f->n, r % f->n, q, s, acc, E);
    return MER_OK;
}
#endif
