/* The flow h(t, p) of a dynamical system of positions, its solution in fixed steps and the gradients of that:
 *   h(t, p) = w2 act(w1 p + t1 t + b1) + t2 t + b2
 * Inputs w1[f,d] t1[f] b1[f] w2[d,f] t2[d] b2[d]; ref/floater.c says what each parameter is. */
#ifndef FLOW_H
#define FLOW_H
#include "flow/ode.h"

struct floater { long substeps, origin; mpq_t dt; int solver, activation; };
enum { RK4_38, RK4, MIDPOINT, EULER };
enum { RELU, TANH, IDENTITY, ZERO };
/* STAGE rounds every coefficient, product and sum of the solver; MATRIX the entries of exp(t A). */
enum { TIME, PRODUCT, SUM, ACT, STAGE, MATRIX };
enum { STEPS_MOST = 1 << 16 };

/* p' = h(t, p) as the parameters solve it, in steps of dt / substeps. */
struct ode flow_ode(struct ask *w);
/* y[rows] = weight[rows][cols] x + slope t + shift; the last three are names of inputs. */
struct affine { const char *weight, *slope, *shift; };
void flow_affine(struct ask *w, struct affine a, const struct ball *t, const struct ball *const *x,
    const struct ball **y);
extern const struct affine flow_first, flow_second; /* They are the two layers of h. */
/* The activation, and its slope at `at`, where it is `active`; at its kink ReLU has slope 0. */
const struct ball *flow_active(struct ask *w, const struct ball *x);
const struct ball *flow_slope(struct ask *w, const struct ball *at, const struct ball *active);

/* Gradients, from dp[n,d] or dbias[n,s,l,d], of the solver's own steps, not of the equation that they approximate
 * (which an adjoint equation, integrated backwards, gives): ode.h.  A page: all of the gradient that w->of names.
 * Under the fault "overwritten" only the last of all stages of all steps counts. */
enum { D_START, D_W1, D_T1, D_B1, D_W2, D_T2, D_B2, D_ALL };
void flow_grad(struct ask *w, const struct ball **y);
#endif
