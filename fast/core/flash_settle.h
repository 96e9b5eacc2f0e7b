/* What softmax sees of one vector of products: nothing but the scale, a bias too, or every rule of visibility too. */
#ifndef FLASH_SETTLE_H
#define FLASH_SETTLE_H
#include "flash_pack.h"

enum finish { SCALED, BIASED, RULED };
struct sight { int64_t first, end; const float *bias; const uint8_t *keep; }; /* of query i, counted from key j0 */

INLINE struct sight sight_of(const struct flash *f, enum finish how, int64_t h, int64_t i, int64_t j0)
{
    struct sight x = { 0 };
    i = i < f->n ? i : f->n - 1;
    if (how == RULED)
        x.first = flash_first(f, i) - j0, x.end = flash_end(f, i) - j0, x.keep = f->keep ? f->keep + (h * f->n + i) * f->m + j0 : NULL;
    x.bias = how != SCALED && f->bias ? flash_bias(f, h, i) + j0 : NULL;
    return x;
}

INLINE vec settle(const struct flash *f, enum finish how, const struct sight *x, vec dot, int64_t at) /* LANES keys from j0 + at */
{
    const vec scale = vset(f->scale), none = vset(-INFINITY);
    vec s = vmul(dot, scale);
    if (how == SCALED)
        return s;
    vmask seen = how == RULED ? vbetween(x->first - at, x->end - at) : vfirst(LANES);
    if (how == RULED && x->keep)
        seen = vkept(seen, x->keep + at);
    if (how == BIASED || x->bias) {
        vec b = how == BIASED ? vload(x->bias + at) : vload_some(seen, x->bias + at);
        seen = vunlike(seen, b, none); /* -inf + NaN must hide too */
        s = f->bias_first ? vmul(vadd(dot, b), scale) : vadd(s, b);
    }
    return vpick(seen, s, none);
}
#endif
