/* Rotary encoding with grouped far positions, 16 lanes:
 * fast/core/relative/rotary_far.h, which has the ladder of versions.
 *   Jin et al. 2024, arXiv:2401.01325, algorithm 1 */
#include "relative/rotary_far.h"

extern const struct mer_kernel rope_avx512[];
static int run(const struct mer_call *c, enum flash_which which)
{
    return far_attend(c, &flash_slot_avx512, rope_avx512, which);
}
static int few_short(const struct mer_call *c) { return run(c, FLASH_FEW_SHORT); }
static int few_long(const struct mer_call *c) { return run(c, FLASH_FEW_LONG); }
static int many_short(const struct mer_call *c) { return run(c, FLASH_MANY_SHORT); }
static int many_long(const struct mer_call *c) { return run(c, FLASH_MANY_LONG); }

#define STEPS FAR_STEPS "total=f32/lanes16 "
#define ONLINE "softmax=online block=1 rescale=f32 "
#define FEW "dot=f32/lanes16"
#define MANY "dot=f32/lanes1"
const struct mer_kernel selfextend_avx512[] = {
    { "selfextend", "o lse", "f32", STEPS MANY, 0, many_short, prepare_selfextend, far_release },
    { "selfextend", "o lse", "f32", STEPS ONLINE MANY, 0, many_long, prepare_selfextend, far_release },
    { "selfextend", "o lse", "f32", STEPS FEW, 0, few_short, prepare_selfextend, far_release },
    { "selfextend", "o lse", "f32", STEPS ONLINE FEW, 0, few_long, prepare_selfextend, far_release },
    { 0 },
};
