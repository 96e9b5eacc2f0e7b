/* The parts of a Transformer block in float32: norms and activations row by row, dense products by gemm.h, attention by
 * multihead.h.  ref/core/layer/block.h says what a block computes, and names the inputs.  No array of queries by keys
 * is made; memory beside the inputs is n (3 c + 2 f) floats and what attention needs. */
#ifndef BLOCKS_H
#define BLOCKS_H
#include "block/curves.h"
#include "block/multihead.h"
#include "widen.h"

/* What prepare makes of a call. */
struct blocks {
    struct multihead self, cross;
    int64_t n, m, c, f;  /* rows of x, rows of the memory, width of both, width of the feed-forward layer */
    /* Owned: wide, bf16 inputs as float32; y, bf16 outputs as float32, one behind the other; t, u [n][c] and h, g
     * [n][f], rows at work; z [m][c], the memory normed again; mask [n][n] or [1][n] and source [m], the biases 0 and
     * -inf of keys that are seen and hidden. */
    float *wide, *y, *t, *u, *h, *g, *z, *mask, *source;
    /* choices of the row: rmsnorm; a gated feed-forward layer; ACT_; what is added (0 the input, 1 the sublayer once
     * more, 2 nothing); norms before the sublayers; both sublayers of one norm */
    int rms, gated, act, residual, pre, parallel;
    double eps;
};
struct blocks_norm { const float *gain, *shift; }; /* [c] each; shift NULL: none */

/* Reads the parameters and makes room; c->state is released by blocks_release.  A MER_ answer. */
int blocks_prepare(struct mer_call *c);
void blocks_release(void *state);
/* Fills mask and source from the call; asked before anything attends. */
void blocks_masks(const struct mer_call *c, const struct blocks *s);
/* The attention of x[n][c] to z[m][c], or with z NULL to itself, with the weights of the call: as a question, and
 * asked, into y[n][c]. */
struct multihead blocks_attention(const struct mer_call *c, const struct blocks *s, const float *x, const float *z);
int blocks_attend(const struct mer_call *c, const struct blocks *s, float *y, const float *x, const float *z);
/* y[n][c] = the feed-forward layer of x[n][c].  s->h is left with what w2 multiplies. */
void blocks_feed(const struct mer_call *c, const struct blocks *s, float *y, const float *x);
/* s->h = x w1 + b1 and, where gated, s->g = x wg + bg. */
void blocks_gates(const struct mer_call *c, const struct blocks *s, const float *x);
/* The gain and the shift of these names in the call. */
struct blocks_norm blocks_norm_of(
    const struct mer_call *c, const struct blocks *s, const char *gain, const char *shift);
/* y[rows][c] = the norm of x[rows][c]; y may be x. */
void blocks_normalise(const struct blocks *s, float *y, const float *x, int64_t rows, struct blocks_norm by);
/* y[n][c] = what the residual makes of x and of the sublayer's t; y may be either. */
void blocks_add(const struct blocks *s, float *y, const float *x, const float *t);
/* Mean (0 for rmsnorm) and inverse deviation of a row x[c]. */
void blocks_moments(const struct blocks *s, const float *x, float *mean, float *r);
void sum_rows(float *y, const float *x, const float *t, int64_t n);             /* y[n] = x + t; y may be x or t */
/* The output of the call, an encoder or a decoder block.  A MER_ answer, as below. */
int blocks_run(const struct mer_call *c);
/* The same with attention in two passes, which is how BLOCK_BACK declares what gradients read. */
int blocks_run_two_passes(const struct mer_call *c);
/* Every gradient that the call wants. */
int blocks_back(const struct mer_call *c);
/* The steps of blocks whose norm takes a mean off; BLOCK_STEPS and BLOCK_BACK: those of blocks with either norm. */
#define CENTRED_NORMS \
    " addition=f32 mean=f32 centre=f32 square=f32 moment=f32 root=f32 layernorm.scale=f32 gain=f32"
#define CENTRED_STEPS \
    MULTIHEAD_STEPS CENTRED_NORMS " argument=f64:2 curve=f64:4 feedforward.weight=f64:2 activate=f32 gate=f32"
#define CENTRED_BACK \
    MULTIHEAD_BACK CENTRED_NORMS " combine=f32 argument=f64:2 curve=f64:4 feedforward.weight=f64:2 activate=f32 " \
    "slope=f64:2 gate=f32"
#define BLOCK_STEPS CENTRED_STEPS " rmsnorm.scale=f32"
#define BLOCK_BACK CENTRED_BACK " rmsnorm.scale=f32"
#endif
