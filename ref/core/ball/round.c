/* The roundings of single values and of sums.  Under a contract (ROUND) a value is rounded to its format (to_format);
 * under a profile (WIDEN) its radius grows by the error that the rounding may make (to_radius). */
#include "arith/exactly.h"
#include "ball/adverse.h"
#include "ball/overflow.h"
#include "ball/stored.h"
#include "ball/tensor.h"
#include "ball/trace.h"
#include <math.h>
#include <stdlib.h>

/* Is this rounding no worse than one to nearest?  Then it holds exactly what the format can hold. */
static bool to_nearest(const struct rounding *r) { return r->ulps <= 1 && !(r->absolute > 0); }

/* A bound of the error of rounding any value of magnitude up to `top` once, where nothing is flushed: the declared
 * number of half-ulps of the binade of `top`, or of the subnormals where that is larger, and the absolute error beside
 * them.  It is infinity where `top` is beyond the largest finite number. */
static struct up half_an_ulp(const struct rounding *r, struct up top)
{
    long e = top.m > 0 && top.e - 1 > r->f->emin ? top.e - 1 : r->f->emin;
    return may_overflow(r->f, top) ?
        up_inf() :
        up_add(up_mul(up_d(r->ulps), (struct up){ 0.5, e - r->f->p + 1 }), up_d(r->absolute));
}

/* The same bound where the arithmetic may flush results below 2^emin to 0 (ftz).  It is the result that lies below
 * 2^emin and is lost; the value itself may lie above that by what the rounding is off.  A result that is below 2^emin
 * is so by an ulp at least, which makes up for an error of up to two half-ulps. */
static struct up rounding_error(const struct arith *a, const struct rounding *r, struct up top)
{
    struct up half = half_an_ulp(r, top);
    return a->ftz ?
        up_max(half, up_add((struct up){ 0.5, r->f->emin + 1 }, r->ulps > 2 ? half : up_d(r->absolute))) :
        half;
}

/* The relative error u of one rounding of a normal number: ulps 2^-p. */
static struct up unit(const struct rounding *r) { return up_mul(up_d(r->ulps), (struct up){ 0.5, 1 - r->f->p }); }

/* Is every value of the format `from` a multiple of the smallest subnormal of `to`?  Then a conversion to `to` loses
 * what its relative error says and nothing more.  No: where `from` is NULL, which is no format. */
static bool on_grid(const struct format *to, const struct format *from)
{
    return from && to->emin - to->p <= from->emin - from->p;
}

/* Is every finite value of the format `from` a value of `to`?  The bits of the significand, the smallest subnormal and
 * the largest binade all have to fit: float16 does not keep bfloat16. */
static bool keeps(const struct format *to, const struct format *from)
{
    return on_grid(to, from) && from->p <= to->p && from->emax <= to->emax;
}

/* What a sum of n terms that are not 0 loses, in three parts.
 * (1) Its additions lose relatively.  A term passes through at most `height` additions, and each multiplies it by 1 + d
 *     with |d| <= u, so that the sum is off by at most (e^(u height) - 1) sum |t|.  Zeros are added exactly, so no
 *     height exceeds n - 1.  A term that is not in the accumulator's format already (an exact product, or a value of
 *     another format) is rounded once more, alone or together with the addition that it first joins (fused): that
 *     makes the height larger by one.
 * (2) Its conversions lose absolutely.  To nearest and with gradual underflow, the sum of two multiples of the smallest
 *     subnormal eta is exact where it is below 2^(emin + 1) (Hauser 1996): what is in the accumulator never underflows
 *     again.  Only a term that is no multiple of eta loses up to eta / 2, where it is rounded first; so each such term
 *     is charged once, whatever the tree.  An adder that is worse than to nearest (half-ulps above 1) promises no such
 *     exactness: there all n terms are charged, one for each addition.  Partial sums that are `scaled` were multiplied
 *     by powers in between, which takes them off the grid again: all n terms are charged there, too, as no accumulator
 *     is rescaled more often than it takes a term.
 * (3) With ftz, each result below 2^emin may become 0, and so may a term that is read.  These are at most n losses of
 *     2^emin, for the following is true of every subtree of m terms: at most m of its values were flushed, and at most
 *     m - 1 if its result is not 0.  To see this, take a node over subtrees of m and k terms.  Where neither result is
 *     0, there were at most m - 1 + k - 1 losses below it, and the node adds at most one.  Where one of them is 0, the
 *     sum is the other one, exactly; there were at most m + k - 1 losses, and at most one more, which makes it 0.
 * This function answers parts (2) and (3): `converted` is the number of terms that are no multiples of eta. */
static struct up lost_absolutely(const struct arith *a, const struct rounding *r, long converted, long n, bool scaled)
{
    const struct up flushed = { 0.5, r->f->emin + 1 };
    struct up each = half_an_ulp(r, (struct up){ 0, 0 }),
              lost = up_mul(up_si(converted + (scaled || !to_nearest(r) ? n : 0) + (r->absolute > 0 ? n : 0)), each);
    return a->ftz ? up_add(lost, up_mul(up_si(n), flushed)) : lost;
}

static bool is_zero(const struct summand *t) { return t->mid == 0 && t->rad.m == 0; }

/* What is lost where t joins an accumulator, whose partial sum then is up to `top`.  To nearest, and by (2) above, a
 * sum of two values of its format loses half an ulp of `top`, and nothing below 2^(emin + 1).  A term of another format
 * may be converted before it is added; an exact product, which has no format, is rounded with its sum.  first: the
 * accumulator was empty, so that t is only converted. */
static struct up joining(const struct rounding *r, const struct summand *t, struct up top, bool first, bool scaled)
{
    if (first && keeps(r->f, t->f))
        return (struct up){ 0, 0 };
    struct up size = up_add(up_d(fabs(t->mid)), t->rad),
              converted = !t->f || first || keeps(r->f, t->f) ? (struct up){ 0, 0 } :
        scaled                                                ? up_mul(unit(r), size) :
                                                                half_an_ulp(r, size);
    if (scaled)
        return up_add(up_mul(unit(r), top), converted);
    const bool exact = to_nearest(r) && top.e <= r->f->emin + 1 && (on_grid(r->f, t->f) || converted.m > 0);
    return exact ? converted : up_add(half_an_ulp(r, top), converted);
}

/* The sum of all rounding errors of one accumulator that takes t[l], t[l + lanes], .. of t[n] in order.  Inside, s is
 * its partial sum as a double, and `off` bounds how far the true one may be from it: by the terms' radii, by the
 * roundings so far, and by the rounding of s itself, 2^-53.  *top becomes a bound of the final magnitude. */
static struct up lane_error(
    const struct rounding *r, const struct summand *t, long l, long n, bool scaled, struct up *top)
{
    struct up error = { 0, 0 }, off = { 0, 0 };
    bool first = true;
    double s = 0;
    *top = error;
    for (long k = l; k < n; k += r->lanes) {
        if (is_zero(&t[k]))
            continue; /* Adding 0 is exact. */
        /* mutant: sign fb78: only its size is read, and that of the sum of all terms negated is the same. */
        s += t[k].mid;
        *top = up_d(fabs(s));
        off = up_add(off, up_add(t[k].rad, up_2exp(*top, -53)));
        *top = up_add(*top, off);
        struct up e = joining(r, &t[k], *top, first, scaled);
        error = up_add(error, e), off = up_add(off, e), *top = up_add(*top, e);
        first = false;
    }
    return error;
}

/* The rounding errors of all accumulators together.  *all becomes a bound of the sum of their final magnitudes, and
 * *height the height of the balanced tree that adds them up at last, whose errors are not counted here. */
static struct up lanes_error(
    const struct rounding *r, const struct summand *t, long n, bool scaled, struct up *all, long *height)
{
    struct up error = { 0, 0 }, top;
    *all = error;
    for (long l = 0; l < r->lanes; l++) {
        error = up_add(error, lane_error(r, t, l, n, scaled, &top));
        *all = up_add(*all, top);
    }
    for (*height = 0; 1L << *height < r->lanes && 1L << *height < n; ++*height)
        ;
    return error;
}

/* r as it holds for an addition.  A word about all steps at once (row/every.h) may allow more half-ulps, which are
 * meant for functions: an addition has one. */
static struct rounding of_additions(const struct rounding *r)
{
    struct rounding one = *r;
    one.ulps = r->every ? 1 : r->ulps;
    return one;
}

struct up sum_error(const struct ask *w, int s, const struct summand *t, long n, bool scaled)
{
    return parts_error(w, s, t, n, 0, scaled);
}
struct up parts_error(const struct ask *w, int s, const struct summand *t, long n, long part, bool scaled)
{
    const struct arith *a = w->arith;
    const struct rounding one = of_additions(&a->at[s]), *r = &one;
    struct up all = { 0, 0 }, error = { 0, 0 };
    if (a->how != WIDEN || !r->f || !n)
        return error;
    trace_sum(w, s, n);
    if (r->block)
        return tensor_error(a, r, t, n, part, scaled);
    long terms = 0, converted = 0, height;
    bool kept = true;
    for (long k = 0; k < n; k++)
        if (!is_zero(&t[k])) {
            all = up_add(all, up_add(up_d(fabs(t[k].mid)), t[k].rad));
            terms++, converted += !on_grid(r->f, t[k].f), kept = kept && keeps(r->f, t[k].f);
        }
    if (r->lanes) {
        /* Where nothing is scaled, this error contains that of the conversions already. */
        error = lanes_error(r, t, n, scaled, &all, &height);
        converted = scaled ? converted : 0;
    } else {
        height = terms > 1 ? terms - 1 : 0;
        height = (r->height && r->height < height ? r->height : height) + !kept;
    }
    struct up lost = lost_absolutely(a, r, converted, terms, scaled);
    error = up_add(up_add(error, lost), up_mul(up_add(all, lost), up_expm1(up_mul(up_si(height), unit(r)))));
    return may_overflow(r->f, up_add(all, error)) ? up_inf() : error;
}

/* 2^e, of an exponent that a normal double has.  ldexp, which serves all others too, would take longer than the rest of
 * a term. */
static double two_to(long e)
{
    const uint64_t bits = (uint64_t)(1023 + e) << 52;
    double y;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* The term's midpoint is the leading 53 bits of x; what they leave out, and all of an x of exponent below -1000, goes
 * to its radius.  Beyond exponent 1000 the midpoint is an infinity, so that the bound of the sum is infinite, too. */
struct summand b_summand(const struct ball *x, struct up wider, const struct format *f)
{
    struct up low = up_below(x->mid), rest = { 0, 0 };
    double mid = low.m == 0 || low.e < -1000 ? 0 : low.e > 1000 ? (double)INFINITY : low.m * two_to(low.e);
    if (mid == 0)
        rest = up_of(x->mid);
    else if (mpfr_min_prec(x->mid) > 53) /* An infinity has no bits. */
        rest = (struct up){ 0.5, low.e - 52 };
    const struct up error = up_add(up_add(x->rad, wider), rest);
    const double seen = x->lift < 0 ? up_double(up_2exp(up_add(up_d(fabs(mid)), error), -x->lift)) : 0;
    return (struct summand){ mpfr_signbit(x->mid) ? -mid : mid, error, f, seen };
}

/* x, or the smallest normal number of the format where that is larger. */
static struct up at_least_normal(const struct format *f, struct up x)
{
    return f ? up_max(x, (struct up){ 0.5, f->emin + 1 }) : x;
}

double b_seen(const struct format *f, struct up x, const struct format *g, struct up y)
{
    const struct up large = at_least_normal(f, x), more = at_least_normal(g, y);
    const bool raised = up_less(x, large) || up_less(y, more);
    return raised && x.m > 0 && y.m > 0 ? up_double(up_mul(large, more)) : 0;
}

struct up b_sum_error(const struct ask *w, int s, const struct ball *const *t, long n, bool scaled)
{
    struct summand *terms = need((size_t)n + 1, sizeof *terms);
    for (long k = 0; k < n; k++)
        terms[k] = b_summand(t[k], (struct up){ 0, 0 }, b_is(t[k]));
    struct up error = sum_error(w, s, terms, n, scaled);
    free(terms);
    return error;
}

/* How step s rounds, where the arithmetic is WIDEN and the step rounds at all; else NULL.  The trace notes that the
 * word was read. */
static const struct rounding *widening(const struct ask *w, int s)
{
    trace_word(w->trace, w->arith->at[s].word, false);
    return w->arith->how == WIDEN && w->arith->at[s].f ? &w->arith->at[s] : NULL;
}
struct up b_unit(const struct ask *w, int s)
{
    const struct rounding *r = widening(w, s);
    return r ? unit(r) : (struct up){ 0, 0 };
}
struct up b_absolute(const struct ask *w, int s)
{
    const struct rounding *r = widening(w, s);
    return up_d(r ? r->absolute : 0);
}
struct up b_rounding(const struct ask *w, int s, struct up top)
{
    const struct rounding *r = widening(w, s);
    return r ? rounding_error(w->arith, r, top) : (struct up){ 0, 0 };
}
bool b_rounds(const struct ask *w, int from, int to)
{
    bool any = false;
    for (int s = from; s <= to; s++)
        any |= w->arith->how != EXACT && w->arith->at[s].f != NULL;
    return any;
}
const struct format *b_format(const struct ask *w, int s)
{
    const struct rounding *r = widening(w, s);
    return r ? r->f : NULL;
}
struct up b_smallest(const struct ask *w, int s)
{
    const struct rounding *r = widening(w, s);
    return r ? (struct up){ 0.5, r->f->emin + 2 } : (struct up){ 0, 0 };
}

static const struct ball *rounded(struct ask *w, int s, const struct ball *x);
static const struct ball *sum_of(struct ask *w, int s, const struct ball *const *t, long n)
{
    const struct rounding *r = &w->arith->at[s];
    trace_sum(w, s, n);
    if (w->arith->how == ROUND && r->f && r->block)
        return tensor_sum(w, r, b_si(w, 0), t, n);
    /* From left to right a sum has one lane, and the height n - 1. */
    const bool structured = r->lanes > 1 || (r->height && r->height < n - 1);
    if (w->arith->how == ROUND && r->f && n && (w->arith->adverse || structured))
        return adverse_sum(w, s, t, n);
    const struct ball *y = !n ? b_si(w, 0) : w->arith->how == ROUND ? rounded(w, s, t[0]) : t[0];
    for (long k = 1; k < n; k++) {
        y = b_add(w, y, t[k]);
        if (w->arith->how == ROUND)
            y = rounded(w, s, y);
    }
    const bool endless = w->arith->edit.step && mpfr_inf_p(y->mid) && !isinf(y->rad.m); /* as out_of_range has it */
    if (w->arith->how != WIDEN || !r->f || !n || endless)
        return y;
    struct ball *b = (struct ball *)b_widen(w, y, b_sum_error(w, s, t, n, false));
    b_becomes(b, r->f);
    return b;
}

const struct ball *b_sum(struct ask *w, int s, const struct ball *const *t, long n)
{
    if (!edited(w, s))
        return sum_of(w, s, t, n);
    const struct ball **less = edit_terms(w, s, t, &n), *y = edit_value(w, s, sum_of(w, s, less ? less : t, n));
    free(less);
    return y;
}

int round_to(mpfr_t y, const struct format *f)
{
    if (!mpfr_regular_p(y) && !(mpfr_inf_p(y) && f->saturates))
        return 0;
    mpfr_exp_t e = mpfr_get_exp(y) - 1, q = (e > f->emin ? e : f->emin) - f->p + 1;
    mpfr_mul_2si(y, y, -q, MPFR_RNDN);
    int inexact = mpfr_roundeven(y, y);
    mpfr_mul_2si(y, y, q, MPFR_RNDN);
    const struct up end = format_end(f);
    if (up_less(end, up_of(y))) {
        inexact = mpfr_sgn(y);
        if (f->saturates)
            mpfr_set_d(y, inexact * ldexp(end.m, (int)end.e), MPFR_RNDN), inexact = -inexact;
        else
            mpfr_set_inf(y, inexact);
    }
    return inexact;
}

/* Both ends of the ball, rounded outward. */
static void ends_of(const struct ball *x, mpfr_t lo, mpfr_t hi)
{
    mpfr_t r;
    mpfr_init2(r, 64);
    up_get(r, x->rad);
    mpfr_sub(lo, x->mid, r, MPFR_RNDD);
    mpfr_add(hi, x->mid, r, MPFR_RNDU);
    mpfr_clear(r);
}

/* Do both ends of the ball round to the same value of f?  This serves where mpfr_can_round cannot decide. */
static bool ends_agree(const struct ball *x, const struct format *f)
{
    mpfr_t lo, hi;
    mpfr_inits2(mpfr_get_prec(x->mid), lo, hi, (mpfr_ptr)0);
    ends_of(x, lo, hi); /* mutant: argument 691e: they are compared, whichever is which. */
    round_to(lo, f);
    round_to(hi, f);
    bool agree = mpfr_equal_p(lo, hi) != 0;
    mpfr_clears(lo, hi, (mpfr_ptr)0);
    return agree;
}

bool rounds_known(const struct ball *x, const struct format *f)
{
    if (x->rad.m == 0)
        return true; /* An exact ball has one rounding; that of a NaN is NaN in every format. */
    if (isinf(x->rad.m))
        return mpfr_inf_p(x->mid);
    /* A rounding to nearest at p bits is decided where the truncation to p + 1 is; so are those of subnormals and
     * beyond the largest number, which need no more. */
    /* mutant: term d7b4: what is not regular mpfr_can_round does not decide; but it has no exponent to be read. */
    return (mpfr_regular_p(x->mid) &&
               mpfr_can_round(x->mid, mpfr_get_exp(x->mid) - x->rad.e, MPFR_RNDN, MPFR_RNDZ, f->p + 1)) ||
        ends_agree(x, f);
}

/* Does an adverse arithmetic take all of the ball x to `to`, where it takes its ends? */
static bool steady(const struct arith *a, int s, const struct ball *x, mpfr_srcptr to)
{
    if (mpfr_inf_p(x->mid) || (to_nearest(&a->at[s]) && a->adverse->way[s] != ANY_WAY))
        return true; /* To nearest is monotone everywhere; but any way may flush one number and not the next. */
    mpfr_t lo, hi;
    mpfr_inits2(mpfr_get_prec(to), lo, hi, (mpfr_ptr)0);
    ends_of(x, lo, hi);
    const bool all = adverse_steady(a, s, lo, hi, to);
    mpfr_clears(lo, hi, (mpfr_ptr)0);
    return all;
}

/* x rounded to f as a contract does it: both ends of the ball, and the hull of the results where they differ; then the
 * ask is undecided.  s is the step that rounds, which an adverse arithmetic may round otherwise than to nearest; it is
 * STORE for the store of an input or of the final output, which belong to no step.  What is certainly no number
 * stays. */
enum { STORE = -1 };
static const struct ball *to_format(struct ask *w, int s, const struct format *f, const struct ball *x)
{
    if (b_undefined(w, x))
        return x;
    struct ball *lo = (struct ball *)b_at(w, x), *hi = (struct ball *)b_at(w, x);
    ends_of(x, lo->mid, hi->mid);
    const bool adverse = s != STORE && w->arith->adverse;
    adverse ? adverse_round(w->arith, s, lo->mid) : round_to(lo->mid, f);
    adverse ? adverse_round(w->arith, s, hi->mid) : round_to(hi->mid, f);
    if (!mpfr_equal_p(lo->mid, hi->mid)) { /* The ball straddles a boundary of f; more bits may decide it. */
        w->undecided = true;
        lo->rad = up_far(lo->mid, hi->mid);
    } else if (adverse)
        w->undecided |= !steady(w->arith, s, x, lo->mid);
    lo->mag = up_of(lo->mid);
    b_becomes(lo, f);
    if (mpfr_nan_p(lo->mid)) /* Its radius and its size are infinite already. */
        exactly(mpfr_set_ui(lo->mid, 0, MPFR_RNDN));
    return lo;
}

/* Is x a value of f? */
static bool representable(mpfr_srcptr x, const struct format *f)
{
    if (mpfr_min_prec(x) > f->p) /* Most products end here, without a copy and a rounding. */
        return false;
    mpfr_t y;
    mpfr_init2(y, mpfr_get_prec(x));
    mpfr_abs(y, x, MPFR_RNDN); /* A format holds -x where it holds x. */
    bool same = round_to(y, f) == 0;
    mpfr_clear(y);
    return same;
}

/* Does x certainly stay what it is where r rounds it?  So does a NaN, and, to nearest and where nothing is flushed, an
 * exact ball that is a value of the format. */
static bool stays(const struct arith *a, const struct rounding *r, const struct ball *x)
{
    return mpfr_nan_p(x->mid) || (x->rad.m == 0 && to_nearest(r) && !a->ftz && representable(x->mid, r->f));
}

/* What is certainly beyond the largest number of r's format is an infinity there, unless the format saturates: beyond
 * the next power of two, and twice that where r may be off by more than half an ulp.  What lies so far below the
 * smallest one that no library rounds it up is 0, unless r has an absolute error.  A profile's bound says neither, as a
 * kernel may compute in a wider format: but of a page whose operations are done differently (an edit) the numbers
 * themselves are asked.  An infinity stays one.  NULL: x is none of these. */
static const struct ball *out_of_range(struct ask *w, const struct rounding *r, const struct ball *x)
{
    const struct up least = { 0.5, r->f->emin - 3 * r->f->p }, most = { 0.5, r->f->emax + (to_nearest(r) ? 2 : 3) };
    if (mpfr_inf_p(x->mid) && !isinf(x->rad.m))
        return x;
    if (mpfr_regular_p(x->mid) && up_less(most, up_gap(up_below(x->mid), x->rad)) && !r->f->saturates)
        return b_inf(w, mpfr_sgn(x->mid));
    const struct up top = b_top(x); /* It is infinite where the midpoint is no number. */
    return top.m > 0 && up_less(top, least) && !(r->absolute > 0) ? b_si(w, 0) : NULL;
}

/* x as a profile has it: a ball whose radius is larger by the error of one rounding by r. */
static const struct ball *to_radius(struct ask *w, const struct rounding *r, const struct ball *x)
{
    const struct ball *far = w->arith->edit.step ? out_of_range(w, r, x) : NULL;
    if (far)
        return far;
    struct ball *b = (struct ball *)b_widen(
        w, x, stays(w->arith, r, x) ? (struct up){ 0, 0 } : rounding_error(w->arith, r, b_top(x)));
    b_becomes(b, r->f);
    return b;
}

/* x as step s gives it, without the step's edit: itself, rounded or widened, as the arithmetic says. */
static const struct ball *rounded(struct ask *w, int s, const struct ball *x)
{
    const struct rounding *r = &w->arith->at[s];
    if (w->arith->how == EXACT || !r->f)
        return x;
    trace_word(w->trace, r->word, false);
    return w->arith->how == ROUND ? to_format(w, s, r->f, x) : to_radius(w, r, x);
}

const struct ball *b_step(struct ask *w, int s, const struct ball *x) { return rounded(w, s, edit_value(w, s, x)); }
const struct ball *b_held(struct ask *w, int s, const struct ball *x) { return rounded(w, s, x); }

const struct ball *b_inner(struct ask *w, int s, const struct ball *x)
{
    return w->arith->how == WIDEN || w->arith->adverse ? rounded(w, s, x) : x;
}

const struct ball *b_given(struct ask *w, int s, const struct ball *x)
{
    const struct format *f = w->arith->at[s].f;
    return f && may_overflow(f, b_top(x)) ? x : b_inner(w, s, x);
}

const struct ball *b_stored(struct ask *w, const struct rounding *r, const struct ball *x)
{
    if (w->arith->how == ROUND)
        return to_format(w, STORE, r->f, x);
    if (to_nearest(r) && !w->arith->ftz && b_is(x) == r->f) /* It is a number of this format already. */
        return x;
    /* An exact ball in the format's largest binade or beyond may overflow: where it does, it is an infinity. */
    /* mutant: term 7c5c: of what lies in a smaller binade, the rounding is made in vain. */
    if (to_nearest(r) && x->rad.m == 0 && !mpfr_nan_p(x->mid) &&
        /* mutant: term e437: of what lies in a smaller binade, the rounding is no infinity either. */
        !up_less(up_of(x->mid), (struct up){ 0.5, r->f->emax + 1 })) {
        const struct ball *y = to_format(w, STORE, r->f, x);
        if (mpfr_inf_p(y->mid))
            return y;
    }
    return to_radius(w, r, x);
}

const struct ball *b_step_own(struct ask *w, int s, const struct ball *x)
{
    const struct rounding *r = &w->arith->at[s];
    if (w->arith->how != WIDEN || !r->f || edited(w, s))
        return b_step(w, s, x);
    trace_word(w->trace, r->word, false);
    struct ball *b = (struct ball *)x;
    if (!stays(w->arith, r, x))
        b->rad = up_add(x->rad, rounding_error(w->arith, r, b_top(x))), b->id = 0;
    b_becomes(b, r->f);
    return b;
}

static bool power_of_two(const struct ball *x)
{
    return x->rad.m == 0 && mpfr_regular_p(x->mid) && mpfr_min_prec(x->mid) == 1;
}

const struct ball *b_scaled(struct ask *w, int s, const struct ball *x, const struct ball *by)
{
    const struct rounding *r = widening(w, s);
    struct ball *y = (struct ball *)b_mul(w, x, by);
    if (!r || !to_nearest(r) || !keeps(r->f, b_is(x)) || !power_of_two(by) || mpfr_nan_p(y->mid) || edited(w, s))
        return b_step(w, s, y);
    y->rad = up_add(y->rad,
        may_overflow(r->f, b_top(y))               ? up_inf() :
            mpfr_get_exp(by->mid) > 0 && !w->arith->ftz ? (struct up){ 0, 0 } :
                                                          rounding_error(w->arith, r, (struct up){ 0, 0 }));
    b_becomes(y, r->f), y->id = 0;
    return y;
}

const struct ball *b_store(struct ask *w, const struct format *f, const struct ball *x)
{
    if (w->arith->how == EXACT || !mpfr_number_p(x->mid) || keeps(f, b_is(x)))
        return x;
    return w->arith->how == WIDEN ? to_radius(w, &(struct rounding){ .f = f, .ulps = 1 }, x) :
                                    to_format(w, STORE, f, x);
}
