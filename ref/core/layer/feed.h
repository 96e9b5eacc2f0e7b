/* The position-wise feed-forward layer, shared by its page and that of its gradients; ref/feedforward.c says what each
 * parameter is.  For dy the gradient of y, dt = dy w2^T:  du = dt act'(u), or gated dt act(g)    dg = dt u act'(g)
 *   dx = du w1^T + dg wg^T    dw1 = x^T du    dwg = x^T dg    dw2 = t^T dy    db1 = sum_i du_i    dbg = sum_i dg_i
 *   db2 = sum_i dy_i.  What is not read has gradient 0. */
#ifndef FEED_H
#define FEED_H
#include "layer/activation.h"

struct feedforward { int act, gated, bias; mpq_t kink; };
enum { PRODUCT, SUM, ARGUMENT, CURVE, WEIGHT, ACTIVATE, SLOPE, GATE };

/* Is the optional input read: gates where gated, biases where there are any? */
bool feed_needs(const void *params, const char *input);
/* The activation that the parameters name, in the steps of this header. */
struct activation feed_act(const struct ask *w);
/* One line i of the layer and of its gradients: u g t du dg, [f] each; the caller calls feed_close.  turned: x, w1, wg
 * and w2 are stored transposed, as inputs xt, w1t, wgt and w2t.  du and dg are made by feed_backward alone. */
struct feed_line { long d, f; const struct ball **u, **g, **t, **du, **dg; };
struct feed_line feed_forward(struct ask *w, bool turned, long i);
/* Element k of t w2 + b2, the output of that line. */
const struct ball *feed_output(struct ask *w, bool turned, const struct feed_line *l, long k);
void feed_close(struct feed_line *l);

/* Pages: a line of dx; all of the gradient that w->of names: the weight, or with w->form its bias. */
enum { FEED_UP, FEED_GATE, FEED_DOWN };
void feed_input_grad(struct ask *w, const struct ball **y);
void feed_weight_grad(struct ask *w, const struct ball **y);
#endif
