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
/* Begins the parameters of a row. */
struct remap { long dim, memory, trained; struct tiles tiles; mpq_t base, scale; int layout, empty; };
/* The places that a pair is given, (query, key) / divide, with divide from 1 to REMAP_DIVIDE. */
struct remap_places { long query, key, divide; };
enum { REMAP_DIVIDE = 1 << 20 };
/* What a row of the family says of itself; its mixings name it as .with. */
struct remapped {
    const struct row *row;                                              /* Its parameters begin with a struct remap. */
    struct remap_places (*places)(const struct ask *w, long c, long j); /* These belong to the query at c and key j. */
    bool (*sees)(const struct ask *w, long h, long i, long j);          /* Is key j visible to query i of head h? */
};

/* c of query i: its own position. */
long remap_own(const struct ask *w, long i);
/* The mixing of the row r and its gradients. */
struct mix remap_mix(const struct ask *w, const struct remapped *r);
struct mix_grad remap_grad(const struct ask *w, const struct remapped *r);
/* Factors of the gradients (mix_grad.h): what dq_i[c] gathers of key j, and what dk_j[c] of query i, where j is the
 * asked line's. */
const struct ball *remap_met_by_query(struct ask *w, long h, long i, long j, long c);
const struct ball *remap_met_by_key(struct ask *w, long h, long i, long c);
/* rho of query at[0] and key at[1]: a page of r. */
void remap_distance(struct ask *w, const struct remapped *r, const struct ball **y);
/* j <= c, and kept: what a row sees that evicts no key. */
bool remap_past(const struct ask *w, long h, long i, long j);
/* A row's extent(): d is dim, all else is free. */
long remap_extent(const void *params, char axis);
/* NULL, or why these parameters (they begin with a struct remap) are undefined. */
const char *remap_refuse(const void *params);
/* The parameters behind a row's own, of its struct remap. */
extern const struct param remap_params[];
/* A row's parts: row rope, whose cosines and sines are asked. */
extern const struct row *const remap_parts[];
extern const char remap_steps[]; /* A row lists { mix_steps, grad_steps, remap_steps }. */
#endif
