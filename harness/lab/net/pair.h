/* The encoder-decoder: post-LN layers, as row encdec has them.   Vaswani et al. 2017, section 3 and figure 1
 *   encoder   a = N(x + A(x))                              y = N(a + F(a))        A: every token of the source sees
 *             every other
 *   decoder   a = N(x + A(x))      b = N(a + X(a, m))      y = N(b + F(b))        A: causal; m: the encoder's last y;
 *             X: no positions (as T5)
 * N: row layernorm, with gains and shifts ga sa, gx sx, gf sf.  Logits are of the decoder's last y; there is no norm
 * behind it.  Both sides share the table of
 * tokens; positions are the encoding's, an encoder's by its `source`.  xi[c][3 c]: q, then k and v, side by side, as
 * wi.
 * A row of tokens is its source[source], then the decoder's [length].  A negative token is padding: no query sees it;
 * its own lines are computed and lead nowhere. */
#ifndef PAIR_H
#define PAIR_H
#include "lab/net/model.h"

/* source 0: a decoder alone, pass_open.  p->length is the decoder's.  0, or -1 and one line. */
int pass_open_pair(struct pass *p, const struct model *m, struct pass_form f, char *err, size_t n);
int pair_takes(const struct variant *v); /* whether an encoder-decoder can be asked so: changes of the encoding alone */

/* Parts of passes, between their files.  A MER_ answer each. */
/* m, first, layers, encoder, source are set */
int pass_make(struct pass *p, const struct pass_form *f, int64_t length, char *err, size_t n);
/* p->last, behind all layers */
int pass_stack(struct pass *p, const void *params, const int64_t *token);
/* p->logits; of a decoder, behind pair_encode */
int pass_logits(struct pass *p, const void *params, const int64_t *token);
/* from p->dx, of p->last; adds to grad */
int pass_stack_back(struct pass *p, const void *params, const int64_t *token, void *grad);
/* Operation `weights` of a biased pass, where gradients need them: o of the unit matrix in place of v is the weights,
 * by the kernels that are quick. */
int pass_weights(struct pass *p, const char *row, const char *params, int keep, char *err, size_t n);
/* an encoder's operations of attention */
int pair_attend(struct pass *p, char *err, size_t n);
/* p->source->last, p->word, what cross-attention may see */
int pair_encode(struct pass *p, const void *params, const int64_t *token);
/* both stacks, from p->dx */
int pair_back(struct pass *p, const void *params, void *grad);
int pair_layer(struct pass *p, const struct tape *t, void *next, const void *params, const struct layer_blocks *b);
/* p->dx: of the layer's output, then of its input */
int pair_layer_back(struct pass *p, const struct tape *t, const void *params, void *grad, const struct layer_blocks *b);

struct linear_of { int w, b; int64_t in, out; }; /* y = x w + b: two blocks, and their widths */
/* What layers of both orders are made of: y[tokens][c] of x[tokens][c], neither of them the other.  Backward: dx of dy,
 * x as it was; adds to grad. */
void pass_linear(
    const struct pass *p, void *y, const void *x, const void *params, int w, int b, int64_t in, int64_t out);
void pass_linear_back(const struct pass *p, void *dx, const void *dy, const void *x, const void *params, void *grad,
    struct linear_of l);
int pass_normalise(struct pass *p, void *y, void *x, const void *params, int gain, int shift);
int pass_normalise_back(
    struct pass *p, void *dx, void *dy, void *x, const void *params, void *grad, int gain, int shift);
int pass_self(struct pass *p, const struct tape *t, void *y, void *x, const void *params, const struct layer_blocks *b);
int pass_self_back(struct pass *p, const struct tape *t, void *dx, void *dy, void *x, const void *params, void *grad,
    const struct layer_blocks *b);
/* of t->n1 */
int pass_cross(struct pass *p, const struct tape *t, void *y, const void *params, const struct layer_blocks *b);
int pass_feed(struct pass *p, const struct tape *t, void *y, void *x, const void *params, const struct layer_blocks *b);
int pass_feed_back(struct pass *p, const struct tape *t, void *dx, void *dy, void *x, const void *params, void *grad,
    const struct layer_blocks *b);
#endif
