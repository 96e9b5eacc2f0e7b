/* Butcher tableaus and the solver that they make, step by step, as balls; see ode.h. */
#include <stdlib.h>
#include <string.h>
#include "flow/ode.h"
#include "edit/site.h"

/* The 3/8 rule of Kutta 1901. */
const struct tableau rk_38 = { 4, 24, { 0, 8, 16, 24 }, { { 0 }, { 8 }, { -8, 24 }, { 24, -24, 24 } }, { 3, 9, 9, 3 } };
/* The classic method of Kutta 1901. */
const struct tableau rk_classic = { 4, 6, { 0, 3, 3, 6 }, { { 0 }, { 3 }, { 0, 3 }, { 0, 0, 6 } }, { 1, 2, 2, 1 } };
const struct tableau rk_midpoint = { 2, 2, { 0, 1 }, { { 0 }, { 1 } }, { 0, 2 } };
const struct tableau rk_euler = { 1, 1, { 0 }, { { 0 } }, { 1 } };

/* Fills to[d] with x + h sum_j (weights_j / over) k_j over the stages j; to may be x. */
static void combine(struct ask *w, const struct ode *o, const long *weights, const struct ball *const *x,
    const struct ball *const *k, const struct ball **to)
{
    const struct ball *terms[STAGES], *at[STAGES];
    for (int j = 0; j < o->rk->stages; j++)
        at[j] = weights[j] ? b_step(w, o->stage, b_ratio(w, weights[j], o->rk->over)) : NULL;
    for (long i = 0; i < o->d; i++) {
        long n = 0;
        for (int j = 0; j < o->rk->stages; j++)
            if (at[j])
                terms[n++] = b_step(w, o->stage, b_mul(w, at[j], k[j * o->d + i]));
        to[i] = b_step(w, o->stage, b_add(w, x[i], b_step(w, o->stage, b_mul(w, o->h, b_sum(w, o->stage, terms, n)))));
    }
}

void ode_trace(struct ask *w, const struct ode *o, long steps, const struct ball **x, const struct ball **given,
    const struct ball **then)
{
    const struct tableau *rk = o->rk;
    const long d = o->d;
    /* k[stage][d], at[d]; of a step stay kept[d + stages (d + 1)]: x, then what is given, x and t of its stages. */
    const struct ball **k = need((size_t)(d * (STAGES + 1)) + 1, sizeof *k), **at = k + d * STAGES,
                      **kept = need((size_t)(d + rk->stages * (d + 1)) + 1, sizeof *kept);
    size_t mark = w->used;
    for (long step = 0; step < steps; step++) {
        long all = d;
        const struct ball *now = b_step(w, o->time, b_mul(w, b_si(w, step), o->h));
        for (int s = 0; s < rk->stages; s++) {
            const struct ball *share = b_step(w, o->time, b_ratio(w, rk->c[s], rk->over)),
                              *part = b_step(w, o->time, b_mul(w, share, o->h)),
                              *t = b_step(w, o->time, b_add(w, now, part));
            if (s)
                combine(w, o, rk->a[s], x, k, at);
            o->f(w, t, s ? at : x, k + s * d);
            for (long i = 0; i < d && given; i++)
                kept[all++] = given[(step * rk->stages + s) * d + i] = s ? at[i] : x[i];
            if (given)
                kept[all++] = then[step * rk->stages + s] = t;
        }
        combine(w, o, rk->b, x, k, x);
        memcpy(kept, x, (size_t)d * sizeof *x);
        ask_keep_all(w, mark, kept, all);
        mark = given ? w->used : mark;
    }
    free(k), free(kept);
}
void ode_solve(struct ask *w, const struct ode *o, long steps, const struct ball **x)
{
    ode_trace(w, o, steps, x, NULL, NULL);
}

void ode_back(struct ask *w, const struct ode *o, ode_pull *pull, void *with, const struct ball **lambda)
{
    const struct tableau *rk = o->rk;
    const long d = o->d;
    /* mu[stage][d], kappa[d] */
    const struct ball **mu = need((size_t)(d * (STAGES + 1)) + 1, sizeof *mu), **kappa = mu + d * STAGES,
                      *terms[STAGES + 1];
    for (int s = rk->stages - 1; s >= 0; s--) {
        for (long i = 0; i < d; i++) {
            long n = 0;
            if (rk->b[s])
                terms[n++] =
                    b_step(w, o->stage, b_mul(w, b_step(w, o->stage, b_ratio(w, rk->b[s], rk->over)), lambda[i]));
            for (int j = s + 1; j < rk->stages; j++)
                if (rk->a[j][s])
                    terms[n++] = b_step(
                        w, o->stage, b_mul(w, b_step(w, o->stage, b_ratio(w, rk->a[j][s], rk->over)), mu[j * d + i]));
            kappa[i] = b_step(w, o->stage, b_mul(w, o->h, b_sum(w, o->stage, terms, n)));
        }
        pull(w, with, s, kappa, mu + s * d);
    }
    for (long i = 0; i < d; i++) {
        terms[0] = lambda[i];
        for (int s = 0; s < rk->stages; s++)
            terms[s + 1] = mu[s * d + i];
        lambda[i] = b_sum(w, o->stage, terms, rk->stages + 1);
    }
    free(mu);
}
