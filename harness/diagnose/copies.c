/* Finds maps of indices under which all elements are right; see copies.h. */
#include "diagnose/copies.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Whether two numbers are equal, as infinities of one sign and two NaNs are. */
static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Whether what stands in cell `got` is, by the declared radius, the exact value of cell `want`. */
static bool cell_matches(const struct grid *g, long got, long want)
{
    return fabs(g->got[got] - g->want[want]) <= g->radius[want] || same(g->got[got], g->want[want]);
}

/* Whether the outputs at the i-th listed index of an axis are all exact values of the j-th.  The loop visits the cells
 * with the first listed index. */
static bool slice_matches(const struct grid *g, int axis, int i, int j)
{
    const long step = g->axis[axis].step, period = step * g->axis[axis].n;
    for (long block = 0; block < g->cells; block += period)
        for (long c = block; c < block + step; c++)
            if (!cell_matches(g, c + i * step, c + j * step))
                return false;
    return true;
}

/* Whether some element at the i-th listed index of an axis is wrong. */
static bool slice_wrong(const struct grid *g, int axis, int i)
{
    const long step = g->axis[axis].step, period = step * g->axis[axis].n;
    for (long block = 0; block < g->cells; block += period)
        for (long c = block; c < block + step; c++)
            if (g->wrong[c + i * step])
                return true;
    return false;
}

/* A map of indices of an axis of extent n, with a parameter c that is tried from least to most.  It gives the index
 * whose value is found at i; -1: none.  says: a format for the letter and c. */
struct copies_map { const char *says; long (*of)(long i, long n, long c); long least, most; };
static long before(long i, long n, long c) { return (void)n, i - c < 0 ? 0 : i - c; }
static long behind(long i, long n, long c) { return i + c < n ? i + c : n - 1; }
static long before_round(long i, long n, long c) { return (i - c % n + n) % n; }
static long behind_round(long i, long n, long c) { return (i + c) % n; }
static long mirrored(long i, long n, long c) { return (void)c, n - 1 - i; }
static long divided(long i, long n, long c) { return (void)n, i / c; }
static long rest(long i, long n, long c) { return (void)n, i % c; }
static long times(long i, long n, long c) { return i * c < n ? i * c : -1; }
static long fixed(long i, long n, long c) { return (void)i, c < n ? c : -1; }
static long neighbour(long i, long n, long c) { return (void)c, (i ^ 1) < n ? i ^ 1 : i; }
static const struct copies_map maps[] = {
    { "%c - %ld, the last ones first", before_round, 1, 4 },
    { "%c + %ld, the first ones last", behind_round, 1, 4 },
    { "%c - %ld", before, 1, 4 },
    { "%c + %ld", behind, 1, 4 },
    { "the same in reverse order of %c", mirrored, 0, 0 },
    { "the other one of its pair of %c", neighbour, 0, 0 },
    { "%c / %ld, whole", divided, 2, 8 },
    { "%c mod %ld", rest, 2, 16 },
    { "%c * %ld", times, 2, 4 },
    { "%c = %ld for all", fixed, 0, 3 },
};

/* Whether a map explains the axis.  table[n][n]: slice_matches() of each pair of listed indices.  Indices whose source
 * is not listed are not compared, but at most a quarter may be such. */
static bool mapped(const struct grid *g, int axis, const bool *table, const struct copies_map *m, long number)
{
    const struct grid_axis *a = &g->axis[axis];
    int asked = 0, known = 0, moved = 0;
    for (int i = 0; i < a->n; i++) {
        const long to = m->of(a->at[i], a->extent, number);
        const int j = to >= 0 && to < a->extent ? grid_listed(a, to) : -1;
        asked++, known += j >= 0, moved += j >= 0 && j != i;
        if (j >= 0 && !table[i * a->n + j])
            return false;
    }
    return moved && 4 * known >= 3 * asked;
}

/* Writes a sentence about one axis: by a map, or else by up to eight sources one after the other, where every index
 * with wrong elements has one. */
static bool describe_axis(const struct grid *g, int axis, char *text, size_t n)
{
    const struct grid_axis *a = &g->axis[axis];
    bool found = false;
    if (a->n < 2 || a->n > 64)
        return false;
    bool *table = need((size_t)(a->n * a->n), sizeof *table);
    int hopeless = 0;
    for (int i = 0; i < a->n; i++) {
        bool any = false;
        for (int j = 0; j < a->n; j++)
            table[i * a->n + j] = slice_matches(g, axis, i, j), any |= table[i * a->n + j];
        hopeless += !any && slice_wrong(g, axis, i);
    }
    for (size_t k = 0; k < sizeof maps / sizeof *maps && !found && 4 * hopeless <= a->n; k++)
        for (long number = maps[k].least; number <= maps[k].most && !found; number++)
            if (mapped(g, axis, table, &maps[k], number)) {
                char rule[80];
                snprintf(rule, sizeof rule, maps[k].says, a->letter, number);
                snprintf(text, n, "%s holds, along %c, what belongs to %s", g->out, a->letter, rule);
                found = true;
            }
    size_t at = 0;
    for (int i = 0; i < a->n && !found && !hopeless && at < n; i++) {
        int j = 0;
        while (j < a->n && !table[i * a->n + j])
            j++;
        if (!at)
            at = (size_t)snprintf(text, n, "%s holds, along %c, what belongs elsewhere:", g->out, a->letter);
        if (i < 8 && j < a->n && at < n)
            at += (size_t)snprintf(text + at, n - at, "%s %ld<-%ld", i ? "," : "", a->at[i], a->at[j]);
    }
    free(table);
    return found || at;
}

/* Whether the elements are laid out with the axes in the order of `axes`: the value of each cell stands where that
 * order would put it. */
static bool ordered(const struct grid *g, const int *axes)
{
    for (long c = 0; c < g->cells; c++) {
        long at = 0;
        for (int k = 0; k < g->rank; k++)
            at = at * g->axis[axes[k]].n + grid_index(g, axes[k], c);
        if (!cell_matches(g, at, c))
            return false;
    }
    return true;
}

/* Writes which two axes are exchanged in memory.  Only for outputs that are listed whole. */
static bool exchanged(const struct grid *g, char *text, size_t n)
{
    for (int k = 0; k < g->rank; k++)
        if (g->axis[k].n != g->axis[k].extent)
            return false;
    for (int a = 0; a < g->rank; a++)
        for (int b = a + 1; b < g->rank; b++) {
            int axes[MER_RANK];
            for (int k = 0; k < g->rank; k++)
                axes[k] = k == a ? b : k == b ? a : k;
            if (g->axis[a].n > 1 && g->axis[b].n > 1 && ordered(g, axes))
                return snprintf(text, n, "%s is written with the axes %c and %c exchanged", g->out, g->axis[a].letter,
                           g->axis[b].letter) > 0;
        }
    return false;
}

/* Whether the outputs are equal along an axis along which the exact values differ. */
static bool flat(const struct grid *g, int axis)
{
    const struct grid_axis *a = &g->axis[axis];
    bool differs = false;
    if (a->n < 2)
        return false;
    for (long c = 0; c < g->cells; c++) {
        const long first = c - grid_index(g, axis, c) * a->step;
        if (!same(g->got[c], g->got[first]))
            return false;
        differs |= fabs(g->want[c] - g->want[first]) > g->radius[c] + g->radius[first] ||
            isnan(g->want[c]) != isnan(g->want[first]);
    }
    return differs;
}

bool copies_say(const struct grid *g, char *text, size_t n)
{
    if (g->unwritten)
        return false;
    for (int k = 0; k < g->rank; k++)
        if (describe_axis(g, k, text, n))
            return true;
    if (exchanged(g, text, n))
        return true;
    bool constant = g->cells > 1;
    for (long c = 0; c < g->cells; c++)
        constant = constant && same(g->got[c], g->got[0]);
    for (int k = 0; k < g->rank && !constant; k++)
        if (flat(g, k))
            return snprintf(text, n, "%s is the same for every %c", g->out, g->axis[k].letter) > 0;
    return false;
}
