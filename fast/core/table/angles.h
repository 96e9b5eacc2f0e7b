/* The inside of struct mer_angles, and the kernels that fill tables from it.
 *
 * Position p = n B + r, 0 <= r < B:  A cis(p w) = cis(n B w) A cis(r w), one complex product of a coarse and a fine
 * anchor.
 * Error, u = 2^-53, 2^c >= A:  an anchor is its 62-bit fixed-point value (off by less than 2^-60) rounded to float64,
 * u; a fine anchor with A != 1 is also multiplied by the rounded A, 2u more; |cos cos| + |sin sin| <= 1, so both
 * anchors give at most 2u (4u), the
 * products u, the sum u (with an fma less), the fixed-point parts 2^-57.  Together below 4u + u/16 (6u + u/16) times
 * 2^c < eps = 5u (7u) 2^c. near: with |x| >= tiny = 2^(c-10) a place of x is at least 2^(c-62), so NEAR = 2^12 places
 * are 2^(c-50) > 7u 2^c >= eps: an x further than that from every midpoint of float32 rounds as the value does.
 * eps is a multiple of the spacing of doubles below 2^c, so x - eps and x + eps are exact wherever it matters. */
#ifndef ANGLES_H
#define ANGLES_H
#include "table/fix.h"
#include "table/spectrum.h"
#include "libmeridian.h"

enum { CHUNK = 16, NEAR = 1 << 12 }; /* pairs taken at a time, to which anchor rows are padded; places of a double */
enum output { OUT_F32, OUT_F16, OUT_BF16, OUT_F64, OUTPUTS };
extern const struct wide_places output_places[OUTPUTS];
extern const size_t output_size[OUTPUTS];

struct mer_angles {
    struct spectrum spectrum;
    int64_t stride, span;      /* doubles in a row of cosines; |p| < span has anchors */
    int shift;                 /* B = 2^shift */
    double *fine, *coarse;     /* [B][2][stride], [span/B + 1][2][stride]: cosines, then sines */
    double eps, tiny, small;         /* bound on a product's error; a 16-bit entry below small is settled by 128 bits */
    uint64_t (*turn)[4];       /* [live]: fraction of f_k, 2^-256 */
    u128 inverse[FIX_TERMS];
    u128 gain;                 /* A = gain 2^gain_e, 2^127 <= gain < 2^128, cut */
    int64_t gain_e;
};

/* A run of rows under one coarse anchor.  Row i, 0 <= i < rows: position p + i, fine anchor r + i, outputs at cos + i
 * K, sin + i K. */
struct angle_run {
    const struct mer_angles *a;
    void *cos, *sin;
    int64_t p, r, rows;
    const double *coarse;      /* [2][stride] of |n| */
    double sign;               /* of n, for the coarse sine */
    enum output out;
    int stream;                /* outputs do not fit the cache: store past it (rows and arrays 64-byte aligned) */
};
typedef int table_rows(const struct angle_run *t); /* 0, or -1 if settle() said so */
table_rows table_scalar, table_avx2, table_avx512;

/* Entries k0 <= k < k0 + count of position p by 128 bits or more, stored to cos[k - k0], sin[k - k0] in type out. */
int settle(const struct mer_angles *a, int64_t p, int64_t k0, int64_t count, enum output out, void *cos, void *sin);
void output_store(void *y, int64_t i, enum output out, double x); /* x exact in the type (or overflowing it) */
#endif
