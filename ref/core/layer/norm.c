/* Why the balls are narrower than their operations one by one (WIDEN):
 *   two passes   the computed mean is mu + t, one t for all k, and the computed differences are x_k - mu - t + e_k:
 *                sum (x_k - mu - t + e_k)^2 = sum (x_k - mu + e_k)^2 + d t^2 - 2 t sum e_k
 *                as sum (x_k - mu) = 0: t enters squared
 *   r            falls with v: its range over the ball of v, of which nothing is below 0, is that of its ends
 *   folded       x r - mu r = (x - mu) r: one r in both products; only their own roundings are of the size of x r
 * All of this is about the operations as they are written: where one of them is done differently (edit/site.h), the
 * balls are those of the operations one by one. */
#include <stdlib.h>
#include "layer/norm.h"
#include "ball/make.h"
#include "ball/input.h"
#include "edit/site.h"

static const struct ball *share(struct ask *w, struct source at, int step, const struct ball *sum, long n)
{
    return b_step(w, step, site_two(w, at, SITE_DIV, b_div, sum, b_si(w, n)));
}
/* Are balls asked for, of the operations as they are written?  So they are where it is noted what takes no rounding. */
static bool derived(const struct ask *w)
{
    return w->arith->how == WIDEN && (!sited(w) || (w->sites && w->sites->bits));
}
static long freedom(bool unbiased, long d) { return d - unbiased; }

/* The lower or upper end of v's ball, not below 0, as a number without a radius. */
static const struct ball *end(struct ask *w, const struct ball *v, bool upper)
{
    struct ball *b = (struct ball *)b_at(w, v);
    mpfr_t r;
    mpfr_init2(r, 64);
    up_get(r, v->rad);
    upper ? mpfr_add(b->mid, b->mid, r, MPFR_RNDU) : mpfr_sub(b->mid, b->mid, r, MPFR_RNDD);
    mpfr_clear(r);
    return (b_max)(w, b, b_si(w, 0));
}

static const struct ball *inverse_at(struct ask *w, const struct norm *n, const struct ball *v)
{
    const struct ball *eps = b_step(w, n->root, b_q(w, n->eps)), *width;
    if (b_true(w, n->outside))
        width = b_step(w, n->root, b_add(w, b_step(w, n->root, b_sqrt(w, v)), eps));
    else
        width = b_step(w, n->root, b_sqrt(w, b_step(w, n->root, b_add(w, v, eps))));
    return b_step(w, n->root, b_div(w, b_si(w, 1), width));
}

static const struct ball *inverse(struct ask *w, const struct norm *n, const struct ball *v)
{
    if (!derived(w) || v->rad.m == 0 || !mpfr_number_p(v->mid) || isinf(v->rad.m))
        return inverse_at(w, n, v);
    const struct ball *high = inverse_at(w, n, end(w, v, false)), *low = inverse_at(w, n, end(w, v, true)),
                      *mid = inverse_at(w, n, (b_max)(w, b_at(w, v), b_si(w, 0)));
    struct up up = up_add(up_far(high->mid, mid->mid), high->rad), down = up_add(up_far(low->mid, mid->mid), low->rad);
    return b_widen(w, b_at(w, mid), up_max(mid->rad, up_max(up, down)));
}

/* The sum of (x - mu)^2, with the bound that is derived above. */
static const struct ball *two_passes(struct ask *w, const struct norm *n, const struct normed *m)
{
    const struct ball **square = need((size_t)m->d + 1, sizeof *square), *sum;
    struct up all = { 0, 0 }, t;
    for (long k = 0; k < m->d; k++)
        square[k] = b_step(w, n->square, b_mul(w, m->off[k], m->off[k]));
    sum = b_sum(w, n->moment, square, m->d);
    if (derived(w) && n->centred) { /* mutant: term dcf2: of others what follows holds, too, and is never narrower. */
        const struct ball *mu = b_si(w, 0), *kept = mu;
        for (long k = 0; k < m->d; k++)
            mu = b_add(w, mu, b_at(w, m->x[k]));
        mu = b_div(w, mu, b_si(w, m->d));
        t = up_add(up_far(mu->mid, m->mean->mid), up_add(mu->rad, m->mean->rad));
        for (long k = 0; k < m->d; k++) {
            struct up e = up_add(m->x[k]->rad, b_rounding(w, n->centre, b_top(m->off[k])));
            /* mutant: argument 6e6a: its square alone is read. */
            const struct ball *own = b_widen(w, b_sub(w, b_at(w, m->x[k]), mu), e);
            kept = b_add(w, kept, b_widen(w, b_mul(w, own, own), b_rounding(w, n->square, b_top(square[k]))));
            all = up_add(all, e);
        }
        kept = b_widen(w, kept, up_add(up_mul(up_si(m->d), up_mul(t, t)), up_2exp(up_mul(t, all), 1)));
        struct ball *b = (struct ball *)b_widen(w, kept, b_sum_error(w, n->moment, square, m->d, false));
        sum = up_less(b->rad, sum->rad) ? (b->format = sum->format, b->mag = sum->mag, b) : sum;
    }
    free(square);
    return sum;
}

/* The variance v from sum x^2 and the mean; a contract takes 0 for what comes out negative. */
static const struct ball *one_pass(struct ask *w, const struct norm *n, const struct normed *m)
{
    const struct ball **square = need((size_t)m->d + 1, sizeof *square), *zero = b_si(w, 0), *v;
    for (long k = 0; k < m->d; k++)
        square[k] = b_step(w, n->square, b_mul(w, m->x[k], m->x[k]));
    v = share(w, HERE, n->moment, b_sum(w, n->moment, square, m->d), m->d);
    v = b_step(w, n->moment, b_sub(w, v, b_step(w, n->square, b_mul(w, m->mean, m->mean))));
    if (n->unbiased)
        v = b_step(w, n->moment, b_mul(w, v, b_step(w, n->moment, b_ratio(w, m->d, m->d - 1))));
    free(square);
    return mpfr_less_p(v->mid, zero->mid) && w->arith->how == ROUND ? zero : v;
}

/* Welford's next mean, mean_k = mean_{k-1} + (x_k - mean_{k-1}) / k: an error e of mean_{k-1} leaves e (1 - 1/k) in
 * it. */
static const struct ball *next_mean(
    struct ask *w, const struct norm *n, const struct ball *mean, const struct ball *x, long k)
{
    const struct ball *from = derived(w) ? b_at(w, mean) : mean, *off = b_sub(w, x, from);
    if (!derived(w))
        return b_step(w, n->mean, b_add(w, mean, share(w, HERE, n->mean, b_step(w, n->centre, off), k)));
    struct up less = b_rounding(w, n->centre, up_add(b_top(off), mean->rad)),
              top = up_add(b_top(off), up_add(mean->rad, less));
    struct up own = up_add(up_div(less, up_si(k)), b_rounding(w, n->mean, up_div(top, up_si(k))));
    struct up kept = up_div(up_mul(mean->rad, up_si(k - 1)), up_si(k));
    return b_step(w, n->mean, b_widen(w, b_add(w, from, b_div(w, off, b_si(w, k))), up_add(own, kept)));
}

/* The sum of squares M by M_k = M_{k-1} + (x_k - mean_{k-1})(x_k - mean_k); it sets m->mean, too. */
static const struct ball *welford(struct ask *w, const struct norm *n, struct normed *m)
{
    const struct ball *mean = b_step(w, n->mean, m->x[0]), *M = b_si(w, 0);
    for (long k = 1; k < m->d; k++) {
        const struct ball *next = next_mean(w, n, mean, m->x[k], k + 1);
        const struct ball *old = b_step(w, n->centre, b_sub(w, m->x[k], mean)),
                          *new = b_step(w, n->centre, b_sub(w, m->x[k], next));
        M = b_step(w, n->moment, b_add(w, M, b_step(w, n->square, b_mul(w, old, new))));
        mean = next;
    }
    m->mean = mean;
    return M;
}

struct normed norm_open(struct ask *w, const struct norm *n, const struct ball *const *x, long d)
{
    struct normed m = { .x = x, .off = need(2 * (size_t)d + 1, sizeof *m.off), .d = d };
    /* A route changes no real number, so EXACT always takes two passes. */
    int route = w->arith->how == EXACT ? NORM_TWO_PASSES : n->route;
    const struct ball *sum = NULL;
    m.y = m.off + d;
    if (d < 1)
        return m;
    if (route == NORM_WELFORD && n->centred)
        sum = welford(w, n, &m);
    else
        m.mean = b_true(w, !n->centred) ? b_si(w, 0) : share(w, HERE, n->mean, b_sum(w, n->mean, x, d), d);
    for (long k = 0; k < d; k++)
        m.off[k] = b_true(w, n->centred) ? b_step(w, n->centre, b_sub(w, x[k], m.mean)) : x[k];
    if (freedom(n->unbiased, d) < 1)
        return m;
    m.variance = route == NORM_ONE_PASS && n->centred ?
        one_pass(w, n, &m) :
        share(w, HERE, n->moment, sum ? sum : two_passes(w, n, &m), freedom(b_true(w, n->unbiased), d));
    m.r = inverse(w, n, m.variance);
    for (long k = 0; k < d; k++)
        if (n->folded && w->arith->how != EXACT && !derived(w))
            m.y[k] = b_step(w, n->scale,
                b_sub(w, b_step(w, n->scale, b_mul(w, x[k], m.r)), b_step(w, n->scale, b_mul(w, m.mean, m.r))));
        else if (n->folded) {
            struct up own = up_add(b_rounding(w, n->scale, up_mul(b_top(x[k]), b_top(m.r))),
                b_rounding(w, n->scale, up_mul(b_top(m.mean), b_top(m.r))));
            m.y[k] = b_step(w, n->scale, b_widen(w, b_mul(w, b_sub(w, x[k], m.mean), m.r), own));
        } else
            m.y[k] = b_step(w, n->scale, b_mul(w, m.off[k], m.r));
    return m;
}
void norm_close(struct normed *m) { free(m->off); }

struct norm_line norm_line_open(struct ask *w, const struct norm *n, const char *input, long i)
{
    long d = array_in(w, input)->dim[1];
    struct norm_line l = { .x = need((size_t)d + 1, sizeof *l.x) };
    for (long k = 0; k < d; k++)
        l.x[k] = b_in(w, input, i, k, 0);
    l.m = norm_open(w, n, l.x, d);
    return l;
}
void norm_line_close(struct norm_line *l) { norm_close(&l->m), free(l->x); }

void norm_back(
    struct ask *w, const struct norm *n, const struct normed *m, const struct ball *const *a, const struct ball **dx)
{
    const bool centred = b_true(w, n->centred);
    const struct ball **t = need((size_t)m->d + 1, sizeof *t),
                      *mean = centred ? share(w, HERE, n->collect, b_sum(w, n->collect, a, m->d), m->d) : NULL, *dot;
    for (long k = 0; k < m->d; k++)
        t[k] = b_step(w, n->product, b_mul(w, a[k], m->y[k]));
    dot = share(w, HERE, n->collect, b_sum(w, n->collect, t, m->d), freedom(b_true(w, n->unbiased), m->d));
    if (b_true(w, n->outside)) { /* 1 / (r sqrt v) */
        const struct ball *root = b_step(w, n->root, b_sqrt(w, m->variance));
        dot = b_step(w, n->combine,
            b_mul(w, dot,
                b_step(w, n->combine,
                    b_div(w, b_step(w, n->root, b_add(w, root, b_step(w, n->root, b_q(w, n->eps)))), root))));
    }
    for (long k = 0; k < m->d; k++) {
        const struct ball *rest = mean ? b_step(w, n->combine, b_sub(w, a[k], mean)) : a[k];
        rest = b_step(w, n->combine, b_sub(w, rest, b_step(w, n->product, b_mul(w, m->y[k], dot))));
        dx[k] = b_step(w, n->combine, b_mul(w, m->r, rest));
    }
    free(t);
}

void layer_norm(struct ask *w, const struct layer_norm *n, const struct ball *const *x, long d, const struct ball **y)
{
    const int norm = n->norm;
    struct norm l = { n->eps, true, .mean = n->mean, .centre = norm, .square = norm, .moment = n->mean, .root = norm,
        .scale = norm };
    struct normed m = norm_open(w, &l, x, d);
    for (long k = 0; k < d; k++) {
        y[k] = n->gain ? b_step(w, norm, b_mul(w, m.y[k], b_element(w, n->gain, k))) : m.y[k];
        y[k] = n->shift ? b_step(w, norm, b_add(w, y[k], b_element(w, n->shift, k))) : y[k];
    }
    norm_close(&m);
}
