/* Exhaustive verification of the correctly rounded tables of libmeridian: every cos and sin entry of positions 0 <= p <
 * limit. */
#ifndef EXHAUST_H
#define EXHAUST_H
#include <stdint.h>
#include <mpfr.h>
#include "meridian.h"

enum { EXHAUST_BITS = 400 };
/* [pairs] at EXHAUST_BITS: w_k off by less than 2^-330 |w_k|, and A likewise */
struct waves { long pairs; mpfr_t *w, amplitude; };
/* From the page of the row (rope: freq and amplitude), or from the formula (sinusoid).  0, or -1 and err. */
int waves_open(struct waves *w, const char *row, const char *params, char *err, size_t n);
void waves_close(struct waves *w);
/* A cos and A sin of p w_k, off by less than 2^-250 max(1, A); |p| <= 2^53 */
void waves_at(const struct waves *w, int64_t p, long k, mpfr_t cos, mpfr_t sin);

struct exhaust {
    int64_t entries, wrong;          /* compared; not the nearest value of the type */
    /* left open by double-doubles, so asked of MPFR; left open by MPFR too (counted as neither) */
    int64_t undecided, open;
    int64_t rechecked, recheck_wrong; /* random entries asked of MPFR by the formula, whatever double-doubles said */
    double ulp;                      /* worst |entry - value| / ulp(entry) */
    int64_t pos; long k; int sine;   /* its witness, or that of the first wrong entry */
    double got;
    double setup, seconds;           /* anchors of both sides; the whole, wall clock */
    char err[200];
};
/* type: MER_F32, MER_F16 or MER_BF16.  Two threads.  0 if the run is complete (read wrong, open and recheck_wrong for
 * the verdict), -1 and r->err. */
int exhaust_run(const char *row, const char *params, int64_t limit, int type, int64_t recheck, struct exhaust *r);
/* The same with a table made of other parameters: what the verifier says of a wrong table. */
int exhaust_other(const char *row, const char *params, const char *table_params, int64_t limit, int type,
    int64_t recheck, struct exhaust *r);
#endif
