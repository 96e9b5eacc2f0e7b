#include <stdlib.h>
#include "ode.h"

const struct tableau rk_38 = { 4, 24, { 0, 8, 16, 24 }, { { 0 }, { 8 }, { -8, 24 }, { 24, -24, 24 } }, { 3, 9, 9, 3 } }; /* Kutta 1901, 3/8 rule */
const struct tableau rk_classic = { 4, 6, { 0, 3, 3, 6 }, { { 0 }, { 3 }, { 0, 3 }, { 0, 0, 6 } }, { 1, 2, 2, 1 } };    /* Kutta 1901 */
const struct tableau rk_midpoint = { 2, 2, { 0, 1 }, { { 0 }, { 1 } }, { 0, 2 } };
const struct tableau rk_euler = { 1, 1, { 0 }, { { 0 } }, { 1 } };

/* to = x + h sum_j (weights_j / over) k_j */
static void combine(struct ask *w, const struct ball *h, const struct tableau *rk, int stage, const long *weights, const struct ball *const *x, const struct ball *const *k, long d, const struct ball **to)
{
    const struct ball *terms[STAGES], *at[STAGES];
    for (int j = 0; j < rk->stages; j++)
        at[j] = weights[j] ? b_step(w, stage, b_ratio(w, weights[j], rk->over)) : NULL;
    for (long i = 0; i < d; i++) {
        long n = 0;
        for (int j = 0; j < rk->stages; j++)
            if (at[j])
                terms[n++] = b_step(w, stage, b_mul(w, at[j], k[j * d + i]));
        to[i] = b_step(w, stage, b_add(w, x[i], b_step(w, stage, b_mul(w, h, b_sum(w, stage, terms, n)))));
    }
}

static void keep(struct ask *w, size_t mark, const struct ball **x, long d) /* of all balls since mark, x[d] */
{
    const size_t used = w->used;
    for (long i = 0; i < d; i++) {
        w->used = used;
        x[i] = ask_keep(w, mark + (size_t)i, x[i]);
    }
}

void ode_solve(struct ask *w, const struct tableau *rk, struct ode_steps r, void (*f)(struct ask *w, const struct ball *t, const struct ball *const *x, const struct ball **y),
               const struct ball *h, long steps, const struct ball **x, long d)
{
    const struct ball **k = need((size_t)(d * (STAGES + 1)) + 1, sizeof *k), **at = k + d * STAGES; /* k[stage][d], at[d] */
    const size_t mark = w->used;
    for (long step = 0; step < steps; step++) {
        const struct ball *now = b_step(w, r.time, b_mul(w, b_si(w, step), h));
        for (int s = 0; s < rk->stages; s++) {
            const struct ball *part = b_step(w, r.time, b_mul(w, b_step(w, r.time, b_ratio(w, rk->c[s], rk->over)), h));
            if (s)
                combine(w, h, rk, r.stage, rk->a[s], x, k, d, at);
            f(w, b_step(w, r.time, b_add(w, now, part)), s ? at : x, k + s * d);
        }
        combine(w, h, rk, r.stage, rk->b, x, k, d, x);
        keep(w, mark, x, d);
    }
    free(k);
}
