/* Products of a tile in registers: GROUP queries by up to NV vectors of keys (scores) or of columns (outputs).  A unit
 * of q or of the weights is broadcast, and each vector takes one fused vdot.  With 16 lanes and GROUP = 6 that is 24
 * accumulators, 4 loads and 1 broadcast, of 32 registers. */
#ifndef FLASH_PRODUCT_H
#define FLASH_PRODUCT_H
#include "attention/flash_dots.h"
#include "attention/flash_settle.h"

/* Scores of nv vectors of keys into t.s, their greatest into t.peak; with a place, t.s holds the place terms before.
 * RULED leaves the rules to settle_rows. */
INLINE void scores(const struct flash *f, struct panel t, int nv, enum finish how)
{
    vec acc[GROUP][NV];
    const int placed = f->place != NULL;
    products(acc, t.q, t.kt, t.units, nv);
#pragma GCC unroll 8
    for (int r = 0; r < GROUP; r++) {
        struct sight x = how == RULED ? (struct sight){ 0 } : sight_of(f, how, t.h, t.i0 + r, t.j0);
        vec most = vload(t.peak + r * LANES);
#pragma GCC unroll 4
        for (int c = 0; c < nv; c++) {
            vec dot = placed ? vadd(acc[r][c], vload(t.s + r * ROW + c * LANES)) : acc[r][c],
                y = how == RULED ? dot : settle(f, how, &x, dot, c * LANES);
            most = how == RULED ? most : vmax(y, most); /* a NaN is passed over here and shows in the weights */
            vstore(t.s + r * ROW + c * LANES, y);
        }
        vstore(t.peak + r * LANES, most);
    }
    if (how == RULED)
        settle_rows(t.s, t.peak, nv, f, t.h, t.i0, t.j0);
}

/* acc[GROUP][E] += w[GROUP][units] v[units][nv vectors] */
INLINE void gather(float *acc, int64_t E, struct weight_rows w, const float *v, int64_t units, int nv)
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
            vec p = vset(w.p[r * w.across + t * w.along]);
#pragma GCC unroll 4
            for (int c = 0; c < nv; c++)
                a[r][c] = vdot(a[r][c], p, b[c]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < GROUP; r++)
#pragma GCC unroll 4
        for (int c = 0; c < nv; c++)
            vstore(acc + r * E + c * LANES, a[r][c]);
}
#endif
