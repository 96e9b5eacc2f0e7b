/* Rectified rotary encoding, float32.
 * v0  the definition (distances.h): a table of distances within the window, and one of those beyond */
#include "relative/distances.h"

/* a is the window, b the leak. */
static struct distance place(const struct distances *m, int64_t c, int64_t j)
{
    if (c - j < m->a)
        return (struct distance){ c - j, 0 };
    return m->b ? (struct distance){ c - j + m->a * (m->b - 1), 1 } : (struct distance){ m->a, 0 };
}
static struct distances of(const struct mer_call *c)
{
    const int64_t leak = mer_int(c, "leak");
    return (
        struct distances){ .call = c, .place = place, .divide = leak ? leak : 1, .a = mer_int(c, "window"), .b = leak };
}
static int attend(const struct mer_call *c) { struct distances m = of(c); return distances_attend(&m); }
static int gradients(const struct mer_call *c) { struct distances m = of(c); return distances_gradients(&m); }
static int map(const struct mer_call *c) { struct distances m = of(c); return distances_map(&m); }
const struct mer_kernel rerope_scalar[] = {
    { "rerope", "o lse", "f32", RELATIVE_STEPS DISTANCES_SCORES, 0, attend },
    { "rerope", "dq dk dv", "f32", RELATIVE_GRAD_STEPS DISTANCES_GRADS, 0, gradients },
    { "rerope", "distance", "f32", "score=f32", 0, map },
    { 0 },
};
