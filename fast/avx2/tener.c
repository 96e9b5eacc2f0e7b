/* Direction-aware attention, 8 lanes, both ways by lines of distances: fast/core/lines/line_grad_tile.h.
 * Yan, Deng, Li, Qiu 2019, eq. 6-8
 * v0  the definition, four dot products for each pair: fast/tener.c
 * v1  keys side by side in lanes, the terms of a key alone and of a distance alone made once: a training step of the
 *     laboratory in 1/2.6 of the time of v0 */
#include "lines/line_rows.h"
#include "table/sines.h"

static int both(const struct mer_call *c) { return line_tener(c, line_avx2); }

const struct mer_kernel tener_avx2[] = {
    { "tener", "o lse", "f32", LINE_STEPS "total=f32/lanes8 " SINES_STEPS, 0, both, tener_prepare, free },
    { "tener", "dq dk dv du dw", "f32", LINE_GRAD_STEPS "total=f32/lanes8 " SINES_STEPS, 0, both, tener_prepare,
        free },
    { 0 },
};
