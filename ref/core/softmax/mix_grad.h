/* Gradients of softmax mixing, shared by every row that has scores and values (mix.h).  With do the gradient of o:
 *   dp_j = <do, v_j>      D = sum_l p_l dp_l      ds_j = p_j (dp_j - D), the gradient of score j
 *   two passes         p = e / total, D as that sum
 *   every other route  what fused kernels do (Dao et al. 2022, algorithm 4): p = exp(s - lse), D = <do, o>, with o and
 *                      lse of that route, stored
 * A row says only how its scores depend on an input: the factor that multiplies ds_j.
 * Faults (step.h), of those who write gradients by hand: uncentred, ds = p dp, without D; unscaled, without the scale.
 * Steps, besides those of mix.h (product and dot for dp and <do, o>; sum for D, dp - D and the sums over keys or
 * queries; shift and exp for p; weight for p in dv; score for the scale): output, o as D reads it; dp, as it is stored;
 * ds, as it is stored for its products. */
#ifndef MIX_GRAD_H
#define MIX_GRAD_H
#include "softmax/mix.h"
extern const char grad_steps[]; /* A row lists them as .steps = { mix_steps, grad_steps, "its own" }. */

/* Line (h, i):  y[c] = scale sum_j ds_ij key(h, i, j, c)                              dq: key = k */
void mix_query_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y);
/* y[c] = scale sum over (h, i) and the visible j picked of ds_ij query(h, i, c)
 * dk: query = q; the gradient of a table: query = q, j by its index */
void mix_key_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y);
/* The same where the factor depends on the key too   the gradient of a table: key = k + another table */
void mix_pair_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y);
/* y[c] = sum over (h, i) and the visible j picked of p_ij do[h,i,c]   dv, and the gradient of a table of values */
void mix_value_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y);
/* Line (h, i):  y[j] = scale ds_ij (slope's f' there), 0 where invisible; m is not read.    the gradient of a bias */
void mix_score_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y);

/* What most rows say: line (head, key) gathers that key of that head, line (head) everything of the head; k[h,j,c],
 * q[h,i,c]. */
bool mix_of_key(const struct ask *w, long h, long i, long j);
bool mix_of_head(const struct ask *w, long h, long i, long j);
const struct ball *mix_k(struct ask *w, long h, long i, long j, long c);
const struct ball *mix_q(struct ask *w, long h, long i, long c);
/* 1, the factor in the gradient of what is added to a score as it is. */
const struct ball *mix_one(struct ask *w, long h, long i, long c);
#endif
