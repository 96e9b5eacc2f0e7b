/* Rotary scores at remapped distances: what a trained rotary model is given in place of the distances it has never
 * seen.
 *   s_ij = scale t_i Re sum_k q_ik conj(k_jk) e^(i w_k rho)
 *   rho = (a - b) / D, (a, b) / D the places given to query i and key j
 *   t_i = max(1, ln(c + 1) / ln trained), c = memory + i the query's own position; trained = 0: 1   log n, Su 2023
 * A row says only where a pair stands.  Cosines and sines of the places are row rope's (D > 1: its scaling=linear).
 * Gradients, through the scores alone:  dq_i = scale t_i sum_j ds k_j turned by -rho
 * dk_j = scale sum_i ds t_i q_i turned by rho.
 * Steps: mix.h, mix_grad.h;  turn (a product of the rotation)  turned (its sum)  warm (t_i)  warmed (times it). */
#ifndef REMAP_H
#define REMAP_H
#include "softmax/mix_grad.h"
#include "row/row.h"
enum { TURN = GRAD_STEPS, TURNED, WARM, WARMED };
enum { HALF, INTERLEAVED };
struct remap { long dim, memory, trained; mpq_t base, scale; int layout, empty; }; /* begins the parameters of a row */
/* divide: of both, 1 .. REMAP_DIVIDE */
struct remap_places { long query, key, divide; };
enum { REMAP_DIVIDE = 1 << 20 };
struct remapped {
    const struct row *row;
    struct remap_places (*places)(const void *params, long c, long j);
    bool (*sees)(const struct ask *w, long h, long i, long j);
};

/* The score of query i and key j of head h, as r places them. */
const struct ball *remap_score(struct ask *w, long h, long i, long j, const struct remapped *r);
/* what dq_i[c] gathers of key j */
const struct ball *remap_met_by_query(struct ask *w, long h, long i, long j, long c, const struct remapped *r);
/* what dk_j[c] gathers of query i */
const struct ball *remap_met_by_key(struct ask *w, long h, long i, long j, long c, const struct remapped *r);
const struct ball *remap_slope(struct ask *w, long h, long i, long j);                                  /* t_i */
const struct ball *remap_scale(struct ask *w);
const struct ball *remap_distance(struct ask *w, long i, long j, const struct remapped *r);
bool remap_past(const struct ask *w, long h, long i, long j); /* j <= c, and kept */
long remap_extent(const void *params, char axis);
const char *remap_refuse(const struct remap *p);
extern const struct row *const remap_parts[];
#endif
