/* Gradients of sigmoid attention (row sigmoid), of <do, o>; pages of lines dq[h,n|d], dk[g,m|d] or dv[g,m|e] (w->form),
 * and dbias[h,n|m].  Faults: "unbent", the slope p in place of p (1 - p); "unscaled"; "overwritten", the last term in
 * place of a sum. */
#ifndef SIGMOID_GRAD_H
#define SIGMOID_GRAD_H
#include "ball/ball.h"
/* Fills y[w->len] with the gradient of query at[1] of head at[0]. */
void sigmoid_query_grad(struct ask *w, const struct ball **y);
/* The same of key, or (w->form) value, at[1] of key head at[0]: a sum over the queries of every head that reads it. */
void sigmoid_key_grad(struct ask *w, const struct ball **y);
/* The same of the biases of query at[1] of head at[0]; 0 where the query does not see the key. */
void sigmoid_bias_grad(struct ask *w, const struct ball **y);
#endif
