/* Gradients of positions by a dynamical system, over all stages of all steps of all streams; see flow.h. */
#include <stdlib.h>
#include "flow/flow.h"
#include "ball/input.h"
#include "row/question.h"
#include "state/stretch.h"
#include "edit/site.h"

/* Of every stage of every step of every stream, the last first, a record of `width` balls: t, x[d], act[f], and the
 * gradients kappa[d] of h's output and delta[f] of what act is given.  at and now: what was given at the stages of the
 * step at hand, and when. */
struct flown { long n, d, f, width; const struct ball **t, **x, **act, **kappa, **delta, **at, **now; };
static void pull(struct ask *w, void *with, int stage, const struct ball *const *kappa, const struct ball **mu)
{
    struct flown *r = with;
    const long d = r->d, f = r->f, most = d > f ? d : f;
    const long record = r->n * r->width;
    const struct ball **x = r->x + record, **act = r->act + record, **delta = r->delta + record,
                      **terms = need((size_t)most + 1, sizeof *terms);
    if (b_true(w, ((const struct floater *)w->params)->activation == ZERO)) {
        for (long i = 0; i < d; i++)
            mu[i] = b_si(w, 0);
        free(terms);
        return;
    }
    memcpy(x, r->at + stage * d, (size_t)d * sizeof *x), memcpy(r->kappa + record, kappa, (size_t)d * sizeof *x);
    r->t[record] = r->now[stage];
    flow_affine(w, flow_first, r->t[record], x, act);
    for (long i = 0; i < f; i++) {
        const struct ball *at = act[i];
        act[i] = flow_active(w, at);
        for (long j = 0; j < d; j++)
            terms[j] = b_step(w, PRODUCT, b_mul(w, b_in(w, "w2", j, i, 0), kappa[j]));
        delta[i] = b_step(w, PRODUCT, b_mul(w, b_sum(w, SUM, terms, d), flow_slope(w, at, act[i])));
    }
    for (long j = 0; j < d; j++) {
        for (long i = 0; i < f; i++)
            terms[i] = b_step(w, PRODUCT, b_mul(w, b_in(w, "w1", i, j, 0), delta[i]));
        mu[j] = b_sum(w, SUM, terms, f);
    }
    r->n++;
    free(terms);
}
/* Fills y[rows][cols] with the sum over the n records of left[rows] right[cols], right NULL standing for 1; answers the
 * place behind y. */
static const struct ball **gathered(struct ask *w, const struct flown *r, const struct ball *const *left, long rows,
    const struct ball *const *right, long cols, const struct ball **y)
{
    const struct ball **terms = need((size_t)r->n + 1, sizeof *terms);
    for (long k = 0; k < rows * cols; k++) {
        const size_t mark = w->used;
        for (long n = 0; n < r->n; n++) {
            const struct ball *one = left[n * r->width + k / cols];
            terms[n] = right ? b_step(w, PRODUCT, b_mul(w, one, right[n * r->width + k % cols])) : one;
        }
        const bool last = w->arith->fault == FAULT_OVERWRITTEN && r->n;
        y[k] = ask_keep(w, mark, last ? terms[r->n - 1] : b_sum(w, SUM, terms, r->n));
    }
    free(terms);
    return y + rows * cols;
}
/* Where each gradient stands, from the first position on, behind one another. */
static void places(const struct ask *w, long place[D_ALL + 1])
{
    const long d = dim_in(w, "w2", 0), f = dim_in(w, "w1", 0),
               size[] = { array_len(array_in(w, "start")), f * d, f, f, d * f, d, d };
    stretch_places(size, D_ALL, place);
}
/* Goes a step back: of its balls the records of its stages stay, and lambda[d].  kept: room for these. */
static void step_back(
    struct ask *w, const struct ode *o, struct flown *r, const struct ball **lambda, const struct ball **kept)
{
    const size_t mark = w->used;
    const long record = r->n * r->width;
    ode_back(w, o, pull, r, lambda);
    const long n = r->n * r->width - record;
    memcpy(kept, lambda, (size_t)r->d * sizeof *kept), memcpy(kept + r->d, r->t + record, (size_t)n * sizeof *kept);
    ask_keep_all(w, mark, kept, r->d + n);
}
static void make(struct ask *w, const struct ball **all)
{
    const struct floater *p = w->params;
    const struct ode o = flow_ode(w);
    const struct mer_array *start = array_in(w, "start"), *seed = array_in(w, start->rank == 3 ? "dbias" : "dp");
    const long d = o.d, f = dim_in(w, "w1", 0), streams = array_len(start) / d,
               steps = (p->origin + seed->dim[0] - 1) * p->substeps, k = steps * o.rk->stages, total = streams * k;
    const long width = 1 + 2 * d + 2 * f;
    const struct ball **room =
        need((size_t)((total + o.rk->stages) * width + k * (d + 1) + 2 * d) + 1, sizeof *room);
    struct flown r = { .d = d,
        .f = f,
        .width = width,
        .t = room,
        .x = room + 1,
        .act = r.x + d,
        .kappa = r.act + f,
        .delta = r.kappa + d };
    const struct ball **at = room + total * width, **now = at + k * d, **x = now + k, **kept = x + d;
    for (long m = 0; m < streams; m++) {
        const struct ball **lambda = all + m * d;
        for (long i = 0; i < d; i++)
            x[i] = b_element(w, start, m * d + i), lambda[i] = b_si(w, 0);
        ode_trace(w, &o, steps, x, at, now);
        for (long step = steps; step >= 0; step--) {
            const long i = step / p->substeps - p->origin;
            for (long j = 0; j < d && step % p->substeps == 0 && i >= 0; j++)
                lambda[j] = b_step(w, STAGE, b_add(w, lambda[j], b_element(w, seed, (i * streams + m) * d + j)));
            r.at = at + (step - 1) * o.rk->stages * d, r.now = now + (step - 1) * o.rk->stages;
            if (step)
                step_back(w, &o, &r, lambda, kept);
        }
    }
    const struct ball **y = all + streams * d;
    y = gathered(w, &r, r.delta, f, r.x, d, y), y = gathered(w, &r, r.delta, f, r.t, 1, y),
    y = gathered(w, &r, r.delta, f, NULL, 1, y);
    y = gathered(w, &r, r.kappa, d, r.act, f, y), y = gathered(w, &r, r.kappa, d, r.t, 1, y),
    y = gathered(w, &r, r.kappa, d, NULL, 1, y);
    free(room);
}
void flow_grad(struct ask *w, const struct ball **y)
{
    long place[D_ALL + 1];
    places(w, place);
    question_line(w, make, place[D_ALL], place[w->of], y);
}
