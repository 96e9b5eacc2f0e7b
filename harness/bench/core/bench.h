/* Measuring speeds as ratios.  The runners that are compared take turns in one process, so that a drift of the
 * machine's speed meets all of them alike.  A speed is the ratio of two median times, given with the least and the
 * greatest ratio of single turns, and it is printed only beside a passed check of the same buffers. */
#ifndef BENCH_H
#define BENCH_H
#include <stdbool.h>
#include <stdio.h>
#include "kernels.h"
#include "trial/trial.h"

enum { TURNS = 31, RUNNERS = 6 };
/* One thing to time: run(with), and what each turn took. */
struct runner { const char *name; void (*run)(void *with); void *with; double seconds[TURNS]; };
/* The ratio of two medians, and the least and the greatest ratio of single turns. */
struct ratio { double median, low, high; };

/* A run of the verb bench: what is asked of it, and what it has counted. */
struct bench {
    int turns;             /* measured runs of each runner, 1 .. TURNS */
    const char *only;      /* a part of the names of the items to measure; NULL: all */
    bool wanted;           /* some item has such a name */
    FILE *json;            /* where a line of JSON an item goes, too; borrowed; NULL: nowhere */
    int reached, missed, absent, failed; /* counts: goals reached and missed, items not run, checks failed */
    long lines;            /* how many lines of each output bench_check judges; 0: 64 */
    char check[120];       /* what the last bench_check found, in words; items print it */
};
/* Runs each of the n runners once unmeasured, then `turns` times in turn (r[0], r[1], .., r[0], ..), at most TURNS;
 * seconds[] are the processor time of this thread. */
void bench_turns(struct runner *r, int n, int turns);
double bench_median(const struct runner *r, int turns); /* of its first `turns` seconds; r keeps its order */
/* time of a over time of b: of the medians, and the least and greatest of single turns */
struct ratio bench_ratio(const struct runner *a, const struct runner *b, int turns);
/* Whether b->only is a part of the name, or NULL.  The first item that is wanted has the heading printed. */
bool bench_wants(struct bench *b, const char *name);

/* One line of the table: how fast `own` is beside `other`. Where `percent`, other is a limit of the machine, and the
 * ratio is other's time over own's. */
struct item {
    const char *name;
    const struct runner *own, *other;
    double elements, bytes; /* that a run of own makes and moves: what ns an element and GB/s are of */
    double goal;            /* the greatest ratio allowed; where percent, the least share of the limit; 0: no goal */
    bool percent;
};
void bench_item(struct bench *b, const struct item *i);
void bench_absent(struct bench *b, const char *name, const char *why); /* says that an item was not run, counts it */
void bench_figure(struct bench *b, const char *name, double x, const char *unit); /* prints a figure that has no goal */

/* Prints a figure beside b->check.  Where `least`, it must reach the goal, else stay within it; counted as reached or
 * missed. */
void bench_goal(struct bench *b, const char *name, double x, const char *unit, double goal, bool least);

/* Judges b->lines lines of each of t's outputs under the profile.  They must also stay within gauge (0: no claim),
 * and where `correct` all be the correctly rounded ones.  True: b->check says what was found; false: the item is
 * counted as failed and the reason printed. */
bool bench_check(struct bench *b, struct trial *t, const char *name, const char *profile, double gauge, bool correct);
/* The kernel of the best slot of this machine that answers call c, and the slot's name; NULL: none does.  The call is
 * asked once to find out, so its outputs are written. */
const struct mer_kernel *bench_kernel(
    const char *row, const char *out, const char *type, const struct mer_call *c, const char **slot);

/* What the machine can do at most, over `bytes` (a multiple of 64, of 256 for limit_read, which leaves out the rest)
 * at p, which is aligned to 64 bytes. */
struct bench_stretch { void *p; size_t bytes; };
/* Each goes once over the stretch, whose p is a multiple of 16 bytes; what is beyond whole blocks of 64 bytes is left
 * out by the first two.  update reads, adds 0 and writes back in place, so that the bits stay; read only reads; fill
 * overwrites all of it, by stores that pass the caches. */
void limit_update(void *stretch);
void limit_read(void *stretch);
void limit_fill(void *stretch);
/* multiply-adds of float32 in registers, at the widest: how many operations were done, two of each */
double limit_fma(long rounds);

/* A group of items that belong together, measured in ascending order. harness/bench/NAME.c defines group_NAME, which
 * the build finds by its name. */
struct group { int order; void (*measure)(struct bench *b); };
#endif
