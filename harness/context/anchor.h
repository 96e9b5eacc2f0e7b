/* e^(i p w) for all positions p in turn, without a table over positions: p = WAVE n + r, and e^(i p w) is the product
 * of an anchor e^(i WAVE n w) and an entry of a short table.
 *
 * e^(i w 2^j), j < 29, come from MPFR, accurate to 2^-104.  An anchor is their product over the set bits of its
 * position; counting up, one product makes the next one (the bits above the lowest set bit are those of an earlier
 * anchor).  A product of double-doubles errs by less than 2^-98 and an anchor has at most 29 factors, so its error
 * is below 2^-93 before it is rounded to double. */
#ifndef ANCHOR_H
#define ANCHOR_H
#include <mpfr.h>
#include <stdint.h>
#include "context/cosine.h"

enum { ANCHOR_BITS = 30 };
/* A unit complex number in double-double. */
struct pairdd { double ch, cl, sh, sl; };                  /* cos = ch + cl, sin = sh + sl */
/* The powers e^(i w 2^j), the partial products of the current position, and that position over WAVE. */
struct anchor { struct pairdd bit[ANCHOR_BITS + 1], above[ANCHOR_BITS + 2]; int64_t n; };
/* fills rc[WAVE] and rs[WAVE]: cos and sin of (r + origin) w, rounded to double */
void anchor_table(const mpfr_t w, int64_t origin, double *rc, double *rs);
/* computes the powers e^(i w 2^j) of frequency w; copies of *a may then be used side by side */
void anchor_start(struct anchor *a, const mpfr_t w);
void anchor_at(struct anchor *a, int64_t n);                /* moves to position WAVE n */
void anchor_next(struct anchor *a);                         /* moves to the next n */
/* cos and sin at the anchor's position: the value that errs by 2^-93, rounded to double */
static inline double anchor_cos(const struct anchor *a) { return a->above[0].ch; }
static inline double anchor_sin(const struct anchor *a) { return a->above[0].sh; }
#endif
