/* Rectified rotary encoding, 16 lanes:
 * fast/core/relative/rotary_far.h, which has the ladder of versions.
 *   Su 2023, github.com/bojone/rerope */
#include "relative/rotary_far.h"

#define FEW FAR_STEPS "total=f32/lanes16 dot=f32/lanes16"
#define MANY FAR_STEPS "total=f32/lanes16 dot=f32/lanes1"
const struct mer_kernel rerope_avx512[] = {
    { "rerope", "o lse", "f32", MANY, 0, far_many_short_avx512, prepare_rerope, far_release },
    { "rerope", "o lse", "f32", FAR_ONLINE MANY, 0, far_many_long_avx512, prepare_rerope, far_release },
    { "rerope", "o lse", "f32", FEW, 0, far_few_short_avx512, prepare_rerope, far_release },
    { "rerope", "o lse", "f32", FAR_ONLINE FEW, 0, far_few_long_avx512, prepare_rerope, far_release },
    { 0 },
};
