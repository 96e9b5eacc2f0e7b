/* States where the wrong elements of a failure are, what they are, and what is right nevertheless; see anatomy.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "diagnose/anatomy.h"
#include "diagnose/copies.h"
#include "diagnose/factor.h"
#include "diagnose/grid.h"
#include "diagnose/pattern.h"

static const double outputs_work = 4e6; /* for all outputs together: about 2 s of a quiet core */

void anatomy_add(struct anatomy *a, const char *format, ...)
{
    va_list v;
    if (a->n == ANATOMY_FACTS)
        return;
    va_start(v, format);
    vsnprintf(a->fact[a->n++], ANATOMY_FACT, format, v);
    va_end(v);
}

/* Marks in in[] the listed indices of an axis at which some cell is wrong (or, !of_wrong, right), and describes them in
 * words; false: no rule does. */
static bool shadow(const struct grid *g, int axis, bool of_wrong, bool in[GRID_AXIS], char *text, size_t n)
{
    memset(in, 0, GRID_AXIS * sizeof *in);
    for (long c = 0; c < g->cells; c++)
        if (g->wrong[c] == of_wrong)
            in[grid_index(g, axis, c)] = true;
    return pattern_say(in, g->axis[axis].at, g->axis[axis].n, g->axis[axis].extent, g->axis[axis].letter, text, n);
}

/* Whether a rule is more than chance.  A share f of the cells inside it is wrong and none of the x cells outside, which
 * has the probability (1 - f)^x by chance; it must be below 1e-4.  A rule about right cells must hold for all cells
 * inside it, since single elements may be right by chance. */
static bool no_chance(const struct grid *g, int axis, const bool in[GRID_AXIS], bool of_wrong)
{
    long inside = 0, hit = 0;
    for (long c = 0; c < g->cells; c++)
        if (in[grid_index(g, axis, c)])
            inside++, hit += g->wrong[c] == of_wrong;
    const double f = (double)hit / (double)inside, x = (double)(g->cells - inside);
    return f >= 1 || (of_wrong && x * log1p(-f) < log(1e-4));
}

/* Writes the rules of all axes for the wrong cells or the right ones, joined by "and"; false: there is none. */
static bool rules(const struct grid *g, bool of_wrong, char *text, size_t n)
{
    size_t at = 0;
    *text = 0;
    for (int k = 0; k < g->rank; k++) {
        char one[100];
        bool in[GRID_AXIS];
        if (shadow(g, k, of_wrong, in, one, sizeof one) && no_chance(g, k, in, of_wrong) && at + strlen(one) + 6 < n)
            at += (size_t)snprintf(text + at, n - at, "%s%s", at ? " and " : "", one);
    }
    return at > 0;
}

/* Writes the difference of two indices that separates wrong from right cells: "m - n >= 1" of keys ahead of their
 * query. */
static bool relation(const struct grid *g, char *text, size_t n)
{
    for (int a = 0; a < g->rank; a++)
        for (int b = a + 1; b < g->rank; b++) {
            long least = 0, most = 0, right_least = 0, right_most = 0;
            bool any[2] = { false, false };
            for (long c = 0; c < g->cells; c++) {
                const long ahead = g->axis[b].at[grid_index(g, b, c)] - g->axis[a].at[grid_index(g, a, c)];
                long *low = g->wrong[c] ? &least : &right_least, *high = g->wrong[c] ? &most : &right_most;
                const bool first = !any[g->wrong[c]];
                any[g->wrong[c]] = true;
                *low = first || ahead < *low ? ahead : *low, *high = first || ahead > *high ? ahead : *high;
            }
            const char x = g->axis[a].letter, y = g->axis[b].letter;
            if (any[0] && any[1] && least > right_most)
                return snprintf(text, n, "%c - %c >= %ld", y, x, least) > 0;
            if (any[0] && any[1] && most < right_least)
                return snprintf(text, n, "%c - %c <= %ld", y, x, most) > 0;
        }
    return false;
}

static void where(const struct grid *g, struct anatomy *a)
{
    char wrong[160], right[160];
    if (g->wrongs == g->cells)
        anatomy_add(a, "every element of %s is wrong", g->out);
    else if (rules(g, true, wrong, sizeof wrong))
        anatomy_add(a, "%s is wrong only where %s", g->out, wrong);
    else if (rules(g, false, right, sizeof right))
        anatomy_add(a, "%s is right only where %s", g->out, right);
    else if (relation(g, wrong, sizeof wrong))
        anatomy_add(a, "%s is wrong exactly where %s", g->out, wrong);
    else
        anatomy_add(a, "%s is wrong here and there, by no simple rule of its axes", g->out);
}

/* States what the wrong cells are: never written, NaN, infinite, the same number.  true: that describes all of them. */
static bool value(const struct grid *g, struct anatomy *a)
{
    long nan = 0, inf = 0, same = 0;
    double first = 0;
    bool any = false;
    for (long c = 0; c < g->cells; c++)
        if (g->wrong[c]) {
            first = any ? first : g->got[c], any = true;
            nan += isnan(g->got[c]), inf += isinf(g->got[c]), same += g->got[c] == first;
        }
    if (g->unwritten)
        anatomy_add(a, "%s: %s never written: all bits are set, as they came", g->out,
            g->unwritten == g->wrongs ? "every wrong element was" : "some elements were");
    else if (nan)
        anatomy_add(a, "%s: %s NaN", g->out, nan == g->wrongs ? "every wrong element is" : "some wrong elements are");
    if (inf)
        anatomy_add(
            a, "%s: %s infinite", g->out, inf == g->wrongs ? "every wrong element is" : "some wrong elements are");
    if (same == g->wrongs && g->wrongs > 1 && isfinite(first))
        anatomy_add(a, "%s: every wrong element is %.9g", g->out, first);
    return same == g->wrongs || g->unwritten == g->wrongs || nan == g->wrongs || inf == g->wrongs;
}

/* Whether the sum along an axis of the elements (power 1) or their squares (2) is right everywhere, while some elements
 * are wrong by more than 100 times what the sum may be off. */
static bool kept(const struct grid *g, int axis, int power)
{
    const struct grid_axis *x = &g->axis[axis];
    bool tells = false;
    for (long c = 0; c < g->cells; c++) {
        double off = 0, room = 0, moved = 0;
        if (grid_index(g, axis, c))
            continue;
        for (int k = 0; k < x->n; k++) {
            const double got = g->got[c + k * x->step], want = g->want[c + k * x->step], r = g->radius[c + k * x->step];
            off += power == 1 ? got - want : got * got - want * want;
            room += power == 1 ? r : r * (2 * fabs(want) + r);
            moved += power == 1 ? fabs(got - want) : fabs(got * got - want * want);
        }
        if (!(fabs(off) <= room))
            return false;
        tells |= moved > 100 * room && isfinite(room);
    }
    return tells;
}

/* The same for the sums of squares of pairs along the last axis: neighbours, or indices half an axis apart. */
static bool pairs_kept(const struct grid *g, bool halves)
{
    const int axis = g->rank - 1;
    const int n = g->axis[axis].n, far = halves ? n / 2 : 1;
    bool tells = false;
    if (n % 2 || n < 4 || n != g->axis[axis].extent)
        return false;
    for (long c = 0; c < g->cells; c++) {
        const int k = grid_index(g, axis, c);
        double off = 0, room = 0, moved = 0;
        if (halves ? k >= far : k % 2)
            continue;
        for (int j = 0; j < 2; j++) {
            const double got = g->got[c + j * far], want = g->want[c + j * far], r = g->radius[c + j * far];
            off += got * got - want * want, room += r * (2 * fabs(want) + r);
            moved += fabs(got * got - want * want);
        }
        if (!(fabs(off) <= room))
            return false;
        tells |= moved > 100 * room;
    }
    return tells;
}

static void intact(const struct grid *g, struct anatomy *a)
{
    bool sizes = true, signs = true;
    for (long c = 0; c < g->cells; c++) {
        sizes = sizes && fabs(fabs(g->got[c]) - fabs(g->want[c])) <= g->radius[c];
        signs = signs && (fabs(g->want[c]) <= g->radius[c] || signbit(g->got[c]) == signbit(g->want[c])) &&
            !isnan(g->got[c]);
    }
    if (sizes)
        anatomy_add(a, "%s: the size of every element is right, only signs are wrong", g->out);
    else if (signs && g->wrongs > 8)
        anatomy_add(a, "%s: every sign is right", g->out);
    for (int halves = 0; halves < 2 && g->rank; halves++)
        if (pairs_kept(g, halves)) {
            anatomy_add(a, "%s: the length of each pair (%c, %c + %ld) is right: only their angles are wrong",
                g->out, g->axis[g->rank - 1].letter, g->axis[g->rank - 1].letter,
                halves ? g->axis[g->rank - 1].extent / 2 : 1L);
            return;
        }
    for (int k = 0; k < g->rank; k++)
        for (int power = 1; power <= 2 && g->axis[k].n == g->axis[k].extent && g->axis[k].n > 1; power++)
            if (kept(g, k, power))
                anatomy_add(a, "%s: the sum of the %s along %c is right", g->out, power == 1 ? "elements" : "squares",
                    g->axis[k].letter);
}

/* States the axes along which the error, as a share of its bound, grows: its geometric mean over each quarter of the
 * axis is above that of the quarter before, and the last at least eight times the first. */
static void growth(const struct grid *g, struct anatomy *a)
{
    for (int k = 0; k < g->rank; k++) {
        double sum[4] = { 0 }, n[4] = { 0 };
        if (g->axis[k].n < 8)
            continue;
        for (long c = 0; c < g->cells; c++) {
            const double share = fabs(g->got[c] - g->want[c]) / g->radius[c];
            const int part = grid_index(g, k, c) * 4 / g->axis[k].n;
            if (g->wrong[c] && isfinite(share) && share > 0)
                sum[part] += log2(share), n[part]++;
        }
        bool rises = n[0] > 0;
        for (int q = 1; q < 4; q++)
            rises = rises && n[q] > 0 && sum[q] / n[q] > sum[q - 1] / n[q - 1];
        if (rises && sum[3] / n[3] - sum[0] / n[0] >= 3)
            anatomy_add(a, "%s: the error grows with %c, from about %.2g to %.2g of the bound", g->out,
                g->axis[k].letter, exp2(sum[0] / n[0]), exp2(sum[3] / n[3]));
    }
}

/* Opens the grid of the real output with the largest share of wrong elements; false: none has any. */
static bool worst(const struct trial *t, struct grid *g)
{
    double most = 0;
    *g = (struct grid){ 0 };
    for (int k = 0; k < t->call.n_out; k++) {
        struct grid one;
        if (t->out[k].type >= MER_I64 || !grid_open(&one, t, k, outputs_work / t->call.n_out))
            continue;
        const double share = (double)one.wrongs / (double)one.cells;
        if (share > most)
            grid_close(g), *g = one, most = share;
        else
            grid_close(&one);
    }
    return most > 0;
}

void anatomy_read(const struct trial *t, struct anatomy *a)
{
    static struct grid g; /* large */
    *a = (struct anatomy){ 0 };
    if (!worst(t, &g)) {
        grid_close(&g);
        return;
    }
    char text[ANATOMY_FACT];
    struct number_terms of;
    number_terms_of(&of, t);
    where(&g, a);
    if (!value(&g, a)) {
        if (copies_say(&g, text, sizeof text) || factor_say(&g, &of, text, sizeof text))
            anatomy_add(a, "%s", text);
        else
            intact(&g, a), growth(&g, a);
    }
    grid_close(&g);
}
