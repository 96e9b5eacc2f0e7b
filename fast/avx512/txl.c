/* Transformer-XL's relative attention, 16 lanes: core/band.h.   Dai et al. 2019, section 3.3
 * v0  the definition, two dot products a pair: fast/txl.c
 * v1  place terms once per query and distance that it sees, then slices of them: neither pairs nor the shift: 1/20 of
 *     v0 with a clamp
 * v2  W_kR R by register tiles, some queries of a head at a time (no clamp, 1024 keys: 3.9 -> 2.7 x plain attention)
 * v3  without a clamp the place terms are products of the tile itself, stored where its keys stand: never a row of them
 *     (2.3 -> 1.6 x) */
#include "relative/band.h"

static int some(const struct mer_call *c) { return run_txl(c, &flash_slot_avx512, BAND_SHORT); }
static int many(const struct mer_call *c) { return run_txl(c, &flash_slot_avx512, BAND_LONG); }

#define STEPS \
    "dot=f32/lanes1 join=f32 bias=f32 score=f32 shift=f32 exp=f32:2.5 div=f32 log=f32:2 sum=f32/lanes1 " \
    "total=f32/lanes16 project=f32 collect=f32/lanes1 store=f32 "
const struct mer_kernel txl_avx512[] = {
    { "txl", "o lse", "f32", STEPS, 0, some, prepare_txl, band_release },
    { "txl", "o lse", "f32", STEPS "softmax=online block=1 rescale=f32", 0, many, prepare_txl, band_release },
    { 0 },
};
