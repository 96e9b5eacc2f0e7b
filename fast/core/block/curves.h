/* Activations of feed-forward layers and their slopes, in double by libm: relu, gelu, gelu-tanh, silu,
 * quick-gelu, sigmoid (ref/core/layer/activation.h).  relu(NaN) = NaN. */
#ifndef CURVES_H
#define CURVES_H
enum { ACT_RELU, ACT_GELU, ACT_GELU_TANH, ACT_SILU, ACT_QUICK_GELU, ACT_SIGMOID };
struct mer_call;
int act_named(const struct mer_call *c); /* parameter act */
double act_value(int kind, double x);
double act_slope(int kind, double x, double kink);
#endif
