/* What ruler.h promises of one reading, in tables: what is no number or infinite, which way errors are rounded, that a
 * sign and spare bits change nothing, and that the generator is the published one. */
#include <criterion/criterion.h>
#include <math.h>
#include "ruler/bits.h"
#include "ruler/ruler.h"

static const double inf = (double)INFINITY, nan_ = (double)NAN;

/* The ball (x + more) +- rad whose midpoint has `bits` bits; the caller clears the midpoint. */
static struct ball ball(double x, double more, long bits, double rad)
{
    struct ball b = { .rad = isinf(rad) ? up_inf() : up_d(rad), .n = 1 };
    mpfr_init2(b.mid, bits);
    mpfr_set_d(b.mid, more, MPFR_RNDN);
    mpfr_add_d(b.mid, b.mid, x, MPFR_RNDN);
    b.mag = up_of(b.mid);
    return b;
}
static struct reading reading(double x, double more, long bits, double rad, double got, const struct format *f)
{
    struct ball b = ball(x, more, bits, rad);
    const struct reading r = ruler_read(&b, got, f);
    mpfr_clear(b.mid);
    return r;
}
static bool same(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

/* A NaN is right where the definition itself is one, and an infinity where that is the same; what stands in the place
 * of a number has the class of that, and what is no number reads as none, so that no bound holds it. */
Test(ruler_laws, what_is_no_number_has_a_class_and_no_error)
{
    static const struct { double x, rad, got; enum class class; bool correct; double error; } list[] = {
        { nan_, 0, nan_, SAME_CLASS, true, 0 },
        { nan_, 0, inf, WAS_INF, false, nan_ },
        { nan_, 0, -inf, WAS_INF, false, nan_ },
        { nan_, 0, 1, SAME_CLASS, false, nan_ },
        { nan_, 1, nan_, WAS_NAN, false, nan_ },
        { inf, 0, inf, SAME_CLASS, true, 0 },
        { inf, 0, -inf, WAS_INF, false, inf },
        { inf, 0, nan_, WAS_NAN, false, nan_ },
        { inf, 0, 1, NOT_INF, false, inf },
        { inf, 0, 0, NOT_INF, false, inf },
        { 1, 0, nan_, WAS_NAN, false, nan_ },
        { 1, 0, inf, WAS_INF, false, 0x1p128 - 1 },
        { 1, 0, -inf, WAS_INF, false, 0x1p128 + 1 },
        { 0, inf, 0, SAME_CLASS, false, inf },
        { 0x1p128, 0, inf, SAME_CLASS, true, 0 },
        { 0x1p128, 0, -inf, WAS_INF, false, 0x1p129 },
        { 0x1p128, 0x1p100, inf, SAME_CLASS, true, 0x1p100 },
        { 0x1p140, 0, inf, SAME_CLASS, true, 0 },
        { 0x1p140, 0, 0x1p127, NOT_INF, false, 0x1p140 - 0x1p127 },
    };
    const struct format *f = format_named("f32", 3);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            const struct reading r = reading(sign * list[k].x, 0, 60, list[k].rad, sign * list[k].got, f);
            cr_expect_eq(r.class, list[k].class, "%zu: %s", k, class_name[r.class]);
            cr_expect_eq(r.correct, list[k].correct, "%zu: %d", k, r.correct);
            /* An error is rounded up. */
            cr_expect(same(r.error, list[k].error) ||
                (r.error >= list[k].error && r.error <= list[k].error * (1 + 0x1p-50)), "%zu: error %g", k, r.error);
            cr_expect(isnan(r.error) == isnan(r.ulp) && isnan(r.error) == isnan(r.gauge), "%zu: %g", k, r.ulp);
            cr_expect(list[k].error != 0 || (r.ulp == 0 && r.gauge == 0), "%zu: %g %g", k, r.ulp, r.gauge);
        }
}

/* The sign of a zero counts where the whole ball has one sign, and that of another number is no class. */
Test(ruler_laws, a_zero_has_a_sign_where_the_ball_has_one)
{
    static const struct { double x, rad, got; enum class class; } list[] = {
        { 1e-60, 0, -0.0, ZERO_SIGN },
        { 1e-60, 0, 0.0, SAME_CLASS },
        { 1e-60, 1e-61, -0.0, ZERO_SIGN },
        { 1e-60, 1e-60, -0.0, SAME_CLASS },
        { 1e-60, 1e-50, -0.0, SAME_CLASS },
        { 0, 0, -0.0, SAME_CLASS },
        { 1, 0, -1, SAME_CLASS },
        { 1, 0, 0, FLUSHED },
        { 1, 0, -0.0, FLUSHED },
        { 0x1p-149, 0, -0.0, FLUSHED },
    };
    const struct format *f = format_named("f32", 3);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            const struct reading r = reading(sign * list[k].x, 0, 60, list[k].rad, sign * list[k].got, f);
            cr_expect_eq(r.class, list[k].class, "%zu, %d: %s", k, sign, class_name[r.class]);
        }
}

/* |got - x| + radius is never read smaller than it is, by however many bits either number has, and the distance in
 * units of the last place is the nearest double to it. */
Test(ruler_laws, an_error_is_rounded_up_and_an_ulp_to_nearest)
{
    static const struct { double x, more, rad, got; long bits; } list[] = {
        { 1, 0, 0, 1 + 0x1p-40, 2 },
        { 1, 0, 0, 1 + 0x1p-52, 2 },
        { 3, 0, 0x1p-30, 0x1.fffffffffffffp1, 2 },
        { 1, 0, 0, -0x1p-200, 2 },
        { 1, 0, 0, -0x1p-200, 24 },
        { -1, 0, 0x1p-60, 0x1p-200, 53 },
        { 1, 0x1p-70, 0, 1, 200 },
        { 1, 0x3p-77, 0, 1 - 0x1p-23, 200 },
        { 1, 0x1p-77, 0, 1 - 0x1p-23, 200 },
        { 1, 0x1p-100, 0x1p-120, 0x1.8p-3, 200 },
    };
    mpfr_t exact, ulp;
    mpfr_inits2(4000, exact, ulp, (mpfr_ptr)0);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (const struct format *f = formats; f->name; f++) {
            struct ball b = ball(list[k].x, list[k].more, list[k].bits, list[k].rad);
            const struct reading r = ruler_read(&b, list[k].got, f);
            mpfr_d_sub(exact, list[k].got, b.mid, MPFR_RNDN);
            mpfr_mul_2si(ulp, exact, f->p - mpfr_get_exp(b.mid), MPFR_RNDN);
            cr_expect_eq(r.ulp, mpfr_get_d(ulp, MPFR_RNDN), "%zu, %s: %a", k, f->name, r.ulp);
            mpfr_abs(exact, exact, MPFR_RNDN), mpfr_add_d(exact, exact, list[k].rad, MPFR_RNDN);
            cr_expect(mpfr_cmp_d(exact, r.error) <= 0, "%zu, %s: %a is too small", k, f->name, r.error);
            mpfr_mul_d(exact, exact, 1 + 0x1p-50, MPFR_RNDN);
            cr_expect(mpfr_cmp_d(exact, r.error) >= 0, "%zu, %s: %a is too large", k, f->name, r.error);
            mpfr_clear(b.mid);
        }
    mpfr_clears(exact, ulp, (mpfr_ptr)0);
}

/* The reading of -got against -x is that of got against x with the other sign, and that of a midpoint with more bits
 * than it needs is the same: near 1, at the largest number and beyond it, and among the subnormals. */
Test(ruler_laws, signs_and_spare_bits_change_nothing)
{
    static const long bits[] = { 2, 3, 7, 24, 53, 120 };
    static const double off[] = { 0, 0.25, 0.5, 0.75, 1, 3, 40 };
    for (const struct format *f = formats; f->name; f++) {
        const double most = ldexp(2 - ldexp(1, 1 - f->p), (int)f->emax), least = ldexp(1, (int)f->emin - f->p + 1),
                     place[] = { 1, 1.5, 3 * least, least / 2, ldexp(1.5, (int)f->emin), most, ldexp(1.5, (int)f->emax),
                         most * 1.5, 0 };
        for (size_t k = 0; k < sizeof place / sizeof *place; k++)
            for (size_t j = 0; j < sizeof bits / sizeof *bits; j++)
                for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
                    struct ball x = ball(place[k], 0, bits[j], 0), y = x;
                    const double near = mpfr_get_d(x.mid, MPFR_RNDN),
                                 unit = near > 0 ? fmax(least, ldexp(1, ilogb(near) - f->p + 1)) : least,
                                 got = near + off[i] * unit <= most ? near + off[i] * unit : inf;
                    mpfr_init2(y.mid, 400), mpfr_neg(y.mid, x.mid, MPFR_RNDN);
                    const struct reading a = ruler_read(&x, got, f), b = ruler_read(&y, -got, f);
                    cr_expect(a.correct == b.correct && a.class == b.class && a.decided == b.decided, "%s: %a of %a",
                        f->name, got, near);
                    cr_expect(same(a.error, b.error) && same(a.gauge, b.gauge) &&
                        fabs(a.ulp + b.ulp) <= 0x1p-51 * fabs(a.ulp), "%s: %a of %a: %g %g", f->name, got, near, a.ulp,
                        b.ulp);
                    mpfr_clears(x.mid, y.mid, (mpfr_ptr)0);
                }
    }
}

/* Seed s, stream 0 and index 0 give the output of splitmix64 for the state 1 + s 0x9e3779b97f4a7c15: for these seeds,
 * which follow one another, the first outputs of its published sequence from the state 1234567. */
Test(ruler_laws, the_generator_is_the_published_one)
{
    static const uint64_t sequence[] = { 6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
        4593380528125082431u, 16408922859458223821u };
    const uint64_t first = 16326784571819773934u; /* 1234566 / 0x9e3779b97f4a7c15, modulo 2^64 */
    cr_assert_eq(first * 0x9e3779b97f4a7c15u, 1234566);
    for (uint64_t k = 0; k < sizeof sequence / sizeof *sequence; k++)
        cr_expect_eq(gen_bits(first + k + 1, 0, 0), sequence[k], "output %d", (int)k);
}
