/* Exhaustive verification of libmeridian's correctly rounded tables: every entry of cos and sin at positions 0 <= p
 * < limit. */
#ifndef EXHAUST_H
#define EXHAUST_H
#include <stdint.h>
#include <mpfr.h>
#include "meridian.h"

enum { EXHAUST_BITS = 400 };
/* The frequencies w[pairs] at EXHAUST_BITS, with a relative error below 2^-330, and the amplitude likewise. */
struct waves { long pairs; mpfr_t *w, amplitude; };
/* Reads them from the page of the row (rope: freq and amplitude) or from the formula (sinusoid). 0, or -1 and err;
 * waves_close is due after 0. */
int waves_open(struct waves *w, const char *row, const char *params, char *err, size_t n);
void waves_close(struct waves *w);
/* cos and sin = A cos and A sin of p w_k, with an error below 2^-250 max(1, A); |p| <= 2^53 */
void waves_at(const struct waves *w, int64_t p, long k, mpfr_t cos, mpfr_t sin);

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
