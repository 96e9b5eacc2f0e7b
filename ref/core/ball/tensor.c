/* Sums as matrix units make them, under ROUND and as a bound; see tensor.h.
 * The error of one block: let its terms be t_k, c of them not 0, let A be the accumulator, all of them at most M in
 * magnitude, and E = floor(log2 M).  Each cut loses less than 2^(E - fraction) <= 2^-fraction M, so together they lose
 * less than (c + 1) 2^-fraction M, or c 2^-fraction M where A = 0.  The result R is cut by less than one unit in its
 * last place, 2^(1 - p) |R|, or by less than the smallest subnormal; p is fraction + 1 where that is less.
 * E is at least emin, which is the exponent of a zero.  For normal factors the hardware takes E from the sum of their
 * exponents, which is at most that of the product: its multiples are finer, never coarser.  A contract does as the
 * hardware (ball.h, lift); data/peers/units holds what one answered, bit for bit.  A subnormal factor has the exponent
 * emin of its format there, so that a float16 factor below 2^-14 may have all terms of its block cut as if its product
 * were up to 2^10 times larger: summand.seen says so to the bound.  Of weights times values it says nothing, as the
 * rounding of the weights to the unit's format loses more: half an ulp of every weight, which is 2^-25 or more in
 * float16, against a cut of 2^-14 2^-fraction.
 * Where sums are `scaled`, the accumulator is rescaled between blocks: no binade is known then, and the relative forms
 * are used. */
#include "ball/overflow.h"
#include "ball/tensor.h"
#include <stdlib.h>

/* The bits behind the point that the adder keeps: those that are declared, else those of the format. */
static int fraction_of(const struct rounding *r) { return r->fraction ? r->fraction : r->f->p - 1; }
/* The bits of the significand of a result: those of the format, or of the adder where it keeps less. */
static int bits_of(const struct rounding *r) { return fraction_of(r) < r->f->p - 1 ? fraction_of(r) + 1 : r->f->p; }

/* x cut toward zero to a multiple of 2^unit.  Both ends of the ball are cut; where they differ, the result is the hull
 * of both and the ask is undecided. */
static const struct ball *cut(struct ask *w, const struct ball *x, long unit)
{
    struct ball *lo = (struct ball *)b_at(w, x), *hi = (struct ball *)b_at(w, x);
    mpfr_t radius;
    mpfr_init2(radius, 64);
    up_get(radius, x->rad);
    mpfr_sub(lo->mid, x->mid, radius, MPFR_RNDD), mpfr_add(hi->mid, x->mid, radius, MPFR_RNDU);
    for (int k = 0; k < 2; k++) {
        mpfr_ptr y = k ? hi->mid : lo->mid;
        mpfr_mul_2si(y, y, -unit, MPFR_RNDN);
        mpfr_trunc(y, y);
        mpfr_mul_2si(y, y, unit, MPFR_RNDN);
    }
    if (!mpfr_equal_p(lo->mid, hi->mid)) {
        w->undecided = true;
        lo->rad = up_far(lo->mid, hi->mid);
    }
    mpfr_clear(radius);
    return lo;
}

/* The exponent of the midpoint's binade; far below every format for 0, infinities and NaN. */
static long exponent(const struct ball *x)
{
    return mpfr_regular_p(x->mid) ? (long)mpfr_get_exp(x->mid) - 1 : -(1L << 40);
}

/* The exponent by which the unit aligns a product: the sum of those of its factors. */
static long seen_at(const struct ball *x) { return exponent(x) - x->lift; }

/* x cut toward zero to the bits of a result; what lies beyond the largest binade of the format becomes an infinity. */
static const struct ball *to_format(struct ask *w, const struct rounding *r, const struct ball *x)
{
    const struct format *f = r->f;
    const long e = exponent(x);
    if (!mpfr_regular_p(x->mid))
        return x;
    struct ball *y = (struct ball *)cut(w, x, (e > f->emin ? e : f->emin) - bits_of(r) + 1);
    if (mpfr_regular_p(y->mid) && mpfr_get_exp(y->mid) - 1 > f->emax)
        return b_inf(w, mpfr_sgn(y->mid));
    b_becomes(y, f);
    return y;
}

const struct ball *tensor_sum(
    struct ask *w, const struct rounding *r, const struct ball *sum, const struct ball *const *t, long n)
{
    for (long k = 0; k < n; k += r->block) {
        const long end = k + r->block < n ? k + r->block : n;
        long most = exponent(sum);
        const long least = r->f->emin;
        bool numbers = mpfr_number_p(sum->mid) != 0;
        for (long j = k; j < end; j++)
            most = seen_at(t[j]) > most ? seen_at(t[j]) : most, numbers = numbers && mpfr_number_p(t[j]->mid);
        /* A block with an infinity or a NaN is added up as it is, and so is one of zeros alone. */
        /* mutant: constant 9878: MPFR's own exponents end at -2^30, and lifts are small beside that. */
        const bool cuts = numbers && most > -(1L << 40);
        most = most > least ? most : least;
        sum = cuts ? cut(w, sum, most - fraction_of(r)) : sum;
        for (long j = k; j < end; j++)
            sum = b_add(w, sum, cuts ? cut(w, t[j], most - fraction_of(r)) : t[j]);
        sum = to_format(w, r, sum);
    }
    return sum;
}

/* A bound of the error of one block of terms t[n].  *s is the accumulator as a double, without any cut, and *off bounds
 * how far the true accumulator may be from it; both are brought to where they stand behind the block. */
static struct up block_error(
    const struct rounding *r, const struct summand *t, long n, bool scaled, double *s, struct up *off)
{
    struct up most = up_add(up_d(fabs(*s)), *off), top = most, error = { 0, 0 }, seen = most;
    long cuts = most.m > 0;
    for (long k = 0; k < n; k++) {
        struct up size = up_add(up_d(fabs(t[k].mid)), t[k].rad);
        most = up_max(most, size), seen = up_max(seen, up_max(size, up_d(t[k].seen)));
        top = up_add(top, size), cuts += size.m > 0;
        *s += t[k].mid;
        *off = up_add(*off, up_add(t[k].rad, up_2exp(up_d(fabs(*s)), -53)));
    }
    if (most.m == 0)
        return error;
    const struct up unit = { 0.5, (seen.e > r->f->emin + 1 ? seen.e : r->f->emin + 1) - fraction_of(r) };
    error = up_mul(up_si(cuts), scaled ? up_max(up_2exp(seen, -fraction_of(r)), unit) : unit);
    struct up result = up_min(top, up_add(up_d(fabs(*s)), up_add(*off, error)));
    const long e = result.m > 0 && result.e - 1 > r->f->emin ? result.e - 1 : r->f->emin;
    error = up_add(error,
        scaled ? up_add(up_2exp(result, 1 - bits_of(r)), (struct up){ 0.5, r->f->emin - bits_of(r) + 2 }) :
                 (struct up){ 0.5, e - bits_of(r) + 2 });
    *off = up_add(*off, error);
    return error;
}

struct up tensor_error(
    const struct arith *a, const struct rounding *r, const struct summand *t, long n, long part, bool scaled)
{
    struct up error = { 0, 0 }, off = { 0, 0 };
    double s = 0;
    for (long k = 0, end; k < n; k = end) {
        const long left = part ? part - k % part : n, most = r->block < left ? r->block : left;
        end = n - k < most ? n : k + most; /* mutant: compare 87b3: where both are as many, they end at n. */
        error = up_add(error, block_error(r, t + k, end - k, scaled, &s, &off));
        if (a->ftz) { /* The result and every summand of the block may become 0 where they are below 2^emin. */
            struct up flushed = up_mul(up_si(1 + end - k), (struct up){ 0.5, r->f->emin + 1 });
            error = up_add(error, flushed), off = up_add(off, flushed);
        }
        /* A result that overflows stays an infinity, whatever later terms take away from it. */
        if (may_overflow(r->f, up_add(up_d(fabs(s)), off)))
            return up_inf();
    }
    return error;
}
