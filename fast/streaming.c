/* Rotary attention over sinks and a recent window, float32.
 * v0  the definition (distances.h): a table of distances within the cache */
#include "relative/distances.h"

/* a is how many sinks are kept, b how many recent keys; this many keys between them are gone at place c. */
static int64_t evicted(const struct distances *m, int64_t c) { return c + 1 > m->a + m->b ? c + 1 - m->a - m->b : 0; }
static int held(const struct distances *m, int64_t c, int64_t j) { return j < m->a || j >= m->a + evicted(m, c); }
/* s: positions are those of the text, not of the cache. */
static struct distance place(const struct distances *m, int64_t c, int64_t j)
{
    return (struct distance){ j < m->a && !m->s ? c - evicted(m, c) - j : c - j, 0 };
}
static struct distances of(const struct mer_call *c)
{
    return (struct distances){ .call = c,
        .place = place,
        .visible = held,
        .divide = 1,
        .a = mer_int(c, "sinks"),
        .b = mer_int(c, "recent"),
        .s = mer_is(c, "positions", "text") };
}
static int attend(const struct mer_call *c) { struct distances m = of(c); return distances_attend(&m); }
static int gradients(const struct mer_call *c) { struct distances m = of(c); return distances_gradients(&m); }
static int map(const struct mer_call *c) { struct distances m = of(c); return distances_map(&m); }
static int visible(const struct mer_call *c) { struct distances m = of(c); return distances_visible(&m); }
const struct mer_kernel streaming_scalar[] = {
    { "streaming", "o lse", "f32", RELATIVE_STEPS DISTANCES_SCORES, 0, attend },
    { "streaming", "dq dk dv", "f32", RELATIVE_GRAD_STEPS DISTANCES_GRADS, 0, gradients },
    { "streaming", "distance", "f32", "score=f32", 0, map },
    { "streaming", "visible", "f32", "score=f32", 0, visible },
    { 0 },
};
