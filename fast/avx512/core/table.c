/* Rows of a table, 16 pairs at a time, with the arithmetic and the tests of fast/core/table/table.c, and before the one
 * of float32 a cheaper one (fast/core/table/angles.h says which x are near a midpoint).  A conversion to float32 is two
 * operations on two ports; x - eps and x + eps double them, integer arithmetic on the low words does not.
 * ns/output at L = 32768, K = 64:
 *   v0 x - eps and x + eps converted   0.355
 *   v1 low words first */
#include <immintrin.h>
#include "table/angles.h"

/* Two vectors of eight doubles as 16 floats. */
static inline __m512 join(__m512d x, __m512d y)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(x)), _mm512_cvtpd_ps(y), 1);
}

static inline __mmask16 unproved(__m512d x, __m512d y, __m512d eps)
{
    __m512 up = join(_mm512_add_pd(x, eps), _mm512_add_pd(y, eps)),
           down = join(_mm512_sub_pd(x, eps), _mm512_sub_pd(y, eps));
    return _mm512_cmp_ps_mask(up, down, _CMP_NEQ_UQ);
}

/* The lanes that lie within NEAR places of a midpoint of float32, by the low 29 bits of the doubles; NEAR places exceed
 * eps where |x| >= tiny. */
static inline __mmask16 near(__m512d x, __m512d y)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512i low = _mm512_permutex2var_epi32(_mm512_castpd_si512(x), even, _mm512_castpd_si512(y));
    return _mm512_testn_epi32_mask(
        _mm512_add_epi32(low, _mm512_set1_epi32((1 << 28) + NEAR)), _mm512_set1_epi32((1 << 29) - 2 * NEAR));
}

static inline __mmask16 midway(__m512 y, __m512 small, int mask, int half)
{
    __m512i b = _mm512_and_si512(_mm512_castps_si512(y), _mm512_set1_epi32(mask));
    __mmask16 tiny = _mm512_cmp_ps_mask(_mm512_abs_ps(y), small, _CMP_NGE_UQ);
    return (__mmask16)(tiny | _mm512_cmpeq_epi32_mask(b, _mm512_set1_epi32(half)));
}

static inline __m256i to_bf16(__m512 y)
{
    __m512i b = _mm512_castps_si512(y), odd = _mm512_and_si512(_mm512_srli_epi32(b, 16), _mm512_set1_epi32(1));
    return _mm512_cvtepi32_epi16(
        _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(b, _mm512_set1_epi32(0x7fff)), odd), 16));
}

static inline void put(char *y, __m512 f, __mmask16 live, enum output out, int stream)
{
    if (out == OUT_F32 && stream)
        _mm512_stream_ps((float *)y, f);
    else if (out == OUT_F32)
        _mm512_mask_storeu_ps(y, live, f);
    else {
        __m256i h = out == OUT_BF16 ? to_bf16(f) : _mm512_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        if (stream)
            _mm256_stream_si256((__m256i *)(void *)y, h);
        else
            _mm256_mask_storeu_epi16(y, live, h);
    }
}

static inline void rotate(
    __m512d *x, __m512d *y, const double *cc, const double *cs, const double *fc, const double *fs, __m512d sign)
{
    __m512d c = _mm512_load_pd(cc), s = _mm512_xor_pd(_mm512_load_pd(cs), sign), u = _mm512_load_pd(fc),
            v = _mm512_load_pd(fs);
    *x = _mm512_fmsub_pd(c, u, _mm512_mul_pd(s, v));
    *y = _mm512_fmadd_pd(s, u, _mm512_mul_pd(c, v));
}

/* The lanes `open` of row i from pair k on: those of float32 are tried by x - eps and x + eps, and what that leaves
 * open goes to settle().  Not inlined, so that the loop keeps its registers. */
static __attribute__((noinline)) int doubtful(const struct angle_run *t, int64_t i, int64_t k, unsigned open)
{
    const struct mer_angles *a = t->a;
    int64_t at = (i * a->spectrum.pairs + k) * (int64_t)output_size[t->out], size = (int64_t)output_size[t->out];
    const double *cc = t->coarse + k, *cs = cc + a->stride, *fc = a->fine + (t->r + i) * 2 * a->stride + k,
                 *fs = fc + a->stride;
    __m512d x[2], y[2], eps = _mm512_set1_pd(a->eps), sign = _mm512_set1_pd(t->sign < 0 ? -0.0 : 0.0);
    rotate(&x[0], &y[0], cc, cs, fc, fs, sign);
    rotate(&x[1], &y[1], cc + 8, cs + 8, fc + 8, fs + 8, sign);
    if (t->out == OUT_F32)
        open &= (unsigned)(unproved(x[0], x[1], eps) | unproved(y[0], y[1], eps));
    int rc = 0;
    for (; open; open &= open - 1) {
        int64_t j = __builtin_ctz(open);
        rc |= settle(a, t->p + i, k + j, 1, t->out, (char *)t->cos + at + j * size, (char *)t->sin + at + j * size);
    }
    return rc;
}

static inline __attribute__((always_inline)) int rows_of(const struct angle_run *t, enum output out, int stream)
{
    const struct mer_angles *a = t->a;
    int64_t size = (int64_t)output_size[out], live = a->spectrum.live;
    __m512d sign = _mm512_set1_pd(t->sign < 0 ? -0.0 : 0.0);
    __m512 small = _mm512_set1_ps((float)(out == OUT_F16 && a->small < 0x1p-14 ? 0x1p-14 : a->small));
    __m512 tiny = _mm512_set1_ps((float)a->tiny);
    const double *cc = t->coarse, *cs = cc + a->stride;
    int rc = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        const double *fc = a->fine + (t->r + i) * 2 * a->stride, *fs = fc + a->stride;
        char *co = (char *)t->cos + i * a->spectrum.pairs * size, *si = (char *)t->sin + i * a->spectrum.pairs * size;
        for (int64_t k = 0; k < live; k += CHUNK) {
            __mmask16 on = live - k < CHUNK ? (__mmask16)((1u << (live - k)) - 1) : (__mmask16)0xffff, open;
            __m512d x[2], y[2]; /* eight pairs each, written out, since a loop would keep them in memory */
            rotate(&x[0], &y[0], cc + k, cs + k, fc + k, fs + k, sign);
            rotate(&x[1], &y[1], cc + k + 8, cs + k + 8, fc + k + 8, fs + k + 8, sign);
            __m512 p = join(x[0], x[1]), q = join(y[0], y[1]);
            put(co + k * size, p, on, out, stream), put(si + k * size, q, on, out, stream);
            if (out == OUT_F32)
                /* the least magnitude of all lanes */
                open = (__mmask16)(near(x[0], x[1]) | near(y[0], y[1]) |
                    _mm512_cmp_ps_mask(_mm512_range_ps(p, q, 2 | 2 << 2), tiny, _CMP_NGE_UQ));
            else if (out == OUT_BF16)
                open = (__mmask16)(midway(p, small, 0xffff, 0x8000) | midway(q, small, 0xffff, 0x8000));
            else
                open = (__mmask16)(midway(p, small, 0x1fff, 0x1000) | midway(q, small, 0x1fff, 0x1000));
            if (__builtin_expect((open & on) != 0, 0))
                rc |= doubtful(t, i, k, open & on);
        }
    }
    if (stream)
        _mm_sfence();
    return rc;
}

int table_avx512(const struct angle_run *t)
{
    switch (t->out) {
    case OUT_F32: return t->stream ? rows_of(t, OUT_F32, 1) : rows_of(t, OUT_F32, 0);
    case OUT_F16: return t->stream ? rows_of(t, OUT_F16, 1) : rows_of(t, OUT_F16, 0);
    default: return t->stream ? rows_of(t, OUT_BF16, 1) : rows_of(t, OUT_BF16, 0);
    }
}
