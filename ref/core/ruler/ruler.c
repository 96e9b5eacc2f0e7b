/* The ruler; definitions in ruler.h.  Differences are taken in MPFR: in double their own rounding is as large as an f64
 * ulp. */
#include <math.h>
#include "arith/exactly.h"
#include "ruler/ruler.h"

const char *const class_name[CLASSES] = { "same", "nan", "inf", "not-inf", "flushed", "zero-sign" };

/* Is got the infinity that x is?  A NaN, which MPFR compares as equal to everything, is none. */
static bool same_infinity(mpfr_srcptr x, double got)
{
    return isinf(got) && mpfr_inf_p(x) && mpfr_cmp_d(x, got) == 0;
}

/* How `got` differs in kind from x, the midpoint of a ball of radius `rad`, whose rounded value is y. */
static enum class class_of(mpfr_srcptr x, mpfr_srcptr y, struct up rad, double got)
{
    if (isnan(got))
        return WAS_NAN;
    if (isinf(got))
        return same_infinity(y, got) ? SAME_CLASS : WAS_INF;
    if (mpfr_inf_p(y))
        return NOT_INF;
    if (got == 0 && !mpfr_zero_p(y))
        return FLUSHED;
    /* A zero has a sign to keep where the real number is certainly not 0. */
    bool signed_zero = got == 0 && !mpfr_zero_p(x) && up_less(rad, up_below(x));
    return signed_zero && (signbit(got) != 0) != (mpfr_sgn(x) < 0) ? ZERO_SIGN : SAME_CLASS;
}

static double gauge(const struct ball *x, struct up error, const struct format *f)
{
    if (error.m == 0)
        return 0;
    if (x->mag.m == 0)
        return (double)INFINITY;
    struct up floor = up_mul(up_d(x->n), (struct up){ 0.5, f->emin - f->p + 2 });
    return up_double(up_div(error, up_add(up_2exp(x->mag, -f->p), floor)));
}

struct reading ruler_read(const struct ball *x, double got, const struct format *f)
{
    struct reading r = { .class = SAME_CLASS, .decided = rounds_known(x, f) };
    if (mpfr_nan_p(x->mid) && x->rad.m == 0 && isnan(got)) { /* Here the definition itself is NaN. */
        r.correct = true;
        return r;
    }
    if (same_infinity(x->mid, got)) {
        r.correct = r.decided;
        return r;
    }
    mpfr_t d, y;
    enum { MORE_BITS = 64 }; /* Of a difference those that are lost have no weight: it is rounded away from 0. */
    mpfr_init2(d, mpfr_get_prec(x->mid) + MORE_BITS);
    mpfr_init2(y, mpfr_get_prec(x->mid)); /* Rounded to the grid of f, a number has no more bits than before. */
    exactly(mpfr_set(y, x->mid, MPFR_RNDN));
    round_to(y, f);
    r.class = class_of(x->mid, y, x->rad, got);
    /* MPFR compares a NaN as equal to everything. */
    r.correct = r.decided && !isnan(got) && !mpfr_nan_p(y) && mpfr_cmp_d(y, got) == 0;
    if (isnan(got) || mpfr_nan_p(x->mid))
        r.ulp = r.gauge = r.error = (double)NAN;
    else {
        exactly(mpfr_set_d(d, isinf(got) ? copysign(1, got) : got, MPFR_RNDN));
        /* An infinity stands where one exponent more would be; where the exact number lies beyond that, it stands
         * there. */
        if (isinf(got))
            mpfr_mul_2si(d, d, f->emax + 1, MPFR_RNDN);
        if (isinf(got) && r.correct && mpfr_cmpabs(x->mid, d) > 0)
            exactly(mpfr_set(d, x->mid, MPFR_RNDN));
        mpfr_sub(d, d, x->mid, MPFR_RNDA);
        struct up error = up_add(up_of(d), x->rad);
        mpfr_exp_t e = mpfr_regular_p(x->mid) ? mpfr_get_exp(x->mid) - 1 : f->emin;
        r.error = up_double(error);
        r.gauge = gauge(x, error, f);
        mpfr_mul_2si(d, d, f->p - 1 - (e > f->emin ? e : f->emin), MPFR_RNDN);
        r.ulp = mpfr_get_d(d, MPFR_RNDN);
    }
    mpfr_clears(d, y, (mpfr_ptr)0);
    return r;
}
