/* Gradients gathered over keys (dq) and over queries (dk, dv, tables); one query's share: backward.c. */
#include "softmax/mix_grad.h"
#include <stdlib.h>
#include "softmax/backward.h"
#include "ball/trace.h"

const char grad_steps[] = "output dp ds";

static bool has_scale(const struct ask *w, const struct mix_grad *g)
{
    return g->scale && w->arith->fault != FAULT_UNSCALED;
}
/* Is it ds that the scale multiplies (dscale=first)?  Exact arithmetic has no order. */
static bool scales_first(const struct ask *w, const struct mix_grad *g)
{
    const bool first = w->arith->dscale_first && w->arith->how != EXACT && has_scale(w, g);
    if (first)
        trace_word(w->trace, w->arith->dscale_word, false);
    return first;
}
static const struct ball *scaled(struct ask *w, const struct mix_grad *g, const struct ball *y)
{
    return has_scale(w, g) && !scales_first(w, g) ? b_scaled(w, SCORE, y, g->scale(w)) : y;
}

/* A product, rounded at s, that a gradient multiplies by ds, which may also meet one of its factors first.  That
 * rounding is then relatively up to twice the one of this product, by where both lie in their binades: half as much
 * again as the largest covers both.  It is one also where this product is exact. */
static const struct ball *product(struct ask *w, struct source at, int s, const struct ball *x, const struct ball *by)
{
    const struct ball *y = site_two(w, at, SITE_MUL, b_mul, x, by);
    if (!backward_bounds(w))
        return b_step(w, s, y);
    const struct up one = b_rounding(w, s, b_top(y)), half = up_2exp(b_unit(w, s), -1);
    return b_widen(w, y, up_add(one, up_mul(half, up_add(b_top(y), one))));
}
/* ds_j f'_j of a score that is a function of the product, and the scale of that, where ds meets it first: both join x_j
 * in (1) and (2) of backward.c, with their own radii; a further rounding each. */
static const struct ball *sloped(
    struct ask *w, const struct mix_grad *g, long h, long i, long j, const struct ball *x)
{
    const struct ball *y = g->slope ? product(w, HERE, PRODUCT, x, g->slope(w, h, i, j)) : x;
    return scales_first(w, g) ? product(w, HERE, SCORE, y, g->scale(w)) : y;
}
/* Does anything come between ds and what it multiplies? */
static bool slopes(const struct ask *w, const struct mix_grad *g) { return g->slope || scales_first(w, g); }

/* What a product with x at step s loses, where the other factor is up to *top, which becomes the bound of the product:
 * it may underflow, or overflow.  Its relative error is in the radius of x. */
static struct up factor_error(const struct ask *w, int s, struct up *top, const struct ball *x)
{
    *top = up_mul(*top, b_top(x));
    return isinf(b_rounding(w, s, *top).m) ? up_inf() : b_rounding(w, s, (struct up){ 0, 0 });
}
/* The same of ds, which is up to `top`, as it meets the slope and the scale. */
static struct up slope_error(struct ask *w, const struct mix_grad *g, long h, long i, long j, struct up top)
{
    struct up lost = { 0, 0 };
    if (g->slope)
        lost = factor_error(w, PRODUCT, &top, g->slope(w, h, i, j));
    if (!scales_first(w, g))
        return lost;
    const struct ball *scale = g->scale(w);
    return up_add(up_mul(lost, b_top(scale)), factor_error(w, SCORE, &top, scale));
}
/* A product f x as the bound of its sum sees it; its rounding joins *lost.  top: above |f'|, far: of f' from f. */
static struct summand summand(
    struct ask *w, const struct ball *f, const struct ball *x, struct up top, struct up far, struct up *lost)
{
    struct up rounding = b_rounding(w, PRODUCT, up_mul(top, b_top(x)));
    *lost = up_add(*lost, rounding);
    return b_summand(b_mul(w, f, b_at(w, x)), up_add(up_mul(far, b_top(x)), up_add(up_mul(top, x->rad), rounding)),
        b_format(w, PRODUCT));
}
/* A sum with the bound `error` of its roundings, of which the last was to the format of step SUM. */
static const struct ball *summed(struct ask *w, const struct ball *sum, struct up error)
{
    struct ball *y = (struct ball *)b_widen(w, sum, error);
    b_becomes(y, b_format(w, SUM));
    return y;
}

/* Are sums over ds made by backward_sum, which uses that the ds sum to 0?  A contract adds up the products as its
 * machine does. */
static bool by_definition(const struct ask *w) { return !backward_broken(w) && w->arith->how != ROUND; }

/* Element c of the line of a query, whose way back is b.  k[n] and t[keys + 1] are room. */
static const struct ball *query_element(struct ask *w, const struct mix_grad *g, const struct mix_met *m,
    const struct backward *b, long c, const struct ball **k, struct summand *t)
{
    const long h = w->at[0], i = w->at[1];
    struct up lost = { 0, 0 };
    for (long j = 0; j < b->s.n; j++) {
        const struct ball *x = m->key(w, h, i, b->s.key[j], c);
        k[j] = by_definition(w) ?
            sloped(w, g, h, i, b->s.key[j], x) :
            b_step(w, PRODUCT, b_mul(w, sloped(w, g, h, i, b->s.key[j], b->ds[j]), x));
        if (!backward_bounds(w))
            continue;
        lost = up_add(lost, up_mul(slope_error(w, g, h, i, b->s.key[j], b->top[j]), b_top(x)));
        t[j] = summand(w, b->ds[j], k[j], b->top[j], b->far[j], &lost);
    }
    if (!by_definition(w))
        return b_sum(w, SUM, k, b->s.n);
    return summed(w, backward_sum(w, b, k), up_add(lost, keys_error(w, &b->s, NULL, SUM, t, g->m.keys)));
}

void mix_query_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y)
{
    struct backward b = backward_open(w, g, backward_kept(w, g));
    const struct ball **k = need((size_t)b.s.n + 1, sizeof *k);
    struct summand *t = need((size_t)g->m.keys + 1, sizeof *t);
    for (long c = 0; c < w->len; c++) {
        size_t mark = w->used;
        y[c] = ask_keep(w, mark, scaled(w, g, query_element(w, g, m, &b, c, k, t)));
    }
    free(t), free(k), backward_free(&b);
}

/* ds_j f'_j; x[n] is room. */
static const struct ball *score_element(
    struct ask *w, const struct mix_grad *g, const struct backward *b, long j, const struct ball **x)
{
    const struct ball *zero = b_si(w, 0), *one = b_si(w, 1);
    if (backward_bounds(w)) {
        for (long l = 0; l < b->s.n; l++)
            x[l] = l != j ? zero :
                !g->slope ? one :
                            product(w, HERE, PRODUCT, one, g->slope(w, w->at[0], w->at[1], b->s.key[j]));
        struct up rounding = b_rounding(w, PRODUCT, up_mul(b->top[j], b_top(x[j])));
        return b_widen(w, backward_sum(w, b, x), g->slope ? rounding : (struct up){ 0, 0 });
    }
    /* A copy: what is kept lives as long as its question, and a page of pages may ask several before it reads. */
    return g->slope ? b_step(w, PRODUCT, b_mul(w, b->ds[j], g->slope(w, w->at[0], w->at[1], b->s.key[j]))) :
                      b_widen(w, b->ds[j], (struct up){ 0, 0 });
}

/* Keys behind the end of the line y (a sink) are left out. */
void mix_score_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y)
{
    (void)m;
    struct backward b = backward_open(w, g, backward_kept(w, g));
    const struct ball **x = need((size_t)b.s.n + 1, sizeof *x), *zero = b_si(w, 0);
    for (long j = 0; j < w->len; j++)
        y[j] = b.hollow ? b_widen(w, zero, up_inf()) : zero;
    for (long j = 0; j < b.s.n && b.s.key[j] < w->len; j++) {
        size_t mark = w->used;
        const struct ball *one = score_element(w, g, &b, j, x);
        /* A line of one term each: either order is one rounding of it. */
        y[b.s.key[j]] = ask_keep(w, mark, has_scale(w, g) ? b_step(w, SCORE, b_mul(w, one, g->scale(w))) : one);
    }
    free(x), backward_free(&b);
}

/* The factors of one line of a gradient.  hollow: the weights of a query may be no numbers, those of a picked key that
 * it does not see among them, so that nothing is known of the line.  struct factor is a query (h, i) and whole[wholes],
 * the sum of its factors over the picked keys, each times the other factor where that depends on the key.  struct
 * mix_each is one pair: its factor f (ds or p), a bound top of |f'|, a bound far of |f' - f|, what ds loses
 * absolutely as it meets the slope (early), the number `of` of its query, and its key. */
struct factor { long h, i; const struct ball **whole; };
struct mix_each { const struct ball *f; struct up top, far, early; long of, key; };
struct factors { bool hollow; long n, terms, wholes; struct factor *at; struct mix_each *each; };

/* Drops the balls made since mark, but not the factors of the last query: its whole[], and each[] from `from` on. */
static void keep(struct ask *w, size_t mark, struct factors *all, long from)
{
    const long wholes = all->wholes, n = wholes + all->terms - from;
    const struct ball **kept = need((size_t)n + 1, sizeof *kept);
    memcpy(kept, all->at[all->n - 1].whole, (size_t)wholes * sizeof *kept);
    /* mutant: loop 2e10: there is room for one more, which is not read. */
    for (long k = wholes; k < n; k++)
        kept[k] = all->each[from + k - wholes].f;
    ask_keep_all(w, mark, kept, n);
    free(kept);
}

/* The pair of query a and visible key number j in a gradient of scores: ds_j f'_j. */
static struct mix_each of_score(
    struct ask *w, const struct mix_grad *m, const struct backward *b, const struct factor *a, long j)
{
    struct mix_each e = { .f = b->ds[j], .key = b->s.key[j] };
    if (backward_bounds(w))
        e.top = b->top[j], e.far = b->far[j];
    if (!slopes(w, m))
        return e;
    if (!backward_bounds(w)) {
        e.f = sloped(w, m, a->h, a->i, e.key, e.f);
        return e;
    }
    const struct ball *f = sloped(w, m, a->h, a->i, e.key, b_si(w, 1));
    const struct up steep = b_top(f);
    e.early = slope_error(w, m, a->h, a->i, e.key, e.top);
    e.far = up_add(up_add(up_mul(e.far, steep), up_mul(e.top, f->rad)), e.early);
    e.top = up_mul(e.top, steep);
    e.f = b_step(w, PRODUCT, b_mul(w, e.f, b_at(w, f)));
    return e;
}
/* The same in a gradient of values: p_j as step WEIGHT stores it. */
static struct mix_each of_weight(struct ask *w, const struct backward *b, long j)
{
    if (!backward_bounds(w))
        return (struct mix_each){ .f = b_step(w, WEIGHT, b->p[j]), .key = b->s.key[j] };
    struct up rounding = b_rounding(w, WEIGHT, b->size[j]);
    return (struct mix_each){ .f = b->p[j],
        .top = up_add(b->size[j], rounding),
        .far = up_add(backward_far(b, j), rounding),
        .key = b->s.key[j] };
}

/* What multiplies ds of a pair: the key, or its product with the last factor. */
static const struct ball *of_key(struct ask *w, const struct mix_met *l, long h, long i, long j, long c)
{
    const struct ball *x = l->key(w, h, i, j, c);
    return l->last ? product(w, HERE, PRODUCT, l->last(w, h, i, j, c), x) : x;
}

/* What query (h, i) gives to the picked keys in[]. */
static void gather_one(struct ask *w, const struct mix_grad *m, const struct backward *b, const bool *in,
    const struct mix_met *g, struct factors *all)
{
    struct factor *a = &all->at[all->n - 1];
    const struct ball **x = need((size_t)b->s.n + 1, sizeof *x), *zero = b_si(w, 0), *one = b_si(w, 1);
    const bool of_scores = g->query || g->key;
    all->each = need_more(all->each, (size_t)(all->terms + b->s.n), sizeof *all->each);
    for (long j = 0; j < b->s.n; j++) {
        if (!in[j])
            continue;
        struct mix_each e = of_scores ? of_score(w, m, b, a, j) : of_weight(w, b, j);
        e.f = b_widen(w, e.f, (struct up){ 0, 0 }); /* It gets a ball of its own, which can be kept. */
        e.of = all->n - 1;
        all->each[all->terms++] = e;
    }
    a->whole = need((size_t)all->wholes + 1, sizeof *a->whole);
    for (long c = 0; c < all->wholes; c++) {
        /* mutant: loop: there is room for one more factor, which nothing reads. */
        for (long j = 0; j < b->s.n; j++)
            x[j] = !in[j] ?
                zero :
                sloped(w, m, a->h, a->i, b->s.key[j], g->key ? of_key(w, g, a->h, a->i, b->s.key[j], c) : one);
        a->whole[c] = of_scores ? backward_sum(w, b, x) : backward_weight(w, b, in);
    }
    free(x);
}

static struct factors gather(struct ask *w, const struct mix_grad *g, const struct mix_met *l)
{
    const struct mer_array *seed = array_in(w, g->seed);
    long heads = seed->dim[0], n = seed->dim[1], line[2] = { w->at[0], w->at[1] };
    struct factors all = { .at = need((size_t)(heads * n) + 1, sizeof *all.at),
        .wholes = !backward_bounds(w) ? 0 :
            l->key                    ? w->len :
                                        1 };
    struct backward_question *const kept = backward_kept(w, g);
    bool *picked = need((size_t)g->m.keys + 1, sizeof *picked), *in = need((size_t)g->m.keys + 1, sizeof *in);
    for (long r = 0; r < heads * n; r++) {
        size_t mark = w->used;
        const long from = all.terms;
        bool any = false, ours = false; /* A query may have places of this line, and see none of them. */
        for (long j = 0; j < g->m.keys; j++) {
            const bool of = l->of(w, r / n, r % n, j);
            any |= picked[j] = of && g->m.visible(w, r / n, r % n, j);
            ours |= of;
        }
        if (!any && !(ours && w->arith->how == WIDEN))
            continue;
        w->at[0] = r / n, w->at[1] = r % n;
        struct backward b = backward_open(w, g, kept);
        w->at[0] = line[0], w->at[1] = line[1];
        all.hollow |= b.hollow;
        for (long j = 0; j < b.s.n; j++)
            in[j] = picked[b.s.key[j]];
        if (any) {
            all.at[all.n++] = (struct factor){ r / n, r % n, NULL };
            gather_one(w, g, &b, in, l, &all);
            keep(w, mark, &all, from);
        } else
            w->used = mark; /* mutant: statement e838: only memory is given back later. */
        backward_free(&b);
    }
    free(picked), free(in);
    return all;
}

/* What it costs that ds meets the key of pair e before `last`, and is summed up so: that product may underflow, or it
 * and its sum with those before, *all, may overflow, where the other order does not.  Relatively it loses what is
 * counted already. */
static struct up met_early(struct ask *w, const struct mix_met *l, const struct factor *a, const struct mix_each *e,
    long c, struct up *all)
{
    *all = up_add(*all, up_mul(e->top, b_top(l->key(w, a->h, a->i, e->key, c))));
    return isinf(b_rounding(w, PRODUCT, *all).m) || isinf(b_rounding(w, SUM, *all).m) ?
        up_inf() :
        up_mul(b_rounding(w, PRODUCT, (struct up){ 0, 0 }), b_top(l->last(w, a->h, a->i, e->key, c)));
}

static void key_side(struct ask *w, const struct mix_grad *g, const struct mix_met *l, const struct ball **y)
{
    struct factors all = gather(w, g, l);
    const bool wide = backward_bounds(w);
    const struct ball **t = need((size_t)all.terms + 1, sizeof *t);
    struct summand *bounds = need((size_t)all.terms + 1, sizeof *bounds);
    for (long c = 0; c < w->len; c++) {
        size_t mark = w->used;
        struct up lost = { 0, 0 }, early = lost;
        const struct ball *whole = b_si(w, 0);
        for (long k = 0; k < all.terms; k++) {
            const struct mix_each *e = &all.each[k];
            const struct factor *a = &all.at[e->of];
            const struct ball *by = l->key ? of_key(w, l, a->h, a->i, e->key, c) :
                l->query                  ? l->query(w, a->h, a->i, c) :
                                            b_in(w, g->seed, a->h, a->i, c);
            if (wide && (l->query || l->key))
                lost = up_add(lost, up_mul(e->early, b_top(by)));
            if (wide && l->last)
                lost = up_add(lost, met_early(w, l, a, e, c, &early));
            if (wide)
                bounds[k] = summand(w, e->f, by, e->top, e->far, &lost);
            else
                t[k] = b_step(w, PRODUCT, b_mul(w, e->f, by));
            if (wide && (k == 0 || all.each[k - 1].of != e->of))
                whole = b_add(w, whole, l->key ? a->whole[c] : b_mul(w, a->whole[0], by));
        }
        if (wide)
            y[c] = summed(w, whole, up_add(lost, sum_error(w, SUM, bounds, all.terms, false)));
        else
            y[c] = b_sum(w, SUM, t, all.terms);
        y[c] = all.hollow ? b_widen(w, y[c], up_inf()) : l->query || l->key ? scaled(w, g, y[c]) : y[c];
        y[c] = ask_keep(w, mark, y[c]);
    }
    for (long k = 0; k < all.n; k++)
        free(all.at[k].whole);
    free(t), free(bounds), free(all.at), free(all.each);
}
void mix_key_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y)
{
    key_side(w, g, &(struct mix_met){ .of = m->of, .query = m->query }, y);
}
void mix_pair_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y)
{
    key_side(w, g, &(struct mix_met){ .of = m->of, .key = m->key, .last = m->last }, y);
}
void mix_value_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y)
{
    key_side(w, g, &(struct mix_met){ .of = m->of }, y);
}

bool mix_of_key(const struct ask *w, long h, long i, long j) { (void)i; return h == w->at[0] && j == w->at[1]; }
bool mix_of_head(const struct ask *w, long h, long i, long j) { (void)i, (void)j; return h == w->at[0]; }
const struct ball *mix_k(struct ask *w, long h, long i, long j, long c) { (void)i; return b_in(w, "k", h, j, c); }
const struct ball *mix_q(struct ask *w, long h, long i, long c) { return b_in(w, "q", h, i, c); }
const struct ball *mix_one(struct ask *w, long h, long i, long c) { (void)h, (void)i, (void)c; return b_si(w, 1); }
