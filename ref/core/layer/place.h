/* What pages of relative attention share: the sinusoid of a distance, a head's projection of it, and a query's dot
 * product with a bias of its head. */
#ifndef PLACE_H
#define PLACE_H
#include "row/index.h"
#include "softmax/mix.h"
#include "row/row.h"

/* order of sines and cosines; how frequencies are computed: row sinusoid's words */
struct place_waves { mpq_srcptr base; bool interleaved, logarithm; };
/* R[c] of the integer x, by row sinusoid (a part of the caller); an odd width ends in a zero column. */
void wave_row(struct ask *w, struct place_waves s, long x, long c, const struct ball **R);
int wave_misfit(struct place_waves s, long c, char *why, size_t n); /* 0, or -1 and why there is no R[c] */
/* r[d] = sum_c R[c] wr[h][c][.], and br[h] where that is there; steps: products, sums. */
void wave_project(struct ask *w, const struct ball *const *R, long h, int product, int sum, const struct ball **r);
/* <q_i + b_h, W_kR[h] R>, R[c] what row() makes of a distance or a key; query, bias: as in biased_dot */
struct wave_steps { int product, sum, bias; }; /* of W_kR R; of q + b */
const struct ball *wave_dot(struct ask *w, struct wave_steps s,
    void (*row)(struct ask *w, long at, long c, const struct ball **R), long at, long h, long i, bool query,
    const char *bias);
typedef void wave_of(struct ask *w, long at, long c, const struct ball **R);
const struct ball *wave_entry(struct ask *w, wave_of *row, long at, long c);                                  /* R[c] */
/* r[c] = sum_k R[k] wr[h][k][c] */
const struct ball *wave_projected(struct ask *w, wave_of *row, long at, int product, int sum, long h, long c);
/* of a row with these parameters: NULL, or why they are undefined */
const char *wave_refuse(mpq_srcptr base, mpq_srcptr scale, mpq_srcptr eps);

/* balls as a span; *line is the room for it */
struct span span_of(struct mer_array *line, const struct ball *const *x, long d);
/* <q_i + b_h, what>; bias NULL: <q_i, what>; query false: <b_h, what>.  Inputs q[h,n,d] and `bias`[h,d]; step: of q +
 * b. */
const struct ball *biased_dot(struct ask *w, long h, long i, bool query, const char *bias, int step, struct span what);
#endif
