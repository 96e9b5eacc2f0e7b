/* Exhaustive verification of libmeridian's correctly rounded tables: every entry of cos and sin at positions 0 <= p
 * < limit. */
#ifndef EXHAUST_H
#define EXHAUST_H
#include <stdint.h>
#include "meridian.h"

/* What a verification has found. */
struct exhaust {
    int64_t entries, wrong;          /* entries compared; entries that are not the nearest value of the type */
    /* entries that double-doubles left undecided, so that MPFR was asked; those that MPFR left undecided too, which
     * count as neither right nor wrong */
    int64_t undecided, open;
    /* entries chosen at random that MPFR checked by the formula, whatever double-doubles said; of these, the wrong
     * ones */
    int64_t rechecked, recheck_wrong;
    double ulp;                      /* worst |entry - value| / ulp(entry) */
    int64_t pos; long k; int sine;   /* where that is, or the first wrong entry; got: the entry there */
    double got;
    double setup, seconds;           /* seconds of wall clock: of the anchors of both sides; of the whole run */
    char err[200];
};
/* Verifies the table of type MER_F32, MER_F16 or MER_BF16 with two threads. 0: the run is complete, and wrong, open
 * and recheck_wrong are the verdict; -1: r->err says why not. */
int exhaust_run(const char *row, const char *params, int64_t limit, int type, int64_t recheck, struct exhaust *r);
/* The same with a table made of other parameters: what the verification says of a wrong table. */
int exhaust_other(const char *row, const char *params, const char *table_params, int64_t limit, int type,
    int64_t recheck, struct exhaust *r);
#endif
