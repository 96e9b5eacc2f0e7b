/* Rows of the recurrence (state.h) whose tokens are made of q, k, v and, where the call holds them, of
 *   beta[h,n]               the delta rule, with this strength (strength=sigmoid: beta_max / (1 + e^-beta))
 *   a[h,n] or a[h,n,d]      a decay, one a token or one a channel, by its logarithm g:
 *     gate=log              g = a
 *     gate=softplus         g = -e^A_log log(1 + e^(a + dt_bias))
 *     gate=lower-bound      g = lower_bound / (1 + e^(-e^A_log (a + dt_bias)))
 *   A_log[h]  dt_bias[h] or dt_bias[h,d], as a has channels
 * So what a call holds says which row it is: without beta and a it is linear attention. */
#ifndef DELTA_H
#define DELTA_H
#include "row/question.h"
#include "state/token.h"

struct delta { mpq_t scale, eps, most, lower; int norm, gate, strength, order, read, group; };
enum { GATE_LOG, GATE_SOFTPLUS, GATE_BOUND };
enum { STRENGTH_GIVEN, STRENGTH_SIGMOID };
enum { DECAY_FIRST, CORRECT_FIRST };
enum { READ_AFTER, READ_BEFORE };
/* The parameters as rows declare them; the offsets are those in struct delta. */
extern const struct param delta_vectors[], delta_gates[], delta_channel_gates[], delta_strengths[],
    delta_orders[];
/* The contracts of rows with a delta rule and a decay. */
extern const struct preset delta_contracts[];

/* The rule of the call, and its parts of token t and value head h: log of decay i, strength, and share, what is
 * multiplied by beta_max or by lower_bound. */
struct state_rule delta_rule(const struct ask *w);
struct token_norm delta_norm(const struct ask *w);
long delta_head(const struct ask *w, long h);
const struct ball *delta_shifted(struct ask *w, long h, long t, long i);
const struct ball *delta_rate(struct ask *w, long h);
const struct ball *delta_share(struct ask *w, long h, long t);
const struct ball *delta_log(struct ask *w, long h, long t, long i);
/* y[w->len] = all[from ..] of all[n] that `of` makes, once for all lines where that may be kept.  Trap: on the exact
 * path a number gets all the bits that it needs, and a state needs more with each token; so behind EXACT_TOKENS balls
 * go on without it. */
enum { EXACT_TOKENS = 12 };
void delta_part(struct ask *w, question_make *of, long n, long from, const struct ball **y);
/* Pages: o[e] of head at[0] and token at[1], final[e] of head at[0] and channel at[1]. */
void delta_output(struct ask *w, const struct ball **y);
void delta_final(struct ask *w, const struct ball **y);
/* A page: the gradient that w->of names of <do, o> + <dfinal, final>.  Under the fault "overwritten" the last term is
 * all of a sum. */
enum { D_Q, D_K, D_V, D_BETA, D_A, D_A_LOG, D_DT_BIAS, D_STATE, D_ALL };
void delta_grad(struct ask *w, const struct ball **y);
/* Which optional inputs a gate reads. */
bool delta_needs(const void *params, const char *input);
/* The largest number of an input: a logarithm of a decay that is given is at most 0, since no decay exceeds 1. */
double delta_most(const void *params, const char *input);
const char *delta_refuse(const void *params);
#endif
