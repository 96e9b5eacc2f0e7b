/* Rotary encoding, 8 lanes: one body for half and one for interleaved pairs, over the load and the store of a type.
 * The tail of a float32 row is masked, that of a 16-bit row goes through a buffer: nothing beyond a row is read or
 * written. */
#include <immintrin.h>
#include "rotate/rotate.h"

/* Elements at .. of x as float32, the first min(n, 8) lanes, then 0; and back, rounded to the type. */
typedef __m256 load8(const void *x, int64_t at, int64_t n);
typedef void store8(void *y, int64_t at, int64_t n, __m256 v);

INLINE __m256i first8(int64_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n < 8 ? n : 8)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
INLINE __m256 load_f32(const void *x, int64_t at, int64_t n)
{
    const float *p = (const float *)x + at;
    return n >= 8 ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, first8(n));
}
INLINE void store_f32(void *y, int64_t at, int64_t n, __m256 v)
{
    float *p = (float *)y + at;
    if (n >= 8)
        _mm256_storeu_ps(p, v);
    else
        _mm256_maskstore_ps(p, first8(n), v);
}
INLINE __m128i load_16(const void *x, int64_t at, int64_t n)
{
    const uint16_t *p = (const uint16_t *)x + at;
    if (n >= 8)
        return _mm_loadu_si128((const void *)p);
    uint16_t part[8] = { 0 };
    for (int64_t k = 0; k < n; k++)
        part[k] = p[k];
    return _mm_loadu_si128((const void *)part);
}
INLINE void store_16(void *y, int64_t at, int64_t n, __m128i v)
{
    uint16_t part[8] = { 0 }, *p = (uint16_t *)y + at;
    if (n >= 8) {
        _mm_storeu_si128((void *)p, v);
        return;
    }
    _mm_storeu_si128((void *)part, v);
    memcpy(p, part, (size_t)n * sizeof *p);
}
INLINE __m256 load_f16(const void *x, int64_t at, int64_t n) { return _mm256_cvtph_ps(load_16(x, at, n)); }
INLINE void store_f16(void *y, int64_t at, int64_t n, __m256 v)
{
    store_16(y, at, n, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
INLINE __m256 load_bf16(const void *x, int64_t at, int64_t n)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load_16(x, at, n)), 16));
}

/* to_bf16 of half.h on 8 lanes, with the result in the upper half of each word.  `nearest` is wrong only for a NaN,
 * which `settled` keeps and makes quiet. */
INLINE __m256i nearest(__m256 v)
{
    __m256i b = _mm256_castps_si256(v), lowest = _mm256_and_si256(_mm256_srli_epi32(b, 16), _mm256_set1_epi32(1));
    return _mm256_add_epi32(_mm256_add_epi32(b, _mm256_set1_epi32(0x7fff)), lowest);
}
INLINE __m256i settled(__m256 v)
{
    __m256i quiet = _mm256_or_si256(_mm256_castps_si256(v), _mm256_set1_epi32(0x400000));
    return _mm256_blendv_epi8(nearest(v), quiet, _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
}
INLINE void store_bf16(void *y, int64_t at, int64_t n, __m256 v)
{
    __m256i h = _mm256_srli_epi32(settled(v), 16);
    store_16(y, at, n, _mm_packus_epi32(_mm256_castsi256_si128(h), _mm256_extracti128_si256(h, 1)));
}

/* Sixteen bf16 numbers are eight words: the even elements are the words shifted up, the odd ones their upper halves.
 * words() rounds both and puts them together again; evens() and odds() take every other one of 16 table entries. */
INLINE __m256 even(__m256i w) { return _mm256_castsi256_ps(_mm256_slli_epi32(w, 16)); }
INLINE __m256 odd(__m256i w) { return _mm256_castsi256_ps(_mm256_and_si256(w, _mm256_set1_epi32((int)0xffff0000u))); }
INLINE __m256i words(__m256 e, __m256 o)
{
    __m256i re = nearest(e), ro = nearest(o);
    if (__builtin_expect(_mm256_movemask_ps(_mm256_cmp_ps(e, o, _CMP_UNORD_Q)) != 0, 0))
        re = settled(e), ro = settled(o);
    return _mm256_blend_epi16(_mm256_srli_epi32(re, 16), ro, 0xaa);
}
INLINE __m256 evens(const float *c)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(
        _mm256_castps_pd(_mm256_shuffle_ps(_mm256_loadu_ps(c), _mm256_loadu_ps(c + 8), 0x88)), 0xd8));
}
INLINE __m256 odds(const float *c)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(
        _mm256_castps_pd(_mm256_shuffle_ps(_mm256_loadu_ps(c), _mm256_loadu_ps(c + 8), 0xdd)), 0xd8));
}

/* All pairs from pair k on, of every row: a cos - b sin and b cos + a sin, with one product rounded and the other
 * inside the fused operation. */
INLINE void half_rows(struct rope_rows of, int64_t k, load8 *load, store8 *store)
{
    for (; k < of.live; k += 8) {
        int64_t n = of.live - k;
        __m256 c = load_f32(of.cos, k, n), s = load_f32(of.sin, k, n);
        for (int64_t g = 0; g < of.rows; g++) {
            __m256 a = load(of.x + g * of.step, k, n), b = load(of.x + g * of.step, k + of.apart, n);
            store(of.y + g * of.step, k, n, _mm256_fmsub_ps(a, c, _mm256_mul_ps(b, s)));
            store(of.y + g * of.step, k + of.apart, n, _mm256_fmadd_ps(b, c, _mm256_mul_ps(a, s)));
        }
    }
}

/* x = a0 b0 a1 b1 .., c = c0 c0 c1 c1 ..: even lanes a c - b s, odd lanes b c + a s */
INLINE __m256 turned(__m256 x, __m256 c, __m256 s)
{
    return _mm256_fmaddsub_ps(x, c, _mm256_mul_ps(_mm256_permute_ps(x, 0xb1), s));
}
INLINE void interleaved_rows(struct rope_rows of, int64_t k, load8 *load, store8 *store)
{
    const __m256i low = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3), high = _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7);
    for (; k < of.live; k += 8) {
        int64_t n = of.live - k, nl = 2 * n, nh = 2 * n > 8 ? 2 * n - 8 : 0;
        __m256 c = load_f32(of.cos, k, n), s = load_f32(of.sin, k, n);
        __m256 cl = _mm256_permutevar8x32_ps(c, low), ch = _mm256_permutevar8x32_ps(c, high),
               sl = _mm256_permutevar8x32_ps(s, low), sh = _mm256_permutevar8x32_ps(s, high);
        for (int64_t g = 0; g < of.rows; g++) {
            __m256 u = load(of.x + g * of.step, 2 * k, nl), v = load(of.x + g * of.step, 2 * k + 8, nh);
            store(of.y + g * of.step, 2 * k, nl, turned(u, cl, sl));
            store(of.y + g * of.step, 2 * k + 8, nh, turned(v, ch, sh));
        }
    }
}

INLINE void half_f32(struct rope_rows of) { half_rows(of, 0, load_f32, store_f32); }
INLINE void half_bf16(struct rope_rows of)
{
    int64_t k = 0;
    for (; k + 16 <= of.live; k += 16) {
        __m256 ce = evens(of.cos + k), co = odds(of.cos + k), se = evens(of.sin + k), so = odds(of.sin + k);
        for (int64_t g = 0; g < of.rows; g++) {
            const char *from = of.x + g * of.step + 2 * k;
            char *to = of.y + g * of.step + 2 * k;
            __m256i a = _mm256_loadu_si256((const void *)from),
                    b = _mm256_loadu_si256((const void *)(from + 2 * of.apart));
            __m256 ae = even(a), ao = odd(a), be = even(b), bo = odd(b);
            _mm256_storeu_si256((void *)to,
                words(_mm256_fmsub_ps(ae, ce, _mm256_mul_ps(be, se)), _mm256_fmsub_ps(ao, co, _mm256_mul_ps(bo, so))));
            _mm256_storeu_si256((void *)(to + 2 * of.apart),
                words(_mm256_fmadd_ps(be, ce, _mm256_mul_ps(ae, se)), _mm256_fmadd_ps(bo, co, _mm256_mul_ps(ao, so))));
        }
    }
    half_rows(of, k, load_bf16, store_bf16);
}
INLINE void half_f16(struct rope_rows of) { half_rows(of, 0, load_f16, store_f16); }
INLINE void interleaved_f32(struct rope_rows of) { interleaved_rows(of, 0, load_f32, store_f32); }
INLINE void interleaved_bf16(struct rope_rows of)
{
    int64_t k = 0;
    for (; k + 8 <= of.live; k += 8) {
        __m256 c = _mm256_loadu_ps(of.cos + k), s = _mm256_loadu_ps(of.sin + k);
        for (int64_t g = 0; g < of.rows; g++) {
            __m256i w = _mm256_loadu_si256((const void *)(of.x + g * of.step + 4 * k));
            __m256 a = even(w), b = odd(w);
            _mm256_storeu_si256((void *)(of.y + g * of.step + 4 * k),
                words(_mm256_fmsub_ps(a, c, _mm256_mul_ps(b, s)), _mm256_fmadd_ps(b, c, _mm256_mul_ps(a, s))));
        }
    }
    interleaved_rows(of, k, load_bf16, store_bf16);
}
INLINE void interleaved_f16(struct rope_rows of) { interleaved_rows(of, 0, load_f16, store_f16); }

static void turn_f32(void *y, const void *x, const float *cos, const float *sin, const struct rope_shape *s)
{
    rope_each(y, x, cos, sin, s, 4, half_f32, interleaved_f32);
}
static void turn_bf16(void *y, const void *x, const float *cos, const float *sin, const struct rope_shape *s)
{
    rope_each(y, x, cos, sin, s, 2, half_bf16, interleaved_bf16);
}
static void turn_f16(void *y, const void *x, const float *cos, const float *sin, const struct rope_shape *s)
{
    rope_each(y, x, cos, sin, s, 2, half_f16, interleaved_f16);
}
static int y_f32(const struct mer_call *c) { return rotate_run(c, turn_f32); }
static int y_bf16(const struct mer_call *c) { return rotate_run(c, turn_bf16); }
static int y_f16(const struct mer_call *c) { return rotate_run(c, turn_f16); }

/* The gauge, with u = 2^-24 and G = |a cos| + |b sin|: the table gives u G, the products u G and the sum u |y|, so it
 * is at most 3; the worst found is 2.58 (`meridian ulp rope`, YaRN).  With 16 bits, whose unit is u16, it is at most
 * 1 + 3 u / u16. */
const struct mer_kernel rope_avx2[] = {
    { "rope", "y", "f32", ROPE_PROFILE, 3, y_f32, rotate_prepare, rotate_release },
    { "rope", "y", "bf16", ROPE_PROFILE, 1.0001, y_bf16, rotate_prepare, rotate_release },
    { "rope", "y", "f16", ROPE_PROFILE, 1.001, y_f16, rotate_prepare, rotate_release },
    { "rope", "dx", "f32", ROPE_PROFILE, 3, y_f32, rotate_prepare_back, rotate_release },
    { "rope", "dx", "bf16", ROPE_PROFILE, 1.0001, y_bf16, rotate_prepare_back, rotate_release },
    { "rope", "dx", "f16", ROPE_PROFILE, 1.001, y_f16, rotate_prepare_back, rotate_release },
    { 0 },
};
