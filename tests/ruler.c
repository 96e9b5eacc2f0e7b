/* The ruler: its self-test passes, is fit for every start, and agrees with a second reading by rational arithmetic. */
#include <criterion/criterion.h>
#include <math.h>
#include "ruler/ruler.h"
#include "trial/trial.h"

static uint64_t state;
/* At most one draw stands in a statement, as the compiler chooses the order of evaluation. */
static long draw(long n) { return (long)(gen_bits(17, 0, state++) % (uint64_t)n); }

Test(ruler, passes_its_own_test) { cr_expect_eq(ruler_self_test(), 0, "case %d", ruler_self_test()); }

/* err = (y - x) / 2^(max(floor(log2|x|), emin) - p + 1) as a fraction of integers: x and y are doubles, so both are
 * rational. */
static double by_fractions(double x, double y, const struct format *f)
{
    mpq_t a, b;
    mpq_inits(a, b, (mpq_ptr)0);
    mpq_set_d(a, x), mpq_set_d(b, y);
    mpq_sub(b, b, a);
    long e = x == 0 ? f->emin : ilogb(x), u = (e > f->emin ? e : f->emin) - f->p + 1;
    u < 0 ? mpq_mul_2exp(b, b, (mp_bitcnt_t)-u) : mpq_div_2exp(b, b, (mp_bitcnt_t)u);
    double d = mpq_get_d(b);
    mpq_clears(a, b, (mpq_ptr)0);
    return d;
}

Test(ruler, agrees_with_fractions_in_every_format)
{
    struct ball x = { .mag = { 0.5, 1 } };
    mpfr_init2(x.mid, 53);
    for (const struct format *f = formats; f < formats + MER_I64; f++) /* those of arrays */
        for (int k = 0; k < 4000; k++) {
            int e = (int)(draw(f->emax - f->emin + 20) + f->emin - 20);
            double v = ldexp(1 + (double)draw(1L << 44) * 0x1p-44, e);
            uint16_t h;
            float s;
            double d, got;
            struct mer_array a = { "y", (int)(f - formats), 1, { 1 },
                f->p == 53     ? (void *)&d :
                    f->p == 24 ? (void *)&s :
                                 (void *)&h };
            array_put(&a, 0, v * (1 + (double)((int)draw(9) - 4) * ldexp(1, -f->p)));
            got = array_get(&a, 0);
            if (isinf(got))
                continue;
            mpfr_set_d(x.mid, v, MPFR_RNDN);
            struct reading r = ruler_read(&x, got, f);
            double want = by_fractions(v, got, f), best;
            array_put(&a, 0, v);
            best = array_get(&a, 0);
            cr_assert(fabs(r.ulp - want) <= 1e-12 * fabs(want) && r.correct == (best == got),
                "%s: exact %a got %a reads %g, fractions %g", f->name, v, got, r.ulp, want);
            cr_assert(!r.correct || fabs(r.ulp) <= 0.5, "%s: exact %a got %a", f->name, v, got);
        }
    mpfr_clear(x.mid);
}

/* rounds_known is exact: it says yes just when both ends of the ball round alike; near every kind of boundary. */
Test(ruler, a_rounding_is_decided_just_when_both_ends_agree)
{
    struct ball x = { .mag = { 0.5, 1 } };
    mpfr_t end;
    mpfr_init2(x.mid, 300);
    mpfr_init2(end, 400);
    long yes = 0, no = 0;
    for (const struct format *f = formats; f->name; f++)
        for (int k = 0; k < 6000; k++) {
            /* These are mostly subnormal. */
            long e = k % 3 ? draw(f->p + 2) + f->emin - f->p - 1 : k % 2 ? 0 : f->emax;
            long q = (e > f->emin ? e : f->emin) - f->p + 1, r = q - 1 - draw(60);
            /* A boundary of rounding, or a value of the format. */
            mpfr_set_ui_2exp(x.mid, (unsigned long)draw(8), q - 1, MPFR_RNDN);
            mpfr_set_ui_2exp(end, 1, e, MPFR_RNDN);
            if (e >= f->emin)
                mpfr_add(x.mid, x.mid, end, MPFR_RNDN);
            mpfr_set_si_2exp(end, draw(9) - 4, r, MPFR_RNDN); /* A number beside it by up to 4 radii. */
            mpfr_add(x.mid, x.mid, end, MPFR_RNDN);
            x.rad = (struct up){ 0.5, r + draw(3) };
            double out[2];
            for (int side = 0; side < 2; side++) {
                mpfr_set_ui_2exp(end, 1, x.rad.e - 1, MPFR_RNDN);
                side ? mpfr_add(end, x.mid, end, MPFR_RNDN) : mpfr_sub(end, x.mid, end, MPFR_RNDN);
                round_to(end, f);
                out[side] = mpfr_get_d(end, MPFR_RNDN);
            }
            bool agree = out[0] == out[1], says = rounds_known(&x, f);
            cr_assert(agree == says, "%s: exponent %ld radius 2^%ld: ends %a and %a, says %d", f->name, e, x.rad.e - 1,
                out[0], out[1], says);
            *(agree ? &yes : &no) += 1;
        }
    cr_expect(yes > 3000 && no > 3000, "%ld decided, %ld not: both kinds must occur", yes, no);
    mpfr_clears(x.mid, end, (mpfr_ptr)0);
}
