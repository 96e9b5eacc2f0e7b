/* Gated linear attention, float32 or bfloat16 in and out, with every operation in double (core/recurrent/decayed.c). */
#include <math.h>
#include "recurrent/decayed.h"

static int given(const struct mer_call *c) { return mer_is(c, "gate", "log"); }
static double factor(const struct mer_call *c, int64_t h, double a)
{
    (void)h;
    const double soft = a < 0 ? log1p(exp(a)) - a : log1p(exp(-a));
    return exp(given(c) ? a : -soft / mer_real(c, "tau"));
}
static double slope(const struct mer_call *c, double a) { return given(c) ? 1 : 1 / (1 + exp(a)) / mer_real(c, "tau"); }
static const struct flow_row row = { .factor = factor, .slope = slope, .channels = 1 };

static int forward(const struct mer_call *c) { return flow_forward(c, &row); }
static int backward(const struct mer_call *c) { return flow_backward(c, &row); }
/* The gradient by the decay of one token that finds no state is 0 by definition, and not offered. */
static int of_decay(const struct mer_call *c)
{
    return mer_in(c, "v")->dim[1] > 1 || mer_in(c, "state") ? backward(c) : MER_SKIP;
}
/* In half-ulps: log1p(e^x) has 5, see loop.h; -x of it in a sum 1 more; the sigmoid of the slope 4. */
#define ARITH FLOW " decay=f64 logit=f64:6 log=f64 factor=f64:2"
const struct mer_kernel gla_scalar[] = {
    { "gla", "o final", "f32", ARITH, 0, forward },
    { "gla", "dq dk dv dstate", "f32", ARITH FLOW_BACK, 0, backward },
    { "gla", "da", "f32", ARITH FLOW_BACK, 0, of_decay },
    { "gla", "o final", "bf16", ARITH, 0, forward },
    { "gla", "dq dk dv dstate", "bf16", ARITH FLOW_BACK, 0, backward },
    { "gla", "da", "bf16", ARITH FLOW_BACK, 0, of_decay },
    { 0 },
};
