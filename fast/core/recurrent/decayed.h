/* Decayed linear attention as a recurrence in double, whose rows differ in what q, k and v go through and in what
 * decays: ref/core/state/decayed.h.  Real arrays are float32 or bfloat16, and results are rounded once. */
#ifndef RECURRENT_DECAYED_H
#define RECURRENT_DECAYED_H
#include "meridian.h"
/* What a row does with its tokens.  Each is told the call. */
struct flow_row {
    /* x[n], line t of head h of the input `name` (its first letter), in place; NULL: nothing. */
    void (*vector)(const struct mer_call *c, char name, int64_t h, int64_t t, double *x, int64_t n);
    /* Of x[n] as it was, y[n] the gradient by what it became, in place; NULL: nothing. */
    void (*back)(const struct mer_call *c, char name, int64_t h, int64_t t, const double *x, double *y, int64_t n);
    /* The decay of head h; a: that of a channel's input, else 0.  NULL: nothing decays. */
    double (*factor)(const struct mer_call *c, int64_t h, double a);
    /* The slope of the decay's logarithm by a; NULL: 1. */
    double (*slope)(const struct mer_call *c, double a);
    int channels, keys; /* A decay is one for each channel; there is z, the sum of the keys. */
};
/* Fills o, final and final_z, where they are wanted. */
int flow_forward(const struct mer_call *c, const struct flow_row *row);
/* Fills dq dk dv da dstate dz, where they are wanted. */
int flow_backward(const struct mer_call *c, const struct flow_row *row);
/* The arithmetic of these kernels, without what their rows add: sums and products in double. */
#define FLOW "product=f64 dot=f64 query=f64:3 write=f64 state=f64 output=f64"
#define FLOW_BACK " slope=f64:6 gather=f64"
#endif
