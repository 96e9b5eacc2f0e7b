/* Softmax mixing, shared by every row that changes scores, values or visibility:
 *   p_j = exp(s_j - max s) / sum exp(s - max s) over visible j        o = sum_j p_j v_j        lse = log sum exp s
 * A row gives the three functions; h is the query head, i the query, j the key, c the value's column.
 * Routes, the same real numbers, each with its own roundings:
 *   two passes   the maximum first
 *   online       blocks of keys; when the running maximum grows, accumulators are multiplied by exp(old - new)
 *   split        blocks apart, each to (o, lse); then the same softmax over blocks with scores lse and values o
 *   exp2         scores times log2 e, then 2^(s - max)
 *   lazy         online, but the reference point follows only when a score passes it by more than `slack`
 * Steps: score.h. */
#ifndef MIX_H
#define MIX_H
#include "softmax/score.h"
struct soft;

/* What a quantity may ask of a mixing (its .ask), for query at[1] of head at[0].  The output o[len], by the mixing's
 * route; where nothing is visible, by its `empty`. */
void mix_output(struct ask *w, const struct mix *m, const struct ball **o);
/* The value of key at[2] as query at[1] of head at[0] sees it, y[len] (a quantity's .ask). */
void mix_value_line(struct ask *w, const struct mix *m, const struct ball **y);
/* The output where each key's value comes with a vector, the value of `places`: two sums, joined at step `join`, since
 * keys that share a vector need only the sum of their weights. */
void mix_apart(struct ask *w, const struct mix *values, const struct mix *places, int join, const struct ball **o);
/* y[0], the log-sum-exp of the visible scores; -inf where nothing is visible. */
void mix_lse(struct ask *w, const struct mix *m, const struct ball **y);
/* The weights p[keys], by two passes; 0 of a key that is not visible, and by `empty` where none is. */
void mix_weights(struct ask *w, const struct mix *m, const struct ball **p);
/* The output o[w->len] and the log-sum-exp by m's route, each where it is not NULL, of keys that are gathered (soft.h);
 * s must not be empty. */
void soft_forward(struct ask *w, const struct mix *m, struct soft *s, const struct ball **o, const struct ball **lse);
#endif
