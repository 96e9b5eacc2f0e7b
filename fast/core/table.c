/* Table rows in portable C: one complex product per pair, sixteen pairs at a time.
 *   float32: x is settled if x - eps and x + eps round to the same float.
 *   16 bits: y = float(x) rounds as the true value does unless y is a midpoint of the 16-bit format or |y| < small:
 *     midpoints are floats, so were the value beyond one, |x - value| >= ulp(y)/2 > eps.  float16 below 2^-14 has other midpoints: settled too.
 * Everything else goes to settle(). */
#include <math.h>
#include <string.h>
#include "angles.h"

static uint32_t bits_of(float x)
{
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

/* bits of the entry; *open is raised where the rounding is not proved */
static uint32_t narrow(double x, const struct mer_angles *a, enum output out, uint32_t *open)
{
    float y = (float)x;
    uint32_t b = bits_of(y), size = b & 0x7fffffff;
    if (out == OUT_F32) {
        *open |= (float)(x - a->eps) != (float)(x + a->eps);
        return b;
    }
    if (out == OUT_BF16) {
        *open |= (b & 0xffff) == 0x8000 || !(fabsf(y) >= (float)a->small);
        return (b + 0x7fff + (b >> 16 & 1)) >> 16;
    }
    *open |= (b & 0x1fff) == 0x1000 || !(fabsf(y) >= (float)a->small) || !(size >= 0x38800000) || size >= 0x477fe000;
    return (b >> 16 & 0x8000) | (((size + 0xfff + (size >> 13 & 1)) >> 13) - (112 << 10));
}

static void put(void *y, int64_t at, const uint32_t *b, int64_t n, enum output out)
{
    if (out == OUT_F32)
        memcpy((float *)y + at, b, (size_t)n * sizeof *b);
    else
        for (int64_t j = 0; j < n; j++)
            ((uint16_t *)y)[at + j] = (uint16_t)b[j];
}

int table_scalar(const struct run *t)
{
    const struct mer_angles *a = t->a;
    int rc = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        const double *fc = a->fine + (t->r + i) * 2 * a->stride, *fs = fc + a->stride, *cc = t->coarse, *cs = cc + a->stride;
        for (int64_t k = 0; k < a->spectrum.live; k += CHUNK) {
            uint32_t c[CHUNK], s[CHUNK], open = 0;
            int64_t n = a->spectrum.live - k < CHUNK ? a->spectrum.live - k : CHUNK, at = i * a->spectrum.pairs + k;
            for (int64_t j = 0; j < n; j++) {
                double sine = t->sign * cs[k + j];
                c[j] = narrow(cc[k + j] * fc[k + j] - sine * fs[k + j], a, t->out, &open);
                s[j] = narrow(sine * fc[k + j] + cc[k + j] * fs[k + j], a, t->out, &open);
            }
            put(t->cos, at, c, n, t->out), put(t->sin, at, s, n, t->out);
            if (open)
                rc |= settle(a, t->p + i, k, n, t->out, (char *)t->cos + at * (int64_t)output_size[t->out], (char *)t->sin + at * (int64_t)output_size[t->out]);
        }
    }
    return rc;
}
