/* Differential attention: two softmaxes over one set of values, of which the second is taken off by a share; what each
 * part is, ref/differential.c says.  Shared by the row's pages and its gradients. */
#ifndef DIFFERENTIAL_H
#define DIFFERENTIAL_H
#include "row/row.h"
struct differential {
    mpq_t scale, level, eps;
    long layer;
    int keys, causal, norm, fade, route;
};
enum { KEYS_HALVES, KEYS_REPEATED };
enum { CAUSAL_ON, CAUSAL_OFF };
enum { NORM_RMS, NORM_OFF };
enum { FADE_ON, FADE_OFF };
enum { ROUTE_OUTPUTS, ROUTE_WEIGHTS };
/* Steps: products and sum of lq and lk; its exponential; lambda_init; lambda, or the sigmoid of a; lambda times the
 * second map; what is left of the first; squares, their mean, its root and quotient, the product with that; the gain;
 * 1 - lambda_init, and the product with it; route=weights: weights times values, and their sum; gradients: products,
 * and sums. */
enum {
    DIFF_INNER, DIFF_POWER, DIFF_LEVEL, DIFF_SHARE, DIFF_PART, DIFF_REST, DIFF_SQUARE, DIFF_MOMENT, DIFF_ROOT,
    DIFF_NORMAL, DIFF_GAINED, DIFF_FADED, DIFF_VALUED, DIFF_MIXED, DIFF_SLOPE, DIFF_GATHER
};
extern const struct row row_differential;

/* The extents of a call: heads of queries and of keys; queries n and keys m; channels of a half's q and k (d) and of v
 * (e).  gated: the call is one of a gate for each token (w->form). */
struct differ { long heads, groups, n, m, d, e, gated; }; /* gated: 0 or 1 */
/* The extents of the call that w asks about. */
struct differ differ_of(const struct ask *w);
/* What one half (0 or 1) of a head gives row attention: q[n][d], k[m][d], v[m][e], and up[n][e], the gradient of its
 * output, or NULL. */
struct half { const struct ball **q, **k, **v, **up; };
/* All but `up` of that half, in memory that differ_close frees. */
struct half differ_open(struct ask *w, long h, int which);
/* Frees what differ_open filled. */
void differ_close(struct half *x);
/* y[len]: line i of that output of row attention. */
void differ_ask(struct ask *w, const struct half *x, const char *out, long i, long len, const struct ball **y);
/* The head of values that query head h reads. */
long differ_value(const struct ask *w, long h);
/* The head of keys that half `which` of query head h reads; *of is which half of it that is. */
long differ_key(const struct ask *w, long h, int which, int *of);

/* lambda_init; 1 - lambda_init. */
const struct ball *differ_level(struct ask *w);
const struct ball *differ_fade(struct ask *w);
/* exp(<lambda_q, lambda_k>) of that half. */
const struct ball *differ_power(struct ask *w, int which);
/* lambda of query i of head h. */
const struct ball *differ_share(struct ask *w, long h, long i);
/* y[e]: what is left of the outputs first[e] and second[e]. */
void differ_rest(struct ask *w, const struct ball *share, const struct ball *const *first,
    const struct ball *const *second, const struct ball **y);
/* The norm of a head's output. */
struct norm differ_norm(const struct ask *w);
/* x times the gain of channel c at a step, where the call has one. */
const struct ball *differ_gained(struct ask *w, int step, const struct ball *x, long c);
/* A page: the gradient that w->of names of <do, o>, or, of a gated call, of <dgated, gated>. */
enum { DIFF_Q1, DIFF_Q2, DIFF_K1, DIFF_K2, DIFF_V, DIFF_LQ1, DIFF_LK1, DIFF_LQ2, DIFF_LK2, DIFF_A, DIFF_GAIN,
    DIFF_ALL };
void differ_grad(struct ask *w, const struct ball **y);
#endif
