/* Eight lanes of float32: what the tiles of attention, products, norms and activations are written in, so that one body
 * serves slots of different widths.  lanes256.h and lanes512.h define the same names.  A masked lane is neither read
 * nor written, so it cannot fault; loads give 0 there.  Memory may be unaligned. */
#ifndef LANES256_H
#define LANES256_H
#include <immintrin.h>
#include "inline.h"
#include "half.h"

typedef __m256 vec;
typedef __m256i vmask;       /* all bits of a lane that counts, none of another */
/* NV vectors are as wide as a register tile: 6 x 2 accumulators, 2 loads and 1 broadcast take 15 of 16 registers. */
enum { LANES = 8, NV = 2 };

INLINE vec vset(float x) { return _mm256_set1_ps(x); }
INLINE vec vload(const float *p) { return _mm256_loadu_ps(p); }
INLINE void vstore(float *p, vec x) { _mm256_storeu_ps(p, x); }
INLINE vec vadd(vec x, vec y) { return _mm256_add_ps(x, y); }
INLINE vec vsub(vec x, vec y) { return _mm256_sub_ps(x, y); }
INLINE vec vmul(vec x, vec y) { return _mm256_mul_ps(x, y); }
INLINE vec vdiv(vec x, vec y) { return _mm256_div_ps(x, y); }
INLINE vec vfma(vec x, vec y, vec z) { return _mm256_fmadd_ps(x, y, z); }
/* The greater one; y where either is a NaN. */
INLINE vec vmax(vec x, vec y) { return _mm256_max_ps(x, y); }
/* The greatest lane. */
INLINE float vtop(vec x)
{
    __m128 a = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    a = _mm_max_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_max_ss(a, _mm_movehdup_ps(a)));
}
/* The sum of all lanes by a balanced tree: halves, then quarters, and so on. */
INLINE float vtree(vec x)
{
    __m128 a = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    a = _mm_add_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_add_ss(a, _mm_movehdup_ps(a)));
}
/* Lane l is vtree(a[l]), to the bit: each step adds the halves of two sums, side by side.  a[LANES] is overwritten. */
INLINE vec vtrees(vec *a)
{
#pragma GCC unroll 4
    for (int l = 0; l < 4; l++)
        a[l] = _mm256_add_ps(
            _mm256_permute2f128_ps(a[l], a[l + 4], 0x20), _mm256_permute2f128_ps(a[l], a[l + 4], 0x31));
#pragma GCC unroll 2
    for (int l = 0; l < 4; l += 2) {
        const __m256d x = _mm256_castps_pd(a[l]), y = _mm256_castps_pd(a[l + 1]);
        a[l] = _mm256_add_ps(
            _mm256_castpd_ps(_mm256_unpacklo_pd(x, y)), _mm256_castpd_ps(_mm256_unpackhi_pd(x, y)));
    }
    return _mm256_add_ps(_mm256_shuffle_ps(a[0], a[2], 0x88), _mm256_shuffle_ps(a[0], a[2], 0xdd));
}

/* Lanes lo .. hi - 1; either may lie outside 0 .. LANES. */
INLINE vmask vbetween(int64_t lo, int64_t hi)
{
    int32_t a = lo < 0 ? 0 : lo > 8 ? 8 : (int32_t)lo, b = hi < 0 ? 0 : hi > 8 ? 8 : (int32_t)hi;
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_andnot_si256(
        _mm256_cmpgt_epi32(_mm256_set1_epi32(a), lane), _mm256_cmpgt_epi32(_mm256_set1_epi32(b), lane));
}
INLINE vmask vfirst(int64_t n) { return vbetween(0, n); } /* lanes 0 .. n - 1 */
INLINE vec vpick(vmask m, vec x, vec y) { return _mm256_blendv_ps(y, x, _mm256_castsi256_ps(m)); } /* x where m */
/* The lanes of m where x differs from y, or either is a NaN. */
INLINE vmask vunlike(vmask m, vec x, vec y)
{
    return _mm256_and_si256(m, _mm256_castps_si256(_mm256_cmp_ps(x, y, _CMP_NEQ_UQ)));
}
INLINE unsigned vbits(vmask m) { return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(m)); }
/* The lanes of m whose keep[lane] is not 0; the bytes of other lanes are not read. */
INLINE vmask vkept(vmask m, const uint8_t *keep)
{
    uint8_t k[8] = { 0 };
    unsigned bits = vbits(m);
    for (int l = 0; l < 8; l++)
        if (bits >> l & 1)
            k[l] = keep[l];
    return _mm256_andnot_si256(
        _mm256_cmpeq_epi32(
            _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)k)), _mm256_setzero_si256()),
        m);
}
INLINE vec vload_some(vmask m, const float *p) { return _mm256_maskload_ps(p, m); }
INLINE void vstore_some(vmask m, float *p, vec x) { _mm256_maskstore_ps(p, m, x); }
/* p[index[lane] + lane step] */
INLINE vec vload_at(vmask m, const float *p, const int32_t *index, int step)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), p,
        _mm256_add_epi32(_mm256_maskload_epi32(index, m), _mm256_mullo_epi32(lane, _mm256_set1_epi32(step))),
        _mm256_castsi256_ps(m), 4);
}
/* p[index[lane]] of the first n lanes, 0 in others; p has `size` floats, which this slot need not know. */
INLINE vec vload_near(int64_t n, const float *p, const int32_t *index, int64_t size)
{
    (void)size;
    return vload_at(vfirst(n), p, index, 0);
}
/* Of p[n][2], n <= LANES: the first and the second entries; 0 in the lanes beyond n. */
INLINE void vload_pairs(int64_t n, const float *p, vec *even, vec *odd)
{
    vec a = vload_some(vfirst(2 * n), p), b = vload_some(vfirst(2 * n - LANES), p + LANES),
        low = _mm256_permute2f128_ps(a, b, 0x20), high = _mm256_permute2f128_ps(a, b, 0x31);
    *even = _mm256_shuffle_ps(low, high, 0x88), *odd = _mm256_shuffle_ps(low, high, 0xdd);
}
/* The inverse: p[n][2], n <= LANES. */
INLINE void vstore_pairs(int64_t n, float *p, vec even, vec odd)
{
    const vec low = _mm256_unpacklo_ps(even, odd), high = _mm256_unpackhi_ps(even, odd);
    vstore_some(vfirst(2 * n), p, _mm256_permute2f128_ps(low, high, 0x20));
    vstore_some(vfirst(2 * n - LANES), p + LANES, _mm256_permute2f128_ps(low, high, 0x31));
}
INLINE vec widened(__m128i h) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16)); }
/* The 16-bit numbers where m says, 0 elsewhere; and eight of them. */
INLINE __m128i vload_16(vmask m, const uint16_t *p)
{
    uint16_t h[8] = { 0 };
    unsigned bits = vbits(m);
    if (bits == 0xff)
        return _mm_loadu_si128((const __m128i *)(const void *)p);
    for (int l = 0; l < 8; l++)
        if (bits >> l & 1)
            h[l] = p[l];
    return _mm_loadu_si128((const __m128i *)(const void *)h);
}
INLINE __m128i vload_16_whole(const uint16_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }
/* bf16 numbers, widened; and LANES of them. */
INLINE vec vload_half(vmask m, const uint16_t *p) { return widened(vload_16(m, p)); }
INLINE vec vload_half_whole(const uint16_t *p) { return widened(vload_16_whole(p)); }
/* 2 LANES bf16 numbers, widened: the even ones and the odd ones. */
INLINE void vsplit_half(const uint16_t *p, vec *even, vec *odd)
{
    __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __asm__("" : "+x"(x)); /* so that memory is read once */
    *even = _mm256_castsi256_ps(_mm256_slli_epi32(x, 16));
    *odd = _mm256_castsi256_ps(_mm256_and_si256(x, _mm256_set1_epi32((int32_t)0xffff0000)));
}
/* f16 numbers, widened; and LANES of them. */
INLINE vec vload_f16(vmask m, const uint16_t *p) { return _mm256_cvtph_ps(vload_16(m, p)); }
INLINE vec vload_f16_whole(const uint16_t *p) { return _mm256_cvtph_ps(vload_16_whole(p)); }
/* LANES numbers of 8-bit codes, exactly: the first n bytes of p; 0 in the lanes beyond n. */
INLINE __m128i vbytes(int64_t n, const uint8_t *p)
{
    uint64_t b = 0;
    memcpy(&b, p, n < 8 ? (size_t)n : 8);
    return _mm_cvtsi64_si128((long long)b);
}
INLINE vec vint8(__m128i b) { return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(b)); }
INLINE vec vuint8(__m128i b) { return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(b)); }
/* e5m2 is the upper half of f16, e4m3 lies in it one place lower, 2^-8 times as large, and has NaN in its last place
 * alone. */
INLINE vec ve5m2(__m128i b) { return _mm256_cvtph_ps(_mm_slli_epi16(_mm_cvtepu8_epi16(b), 8)); }
INLINE vec ve4m3_low(__m128i b) /* 2^-8 times the number */
{
    const __m128i most = _mm_set1_epi16(0x3f80),
                  x = _mm_and_si128(_mm_slli_epi16(_mm_cvtepi8_epi16(b), 7), _mm_set1_epi16((short)0xbf80)),
                  nan = _mm_cmpeq_epi16(_mm_and_si128(x, most), most);
    return _mm256_cvtph_ps(_mm_or_si128(x, nan));
}
INLINE vec ve4m3(__m128i b) { return _mm256_mul_ps(ve4m3_low(b), _mm256_set1_ps(256)); }
/* table[c] of LANES 4-bit codes c, the first one in the lower half of the first byte. */
INLINE vec vnibbles(__m128i b, const float *table)
{
    const __m256i at = _mm256_srlv_epi32(
        _mm256_cvtepu8_epi32(_mm_unpacklo_epi8(b, b)), _mm256_setr_epi32(0, 4, 0, 4, 0, 4, 0, 4));
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(vload(table), at), _mm256_permutevar8x32_ps(vload(table + 8), at),
        _mm256_castsi256_ps(_mm256_slli_epi32(at, 28)));
}
/* 2 LANES codes of each kind; of e4m3 2^-8 times the numbers. */
INLINE void vint8_two(const uint8_t *p, vec *y) { y[0] = vint8(vbytes(8, p)), y[1] = vint8(vbytes(8, p + 8)); }
INLINE void ve5m2_two(const uint8_t *p, vec *y) { y[0] = ve5m2(vbytes(8, p)), y[1] = ve5m2(vbytes(8, p + 8)); }
INLINE void ve4m3_two(const uint8_t *p, vec *y) { y[0] = ve4m3_low(vbytes(8, p)), y[1] = ve4m3_low(vbytes(8, p + 8)); }
INLINE void vnibbles_two(const uint8_t *p, const float *table, vec *y)
{
    y[0] = vnibbles(vbytes(4, p), table), y[1] = vnibbles(vbytes(4, p + 4), table);
}
/* Two bf16 numbers in each lane: low, shifted to the lower half, and high; both must be exact in bf16. */
INLINE vec vpair(vec low, vec high)
{
    return _mm256_castsi256_ps(
        _mm256_or_si256(_mm256_srli_epi32(_mm256_castps_si256(low), 16), _mm256_castps_si256(high)));
}
/* Rounded to bf16: to_bf16 of half.h. */
INLINE void vstore_half(vmask m, uint16_t *p, vec x)
{
    float t[8];
    unsigned bits = vbits(m);
    vstore(t, x);
    for (int l = 0; l < 8; l++)
        if (bits >> l & 1)
            p[l] = to_bf16(t[l]);
}
/* Rounded to f16: to_f16 of half.h. */
INLINE void vstore_f16(vmask m, uint16_t *p, vec x)
{
    uint16_t h[8];
    unsigned bits = vbits(m);
    _mm_storeu_si128((__m128i *)(void *)h, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    for (int l = 0; l < 8; l++)
        if (bits >> l & 1)
            p[l] = h[l];
}
/* The nearest whole number, ties to even. */
INLINE vec vnearest(vec x) { return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
/* x 2^n for whole n of -252 .. 254, and 0 where not live.  There are two factors, the first a power that keeps the
 * product normal, so that a subnormal result is rounded once.  Why lanes that are not live are set to 0: lanes512.h. */
INLINE vec vscale2(vmask live, vec x, vec n)
{
    x = vpick(live, x, vset(0));
    __m256i k = _mm256_cvtps_epi32(n), a = _mm256_srai_epi32(k, 1), b = _mm256_sub_epi32(k, a);
    const __m256i bias = _mm256_set1_epi32(127);
    x = _mm256_mul_ps(x, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(a, bias), 23)));
    return _mm256_mul_ps(x, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(b, bias), 23)));
}
#endif
