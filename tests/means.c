/* The balls of softmax means and of their log-sum-exp (soft.c, mean.c, plain_mean.c and divided.c of ref/core/softmax)
 * against a second evaluation of the formulas that their comments derive. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "softmax/divided.h"
#include "softmax/mean.h"
#include "softmax/plain_mean.h"
#include "means_again.h"

static struct mer_array stored = { "v", MER_F32, 2, { KEYS, COLUMNS }, stored_values };
static struct span values(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h, (void)i;
    return (struct span){ &stored, j * COLUMNS, NULL, 0 };
}

static double held_rounds(const struct second *x, int step, double top, bool held)
{
    return held ? unit(x, step) * top + rounds(x, step, 0) :
                  (1 + x->common) * rounds(x, step, (1 + x->common) * top);
}

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
    lost += adding_weights(x, SUM, t) + (double)x->rescales * absolute(x, RESCALE);
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
    lost += over((fabs(*o) + off) * x->lost, low) + adding(x, SUM, t, 0, false);
    *own = lost;
    return known(off + lost);
}

static double lse_again(const struct second *x)
{
    double off = over(x->sum, x->low) + over(x->lost, x->low - x->lost);
    const double top = fabs(log(x->total)) + off + x->common;
    off += rounds(x, LOG, x->m->route == LAZY ? top + (double)x->m->slack : top);
    if (x->m->route == EXP2) {
        off += (fabs(x->max) + x->rmax) * ln2_again(x);
        off += rounds(x, LOG, fabs(x->max) + x->rmax + off);
    }
    off += rounds(x, LOG, fabs(x->max + log(x->total)) + off);
    return known(off);
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
