/* The recurrence of linear attention and of its kin.  A head holds a state S[d,e], at first given or 0, and reads token
 * after token:
 *   S <- diag(a_t) S                    decay; correct_first: behind w, which is made of the state as it was
 *   w = beta_t (v_t - S^T k_t)          delta rule: what is written corrects the decayed state; without it w = v_t
 *   S <- S + k_t w^T                    write
 *   o_t = S^T q_t                       read
 * A row says by a state_rule what its tokens are and in which order they act.
 *
 * Bounds.  A ball of each entry grows by 1 + beta |k|_1 a token, as if errors never cancelled, and says nothing after
 * some fifty tokens.  What is true of a column s of S: an error vector E of it becomes (I - beta k k^T) diag(a) E and
 * the errors of this token's own roundings, and in the Euclidean norm that map is at most max(1, |1 - beta |k|^2|) max
 * a.  So a column is its centres, which carry no radius, a bound of |E| and one of each entry of E, the smaller of
 * both ways.  With |k| <= 1, 0 <= beta <= 2 and a <= 1 the map is a contraction, and n tokens cost n times the
 * roundings of one; nothing of that is assumed: where a key is longer or a gate above 1, the factor says so.  Under
 * correct_first the map is diag(a) - beta k k^T, whose eigenvalues lie between min a - beta |k|^2 and max a.
 * It needs one thing of an implementation: that the key, beta and the decay of a token are stored once, and that what
 * corrects and what writes are the same numbers.
 * The gradient D of the state, from the last token to the first, goes through the same maps, which are symmetric: D <-
 * D + q do^T, then (I - beta k k^T) D, then diag(a) D, at the same steps. */
#ifndef STATE_H
#define STATE_H
#include "state/rule.h"

/* Entry i of column c of head h where the state begins: that of the input `name` (state or dfinal), 0 where it is not
 * given. */
const struct ball *state_first(struct ask *w, const struct state_rule *r, const char *name, long h, long i, long c);
/* What a head makes, each NULL where it is not wanted: outputs o[n][e] and the last state final[d][e]. */
void state_forward(struct ask *w, const struct state_rule *r, long h, const struct ball **o, const struct ball **final);
/* Gradients by what a head was given, from the inputs do[h,n,e] and, where it is there, dfinal[h,d,e]: by q and k
 * [n][d], by v [n][e], by beta [n], by the logarithm of a ([n][d] for channels, else [n]), by the first state
 * [d][e]. */
struct state_grads { const struct ball **q, **k, **v, **beta, **a, **state; };
void state_backward(struct ask *w, const struct state_rule *r, long h, const struct state_grads *g);
#endif
