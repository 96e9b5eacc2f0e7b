/* Looks for one number that relates outputs and exact values; see factor.h. */
#include "diagnose/factor.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The values [low, high] that the number may have by the radii of n elements. */
struct factor_interval { double low, high; long n; };

/* Intersects the interval with [x, y] or [y, x]. */
static void narrow(struct factor_interval *s, double x, double y)
{
    const double low = x < y ? x : y, high = x < y ? y : x;
    s->low = s->n && s->low > low ? s->low : low, s->high = s->n && s->high < high ? s->high : high;
    s->n++;
}

/* Adds one wrong element: its factor, where the exact number is further from 0 than 8 radii, or its difference.  An
 * element that is not finite leaves no number. */
static void add(struct factor_interval *s, const struct grid *g, long c, bool factor)
{
    const double got = g->got[c], want = g->want[c], r = g->radius[c];
    if (!g->wrong[c])
        return;
    if (!isfinite(got))
        s->low = HUGE_VAL, s->high = -HUGE_VAL, s->n++;
    else if (!factor)
        narrow(s, got - want - r, got - want + r);
    else if (fabs(want) > 8 * r)
        narrow(s, got / (want - r), got / (want + r));
}

/* Whether the wrong elements that are too near 0 to determine a factor, of one index of an axis or (i < 0) of all,
 * agree with the factor s as well. */
static bool agree_near_zero(const struct grid *g, const struct factor_interval *s, int axis, int i)
{
    const double most = fmax(fabs(s->low), fabs(s->high));
    for (long c = 0; c < g->cells; c++) {
        const double size = fabs(g->want[c]) + g->radius[c];
        if (g->wrong[c] && fabs(g->want[c]) <= 8 * g->radius[c] && (i < 0 || grid_index(g, axis, c) == i) &&
            !(fabs(g->got[c]) <= most * size))
            return false;
    }
    return true;
}

/* Whether at least two elements leave one number, known to a thousandth. */
static bool known(const struct factor_interval *s)
{
    return s->n >= 2 && s->low <= s->high && s->high - s->low <= 1e-3 * fabs(s->low + s->high) / 2;
}

/* Writes the shortest decimal in the interval, and in brackets an expression that lies in it.  Of decimals of few
 * digits many expressions are one by chance, so that only simpler ones are named. */
static void read_number(const struct number_terms *of, const struct factor_interval *s, char *text, size_t n)
{
    enum { ONE = 1, FEW = 3 };
    char says[80];
    double x;
    const int digits = number_decimal(s->low, s->high, 17, text, n);
    const enum number_form form = digits <= ONE ? NUMBER_TERM : digits <= FEW ? NUMBER_POWER : NUMBER_PRODUCT;
    const size_t at = strlen(text);
    if ((s->low > 0 || s->high < 0) && number_expression(of, form, s->low, s->high, &x, says, sizeof says))
        snprintf(text + at, n - at, " (%s)", says);
}

/* Writes one number for each index of an axis that has wrong elements.  false: fewer than three elements determine one
 * of them, or only one index is wrong. */
static bool by_axis(
    const struct grid *g, const struct number_terms *of, int axis, bool factor, char *text, size_t n)
{
    const struct grid_axis *a = &g->axis[axis];
    size_t at = (size_t)snprintf(text, n, "%s is %s, one number for each %c:", g->out,
        factor ? "its exact value times a number" : "beside its exact value by a number", a->letter);
    int told = 0, groups = 0;
    for (int i = 0; i < a->n; i++) {
        struct factor_interval s = { 0 };
        long wrongs = 0;
        for (long c = 0; c < g->cells; c++)
            if (grid_index(g, axis, c) == i)
                add(&s, g, c, factor), wrongs += g->wrong[c];
        if (!wrongs)
            continue;
        groups++;
        if (!known(&s) || s.n < 3 || (factor && !agree_near_zero(g, &s, axis, i)))
            return false;
        char number[120];
        read_number(of, &s, number, sizeof number);
        if (told < 6 && at < n)
            at += (size_t)snprintf(text + at, n - at, "%s %s at %ld", told ? "," : "", number, a->at[i]), told++;
    }
    return groups >= 2;
}

bool factor_say(const struct grid *g, const struct number_terms *of, char *text, size_t n)
{
    for (int factor = 1; factor >= 0; factor--) {
        struct factor_interval s = { 0 };
        for (long c = 0; c < g->cells; c++)
            add(&s, g, c, factor);
        if (known(&s) && s.n >= 3 && (!factor || agree_near_zero(g, &s, 0, -1))) {
            char number[120];
            read_number(of, &s, number, sizeof number);
            if (factor)
                snprintf(text, n, "every wrong element of %s is %s times what it should be", g->out, number);
            else
                snprintf(text, n, "every wrong element of %s is off by %s%s", g->out, s.low > 0 ? "+" : "", number);
            return true;
        }
    }
    for (int factor = 1; factor >= 0; factor--)
        for (int k = 0; k < g->rank; k++)
            if (by_axis(g, of, k, factor, text, n))
                return true;
    return false;
}
