/* What `meridian check` asks, as a list of parts, each of which says its findings to the sink. */
#ifndef TIERS_H
#define TIERS_H
#include "tier/crew.h"
#include "judge/examine.h"
struct tier {
    const char *name;
    enum { QUICK, FULL, SOAK, TIERS } level; /* kernels: which presets, sizes and seeds (tiers.c) */
    long lines;        /* compared of each output */
    /* Work of the search for an escape, in millions of balls made (climber_work in climb.h; 30 are about 15 s of one core): a seed
     * asks the same questions on every machine.  The kept cases of earlier escapes are tests. */
    long climb;
    uint64_t laws;     /* seeds of each law */
    long limit;        /* tables: positions 0 .. limit - 1, every entry; 0 = none */
    bool recorded;     /* goldens made again, recorded packs judged again; the whole kill matrix */
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
    struct answers *answers;      /* exact values, shared by the slots */
    struct tier_unit *unit;            /* [n] */
    long n, asked, of;            /* pairs of preset and size that kernels are asked, of those that there are */
};
/* The mistakes of a row, the 128k decode row, laws one by one, the checks of a row (quick: of one in 16 pairs of check
 * and preset), a row's kernels under a preset at a size, every entry of a table, a row's goldens, a recorded
 * pack: dear ones first.  Slots that are not here are told to the sink. */
void plan_open(struct tier_plan *p, struct sink *s);
void plan_run(struct tier_plan *p, struct sink *s, int hands, struct spent *spent); /* spent[p->n] is filled */
void plan_close(struct tier_plan *p);
/* processor time by row, the dearest first, and by size */
void plan_costs(const struct tier_plan *p, const struct spent *spent, FILE *to);
const char *plan_size(int size); /* NULL: behind the last */
#endif
