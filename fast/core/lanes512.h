/* Sixteen lanes of float32: what the tiles of attention, products, norms and activations are written in, so that one
 * body serves slots of different widths.  lanes256.h and lanes512.h define the same names.  A masked lane is neither
 * read nor written, so it cannot fault; loads give 0 there.  Memory may be unaligned. */
#ifndef LANES512_H
#define LANES512_H
#include <immintrin.h>
#include <stdint.h>
#include "inline.h"

typedef __m512 vec;
typedef __mmask16 vmask;
/* NV vectors are as wide as a register tile: 6 x 4 accumulators, 4 loads and 1 broadcast take 29 of 32 registers. */
enum { LANES = 16, NV = 4 };

INLINE vec vset(float x) { return _mm512_set1_ps(x); }
INLINE vec vload(const float *p) { return _mm512_loadu_ps(p); }
INLINE void vstore(float *p, vec x) { _mm512_storeu_ps(p, x); }
INLINE vec vadd(vec x, vec y) { return _mm512_add_ps(x, y); }
INLINE vec vsub(vec x, vec y) { return _mm512_sub_ps(x, y); }
INLINE vec vmul(vec x, vec y) { return _mm512_mul_ps(x, y); }
INLINE vec vdiv(vec x, vec y) { return _mm512_div_ps(x, y); }
INLINE vec vfma(vec x, vec y, vec z) { return _mm512_fmadd_ps(x, y, z); }
/* The greater one; y where either is a NaN. */
INLINE vec vmax(vec x, vec y) { return _mm512_max_ps(x, y); }
/* The greatest lane. */
INLINE float vtop(vec x) { return _mm512_reduce_max_ps(x); }
/* The sum of all lanes by a balanced tree: halves, then quarters, and so on. */
INLINE float vtree(vec x) { return _mm512_reduce_add_ps(x); }
/* Lane l is vtree(a[l]), to the bit: each step adds the halves of two sums, side by side.  a[LANES] is overwritten. */
INLINE vec vtrees(vec *a)
{
#pragma GCC unroll 8
    for (int l = 0; l < 8; l++) {
        const int at = l / 4 * 8 + l % 4; /* 0 to 3 and 8 to 11 */
        a[at] = _mm512_add_ps(
            _mm512_shuffle_f32x4(a[at], a[at + 4], 0x44), _mm512_shuffle_f32x4(a[at], a[at + 4], 0xee));
    }
#pragma GCC unroll 4
    for (int l = 0; l < 4; l++)
        a[l] = _mm512_add_ps(
            _mm512_shuffle_f32x4(a[l], a[l + 8], 0x88), _mm512_shuffle_f32x4(a[l], a[l + 8], 0xdd));
#pragma GCC unroll 2
    for (int l = 0; l < 4; l += 2) {
        const __m512d x = _mm512_castps_pd(a[l]), y = _mm512_castps_pd(a[l + 1]);
        a[l] = _mm512_add_ps(
            _mm512_castpd_ps(_mm512_unpacklo_pd(x, y)), _mm512_castpd_ps(_mm512_unpackhi_pd(x, y)));
    }
    return _mm512_add_ps(_mm512_shuffle_ps(a[0], a[2], 0x88), _mm512_shuffle_ps(a[0], a[2], 0xdd));
}

/* lanes 0 .. n - 1 */
INLINE vmask vfirst(int64_t n) { return n >= 16 ? (vmask)0xffff : n <= 0 ? (vmask)0 : (vmask)((1u << n) - 1); }
/* Lanes lo .. hi - 1; either may lie outside 0 .. LANES. */
INLINE vmask vbetween(int64_t lo, int64_t hi) { return vfirst(hi) & (vmask)~vfirst(lo); }
INLINE vec vpick(vmask m, vec x, vec y) { return _mm512_mask_blend_ps(m, y, x); } /* x where m */
/* The lanes of m where x differs from y, or either is a NaN. */
INLINE vmask vunlike(vmask m, vec x, vec y) { return _mm512_mask_cmp_ps_mask(m, x, y, _CMP_NEQ_UQ); }
INLINE unsigned vbits(vmask m) { return m; }
/* The lanes of m whose keep[lane] is not 0; the bytes of other lanes are not read. */
INLINE vmask vkept(vmask m, const uint8_t *keep)
{
    __m128i k = _mm_maskz_loadu_epi8(m, keep);
    return m & _mm_test_epi8_mask(k, k);
}
INLINE vec vload_some(vmask m, const float *p) { return _mm512_maskz_loadu_ps(m, p); }
INLINE void vstore_some(vmask m, float *p, vec x) { _mm512_mask_storeu_ps(p, m, x); }
/* p[index[lane] + lane step] */
INLINE vec vload_at(vmask m, const float *p, const int32_t *index, int step)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m,
        _mm512_add_epi32(_mm512_maskz_loadu_epi32(m, index), _mm512_mullo_epi32(lane, _mm512_set1_epi32(step))), p, 4);
}
/* p[index[lane]] of the first n lanes, 0 in others; p has `size` floats.  Where all of
 * them lie less than LANES above the last one, a permutation of one load takes the place of a gather. */
INLINE vec vload_near(int64_t n, const float *p, const int32_t *index, int64_t size)
{
    const vmask m = vfirst(n);
    const int32_t least = index[n < LANES ? n - 1 : LANES - 1];
    const __m512i at = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(m, index), _mm512_set1_epi32(least));
    if (_mm512_mask_cmpge_epu32_mask(m, at, _mm512_set1_epi32(LANES)))
        return vload_at(m, p, index, 0);
    return _mm512_permutexvar_ps(at, vload_some(vfirst(size - least), p + least));
}
/* Of p[n][2], n <= LANES: the first and the second entries; 0 in the lanes beyond n. */
INLINE void vload_pairs(int64_t n, const float *p, vec *even, vec *odd)
{
    const __m512i two = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    vec a = vload_some(vfirst(2 * n), p), b = vload_some(vfirst(2 * n - LANES), p + LANES);
    *even = _mm512_permutex2var_ps(a, two, b),
    *odd = _mm512_permutex2var_ps(a, _mm512_add_epi32(two, _mm512_set1_epi32(1)), b);
}
/* The inverse: p[n][2], n <= LANES. */
INLINE void vstore_pairs(int64_t n, float *p, vec even, vec odd)
{
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    vstore_some(vfirst(2 * n), p, _mm512_permutex2var_ps(even, first, odd));
    vstore_some(vfirst(2 * n - LANES), p + LANES,
        _mm512_permutex2var_ps(even, _mm512_add_epi32(first, _mm512_set1_epi32(8)), odd));
}
/* bf16 numbers, widened. */
INLINE vec vload_half(vmask m, const uint16_t *p)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(m, p)), 16));
}
INLINE vec vload_half_whole(const uint16_t *p) /* LANES of them */
{
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)p)), 16));
}
/* 2 LANES bf16 numbers, widened: the even ones and the odd ones. */
INLINE void vsplit_half(const uint16_t *p, vec *even, vec *odd)
{
    __m512i x = _mm512_loadu_si512(p);
    __asm__("" : "+v"(x)); /* so that memory is read once: lines that a load crosses cost two reads each time */
    *even = _mm512_castsi512_ps(_mm512_slli_epi32(x, 16));
    *odd = _mm512_castsi512_ps(_mm512_and_si512(x, _mm512_set1_epi32((int32_t)0xffff0000)));
}
/* f16 numbers, widened; and LANES of them. */
INLINE vec vload_f16(vmask m, const uint16_t *p) { return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(m, p)); }
INLINE vec vload_f16_whole(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
/* LANES numbers of 8-bit codes, exactly: the first n bytes of p; 0 in the lanes beyond n. */
INLINE __m128i vbytes(int64_t n, const uint8_t *p) { return _mm_maskz_loadu_epi8(vfirst(n), p); }
INLINE vec vint8(__m128i b) { return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(b)); }
INLINE vec vuint8(__m128i b) { return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(b)); }
/* e5m2 is the upper half of f16, e4m3 lies in it one place lower, 2^-8 times as large, and has NaN in its last place
 * alone. */
INLINE vec ve5m2(__m128i b) { return _mm512_cvtph_ps(_mm256_slli_epi16(_mm256_cvtepu8_epi16(b), 8)); }
INLINE vec ve4m3(__m128i b)
{
    const __m256i most = _mm256_set1_epi16(0x3f80),
                  x = _mm256_and_si256(_mm256_slli_epi16(_mm256_cvtepi8_epi16(b), 7), _mm256_set1_epi16((short)0xbf80)),
                  nan = _mm256_cmpeq_epi16(_mm256_and_si256(x, most), most);
    return _mm512_mul_ps(_mm512_cvtph_ps(_mm256_or_si256(x, nan)), _mm512_set1_ps(256));
}
/* The same of 2 LANES codes. */
INLINE void vint8_two(const uint8_t *p, vec *y)
{
    y[0] = vint8(_mm_loadu_si128((const __m128i *)(const void *)p));
    y[1] = vint8(_mm_loadu_si128((const __m128i *)(const void *)(p + LANES)));
}
INLINE void vf16_two(__m512i h, vec *y)
{
    y[0] = _mm512_cvtph_ps(_mm512_castsi512_si256(h)), y[1] = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(h, 1));
}
INLINE __m256i vbytes_two(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
INLINE void ve5m2_two(const uint8_t *p, vec *y)
{
    vf16_two(_mm512_slli_epi16(_mm512_cvtepu8_epi16(vbytes_two(p)), 8), y);
}
/* 2^-8 times the numbers. */
INLINE void ve4m3_two(const uint8_t *p, vec *y)
{
    const __m512i most = _mm512_set1_epi16(0x3f80),
                  x = _mm512_and_si512(_mm512_slli_epi16(_mm512_cvtepi8_epi16(vbytes_two(p)), 7),
                      _mm512_set1_epi16((short)0xbf80));
    const __mmask32 nan = _mm512_cmpeq_epi16_mask(_mm512_and_si512(x, most), most);
    vf16_two(_mm512_mask_mov_epi16(x, nan, _mm512_set1_epi16(-1)), y);
}
/* table[c] of LANES 4-bit codes c, the first one in the lower half of the first byte. */
INLINE vec vnibbles(__m128i b, const float *table)
{
    const __m512i turn = _mm512_setr_epi32(0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4);
    return _mm512_permutexvar_ps(
        _mm512_srlv_epi32(_mm512_cvtepu8_epi32(_mm_unpacklo_epi8(b, b)), turn), vload(table));
}
/* The same of 2 LANES codes.  A permutation looks at the last four bits of an index only. */
INLINE void vnibbles_two(const uint8_t *p, const float *table, vec *y)
{
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
                  b = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
    const vec all = vload(table), even = _mm512_permutexvar_ps(b, all),
              odd = _mm512_permutexvar_ps(_mm512_srli_epi32(b, 4), all);
    y[0] = _mm512_permutex2var_ps(even, first, odd);
    y[1] = _mm512_permutex2var_ps(even, _mm512_add_epi32(first, _mm512_set1_epi32(8)), odd);
}
/* Two bf16 numbers in each lane: low, shifted to the lower half, and high; both must be exact in bf16. */
INLINE vec vpair(vec low, vec high)
{
    return _mm512_castsi512_ps(
        _mm512_or_si512(_mm512_srli_epi32(_mm512_castps_si512(low), 16), _mm512_castps_si512(high)));
}
/* Rounded to bf16: to_bf16 of half.h. */
INLINE void vstore_half(vmask m, uint16_t *p, vec x)
{
    __m512i b = _mm512_castps_si512(x), odd = _mm512_and_si512(_mm512_srli_epi32(b, 16), _mm512_set1_epi32(1));
    __m512i r = _mm512_add_epi32(_mm512_add_epi32(b, _mm512_set1_epi32(0x7fff)), odd);
    r = _mm512_mask_or_epi32(r, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), b, _mm512_set1_epi32(0x400000));
    _mm256_mask_storeu_epi16(p, m, _mm512_cvtepi32_epi16(_mm512_srli_epi32(r, 16)));
}
/* Rounded to f16: to_f16 of half.h. */
INLINE void vstore_f16(vmask m, uint16_t *p, vec x)
{
    _mm256_mask_storeu_epi16(p, m, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
/* The nearest whole number, ties to even. */
INLINE vec vnearest(vec x) { return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
/* x 2^n, rounded once where the result is subnormal, and 0 where not live.  A result that is rounded to 0 costs an
 * assist of the microcode, about 150 cycles: a tile of scores half of whose keys are hidden took twice its time.  So
 * lanes that are known to give 0 are not computed. */
INLINE vec vscale2(vmask live, vec x, vec n) { return _mm512_maskz_scalef_ps(live, x, n); }
#endif
