/* Queries and keys brought to unit length before their product ("QK-norm"), one line of d numbers at a time.
 *   rms   R = sqrt(sum x^2 / d)      Qwen3, Gemma 3, OLMo 2 (with gain), Llama 4 (without)          Zhang and Sennrich
 *         2019
 *   l2    R = sqrt(sum x^2)          cosine attention: SwinV2, ViT-22B's relatives                 Henry et al. 2020
 *   y = gain x / N        N = sqrt(R^2 + eps) (inside), R + eps (outside), max(R, eps) (clamp:
 *   torch.nn.functional.normalize)
 * Its derivative:  dx = gain dy / N - x <gain dy, x> N'
 * N' = 1 / (d N^3), 1 / (d N^2 R), 1 / (d N^2 R) where R > eps, else 0; l2: without d
 * Steps: the sum of squares (and of the derivative's product), every other operation. */
#ifndef UNIT_H
#define UNIT_H
#include "ball/ball.h"
enum unit_kind { UNIT_NONE, UNIT_RMS, UNIT_L2 };
enum unit_eps { EPS_INSIDE, EPS_OUTSIDE, EPS_CLAMP };
/* A norm: kind and place as above, eps, gain[d] or NULL (no gain), and steps sum and each.  With offset the factor is
 * 1 + gain (Gemma). */
struct unit { int kind, place, offset; mpq_srcptr eps; const struct mer_array *gain; int sum, each; };
/* Fills y[d] with gain x / N; y may be x. */
void unit_line(struct ask *w, const struct unit *u, const struct ball *const *x, long d, const struct ball **y);
/* Fills dx[d], the gradient of x, from dy[d], that of y; dx may be dy. */
void unit_grad(struct ask *w, const struct unit *u, const struct ball *const *x, long d, const struct ball *const *dy,
    const struct ball **dx);
#endif
