/* The inside of struct mer_angles, and the kernels that fill tables from it.
 *
 * A position is p = n B + r with 0 <= r < B, and A cis(p w) = cis(n B w) A cis(r w): one complex product of a coarse
 * anchor and a fine one, where cis(t) = cos t + i sin t.
 * The error, with u = 2^-53 and 2^c >= A:  an anchor is its 62-bit fixed-point value, off by less than 2^-60, rounded
 * to float64, which is u more; a fine anchor with A != 1 is also multiplied by the rounded A, 2u more.  Since |cos cos|
 * + |sin sin| <= 1, both anchors give at most 2u (4u with A != 1), the products u, the sum u (less where it is fused)
 * and the fixed-point parts 2^-57.  Together that is below 4u + u/16 (6u + u/16) times 2^c, which is below eps = 5u
 * (7u) 2^c. Which x are near a midpoint:  with |x| >= tiny = 2^(c-10) a place of x is at least 2^(c-62), so NEAR = 2^12
 * places are 2^(c-50) > 7u 2^c >= eps, and an x farther than that from every midpoint of float32 rounds as the value
 * does. eps is a multiple of the spacing of doubles below 2^c, so x - eps and x + eps are exact wherever it matters. */
#ifndef TABLE_ANGLES_H
#define TABLE_ANGLES_H
#include "table/fix.h"
#include "table/spectrum.h"
#include "libmeridian.h"

/* CHUNK pairs are taken at a time, and rows of anchors are padded to whole chunks; NEAR counts places of a double. */
enum { CHUNK = 16, NEAR = 1 << 12 };
enum output { OUT_F32, OUT_F16, OUT_BF16, OUT_F64, OUTPUTS };
extern const struct wide_places output_places[OUTPUTS]; /* the formats of the outputs */
extern const size_t output_size[OUTPUTS];               /* bytes of an entry */

struct mer_angles {
    struct spectrum spectrum;
    int64_t stride, span;      /* doubles in a row of cosines; positions |p| < span have anchors */
    int shift;                 /* B = 2^shift */
    double *fine, *coarse;     /* [B][2][stride], [span/B + 1][2][stride]: cosines, then sines */
    double eps, tiny,          /* as above */
        small;                 /* a 16-bit entry whose magnitude is below it is settled by 128 bits */
    uint64_t (*turn)[4];       /* [live]: the fraction of f_k in units of 2^-256, least limb first */
    u128 inverse[FIX_TERMS];   /* as fix_start leaves them */
    u128 gain;                 /* A = gain 2^gain_e with 2^127 <= gain < 2^128, cut toward zero */
    int64_t gain_e;
};

/* A run of rows that share a coarse anchor.  Row i, 0 <= i < rows, is of position p + i, has the fine anchor r + i, and
 * goes to cos + i K and sin + i K. */
struct angle_run {
    const struct mer_angles *a;
    void *cos, *sin;
    int64_t p, r, rows;
    const double *coarse;      /* [2][stride]: the anchor of |n| */
    double sign;               /* that of n, which the coarse sine takes */
    enum output out;           /* any but OUT_F64 */
    int stream;                /* store past the caches, which the outputs exceed; rows are 64-byte aligned then */
};
/* Fills the live pairs of a run.  0, or -1 where settle() said so. */
typedef int table_rows(const struct angle_run *t);
table_rows table_scalar, table_avx2, table_avx512;

/* Entries k0 <= k < k0 + count of position p by 128 bits or, where they do not decide, by 320, stored to cos[k - k0]
 * and sin[k - k0] in the type of out.  0, or -1 where 320 bits do not decide an entry either. */
int settle(const struct mer_angles *a, int64_t p, int64_t k0, int64_t count, enum output out, void *cos, void *sin);
/* y[i] = x, which is exact in the type, or overflows it. */
void output_store(void *y, int64_t i, enum output out, double x);
#endif
