/* The bounds of sums (ref/core/ball/round.c, tensor.c) against a second evaluation: the formulas that stand beside
 * them, from the exact terms, in 400 bits.  A bound never lies below its formula, which is the proof that honest
 * arithmetic stays inside, nor above it by more than the roundings of its own doubles: so that a term dropped, doubled
 * or added is seen on either side.  Terms have every size from the smallest subnormal to the largest number. */
#include <stdlib.h>
#include "ball/adverse.h"
#include "ball/trace.h"
#include "formula.h"

enum { TERMS = 240 };
/* One sum.  more: by how much, relatively, magnitudes are taken larger where they decide a binade: 0 for the least
 * bound that is proved, and a little for the most that roundings of doubles can make of it. */
struct sum {
    const struct arith *a;
    const struct rounding *r;
    const struct summand *t;
    long n;
    bool scaled;
    double more;
    long part; /* A matrix unit's block ends behind so many terms, too; 0: nowhere. */
};

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
    mpfr_t off, result;
    double at = 0;
    bool overflows = false; /* A result that does stays an infinity. */
    mpfr_inits2(BITS, off, result, (mpfr_ptr)0);
    mpfr_set_zero(y, 1), mpfr_set_zero(off, 1);
    for (long k = 0, end; k < s->n; k = end) {
        long size = s->r->block;
        for (long j = 1; j < size && s->part; j++) /* A part that begins within the block ends it. */
            size = (k + j) % s->part == 0 ? j : size;
        end = k + size < s->n ? k + size : s->n;
        block(y, s, k, end - k, &at, off);
        for (long j = k; s->a->ftz && j <= end; j++)
            plus_power(y, 1, s->r->f->emin), plus_power(off, 1, s->r->f->emin);
        mpfr_add_d(result, off, fabs(at), MPFR_RNDU), raise_by(result, result, s->more);
        overflows |= !mpfr_number_p(result) || beyond(s->r->f, result);
    }
    if (overflows)
        mpfr_set_inf(y, 1);
    mpfr_clears(off, result, (mpfr_ptr)0);
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
        s.part = draw(3) ? 1 + draw(20) : 0;
        s.more = 0, unit_bound(least, &s), s.more = 0x1p-48, unit_bound(most, &s);
        between("a matrix unit", k, parts_error(&w, 0, t, n, s.part, scaled), least, most);
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
            up_2exp(up_d(real(0)), mpfr_regular_p(x->mid) ? mpfr_get_exp(x->mid) - draw(60) : 0);
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
 * the bound of the step; under a contract without a structure it is rounded behind every addition, from left to
 * right. */
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
        a.how = ROUND, a.at[0].block = a.at[0].lanes = 0, mpfr_set_zero(sum, 1);
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
