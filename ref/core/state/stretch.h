/* Stretches of numbers that lie behind one another: where each begins, and one ball in every place of one. */
#ifndef STRETCH_H
#define STRETCH_H
#include "ball/types.h"
/* Puts into place[k] where the k-th of n stretches begins, whose sizes are given, and into place[n] where they end. */
void stretch_places(const long *size, int n, long *place);
/* Puts x into y[0 .. n). */
void stretch_fill(const struct ball **y, long n, const struct ball *x);
#endif
