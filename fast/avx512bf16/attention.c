/* Scaled dot-product attention of bf16 by vdpbf16ps: two products in each lane, weights stored in bf16 for the value
 * product, the rest in float32.  The instruction takes subnormal inputs as zero and flushes subnormal results (Intel
 * SDM vol. 2, VDPBF16PS: DAZ, FTZ, to nearest even, whatever MXCSR says), and its order inside a pair is the
 * processor's, so any tree is declared.  Inputs with a subnormal, an infinity or a NaN go to slot avx512, whose float32
 * arithmetic lies in the same profile. */
#include "attention/flash_pairs.h"
/* A unit is two bf16 numbers; a register tile has GROUP queries; a product takes DEPTH units. */
enum { PAIRS = 1, GROUP = 6, DEPTH = 1 };
#include "attention/flash_product.h"
#include "attention/flash_tile.h"

static int attend(const struct flash *f)
{
    return f->type == MER_BF16 && plain(f) ? attend_tiles(f) : flash_wide(f);
}
static int many_short(const struct mer_call *c) { return flash_run(c, FLASH_MANY_SHORT, attend); }
static int many_long(const struct mer_call *c) { return flash_run(c, FLASH_MANY_LONG, attend); }

#define STEPS \
    FLASH_EXTRAS "tanh=f32:5 dot=f32 product=f32 score=f32 bias=f32 shift=f32 exp=f32:2.5 weight=bf16 sum=f32 " \
    "total=f32/lanes16 div=f32 log=f32:2 ftz=on "
/* No gauge is claimed, since none is derived; what is checked is the bound that the profile implies. */
const struct mer_kernel attention_avx512bf16[] = {
    { "attention", "o lse", "bf16", STEPS, 0, many_short, flash_prepare, flash_release },
    { "attention", "o lse", "bf16", STEPS "route=online block=1 rescale=f32", 0, many_long, flash_prepare,
        flash_release },
    { 0 },
};
