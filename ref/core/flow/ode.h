/* Explicit Runge-Kutta methods with a fixed step, for x' = f(t, x):
 *   k_s = f(t + c_s h, x + h sum_j a_sj k_j)        x <- x + h sum_s b_s k_s
 *   (Butcher 1963; every sum from zero coefficients left out) */
#ifndef ODE_H
#define ODE_H
#include "ball/ball.h"
enum { STAGES = 4 };
/* A Butcher tableau; c, a and b are integers, the coefficients times `over`. */
struct tableau { int stages; long over, c[STAGES], a[STAGES][STAGES], b[STAGES]; };
extern const struct tableau rk_38, rk_classic, rk_midpoint, rk_euler;
/* x' = f(t, x) of d numbers, in steps of h. */
struct ode {
    const struct tableau *rk;
    /* The steps of every operation on t, and of every coefficient, product and sum of the solver. */
    int time, stage;
    void (*f)(struct ask *w, const struct ball *t, const struct ball *const *x, const struct ball **y);
    const struct ball *h;
    long d;
};
/* x[d] at t = 0 becomes x[d] at t = steps h. */
void ode_solve(struct ask *w, const struct ode *o, long steps, const struct ball **x);
/* The same, kept for the way back: at[step][stage][d] what f was given, now[step][stage] when. */
void ode_trace(struct ask *w, const struct ode *o, long steps, const struct ball **x, const struct ball **at,
    const struct ball **now);
/* mu[d] = J^T kappa[d], J the Jacobian of f at this stage of the step. */
typedef void ode_pull(struct ask *w, void *with, int stage, const struct ball *const *kappa, const struct ball **mu);
/* One step backwards: the gradient lambda[d] of x behind it becomes that of x before it.  With J_s the Jacobian of f at
 * stage s,
 *   kappa_s = h (b_s lambda + sum_{j > s} a_js mu_j)        mu_s = J_s^T kappa_s        lambda <- lambda + sum_s mu_s
 *   (the adjoint of the very steps); with: what pull is given. */
void ode_back(struct ask *w, const struct ode *o, ode_pull *pull, void *with, const struct ball **lambda);
#endif
