/* Dual numbers: forward-mode derivatives of any page as it is written.  Beside each ball x stands a ball of its
 * tangent, dx = sum over the inputs of (dx / din) v for one direction v; every operation of ball.h carries it by the
 * chain rule:
 *   d(x + y) = dx + dy    d(xy) = y dx + x dy    d(x / y) = (dx - (x/y) dy) / y    d e^x = e^x dx    d log x = dx / x
 *   d sqrt x = dx / (2 sqrt x)
 *   d sin x = cos x dx    d cos x = -sin x dx    d tanh x = (1 - tanh^2 x) dx    d erf x = 2/sqrt(pi) e^(-x^2) dx
 *   d x^y = y x^(y-1) dx + x^y log x dy
 * Where a function is not differentiable, or not known to be, the tangent is the whole line.  That is |x| at 0 (also
 * sqrt), max and min where both are equal and their tangents are not one, floor and ceil at integers, and any of these
 * where the ball leaves it open; so ReLU = max(x, 0) at 0.  A softmax has no corner at equal scores: its reference
 * point is held constant (mix.c).
 * Tangents exist for real numbers only: how is EXACT, and there is no exact path.  Shortcuts that leave balls (plain.h,
 * soft.h) are off.  The method is that of Wengert 1964. */
#ifndef DUAL_H
#define DUAL_H
#include "ball/ball.h"

enum { DUAL_IN = 24 }; /* So many inputs may vary at once. */
/* One direction, and the tangents along it.  Whoever asks fills `in` and n, and lends it to an ask as w->dual. */
struct dual {
    /* The inputs that vary, as the call holds them, and the direction v[their length] of each; all borrowed. */
    struct { const struct mer_array *of; const double *v; } in[DUAL_IN];
    int n;
    /* The pool of tangents, which is owned here; they live until the next ask_reset of the ask that carries this. */
    struct ask w;
    const struct ball *whole; /* The tangent of what has none: the whole line. */
};
/* Frees what d owns; no ask may carry it any more. */
void dual_close(struct dual *d);
/* The tangent of y, a result of w; never NULL, and valid until the next ask_reset of w. */
const struct ball *dual_tangent(struct ask *w, const struct ball *y);
#endif
