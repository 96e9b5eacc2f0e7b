/* Rotary attention with positions within chunks, float32.
 * v0  the definition (distances.h): a table of all distances, of which none is beyond the size of a chunk */
#include "relative/distances.h"

/* a is how many positions a chunk has, b where the furthest query stands. */
static struct distance place(const struct distances *m, int64_t c, int64_t j)
{
    const int64_t back = c / m->a - j / m->a, own = c % m->a + (back ? m->a : 0);
    if (back < 0)
        return (struct distance){ c - j, 0 };
    return (struct distance){ (back > 1 || own > m->b ? m->b : own) - j % m->a, 0 };
}
static struct distances of(const struct mer_call *c)
{
    const int64_t chunk = mer_int(c, "chunk"), length = chunk - mer_int(c, "near");
    return (struct distances){ .call = c, .place = place, .divide = 1, .a = length,
        .b = mer_is(c, "last", "at") && 2 * length > chunk ? chunk : chunk - 1 };
}
static int attend(const struct mer_call *c) { struct distances m = of(c); return distances_attend(&m); }
static int gradients(const struct mer_call *c) { struct distances m = of(c); return distances_gradients(&m); }
static int map(const struct mer_call *c) { struct distances m = of(c); return distances_map(&m); }
const struct mer_kernel dualchunk_scalar[] = {
    { "dualchunk", "o lse", "f32", RELATIVE_STEPS DISTANCES_SCORES, 0, attend },
    { "dualchunk", "dq dk dv", "f32", RELATIVE_GRAD_STEPS DISTANCES_GRADS, 0, gradients },
    { "dualchunk", "distance", "f32", "score=f32", 0, map },
    { 0 },
};
