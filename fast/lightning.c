/* Lightning attention, float32 or bfloat16 in and out, with every operation in double (core/recurrent/decayed.c). */
#include <math.h>
#include "recurrent/decayed.h"

static double slope_of(const struct mer_call *c, int64_t h)
{
    const int64_t heads = mer_in(c, "v")->dim[0];
    int64_t n = 1;
    while (2 * n <= heads)
        n *= 2;
    if (mer_is(c, "slopes", "linear"))
        return (double)(8 * h) / (double)heads;
    if (mer_is(c, "slopes", "power") || n == heads)
        return exp2((double)(-8 * (h + 1)) / (double)heads);
    return h < n ? exp2((double)(-8 * (h + 1)) / (double)n) : exp2((double)(-4 * (2 * (h - n) + 1)) / (double)n);
}
/* 1 - l/L and the like as (L - l)/L, in which nothing cancels. */
static double share_of(const struct mer_call *c)
{
    const double l = mer_real(c, "layer"), layers = mer_real(c, "layers");
    if (mer_is(c, "layers_of", "fla"))
        return (layers - l) / layers;
    if (mer_is(c, "layers_of", "transformers"))
        return (layers - 1 - l + 1e-5) / (layers - 1 + 1e-5) + 1e-5;
    return (layers > 1 ? (layers - 1 - l) / (layers - 1) : 1) + 1e-5;
}
static double factor(const struct mer_call *c, int64_t h, double a)
{
    (void)a;
    return exp(-slope_of(c, h) * share_of(c));
}
static double sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
static void vector(const struct mer_call *c, char name, int64_t h, int64_t t, double *x, int64_t n)
{
    (void)h, (void)t, (void)name;
    for (int64_t i = 0; i < n && mer_is(c, "act", "silu"); i++)
        x[i] *= sigmoid(x[i]);
}
static void back(const struct mer_call *c, char name, int64_t h, int64_t t, const double *x, double *y, int64_t n)
{
    (void)h, (void)t, (void)name;
    for (int64_t i = 0; i < n && mer_is(c, "act", "silu"); i++)
        y[i] *= sigmoid(x[i]) + x[i] * (sigmoid(x[i]) * sigmoid(-x[i]));
}
static const struct flow_row row = { .vector = vector, .back = back, .factor = factor };

static int forward(const struct mer_call *c) { return flow_forward(c, &row); }
static int backward(const struct mer_call *c) { return flow_backward(c, &row); }
/* In half-ulps: exp2 and exp 2; f_l of five operations and its constants 8, with s_h and the product 11; e^x/(1 + e^x)
 * 2 + 3 + 1. */
#define ARITH FLOW " decay=f64 rate=f64:11 factor=f64:2 sigmoid=f64:6 activate=f64"
const struct mer_kernel lightning_scalar[] = {
    { "lightning", "o final", "f32", ARITH, 0, forward },
    { "lightning", "dq dk dv dstate", "f32", ARITH FLOW_BACK, 0, backward },
    { "lightning", "o final", "bf16", ARITH, 0, forward },
    { "lightning", "dq dk dv dstate", "bf16", ARITH FLOW_BACK, 0, backward },
    { 0 },
};
