/* Stacks of Transformer blocks in float32: an encoder-decoder, forward and backward, by the kernels of its parts.
 * ref/core/layer/encdec.h */
#ifndef MODELS_H
#define MODELS_H
#include "block/blocks.h"

/* of_gradients: attention in two passes, as gradients are declared.  before, behind: rows in front of each block
 * (positions added) and behind it, or NULL: [blocks][n][c]. */
struct model_kernel {
    const struct mer_call *c;
    int64_t n, m, v, width, encoders, decoders;
    int of_gradients, normed;
    float *before[2], *behind[2];
};
/* The sizes and conventions of a call; owns nothing. */
struct model_kernel model_of(const struct mer_call *c);
/* x[m][width]: src through the encoder's first blocks, the last norm included */
int model_encode(const struct model_kernel *s, float *x, int64_t blocks);
/* t[n][width]: tgt; memory[m][width]: model_encode's; with depth=each made anew */
int model_decode(const struct model_kernel *s, float *t, float *memory);
void model_logits(const struct model_kernel *s, float *y, const float *t);            /* y[n][v] */
void model_logprob(const struct model_kernel *s, float *y);                           /* in place */
/* every gradient of logprob that the call wants */
int model_back(const struct mer_call *c);

/* Calls of other rows' kernels */
struct model_block { struct mer_array in[28]; int n; char text[400]; };
struct model_block model_block(const struct model_kernel *s, int64_t b, float *x, int64_t n, float *memory);
struct mer_array model_rows(const char *name, float *x, int64_t n, int64_t c);
int model_ask(const char *row, const struct mer_kernel *k, const char *text, struct mer_array *in, int n,
    struct mer_array *out, int n_out);
/* y, dx [n][width]; dgain, dshift [width]; dy NULL: of y */
int model_norm(const struct model_kernel *s, const char *out, float *to, float *x, float *dy, int64_t n, int which);
#define MODEL_HEAD " place=f32 head=f32 read=f32 off=f32 odds=f32:2 mass=f32 logmass=f32:2"
#endif
