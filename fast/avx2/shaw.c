/* Relative position representations, 8 lanes, by fast/core/relative/band.h.
 * Shaw, Uszkoreit, Vaswani 2018, eq. 3-5
 * v0  the definition, a gather of d floats for each pair: fast/shaw.c
 * v1  place terms once for each query and row of the table, then slices of them; values beyond the clip by the sums of
 *     their weights: 1/20 of the time of v0
 * Gradients: fast/core/lines/line_grad_tile.h */
#include "relative/band.h"
#include "lines/line_tables.h"

static int some(const struct mer_call *c) { return run_shaw(c, &flash_slot_avx2, BAND_SHORT); }
static int many(const struct mer_call *c) { return run_shaw(c, &flash_slot_avx2, BAND_LONG); }
static int back(const struct mer_call *c) { return line_grad_shaw(c, line_avx2); }

#define STEPS \
    "sums=apart dot=f32/lanes1 join=f32 score=f32 shift=f32 exp=f32:2.5 product=f32 div=f32 log=f32:2 sum=f32/lanes1 " \
    "gather=f32 total=f32/lanes8 "
const struct mer_kernel shaw_avx2[] = {
    { "shaw", "o lse", "f32", STEPS, 0, some, prepare_shaw, band_release },
    /* block=1 bounds every block size: no blocks of keys have more rescalings. */
    { "shaw", "o lse", "f32", STEPS "route=online block=1 rescale=f32", 0, many, prepare_shaw, band_release },
    { "shaw", "dq dk dv dtk dtv", "f32", LINE_GRAD_STEPS "total=f32/lanes8", 0, back },
    { 0 },
};
