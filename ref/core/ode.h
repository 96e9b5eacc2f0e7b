/* Explicit Runge-Kutta methods with a fixed step, for x' = f(t, x):
 *   k_s = f(t + c_s h, x + h sum_j a_sj k_j)        x <- x + h sum_s b_s k_s        (Butcher 1963; every sum from zero coefficients left out) */
#ifndef ODE_H
#define ODE_H
#include "ball.h"
enum { STAGES = 4 };
struct tableau { int stages; long over, c[STAGES], a[STAGES][STAGES], b[STAGES]; }; /* c, a, b times `over` */
extern const struct tableau rk_38, rk_classic, rk_midpoint, rk_euler;
struct ode_steps { int time, stage; }; /* of every operation on t; of every coefficient, product and sum of the solver */
/* x[d] at t = 0 becomes x[d] at t = steps h. */
void ode_solve(struct ask *w, const struct tableau *rk, struct ode_steps r, void (*f)(struct ask *w, const struct ball *t, const struct ball *const *x, const struct ball **y),
               const struct ball *h, long steps, const struct ball **x, long d);
#endif
