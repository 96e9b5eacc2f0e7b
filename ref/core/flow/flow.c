/* The flow h(t, p) forward; see flow.h. */
#include <stdlib.h>
#include "flow/flow.h"
#include "ball/input.h"
#include "edit/branches.h"

const struct affine flow_first = { "w1", "t1", "b1" }, flow_second = { "w2", "t2", "b2" };

void flow_affine(struct ask *w, struct affine a, const struct ball *t, const struct ball *const *x,
    const struct ball **y)
{
    const struct mer_array *m = array_in(w, a.weight);
    const long rows = m->dim[0], cols = m->dim[1];
    const struct ball **terms = need((size_t)cols + 2, sizeof *terms);
    for (long i = 0; i < rows; i++) {
        for (long j = 0; j < cols; j++)
            terms[j] = b_step(w, PRODUCT, b_mul(w, b_in(w, a.weight, i, j, 0), x[j]));
        terms[cols] = b_step(w, PRODUCT, b_mul(w, b_in(w, a.slope, i, 0, 0), t));
        terms[cols + 1] = b_in(w, a.shift, i, 0, 0);
        y[i] = b_sum(w, SUM, terms, cols + 2);
    }
    free(terms);
}

const struct ball *flow_slope(struct ask *w, const struct ball *at, const struct ball *active)
{
    const int activation = ((const struct floater *)w->params)->activation;
    if (b_true(w, activation == TANH))
        return b_step(w, ACT, b_sub(w, b_si(w, 1), b_step(w, ACT, b_mul(w, active, active))));
    return b_true(w, activation == IDENTITY) ? b_si(w, 1) : heaviside_in_form(w, at, b_si(w, 0));
}
const struct ball *flow_active(struct ask *w, const struct ball *x)
{
    const int activation = ((const struct floater *)w->params)->activation;
    if (b_true(w, activation == RELU))
        return b_relu(w, x);
    return b_true(w, activation == TANH) ? b_step(w, ACT, b_tanh(w, x)) : x;
}
/* Fills y[d] with h(t, x). */
static void flow(struct ask *w, const struct ball *t, const struct ball *const *x, const struct ball **y)
{
    const int activation = ((const struct floater *)w->params)->activation;
    const long f = array_in(w, "w1")->dim[0], d = array_in(w, "w2")->dim[0];
    if (b_true(w, activation == ZERO)) {
        for (long i = 0; i < d; i++)
            y[i] = b_si(w, 0);
        return;
    }
    const struct ball **hidden = need((size_t)f + 1, sizeof *hidden);
    flow_affine(w, flow_first, t, x, hidden);
    for (long i = 0; i < f; i++)
        hidden[i] = flow_active(w, hidden[i]);
    flow_affine(w, flow_second, t, hidden, y);
    free(hidden);
}

struct ode flow_ode(struct ask *w)
{
    static const struct tableau *const solvers[] = { &rk_38, &rk_classic, &rk_midpoint, &rk_euler };
    const struct floater *p = w->params;
    const struct ball *h = b_step(w, TIME, b_div(w, b_given(w, TIME, b_q(w, p->dt)), b_si(w, p->substeps)));
    return (struct ode){ solvers[p->solver], TIME, STAGE, flow, h, dim_in(w, "w2", 0) };
}
