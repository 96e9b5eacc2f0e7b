/* A contract against the exact table at every position and pair of a context, without sampling.
 *     error = |c - cos(p w_k)| or |s - sin(p w_k)|, c and s as struct contract has them (before amplitude and storage)
 * Errors are first computed in double, to within 2^-49 (2^-45 for f64 phases beyond 2^24 positions); whatever lies
 * that near to a threshold or to the worst is decided by MPFR. */
#ifndef SCAN_H
#define SCAN_H
#include <stddef.h>
#include <stdint.h>

enum { SCAN_CURVE = 64, SCAN_MOST = 1 << 29 };
/* What a scan has found. */
struct scan {
    double worst;                 /* the largest finite error, to the nearest double */
    long at_pos, at_pair;
    int is_sin;
    double got, want;             /* the contract's value there, and the exact one, rounded */
    /* 0: no error exceeds `worst`; else none exceeds worst + slack, as too many lay that near to be decided */
    double slack;
    /* for f32, f16 and bf16: all errors at positions below are <= 2^-24, 2^-11, 2^-8; at most limit */
    int64_t valid[3];
    /* 1: some value of the table is infinite or NaN; such a value ends validity, and has no error */
    int nonfinite;
    int64_t nonfinite_at;         /* the first such position */
    double seconds;
    int64_t limit;
    /* the worst error from the previous pos to before this one, for a curve */
    struct { int64_t pos; double worst; } curve[SCAN_CURVE];
    int n_curve;
    char want_digits[64];         /* want, to 40 digits */
};
extern const int scan_bits[3];    /* the exponents of these thresholds: 24 11 8 */
/* Scans positions 0 .. limit - 1 (limit <= 2^29). row, params and contract_text: as of contract_open; threads: how
 * many share the work; the result does not depend on it. 0, or -1 and one line in err. */
int scan_threads(const char *row, const char *params, const char *contract_text, int64_t limit, int threads,
    struct scan *s, char *err, size_t n);
/* scan_threads with a thread for each processor */
int scan_run(
    const char *row, const char *params, const char *contract_text, int64_t limit, struct scan *s, char *err, size_t n);
#endif
