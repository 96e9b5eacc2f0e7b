/* Rectified rotary encoding, 8 lanes:
 * fast/core/relative/rotary_far.h, which has the ladder of versions.
 *   Su 2023, github.com/bojone/rerope */
#include "relative/rotary_far.h"

extern const struct mer_kernel rope_avx2[];
static int some(const struct mer_call *c) { return far_attend(c, &flash_slot_avx2, rope_avx2, FAR_SHORT); }
static int many(const struct mer_call *c) { return far_attend(c, &flash_slot_avx2, rope_avx2, FAR_LONG); }

#define STEPS FAR_STEPS "total=f32/lanes8 "
#define ONLINE "softmax=online block=1 rescale=f32"
const struct mer_kernel rerope_avx2[] = {
    { "rerope", "o lse", "f32", STEPS, 0, some, prepare_rerope, far_release },
    { "rerope", "o lse", "f32", STEPS ONLINE, 0, many, prepare_rerope, far_release },
    { 0 },
};
