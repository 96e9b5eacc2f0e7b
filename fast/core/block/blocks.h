/* The parts of a Transformer block in float32: rows at a time, dense products by gemm.h, attention by multihead.h.
 * ref/core/layer/block.h says what it is
 * No array of queries by keys; rows beside the inputs: n (3 c + 2 f) floats and what attention needs. */
#ifndef BLOCKS_H
#define BLOCKS_H
#include "block/curves.h"
#include "block/multihead.h"
#include "widen.h"

struct blocks {
    struct multihead self, cross;
    int64_t n, m, c, f;
    /* y t u [n][c] h g [n][f] z [m][c] the memory normed again; mask [n or 1][m] source [m] */
    float *wide, *y, *t, *u, *h, *g, *z, *mask, *source;
    int rms, gated, act, residual, pre, parallel;
    double eps;
};
struct blocks_norm { const float *gain, *shift; };

/* Reads the parameters and makes room; c->state is released by blocks_release.  A MER_ answer. */
int blocks_prepare(struct mer_call *c);
void blocks_release(void *state);
void blocks_masks(const struct mer_call *c, const struct blocks *s);             /* before anything attends */
/* z NULL: self-attention; as it is asked */
struct multihead blocks_attention(const struct mer_call *c, const struct blocks *s, const float *x, const float *z);
int blocks_attend(const struct mer_call *c, const struct blocks *s, float *y, const float *x, const float *z);
/* leaves t, what w2 multiplies, in s->h; act's argument is gone */
void blocks_feed(const struct mer_call *c, const struct blocks *s, float *y, const float *x);
/* s->h = x w1 + b1, gated: s->g = x wg + bg */
void blocks_gates(const struct mer_call *c, const struct blocks *s, const float *x);
struct blocks_norm blocks_norm_of(
    const struct mer_call *c, const struct blocks *s, const char *gain, const char *shift);
/* y may be x */
void blocks_normalise(const struct blocks *s, float *y, const float *x, int64_t rows, struct blocks_norm by);
void blocks_add(const struct blocks *s, float *y, const float *x, const float *t); /* by the residual */
void blocks_moments(const struct blocks *s, const float *x, float *mean, float *r);
void sum_rows(float *y, const float *x, const float *t, int64_t n);             /* y = x + t; y may be x or t */
int blocks_run(const struct mer_call *c);                                        /* encoder or decoder */
/* the same as gradients read it: BLOCK_BACK's route */
int blocks_run_two_passes(const struct mer_call *c);
/* every gradient that the call wants; ref/core/layer/block.h */
int blocks_back(const struct mer_call *c);
#define BLOCK_NORMS \
    " addition=f32 mean=f32 centre=f32 square=f32 moment=f32 root=f32 layernorm.scale=f32 rmsnorm.scale=f32 gain=f32"
#define BLOCK_STEPS \
    MULTIHEAD_STEPS BLOCK_NORMS " argument=f64:2 curve=f64:8 feedforward.weight=f64:2 activate=f32 gate=f32"
#define BLOCK_BACK \
    MULTIHEAD_BACK BLOCK_NORMS " combine=f32 argument=f64:2 curve=f64:8 feedforward.weight=f64:2 activate=f32 " \
    "slope=f64:4 gate=f32"
#endif
