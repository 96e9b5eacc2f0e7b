/* Elementary functions at arguments of every size and at every precision against Arb, where it is installed: 100000
 * questions with a seed of the day (SEED= repeats it).  A point of the argument's ball is drawn, its ends among them,
 * and what Arb finds there with far more bits must lie in the ball of the answer.  Of an exact argument that ball may
 * be no wider than one rounding. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "base/clock.h"
#include "ball/ball.h"
#include "core/gen.h"

#if __has_include(<arb.h>)
#include <arb.h>
#include <arb_hypgeom.h>

enum { QUESTIONS = 100000, FUNCTIONS = 8 };
static const char *const name[FUNCTIONS] = { "exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "pow" };

struct draw { uint64_t seed, k; int at; };
static uint64_t bits(struct draw *d) { return gen_bits(d->seed, d->k, (uint64_t)++d->at); }

/* A number of 41 to 201 bits and of either sign: near 1, between 2^-low and 2^high, or a neighbour of 1 from above. */
static void number(mpfr_t x, struct draw *d, long low, long high)
{
    const unsigned long digits = 1 + bits(d) % 200;
    const long kind = (long)(bits(d) % 4),
               e = kind < 2 ? (long)(bits(d) % 24) - 16 :
        kind == 2           ? (long)(bits(d) % (uint64_t)(low + high)) - low :
                              0;
    mpfr_set_ui(x, 1, MPFR_RNDN);
    for (unsigned long k = 0; k < digits; k += 40) {
        mpfr_mul_2ui(x, x, 40, MPFR_RNDN);
        mpfr_add_ui(x, x, kind == 3 && k + 40 < digits ? 0 : bits(d) >> 24, MPFR_RNDN);
    }
    mpfr_div_2ui(x, x, (unsigned long)mpfr_get_exp(x), MPFR_RNDN);
    mpfr_mul_2si(x, x, e < high ? e : high, MPFR_RNDN);
    if (bits(d) & 1)
        mpfr_neg(x, x, MPFR_RNDN);
}

static const struct ball *asked(struct ask *w, int f, const struct ball *x, const struct ball *y)
{
    const struct ball *s = x, *c = x;
    switch (f) {
    case 0: return b_exp(w, x);
    case 1: return b_log(w, x);
    case 2: return b_sqrt(w, x);
    case 3: return b_sincos(w, x, &s, &c), s;
    case 4: return b_sincos(w, x, &s, &c), c;
    case 5: return b_tanh(w, x);
    case 6: return b_erf(w, x);
    default: return b_pow(w, x, y);
    }
}

static void by_arb(arb_t z, int f, const arb_t x, const arb_t y, long prec)
{
    switch (f) {
    case 0: arb_exp(z, x, prec); break;
    case 1: arb_log(z, x, prec); break;
    case 2: arb_sqrt(z, x, prec); break;
    case 3: arb_sin(z, x, prec); break;
    case 4: arb_cos(z, x, prec); break;
    case 5: arb_tanh(z, x, prec); break;
    case 6: arb_hypgeom_erf(z, x, prec); break;
    default: arb_pow(z, x, y, prec);
    }
}

/* A ball with the number as its exact midpoint (at most 400 bits) and radius r. */
static const struct ball *ball_of(struct ask *w, mpfr_srcptr x, struct up r)
{
    struct ball *b = (struct ball *)b_widen(w, b_si(w, 0), r);
    mpfr_set_prec(b->mid, 400);
    mpfr_set(b->mid, x, MPFR_RNDN);
    return b;
}

/* The point mid + t rad, where t is -1, 1 or between, rounded towards the midpoint. */
static void point(arb_t y, const struct ball *x, struct draw *d)
{
    mpfr_t r, t;
    mpfr_inits2(900, r, t, (mpfr_ptr)0);
    up_get(r, x->rad);
    const long share = (long)(bits(d) % 5);
    mpfr_mul_d(r, r, share == 0 ? -1 : share == 1 ? 1 : (double)(bits(d) >> 11) * 0x1p-52 - 1, MPFR_RNDZ);
    mpfr_add(t, x->mid, r, MPFR_RNDN);
    if (mpfr_cmpabs(t, x->mid) != 0 && mpfr_zero_p(r))
        mpfr_set(t, x->mid, MPFR_RNDN);
    arf_set_mpfr(arb_midref(y), t);
    mag_zero(arb_radref(y));
    mpfr_clears(r, t, (mpfr_ptr)0);
}

/* The same ball, or one that holds it. */
static void enclosure(arb_t y, const struct ball *x)
{
    mpfr_t r;
    arf_t a;
    mpfr_init2(r, 60), arf_init(a);
    up_get(r, x->rad);
    arf_set_mpfr(arb_midref(y), x->mid), arf_set_mpfr(a, r), arf_get_mag(arb_radref(y), a);
    arf_clear(a), mpfr_clear(r);
}

static bool one_rounding(const struct ball *y, mpfr_prec_t prec) /* Is the radius at most an ulp of the value? */
{
    mpfr_t r;
    mpfr_init2(r, 60);
    up_get(r, y->rad);
    const bool is = mpfr_zero_p(r) || !mpfr_regular_p(y->mid) || mpfr_get_exp(r) <= mpfr_get_exp(y->mid) - prec + 1;
    mpfr_clear(r);
    return is;
}

Test(arb, a_function_holds_what_arb_finds_at_any_point_of_any_size, .timeout = 300)
{
    static const struct arith exact = { 0 };
    struct ask w = { .arith = &exact };
    const uint64_t seed = seed_of_the_day();
    long finite[FUNCTIONS] = { 0 }, of = QUESTIONS / FUNCTIONS;
    arb_t x, y, z, got;
    mpfr_t a, b;
    arb_init(x), arb_init(y), arb_init(z), arb_init(got);
    mpfr_inits2(400, a, b, (mpfr_ptr)0);
    for (uint64_t k = 0; k < QUESTIONS; k++) {
        const int f = (int)(k % FUNCTIONS);
        struct draw d = { seed, k, 0 };
        const mpfr_prec_t prec = 53 + (mpfr_prec_t)(bits(&d) % 400);
        ask_reset(&w, prec);
        number(a, &d, 2000, f == 0 ? 24 : f == 6 ? 12 : 2000), number(b, &d, 40, 10);
        if (f == 1 || f == 2 || f == 7)
            mpfr_abs(a, a, MPFR_RNDN);
        const bool sharp = bits(&d) % 3 == 0;
        const struct up r = sharp ?
            up_d(0) :
            up_2exp(up_d(1 + (double)(bits(&d) % 8)), (long)mpfr_get_exp(a) - 6 - (long)(bits(&d) % 300));
        const struct ball *p = ball_of(&w, a, r),
                          *q = ball_of(&w, b, sharp ? up_d(0) : up_2exp(up_d(1), (long)mpfr_get_exp(b) - 40));
        const struct ball *t = asked(&w, f, p, q);
        point(x, p, &d), point(y, q, &d);
        by_arb(z, f, x, y, 900);
        /* More bits are needed where a large angle has to be reduced, or where a function is next to 0 or to 1. */
        if (arb_rel_accuracy_bits(z) < 500)
            by_arb(z, f, x, y, 4700);
        enclosure(got, t);
        cr_assert(arb_overlaps(got, z),
            "%s, question %d, %ld bits, SEED=%llu: Arb's value at a point of the argument lies outside", name[f],
            (int)k, (long)prec, (unsigned long long)seed);
        cr_assert(!sharp || f == 7 || isinf(t->rad.m) || one_rounding(t, prec),
            "%s, question %d, %ld bits, SEED=%llu: wider than one rounding of an exact argument", name[f], (int)k,
            (long)prec, (unsigned long long)seed);
        finite[f] += !isinf(t->rad.m);
    }
    for (int f = 0; f < FUNCTIONS; f++)
        cr_expect(finite[f] > of * 4 / 5, "%s: only %ld of %ld balls are finite", name[f], finite[f], of);
    mpfr_clears(a, b, (mpfr_ptr)0);
    arb_clear(x), arb_clear(y), arb_clear(z), arb_clear(got);
    flint_cleanup();
    ask_clear(&w);
}

/* MPFR's least number is not 0: e^-(10^30) was once an exact 0, since an operation that leaves the range of exponents
 * tells so by the sign of its ternary value alone. */
Test(arb, what_lies_below_mpfr_is_not_exactly_nothing)
{
    static const struct arith exact = { 0 };
    struct ask w = { .arith = &exact };
    mpfr_t a;
    mpfr_init2(a, 400);
    ask_reset(&w, 200);
    mpfr_set_si_2exp(a, -1, 100, MPFR_RNDN);
    const struct ball *x = ball_of(&w, a, up_d(0)), *y = b_exp(&w, x), *z = b_pow(&w, b_ratio(&w, 1, 3), b_neg(&w, x));
    cr_expect(mpfr_zero_p(y->mid) && y->rad.m > 0, "e^-2^100 is exactly 0, it says");
    cr_expect(mpfr_zero_p(z->mid) && z->rad.m > 0, "3^-2^100 is exactly 0, it says");
    mpfr_clear(a), ask_clear(&w);
}
#else
Test(arb, a_function_holds_what_arb_finds_at_any_point_of_any_size) { cr_skip_test("not run: Arb is not installed"); }
#endif
