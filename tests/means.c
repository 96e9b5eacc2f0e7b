/* The balls of softmax means and of their log-sum-exp (ref/core/softmax/soft.c, plain.c, divided.c) against a second
 * evaluation of the formulas that their comments derive, in doubles: every route, any subset of steps that round, of all
 * formats and structures, scores and values with radii, hidden keys.  Roundings of single values and of sums are asked of
 * round.c, which tests/bounds.c checks.  A radius is its formula to nine digits: a term left out or counted twice is
 * seen on either side. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "row/row.h"
#include "softmax/divided.h"
#include "softmax/plain.h"
#include "trial/trial.h"

enum { KEYS = 24, COLUMNS = 2 };
static uint64_t state;
static long draw(long n) { return (long)(gen_bits(37, 0, state++) % (uint64_t)n); }

/* A question: by key, its score and the score's radius, whether it is seen, and its values with theirs. */
static struct question { bool seen[KEYS]; double s[KEYS], rs[KEYS], v[KEYS][COLUMNS], rv[KEYS]; } q;

static const struct ball *number(struct ask *w, double x, double r)
{
    struct ball *b = (struct ball *)b_si(w, 0);
    mpfr_set_d(b->mid, x, MPFR_RNDN);
    b->mag = up_of(b->mid), b->rad = up_d(r);
    return b;
}
static const struct ball *score(struct ask *w, long h, long i, long j) { (void)h, (void)i; return number(w, q.s[j], q.rs[j]); }
static const struct ball *value(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i;
    return number(w, q.v[j][c], q.rv[j]);
}
static bool seen(const struct ask *w, long h, long i, long j) { (void)w, (void)h, (void)i; return q.seen[j]; }
static float stored_values[KEYS * COLUMNS];
static struct mer_array stored = { "v", MER_F32, 2, { KEYS, COLUMNS }, stored_values };
static struct span values(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h, (void)i;
    return (struct span){ &stored, j * COLUMNS, NULL, 0 };
}

static void ask_anything(bool exact_values)
{
    const long far = draw(3) ? 4 : draw(2) ? 30 : 200, blur = draw(3), grid = 1L << draw(11);
    for (long j = 0; j < KEYS; j++) {
        q.seen[j] = draw(8) > 0;
        q.s[j] = (double)(draw(2 * far * grid + 1) - far * grid) / (double)grid;
        q.rs[j] = blur ? ldexp(1 + (double)draw(1000) / 1000, -(int)draw(blur == 1 ? 12 : 40) - 8) : 0;
        q.rv[j] = !exact_values && draw(2) ? ldexp(1 + (double)draw(1000) / 1000, -(int)draw(12) - 4) : 0;
        for (long c = 0; c < COLUMNS; c++)
            q.v[j][c] = (double)(draw(4097) - 2048) / 256, stored_values[j * COLUMNS + c] = (float)q.v[j][c];
    }
    q.seen[draw(KEYS)] = true;
}

/* Each step rounds or not, by any word. */
static void round_anyhow(struct arith *a)
{
    const long often = draw(3) ? 3 : 1;
    *a = (struct arith){ .how = draw(8) ? WIDEN : EXACT, .ftz = draw(4) == 0 };
    for (int s = 0; s < MIX_STEPS; s++) {
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
    long n, key[KEYS], R[KEYS], rescales;
    double s[KEYS], rs[KEYS]; /* By seen key, as natural logarithms: on route exp2 scores come in base 2. */
    double e[KEYS], D[KEYS], T, total, sum, low, lost, max, rmax;
    bool underflow, moving;
};
static double rounds(const struct second *x, int step, double top)
{
    return up_double(b_rounding(x->w, step, up_d(top * (1 + lean))));
}
static double unit(const struct second *x, int step) { return up_double(b_unit(x->w, step)); }
static double absolute(const struct second *x, int step) { return up_double(b_absolute(x->w, step)); }
static double grows(double x) { return up_double(up_expm1(up_d(x))); } /* e^x - 1 */
static struct summand term(double mid, double rad, const struct format *f)
{
    return (struct summand){ mid * (1 + lean), up_d(rad), f };
}

/* -1, 0 or 1 where it is certain which of two scores is the larger, else 2. */
static int compared(double x, double rx, double y, double ry)
{
    return rx == 0 && ry == 0 && x == y ? 0 : fabs(x - y) > rx + ry ? (x > y ? 1 : -1) : 2;
}
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
        const int passed = first ? 0 : compared(top, rtop, lazy ? point + (double)x->m->slack : run, lazy ? rpoint : rrun);
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
        if (q.seen[j])
            x->s[x->n] = base * q.s[j], x->rs[x->n] = base * q.rs[j], x->key[x->n++] = j;
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
        const double T = x->rs[j] + shift + past * u / (1 - u), beside = absolute(x, EXP) * (lazy ? grows(slack) + 1 : 1);
        x->e[j] = exp(z), x->D[j] = x->e[j] * grows(T);
        if (x->e[j] + x->D[j] < up_double(b_smallest(x->w, EXP)))
            x->D[j] += past * rounds(x, EXP, 0), x->underflow = true;
        if (beside > 0)
            x->D[j] += past * beside, x->underflow = true;
        x->T = fmax(x->T, T), x->sum += x->D[j], x->total += x->e[j];
    }
    x->low = x->total - x->sum;
    for (long j = 0; j < x->n; j++) {
        const double scaled = (x->e[j] + x->D[j]) * grows((double)x->R[j] * unit(x, RESCALE));
        t[j] = term(x->e[j], x->D[j] + scaled + (double)x->R[j] * absolute(x, RESCALE), b_format(x->w, EXP));
        x->lost += scaled;
    }
    x->lost += (double)x->rescales * absolute(x, RESCALE) + adding(x, TOTAL, t, x->moving);
}

static double held_rounds(const struct second *x, int step, double top, bool held)
{
    return held ? unit(x, step) * top + rounds(x, step, 0) : rounds(x, step, top);
}

/* What the radius of column c is, and *own, the part that is not the weights' doing; *o: the mean. */
static double mean_again(const struct second *x, long c, double *o, double *own)
{
    struct summand t[KEYS];
    double moved = 0, blur = 0, lost = 0, most = -(double)INFINITY, least = (double)INFINITY;
    *o = 0;
    for (long j = 0; j < x->n; j++)
        *o += x->e[j] * q.v[x->key[j]][c] / x->total, most = fmax(most, q.v[x->key[j]][c]), least = fmin(least, q.v[x->key[j]][c]);
    for (long j = 0; j < x->n; j++) {
        const double v = q.v[x->key[j]][c], rv = q.rv[x->key[j]], V = fabs(v) + rv, size = x->e[j] + x->D[j];
        const bool held = x->R[j] || x->m->route == LAZY;
        const double weight = held_rounds(x, WEIGHT, size, held);
        double more = weight * V + held_rounds(x, PRODUCT, (size + weight) * V, held) +
            size * V * grows((double)x->R[j] * unit(x, RESCALE));
        moved += x->D[j] * fabs(v - *o), blur += size * rv, lost += more;
        t[j] = term(x->e[j] * v, x->D[j] * V + size * rv + more, b_format(x->w, PRODUCT));
    }
    lost += adding(x, SUM, t, x->moving) + (double)x->rescales * absolute(x, RESCALE);
    const double off = fmin(moved / x->low, (most - least) * (x->underflow ? 1 : fmin(1, x->T / 2))) + blur / x->low;
    const double rest = (lost + (fabs(*o) + off) * x->lost) / (x->low - x->lost), div = rounds(x, DIV, fabs(*o) + off + rest);
    *own = blur / x->low + rest + div;
    return x->low > x->lost ? off + rest + div : (double)INFINITY;
}

static double divided_again(const struct second *x, long c, double *o, double *own)
{
    struct summand t[KEYS];
    double moved = 0, lost = 0, most = -(double)INFINITY, least = (double)INFINITY;
    const double low = x->low - x->lost;
    *o = 0;
    for (long j = 0; j < x->n; j++)
        *o += x->e[j] * q.v[x->key[j]][c] / x->total, most = fmax(most, q.v[x->key[j]][c]), least = fmin(least, q.v[x->key[j]][c]);
    for (long j = 0; j < x->n; j++) {
        const double v = q.v[x->key[j]][c], rv = q.rv[x->key[j]], V = fabs(v) + rv, p = x->e[j] / x->total;
        const double top = (x->e[j] + x->D[j]) / low, div = rounds(x, DIV, top), r = div + rounds(x, WEIGHT, top + div);
        const double product = rounds(x, PRODUCT, (top + r) * V), blur = (top + r) * rv;
        moved += x->D[j] * fabs(v - *o), lost += r * V + product + blur;
        t[j] = term(p * v, ((x->D[j] + p * (x->sum + x->lost)) / low + r) * V + blur + product, b_format(x->w, PRODUCT));
    }
    const double off = fmin(moved / x->low, (most - least) * (x->underflow ? 1 : fmin(1, x->T / 2)));
    lost += (fabs(*o) + off) * x->lost / low + adding(x, SUM, t, false);
    *own = lost;
    return low > 0 ? off + lost : (double)INFINITY;
}

static double lse_again(const struct second *x)
{
    double off = x->sum / x->low + x->lost / (x->low - x->lost);
    const double top = fabs(log(x->total)) + off;
    off += rounds(x, LOG, x->m->route == LAZY ? top + (double)x->m->slack : top);
    if (x->m->route == EXP2)
        off += rounds(x, LOG, fabs(x->max) + x->rmax + off);
    off += rounds(x, LOG, fabs(x->max + log(x->total)) + off);
    return x->low > x->lost ? off : (double)INFINITY;
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
    ask_anything(plain);
    const int route = (int)draw(4);
    const struct mix m = { .keys = KEYS, .score = score, .value = value, .visible = seen,
        .route = (int[]){ TWO_PASSES, ONLINE, EXP2, LAZY }[route], .block = route % 2 ? 1 + draw(7) : 0,
        .slack = route == 3 ? 1 + draw(6) : 0, .values = plain ? values : NULL };
    struct ask w = { .arith = &a, .len = COLUMNS };
    ask_reset(&w, plain ? 64 : 200);
    struct soft s = soft_gather(&w, &m);
    struct second x[2] = { { .w = &w, .m = &m }, { .w = &w, .m = &m } };
    for (int high = 0; high < 2; high++)
        lean = high ? 0x1p-46 : -0x1p-46, weigh_again(&x[high]);
    const double floor = (plain ? 1e-15 : 1e-55) + 1e-14 * x->sum / x->low;
    const struct ball *o[COLUMNS];
    struct up own[COLUMNS];
    for (int way = 0; way < 2; way++) {
        char what[64];
        snprintf(what, sizeof what, "%s%s, route %d", plain ? "plain " : "", way ? "divided first" : "a mean", m.route);
        way ? divided_output(&w, &m, &s, o, own) : soft_output(&w, &m, &s, o, own);
        for (long c = 0; c < COLUMNS && (x->n > 1 || a.how == WIDEN); c++) { /* The mean of one value is that value. */
            double mean, alone[2], want[2];
            for (int high = 0; high < 2; high++)
                lean = high ? 0x1p-46 : -0x1p-46,
                want[high] = way ? divided_again(&x[high], c, &mean, &alone[high]) : mean_again(&x[high], c, &mean, &alone[high]);
            cr_assert(isinf(want[1]) || fabs(b_value(o[c]) - mean) < 1e-9, "%s, case %d: %g", what, k, b_value(o[c]));
            expect(what, k, b_radius(o[c]), want, floor);
            if (!isinf(want[1]))
                expect("what is not the weights' doing", k, up_double(own[c]), alone, floor);
        }
    }
    const struct ball *lse = soft_lse(&w, &m, &s);
    double want[2];
    for (int high = 0; high < 2; high++)
        lean = high ? 0x1p-46 : -0x1p-46, want[high] = lse_again(&x[high]);
    cr_assert(isinf(want[1]) || fabs(b_value(lse) - x->max - log(x->total)) < 1e-9);
    expect("log-sum-exp", k, b_radius(lse), want, floor);
    soft_free(&s), ask_clear(&w);
}

Test(means, by_balls_have_the_radius_of_their_formula) { for (int k = 0; k < 1500; k++) one(k, false); }
Test(means, by_doubles_have_the_radius_of_their_formula) { for (int k = 0; k < 1500; k++) one(k, true); }
