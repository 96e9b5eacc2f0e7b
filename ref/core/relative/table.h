/* Vectors that a row reads from tables which are inputs, by the pair of query i and key j; those that a row makes
 * itself are relative/place.h's.
 *   s_ij = <q_i, k_j> + <q_i, K[r]> + <k_j, Q[r']>      o_i = sum_j p_ij (v_j + V[r''])
 * A table holds one vector of a place for all heads, T[places, d], or one for each head, T[h, places, d]. */
#ifndef TABLE_H
#define TABLE_H
#include <limits.h>
#include "softmax/mix_grad.h"
#include "row/row.h"

/* No place of any table, nor one that is counted from the end. */
enum { TABLE_NONE = INT_MIN };
struct table {
    const char *name;                                /* The input; NULL: the row has no such table. */
    /* The place that the pair reads; TABLE_NONE: nothing is added. */
    long (*at)(const struct ask *w, long i, long j);
};
/* What a mixing names as .with: K meets queries beside their keys, Q meets keys beside their queries, V comes with
 * values.  all: an input that stands for each of them where it is given; NULL: there is none.  join: the step of v + V
 * and its like. */
struct tables { struct table key, query, value; const char *all; int join; };

/* Terms of a score: <q_i, K[r]> and <k_j, Q[r']>; NULL where the pair reads no vector. */
const struct ball *table_by_query(struct ask *w, const struct tables *t, long h, long i, long j);
const struct ball *table_by_key(struct ask *w, const struct tables *t, long h, long i, long j);
/* Both, joined, or the one that there is, or NULL. */
const struct ball *table_terms(struct ask *w, const struct tables *t, long h, long i, long j);
/* Such a term as the answer of a page: 0 where it is NULL. */
const struct ball *table_term(struct ask *w, const struct ball *x);
/* A page: K[r] of query at[0] and key at[1], or zeros. */
void table_vector(struct ask *w, const struct tables *t, const struct ball **y);
/* The output o (called from a quantity's .ask): values and vectors as one sum of v_j + V[r''], or (gather > 0) apart,
 * the vectors gathered at that step. */
void table_output(struct ask *w, const struct mix *m, int gather, const struct ball **y);

/* Factors of gradients (mix_grad.h), of mixings whose .with is a struct tables: k_j + K[r], q_i + Q[r'] where j is the
 * asked line's, and v_j + V[r''], which is also the value of such a mixing. */
const struct ball *table_key(struct ask *w, long h, long i, long j, long c);
const struct ball *table_query(struct ask *w, long h, long i, long c);
const struct ball *table_value(struct ask *w, long h, long i, long j, long c);
/* Does the asked line, (place) or (h, place), gather what the pair reads of K, of Q, of V? */
bool table_of_key(const struct ask *w, long h, long i, long j);
bool table_of_query(const struct ask *w, long h, long i, long j);
bool table_of_value(const struct ask *w, long h, long i, long j);
/* The gradient of K (a quantity's .grad): sum of ds_ij q_i, or of ds_ij (q_i + k_j) where Q is the same table. */
void table_key_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y);
/* Where the gradient of every pair is an input, seed[h,n,m]: its sum over the pairs that the asked line gathers
 * and that are defined (struct mix); under the fault "overwritten" only the last of them counts. */
const struct ball *table_sum(
    struct ask *w, const char *seed, mix_picks *of, bool (*defined)(const struct ask *w, long i, long j));
#endif
