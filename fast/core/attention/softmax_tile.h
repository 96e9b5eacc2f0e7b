/* Softmax of lines on vectors, for the slots: include lanes256.h or lanes512.h, then this.  There are three passes over
 * a line: the greatest element; the exponentials in float32 and their sum, where element k joins lane k mod SOFT_LANES
 * of four vectors, which a balanced tree adds; and the product with 1 / sum. */
#ifndef SOFTMAX_TILE_H
#define SOFTMAX_TILE_H
#include "meridian.h"
#include <math.h>
#include <stdlib.h>
#include "exp_lanes.h"

enum { SOFT_LANES = 4 * LANES };
/* Lines x[.][m] -> y[.][m], both bf16 or both float32.  one: softmax1, whose sum has a term 1 more.  nan: a line of
 * -inf alone becomes NaN, else 0.  e[m rounded up to whole SOFT_LANES]: room for one line. */
struct soft_tile { int64_t m; float scale; int one, nan, bf16; const void *x; void *y; float *e; };

/* scale x of the lanes in m, from element `at`; -inf in the others. */
INLINE vec soft_in(const struct soft_tile *t, int64_t at, vmask m, int bf16)
{
    vec x = bf16 ? vload_half(m, (const uint16_t *)t->x + at) : vload_some(m, (const float *)t->x + at);
    return vpick(m, vmul(x, vset(t->scale)), vset(-INFINITY));
}

/* One vector of the first pass: e = scale x from element k of the line on, and the greater of it and peak. */
INLINE vec soft_peak(const struct soft_tile *t, int64_t at, int64_t k, vmask m, int bf16, vec peak)
{
    vec x = soft_in(t, at + k, m, bf16);
    vstore(t->e + k, x);
    return vmax(x, peak);
}
/* One vector of the last pass: y = by e. */
INLINE void soft_put(const struct soft_tile *t, int64_t at, int64_t k, vmask m, int bf16, vec by)
{
    if (bf16)
        vstore_half(m, (uint16_t *)t->y + at + k, vmul(vload(t->e + k), by));
    else
        vstore_some(m, (float *)t->y + at + k, vmul(vload(t->e + k), by));
}

/* One line.  Whole blocks come first, since their masks are constants.  Beyond m, e is -inf up to the end of a block,
 * so its exponentials are 0. */
INLINE void soft_line(const struct soft_tile *t, int64_t line, int bf16)
{
    const int64_t at = line * t->m, whole = t->m / SOFT_LANES * SOFT_LANES, one = t->m / LANES * LANES;
    const vec least = vset(t->one ? 0 : -INFINITY);
    vec peak[4] = { least, least, least, least }, sum[4] = { vset(0), vset(0), vset(0), vset(0) };
    for (int64_t k = 0; k < whole; k += SOFT_LANES)
        for (int j = 0; j < 4; j++)
            peak[j] = soft_peak(t, at, k + j * LANES, vfirst(LANES), bf16, peak[j]);
    for (int j = 0; j < 4 && whole < t->m; j++)
        peak[j] = soft_peak(t, at, whole + j * LANES, vfirst(t->m - whole - j * LANES), bf16, peak[j]);
    const float top = vtop(vmax(vmax(peak[0], peak[1]), vmax(peak[2], peak[3]))), from = top == -INFINITY ? 0 : top;
    for (int64_t k = 0; k < t->m; k += SOFT_LANES) {
        for (int b = 0; b < SOFT_LANES * (bf16 ? 2 : 4); b += 64) /* a hint, which may lie beyond the array */
            _mm_prefetch((const char *)t->x + (at + t->m + k) * (bf16 ? 2 : 4) + b, _MM_HINT_T0);
        for (int j = 0; j < 4; j++) {
            vec p = vexp(vsub(vload(t->e + k + j * LANES), vset(from)));
            sum[j] = vadd(sum[j], p);
            vstore(t->e + k + j * LANES, p);
        }
    }
    const float total = vtree(vadd(vadd(sum[0], sum[2]), vadd(sum[1], sum[3]))) + (t->one ? expf(-top) : 0);
    const vec by = total == 0 ? vset(t->nan ? NAN : 0) : vset(1 / total);
    for (int64_t k = 0; k < one; k += LANES)
        soft_put(t, at, k, vfirst(LANES), bf16, by);
    if (one < t->m)
        soft_put(t, at, one, vfirst(t->m - one), bf16, by);
}

/* Answers a call x[n,m] -> p[n,m].  MER_SKIP where keys are masked, MER_BAD without memory. */
static int soft_run(const struct mer_call *c)
{
    const struct mer_array *x = mer_in(c, "x");
    struct soft_tile t = { x->dim[1], (float)mer_real(c, "scale"), mer_is(c, "softmax1", "on"),
        mer_is(c, "empty", "nan"), x->type == MER_BF16, x->data, c->out[0].data, NULL };
    if (mer_in(c, "keep"))
        return MER_SKIP;
    t.e = malloc((size_t)(t.m + SOFT_LANES) * sizeof *t.e);
    for (int64_t i = 0; t.e && i < x->dim[0]; i++)
        t.bf16 ? soft_line(&t, i, 1) : soft_line(&t, i, 0);
    const int rc = t.e ? MER_OK : MER_BAD;
    free(t.e);
    return rc;
}
/* An element is multiplied by 1 / total, which is rounded itself: below 3 half-ulps and their square. */
#define SOFT_STEPS(lanes) "score=f32 shift=f32 exp=f32:2.5 total=f32/" lanes " div=f32:3.01"
#endif
