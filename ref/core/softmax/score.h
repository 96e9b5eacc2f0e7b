/* What a softmax mixing (mix.h) is made of: its steps and routes, products and scales that most scores have, and what
 * the mixing is asked of a query and a key: a score after its mask, a value.
 * Steps:
 *   dot      the sum of a score's products
 *   product  every product, unless it is fused into its sum
 *   score    times the scale
 *   shift    s - max
 *   exp      the exponential of that
 *   weight   storage of exp for the value product only; if the total sees it too, it is the format of exp
 *   sum      over keys, of weighted values
 *   total    over keys, of weights
 *   rescale  online: accumulators times exp(old max - new max)
 *   div      by the total
 *   log      of the total, of the maximum brought back from base 2, and a stored lse */
#ifndef SCORE_H
#define SCORE_H
#include "row/mixing.h"
#include "row/param.h"
#include "edit/site.h"
enum { DOT, PRODUCT, SCORE, SHIFT, EXP, WEIGHT, SUM, TOTAL, RESCALE, DIV, LOG, MIX_STEPS };
/* Behind them the steps of its gradients, which mix_grad.h describes. */
enum { OUTPUT = MIX_STEPS, DP, DS, GRAD_STEPS };
enum mix_route { TWO_PASSES, ONLINE, SPLIT, EXP2, LAZY };
/* What o is where a query sees no key: 0, NaN, or the mean of every value.  Its lse is -inf and its gradients are 0. */
enum mix_empty { EMPTY_ZERO, EMPTY_NAN, EMPTY_MEAN };
extern const char mix_steps[];
/* m by such tiles.  A route changes no real number, so what is exact takes two passes. */
struct mix mix_on(const struct ask *w, struct mix m, const struct tiles *t);
extern const struct param tiles_params[]; /* The parameters of a row, of its struct tiles. */

/* The line of an input along its last axis, at leading indices i, j of rank 3, and i of rank 2. */
struct span span_at(const struct ask *w, const char *name, long i, long j);
static inline struct span span_here(const struct ask *w, struct source at, struct span s)
{
    return (struct span){ s.a, site_line(w, at, s.a, s.at), at.file, at.line };
}
#define span(w, name, i, j) span_here(w, HERE, span_at(w, name, i, j))
/* The dot product of two lines of d numbers: every product rounded at step `product`, their sum at step `sum`. */
const struct ball *b_dot(struct ask *w, int product, int sum, struct span x, struct span y, long d);

/* What most rows are made of: the product <q_i, k_j>; the value v[h,j,c]; s times scale at step score, where a scale of
 * 0 (or NULL) stands for 1 / sqrt(d), d the width of q. */
const struct ball *mix_qk(struct ask *w, long h, long i, long j);
const struct ball *mix_v(struct ask *w, long h, long i, long j, long c);
const struct ball *mix_scaled(struct ask *w, const struct ball *s, mpq_srcptr scale);
/* x + y + z of a score's terms, each sum at step join: (x + y) + z, or x + (y + z) where the terms of places come
 * first; y or z NULL: left out. */
const struct ball *mix_terms(struct ask *w, int join, bool places_first, const struct ball *x, const struct ball *y,
    const struct ball *z);
/* Scores of rows that leave them as they are, or scale them by 1/sqrt(d): parameter `scale` of t5, flat and tener
 * (param_scaled).  The score, and its gradients. */
enum { SCALE_NONE, SCALE_WIDTH };
const struct ball *mix_by_width(struct ask *w, int scale, const struct ball *s);
struct mix_grad mix_grad_by_width(struct mix m, int scale);
/* That scale as step score holds it (b_width), which is the whole derivative of such a score by <q, k>; and that of
 * scale 0, 1 / sqrt(d). */
const struct ball *mix_scale(struct ask *w, mpq_srcptr scale);
const struct ball *mix_width(struct ask *w);
/* A factor of every score as a machine holds it in `step`'s format: `scale` where it is not NULL and not 0, else
 * 1/sqrt(d).  Machines round the root and its reciprocal one after the other, or the quotient alone, or divide by the
 * rounded root: a profile allows each of them, and a contract rounds the quotient.  A number of the format, such as a
 * power of two, stays what it is. */
const struct ball *b_width(struct ask *w, int step, mpq_srcptr scale, long d);

/* The step of the mixing's sum of weighted values. */
static inline int mix_sum(const struct mix *m) { return m->gather ? m->gather : SUM; }
/* Element c of the value of key j, wherever m has it. */
const struct ball *mix_value(struct ask *w, const struct mix *m, long j, long c);
/* ln 2, at the precision of the ask: the constant of routes in base 2. */
const struct ball *b_ln2(struct ask *w);
/* The relative error of a number that was multiplied by ln 2, or divided by it, as step LOG holds that constant. */
struct up ln2_error(const struct ask *w);
/* Does the input `int keep?[h,n,m]` leave key j to query i of head h: absent, or not 0 there?  Keys behind its last are
 * hidden. */
bool mix_kept(const struct ask *w, long h, long i, long j);
/* The score of key j for query at[1] of head at[0], after its mask; NULL: the key is hidden. */
const struct ball *mix_masked(struct ask *w, const struct mix *m, long j);
/* Are scores multiples of log 2?  On the exp2 route a contract works with those, and nothing else does. */
bool mix_base_2(const struct ask *w, const struct mix *m);
/* The page is at key j of so many (ask_part). */
static inline void mix_part(struct ask *w, long j, long keys) { ask_part(w, j, keys, "the keys"); }
#endif
