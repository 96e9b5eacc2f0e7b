/* Rows of 16 lanes for the AVX-512 slots: one body for half and one for interleaved pairs, over the load and the store
 * of a type.  Lanes beyond the row are masked, and a masked lane neither faults nor writes. */
#ifndef ROTATE512_H
#define ROTATE512_H
#include <immintrin.h>
#include "rotate/rotate.h"

/* Elements at .. at + 15 of x as float32, 0 where not in m; and back, rounded to the type, to those in m. */
typedef __m512 load16(const void *x, int64_t at, __mmask16 m);
typedef void store16(void *y, int64_t at, __mmask16 m, __m512 v);

/* Lanes 0 .. n - 1. */
INLINE __mmask16 first16(int64_t n) { return n >= 16 ? (__mmask16)0xffff : n <= 0 ? 0 : (__mmask16)((1u << n) - 1); }

INLINE __m512 load_f32(const void *x, int64_t at, __mmask16 m)
{
    return _mm512_maskz_loadu_ps(m, (const float *)x + at);
}
INLINE void store_f32(void *y, int64_t at, __mmask16 m, __m512 v) { _mm512_mask_storeu_ps((float *)y + at, m, v); }
INLINE __m512 load_f16(const void *x, int64_t at, __mmask16 m)
{
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(m, (const uint16_t *)x + at));
}
INLINE void store_f16(void *y, int64_t at, __mmask16 m, __m512 v)
{
    _mm256_mask_storeu_epi16((uint16_t *)y + at, m, _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
INLINE __m512 load_bf16(const void *x, int64_t at, __mmask16 m)
{
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(m, (const uint16_t *)x + at)), 16));
}

/* to_bf16 of half.h on 16 lanes, with the result in the upper half of each word.  `nearest` is wrong only for a NaN,
 * whose payload the addition may carry away; `settled` keeps a NaN and makes it quiet. */
INLINE __m512i nearest(__m512 v)
{
    __m512i b = _mm512_castps_si512(v), odd = _mm512_and_si512(_mm512_srli_epi32(b, 16), _mm512_set1_epi32(1));
    return _mm512_add_epi32(_mm512_add_epi32(b, _mm512_set1_epi32(0x7fff)), odd);
}
INLINE __m512i settled(__m512 v)
{
    return _mm512_mask_or_epi32(
        nearest(v), _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), _mm512_castps_si512(v), _mm512_set1_epi32(0x400000));
}
INLINE void store_bf16(void *y, int64_t at, __mmask16 m, __m512 v)
{
    _mm256_mask_storeu_epi16((uint16_t *)y + at, m, _mm512_cvtepi32_epi16(_mm512_srli_epi32(settled(v), 16)));
}

/* Up to 16 pairs from pair k on, those in m, of every row: a cos - b sin and b cos + a sin, with one product rounded
 * and the other inside the fused operation. */
INLINE void half_group(struct rope_rows of, int64_t k, __mmask16 m, load16 *load, store16 *store)
{
    __m512 c = load_f32(of.cos, k, m), s = load_f32(of.sin, k, m);
    for (int64_t g = 0; g < of.rows; g++, of.x += of.step, of.y += of.step) {
        __m512 a = load(of.x, k, m), b = load(of.x, k + of.apart, m);
        store(of.y, k, m, _mm512_fmsub_ps(a, c, _mm512_mul_ps(b, s)));
        store(of.y, k + of.apart, m, _mm512_fmadd_ps(b, c, _mm512_mul_ps(a, s)));
    }
}
/* All pairs from k on. */
INLINE void half_rows(struct rope_rows of, int64_t k, load16 *load, store16 *store)
{
    for (; k + 16 <= of.live; k += 16)
        half_group(of, k, 0xffff, load, store);
    if (k < of.live)
        half_group(of, k, first16(of.live - k), load, store);
}

/* x = a0 b0 a1 b1 .., c = c0 c0 c1 c1 ..: even lanes a c - b s, odd lanes b c + a s */
INLINE __m512 turned(__m512 x, __m512 c, __m512 s)
{
    return _mm512_fmaddsub_ps(x, c, _mm512_mul_ps(_mm512_permute_ps(x, 0xb1), s));
}
/* The first `left` of 16 pairs from pair k on, of every row. */
INLINE void interleaved_group(struct rope_rows of, int64_t k, int64_t left, load16 *load, store16 *store)
{
    const __m512i low = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7),
                  high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    __mmask16 m = first16(left), ml = first16(2 * left), mh = first16(2 * left - 16);
    __m512 c = load_f32(of.cos, k, m), s = load_f32(of.sin, k, m);
    __m512 cl = _mm512_permutexvar_ps(low, c), ch = _mm512_permutexvar_ps(high, c), sl = _mm512_permutexvar_ps(low, s),
           sh = _mm512_permutexvar_ps(high, s);
    for (int64_t g = 0; g < of.rows; g++, of.x += of.step, of.y += of.step) {
        __m512 u = load(of.x, 2 * k, ml), v = load(of.x, 2 * k + 16, mh);
        store(of.y, 2 * k, ml, turned(u, cl, sl));
        store(of.y, 2 * k + 16, mh, turned(v, ch, sh));
    }
}
INLINE void interleaved_rows(struct rope_rows of, load16 *load, store16 *store)
{
    int64_t k = 0;
    for (; k + 16 <= of.live; k += 16)
        interleaved_group(of, k, 16, load, store);
    if (k < of.live)
        interleaved_group(of, k, of.live - k, load, store);
}
#endif
