/* Rotary encoding with grouped far positions, 16 lanes:
 * fast/core/relative/rotary_far.h, which has the ladder of versions.
 *   Jin et al. 2024, arXiv:2401.01325, algorithm 1 */
#include "relative/rotary_far.h"

extern const struct mer_kernel rope_avx512[];
static int some(const struct mer_call *c) { return far_attend(c, &flash_slot_avx512, rope_avx512, FAR_SHORT); }
static int many(const struct mer_call *c) { return far_attend(c, &flash_slot_avx512, rope_avx512, FAR_LONG); }

#define STEPS FAR_STEPS "total=f32/lanes16 "
#define ONLINE "softmax=online block=1 rescale=f32"
const struct mer_kernel selfextend_avx512[] = {
    { "selfextend", "o lse", "f32", STEPS, 0, some, prepare_selfextend, far_release },
    { "selfextend", "o lse", "f32", STEPS ONLINE, 0, many, prepare_selfextend, far_release },
    { 0 },
};
