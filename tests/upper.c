/* Upper bounds (ref/core/arith/up.h) against MPFR: never below the exact result, and not above it by more than their
 * own roundings, 2^-50 of it; at the edges too: 0, infinity, no number, powers of two, exponents far apart,
 * numbers below all doubles. */
#include <criterion/criterion.h>
#include <math.h>
#include "trial/trial.h"
#include "arith/up.h"

enum { BITS = 600 };
static const double near = 0x1p-50; /* Two roundings of 2^-53, and the 2^-51 that is added for them. */
static uint64_t state;
static long draw(long n) { return (long)(gen_bits(29, 0, state++) % (uint64_t)n); }

/* 0, infinity, a power of two or any fraction, with exponents up to `spread` from 0. */
static struct up any(long spread)
{
    long kind = draw(24), e = draw(2 * spread + 1) - spread;
    double m = kind < 6 ? 0.5 : 0.5 + ldexp((double)draw(1L << 52), -53);
    return kind == 22 ? (struct up){ 0, 0 } : kind == 23 ? up_inf() : (struct up){ m, e };
}

/* Is want (1 - below) <= got <= want (1 + above)? */
static bool between(mpfr_srcptr want, struct up got, double below, double above)
{
    mpfr_t x, lo, hi;
    mpfr_init2(x, 64), mpfr_inits2(BITS, lo, hi, (mpfr_ptr)0);
    up_get(x, got);
    mpfr_mul_d(lo, want, 1 - below, MPFR_RNDD);
    mpfr_mul_d(hi, want, 1 + above, MPFR_RNDU);
    bool in = mpfr_cmp(lo, x) <= 0 && mpfr_cmp(x, hi) <= 0;
    mpfr_clears(x, lo, hi, (mpfr_ptr)0);
    return in;
}

static bool normal(struct up x)
{
    return (x.m == 0 && x.e == 0) || (isinf(x.m) && x.e == 0) || (x.m >= 0.5 && x.m < 1);
}

Test(upper, operations_are_the_exact_ones_to_50_bits)
{
    mpfr_t x, y, z;
    mpfr_inits2(BITS, x, y, z, (mpfr_ptr)0);
    for (int k = 0; k < 60000; k++) {
        struct up a = any(k & 1 ? 4 : 150), b = any(k & 1 ? 4 : 150), sum = up_add(a, b), product = up_mul(a, b),
                  quotient = up_div(a, b), gap = up_gap(a, b);
        up_get(x, a), up_get(y, b);
        cr_assert(normal(sum) && normal(product) && normal(quotient) && normal(gap));
        mpfr_add(z, x, y, MPFR_RNDN);
        cr_assert(between(z, sum, 0, near), "%a 2^%ld + %a 2^%ld = %a 2^%ld", a.m, a.e, b.m, b.e, sum.m, sum.e);
        cr_assert(a.m != 0 || !memcmp(&sum, &b, sizeof sum), "0 + y is y");
        mpfr_mul(z, x, y, MPFR_RNDN);
        /* 0 times what may be infinite is no number and is bounded by nothing; an error of 0 stays 0 whatever its
         * factor (up_error). */
        cr_assert(
            mpfr_nan_p(z) ? isinf(product.m) : between(z, product, 0, near), "%a 2^%ld * %a 2^%ld", a.m, a.e, b.m, b.e);
        cr_assert(b.m == 0 ? up_error(a, b).m == 0 : up_error(a, b).m == product.m && up_error(a, b).e == product.e);
        mpfr_div(z, x, y, MPFR_RNDN);
        cr_assert(a.m == 0    ? quotient.m == 0 :
                b.m == 0      ? isinf(quotient.m) :
                mpfr_nan_p(z) ? isinf(quotient.m) :
                                between(z, quotient, 0, near),
            "%a 2^%ld / %a 2^%ld = %a", a.m, a.e, b.m, b.e, quotient.m);
        mpfr_sub(z, x, y, MPFR_RNDN);
        cr_assert(mpfr_nan_p(z) || mpfr_sgn(z) <= 0 ? gap.m == 0 :
                isinf(a.m)                          ? isinf(gap.m) :
                                                      up_double(gap) == 0 || gap.m > 0);
        cr_assert(b.m != 0 || !memcmp(&gap, &a, sizeof gap), "x - 0 is x");
        mpfr_t low;
        mpfr_init2(low, 64), up_get(low, gap);
        /* Of x - y, 2^-50 of x may be lost, as the rounding of the subtraction is relative to x. */
        if (mpfr_number_p(z) && mpfr_sgn(z) > 0) {
            cr_assert(mpfr_cmp(low, z) <= 0, "%a 2^%ld - %a 2^%ld: above", a.m, a.e, b.m, b.e);
            mpfr_sub(z, z, low, MPFR_RNDU);
            mpfr_mul_d(y, x, near, MPFR_RNDD);
            cr_assert(mpfr_cmp(z, y) <= 0, "%a 2^%ld - %a 2^%ld: far below", a.m, a.e, b.m, b.e);
            up_get(y, b);
        }
        mpfr_clear(low);
        int order = mpfr_cmp(x, y);
        cr_assert_eq(up_less(a, b), order < 0, "%a 2^%ld < %a 2^%ld", a.m, a.e, b.m, b.e);
        struct up larger = up_max(a, b), smaller = up_min(a, b);
        cr_assert(!memcmp(&larger, order < 0 ? &b : &a, sizeof a) && !memcmp(&smaller, order > 0 ? &b : &a, sizeof a));
        long e = draw(400) - 200;
        struct up moved = up_2exp(a, e);
        cr_assert(moved.m == a.m && moved.e == (a.m == 0 ? a.e : a.e + e));
    }
    mpfr_clears(x, y, z, (mpfr_ptr)0);
}

/* Exponents farther apart than those of doubles: the smaller operand has no double at the exponent of the larger. */
Test(upper, operands_of_any_distance_add_up)
{
    mpfr_t x, y, z;
    mpfr_inits2(5000, x, y, z, (mpfr_ptr)0);
    for (long e = -4200; e <= 4200; e++) {
        struct up a = { 0.75, 7 }, b = { 0.5, e }, sum = up_add(a, b), gap = up_gap(a, b);
        up_get(x, a), up_get(y, b);
        mpfr_add(z, x, y, MPFR_RNDN);
        cr_assert(normal(sum) && between(z, sum, 0, near), "2^%ld: %a 2^%ld", e, sum.m, sum.e);
        mpfr_sub(z, x, y, MPFR_RNDN);
        cr_assert(mpfr_sgn(z) <= 0 ? gap.m == 0 : between(z, gap, near, 0), "2^%ld: %a 2^%ld", e, gap.m, gap.e);
    }
    mpfr_clears(x, y, z, (mpfr_ptr)0);
}

Test(upper, doubles_and_integers_are_taken_over)
{
    static const double odd[] = { 1, 0.5, 0x1p-1022, 0x1.fffffffffffffp1023, 3, 0x1.8p-700, 1 - 0x1p-53, 1 + 0x1p-52 };
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        struct up x = up_d(odd[k]);
        int e;
        cr_expect(x.m == frexp(odd[k], &e) && x.e == e, "%a: %a 2^%ld", odd[k], x.m, x.e);
        cr_expect_eq(up_double(x), odd[k], "%a and back", odd[k]);
    }
    cr_expect(up_d(0).m == 0 && up_d(0).e == 0 && isinf(up_d(INFINITY).m) && isinf(up_d(NAN).m) && isinf(up_d(-1).m) &&
            isinf(up_d(-INFINITY).m),
        "what bounds nothing is infinite");
    mpfr_t n;
    mpfr_init2(n, BITS);
    for (int k = 0; k < 1000; k++) {
        long m = k < 20 ? k : draw(1L << (1 + draw(62)));
        mpfr_set_si(n, m, MPFR_RNDN);
        cr_expect(between(n, up_si(m), 0, near), "%ld", m);
    }
    mpfr_clear(n);
    cr_expect(isinf(up_inf().m) && isinf(up_double(up_inf())));
}

Test(upper, back_to_a_double_is_never_below)
{
    mpfr_t x;
    mpfr_init2(x, 64);
    for (long e = -1300; e < 1100; e++)
        for (int k = 0; k < 4; k++) {
            struct up a = { (double[]){ 0.5, 0.75, 1 - 0x1p-53, 0.5 + 0x1p-53 }[k], e };
            double d = up_double(a), least = nextafter(0, 1);
            up_get(x, a);
            cr_assert(mpfr_cmp_d(x, d) <= 0, "%a 2^%ld: %a", a.m, e, d);
            cr_assert(e >= 1025 ? isinf(d) :
                    e > 1024    ? 1 :
                    e > -1021   ? mpfr_cmp_d(x, d) == 0 :
                                  d <= fmax(mpfr_get_d(x, MPFR_RNDU), 0) + least,
                "%a 2^%ld: %a", a.m, e, d);
        }
    mpfr_clear(x);
    cr_expect_eq(up_double((struct up){ 0, 0 }), 0);
}

Test(upper, of_a_number_from_above_and_from_below)
{
    mpfr_t x, y, d;
    mpfr_inits2(BITS, x, d, (mpfr_ptr)0);
    for (int k = 0; k < 20000; k++) {
        mpfr_init2(y, 2 + draw(300));
        mpfr_set_si(y, 1 + draw(1L << 60), MPFR_RNDN);
        mpfr_div_si(y, y, (draw(2) ? 1 : -1) * (1 + draw(1L << 60)), MPFR_RNDN);
        mpfr_mul_2si(y, y, draw(200) - 100, MPFR_RNDN);
        mpfr_abs(x, y, MPFR_RNDN);
        cr_assert(between(x, up_of(y), 0, 0x1p-52), "above");
        cr_assert(between(x, up_below(y), 0x1p-52, 0), "below");
        cr_assert(mpfr_min_prec(y) > 53 ||
                !memcmp(&(struct up){ up_of(y).m, up_of(y).e }, &(struct up){ up_below(y).m, up_below(y).e },
                    sizeof(struct up)),
            "53 bits are exact");
        mpfr_set_ui(d, (unsigned long)draw(1000), MPFR_RNDN);
        struct up far = up_far(y, d);
        mpfr_sub(x, y, d, MPFR_RNDN);
        mpfr_abs(x, x, MPFR_RNDN);
        cr_assert(between(x, far, 0, 0x1p-51), "far");
        mpfr_clear(y);
    }
    mpfr_set_zero(x, -1);
    cr_expect(up_of(x).m == 0 && up_below(x).m == 0);
    mpfr_set_inf(x, -1);
    cr_expect(isinf(up_of(x).m));
    mpfr_set_nan(x);
    cr_expect(isinf(up_of(x).m));
    mpfr_clears(x, d, (mpfr_ptr)0);
}

/* e^x - 1 may be off by 2^-16 of itself for x <= 1/16, where its cubic is taken; beyond, each doubling adds the
 * relative error of e^x. */
Test(upper, of_the_exponential)
{
    mpfr_t x, y;
    mpfr_inits2(BITS, x, y, (mpfr_ptr)0);
    for (int k = 0; k < 20000; k++) {
        struct up a = { 0.5 + ldexp((double)draw(1L << 52), -53), k % 20 < 15 ? 5 - k % 20 : -draw(300) };
        up_get(x, a);
        mpfr_expm1(y, x, MPFR_RNDN);
        /* x^2 where the cubic is taken, which is at most 1/256. */
        double square = a.e > -4 ? 0x1p-8 : ldexp(a.m * a.m, 2 * (int)a.e);
        cr_assert(between(y, up_expm1(a), 0,
                      0x1p-48 + square * (0.17 - 1 / 6.0) * (a.e > -4 ? 2.0 * ldexp(a.m, (int)a.e) + 2 : 1)),
            "%a 2^%ld", a.m, a.e);
    }
    cr_expect(up_expm1((struct up){ 0, 0 }).m == 0 && isinf(up_expm1(up_inf()).m) &&
        isinf(up_expm1((struct up){ 0.5, 41 }).m) && !isinf(up_expm1((struct up){ 0.5, 6 }).m));
    mpfr_clears(x, y, (mpfr_ptr)0);
}

/* Exponents of products stay where the next sum of two is a long: beyond 2^61 nothing is known, and below -2^61 it is
 * that. */
Test(upper, exponents_do_not_pass_their_ends)
{
    const long end = 1L << 61, far = 3L << 60;
    static const struct up half = { 0.5, 0 };
    struct up x = { 0.75, far }, y = { 0.75, -far };
    for (int k = 0; k < 70; k++)
        x = up_mul(x, x), y = up_mul(y, y);
    cr_expect(isinf(x.m) && x.e == 0 && y.m >= 0.5 && y.m < 1 && y.e >= -end && y.e <= -end + 1, "%g %ld, %g %ld", x.m,
        x.e, y.m, y.e);
    const struct up above = up_div((struct up){ 0.5, far }, (struct up){ 0.5, -far }),
                    below = up_div((struct up){ 0.5, -far }, (struct up){ 0.5, far });
    cr_expect(isinf(above.m) && below.m >= 0.5 && below.e >= -end && below.e <= -end + 2);
    cr_expect(up_mul((struct up){ 0, 0 }, (struct up){ 0.5, far }).m == 0);
    cr_expect(up_mul((struct up){ 0.5, end }, half).e <= end);
    cr_expect(!isinf(up_mul((struct up){ 0.5, end - 2 }, (struct up){ 0.75, 1 }).m), "an end is not passed yet");
}
