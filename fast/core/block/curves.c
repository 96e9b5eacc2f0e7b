/* Activations and their slopes by the C library, in double; the fast slots have their own (curve_tile.h).
 * What kernels declare of them, in half-ulps (2^-53), by glibc's table of errors ("Errors in Math Functions": exp 1,
 * tanh 2 ulps, erfc 5 at the most, below 1 where |t| < 0.84):
 *   curve=f64:4    gelu: the page rounds erf, at 0.76 and more where erfc is at most 0.24 and 10 of that 0.24 are off,
 *                  which is 2.4 of at least 3; nearer to 0 erfc is off by 2 half-ulps.  exp: 2.  gelu-tanh:
 *                  1/(1 + e^-2t) moves by 2 w (1 - w) for the 2 of exp, less than 4 tanh t and the 2 of its addition.
 *   weight=f64:2   the addition and the division, or the half, which is exact
 *   slope=f64:2    each of the page's steps here is one operation, or exp, or one with a rounded constant; 4 w (1 - w)
 *                  for 1 - tanh^2 moves by at most 8 where the page's curve alone has 8 tanh^2; the rest is equal */
#include "block/curves.h"
#include <math.h>
#include "meridian.h"

static const double root_half = 0.70710678118654752440, root_2_pi = 0.79788456080286535588,
                    inverse_root_2pi = 0.39894228040143267794, bend = 0.044715, quick = 1.702;

int act_named(const struct mer_call *c)
{
    return mer_is(c, "act", "gelu")   ? ACT_GELU :
        mer_is(c, "act", "gelu-tanh") ? ACT_GELU_TANH :
        mer_is(c, "act", "silu")       ? ACT_SILU :
        mer_is(c, "act", "quick-gelu") ? ACT_QUICK_GELU :
        mer_is(c, "act", "sigmoid")    ? ACT_SIGMOID :
                                         ACT_RELU;
}

/* The factor of x in every activation but relu, written as (1 + erf t)/2 = erfc(-t)/2 and (1 + tanh t)/2 =
 * 1/(1 + e^-2t), so that nothing cancels far below 0. */
static double weight(int kind, double x)
{
    if (kind == ACT_GELU)
        return 0.5 * erfc(-x * root_half);
    double t = kind == ACT_GELU_TANH ? 2 * (root_2_pi * (x + bend * (x * x * x)))
             : kind == ACT_QUICK_GELU ? quick * x : x;
    return 1 / (1 + exp(-t));
}

double act_value(int kind, double x)
{
    return kind == ACT_RELU ? (x < 0 ? 0 : x) : kind == ACT_SIGMOID ? weight(kind, x) : x * weight(kind, x);
}

double act_slope(int kind, double x, double kink)
{
    if (kind == ACT_RELU)
        return x > 0 ? 1 : x < 0 ? 0 : x == 0 ? kink : x;
    double w = weight(kind, x), even = w * (1 - w);
    if (kind == ACT_SIGMOID)
        return even;
    double d = kind == ACT_GELU ? exp(-(x * x) * 0.5) * inverse_root_2pi : kind == ACT_SILU ? even
             : kind == ACT_QUICK_GELU ? quick * even
             : 2 * w * (1 - w) * (root_2_pi * (1 + 3 * bend * (x * x))); /* 1 - tanh^2 = 4 w (1 - w) */
    return w + x * d;
}
