/* Contextual positions: gates that a query opens at keys, what they add up to, and embeddings between two whole
 * positions; ref/cope.c says what each part is.  Shared by the row's pages and its gradients. */
#ifndef CONTEXT_H
#define CONTEXT_H
#include "row/row.h"
struct cope { mpq_t scale; int gates, add, own, upto, causal, start; };
enum { GATES_SCALED, GATES_RAW };
enum { ADD_AFTER, ADD_BEFORE };
enum { OWN_COUNTED, OWN_OUT };
enum { UPTO_QUERY, UPTO_END };
enum { CAUSAL_ON, CAUSAL_OFF };
enum { START_END, START_ZERO };
/* Steps: products and sum of <q, k> of a gate and of <q, e[t]>; a gate's logit times the scale; its sigmoid; the sum of
 * gates; what a position lacks to a whole one; that times <q, e[t]>, and the sum of both; times the scale; gradients:
 * products, and sums. */
enum { COPE_TERM, COPE_INNER, COPE_LOGIT, COPE_GATE, COPE_COUNT, COPE_SHARE, COPE_PART, COPE_BLEND, COPE_FACTOR,
    COPE_SLOPE, COPE_GATHER };
extern const struct row row_cope;

/* The extents of a call: heads of queries and of keys, queries, keys, channels and whole positions. */
struct cope_of { long heads, groups, n, m, d, P; };
/* Those of the call that w asks about. */
struct cope_of cope_of(const struct ask *w);
/* The place of query i among the keys; below 0: in front of them. */
long cope_place(const struct ask *w, long i);
/* Does the gate of key l count for query i? */
bool cope_counts(const struct ask *w, long i, long l);
/* The scale of scores as a step holds it. */
const struct ball *cope_scale(struct ask *w, int step);
/* The logit of the gate that query i of head h opens at key l. */
const struct ball *cope_logit(struct ask *w, long h, long i, long l);
/* y[m]: the positions of all keys for query i of head h, at most P - 1. */
void cope_positions(struct ask *w, long h, long i, const struct ball **y);
/* z[P]: the products of query i of head h and every embedding. */
void cope_products(struct ask *w, long h, long i, const struct ball **z);
/* max(0, 1 - |p - t|), the share of position t in p. */
const struct ball *cope_share(struct ask *w, const struct ball *p, long t);
/* The whole positions whose share in p may be above 0: from .. to, both included. */
struct cope_span { long from, to; };
struct cope_span cope_near(const struct ball *p, long P);
/* y[m]: what the scores of query i of head h gain. */
void cope_bias(struct ask *w, long h, long i, const struct ball **y);
/* b[heads][n][m]: those of all queries, made once for all lines; of one query alone where at[head, query] is not NULL.
 * The caller frees it. */
const struct ball **cope_biases(struct ask *w, const long *at);
/* y[len]: a line of that output of row attention with the biases b. */
void cope_attend(struct ask *w, const char *out, const struct ball **b, const long at[MER_RANK], long len,
    const struct ball **y);
/* A page: the gradient of <do, o> that w->of names. */
enum { COPE_Q, COPE_K, COPE_EMB, COPE_KG };
void cope_grad(struct ask *w, const struct ball **y);
#endif
