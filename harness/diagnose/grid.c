/* Evaluates the cells of one output line by line; see grid.h. */
#include <math.h>
#include <stdlib.h>
#include "diagnose/grid.h"
#include "diagnose/hypotheses/hypothesis.h"

int grid_index(const struct grid *g, int axis, long cell)
{
    const struct grid_axis *a = &g->axis[axis];
    return (int)(cell / a->step % a->n);
}

int grid_listed(const struct grid_axis *a, long i)
{
    for (int k = 0; k < a->n; k++)
        if (a->at[k] == i)
            return k;
    return -1;
}

/* Lists at most `most` indices of an axis: half from its beginning, half from its end. */
static void list(struct grid_axis *a, int most)
{
    a->n = a->extent < most ? (int)a->extent : most;
    for (int k = 0; k < a->n; k++)
        a->at[k] = k < (a->n + 1) / 2 ? k : a->extent - a->n + k;
}

/* Lists the leading axes in such a way that there are at most `lines` lines: all axes are cut to the same number, so
 * the longest is cut first. */
static void list_leading(struct grid *g, int lead, long lines)
{
    int most = GRID_AXIS;
    long all;
    do {
        all = 1;
        for (int k = 0; k < lead; k++)
            list(&g->axis[k], most), all *= g->axis[k].n;
    } while (all > lines && --most > 0);
}

/* The line of the output that is line number `row` of the grid. */
static struct place place_at(const struct grid *g, int lead, int out, long row)
{
    long line = 0;
    for (int k = 0; k < lead; k++) {
        long below = 1;
        for (int j = k + 1; j < lead; j++)
            below *= g->axis[j].n;
        line = line * g->axis[k].extent + g->axis[k].at[row / below % g->axis[k].n];
    }
    return (struct place){ out, line };
}

/* Fills line `row` of the grid, of len cells, from line p of the output, and counts.  false: undecided. */
static bool fill(struct grid *g, struct hypothesis *own, const struct place *p, long row, long len)
{
    const struct mer_array *out = &own->t->out[p->out];
    const long first = row * len;
    if (!hypothesis_says(own, p, g->want + first, g->radius + first))
        return false;
    for (long j = 0; j < len; j++) {
        const long cell = first + j;
        const double got = array_get(out, p->line * len + j), want = g->want[cell];
        g->got[cell] = got;
        g->wrong[cell] = !(got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= g->radius[cell]);
        g->wrongs += g->wrong[cell], g->unwritten += g->wrong[cell] && element_unwritten(out, p->line * len + j);
    }
    return true;
}

/* Sets up the axes of output k; those within a line, behind the bar of the signature, are listed whole.  Returns the
 * elements of a line, or 0 where it is too long. */
static long letters(struct grid *g, const struct trial *t, int k, int *lead)
{
    struct sign s;
    long len = 1;
    sign_read(&s, row_quantity(t->row, t->out[k].name)->sign);
    g->out = t->out[k].name, g->rank = t->out[k].rank, *lead = s.out.lead;
    for (int a = 0; a < g->rank; a++) {
        g->axis[a] = (struct grid_axis){ .letter = s.out.axis[a], .extent = t->out[k].dim[a] };
        if (a >= s.out.lead && g->axis[a].extent > GRID_AXIS)
            return 0;
        if (a >= s.out.lead)
            list(&g->axis[a], GRID_AXIS), len *= g->axis[a].extent;
    }
    return len <= GRID_CELLS ? len : 0;
}

bool grid_open(struct grid *g, const struct trial *t, int k, double work)
{
    struct hypothesis own;
    int lead;
    *g = (struct grid){ 0 };
    const long len = letters(g, t, k, &lead);
    if (!len || !array_len(&t->out[k]))
        return false;
    g->got = need(GRID_CELLS, sizeof *g->got), g->want = need(GRID_CELLS, sizeof *g->want);
    g->radius = need(GRID_CELLS, sizeof *g->radius), g->wrong = need(GRID_CELLS, sizeof *g->wrong);
    bool made = hypothesis_open(&own, t, "", NULL);
    const double start = hypothesis_work(&own);
    /* The first line is evaluated to measure what a line costs. */
    made = made && fill(g, &own, &(struct place){ k, 0 }, 0, len);
    const double cost = hypothesis_work(&own) - start;
    g->wrongs = g->unwritten = 0;
    const long room = GRID_CELLS / len, paid = cost * (double)room > work ? (long)(work / cost) : room;
    list_leading(g, lead, paid > 0 ? paid : 1);
    long rows = 1;
    for (int a = 0; a < lead; a++)
        rows *= g->axis[a].n;
    for (int a = g->rank - 1, step = 1; a >= 0; a--)
        g->axis[a].step = step, step *= g->axis[a].n;
    for (long row = 0; made && row < rows; row++) {
        const struct place p = place_at(g, lead, k, row);
        made = fill(g, &own, &p, row, len);
    }
    g->cells = rows * len;
    hypothesis_close(&own);
    if (!made)
        grid_close(g);
    return made;
}

void grid_close(struct grid *g)
{
    free(g->got), free(g->want), free(g->radius), free(g->wrong);
    *g = (struct grid){ 0 };
}
