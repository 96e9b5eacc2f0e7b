/* Latent attention in its absorbed form, as decoding makes it: what its slots share.
 *   q_i = scale [W_uk^T q_nope_i | rope(q_pe_i)]   k_j = [c_j | rope(k_pe_j)]
 *   o_i = W_uv sum_j softmax(<q_i, k_j>) c_j                                                           ref/mla.c
 * All heads share the keys, so a tile of them is read once for the queries of all heads. */
#ifndef ABSORBED_H
#define ABSORBED_H
#include "tile/tiles.h"
#include "libmeridian.h"

/* A problem.  Arrays are the call's, all of one type, dense; o or lse NULL: not wanted. */
struct absorbed {
    int64_t h, n, m, d, r, e, l;
    int64_t wide;       /* floats of a line of a tile: l + r, and l in whole panels of any slot (64), the greater */
    int64_t rows;       /* at most so many, padded, are taken together */
    int causal;
    float factor;       /* that of scores */
    int32_t type;
    const void *q_nope, *q_pe, *c, *k_pe, *w_uk, *w_uv;
    void *o, *lse;
    /* [m][r/2] and [n][r/2]: cosines and sines of keys' positions and of queries'; NULL: nothing turns. */
    const float *cos, *sin, *q_cos, *q_sin;
    int layout;         /* of pairs: MER_HALF or MER_INTERLEAVED */
    struct tile_rows x; /* rows of queries [l + r] and of sums of latents [l] */
    float *tile, *turned; /* [TILE_KEYS][wide]; [r], a line to be turned */
};
/* Keys before this one are seen by query i: m - n + i + 1 of them, at least 0 and at most m. */
static inline int64_t absorbed_end(const struct absorbed *a, int64_t i)
{
    const int64_t end = a->m - a->n + i + 1;
    return !a->causal || end > a->m ? a->m : end < 0 ? 0 : end;
}
/* The factor of scores as the parameters say it, in double. */
double absorbed_factor(const struct mer_call *c);
/* Makes c->state: tables and room.  MER_BAD without memory, or where parameters have no angles. */
int absorbed_prepare(struct mer_call *c);
void absorbed_release(void *state);
/* The problem of this call, after absorbed_prepare. */
struct absorbed absorbed_asked(const struct mer_call *c);
#endif
