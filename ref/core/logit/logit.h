/* The score of the row `attention`: what lies between <q, k> and softmax.  Shared by its pages and its gradients;
 * ref/attention.c says what each part is. */
#ifndef LOGIT_H
#define LOGIT_H
#include "row/param.h"
#include "softmax/mix_grad.h"
#include "softmax/unit.h"
#include "softmax/visible.h"

struct attention {
    struct visible see;
    long block, slack, times, warm_start, floor, trained;
    mpq_t scale, cap, constant, eps, temper;
    int route, group, empty, order, cap_at, base, mask, softmax1, norm, eps_at, gain, temperature, stage;
};
extern const struct param attention_params[];
const char *attention_refuse(const void *params); /* NULL, or why they are undefined. */
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

/* The key head that query head h reads. */
long key_head(const struct ask *w, long h);
/* Is j the place behind the last key, where a sink's logit stands? */
bool is_sink(const struct ask *w, long j);
/* Does query i see key j by the rules of visible.h? */
bool in_sight(const struct ask *w, long h, long i, long j);
/* Does softmax see it: not hidden, or hidden by a finite constant only; or a sink? */
bool in_sums(const struct ask *w, long h, long i, long j);
/* Does the cap stand behind bias and mask? */
bool cap_is_last(const struct attention *p);
/* The scale as step SCORE holds it. */
const struct ball *scale_of(struct ask *w);
/* scale t_i <q_i, k_j>; a score s with bias and mask; a score s capped; all of it.  In multiples of unit (NULL: 1). */
const struct ball *logit_product(struct ask *w, long h, long i, long j, const struct ball *unit);
const struct ball *logit_masked(struct ask *w, const struct ball *s, long h, long i, long j, const struct ball *unit);
const struct ball *logit_capped(struct ask *w, const struct ball *s, const struct ball *unit);
const struct ball *logit(struct ask *w, long h, long i, long j, const struct ball *unit);
/* What quantity `scores` shows of it at the row's parameter stage, other than the weights; hidden: -inf. */
const struct ball *logit_stage(struct ask *w, long h, long i, long j);
/* Is its derivative by scale <q, k> not always 1? */
bool logit_bends(const struct attention *p);
/* That derivative: the cap's 1 - tanh^2, the temperature, 0 of a filled key. */
const struct ball *logit_slope(struct ask *w, long h, long i, long j);
/* Its derivative by the bias: without the temperature, and without a cap that stands before it. */
const struct ball *logit_bias_slope(struct ask *w, long h, long i, long j);

/* The page of one query as a vector, q[h,d], and keys in columns, kt[g,d,m]: it stands nowhere and sees all but
 * padding. */
void logit_context(struct ask *w, const struct ball **y);

/* With a norm: output `out` of row attention, asked of normalised q and k and of no norm; false: there is no norm, and
 * y is left alone. */
bool logit_normed(struct ask *w, const char *out, const struct ball **y);
/* y[d]: from the gradient of the normalised line at[0], at[1] of input `name` to that of the line. */
void logit_through_norm(struct ask *w, const char *name, const char *gain, const struct ball **y);
/* y[d], the gradient of the gain of input `name`, whose own gradient is `out`; 0 where there is no norm. */
void logit_gain_grad(struct ask *w, const char *name, const char *gain, const char *out, const struct ball **y);
/* A page of gradients: of which input, as w->of says; m: the row's mixing. */
enum logit_input { OF_Q, OF_K, OF_V, OF_SINK, OF_BIAS, OF_Q_GAIN, OF_K_GAIN };
void logit_grad(struct ask *w, struct mix m, const struct ball **y);
#endif
