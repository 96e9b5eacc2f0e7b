/* Upper bounds as text and as doubles, and what does not fit the header; see up.h. */
#include "arith/up.h"

_Static_assert(sizeof(mp_limb_t) == 8, "53 bits are taken from one limb");
/* The first 53 bits of |x|, plus one unit of the last of them where `up` is set and any bit follows. */
static struct up read_up(mpfr_srcptr x, int up)
{
    if (mpfr_zero_p(x))
        return (struct up){ 0, 0 };
    if (!mpfr_number_p(x))
        return up_inf();
    const mp_limb_t *limb = mpfr_custom_get_significand(x);
    long last = (mpfr_get_prec(x) - 1) / 64;
    mp_limb_t rest = limb[last] << 53;
    for (long k = 0; k < last; k++)
        rest |= limb[k];
    return up_scaled((double)((limb[last] >> 11) + (up && rest)) * 0x1p-53, mpfr_get_exp(x));
}
struct up up_of(mpfr_srcptr x) { return read_up(x, 1); }
struct up up_below(mpfr_srcptr x) { return read_up(x, 0); }
struct up up_d(double x) { return up_scaled(x, 0); }
struct up up_si(long n) { return up_above((double)n, 0); }

/* On [0, 1/16] this is e^x - 1 <= x (1 + x/2 + 0.17 x^2), since the tail x^2/6 (1 + x/4 + x^2/20 + ..) is below
 * x^2/6 / (1 - x/4).  A larger x is halved first: e^x - 1 = t (t + 2) with t = e^(x/2) - 1. */
struct up up_expm1(struct up x)
{
    if (x.m == 0 || x.e > 40)
        return x.m == 0 ? x : up_inf();
    /* mutant: compare: below 1/16 the formula holds whether or not x is halved before. */
    if (x.e > -4) {
        struct up t = up_expm1(up_2exp(x, -1));
        return up_mul(t, up_add(t, up_d(2)));
    }
    struct up tail = up_mul(up_mul(x, x), up_d(0.17));
    return up_mul(x, up_add(up_d(1), up_add(up_2exp(x, -1), tail)));
}

struct up up_far(mpfr_srcptr x, mpfr_srcptr y)
{
    mp_limb_t limb[2];
    mpfr_t d;
    mpfr_custom_init(limb, 64);
    mpfr_custom_init_set(d, MPFR_ZERO_KIND, 0, 64, limb);
    /* mutant: argument: the difference is taken without its sign, and away from 0 either way. */
    mpfr_sub(d, x, y, MPFR_RNDA);
    return up_of(d);
}

double up_double(struct up x)
{
    /* A subnormal may have been rounded down by ldexp, so it is raised by the least one. */
    /* mutant: constant: at an exponent of 1025 ldexp overflows to the same infinity. */
    /* mutant: compare: at an exponent of -1100 ldexp rounds to the same 0. */
    double d = x.e > 1025 ? (double)INFINITY : x.e < -1100 ? 0 : ldexp(x.m, (int)x.e);
    return x.m > 0 && d < 0x1p-1022 ? d + 0x1p-1074 : d;
}

void up_get(mpfr_t y, struct up x)
{
    mpfr_set_d(y, x.m, MPFR_RNDU);
    mpfr_mul_2si(y, y, x.e, MPFR_RNDU);
}
