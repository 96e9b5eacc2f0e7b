/* Activations of feed-forward layers and their slopes, in double by the C library: relu, gelu, gelu-tanh, silu,
 * quick-gelu, sigmoid (ref/core/layer/activation.h defines them).  relu of a NaN is that NaN. */
#ifndef CURVES_H
#define CURVES_H
enum { ACT_RELU, ACT_GELU, ACT_GELU_TANH, ACT_SILU, ACT_QUICK_GELU, ACT_SIGMOID };
struct mer_call;
int act_named(const struct mer_call *c); /* the kind that the parameter act names */
double act_value(int kind, double x);
double act_slope(int kind, double x, double kink); /* kink: the slope of relu at 0 */
#endif
