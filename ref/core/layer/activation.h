/* Activations of feed-forward layers, and their slopes.
 *   relu       max(0, x)                         slope 0, 1, and `kink` at 0
 *   gelu       x (1 + erf(x/sqrt 2)) / 2         Hendrycks, Gimpel 2016 (arXiv:1606.08415)
 *   gelu_tanh  x (1 + tanh t) / 2                t = sqrt(2/pi) (x + 0.044715 x^3), section 2 there
 *   silu       x / (1 + e^-x)                    Elfwing, Uchibe, Doya 2017; swish with beta = 1
 *   quick_gelu x / (1 + e^(-1.702 x))            Hendrycks, Gimpel 2016, section 2; openai/CLIP
 *   sigmoid    1 / (1 + e^-x)                    the gate of GLU: Dauphin et al. 2017 (arXiv:1612.08083)
 * relu(NaN) = NaN. */
#ifndef ACTIVATION_H
#define ACTIVATION_H
#include "ball/ball.h"
enum { RELU, GELU, GELU_TANH, SILU, QUICK_GELU, SIGMOID };
/* Steps: argument, of erf, tanh or exp; curve, its value; weight, what x is multiplied by, 1 + .. and its half or
 * inverse; activate, x weight; slope, all else of the slope. */
struct activation { int kind, argument, curve, weight, activate, slope; mpq_srcptr kink; };
/* The activation at x, and its slope there, in the steps that `a` names. */
const struct ball *activate(struct ask *w, const struct activation *a, const struct ball *x);
const struct ball *activation_slope(struct ask *w, const struct activation *a, const struct ball *x);
#endif
