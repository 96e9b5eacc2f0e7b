/* Which bases of a rotary encoding keep the mean score of equal vectors from turning negative.
 * Men et al. 2024, arXiv:2405.14591, eq. 11
 *   B_m(b) = sum over i < n of cos(m b^(-i/n)), n = d/2          b is feasible: B_m(b) >= 0 for m = 0 .. L
 * The whole half line b >= 1 is cut into stretches, each with its certificate:
 *   NO          one m with B_m < 0 on all of it        YES   every m with B_m >= 0 on all of it
 *   UNDECIDED   narrower than 2^-32 of b, unless several meet; a root of some B_m lies there
 * and everything from `everywhere` on is feasible.  The feasible set is no interval, so it has two ends: its infimum,
 * and the least base beyond which all are feasible. */
#ifndef EXACT_BASE_H
#define EXACT_BASE_H
#include "row/row.h"

struct base_stretch { double from, to; enum truth feasible; long m; }; /* closed; m: certificate of NO */
struct bases {
    long length, dim;
    /* stretch[stretches], owned: from 1 to everywhere without gaps; neighbours differ in `feasible` */
    struct base_stretch *stretch;
    long stretches, certificates, scans;
    double everywhere;
    /* enclosures of the infimum of the feasible bases, and of the least base beyond which all are feasible */
    double least[2], robust[2];
};
enum { BASES_LENGTH = 1 << 20, BASES_LEAST_DIM = 8, BASES_DIM = 1024 };
/* Decides all bases for L = length, 1 to BASES_LENGTH, and d = dim, even, BASES_LEAST_DIM to BASES_DIM.
 * progress: called after each scan of all distances with the base that is reached, or NULL.  0, or -1 and one line in
 * err; bases_close is due after 0. */
int bases_find(struct bases *b, long length, long dim, void (*progress)(const struct bases *b, double reached),
    char *err, size_t n);
/* The same up to the first stretch that is feasible: `least` alone is set, and the stretches end there.  Of a million
 * distances this is minutes where all bases are a day. */
int bases_least(struct bases *b, long length, long dim, void (*progress)(const struct bases *b, double reached),
    char *err, size_t n);
void bases_close(struct bases *b);

struct base_published { long length; const char *base; }; /* d = 128, two digits; ends with length 0 */
extern const struct base_published bases_published[];
#endif
