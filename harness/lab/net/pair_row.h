/* The laboratory's encoder-decoder as trials of rows: the same weights under the rows' names, so that their pages judge
 * what a pass computed.  In float64 the whole is judged, as row encdec.  In float32 the bounds of a stack of trained
 * layers are too wide to tell anything, so each part is judged by itself from the inputs that it really read: rows
 * layer, layernorm, feedforward, embedding. */
#ifndef PAIR_ROW_H
#define PAIR_ROW_H
#include "lab/net/pair.h"

/* Makes a trial of row encdec, in float64, of a pass of one row without padding that was opened for gradients (so that
 * the vectors of tokens are kept) and run forward; its encoding adds positions to them, or has none.  t has the
 * weights, src and tgt as the pass made them, and as output logprob[n][v] of its logits; its profile is that of the own
 * kernel of row encdec with float64 in place of float32.  0, or -1 and one line in err; trial_close is due either
 * way. */
int pair_trial(struct trial *t, const struct pass *p, const double *params, char *err, size_t n);
/* Makes a trial of part k = 0, 1 .. of a float32 pass: of each encoder layer its attention, norm, feed-forward and
 * norm; of each decoder layer these with cross-attention and its norm; the logits.  A sublayer is computed once more
 * into scratch, and its sum with its input must equal the one that the pass kept, bit by bit.  1; 0: there is no such
 * part; -1 and one line in err.  trial_close is due in each case. */
int pair_part(struct trial *t, struct pass *p, const float *params, int64_t k, char *err, size_t n);
/* The log-probabilities y[tokens][v] of p->logits, computed in double. */
void pair_logprob(const struct pass *p, double *y);
#endif
