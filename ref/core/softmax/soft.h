/* One softmax, shared by outputs and gradients: the visible keys of a query, their weights, and what the declared
 * arithmetic does to both. */
#ifndef SOFT_H
#define SOFT_H
#include "softmax/score.h"

/* The n visible keys of one query, all at or behind key number `from`, with their scores s and the exponentials e of s
 * - max, [n] each, and the total of those.  max: the largest score, as a ball; top: the one score that is certainly the
 * largest, whose weight is exactly 1, or NULL where that is open. */
struct soft { long n, from, *key; const struct ball **s, **e, *max, *top, *total; };
/* Keys and scores of query at[1] of head at[0]; e and total are still empty.  The caller calls soft_free. */
struct soft soft_gather(struct ask *w, const struct mix *m);
void soft_free(struct soft *s);
/* The same made by hand: none of at most `keys` keys; one more of them, of this score; and, behind the last, top. */
struct soft soft_room(long keys);
void soft_join(struct ask *w, struct soft *s, long key, const struct ball *score);
void soft_find_top(struct soft *s);
/* The exponential of score s less max, step by step. */
const struct ball *soft_weight(struct ask *w, const struct mix *m, const struct ball *s, const struct ball *max);
/* Fills e and total with two passes, step by step. */
void soft_two_passes(struct ask *w, const struct mix *m, struct soft *s);
/* How far computed weights may be from those of the scores' midpoints (soft.c derives it).  By visible key: D bounds
 * the absolute error of a weight, R counts the rescalings after it joined.  most: a bound of the exponents T of their
 * relative errors e^T - 1; sum: that of D; low: a lower bound of Z - sum; lost: the roundings of the total Z; shared:
 * an error that scores equal to the maximum have in common with it; high: what a weight is at most while it is held
 * relative to the reference point at hand; rescales: how many there may be in all; underflow: some weight has an
 * absolute error, too; moving: accumulators may be held at other powers in between, between blocks of
 * so many keys.  common: all weights are larger or
 * smaller together, by so much relatively, than those of the midpoints, as the maximum that was taken away errs: the
 * mean does not change by that, but where a rounding finds them does. */
struct weights {
    struct up *D, most, sum, low, lost, shared, high, common;
    long *R, rescales, block;
    bool underflow, moving;
};
/* Behind which visible key the block of m->block keys ends in which visible key j is the first.  placed: hidden keys
 * count. */
long soft_block_end(const struct mix *m, const struct soft *s, long j, bool placed);
/* Under WIDEN and EXACT: those bounds, and e and total of s, from the scores' midpoints.  The caller calls
 * weights_free. */
struct weights weigh(struct ask *w, const struct mix *m, struct soft *s);
void weights_free(struct weights *x);
/* keys_error of weights, or of weights times values, where t is what they are of the midpoints: sizes and errors with
 * what is common to them. */
struct up soft_sum_error(
    const struct ask *w, const struct soft *s, const struct weights *x, int step, struct summand *t, long keys);
/* The error of one rounding of a value up to top.  Before a rescaling it was held at another power of two, where it was
 * `high` at most: then u top, not half an ulp.  high is 0 of a value that was never held so. */
struct up soft_rounding(const struct ask *w, const struct weights *x, int step, struct up top, struct up high);
/* May a running sum of weights times values, which is held relative to the reference point at hand, leave the range of
 * `step` or of the rescalings?  V[n] are the sizes of the values by visible key; NULL: all are 1.  What overflowed
 * stays an infinity, or becomes no number, however small later scores make its weight. */
bool soft_overflows(const struct ask *w, const struct soft *s, const struct weights *x, int step, const struct up *V);
/* May a score have overflowed?  Then the difference of two infinities, which is no number, may be in every weight, in
 * those of hidden keys, too, as their 0 is divided by the total.  False but under WIDEN. */
bool soft_has_no_numbers(const struct ask *w, const struct soft *s);
/* The mean sum e_j v_j / total of v[s->n].  EXACT: exactly known where all v are equal, and on the exact path where
 * every group of equal scores has the same mean; no other mean under two or more different algebraic scores is
 * algebraic (Lindemann and Weierstrass), so more bits decide it. */
const struct ball *soft_mean(struct ask *w, const struct soft *s, const struct ball *const *v);
/* The mean of v where it is known whatever the weights are, else NULL. */
const struct ball *soft_known_mean(struct ask *w, const struct soft *s, const struct ball *const *v);
/* The additions over keys at `step`.  Lanes go by visible key or, where hidden keys are added as zeros, by key: the
 * worse of both.  t has room for `keys` terms, of which the first s->n are given, and is changed.  x: as online routes
 * add, block by block and rescaled in between; NULL: all at once. */
struct up keys_error(
    const struct ask *w, const struct soft *s, const struct weights *x, int step, struct summand *t, long keys);
/* The relative error u of one exponential as an exponent, u / (1 - u): e to plus or minus that encloses 1 + u and
 * 1 - u. */
struct up exp_error(const struct ask *w);
#endif
