/* Ball arithmetic: every operation rounds once and says so in the radius.  Each radius formula stands beside its
 * operation. */
#include "ball/ball.h"
#include "arith/exactly.h"
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "ball/make.h"

/* Pools of asks that this thread is done with.  A diagnosis opens thousands of asks of some hundred balls each, and to
 * make and to free their balls was a tenth of its time, or a third where lines have hundreds of elements.  Pools of
 * more balls, which are two megabytes, and long numbers are not kept.  Where AddressSanitizer is to see every use of a
 * ball whose ask is gone, nothing is. */
#ifdef __SANITIZE_ADDRESS__
enum { SPARES = 0 };
#else
enum { SPARES = 4 };
#endif
enum { SPARE_BALLS = 1 << 13, SPARE_BITS = 256 };
static _Thread_local struct { struct ball **pool; size_t room; } spare[SPARES + 1];
static _Thread_local int spares;

static void free_pool(struct ball **pool, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        mpfr_clear(pool[i]->mid);
        free(pool[i]);
    }
}

void balls_forget(void)
{
    while (spares) {
        spares--;
        free_pool(spare[spares].pool, 0, spare[spares].room);
        free(spare[spares].pool);
    }
    mpfr_free_cache();
}

struct ball *ball_grow(struct ask *w)
{
    if (!w->room && spares) {
        spares--;
        w->pool = spare[spares].pool, w->room = spare[spares].room;
        return w->pool[w->used++];
    }
    /* mutant: constant 23a0: this is only how much room is made ahead. */
    w->room += w->room / 8 + 64;
    w->pool = need_more(w->pool, w->room, sizeof *w->pool);
    for (size_t i = w->used; i < w->room; i++) {
        w->pool[i] = need(1, sizeof(struct ball));
        mpfr_init2(w->pool[i]->mid, 64); /* mutant: constant a78c: whoever takes a ball sets its precision. */
    }
    return w->pool[w->used++];
}

void ask_reset(struct ask *w, mpfr_prec_t prec)
{
    w->used = 0, w->prec = prec, w->undecided = false, w->site_turns = 0;
    if (w->dual)
        dual_reset(w);
    if (w->exact && !w->names)
        w->names = names_new(NAMES);
    if (w->names)
        names_clear(w->names);
}

void ask_clear(struct ask *w)
{
    if (w->room && w->room <= SPARE_BALLS && w->widest <= SPARE_BITS && spares < SPARES)
        spare[spares].pool = w->pool, spare[spares].room = w->room, spares++;
    else {
        free_pool(w->pool, 0, w->room);
        free(w->pool);
    }
    names_free(w->names);
    if (w->memo)
        w->memo_free(w->memo);
    if (w->kept)
        w->kept_free(w->kept);
    w->pool = NULL, w->names = NULL, w->memo = NULL, w->kept = NULL;
    w->used = w->room = 0, w->widest = 0;
}

const struct ball *ask_keep(struct ask *w, size_t mark, const struct ball *x)
{
    /* mutant: loop fbdc: the place behind the last ball was given to nobody, so that x is not there. */
    for (size_t i = mark; i < w->used; i++)
        if (w->pool[i] == x) {
            struct ball *first = w->pool[mark];
            w->pool[mark] = w->pool[i];
            w->pool[i] = first;
            w->used = mark + 1;
            break; /* mutant: statement 1289: the loop has come to its new end, too. */
        }
    return x;
}

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t) * (void *const *)a, y = (uintptr_t) * (void *const *)b;
    return (x > y) - (x < y);
}
void ask_keep_all(struct ask *w, size_t mark, const struct ball *const *x, long n)
{
    const struct ball **sorted = need((size_t)n + 1, sizeof *sorted);
    size_t kept = mark;
    for (long k = 0; k < n; k++) /* Of none x may be NULL, which memcpy does not take. */
        sorted[k] = x[k];
    qsort(sorted, (size_t)n, sizeof *sorted, by_address);
    /* mutant: loop ab5e: the place behind the last ball was given to nobody, so that none of them is there. */
    for (size_t i = mark; i < w->used; i++)
        if (bsearch(&w->pool[i], sorted, (size_t)n, sizeof *sorted, by_address)) {
            struct ball *b = w->pool[i];
            w->pool[i] = w->pool[kept], w->pool[kept++] = b;
        }
    w->used = kept;
    free(sorted);
}

void ask_trim(struct ask *w, const struct ball *const *y, long n)
{
    enum { KEPT = SPARE_BALLS };
    if (w->room <= KEPT || (size_t)n > KEPT)
        return;
    ask_keep_all(w, 0, y, n);
    free_pool(w->pool, KEPT, w->room);
    w->room = KEPT;
}

/* The larger of the precision of the ask and that of x, in bits: a copy of x at this precision is exact. */
static mpfr_prec_t wider(const struct ask *w, const struct ball *x)
{
    mpfr_prec_t p = mpfr_get_prec(x->mid);
    return p > w->prec ? p : w->prec;
}

const struct ball *b_widen(struct ask *w, const struct ball *x, struct up r)
{
    struct ball *b = take_bits(w, wider(w, x));
    exactly(mpfr_set(b->mid, x->mid, MPFR_RNDN));
    if (b_undefined(w, x)) /* No rounding makes a number of what is none, so its radius stays. */
        r = (struct up){ 0, 0 };
    b->rad = up_add(x->rad, r), b->mag = x->mag, b->n = x->n, b->format = x->format, b->lift = x->lift;
    b->id = r.m == 0 ? x->id : 0;
    if (w->dual)
        r.m == 0 ? dual_same(w, b, x) : dual_corner(w, b, x, NULL);
    return b;
}

const struct ball *b_at(struct ask *w, const struct ball *x)
{
    /* mutant: constant 36f8: the radius, the name and the tangent that this makes are replaced below. */
    struct ball *b = (struct ball *)b_widen(w, x, (struct up){ 0, 0 });
    b->rad = (struct up){ 0, 0 }, b->id = 0, b->d = NULL;
    return b;
}

struct up b_top(const struct ball *x) { return up_add(up_of(x->mid), x->rad); }

const struct ball *b_si(struct ask *w, long n)
{
    /* mutant: constant 12ab: a long has no more than 64 bits. */
    struct ball *b = take_exact(w, w->exact ? 64 : 0);
    rounded(b, mpfr_set_si(b->mid, n, MPFR_RNDN));
    absolute(b);
    return b;
}

static const struct ball *b_z(struct ask *w, mpz_srcptr z)
{
    struct ball *b = take_exact(w, (mpfr_prec_t)mpz_sizeinbase(z, 2));
    rounded(b, mpfr_set_z(b->mid, z, MPFR_RNDN));
    absolute(b);
    return b;
}

const struct ball *b_q(struct ask *w, mpq_srcptr q)
{
    if (w->exact) /* As a quotient it gets a name, so that equal rationals are known to be equal. */
        return b_div(w, b_z(w, mpq_numref(q)), b_z(w, mpq_denref(q)));
    struct ball *b = take(w);
    rounded(b, mpfr_set_q(b->mid, q, MPFR_RNDN));
    absolute(b);
    return b;
}

const struct ball *b_ratio(struct ask *w, long n, long d)
{
    if (w->exact)
        return b_div(w, b_si(w, n), b_si(w, d));
    mp_limb_t limb[1];
    mpfr_t top; /* This has room for all bits of n, so that the quotient is rounded once. */
    mpfr_custom_init(limb, 64);
    mpfr_custom_init_set(top, MPFR_ZERO_KIND, 0, 64, limb);
    exactly(mpfr_set_si(top, n, MPFR_RNDN));
    struct ball *b = take(w);
    rounded(b, mpfr_div_si(b->mid, top, d, MPFR_RNDN));
    absolute(b);
    return b;
}

const struct ball *b_inf(struct ask *w, int sign)
{
    struct ball *b = take(w);
    mpfr_set_inf(b->mid, sign);
    absolute(b);
    return b;
}

const struct ball *b_nan(struct ask *w)
{
    struct ball *b = take(w);
    mpfr_set_nan(b->mid);
    return b;
}

/* The number of bits from the highest place that x + y may have to the lowest place of x and y.  With this precision
 * the sum of the midpoints is exact.  Both midpoints are finite. */
static mpfr_prec_t sum_bits(const struct ball *x, const struct ball *y)
{
    if (mpfr_zero_p(x->mid) || mpfr_zero_p(y->mid))
        return mpfr_min_prec(mpfr_zero_p(x->mid) ? y->mid : x->mid);
    mpfr_exp_t a = mpfr_get_exp(x->mid), b = mpfr_get_exp(y->mid), la = a - mpfr_min_prec(x->mid),
               lb = b - mpfr_min_prec(y->mid);
    return (a > b ? a : b) + 1 - (la < lb ? la : lb);
}

/* Is there just this one number, or infinity, in the ball?  A number more or less leaves an infinity what it is; an
 * infinite radius does not. */
static bool sure(const struct ball *x) { return x->rad.m == 0 || (mpfr_inf_p(x->mid) && !isinf(x->rad.m)); }
/* b, where the midpoints x and y give no number: what is undefined may be anything.  Under an edit a kernel computes it
 * all the same, and what infinities, or 0 / 0, certainly leave is no number. */
static const struct ball *no_number(struct ask *w, struct ball *b, const struct ball *x, const struct ball *y)
{
    return w->arith->edit.step && sure(x) && sure(y) ? b_nan(w) : whole(b);
}

/* May x be the infinity, of either sign, that has no sum with another?  May it be 0, which has no product with one?
 * Asked of what meets an infinity; of another infinity, the midpoints answer. */
static bool may_be_infinite(const struct ball *x) { return isinf(x->rad.m) && !mpfr_inf_p(x->mid); }
static bool may_be_0(const struct ball *x) { return !mpfr_inf_p(x->mid) && !up_less(x->rad, up_below(x->mid)); }

const struct ball *b_add(struct ask *w, const struct ball *x, const struct ball *y)
{
    if (b_undefined(w, x) || b_undefined(w, y))
        return b_nan(w);
    /* mutant: argument f6cb: a sum has the same bits in either order. */
    struct ball *b = w->exact && known(x) && known(y) ? take_exact(w, sum_bits(x, y)) : take(w);
    b->rad = up_add(x->rad, y->rad);
    rounded(b, mpfr_add(b->mid, x->mid, y->mid, MPFR_RNDN));
    b->mag = up_add(x->mag, y->mag);
    b->n = x->n + y->n;
    const bool open = mpfr_inf_p(b->mid) && (may_be_infinite(x) || may_be_infinite(y));
    /* mutant: argument 7c9a: the name and the tangent of a sum are the same in either order. */
    return open || mpfr_nan_p(b->mid) ? no_number(w, b, x, y) : named(w, b, ADD, x, y);
}

const struct ball *b_neg(struct ask *w, const struct ball *x)
{
    struct ball *b = take_bits(w, wider(w, x)); /* At this precision the negation is exact. */
    mpfr_neg(b->mid, x->mid, MPFR_RNDN);
    b->rad = x->rad, b->mag = x->mag, b->n = x->n, b->format = x->format, b->lift = x->lift;
    return named(w, b, NEG, x, NULL);
}

/* The slope of |x| is 1 or -1, so that the radius stays.  For tangents, a ball that reaches 0 holds a corner. */
const struct ball *b_abs(struct ask *w, const struct ball *x)
{
    struct ball *b = take_bits(w, wider(w, x));
    mpfr_abs(b->mid, x->mid, MPFR_RNDN);
    b->mag = x->mag, b->rad = x->rad, b->n = x->n, b->format = x->format, b->lift = x->lift;
    if (w->dual)
        !up_less(x->rad, up_below(x->mid)) ? dual_corner(w, b, x, NULL) :
                                             /* mutant: compare bbd8: a midpoint of 0 has been a corner. */
                                             dual_same(w, b, mpfr_sgn(x->mid) < 0 ? b_neg(w, x) : x);
    return b;
}

const struct ball *b_sub(struct ask *w, const struct ball *x, const struct ball *y)
{
    if (w->exact && b_same(x, y) && !b_undefined(w, x)) {
        struct ball *zero = (struct ball *)b_si(w, 0);
        zero->mag = up_add(x->mag, y->mag), zero->n = x->n + y->n;
        return zero;
    }
    return b_add(w, x, b_neg(w, y));
}

/* The exponent of x as a unit sees it: not below that of the smallest normal number of the format that x is a value
 * of. */
static long exponent_of(const struct ball *x)
{
    const long e = (long)mpfr_get_exp(x->mid);
    /* mutant: constant f939: an exponent of emin + 1 is answered either way. */
    return b_is(x) && e < b_is(x)->emin + 1 ? b_is(x)->emin + 1 : e;
}

/* The lift of the product b of x and y (ball.h).  Under a bound a midpoint may lie far below the numbers of its format:
 * what does not fit a short is held at its end. */
static short lift_of(const struct ball *b, const struct ball *x, const struct ball *y)
{
    const long lift = (long)mpfr_get_exp(b->mid) - exponent_of(x) - exponent_of(y) + 1;
    return (short)(lift < -SHRT_MAX ? -SHRT_MAX : lift);
}

/* The product of two balls of radii rx and ry is off by at most |x| ry + rx (|y| + ry). */
const struct ball *b_mul(struct ask *w, const struct ball *x, const struct ball *y)
{
    if (b_undefined(w, x) || b_undefined(w, y))
        return b_nan(w);
    struct ball *b =
        w->exact && known(x) && known(y) ? take_exact(w, mpfr_min_prec(x->mid) + mpfr_min_prec(y->mid)) : take(w);
    /* mutant: compare 4916: without radii the sum is 0, too. */
    /* mutant: condition 83da: without radii the sum is 0, too. */
    if (x->rad.m > 0 || y->rad.m > 0)
        b->rad = up_add(up_error(up_of(x->mid), y->rad), up_error(b_top(y), x->rad));
    rounded(b, mpfr_mul(b->mid, x->mid, y->mid, MPFR_RNDN));
    b->mag = up_mul(x->mag, y->mag);
    b->n = x->n + y->n + 1;
    if (w->arith->how != EXACT && mpfr_regular_p(b->mid) && mpfr_regular_p(x->mid) && mpfr_regular_p(y->mid))
        b->lift = lift_of(b, x, y); /* mutant: argument c910: a lift is the same in either order. */
    const bool open = mpfr_inf_p(b->mid) && (may_be_0(x) || may_be_0(y));
    /* mutant: argument 164b: whether both are sure is asked in either order. */
    return open || mpfr_nan_p(b->mid) ? no_number(w, b, x, y) : named(w, b, MUL, x, y);
}

/* The quotient of two balls of radii rx and ry is off by at most (rx + |x/y| ry) / (|y| - ry); where y may be 0, it is
 * the whole line.  On the exact path: a dyadic quotient of dyadic numbers has at most the bits of x. */
const struct ball *b_div(struct ask *w, const struct ball *x, const struct ball *y)
{
    if (b_undefined(w, x) || b_undefined(w, y))
        return b_nan(w);
    struct ball *b = w->exact && known(x) && known(y) ? take_exact(w, mpfr_min_prec(x->mid)) : take(w);
    struct up low = up_gap(up_below(y->mid), y->rad);
    struct up half = half_ulp(b, mpfr_div(b->mid, x->mid, y->mid, MPFR_RNDN));
    b->rad = up_add(half, up_div(up_add(x->rad, up_error(up_add(up_of(b->mid), half), y->rad)), low));
    b->mag = up_div(x->mag, up_below(y->mid));
    b->n = x->n + y->n + 1;
    const bool by_zero = mpfr_zero_p(y->mid) && y->rad.m == 0;
    if (w->arith->edit.step && by_zero && !may_be_0(x) && !isinf(x->rad.m)) /* A kernel divides, and 0 has its sign. */
        /* mutant: constant e9bf: MPFR takes a sign of 0 for plus. */
        return b_inf(w, mpfr_signbit(x->mid) == mpfr_signbit(y->mid) ? 1 : -1);
    if (!(low.m > 0) || mpfr_nan_p(b->mid)) /* Whatever is divided by exactly 0 is no finite number. */
        return no_number(w, b, mpfr_zero_p(y->mid) ? y : x, y);
    if (b_same(x, y)) {
        exactly(mpfr_set_ui(b->mid, 1, MPFR_RNDN));
        b->rad = (struct up){ 0, 0 };
    }
    return named(w, b, DIV, x, y);
}

/* The larger of x and y where sign is 1, the smaller where it is -1.  Where it is certain which one that is, the result
 * is that operand itself.  Else it is the extreme of both midpoints, and its radius is the larger of both radii, since
 * the extreme of two numbers moves by no more than the one that moves most. */
static const struct ball *extreme(struct ask *w, const struct ball *x, const struct ball *y, int sign)
{
    int order = b_cmp(x, y);
    if (order == 0 && w->dual) {
        struct ball *tie = (struct ball *)b_widen(w, x, (struct up){ 0, 0 });
        dual_corner(w, tie, x, y);
        return tie;
    }
    if (order != 2)
        return order == -sign ? y : x;
    if (mpfr_unordered_p(x->mid, y->mid))
        return whole(take(w));
    /* mutant: compare c098: of equal midpoints it does not matter which one is copied. */
    const struct ball *z = (sign > 0) == (mpfr_cmp(x->mid, y->mid) > 0) ? x : y;
    struct ball *b = take_bits(w, wider(w, z)); /* At this precision the copy is exact. */
    exactly(mpfr_set(b->mid, z->mid, MPFR_RNDN));
    b->rad = up_max(x->rad, y->rad);
    absolute(b);
    b->n = fmax(x->n, y->n);
    if (w->dual)
        dual_corner(w, b, x, y); /* mutant: argument 7954: a corner is one in either order. */
    return b;
}
/* mutant: argument 0c39: the greater of two is the same in either order. */
const struct ball *b_max(struct ask *w, const struct ball *x, const struct ball *y) { return extreme(w, x, y, 1); }
/* mutant: argument e93d: the lesser of two is the same in either order. */
const struct ball *b_min(struct ask *w, const struct ball *x, const struct ball *y) { return extreme(w, x, y, -1); }

const struct ball *b_heaviside(struct ask *w, const struct ball *x, const struct ball *at_zero)
{
    const int side = b_cmp(x, b_si(w, 0));
    if (side != 2)
        return side ? b_si(w, side > 0) : at_zero; /* mutant: compare 1da4: here the side is not 0. */
    w->undecided |= w->arith->how != WIDEN;
    return b_widen(w, b_ratio(w, 1, 2), isinf(x->rad.m) ? up_inf() : up_d(0.5));
}

bool b_same(const struct ball *x, const struct ball *y)
{
    return known(x) && known(y) ? mpfr_equal_p(x->mid, y->mid) != 0 :
                                  x->id && x->id == y->id && x->rad.m > 0 && y->rad.m > 0;
}

int b_cmp(const struct ball *x, const struct ball *y)
{
    /* The second test finds equal infinities, of which b_same knows nothing. */
    if (b_same(x, y) || (x->rad.m == 0 && y->rad.m == 0 && mpfr_equal_p(x->mid, y->mid)))
        return 0;
    int sign = mpfr_cmp(x->mid, y->mid);
    struct up r = up_add(x->rad, y->rad), d;
    if (sign == 0) /* mpfr_cmp says so of what is no number, too. */
        return 2; /* The midpoints are equal but not known to be the same number, or one of them is no number. */
    if (r.m == 0)
        /* mutant: compare a7d6: a sign of 0 has been answered before. */
        return sign < 0 ? -1 : 1;
    mpfr_t t;
    mpfr_init2(t, 64);
    /* mutant: argument d2bb: only the size of the difference is read. */
    /* mutant: rounding ea33: a radius of 53 bits that is below the difference rounded up is below it, too. */
    mpfr_sub(t, x->mid, y->mid, MPFR_RNDZ);
    d = up_below(t);
    mpfr_clear(t);
    /* mutant: compare be30: a sign of 0 has been answered before. */
    return up_less(r, d) ? (sign < 0 ? -1 : 1) : 2;
}

bool b_overlap(const struct ball *x, const struct ball *y)
{
    const int c = b_cmp(x, y); /* mutant: argument 85b3: whether two overlap is asked in either order. */
    return (c == 0 || c == 2) && !mpfr_nan_p(x->mid) && !mpfr_nan_p(y->mid);
}
double b_radius(const struct ball *x) { return up_double(x->rad); }
double b_value(const struct ball *x) { return mpfr_get_d(x->mid, MPFR_RNDN); }
