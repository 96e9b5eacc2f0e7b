/* Positions by a dynamical system (FLOATER).                                          Liu, Yu, Dhillon, Hsieh, ICML 2020, eq. 5-7
 *   p(0) = start      p' = h(t, p)      position i stands at t_i = i dt
 *   h(t, p) = w2 act(w1 p + t1 t + b1) + t2 t + b2      (flow_funcs.py flow_func_linear: the time is one more input of both layers)
 * p, bias: fixed steps dt/substeps of a Runge-Kutta solver, from position to position; bias: one h for queries, keys, values (s) of every layer (l).
 * solver=euler, dt = 1, substeps = 1 is the recursion p_{i+1} = p_i + h(p_i).      linear: p' = A p, p_i = exp(t_i A) start, exactly.
 * Traps: torchdiffeq's "rk4" is the 3/8 rule, not the classic tableau; the start is position 0 itself. */
#include <stdlib.h>
#include "expm.h"
#include "ode.h"
#include "row.h"

struct floater { long substeps, origin; mpq_t dt; int solver, activation; };
enum { RK4_38, RK4, MIDPOINT, EULER }; enum { RELU, TANH, IDENTITY, ZERO };
enum { TIME, PRODUCT, SUM, ACT, STAGE, MATRIX }; /* STAGE: every coefficient, product and sum of the solver; MATRIX: entries of exp(t A) */
enum { STEPS_MOST = 1 << 16 };

static long width(const struct ask *w) { const struct mer_array *v = array_in(w, "w2"); return v->dim[0]; }

/* y[rows] = weight[rows][cols] x + slope t + shift */
static void affine(struct ask *w, const char *weight, const char *slope, const char *shift, const struct ball *t, const struct ball *const *x, const struct ball **y)
{
    const struct mer_array *m = array_in(w, weight);
    const long rows = m->dim[0], cols = m->dim[1];
    const struct ball **terms = need((size_t)cols + 2, sizeof *terms);
    for (long i = 0; i < rows; i++) {
        for (long j = 0; j < cols; j++)
            terms[j] = b_step(w, PRODUCT, b_mul(w, b_in(w, weight, i, j, 0), x[j]));
        terms[cols] = b_step(w, PRODUCT, b_mul(w, b_in(w, slope, i, 0, 0), t));
        terms[cols + 1] = b_in(w, shift, i, 0, 0);
        y[i] = b_sum(w, SUM, terms, cols + 2);
    }
    free(terms);
}

static void flow(struct ask *w, const struct ball *t, const struct ball *const *x, const struct ball **y) /* y = h(t, x) */
{
    const int activation = ((const struct floater *)w->params)->activation;
    const long f = array_in(w, "w1")->dim[0], d = width(w);
    for (long i = 0; i < d && activation == ZERO; i++)
        y[i] = b_si(w, 0);
    if (activation == ZERO)
        return;
    const struct ball **hidden = need((size_t)f + 1, sizeof *hidden);
    affine(w, "w1", "t1", "b1", t, x, hidden);
    for (long i = 0; i < f; i++)
        hidden[i] = activation == RELU ? b_max(w, hidden[i], b_si(w, 0)) : activation == TANH ? b_step(w, ACT, b_tanh(w, hidden[i])) : hidden[i];
    affine(w, "w2", "t2", "b2", t, hidden, y);
    free(hidden);
}

static void integrate(struct ask *w, const struct ball **x) /* x[d]: the start, then p at position origin + at[0] */
{
    const struct floater *p = w->params;
    static const struct tableau *const solver[] = { &rk_38, &rk_classic, &rk_midpoint, &rk_euler };
    const struct ball *h = b_step(w, TIME, b_div(w, b_q(w, p->dt), b_si(w, p->substeps)));
    ode_solve(w, solver[p->solver], (struct ode_steps){ TIME, STAGE }, flow, h, (p->origin + w->at[0]) * p->substeps, x, width(w));
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

static void linear(struct ask *w, const struct ball **y) /* y[d] */
{
    const struct floater *p = w->params;
    const long d = w->len;
    const struct ball *t = b_mul(w, b_q(w, p->dt), b_si(w, p->origin + w->at[0]));
    const struct ball **m = need(2 * (size_t)(d * d) + (size_t)d + 1, sizeof *m), **e = m + d * d, **terms = e + d * d;
    for (long i = 0; i < d * d; i++)
        m[i] = b_mul(w, b_in(w, "a", i / d, i % d, 0), t);
    b_expm(w, (const struct ball *const *)m, d, e);
    for (long i = 0; i < d; i++) {
        for (long j = 0; j < d; j++)
            terms[j] = b_step(w, PRODUCT, b_mul(w, b_step(w, MATRIX, e[i * d + j]), b_in(w, "start", j, 0, 0)));
        y[i] = b_sum(w, SUM, terms, d);
    }
    free(m);
}

static long extent(const void *q, char axis) { (void)q; return axis == 's' ? 3 : 0; }
static const char *refuse(const void *q)
{
    const struct floater *p = q;
    return mpq_sgn(p->dt) <= 0 ? "dt: must be greater than 0" : p->origin > STEPS_MOST / p->substeps ? "origin: more than 65536 steps of the solver" : NULL;
}
static const struct param params[] = {
    { "dt", "0.01", "time from position to position", RATIONAL, offsetof(struct floater, dt) },
    { "substeps", "5", "steps of the solver from position to position", INT, offsetof(struct floater, substeps), .least = 1, .most = 1024 },
    { "origin", "0", "position of row 0", INT, offsetof(struct floater, origin), .least = 0, .most = STEPS_MOST },
    { "solver", "rk4_38", "of p and bias", ENUM, offsetof(struct floater, solver), .choices = "rk4_38 rk4 midpoint euler" },
    { "activation", "relu", "of h; zero: h = 0", ENUM, offsetof(struct floater, activation), .choices = "relu tanh identity zero" },
    { 0 },
};
static const struct preset presets[] = {
    { "code:xuanqing94/FLOATER", "", "flow_transformer.py: time_dt 0.01, step_size time_dt / 5; flow_funcs.py flow_func_linear" },
    { "paper", "dt=0.1 substeps=1 activation=tanh", "arXiv:2003.09229" },
    { "classic tableau", "solver=rk4 activation=tanh", "Kutta 1901" },
    { "id_flow", "activation=zero", "flow_funcs.py id_flow: constant biases" },
    { "seed", "dt=1 substeps=1 solver=euler activation=tanh", "000_8611a63759cff694.txt: recursive, p_{k+1} = f(p_k)" },
    { "midpoint", "solver=midpoint activation=tanh origin=7", "torchdiffeq midpoint" }, { 0 },
};
static const struct preset contracts[] = { { "f32", "time=f32 product=f32 sum=f32 act=f32:2 stage=f32 matrix=f32", "every operation in float32" }, { 0 } };
const struct row row_floater = {
    .name = "floater", .title = "positions by a dynamical system", .cite = "Liu et al. 2020",
    .steps = { "time product sum act stage matrix" },
    .params = params, .size = sizeof(struct floater), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse, .sizes = "d=3 f=2 l=2",
    .q = { { "start[d] w1[f,d] t1[f] b1[f] w2[d,f] t2[d] b2[d] -> p[n|d]", vector },
           { "start[s,l,d] w1[f,d] t1[f] b1[f] w2[d,f] t2[d] b2[d] -> bias[n,s,l|d]", bias },
           { "start[d] a[d,d] -> linear[n|d]", linear } },
};
