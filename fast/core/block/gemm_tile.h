/* Dense products by register tiles, for the slots: include lanes256.h or lanes512.h, then this.  They are for operands
 * that a cache holds; where none holds them, OpenBLAS, which copies both operands at every call, is quicker.
 *   c[m][n] (+)= a[m][k] b[k][n]      GROUP rows by NV vectors of columns in registers over DEEP terms of k, with a
 * block
 *                                     of b copied and its columns filled up with zeros
 * Every element is one chain of fused operations over k in order, whatever m, n and k are. */
#ifndef GEMM_TILE_H
#define GEMM_TILE_H
#include "meridian.h"
#include "block/gemm.h"

/* Where a is stored transposed its rows are copied, TALL at a time. */
enum { GROUP = 6, PANEL = NV * LANES, DEEP = 128, TALL = 96 };

/* What one register tile writes of C: row r begins at c + r stride; at most GROUP rows and PANEL columns. */
struct product_tile { float *c; int64_t stride, rows, columns; };
/* The rows of A for it: entry t of row r is a[r across + t along]. */
struct strip { const float *a; int64_t across, along; };

/* to = from b, or to += from b with `more`; b[depth][PANEL] as copy_columns leaves it. */
INLINE void tile(struct product_tile to, struct strip from, const float *b, int64_t depth, int more)
{
    vec acc[GROUP][NV];
    const int64_t last = to.rows - 1;
    const float *row[GROUP];
#pragma GCC unroll 8
    for (int r = 0; r < GROUP; r++) { /* beyond the last row stands the last one again, which is not stored */
        row[r] = from.a + (r < last ? r : last) * from.across;
#pragma GCC unroll 4
        for (int v = 0; v < NV; v++)
            acc[r][v] = more ? vload_some(vfirst(to.columns - v * LANES),
                                   to.c + (r < last ? r : last) * to.stride + v * LANES) :
                               vset(0);
    }
    for (int64_t t = 0; t < depth; t++, b += PANEL) {
        vec y[NV];
#pragma GCC unroll 4
        for (int v = 0; v < NV; v++)
            y[v] = vload(b + v * LANES);
#pragma GCC unroll 8
        for (int r = 0; r < GROUP; r++) {
            const vec x = vset(row[r][t * from.along]);
#pragma GCC unroll 4
            for (int v = 0; v < NV; v++)
                acc[r][v] = vfma(x, y[v], acc[r][v]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < GROUP; r++) {
        if (r >= to.rows)
            break;
#pragma GCC unroll 4
        for (int v = 0; v < NV; v++)
            vstore_some(vfirst(to.columns - v * LANES), to.c + r * to.stride + v * LANES, acc[r][v]);
    }
}

/* to[depth][PANEL] = rows k .. and columns j .. of b; only `columns` of them exist, the rest are 0. */
static void copy_columns(float *to, struct gemm_of b, int64_t k, int64_t j, int64_t depth, int64_t columns)
{
    for (int64_t t = 0; t < depth && !b.transposed; t++)
        for (int64_t v = 0; v < PANEL; v += LANES)
            vstore(to + t * PANEL + v, vload_some(vfirst(columns - v), b.data + (k + t) * b.stride + j + v));
    for (int64_t x = 0; x < PANEL && b.transposed; x += 4) {
        const float *from = b.data + (j + x) * b.stride + k;
        int64_t t = 0;
        for (; x + 4 <= columns && t + 4 <= depth; t += 4) {
            __m128 r0 = _mm_loadu_ps(from + t), r1 = _mm_loadu_ps(from + b.stride + t),
                   r2 = _mm_loadu_ps(from + 2 * b.stride + t), r3 = _mm_loadu_ps(from + 3 * b.stride + t);
            _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
            float *y = to + t * PANEL + x;
            _mm_storeu_ps(y, r0), _mm_storeu_ps(y + PANEL, r1), _mm_storeu_ps(y + 2 * PANEL, r2),
                _mm_storeu_ps(y + 3 * PANEL, r3);
        }
        for (; t < depth; t++)
            for (int64_t l = 0; l < 4; l++)
                to[t * PANEL + x + l] = x + l < columns ? from[l * b.stride + t] : 0;
    }
}
/* to[rows / GROUP rounded up][depth][GROUP] = rows i .. and columns k .. of an a that is stored transposed.  Up to
 * LANES floats are written beyond the end. */
static void copy_rows(float *to, struct gemm_of a, int64_t i, int64_t k, int64_t rows, int64_t depth)
{
    for (int64_t r = 0; r < rows; r += GROUP)
        for (int64_t t = 0; t < depth; t++, to += GROUP)
            vstore(to, vload_some(vfirst(rows - r < GROUP ? rows - r : GROUP), a.data + (k + t) * a.stride + i + r));
}

static void gemm_tiles(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add)
{
    static _Thread_local _Alignas(64) float columns[DEEP * PANEL], rows[DEEP * TALL + LANES];
    for (int64_t k0 = 0; k0 < k; k0 += DEEP) {
        const int64_t depth = k - k0 < DEEP ? k - k0 : DEEP;
        for (int64_t j = 0; j < n; j += PANEL) {
            const int64_t wide = n - j < PANEL ? n - j : PANEL;
            copy_columns(columns, b, k0, j, depth, wide);
            for (int64_t i0 = 0; i0 < m; i0 += TALL) {
                const int64_t tall = m - i0 < TALL ? m - i0 : TALL;
                if (a.transposed)
                    copy_rows(rows, a, i0, k0, tall, depth);
                for (int64_t i = 0; i < tall; i += GROUP) {
                    const int64_t few = tall - i < GROUP ? tall - i : GROUP;
                    const struct product_tile to = { c + (i0 + i) * stride + j, stride, few, wide };
                    const float *at = a.transposed ? rows + i * depth : a.data + (i0 + i) * a.stride + k0;
                    const struct strip from = { at, a.transposed ? 1 : a.stride, a.transposed ? GROUP : 1 };
                    tile(to, from, columns, depth, add || k0);
                }
            }
        }
    }
}
#endif
