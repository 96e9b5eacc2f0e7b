/* The ruler measures itself before it measures anybody: the ten cases on which seven rulers in use disagree (f32),
 * steps of nextafter in every format, and what must never read as a number. */
#include <math.h>
#include "ruler/ruler.h"

/* The reading of `got` against a ball around (base + add) 2^e, held exactly, with radius rad. */
static struct reading read_scaled(double base, double add, long e, double rad, double got, const struct format *f)
{
    struct ball x = { .mag = { 0.5, 1 }, .rad = up_d(rad) };
    mpfr_init2(x.mid, 2200);
    mpfr_set_d(x.mid, add, MPFR_RNDN);
    mpfr_add_d(x.mid, x.mid, base, MPFR_RNDN);
    mpfr_mul_2si(x.mid, x.mid, e, MPFR_RNDN);
    struct reading r = ruler_read(&x, got, f);
    mpfr_clear(x.mid);
    return r;
}
static struct reading read_at(double base, double add, double rad, double got, const struct format *f)
{
    return read_scaled(base, add, 0, rad, got, f);
}

static const struct row_of_table { double base, add, got, ulp; bool correct; enum class class; } table[] = {
    /* The answer lies in the binade below the power of two. */
    { 1, -0x1p-26, 1 - 0x1p-24, -0.75, false, SAME_CLASS },
    /* The answer and the exact number lie on either side of it. */
    { 1, 0x1p-25, 1 - 0x1p-24, -0.75, false, SAME_CLASS },
    { 1, 0, 1 - 0x1p-24, -0.5, false, SAME_CLASS },
    { 1, 0, 1 + 0x1p-23, 1, false, SAME_CLASS },
    { 0, 0.45 * 0x1p-149, 0x1p-149, 0.55, false, SAME_CLASS },      /* A subnormal: 0 would be nearer. */
    { 0, 1e-60, -0.0, -7.136238463529799e-16, true, ZERO_SIGN },
    { 0, 3e-9, 0, -13510798.882111488, false, FLUSHED },
    { 0x1.fffffep127, 0x0.b33333p104, 0x1.fffffep127, -0.7, false, NOT_INF },
    { 0x1.fffffep127, 0x0.4ccccdp104, (double)INFINITY, 0.7, false, WAS_INF },
    /* Rounding the reference to double first would hide this. */
    { 1, 0x1p-24 + 0x1p-70, 1, -0.5, false, SAME_CLASS },
    { 0, 0, 0, 0, true, SAME_CLASS },
    { 0, 0, -0.0, 0, true, SAME_CLASS },                            /* A real zero has no sign. */
    { 1, 0, (double)NAN, (double)NAN, false, WAS_NAN },
    /* The infinity stands at -2^128, which is -2^128 - 1 away, in units of 2^-23. */
    { 1, 0, (double)-INFINITY, -0x1p151 - 0x1p23, false, WAS_INF },
};

static bool steps_of_nextafter(const struct format *f)
{
    const double one = ldexp(1, 1 - f->p), eta = ldexp(1, (int)f->emin - f->p + 1),
                 most = (2 - one) * ldexp(1, (int)f->emax);
    bool good = true;
    for (int k = 1; k <= 5; k++) {
        struct reading up = read_at(1, 0, 0, 1 + k * one, f), down = read_at(1, 0, 0, 1 - k * one / 2, f),
                       low = read_at(3 * eta, 0, 0, (3 + k) * eta, f);
        good = good && up.ulp == k && down.ulp == -0.5 * k && low.ulp == k && !up.correct && !low.correct &&
            up.class == SAME_CLASS;
    }
    struct reading tie = read_at(1, one / 2, 0, 1, f), blurred = read_at(1, one / 2, 0x1p-70, 1, f),
                   least = read_scaled(0, eta, -1, 0, 0, f), edge = read_at(most, 0, 0, most, f);
    /* A tie goes to even, and is known to, as the radius is 0. */
    good = good && tie.correct && tie.decided && tie.ulp == -0.5;
    /* A ball that reaches over a boundary decides nothing. */
    good = good && !blurred.correct && !blurred.decided;
    good = good && least.correct && least.ulp == -0.5 && edge.correct && edge.ulp == 0;
    struct reading over = read_at(most, ldexp(one, (int)f->emax) / 2, 0, (double)INFINITY, f),
                   short_of = read_at(most, ldexp(one, (int)f->emax) * 0.499, 0, (double)INFINITY, f),
                   far = read_at(most, 5 * ldexp(one, (int)f->emax + 1), 0, (double)INFINITY, f);
    return good && far.correct && far.ulp == 0 && far.gauge == 0 && over.correct && over.class == SAME_CLASS &&
        over.ulp == 0.5 && !short_of.correct && short_of.class == WAS_INF;
}

/* <(3, 5), (7, -4)> = 1 with G = 41 and 2 products that may underflow: exact integers read 0; one ulp of 1 too far
 * reads 2/41 less the floor. */
static bool gauge_on_integers(void)
{
    struct ball x = { .mag = { 41.0 / 64, 6 }, .n = 2 };
    mpfr_init2(x.mid, 100);
    mpfr_set_ui(x.mid, 1, MPFR_RNDN);
    const struct format *f = format_named("f32", 3);
    double hit = ruler_read(&x, 1, f).gauge, miss = ruler_read(&x, 1 + 0x1p-23, f).gauge;
    x.mag = (struct up){ 0, 0 };
    mpfr_set_zero(x.mid, 1);
    double zero = ruler_read(&x, 0, f).gauge, not_zero = ruler_read(&x, 0x1p-149, f).gauge;
    x.mag = up_d(0x1p-149); /* Products near the smallest subnormal: two roundings of eta each are no fault. */
    double under = ruler_read(&x, 0x1p-149, f).gauge;
    mpfr_clear(x.mid);
    return hit == 0 && fabs(miss * 41 - 2) <= 1e-12 && zero == 0 && isinf(not_zero) && under <= 0.5 && under > 0.49;
}

static bool nothing_reads_as_a_number(void)
{
    const struct format *f = format_named("f64", 3);
    struct ball x = { .rad = up_inf(), .mag = up_inf() };
    mpfr_init2(x.mid, 64);
    mpfr_set_zero(x.mid, 1);
    struct reading line = ruler_read(&x, 0, f), nan = ruler_read(&x, (double)NAN, f);
    x.rad = x.mag = (struct up){ 0, 0 };
    mpfr_set_inf(x.mid, 1);
    struct reading inf = ruler_read(&x, (double)INFINITY, f), wrong = ruler_read(&x, (double)-INFINITY, f),
                   finite = ruler_read(&x, 1, f);
    mpfr_clear(x.mid);
    bool one = !line.correct && !line.decided && !(line.error <= 1e300) && isnan(nan.ulp) && isnan(nan.gauge) &&
        isnan(nan.error);
    return one && inf.correct && inf.error == 0 && wrong.class == WAS_INF && !wrong.correct &&
        finite.class == NOT_INF && !(finite.error <= 1e300);
}

int ruler_self_test(void)
{
    enum { ROWS = sizeof table / sizeof *table };
    const struct format *f32 = format_named("f32", 3);
    for (int k = 0; k < ROWS; k++) {
        const struct row_of_table *t = &table[k];
        struct reading r = read_at(t->base, t->add, 0, t->got, f32);
        bool same = isnan(t->ulp) ? isnan(r.ulp) && isnan(r.gauge) && isnan(r.error) :
                                    fabs(r.ulp - t->ulp) <= 1e-6 * fabs(t->ulp);
        if (!same || r.correct != t->correct || r.class != t->class)
            return k + 1;
    }
    for (const struct format *f = formats; f->name; f++)
        if (!f->saturates && !steps_of_nextafter(f)) /* Of those that saturate there are no arrays. */
            return ROWS + 1 + (int)(f - formats);
    return !gauge_on_integers() ? ROWS + FORMATS + 1 : !nothing_reads_as_a_number() ? ROWS + FORMATS + 2 : 0;
}
