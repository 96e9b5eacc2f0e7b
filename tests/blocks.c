/* Sums as matrix units make them, against the model of tensor.h computed a second time in numbers that hold every bit;
 * and what such a sum makes of balls, of infinities and of what is no number. */
#include <criterion/criterion.h>
#include <math.h>
#include "trial/trial.h"
#include "ball/tensor.h"

enum { BITS = 1200, TERMS = 24 };
static const struct arith contract = { .how = ROUND };
static uint64_t state;
static long draw(long n) { return (long)(gen_bits(37, 0, state++) % (uint64_t)n); }

/* The exponent of the binade of x, and of 0 one that is below all others. */
static long binade(mpfr_srcptr x) { return mpfr_zero_p(x) ? -(1L << 40) : (long)mpfr_get_exp(x) - 1; }
/* y toward zero to a multiple of 2^unit. */
static void cut(mpfr_ptr y, long unit)
{
    mpfr_div_2si(y, y, unit, MPFR_RNDN), mpfr_trunc(y, y), mpfr_mul_2si(y, y, unit, MPFR_RNDN);
}

/* One block: E is the exponent of the largest of the accumulator `sum` and the terms, each term's less its lift, and at
 * least emin. */
static void one_block(mpfr_ptr sum, const struct rounding *r, const struct ball *const *t, long n)
{
    const int p = r->f->p, fraction = r->fraction ? r->fraction : p - 1, bits = fraction + 1 < p ? fraction + 1 : p;
    long most = binade(sum) > r->f->emin ? binade(sum) : r->f->emin;
    mpfr_t y;
    mpfr_init2(y, BITS);
    for (long k = 0; k < n; k++)
        most = binade(t[k]->mid) - t[k]->lift > most ? binade(t[k]->mid) - t[k]->lift : most;
    cut(sum, most - fraction);
    for (long k = 0; k < n; k++)
        mpfr_set(y, t[k]->mid, MPFR_RNDN), cut(y, most - fraction), mpfr_add(sum, sum, y, MPFR_RNDN);
    cut(sum, (binade(sum) > r->f->emin ? binade(sum) : r->f->emin) - bits + 1);
    if (binade(sum) > r->f->emax)
        mpfr_set_inf(sum, mpfr_sgn(sum));
    mpfr_clear(y);
}

/* Exponents of terms lie around the least normal number, around the largest, or around 1, and are sometimes so far
 * apart that the smaller ones are cut to 0. */
static long fill(struct ask *w, const struct ball **t, const struct format *f)
{
    const long at[] = { f->emin, f->emin - f->p, f->emax - 2, 0 }, e = at[draw(4)], spread = 1 + draw(30);
    const long n = draw(TERMS);
    for (long k = 0; k < n; k++) {
        struct ball *x = (struct ball *)b_si(w, draw(2) ? 1 + draw(1L << 24) : -1 - draw(1L << 24));
        mpfr_mul_2si(x->mid, x->mid, e - 22 - draw(spread), MPFR_RNDN);
        x->lift = (short)(draw(3) ? draw(2) : -draw(12));
        if (draw(8) == 0)
            mpfr_set_zero(x->mid, 1), x->lift = 0;
        t[k] = x;
    }
    return n;
}

Test(blocks, of_exact_terms_are_their_model)
{
    mpfr_t sum, before[TERMS];
    mpfr_init2(sum, BITS);
    for (int k = 0; k < TERMS; k++)
        mpfr_init2(before[k], BITS);
    long infinite = 0, small = 0;
    for (int k = 0; k < 4000; k++) {
        struct ask w = { .arith = &contract };
        const struct ball *t[TERMS];
        ask_reset(&w, 400);
        const struct rounding r = { .f = &formats[1 + draw(3)], .ulps = 1, .block = 1 + (int)draw(9),
            .fraction = draw(3) ? 2 + (int)draw(26) : 0 };
        const long n = fill(&w, t, r.f);
        const struct ball *start = draw(2) ? b_si(&w, 0) : b_si(&w, draw(200) - 100);
        mpfr_set(sum, start->mid, MPFR_RNDN);
        for (long j = 0; j < n; j++)
            mpfr_set(before[j], t[j]->mid, MPFR_RNDN);
        for (long j = 0; j < n && mpfr_number_p(sum); j += r.block)
            one_block(sum, &r, t + j, j + r.block < n ? r.block : n - j);
        const struct ball *y = tensor_sum(&w, &r, start, t, n);
        cr_assert(mpfr_equal_p(y->mid, sum) && y->rad.m == 0 && !w.undecided, "case %d: %g, not %g", k, b_value(y),
            mpfr_get_d(sum, MPFR_RNDN));
        cr_assert(!mpfr_regular_p(sum) || b_is(y) == r.f || !n, "case %d: its format", k);
        for (long j = 0; j < n; j++)
            cr_assert(mpfr_equal_p(before[j], t[j]->mid), "case %d: term %ld was changed", k, j);
        infinite += mpfr_inf_p(sum) != 0, small += mpfr_regular_p(sum) && binade(sum) < r.f->emin;
        ask_clear(&w);
    }
    cr_expect(infinite > 20 && small > 50, "%ld %ld", infinite, small);
    for (int k = 0; k < TERMS; k++)
        mpfr_clear(before[k]);
    mpfr_clear(sum);
}

/* A ball whose ends are cut to one multiple is that multiple, however near the next one lies; else the sum is undecided
 * and holds both.  The unit is 2^-3, by a first term of 1 and three bits. */
Test(blocks, of_balls_are_cut_at_both_ends)
{
    static const struct { double m, r, low, high; } cases[] = { { 0.1875, 0, 1, 1 }, { 0.1875, 0.0625 - 0x1p-40, 1, 1 },
        { 0.1875, 0.0625, 1, 2 }, { 0.25, 0x1p-60, 1, 2 }, { 0.25, 0x1p-300, 1, 2 }, { 0.25, 0, 2, 2 },
        { -0.1875, 0.0625 - 0x1p-40, -1, -1 }, { -0.25, 0x1p-300, -2, -1 }, { 0, 0.0625, 0, 0 }, { 0, 0.125, -1, 1 } };
    const struct rounding r = { .f = &formats[1], .ulps = 1, .block = 4, .fraction = 3 };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ask w = { .arith = &contract };
        ask_reset(&w, 64);
        struct ball *x = (struct ball *)b_si(&w, 0);
        mpfr_set_d(x->mid, cases[k].m, MPFR_RNDN), x->rad = up_d(cases[k].r);
        const struct ball *t[] = { b_si(&w, 1), x }, *y = tensor_sum(&w, &r, b_si(&w, 0), t, 2);
        const double low = 1 + cases[k].low / 8, high = 1 + cases[k].high / 8, width = high - low;
        cr_expect_eq(w.undecided, width > 0, "case %zu", k);
        cr_expect(b_value(y) - b_radius(y) <= low && b_value(y) + b_radius(y) >= high && b_radius(y) <= 2 * width,
            "case %zu: %g +- %g does not hold %g and %g, or more", k, b_value(y), b_radius(y), low, high);
        ask_clear(&w);
    }
}

/* A block with an infinity, or with what is no number, is added up as it is: nothing in it is undecided. */
Test(blocks, with_infinities_or_no_number_are_added_up_as_they_are)
{
    const struct rounding r = { .f = &formats[1], .ulps = 1, .block = 4 };
    for (int kind = 0; kind < 3; kind++)
        for (int at = 0; at < 6; at++) {
            struct ask w = { .arith = &contract };
            ask_reset(&w, 64);
            const struct ball *t[6];
            for (int k = 0; k < 6; k++)
                t[k] = k != at ? b_si(&w, k + 1) : kind == 2 ? b_nan(&w) : b_inf(&w, kind ? 1 : -1);
            const struct ball *y = tensor_sum(&w, &r, b_si(&w, 0), t, 6);
            cr_expect(!w.undecided && y->rad.m == 0 &&
                    (kind == 2 ? mpfr_nan_p(y->mid) != 0 : mpfr_inf_p(y->mid) && (mpfr_sgn(y->mid) > 0) == kind),
                "%d at %d: %g +- %g", kind, at, b_value(y), b_radius(y));
            ask_clear(&w);
        }
}
