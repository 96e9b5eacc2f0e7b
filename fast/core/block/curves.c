/* Activations and their slopes by the C library, in double; the fast slots have their own (curve_tile.h). */
#include "block/curves.h"
#include <math.h>
#include "meridian.h"

static const double root_half = 0.70710678118654752440, root_2_pi = 0.79788456080286535588,
                    inverse_root_2pi = 0.39894228040143267794, bend = 0.044715;

int act_named(const struct mer_call *c)
{
    return mer_is(c, "act", "gelu")   ? ACT_GELU :
        mer_is(c, "act", "gelu-tanh") ? ACT_GELU_TANH :
        mer_is(c, "act", "silu")      ? ACT_SILU :
                                        ACT_RELU;
}

/* (1 + erf t)/2 = erfc(-t)/2 and (1 + tanh t)/2 = 1/(1 + e^-2t): nothing cancels far below 0 */
static double weight(int kind, double x)
{
    double t = root_2_pi * (x + bend * (x * x * x));
    return kind == ACT_GELU ? 0.5 * erfc(-x * root_half) : 1 / (1 + exp(kind == ACT_SILU ? -x : -2 * t));
}

double act_value(int kind, double x)
{
    return kind == ACT_RELU ? (x < 0 ? 0 : x) : x * weight(kind, x);
}

double act_slope(int kind, double x, double kink)
{
    if (kind == ACT_RELU)
        return x > 0 ? 1 : x < 0 ? 0 : x == 0 ? kink : x;
    double w = weight(kind, x);
    double d = kind == ACT_GELU ? exp(-(x * x) * 0.5) * inverse_root_2pi : kind == ACT_SILU ? w * (1 - w)
             : 2 * w * (1 - w) * (root_2_pi * (1 + 3 * bend * (x * x))); /* 1 - tanh^2 = 4 w (1 - w) */
    return w + x * d;
}
