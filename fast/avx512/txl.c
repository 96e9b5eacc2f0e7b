/* Transformer-XL's relative attention, 16 lanes, by fast/core/relative/band.h.   Dai et al. 2019, section 3.3
 * v0  the definition, two dot products for each pair: fast/txl.c
 * v1  place terms once for each query and distance that it sees, then slices of them, so that there are neither pairs
 *     nor the paper's shift: 1/20 of the time of v0 with a clamp
 * v2  W_kR R by register tiles, some queries of a head at a time: without a clamp, 1024 keys, from 3.9 to 2.7 times the
 *     time of plain attention
 * v3  without a clamp the place terms are products of the tile itself, stored where its keys stand, and never whole
 *     rows: from 2.3 to 1.6 times that
 * Gradients: fast/core/lines/line_grad_tile.h */
#include "relative/band.h"
#include "relative/distance.h"
#include "lines/line_tables.h"

static int some(const struct mer_call *c) { return run_txl(c, &flash_slot_avx512, BAND_SHORT); }
static int many(const struct mer_call *c) { return run_txl(c, &flash_slot_avx512, BAND_LONG); }
static int back(const struct mer_call *c) { return line_grad_txl(c, line_avx512); }

#define STEPS \
    "dot=f32/lanes1 join=f32 bias=f32 score=f32 shift=f32 exp=f32:2.5 div=f32 log=f32:2 sum=f32/lanes1 " \
    "total=f32/lanes16 project=f32 collect=f32/lanes1 store=f32 "
const struct mer_kernel txl_avx512[] = {
    { "txl", "o lse", "f32", STEPS, 0, some, prepare_txl, band_release },
    { "txl", "o lse", "f32", STEPS "softmax=online block=1 rescale=f32", 0, many, prepare_txl, band_release },
    { "txl", "dq dk dv du dvr dwr", "f32", LINE_GRAD_STEPS "total=f32/lanes16 bias=f32 project=f32 collect=f32/lanes1 "
        "store=f32", 0, back, distance_prepare, distance_release },
    { 0 },
};
