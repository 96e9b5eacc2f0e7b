/* The one random generator, and the named ways to choose inputs.  Everything is a function of (seed, stream, index):
 * order, threads and resuming change nothing.
 *   edge         where formats and integer maps break      spaced   by bit pattern: `count` equal cells, one draw in
 *                each, no repeats
 *   exhaustive   every bit pattern (16-bit, f32), every integer of [least, most]      random   uniform
 *   adversarial  reals nearest to multiples of pi/2, and integer positions p for which p w comes nearest to one */
#ifndef GEN_H
#define GEN_H
#include <stdbool.h>
#include <stdint.h>
#include <mpfr.h>
#include "ball/step.h"
#include "ruler/bits.h"

struct domain {
    uint64_t seed, stream, count; /* count: of spaced and random */
    const struct format *f;       /* one of formats[]; reals only */
    double low, high;             /* reals, finite, low <= high; both 0: the whole format */
    bool infinite;                /* edge: infinities too */
    int64_t least, most;          /* integers, |.| <= 2^53 */
    mpfr_srcptr frequency;        /* w > 0 of adversarial integers; as exact as the caller has it, at least 128 bits */
};
struct gen {
    const char *name;
    uint64_t (*reals)(const struct domain *d);             /* how many; 0: none of this kind */
    /* i < reals(d); NaN only from exhaustive, behind which all patterns stand */
    double (*real)(const struct domain *d, uint64_t i);
    uint64_t (*integers)(const struct domain *d);
    int64_t (*integer)(const struct domain *d, uint64_t i);
};
extern const struct gen gens[]; /* ends with name NULL */
const struct gen *gen_named(const char *name);

/* Bit patterns of formats[]: a value's place among its neighbours, -inf .. inf without a gap (both zeros are 0), and
 * back. */
int64_t format_place(const struct format *f, double x);
double format_value(const struct format *f, int64_t place);

/* Positions p of [1, limit] such that no smaller one brings p w nearer to a multiple of pi/2: denominators of the
 * convergents of
 * 2w/pi.  Ascending, so the last is the nearest of all.  How many, at most `room`.  w > 0. */
long gen_nearest(mpfr_srcptr w, int64_t limit, int64_t *p, long room);
#endif
