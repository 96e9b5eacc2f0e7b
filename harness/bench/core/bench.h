/* Timing: runners take turns in one process, so drift of the machine meets all of them; a speed is a ratio of medians
 * with the least and the greatest ratio of single turns, and is printed only beside a passed check on the same
 * buffers. */
#ifndef BENCH_H
#define BENCH_H
#include <stdbool.h>
#include <stdio.h>
#include "kernels.h"
#include "trial/trial.h"

enum { TURNS = 31, RUNNERS = 6 };
struct runner { const char *name; void (*run)(void *with); void *with; double seconds[TURNS]; };
struct ratio { double median, low, high; };

struct bench {
    int turns;
    const char *only;      /* part of an item's name, or NULL */
    FILE *json;            /* NULL: none */
    int reached, missed, absent, failed;
    long lines;            /* that a check judges; 0: 64 */
    char check[120];       /* what the last check found */
};
/* one turn each unmeasured, then `turns` of thread CPU time, in order */
void bench_turns(struct runner *r, int n, int turns);
double bench_median(const struct runner *r, int turns);
struct ratio bench_ratio(const struct runner *a, const struct runner *b, int turns); /* time of a over time of b */
bool bench_wants(const struct bench *b, const char *name);

/* One line: `own` against `other`, per element and in bytes moved.  goal: greatest allowed time ratio, 0: none; where
 * `percent`, other is a limit of the machine and the goal the least share of it. */
struct item { const char *name; const struct runner *own, *other; double elements, bytes, goal; bool percent; };
void bench_item(struct bench *b, const struct item *i);
void bench_absent(struct bench *b, const char *name, const char *why);
void bench_figure(struct bench *b, const char *name, double x, const char *unit); /* a figure without a goal */

/* a figure, b->check beside it, of which goal is the most, or the least */
void bench_goal(struct bench *b, const char *name, double x, const char *unit, double goal, bool least);

/* Judges t's outputs (b->lines) under the profile: true, and what was found in b->check; false counts the item as
 * failed. */
bool bench_check(struct bench *b, struct trial *t, const char *name, const char *profile, double gauge, bool correct);
/* the best slot's that offers c */
const struct mer_kernel *bench_kernel(
    const char *row, const char *out, const char *type, const struct mer_call *c, const char **slot);

/* Limits of the machine over `bytes` (a multiple of 64) at 64-byte aligned p. */
struct bench_stretch { void *p; size_t bytes; };
/* Each goes once over the stretch, whose p is a multiple of 16 bytes; what is beyond whole blocks of 64 bytes is left
 * out by the first two.  update reads, adds 0 and writes back in place, so that the bits stay; read only reads; fill
 * overwrites all of it, by stores that pass the caches. */
void limit_update(void *stretch);
void limit_read(void *stretch);
void limit_fill(void *stretch);
/* multiply-adds of float32 in registers, at the widest: how many operations were done, two of each */
double limit_fma(long rounds);

/* Items that belong together.  harness/bench/NAME.c defines group_NAME; nothing else knows of it. */
struct group { int order; void (*measure)(struct bench *b); };
#endif
