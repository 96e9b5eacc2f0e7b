/* Rotary encoding of bf16, rounded by vcvtneps2bf16, in the half layout only.  The instruction reads a subnormal float
 * as zero and flushes subnormal results, whatever MXCSR says (Intel SDM vol. 2, VCVTNEPS2BF16), so 16 lanes that hold a
 * subnormal are rounded by integer arithmetic instead. */
#include "rotate/rotate512.h"

INLINE void store_converted(void *y, int64_t at, __mmask16 m, __m512 v)
{
    enum { SUBNORMAL = 0x20 };
    if (__builtin_expect(_mm512_fpclass_ps_mask(v, SUBNORMAL) != 0, 0))
        store_bf16(y, at, m, v);
    else
        _mm256_mask_storeu_epi16((uint16_t *)y + at, m, (__m256i)_mm512_cvtneps_pbh(v));
}
INLINE void half_bf16(struct rope_rows of) { half_rows(of, 0, load_bf16, store_converted); }
static void turn_bf16(void *y, const void *x, const float *cos, const float *sin, const struct rope_shape *s)
{
    rope_each(y, x, cos, sin, s, 2, half_bf16, half_bf16);
}
static int y_bf16(const struct mer_call *c) { return rotate_interleaved(c) ? MER_SKIP : rotate_run(c, turn_bf16); }

const struct mer_kernel rope_avx512bf16[] = {
    { "rope", "y", "bf16", ROPE_PROFILE, 1.0001, y_bf16, rotate_prepare, rotate_release },
    { "rope", "dx", "bf16", ROPE_PROFILE, 1.0001, y_bf16, rotate_prepare_back, rotate_release },
    { 0 },
};
