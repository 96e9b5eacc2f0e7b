/* A laboratory's encoder-decoder as trials of rows: the same weights under the rows' names, so that their pages judge
 * what a pass computed. The whole in float64, as row encdec; in float32 the bounds of a stack of trained layers say
 * nothing, and each part is judged by itself, from what it really read: rows layer, layernorm, feedforward,
 * embedding. */
#ifndef PAIR_ROW_H
#define PAIR_ROW_H
#include "lab/net/pair.h"

/* p: of one row without padding, opened for gradients (tokens' vectors are still there) and forward; its encoding adds
 * places to them, or has none.  t: the weights, src and tgt as the pass made them, and as output logprob[n][v] of its
 * logits, in float64, under the profile of row encdec's own kernel with float64
 * for float32.  0, or -1 and one line; trial_close either way. */
int pair_trial(struct trial *t, const struct pass *p, const double *params, char *err, size_t n);
/* Part k = 0, 1 .. of a float32 pass: each encoder layer's attention, norm, feed-forward, norm; each decoder's, with
 * cross-attention and its norm; logits.
 * A sublayer is computed once more, into scratch, and its sum with what it read must be the one on the tape, bit by
 * bit.  1; 0: there is no such part; -1 and
 * one line.  trial_close whatever it says. */
int pair_part(struct trial *t, struct pass *p, const float *params, int64_t k, char *err, size_t n);
void pair_logprob(const struct pass *p, double *y); /* y[tokens][v] of p->logits, in double */
#endif
