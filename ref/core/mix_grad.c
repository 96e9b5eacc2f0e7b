/* Gradients gathered over keys (dq) and over queries (dk, dv, tables); one query's share: backward.c. */
#include <stdlib.h>
#include "backward.h"

const char grad_steps[] = "output dp ds";

static const struct ball *scaled(struct ask *w, const struct mix_grad *g, const struct ball *y)
{
    return g->scale ? b_step(w, SCORE, b_mul(w, y, b_step(w, SCORE, g->scale(w)))) : y;
}

/* A product f x as the bound of its sum sees it; its rounding joins *lost.  top: above |f'|, far: of f' from f. */
static struct summand summand(struct ask *w, const struct ball *f, const struct ball *x, struct up top, struct up far, struct up *lost)
{
    struct up rounding = b_rounding(w, PRODUCT, up_mul(top, b_top(x)));
    *lost = up_add(*lost, rounding);
    return b_summand(b_mul(w, f, b_at(w, x)), up_add(up_mul(far, b_top(x)), up_add(up_mul(top, x->rad), rounding)), b_format(w, PRODUCT));
}
static const struct ball *summed(struct ask *w, const struct ball *sum, struct up error) /* rounded to the sum's format last */
{
    struct ball *y = (struct ball *)b_widen(w, sum, error);
    y->p = b_format(w, SUM);
    return y;
}

void mix_query_grad(struct ask *w, const struct mix_grad *g, mix_key *x, const struct ball **y)
{
    struct backward b = backward_open(w, g);
    const struct ball **t = need(2 * (size_t)b.s.n + 1, sizeof *t), **k = t + b.s.n;
    struct summand *wide = need((size_t)g->m.keys + 1, sizeof *wide);
    for (long c = 0; c < w->len; c++) {
        size_t mark = w->used;
        struct up lost = { 0, 0 };
        for (long j = 0; j < b.s.n; j++)
            k[j] = x(w, w->at[0], w->at[1], b.s.key[j], c);
        for (long j = 0; j < b.s.n; j++)
            if (w->arith->how == WIDEN)
                wide[j] = summand(w, b.ds[j], k[j], b.top[j], b.far[j], &lost);
            else if (w->arith->how == ROUND)
                t[j] = b_step(w, PRODUCT, b_mul(w, b.ds[j], k[j]));
        y[c] = w->arith->how == ROUND ? b_sum(w, SUM, t, b.s.n) : backward_sum(w, &b, k);
        if (w->arith->how == WIDEN)
            y[c] = summed(w, y[c], up_add(lost, keys_error(w, &b.s, SUM, wide, g->m.keys, false)));
        y[c] = ask_keep(w, mark, scaled(w, g, y[c]));
    }
    free(t), free(wide), backward_close(&b);
}

void mix_score_grad(struct ask *w, const struct mix_grad *g, const struct ball **y)
{
    struct backward b = backward_open(w, g);
    const struct ball **x = need((size_t)b.s.n + 1, sizeof *x), *zero = b_si(w, 0), *one = b_si(w, 1);
    for (long j = 0; j < g->m.keys; j++)
        y[j] = zero;
    for (long j = 0; j < b.s.n; j++)
        x[j] = zero;
    for (long j = 0; j < b.s.n; j++) {
        x[j] = one;
        y[b.s.key[j]] = w->arith->how == WIDEN ? backward_sum(w, &b, x) : b.ds[j];
        x[j] = zero;
    }
    free(x), backward_close(&b);
}

/* Factors of one line: per query their sum over the picked keys (whole), and each. */
struct factor { long h, i, n; const struct ball *whole; };
struct each { const struct ball *f; struct up top, far; long of; };
struct factors { long n, terms, room; struct factor *at; struct each *each; };

static void keep(struct ask *w, size_t mark, struct factors *all, long from) /* drop the balls of a query but its factors */
{
    size_t end = w->used, kept = mark;
    struct factor *a = &all->at[all->n - 1];
    ask_keep(w, kept++, a->whole);
    for (long k = from; k < all->terms; k++)
        if (all->each[k].f != a->whole)
            w->used = end, ask_keep(w, kept++, all->each[k].f);
    w->used = kept;
}

/* What query (h, i) gives to the picked keys in[]: ds, or weights. */
static void gather_one(struct ask *w, const struct backward *b, const bool *in, bool of_scores, struct factors *all)
{
    struct factor *a = &all->at[all->n++];
    const struct ball **x = need((size_t)b->s.n + 1, sizeof *x), *zero = b_si(w, 0), *one = b_si(w, 1);
    struct up stored = { 0, 0 };
    for (long j = 0; j < b->s.n; j++) {
        x[j] = in[j] ? one : zero;
        if (!in[j])
            continue;
        if (all->terms == all->room)
            all->room = all->room ? 2 * all->room : 64, all->each = need_more(all->each, (size_t)all->room, sizeof *all->each);
        struct up rounding = of_scores ? (struct up){ 0, 0 } : b_rounding(w, WEIGHT, b->size[j]);
        struct each e = { .f = b->ds[j], .top = b->top[j], .far = b->far[j], .of = all->n - 1 };
        if (!of_scores)
            e = (struct each){ w->arith->how == WIDEN ? b->p[j] : b_step(w, WEIGHT, b->p[j]), up_add(b->size[j], rounding), up_add(backward_far(b, j), rounding), all->n - 1 };
        all->each[all->terms++] = e;
        stored = up_add(stored, rounding);
    }
    if (w->arith->how == WIDEN)
        a->whole = b_widen(w, of_scores ? backward_sum(w, b, x) : backward_weight(w, b, in), stored);
    else
        a->whole = all->each[all->terms - 1].f; /* read under WIDEN only */
    free(x);
}

static struct factors gather(struct ask *w, const struct mix_grad *g, mix_picks *of, bool of_scores)
{
    const struct mer_array *seed = array_in(w, g->seed);
    long heads = seed->dim[0], n = seed->dim[1], line[2] = { w->at[0], w->at[1] };
    struct factors all = { .at = need((size_t)(heads * n) + 1, sizeof *all.at) };
    bool *picked = need((size_t)g->m.keys + 1, sizeof *picked), *in = need((size_t)g->m.keys + 1, sizeof *in);
    for (long r = 0; r < heads * n; r++) {
        size_t mark = w->used;
        long from = all.terms, any = 0;
        for (long j = 0; j < g->m.keys; j++)
            any += picked[j] = of(w, r / n, r % n, j) && g->m.visible(w, r / n, r % n, j);
        if (!any)
            continue;
        w->at[0] = r / n, w->at[1] = r % n;
        struct backward b = backward_open(w, g);
        for (long j = 0; j < b.s.n; j++)
            in[j] = picked[b.s.key[j]];
        gather_one(w, &b, in, of_scores, &all);
        all.at[all.n - 1].h = r / n, all.at[all.n - 1].i = r % n;
        keep(w, mark, &all, from);
        backward_close(&b);
        w->at[0] = line[0], w->at[1] = line[1];
    }
    free(picked), free(in);
    return all;
}

static const struct ball *seed_of(struct ask *w, const struct mix_grad *g, long h, long i, long c) { return b_in(w, g->seed, h, i, c); }

static void key_side(struct ask *w, const struct mix_grad *g, mix_picks *of, mix_query *x, const struct ball **y) /* x NULL: weights, and the seed */
{
    struct factors all = gather(w, g, of, x != NULL);
    const struct ball **t = need((size_t)all.terms + 1, sizeof *t);
    struct summand *wide = need((size_t)all.terms + 1, sizeof *wide);
    for (long c = 0; c < w->len; c++) {
        size_t mark = w->used;
        struct up lost = { 0, 0 };
        const struct ball *whole = b_si(w, 0);
        for (long k = 0; k < all.terms; k++) {
            const struct each *e = &all.each[k];
            const struct factor *a = &all.at[e->of];
            const struct ball *by = x ? x(w, a->h, a->i, c) : seed_of(w, g, a->h, a->i, c);
            if (w->arith->how == WIDEN)
                wide[k] = summand(w, e->f, by, e->top, e->far, &lost);
            else
                t[k] = b_step(w, PRODUCT, b_mul(w, e->f, by));
            if (w->arith->how == WIDEN && (k == 0 || all.each[k - 1].of != e->of))
                whole = b_add(w, whole, b_mul(w, a->whole, by));
        }
        if (w->arith->how == WIDEN)
            y[c] = summed(w, whole, up_add(lost, sum_error(w, SUM, wide, all.terms, false)));
        else
            y[c] = b_sum(w, SUM, t, all.terms);
        y[c] = ask_keep(w, mark, x ? scaled(w, g, y[c]) : y[c]);
    }
    free(t), free(wide), free(all.at), free(all.each);
}
void mix_key_grad(struct ask *w, const struct mix_grad *g, mix_picks *of, mix_query *x, const struct ball **y) { key_side(w, g, of, x, y); }
void mix_value_grad(struct ask *w, const struct mix_grad *g, mix_picks *of, const struct ball **y) { key_side(w, g, of, NULL, y); }
