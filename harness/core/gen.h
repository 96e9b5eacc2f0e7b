/* Named ways to choose inputs, on the project's one random generator.  Every input is a function of (seed, stream,
 * index), so that neither order nor threads nor resuming changes any.
 *   edge         where formats and integer maps break
 *   spaced       by bit pattern: `count` equal cells, one draw in each, no repeats
 *   exhaustive   every bit pattern (16-bit formats, f32), every integer of [least, most]
 *   random       uniform
 *   adversarial  reals nearest to multiples of pi/2, and integer positions p for which p w comes nearest to one */
#ifndef GEN_H
#define GEN_H
#include <stdbool.h>
#include <stdint.h>
#include <mpfr.h>
#include "arith/step.h"
#include "ruler/bits.h"

/* What inputs are drawn from, and by which seed. */
struct domain {
    uint64_t seed, stream, count; /* count: how many inputs spaced and random have */
    const struct format *f;       /* of reals: one of formats[] */
    double low, high;             /* bounds of reals, finite, low <= high; both 0: the whole format (random: -1 to 1) */
    bool infinite;                /* whether edge has infinities, too */
    /* bounds of integers, of magnitude at most 2^53; random and spaced draw from them, edge keeps what lies within */
    int64_t least, most;
    /* w > 0, for adversarial integers: as exact as the caller has it, at least 128 bits; NULL: there are none */
    mpfr_srcptr frequency;
};
/* A generator: a real or an integer by its index, without state. */
struct gen {
    const char *name;
    uint64_t (*reals)(const struct domain *d);             /* how many reals there are; 0: the generator has none */
    /* the i-th real, i < reals(d); NaN from exhaustive alone, which goes through all patterns */
    double (*real)(const struct domain *d, uint64_t i);
    uint64_t (*integers)(const struct domain *d);          /* the same for integers */
    int64_t (*integer)(const struct domain *d, uint64_t i);
};
extern const struct gen gens[]; /* the generators; the list ends with name NULL */
const struct gen *gen_named(const char *name); /* NULL: there is none of that name */

/* The place of x among the values of a format, by bit patterns: -inf .. inf without a gap, both zeros at 0; and the
 * value at a place. */
int64_t format_place(const struct format *f, double x);
double format_value(const struct format *f, int64_t place);

/* Writes into p[room] the positions of [1, limit] such that no smaller one brings p w nearer to a multiple of pi/2:
 * the denominators of the convergents of 2w/pi.  Ascending, so the last is the nearest of all.  Returns how many, at
 * most `room`. w > 0. */
long gen_nearest(mpfr_srcptr w, int64_t limit, int64_t *p, long room);
#endif
