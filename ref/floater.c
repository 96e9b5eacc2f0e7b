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
 * At its kink ReLU has slope 0.  linear: dstart = sum_i exp(t_i A)^T dlinear_i.
 * fault=overwritten: of all stages of all steps the last is kept.
 * Traps: torchdiffeq's "rk4" is the 3/8 rule, not the classic tableau; the start is position 0 itself. */
#include <stdlib.h>
#include "layer/expm.h"
#include "layer/ode.h"
#include "row/question.h"
#include "row/row.h"

struct floater { long substeps, origin; mpq_t dt; int solver, activation; };
enum { RK4_38, RK4, MIDPOINT, EULER }; enum { RELU, TANH, IDENTITY, ZERO };
/* STAGE: every coefficient, product and sum of the solver; MATRIX: entries of exp(t A) */
enum { TIME, PRODUCT, SUM, ACT, STAGE, MATRIX };
enum { STEPS_MOST = 1 << 16 };

static long width(const struct ask *w) { const struct mer_array *v = array_in(w, "w2"); return v->dim[0]; }

/* y[rows] = weight[rows][cols] x + slope t + shift */
static void affine(struct ask *w, const char *weight, const char *slope, const char *shift, const struct ball *t,
    const struct ball *const *x, const struct ball **y)
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

/* of the activation */
static const struct ball *slope_of(struct ask *w, const struct ball *at, const struct ball *active)
{
    const int activation = ((const struct floater *)w->params)->activation,
              sign = activation == RELU ? b_cmp(at, b_si(w, 0)) : 0;
    if (activation == TANH)
        return b_step(w, ACT, b_sub(w, b_si(w, 1), b_step(w, ACT, b_mul(w, active, active))));
    if (activation == IDENTITY || sign == 1)
        return b_si(w, 1);
    if (sign != 2)
        return b_si(w, 0);
    w->undecided |= w->arith->how != WIDEN; /* both sides */
    return b_widen(w, b_ratio(w, 1, 2), up_d(0.5));
}
static const struct ball *active_of(struct ask *w, const struct ball *x)
{
    const int activation = ((const struct floater *)w->params)->activation;
    return activation == RELU ? b_max(w, x, b_si(w, 0)) : activation == TANH ? b_step(w, ACT, b_tanh(w, x)) : x;
}
/* y = h(t, x) */
static void flow(struct ask *w, const struct ball *t, const struct ball *const *x, const struct ball **y)
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
        hidden[i] = active_of(w, hidden[i]);
    affine(w, "w2", "t2", "b2", t, hidden, y);
    free(hidden);
}

static const struct tableau *const solvers[] = { &rk_38, &rk_classic, &rk_midpoint, &rk_euler };
static const struct ball *step_of(struct ask *w)
{
    const struct floater *p = w->params;
    return b_step(w, TIME, b_div(w, b_q(w, p->dt), b_si(w, p->substeps)));
}
static void integrate(struct ask *w, const struct ball **x) /* x[d]: the start, then p at position origin + at[0] */
{
    const struct floater *p = w->params;
    ode_solve(w, solvers[p->solver], (struct ode_steps){ TIME, STAGE }, flow, step_of(w),
        (p->origin + w->at[0]) * p->substeps, x, width(w));
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

/* Of every stage of every step of every stream, the last first: t, x[d], act[f], and the gradients kappa[d] of h's
 * output and delta[f] of what act is given. */
struct flown { long n, d, f, stages; const struct ball **t, **x, **act, **kappa, **delta, **at, **now; };
static void pull(struct ask *w, void *with, int stage, const struct ball *const *kappa, const struct ball **mu)
{
    struct flown *r = with;
    const long d = r->d, f = r->f, most = d > f ? d : f;
    const struct ball **x = r->x + r->n * d, **act = r->act + r->n * f, **delta = r->delta + r->n * f,
                      **terms = need((size_t)most + 1, sizeof *terms);
    for (long i = 0; i < d && ((const struct floater *)w->params)->activation == ZERO; i++)
        mu[i] = b_si(w, 0);
    if (((const struct floater *)w->params)->activation == ZERO) {
        free(terms);
        return;
    }
    memcpy(x, r->at + stage * d, (size_t)d * sizeof *x), memcpy(r->kappa + r->n * d, kappa, (size_t)d * sizeof *x);
    r->t[r->n] = r->now[stage];
    affine(w, "w1", "t1", "b1", r->t[r->n], x, act);
    for (long i = 0; i < f; i++) {
        const struct ball *at = act[i];
        act[i] = active_of(w, at);
        for (long j = 0; j < d; j++)
            terms[j] = b_step(w, PRODUCT, b_mul(w, b_in(w, "w2", j, i, 0), kappa[j]));
        delta[i] = b_step(w, PRODUCT, b_mul(w, b_sum(w, SUM, terms, d), slope_of(w, at, act[i])));
    }
    for (long j = 0; j < d; j++) {
        for (long i = 0; i < f; i++)
            terms[i] = b_step(w, PRODUCT, b_mul(w, b_in(w, "w1", i, j, 0), delta[i]));
        mu[j] = b_sum(w, SUM, terms, f);
    }
    r->n++;
    free(terms);
}
/* y[rows][cols] = sum over the records of left[rows] right[cols]; right NULL: 1 */
static const struct ball **gathered(struct ask *w, const struct flown *r, const struct ball *const *left, long rows,
    const struct ball *const *right, long cols, const struct ball **y)
{
    const struct ball **terms = need((size_t)r->n + 1, sizeof *terms);
    for (long k = 0; k < rows * cols; k++) {
        for (long n = 0; n < r->n; n++)
            terms[n] = right ? b_step(w, PRODUCT, b_mul(w, left[n * rows + k / cols], right[n * cols + k % cols])) :
                               left[n * rows + k];
        const bool last = w->arith->fault == FAULT_OVERWRITTEN && r->n;
        y[k] = last ? terms[r->n - 1] : b_sum(w, SUM, terms, r->n);
    }
    free(terms);
    return y + rows * cols;
}
/* From the first position on: dstart, dw1, dt1, db1, dw2, dt2, db2, behind one another */
enum { D_START, D_W1, D_T1, D_B1, D_W2, D_T2, D_B2, D_ALL };
static void places(const struct ask *w, long place[D_ALL + 1])
{
    const long d = width(w), f = dim_in(w, "w1", 0),
               size[] = { array_len(array_in(w, "start")), f * d, f, f, d * f, d, d };
    place[0] = 0;
    for (int k = 0; k < D_ALL; k++)
        place[k + 1] = place[k] + size[k];
}
static void make(struct ask *w, const struct ball **all)
{
    const struct floater *p = w->params;
    const struct tableau *rk = solvers[p->solver];
    const struct mer_array *start = array_in(w, "start"), *seed = array_in(w, start->rank == 3 ? "dbias" : "dp");
    const long d = width(w), f = dim_in(w, "w1", 0), streams = array_len(start) / d,
               steps = (p->origin + seed->dim[0] - 1) * p->substeps, k = steps * rk->stages, total = streams * k;
    const struct ball **room = need((size_t)((total + k) * (1 + 2 * d + 2 * f) + d) + 1, sizeof *room), *h = step_of(w);
    struct flown r = { .d = d,
        .f = f,
        .stages = rk->stages,
        .t = room,
        .x = room + total,
        .act = r.x + total * d,
        .kappa = r.act + total * f,
        .delta = r.kappa + total * d };
    const struct ball **at = r.delta + total * f, **now = at + k * d, **x = now + k;
    for (long m = 0; m < streams; m++) {
        const struct ball **lambda = all + m * d;
        for (long i = 0; i < d; i++)
            x[i] = b_element(w, start, m * d + i), lambda[i] = b_si(w, 0);
        ode_trace(w, rk, (struct ode_steps){ TIME, STAGE }, flow, h, steps, x, d, at, now);
        for (long step = steps; step >= 0; step--) {
            const long i = step / p->substeps - p->origin;
            for (long j = 0; j < d && step % p->substeps == 0 && i >= 0; j++)
                lambda[j] = b_step(w, STAGE, b_add(w, lambda[j], b_element(w, seed, (i * streams + m) * d + j)));
            r.at = at + (step - 1) * rk->stages * d, r.now = now + (step - 1) * rk->stages;
            if (step)
                ode_back(w, rk, (struct ode_steps){ TIME, STAGE }, pull, &r, h, lambda, d);
        }
    }
    const struct ball **y = all + streams * d;
    y = gathered(w, &r, r.delta, f, r.x, d, y), y = gathered(w, &r, r.delta, f, r.t, 1, y),
    y = gathered(w, &r, r.delta, f, NULL, 1, y);
    y = gathered(w, &r, r.kappa, d, r.act, f, y), y = gathered(w, &r, r.kappa, d, r.t, 1, y),
    y = gathered(w, &r, r.kappa, d, NULL, 1, y);
    free(room);
}
static void grad(struct ask *w, int of, const struct ball **y)
{
    long place[D_ALL + 1];
    places(w, place);
    if (question_part(w, make, place[D_ALL], place[of], y))
        return;
    const struct ball **all = need((size_t)place[D_ALL] + 1, sizeof *all);
    make(w, all);
    memcpy(y, all + place[of], (size_t)w->len * sizeof *y);
    free(all);
}
static void gradient(struct ask *w, const struct ball **y) { grad(w, w->of, y); }

static void dstart_linear(struct ask *w, const struct ball **y)
{
    const struct floater *p = w->params;
    const long d = w->len, n = dim_in(w, "dlinear", 0);
    const struct ball **m = need((size_t)((n + 2) * d * d) + 1, sizeof *m), **e = m + d * d, **terms = e + d * d;
    long used = 0, at = 0;
    for (long i = 0; i < n; i++) {
        const struct ball *t = b_mul(w, b_q(w, p->dt), b_si(w, p->origin + i));
        for (long k = 0; k < d * d; k++)
            m[k] = b_mul(w, b_in(w, "a", k / d, k % d, 0), t);
        b_expm(w, (const struct ball *const *)m, d, e);
        for (long k = 0; k < d * d; k++) /* by column, to be summed for each entry of start */
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
    .params = params, .size = sizeof(struct floater), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse, .sizes = "d=3 f=2 l=2",
    .q = { { VECTOR "-> p[n|d]", vector }, { BIAS "-> bias[n,s,l|d]", bias },
    { "start[d] a[d,d] -> linear[n|d]", linear },
           { VECTOR "dp[n,d] -> dstart[|d]", gradient, .of = D_START },
           { VECTOR "dp[n,d] -> dw1[|f,d]", gradient, .of = D_W1 },
           { VECTOR "dp[n,d] -> dt1[|f]", gradient, .of = D_T1 },
           { VECTOR "dp[n,d] -> db1[|f]", gradient, .of = D_B1 },
           { VECTOR "dp[n,d] -> dw2[|d,f]", gradient, .of = D_W2 },
           { VECTOR "dp[n,d] -> dt2[|d]", gradient, .of = D_T2 },
           { VECTOR "dp[n,d] -> db2[|d]", gradient, .of = D_B2 },
           { BIAS "dbias[n,s,l,d] -> dstart_bias[|s,l,d]", gradient, .of = D_START },
           { BIAS "dbias[n,s,l,d] -> dw1_bias[|f,d]", gradient, .of = D_W1 },
           { BIAS "dbias[n,s,l,d] -> dt1_bias[|f]", gradient, .of = D_T1 },
           { BIAS "dbias[n,s,l,d] -> db1_bias[|f]", gradient, .of = D_B1 },
           { BIAS "dbias[n,s,l,d] -> dw2_bias[|d,f]", gradient, .of = D_W2 },
           { BIAS "dbias[n,s,l,d] -> dt2_bias[|d]", gradient, .of = D_T2 },
           { BIAS "dbias[n,s,l,d] -> db2_bias[|d]", gradient, .of = D_B2 },
           { "start[d] a[d,d] dlinear[n,d] -> dstart_linear[|d]", dstart_linear } },
};
