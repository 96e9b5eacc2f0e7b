/* Multi-head latent attention: keys and values made of one latent vector a token, shared by all heads; ref/mla.c says
 * what each part is.  Shared by the row's pages and its gradients. */
#ifndef LATENT_H
#define LATENT_H
#include "row/row.h"
struct mla {
    mpq_t scale, base, factor, beta_fast, beta_slow, mscale, mscale_all_dim;
    long trained;
    int layout, scaling, truncate, rope, warming, width, start, causal, form;
};
/* The parameters that row rope is given. */
extern const char latent_turned[];
enum { ROPE_ON, ROPE_OFF };
enum { SCALING_DEFAULT, SCALING_YARN };
enum { WARM_SQUARE, WARM_ONCE, WARM_NONE };
enum { WIDTH_WHOLE, WIDTH_NOPE, WIDTH_LATENT };
enum { START_END, START_ZERO };
enum { CAUSAL_ON, CAUSAL_OFF };
enum { FORM_NAIVE, FORM_ABSORBED };
/* Steps: keys W_uk c; values W_uv c, or W_uv o; queries W_uk^T q; queries times the factor of scores; products and sums
 * of gradients. */
enum { LATENT_KEY, LATENT_VALUE, LATENT_QUERY, LATENT_WARM, LATENT_SLOPE, LATENT_GATHER };
extern const struct row row_mla;

/* The extents of a call: heads; queries n and keys m; channels of a head's q_nope (d), of q_pe and k_pe (r), of a
 * head's values (e), and of the latent (l). */
struct latent { long heads, n, m, d, r, e, l; };
/* The extents of the call that w asks about. */
struct latent latent_of(const struct ask *w);
/* Fills y[n] with sum_b a[b] of row x of a matrix of an input [h][rows][l]: W c, or (turned) W^T c. */
void latent_times(struct ask *w, int step, const char *name, long h, bool turned, const struct ball *const *x,
    const struct ball **y);
/* y[r]: a line of r numbers rotated to a position, or (back) the other way. */
void latent_turn(struct ask *w, bool back, long position, const struct ball *const *x, const struct ball **y);
/* The factor of scores: scale (0: 1/sqrt of the width), times g^2 where rope is stretched by yarn. */
const struct ball *latent_factor(struct ask *w, int step);
/* Line i of the queries of head h, times that factor, and line j of its keys, [d + r] each (absorbed: [l + r]), and of
 * its values, [e] (absorbed: [l]). */
void latent_query(struct ask *w, long h, long i, bool absorbed, const struct ball **y);
void latent_key(struct ask *w, long h, long j, bool absorbed, const struct ball **y);
void latent_value(struct ask *w, long h, long j, bool absorbed, const struct ball **y);
/* The position of query i. */
long latent_place(const struct ask *w, long i);
/* A page: the gradient of <do, o> that w->of names. */
enum { MLA_Q_NOPE, MLA_Q_PE, MLA_C, MLA_K_PE, MLA_W_UK, MLA_W_UV, MLA_ALL };
void latent_grad(struct ask *w, const struct ball **y);
#endif
