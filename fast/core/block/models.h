/* Stacks of Transformer blocks in float32: an encoder-decoder, forward and backward, by the kernels of its parts.  What
 * it computes, and its inputs, are those of ref/core/layer/encdec.h. */
#ifndef MODELS_H
#define MODELS_H
#include "block/blocks.h"

/* A call: n target rows, m source rows, v words of the head, width of rows, and how many blocks.  of_gradients:
 * attention in two passes, which is how gradients declare it.  normed: the stacks end with a norm.  before, behind:
 * where the rows in front of each block (with positions added) and behind it are kept, [blocks][rows][width], of the
 * encoder and of the decoder; NULL: not kept. */
struct model_kernel {
    const struct mer_call *c;
    int64_t n, m, v, width, encoders, decoders;
    int of_gradients, normed;
    float *before[2], *behind[2];
};
/* The sizes and conventions of a call.  It owns nothing. */
struct model_kernel model_of(const struct mer_call *c);
/* x[m][width] = src through the first `blocks` blocks of the encoder, with the norm at the end where they are all.  A
 * MER_ answer, as below. */
int model_encode(const struct model_kernel *s, float *x, int64_t blocks);
/* t[n][width] = tgt through the decoder; memory[m][width] is that of model_encode, and is made anew for each block with
 * depth=each. */
int model_decode(const struct model_kernel *s, float *t, float *memory);
/* y[n][v] = t times the head; and log-softmax of its rows, in place. */
void model_logits(const struct model_kernel *s, float *y, const float *t);
void model_logprob(const struct model_kernel *s, float *y);
/* Every gradient of logprob that the call wants. */
int model_back(const struct mer_call *c);

/* Calls of the kernels of other rows.  model_block has the inputs and parameters of block b for x[n][width], a
 * decoder's where memory is not NULL; model_rows is an array over x[n][c]; model_ask asks kernel k. */
struct model_block { struct mer_array in[28]; int n; char text[400]; };
struct model_block model_block(const struct model_kernel *s, int64_t b, float *x, int64_t n, float *memory);
struct mer_array model_rows(const char *name, float *x, int64_t n, int64_t c);
int model_ask(const char *row, const struct mer_kernel *k, const char *text, struct mer_array *in, int n,
    struct mer_array *out, int n_out);
/* The norm at the end of the encoder (which = 0) or the decoder (1): `out` is "y", with dy NULL, or "dx", "dgain" or
 * "dshift".  to: [n][width], of dgain and dshift [width]. */
int model_norm(const struct model_kernel *s, const char *out, float *to, float *x, float *dy, int64_t n, int which);
#define MODEL_HEAD " place=f32 head=f32 read=f32 off=f32 odds=f32:2 mass=f32 logmass=f32:2"
#endif
