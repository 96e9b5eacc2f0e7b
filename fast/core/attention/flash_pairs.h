/* What the slots that multiply bf16 numbers share beside lanes512.h: the product, where weights go, and which inputs
 * they take.  Their instructions read subnormals as zero and flush subnormal results, whatever MXCSR says (Intel SDM
 * vol. 2, VDPBF16PS, TDPBF16PS). */
#ifndef FLASH_PAIRS_H
#define FLASH_PAIRS_H
#include "attention/flash.h"
#include "lanes512.h"

INLINE vec vdot(vec acc, vec x, vec y)
{
    return _mm512_dpbf16_ps(acc, (__m512bh)_mm512_castps_si512(x), (__m512bh)_mm512_castps_si512(y));
}

/* Weights j .. j + 15 as bf16, packed from the start of the same row of floats.  They end at byte 2 j + 32, and the
 * scores have been read up to byte 4 j + 64, so no score is overwritten before it is read. */
INLINE void put_weights(float *row, int64_t j, vec p)
{
    _mm256_storeu_si256((__m256i *)(void *)((uint16_t *)(void *)row + j), (__m256i)_mm512_cvtneps_pbh(p));
}

/* Whether x[n] holds zeros and normal numbers only. */
static int all_plain(const uint16_t *x, int64_t n)
{
    __mmask32 bad = 0;
    for (int64_t k = 0; k < n && !bad; k += 32) {
        __mmask32 here = n - k >= 32 ? 0xffffffffu : (1u << (n - k)) - 1;
        __m512i v = _mm512_maskz_loadu_epi16(here, x + k), size = _mm512_and_si512(v, _mm512_set1_epi16(0x7fff));
        /* A magnitude is subnormal from 1 to 0x7f, that is where size - 1, unsigned, is below 0x7f; it is not finite
         * from 0x7f80 on. */
        bad = _mm512_cmplt_epu16_mask(_mm512_sub_epi16(size, _mm512_set1_epi16(1)), _mm512_set1_epi16(0x7f)) |
            _mm512_cmpge_epu16_mask(size, _mm512_set1_epi16(0x7f80));
    }
    return !bad;
}
/* The same of all of q, k and v. */
static int plain(const struct flash *f)
{
    const struct flash_lay *q = &f->q_lay, *k = &f->k_lay, *v = &f->v_lay;
    if (!(q->head | q->row | k->head | k->row | v->head | v->row))
        return all_plain(f->q, f->h * f->n * f->d) && all_plain(f->k, f->g * f->m * f->d) &&
            all_plain(f->v, f->g * f->m * f->e);
    int good = 1; /* row by row: what lies between rows may be anything */
    for (int64_t r = 0; good && r < f->h * f->n; r++)
        good = all_plain((const uint16_t *)f->q + flash_q(f, r / f->n, r % f->n), f->d);
    for (int64_t r = 0; good && r < f->g * f->m; r++)
        good = all_plain((const uint16_t *)f->k + flash_k(f, r / f->m, r % f->m), f->d) &&
            all_plain((const uint16_t *)f->v + flash_v(f, r / f->m, r % f->m), f->e);
    return good;
}
#endif
