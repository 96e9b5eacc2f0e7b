/* The balls of softmax means and of their log-sum-exp (soft.c, mean.c, plain_mean.c and divided.c of ref/core/softmax)
 * against a second evaluation of the formulas that their comments derive, in doubles, and gradients (backward.c,
 * mix_grad.c) likewise: every route, any subset of steps that round, of all formats and structures, scores, values and
 * seeds with radii, hidden keys.  Roundings of single values and of sums are asked of round.c, which
 * tests/bounds.c checks.  A radius is its formula to nine digits: a term left out or counted twice is seen on either
 * side. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "row/row.h"
#include "softmax/backward.h"
#include "softmax/divided.h"
#include "softmax/mean.h"
#include "softmax/mix_grad.h"
#include "softmax/plain.h"
#include "softmax/plain_mean.h"
#include "trial/trial.h"
#include "given_ball.h"

enum { KEYS = 24, COLUMNS = 2, QUERIES = 2 };
static uint64_t state;
static long draw(long n) { return (long)(gen_bits(37, 0, state++) % (uint64_t)n); }

/* By query and key, the score and its radius, and whether the key is seen; by key, the values and theirs. */
static struct question {
    bool seen[KEYS];
    double s[KEYS], rs[KEYS];
} asked[QUERIES];
static double v_of[KEYS][COLUMNS], rv_of[KEYS];

static const struct ball *score(struct ask *w, long h, long i, long j)
{
    (void)h;
    return given_ball(w, asked[i].s[j], asked[i].rs[j]);
}
static const struct ball *value(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i;
    return given_ball(w, v_of[j][c], rv_of[j]);
}
static bool seen(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h;
    return asked[i].seen[j];
}
static float stored_values[KEYS * COLUMNS];
static struct mer_array stored = { "v", MER_F32, 2, { KEYS, COLUMNS }, stored_values };
static struct span values(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h, (void)i;
    return (struct span){ &stored, j * COLUMNS, NULL, 0 };
}

static double tiny(long from, long range) { return ldexp(1 + (double)draw(1000) / 1000, -(int)(from + draw(range))); }

/* edge: the largest score, natural or to base 2, may lie just below a power of two. */
static void ask_anything(bool exact_values, bool edge)
{
    const long far = draw(3) ? 4 : draw(2) ? 30 : 200, blur = draw(3), grid = 1L << draw(11);
    for (struct question *q = asked; q < asked + QUERIES; q++) {
        for (long j = 0; j < KEYS; j++) {
            q->seen[j] = draw(8) > 0;
            q->s[j] = (double)(draw(2 * far * grid + 1) - far * grid) / (double)grid;
            q->rs[j] = blur ? tiny(8, blur == 1 ? 12 : 40) : 0;
        }
        const long some = draw(KEYS);
        q->seen[some] = true;
        if (edge && draw(4) == 0) {
            for (long j = 0; j < KEYS; j++)
                q->s[j] = -fabs(q->s[j]);
            q->s[some] = ldexp(1 - ldexp(1, -3 - (int)draw(20)), 1 + (int)draw(4)) / (draw(2) ? 1 : log(2));
        }
    }
    for (long j = 0; j < KEYS; j++) {
        rv_of[j] = !exact_values && draw(2) ? tiny(4, 12) : 0;
        for (long c = 0; c < COLUMNS; c++)
            v_of[j][c] = (double)(draw(4097) - 2048) / 256, stored_values[j * COLUMNS + c] = (float)v_of[j][c];
    }
}

/* Each step rounds or not, by any word. */
static void round_anyhow(struct arith *a)
{
    const long often = draw(3) ? 3 : 1;
    *a = (struct arith){ .how = draw(8) ? WIDEN : EXACT, .ftz = draw(4) == 0 };
    for (int s = 0; s < GRAD_STEPS; s++) {
        struct rounding *r = &a->at[s];
        *r = (struct rounding){ .f = draw(often) ? NULL : &formats[1 + draw(3)], .ulps = draw(3) ? 1 : 2.5 };
        r->absolute = draw(8) ? 0 : ldexp(1 + (double)draw(1000) / 1000, -(int)draw(20) - 4);
        if (s == SUM || s == TOTAL)
            r->lanes = draw(2) ? 1 + (int)draw(5) : 0, r->height = draw(2) && !r->lanes ? 5 : 0;
        if ((s == SUM || s == TOTAL) && draw(8) == 0)
            *r = (struct rounding){ .f = &formats[1 + draw(3)], .ulps = 1, .block = 4 };
    }
}

/* The second evaluation.  A magnitude decides a binade, and one that is a power of two up to the roundings here may be
 * taken for less or for more: all is evaluated with magnitudes a little smaller, and a little larger. */
static double lean;
struct second {
    struct ask *w;
    const struct mix *m;
    const struct question *q;
    long n, key[KEYS], R[KEYS], rescales;
    double s[KEYS], rs[KEYS]; /* By seen key, as natural logarithms: on route exp2 scores come in base 2. */
    double e[KEYS], D[KEYS], T, total, sum, low, lost, max, rmax;
    bool underflow, moving;
};
static double rounds(const struct second *x, int step, double top)
{ return up_double(b_rounding(x->w, step, up_d(top * (1 + lean)))); }
static double unit(const struct second *x, int step) { return up_double(b_unit(x->w, step)); }
static double absolute(const struct second *x, int step) { return up_double(b_absolute(x->w, step)); }
static double grows(double x) { return up_double(up_expm1(up_d(x))); } /* e^x - 1 */
static struct summand term(double mid, double rad, const struct format *f)
{ return (struct summand){ mid * (1 + lean), up_d(rad), f }; }

/* An error that what remains of a total divides; nothing is known where nothing remains. */
static double over(double error, double low) { return error == 0 ? 0 : low > 0 ? error / low : (double)INFINITY; }

/* Nothing times what is not known is not known. */
static double known(double error) { return isnan(error) ? (double)INFINITY : error; }

/* -1, 0 or 1 where it is certain which of two scores is the larger, else 2. */
static int compared(double x, double rx, double y, double ry)
{ return rx == 0 && ry == 0 && x == y ? 0 : fabs(x - y) > rx + ry ? (x > y ? 1 : -1) : 2; }
static void join(double *x, double *rx, double y, double ry) /* x becomes the larger of both. */
{
    const int order = compared(*x, *rx, y, ry);
    if (order == 2)
        *x = fmax(*x, y), *rx = fmax(*rx, ry);
    else if (order < 0)
        *x = y, *rx = ry;
}

/* How many rescalings may come behind each key: one at each block whose greatest score may pass what came before; on
 * the lazy route, pass the reference point by more than the slack, where that point is certain. */
static void count(struct second *x)
{
    double run = 0, rrun = 0, point = 0, rpoint = 0;
    bool first = true, certain = false;
    for (long j = 0; x->m->block && j < x->n; j += x->m->block) {
        const long end = j + x->m->block < x->n ? j + x->m->block : x->n;
        double top = x->s[j], rtop = x->rs[j];
        for (long l = j + 1; l < end; l++)
            join(&top, &rtop, x->s[l], x->rs[l]);
        const bool lazy = x->m->route == LAZY && certain;
        const int passed =
            first ? 0 : compared(top, rtop, lazy ? point + (double)x->m->slack : run, lazy ? rpoint : rrun);
        x->rescales += passed > 0;
        if (first || passed == 1)
            certain = first || certain, point = top, rpoint = rtop;
        certain = certain && passed != 2;
        for (long l = j; l < end; l++)
            x->R[l] = x->rescales;
        first ? (void)(run = top, rrun = rtop) : join(&run, &rrun, top, rtop);
        first = false;
    }
    for (long j = 0; j < x->n; j++)
        x->R[j] = x->rescales - x->R[j];
}

/* The additions over the seen keys, or over all keys with zeros for the others: the worse of both where it matters. */
static double adding(const struct second *x, int step, const struct summand *t, bool moving)
{
    static struct summand all[KEYS];
    double worst = up_double(sum_error(x->w, step, t, x->n, moving));
    const struct rounding *r = &x->w->arith->at[step];
    for (long j = 0; j < KEYS; j++)
        all[j] = (struct summand){ 0 };
    for (long j = 0; j < x->n; j++)
        all[x->key[j]] = t[j];
    return r->lanes >= 2 || r->block ? fmax(worst, up_double(sum_error(x->w, step, all, KEYS, moving))) : worst;
}

static void weigh_again(struct second *x)
{
    struct summand t[KEYS];
    const double u = unit(x, EXP), slack = (double)x->m->slack;
    const bool lazy = x->m->route == LAZY;
    const double base = x->m->route == EXP2 ? log(2) : 1;
    for (long j = 0; j < KEYS; j++)
        if (x->q->seen[j])
            x->s[x->n] = base * x->q->s[j], x->rs[x->n] = base * x->q->rs[j], x->key[x->n++] = j;
    x->max = x->s[0], x->rmax = x->rs[0];
    for (long j = 1; j < x->n; j++)
        join(&x->max, &x->rmax, x->s[j], x->rs[j]);
    if (x->w->arith->how == WIDEN)
        count(x);
    x->moving = x->rescales || lazy;
    for (long j = 0; j < x->n; j++) {
        const double z = x->s[j] - x->max, past = 1 + (double)x->R[j];
        double far = fabs(z) + x->rs[j] + x->rmax;
        if (lazy)
            far = x->R[j] ? far + 2 * slack : fmax(far, slack);
        const double shift = x->moving ? unit(x, SHIFT) * far + past * absolute(x, SHIFT) :
            x->m->route == EXP2        ? rounds(x, SHIFT, far / log(2)) * log(2) :
                                         rounds(x, SHIFT, far);
        const double T = x->rs[j] + shift + past * u / (1 - u),
                     beside = absolute(x, EXP) * (lazy ? grows(slack) + 1 : 1);
        x->e[j] = exp(z), x->D[j] = x->e[j] * grows(T);
        if (x->e[j] + x->D[j] < up_double(b_smallest(x->w, EXP)))
            x->D[j] += past * rounds(x, EXP, 0), x->underflow = true;
        if (beside > 0)
            x->D[j] += past * beside, x->underflow = true;
        x->T = fmax(x->T, T), x->sum += x->D[j], x->total += x->e[j];
    }
    x->low = fmax(x->total - x->sum, 0);
    for (long j = 0; j < x->n; j++) {
        const double scaled = (x->e[j] + x->D[j]) * grows((double)x->R[j] * unit(x, RESCALE));
        t[j] = term(x->e[j], x->D[j] + scaled + (double)x->R[j] * absolute(x, RESCALE), b_format(x->w, EXP));
        x->lost += scaled;
    }
    x->lost += (double)x->rescales * absolute(x, RESCALE) + adding(x, TOTAL, t, x->moving);
}

static double held_rounds(const struct second *x, int step, double top, bool held)
{ return held ? unit(x, step) * top + rounds(x, step, 0) : rounds(x, step, top); }

/* What the radius of column c is, and *own, the part that is not the weights' doing; *o: the mean. */
static double mean_again(const struct second *x, long c, double *o, double *own)
{
    struct summand t[KEYS];
    double moved = 0, blur = 0, lost = 0, most = -(double)INFINITY, least = (double)INFINITY;
    *o = 0;
    for (long j = 0; j < x->n; j++)
        *o += x->e[j] * v_of[x->key[j]][c] / x->total, most = fmax(most, v_of[x->key[j]][c]),
                                                       least = fmin(least, v_of[x->key[j]][c]);
    for (long j = 0; j < x->n; j++) {
        const double v = v_of[x->key[j]][c], rv = rv_of[x->key[j]], V = fabs(v) + rv, size = x->e[j] + x->D[j];
        const bool held = x->R[j] || x->m->route == LAZY;
        const double weight = held_rounds(x, WEIGHT, size, held);
        double more = weight * V + held_rounds(x, PRODUCT, (size + weight) * V, held) +
            size * V * grows((double)x->R[j] * unit(x, RESCALE));
        moved += x->D[j] * fabs(v - *o), blur += size * rv, lost += more;
        t[j] = term(x->e[j] * v, x->D[j] * V + size * rv + more, b_format(x->w, PRODUCT));
    }
    lost += adding(x, SUM, t, x->moving) + (double)x->rescales * absolute(x, RESCALE);
    const double off =
        fmin(over(moved, x->low), (most - least) * (x->underflow ? 1 : fmin(1, x->T / 2))) + over(blur, x->low);
    const double rest = over(lost + (fabs(*o) + off) * x->lost, x->low - x->lost),
                 div = rounds(x, DIV, fabs(*o) + off + rest);
    *own = over(blur, x->low) + rest + div;
    return known(off + rest + div);
}

static double divided_again(const struct second *x, long c, double *o, double *own)
{
    struct summand t[KEYS];
    double moved = 0, lost = 0, most = -(double)INFINITY, least = (double)INFINITY;
    const double low = x->low - x->lost;
    *o = 0;
    for (long j = 0; j < x->n; j++)
        *o += x->e[j] * v_of[x->key[j]][c] / x->total, most = fmax(most, v_of[x->key[j]][c]),
                                                       least = fmin(least, v_of[x->key[j]][c]);
    for (long j = 0; j < x->n; j++) {
        const double v = v_of[x->key[j]][c], rv = rv_of[x->key[j]], V = fabs(v) + rv, p = x->e[j] / x->total;
        const double top = over(x->e[j] + x->D[j], low), div = rounds(x, DIV, top),
                     r = div + rounds(x, WEIGHT, top + div);
        const double product = rounds(x, PRODUCT, (top + r) * V), blur = (top + r) * rv;
        moved += x->D[j] * fabs(v - *o), lost += r * V + product + blur;
        t[j] = term(
            p * v, (over(x->D[j] + p * (x->sum + x->lost), low) + r) * V + blur + product, b_format(x->w, PRODUCT));
    }
    const double off = fmin(over(moved, x->low), (most - least) * (x->underflow ? 1 : fmin(1, x->T / 2)));
    lost += over((fabs(*o) + off) * x->lost, low) + adding(x, SUM, t, false);
    *own = lost;
    return known(off + lost);
}

static double lse_again(const struct second *x)
{
    double off = over(x->sum, x->low) + over(x->lost, x->low - x->lost);
    const double top = fabs(log(x->total)) + off;
    off += rounds(x, LOG, x->m->route == LAZY ? top + (double)x->m->slack : top);
    if (x->m->route == EXP2)
        off += rounds(x, LOG, fabs(x->max) + x->rmax + off);
    off += rounds(x, LOG, fabs(x->max + log(x->total)) + off);
    return known(off);
}

/* Expects a radius to be from want[0] to want[1], but for what is not seen: the last bits of midpoints, here and in the
 * ball. */
static void expect(const char *what, int k, double got, const double *want, double floor)
{
    cr_assert((isinf(want[0]) ? isinf(got) : got >= want[0] * (1 - 1e-9) - floor) &&
            (isinf(want[1]) || got <= want[1] * (1 + 1e-9) + floor),
        "%s, case %d: radius %.17g, by its formula %.17g to %.17g", what, k, got, want[0], want[1]);
}

static void one(int k, bool plain)
{
    struct arith a;
    round_anyhow(&a);
    ask_anything(plain, true);
    const int route = (int)draw(4);
    const struct mix m = { .keys = KEYS,
        .score = score,
        .value = value,
        .visible = seen,
        .route = (int[]){ TWO_PASSES, ONLINE, EXP2, LAZY }[route],
        .block = route % 2 ? 1 + draw(7) : 0,
        .slack = 1 + draw(6),
        .values = plain ? values : NULL };
    struct ask w = { .arith = &a, .len = COLUMNS };
    ask_reset(&w, plain ? 64 : 200);
    struct soft s = soft_gather(&w, &m);
    struct second x[2] = { { .w = &w, .m = &m, .q = asked }, { .w = &w, .m = &m, .q = asked } };
    for (int high = 0; high < 2; high++)
        lean = high ? 0x1p-40 : -0x1p-40, weigh_again(&x[high]);
    const double floor = (plain ? 1e-15 : 1e-55) + 1e-14 * (x->low > 0 ? x->sum / x->low : 1);
    const struct ball *o[COLUMNS];
    struct up own[COLUMNS];
    for (int way = 0; way < 2; way++) {
        char what[64];
        snprintf(what, sizeof what, "%s%s, route %d", plain ? "plain " : "", way ? "divided first" : "a mean", m.route);
        way ? divided_output(&w, &m, &s, o, own) : soft_output(&w, &m, &s, o, own);
        for (long c = 0; c < COLUMNS && (x->n > 1 || a.how == WIDEN); c++) { /* The mean of one value is that value. */
            double mean, alone[2], want[2];
            for (int high = 0; high < 2; high++)
                lean = high ? 0x1p-40 : -0x1p-40,
                want[high] = way ? divided_again(&x[high], c, &mean, &alone[high]) :
                                   mean_again(&x[high], c, &mean, &alone[high]);
            cr_assert(isinf(want[1]) || fabs(b_value(o[c]) - mean) < 1e-9, "%s, case %d: %g", what, k, b_value(o[c]));
            expect(what, k, b_radius(o[c]), want, floor);
            if (!isinf(want[1]))
                expect("what is not the weights' doing", k, up_double(own[c]), alone, floor);
        }
    }
    const struct ball *lse = soft_lse(&w, &m, &s);
    double want[2];
    for (int high = 0; high < 2; high++)
        lean = high ? 0x1p-40 : -0x1p-40, want[high] = lse_again(&x[high]);
    cr_assert(isinf(want[1]) || fabs(b_value(lse) - x->max - log(x->total)) < 1e-9);
    expect("log-sum-exp", k, b_radius(lse), want, floor);
    soft_free(&s), ask_clear(&w);
}

Test(means, by_balls_have_the_radius_of_their_formula)
{
    for (int k = 0; k < 400; k++)
        one(k, false);
}
Test(means, by_doubles_have_the_radius_of_their_formula)
{
    for (int k = 0; k < 400; k++)
        one(k, true);
}

/* A mean as a double is off by up to half a unit of its last place, and so is the distance of a value from it: two
 * values of which one weighs so little that the mean, as a double, is the other. */
Test(means, by_doubles_see_how_far_a_double_is_off)
{
    static const double least[] = { -36.75, -37, -40, -48 };
    for (int k = 0; k < 4; k++) {
        struct arith a = { .how = WIDEN };
        a.at[EXP] = (struct rounding){ .f = &formats[3], .ulps = 1 };
        const struct mix m = { .keys = 2, .score = score, .value = value, .visible = seen, .values = values };
        struct ask w = { .arith = &a, .len = 1 };
        ask_reset(&w, 64);
        for (long j = 0; j < 2; j++) {
            asked[0].seen[j] = true, asked[0].s[j] = j ? least[k] : 0, asked[0].rs[j] = 0;
            stored_values[j * COLUMNS] = (float)(1 + j);
        }
        struct soft s = soft_gather(&w, &m);
        struct weights x = weigh(&w, &m, &s);
        const struct up none[2] = { { 0, 0 }, { 0, 0 } };
        struct plain *p = plain_open(&w, &m, &s, &x, none);
        struct column y;
        cr_assert(p && plain_column(&w, p, 0, &y));
        const double e = exp(least[k]), D = up_double(x.D[0]), far = e / (1 + e), other = up_double(x.D[1]) * (1 - far);
        cr_expect(
            up_double(y.moved) >= (D * far + other) * (1 - 1e-12), "case %d: %g", k, up_double(y.moved) / (D * far));
        cr_expect(up_double(y.moved) <= (D * 0x1p-53 + other) * 1.01, "case %d: %g", k, up_double(y.moved) / D);
        plain_free(p), weights_free(&x), soft_free(&s), ask_clear(&w);
    }
}

/* The way back: the gradient of the output, and by query what multiplies the gradient of its scores, by key what the
 * gradient of its query takes from it, and the slope of each score. */
static double seed_of[QUERIES * COLUMNS], rseed_of[QUERIES * COLUMNS], by_query[QUERIES][COLUMNS],
    by_key[KEYS][COLUMNS], rad_of[KEYS], slope_of[KEYS];
static const struct ball *seed_balls[QUERIES * COLUMNS];
static struct mer_array seeds = { "do", BALLS, 3, { 1, QUERIES, COLUMNS }, seed_balls };
static const struct mer_call call = { .in = &seeds, .n_in = 1 };

static const struct ball *query_factor(struct ask *w, long h, long i, long c)
{
    (void)h;
    return given_ball(w, by_query[i][c], rad_of[i]);
}
static const struct ball *key_factor(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i;
    return given_ball(w, by_key[j][c], rad_of[j]);
}
static const struct ball *slope(struct ask *w, long h, long i, long j)
{
    (void)h, (void)i;
    return given_ball(w, slope_of[j], 0);
}
static const struct ball *scale(struct ask *w) { return given_ball(w, 3, 0); }

static void seed_anything(void)
{
    for (long i = 0; i < QUERIES; i++)
        for (long c = 0; c < COLUMNS; c++)
            rseed_of[i * COLUMNS + c] = draw(2) ? tiny(6, 12) : 0,
                                  seed_of[i * COLUMNS + c] = (double)(draw(2049) - 1024) / 128,
                                  by_query[i][c] = (double)(draw(2049) - 1024) / 100;
    for (long j = 0; j < KEYS; j++) {
        rad_of[j] = draw(2) ? tiny(4, 12) : 0,
        slope_of[j] = (double)(1 + draw(300)) / 101 + 0x1p-40; /* Of no format. */
        for (long c = 0; c < COLUMNS; c++)
            by_key[j][c] = (double)(draw(2049) - 1024) / 100;
    }
}

/* The second evaluation of one query's way back, from its forward pass x; the words are those of backward.h. */
struct back {
    const struct second *x;
    const struct mix_grad *grad;
    long i;
    double p[KEYS], dp[KEYS], rdp[KEYS], g[KEYS], off[KEYS], own[KEYS], size[KEYS], extra[KEYS], top[KEYS], far[KEYS],
        moves[KEYS];
    double D, common, shift, moved, rest, others;
    bool normal;
};
static double ball_top(const struct ball *b) { return fabs(b_value(b)) + b_radius(b); }
static double of_base_2(const struct second *x, int step, double top)
{ return x->m->route == EXP2 ? rounds(x, step, top / log(2)) * log(2) : rounds(x, step, top); }

static const struct ball *seed(const struct back *b, long c)
{ return seed_balls[b->i * COLUMNS + c]; }

/* dp = <do, v>, product by product. */
static void products(struct back *b)
{
    struct ask *w = b->x->w;
    for (long j = 0; j < b->x->n; j++) {
        const struct ball *t[COLUMNS];
        for (long c = 0; c < COLUMNS; c++)
            t[c] = b_step(w, PRODUCT, b_mul(w, seed(b, c), value(w, 0, b->i, b->x->key[j], c)));
        const struct ball *dp = b_step(w, DP, b_sum(w, DOT, t, COLUMNS));
        b->dp[j] = b_value(dp), b->rdp[j] = b_radius(dp);
        b->p[j] = b->x->e[j] / b->x->total, b->D += b->p[j] * b->dp[j];
    }
    for (long j = 0; j < b->x->n; j++)
        b->g[j] = b->dp[j] - b->D, b->moved += b->x->D[j] / b->x->low * fabs(b->g[j]);
}

static double moves(const struct back *b, long j) /* how far p'_j may be from p_j */
{ return b->common * b->p[j] + b->own[j] + (1 + b->common) * (b->off[j] + b->p[j] * b->others); }

static void stored_again(struct back *b)
{
    const struct second *x = b->x;
    struct summand t[KEYS];
    double noise = 0;
    b->normal = true, b->common = over(x->lost, x->low - x->lost);
    for (long j = 0; j < x->n; j++) {
        const double top = (1 + b->common) * (x->e[j] + x->D[j]) / x->low;
        b->off[j] = x->D[j] / x->low, b->own[j] = rounds(x, DIV, top), b->size[j] = top + b->own[j],
        b->others += b->off[j];
    }
    for (long j = 0; j < x->n; j++) {
        const double top = fabs(b->dp[j]) + b->rdp[j], product = rounds(x, PRODUCT, b->size[j] * top);
        t[j] = term(b->p[j] * b->dp[j], b->size[j] * b->rdp[j] + moves(b, j) * top + product, b_format(x->w, PRODUCT));
        noise += b->size[j] * b->rdp[j] + b->own[j] * top, b->rest += product;
    }
    b->rest += adding(x, SUM, t, false);
    b->shift = noise + b->rest + (1 + b->common) * b->moved + b->common * fabs(b->D);
}

/* The output and its log-sum-exp by the same route, with the part of the output's radius that is its own. */
static void recomputed_again(struct back *b, const struct soft *s)
{
    const struct second *x = b->x;
    struct ask *w = x->w;
    struct soft again = *s;
    const struct ball *o[COLUMNS], *t[COLUMNS];
    struct up own[COLUMNS];
    const bool split = b->grad->m.route == SPLIT; /* Its two levels of weights share nothing that is kept. */
    const struct ball *lse;
    if (split)
        soft_forward(w, &b->grad->m, &again, o, &lse);
    else
        divided(w, x->m) ? divided_output(w, x->m, &again, o, own) : soft_output(w, x->m, &again, o, own),
            lse = soft_lse(w, x->m, &again);
    b->common = grows(b_radius(lse) + (x->m->route == EXP2 ? of_base_2(x, LOG, ball_top(lse)) : 0));
    const double u = unit(x, EXP), c1 = 1 + b->common;
    for (long j = 0; j < x->n; j++) {
        const double far = fabs(x->s[j] - b_value(lse)) + x->rs[j] + b_radius(lse);
        b->off[j] = b->p[j] * grows(x->rs[j] + of_base_2(x, SHIFT, far) + u / (1 - u)) + c1 * absolute(x, EXP);
        if (c1 * (b->p[j] + b->off[j]) < up_double(b_smallest(w, EXP)))
            b->off[j] += c1 * rounds(x, EXP, 0);
        b->size[j] = c1 * (b->p[j] + b->off[j]);
    }
    b->shift = split ? 0 : b->moved;
    for (long c = 0; c < COLUMNS; c++) {
        const struct ball *held = b_step(w, OUTPUT, o[c]);
        const double g = ball_top(seed(b, c)), alone = split ? b_radius(o[c]) : up_double(own[c]);
        t[c] = b_step(w, PRODUCT, b_mul(w, seed(b, c), held));
        b->shift += g * (alone + rounds(x, OUTPUT, ball_top(o[c]))) + rounds(x, PRODUCT, g * ball_top(held)) +
            b_radius(seed(b, c)) * ball_top(held);
    }
    b->shift += up_double(b_sum_error(w, DOT, t, COLUMNS, false));
}

static void back_again(struct back *b, const struct soft *s)
{
    const struct second *x = b->x;
    products(b);
    b->grad->m.route == TWO_PASSES ? stored_again(b) : recomputed_again(b, s);
    for (long j = 0; j < x->n; j++) {
        const double off = b->rdp[j] + b->shift, g = fabs(b->g[j]) + off, kappa = rounds(x, SUM, g);
        const double v = b->size[j] * (g + kappa), product = rounds(x, PRODUCT, v), held = rounds(x, DS, v + product);
        b->moves[j] = moves(b, j);
        b->extra[j] = product + b->size[j] * kappa + held, b->top[j] = v + product + held;
        b->far[j] = b->extra[j] + b->size[j] * off + b->moves[j] * fabs(b->g[j]);
    }
}

/* The sum of ds_j x_j, and the radius that (1) and (2) of backward.c give it. */
static double sum_again(const struct back *b, const double *X, const double *rX, double *sum)
{
    const long n = b->x->n;
    const double c = b->common, c1 = 1 + c;
    double k = 0, C = 0, moved = 0, spread = 0, own = 0, own_x = 0, noise = 0;
    for (long j = 0; j < n; j++)
        k += b->p[j] * X[j];
    for (long j = 0; j < n; j++)
        C += b->p[j] * b->g[j] * (X[j] - k);
    for (long j = 0; j < n; j++) {
        const double K = X[j] - (b->normal ? k : 0), GK = b->g[j] * K;
        moved += b->off[j] * fabs(GK - (b->normal ? C : 0)), spread += b->off[j] * fabs(K),
            own_x += b->own[j] * fabs(X[j]);
        own += b->own[j] * (fabs(GK - b->D * k) + c * fabs(k) * (fabs(b->dp[j]) + b->rdp[j]));
        noise += b->size[j] * b->rdp[j] * (b->normal ? fabs(K) + c * fabs(k) : fabs(X[j])) + b->extra[j] * fabs(X[j]) +
            b->top[j] * rX[j];
    }
    *sum = C;
    if (!b->normal)
        return noise + c1 * moved + c * fabs(C) + b->shift * c1 * (fabs(k) + spread);
    return noise + c1 * moved + c * (fabs(C - b->D * k) + c * fabs(b->D * k)) +
        c1 * fabs(k) * (b->rest + c * b->moved) + b->shift * (own_x + c1 * spread) + own;
}

/* The sum of the weights of the keys in[]. */
static double weight_again(const struct back *b, const bool *in, double *sum)
{
    double a = 0, own = 0;
    *sum = 0;
    for (long j = 0; j < b->x->n; j++)
        *sum += in[j] ? b->p[j] : 0, own += in[j] ? b->own[j] : 0;
    for (long j = 0; j < b->x->n; j++)
        a += b->off[j] * (!b->normal ? in[j] : in[j] ? 1 - *sum : *sum);
    return own + (1 + b->common) * a + b->common * *sum;
}

/* A factor f of a gradient's product, with the radius r that its ball has; the computed f' is at most top and off by at
 * most far. */
struct factor {
    double f, r, top, far;
};
/* One product f x of a gradient's sum: its rounding is added to *lost, and *t is the term. */
static void product_of(const struct second *x, struct summand *t, struct factor f, double by, double rby, double *lost)
{
    const double product = rounds(x, PRODUCT, f.top * (fabs(by) + rby));
    *lost += product;
    *t = term(f.f * by, f.far * (fabs(by) + rby) + f.top * rby + product + f.r * fabs(by), b_format(x->w, PRODUCT));
}

/* The factor of the scores' gradient behind the whole sum. */
static double scaled_again(const struct second *x, const struct mix_grad *g, double *y, double r)
{
    if (!g->scale || x->w->arith->fault == FAULT_UNSCALED)
        return r;
    *y *= 3;
    return 3 * r + rounds(x, SCORE, fabs(*y) + 3 * r);
}

/* What a line of a gradient gathers: of a query over its keys, or of a key over the queries. */
enum line { QUERY_LINE, SCORE_LINE, KEY_LINE, PAIR_LINE, VALUE_LINE, LINES };
static double query_again(const struct back *b, long c, double *y)
{
    struct summand t[KEYS];
    double X[KEYS], rX[KEYS], lost = 0;
    for (long j = 0; j < b->x->n; j++) {
        const long key = b->x->key[j];
        X[j] = by_key[key][c], rX[j] = rad_of[key];
        if (b->grad->slope) {
            lost += rounds(b->x, PRODUCT, 0) * (fabs(X[j]) + rX[j]);
            X[j] *= slope_of[key], rX[j] *= slope_of[key], rX[j] += rounds(b->x, PRODUCT, fabs(X[j]) + rX[j]);
        }
        const struct factor ds = { b->p[j] * b->g[j], 0, b->top[j], b->far[j] };
        product_of(b->x, &t[j], ds, X[j], rX[j], &lost);
    }
    lost += adding(b->x, SUM, t, false);
    return scaled_again(b->x, b->grad, y, sum_again(b, X, rX, y) + lost);
}

/* A slope as a factor of 1: its value and its radius. */
static double steep_again(const struct back *b, long key, double *r)
{
    *r = b->grad->slope ? rounds(b->x, PRODUCT, slope_of[key]) : 0;
    return b->grad->slope ? slope_of[key] : 1;
}

static double score_again(const struct back *b, long key, double *y)
{
    double X[KEYS] = { 0 }, rX[KEYS] = { 0 }, more = 0;
    *y = 0;
    for (long j = 0; j < b->x->n; j++)
        if (b->x->key[j] == key) {
            X[j] = steep_again(b, key, &rX[j]);
            more = b->grad->slope ? rounds(b->x, PRODUCT, b->top[j] * (X[j] + rX[j])) : 0;
            return scaled_again(b->x, b->grad, y, sum_again(b, X, rX, y) + more);
        }
    return 0;
}

/* The line of a key: one term of each query that sees it. */
static double key_again(const struct back *b, enum line line, long key, long c, double *y)
{
    struct summand t[QUERIES];
    double lost = 0, whole = 0;
    long n = 0;
    *y = 0;
    for (long i = 0; i < QUERIES; i++, b++)
        for (long j = 0; j < b->x->n; j++) {
            if (b->x->key[j] != key)
                continue;
            double X[KEYS] = { 0 }, rX[KEYS] = { 0 }, sum, r, rs, steep = steep_again(b, key, &rs);
            bool in[KEYS] = { false };
            const double stored_rounds = rounds(b->x, WEIGHT, b->size[j]);
            const double by = line == KEY_LINE ? by_query[i][c] :
                line == PAIR_LINE              ? by_key[key][c] :
                                                 seed_of[i * COLUMNS + c];
            const double rby = line == KEY_LINE ? rad_of[i] :
                line == PAIR_LINE               ? rad_of[key] :
                                                  rseed_of[i * COLUMNS + c];
            in[j] = true;
            if (line == VALUE_LINE) {
                r = weight_again(b, in, &sum) + stored_rounds;
                const struct factor p = { b->p[j], 0, b->size[j] + stored_rounds, b->moves[j] + stored_rounds };
                product_of(b->x, &t[n++], p, by, rby, &lost);
            } else {
                double f = b->p[j] * b->g[j] * steep, rf = b->grad->slope ? rounds(b->x, PRODUCT, fabs(f)) : 0;
                const double top = steep + rs,
                             far = b->far[j] * top + b->top[j] * rs + (b->grad->slope ? rounds(b->x, PRODUCT, 0) : 0);
                X[j] = line == PAIR_LINE ? by : 1, rX[j] = line == PAIR_LINE ? rby : 0;
                if (b->grad->slope)
                    X[j] *= steep, rX[j] *= steep, rX[j] += rounds(b->x, PRODUCT, fabs(X[j]) + rX[j]);
                r = sum_again(b, X, rX, &sum);
                product_of(b->x, &t[n++], (struct factor){ f, rf, b->top[j] * top, far }, by, rby, &lost);
            }
            *y += line == PAIR_LINE ? sum : sum * by;
            whole += line == PAIR_LINE ? r : fabs(sum) * rby + r * (fabs(by) + rby);
        }
    const double all = whole + lost + up_double(sum_error(b[-1].x->w, SUM, t, n, false));
    return line == VALUE_LINE ? all : scaled_again(b[-1].x, b[-1].grad, y, all);
}

static void ask_line(struct ask *w, const struct mix_grad *g, enum line line, const struct ball **y)
{
    w->len = line == SCORE_LINE ? KEYS : COLUMNS;
    switch (line) {
    case QUERY_LINE: mix_query_grad(w, g, &(struct mix_met){ .key = key_factor }, y); break;
    case SCORE_LINE: mix_score_grad(w, g, &(struct mix_met){ .key = NULL }, y); break;
    case KEY_LINE: mix_key_grad(w, g, &(struct mix_met){ .of = mix_of_key, .query = query_factor }, y); break;
    case PAIR_LINE: mix_pair_grad(w, g, &(struct mix_met){ .of = mix_of_key, .key = key_factor }, y); break;
    default: mix_value_grad(w, g, &(struct mix_met){ .of = mix_of_key }, y);
    }
}

static void way_back(int k)
{
    struct arith a;
    round_anyhow(&a);
    a.how = WIDEN, a.divide_first = draw(3) == 0, a.fault = draw(6) ? FAULT_NONE : FAULT_UNSCALED;
    ask_anything(false, false), seed_anything();
    const int route = (int)draw(5);
    const struct mix_grad g = { .m = { .keys = KEYS,
                                    .score = score,
                                    .value = value,
                                    .visible = seen,
                                    .route = (int[]){ TWO_PASSES, ONLINE, EXP2, LAZY, SPLIT }[route],
                                    .block = route % 2 || route == 4 ? 1 + draw(7) : 0,
                                    .slack = 1 + draw(6) },
        .seed = "do",
        .scale = draw(2) ? scale : NULL,
        .slope = draw(3) ? NULL : slope };
    struct mix flat = g.m;
    if (g.m.route == SPLIT) /* What the way back reads of its weights are those of two passes. */
        flat.route = TWO_PASSES, flat.block = 0;
    struct ask w = { .arith = &a, .call = &call, .len = COLUMNS };
    ask_reset(&w, 200);
    for (long n = 0; n < QUERIES * COLUMNS; n++)
        seed_balls[n] = given_ball(&w, seed_of[n], rseed_of[n]);
    static struct second x[2][QUERIES];
    static struct back b[2][QUERIES];
    for (long i = 0; i < QUERIES; i++)
        for (int high = 0; high < 2; high++) {
            w.at[1] = i, lean = high ? 0x1p-40 : -0x1p-40;
            struct soft s = soft_gather(&w, &g.m);
            x[high][i] = (struct second){ .w = &w, .m = &flat, .q = &asked[i] }, weigh_again(&x[high][i]);
            b[high][i] = (struct back){ .x = &x[high][i], .grad = &g, .i = i }, back_again(&b[high][i], &s);
            soft_free(&s);
        }
    const struct ball *y[KEYS];
    for (int line = 0; line < LINES; line++) {
        const bool of_query = line == QUERY_LINE || line == SCORE_LINE;
        w.at[0] = 0, w.at[1] = of_query ? draw(QUERIES) : draw(KEYS);
        const long at = w.at[1];
        ask_line(&w, &g, line, y);
        for (long c = 0; c < w.len; c++) {
            char what[64];
            double mid = 0, want[2];
            for (int high = 0; high < 2; high++)
                lean = high ? 0x1p-40 : -0x1p-40,
                want[high] = line == QUERY_LINE ? query_again(&b[high][at], c, &mid) :
                    line == SCORE_LINE          ? score_again(&b[high][at], c, &mid) :
                                                  key_again(b[high], line, at, c, &mid);
            snprintf(what, sizeof what, "gradient %d, route %d%s%s", line, g.m.route, g.slope ? ", slope" : "",
                g.scale ? ", scale" : "");
            bool open = false;
            for (long i = 0; i < QUERIES; i++)
                open |= !(x[1][i].low > x[1][i].lost);
            const bool unseen = line > SCORE_LINE && !asked[0].seen[at] && !asked[1].seen[at];
            cr_assert(!unseen || mpfr_zero_p(y[c]->mid), "%s, case %d: a gradient of what no query sees", what, k);
            if (open || unseen)
                continue;
            cr_assert(
                isinf(want[1]) || fabs(b_value(y[c]) - mid) < 1e-9, "%s, case %d: %g %g", what, k, b_value(y[c]), mid);
            expect(what, k, b_radius(y[c]), want, 1e-12);
        }
    }
    ask_clear(&w);
}
Test(means, ways_back_have_the_radius_of_their_formula)
{
    for (int k = 0; k < 100; k++)
        way_back(k);
}
