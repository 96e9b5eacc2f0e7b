/* The kernels of a slot that computes in float32, with 8 lanes or 16.  A slot includes lanes256.h or lanes512.h,
 * defines LANES_NAME ("lanes8" or "lanes16"), then includes this.  The profiles of the two slots differ only in the
 * lanes of a total and of the short products of few queries.  exp_all and tanh_all are the bodies of flash_exp_* and
 * flash_tanh_* of flash.h. */
#ifndef FLASH_KERNELS_H
#define FLASH_KERNELS_H
#include "attention/flash.h"
/* A unit is one float; a register tile has GROUP queries; a product takes DEPTH units. */
enum { PAIRS = 0, GROUP = 6, DEPTH = 1 };
INLINE vec vdot(vec acc, vec x, vec y) { return vfma(x, y, acc); }
INLINE void put_weights(float *row, int64_t j, vec p) { vstore(row + j, p); }
#include "attention/flash_product.h"
#include "attention/flash_tile.h"
#include "attention/flash_row.h"
#include "attention/flash_back.h"

static float exp_all(float *y, const float *x, int64_t n, float by)
{
    vec sum = vset(0);
    for (int64_t k = 0; k < n; k += LANES) {
        vec p = vpick(vfirst(n - k), vexp(vsub(vload_some(vfirst(n - k), x + k), vset(by))), vset(0));
        vstore_some(vfirst(n - k), y + k, p);
        sum = vadd(sum, p);
    }
    return vtree(sum);
}
static void tanh_all(float *y, const float *x, int64_t n)
{
    for (int64_t k = 0; k < n; k += LANES)
        vstore_some(vfirst(n - k), y + k, vtanh(vload_some(vfirst(n - k), x + k)));
}
static int few_short(const struct mer_call *c) { return flash_run(c, FLASH_FEW_SHORT, attend_rows); }
static int few_long(const struct mer_call *c) { return flash_run(c, FLASH_FEW_LONG, attend_rows); }
static int many_short(const struct mer_call *c) { return flash_run(c, FLASH_MANY_SHORT, attend_tiles); }
static int many_long(const struct mer_call *c) { return flash_run(c, FLASH_MANY_LONG, attend_tiles); }
static int differentiate(const struct flash_grad *g)
{
    return flash_grad_finite(g) ? back_tiles(g) : flash_grad_plain(g, LANES);
}
static int gradients(const struct mer_call *c) { return flash_grad_run(c, differentiate); }
static int gradients_16(const struct mer_call *c) { return flash_grad_widened(c, gradients); }

#define STEPS \
    FLASH_EXTRAS "tanh=f32:5 score=f32 bias=f32 shift=f32 exp=f32:2.5 div=f32 log=f32:2 sum=f32/lanes1 total=f32/" \
    LANES_NAME " "
/* block=1 bounds every block size: no blocks of keys have more rescalings. */
#define ONLINE "route=online block=1 rescale=f32 "
/* A weight is multiplied by 1 / total, which is rounded itself: below 3 half-ulps and their square. */
#define GRADIENTS                                                                                                      \
    FLASH_EXTRAS                                                                                                       \
        "tanh=f32:5 dot=f32/lanes1 product=f32 score=f32 bias=f32 shift=f32 exp=f32:2.5 total=f32/" LANES_NAME         \
        " div=f32:3.01 sum=f32"
#define FEW "dot=f32/" LANES_NAME
#define MANY "dot=f32/lanes1"
/* No gauge is claimed, since none is derived; what is checked is the bound that the profile implies. */
#define FLASH_KERNELS \
    { "attention", "o lse", "f32", STEPS MANY, 0, many_short, flash_prepare, flash_release }, \
    { "attention", "o lse", "f32", STEPS ONLINE MANY, 0, many_long, flash_prepare, flash_release }, \
    { "attention", "o lse", "f32", STEPS FEW, 0, few_short, flash_prepare, flash_release }, \
    { "attention", "o lse", "f32", STEPS ONLINE FEW, 0, few_long, flash_prepare, flash_release }, \
    { "attention", "o lse", "bf16", STEPS MANY, 0, many_short, flash_prepare, flash_release }, \
    { "attention", "o lse", "bf16", STEPS ONLINE MANY, 0, many_long, flash_prepare, flash_release }, \
    { "attention", "o lse", "bf16", STEPS FEW, 0, few_short, flash_prepare, flash_release }, \
    { "attention", "o lse", "bf16", STEPS ONLINE FEW, 0, few_long, flash_prepare, flash_release }, \
    { "attention", "o lse", "f16", STEPS MANY, 0, many_short, flash_prepare, flash_release }, \
    { "attention", "o lse", "f16", STEPS ONLINE MANY, 0, many_long, flash_prepare, flash_release }, \
    { "attention", "o lse", "f16", STEPS FEW, 0, few_short, flash_prepare, flash_release }, \
    { "attention", "o lse", "f16", STEPS ONLINE FEW, 0, few_long, flash_prepare, flash_release }, \
    { "attention", "dq dk dv", "f32", GRADIENTS, 0, gradients, flash_grad_prepare, flash_release }, \
    { "attention", "dq dk dv", "bf16", GRADIENTS, 0, gradients_16 }, \
    { "attention", "dq dk dv", "f16", GRADIENTS, 0, gradients_16 }, \
    { "attention", "dsink", "f32", GRADIENTS, 0, gradients, flash_grad_prepare, flash_release },
#endif
