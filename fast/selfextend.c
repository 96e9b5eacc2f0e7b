/* Rotary encoding with grouped far positions, float32.
 * v0  the definition (distances.h): a table of distances within the window, and one of those beyond */
#include "relative/distances.h"

/* a is the window, b the group; s: the division is a fraction, not a floor. */
static struct distance place(const struct distances *m, int64_t c, int64_t j)
{
    if (c - j < m->a)
        return (struct distance){ c - j, 0 };
    const int64_t over = c / m->b - j / m->b + m->a;
    return m->s ? (struct distance){ over * m->b - m->a, 1 } : (struct distance){ over - m->a / m->b, 0 };
}
static struct distances of(const struct mer_call *c)
{
    const int64_t group = mer_int(c, "group");
    return (struct distances){ .call = c,
        .place = place,
        .divide = group,
        .a = mer_int(c, "window"),
        .b = group,
        .s = mer_is(c, "division", "true") };
}
static int attend(const struct mer_call *c) { struct distances m = of(c); return distances_attend(&m); }
static int gradients(const struct mer_call *c) { struct distances m = of(c); return distances_gradients(&m); }
static int map(const struct mer_call *c) { struct distances m = of(c); return distances_map(&m); }
const struct mer_kernel selfextend_scalar[] = {
    { "selfextend", "o lse", "f32", RELATIVE_STEPS DISTANCES_SCORES, 0, attend },
    { "selfextend", "dq dk dv", "f32", RELATIVE_GRAD_STEPS DISTANCES_GRADS, 0, gradients },
    { "selfextend", "distance", "f32", "score=f32", 0, map },
    { 0 },
};
