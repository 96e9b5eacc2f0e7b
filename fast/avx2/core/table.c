/* Rows of a table, 8 pairs at a time, with the arithmetic and the tests of fast/core/table/table.c, and before the one
 * of float32 a cheaper one (fast/core/table/angles.h says which x are near a midpoint). */
#include <immintrin.h>
#include "table/angles.h"

static inline __m256 join(__m256d x, __m256d y) { return _mm256_set_m128(_mm256_cvtpd_ps(y), _mm256_cvtpd_ps(x)); }

static inline __m256 unproved(__m256d x, __m256d y, __m256d eps)
{
    __m256 up = join(_mm256_add_pd(x, eps), _mm256_add_pd(y, eps)),
           down = join(_mm256_sub_pd(x, eps), _mm256_sub_pd(y, eps));
    return _mm256_cmp_ps(up, down, _CMP_NEQ_UQ);
}

/* The lanes that lie within NEAR places of a midpoint of float32, by the low 29 bits of the doubles.  They come in the
 * order x0 x1 y0 y1 x2 x3 y2 y3, so only whether any is set is of use. */
static inline __m256 near(__m256d x, __m256d y)
{
    __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castpd_ps(x), _mm256_castpd_ps(y), 0x88));
    low = _mm256_and_si256(
        _mm256_add_epi32(low, _mm256_set1_epi32((1 << 28) + NEAR)), _mm256_set1_epi32((1 << 29) - 2 * NEAR));
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(low, _mm256_setzero_si256()));
}

static inline __m256 midway(__m256 y, __m256 small, int mask, int half)
{
    __m256i b = _mm256_and_si256(_mm256_castps_si256(y), _mm256_set1_epi32(mask));
    __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), y);
    return _mm256_or_ps(
        _mm256_cmp_ps(size, small, _CMP_NGE_UQ), _mm256_castsi256_ps(_mm256_cmpeq_epi32(b, _mm256_set1_epi32(half))));
}

static inline __m128i to_bf16(__m256 y)
{
    __m256i b = _mm256_castps_si256(y), odd = _mm256_and_si256(_mm256_srli_epi32(b, 16), _mm256_set1_epi32(1));
    b = _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(b, _mm256_set1_epi32(0x7fff)), odd), 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1));
}

static inline void put(char *y, __m256 f, int64_t live, enum output out, int stream)
{
    if (out == OUT_F32) {
        if (stream)
            _mm256_stream_ps((float *)(void *)y, f);
        else if (live >= 8)
            _mm256_storeu_ps((float *)(void *)y, f);
        else
            _mm256_maskstore_ps((float *)(void *)y,
                _mm256_cmpgt_epi32(_mm256_set1_epi32((int)live), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)), f);
        return;
    }
    __m128i h = out == OUT_BF16 ? to_bf16(f) : _mm256_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    if (stream)
        _mm_stream_si128((__m128i *)(void *)y, h);
    else if (live >= 8)
        _mm_storeu_si128((__m128i *)(void *)y, h);
    else {
        uint16_t tail[8];
        _mm_storeu_si128((__m128i *)(void *)tail, h);
        for (int64_t j = 0; j < live; j++)
            ((uint16_t *)(void *)y)[j] = tail[j];
    }
}

static inline void rotate(
    __m256d *x, __m256d *y, const double *cc, const double *cs, const double *fc, const double *fs, __m256d sign)
{
    __m256d c = _mm256_load_pd(cc), s = _mm256_xor_pd(_mm256_load_pd(cs), sign), u = _mm256_load_pd(fc),
            v = _mm256_load_pd(fs);
    *x = _mm256_fmsub_pd(c, u, _mm256_mul_pd(s, v));
    *y = _mm256_fmadd_pd(s, u, _mm256_mul_pd(c, v));
}

/* The lanes `open` of row i from pair k on: those of float32 are tried by x - eps and x + eps, and what that leaves
 * open goes to settle().  Not inlined, so that the loop keeps its registers. */
static __attribute__((noinline)) int doubtful(const struct angle_run *t, int64_t i, int64_t k, unsigned open)
{
    const struct mer_angles *a = t->a;
    int64_t at = (i * a->spectrum.pairs + k) * (int64_t)output_size[t->out], size = (int64_t)output_size[t->out];
    const double *cc = t->coarse + k, *cs = cc + a->stride, *fc = a->fine + (t->r + i) * 2 * a->stride + k,
                 *fs = fc + a->stride;
    __m256d x[2], y[2], eps = _mm256_set1_pd(a->eps), sign = _mm256_set1_pd(t->sign < 0 ? -0.0 : 0.0);
    rotate(&x[0], &y[0], cc, cs, fc, fs, sign);
    rotate(&x[1], &y[1], cc + 4, cs + 4, fc + 4, fs + 4, sign);
    if (t->out == OUT_F32)
        open = (unsigned)_mm256_movemask_ps( /* all lanes again, since near() has them in another order */
            _mm256_or_ps(unproved(x[0], x[1], eps), unproved(y[0], y[1], eps)));
    int rc = 0;
    for (; open; open &= open - 1) {
        int64_t j = __builtin_ctz(open);
        if (k + j < a->spectrum.live)
            rc |= settle(a, t->p + i, k + j, 1, t->out, (char *)t->cos + at + j * size, (char *)t->sin + at + j * size);
    }
    return rc;
}

static inline __attribute__((always_inline)) int rows_of(const struct angle_run *t, enum output out, int stream)
{
    const struct mer_angles *a = t->a;
    int64_t size = (int64_t)output_size[out], live = a->spectrum.live;
    __m256d sign = _mm256_set1_pd(t->sign < 0 ? -0.0 : 0.0);
    __m256 small = _mm256_set1_ps((float)(out == OUT_F16 && a->small < 0x1p-14 ? 0x1p-14 : a->small));
    __m256 tiny = _mm256_set1_ps((float)a->tiny), minus = _mm256_set1_ps(-0.0f);
    const double *cc = t->coarse, *cs = cc + a->stride;
    int rc = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        const double *fc = a->fine + (t->r + i) * 2 * a->stride, *fs = fc + a->stride;
        char *co = (char *)t->cos + i * a->spectrum.pairs * size, *si = (char *)t->sin + i * a->spectrum.pairs * size;
        for (int64_t k = 0; k < live; k += 8) {
            __m256d x[2], y[2]; /* four pairs each, written out, since a loop would keep them in memory */
            rotate(&x[0], &y[0], cc + k, cs + k, fc + k, fs + k, sign);
            rotate(&x[1], &y[1], cc + k + 4, cs + k + 4, fc + k + 4, fs + k + 4, sign);
            __m256 p = join(x[0], x[1]), q = join(y[0], y[1]), open;
            put(co + k * size, p, live - k, out, stream), put(si + k * size, q, live - k, out, stream);
            if (out == OUT_F32) {
                __m256 least = _mm256_min_ps(_mm256_andnot_ps(minus, p), _mm256_andnot_ps(minus, q));
                open = _mm256_or_ps(
                    _mm256_or_ps(near(x[0], x[1]), near(y[0], y[1])), _mm256_cmp_ps(least, tiny, _CMP_NGE_UQ));
            } else if (out == OUT_BF16)
                open = _mm256_or_ps(midway(p, small, 0xffff, 0x8000), midway(q, small, 0xffff, 0x8000));
            else
                open = _mm256_or_ps(midway(p, small, 0x1fff, 0x1000), midway(q, small, 0x1fff, 0x1000));
            unsigned lanes = (unsigned)_mm256_movemask_ps(open);
            if (__builtin_expect(lanes != 0, 0))
                rc |= doubtful(t, i, k, lanes);
        }
    }
    if (stream)
        _mm_sfence();
    return rc;
}

int table_avx2(const struct angle_run *t)
{
    switch (t->out) {
    case OUT_F32: return t->stream ? rows_of(t, OUT_F32, 1) : rows_of(t, OUT_F32, 0);
    case OUT_F16: return t->stream ? rows_of(t, OUT_F16, 1) : rows_of(t, OUT_F16, 0);
    default: return t->stream ? rows_of(t, OUT_BF16, 1) : rows_of(t, OUT_BF16, 0);
    }
}
