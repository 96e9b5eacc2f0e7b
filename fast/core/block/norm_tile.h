/* Normalisation of lines on vectors, for the slots: include lanes256.h or lanes512.h, then this.  layernorm in two
 * passes and rmsnorm, forward and backward.  In a sum, element k joins lane k mod NORM_LANES of four vectors, which a
 * balanced tree adds.  Arrays are float32, or bf16 that is widened and rounded once. */
#ifndef NORM_TILE_H
#define NORM_TILE_H
#include "load_lanes.h"
#include "meridian.h"
#include <math.h>
#include "block/norm_lines.h"

enum { NORM_LANES = 4 * LANES };
/* A call: x and dy [.][d], gain and shift [d], or NULL; y, the output.  mean: layernorm, not rmsnorm; offset joins the
 * gain. */
struct norm_tile { struct norm_fast n; int bf16, mean; float offset; const void *x, *gain, *shift, *dy; void *y; };

INLINE float tile_tree(const vec *s) { return vtree(vadd(vadd(s[0], s[2]), vadd(s[1], s[3]))); }

/* Sums over a line, of x or of (x - mean)^2.  Whole blocks come first, since their masks are constants. */
INLINE vec tile_term(const struct norm_tile *t, int64_t at, int squares, float mean, int bf16, vmask m)
{
    vec x = load_masked(t->x, at, m, bf16);
    if (!squares)
        return x;
    x = vsub(x, vset(mean));
    return vmul(x, x);
}
INLINE float tile_sum(const struct norm_tile *t, int64_t line, int squares, float mean, int bf16)
{
    vec s[4] = { vset(0), vset(0), vset(0), vset(0) };
    const int64_t d = t->n.d, whole = d / NORM_LANES * NORM_LANES;
    for (int64_t k = 0; k < whole; k += NORM_LANES)
        for (int j = 0; j < 4; j++)
            s[j] = vadd(s[j], tile_term(t, line * d + k + j * LANES, squares, mean, bf16, vfirst(LANES)));
    for (int j = 0; j < 4 && whole + j * LANES < d; j++) {
        vmask m = vfirst(d - whole - j * LANES);
        s[j] = vadd(s[j], vpick(m, tile_term(t, line * d + whole + j * LANES, squares, mean, bf16, m), vset(0)));
    }
    return tile_tree(s);
}

INLINE struct norm_rows tile_moments(const struct norm_tile *t, int64_t line, int bf16)
{
    float mean = t->mean ? tile_sum(t, line, 0, 0, bf16) / (float)t->n.d : 0;
    float v = tile_sum(t, line, 1, mean, bf16) / (float)(t->n.d - t->n.less);
    return (struct norm_rows){ mean, 1 / (t->n.outside ? sqrtf(v) + t->n.eps : sqrtf(v + t->n.eps)) };
}

INLINE vec tile_gain(const struct norm_tile *t, int64_t k, vmask m, int bf16)
{
    vec g = load_masked(t->gain, k, m, bf16);
    return t->offset != 0 ? vadd(g, vset(t->offset)) : g;
}

/* y of the lanes in m from element k of a line on; the line begins at element `at`. */
INLINE void tile_put(const struct norm_tile *t, struct norm_rows l, int64_t at, int64_t k, vmask m, int bf16)
{
    vec y = vmul(vsub(load_masked(t->x, at + k, m, bf16), vset(l.mean)), vset(l.r));
    y = t->gain ? vmul(y, tile_gain(t, k, m, bf16)) : y;
    y = t->shift ? vadd(y, load_masked(t->shift, k, m, bf16)) : y;
    store_masked(t->y, at + k, m, bf16, y);
}

/* A hint for the next line while this one is stored, so that reading and writing overlap.  It may lie beyond the array.
 * bf16 [8192][1024], as a share of a copy: layernorm 0.49 and rmsnorm 0.61 without it, 0.68 and 0.80 with it. */
INLINE void tile_fetch(const void *p, int64_t at, int bf16)
{
    _mm_prefetch((const char *)p + at * (bf16 ? 2 : 4), _MM_HINT_T0);
}

INLINE void tile_forward(const struct norm_tile *t, int64_t line, int bf16)
{
    const struct norm_rows l = tile_moments(t, line, bf16);
    const int64_t d = t->n.d, whole = d / LANES * LANES;
    for (int64_t k = 0; k < whole; k += LANES) {
        if (bf16) /* float32 lines are long enough for the processor's own hints: 0.87 of a copy without, 0.76 with */
            tile_fetch(t->x, (line + 1) * d + k, bf16);
        tile_put(t, l, line * d, k, vfirst(LANES), bf16);
    }
    if (whole < d)
        tile_put(t, l, line * d, whole, vfirst(d - whole), bf16);
}

/* Of some elements: gain dy, and (x - mean) r. */
struct tile_pair { vec a, x; };
INLINE struct tile_pair tile_pair(
    const struct norm_tile *t, struct norm_rows l, int64_t at, int64_t k, vmask m, int bf16)
{
    vec a = load_masked(t->dy, at + k, m, bf16),
        x = vmul(vsub(load_masked(t->x, at + k, m, bf16), vset(l.mean)), vset(l.r));
    return (struct tile_pair){ t->gain ? vmul(tile_gain(t, k, m, bf16), a) : a, x };
}
/* dx of the lanes in m.  Of the line, mean is the sum of a over d, and dot that of a x over d - less. */
INLINE void tile_put_back(
    const struct norm_tile *t, struct norm_rows l, int64_t at, int64_t k, vmask m, int bf16, float mean, float dot)
{
    struct tile_pair p = tile_pair(t, l, at, k, m, bf16);
    p.a = t->mean ? vsub(p.a, vset(mean)) : p.a;
    store_masked(t->y, at + k, m, bf16, vmul(vset(l.r), vsub(p.a, vmul(p.x, vset(dot)))));
}

/* The gradient of one line, where eps is added inside the root. */
INLINE void tile_back(const struct norm_tile *t, int64_t line, int bf16)
{
    const struct norm_rows l = tile_moments(t, line, bf16);
    const int64_t d = t->n.d, at = line * d, blocks = d / NORM_LANES * NORM_LANES, whole = d / LANES * LANES;
    vec s[4] = { vset(0), vset(0), vset(0), vset(0) }, p[4] = { s[0], s[0], s[0], s[0] };
    for (int64_t k = 0; k < blocks; k += NORM_LANES)
        for (int j = 0; j < 4; j++) {
            struct tile_pair c = tile_pair(t, l, at, k + j * LANES, vfirst(LANES), bf16);
            s[j] = vadd(s[j], c.a), p[j] = vadd(p[j], vmul(c.a, c.x));
        }
    for (int j = 0; j < 4 && blocks + j * LANES < d; j++) {
        vmask m = vfirst(d - blocks - j * LANES);
        struct tile_pair c = tile_pair(t, l, at, blocks + j * LANES, m, bf16);
        s[j] = vadd(s[j], vpick(m, c.a, vset(0))), p[j] = vadd(p[j], vpick(m, vmul(c.a, c.x), vset(0)));
    }
    float mean = t->mean ? tile_tree(s) / (float)d : 0, dot = tile_tree(p) / (float)(d - t->n.less);
    for (int64_t k = 0; k < whole; k += LANES) {
        tile_fetch(t->x, at + d + k, bf16), tile_fetch(t->dy, at + d + k, bf16);
        tile_put_back(t, l, at, k, vfirst(LANES), bf16, mean, dot);
    }
    if (whole < d)
        tile_put_back(t, l, at, whole, vfirst(d - whole), bf16, mean, dot);
}

static const void *tile_in(const struct mer_call *c, const char *name, int read)
{
    const struct mer_array *a = read ? mer_in(c, name) : NULL;
    return a ? a->data : NULL;
}

/* Answers a call of y, or with `back` of dx; MER_SKIP for a gradient where eps is added outside the root. */
static int tile_run(const struct mer_call *c, int mean, int back)
{
    const struct mer_array *x = mer_in(c, "x");
    struct norm_tile t = { norm_fast_of(c), x->type == MER_BF16, mean, mer_is(c, "offset", "1") ? 1 : 0, x->data,
        tile_in(c, "gain", !mer_is(c, "affine", "none")),
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
/* Answers a call of one gradient of gain or shift, float32: dgain[k] += dy (x - mean) r or dshift[k] += dy, over the
 * lines in order. */
static inline int tile_collect(const struct mer_call *c, int mean)
{
    const struct mer_array *x = mer_in(c, "x"), *dy = mer_in(c, "dy");
    struct norm_tile t = { norm_fast_of(c), 0, mean, 0, x ? x->data : NULL, NULL, NULL, dy->data, c->out[0].data };
    const int64_t d = dy->dim[1];
    for (int64_t k = 0; k < d; k += LANES)
        store_masked(t.y, k, vfirst(d - k), 0, vset(0));
    for (int64_t i = 0; i < dy->dim[0]; i++) {
        const struct norm_rows l = x ? tile_moments(&t, i, 0) : (struct norm_rows){ 0, 1 };
        for (int64_t k = 0; k < d; k += LANES) {
            const vmask m = vfirst(d - k);
            vec add = load_masked(t.dy, i * d + k, m, 0);
            add = x ? vmul(add, vmul(vsub(load_masked(t.x, i * d + k, m, 0), vset(l.mean)), vset(l.r))) : add;
            store_masked(t.y, k, m, 0, vadd(load_masked(t.y, k, m, 0), add));
        }
    }
    return MER_OK;
}
#endif
