/* What a run of the suite cost: processor time of its parts by row, the dearest row first, and of the kernels by
 * size. */
#include <stdlib.h>
#include "tier/tiers.h"

struct tier_sum { const char *row; double part[PARTS], pages[3], all; long verdicts; };

static int dearer(const void *a, const void *b)
{
    const struct tier_sum *x = a, *y = b;
    return x->all < y->all ? 1 : x->all > y->all ? -1 : strcmp(x->row, y->row);
}

static void line(FILE *to, const struct tier_sum *x)
{
    fprintf(to, "%-13s %8.2f", x->row, x->all);
    for (int k = 0; k < PARTS; k++)
        fprintf(to, " %8.2f", x->part[k]);
    fprintf(to, " %9.2f %7.2f %7.2f %8ld\n", x->pages[0], x->pages[1], x->pages[2], x->verdicts);
}

void plan_costs(const struct tier_plan *p, const struct spent *spent, FILE *to)
{
    struct tier_sum *by = need((size_t)p->n + 1, sizeof *by), all = { .row = "all" };
    size_t rows = 0;
    for (long k = 0; k < p->n; k++) {
        struct tier_sum *x = by;
        while (x < by + rows && strcmp(x->row, p->unit[k].row))
            x++;
        rows += x == by + rows;
        x->row = p->unit[k].row;
        struct tier_sum *both[] = { x, &all };
        for (int b = 0; b < 2; b++) {
            both[b]->part[p->unit[k].part] += spent[k].seconds, both[b]->all += spent[k].seconds,
                both[b]->verdicts += spent[k].verdicts;
            for (int c = 0; c < 3; c++)
                both[b]->pages[c] += spent[k].pages[c];
        }
    }
    qsort(by, rows, sizeof *by, dearer);
    fprintf(to, "%-13s %8s", "seconds", "all");
    for (int k = 0; k < PARTS; k++)
        fprintf(to, " %8s", part_name[k]);
    fprintf(to, " %9s %7s %7s %8s\n", "reference", "bounds", "judging", "verdicts");
    for (size_t r = 0; r < rows; r++)
        line(to, &by[r]);
    line(to, &all);
    fprintf(to, "\n%-28s %8s %8s\n", "kernels at", "seconds", "verdicts");
    for (int z = 0; plan_size(z); z++) {
        struct spent at = { 0 };
        for (long k = 0; k < p->n; k++)
            if (p->unit[k].part == KERNELS && p->unit[k].size == z)
                at.seconds += spent[k].seconds, at.verdicts += spent[k].verdicts;
        fprintf(to, "%-28s %8.2f %8ld\n", plan_size(z), at.seconds, at.verdicts);
    }
    free(by);
}
