/* Linear attention, float32 or bfloat16 in and out, with every operation in double (core/recurrent/decayed.c). */
#include <math.h>
#include "recurrent/decayed.h"

static void vector(const struct mer_call *c, char name, int64_t h, int64_t t, double *x, int64_t n)
{
    const int elu = mer_is(c, "feature", "elu1"), relu = mer_is(c, "feature", "relu"), e = mer_is(c, "feature", "exp");
    (void)h, (void)t;
    for (int64_t i = 0; i < n && name != 'v'; i++)
        x[i] = elu ? (x[i] > 0 ? x[i] + 1 : exp(x[i])) : relu ? (x[i] > 0 ? x[i] : 0) : e ? exp(x[i]) : x[i];
}
static void back(const struct mer_call *c, char name, int64_t h, int64_t t, const double *x, double *y, int64_t n)
{
    const int elu = mer_is(c, "feature", "elu1"), relu = mer_is(c, "feature", "relu"), e = mer_is(c, "feature", "exp");
    (void)h, (void)t;
    for (int64_t i = 0; i < n && name != 'v'; i++)
        y[i] *= elu ? (x[i] > 0 ? 1 : exp(x[i])) : relu ? (x[i] > 0) : e ? exp(x[i]) : 1;
}
static const struct flow_row row = { .vector = vector, .back = back };

static int forward(const struct mer_call *c) { return flow_forward(c, &row); }
static int backward(const struct mer_call *c) { return flow_backward(c, &row); }
/* Gradients by z, which is not read where nothing is divided, are 0 by definition, and not offered. */
static int of_sum(const struct mer_call *c) { return mer_is(c, "normalise", "sum") ? backward(c) : MER_SKIP; }
static int sum(const struct mer_call *c) { return mer_is(c, "normalise", "sum") ? forward(c) : MER_SKIP; }
#define ARITH FLOW " phi=f64:2 total=f64 quotient=f64"
const struct mer_kernel linear_scalar[] = {
    { "linear", "o final", "f32", ARITH, 0, forward },
    { "linear", "final_z", "f32", ARITH, 0, sum },
    { "linear", "dq dk dv dstate", "f32", ARITH FLOW_BACK, 0, backward },
    { "linear", "dz", "f32", ARITH FLOW_BACK, 0, of_sum },
    { "linear", "o final", "bf16", ARITH, 0, forward },
    { "linear", "final_z", "bf16", ARITH, 0, sum },
    { "linear", "dq dk dv dstate", "bf16", ARITH FLOW_BACK, 0, backward },
    { "linear", "dz", "bf16", ARITH FLOW_BACK, 0, of_sum },
    { 0 },
};
