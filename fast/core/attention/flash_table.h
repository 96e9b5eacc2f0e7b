/* Products with the tables of a relative encoding, before and beside attention: for flash_place.h and the rows of
 * band.h.  Each element is one accumulator over its sum in order, fused. */
#ifndef FLASH_TABLE_H
#define FLASH_TABLE_H
#include "attention/flash.h"
#include "attention/flash_place.h"

/* y[n][columns] = x[n][d] w[columns][d]^T, with n, d and scratch of the problem and columns of its place. */
INLINE void multiply_rows(const struct flash *of, float *y, const float *x, const float *w)
{
    const int64_t n = of->n, columns = of->place->columns, d = of->d;
    const struct flash f = { .h = 1, .g = 1, .n = n, .m = columns, .d = d, .q = x, .k = w, .type = MER_F32 };
    float *kt = of->scratch, *q = kt + FLASH_KEYS * d;
    for (int64_t b0 = 0; b0 < columns; b0 += FLASH_KEYS) {
        int64_t b1 = at_most(b0 + FLASH_KEYS, columns);
        pack_keys(kt, &f, 0, b0, b1);
        for (int64_t i = 0; i < n; i += GROUP) {
            pack_queries(q, &f, 0, i, i + 1);
            for (int64_t j = b0; j < b1; j += PANEL) {
                vec acc[GROUP][NV];
                products(acc, q, kt + (j - b0) * d, d, NV);
                for (int64_t r = 0; r < GROUP && i + r < n; r++)
#pragma GCC unroll 4
                    for (int c = 0; c < NV; c++)
                        vstore_some(vfirst(b1 - j - c * LANES), y + (i + r) * columns + j + c * LANES, acc[r][c]);
            }
        }
    }
}

/* lines[rows][d], packed as keys; the last panel is filled up with zeros. */
INLINE void pack_lines(float *to, const float *lines, int64_t rows, int64_t d)
{
    const struct flash f = { .m = rows, .d = d, .k = lines, .type = MER_F32 };
    pack_keys(to, &f, 0, 0, rows);
}

/* y[r][j] = <row r, key j> for the keys of a packed block, y[rows][ROW]; q is rows, up to whole GROUPs, packed as
 * queries. */
static void multiply_back(float *y, const float *q, int64_t rows, const float *kt, int64_t keys, int64_t d)
{
    for (int64_t t = 0; t < rows; t += GROUP)
        for (int64_t j = 0; j < keys; j += PANEL) {
            vec acc[GROUP][NV];
            products(acc, q + t * d, kt + j * d, d, NV);
            for (int64_t r = 0; r < GROUP && t + r < rows; r++)
#pragma GCC unroll 4
                for (int c = 0; c < NV; c++)
                    vstore(y + (t + r) * ROW + j + c * LANES, acc[r][c]);
        }
}

/* y[rows][d] = x[rows][c] w[c][d] */
INLINE void project_rows(float *y, const float *x, const float *w, int64_t rows, int64_t c, int64_t d)
{
    for (int64_t column = 0; column < d; column += PANEL)
        for (int64_t i = 0; i < rows; i += GROUP) {
            vec acc[GROUP][NV];
            vmask in[NV];
#pragma GCC unroll 4
            for (int v = 0; v < NV; v++)
                in[v] = vfirst(d - column - v * LANES);
#pragma GCC unroll 8
            for (int r = 0; r < GROUP; r++)
#pragma GCC unroll 4
                for (int v = 0; v < NV; v++)
                    acc[r][v] = vset(0);
            for (int64_t k = 0; k < c; k++) {
                vec b[NV];
#pragma GCC unroll 4
                for (int v = 0; v < NV; v++)
                    b[v] = vload_some(in[v], w + k * d + column + v * LANES);
#pragma GCC unroll 8
                for (int r = 0; r < GROUP; r++) {
                    vec a = vset(x[at_most(i + r, rows - 1) * c + k]);
#pragma GCC unroll 4
                    for (int v = 0; v < NV; v++)
                        acc[r][v] = vfma(a, b[v], acc[r][v]);
                }
            }
            for (int64_t r = 0; r < GROUP && i + r < rows; r++)
                for (int v = 0; v < NV; v++)
                    vstore_some(in[v], y + (i + r) * d + column + v * LANES, acc[r][v]);
        }
}
#endif
