/* Rotary encoding of several axes in plain loops: correctly rounded tables of each axis, from which every pair takes
 * the entry of its axis (core/rotate/axes.c); then an element has three float32 roundings, and for f16 and bf16 one
 * more at the very end.  The gradient is the same with -sin. */
#include "odd.h"
#include "rotate/axes.h"

/* y[h][n][d]: x turned, or dy turned back. */
static int turn(const struct mer_call *c)
{
    struct rope_axes *s = c->state;
    const struct rope_shape *of = &s->turn.shape;
    const struct mer_array *x = mer_in(c, s->turn.back ? "dy" : "x");
    struct mer_array *y = mer_out(c, s->turn.back ? "dx" : "y");
    const int64_t K = of->live, n = x->dim[1], apart = of->apart ? K : 1, by = of->apart ? 1 : 2;
    int rc = axes_table_for(s, c);
    for (int64_t row = 0; row < x->dim[0] * n && rc == MER_OK; row++)
        for (int64_t k = 0; k < K; k++) {
            const int64_t at = row * 2 * K + k * by, t = row % n * K + k;
            const float a = load_float(x->data, at, x->type), b = load_float(x->data, at + apart, x->type),
                        co = s->turn.cos[t], si = s->turn.sin[t];
            store_float(y->data, at, a * co - b * si, y->type);
            store_float(y->data, at + apart, b * co + a * si, y->type);
        }
    return rc;
}
static int axis_i64(const struct mer_call *c)
{
    struct mer_array *y = mer_out(c, "axis"); /* [K] */
    for (int64_t k = 0; k < y->dim[0]; k++)
        ((int64_t *)y->data)[k] = axes_of(c->state, k);
    return MER_OK;
}

/* The gauges are those of row rope (fast/rope.c), whose operations these are. */
const struct mer_kernel mrope_scalar[] = {
    { "mrope", "y", "f32", ROPE_PROFILE, 3, turn, axes_prepare, axes_release },
    { "mrope", "y", "bf16", ROPE_PROFILE, 1.0001, turn, axes_prepare, axes_release },
    { "mrope", "y", "f16", ROPE_PROFILE, 1.001, turn, axes_prepare, axes_release },
    { "mrope", "dx", "f32", ROPE_PROFILE, 3, turn, axes_prepare_back, axes_release },
    { "mrope", "dx", "bf16", ROPE_PROFILE, 1.0001, turn, axes_prepare_back, axes_release },
    { "mrope", "dx", "f16", ROPE_PROFILE, 1.001, turn, axes_prepare_back, axes_release },
    { "mrope", "cos sin", "f32", "store=f32", 1, axes_table, axes_prepare, axes_release, 1 },
    { "mrope", "cos sin", "bf16", "store=bf16", 1, axes_table, axes_prepare, axes_release, 1 },
    { "mrope", "cos sin", "f16", "store=f16", 1, axes_table, axes_prepare, axes_release, 1 },
    { "mrope", "axis", "f32", "store=f32", 0, axis_i64, axes_prepare, axes_release }, { 0 },
};
