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
static const struct flow_row row = { .vector = vector, .back = back, .keys = 1 };

static int forward(const struct mer_call *c) { return flow_forward(c, &row); }
static int backward(const struct mer_call *c) { return flow_backward(c, &row); }
#define ARITH FLOW " phi=f64:2 total=f64 quotient=f64"
const struct mer_kernel linear_scalar[] = {
    { "linear", "o final final_z", "f32", ARITH, 0, forward },
    { "linear", "dq dk dv dstate dz", "f32", ARITH FLOW_BACK, 0, backward },
    { "linear", "o final final_z", "bf16", ARITH, 0, forward },
    { "linear", "dq dk dv dstate dz", "bf16", ARITH FLOW_BACK, 0, backward },
    { 0 },
};
