/* XLNet's relative attention, 16 lanes, by fast/core/relative/band.h.   Yang et al. 2019, sections 2.4, 2.5
 * v0  the definition, three dot products and that of a segment for each pair: fast/xlnet.c
 * v1  as row txl, on both sides; the products with segments once for each query, so that a pair takes two products
 * more:
 *     1/55 of the time of v0 (256 keys, clip 64), 1.5 to 1.7 times that of plain attention, 2.1 times without a clip */
#include "relative/band.h"

static int some(const struct mer_call *c) { return run_xlnet(c, &flash_slot_avx512, BAND_SHORT); }
static int many(const struct mer_call *c) { return run_xlnet(c, &flash_slot_avx512, BAND_LONG); }

#define STEPS                                                                                                          \
    "sums=places-first dot=f32/lanes1 product=f32 join=f32 bias=f32 score=f32 shift=f32 exp=f32:2.5 div=f32 "          \
    "log=f32:2 "                                                                                                       \
    "sum=f32/lanes1 total=f32/lanes16 project=f32 collect=f32/lanes1 store=f32 "
const struct mer_kernel xlnet_avx512[] = {
    { "xlnet", "o lse", "f32", STEPS, 0, some, prepare_xlnet, band_release },
    { "xlnet", "o lse", "f32", STEPS "softmax=online block=1 rescale=f32", 0, many, prepare_xlnet, band_release },
    { 0 },
};
