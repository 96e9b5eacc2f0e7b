/* Rows of a table in portable C: one complex product for each pair, CHUNK pairs at a time (angles.h).
 *   float32: the rounding of x is proved where x - eps and x + eps round to the same float.
 *   16 bits: y = float(x) rounds as the true value does unless y is a midpoint of the 16-bit format or |y| < small.
 *     Midpoints are floats, so if the value lay beyond one, |x - value| would be at least ulp(y)/2 > eps.  float16 has
 *     other midpoints below 2^-14, where no rounding counts as proved.
 * Entries whose rounding is not proved go to settle(). */
#include <math.h>
#include <string.h>
#include "table/angles.h"

static uint32_t bits_of(float x)
{
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

/* bits[j] = the entry x[j] rounded to the type, and open[j] != 0 where the rounding is not proved; CHUNK of each. */
static inline __attribute__((always_inline)) void narrow(
    uint32_t *bits, uint32_t *open, const double *x, const struct mer_angles *a, enum output out)
{
    double eps = a->eps;
    float small = (float)a->small;
    for (int j = 0; j < CHUNK; j++) {
        float y = (float)x[j];
        uint32_t b = bits_of(y), size = b & 0x7fffffff;
        if (out == OUT_F32) {
            open[j] = bits_of((float)(x[j] - eps)) ^ bits_of((float)(x[j] + eps));
            bits[j] = b;
        } else if (out == OUT_BF16) {
            open[j] = (uint32_t)((b & 0xffff) == 0x8000) | (uint32_t)!(fabsf(y) >= small);
            bits[j] = (b + 0x7fff + (b >> 16 & 1)) >> 16;
        } else {
            open[j] =
                (uint32_t)((b & 0x1fff) == 0x1000) | (uint32_t) !(fabsf(y) >= small) | (uint32_t)(size < 0x38800000);
            bits[j] = (b >> 16 & 0x8000) | (((size + 0xfff + (size >> 13 & 1)) >> 13) - (112 << 10));
            bits[j] = size >= 0x477ff000 ? (b >> 16 & 0x8000) | 0x7c00 : bits[j];
        }
    }
}

static inline __attribute__((always_inline)) void put(char *y, const uint32_t *b, int64_t n, enum output out)
{
    if (out == OUT_F32)
        memcpy(y, b, (size_t)n * sizeof *b);
    else
        for (int64_t j = 0; j < n; j++) {
            uint16_t h = (uint16_t)b[j];
            memcpy(y + 2 * j, &h, 2);
        }
}

static inline __attribute__((always_inline)) int rows_of(const struct angle_run *t, enum output out)
{
    const struct mer_angles *a = t->a;
    int64_t size = (int64_t)output_size[out];
    double sign = t->sign;
    int rc = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        const double *fc = a->fine + (t->r + i) * 2 * a->stride, *fs = fc + a->stride, *cc = t->coarse,
                     *cs = cc + a->stride;
        for (int64_t k = 0; k < a->spectrum.live; k += CHUNK) {
            double x[CHUNK], y[CHUNK];
            uint32_t c[CHUNK], s[CHUNK], open[CHUNK], also[CHUNK], any = 0;
            int64_t n = a->spectrum.live - k < CHUNK ? a->spectrum.live - k : CHUNK;
            char *co = (char *)t->cos + (i * a->spectrum.pairs + k) * size,
                 *si = (char *)t->sin + (i * a->spectrum.pairs + k) * size;
            for (int j = 0; j < CHUNK; j++) {
                double sine = sign * cs[k + j];
                x[j] = cc[k + j] * fc[k + j] - sine * fs[k + j];
                y[j] = sine * fc[k + j] + cc[k + j] * fs[k + j];
            }
            narrow(c, open, x, a, out), narrow(s, also, y, a, out);
            put(co, c, n, out), put(si, s, n, out);
            for (int j = 0; j < CHUNK; j++)
                any |= open[j] |= also[j];
            for (int64_t j = 0; any && j < n; j++)
                if (open[j])
                    rc |= settle(a, t->p + i, k + j, 1, out, co + j * size, si + j * size);
        }
    }
    return rc;
}

int table_scalar(const struct angle_run *t)
{
    return t->out == OUT_F32 ? rows_of(t, OUT_F32) : t->out == OUT_F16 ? rows_of(t, OUT_F16) : rows_of(t, OUT_BF16);
}
