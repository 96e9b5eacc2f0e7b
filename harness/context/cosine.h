/* Cosine, sine and roundings of many doubles at once: the float operations of a contract, one loop each.
 * All arrays have WAVE elements and never overlap. */
#ifndef COSINE_H
#define COSINE_H
#include <stdint.h>
#include "ball/step.h"

enum { WAVE = 256 };
struct wave {
    /* to[i] = x[i] f rounded to nearest even in the format.  Exact products only (24 + 29 bits), or f64 itself. */
    void (*scale)(const double *x, double f, const struct format *to, double *y);
    /* c[i], s[i] = cos x[i], sin x[i] to a relative error of 2^-51, for 24-bit floats |x| < 2^29;
     * for other doubles to an absolute error of 2^-51 for |x| < 2^24, of 2^-46 below 2^29.  NaN for infinite x. */
    void (*turn)(const double *x, double *c, double *s);
    /* Rounds y in place to the format, where |y - y'| <= 2^-51 |y'| for the true y'.  Not 0 if some element is too near
     * to a boundary of rounding to know; those are set to NaN, all others are right. */
    int64_t (*round)(double *y, const struct format *to);
    /* Rotates the unit vectors (rc, rs)[i] by (ac, as) and compares: ec, es[i] = |c - cos|, |s - sin| as the bits of a
     * double,
     * which order as integers, NaN above infinity.  Returns the greatest. */
    int64_t (*compare)(const double *c, const double *s, const double *rc, const double *rs, double ac, double as,
        int64_t *ec, int64_t *es);
};
const struct wave *wave_here(void); /* the widest this processor has; the same numbers everywhere */

/* nearest even, subnormals, overflow to infinity: one rounding of a double */
double wave_round(double x, const struct format *to);
#endif
