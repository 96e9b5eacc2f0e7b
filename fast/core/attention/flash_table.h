/* Products of a relative encoding's tables, before and beside attention: for flash_place.h and the rows of band.h.
 * Each product is one accumulator over its sum in order, fused. */
#ifndef FLASH_TABLE_H
#define FLASH_TABLE_H
#include "attention/flash.h"
#include "attention/flash_place.h"

/* y[n][columns] = x[n][d] w[columns][d]^T of the place's columns */
INLINE void multiply_rows(const struct flash *of, float *y, const float *x, const float *w)
{
    const int64_t n = of->n, columns = of->place->columns, d = of->d;
    const struct flash f = { .h = 1, .g = 1, .n = n, .m = columns, .d = d, .q = x, .k = w };
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

/* rows to whole PANELs, the last filled with 0 */
INLINE void pack_lines(float *to, const float *lines, int64_t rows, int64_t d)
{
    const struct flash f = { .m = rows, .d = d, .k = lines };
    pack_keys(to, &f, 0, 0, rows);
}

/* y[rows][ROW] = <x_row, key> of a packed block's keys; q[rows to whole 6s][d] packed */
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

/* y[rows][d] = x[rows][c] w[c][d]: each one accumulator over c in order, fused. */
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
