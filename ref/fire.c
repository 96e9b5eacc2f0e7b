/* Functional interpolation of relative positions (FIRE).                          Li et al. 2024, arXiv:2310.04418
 *   bias[h][i][j] = b2[h] + sum_s w2[h][s] max(0, b1[s] + w1[s] x)       x = psi(c |D|) / (psi(c max(I, L)) + eps)
 *   psi(t) = ln(1 + t)      I = o + i, the query's position from 0;  D = I - j
 * x lies between 0 and 1 for keys that a causal query sees, at every length: a distance as a share of the query's own
 * position, above the threshold L.  c (`rate`) and L are trained; here they are numbers of the question, without
 * gradients.  transform=linear is psi(t) = t; normaliser=threshold divides by psi(c L) alone, at every query.
 * Gradients by the network; the slope of max(0, x) at 0 is 0.
 * Trap: DAPE.py takes the absolute value of c D, so that keys on the right are as far as on the left. */
#include <stdlib.h>
#include "edit/branches.h"
#include "row/question.h"
#include "row/row.h"
#include "row/shared.h"

struct fire { mpq_t rate, threshold, eps; long offset; int transform, normaliser; };
enum { BY_LOG, BY_ITSELF }; enum { PROGRESSIVE, THRESHOLD };
enum { DISTANCE, ONE, LOG, NORMAL, RATIO, PRODUCT, HIDDEN, SCORE, SLOPE, GATHER };

static const struct ball *psi(struct ask *w, const struct ball *t)
{
    const struct fire *p = w->params;
    const struct ball *x = b_step(w, DISTANCE, b_mul(w, b_given(w, DISTANCE, b_q(w, p->rate)), t));
    return b_true(w, p->transform == BY_ITSELF) ? x : b_step(w, LOG, b_log(w, b_step(w, ONE, b_add(w, b_si(w, 1), x))));
}
/* x of query i and key j. */
static const struct ball *share(struct ask *w, long i, long j)
{
    const struct fire *p = w->params;
    const long at = i_add(w, p->offset, i), d = i_add(w, p->offset, lag(w, i, j));
    const struct ball *least = b_given(w, DISTANCE, b_q(w, p->threshold)),
                      *far = b_true(w, p->normaliser == PROGRESSIVE) ? b_max(w, b_si(w, at), least) : least,
                      *by = b_step(w, NORMAL, b_add(w, psi(w, far), b_given(w, NORMAL, b_q(w, p->eps))));
    return b_step(w, RATIO, b_div(w, psi(w, b_si(w, counted(w, labs(d)))), by));
}
static const struct ball *hidden(struct ask *w, const struct ball *x, long s) /* before max(0, x) */
{
    const struct ball *t[2] = { b_in(w, "b1", s, 0, 0), b_step(w, PRODUCT, b_mul(w, b_in(w, "w1", s, 0, 0), x)) };
    return b_sum(w, HIDDEN, t, 2);
}
static const struct ball *live(struct ask *w, const struct ball *x) { return b_relu(w, x); }

static void bias(struct ask *w, const struct ball **y)
{
    const long h = w->at[0], S = dim_in(w, "w1", 0);
    const struct ball *x = share(w, w->at[1], w->at[2]), **t = need((size_t)S + 1, sizeof *t);
    for (long s = 0; s < S; s++)
        t[s] = b_step(w, PRODUCT, b_mul(w, b_in(w, "w2", h, s, 0), live(w, hidden(w, x, s))));
    t[S] = b_in(w, "b2", h, 0, 0);
    y[0] = b_sum(w, SCORE, t, S + 1);
    free(t);
}

/* The sums of all gradients over the pairs of queries and keys, n m terms a number: w1[S], b1[S], w2[H][S], b2[H]. */
struct fire_terms { const struct ball **t, **head; long S, H, pairs; }; /* head[H]: a place for terms over heads */
static void add_pair(struct ask *w, struct fire_terms *x, long k, long i, long j)
{
    const struct ball *at = share(w, i, j);
    for (long s = 0; s < x->S; s++) {
        const struct ball *z = hidden(w, at, s), *on = heaviside_in_form(w, z, b_si(w, 0));
        for (long h = 0; h < x->H; h++) {
            const struct ball *g = b_in(w, "dbias", h, i, j);
            x->head[h] = b_step(w, PRODUCT, b_mul(w, g, b_in(w, "w2", h, s, 0)));
            x->t[(2 * x->S + h * x->S + s) * x->pairs + k] = b_step(w, SLOPE, b_mul(w, g, live(w, z)));
        }
        const struct ball *back = b_mul(w, b_sum(w, GATHER, x->head, x->H), on);
        x->t[s * x->pairs + k] = b_step(w, SLOPE, b_mul(w, back, at)), x->t[(x->S + s) * x->pairs + k] = back;
    }
    for (long h = 0; h < x->H; h++)
        x->t[((2 + x->H) * x->S + h) * x->pairs + k] = b_in(w, "dbias", h, i, j);
}
/* Under the fault "overwritten" each pair replaces the sum so far, so that only the last one counts. */
static void make_grad(struct ask *w, const struct ball **all)
{
    const long n = dim_in(w, "dbias", 1), m = dim_in(w, "dbias", 2);
    struct fire_terms x = { .S = dim_in(w, "w1", 0), .H = dim_in(w, "w2", 0), .pairs = n * m };
    const long numbers = (2 + x.H) * x.S + x.H;
    x.t = need((size_t)(numbers * x.pairs + x.H) + 1, sizeof *x.t), x.head = x.t + numbers * x.pairs;
    for (long k = 0; k < n * m; k++)
        add_pair(w, &x, k, k / m, k % m);
    for (long k = 0; k < numbers; k++)
        all[k] = w->arith->fault == FAULT_OVERWRITTEN && x.pairs > 0 ? x.t[(k + 1) * x.pairs - 1] :
                                                                 b_sum(w, GATHER, x.t + k * x.pairs, x.pairs);
    free(x.t);
}
/* The gradient that w->of names: '1' w1[s], 'b' b1[s], '2' w2[h][s], 'c' b2[h]. */
static void grad(struct ask *w, const struct ball **y)
{
    const long S = dim_in(w, "w1", 0), H = dim_in(w, "w2", 0), all = (2 + H) * S + H, a = w->at[0];
    const long from = w->of == '1' ? a : w->of == 'b' ? S + a : w->of == '2' ? (2 + a) * S + w->at[1] :
        (2 + H) * S + a;
    question_line(w, make_grad, all, from, y);
}

static const char *refuse(const void *q)
{
    const struct fire *p = q;
    return mpq_sgn(p->rate) <= 0 ? "rate: must be above 0" :
        mpq_sgn(p->threshold) <= 0 ? "threshold: must be above 0" :
        mpq_sgn(p->eps) < 0        ? "eps: must not be below 0" :
                                     NULL;
}
static const struct param params[] = {
    { "rate", "1/10", "c, what a distance is multiplied by in psi; trained", RATIONAL, offsetof(struct fire, rate) },
    { "threshold", "512", "L: below it all queries divide alike; trained", RATIONAL,
        offsetof(struct fire, threshold) },
    { "eps", "1/1000000", "added to the divisor", RATIONAL, offsetof(struct fire, eps) },
    { .as = &param_offset, .at = offsetof(struct fire, offset) },
    { "transform", "log", "psi(t): ln(1 + t), or t", ENUM, offsetof(struct fire, transform), .choices = "log linear" },
    { "normaliser", "progressive", "what psi divides: of max(I, L), or of L", ENUM, offsetof(struct fire, normaliser),
        .choices = "progressive threshold" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2310.04418; chuanyang-Zheng/DAPE DAPE.py: c = 0.1, L = 512, eps = 1e-6" },
    { "trained short", "rate=3/2 threshold=6", "a threshold that queries pass" },
    { "far", "threshold=32 offset=70001", "decoding with a past" },
    { "no transform", "transform=linear threshold=9/2 eps=0", "arXiv:2310.04418, without the logarithm" },
    { "no interpolation", "normaliser=threshold threshold=8", "arXiv:2310.04418, without the query's own position" },
    { 0 },
};
static const struct preset contracts[] = {
    { "f32", "distance=f32:2 one=f32 log=f32:2 normal=f32:2 ratio=f32 product=f32 hidden=f32 score=f32 slope=f32:2 "
        "gather=f32", "every operation in float32, with c, L and eps rounded; ln to one ulp" },
    { 0 }
};
#define NETWORK "w1[s] b1[s] w2[h,s] b2[h] "
const struct row row_fire = {
    .name = "fire", .title = "interpolated relative biases", .cite = "Li et al. 2024",
    .steps = { "distance one log normal ratio product hidden score slope gather" },
    .declares = params, .size = sizeof(struct fire), .presets = presets, .contracts = contracts, .refuse = refuse,
    .sizes = "s=4 h=2",
    .q = { { NETWORK "-> bias[h,n,m|]", bias }, { NETWORK "dbias[h,n,m] -> dw1[s|]", grad, .of = '1' },
        { NETWORK "dbias[h,n,m] -> db1[s|]", grad, .of = 'b' },
        { NETWORK "dbias[h,n,m] -> dw2[h,s|]", grad, .of = '2' },
        { NETWORK "dbias[h,n,m] -> db2[h|]", grad, .of = 'c' } },
};
