/* A contract against the exact table, every position and pair of a context: no sample.
 *   error = |c - cos(p w_k)| or |s - sin(p w_k)|, c and s as struct contract has them (before amplitude and storage)
 * Doubles find, MPFR decides: errors are first known to 2^-49 (2^-46 for f64 phases beyond 2^24 positions); whatever
 * lies that near to a threshold or to the worst is settled by MPFR. */
#ifndef SCAN_H
#define SCAN_H
#include <stddef.h>
#include <stdint.h>

enum { SCAN_CURVE = 64, SCAN_MOST = 1 << 29 };
struct scan {
    double worst;                 /* the largest finite error, to the nearest double */
    long at_pos, at_pair;
    int is_sin;
    double got, want;             /* the contract's value there, and the exact one (rounded) */
    /* 0: no error anywhere exceeds `worst`; else none exceeds worst + slack (too many within it to settle) */
    double slack;
    /* f32, f16, bf16: all errors at positions below are <= 2^-24, 2^-11, 2^-8; at most limit */
    int64_t valid[3];
    /* 1: some table value is infinite or NaN; such values end validity and have no error */
    int nonfinite;
    int64_t nonfinite_at;         /* the first such position */
    double seconds;
    int64_t limit;
    /* worst of the positions from the previous pos up to, not including, this one */
    struct { int64_t pos; double worst; } curve[SCAN_CURVE];
    int n_curve;
    char want_digits[64];         /* want to 40 digits */
};
extern const int scan_bits[3];    /* 24 11 8 */
/* Positions 0 .. limit - 1 (limit <= 2^29).  threads: how many share the work; the result is the same.  0, or -1 and
 * one line in err. */
int scan_threads(const char *row, const char *params, const char *contract_text, int64_t limit, int threads,
    struct scan *s, char *err, size_t n);
/* all processors */
int scan_run(
    const char *row, const char *params, const char *contract_text, int64_t limit, struct scan *s, char *err, size_t n);
#endif
