/* Measures how much of a ball's radius a number uses up; see ball_share.h. */
#include "compare/ball_share.h"
#include <math.h>

double ball_share(const struct ball *b, double got)
{
    mpfr_t d; /* got - mid in full precision: a subtraction in double would itself err by as much as an f64 bound */
    if (mpfr_nan_p(b->mid) && b->rad.m == 0) /* a policy of the row asks for NaN */
        return isnan(got) ? 0 : (double)INFINITY;
    /* where a step may overflow, the bound is infinite and admits everything but NaN; but an infinity, whatever its
     * radius is, is not the other one */
    if (isinf(got) && (mpfr_inf_p(b->mid) ? mpfr_cmp_d(b->mid, got) == 0 : isinf(b_radius(b))))
        return 0;
    mpfr_init2(d, mpfr_get_prec(b->mid) + 64);
    mpfr_sub_d(d, b->mid, got, MPFR_RNDA);
    /* in units of 2^e of the radius m 2^e: as doubles, both would be cut to the least one where f64 underflows */
    mpfr_mul_2si(d, d, -b->rad.e, MPFR_RNDA);
    double off = fabs(mpfr_get_d(d, MPFR_RNDA));
    mpfr_clear(d);
    return off == 0 ? 0 : off / b->rad.m;
}
