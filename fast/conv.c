/* Short causal convolution, float32 or bfloat16 in and out, with every operation in double.
 * v0  plain loops over taps */
#include <math.h>
#include <stdlib.h>
#include "recurrent/doubles.h"

struct kernel_conv_call {
    const struct mer_call *c;
    double *block;
    int64_t n, ch, w;
    const double *x, *weight, *bias, *state, *dy, *dfinal;
    int silu, first;
};
static int open_call(struct kernel_conv_call *f, const struct mer_call *c)
{
    const struct mer_array *x = mer_in(c, "x");
    double *used = malloc((size_t)(doubles_of_all(c) + 1) * sizeof *used);
    *f = (struct kernel_conv_call){ .c = c, .block = used, .n = x->dim[0], .ch = x->dim[1],
        .w = mer_in(c, "weight")->dim[1],
        .silu = mer_is(c, "act", "silu"), .first = mer_is(c, "taps", "newest-first") };
    if (!used)
        return MER_BAD;
    f->x = doubles_in(c, "x", &used), f->weight = doubles_in(c, "weight", &used);
    f->bias = doubles_in(c, "bias", &used);
    f->state = doubles_in(c, "state", &used), f->dy = doubles_in(c, "dy", &used);
    f->dfinal = doubles_in(c, "dfinal", &used);
    return MER_OK;
}
static double at_time(const struct kernel_conv_call *f, int64_t t, int64_t c)
{
    return t >= 0 ? f->x[t * f->ch + c] : f->state && f->w + t >= 0 ? f->state[c * f->w + f->w + t] : 0;
}
/* The place of the tap that meets the i-th of the w inputs, the oldest first. */
static int64_t tap(const struct kernel_conv_call *f, int64_t c, int64_t i)
{
    return c * f->w + (f->first ? f->w - 1 - i : i);
}
static double before(const struct kernel_conv_call *f, int64_t t, int64_t c)
{
    double sum = f->bias ? f->bias[c] : 0;
    for (int64_t i = 0; i < f->w; i++)
        sum += f->weight[tap(f, c, i)] * at_time(f, t - f->w + 1 + i, c);
    return sum;
}
static double sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
static int forward(const struct mer_call *c)
{
    struct kernel_conv_call f;
    if (open_call(&f, c))
        return MER_BAD;
    for (int64_t k = 0; k < f.n * f.ch; k++) {
        const double p = before(&f, k / f.ch, k % f.ch), y = f.silu ? p * sigmoid(p) : p;
        doubles_out(mer_out(c, "y"), k, &y, 1);
    }
    for (int64_t k = 0; k < f.ch * f.w; k++) {
        const double y = at_time(&f, f.n - f.w + k % f.w, k / f.w);
        doubles_out(mer_out(c, "final"), k, &y, 1);
    }
    free(f.block);
    return MER_OK;
}
static double up(const struct kernel_conv_call *f, int64_t t, int64_t c)
{
    const double dy = f->dy[t * f->ch + c], p = f->silu ? before(f, t, c) : 0, s = sigmoid(p);
    return f->silu ? dy * (s + p * (s * sigmoid(-p))) : dy;
}
static double of_time(const struct kernel_conv_call *f, int64_t u, int64_t c)
{
    const int64_t kept = u - f->n + f->w;
    double sum = f->dfinal && kept >= 0 && kept < f->w ? f->dfinal[c * f->w + kept] : 0;
    for (int64_t i = 0; i < f->w; i++) {
        const int64_t t = u + f->w - 1 - i;
        sum += t >= 0 && t < f->n ? f->weight[tap(f, c, i)] * up(f, t, c) : 0;
    }
    return sum;
}
static int backward(const struct mer_call *c)
{
    struct kernel_conv_call f;
    if (open_call(&f, c))
        return MER_BAD;
    for (int64_t k = 0; k < f.n * f.ch; k++) {
        const double y = of_time(&f, k / f.ch, k % f.ch);
        doubles_out(mer_out(c, "dx"), k, &y, 1);
    }
    for (int64_t k = 0; k < f.ch * f.w; k++) {
        const int64_t ch = k / f.w, i = k % f.w;
        double d = 0, s = of_time(&f, i - f.w, ch), b = 0;
        for (int64_t t = 0; t < f.n; t++)
            d += up(&f, t, ch) * at_time(&f, t - f.w + 1 + i, ch), b += up(&f, t, ch);
        doubles_out(mer_out(c, "dweight"), tap(&f, ch, i), &d, 1), doubles_out(mer_out(c, "dstate"), k, &s, 1);
        doubles_out(mer_out(c, "dbias"), ch, &b, 1);
    }
    free(f.block);
    return MER_OK;
}
/* In half-ulps: the sigmoid has 6 (core/recurrent/loop.h), and so has what is made as 1 - s. */
#define ARITH "product=f64 sum=f64 sigmoid=f64:6 activate=f64"
const struct mer_kernel conv_scalar[] = {
    { "conv", "y final", "f32", ARITH, 0, forward },
    { "conv", "dx dweight dbias dstate", "f32", ARITH " slope=f64:6 gather=f64", 0, backward },
    { "conv", "y final", "bf16", ARITH, 0, forward },
    { "conv", "dx dweight dbias dstate", "bf16", ARITH " slope=f64:6 gather=f64", 0, backward },
    { 0 },
};
