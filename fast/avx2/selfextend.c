/* Rotary encoding with grouped far positions, 8 lanes:
 * fast/core/relative/rotary_far.h, which has the ladder of versions.
 *   Jin et al. 2024, arXiv:2401.01325, algorithm 1 */
#include "relative/rotary_far.h"

#define FEW FAR_STEPS "total=f32/lanes8 dot=f32/lanes8"
#define MANY FAR_STEPS "total=f32/lanes8 dot=f32/lanes1"
const struct mer_kernel selfextend_avx2[] = {
    { "selfextend", "o lse", "f32", MANY, 0, far_many_short_avx2, prepare_selfextend, far_release },
    { "selfextend", "o lse", "f32", FAR_ONLINE MANY, 0, far_many_long_avx2, prepare_selfextend, far_release },
    { "selfextend", "o lse", "f32", FEW, 0, far_few_short_avx2, prepare_selfextend, far_release },
    { "selfextend", "o lse", "f32", FAR_ONLINE FEW, 0, far_few_long_avx2, prepare_selfextend, far_release },
    { 0 },
};
