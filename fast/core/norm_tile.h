/* Normalisation of lines on vectors: layernorm (two passes) and rmsnorm, forward and backward.  A slot includes its lanes, then this.
 * Sums: element k joins lane k mod NORM_LANES of four vectors, then a balanced tree.  float32, or bfloat16 widened and rounded once. */
#ifndef NORM_TILE_H
#define NORM_TILE_H
#include <math.h>
#include "norm_lines.h"

enum { NORM_LANES = 4 * LANES };
struct tile { struct norm_fast n; int bf16, mean; float offset; const void *x, *gain, *shift, *dy; void *y; };

INLINE vec tile_load(const void *p, int64_t at, vmask m, int bf16) { return bf16 ? vload_half(m, (const uint16_t *)p + at) : vload_some(m, (const float *)p + at); }
INLINE void tile_store(void *p, int64_t at, vmask m, int bf16, vec x)
{
    if (bf16)
        vstore_half(m, (uint16_t *)p + at, x);
    else
        vstore_some(m, (float *)p + at, x);
}
INLINE float tile_tree(const vec *s) { return vtree(vadd(vadd(s[0], s[2]), vadd(s[1], s[3]))); }

/* sums over a line: of x, or of (x - mean)^2 */
INLINE float tile_sum(const struct tile *t, int64_t line, int squares, float mean, int bf16)
{
    vec s[4] = { vset(0), vset(0), vset(0), vset(0) };
    const int64_t d = t->n.d;
    for (int64_t k = 0; k < d; k += NORM_LANES)
        for (int j = 0; j < 4; j++) {
            vmask m = vfirst(d - k - j * LANES);
            vec x = tile_load(t->x, line * d + k + j * LANES, m, bf16);
            if (squares) {
                x = vpick(m, vsub(x, vset(mean)), vset(0));
                x = vmul(x, x);
            }
            s[j] = vadd(s[j], x);
        }
    return tile_tree(s);
}

INLINE struct norm_line tile_moments(const struct tile *t, int64_t line, int bf16)
{
    float mean = t->mean ? tile_sum(t, line, 0, 0, bf16) / (float)t->n.d : 0;
    float v = tile_sum(t, line, 1, mean, bf16) / (float)(t->n.d - t->n.less);
    return (struct norm_line){ mean, 1 / (t->n.outside ? sqrtf(v) + t->n.eps : sqrtf(v + t->n.eps)) };
}

INLINE vec tile_gain(const struct tile *t, int64_t k, vmask m, int bf16)
{
    vec g = tile_load(t->gain, k, m, bf16);
    return t->offset != 0 ? vadd(g, vset(t->offset)) : g;
}

INLINE void tile_forward(const struct tile *t, int64_t line, int bf16)
{
    const struct norm_line l = tile_moments(t, line, bf16);
    for (int64_t k = 0; k < t->n.d; k += LANES) {
        vmask m = vfirst(t->n.d - k);
        vec y = vmul(vsub(tile_load(t->x, line * t->n.d + k, m, bf16), vset(l.mean)), vset(l.r));
        y = t->gain ? vmul(y, tile_gain(t, k, m, bf16)) : y;
        y = t->shift ? vadd(y, tile_load(t->shift, k, m, bf16)) : y;
        tile_store(t->y, line * t->n.d + k, m, bf16, y);
    }
}

INLINE void tile_back(const struct tile *t, int64_t line, int bf16) /* eps inside */
{
    const struct norm_line l = tile_moments(t, line, bf16);
    const int64_t d = t->n.d, at = line * d;
    vec s[4] = { vset(0), vset(0), vset(0), vset(0) }, p[4] = { s[0], s[0], s[0], s[0] };
    for (int64_t k = 0; k < d; k += NORM_LANES)
        for (int j = 0; j < 4; j++) {
            vmask m = vfirst(d - k - j * LANES);
            int64_t c = k + j * LANES;
            vec a = tile_load(t->dy, at + c, m, bf16), x = vmul(vsub(tile_load(t->x, at + c, m, bf16), vset(l.mean)), vset(l.r));
            a = t->gain ? vmul(tile_gain(t, c, m, bf16), a) : a;
            s[j] = vadd(s[j], vpick(m, a, vset(0))), p[j] = vadd(p[j], vpick(m, vmul(a, x), vset(0)));
        }
    float mean = t->mean ? tile_tree(s) / (float)d : 0, dot = tile_tree(p) / (float)(d - t->n.less);
    for (int64_t k = 0; k < d; k += LANES) {
        vmask m = vfirst(d - k);
        vec a = tile_load(t->dy, at + k, m, bf16), x = vmul(vsub(tile_load(t->x, at + k, m, bf16), vset(l.mean)), vset(l.r));
        a = t->gain ? vmul(tile_gain(t, k, m, bf16), a) : a;
        a = t->mean ? vsub(a, vset(mean)) : a;
        tile_store(t->y, at + k, m, bf16, vmul(vset(l.r), vsub(a, vmul(x, vset(dot)))));
    }
}

static const void *tile_in(const struct mer_call *c, const char *name, int read)
{
    const struct mer_array *a = read ? mer_in(c, name) : NULL;
    return a ? a->data : NULL;
}

static int tile_run(const struct mer_call *c, int mean, int back)
{
    const struct mer_array *x = mer_in(c, "x");
    struct tile t = { norm_fast_of(c), x->type == MER_BF16, mean, mer_is(c, "offset", "1") ? 1 : 0, x->data, tile_in(c, "gain", !mer_is(c, "affine", "none")),
        tile_in(c, "shift", !back && mer_is(c, "affine", "gain-shift")), tile_in(c, "dy", back), c->out[0].data };
    if (back && t.n.outside)
        return MER_SKIP;
    for (int64_t i = 0; i < x->dim[0]; i++)
        if (back)
            t.bf16 ? tile_back(&t, i, 1) : tile_back(&t, i, 0);
        else
            t.bf16 ? tile_forward(&t, i, 1) : tile_forward(&t, i, 0);
    return MER_OK;
}
#endif
