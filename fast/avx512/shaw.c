/* Relative position representations, 16 lanes: core/flash_place.h.                                Shaw, Uszkoreit, Vaswani 2018, eq. 3-5 */
#include "shaw_band.h"

static int some(const struct mer_call *c) { return shaw_run(c, &flash_slot_avx512, 1); }
static int many(const struct mer_call *c) { return shaw_run(c, &flash_slot_avx512, 0); }

#define STEPS "sums=apart dot=f32/lanes1 join=f32 score=f32 shift=f32 exp=f32:2.5 product=f32 div=f32 log=f32:2 sum=f32/lanes1 gather=f32 total=f32/lanes16 "
const struct mer_kernel shaw_avx512[] = {
    { "shaw", "o lse", "f32", STEPS, 0, some, shaw_prepare, band_release },
    { "shaw", "o lse", "f32", STEPS "route=online block=1 rescale=f32", 0, many, shaw_prepare, band_release }, /* block=1: at least as many rescalings as any blocks have */
    { 0 },
};
