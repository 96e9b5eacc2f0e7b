/* A gate of contextual positions; ref/cope.c says what it is. */
#ifndef GATE_H
#define GATE_H
#include "ball/ball.h"
/* sigmoid(x), rounded at step s. */
const struct ball *gate_open(struct ask *w, int s, const struct ball *x);
/* Its slope g (1 - g), with products and difference at step `slope`.  The exact reading takes 1 - g as sigmoid(-x),
 * which keeps its digits where g is almost 1. */
const struct ball *gate_slope(struct ask *w, int s, int slope, const struct ball *x);
#endif
