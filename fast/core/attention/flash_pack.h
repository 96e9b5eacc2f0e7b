/* Packing for flash_tile.h: keys transposed into panels, values in panels, so that a register tile reads whole aligned
 * lines.  A unit is what one lane of vdot takes: one float, or with PAIRS two neighbouring bf16 numbers, of d for q and
 * k, of keys for p and v. */
#ifndef FLASH_PACK_H
#define FLASH_PACK_H
#include "attention/flash.h"
#include <math.h>
#include "half.h"
#include "load_lanes.h"

/* The weights that a product takes: of row r and unit t, p[r across + t along]. */
struct weight_rows { const float *p; int64_t across, along; };

/* PANEL keys or columns are in a panel; ROW floats lie from row to row of scores; STEP keys are weighed at a time. */
enum { PANEL = NV * LANES, ROW = FLASH_LINE, STEP = DEPTH > 1 ? 2 * DEPTH : LANES };
/* What a unit is made from: a float; a bf16 or an f16 that is widened; two bf16 as they are. */
enum pack_unit { UNIT_F32, UNIT_BF16, UNIT_F16, UNIT_PAIR };
INLINE enum pack_unit unit_of(const struct flash *f)
{
    return PAIRS ? UNIT_PAIR : f->type == MER_BF16 ? UNIT_BF16 : f->type == MER_F16 ? UNIT_F16 : UNIT_F32;
}
/* How many units n elements take, up to whole DEPTHs of a tile product; elements beyond n are 0. */
INLINE int64_t units_of(int64_t n) { return PAIRS ? ((n + 1) / 2 + DEPTH - 1) / DEPTH * DEPTH : n; }
/* The address of an element of q, k, v or o. */
INLINE const char *row_at(const struct flash *f, const void *x, int64_t element)
{
    return (const char *)x + element * (int64_t)mer_width(f->type);
}

/* Unit t of a row of d elements; of a pair, its bits in a float. */
INLINE float unit_at(const char *row, int64_t t, int64_t d, enum pack_unit u)
{
    uint16_t h[2] = { 0, 0 };
    float x;
    if (u == UNIT_F32)
        memcpy(&x, row + 4 * t, sizeof x);
    else if (u == UNIT_BF16 || u == UNIT_F16) {
        memcpy(h, row + 2 * t, sizeof *h);
        x = u == UNIT_BF16 ? from_bf16(h[0]) : from_f16(h[0]);
    } else {
        memcpy(h, row + 4 * t, 2 * t + 1 < d ? sizeof h : 2 * t < d ? sizeof *h : 0);
        memcpy(&x, h, sizeof x);
    }
    return x;
}
/* Units t .. t + 3, all of which lie inside the row. */
INLINE __m128 units_at(const char *row, int64_t t, enum pack_unit u)
{
    if (u == UNIT_F16)
        return _mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)(const void *)(row + 2 * t)));
    if (u == UNIT_BF16)
        return _mm_castsi128_ps(
            _mm_unpacklo_epi16(_mm_setzero_si128(), _mm_loadl_epi64((const __m128i *)(const void *)(row + 2 * t))));
    return _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)(const void *)(row + 4 * t)));
}

/* kt[panel][unit][PANEL] of keys b0 .. b1 - 1 of key head g; the last panel is filled up with zeros. */
static void pack_keys(float *kt, const struct flash *f, int64_t g, int64_t b0, int64_t b1)
{
    const enum pack_unit u = unit_of(f);
    int64_t units = units_of(f->d), whole = u == UNIT_PAIR ? f->d / 2 : f->d;
    for (int64_t p = b0; p < b1; p += PANEL, kt += units * PANEL) {
        int64_t keys = b1 - p < PANEL ? b1 - p : PANEL, j = 0;
        for (; j + 4 <= keys; j += 4) {
            const char *row[4] = { row_at(f, f->k, flash_k(f, g, p + j)), row_at(f, f->k, flash_k(f, g, p + j + 1)),
                row_at(f, f->k, flash_k(f, g, p + j + 2)), row_at(f, f->k, flash_k(f, g, p + j + 3)) };
            int64_t t = 0;
            for (; t + 4 <= whole; t += 4) {
                __m128 a = units_at(row[0], t, u), b = units_at(row[1], t, u), c = units_at(row[2], t, u),
                       e = units_at(row[3], t, u);
                __m128 ab = _mm_unpacklo_ps(a, b), ce = _mm_unpacklo_ps(c, e), AB = _mm_unpackhi_ps(a, b),
                       CE = _mm_unpackhi_ps(c, e);
                float *to = kt + t * PANEL + j;
                _mm_storeu_ps(to, _mm_movelh_ps(ab, ce)), _mm_storeu_ps(to + PANEL, _mm_movehl_ps(ce, ab));
                _mm_storeu_ps(to + 2 * PANEL, _mm_movelh_ps(AB, CE)),
                    _mm_storeu_ps(to + 3 * PANEL, _mm_movehl_ps(CE, AB));
            }
            for (; t < units; t++)
                for (int l = 0; l < 4; l++)
                    kt[t * PANEL + j + l] = unit_at(row[l], t, f->d, u);
        }
        for (; j < PANEL; j++)
            for (int64_t t = 0; t < units; t++)
                kt[t * PANEL + j] = j < keys ? unit_at(row_at(f, f->k, flash_k(f, g, p + j)), t, f->d, u) : 0;
    }
}

/* q[group][unit][GROUP] of queries i0 .. i1 - 1 of head h, or q[group][GROUP][unit] where a product takes several units
 * (DEPTH > 1).  The last group is filled up with the queries behind it, and with zeros beyond n. */
static void pack_queries(float *q, const struct flash *f, int64_t h, int64_t i0, int64_t i1)
{
    const enum pack_unit u = unit_of(f);
    int64_t units = units_of(f->d);
    for (int64_t i = i0; i < i1; i += GROUP, q += units * GROUP)
        for (int64_t r = 0; r < GROUP; r++) {
            const char *row = row_at(f, f->q, flash_q(f, h, i + r));
            if (DEPTH > 1) { /* the row as it lies, filled up with zeros */
                size_t bytes = i + r < f->n ? (size_t)f->d * 2 : 0;
                char *to = (char *)(q + r * units);
                memset(to + bytes, 0, (size_t)units * sizeof *q - bytes);
                memcpy(to, row, bytes);
                continue;
            }
            for (int64_t t = 0; t < units; t++)
                q[t * GROUP + r] = i + r < f->n ? unit_at(row, t, f->d, u) : 0;
        }
}

/* The width of the panel of values that starts with this column: whole vectors, at most PANEL. */
INLINE int64_t width_of(int64_t e, int64_t column)
{
    return e - column >= PANEL ? PANEL : (e - column + LANES - 1) / LANES * LANES;
}

/* v[panel][key][width] of keys b0 .. b1 - 1 of key head g, where a panel begins at FLASH_KEYS times its first column.
 * Returns 1 where an infinity or a NaN is among them; with PAIRS, always 0, since such inputs are not asked. */
static int pack_values(float *v, const struct flash *f, int64_t g, int64_t b0, int64_t b1)
{
    vec odd = vset(0);
    for (int64_t column = 0; column < f->e; column += PANEL) {
        int64_t width = width_of(f->e, column);
        float *to = v + FLASH_KEYS * column;
        for (int64_t j = b0, end = PAIRS ? b0 + 2 * units_of(b1 - b0) : b1; j < end; j += PAIRS ? 2 : 1)
            for (int64_t c = 0; c < width; c += LANES, to += LANES) {
                int64_t at = flash_v(f, g, j) + column + c, left = f->e - column - c;
                if (PAIRS) {
                    const uint16_t *x = (const uint16_t *)f->v + at;
                    vec low = j < b1 ? vload_half(vfirst(left), x) : vset(0),
                        high = j + 1 < b1 ? vload_half(vfirst(left), x + f->e + f->v_lay.row) : vset(0);
                    vstore(to, vpair(low, high));
                    continue;
                }
                vec x = load_some(f->type, f->v, at, left);
                odd = vfma(x, vset(0), odd); /* stays 0, or becomes NaN and stays it */
                vstore(to, x);
            }
    }
    return vtree(odd) != 0;
}
#endif
