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

/* Opens the passes of both sides; f.source 0: a decoder alone, by pass_open.  p->length is the decoder's.  0, or -1 and
 * one line in err; pass_close is due either way. */
int pass_open_pair(struct pass *p, const struct model *m, struct pass_form f, char *err, size_t n);
/* Whether an encoder-decoder can be evaluated with this variant: it changes the encoding alone. */
int pair_takes(const struct variant *v);

/* Parts of passes that several files share.  Those without err return a MER_ answer; those with it 0, or -1 and one
 * line. */
/* Makes buffers and operations; p->m, first, layers, encoder and source must be set. */
int pass_make(struct pass *p, const struct pass_form *f, int64_t length, char *err, size_t n);
/* Runs all layers: p->last. */
int pass_stack(struct pass *p, const void *params, const int64_t *token);
/* Runs the layers and the output product: p->logits.  Of an encoder-decoder, pair_encode comes first. */
int pass_logits(struct pass *p, const void *params, const int64_t *token);
/* The gradient of pass_stack from p->dx, the gradient of p->last; adds to grad. */
int pass_stack_back(struct pass *p, const void *params, const int64_t *token, void *grad);
/* Opens the operation p->weights of a pass with a trained bias, whose gradients need the weights: they are the output o
 * for the unit matrix in place of v, which the fast kernels compute. */
int pass_weights(struct pass *p, const char *row, const char *params, int keep, char *err, size_t n);
/* Opens the operations of attention of an encoder. */
int pair_attend(struct pass *p, char *err, size_t n);
/* Runs the encoder (p->source->last) and sets p->word and the keys that cross-attention may see. */
int pair_encode(struct pass *p, const void *params, const int64_t *token);
/* The gradients of both sides, from p->dx. */
int pair_back(struct pass *p, const void *params, void *grad);
/* One layer: from t->x to next. */
int pair_layer(struct pass *p, const struct tape *t, void *next, const void *params, const struct layer_blocks *b);
/* Its gradient: p->dx is that of the layer's output, then that of its input. */
int pair_layer_back(struct pass *p, const struct tape *t, const void *params, void *grad, const struct layer_blocks *b);

struct linear_of { int w, b; int64_t in, out; }; /* y = x w + b: numbers of the two blocks, widths of x and y */
/* The parts of layers of both orders: y[tokens][c] of x[tokens][c], which must not overlap.  Their gradients compute dx
 * from dy and the x that the forward pass read, and add to grad. */
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
/* Cross-attention, which reads t->n1. */
int pass_cross(struct pass *p, const struct tape *t, void *y, const void *params, const struct layer_blocks *b);
int pass_feed(struct pass *p, const struct tape *t, void *y, void *x, const void *params, const struct layer_blocks *b);
int pass_feed_back(struct pass *p, const struct tape *t, void *dx, void *dy, void *x, const void *params, void *grad,
    const struct layer_blocks *b);
#endif
