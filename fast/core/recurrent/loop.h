/* Linear attention as a recurrence, with or without delta rule and decays, in double: what a call holds says which.
 * ref/core/recurrent/loop.h has the formulas.  Real arrays are float32 or bfloat16, and results are rounded once. */
#ifndef LOOP_H
#define LOOP_H
#include "meridian.h"
/* Fills o and final, where they are wanted. */
int loop_forward(const struct mer_call *c);
/* Fills dq dk dv dbeta da dA_log ddt_bias dstate, where they are wanted. */
int loop_backward(const struct mer_call *c);
#endif
