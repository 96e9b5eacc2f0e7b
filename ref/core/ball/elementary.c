/* Elementary functions on balls: MPFR rounds the value at the midpoint once, and the radius is bounded by the
 * function's slope over the ball.  In what follows rx is the radius of x.  No bound is computed by libm, whose errors
 * nobody guarantees. */
#include "ball/ball.h"
#include "arith/exactly.h"
#include <math.h>
#include "ball/make.h"

/* Room for the value of a function of x.  On the exact path a known x gets its own precision, where that is higher, so
 * that exact values (sqrt(9), 2^-3) come out exact. */
static struct ball *take_for(struct ask *w, const struct ball *x)
{
    return w->exact && known(x) ? take_exact(w, mpfr_get_prec(x->mid)) : take(w);
}

/* An upper bound of e^x at the upper end of x; infinity where that has none. */
static struct up exp_of_end(const struct ball *x)
{
    enum { LIMBS = 2, BITS = 64 * LIMBS };
    mp_limb_t limbs[LIMBS];
    mpfr_t end; /* Its limbs lie on the stack, so that nothing is to be cleared. */
    if (isinf(x->rad.m))
        return up_inf();
    mpfr_custom_init(limbs, BITS);
    mpfr_custom_init_set(end, MPFR_ZERO_KIND, 0, BITS, limbs);
    up_get(end, x->rad);
    /* mutant: rounding 8b6d: an end below 2^62 loses 2^-65 of e^end, and the sum with half an ulp gives 2^-52 away. */
    mpfr_add(end, x->mid, end, MPFR_RNDU);
    /* mutant: rounding 801a: 128 bits lose 2^-127, and the sum with half an ulp (there always is one) gives 2^-52. */
    mpfr_exp(end, end, MPFR_RNDU);
    return up_of(end);
}

/* Over the ball e^x changes by at most e^x (e^rx - 1), and by no more than its value at the upper end.  That is less
 * where x is so far below 0 that e^x was rounded to 0, and where e^rx is beyond all numbers, as of -e^4000. */
const struct ball *b_exp(struct ask *w, const struct ball *x)
{
    struct ball *b = take(w);
    const struct up half = half_ulp(b, mpfr_exp(b->mid, x->mid, MPFR_RNDN));
    const struct up change = up_error(up_add(up_of(b->mid), half), up_expm1(x->rad));
    /* mutant: condition 314b: both bounds hold of every ball; where it is narrow the second is never less by much. */
    /* mutant: compare e9cf: both bounds hold of every ball, and neither is much less where it is narrow. */
    /* mutant: constant 0b5a: both bounds hold of every ball, and neither is much less where it is narrow. */
    b->rad = up_add(half, x->rad.e > 0 ? up_min(change, exp_of_end(x)) : change);
    absolute(b);
    b->n = 1;
    return b_undefined(w, x) ? b_nan(w) : mpfr_nan_p(b->mid) ? whole(b) : named(w, b, EXP, x, NULL);
}

/* Over the ball log x changes by at most -log(1 - rx/x) <= rx / (x - rx).  Under an edit a kernel takes the logarithm
 * of 0, too, which is minus infinity, and of negative numbers, which is none. */
const struct ball *b_log(struct ask *w, const struct ball *x)
{
    struct ball *b = take(w);
    struct up low = up_gap(up_below(x->mid), x->rad);
    b->rad = up_div(x->rad, low);
    rounded(b, mpfr_log(b->mid, x->mid, MPFR_RNDN));
    absolute(b);
    b->n = 1;
    if (mpfr_sgn(x->mid) > 0 && low.m > 0)
        return named(w, b, LOG, x, NULL);
    const bool zero = mpfr_zero_p(x->mid) && x->rad.m == 0, edited = w->arith->edit.step;
    return b_undefined(w, x) || (edited && !zero && low.m > 0) ? b_nan(w) :
        edited && zero                                         ? b_minus_inf(w) :
                                                                 whole(b);
}

/* Over the ball sqrt(x) changes by at most rx / (sqrt(x) + sqrt(x - rx)) <= rx / sqrt(x). */
const struct ball *b_sqrt(struct ask *w, const struct ball *x)
{
    struct ball *b = take_for(w, x);
    struct up half = half_ulp(b, mpfr_sqrt(b->mid, x->mid, MPFR_RNDN));
    if (mpfr_nan_p(b->mid) || up_less(up_below(x->mid), x->rad))
        return b_undefined(w, x) ? b_nan(w) : whole(b);
    b->rad = up_add(half, up_div(x->rad, up_gap(up_below(b->mid), half)));
    absolute(b);
    b->n = 1;
    return named(w, b, SQRT, x, NULL);
}

const struct ball *b_pow(struct ask *w, const struct ball *x, const struct ball *y)
{
    if (x->rad.m > 0 || y->rad.m > 0)
        return b_exp(w, b_mul(w, y, b_log(w, x)));
    mpfr_prec_t bits = 0;
    /* The power x^n of a whole n has at most n times the bits of x. */
    if (w->exact && mpfr_integer_p(y->mid) && mpfr_cmpabs_ui(y->mid, EXACT_BITS) <= 0)
        /* mutant: call b965: a power to a negative y is exact of powers of two alone, which any precision holds. */
        bits = mpfr_min_prec(x->mid) * labs((long)exact_double(y->mid));
    /* Both arguments are exact here: there is one rounding, and powers such as 2^-3 stay exact. */
    struct ball *b = bits ? take_exact(w, bits) : take_for(w, x);
    rounded(b, mpfr_pow(b->mid, x->mid, y->mid, MPFR_RNDN));
    absolute(b);
    b->n = 1;
    return mpfr_number_p(b->mid) ? named(w, b, POW, x, y) : whole(b);
}

const struct ball *b_root(struct ask *w, mpq_srcptr x, long n, long d)
{
    mpq_t e, root;
    mpq_inits(e, root, (mpq_ptr)0);
    mpq_set_si(e, n, (unsigned long)d);
    mpq_canonicalize(e);
    const unsigned long degree = mpz_get_ui(mpq_denref(e));
    bool perfect = mpq_sgn(x) > 0 && mpz_root(mpq_numref(root), mpq_numref(x), degree) &&
        mpz_root(mpq_denref(root), mpq_denref(x), degree);
    const struct ball *y =
        perfect ? b_pow(w, b_q(w, root), b_si(w, mpz_get_si(mpq_numref(e)))) : b_pow(w, b_q(w, x), b_ratio(w, n, d));
    mpq_clears(e, root, (mpq_ptr)0);
    return y;
}

/* An infinite radius says that an implementation may hold an infinity here, or, where two of them met, no number.  The
 * range of a bounded function bounds neither: the sine of an infinity is no number, nor is the hyperbolic tangent of
 * none.  So every function answers the whole line. */
static bool unbounded(const struct ball *x) { return isinf(x->rad.m); }

/* f is the sine or the cosine.  The slope is at most 1 and the range 2 wide, so the function changes by at most the
 * smaller of rx and 2. */
static const struct ball *wave(
    struct ask *w, const struct ball *x, int (*f)(mpfr_t, const mpfr_t, mpfr_rnd_t), enum same_op op)
{
    struct ball *b = take(w);
    b->rad = up_min(x->rad, up_d(2));
    rounded(b, f(b->mid, x->mid, MPFR_RNDN));
    absolute(b);
    b->n = 1;
    return b_undefined(w, x)                      ? b_nan(w) :
        mpfr_nan_p(b->mid) || unbounded(x) ? whole(b) :
                                                    named(w, b, op, x, NULL);
}
const struct ball *b_sin(struct ask *w, const struct ball *x) { return wave(w, x, mpfr_sin, SIN); }
const struct ball *b_cos(struct ask *w, const struct ball *x) { return wave(w, x, mpfr_cos, COS); }

/* Finishes b, whose midpoint is the sine or the cosine of x's midpoint, rounded as `inexact` says.  By Taylor
 * |sin(x + t) - sin x| <= |t| |cos x| + t^2/2, and likewise for cos; it is never more than |t| or 2.  other: a bound of
 * the magnitude of the other function at the midpoint. */
static const struct ball *turned(
    struct ask *w, const struct ball *x, struct ball *b, struct up other, int inexact, enum same_op op)
{
    struct up slope = up_min(up_add(other, up_2exp(x->rad, -1)), up_d(1));
    b->rad = up_min(up_mul(x->rad, slope), up_d(2));
    rounded(b, inexact);
    absolute(b);
    b->n = 1;
    return b_undefined(w, x)                      ? b_nan(w) :
        mpfr_nan_p(b->mid) || unbounded(x) ? whole(b) :
                                                    named(w, b, op, x, NULL);
}

void b_sincos(struct ask *w, const struct ball *x, const struct ball **sin, const struct ball **cos)
{
    struct ball *s = take(w), *c = take(w);
    /* 0 where x is 0, and both are exact; else both are rounded, as neither is a dyadic number. */
    int inexact = mpfr_sin_cos(s->mid, c->mid, x->mid, MPFR_RNDN);
    struct up s_top = up_add(up_of(s->mid), half_ulp(s, inexact)), c_top = up_add(up_of(c->mid), half_ulp(c, inexact));
    *sin = turned(w, x, s, c_top, inexact, SIN);
    *cos = turned(w, x, c, s_top, inexact, COS);
}

/* Each has a second form, in which x counts twice so that its radius does, too: for e^-x or e^x beyond all numbers, or
 * where its ball is so wide that 1 added to it may be 0, so that the first form knows nothing. */
const struct ball *b_sigmoid(struct ask *w, const struct ball *x)
{
    const struct ball *one = b_si(w, 1), *e = b_exp(w, b_neg(w, x));
    const struct ball *y = mpfr_inf_p(e->mid) ? NULL : b_div(w, one, b_add(w, one, e));
    if (y && !isinf(y->rad.m))
        return y;
    e = b_exp(w, x);
    return b_div(w, e, b_add(w, one, e));
}

const struct ball *b_softplus(struct ask *w, const struct ball *x)
{
    const struct ball *one = b_si(w, 1), *e = b_exp(w, x);
    const struct ball *y = mpfr_inf_p(e->mid) ? NULL : b_log(w, b_add(w, one, e));
    if (y && !isinf(y->rad.m))
        return y;
    return b_add(w, x, b_log(w, b_add(w, one, b_exp(w, b_neg(w, x)))));
}

/* The slope of tanh at a point is 1 - t^2 = (1 - t)(1 + t), with t the magnitude of its value there.  It is largest
 * where the ball comes nearest 0; there t >= |tanh mid| - rx, as the slope is at most 1.  The range is 2 wide. */
const struct ball *b_tanh(struct ask *w, const struct ball *x)
{
    struct ball *b = take(w);
    struct up half = half_ulp(b, mpfr_tanh(b->mid, x->mid, MPFR_RNDN));
    if (mpfr_nan_p(b->mid) || unbounded(x))
        return b_undefined(w, x) ? b_nan(w) : whole(b);
    mp_limb_t limb[1];
    mpfr_t end; /* 1 or -1, the end of its range; its one limb lies on the stack, so that nothing is to be cleared. */
    mpfr_custom_init(limb, 64);
    mpfr_custom_init_set(end, MPFR_ZERO_KIND, 0, 64, limb);
    /* mutant: compare 73f7: from 0 it is as far to either end. */
    exactly(mpfr_set_si(end, mpfr_sgn(b->mid) < 0 ? -1 : 1, MPFR_RNDN));
    struct up slope = up_mul(up_add(up_far(end, b->mid), up_add(half, x->rad)), up_add(up_d(1), up_of(b->mid)));
    b->rad = up_add(half, up_min(up_mul(x->rad, up_min(slope, up_d(1))), up_d(2)));
    absolute(b);
    b->n = 1;
    return named(w, b, TANH, x, NULL);
}

/* Puts erf x into y, at the precision of y, and answers a bound of the error.  The series is
 *     erf x = 2/sqrt(pi) x e^(-x^2) S,  S = sum t_n,  t_0 = 1, t_(n+1) = t_n 2x^2 / (2n + 3),
 * with all terms positive.  At p bits t_n is off by 3n roundings, the sum by one more for each term, and e^(-x^2) by
 * x^2 of them; the rest of S is below 2 t_n once the quotient of two terms is below 1/2.  In all, the error is at most
 * (4n + x^2 + 20) 2^-p of the value.  Of that n and 10 are never used, for sum n t_n <= x^2 S, and the last n is 2 x^2
 * or more, so that the 3n roundings of a term are 3n/2 on the average.  So any one of the roundings may be directed.
 * mpfr_erf is not used, since that of MPFR 4.2.0 does not come back from sqrt(3) at 200 bits.  x is finite and not 0;
 * b_erf answers 1 itself where 1 - erf |x| < e^(-x^2) < 2^-prec. */
static struct up erf_series(mpfr_t y, mpfr_srcptr x)
{
    const mpfr_prec_t bits = mpfr_get_prec(y), p = bits + 40;
    mpfr_t square, term, sum;
    const mpfr_rnd_t near = MPFR_RNDN;
    long n = 0;
    mpfr_inits2(p, square, term, sum, (mpfr_ptr)0);
    mpfr_sqr(square, x, near);
    exactly(mpfr_set_ui(term, 1, MPFR_RNDN)), exactly(mpfr_set_ui(sum, 1, MPFR_RNDN));
    const double twice = 2 * mpfr_get_d(square, MPFR_RNDU); /* 2 x^2, at most about 2 prec + 8. */
    /* mutant: constant 6659: as x^2 <= prec + 4, a term is 2^-p of the sum only where 2n + 3 is past 4 x^2 already. */
    for (; (double)(2 * n + 3) < 2 * twice || mpfr_get_exp(term) > mpfr_get_exp(sum) - p; n++) {
        mpfr_mul(term, term, square, near);
        mpfr_mul_2ui(term, term, 1, MPFR_RNDN);
        mpfr_div_ui(term, term, (unsigned long)(2 * n + 3), near);
        mpfr_add(sum, sum, term, near);
    }
    long parts = 4 * n + (long)twice + 20;
    mpfr_neg(square, square, MPFR_RNDN);
    mpfr_exp(square, square, near);
    mpfr_mul(sum, sum, square, near);
    mpfr_mul(sum, sum, x, near);
    mpfr_const_pi(term, near);
    mpfr_rec_sqrt(term, term, near);
    mpfr_mul_2ui(term, term, 1, MPFR_RNDN);
    mpfr_mul(y, sum, term, near);
    mpfr_clears(square, term, sum, (mpfr_ptr)0);
    return up_add((struct up){ 0.5, mpfr_get_exp(y) - bits }, up_2exp(up_mul(up_si(parts), up_of(y)), -(long)p));
}

/* A bound of the slope of erf where |x| is `near` and more: 2/sqrt(pi) e^(-near^2), with 2/sqrt(pi) <=
 * 1.12837916709552. */
static struct up erf_slope(struct up near)
{
    const struct up steepest = up_d(1.12837916709552);
    mpfr_t t;
    mpfr_init2(t, 64);
    up_get(t, near);
    /* mutant: rounding bf84: 64 bits lose near^2 2^-63, and `steepest` gives away more, 2^-47, below x^2 = 2^16. */
    mpfr_sqr(t, t, MPFR_RNDD);
    mpfr_neg(t, t, MPFR_RNDN);
    /* mutant: rounding 8158: 64 bits lose 2^-63 of it, and `steepest` gives away more, 2^-47. */
    mpfr_exp(t, t, MPFR_RNDU);
    const struct up slope = up_mul(steepest, up_of(t));
    mpfr_clear(t);
    return slope;
}

/* The range of erf is 2 wide. */
const struct ball *b_erf(struct ask *w, const struct ball *x)
{
    struct ball *b = take(w);
    const struct up size = up_below(x->mid);
    struct up own = { 0, 0 };
    if (mpfr_nan_p(x->mid) || unbounded(x))
        return whole(b);
    if (mpfr_inf_p(x->mid) || up_less(up_si((long)w->prec + 4), up_mul(size, size))) {
        exactly(mpfr_set_si(b->mid, mpfr_sgn(x->mid), MPFR_RNDN));
        own = mpfr_inf_p(x->mid) ? own : (struct up){ 0.5, 1 - (long)w->prec };
    } else if (mpfr_zero_p(x->mid))
        exactly(mpfr_set(b->mid, x->mid, MPFR_RNDN));
    else
        own = erf_series(b->mid, x->mid);
    const struct up slope = erf_slope(up_gap(size, x->rad));
    b->rad = up_add(own, up_min(up_mul(x->rad, slope), up_d(2)));
    absolute(b);
    b->n = 1;
    return named(w, b, ERF, x, NULL);
}

const struct ball *b_pi(struct ask *w)
{
    struct ball *b = take(w);
    rounded(b, mpfr_const_pi(b->mid, MPFR_RNDN));
    absolute(b);
    return named(w, b, PI, NULL, NULL);
}

/* The floor or the ceiling of x, as f says, of both ends of the ball; where these differ, the ask is undecided and the
 * result is the hull of both. */
static const struct ball *integer(struct ask *w, const struct ball *x, int (*f)(mpfr_t, const mpfr_t))
{
    /* mutant: compare 722d: of two equal precisions either is the larger. */
    mpfr_prec_t prec = mpfr_get_prec(x->mid) > w->prec ? mpfr_get_prec(x->mid) : w->prec;
    struct ball *lo = take_bits(w, prec), *hi = take_bits(w, prec);
    mpfr_t r;
    mpfr_init2(r, 64);
    up_get(r, x->rad);
    mpfr_sub(lo->mid, x->mid, r, MPFR_RNDD);
    mpfr_add(hi->mid, x->mid, r, MPFR_RNDU);
    mpfr_clear(r);
    /* At an integer the function jumps and has no tangent.  An integer inside the ball makes both ends differ below. */
    bool jump = w->dual && (mpfr_integer_p(lo->mid) || mpfr_integer_p(hi->mid));
    f(lo->mid, lo->mid);
    f(hi->mid, hi->mid);
    bool whole_line = mpfr_nan_p(lo->mid) || isinf(x->rad.m);
    if (whole_line || !mpfr_equal_p(lo->mid, hi->mid)) {
        w->undecided = true;
        lo->rad = up_far(lo->mid, hi->mid);
    }
    absolute(lo);
    if (w->dual && (jump || lo->rad.m > 0))
        dual_corner(w, lo, x, NULL);
    return whole_line ? whole(lo) : lo;
}
const struct ball *b_floor(struct ask *w, const struct ball *x) { return integer(w, x, mpfr_floor); }
const struct ball *b_ceil(struct ask *w, const struct ball *x) { return integer(w, x, mpfr_ceil); }
