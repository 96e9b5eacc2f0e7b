/* Attention and its gradients where what a pair adds depends on j - i alone, or on gates between j and i, one head at a
 * time, float32.  Vectors of places are laid out in lines by that distance: pair (i, j) takes line n - 1 - i + j of
 * n + m - 1, so that the lines of a query's keys lie one behind another, and a clipped table is repeated at both ends.
 *   s_ij = scale (<content_i, k_j> + <position_i, place> + key_term_j + line_term + <k_j, back>) + decay_ij
 *   o_i = sum_j e^(s_ij - max) v_j / sum_j e^(s_ij - max)      p = softmax      dp_ij = <do_i, v_j + value>
 *   D_i = sum p dp      ds = p (dp - D)
 *   dq_i += ds (k_j + place)      dk_j += ds (gives_i + back)      dv_j += p do_i
 *   dplace += ds position_i       dback += ds k_j                  dvalue += p do_i
 * All but dv and dvalue are still to be multiplied by scale.  The decay of a query at place shift + i to a key at or
 * before it is the sum of gates j + from .. shift + i - 1 + from, of those that there are. */
#ifndef LINE_GRAD_H
#define LINE_GRAD_H
#include "meridian.h"

struct line_grad {
    int64_t n, m, d, e;
    float scale;
    /* Query i sees keys 0 .. shift + i, where that is bounded; keep[n][m]: and of these those that are not 0; NULL: all
     * of them. */
    int64_t shift;
    int bounded;
    const int64_t *keep;
    /* [n][d]: the queries as they meet keys, and places, and as keys' gradients take them; maybe the same */
    const float *content, *position, *gives;
    const float *key_term, *line_term;     /* [m], [n + m - 1]; NULL: none */
    const float *gate;                     /* [m]; NULL: nothing decays */
    int64_t from;
    const float *k, *v, *seed;             /* [m][d], [m][e], do[n][e] */
    /* [n + m - 1][d], [n + m - 1][d] and [n + m - 1][e]; NULL: queries, keys, values meet none */
    const float *place, *back, *value;
    float *dq, *dk, *dv;                   /* [n][d], [m][d], [m][e]: what is added to, as to these of the lines */
    float *dplace, *dback, *dvalue, *dgate;
    float *o, *lse;                        /* [n][e], [n], or NULL: what the way forward answers */
    float *keys, *places;                  /* [d]: sums of ds k_j and of ds place over all pairs are added; NULL: not */
    float *room;                           /* line_floats floats (line_call.h), 64-byte aligned */
};
/* Floats that lines in another order have behind their last one, so that whole blocks may be read. */
enum { LINE_SPARE = 64 };
/* Adds the gradients that one head gives, where it has a seed, and else answers o and lse, by a slot's lanes. */
typedef void line_head(const struct line_grad *g);
line_head line_avx2, line_avx512;
/* The arithmetic of gradients, but for the partial sums of the total, which are as many as a slot's lanes. */
#define LINE_GRAD_STEPS "shift=f32 exp=f32:2.5 product=f32 sum=f32 div=f32 dot=f32/lanes1 score=f32 join=f32 "
#endif
