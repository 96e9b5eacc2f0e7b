/* Sine and cosine of one call of b_sincos, each as a function of its own, for tables of functions of one ball. */
#ifndef TESTS_BOTH_H
#define TESTS_BOTH_H
#include "ball/ball.h"

static inline const struct ball *both_sin(struct ask *w, const struct ball *x)
{
    const struct ball *s, *c;
    return b_sincos(w, x, &s, &c), s;
}
static inline const struct ball *both_cos(struct ask *w, const struct ball *x)
{
    const struct ball *s, *c;
    return b_sincos(w, x, &s, &c), c;
}
#endif
