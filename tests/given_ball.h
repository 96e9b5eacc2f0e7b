/* A ball that a test gives: the number x, exactly, with a radius r, which may be infinite. */
#ifndef TESTS_GIVEN_BALL_H
#define TESTS_GIVEN_BALL_H
#include <math.h>
#include "ball/ball.h"

/* The precision of the ask has to hold x, or x is rounded to it. */
static inline struct ball *given_ball(struct ask *w, double x, double r)
{
    struct ball *b = (struct ball *)(b_si)(w, 0);
    mpfr_set_d(b->mid, x, MPFR_RNDN);
    b->mag = up_of(b->mid), b->rad = isinf(r) ? up_inf() : up_d(r);
    return b;
}
#endif
