#include "curves.h"
#include <math.h>
#include "meridian.h"

static const double root_half = 0.70710678118654752440, root_2_pi = 0.79788456080286535588, inverse_root_2pi = 0.39894228040143267794, bend = 0.044715;

int act_named(const struct mer_call *c)
{
    return mer_is(c, "act", "gelu") ? ACT_GELU : mer_is(c, "act", "gelu-tanh") ? ACT_GELU_TANH : mer_is(c, "act", "silu") ? ACT_SILU : ACT_RELU;
}

static double weight(int kind, double x, double *curve)
{
    if (kind == ACT_SILU)
        return 1 / (1 + (*curve = exp(-x)));
    *curve = kind == ACT_GELU ? erf(x * root_half) : tanh(root_2_pi * (x + bend * (x * x * x)));
    return (1 + *curve) * 0.5;
}

double act_value(int kind, double x)
{
    double curve;
    return kind == ACT_RELU ? (x < 0 ? 0 : x) : x * weight(kind, x, &curve);
}

double act_slope(int kind, double x, double kink)
{
    double curve;
    if (kind == ACT_RELU)
        return x > 0 ? 1 : x < 0 ? 0 : x == 0 ? kink : x;
    double w = weight(kind, x, &curve);
    double d = kind == ACT_GELU ? exp(-(x * x) * 0.5) * inverse_root_2pi : kind == ACT_SILU ? w * (1 - w)
             : (1 - curve * curve) * (root_2_pi * (1 + 3 * bend * (x * x))) * 0.5;
    return w + x * d;
}
