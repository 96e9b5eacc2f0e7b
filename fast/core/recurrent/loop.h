/* Linear attention as a recurrence, with or without delta rule and decays, in double: what a call holds says which.
 * ref/core/recurrent/loop.h has the formulas.  Real arrays are float32 or bfloat16, and results are rounded once. */
#ifndef LOOP_H
#define LOOP_H
#include "meridian.h"
/* Fills o and final, where they are wanted. */
int loop_forward(const struct mer_call *c);
/* Fills dq dk dv dbeta da dA_log ddt_bias dstate, where they are wanted. */
int loop_backward(const struct mer_call *c);
/* The same, but for gradients that are 0 by definition, which are not offered: that of the decay of one token that
 * finds no state, and those of parameters of a gate that is not the call's. */
int loop_of_decay(const struct mer_call *c);
int loop_of_gate(const struct mer_call *c);
/* The arithmetic of these kernels: forward without decays, what decays and their gates add, and what gradients add.
 * In half-ulps: e^x has less than 2, log1p as many (glibc), a sum and a quotient 1 each, so that 1 / (1 + e^-x) has 4
 * and log(1 + e^x) 5, the error of e^x counting no more than once; beta_max times that is 5 in all.  The inverse of a
 * root is 2, q times 1/sqrt(d) is 3.  slope is the 4 of 1 - s, which is made as 1 / (1 + e^x). */
#define LOOP_DELTA "product=f64 dot=f64 residual=f64 correct=f64 write=f64 state=f64 output=f64 square=f64 " \
    "squares=f64 root=f64:2 unit=f64 query=f64:3 beta=f64:5"
#define LOOP_GATES " decay=f64 shift=f64 softplus=f64:5 rate=f64:2 log=f64 factor=f64:2"
#define LOOP_BACK " slope=f64:4 gather=f64"
#endif
