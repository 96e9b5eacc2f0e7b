/* e^(i p w) for all positions in turn, without a table over positions: p = WAVE n + r, one product of an anchor and a
 * short table.
 *   e^(i w 2^j), j < 29, from MPFR to 2^-104;   an anchor is the product over the set bits of its position; counting
 *   up, one product replaces it each time (the bits above the lowest set bit are those of an earlier anchor).
 * A product of double-doubles errs by less than 2^-98, an anchor has at most 29 factors: error below 2^-93 before the
 * rounding to double. */
#ifndef ANCHOR_H
#define ANCHOR_H
#include <mpfr.h>
#include <stdint.h>
#include "context/cosine.h"

enum { ANCHOR_BITS = 30 };
struct pairdd { double ch, cl, sh, sl; };                  /* cos = ch + cl, sin = sh + sl */
struct anchor { struct pairdd bit[ANCHOR_BITS + 1], above[ANCHOR_BITS + 2]; int64_t n; };
/* rc, rs[WAVE]: e^(i (r + origin) w) rounded to double */
void anchor_table(const mpfr_t w, int64_t origin, double *rc, double *rs);
void anchor_start(struct anchor *a, const mpfr_t w);        /* the 2^j turns; shared by copies */
void anchor_at(struct anchor *a, int64_t n);                /* stands at position WAVE n */
void anchor_next(struct anchor *a);                         /* n + 1 */
/* rounded to nearest of the 2^-93 value */
static inline double anchor_cos(const struct anchor *a) { return a->above[0].ch; }
static inline double anchor_sin(const struct anchor *a) { return a->above[0].sh; }
#endif
