/* Products of a tile in registers: GROUP = 6 queries by up to NV vectors of keys (scores) or of columns (outputs); a
 * unit of q or of a
 * weight is broadcast, one fused vdot a vector.  avx512: 24 accumulators, 4 loads, 1 broadcast of 32 registers. */
#ifndef FLASH_PRODUCT_H
#define FLASH_PRODUCT_H
#include "attention/flash_dots.h"
#include "attention/flash_settle.h"

INLINE void scores(float *s, float *peak, const float *q, const float *kt, int64_t units, int nv, enum finish how,
    const struct flash *f, int64_t h, int64_t i0, int64_t j0)
{
    vec acc[GROUP][NV];
    const int placed = f->place != NULL; /* then s holds the place terms */
    products(acc, q, kt, units, nv);
#pragma GCC unroll 8
    for (int r = 0; r < GROUP; r++) {
        struct sight x = how == RULED ? (struct sight){ 0 } : sight_of(f, how, h, i0 + r, j0);
        vec most = vload(peak + r * LANES);
#pragma GCC unroll 4
        for (int c = 0; c < nv; c++) {
            vec dot = placed ? vadd(acc[r][c], vload(s + r * ROW + c * LANES)) : acc[r][c],
                y = how == RULED ? dot : settle(f, how, &x, dot, c * LANES);
            most = how == RULED ? most : vmax(y, most); /* a NaN is passed over here and shows in the weights */
            vstore(s + r * ROW + c * LANES, y);
        }
        vstore(peak + r * LANES, most);
    }
    if (how == RULED)
        settle_rows(s, peak, nv, f, h, i0, j0);
}

/* acc[6][.] += p[6][units] v[units][width]; p of row r and unit t at r across + t along */
INLINE void gather(
    float *acc, int64_t E, const float *p, int64_t across, int64_t along, const float *v, int64_t units, int nv)
{
    vec a[GROUP][NV];
#pragma GCC unroll 8
    for (int r = 0; r < GROUP; r++)
#pragma GCC unroll 4
        for (int c = 0; c < nv; c++)
            a[r][c] = vload(acc + r * E + c * LANES);
    for (int64_t t = 0; t < units; t++, v += nv * LANES) {
        vec b[NV];
#pragma GCC unroll 4
        for (int c = 0; c < nv; c++)
            b[c] = vload(v + c * LANES);
#pragma GCC unroll 8
        for (int r = 0; r < GROUP; r++) {
            vec w = vset(p[r * across + t * along]);
#pragma GCC unroll 4
            for (int c = 0; c < nv; c++)
                a[r][c] = vdot(a[r][c], w, b[c]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < GROUP; r++)
#pragma GCC unroll 4
        for (int c = 0; c < nv; c++)
            vstore(acc + r * E + c * LANES, a[r][c]);
}
#endif
