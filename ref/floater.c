/* Positions by a dynamical system (FLOATER).   Liu, Yu, Dhillon, Hsieh, ICML 2020, eq. 5-7
 *   p(0) = start      p' = h(t, p)      position i stands at t_i = i dt
 *   h(t, p) = w2 act(w1 p + t1 t + b1) + t2 t + b2
 *   (flow_funcs.py flow_func_linear: the time is one more input of both layers)
 * p, bias: fixed steps dt/substeps of a Runge-Kutta solver, from position to position; bias: one h for queries, keys,
 * values (s) of every layer (l).
 * solver=euler, dt = 1, substeps = 1 is the recursion p_{i+1} = p_i + h(p_i).
 * linear: p' = A p, p_i = exp(t_i A) start, exactly.
 * Gradients are those of the solver's own steps, not of the equation that they approximate (which an adjoint equation,
 * integrated backwards, gives): ode.h.
 * At its kink ReLU has slope 0.  For linear, dstart = sum_i exp(t_i A)^T dlinear_i.
 * Under the fault "overwritten" only the last of all stages of all steps counts in a gradient.
 * Traps: torchdiffeq's "rk4" is the 3/8 rule, not the classic tableau; the start is position 0 itself. */
#include <stdlib.h>
#include "flow/expm.h"
#include "flow/flow.h"
#include "arith/held.h"
#include "row/row.h"

/* The position of token i; under an edit it is none that the solver needs more steps for. */
static long place(const struct ask *w, long i)
{
    const struct floater *p = w->params;
    const long at = i_add(w, p->origin, i), most = STEPS_MOST / p->substeps + i;
    return held(at, 0, most);
}
/* y[d]: the start on entry, then p at position origin + at[0]. */
static void integrate(struct ask *w, const struct ball **y)
{
    const struct floater *p = w->params;
    const struct ode o = flow_ode(w);
    ode_solve(w, &o, place(w, w->at[0]) * p->substeps, y);
}
static void vector(struct ask *w, const struct ball **y) /* y[d] */
{
    for (long i = 0; i < w->len; i++)
        y[i] = b_in(w, "start", i, 0, 0);
    integrate(w, y);
}
static void bias(struct ask *w, const struct ball **y) /* y[d] */
{
    for (long i = 0; i < w->len; i++)
        y[i] = b_in(w, "start", w->at[1], w->at[2], i);
    integrate(w, y);
}

/* The time t of that place, which the matrix of the linear flow is multiplied by. */
static const struct ball *time_of(struct ask *w, long at)
{
    const struct ball *dt = b_given(w, MATRIX, b_q(w, ((const struct floater *)w->params)->dt));
    return b_inner(w, MATRIX, b_mul(w, dt, b_si(w, at)));
}
static void linear(struct ask *w, const struct ball **y) /* y[d] */
{
    const long d = w->len;
    const struct ball *t = time_of(w, place(w, w->at[0]));
    const struct ball **m = need((size_t)(d * d) + 1, sizeof *m), **e = need((size_t)(d * d) + 1, sizeof *e),
                      **terms = need((size_t)d + 1, sizeof *terms);
    for (long i = 0; i < d * d; i++)
        m[i] = b_inner(w, MATRIX, b_mul(w, b_in(w, "a", i / d, i % d, 0), t));
    b_expm(w, (const struct ball *const *)m, d, e);
    for (long i = 0; i < d; i++) {
        for (long j = 0; j < d; j++)
            terms[j] = b_step(w, PRODUCT, b_mul(w, b_step(w, MATRIX, e[i * d + j]), b_in(w, "start", j, 0, 0)));
        y[i] = b_sum(w, SUM, terms, d);
    }
    free(m), free(e), free(terms);
}

static void dstart_linear(struct ask *w, const struct ball **y)
{
    const long d = w->len, n = dim_in(w, "dlinear", 0);
    const struct ball **m = need((size_t)((n + 2) * d * d) + 1, sizeof *m), **e = m + d * d, **terms = e + d * d;
    long used = 0, at = 0;
    for (long i = 0; i < n; i++) {
        const struct ball *t = time_of(w, place(w, i));
        for (long k = 0; k < d * d; k++)
            m[k] = b_inner(w, MATRIX, b_mul(w, b_in(w, "a", k / d, k % d, 0), t));
        b_expm(w, (const struct ball *const *)m, d, e);
        for (long k = 0; k < d * d; k++) /* Terms lie by column: a sum for each entry of start. */
            terms[(k % d * n + i) * d + k / d] =
                b_step(w, PRODUCT, b_mul(w, b_step(w, MATRIX, e[k]), b_in(w, "dlinear", i, k / d, 0)));
    }
    for (used = n * d; at < d; at++)
        y[at] = b_sum(w, SUM, terms + at * used, used);
    free(m);
}

static long extent(const void *q, char axis) { (void)q; return axis == 's' ? 3 : 0; }
static const char *refuse(const void *q)
{
    const struct floater *p = q;
    return mpq_sgn(p->dt) <= 0               ? "dt: must be greater than 0" :
        p->origin > STEPS_MOST / p->substeps ? "origin: more than 65536 steps of the solver" :
                                               NULL;
}
static const struct param params[] = {
    { "dt", "0.01", "time from position to position", RATIONAL, offsetof(struct floater, dt) },
    { "substeps", "5", "steps of the solver from position to position", INT, offsetof(struct floater, substeps),
        .least = 1, .most = 1024 },
    { "origin", "0", "position of row 0", INT, offsetof(struct floater, origin), .least = 0, .most = STEPS_MOST },
    { "solver", "rk4_38", "of p and bias", ENUM, offsetof(struct floater, solver),
        .choices = "rk4_38 rk4 midpoint euler" },
    { "activation", "relu", "of h; zero: h = 0", ENUM, offsetof(struct floater, activation),
        .choices = "relu tanh identity zero" },
    { 0 },
};
static const struct preset presets[] = {
    { "code:xuanqing94/FLOATER", "", "flow_transformer.py: time_dt 0.01, step_size time_dt / 5; flow_funcs.py "
        "flow_func_linear" },
    { "paper", "dt=0.1 substeps=1 activation=tanh", "arXiv:2003.09229" },
    { "classic tableau", "solver=rk4 activation=tanh", "Kutta 1901" },
    { "id_flow", "activation=zero", "flow_funcs.py id_flow: constant biases" },
    { "seed", "dt=1 substeps=1 solver=euler activation=tanh", "000_8611a63759cff694.txt: recursive, p_{k+1} = f(p_k)" },
    { "midpoint", "solver=midpoint activation=tanh origin=7", "torchdiffeq midpoint" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "time=f32 product=f32 sum=f32 act=f32:2 stage=f32 matrix=f32", "every operation in float32" }, { 0 }
};
#define FLOW "w1[f,d] t1[f] b1[f] w2[d,f] t2[d] b2[d] "
#define VECTOR "start[d] " FLOW
#define BIAS "start[s,l,d] " FLOW
const struct row row_floater = {
    .name = "floater", .title = "positions by a dynamical system", .cite = "Liu et al. 2020",
    .steps = { "time product sum act stage matrix" },
    .declares = params, .size = sizeof(struct floater), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse, .sizes = "d=3 f=2 l=2",
    .q = { { VECTOR "-> p[n|d]", vector }, { BIAS "-> bias[n,s,l|d]", bias },
    { "start[d] a[d,d] -> linear[n|d]", linear },
           { VECTOR "dp[n,d] -> dstart[|d]", flow_grad, .of = D_START },
           { VECTOR "dp[n,d] -> dw1[|f,d]", flow_grad, .of = D_W1 },
           { VECTOR "dp[n,d] -> dt1[|f]", flow_grad, .of = D_T1 },
           { VECTOR "dp[n,d] -> db1[|f]", flow_grad, .of = D_B1 },
           { VECTOR "dp[n,d] -> dw2[|d,f]", flow_grad, .of = D_W2 },
           { VECTOR "dp[n,d] -> dt2[|d]", flow_grad, .of = D_T2 },
           { VECTOR "dp[n,d] -> db2[|d]", flow_grad, .of = D_B2 },
           { BIAS "dbias[n,s,l,d] -> dstart_bias[|s,l,d]", flow_grad, .of = D_START },
           { BIAS "dbias[n,s,l,d] -> dw1_bias[|f,d]", flow_grad, .of = D_W1 },
           { BIAS "dbias[n,s,l,d] -> dt1_bias[|f]", flow_grad, .of = D_T1 },
           { BIAS "dbias[n,s,l,d] -> db1_bias[|f]", flow_grad, .of = D_B1 },
           { BIAS "dbias[n,s,l,d] -> dw2_bias[|d,f]", flow_grad, .of = D_W2 },
           { BIAS "dbias[n,s,l,d] -> dt2_bias[|d]", flow_grad, .of = D_T2 },
           { BIAS "dbias[n,s,l,d] -> db2_bias[|d]", flow_grad, .of = D_B2 },
           { "start[d] a[d,d] dlinear[n,d] -> dstart_linear[|d]", dstart_linear } },
};
