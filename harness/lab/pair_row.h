/* A laboratory's encoder-decoder as trials of rows: the same weights under the rows' names, so that their pages judge what a pass computed.
 * The whole in float64, as row encdec; in float32 a stack's bounds say nothing, and each block is judged by itself, from what it really read, as row block. */
#ifndef PAIR_ROW_H
#define PAIR_ROW_H
#include "pair.h"

/* p: of one row without padding, opened for gradients (tokens' vectors are still there) and forward; its encoding adds places to them, or has none.  t: the
 * weights, src and tgt as the pass made them, and as output logprob[n][v] of its logits, in float64, under the profile of row encdec's own kernel with float64
 * for float32.  0, or -1 and one line; trial_close either way. */
int pair_trial(struct trial *t, const struct pass *p, const double *params, char *err, size_t n);
/* Of a float32 pass, layer l of the decoder (encoder 0) or of the encoder (1): row block from the layer's input to its output; l = layers of the decoder: row
 * embedding, logits of its last y. */
int pair_block(struct trial *t, const struct pass *p, const float *params, int encoder, int64_t l, char *err, size_t n);
void pair_logprob(const struct pass *p, double *y); /* y[tokens][v] of p->logits, in double */
#endif
