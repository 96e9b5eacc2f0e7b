/* The second evaluation, in doubles, of the radii that the balls of softmax means have (ref/core/softmax): questions
 * drawn with every route, scores and values with radii and hidden keys, any subset of steps that round, and the
 * formulas that the comments of soft.c and mean.c derive.  Roundings of single values and of sums are asked of
 * round.c, which tests/bounds.c checks.  A radius is its formula to nine digits: a term left out or counted twice is
 * seen on either side. */
#ifndef MEANS_AGAIN_H
#define MEANS_AGAIN_H
#include <criterion/criterion.h>
#include <math.h>
#include "row/row.h"
#include "softmax/mean.h"
#include "softmax/plain.h"
#include "trial/trial.h"
#include "given_ball.h"

enum { KEYS = 24, COLUMNS = 2, QUERIES = 2 };
static uint64_t state;
static inline long draw(long n) { return (long)(gen_bits(37, 0, state++) % (uint64_t)n); }

/* By query and key, the score and its radius, and whether the key is seen; by key, the values and theirs. */
static struct query_asked {
    bool seen[KEYS];
    double s[KEYS], rs[KEYS];
} asked[QUERIES];
static double v_of[KEYS][COLUMNS], rv_of[KEYS];

static inline const struct ball *score(struct ask *w, long h, long i, long j)
{
    (void)h;
    return given_ball(w, asked[i].s[j], asked[i].rs[j]);
}
static inline const struct ball *value(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i;
    return given_ball(w, v_of[j][c], rv_of[j]);
}
static inline bool seen(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h;
    return asked[i].seen[j];
}
static float stored_values[KEYS * COLUMNS];

static inline double tiny(long from, long range)
{ return ldexp(1 + (double)draw(1000) / 1000, -(int)(from + draw(range))); }

/* edge: the largest score, natural or to base 2, may lie just below a power of two. */
static inline void ask_anything(bool exact_values, bool edge)
{
    const long far = draw(3) ? 4 : draw(2) ? 30 : 200, blur = draw(3), grid = 1L << draw(11);
    for (struct query_asked *q = asked; q < asked + QUERIES; q++) {
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
static inline void round_anyhow(struct arith *a)
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
    const struct query_asked *q;
    long n, key[KEYS], R[KEYS], rescales;
    double s[KEYS], rs[KEYS]; /* By seen key, as natural logarithms: on route exp2 scores come in base 2. */
    double e[KEYS], D[KEYS], T, total, sum, low, lost, max, rmax, common;
    bool underflow, moving;
};
static inline double rounds(const struct second *x, int step, double top)
{ return up_double(b_rounding(x->w, step, up_d(top * (1 + lean)))); }
static inline double unit(const struct second *x, int step) { return up_double(b_unit(x->w, step)); }
static inline double absolute(const struct second *x, int step) { return up_double(b_absolute(x->w, step)); }
static inline double grows(double x) { return up_double(up_expm1(up_d(x))); } /* e^x - 1 */
static inline struct summand term(double mid, double rad, const struct format *f)
{ return (struct summand){ mid * (1 + lean), up_d(rad), f }; }

/* An error that what remains of a total divides; nothing is known where nothing remains. */
static inline double over(double error, double low)
{ return error == 0 ? 0 : low > 0 ? error / low : (double)INFINITY; }

/* Nothing times what is not known is not known. */
static inline double known(double error) { return isnan(error) ? (double)INFINITY : error; }

/* -1, 0 or 1 where it is certain which of two scores is the larger, else 2. */
static inline int compared(double x, double rx, double y, double ry)
{ return rx == 0 && ry == 0 && x == y ? 0 : fabs(x - y) > rx + ry ? (x > y ? 1 : -1) : 2; }
static inline void join(double *x, double *rx, double y, double ry) /* x becomes the larger of both. */
{
    const int order = compared(*x, *rx, y, ry);
    if (order == 2)
        *x = fmax(*x, y), *rx = fmax(*rx, ry);
    else if (order < 0)
        *x = y, *rx = ry;
}

/* How many rescalings may come behind each key: one at each block whose greatest score may pass what came before; on
 * the lazy route, pass the reference point by more than the slack, where that point is certain.  Blocks are of seen
 * keys or, placed, of all: the more of both counts. */
static inline void count(struct second *x, bool placed)
{
    double run = 0, rrun = 0, point = 0, rpoint = 0;
    long block = -1, behind[KEYS], all = 0;
    bool certain = false;
    for (long j = 0; j < x->n; j++)
        behind[j] = 0;
    for (long j = 0, end; j < x->n; j = end) {
        double top = x->s[j], rtop = x->rs[j];
        const bool first = block < 0;
        block = (placed ? x->key[j] : j) / x->m->block;
        for (end = j + 1; end < x->n && (placed ? x->key[end] : end) / x->m->block == block; end++)
            join(&top, &rtop, x->s[end], x->rs[end]);
        const bool lazy = x->m->route == LAZY && certain;
        const int passed =
            first ? 0 : compared(top, rtop, lazy ? point + (double)x->m->slack : run, lazy ? rpoint : rrun);
        for (long l = 0; l < j && passed > 0; l++)
            behind[l]++;
        all += passed > 0;
        if (first || passed == 1)
            certain = first || certain, point = top, rpoint = rtop;
        certain = certain && passed != 2;
        first ? (void)(run = top, rrun = rtop) : join(&run, &rrun, top, rtop);
    }
    for (long j = 0; j < x->n; j++)
        x->R[j] = behind[j] > x->R[j] ? behind[j] : x->R[j];
    x->rescales = all > x->rescales ? all : x->rescales;
}

/* The additions over the seen keys, or over all keys with zeros for the others: the worse of both where it matters.
 * part: they come in parts of so many; 0: at once. */
static inline double adding(const struct second *x, int step, const struct summand *t, long part, bool moving)
{
    static struct summand all[KEYS];
    double worst = up_double(parts_error(x->w, step, t, x->n, part, moving));
    const struct rounding *r = &x->w->arith->at[step];
    for (long j = 0; j < KEYS; j++)
        all[j] = (struct summand){ 0 };
    for (long j = 0; j < x->n; j++)
        all[x->key[j]] = t[j];
    return r->lanes >= 2 || r->block ? fmax(worst, up_double(parts_error(x->w, step, all, KEYS, part, moving))) : worst;
}

/* The same of weights, which are larger or smaller together by what the maximum errs. */
static inline double adding_weights(const struct second *x, int step, struct summand *t)
{
    for (long j = 0; j < x->n; j++)
        t[j].rad = up_d(up_double(t[j].rad) + x->common * (fabs(t[j].mid) + up_double(t[j].rad)));
    return (1 + x->common) * adding(x, step, t, x->m->block, x->moving);
}

static inline void weigh_again(struct second *x)
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
    for (int placed = 0; placed < 2 && x->w->arith->how == WIDEN && x->m->block; placed++)
        count(x, placed);
    x->moving = x->rescales || lazy, x->common = grows(x->rmax);
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
        if (x->e[j] + x->D[j] < (1 + x->common) * up_double(b_smallest(x->w, EXP)))
            x->D[j] += (1 + x->common) * past * rounds(x, EXP, 0), x->underflow = true;
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
    x->lost += (double)x->rescales * absolute(x, RESCALE) + adding_weights(x, TOTAL, t);
}

/* The relative error of what was multiplied by ln 2, or divided by it, as step LOG holds that constant. */
static inline double ln2_again(const struct second *x)
{
    const double r = rounds(x, LOG, log(2));
    return r / fmax(log(2) - r, 0);
}
/* Expects a radius to be from want[0] to want[1], but for what is not seen: the last bits of midpoints, here and in the
 * ball. */
static inline void expect(const char *what, int k, double got, const double *want, double floor)
{
    cr_assert((isinf(want[0]) ? isinf(got) : got >= want[0] * (1 - 1e-9) - floor) &&
            (isinf(want[1]) || got <= want[1] * (1 + 1e-9) + floor),
        "%s, case %d: radius %.17g, by its formula %.17g to %.17g", what, k, got, want[0], want[1]);
}
#endif
