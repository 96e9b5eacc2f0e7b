/* Every operation on balls against its formula: the radius, the magnitude and the count of roundings are computed a
 * second time, in 500 bits and upwards, from the formula that stands beside the operation.  A ball's radius must not
 * lie below its formula, which is the proof that it contains, nor above it by more than the few roundings of its
 * doubles: so that a term dropped, doubled or added is seen on either side. */
#include <criterion/criterion.h>
#include <math.h>
#include "row/row.h"
#include "trial/trial.h"
#include "both.h"

enum { BITS = 500, PLACES = 12 };
/* An operation on `struct up` is off by at most 2^-50 of its result, and the longest formula has twelve of them. */
static const double loose = 0x1p-45;
static const struct arith exact = { 0 };
static uint64_t state;
static long draw(long n) { return (long)(gen_bits(23, 0, state++) % (uint64_t)n); }

/* The numbers of the second computation, rounded up where it matters. */
static mpfr_t place[PLACES];
static mpfr_ptr at(int k) { return place[k]; }
static mpfr_ptr up_at(int k, struct up x) { return up_get(place[k], x), place[k]; }

static void rooms(bool open)
{
    for (int k = 0; k < PLACES; k++)
        open ? mpfr_init2(place[k], BITS) : mpfr_clear(place[k]);
}

/* A number of random bits, size and sign, and, where `wide`, a radius smaller than it. */
static struct ball *leaf(struct ask *w, bool wide)
{
    struct ball *b = (struct ball *)b_widen(w, b_si(w, 0), (struct up){ 0, 0 });
    mpfr_set_si(b->mid, 1 + draw(1L << 40), MPFR_RNDN);
    mpfr_div_ui(b->mid, b->mid, (unsigned long)(1 + draw(1L << 40)), MPFR_RNDN);
    mpfr_mul_2si(b->mid, b->mid, draw(13) - 6, MPFR_RNDN);
    if (draw(2))
        mpfr_neg(b->mid, b->mid, MPFR_RNDN);
    b->mag = up_mul(up_of(b->mid), up_d(1 + (double)draw(1000) / 256));
    b->n = (double)draw(100);
    b->rad = wide ? up_mul(up_of(b->mid), up_d(ldexp(1 + (double)draw(1000) / 1024, -(int)draw(80) - 2))) :
                    (struct up){ 0, 0 };
    return b;
}

/* Half a unit in the last place of the midpoint, or 0 where the operation did not round, in place k. */
static mpfr_ptr half_at(int k, const struct ball *b, bool inexact)
{
    mpfr_set_ui_2exp(at(k), inexact, mpfr_get_exp(b->mid) - mpfr_get_prec(b->mid) - 1, MPFR_RNDU);
    return at(k);
}

/* Expects want <= got <= want (1 + more). */
static void within(const char *what, struct up got, mpfr_srcptr want, double more)
{
    mpfr_t x, top;
    mpfr_init2(x, 64), mpfr_init2(top, BITS);
    up_get(x, got);
    mpfr_mul_d(top, want, 1 + more, MPFR_RNDU);
    bool above = mpfr_cmp(x, want) >= 0, near = mpfr_cmp(x, top) <= 0;
    double ratio = (mpfr_div(top, x, want, MPFR_RNDN), mpfr_get_d(top, MPFR_RNDN));
    mpfr_clears(x, top, (mpfr_ptr)0);
    cr_assert(above && near, "%s: %.17g of its formula", what, ratio);
}

struct want { mpfr_srcptr mid, rad, mag; double n; };
typedef struct want formula(const struct ball *b, const struct ball *x, const struct ball *y);

/* Place 0 is the midpoint before rounding, place 1 half an ulp of it, and places from 2 what the formula needs. */
static bool rounded_mid(const struct ball *b) { return !mpfr_equal_p(b->mid, at(0)); }
static mpfr_ptr size_at(int k, const struct ball *x) { return mpfr_abs(at(k), x->mid, MPFR_RNDU), at(k); }

/* The radius is rx + ry + h. */
static struct want of_sum(const struct ball *b, const struct ball *x, const struct ball *y)
{
    mpfr_add(at(0), x->mid, y->mid, MPFR_RNDN);
    mpfr_add(at(2), up_at(3, x->rad), up_at(4, y->rad), MPFR_RNDU);
    mpfr_add(at(2), at(2), half_at(1, b, rounded_mid(b)), MPFR_RNDU);
    mpfr_add(at(5), up_at(3, x->mag), up_at(4, y->mag), MPFR_RNDU);
    return (struct want){ at(0), at(2), at(5), x->n + y->n };
}
static struct want of_difference(const struct ball *b, const struct ball *x, const struct ball *y)
{
    struct want u = of_sum(b, x, y);
    mpfr_sub(at(0), x->mid, y->mid, MPFR_RNDN);
    mpfr_add(at(2), up_at(3, x->rad), up_at(4, y->rad), MPFR_RNDU);
    mpfr_add(at(2), at(2), half_at(1, b, rounded_mid(b)), MPFR_RNDU);
    return u;
}
/* The radius is |x| ry + rx (|y| + ry) + h. */
static struct want of_product(const struct ball *b, const struct ball *x, const struct ball *y)
{
    mpfr_mul(at(0), x->mid, y->mid, MPFR_RNDN);
    mpfr_mul(at(2), size_at(3, x), up_at(4, y->rad), MPFR_RNDU);
    mpfr_add(at(5), size_at(3, y), at(4), MPFR_RNDU);
    mpfr_mul(at(5), at(5), up_at(6, x->rad), MPFR_RNDU);
    mpfr_add(at(2), at(2), at(5), MPFR_RNDU);
    mpfr_add(at(2), at(2), half_at(1, b, rounded_mid(b)), MPFR_RNDU);
    mpfr_mul(at(5), up_at(3, x->mag), up_at(4, y->mag), MPFR_RNDU);
    return (struct want){ at(0), at(2), at(5), x->n + y->n + 1 };
}
/* The radius is (rx + |x/y| ry) / (|y| - ry) + h. */
static struct want of_quotient(const struct ball *b, const struct ball *x, const struct ball *y)
{
    mpfr_div(at(0), x->mid, y->mid, MPFR_RNDN);
    half_at(1, b, rounded_mid(b));
    mpfr_add(at(2), size_at(3, b), at(1), MPFR_RNDU);
    mpfr_mul(at(2), at(2), up_at(4, y->rad), MPFR_RNDU);
    mpfr_add(at(2), at(2), up_at(5, x->rad), MPFR_RNDU);
    mpfr_sub(at(6), size_at(3, y), at(4), MPFR_RNDD);
    mpfr_div(at(2), at(2), at(6), MPFR_RNDU);
    mpfr_add(at(2), at(2), at(1), MPFR_RNDU);
    mpfr_div(at(5), up_at(4, x->mag), at(3), MPFR_RNDU);
    return (struct want){ at(0), at(2), at(5), x->n + y->n + 1 };
}
static struct want same_but(const struct ball *x, mpfr_srcptr mid)
{
    return (struct want){ mid, up_at(2, x->rad), up_at(5, x->mag), x->n };
}
static struct want of_negative(const struct ball *b, const struct ball *x, const struct ball *y)
{
    (void)b, (void)y;
    return mpfr_neg(at(0), x->mid, MPFR_RNDN), same_but(x, at(0));
}
static struct want of_size(const struct ball *b, const struct ball *x, const struct ball *y)
{
    (void)b, (void)y;
    return mpfr_abs(at(0), x->mid, MPFR_RNDN), same_but(x, at(0));
}

/* Functions have one rounding, the magnitude of the result, and a count of one. */
static struct want function(const struct ball *b, mpfr_srcptr error)
{
    return mpfr_add(at(2), error, half_at(1, b, true), MPFR_RNDU), (struct want){ at(0), at(2), size_at(5, b), 1 };
}
/* The radius is (e^x + h) (e^rx - 1) + h. */
static struct want of_exp(const struct ball *b, const struct ball *x, const struct ball *y)
{
    (void)y;
    mpfr_exp(at(0), x->mid, MPFR_RNDN);
    mpfr_expm1(at(3), up_at(4, x->rad), MPFR_RNDU);
    mpfr_add(at(4), size_at(6, b), half_at(1, b, true), MPFR_RNDU);
    return mpfr_mul(at(3), at(3), at(4), MPFR_RNDU), function(b, at(3));
}
/* The radius is rx / (x - rx) + h. */
static struct want of_log(const struct ball *b, const struct ball *x, const struct ball *y)
{
    (void)y;
    mpfr_log(at(0), x->mid, MPFR_RNDN);
    mpfr_sub(at(3), x->mid, up_at(4, x->rad), MPFR_RNDD);
    return mpfr_div(at(3), at(4), at(3), MPFR_RNDU), function(b, at(3));
}
/* The radius is rx / (sqrt x - h) + h. */
static struct want of_sqrt(const struct ball *b, const struct ball *x, const struct ball *y)
{
    (void)y;
    mpfr_sqrt(at(0), x->mid, MPFR_RNDN);
    mpfr_sub(at(3), b->mid, half_at(1, b, true), MPFR_RNDD);
    return mpfr_div(at(3), up_at(4, x->rad), at(3), MPFR_RNDU), function(b, at(3));
}
static mpfr_ptr least(int k, mpfr_ptr x, double y)
{
    return mpfr_set_d(at(k), y, MPFR_RNDU), mpfr_min(at(k), at(k), x, MPFR_RNDU), at(k);
}
static struct want of_sin(const struct ball *b, const struct ball *x, const struct ball *y)
{
    (void)y;
    return mpfr_sin(at(0), x->mid, MPFR_RNDN), function(b, least(3, up_at(4, x->rad), 2));
}
static struct want of_cos(const struct ball *b, const struct ball *x, const struct ball *y)
{
    (void)y;
    return mpfr_cos(at(0), x->mid, MPFR_RNDN), function(b, least(3, up_at(4, x->rad), 2));
}

/* What an argument's radius does to a sine, whose cosine is `other`, and the reverse: rx min(|other| + rx/2, 1), at
 * most 2. */
static mpfr_srcptr turned(const struct ball *x, mpfr_ptr other)
{
    mpfr_abs(at(3), other, MPFR_RNDU);
    mpfr_div_ui(at(6), up_at(4, x->rad), 2, MPFR_RNDU);
    mpfr_add(at(3), at(3), at(6), MPFR_RNDU);
    mpfr_mul(at(3), least(7, at(3), 1), at(4), MPFR_RNDU);
    return least(8, at(3), 2);
}
static struct want of_sine(const struct ball *b, const struct ball *x, const struct ball *y)
{
    (void)y;
    return mpfr_sin_cos(at(0), at(9), x->mid, MPFR_RNDN), function(b, turned(x, at(9)));
}
static struct want of_cosine(const struct ball *b, const struct ball *x, const struct ball *y)
{
    (void)y;
    return mpfr_sin_cos(at(9), at(0), x->mid, MPFR_RNDN), function(b, turned(x, at(9)));
}
/* The radius is rx min((1 - |t| + rx) (1 + |t|), 1), at most 2. */
static struct want of_tanh(const struct ball *b, const struct ball *x, const struct ball *y)
{
    (void)y;
    mpfr_tanh(at(0), x->mid, MPFR_RNDN);
    mpfr_ui_sub(at(3), 1, size_at(6, b), MPFR_RNDU);
    mpfr_add(at(3), at(3), up_at(4, x->rad), MPFR_RNDU);
    mpfr_add(at(3), at(3), half_at(1, b, true), MPFR_RNDU);
    mpfr_add_ui(at(6), at(6), 1, MPFR_RNDU);
    mpfr_mul(at(3), at(3), at(6), MPFR_RNDU);
    mpfr_mul(at(3), least(7, at(3), 1), at(4), MPFR_RNDU);
    return function(b, least(8, at(3), 2));
}


static const struct operation {
    const char *name;
    const struct ball *(*two)(struct ask *, const struct ball *, const struct ball *),
        *(*one)(struct ask *, const struct ball *);
    formula *want;
    bool positive;  /* Is it asked of positive numbers only? */
    /* What the operation's own bound of its formula gives away for radii up to 1, beside the roundings. */
    double loose;
} operations[] = {
    { "add", b_add, NULL, of_sum, false, 0 },
    { "sub", b_sub, NULL, of_difference, false, 0 },
    { "mul", b_mul, NULL, of_product, false, 0 },
    { "div", b_div, NULL, of_quotient, false, 0 },
    { "neg", NULL, b_neg, of_negative, false, 0 },
    { "abs", NULL, b_abs, of_size, false, 0 },
    { "exp", NULL, b_exp, of_exp, false, 2e-5 },
    { "log", NULL, b_log, of_log, true, 0 },
    { "sqrt", NULL, b_sqrt, of_sqrt, true, 0 },
    { "sin", NULL, b_sin, of_sin, false, 0 },
    { "cos", NULL, b_cos, of_cos, false, 0 },
    { "sincos: sine", NULL, both_sin, of_sine, false, 0 },
    { "sincos: cosine", NULL, both_cos, of_cosine, false, 0 },
    { "tanh", NULL, b_tanh, of_tanh, false, 0 },
};

Test(radius, of_every_operation_is_its_formula)
{
    rooms(true);
    struct ask w = { .arith = &exact };
    for (const struct operation *o = operations; o < operations + sizeof operations / sizeof *operations; o++)
        for (int k = 0; k < 2000; k++) {
            ask_reset(&w, 64 + draw(100));
            struct ball *x = leaf(&w, k & 1), *y = leaf(&w, k & 2);
            if (o->loose > 0)
                x->rad = up_min(x->rad, up_d(1));
            if (o->positive)
                mpfr_abs(x->mid, x->mid, MPFR_RNDN);
            const struct ball *b = o->two ? o->two(&w, x, y) : o->one(&w, x);
            struct want want = o->want(b, x, y);
            mpfr_set(at(10), want.mid, MPFR_RNDN);
            mpfr_prec_round(at(10), mpfr_get_prec(b->mid), MPFR_RNDN);
            cr_assert(mpfr_equal_p(at(10), b->mid), "%s, case %d: not the nearest midpoint", o->name, k);
            mpfr_set_prec(at(10), BITS);
            within(o->name, b->rad, want.rad, loose + o->loose);
            within(o->name, b->mag, want.mag, loose);
            cr_assert(b->n == want.n, "%s: %g roundings, %g by its formula", o->name, b->n, want.n);
        }
    ask_clear(&w);
    rooms(false);
    balls_forget();
}

/* A ball made of a number holds it, has half a unit where the number was rounded and nothing where it was not, and the
 * number's own size. */
static void made_of(const struct ball *b, mpq_srcptr q, const char *how)
{
    mpfr_t far, most;
    mpfr_init2(far, BITS), mpfr_init2(most, BITS);
    mpfr_sub_q(far, b->mid, q, MPFR_RNDA);
    mpfr_abs(far, far, MPFR_RNDU);
    up_get(most, b->rad);
    cr_assert(mpfr_cmp(far, most) <= 0, "%s: the number lies outside", how);
    const mpfr_exp_t size = mpfr_regular_p(b->mid) ? mpfr_get_exp(b->mid) : 0;
    mpfr_set_ui_2exp(most, !mpfr_zero_p(far), size - mpfr_get_prec(b->mid) - 1, MPFR_RNDU);
    cr_assert(mpfr_zero_p(far) ? b->rad.m == 0 : b->rad.m > 0, "%s: a radius where nothing was rounded, or none", how);
    if (!mpfr_zero_p(far))
        within(how, b->rad, most, loose);
    mpfr_abs(most, b->mid, MPFR_RNDN);
    if (mpfr_zero_p(most))
        cr_assert(b->mag.m == 0, "%s: a size of 0", how);
    else
        within(how, b->mag, most, 0x1p-51);
    mpfr_clears(far, most, (mpfr_ptr)0);
}

Test(radius, of_numbers_that_are_taken_over)
{
    struct ask w = { .arith = &exact };
    mpq_t q;
    mpq_init(q);
    for (int k = 0; k < 4000; k++) {
        ask_reset(&w, 24 + draw(80));
        long n = draw(1L << (1 + draw(62))) * (draw(2) ? 1 : -1), d = 1 + draw(1L << (1 + draw(50)));
        if (k % 50 == 0)
            n = 0;
        mpq_set_si(q, n, 1);
        made_of(b_si(&w, n), q, "a whole number");
        mpq_set_si(q, n, (unsigned long)d);
        mpq_canonicalize(q);
        made_of(b_q(&w, q), q, "a rational");
        made_of(b_ratio(&w, n, d), q, "a quotient");
    }
    mpq_clear(q);
    ask_clear(&w);
}

/* What erf's own evaluation may be off by, into place 2: half a unit, and for each of its n terms and each unit of the
 * exponent x^2 some roundings at 40 bits more than the result; or 2^-prec, where erf is taken for 1. */
static void own_error_of_erf(const struct ball *b, const struct ball *x)
{
    const long prec = (long)mpfr_get_prec(b->mid), p = prec + 40;
    long n = 0;
    mpfr_sqr(at(3), x->mid, MPFR_RNDU);
    if (mpfr_cmp_si(at(3), prec + 4) > 0 || mpfr_zero_p(x->mid)) {
        mpfr_set_ui_2exp(at(2), !mpfr_zero_p(x->mid), -prec, MPFR_RNDU);
        return;
    }
    const double twice = 2 * mpfr_get_d(at(3), MPFR_RNDU);
    mpfr_set_ui(at(4), 1, MPFR_RNDN), mpfr_set_ui(at(5), 1, MPFR_RNDN);
    for (; 2 * n + 3 < 2 * twice || mpfr_get_exp(at(4)) > mpfr_get_exp(at(5)) - p; n++) {
        mpfr_mul(at(4), at(4), at(3), MPFR_RNDN), mpfr_mul_2ui(at(4), at(4), 1, MPFR_RNDN);
        mpfr_div_ui(at(4), at(4), (unsigned long)(2 * n + 3), MPFR_RNDN), mpfr_add(at(5), at(5), at(4), MPFR_RNDN);
    }
    mpfr_mul_2si(at(2), size_at(6, b), -p, MPFR_RNDU);
    mpfr_mul_si(at(2), at(2), 4 * n + (long)twice + 20, MPFR_RNDU);
    mpfr_add(at(2), at(2), half_at(1, b, true), MPFR_RNDU);
}

/* The radius of erf is that, and rx min(2/sqrt(pi) e^-(|x| - rx)^2, ..), at most 2. */
Test(radius, of_erf_is_its_formula)
{
    rooms(true);
    struct ask w = { .arith = &exact };
    for (int k = 0; k < 2000; k++) {
        ask_reset(&w, 64 + draw(100));
        struct ball *x = leaf(&w, k & 1);
        if (k % 50 == 0)
            mpfr_set_zero(x->mid, 1), x->rad = draw(2) ? up_d(ldexp(1, -(int)draw(50))) : (struct up){ 0, 0 };
        if (k % 9 == 0 && x->rad.m > 0)
            x->rad = up_mul(x->rad, up_d(ldexp(1, (int)draw(80))));
        if (k % 9 == 4)
            mpfr_sqrt_ui(x->mid, (unsigned long)w.prec + 3 + 2 * (unsigned long)draw(2), MPFR_RNDN);
        const struct ball *b = b_erf(&w, x);
        own_error_of_erf(b, x);
        mpfr_sub(at(3), size_at(4, x), up_at(5, x->rad), MPFR_RNDD);
        if (mpfr_sgn(at(3)) < 0)
            mpfr_set_zero(at(3), 1);
        mpfr_sqr(at(3), at(3), MPFR_RNDD), mpfr_neg(at(3), at(3), MPFR_RNDN), mpfr_exp(at(3), at(3), MPFR_RNDU);
        mpfr_mul_d(at(3), at(3), 1.12837916709552, MPFR_RNDU);
        mpfr_mul(at(3), at(3), at(5), MPFR_RNDU);
        mpfr_add(at(2), at(2), least(7, at(3), 2), MPFR_RNDU);
        if (mpfr_zero_p(at(2)))
            cr_assert(b->rad.m == 0 && mpfr_zero_p(b->mid), "erf 0 is 0");
        else
            within("erf", b->rad, at(2), 0x1p-38); /* The end of the ball, to 2^-51, times 2 x^2 in the exponent. */
        cr_assert(b->n == 1 && mpfr_sgn(b->mid) == mpfr_sgn(x->mid) && up_of(b->mid).m == b->mag.m);
    }
    ask_clear(&w);
    rooms(false);
    balls_forget();
}
