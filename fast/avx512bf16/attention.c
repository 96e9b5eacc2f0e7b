/* Scaled dot-product attention of bf16 by vdpbf16ps: two products a lane, weights stored in bf16 for the value product, the rest in
 * float32.  The instruction takes subnormal inputs as zero and flushes subnormal results (Intel SDM vol. 2, VDPBF16PS: DAZ, FTZ,
 * to nearest even, whatever MXCSR says), and its order inside a pair is the processor's: any tree is declared.
 * Inputs with a subnormal, an infinity or a NaN go to slot avx512, whose float32 arithmetic lies in the same profile. */
#include "lanes512.h"
enum { PAIRS = 1 };
INLINE vec vdot(vec acc, vec x, vec y) { return _mm512_dpbf16_ps(acc, (__m512bh)_mm512_castps_si512(x), (__m512bh)_mm512_castps_si512(y)); }
/* bf16 from the start of the row of floats: 2j + 32 bytes, read up to 4j + 64, so nothing unread is overwritten */
INLINE void put_weights(float *row, int64_t j, vec p) { _mm256_storeu_si256((__m256i *)(void *)((uint16_t *)(void *)row + j), (__m256i)_mm512_cvtneps_pbh(p)); }
#include "flash_tile.h"

static int plain(const uint16_t *x, int64_t n) /* zeros and normal numbers only */
{
    __mmask32 bad = 0;
    for (int64_t k = 0; k < n && !bad; k += 32) {
        __mmask32 here = n - k >= 32 ? 0xffffffffu : (1u << (n - k)) - 1;
        __m512i v = _mm512_maskz_loadu_epi16(here, x + k), size = _mm512_and_si512(v, _mm512_set1_epi16(0x7fff));
        /* subnormal 1 .. 0x7f, not finite 0x7f80 ..: unsigned size - 1 < 0x7f; size >= 0x7f80 */
        bad = _mm512_cmplt_epu16_mask(_mm512_sub_epi16(size, _mm512_set1_epi16(1)), _mm512_set1_epi16(0x7f)) | _mm512_cmpge_epu16_mask(size, _mm512_set1_epi16(0x7f80));
    }
    return !bad;
}
static int attend(const struct flash *f)
{
    const int64_t size[] = { f->h * f->n * f->d, f->g * f->m * f->d, f->g * f->m * f->e };
    if (plain(f->q, size[0]) && plain(f->k, size[1]) && plain(f->v, size[2]))
        return attend_tiles(f);
    return flash_wide(f);
}
static int many_short(const struct mer_call *c) { return flash_run(c, FLASH_MANY_SHORT, attend); }
static int many_long(const struct mer_call *c) { return flash_run(c, FLASH_MANY_LONG, attend); }

#define STEPS "dot=f32 product=f32 score=f32 bias=f32 shift=f32 exp=f32:2.5 weight=bf16 sum=f32 total=f32/lanes16 div=f32 log=f32:2 ftz=on "
/* No gauge is claimed: none is derived yet.  The profile's bound is what is checked. */
const struct mer_kernel attention_avx512bf16[] = {
    { "attention", "o lse", "bf16", STEPS, 0, many_short, flash_prepare, flash_release },
    { "attention", "o lse", "bf16", STEPS "route=online block=1 rescale=f32", 0, many_long, flash_prepare, flash_release },
    { 0 },
};
