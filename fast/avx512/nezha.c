/* Functional relative positions, 16 lanes, by fast/core/relative/band.h.   Wei et al. 2019, section 2.2
 * v0  the definition, a gather of d floats for each pair: fast/nezha.c
 * v1  as row shaw, with a table that is made in each call
 * Gradients: fast/core/lines/line_grad_tile.h */
#include "relative/band.h"
#include "relative/distance.h"
#include "lines/line_tables.h"

static int some(const struct mer_call *c) { return run_nezha(c, &flash_slot_avx512, BAND_SHORT); }
static int many(const struct mer_call *c) { return run_nezha(c, &flash_slot_avx512, BAND_LONG); }
static int back(const struct mer_call *c) { return line_grad_nezha(c, line_avx512); }

#define STEPS \
    "sums=apart dot=f32/lanes1 join=f32 score=f32 shift=f32 exp=f32:2.5 product=f32 div=f32 log=f32:2 sum=f32/lanes1 " \
    "gather=f32 total=f32/lanes16 store=f32 "
const struct mer_kernel nezha_avx512[] = {
    { "nezha", "o lse", "f32", STEPS, 0, some, prepare_nezha, band_release },
    { "nezha", "o lse", "f32", STEPS "softmax=online block=1 rescale=f32", 0, many, prepare_nezha, band_release },
    { "nezha", "dq dk dv", "f32", LINE_GRAD_STEPS "total=f32/lanes16 store=f32", 0, back, line_grad_prepare_nezha,
        distance_release },
    { 0 },
};
