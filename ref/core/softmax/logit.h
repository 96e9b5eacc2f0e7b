/* The score of the row `attention`: what lies between <q, k> and softmax.  Shared by its pages and its gradients;
 * ref/attention.c says what each part is. */
#ifndef LOGIT_H
#define LOGIT_H
#include "softmax/mix_grad.h"
#include "layer/unit.h"
#include "softmax/visible.h"

struct attention {
    struct visible see;
    long block, slack, times, warm_start, floor, trained;
    mpq_t scale, cap, constant, eps, temper;
    int route, group, empty, order, cap_at, base, mask, softmax1, norm, eps_at, gain, temperature, stage;
};
enum { REPEAT, TILE };
enum { SCALE_FIRST, BIAS_FIRST };
enum { BEFORE, AFTER };
enum { NATURAL, BINARY };
enum { HIDE, ADD, FILL };
enum { OFF, ON };
enum { PLAIN_GAIN, OFFSET_GAIN };
enum { COLD, LLAMA4, LOGN, SSMAX };
enum { PRODUCT_STAGE, CAPPED_STAGE, BIASED_STAGE, WEIGHTS_STAGE };
enum { BIAS = GRAD_STEPS, QUOTIENT, TANH, CAPPED, MASKING, WARMTH, SQUARES, UNIT };

long key_head(const struct ask *w, long h);                                /* that query head h reads */
bool is_sink(const struct ask *w, long j);                                 /* the key behind the last */
bool in_sight(const struct ask *w, long h, long i, long j);                /* by visible.h */
/* softmax sees it: not hidden, or by a finite constant; or a sink */
bool in_sums(const struct ask *w, long h, long i, long j);
bool cap_is_last(const struct attention *p);
const struct ball *scale_of(struct ask *w);                                /* as step SCORE holds it */
/* scale t_i <q_i, k_j>; that with bias and mask, or capped; all of it.  In multiples of unit (NULL: 1). */
const struct ball *logit_product(struct ask *w, long h, long i, long j, const struct ball *unit);
const struct ball *logit_masked(struct ask *w, const struct ball *s, long h, long i, long j, const struct ball *unit);
const struct ball *logit_capped(struct ask *w, const struct ball *s, const struct ball *unit);
const struct ball *logit(struct ask *w, long h, long i, long j, const struct ball *unit);
/* its derivative by scale <q, k> is not always 1 */
bool logit_bends(const struct attention *p);
/* that derivative: the cap's 1 - tanh^2, the temperature, 0 of a filled key */
const struct ball *logit_slope(struct ask *w, long h, long i, long j);
/* its derivative by the bias: without the temperature, and without a cap that stands before it */
const struct ball *logit_bias_slope(struct ask *w, long h, long i, long j);
#endif
