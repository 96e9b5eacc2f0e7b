/* The ball of a gradient that keeps what its terms share.  With k_bar = E[x], K = x - k_bar, G = dp - D, E[y] = sum p
 * y:  sum_j ds_j x_j = C = E[G K], a covariance.  An error of the weights moves a mean by mu(X) = sum a_l (X_l - E[X]),
 * which is what (1) of soft.c bounds by sum off_l |X_l - E[X]|.
 * Two passes: p' = (1 + c)(p + a) + b, dp' = dp + eta, D' = sum p' dp' + r =: D + rho.  As E[G] = 0 = sum a, exactly
 *     sum p'(dp' - D') x - C = c C - (1 + c) c D k_bar + (1 + c) mu(G K) - (1 + c) c k_bar mu(G) - (1 + c) k_bar r
 *         + sum b (G K - D k_bar - c k_bar dp) + sum p' eta (K - c k_bar) - rho ((1 + c) mu(K) + sum b x)   (1)
 * so no term is larger than first order times what varies over the keys, but for c and b, which do not cancel in the
 * machine either. Recomputed: p' = (1 + c)(p + a) with 1 + c = e^(lse - lse'), rho the error of <do, o'>, and nothing
 * cancels:
 *     sum p'(dp' - D') x - C = c C + (1 + c) sum a G x + sum p' eta x - rho (1 + c)(k_bar + sum a x)   (2)
 * One key: x is 1 there and 0 elsewhere. */
#include "softmax/backward.h"
#include <stdlib.h>
#include "softmax/divided.h"
#include "softmax/mean.h"
#include "softmax/mix.h"

static struct up more(struct up c) { return up_add(up_d(1), c); }
/* A bound of |x - y|. */
static struct up ball_far(struct ask *w, const struct ball *x, const struct ball *y)
{
    return b_top(b_sub(w, x, y)); /* mutant: argument 2032: only its size is read. */
}

struct up backward_far(const struct backward *b, long j)
{
    struct up p = b_top(b->p[j]);
    struct up moved = up_mul(more(b->common), up_add(b->off[j], up_mul(p, b->others)));
    return up_add(up_mul(b->common, p), up_add(b->own[j], moved));
}

/* The rounding of a number of at most top.  On route exp2 the step rounds x log2 e: the bound is made in base 2 and
 * brought back. */
static struct up in_base_2(const struct mix *m, const struct ask *w, int step, struct up top)
{
    return m->route != EXP2 ?
        b_rounding(w, step, top) :
        up_mul(b_rounding(w, step, up_mul(top, up_d(1.442695040888964))), up_d(0.6931471805599454));
}

/* p' = e / total: soft.c's weights, over a sum that errs by `lost`. */
static void stored_weights(struct ask *w, struct backward *b, const struct weights *x)
{
    b->normal = true;
    b->common = up_div(x->lost, up_gap(x->low, x->lost));
    for (long j = 0; j < b->s.n; j++) {
        b->off[j] = up_div(x->D[j], x->low);
        struct up top = up_mul(more(b->common), up_div(up_add(b_top(b->s.e[j]), x->D[j]), x->low));
        b->own[j] = b_rounding(w, DIV, top);
        b->others = up_add(b->others, b->off[j]);
        b->size[j] = up_add(top, b->own[j]);
    }
}

/* p' = exp(s - lse'): no sum makes good what the scores lost on the way forward and back. */
static void recomputed_weights(struct ask *w, const struct mix *m, struct backward *b, const struct ball *lse)
{
    struct up stored = lse->rad; /* On route exp2 it is divided by the rounded ln 2, and rounded. */
    if (m->route == EXP2)
        stored = up_add(stored, up_mul(b_top(lse), ln2_error(w))),
        stored = up_add(stored, in_base_2(m, w, LOG, up_add(b_top(lse), stored)));
    b->common = up_expm1(stored);
    for (long j = 0; j < b->s.n; j++) {
        struct up p = b_top(b->p[j]), far = up_add(up_far(b->s.s[j]->mid, lse->mid), up_add(b->s.s[j]->rad, lse->rad));
        struct up T = up_add(b->s.s[j]->rad, up_add(in_base_2(m, w, SHIFT, far), exp_error(w)));
        b->off[j] = up_add(up_mul(p, up_expm1(T)), up_mul(more(b->common), b_absolute(w, EXP)));
        if (up_less(up_mul(more(b->common), up_add(p, b->off[j])), b_smallest(w, EXP)))
            b->off[j] = up_add(b->off[j], up_mul(more(b->common), b_rounding(w, EXP, (struct up){ 0, 0 })));
        b->size[j] = up_mul(more(b->common), up_add(p, b->off[j]));
    }
}

/* D' = sum p' dp': r, and all of rho. */
static void summed(struct ask *w, const struct mix *m, struct backward *b)
{
    struct summand *t = need((size_t)m->keys, sizeof *t);
    struct up noise = { 0, 0 };
    for (long j = 0; j < b->s.n; j++) {
        struct up top = b_top(b->dp[j]), rounding = b_rounding(w, PRODUCT, up_mul(b->size[j], top)),
                  eta = up_mul(b->size[j], b->dp[j]->rad);
        struct up off = up_add(up_add(eta, up_mul(backward_far(b, j), top)), rounding);
        t[j] = b_summand(b_mul(w, b->p[j], b_at(w, b->dp[j])), off, b_format(w, PRODUCT));
        noise = up_add(noise, up_add(eta, up_mul(b->own[j], top)));
        b->rest = up_add(b->rest, rounding);
    }
    b->rest = up_add(b->rest, keys_error(w, &b->s, NULL, SUM, t, m->keys));
    b->shift = up_add(up_add(noise, b->rest), up_mul(more(b->common), b->moved));
    b->shift = up_add(b->shift, up_mul(b->common, b_top(b->D)));
    free(t);
}

/* D' = <do, o'>: o' shares the forward weights' errors over its columns, so that they move D' by mu(dp); own[c] does
 * not.  D is the mean of the midpoints of dp, which <do, o> is but for the bits of the ask. */
static void paired(struct ask *w, struct backward *b, const struct ball *const *seed, const struct ball *const *o,
    const struct up *own, long e)
{
    const struct ball **t = need((size_t)e + 1, sizeof *t), *mean = b_neg(w, b->D);
    for (long c = 0; c < e; c++) {
        const struct ball *stored = b_step(w, OUTPUT, o[c]), *product = b_mul(w, seed[c], stored);
        mean = b_add(w, mean, b_mul(w, b_at(w, seed[c]), b_at(w, o[c])));
        struct up top = up_mul(b_top(seed[c]), b_top(stored)), rounding = b_rounding(w, PRODUCT, top);
        struct up off = up_add(own[c], b_rounding(w, OUTPUT, b_top(o[c])));
        t[c] = b_step(w, PRODUCT, product);
        b->shift = up_add(b->shift, up_add(rounding, up_mul(b_top(seed[c]), off)));
        b->shift = up_add(b->shift, up_mul(seed[c]->rad, b_top(stored)));
    }
    b->shift = up_add(b->shift, up_add(b_sum_error(w, DOT, t, e, false), up_add(b->moved, b_top(mean))));
    free(t);
}

static void roundings_of_scores(struct ask *w, struct backward *b)
{
    for (long j = 0; j < b->s.n; j++) {
        struct up off = up_add(b->dp[j]->rad, b->shift), g = up_add(b_top(b->g[j]), off), kappa = b_rounding(w, SUM, g);
        struct up v = up_mul(b->size[j], up_add(g, kappa)), product = b_rounding(w, PRODUCT, v),
                  stored = b_rounding(w, DS, up_add(v, product));
        b->extra[j] = up_add(up_add(product, up_mul(b->size[j], kappa)), stored);
        b->top[j] = up_add(v, up_add(product, stored));
        b->far[j] = up_add(up_add(b->extra[j], up_mul(b->size[j], off)), up_mul(backward_far(b, j), b_top(b->g[j])));
    }
}

/* The bounds; e, total, p, D and g by the scores' and products' midpoints. */
static void widened(struct ask *w, const struct mix *m, struct backward *b, const struct ball *const *seed, long e)
{
    const struct ball *lse = NULL, **o = need((size_t)e + 1, sizeof *o), **mid = need((size_t)b->s.n, sizeof *mid);
    struct up *own = need((size_t)e + 1, sizeof *own),
              **ups[] = { &b->off, &b->own, &b->size, &b->extra, &b->far, &b->top };
    long len = w->len;
    for (int k = 0; k < 6; k++)
        *ups[k] = need((size_t)b->s.n, sizeof **ups[k]);
    w->len = e;
    /* Split has two levels of weights: what their errors share is not kept, and own becomes the whole radius of o. */
    if (m->route == SPLIT)
        soft_forward(w, m, &b->s, o, &lse);
    else if (m->route != TWO_PASSES)
        divided(w, m) ? divided_output(w, m, &b->s, o, own) : soft_output(w, m, &b->s, o, own),
            lse = soft_lse(w, m, &b->s);
    w->len = len;
    struct weights x = weigh(w, m, &b->s);
    for (long j = 0; j < b->s.n; j++)
        b->p[j] = b_div(w, b->s.e[j], b->s.total), mid[j] = b_at(w, b->dp[j]);
    b->D = soft_mean(w, &b->s, mid);
    for (long j = 0; j < b->s.n; j++) {
        b->g[j] = b_sub(w, mid[j], b->D);
        b->ds[j] = b_mul(w, b->p[j], b->g[j]);
        b->moved = up_add(b->moved, up_mul(up_div(x.D[j], x.low), b_top(b->g[j])));
    }
    for (long c = 0; c < e && m->route == SPLIT; c++)
        own[c] = o[c]->rad;
    if (lse) {
        b->moved = m->route == SPLIT ? (struct up){ 0, 0 } : b->moved;
        recomputed_weights(w, m, b, lse), paired(w, b, seed, o, own, e);
    } else
        stored_weights(w, b, &x), summed(w, m, b);
    roundings_of_scores(w, b);
    weights_free(&x), free(o), free(mid), free(own);
}

/* Step by step; EXACT: by definition, whatever the route. */
static void stepped(struct ask *w, const struct mix *m, struct backward *b, const struct ball *const *seed, long e)
{
    const struct ball **t = need((size_t)(b->s.n + e) + 1, sizeof *t), *lse;
    bool stored = m->route == TWO_PASSES || w->arith->how == EXACT;
    long len = w->len;
    if (stored)
        soft_two_passes(w, m, &b->s);
    else {
        w->len = e, soft_forward(w, m, &b->s, t, &lse), w->len = len;
        /* The way back reads lse as it was stored; an adverse arithmetic has rounded it already. */
        lse = w->arith->adverse ? lse : b_step(w, LOG, lse);
        lse = m->route == EXP2 ? b_step(w, LOG, b_div(w, lse, b_given(w, LOG, b_ln2(w)))) : lse;
        for (long c = 0; c < e; c++)
            t[c] = b_step(w, PRODUCT, b_mul(w, seed[c], b_step(w, OUTPUT, t[c])));
        b->D = b_sum(w, DOT, t, e);
    }
    for (long j = 0; j < b->s.n; j++) {
        const struct ball *z = stored ? NULL : b_step(w, SHIFT, b_sub(w, b->s.s[j], lse));
        b->p[j] = stored ? b_step(w, DIV, b_div(w, b->s.e[j], b->s.total)) :
                           b_step(w, EXP, m->route == EXP2 ? b_pow(w, b_si(w, 2), z) : b_exp(w, z));
        t[j] = b_step(w, PRODUCT, b_mul(w, b->p[j], b->dp[j]));
    }
    if (w->arith->fault == FAULT_UNCENTRED)
        b->D = b_si(w, 0);
    else if (stored)
        b->D = w->arith->how == EXACT && !backward_broken(w) ? soft_mean(w, &b->s, b->dp) : b_sum(w, SUM, t, b->s.n);
    for (long j = 0; j < b->s.n; j++) {
        b->g[j] = b_step(w, SUM, b_sub(w, b->dp[j], b->D));
        b->ds[j] = b_step(w, DS, b_step(w, PRODUCT, b_mul(w, b->p[j], b->g[j])));
    }
    free(t);
}

static struct backward open_fresh(struct ask *w, const struct mix_grad *g)
{
    struct backward b = { .s = soft_gather(w, &g->m) };
    b.hollow = soft_has_no_numbers(w, &b.s);
    long e = array_in(w, g->seed)->dim[2];
    struct span at = span(w, g->seed, w->at[0], w->at[1]);
    const struct ball **seed = need((size_t)e + 1, sizeof *seed), **t = need((size_t)e + 1, sizeof *t);
    const struct ball ***balls[] = { &b.p, &b.dp, &b.g, &b.ds };
    for (int k = 0; k < 4; k++)
        *balls[k] = need((size_t)b.s.n + 1, sizeof **balls[k]);
    for (long c = 0; c < e; c++)
        seed[c] = b_element(w, at.a, at.at + c);
    for (long j = 0; j < b.s.n; j++) {
        size_t mark = w->used;
        for (long c = 0; c < e; c++)
            t[c] = b_step(w, PRODUCT, b_mul(w, seed[c], g->m.value(w, w->at[0], w->at[1], b.s.key[j], c)));
        b.dp[j] = ask_keep(w, mark, b_step(w, DP, b_sum(w, DOT, t, e)));
    }
    if (b.s.n && backward_bounds(w))
        widened(w, &g->m, &b, seed, e);
    else if (b.s.n)
        stepped(w, &g->m, &b, seed, e);
    free(seed), free(t);
    return b;
}

struct backward backward_open(struct ask *w, const struct mix_grad *g, struct backward_question *kept)
{
    const long query = w->at[0] * array_in(w, g->seed)->dim[1] + w->at[1];
    const struct backward *found = kept ? backward_found(kept, query) : NULL;
    if (found)
        return *found;
    const bool open = w->undecided;
    const size_t mark = w->used;
    w->undecided = false;
    struct backward b = open_fresh(w, g);
    if (kept && !w->undecided && backward_keep(kept, query, &b))
        w->used = mark;
    w->undecided |= open;
    return b;
}

void backward_free(struct backward *b)
{
    if (b->kept)
        return;
    soft_free(&b->s);
    free(b->p), free(b->dp), free(b->g), free(b->ds);
    free(b->off), free(b->own), free(b->size), free(b->extra), free(b->far), free(b->top);
}

/* (1) and (2): how far the computed sum may be from C; k: the mean of the x.  The roundings of the products and of the
 * sum are not in it. */
static struct up sum_error_of(struct ask *w, const struct backward *b, const struct ball *const *x,
    const struct ball *C, const struct ball *k)
{
    const struct ball *Dk = b_mul(w, b->D, k), *off = b->normal ? k : b_si(w, 0);
    const struct up kt = b_top(k), ck = up_mul(b->common, kt), c1 = more(b->common);
    struct up noise = { 0, 0 }, moved = noise, spread = noise, own = noise, own_x = noise;
    const size_t mark = w->used;
    for (long j = 0; j < b->s.n; j++) {
        const struct ball *K = b_sub(w, b_at(w, x[j]), off), *GK = b_mul(w, b->g[j], K);
        const struct up X = up_of(x[j]->mid);
        moved = up_add(moved, up_mul(b->off[j], b->normal ? ball_far(w, GK, C) : b_top(GK)));
        spread = up_add(spread, up_mul(b->off[j], b_top(K)));
        own = up_add(own, up_mul(b->own[j], up_add(ball_far(w, GK, Dk), up_mul(ck, b_top(b->dp[j])))));
        own_x = up_add(own_x, up_mul(b->own[j], X));
        noise = up_add(noise, up_mul(up_mul(b->size[j], b->dp[j]->rad), b->normal ? up_add(b_top(K), ck) : X));
        noise = up_add(noise, up_add(up_mul(b->extra[j], X), up_mul(b->top[j], x[j]->rad)));
        w->used = mark; /* mutant: statement dc50: only memory is given back later. */
    }
    struct up r = up_add(noise, up_mul(c1, moved));
    if (!b->normal)
        return up_add(up_add(r, up_mul(b->common, b_top(C))), up_mul(up_mul(b->shift, c1), up_add(kt, spread)));
    r = up_add(r, up_mul(b->common, up_add(ball_far(w, C, Dk), up_mul(b->common, b_top(Dk)))));
    r = up_add(r, up_mul(up_mul(c1, kt), up_add(b->rest, up_mul(b->common, b->moved))));
    return up_add(up_add(r, up_mul(b->shift, up_add(own_x, up_mul(c1, spread)))), own);
}

const struct ball *backward_sum(struct ask *w, const struct backward *b, const struct ball *const *x)
{
    const bool bounds = backward_bounds(w);
    const size_t start = w->used;
    const struct ball *C = b_si(w, 0), *k = C;
    size_t mark = w->used;
    for (long j = 0; bounds && j < b->s.n; j++)
        k = ask_keep(w, mark, b_add(w, k, b_mul(w, b->p[j], b_at(w, x[j]))));
    mark = w->used;
    /* As sum ds = 0, any number may be taken off all x: one of them, where equal ones then give 0; or, as that one may
     * be far from the others, their mean, where no ball but this one is asked. */
    for (long j = 0; j < b->s.n; j++) {
        const struct ball *away = bounds ? b_sub(w, b_at(w, x[j]), k) : b_sub(w, x[j], *x);
        C = ask_keep(w, mark, b_add(w, C, b_mul(w, b->ds[j], away)));
    }
    if (bounds && b->s.n)
        C = b_widen(w, C, sum_error_of(w, b, x, C, k));
    return ask_keep(w, start, C);
}

const struct ball *backward_weight(struct ask *w, const struct backward *b, const bool *in)
{
    const struct ball *P = b_si(w, 0);
    struct up a = { 0, 0 }, own = a;
    for (long j = 0; j < b->s.n; j++)
        P = in[j] ? b_add(w, P, b->p[j]) : P;
    const struct up rest = ball_far(w, b_si(w, 1), P), top = b_top(P);
    for (long j = 0; j < b->s.n; j++) {
        a = up_add(a, up_mul(b->off[j], !b->normal ? up_d(in[j]) : in[j] ? rest : top));
        own = in[j] ? up_add(own, up_add(b->own[j], b_rounding(w, WEIGHT, b->size[j]))) : own;
    }
    return b_widen(w, P, up_add(up_add(own, up_mul(more(b->common), a)), up_mul(b->common, top)));
}
