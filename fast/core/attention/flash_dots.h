/* The inner loop of scores: acc[GROUP][nv vectors] = q[units][GROUP]^T kt[units][PANEL].  A unit of q is broadcast, and
 * each vector takes one fused vdot; each sum is one accumulator over the units in order. */
#ifndef FLASH_DOTS_H
#define FLASH_DOTS_H
#include "attention/flash_pack.h"

INLINE void products(vec acc[GROUP][NV], const float *q, const float *kt, int64_t units, int nv)
{
#pragma GCC unroll 8
    for (int r = 0; r < GROUP; r++)
#pragma GCC unroll 4
        for (int c = 0; c < nv; c++)
            acc[r][c] = vset(0);
    for (int64_t t = 0; t < units; t++, kt += PANEL, q += GROUP) {
        vec b[NV];
#pragma GCC unroll 4
        for (int c = 0; c < nv; c++)
            b[c] = vload(kt + c * LANES);
#pragma GCC unroll 8
        for (int r = 0; r < GROUP; r++) {
            vec a = vset(q[r]);
#pragma GCC unroll 4
            for (int c = 0; c < nv; c++)
                acc[r][c] = vdot(acc[r][c], a, b[c]);
        }
    }
}
#endif
