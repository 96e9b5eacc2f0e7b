/* One softmax, shared by outputs and gradients: the visible keys of a query, their weights, and what the declared
 * arithmetic does to both. */
#ifndef SOFT_H
#define SOFT_H
#include "softmax/mix.h"

/* visible keys of one query, at or behind `from`; top: of s, or NULL */
struct soft { long n, from, *key; const struct ball **s, **e, *max, *top, *total; };
struct soft soft_gather(struct ask *w, const struct mix *m); /* s, max; e and total still empty */
void soft_free(struct soft *s);
void soft_two_passes(struct ask *w, const struct mix *m, struct soft *s); /* e and total, step by step */
/* by m's route; o[w->len] or NULL, lse or NULL; s not empty */
void soft_forward(struct ask *w, const struct mix *m, struct soft *s, const struct ball **o, const struct ball **lse);

/* Per visible key: D bounds the absolute error of a weight, R counts rescalings after it joined.  most: bounds their
 * relative errors, as exponents;
 * sum D; low <= Z - sum D; lost: the total's roundings.  Fills e and total of s with weights of the scores'
 * midpoints. */
struct weights { struct up *D, most, sum, low, lost, shared; long *R, rescales; bool underflow, moving; };
struct weights weigh(struct ask *w, const struct mix *m, struct soft *s); /* WIDEN; EXACT */
void weights_free(struct weights *x);
/* own: NULL, or own[len] gets the radius of o that does not come from D */
void soft_output(struct ask *w, const struct mix *m, struct soft *s, const struct ball **o, struct up *own);
const struct ball *soft_lse(struct ask *w, const struct mix *m, struct soft *s);
/* sum e_j v_j / total.  EXACT: exactly known where all v are equal, and on the exact path where every group of equal
 * scores has the same mean; no other mean under two or more different algebraic scores is algebraic (Lindemann and
 * Weierstrass), so more bits decide it. */
const struct ball *soft_mean(struct ask *w, const struct soft *s, const struct ball *const *v);
/* The additions over keys at `step`.  Lanes go by visible key or, where hidden keys are added as zeros, by key: the
 * worse of both.  t[keys] is spread. */
struct up keys_error(const struct ask *w, const struct soft *s, int step, struct summand *t, long keys, bool scaled);
struct up exp_error(const struct ask *w); /* of one exponential, as an exponent: u / (1 - u) */
#endif
