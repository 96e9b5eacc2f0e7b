/* Disentangled attention, 8 lanes, by fast/core/relative/band.h.   He, Liu, Gao, Chen 2021, eq. 2-4
 * v0  the definition, three dot products for each pair: fast/deberta.c
 * v1  products with both tables once for each query and once for each key, then two look-ups for each pair of the band,
 *     and one sum beyond it; the gains stand in fast/avx512/deberta.c
 * Gradients: fast/core/lines/line_grad_tile.h */
#include "relative/band.h"
#include "lines/line_tables.h"

static int some(const struct mer_call *c) { return run_deberta(c, &flash_slot_avx2, BAND_SHORT); }
static int many(const struct mer_call *c) { return run_deberta(c, &flash_slot_avx2, BAND_LONG); }
static int back(const struct mer_call *c) { return line_grad_deberta(c, line_avx2); }

#define STEPS \
    "sums=places-first dot=f32/lanes1 join=f32 score=f32 shift=f32 exp=f32:2.5 div=f32 log=f32:2 sum=f32/lanes1 " \
    "total=f32/lanes8 "
const struct mer_kernel deberta_avx2[] = {
    { "deberta", "o lse", "f32", STEPS, 0, some, prepare_deberta, band_release },
    { "deberta", "o lse", "f32", STEPS "softmax=online block=1 rescale=f32", 0, many, prepare_deberta, band_release },
    { "deberta", "dq dk dv dkr dqr", "f32", LINE_GRAD_STEPS "total=f32/lanes8", 0, back },
    { 0 },
};
