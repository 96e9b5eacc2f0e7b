/* What `meridian check` does, as a list of parts, each of which reports its findings to the sink. */
#ifndef TIERS_H
#define TIERS_H
#include "tier/crew.h"
#include "examine/examine.h"
struct tier {
    const char *name;
    enum { QUICK, FULL, SOAK, TIERS } level; /* which presets, sizes and seeds kernels are asked (tiers.c) */
    long lines;        /* compared of each output */
    /* Work of the search for right outputs that bounds refuse, in millions of balls made (climber_work in climb.h; 30
     * are about 15 s of one core): a seed asks the same questions on every machine. */
    long climb;
    uint64_t laws;     /* seeds of each law */
    long limit;        /* tables: every entry of the positions 0 .. limit - 1; 0: none */
    bool recorded;     /* goldens are made again, recorded packs judged again, and the whole kill matrix tried */
};
enum tier_part { MISTAKES, LONG, LAWS, CHECKS, KERNELS, TABLES, GOLDENS, PACKS, CLIMB, PARTS };
extern const char *const part_name[PARTS];
struct tier_unit {
    enum tier_part part;
    const char *row;              /* "*": of no single row */
    const struct law *law;
    const struct preset *preset;
    int size, type;               /* size: of the list; type: of a table */
    char pack[64];
};
struct tier_plan {
    const struct tier *tier;
    const char *row;              /* NULL: all */
    const char *checks;           /* their names, or all or none */
    bool matrix;                  /* the kill matrix is printed, whole */
    struct subject *who;          /* [slots], own kernels of the slots that are here */
    int slots;
    struct exact_answers *answers;      /* exact values, shared by the slots */
    struct tier_unit *unit;            /* [n], owned */
    long n, asked, of;            /* pairs of preset and size that kernels are asked, of all such pairs */
};
/* Lists the units of a plan whose tier, row and checks are set: the mistakes of a row, the 128k decode row, single
 * laws, the checks of a row (quick: one in 16 pairs of check and preset), a row's kernels under a preset at a size,
 * every entry of a table, a row's goldens, a recorded pack.  Expensive ones come first.  Slots that this machine lacks
 * are reported to the sink.  plan_close is due. */
void plan_open(struct tier_plan *p, struct sink *s);
/* Runs all units in `hands` processes (crew.h) and fills spent[p->n]. */
void plan_run(struct tier_plan *p, struct sink *s, int hands, struct spent *spent);
void plan_close(struct tier_plan *p);
/* Prints the processor time by row, the most expensive first, and by size. */
void plan_costs(const struct tier_plan *p, const struct spent *spent, FILE *to);
/* The text of size number `size`; NULL behind the last. */
const char *plan_size(int size);
#endif
