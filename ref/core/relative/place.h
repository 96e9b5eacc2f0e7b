/* What pages of relative attention share: the vector of a place (a sinusoid of a distance, or what a row makes of a
 * pair), a head's projection of it, its products with a query and the biases of a head, and the gradients of all that.
 *   s_ij = <q_i + u, k_j> + <q_i + v, r>      r = R wr (+ br), or R itself where there is no input wr
 * R[c] is the vector of the place that the row gives to key j as query i sees it. */
#ifndef PLACE_H
#define PLACE_H
#include "softmax/mix_grad.h"
#include "row/row.h"

/* The parts of a row that asks for no other than row sinusoid. */
extern const struct row *const place_parts[];
/* The parameters of row sinusoid that a row of distances leaves open. */
struct place_waves { mpq_srcptr base; bool interleaved, logarithm; };
/* R[c] of the integer x, by row sinusoid (a part of the caller); an odd width ends in a zero column. */
void wave_row(struct ask *w, struct place_waves s, long x, long c, const struct ball **R);
/* 0, or -1 and why there is no R[c]. */
int wave_misfit(struct place_waves s, long c, char *why, size_t n);

/* How a row places its keys. */
struct placed {
    void (*row)(struct ask *w, long at, long c, const struct ball **R); /* R[c] of a place */
    long (*at)(const struct ask *w, long i, long j);                    /* The place of key j as query i sees it. */
    const char *v; /* The name of the input [h,d] that meets r; NULL: there is none. */
    /* The steps of the products and of the sum of r, of q + u and q + v, and of a sum of terms. */
    int project, collect, bias, join;
};
/* <q_i + b_h, r> at a place; bias NULL: <q_i, r>; query false: <b_h, r>. */
const struct ball *placed_dot(
    struct ask *w, const struct placed *p, long at, long h, long i, bool query, const char *bias);
/* The four terms of such a score apart, with biases u of keys and p->v of places: y[FOUR_TERMS]. */
enum { CONTENT_TERM, PLACE_TERM, KEY_BIAS_TERM, PLACE_BIAS_TERM, FOUR_TERMS };
void placed_terms(struct ask *w, const struct placed *p, long h, long i, long j, const struct ball **y);
/* <q_i + b_h, what> likewise; step: of q + b. */
const struct ball *biased_dot(struct ask *w, long h, long i, bool query, const char *bias, int step, struct span what);
const struct ball *placed_wave(struct ask *w, const struct placed *p, long at, long c); /* R[c] */

/* Factors of gradients (mix_grad.h), of mixings that name a struct placed as .with:
 *   dq_i = scale sum_j ds_ij (k_j + r)    dk_j = scale sum_i ds_ij (q_i + u)    dv = scale sum ds_ij r
 *   dwr[c] = scale sum ds_ij R[c] (q_i + v), where the asked line is (h, c) */
const struct ball *placed_r(struct ask *w, long h, long i, long j, long c);
const struct ball *placed_key(struct ask *w, long h, long i, long j, long c);     /* k_j + r */
const struct ball *placed_query(struct ask *w, long h, long i, long c);           /* q_i + u */
const struct ball *placed_query_v(struct ask *w, long h, long i, long j, long c); /* q_i + v */
const struct ball *placed_column(struct ask *w, long h, long i, long j, long c);  /* R[at[1]] */

/* Where values come with the vector of their place, too, of mixings as above; R is as wide as a value.  v_j + R[c], the
 * value of a mixing; and a page, the line of o whose values are those of m joined so, or (gather > 0) its own values
 * and the vectors in two sums, the latter gathered at that step. */
const struct ball *placed_value(struct ask *w, long h, long i, long j, long c);
void placed_output(struct ask *w, const struct mix *m, int gather, const struct ball **y);
#endif
