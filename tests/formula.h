/* Numbers of 400 bits for a second evaluation of bounds, the error of one rounding by its formula, and generated
 * formats, roundings and balls around the places where something happens.  For tests/bounds.c and tests/roundings.c. */
#ifndef TESTS_FORMULA_H
#define TESTS_FORMULA_H
#include <criterion/criterion.h>
#include <math.h>
#include "ball/stored.h"
#include "row/row.h"
#include "trial/trial.h"

enum { BITS = 400 };
/* An operation on `struct up` is off by at most 2^-50 of its result.  A sum of n of them may be off by n times that. */
static const double loose = 0x1p-41;
static uint64_t state;
static inline long draw(long n) { return (long)(gen_bits(31, 0, state++) % (uint64_t)n); }

/* A number of the second evaluation.  Its functions round up and answer their first argument. */
static inline mpfr_ptr power(mpfr_ptr y, long e) { return mpfr_set_ui_2exp(y, 1, e, MPFR_RNDU), y; }
static inline mpfr_ptr plus(mpfr_ptr y, mpfr_srcptr x) { return mpfr_add(y, y, x, MPFR_RNDU), y; }
static inline mpfr_ptr plus_up(mpfr_ptr y, struct up x)
{
    mpfr_t t;
    mpfr_init2(t, 64), up_get(t, x);
    return plus(y, t), mpfr_clear(t), y;
}
static inline mpfr_ptr plus_power(mpfr_ptr y, double times, long e) /* y + times 2^e */
{
    mpfr_t t;
    mpfr_init2(t, BITS);
    mpfr_mul_d(t, power(t, e), times, MPFR_RNDU);
    return plus(y, t), mpfr_clear(t), y;
}

static inline void raise_by(mpfr_ptr y, mpfr_srcptr x, double more) { mpfr_mul_d(y, x, 1 + more, MPFR_RNDU); }

/* Which values a format has, found by rounding to it, not by comparing its parameters. */
static inline bool has(const struct format *f, double frac, long e)
{
    mpfr_t x;
    mpfr_init2(x, BITS);
    mpfr_set_d(x, frac, MPFR_RNDN);
    mpfr_mul_2si(x, x, e, MPFR_RNDN);
    const bool kept = round_to(x, f) == 0 && mpfr_number_p(x);
    return mpfr_clear(x), kept;
}
/* Is the smallest number of `from` a number of `to`? */
static inline bool fine(const struct format *to, const struct format *from)
{ return from && has(to, 1, from->emin - from->p + 1); }
static inline bool inside(const struct format *to, const struct format *from)
{ return fine(to, from) && has(to, 2 - ldexp(1, 1 - from->p), 0) && has(to, 1, from->emax); }

static inline bool beyond(const struct format *f, mpfr_srcptr x) /* Is x above the largest number of f? */
{
    mpfr_t t;
    mpfr_init2(t, BITS);
    mpfr_mul_d(t, power(t, f->emax), 2 - ldexp(1 + f->gone, 1 - f->p), MPFR_RNDN);
    const bool above = mpfr_cmp(x, t) > 0;
    return mpfr_clear(t), above;
}

/* The binade of x as a rounding to f sees it: subnormals share one. */
static inline long binade_of(const struct format *f, mpfr_srcptr x)
{ return mpfr_zero_p(x) || mpfr_get_exp(x) - 1 < f->emin ? f->emin : (long)mpfr_get_exp(x) - 1; }

/* y becomes the error of one rounding of a value up to `top`: ulps half-ulps of its binade and the absolute error. */
static inline void once(mpfr_ptr y, const struct rounding *r, mpfr_srcptr top)
{
    const long e = binade_of(r->f, top);
    if (!mpfr_number_p(top) || beyond(r->f, top)) {
        mpfr_set_inf(y, 1);
        return;
    }
    mpfr_set_zero(y, 1);
    plus_power(y, r->ulps, e - r->f->p);
    plus_power(y, r->absolute, 0);
}

/* Expects least <= got <= most (1 + loose). */
static inline void between(const char *what, int k, struct up got, mpfr_srcptr least, mpfr_srcptr most)
{
    mpfr_t x, top;
    mpfr_init2(x, 64), mpfr_init2(top, BITS);
    up_get(x, got);
    mpfr_mul_d(top, most, 1 + loose, MPFR_RNDU);
    const bool above = mpfr_cmp(x, least) >= 0, near = mpfr_cmp(x, top) <= 0;
    mpfr_div(top, x, least, MPFR_RNDN);
    const double ratio = mpfr_get_d(top, MPFR_RNDN);
    mpfr_clears(x, top, (mpfr_ptr)0);
    cr_assert(above && near, "%s, case %d: %.17g is %.17g of its formula", what, k, up_double(got), ratio);
}

static inline double real(long e) { return ldexp(0.5 + ldexp((double)draw(1L << 52), -53), (int)e); }
/* A binade where something happens: around the smallest subnormal, around 2^emin, at 1, or near the largest number. */
static inline long binade(const struct format *f)
{
    const long at[] = { f->emin - f->p, f->emin, 0, f->emax - 2 }, near[] = { 3, 6, 2, 5 }, k = draw(4);
    return at[k] + draw(2 * near[k] + 1) - near[k];
}

static inline const struct format *any_format(void) { return &formats[draw(FORMATS)]; }
static inline struct rounding any_rounding(void)
{
    static const double ulps[] = { 1, 1, 1, 1, 2, 3.5, 64 };
    struct rounding r = { .f = any_format() };
    r.ulps = ulps[draw(7)];
    if (draw(4) == 0)
        r.absolute = real(lround(fmax(-999, fmin(binade(r.f), 999)))); /* The reader of words takes no others. */
    return r;
}

/* A ball of which one end lies where roundings to f part, but for less than its midpoint or its radius have bits. */
static inline void at_a_boundary(struct ball *b, const struct format *f)
{
    mpfr_t at, r;
    mpfr_init2(at, BITS), mpfr_init2(r, 64);
    mpfr_set_si_2exp(at, 2 * (1 + draw(1L << f->p)) + 1, draw(2) ? -f->p : f->emin - f->p, MPFR_RNDN);
    b->rad = up_mul((struct up){ 0.5 + ldexp((double)draw(1L << 52), -53), mpfr_get_exp(at) - 1 - draw(60) }, up_d(1));
    up_get(r, b->rad);
    if (draw(3) == 0)
        mpfr_mul_d(r, r, 1 + ldexp(draw(2) ? 1 : -1, -(int)draw(24) - 24), MPFR_RNDN);
    draw(2) ? mpfr_add(b->mid, at, r, MPFR_RNDN) : mpfr_sub(b->mid, at, r, MPFR_RNDN);
    if (draw(2))
        mpfr_neg(b->mid, b->mid, MPFR_RNDN);
    b->mag = up_of(b->mid);
    mpfr_clears(at, r, (mpfr_ptr)0);
}

/* A midpoint near a binade where something happens, of few bits or of more than a double has, and a radius smaller than
 * it, larger, or none. */
static inline struct ball *any_ball(struct ask *w, const struct format *f)
{
    struct ball *b = (struct ball *)b_widen(w, b_si(w, 0), (struct up){ 0, 0 });
    const long kind = draw(12);
    mpfr_set_d(b->mid, kind == 0 ? 0 : draw(3) ? real(0) : ldexp((double)(1 + draw(1L << 7)), -8), MPFR_RNDN);
    if (draw(3) == 0 && kind)
        mpfr_add_d(b->mid, b->mid, draw(3) ? real(-54 - draw(20)) : 0x1p-54, MPFR_RNDN);
    mpfr_mul_2si(b->mid, b->mid, binade(f), MPFR_RNDN);
    if (draw(2))
        mpfr_neg(b->mid, b->mid, MPFR_RNDN);
    if (kind == 1)
        mpfr_set_inf(b->mid, draw(2) ? 1 : -1);
    if (kind == 2) /* Just below, at, or just above where the largest number ends. */
        mpfr_set_d(b->mid, draw(2) ? 1 - ldexp(1, -f->p - 1) : 1 - ldexp(1, -f->p - 2), MPFR_RNDN),
            mpfr_mul_2si(b->mid, b->mid, f->emax + 1, MPFR_RNDN);
    if (kind == 3 && draw(2)) {
        b = (struct ball *)b_nan(w);
        b_becomes(b, any_format());
        return b;
    }
    b->mag = up_of(b->mid), b->n = (double)draw(9), b->id = 1 + (unsigned)draw(9);
    if (kind == 4)
        at_a_boundary(b, f);
    else if (draw(2) && kind > 2)
        b->rad = up_mul(up_of(b->mid), up_d(ldexp(1 + (double)draw(1000) / 1024, -(int)draw(70))));
    else if (draw(8) == 0)
        b->rad = draw(2) ? up_inf() : up_2exp(up_d(real(0)), binade(f));
    b_becomes(b, draw(2) ? any_format() : NULL);
    return b;
}
#endif
