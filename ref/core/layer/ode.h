/* Explicit Runge-Kutta methods with a fixed step, for x' = f(t, x):
 *   k_s = f(t + c_s h, x + h sum_j a_sj k_j)        x <- x + h sum_s b_s k_s
 *   (Butcher 1963; every sum from zero coefficients left out) */
#ifndef ODE_H
#define ODE_H
#include "ball/ball.h"
enum { STAGES = 4 };
struct tableau { int stages; long over, c[STAGES], a[STAGES][STAGES], b[STAGES]; }; /* c, a, b times `over` */
extern const struct tableau rk_38, rk_classic, rk_midpoint, rk_euler;
/* of every operation on t; of every coefficient, product and sum of the solver */
struct ode_steps { int time, stage; };
/* x[d] at t = 0 becomes x[d] at t = steps h. */
void ode_solve(struct ask *w, const struct tableau *rk, struct ode_steps r,
    void (*f)(struct ask *w, const struct ball *t, const struct ball *const *x, const struct ball **y),
    const struct ball *h, long steps, const struct ball **x, long d);
/* The same, kept for the way back: at[step][stage][d] what f was given, now[step][stage] when. */
void ode_trace(struct ask *w, const struct tableau *rk, struct ode_steps r,
    void (*f)(struct ask *w, const struct ball *t, const struct ball *const *x, const struct ball **y),
    const struct ball *h, long steps, const struct ball **x, long d, const struct ball **at, const struct ball **now);
/* One step backwards: the gradient lambda[d] of x behind it becomes that of x before it.  With J_s the Jacobian of f at
 * stage s, and pull: mu = J_s^T kappa,
 *   kappa_s = h (b_s lambda + sum_{j > s} a_js mu_j)        mu_s = J_s^T kappa_s        lambda <- lambda + sum_s mu_s
 *   (the adjoint of the very steps) */
void ode_back(struct ask *w, const struct tableau *rk, struct ode_steps r,
    void (*pull)(struct ask *w, void *with, int stage, const struct ball *const *kappa, const struct ball **mu),
    void *with, const struct ball *h, const struct ball **lambda, long d);
#endif
