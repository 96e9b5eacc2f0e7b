/* The bounds of roundings and of sums (ref/core/ball/round.c, tensor.c) against a second evaluation: the formulas that
 * stand beside them, from the exact terms, in 400 bits.  A bound never lies below its formula, which is the proof that
 * honest arithmetic stays inside, nor above it by more than the roundings of its own doubles: so that a term dropped,
 * doubled or added is seen on either side.  Terms have every size from the smallest subnormal to the largest number. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "ball/adverse.h"
#include "ball/stored.h"
#include "ball/trace.h"
#include "row/row.h"
#include "trial/trial.h"

enum { BITS = 400, TERMS = 240 };
/* An operation on `struct up` is off by at most 2^-50 of its result.  A sum of n of them may be off by n times that. */
static const double loose = 0x1p-41;
static uint64_t state;
static long draw(long n) { return (long)(gen_bits(31, 0, state++) % (uint64_t)n); }

/* A number of the second evaluation.  Its functions round up and answer their first argument. */
static mpfr_ptr power(mpfr_ptr y, long e) { return mpfr_set_ui_2exp(y, 1, e, MPFR_RNDU), y; }
static mpfr_ptr plus(mpfr_ptr y, mpfr_srcptr x) { return mpfr_add(y, y, x, MPFR_RNDU), y; }
static mpfr_ptr plus_up(mpfr_ptr y, struct up x)
{
    mpfr_t t;
    mpfr_init2(t, 64), up_get(t, x);
    return plus(y, t), mpfr_clear(t), y;
}
static mpfr_ptr plus_power(mpfr_ptr y, double times, long e) /* y + times 2^e */
{
    mpfr_t t;
    mpfr_init2(t, BITS);
    mpfr_mul_d(t, power(t, e), times, MPFR_RNDU);
    return plus(y, t), mpfr_clear(t), y;
}

/* Which values a format has, found by rounding to it, not by comparing its parameters. */
static bool has(const struct format *f, double frac, long e)
{
    mpfr_t x;
    mpfr_init2(x, BITS);
    mpfr_set_d(x, frac, MPFR_RNDN);
    mpfr_mul_2si(x, x, e, MPFR_RNDN);
    const bool kept = round_to(x, f) == 0 && mpfr_number_p(x);
    return mpfr_clear(x), kept;
}
/* Is the smallest number of `from` a number of `to`? */
static bool fine(const struct format *to, const struct format *from)
{ return from && has(to, 1, from->emin - from->p + 1); }
static bool inside(const struct format *to, const struct format *from)
{ return fine(to, from) && has(to, 2 - ldexp(1, 1 - from->p), 0) && has(to, 1, from->emax); }

static bool beyond(const struct format *f, mpfr_srcptr x) /* Is x above the largest number of f? */
{
    mpfr_t t;
    mpfr_init2(t, BITS);
    mpfr_mul_d(t, power(t, f->emax), 2 - ldexp(1, 1 - f->p), MPFR_RNDN);
    const bool above = mpfr_cmp(x, t) > 0;
    return mpfr_clear(t), above;
}

/* The binade of x as a rounding to f sees it: subnormals share one. */
static long binade_of(const struct format *f, mpfr_srcptr x)
{ return mpfr_zero_p(x) || mpfr_get_exp(x) - 1 < f->emin ? f->emin : (long)mpfr_get_exp(x) - 1; }

/* y becomes the error of one rounding of a value up to `top`: ulps half-ulps of its binade and the absolute error. */
static void once(mpfr_ptr y, const struct rounding *r, mpfr_srcptr top)
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

/* One sum.  more: by how much, relatively, magnitudes are taken larger where they decide a binade: 0 for the least
 * bound that is proved, and a little for the most that roundings of doubles can make of it. */
struct sum {
    const struct arith *a;
    const struct rounding *r;
    const struct summand *t;
    long n;
    bool scaled;
    double more;
};

static void raise_by(mpfr_ptr y, mpfr_srcptr x, double more) { mpfr_mul_d(y, x, 1 + more, MPFR_RNDU); }
static void size_of(mpfr_ptr y, const struct summand *t) { mpfr_set_d(y, fabs(t->mid), MPFR_RNDU), plus_up(y, t->rad); }
static bool nothing(const struct summand *t) { return t->mid == 0 && t->rad.m == 0; }

/* What term k loses where it joins an accumulator, whose partial sum is up to `top` then. */
static void join(mpfr_ptr y, const struct sum *s, long k, mpfr_srcptr top, bool first)
{
    const struct rounding *r = s->r;
    const struct summand *t = &s->t[k];
    const bool nearest = r->ulps <= 1 && r->absolute == 0, other = t->f && !inside(r->f, t->f) && !first;
    mpfr_t size, high;
    mpfr_inits2(BITS, size, high, (mpfr_ptr)0);
    mpfr_set_zero(y, 1);
    size_of(size, t);
    raise_by(high, size, s->more);
    if (other && !s->scaled)
        once(y, r, high);
    else if (other)
        mpfr_mul_d(y, size, ldexp(r->ulps, -r->f->p), MPFR_RNDU);
    raise_by(high, top, s->more);
    if (!(first && inside(r->f, t->f))) {
        if (s->scaled)
            mpfr_mul_d(high, top, ldexp(r->ulps, -r->f->p), MPFR_RNDU);
        else if (nearest && mpfr_cmp(high, power(size, r->f->emin + 1)) < 0 && (fine(r->f, t->f) || other))
            mpfr_set_zero(high, 1); /* Sums of multiples of the smallest subnormal are exact there. */
        else
            mpfr_set(size, high, MPFR_RNDU), once(high, r, size);
        plus(y, high);
    }
    mpfr_clears(size, high, (mpfr_ptr)0);
}

/* Adds the errors of accumulator l to y and its final magnitude to all. */
static void lane(mpfr_ptr y, mpfr_ptr all, const struct sum *s, long l)
{
    mpfr_t off, top, e;
    double at = 0;
    bool first = true;
    mpfr_inits2(BITS, off, top, e, (mpfr_ptr)0);
    mpfr_set_zero(off, 1), mpfr_set_zero(top, 1);
    for (long k = l; k < s->n; k += s->r->lanes)
        if (!nothing(&s->t[k])) {
            at += s->t[k].mid;
            plus_power(plus_up(off, s->t[k].rad), fabs(at), -53);
            mpfr_add_d(top, off, fabs(at), MPFR_RNDU);
            join(e, s, k, top, first);
            plus(y, e), plus(off, e), plus(top, e);
            first = false;
        }
    plus(all, top);
    mpfr_clears(off, top, e, (mpfr_ptr)0);
}

/* y becomes the bound of a sum: what is lost absolutely, and (T + lost) (e^(u height) - 1). */
static void bound(mpfr_ptr y, const struct sum *s)
{
    const struct rounding *r = s->r;
    const bool nearest = r->ulps <= 1 && r->absolute == 0;
    long terms = 0, coarse = 0, height, foreign = 0;
    mpfr_t all, lost, each;
    mpfr_inits2(BITS, all, lost, each, (mpfr_ptr)0);
    mpfr_set_zero(y, 1), mpfr_set_zero(all, 1), mpfr_set_zero(lost, 1), mpfr_set_zero(each, 1);
    for (long k = 0; k < s->n; k++)
        if (!nothing(&s->t[k])) {
            terms++, coarse += !fine(r->f, s->t[k].f), foreign |= !inside(r->f, s->t[k].f);
            if (!r->lanes)
                size_of(each, &s->t[k]), plus(all, each);
        }
    for (long l = 0; l < r->lanes && l < s->n; l++)
        lane(y, all, s, l);
    if (r->lanes) /* The balanced tree over the accumulators. */
        height = (long)ceil(log2((double)(r->lanes < s->n ? r->lanes : s->n))), coarse = s->scaled ? coarse : 0;
    else
        height = (long)fmin(r->height ? r->height : INFINITY, fmax((double)terms - 1, 0)) + foreign;
    coarse += (s->scaled || !nearest ? terms : 0) + (r->absolute > 0 ? terms : 0);
    plus_power(plus_power(lost, (double)coarse * r->ulps, r->f->emin - r->f->p), (double)coarse * r->absolute, 0);
    if (s->a->ftz)
        plus_power(lost, (double)terms, r->f->emin);
    const double x = (double)height * ldexp(r->ulps, -r->f->p);
    mpfr_set_d(each, x, MPFR_RNDU);
    mpfr_expm1(each, each, MPFR_RNDU);
    if (s->more > 0) /* up_expm1 takes 0.17 for the third coefficient 1/6. */
        raise_by(each, each, 0.004 * x * x);
    plus(plus(y, lost), (mpfr_add(all, all, lost, MPFR_RNDU), mpfr_mul(each, each, all, MPFR_RNDU), each));
    mpfr_sub(all, all, lost, MPFR_RNDU);
    raise_by(all, plus(all, y), s->more);
    if (!mpfr_number_p(all) || beyond(r->f, all))
        mpfr_set_inf(y, 1);
    mpfr_clears(all, lost, each, (mpfr_ptr)0);
}

/* Adds the error of a matrix unit's block of c terms from t[k] on to y; *at and off are the accumulator and how far it
 * may be from it. */
static void block(mpfr_ptr y, const struct sum *s, long k, long c, double *at, mpfr_ptr off)
{
    const struct rounding *r = s->r;
    const int fraction = r->fraction ? r->fraction : r->f->p - 1,
              bits = fraction < r->f->p - 1 ? fraction + 1 : r->f->p;
    mpfr_t most, top, t, cut;
    mpfr_inits2(BITS, most, top, t, cut, (mpfr_ptr)0);
    mpfr_add_d(most, off, fabs(*at), MPFR_RNDU), mpfr_set(top, most, MPFR_RNDU);
    long cuts = !mpfr_zero_p(most);
    for (long j = k; j < k + c; j++) {
        size_of(t, &s->t[j]);
        cuts += !mpfr_zero_p(t), plus(top, t), mpfr_max(most, most, t, MPFR_RNDU);
        *at += s->t[j].mid;
        plus_power(plus_up(off, s->t[j].rad), fabs(*at), -53);
    }
    if (!mpfr_number_p(most))
        mpfr_set_inf(y, 1), mpfr_set_inf(off, 1);
    else if (!mpfr_zero_p(most)) {
        raise_by(most, most, s->more);
        power(cut, binade_of(r->f, most) - fraction);
        if (s->scaled)
            mpfr_mul_2si(t, most, -fraction, MPFR_RNDU), mpfr_max(cut, cut, t, MPFR_RNDU);
        mpfr_mul_si(cut, cut, cuts, MPFR_RNDU);
        mpfr_add(t, off, cut, MPFR_RNDU), mpfr_add_d(t, t, fabs(*at), MPFR_RNDU); /* The result is at most this. */
        mpfr_min(t, t, top, MPFR_RNDU), raise_by(t, t, s->more);
        if (s->scaled)
            plus_power(cut, 1, r->f->emin - bits + 1), plus(cut, (mpfr_mul_2si(t, t, 1 - bits, MPFR_RNDU), t));
        else
            plus_power(cut, 1, binade_of(r->f, t) - bits + 1);
        plus(y, cut), plus(off, cut);
    }
    mpfr_clears(most, top, t, cut, (mpfr_ptr)0);
}

static void unit_bound(mpfr_ptr y, const struct sum *s)
{
    const long size = s->scaled ? 1 : s->r->block;
    mpfr_t off;
    double at = 0;
    mpfr_init2(off, BITS);
    mpfr_set_zero(y, 1), mpfr_set_zero(off, 1);
    for (long k = 0; k < s->n; k += size) {
        block(y, s, k, k + size < s->n ? size : s->n - k, &at, off);
        for (long j = 0; s->a->ftz && j <= size; j++)
            plus_power(y, 1, s->r->f->emin), plus_power(off, 1, s->r->f->emin);
    }
    mpfr_add_d(off, off, fabs(at), MPFR_RNDU), raise_by(off, off, s->more);
    if (!mpfr_number_p(off) || beyond(s->r->f, off))
        mpfr_set_inf(y, 1);
    mpfr_clear(off);
}

/* Expects least <= got <= most (1 + loose). */
static void between(const char *what, int k, struct up got, mpfr_srcptr least, mpfr_srcptr most)
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

static double real(long e) { return ldexp(0.5 + ldexp((double)draw(1L << 52), -53), (int)e); }
/* A binade where something happens: around the smallest subnormal, around 2^emin, at 1, or near the largest number. */
static long binade(const struct format *f)
{
    const long at[] = { f->emin - f->p, f->emin, 0, f->emax - 2 }, near[] = { 3, 6, 2, 5 }, k = draw(4);
    return at[k] + draw(2 * near[k] + 1) - near[k];
}

static const struct format *any_format(void) { return &formats[draw(FORMATS)]; }
static struct rounding any_rounding(void)
{
    static const double ulps[] = { 1, 1, 1, 1, 2, 3.5, 64 };
    struct rounding r = { .f = any_format() };
    r.ulps = ulps[draw(7)];
    if (draw(4) == 0)
        r.absolute = real(lround(fmax(-999, fmin(binade(r.f), 999)))); /* The reader of words takes no others. */
    return r;
}

/* Terms around one binade, or of any; of one format, of any, or of none; some are 0, some balls; or a long chain whose
 * partial sums round on: 1, halves of its last place, and then less, so that the sum as a double says a binade less
 * than the true one may have. */
static long fill(struct summand *t, const struct rounding *r)
{
    const long n = draw(8) ? 1 + draw(20) : 180 + draw(TERMS - 180), chain = draw(3) == 0;
    long e = binade(r->f), lost = draw(3 * n), kind = draw(4), signs = draw(3);
    const struct format *of = draw(3) ? any_format() : NULL;
    for (long k = 0; k < n; k++) {
        if (kind == 0)
            e = binade(r->f), of = draw(3) ? any_format() : NULL;
        const double x = chain ? k == 0 ? 1 : k < n - 1 ? 0x1p-53 : -0x1p-53 * (double)lost : real(0);
        /* As b_summand makes them: no midpoint is a subnormal, and none is beyond 2^1000. */
        t[k] = (struct summand){ e < -940 ? 0 : e > 1000 ? (double)INFINITY : ldexp(x, (int)e), { 0, 0 }, of };
        if (e < -940 && x != 0)
            t[k].rad = up_2exp(up_d(fabs(x)), e);
        if (!chain && (signs == 2 || (signs && draw(2))))
            t[k].mid = -t[k].mid;
        if (!chain && !draw(4))
            t[k].rad = up_add(t[k].rad, up_2exp(up_d(x), e - draw(60)));
        if (!chain && !draw(10))
            t[k].mid = 0, t[k].rad = draw(2) ? t[k].rad : (struct up){ 0, 0 };
    }
    return n;
}

Test(bounds, of_every_sum_are_their_formula)
{
    static struct summand t[TERMS];
    mpfr_t least, most;
    mpfr_inits2(BITS, least, most, (mpfr_ptr)0);
    for (int k = 0; k < 2500; k++) {
        struct arith a = { .how = WIDEN, .ftz = draw(3) == 0 };
        struct ask w = { .arith = &a };
        struct rounding r = any_rounding();
        const long way = draw(4), n = fill(t, &r), scaled = draw(4) == 0;
        r.height = way == 1 ? 1 + (int)draw(2 * n) : 0, r.lanes = way >= 2 ? 1 + (int)draw(18) : 0;
        a.at[0] = r, a.at[0].every = r.ulps > 1 && draw(4) == 0;
        r.ulps = a.at[0].every ? 1 : r.ulps;
        struct sum s = { &a, &r, t, n, scaled, 0 };
        bound(least, &s), s.more = 0x1p-48, bound(most, &s);
        between(way >= 2 ? "lanes" :
                way      ? "a tree of a height" :
                           "any tree",
            k, sum_error(&w, 0, t, n, scaled), least, most);
        r = any_rounding(), r.ulps = 1, r.absolute = 0;
        r.block = 1 + (int)draw(9), r.fraction = draw(2) ? 1 + (int)draw(r.f->p + 8) : 0;
        a.at[0] = r;
        s.more = 0, unit_bound(least, &s), s.more = 0x1p-48, unit_bound(most, &s);
        between("a matrix unit", k, sum_error(&w, 0, t, n, scaled), least, most);
        a.how = draw(2) ? EXACT : ROUND;
        cr_assert(sum_error(&w, 0, t, n, scaled).m == 0, "only a profile widens");
        a.how = WIDEN, a.at[0].f = NULL;
        cr_assert(sum_error(&w, 0, t, n, scaled).m == 0, "only a step that rounds widens");
    }
    mpfr_clears(least, most, (mpfr_ptr)0);
}

/* In a chain whose partial sums as doubles are all rounded down by half a unit, the true sum may lie in the binade
 * above the one that is seen.  The bound follows the true one, and no more than that. */
Test(bounds, of_long_chains_see_the_true_binade)
{
    static struct summand t[TERMS];
    mpfr_t least, most;
    mpfr_inits2(BITS, least, most, (mpfr_ptr)0);
    for (int k = 0; k < 400; k++) {
        struct arith a = { .how = WIDEN, .at = { { .f = &formats[k % FORMATS], .ulps = 1, .lanes = 1 } } };
        struct ask w = { .arith = &a };
        for (long j = 0; j < TERMS; j++)
            t[j] = (struct summand){ j == 0 ? 1 :
                    j < TERMS - 1           ? 0x1p-53 :
                                              -0x1p-53 * (double)(k * 2),
                { 0, 0 }, NULL };
        struct sum s = { &a, &a.at[0], t, TERMS, false, 0 };
        bound(least, &s), s.more = 0x1p-48, bound(most, &s);
        between("a chain", k, sum_error(&w, 0, t, TERMS, false), least, most);
    }
    mpfr_clears(least, most, (mpfr_ptr)0);
}

/* A ball of which one end lies where roundings to f part, but for less than its midpoint or its radius have bits. */
static void at_a_boundary(struct ball *b, const struct format *f)
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
static struct ball *any_ball(struct ask *w, const struct format *f)
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

/* Puts into y what a profile adds to the radius of x for one rounding by r; `top`: the magnitude that is rounded. */
static void one_rounding(mpfr_ptr y, const struct arith *a, const struct rounding *r, mpfr_srcptr top)
{
    mpfr_t flushed;
    once(y, r, top);
    if (!a->ftz)
        return;
    /* The result, which lies below 2^emin, is what becomes 0: the value may be above by what the rounding is off. */
    mpfr_init2(flushed, BITS);
    power(flushed, r->f->emin);
    r->ulps > 2 ? plus(flushed, y) : plus_power(flushed, r->absolute, 0);
    mpfr_max(y, y, flushed, MPFR_RNDU);
    mpfr_clear(flushed);
}

static void top_of(mpfr_ptr y, const struct ball *x)
{
    mpfr_abs(y, x->mid, MPFR_RNDU);
    mpfr_set_zero(y, 1), plus(y, x->mid), mpfr_abs(y, y, MPFR_RNDU), plus_up(y, x->rad);
}

/* Is x an exact number that the format holds? */
static bool held(const struct ball *x, const struct format *f)
{
    mpfr_t y;
    mpfr_init2(y, BITS);
    mpfr_set(y, x->mid, MPFR_RNDN);
    const bool same = x->rad.m == 0 && (mpfr_inf_p(y) || round_to(y, f) == 0) && mpfr_equal_p(y, x->mid);
    return mpfr_clear(y), same;
}

/* Expects y to be x, of the same number, and a radius larger by one rounding by r, unless it stays. */
static void widened(const char *what, int k, const struct arith *a, const struct rounding *r, const struct ball *x,
    struct up before, const struct ball *y)
{
    mpfr_t top, most;
    mpfr_inits2(BITS, top, most, (mpfr_ptr)0);
    const bool stays = r->ulps <= 1 && r->absolute == 0 && !a->ftz && held(x, r->f);
    if (mpfr_nan_p(x->mid)) {
        cr_assert(mpfr_nan_p(y->mid) && y->rad.m == 0, "%s, case %d: a number of none", what, k);
        return;
    }
    cr_assert(mpfr_equal_p(x->mid, y->mid) && y->n == x->n && y->mag.m == x->mag.m && y->mag.e == x->mag.e,
        "%s, case %d: another number", what, k);
    cr_assert(b_is(y) == r->f && (y->id == 0 || stays), "%s, case %d: its format or its name", what, k);
    mpfr_set_zero(most, 1), mpfr_set_zero(top, 1);
    struct ball old = *x;
    old.rad = before;
    top_of(top, &old);
    if (!stays)
        one_rounding(most, a, r, top);
    plus_up(most, before);
    raise_by(top, top, 0x1p-50); /* The magnitude is bounded by a double, which may say the next binade. */
    mpfr_t higher;
    mpfr_init2(higher, BITS), mpfr_set_zero(higher, 1);
    if (!stays)
        one_rounding(higher, a, r, top);
    plus_up(higher, before);
    between(what, k, y->rad, most, higher);
    mpfr_clears(top, most, higher, (mpfr_ptr)0);
}

Test(bounds, of_every_rounding_are_their_formula)
{
    for (int k = 0; k < 20000; k++) {
        struct arith a = { .how = WIDEN, .ftz = draw(3) == 0 };
        struct ask w = { .arith = &a };
        a.at[0] = any_rounding();
        ask_reset(&w, 64 + draw(100));
        struct ball *x = any_ball(&w, a.at[0].f);
        const struct rounding *r = &a.at[0], fitting = { .f = r->f, .ulps = 1 };
        const struct up before = x->rad;
        widened("a step", k, &a, r, x, before, b_step(&w, 0, x));
        widened("a constant", k, &a, r, x, before, b_held(&w, 0, x));
        if (mpfr_number_p(x->mid) && !(b_is(x) && inside(r->f, b_is(x))))
            widened("a store", k, &a, &fitting, x, before, b_store(&w, r->f, x));
        else
            cr_assert(b_store(&w, r->f, x) == x, "case %d: what the output holds is stored as it is", k);
        struct ball old = *x; /* The number that it was, whose midpoint stays where it is. */
        const struct ball *own = b_step_own(&w, 0, x);
        cr_assert(own == x, "in its place");
        widened("a step in its place", k, &a, r, &old, before, own);
        ask_clear(&w);
    }
}

/* What pages ask about a step: its relative error, its absolute error, its format, and twice its least normal number;
 * and nothing of a step that does not round or of an arithmetic that is no profile. */
Test(bounds, of_a_step_are_what_its_word_says)
{
    mpfr_t top, want, more;
    mpfr_inits2(BITS, top, want, more, (mpfr_ptr)0);
    for (int k = 0; k < 3000; k++) {
        struct arith a = { .how = WIDEN, .ftz = draw(3) == 0 };
        struct ask w = { .arith = &a };
        const struct rounding r = a.at[3] = any_rounding();
        const struct up at = { 0.5 + ldexp((double)draw(1L << 52), -53), binade(r.f) };
        between(
            "half-ulps", k, b_unit(&w, 3), mpfr_set_d(want, r.ulps * ldexp(1, -r.f->p), MPFR_RNDU) ? want : want, want);
        cr_assert(up_double(b_absolute(&w, 3)) == r.absolute && b_format(&w, 3) == r.f);
        between("the smallest", k, b_smallest(&w, 3), power(want, r.f->emin + 1), want);
        up_get(top, at), one_rounding(want, &a, &r, top);
        between("one rounding", k, b_rounding(&w, 3, at), want, want);
        cr_assert(b_rounds(&w, 3, 3) && b_rounds(&w, 0, 3) && b_rounds(&w, 3, 9) && !b_rounds(&w, 0, 2) &&
            !b_rounds(&w, 4, 9));
        for (int how = EXACT; how <= WIDEN; how++) {
            const int s = how == WIDEN ? 2 : 3; /* Step 2 does not round. */
            a.how = (enum how)how;
            cr_assert(b_unit(&w, s).m == 0 && b_absolute(&w, s).m == 0 && b_smallest(&w, s).m == 0 &&
                !b_format(&w, s) && b_rounding(&w, s, at).m == 0 && b_rounds(&w, 0, 9) == (how != EXACT));
        }
    }
    mpfr_clears(top, want, more, (mpfr_ptr)0);
}

/* The ends of x as a contract sees them: at the precision of the ask, rounded outward, then each to the format. */
static bool ends(mpfr_ptr lo, mpfr_ptr hi, const struct ball *x, mpfr_prec_t prec, const struct format *f)
{
    mpfr_t r;
    mpfr_init2(r, 64), up_get(r, x->rad);
    mpfr_set_prec(lo, prec), mpfr_set_prec(hi, prec);
    mpfr_sub(lo, x->mid, r, MPFR_RNDD), mpfr_add(hi, x->mid, r, MPFR_RNDU);
    round_to(lo, f), round_to(hi, f);
    return mpfr_clear(r), mpfr_equal_p(lo, hi) != 0;
}

/* Expects y to be what a contract makes of x: its rounding, or the hull of the roundings of both its ends. */
static void contracted(int k, struct ask *w, const struct format *f, const struct ball *x, const struct ball *y)
{
    mpfr_t lo, hi, got;
    if (mpfr_nan_p(x->mid)) {
        cr_assert(mpfr_nan_p(y->mid) && y->rad.m == 0 && !w->undecided, "case %d: a number of none", k);
        return;
    }
    const mpfr_prec_t prec = mpfr_get_prec(x->mid) > w->prec ? mpfr_get_prec(x->mid) : w->prec;
    mpfr_init2(lo, prec), mpfr_init2(hi, prec), mpfr_init2(got, 64);
    const bool agree = ends(lo, hi, x, prec, f);
    cr_assert_eq(w->undecided, !agree, "case %d", k);
    if (mpfr_nan_p(lo))
        cr_assert(isinf(y->rad.m) && mpfr_zero_p(y->mid) && isinf(y->mag.m), "case %d: not the whole line", k);
    else {
        mpfr_sub(hi, hi, lo, MPFR_RNDU), up_get(got, y->rad);
        cr_assert(mpfr_equal_p(y->mid, lo) && b_is(y) == f, "case %d: the lower end", k);
        cr_assert(agree ? y->rad.m == 0 : !mpfr_number_p(hi) ? isinf(y->rad.m) : mpfr_cmp(got, hi) >= 0, "case %d", k);
        cr_assert(agree || !mpfr_number_p(hi) || (mpfr_mul_d(hi, hi, 1 + loose, MPFR_RNDU), mpfr_cmp(got, hi) <= 0));
        cr_assert(up_of(lo).m == y->mag.m && up_of(lo).e == y->mag.e, "case %d: its size", k);
    }
    mpfr_clears(lo, hi, got, (mpfr_ptr)0);
}

Test(bounds, of_a_contract_are_the_roundings_of_both_ends)
{
    for (int k = 0; k < 10000; k++) {
        struct arith a = { .how = ROUND, .ftz = draw(3) == 0 };
        struct ask w = { .arith = &a };
        a.at[0] = any_rounding();
        ask_reset(&w, 64 + draw(100));
        const struct ball *x = any_ball(&w, a.at[0].f);
        contracted(k, &w, a.at[0].f, x, b_step(&w, 0, x)), w.undecided = false;
        contracted(k, &w, a.at[0].f, x, b_step_own(&w, 0, x)), w.undecided = false;
        contracted(k, &w, a.at[0].f, x, b_stored(&w, &a.at[0], x)), w.undecided = false;
        if (mpfr_number_p(x->mid) && !(b_is(x) && inside(a.at[0].f, b_is(x))))
            contracted(k, &w, a.at[0].f, x, b_store(&w, a.at[0].f, x));
        a.how = EXACT;
        cr_assert(b_step(&w, 0, x) == x && b_step_own(&w, 0, x) == x && b_store(&w, a.at[0].f, x) == x);
        ask_clear(&w);
    }
}

/* An adverse arithmetic rounds at every step, the first one too, but not where an input or an output is stored. */
Test(bounds, of_an_adverse_arithmetic_are_its_own_roundings)
{
    for (int k = 0; k < 3000; k++) {
        struct adverse adverse = { .way = { UPWARD, DOWNWARD } };
        struct arith a = { .how = ROUND, .adverse = &adverse };
        struct ask w = { .arith = &a };
        const struct format *f = any_format();
        a.at[0] = a.at[1] = (struct rounding){ .f = f, .ulps = 2 };
        ask_reset(&w, 200);
        struct ball *x = (struct ball *)b_si(&w, (1L << 60) + (1L << 55) + 2 * draw(1L << 58) + 1);
        mpfr_t want;
        mpfr_init2(want, 200);
        mpfr_mul_2si(x->mid, x->mid, draw(9) - 64, MPFR_RNDN); /* Of more bits than any format, and no power of two. */
        for (int s = 0; s < 2; s++) {
            const struct ball *y = b_step(&w, s, x);
            mpfr_set_prec(want, 200), mpfr_set(want, x->mid, MPFR_RNDN);
            mpfr_prec_round(want, f->p, s ? MPFR_RNDD : MPFR_RNDU);
            cr_assert(mpfr_equal_p(y->mid, want), "step %d, case %d", s, k);
        }
        mpfr_set_prec(want, 200), mpfr_set(want, x->mid, MPFR_RNDN), round_to(want, f);
        cr_assert(mpfr_equal_p(b_store(&w, f, x)->mid, want) && mpfr_equal_p(b_stored(&w, &a.at[0], x)->mid, want),
            "case %d: the store", k);
        mpfr_clear(want), ask_clear(&w);
    }
}

/* An input stored in a format: nothing is lost where it is a number of that format already, an exact number beyond the
 * largest one becomes an infinity, and all else is widened by one rounding. */
Test(bounds, of_what_is_stored_are_those_of_one_rounding)
{
    const struct adverse adverse = { .way = { UPWARD, UPWARD, UPWARD } };
    for (int k = 0; k < 10000; k++) {
        /* A profile does not choose as an adverse arithmetic does, and a store is no step. */
        struct arith a = { .how = WIDEN, .ftz = draw(3) == 0, .adverse = &adverse };
        struct ask w = { .arith = &a };
        const struct rounding r = a.at[0] = a.at[1] = a.at[2] = any_rounding();
        const bool nearest = r.ulps <= 1 && r.absolute == 0;
        ask_reset(&w, 64 + draw(100));
        const struct ball *x = any_ball(&w, r.f), *y = b_stored(&w, &r, x);
        mpfr_t end;
        mpfr_init2(end, 200);
        mpfr_set(end, x->mid, MPFR_RNDN), round_to(end, r.f);
        if (nearest && !a.ftz && b_is(x) == r.f)
            cr_assert(y == x, "case %d", k);
        else if (nearest && x->rad.m == 0 && mpfr_inf_p(end)) /* A NaN is none. */
            cr_assert(mpfr_equal_p(y->mid, end) && y->rad.m == 0, "case %d: an overflow", k);
        else
            widened("stored", k, &a, &r, x, x->rad, y);
        mpfr_clear(end);
        ask_clear(&w);
    }
}

/* Does every number of x round to one value?  No may be said too often only where the ends, at the precision of x, lie
 * beyond a boundary. */
Test(bounds, say_whether_a_rounding_is_known)
{
    mpfr_t lo, hi;
    mpfr_inits2(BITS, lo, hi, (mpfr_ptr)0);
    long known = 0, unknown = 0;
    for (int k = 0; k < 20000; k++) {
        struct arith a = { .how = ROUND };
        struct ask w = { .arith = &a };
        const struct format *f = any_format();
        ask_reset(&w, 64 + draw(100));
        const struct ball *x = any_ball(&w, f);
        const bool says = rounds_known(x, f), all = ends(lo, hi, x, 3000, f),
                   near = ends(lo, hi, x, mpfr_get_prec(x->mid), f);
        if (!mpfr_number_p(x->mid))
            cr_assert(says, "an infinity is one");
        else
            cr_assert(isinf(x->rad.m) ? !says : says ? all : !near, "%s, case %d", f->name, k);
        known += says && x->rad.m > 0, unknown += !says;
        ask_clear(&w);
    }
    cr_assert(known > 2000 && unknown > 2000, "%ld %ld", known, unknown);
    mpfr_clears(lo, hi, (mpfr_ptr)0);
}

/* x times a power of two: a number of the format only loses what underflows, or all where it overflows; any other is
 * rounded as a step. */
Test(bounds, of_a_factor_that_is_a_power_of_two_are_those_of_underflow)
{
    mpfr_t most, zero;
    mpfr_inits2(BITS, most, zero, (mpfr_ptr)0);
    mpfr_set_zero(zero, 1);
    for (int k = 0; k < 10000; k++) {
        struct arith a = { .how = WIDEN, .ftz = draw(3) == 0 };
        struct ask w = { .arith = &a };
        const struct rounding r = a.at[0] = any_rounding();
        ask_reset(&w, 200);
        const struct ball *x = any_ball(&w, r.f);
        struct ball *by = (struct ball *)b_si(&w, draw(3) ? 1 : -1 - draw(9));
        mpfr_mul_2si(by->mid, by->mid, draw(7) - 3, MPFR_RNDN);
        by->rad = draw(8) ? by->rad : up_d(0x1p-60);
        struct ball plain = *b_mul(&w, x, by);
        const struct ball *y = b_scaled(&w, 0, x, by);
        const bool exact = by->rad.m == 0 && mpfr_min_prec(by->mid) == 1 && r.ulps <= 1 && r.absolute == 0 && b_is(x) &&
            inside(r.f, b_is(x)) && mpfr_number_p(x->mid);
        if (!exact || !isfinite(x->rad.m)) {
            if (mpfr_number_p(x->mid) || mpfr_nan_p(x->mid))
                widened("a factor", k, &a, &r, &plain, plain.rad, y);
        } else {
            top_of(most, &plain);
            mpfr_mul_d(most, most, 1 + 0x1p-50, MPFR_RNDU);
            const bool over = beyond(r.f, most);
            one_rounding(most, &a, &r, zero);
            if (mpfr_cmpabs_ui(by->mid, 1) >= 0 && !a.ftz)
                mpfr_set_zero(most, 1);
            plus_up(most, plain.rad);
            if (over)
                cr_assert(isinf(y->rad.m), "case %d: an overflow", k);
            else
                between("a power of two", k, y->rad, most, most);
            cr_assert(b_is(y) == r.f && y->id == 0);
        }
        ask_clear(&w);
    }
    mpfr_clears(most, zero, (mpfr_ptr)0);
}

/* A function that is off by up to 32 units answers a number just below 2^emin, and that is flushed to 0: the value
 * itself lay above 2^emin. */
Test(bounds, hold_a_value_whose_result_is_flushed)
{
    for (const struct format *f = formats; f->name; f++)
        for (int by = 1; by < 32; by++) {
            struct arith a = { .how = WIDEN, .ftz = true, .at = { { .f = f, .ulps = 64 } } };
            struct ask w = { .arith = &a };
            ask_reset(&w, 200);
            struct ball *x = (struct ball *)b_si(&w, (1L << (f->p - 1)) + by);
            mpfr_mul_2si(x->mid, x->mid, f->emin - f->p + 1, MPFR_RNDN);
            cr_assert(!up_less(b_step(&w, 0, x)->rad, up_of(x->mid)), "%s, %d units above", f->name, by);
            /* An adverse arithmetic finds that result. */
            a.adverse = &(struct adverse){ .way = { TOWARD_ZERO }, .flush = true };
            adverse_round(&a, 0, x->mid);
            cr_assert(mpfr_zero_p(x->mid), "%s, %d units above is not flushed", f->name, by);
            ask_clear(&w);
        }
}

/* A term is a double and what that leaves out: never less, and nothing more than a unit of its last place. */
Test(bounds, of_terms_are_what_a_double_leaves_out)
{
    mpfr_t off, most;
    mpfr_inits2(2 * BITS, off, most, (mpfr_ptr)0);
    for (int k = 0; k < 10000; k++) {
        struct arith a = { .how = WIDEN };
        struct ask w = { .arith = &a };
        ask_reset(&w, 64 + draw(100));
        struct ball *x = any_ball(&w, &formats[draw(2)]);
        if (draw(8) == 0 && mpfr_regular_p(x->mid))
            mpfr_set_exp(x->mid, (draw(2) ? 1000 : -1000) + draw(3) - 1);
        const struct up wider = draw(2) ?
            (struct up){ 0, 0 } :
            up_2exp(up_d(real(0)), mpfr_zero_p(x->mid) ? 0 : mpfr_get_exp(x->mid) - draw(60));
        const struct format *f = draw(2) ? any_format() : NULL;
        const struct summand t = b_summand(x, wider, f);
        const long e = mpfr_regular_p(x->mid) ? (long)mpfr_get_exp(x->mid) : 0;
        cr_assert(t.f == f && (t.mid == 0 || mpfr_nan_p(x->mid) || !mpfr_signbit(x->mid) == (t.mid > 0)));
        if (mpfr_nan_p(x->mid)) {
            cr_assert(isinf(t.mid), "case %d: no number", k);
        } else if (mpfr_inf_p(x->mid) || e > 1000) {
            cr_assert(isinf(t.mid), "case %d: beyond all midpoints", k);
        } else {
            mpfr_set_zero(most, 1);
            plus_up(plus_up(most, x->rad), wider);
            mpfr_sub_d(off, x->mid, t.mid, MPFR_RNDA), mpfr_abs(off, off, MPFR_RNDU);
            cr_assert(mpfr_zero_p(x->mid) || (t.mid == 0) == (e < -1000), "case %d: 2^%ld", k, e);
            if (t.mid != 0 && !mpfr_zero_p(off)) /* It is cut: one unit of the last of 53 bits. */
                power(off, e - 53);
            plus(most, off);
            between("a term", k, t.rad, most, most);
        }
        ask_clear(&w);
    }
    mpfr_clears(off, most, (mpfr_ptr)0);
}

/* A sum of balls: its midpoint is their sum, and its radius their radii, the roundings of the ball's own additions, and
 * the bound of the step; under a contract it is rounded behind every addition, from left to right. */
Test(bounds, of_balls_are_added_to_their_radii)
{
    for (int k = 0; k < 3000; k++) {
        struct arith a = { .how = WIDEN };
        struct ask w = { .arith = &a };
        a.at[0] = (struct rounding){ .f = any_format(), .ulps = 1, .lanes = (int)draw(3) * 4 };
        a.at[0].block = a.at[0].lanes ? 0 : (int)draw(2) * 4;
        ask_reset(&w, 300);
        const struct ball *t[12];
        struct summand s[12];
        const long n = draw(12);
        mpfr_t sum;
        mpfr_init2(sum, BITS), mpfr_set_zero(sum, 1);
        struct up rad = { 0, 0 };
        for (long j = 0; j < n; j++) {
            struct ball *x = (struct ball *)b_si(&w, draw(2001) - 1000);
            x->rad = draw(3) ? x->rad : up_d(0x1p-9);
            b_becomes(x, draw(3) ? any_format() : NULL);
            t[j] = x, rad = up_add(rad, x->rad);
            s[j] = b_summand(x, (struct up){ 0, 0 }, b_is(x));
            mpfr_add(sum, sum, x->mid, MPFR_RNDN);
        }
        const struct up more = sum_error(&w, 0, s, n, false), own = b_sum_error(&w, 0, t, n, false),
                        scaled = sum_error(&w, 0, s, n, true), own_scaled = b_sum_error(&w, 0, t, n, true);
        cr_assert(more.m == own.m && more.e == own.e && scaled.m == own_scaled.m && scaled.e == own_scaled.e);
        const struct ball *y = b_sum(&w, 0, t, n);
        const double want = up_double(rad) + up_double(more), got = b_radius(y);
        cr_assert(
            mpfr_equal_p(y->mid, sum) && got >= want * (1 - 0x1p-45) && got <= want * (1 + 0x1p-45), "case %d", k);
        cr_assert(b_is(y) == (n ? a.at[0].f : NULL));
        if (n == 1) {
            const struct rounding none = { .f = NULL }, kept = a.at[0];
            a.at[0] = none, y = b_sum(&w, 0, t, n), a.at[0] = kept;
            cr_assert(b_is(y) == b_is(t[0]), "case %d: a step that does not round changes nothing", k);
        }
        a.how = EXACT, y = b_sum(&w, 0, t, n);
        cr_assert(mpfr_equal_p(y->mid, sum) && (n == 1 || !b_is(y)), "case %d: an exact sum is of no format", k);
        a.how = ROUND, a.at[0].block = 0, mpfr_set_zero(sum, 1);
        for (long j = 0; j < n; j++)
            ((struct ball *)t[j])->rad = (struct up){ 0, 0 }, mpfr_add(sum, sum, t[j]->mid, MPFR_RNDN),
                          round_to(sum, a.at[0].f);
        y = b_sum(&w, 0, t, n);
        cr_assert(mpfr_equal_p(y->mid, sum) && y->rad.m == 0 && b_sum_error(&w, 0, t, n, false).m == 0, "case %d", k);
        a.adverse = &(struct adverse){ .seed = 1 }, a.at[0].f = NULL, mpfr_set_zero(sum, 1);
        for (long j = 0; j < n; j++)
            mpfr_add(sum, sum, t[j]->mid, MPFR_RNDN);
        cr_assert(mpfr_equal_p(b_sum(&w, 0, t, n)->mid, sum), "case %d: a step that does not round", k);
        mpfr_clear(sum), ask_clear(&w);
    }
}

/* Rounding to a format, against MPFR's own arithmetic of a format with subnormals, and against the machine's. */
Test(bounds, of_formats_are_those_of_ieee_754)
{
    mpfr_t x, y, want;
    mpfr_inits2(300, x, y, want, (mpfr_ptr)0);
    const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    for (int k = 0; k < 20000; k++) {
        const struct format *f = any_format();
        const int few = draw(2) ? 1 : 0;
        mpfr_set_d(x, few ? (double)(1 + draw(1L << (f->p + 2))) : real(0), MPFR_RNDN); /* Few bits: ties. */
        mpfr_set_exp(x, binade(f) + (draw(9) ? 0 : 2));
        if (draw(9) == 0)
            mpfr_set_ui_2exp(x, 1, f->emax + 1, MPFR_RNDN), mpfr_sub_d(x, x, 0, MPFR_RNDN),
                mpfr_set_ui_2exp(y, 1 + 2 * (unsigned long)draw(2), f->emax - f->p - draw(2), MPFR_RNDN),
                mpfr_sub(x, x, y, MPFR_RNDN);
        if (draw(2))
            mpfr_neg(x, x, MPFR_RNDN);
        mpfr_set(y, x, MPFR_RNDN);
        const int inexact = round_to(y, f);
        mpfr_set_prec(want, f->p);
        mpfr_set_emin(f->emin - f->p + 2), mpfr_set_emax(f->emax + 1);
        const int ieee =
            mpfr_subnormalize(want, mpfr_check_range(want, mpfr_set(want, x, MPFR_RNDN), MPFR_RNDN), MPFR_RNDN);
        mpfr_set_emin(least), mpfr_set_emax(most);
        cr_assert(mpfr_equal_p(y, want) && mpfr_signbit(y) == mpfr_signbit(x), "%s, case %d", f->name, k);
        cr_assert((inexact > 0) - (inexact < 0) == (ieee > 0) - (ieee < 0), "%s, case %d: %d", f->name, k, inexact);
        cr_assert(f->p != 53 || mpfr_get_d(x, MPFR_RNDN) == mpfr_get_d(y, MPFR_RNDN));
        cr_assert(f->p != 24 || (double)mpfr_get_flt(x, MPFR_RNDN) == mpfr_get_d(y, MPFR_RNDN));
    }
    for (int k = 0; k < 3; k++) {
        k == 0 ? mpfr_set_zero(x, -1) : k == 1 ? mpfr_set_inf(x, -1) : mpfr_set_nan(x);
        mpfr_set(y, x, MPFR_RNDN);
        cr_assert(round_to(y, &formats[k]) == 0 && (k == 2 ? mpfr_nan_p(y) : mpfr_equal_p(x, y)) &&
                mpfr_signbit(x) == mpfr_signbit(y),
            "what is no number, or 0, stays");
    }
    mpfr_clears(x, y, want, (mpfr_ptr)0);
}

/* A rounding notes the word that it read, as that of a number or of a sum, and no other word. */
Test(bounds, note_the_word_that_they_read)
{
    struct arith a = { .at = {
                           { .f = &formats[1], .ulps = 1, .word = 5 }, { .f = &formats[1], .ulps = 1, .word = 9 } } };
    struct ask w = { .arith = &a };
    for (int what = 0; what < 8; what++)
        for (int how = ROUND; how <= WIDEN; how++) {
            struct trace trace = { .rounded = false };
            a.how = (enum how)how, w.trace = &trace;
            ask_reset(&w, 100);
            const struct ball *x = b_ratio(&w, 1, 3), *t[] = { x, x };
            struct summand s[] = { { 1, { 0, 0 }, NULL }, { 1, { 0, 0 }, NULL } };
            switch (what) {
            case 0: b_step(&w, 1, x); break;
            case 1: b_held(&w, 1, x); break;
            case 2: b_step_own(&w, 1, x); break;
            case 3: b_scaled(&w, 1, x, x); break;
            case 4: b_unit(&w, 1), b_absolute(&w, 1); break;
            case 5: b_rounding(&w, 1, up_d(1)), b_smallest(&w, 1); break;
            case 6: b_sum(&w, 1, t, 2); break;
            default: sum_error(&w, 1, s, 2, false);
            }
            const bool sum = what >= 6, none = what == 7 && how == ROUND;
            for (int k = 0; k < TRACE_TEXT; k++)
                cr_assert(
                    trace.summed[k] == (sum && !none && k == 8) && (trace.used[k] == (!sum && k == 8) || what == 6),
                    "what %d, how %d, word %d", what, how, k);
        }
    ask_clear(&w);
}

/* A sum whose step is edited adds the terms that the edit leaves, and then does to the sum what the edit says; at other
 * steps nothing happens. */
Test(bounds, of_edited_sums_are_of_what_is_left)
{
    struct arith a = { .how = EXACT };
    struct ask w = { .arith = &a };
    for (int op = 0; edit_ops[op].name; op++)
        for (long n = 1; n < 200; n += 1 + n / 7) {
            ask_reset(&w, 400);
            const struct ball *t[200], *left = b_si(&w, 0), *all = left;
            for (long k = 0; k < n; k++)
                t[k] = b_si(&w, k % 3 ? 1L << k % 40 : -(1L << k % 41)), all = b_add(&w, all, t[k]);
            a.edit = (struct edit){ .step = 3, .op = op };
            long some = n;
            const struct ball **kept = edit_terms(&w, 2, t, &some);
            for (long k = 0; k < some; k++)
                left = b_add(&w, left, kept ? kept[k] : t[k]);
            cr_assert((kept != NULL) == edit_ops[op].sums);
            cr_assert(b_overlap(b_sum(&w, 2, t, n), edit_value(&w, 2, left)), "%s of %ld", edit_ops[op].name, n);
            cr_assert(mpfr_equal_p(b_sum(&w, 1, t, n)->mid, all->mid), "%s of %ld elsewhere", edit_ops[op].name, n);
            cr_assert(b_overlap(b_step(&w, 2, t[0]), edit_value(&w, 2, t[0])) && b_held(&w, 2, t[0]) == t[0] &&
                b_step(&w, 1, t[0]) == t[0]);
            free(kept);
        }
    ask_clear(&w);
}

/* On the exact path a number has a name, which a rounding takes from it. */
Test(bounds, take_the_name_of_a_number)
{
    struct arith a = { .how = WIDEN, .at = { { .f = &formats[1], .ulps = 1 } } };
    struct ask w = { .arith = &a, .exact = true };
    ask_reset(&w, 100);
    struct ball *x = (struct ball *)b_ratio(&w, 1, 3);
    cr_assert(x->id);
    b_becomes(x, &formats[1]);
    for (int k = -2; k < 3; k++)
        cr_assert(b_scaled(&w, 0, x, k < 0 ? b_ratio(&w, 1, 1 << -k) : b_si(&w, 1 << k))->id == 0, "times 2^%d", k);
    cr_assert(b_step(&w, 0, x)->id == 0 && b_step_own(&w, 0, x)->id == 0);
    ask_clear(&w);
}
