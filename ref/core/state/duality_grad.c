/* Gradients of state-space duality, head by head; see duality_grad.h. */
#include "state/duality_grad.h"
#include <stdlib.h>
#include "state/duality.h"

long duality_places(const struct ask *w, long place[DUALITY_END])
{
    const struct state_rule r = duality_rule(w);
    const long heads = dim_in(w, "x", 0), values = heads * r.n * r.e, keys = dim_in(w, "B", 0) * r.n * r.d;
    const long size[DUALITY_END] = { values, heads * r.n, heads, keys, keys, heads, heads, values, heads * r.d * r.e };
    long end = 0;
    for (int k = 0; k < DUALITY_END; k++)
        place[k] = end, end += size[k];
    return end;
}

static const struct ball *slope(struct ask *w, struct source at, const struct ball *x, const struct ball *y)
{
    return b_step(w, SLOPE, site_two(w, at, SITE_MUL, b_mul, x, y));
}
/* The slope of duality_clamped(x) by x, which is 1 at the limits themselves, as in torch.clamp. */
static const struct ball *clamp_slope(struct ask *w, const struct ball *x)
{
    const struct duality *p = duality_own(w);
    const struct ball *y = b_si(w, 1);
    const bool positive = p->dt_softplus == IS_ON && p->clamp == CLAMP_AFTER; /* A softplus is above 0. */
    if (b_true(w, mpq_sgn(p->dt_min) || !positive))
        y = b_heaviside(w, b_sub(w, x, b_held(w, LIMIT, b_q(w, p->dt_min))), y);
    if (b_true(w, mpq_sgn(p->dt_max) != 0))
        y = b_mul(w, y, b_heaviside(w, b_sub(w, b_held(w, LIMIT, b_q(w, p->dt_max)), x), b_si(w, 1)));
    return y;
}
/* The slope of dt_t by dt + dt_bias. */
static const struct ball *step_slope(struct ask *w, long h, long t)
{
    const struct ball *x = duality_shifted(w, h, t);
    const bool before = duality_own(w)->clamp == CLAMP_BEFORE;
    const struct ball *kink = clamp_slope(w, b_true(w, before) ? x : duality_soft(w, x));
    if (b_true(w, duality_own(w)->dt_softplus == IS_OFF))
        return kink;
    /* mutant: condition 8e03: where the clamp changes x, its slope is 0. */
    return b_mul(w, kink, token_sigmoid(w, SOFT, b_true(w, before) ? duality_clamped(w, x) : x));
}

/* Gradients of one head: what the recurrence answers, [n][d] by C and B, [n][e] by dt x, [n] by the logarithm of the
 * decay; and y before its gate, [n][e]. */
struct duality_head { const struct ball **C, **B, **v, **log, **state, **o; };
/* The gradients of token t of head h by x, dt, z, and the terms of those by A and D. */
struct duality_grads { const struct ball **x, **dt, **z, **A, **D; };
static void of_token(struct ask *w, const struct state_rule *r, const struct duality_head *m, long h, long t,
    const struct duality_grads *to)
{
    const struct ball *dt = duality_step(w, h, t), **above = need(2 * (size_t)r->e + 1, sizeof *above),
                      /* mutant: term 33a2: what is above is read for the last time before a term is there. */
                      **terms = above + r->e;
    duality_up(w, h, t, above);
    for (long c = 0; c < r->e; c++) {
        const struct ball *x = b_in(w, "x", h, t, c), *dv = m->v[t * r->e + c], *y = slope(w, HERE, dt, dv);
        if (has_in(w, "D"))
            y = b_step(w, SLOPE, b_add(w, y, slope(w, HERE, b_in(w, "D", h, 0, 0), above[c])));
        to->x[t * r->e + c] = y;
        to->D[t * r->e + c] = slope(w, HERE, above[c], x), terms[c] = slope(w, HERE, dv, x);
        if (has_in(w, "z"))
            to->z[t * r->e + c] = slope(w, HERE, b_in(w, "dy", h, t, c),
                slope(w, HERE, duality_joined(w, m->o[t * r->e + c], h, t, c), duality_gate_slope(w, h, t, c)));
    }
    terms[r->e] = slope(w, HERE, duality_rate(w, h), m->log[t]);
    to->dt[t] = slope(w, HERE, site_gathered(w, HERE, GATHER, terms, r->e + 1), step_slope(w, h, t));
    to->A[t] = slope(w, HERE, m->log[t], b_true(w, duality_own(w)->a_log == IS_ON) ? duality_log(w, h, t) : dt);
    free(above);
}
/* Gradients to[groups][n][d] by B or C: those of a group are sums over its heads, of from[heads][n][d]. */
static void of_group(struct ask *w, const struct state_rule *r, const struct ball *const *from, const struct ball **to)
{
    const long heads = dim_in(w, "x", 0), line = r->n * r->d;
    const struct ball **terms = need((size_t)heads + 1, sizeof *terms);
    for (long k = 0; k < dim_in(w, "B", 0) * line; k++) {
        long used = 0;
        for (long h = 0; h < heads; h++)
            if (duality_group(w, h) == k / line)
                terms[used++] = from[h * line + k % line];
        to[k] = site_gathered(w, HERE, GATHER, terms, used);
    }
    free(terms);
}
void duality_gradients(struct ask *w, const struct ball **all)
{
    const struct state_rule r = duality_rule(w);
    const long heads = dim_in(w, "x", 0), n = r.n, ne = n * r.e, nd = n * r.d, de = r.d * r.e;
    long place[DUALITY_END];
    duality_places(w, place);
    const struct ball **C = need((size_t)(2 * heads * nd + 4 * ne + 2 * n) + 1, sizeof *C), **B = C + heads * nd,
                      **v = B + heads * nd, **o = v + ne, **z = o + ne, **D = z + ne, **log = D + ne, **A = log + n;
    for (long h = 0; h < heads; h++) {
        const struct duality_head m = { C + h * nd, B + h * nd, v, log, all + place[DUALITY_DSTATE] + h * de, o };
        const struct duality_grads to = { all + h * ne /* dx comes first. */, all + place[DUALITY_DDT] + h * n,
            has_in(w, "z") ? all + place[DUALITY_DZ] + h * ne : z, A, D };
        state_backward(w, &r, h, &(struct state_grads){ m.C, m.B, v, NULL, log, m.state });
        if (has_in(w, "z"))
            state_forward(w, &r, h, o, NULL);
        for (long t = 0; t < n; t++)
            of_token(w, &r, &m, h, t, &to);
        all[place[DUALITY_DA] + h] = site_gathered(w, HERE, GATHER, A, n);
        all[place[DUALITY_DD] + h] = site_gathered(w, HERE, GATHER, D, ne);
        all[place[DUALITY_DDT_BIAS] + h] = site_gathered(w, HERE, GATHER, to.dt, n);
    }
    for (long k = 0; k < heads * ne && !has_in(w, "z"); k++)
        all[place[DUALITY_DZ] + k] = b_si(w, 0);
    of_group(w, &r, B, all + place[DUALITY_DB]), of_group(w, &r, C, all + place[DUALITY_DC]);
    free(C);
}
