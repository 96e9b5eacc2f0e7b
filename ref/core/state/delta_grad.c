/* Gradients of a recurrence with the delta rule and gates, head by head; see delta.h. */
#include <stdlib.h>
#include "state/delta.h"

/* Where each gradient begins, behind one another. */
static void places(const struct ask *w, long place[D_ALL + 1])
{
    const struct state_rule r = delta_rule(w);
    const long heads = dim_in(w, "v", 0), keys = dim_in(w, "k", 0) * r.n * r.d, wide = r.channels ? r.d : 1,
               size[] = { keys, keys, heads * r.n * r.e, heads * r.n, heads * r.n * wide, heads, heads * wide,
                   heads * r.d * r.e };
    place[0] = 0;
    for (int k = 0; k < D_ALL; k++)
        place[k + 1] = place[k] + size[k];
}

/* Gradients by q and k of key head g: those of its value heads, [heads][n][d] each, added up, and through the norm.
 * of_q: they are times scale, too. */
static void of_rows(struct ask *w, const struct state_rule *r, const char *name, long g, const struct ball *const *up,
    const struct ball **y)
{
    const long heads = dim_in(w, "v", 0);
    const bool query = *name == 'q';
    const struct ball *scale = token_scale(w, SLOPE, ((const struct delta *)w->params)->scale, r->d);
    const struct ball **t = need((size_t)(heads + r->d) + 1, sizeof *t), **sum = t + heads;
    for (long at = 0; at < r->n; at++) {
        for (long i = 0; i < r->d; i++) {
            long used = 0;
            for (long h = 0; h < heads; h++)
                if (delta_head(w, h) == g)
                    t[used++] = up[(h * r->n + at) * r->d + i];
            sum[i] = site_gathered(w, HERE, GATHER, t, used);
            sum[i] = b_true(w, query) ? b_scaled(w, SLOPE, sum[i], scale) : sum[i];
        }
        token_unit_back(w, name, g, at, delta_norm(w), sum, y + at * r->d);
    }
    free(t);
}

/* From the gradients by the strength, those by beta: beta_max s (1 - s) times them under strength=sigmoid. */
static void of_strengths(struct ask *w, long h, long n, const struct ball **y)
{
    const struct delta *p = w->params;
    const bool bent = b_true(w, p->strength == STRENGTH_SIGMOID);
    for (long t = 0; t < n && bent; t++) {
        const struct ball *s = delta_share(w, h, t), *rest = b_step(w, SLOPE, b_sub(w, b_si(w, 1), s));
        y[t] = b_scaled(w, SLOPE, b_step(w, SLOPE, b_mul(w, y[t], b_step(w, SLOPE, b_mul(w, s, rest)))),
            b_given(w, SLOPE, b_q(w, p->most)));
    }
}

/* The slope of log a by a + dt_bias, and log a differentiated by A_log. */
struct delta_slopes { const struct ball *by_x, *by_log; };
static struct delta_slopes slopes_of(struct ask *w, long h, long t, long i)
{
    const struct delta *p = w->params;
    const struct ball *rate = delta_rate(w, h), *x = delta_shifted(w, h, t, i);
    if (b_true(w, p->gate == GATE_SOFTPLUS))
        return (struct delta_slopes){ b_step(w, SLOPE, b_neg(w, b_mul(w, rate, token_sigmoid(w, SOFTPLUS, x)))),
            delta_log(w, h, t, i) };
    const struct ball *z = b_step(w, SHIFT, b_mul(w, rate, x)), *s = token_sigmoid(w, SOFTPLUS, z),
                      *bend = b_step(w, SLOPE, b_mul(w, s, b_step(w, SLOPE, b_sub(w, b_si(w, 1), s))));
    bend = b_step(w, SLOPE, b_mul(w, b_given(w, SLOPE, b_q(w, p->lower)), bend));
    return (struct delta_slopes){ b_step(w, SLOPE, b_mul(w, bend, rate)), b_step(w, SLOPE, b_mul(w, bend, z)) };
}
/* From the gradients y[n][wide] by log a, those by a, by A_log [1] and by dt_bias [wide]. */
static void of_gates(struct ask *w, const struct state_rule *r, long h, const struct ball **y, const struct ball **log,
    const struct ball **bias)
{
    const long wide = r->channels ? r->d : 1;
    const struct ball **t = need((size_t)(r->n * wide) + 1, sizeof *t), **u = need((size_t)r->n + 1, sizeof *u);
    const bool made = ((const struct delta *)w->params)->gate != GATE_LOG;
    for (long k = 0; k < r->n * wide && made; k++) {
        const struct delta_slopes s = slopes_of(w, h, k / wide, k % wide);
        t[k] = b_step(w, SLOPE, b_mul(w, y[k], s.by_log));
        y[k] = b_step(w, SLOPE, b_mul(w, y[k], s.by_x));
    }
    *log = made ? site_gathered(w, HERE, GATHER, t, r->n * wide) : b_si(w, 0);
    for (long i = 0; i < wide; i++) {
        for (long at = 0; at < r->n; at++)
            u[at] = y[at * wide + i];
        bias[i] = made ? site_gathered(w, HERE, GATHER, u, r->n) : b_si(w, 0);
    }
    free(t), free(u);
}

static void make(struct ask *w, const struct ball **all)
{
    const struct state_rule r = delta_rule(w);
    const long heads = dim_in(w, "v", 0), nd = r.n * r.d, wide = r.channels ? r.d : 1;
    long place[D_ALL + 1];
    places(w, place);
    const struct ball **q = need((size_t)(2 * heads * nd) + 1, sizeof *q), **k = q + heads * nd;
    for (long h = 0; h < heads; h++) {
        const struct ball **beta = all + place[D_BETA] + h * r.n, **a = all + place[D_A] + h * r.n * wide;
        state_backward(w, &r, h, &(struct state_grads){ q + h * nd, k + h * nd, all + place[D_V] + h * r.n * r.e, beta,
            a, all + place[D_STATE] + h * r.d * r.e });
        of_strengths(w, h, r.delta ? r.n : 0, beta);
        if (r.gated)
            of_gates(w, &r, h, a, all + place[D_A_LOG] + h, all + place[D_DT_BIAS] + h * wide);
        else
            for (long i = 0; i < wide; i++)
                all[place[D_A_LOG] + h] = all[place[D_DT_BIAS] + h * wide + i] = b_si(w, 0);
    }
    for (long g = 0; g < dim_in(w, "k", 0); g++) {
        of_rows(w, &r, "q", g, q, all + place[D_Q] + g * nd);
        of_rows(w, &r, "k", g, k, all + place[D_K] + g * nd);
    }
    free(q);
}
void delta_grad(struct ask *w, const struct ball **y)
{
    long place[D_ALL + 1], from = 0;
    places(w, place);
    /* The line's place among the gradient's, by the indices before the bar: those of v's heads or k's, and tokens. */
    const struct state_rule r = delta_rule(w);
    if (w->of == D_Q || w->of == D_K || w->of == D_V || (w->of == D_A && r.channels))
        from = (w->at[0] * r.n + w->at[1]) * w->len;
    else if (w->of == D_STATE)
        from = (w->at[0] * r.d + w->at[1]) * w->len;
    else
        from = w->at[0] * w->len;
    from += place[w->of];
    delta_part(w, make, place[D_ALL], from, y);
}
