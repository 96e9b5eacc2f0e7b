/* What correctly rounded tables are made of, against MPFR: wide numbers, waves in fixed point, the frequencies of
 * every law and anchors, each within the error that it claims. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "context/exhaust.h"
#include "context/waves.h"
#include "core/gen.h"
#include "table_laws.h"

static void wide_get(mpfr_t y, const struct wide *x)
{
    mpz_t z;
    mpz_init(z);
    mpz_import(z, WIDE, -1, 8, 0, 0, x->m);
    mpfr_set_z_2exp(y, z, x->e, MPFR_RNDN);
    mpfr_setsign(y, y, x->neg, MPFR_RNDN);
    mpz_clear(z);
}

/* |x - truth| over the claimed error; 0 where both are 0. */
static double share(const struct wide *x, mpfr_t truth)
{
    mpfr_t y;
    mpfr_init2(y, 1400);
    wide_get(y, x);
    mpfr_sub(y, y, truth, MPFR_RNDN);
    mpfr_mul_2si(y, y, -x->e, MPFR_RNDN);
    double d = fabs(mpfr_get_d(y, MPFR_RNDA));
    mpfr_clear(y);
    return d == 0 ? 0 : d / x->err;
}

Test(table_parts, wide_arithmetic_stays_within_the_error_it_claims_and_uses_a_fair_part)
{
    enum { ADD, SUB, MUL, DIV, LOG, EXP, SQRT, COS, SIN, OPS };
    static const char *const name[] = { "add", "sub", "mul", "div", "log", "exp", "sqrt", "cos", "sin" };
    double worst[OPS] = { 0 };
    mpfr_t x, y, t, u;
    mpfr_inits2(1400, x, y, t, u, (mpfr_ptr)0);
    for (uint64_t i = 0; i < 400; i++) {
        /* Thirds and the like are inexact from the start; every tenth pair nearly cancels. */
        struct wide a =
            wide_div(wide_si((int64_t)(gen_bits(1, 1, i) >> 20) + 1), wide_si((int64_t)(gen_bits(1, 2, i) >> 30) + 3));
        wide_get(x, &a);
        struct wide b = i % 10 ? wide_div(wide_si((int64_t)(gen_bits(1, 3, i) >> 24) - (1L << 39)),
                                     wide_si((int64_t)(gen_bits(1, 4, i) >> 40) + 3)) :
                                 wide_add(a, wide_scale(wide_ui(3), -200 - (int64_t)i));
        b = i % 3 ? b : wide_scale(b, -(int64_t)(i % 200)); /* Some sums have to be cut. */
        a.err = b.err = 0; /* The operands are taken as exact. */
        wide_get(y, &b);
        if (mpfr_zero_p(y))
            continue;
        struct wide r[OPS];
        r[ADD] = wide_add(a, b), r[SUB] = wide_sub(a, b), r[MUL] = wide_mul(a, b), r[DIV] = wide_div(a, b),
        r[LOG] = wide_log(a);
        struct wide small = wide_scale(b, -30), fraction = wide_scale(b, -20);
        r[EXP] = wide_exp(small), r[SQRT] = wide_sqrt(a);
        wide_turn(&r[COS], &r[SIN], fraction);
        for (int k = 0; k < OPS; k++) {
            switch (k) {
            case ADD: mpfr_add(t, x, y, MPFR_RNDN); break;
            case SUB: mpfr_sub(t, x, y, MPFR_RNDN); break;
            case MUL: mpfr_mul(t, x, y, MPFR_RNDN); break;
            case DIV: mpfr_div(t, x, y, MPFR_RNDN); break;
            case LOG: mpfr_log(t, x, MPFR_RNDN); break;
            case EXP: mpfr_mul_2si(t, y, -30, MPFR_RNDN), mpfr_exp(t, t, MPFR_RNDN); break;
            case SQRT: mpfr_sqrt(t, x, MPFR_RNDN); break;
            default:
                mpfr_const_pi(u, MPFR_RNDN), mpfr_mul(t, u, y, MPFR_RNDN), mpfr_mul_2si(t, t, -19, MPFR_RNDN);
                k == COS ? mpfr_cos(t, t, MPFR_RNDN) : mpfr_sin(t, t, MPFR_RNDN);
            }
            double s = share(&r[k], t);
            cr_assert(s <= 1, "%s: %g of the claimed error at draw %lu", name[k], s, (unsigned long)i);
            worst[k] = s > worst[k] ? s : worst[k];
        }
    }
    /* The functions count every rounding as if all went in one direction, so that less of the claim is used. */
    for (int k = 0; k < OPS; k++)
        cr_expect(worst[k] > (k < LOG ? 0.4 : 1.0 / 64), "%s: only %g of its bound", name[k], worst[k]);
    mpfr_clears(x, y, t, u, (mpfr_ptr)0);
}

/* A power of two that is not exact: its logarithm is that of a ball around 1, whose centre is 0.  sqrt(1 + ln s / ln L)
 * meets it where s = L. */
Test(table_parts, a_power_of_two_with_an_error_keeps_its_logarithm_and_root)
{
    for (int k = -3; k <= 3; k++) {
        const struct wide l = wide_log(wide_si(7)), x = wide_scale(wide_div(l, l), k);
        const struct wide log = wide_log(x), root = wide_sqrt(x), half = wide_div(wide_sub(x, x), l);
        const double want = k * 0x1.62e42fefa39efp-1;
        cr_expect(x.err > 0 && log.err < 0x1p40 * 0x1p320 && root.err < 0x1p40 && half.err < (double)INFINITY,
            "2^%d: log %g, root %g", k, log.err, root.err);
        cr_expect(fabs(wide_double(log) - want) <= 0x1p-50 && fabs(wide_double(root) - sqrt(ldexp(1, k))) <= 0x1p-50,
            "2^%d: log %.17g, root %.17g", k, wide_double(log), wide_double(root));
        if (k)
            cr_expect(log.err < 0x1p40, "2^%d: log %g", k, log.err);
    }
}

Test(table_parts, decimal_texts_are_read_exactly_and_nonsense_is_refused)
{
    static const struct {
        const char *text;
        double value;
    } good[] = { { "10000", 1e4 }, { "-0.25", -0.25 }, { "1e6", 1e6 }, { "3/4", 0.75 }, { "+12.50e-2", 0.125 },
        { "1e22", 1e22 }, { "0", 0 } };
    static const char *const bad[] = { "", "x", "1e", "1/0", "1..2", "--1", "1/2/3", "1e5000", "0x10", ".", "1e+",
        "nan", "inf" };
    struct wide x;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double y;
        cr_assert(wide_read(&x, good[i].text, strlen(good[i].text)), "%s", good[i].text);
        cr_expect(wide_round(x, output_places[OUT_F64], &y) && y == good[i].value, "%s read as %a", good[i].text, y);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect(!wide_read(&x, bad[i], strlen(bad[i])), "'%s' accepted", bad[i]);
}

Test(table_parts, fixed_point_waves_stay_within_their_bound_and_use_a_fair_part)
{
    u128 inverse[FIX_TERMS];
    double worst = 0;
    mpfr_t t, c, s, y;
    mpz_t z;
    mpz_init(z);
    mpfr_inits2(300, t, c, s, y, (mpfr_ptr)0);
    fix_start(inverse);
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t limb[2] = { gen_bits(2, 1, i), gen_bits(2, 2, i) };
        if (i < 64) /* Beside multiples of 1/8, where octants meet. */
            limb[1] = (i % 8) << 61, limb[0] = i / 16, limb[1] -= i / 8 % 2, limb[0] -= i / 8 % 2 ? 2 : 0;
        struct fix f = fix_turn((u128)limb[1] << 64 | limb[0], inverse);
        mpz_import(z, 2, -1, 8, 0, 0, limb);
        mpfr_const_pi(t, MPFR_RNDN);
        mpfr_mul_z(t, t, z, MPFR_RNDN);
        mpfr_mul_2si(t, t, -127, MPFR_RNDN);
        mpfr_sin_cos(s, c, t, MPFR_RNDN);
        for (int k = 0; k < 2; k++) {
            u128 m = k ? f.sin : f.cos;
            uint64_t part[2] = { (uint64_t)m, (uint64_t)(m >> 64) };
            mpz_import(z, 2, -1, 8, 0, 0, part);
            mpfr_set_z_2exp(y, z, -127, MPFR_RNDN);
            mpfr_setsign(y, y, k ? f.sin_neg : f.cos_neg, MPFR_RNDN);
            mpfr_sub(y, y, k ? s : c, MPFR_RNDN);
            mpfr_mul_2si(y, y, 127, MPFR_RNDN);
            double e = fabs(mpfr_get_d(y, MPFR_RNDA));
            cr_assert(e <= FIX_ERROR, "%s off by %g units at draw %lu", k ? "sin" : "cos", e, (unsigned long)i);
            worst = e > worst ? e : worst;
        }
    }
    cr_expect(worst > FIX_ERROR / 8.0, "only %g of %d units", worst, FIX_ERROR);
    mpfr_clears(t, c, s, y, (mpfr_ptr)0);
    mpz_clear(z);
}

Test(table_parts, every_law_has_the_references_frequencies_and_amplitude_to_240_bits)
{
    mpfr_t x, two_pi;
    mpfr_inits2(WAVES_BITS, x, two_pi, (mpfr_ptr)0);
    mpfr_const_pi(two_pi, MPFR_RNDN), mpfr_mul_2si(two_pi, two_pi, 1, MPFR_RNDN);
    for (int i = 0; i < LAWS; i++) {
        char err[200];
        struct waves w;
        struct mer_angles *a = angles(laws[i][0], laws[i][1], 100);
        cr_assert_eq(waves_open(&w, laws[i][0], laws[i][1], err, sizeof err), 0, "%s: %s", laws[i][1], err);
        cr_assert_eq(w.pairs, mer_angles_pairs(a), "%s: %ld pairs", laws[i][1], w.pairs);
        for (long k = 0; k < w.pairs; k++) {
            double low, high = mer_angles_frequency(a, k, &low);
            if (k >= a->spectrum.live) {
                cr_assert(mpfr_zero_p(w.w[k]) && high == 0 && low == 0, "%s: pair %ld is not still", laws[i][1], k);
                continue;
            }
            wide_get(x, &a->spectrum.turn[k]);
            mpfr_mul(x, x, two_pi, MPFR_RNDN);
            mpfr_sub(x, x, w.w[k], MPFR_RNDN);
            mpfr_div(x, x, w.w[k], MPFR_RNDN);
            cr_assert(fabs(mpfr_get_d(x, MPFR_RNDA)) <= 0x1p-280, "%s: frequency %ld off by %g", laws[i][1], k,
                mpfr_get_d(x, MPFR_RNDA));
            cr_assert_eq(
                high, mpfr_get_d(w.w[k], MPFR_RNDN), "%s: frequency %ld is not the nearest double", laws[i][1], k);
            mpfr_sub_d(x, w.w[k], high, MPFR_RNDN);
            cr_assert_eq(low, mpfr_get_d(x, MPFR_RNDN), "%s: low part of frequency %ld", laws[i][1], k);
        }
        wide_get(x, &a->spectrum.amplitude);
        mpfr_sub(x, x, w.amplitude, MPFR_RNDN);
        cr_expect(fabs(mpfr_get_d(x, MPFR_RNDA)) <= 0x1p-280, "%s: amplitude off by %g", laws[i][1],
            mpfr_get_d(x, MPFR_RNDA));
        mer_angles_free(a);
        waves_close(&w);
    }
    mpfr_clears(x, two_pi, (mpfr_ptr)0);
}

Test(table_parts, anchors_are_within_the_error_that_the_rounding_test_assumes)
{
    static const struct {
        const char *params;
        int64_t limit;
    } at[] = { { "dim=64", 1 << 17 }, { "dim=64 base=150000 scaling=yarn factor=32 trained=4096", 1 << 20 },
        { "dim=6", 1 << 24 } };
    double worst = 0;
    mpfr_t c, s;
    mpfr_inits2(200, c, s, (mpfr_ptr)0);
    for (int i = 0; i < 3; i++) {
        char err[200];
        struct waves w;
        struct mer_angles *a = angles("rope", at[i].params, at[i].limit);
        cr_assert_eq(waves_open(&w, "rope", at[i].params, err, sizeof err), 0);
        cr_expect(a->span >= at[i].limit);
        double A = mer_angles_amplitude(a);
        for (uint64_t j = 0; j < 3000; j++) {
            int coarse = (int)(j & 1);
            int64_t rows = coarse ? a->span >> a->shift : INT64_C(1) << a->shift,
                    r = (int64_t)(gen_bits(3, 1, j) % (uint64_t)rows);
            long k = (long)(gen_bits(3, 2, j) % (uint64_t)w.pairs);
            const double *y = (coarse ? a->coarse : a->fine) + r * 2 * a->stride + k;
            waves_at(&w, coarse ? r << a->shift : r, k, c, s);
            double gain = coarse ? A : 1; /* waves_at multiplies by the amplitude A, and coarse anchors do not. */
            for (int q = 0; q < 2; q++) {
                mpfr_ptr m = q ? s : c;
                if (coarse)
                    mpfr_div(m, m, w.amplitude, MPFR_RNDN);
                double v = fabs(mpfr_get_d(m, MPFR_RNDN)),
                       bound = ((coarse || A == 1 ? 1 : 3) * 0x1p-53 * v + 0x1p-60 * (coarse ? 1 : A)) * (1 + 0x1p-40);
                mpfr_sub_d(m, m, y[q * a->stride], MPFR_RNDN);
                double e = fabs(mpfr_get_d(m, MPFR_RNDA));
                cr_assert(e <= bound, "%s: %s anchor %ld pair %ld off by %g of its bound (gain %g)", at[i].params,
                    coarse ? "coarse" : "fine", (long)r, k, e / bound, gain);
                worst = e / bound > worst ? e / bound : worst;
            }
        }
        mer_angles_free(a);
        waves_close(&w);
    }
    cr_expect(worst > 0.5, "only %g of the bound", worst);
    mpfr_clears(c, s, (mpfr_ptr)0);
}
