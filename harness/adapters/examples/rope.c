/* A plug-in in C: rotary embedding, frequencies and angles in float64, made once in prepare.
 *   cc -std=c11 -O2 -ffp-contract=off -Ifast -fPIC -shared -o rope.so harness/adapters/examples/rope.c -lm && meridian
 *   judge ./rope.so */
#include <math.h>
#include "meridian.h"

struct rope_plan { int64_t half; double freq[]; };

static int prepare(struct mer_call *c)
{
    int64_t width = mer_int(c, "rotary") ? mer_int(c, "rotary") : mer_int(c, "dim");
    if (!mer_is(c, "scaling", "default") || !mer_is(c, "partial", "prefix") || !mer_only(c, "x pos"))
        return MER_SKIP;
    struct rope_plan *p = malloc(sizeof *p + (size_t)width / 2 * sizeof *p->freq);
    if (!p)
        return MER_BAD;
    p->half = width / 2;
    for (int64_t k = 0; k < p->half; k++)
        p->freq[k] = pow(mer_real(c, "base"), -2.0 * (double)k / (double)width);
    c->state = p;
    return MER_OK;
}

static int run(const struct mer_call *c)
{
    const struct rope_plan *p = c->state;
    const struct mer_array *x = mer_in(c, "x"), *pos = mer_in(c, "pos"); /* [h,n,d], [n] */
    float *y = mer_out(c, "y")->data;
    int64_t rows = x->dim[0] * x->dim[1], d = x->dim[2], pairs = mer_is(c, "layout", "interleaved");
    memcpy(y, x->data, (size_t)(rows * d) * sizeof *y);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < p->half; k++) {
            double angle = (double)((const int64_t *)pos->data)[r % x->dim[1]] * p->freq[k], co = cos(angle),
                   si = sin(angle);
            float *a = y + r * d + (pairs ? 2 * k : k), *b = a + (pairs ? 1 : p->half);
            double u = (double)*a, v = (double)*b;
            *a = (float)(u * co - v * si), *b = (float)(v * co + u * si);
        }
    return MER_OK;
}

static const struct mer_kernel kernels[] = {
    { .row = "rope", .out = "y", .type = "f32", .profile = "exponent=f64 power=f64:2 freq=f64 phase=f64 table=f64:2 "
        "product=f64 sum=f64", .run = run, .prepare = prepare, .release = free },
    { 0 },
};
static const struct mer_plugin plugin = { MER_ABI, "example", kernels };
const struct mer_plugin *meridian_plugin(void);
const struct mer_plugin *meridian_plugin(void) { return &plugin; }
