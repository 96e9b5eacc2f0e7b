/* The balls of a normalised line and of its way back (ref/core/layer/norm.c) against a second evaluation in doubles:
 * the definition, operation by operation as norm.h lists them, and the bounds that norm.c derives where operations
 * alone would be wider.  Every route, any subset of steps that round, inputs with radii.  Midpoints and radii agree to
 * nine digits. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "layer/norm.h"
#include "row/row.h"
#include "trial/trial.h"

enum { WIDTH = 9 };
enum { MEAN, CENTRE, SQUARE, MOMENT, ROOT, SCALE, PRODUCT, COLLECT, COMBINE, NORM_STEPS };
static uint64_t state;
static long draw(long n) { return (long)(gen_bits(41, 0, state++) % (uint64_t)n); }

/* A number and how far it may be off. */
struct near {
    double x, r;
};
/* The arithmetic of a line; lean: by how much magnitudes are taken smaller or larger where they decide a binade. */
struct line {
    struct ask *w;
    const struct norm *n;
    long d;
    double lean;
};

static double rounds(const struct line *l, int s, double top)
{ return up_double(b_rounding(l->w, s, up_d(top * (1 + l->lean)))); }
static struct near step(const struct line *l, int s, struct near a)
{ return (struct near){ a.x, a.r + rounds(l, s, fabs(a.x) + a.r) }; }
static struct near plus(struct near a, struct near b) { return (struct near){ a.x + b.x, a.r + b.r }; }
static struct near minus(struct near a, struct near b) { return (struct near){ a.x - b.x, a.r + b.r }; }
static struct near times(struct near a, struct near b)
{ return (struct near){ a.x * b.x, fabs(a.x) * b.r + a.r * (fabs(b.x) + b.r) }; }
static struct near over(struct near a, struct near b)
{
    const double q = a.x / b.x, low = fabs(b.x) - b.r;
    return low > 0 ? (struct near){ q, (a.r + fabs(q) * b.r) / low } : (struct near){ 0, (double)INFINITY };
}
static struct near root(struct near a)
{
    return a.x >= a.r ? (struct near){ sqrt(a.x), a.r > 0 ? a.r / sqrt(a.x) : 0 } :
                        (struct near){ 0, (double)INFINITY };
}
static struct near exact(double x) { return (struct near){ x, 0 }; }

/* What the additions of t[n] lose. */
static double adding(const struct line *l, int s, const struct near *t, long n, const struct format *f)
{
    struct summand all[WIDTH];
    for (long k = 0; k < n; k++)
        all[k] = (struct summand){ t[k].x * (1 + l->lean), up_d(t[k].r), f };
    return up_double(sum_error(l->w, s, all, n, false));
}
static struct near sum(const struct line *l, int s, const struct near *t, long n, const struct format *f)
{
    struct near y = { 0, adding(l, s, t, n, f) };
    for (long k = 0; k < n; k++)
        y = plus(y, t[k]);
    return y;
}
static struct near share(const struct line *l, int s, struct near a, long n)
{ return step(l, s, over(a, exact((double)n))); }

/* A line and its second evaluation. */
struct second {
    struct near x[WIDTH], off[WIDTH], y[WIDTH], mean, v, r;
};

static struct near inverse_at(const struct line *l, double v)
{
    const struct near eps = step(l, ROOT, exact(mpq_get_d(l->n->eps)));
    const struct near width = l->n->outside ? step(l, ROOT, plus(step(l, ROOT, root(exact(v))), eps)) :
                                              step(l, ROOT, root(step(l, ROOT, plus(exact(v), eps))));
    return step(l, ROOT, over(exact(1), width));
}

/* The inverse falls with v: over the ball of v, cut off at 0, it lies between those of its ends. */
static struct near inverse(const struct line *l, struct near v)
{
    const struct near high = inverse_at(l, fmax(v.x - v.r, 0)), low = inverse_at(l, fmax(v.x + v.r, 0)),
                      mid = v.x < 0 ? high : inverse_at(l, v.x);
    return (struct near){ mid.x, fmax(mid.r, fmax(fabs(high.x - mid.x) + high.r, fabs(low.x - mid.x) + low.r)) };
}

/* The squares of x - mu, where mu is off by t in all of them alike: t enters squared, and times what else is off. */
static struct near squares(const struct line *l, const struct second *s)
{
    struct near square[WIDTH], own = { 0, 0 };
    double mu = 0, all = 0;
    const struct format *f = b_format(l->w, SQUARE);
    for (long k = 0; k < l->d; k++)
        square[k] = step(l, SQUARE, times(s->off[k], s->off[k])), mu += s->x[k].x / (double)l->d;
    const struct near plain = sum(l, MOMENT, square, l->d, f);
    if (!l->n->centred)
        return plain;
    const double t = fabs(mu - s->mean.x) + s->mean.r;
    for (long k = 0; k < l->d; k++) {
        const double e = s->x[k].r + rounds(l, CENTRE, fabs(s->off[k].x) + s->off[k].r);
        const struct near off = { s->x[k].x - mu, e }, one = times(off, off);
        own = plus(own, one), own.r += rounds(l, SQUARE, square[k].x + square[k].r), all += e;
    }
    own.r += (double)l->d * t * t + 2 * t * all + adding(l, MOMENT, square, l->d, f);
    return own.r < plain.r ? own : plain;
}

/* The factor d / (d - 1) of an unbiased variance; where it has few bits it is a number of every format, and stays. */
static struct near freedom(const struct line *l)
{
    const struct near ratio = exact((double)l->d / (double)(l->d - 1));
    const struct rounding *r = &l->w->arith->at[MOMENT];
    return r->ulps <= 1 && r->absolute == 0 && 8 * ratio.x == trunc(8 * ratio.x) ? ratio : step(l, MOMENT, ratio);
}

static struct near one_pass(const struct line *l, const struct second *s)
{
    struct near square[WIDTH];
    for (long k = 0; k < l->d; k++)
        square[k] = step(l, SQUARE, times(s->x[k], s->x[k]));
    struct near v = share(l, MOMENT, sum(l, MOMENT, square, l->d, b_format(l->w, SQUARE)), l->d);
    v = step(l, MOMENT, minus(v, step(l, SQUARE, times(s->mean, s->mean))));
    return l->n->unbiased ? step(l, MOMENT, times(v, freedom(l))) : v;
}

/* Welford's recursion; an error of the mean shrinks from step to step by 1 - 1/k. */
static struct near welford(const struct line *l, struct second *s)
{
    struct near M = { 0, 0 }, mean = step(l, MEAN, s->x[0]);
    for (long k = 1; k < l->d; k++) {
        const double n = (double)(k + 1);
        const struct near from = exact(mean.x), off = minus(s->x[k], from);
        const double less = rounds(l, CENTRE, fabs(off.x) + off.r + mean.r), top = fabs(off.x) + off.r + mean.r + less;
        struct near next = plus(from, over(off, exact(n)));
        next.r += less / n + rounds(l, MEAN, top / n) + mean.r * (n - 1) / n;
        next = step(l, MEAN, next);
        const struct near old = step(l, CENTRE, minus(s->x[k], mean)), new = step(l, CENTRE, minus(s->x[k], next));
        M = step(l, MOMENT, plus(M, step(l, SQUARE, times(old, new))));
        mean = next;
    }
    s->mean = mean;
    return M;
}

static void normalise(const struct line *l, struct second *s)
{
    const struct norm *n = l->n;
    const long free = l->d - n->unbiased;
    struct near M = { 0, 0 };
    s->mean = n->centred ? share(l, MEAN, sum(l, MEAN, s->x, l->d, NULL), l->d) : M;
    if (n->route == NORM_WELFORD && n->centred)
        M = welford(l, s);
    for (long k = 0; k < l->d; k++)
        s->off[k] = n->centred ? step(l, CENTRE, minus(s->x[k], s->mean)) : s->x[k];
    s->v = n->route == NORM_ONE_PASS && n->centred ?
        one_pass(l, s) :
        share(l, MOMENT, n->route == NORM_WELFORD && n->centred ? M : squares(l, s), free);
    s->r = inverse(l, s->v);
    for (long k = 0; k < l->d; k++) {
        struct near y = times(n->folded ? minus(s->x[k], s->mean) : s->off[k], s->r);
        const double R = fabs(s->r.x) + s->r.r;
        if (n->folded)
            y.r += rounds(l, SCALE, (fabs(s->x[k].x) + s->x[k].r) * R) +
                rounds(l, SCALE, (fabs(s->mean.x) + s->mean.r) * R);
        s->y[k] = step(l, SCALE, y);
    }
}

/* dx = r (a - mean a - y <a, y> / N), with the factor (sqrt(v) + eps) / sqrt(v) where eps stands outside. */
static void back(const struct line *l, const struct second *s, const struct near *a, struct near *dx)
{
    struct near t[WIDTH], mean = { 0, 0 }, dot;
    if (l->n->centred)
        mean = share(l, COLLECT, sum(l, COLLECT, a, l->d, NULL), l->d);
    for (long k = 0; k < l->d; k++)
        t[k] = step(l, PRODUCT, times(a[k], s->y[k]));
    dot = share(l, COLLECT, sum(l, COLLECT, t, l->d, b_format(l->w, PRODUCT)), l->d - l->n->unbiased);
    if (l->n->outside) {
        const struct near sqrt_v = step(l, ROOT, root(s->v)), eps = step(l, ROOT, exact(mpq_get_d(l->n->eps)));
        dot = step(l, COMBINE, times(dot, step(l, COMBINE, over(step(l, ROOT, plus(sqrt_v, eps)), sqrt_v))));
    }
    for (long k = 0; k < l->d; k++) {
        struct near rest = l->n->centred ? step(l, COMBINE, minus(a[k], mean)) : a[k];
        rest = step(l, COMBINE, minus(rest, step(l, PRODUCT, times(s->y[k], dot))));
        dx[k] = step(l, COMBINE, times(s->r, rest));
    }
}

static const struct ball *ball(struct ask *w, struct near a)
{
    struct ball *b = (struct ball *)b_si(w, 0);
    mpfr_set_d(b->mid, a.x, MPFR_RNDN);
    b->mag = up_of(b->mid), b->rad = up_d(a.r);
    return b;
}

/* Expects a ball to be what was evaluated with smaller and with larger magnitudes. */
static void expect(const char *what, int k, const struct ball *got, struct near low, struct near high)
{
    const double r = b_radius(got);
    if (!(low.r < 1e15) || !(high.r < 1e15)) /* The whole line, or nothing that is known. */
        return;
    cr_assert(fabs(b_value(got) - low.x) <= 1e-9 * (1 + fabs(low.x)), "%s, case %d: %.17g, %.17g", what, k,
        b_value(got), low.x);
    const double floor = 1e-13 * (1 + fabs(low.x)); /* The last bits of doubles that cancel. */
    cr_assert(r >= low.r * (1 - 1e-9) - floor && r <= high.r * (1 + 1e-9) + floor,
        "%s, case %d: radius %.17g, by its formula %.17g to %.17g", what, k, r, low.r, high.r);
}

static void one(int k)
{
    struct arith a = { .how = WIDEN };
    for (int s = 0; s < NORM_STEPS; s++)
        a.at[s] = (struct rounding){ .f = draw(2) ? NULL : &formats[1 + draw(3)],
            .ulps = draw(3) ? 1 : 2.5,
            .absolute = draw(9) ? 0 : ldexp(1 + (double)draw(99) / 100, -16) };
    struct ask w = { .arith = &a };
    mpq_t eps;
    mpq_init(eps);
    mpq_set_si(eps, 1 + draw(3), 1000);
    const struct norm n = { .eps = eps,
        .centred = draw(4) > 0,
        .unbiased = draw(2),
        .outside = draw(2),
        .folded = draw(2),
        .route = (int)draw(3),
        .mean = MEAN,
        .centre = CENTRE,
        .square = SQUARE,
        .moment = MOMENT,
        .root = ROOT,
        .scale = SCALE,
        .product = PRODUCT,
        .collect = COLLECT,
        .combine = COMBINE };
    struct second s[2];
    const struct ball *x[WIDTH], *from[WIDTH], *dx[WIDTH];
    struct near seed[WIDTH], to[2][WIDTH];
    const long d = 2 + draw(WIDTH - 1);
    ask_reset(&w, 200);
    for (long j = 0; j < d; j++) {
        s[0].x[j] = s[1].x[j] =
            (struct near){ (double)(draw(1L << 40) - (1L << 39)) * 0x1p-36, draw(2) ? ldexp(1, -(int)draw(9) - 9) : 0 };
        seed[j] = (struct near){ (double)(draw(1L << 40) - (1L << 39)) * 0x1p-36, draw(2) ? 0x1p-12 : 0 };
        x[j] = ball(&w, s[0].x[j]), from[j] = ball(&w, seed[j]);
    }
    struct normed m = norm_open(&w, &n, x, d);
    norm_back(&w, &n, &m, from, dx);
    for (int high = 0; high < 2; high++) {
        const struct line l = { &w, &n, d, high ? 0x1p-46 : -0x1p-46 };
        normalise(&l, &s[high]), back(&l, &s[high], seed, to[high]);
    }
    expect("mean", k, m.mean, s[0].mean, s[1].mean), expect("variance", k, m.variance, s[0].v, s[1].v);
    expect("inverse", k, m.r, s[0].r, s[1].r);
    for (long j = 0; j < d; j++) {
        expect("off", k, m.off[j], s[0].off[j], s[1].off[j]), expect("normalised", k, m.y[j], s[0].y[j], s[1].y[j]);
        expect("way back", k, dx[j], to[0][j], to[1][j]);
    }
    norm_close(&m), ask_clear(&w), mpq_clear(eps);
}
Test(moments, of_normalised_lines_have_the_radius_of_their_formula)
{
    for (int k = 0; k < 1500; k++)
        one(k);
}
