/* Rows whose attention is made by lines in both directions (line_grad.h): tener, whose places are fixed sinusoids, with
 * a term of the key alone and one of the place alone; and forget, whose scores decay by gates.  Both answer MER_SKIP
 * where a call asks for what the plain loops alone do. */
#ifndef LINE_ROWS_H
#define LINE_ROWS_H
#include "lines/line_grad.h"

/* The gradients of a call that has `do`, else its o and lse. */
int line_tener(const struct mer_call *c, line_head *head);
int line_forget(const struct mer_call *c, line_head *head);
/* From fast/tener.c: makes c->state, the lines R[n + m][d] of the call's distances, then as many of minus them; free
 * releases it. */
int tener_prepare(struct mer_call *c);
/* Their arithmetic forward, but for the partial sums of the total, which are as many as a slot's lanes. */
#define LINE_STEPS \
    "shift=f32 exp=f32:2.5 product=f32 sum=f32/lanes1 div=f32 log=f32:2 dot=f32/lanes1 score=f32 join=f32 "
#define LINE_FORGET_STEPS \
    "logit=f32:1.001 cumulate=f32 dot=f32/lanes1 product=f32 score=f32:3 bias=f32 shift=f32 exp=f32:2.5 weight=f32 " \
    "div=f32 log=f32:2 "
#endif
