/* Rotary attention under a lambda-shaped mask, float32.
 * v0  the definition (distances.h): a table of all distances that are seen */
#include "relative/distances.h"

/* a is the window, b how many first keys are always seen, s the limit. */
static int held(const struct distances *m, int64_t c, int64_t j) { return c - j < m->a || j < m->b; }
static struct distance still(const struct distances *m, int64_t c, int64_t j)
{
    return (struct distance){ c - j < m->a ? c - j : m->s, 0 };
}
static struct distance least(const struct distances *m, int64_t c, int64_t j)
{
    return (struct distance){ c - j < m->a || c - j < m->s ? c - j : m->s, 0 };
}
static struct distances of(const struct mer_call *c)
{
    const int64_t window = mer_int(c, "window"), limit = mer_int(c, "limit");
    return (struct distances){ .call = c, .place = mer_is(c, "far", "least") ? least : still, .visible = held,
        .divide = 1, .a = window, .b = mer_int(c, "sinks"), .s = limit ? limit : window };
}
static int attend(const struct mer_call *c) { struct distances m = of(c); return distances_attend(&m); }
static int gradients(const struct mer_call *c) { struct distances m = of(c); return distances_gradients(&m); }
static int map(const struct mer_call *c) { struct distances m = of(c); return distances_map(&m); }
static int visible(const struct mer_call *c) { struct distances m = of(c); return distances_visible(&m); }
const struct mer_kernel lminfinite_scalar[] = {
    { "lminfinite", "o lse", "f32", RELATIVE_STEPS DISTANCES_SCORES, 0, attend },
    { "lminfinite", "dq dk dv", "f32", RELATIVE_GRAD_STEPS DISTANCES_GRADS, 0, gradients },
    { "lminfinite", "distance", "f32", "score=f32", 0, map },
    { "lminfinite", "visible", "f32", "score=f32", 0, visible },
    { 0 },
};
