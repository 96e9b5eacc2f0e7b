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

static struct up plus(struct up x, struct up y, struct up z) { return up_add(x, up_mul(y, z)); }
static struct up more(struct up c) { return up_add(up_d(1), c); }

struct up backward_far(const struct backward *b, long j)
{
    struct up p = b_top(b->p[j]);
    return up_add(up_mul(b->common, p), plus(b->own[j], more(b->common), plus(b->off[j], p, b->others)));
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
    b->common = up_expm1(up_add(lse->rad, m->route == EXP2 ? in_base_2(m, w, LOG, b_top(lse)) : (struct up){ 0, 0 }));
    for (long j = 0; j < b->s.n; j++) {
        struct up p = b_top(b->p[j]), far = up_add(up_far(b->s.s[j]->mid, lse->mid), up_add(b->s.s[j]->rad, lse->rad));
        struct up T = up_add(b->s.s[j]->rad, up_add(in_base_2(m, w, SHIFT, far), exp_error(w)));
        b->off[j] = plus(up_mul(p, up_expm1(T)), more(b->common), b_absolute(w, EXP));
        if (up_less(up_mul(more(b->common), up_add(p, b->off[j])), b_smallest(w, EXP)))
            b->off[j] = plus(b->off[j], more(b->common), b_rounding(w, EXP, (struct up){ 0, 0 }));
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
        t[j] = b_summand(b_mul(w, b->p[j], b_at(w, b->dp[j])), up_add(plus(eta, backward_far(b, j), top), rounding),
            b_format(w, PRODUCT));
        noise = up_add(noise, plus(eta, b->own[j], top));
        b->rest = up_add(b->rest, rounding);
    }
    b->rest = up_add(b->rest, keys_error(w, &b->s, SUM, t, m->keys, false));
    b->shift = plus(plus(up_add(noise, b->rest), more(b->common), b->moved), b->common, b_top(b->D));
    free(t);
}

/* D' = <do, o'>: o' shares the forward weights' errors over its columns, so that they move D' by mu(dp); own[c] does
 * not. */
static void paired(struct ask *w, struct backward *b, const struct ball *const *seed, const struct ball *const *o,
    const struct up *own, long e)
{
    const struct ball **t = need((size_t)e + 1, sizeof *t);
    for (long c = 0; c < e; c++) {
        const struct ball *stored = b_step(w, OUTPUT, o[c]), *product = b_mul(w, seed[c], stored);
        struct up top = up_mul(b_top(seed[c]), b_top(stored)), rounding = b_rounding(w, PRODUCT, top);
        t[c] = b_step(w, PRODUCT, product);
        b->shift = up_add(b->shift, plus(rounding, b_top(seed[c]), up_add(own[c], b_rounding(w, OUTPUT, b_top(o[c])))));
        b->shift = plus(b->shift, seed[c]->rad, b_top(stored));
    }
    b->shift = up_add(b->shift, up_add(b_sum_error(w, DOT, t, e, false), b->moved));
    free(t);
}

static void roundings_of_scores(struct ask *w, struct backward *b)
{
    for (long j = 0; j < b->s.n; j++) {
        struct up off = up_add(b->dp[j]->rad, b->shift), g = up_add(b_top(b->g[j]), off), kappa = b_rounding(w, SUM, g);
        struct up v = up_mul(b->size[j], up_add(g, kappa)), product = b_rounding(w, PRODUCT, v),
                  stored = b_rounding(w, DS, up_add(v, product));
        b->extra[j] = up_add(plus(product, b->size[j], kappa), stored);
        b->top[j] = up_add(v, up_add(product, stored));
        b->far[j] = plus(plus(b->extra[j], b->size[j], off), backward_far(b, j), b_top(b->g[j]));
    }
}

/* The bounds; e, total, p, D and g by the scores' and products' midpoints. */
static void widened(struct ask *w, const struct mix *m, struct backward *b, const struct ball *const *seed, long e)
{
    struct mix flat = *m;
    const struct ball *lse = NULL, **o = need((size_t)e + 1, sizeof *o), **mid = need((size_t)b->s.n, sizeof *mid);
    struct up *own = need((size_t)e + 1, sizeof *own);
    long len = w->len;
    w->len = e;
    /* Split has two levels of weights: what their errors share is not kept, and own becomes the whole radius of o. */
    if (m->route == SPLIT)
        flat.route = TWO_PASSES, flat.block = 0, soft_forward(w, m, &b->s, o, &lse);
    else if (m->route != TWO_PASSES)
        divided(w, m) ? divided_output(w, m, &b->s, o, own) : soft_output(w, m, &b->s, o, own),
            lse = soft_lse(w, m, &b->s);
    w->len = len;
    struct weights x = weigh(w, &flat, &b->s);
    for (long j = 0; j < b->s.n; j++)
        b->p[j] = b_div(w, b->s.e[j], b->s.total), mid[j] = b_at(w, b->dp[j]);
    b->D = soft_mean(w, &b->s, mid);
    for (long j = 0; j < b->s.n; j++) {
        b->g[j] = b_sub(w, mid[j], b->D);
        b->ds[j] = b_mul(w, b->p[j], b->g[j]);
        b->moved = plus(b->moved, up_div(x.D[j], x.low), b_top(b->g[j]));
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
    bool stored = m->route == TWO_PASSES || w->arith->how != ROUND;
    long len = w->len;
    if (stored)
        soft_two_passes(w, m, &b->s);
    else {
        w->len = e, soft_forward(w, m, &b->s, t, &lse), w->len = len;
        lse = b_step(w, LOG, lse); /* The way back reads lse as it was stored. */
        lse = m->route == EXP2 ? b_step(w, LOG, b_div(w, lse, b_ln2(w))) : lse;
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
        b->D = w->arith->how == EXACT ? soft_mean(w, &b->s, b->dp) : b_sum(w, SUM, t, b->s.n);
    for (long j = 0; j < b->s.n; j++) {
        b->g[j] = b_step(w, SUM, b_sub(w, b->dp[j], b->D));
        b->ds[j] = b_step(w, DS, b_step(w, PRODUCT, b_mul(w, b->p[j], b->g[j])));
    }
    free(t);
}

static struct backward open_fresh(struct ask *w, const struct mix_grad *g)
{
    struct backward b = { .s = soft_gather(w, &g->m) };
    size_t n = (size_t)b.s.n + 1;
    long e = array_in(w, g->seed)->dim[2];
    struct span at = span(w, g->seed, w->at[0], w->at[1]);
    const struct ball **seed = need((size_t)e + 1, sizeof *seed), **t = need((size_t)e + 1, sizeof *t);
    const struct ball ***balls[] = { &b.p, &b.dp, &b.g, &b.ds };
    struct up **ups[] = { &b.off, &b.own, &b.size, &b.extra, &b.far, &b.top };
    for (int k = 0; k < 4; k++)
        *balls[k] = need(n, sizeof **balls[k]);
    for (int k = 0; k < 6; k++)
        *ups[k] = need(n, sizeof **ups[k]);
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

struct backward backward_open(struct ask *w, const struct mix_grad *g, struct backward *kept)
{
    const long query = w->at[0] * array_in(w, g->seed)->dim[1] + w->at[1];
    if (kept && kept[query].s.key)
        return kept[query];
    const bool open = w->undecided;
    const size_t mark = w->used;
    w->undecided = false;
    struct backward b = open_fresh(w, g);
    if (kept && !w->undecided)
        backward_keep(&kept[query], &b), w->used = mark;
    w->undecided |= open;
    return b;
}

void backward_close(struct backward *b)
{ /* mutant: early 73b0: only memory is not given back. */
    if (b->kept)
        return;
    soft_free(&b->s);
    free(b->p), free(b->dp), free(b->g), free(b->ds);
    free(b->off), free(b->own), free(b->size), free(b->extra), free(b->far), free(b->top);
}

const struct ball *backward_sum(struct ask *w, const struct backward *b, const struct ball *const *x)
{
    const struct ball *k = b_si(w, 0), *C = k, *zero = k;
    struct up noise = { 0, 0 }, moved = noise, spread = noise, own = noise, own_x = noise, c1 = more(b->common);
    if (!b->s.n)
        return zero;
    /* As sum ds = 0, any one x may be taken off them all, and equal ones then give 0. */
    if (!backward_bounds(w)) {
        for (long j = 0; j < b->s.n; j++)
            C = b_add(w, C, b_mul(w, b->ds[j], b_sub(w, x[j], x[0])));
        return C;
    }
    for (long j = 0; j < b->s.n; j++)
        k = b_add(w, k, b_mul(w, b->p[j], b_at(w, x[j])));
    for (long j = 0; j < b->s.n; j++)
        C = b_add(w, C, b_mul(w, b->ds[j], b_sub(w, b_at(w, x[j]), k)));
    const struct ball *Dk = b_mul(w, b->D, k);
    struct up kt = b_top(k), ck = up_mul(b->common, kt);
    for (long j = 0; j < b->s.n; j++) {
        size_t mark = w->used;
        const struct ball *K = b_sub(w, b_at(w, x[j]), b->normal ? k : zero), *GK = b_mul(w, b->g[j], K);
        struct up X = b_top(b_at(w, x[j]));
        moved = plus(moved, b->off[j], b_top(b->normal ? b_sub(w, GK, C) : GK));
        spread = plus(spread, b->off[j], b_top(K));
        own = plus(own, b->own[j], plus(b_top(b_sub(w, GK, Dk)), ck, b_top(b->dp[j])));
        own_x = plus(own_x, b->own[j], X);
        /* mutant: argument 46d0: a product is the same in either order. */
        noise = plus(noise, up_mul(b->size[j], b->dp[j]->rad), b->normal ? up_add(b_top(K), ck) : X);
        noise = up_add(noise, plus(up_mul(b->extra[j], X), b->top[j], x[j]->rad));
        w->used = mark;
    }
    struct up r = up_add(noise, up_mul(c1, moved));
    if (b->normal) {
        /* mutant: argument 22c3: a product is the same in either order. */
        r = plus(r, b->common, plus(b_top(b_sub(w, C, Dk)), b->common, b_top(Dk)));
        r = plus(r, up_mul(c1, kt), plus(b->rest, b->common, b->moved));
        r = up_add(plus(r, b->shift, plus(own_x, c1, spread)), own);
    } else
        r = plus(plus(r, b->common, b_top(C)), up_mul(b->shift, c1), up_add(kt, spread));
    return b_widen(w, C, r);
}

const struct ball *backward_weight(struct ask *w, const struct backward *b, const bool *in)
{
    const struct ball *P = b_si(w, 0);
    struct up a = { 0, 0 }, own = a;
    for (long j = 0; j < b->s.n; j++)
        P = in[j] ? b_add(w, P, b->p[j]) : P;
    const struct ball *rest = b_sub(w, b_si(w, 1), P); /* mutant: argument e10d: only its size is read. */
    for (long j = 0; j < b->s.n; j++) {
        a = plus(a, b->off[j], !b->normal ? up_d(in[j]) : in[j] ? b_top(rest) : b_top(P));
        own = in[j] ? up_add(own, b->own[j]) : own;
    }
    return b_widen(w, P, up_add(plus(own, more(b->common), a), up_mul(b->common, b_top(P))));
}
