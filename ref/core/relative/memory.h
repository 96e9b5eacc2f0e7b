/* Relative attention over a memory and the segment behind it, shared by Transformer-XL and XLNet: m keys, the last n of
 * which are the queries' own, so that query i stands at M + i, M = m - n.  Distances are delta = M + i - j. */
#ifndef MEMORY_H
#define MEMORY_H
#include "relative/place.h"

/* Begins the parameters of a row.  clamp: of distances, -1: none; eps: of the layer's norm. */
struct memory { long clamp; struct tiles tiles; mpq_t base, scale, eps; int sign, layout, frequency, route; };
enum { QUERY_MINUS_KEY, KEY_MINUS_QUERY };
enum { CONCAT, INTERLEAVED };
enum { POWERS, LOGARITHM };
enum { DIRECT, SKEWED };
/* JOIN rounds sums of terms and the residual; BIAS q + u and q + v; PROJECT and COLLECT the products and sums of wr and
 * of the layer; MEAN and NORM the layer's norm. */
enum { JOIN = GRAD_STEPS, BIAS, PROJECT, COLLECT, MEAN, NORM };
extern const char memory_steps[]; /* A row lists { mix_steps, grad_steps, memory_steps }. */

long memory_delta(const struct ask *w, long i, long j);
/* A distance cut by clamp: from above, or on both sides. */
long memory_cut(const struct ask *w, long distance, bool both);
/* R[c] of a distance, which is cut as above; r: the row whose parameters w has.  Kept over the lines of one asker.  An
 * input rows[p,c] stands for R where it is given: its row t is used at distance m - t, not cut, and there is no number
 * outside. */
void memory_row(struct ask *w, const struct row *r, long distance, bool both, long c, const struct ball **R);
/* Where the term of position of query i and key j is read: of which query, at which distance.  route=direct: of i, at
 * memory_delta; route=shift: through the relative shift (Dai et al. 2019) of X[n,P], column c at distance m - c, of
 * which m columns are kept: P = m + 1 where only keys up to the query are seen, and n + m otherwise. */
struct memory_entry { long query, distance; };
struct memory_entry memory_entry(const struct ask *w, bool past, long i, long j);
/* A page: the relative shift alone of the input s[n,p], behind a column of zeros or not.  What stands
 * right of a query's keys is shown as it is; an entry behind the end of s is no number. */
void memory_shifted(struct ask *w, bool zeros, const struct ball **y);
/* j <= M + i, and not hidden by keep. */
bool memory_past(const struct ask *w, long h, long i, long j);
/* The mixing of these scores over these keys, and its gradient, with the scale and the route of the parameters. */
struct mix memory_mix(const struct ask *w, const struct ball *(*score)(struct ask *w, long h, long i, long j),
    bool (*visible)(const struct ask *w, long h, long i, long j), const struct placed *with);
struct mix_grad memory_grad(struct mix m);
/* Parts' lists (param.h), of struct memory: base scale; sign layout; frequency softmax block. */
extern const struct param memory_scale_params[], memory_wave_params[], memory_route_params[];
/* Parameter `route`: position terms at their distance, or through the shift. */
extern const struct param memory_route;
/* NULL, or why these parameters (of type struct memory) are undefined. */
const char *memory_refuse(const void *params);
/* 0, or -1 and why row sinusoid makes no row as wide as wr or the output `table`; rows that are given stand for it, and
 * are refused where they are fewer than the distances that are read. */
int memory_misfit(const void *params, const struct mer_call *c, char *why, size_t n);
#endif
