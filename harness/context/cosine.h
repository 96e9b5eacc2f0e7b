/* Cosine, sine and roundings of many doubles at once: the float operations of a contract, one loop each.  All arrays
 * have WAVE elements and do not overlap. */
#ifndef COSINE_H
#define COSINE_H
#include <stdint.h>
#include "arith/step.h"

enum { WAVE = 256 };
/* The loops, compiled for one width of vectors. */
struct wave {
    /* y[i] = x[i] f rounded to nearest even in the format `to`. Products must be exact (24 + 29 bits), unless the
     * format is f64. */
    void (*scale)(const double *x, double f, const struct format *to, double *y);
    /* c[i], s[i] = cos x[i], sin x[i]: with a relative error of 2^-51 for 24-bit floats |x| < 2^29; for other
     * doubles with an absolute error of 2^-51 for |x| < 2^24 and of 2^-46 below 2^29.  NaN for infinite x. */
    void (*turn)(const double *x, double *c, double *s);
    /* Rounds y in place to the format, where |y - y'| <= 2^-51 |y'| for the true values y'. Not 0: some elements are
     * too near to a boundary of rounding to be decided; those are set to NaN, and all others are right. */
    int64_t (*round)(double *y, const struct format *to);
    /* Rotates the unit vectors (rc, rs)[i] by (ac, as) and compares: ec, es[i] = |c - cos|, |s - sin| as the bits of
     * a double, which order as integers do, NaN above infinity.  Returns the greatest of them. */
    int64_t (*compare)(const double *c, const double *s, const double *rc, const double *rs, double ac, double as,
        int64_t *ec, int64_t *es);
};
/* the loops of the widest vectors that this processor has; all give the same numbers; static */
const struct wave *wave_here(void);

/* x rounded once to nearest even in the format, with subnormals, and infinity beyond its range */
double wave_round(double x, const struct format *to);
#endif
