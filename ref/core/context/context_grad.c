/* Gradients of attention with contextual positions.  With up = d<do, o> / d bias, f the bias as a function of p:
 *   dz_it = sum_j up_ij max(0, 1 - |p_ij - t|)       dp_ij = up_ij (z_c - z_f)     f and c: p's floor and ceiling
 *   dx_il = g_il (1 - g_il) sum of dp_ij over j <= l, where gate l counts
 *   dq_i  = attention's + sum_t dz_it e_t + s sum_l dx_il k_l     de_t = sum dz_it q_i     dk_l = .. + s sum dx_il q_i
 * At a whole p, floor and ceiling are one, and the slope is 0; so it is where p was cut at P - 1. */
#include <stdlib.h>
#include "context/context.h"
#include "context/gate.h"
#include "row/shared_head.h"
#include "row/question.h"

static const struct cope *own(const struct ask *w) { return w->params; }
static const struct ball *slope(struct ask *w, struct source at, const struct ball *a, const struct ball *b)
{
    return b_step(w, COPE_SLOPE, site_two(w, at, SITE_MUL, b_mul, a, b));
}
/* z_c - z_f; where p's ball holds a whole position, all that it may be. */
static const struct ball *rise(struct ask *w, const struct ball *p, const struct ball *const *z, long P)
{
    const struct cope_span s = cope_near(p, P);
    const struct ball *low = NULL, *high = NULL, *none = b_si(w, 0);
    for (long t = s.from; t <= s.to; t++) {
        const int left = b_cmp(p, b_si(w, t)), right = b_cmp(p, b_si(w, t + 1));
        if (left == 0)
            return none;
        if (left < 0 || right == 1 || right == 0)
            continue;
        const bool open = left == 2 || right == 2;
        const struct ball *x = t + 1 < P ? b_step(w, COPE_SLOPE, b_sub(w, z[t + 1], z[t])) : none;
        low = low ? b_min(w, low, x) : open ? b_min(w, x, none) : x;
        high = high ? b_max(w, high, x) : open ? b_max(w, x, none) : x;
        w->undecided |= open && w->arith->how != WIDEN;
    }
    if (!low || low == high)
        return low ? low : none;
    const struct ball *half = b_ratio(w, 1, 2), *far = b_mul(w, half, b_sub(w, high, low));
    return b_widen(w, b_mul(w, half, b_add(w, low, high)), b_top(far)); /* The middle keeps the radii of both ends. */
}
/* Of one query of one head: dz[P], dx[m]; t[m]: room. */
struct query { long h, i; const struct ball **dz, **dx, **p, **z, **up, **t; };
static void through_position(struct ask *w, const struct query *q, const struct cope_of *x)
{
    const struct ball *zero = b_si(w, 0);
    for (long t = 0; t < x->P; t++) {
        long used = 0;
        for (long j = 0; j < x->m; j++) {
            const struct ball *share = cope_share(w, q->p[j], t);
            if (!b_same(share, zero))
                q->t[used++] = slope(w, HERE, q->up[j], share);
        }
        q->dz[t] = b_sum(w, COPE_GATHER, q->t, used);
    }
    for (long l = 0; l < x->m; l++) {
        q->t[l] = slope(w, HERE, q->up[l], rise(w, q->p[l], q->z, x->P));
        if (!cope_counts(w, q->i, l)) {
            q->dx[l] = zero;
            continue;
        }
        q->dx[l] = slope(w, HERE, b_sum(w, COPE_GATHER, q->t, l + 1),
            gate_slope(w, COPE_GATE, COPE_SLOPE, cope_logit(w, q->h, q->i, l)));
        if (b_true(w, own(w)->gates == GATES_SCALED))
            q->dx[l] = slope(w, HERE, cope_scale(w, COPE_LOGIT), q->dx[l]);
    }
}
static void one_query(struct ask *w, struct query *q, const struct cope_of *x, const struct ball **b)
{
    cope_positions(w, q->h, q->i, q->p), cope_products(w, q->h, q->i, q->z);
    cope_attend(w, "dbias", b, (long[MER_RANK]){ q->h, q->i }, x->m, q->up);
    const bool before = b_true(w, own(w)->add == ADD_BEFORE);
    for (long j = 0; j < x->m && before; j++)
        q->up[j] = b_step(w, COPE_FACTOR, b_mul(w, cope_scale(w, COPE_FACTOR), q->up[j]));
    through_position(w, q, x);
}

/* all: dq[heads][n][d], dk[groups][m][d], demb[P][d], dkg[groups][m][d] without the way through the scores. */
struct context_grads { struct cope_of x; const struct ball **dz, **dx, **t; };
static long keys_at(const struct cope_of *x) { return x->heads * x->n * x->d; }
static long emb_at(const struct cope_of *x) { return keys_at(x) + x->groups * x->m * x->d; }
static long gates_at(const struct cope_of *x) { return emb_at(x) + x->P * x->d; }
static void by_query(struct ask *w, const struct context_grads *r, const struct ball **b, const struct ball **all)
{
    const struct cope_of *x = &r->x;
    const char *key = has_in(w, "kg") ? "kg" : "k";
    for (long k = 0; k < x->heads * x->n; k++) {
        const long h = k / x->n, i = k % x->n, g = shared_head(w, false, h, x->heads, x->groups);
        cope_attend(w, "dq", b, (long[MER_RANK]){ h, i }, x->d, all + k * x->d);
        for (long c = 0; c < x->d; c++) {
            long used = 0;
            r->t[used++] = all[k * x->d + c];
            for (long t = 0; t < x->P; t++)
                r->t[used++] = slope(w, HERE, r->dz[k * x->P + t], b_in(w, "emb", t, c, 0));
            for (long l = 0; l < x->m; l++)
                r->t[used++] = slope(w, HERE, r->dx[k * x->m + l], b_in(w, key, g, l, c));
            all[k * x->d + c] = b_sum(w, COPE_GATHER, r->t, used);
        }
    }
}
static void by_keys(struct ask *w, const struct context_grads *r, const struct ball **b, const struct ball **all)
{
    const struct cope_of *x = &r->x;
    const long of = x->heads / x->groups, apart = gates_at(x) - keys_at(x);
    const bool gates = has_in(w, "kg");
    for (long k = 0; k < x->groups * x->m; k++) {
        const struct ball **dk = all + keys_at(x) + k * x->d;
        cope_attend(w, "dk", b, (long[MER_RANK]){ k / x->m, k % x->m }, x->d, dk);
        for (long c = 0; c < x->d; c++) {
            long used = 0;
            for (long h = k / x->m * of; h < (k / x->m + 1) * of; h++)
                for (long i = 0; i < x->n; i++)
                    r->t[used++] = slope(w, HERE, r->dx[(h * x->n + i) * x->m + k % x->m], b_in(w, "q", h, i, c));
            dk[apart + c] = site_gathered(w, HERE, COPE_GATHER, r->t, used);
            r->t[used++] = dk[c];
            dk[c] = gates ? dk[c] : b_sum(w, COPE_GATHER, r->t, used);
        }
    }
}
static void by_embeddings(struct ask *w, const struct context_grads *r, const struct ball **all)
{
    const struct cope_of *x = &r->x;
    for (long t = 0; t < x->P; t++)
        for (long c = 0; c < x->d; c++) {
            for (long k = 0; k < x->heads * x->n; k++)
                r->t[k] = slope(w, HERE, r->dz[k * x->P + t], b_in(w, "q", k / x->n, k % x->n, c));
            all[emb_at(x) + t * x->d + c] = site_gathered(w, HERE, COPE_GATHER, r->t, x->heads * x->n);
        }
}
static void make_grad(struct ask *w, const struct ball **all)
{
    const struct cope_of x = cope_of(w);
    const long lines = x.heads * x.n;
    const struct ball **room = need((size_t)(lines * (x.P + x.m) + x.P + 3 * x.m), sizeof *room);
    struct context_grads r = { .x = x, .dz = room, .dx = room + lines * x.P,
        .t = need((size_t)(lines + x.m + x.P) + 2, sizeof *r.t) };
    struct query q = { .p = r.dx + lines * x.m };
    q.z = q.p + x.m, q.up = q.z + x.P, q.t = q.up + x.m;
    const struct ball **b = cope_biases(w, NULL);
    for (long k = 0; k < lines; k++) {
        q.h = k / x.n, q.i = k % x.n, q.dz = r.dz + k * x.P, q.dx = r.dx + k * x.m;
        one_query(w, &q, &x, b);
    }
    by_query(w, &r, b, all), by_keys(w, &r, b, all), by_embeddings(w, &r, all);
    free(b), free(room), free(r.t);
}
void cope_grad(struct ask *w, const struct ball **y)
{
    const struct cope_of x = cope_of(w);
    const long all = gates_at(&x) + x.groups * x.m * x.d, h = w->at[0], i = w->at[1];
    const long from = w->of == COPE_Q ? (h * x.n + i) * x.d : w->of == COPE_K ? keys_at(&x) + (h * x.m + i) * x.d :
        w->of == COPE_EMB ? emb_at(&x) + h * x.d : gates_at(&x) + (h * x.m + i) * x.d;
    question_line(w, make_grad, all, from, y);
}
