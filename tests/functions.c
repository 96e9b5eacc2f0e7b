/* Functions on balls where random arguments hardly ever come: no number, the whole line, infinities, arguments beyond
 * all exponents, precisions of a few bits, the exact path, jumps.  Each case says what the comment of the function
 * promises there. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ball/dual.h"
#include "trial/trial.h"
#include "both.h"

enum { FINE = 400 };
static const struct arith exact = { 0 };
typedef const struct ball *one(struct ask *, const struct ball *);

static const struct ball *power(struct ask *w, const struct ball *x) { return b_pow(w, x, b_ratio(w, 3, 8)); }
static const struct ball *inverse(struct ask *w, const struct ball *x) { return b_pow(w, x, b_si(w, -3)); }

/* The ball m +- r, whose midpoint has room for a double, whatever the precision of the ask. */
static struct ball *near(struct ask *w, double m, double r)
{
    struct ball *b = (struct ball *)b_inf(w, 1);
    mpfr_set_prec(b->mid, w->prec > 53 ? w->prec : 53);
    mpfr_set_d(b->mid, m, MPFR_RNDN);
    b->mag = up_of(b->mid), b->rad = up_d(r);
    return b;
}

static bool equal(struct up x, struct up y) { return x.m == y.m && x.e == y.e; }
/* Half a unit in the last place of the midpoint; of 0, which has no such place, 0. */
static struct up half_unit(const struct ball *b)
{
    return mpfr_zero_p(b->mid) ? (struct up){ 0, 0 } :
                                 (struct up){ 0.5, mpfr_get_exp(b->mid) - mpfr_get_prec(b->mid) };
}

/* A function of an exact number is its nearest one at any precision, half a unit off at most, and says just that: in
 * its radius, in its size and in its count. */
Test(functions, of_an_exact_number_are_rounded_once_to_nearest)
{
    static one *const all[] = { b_exp, b_log, b_sqrt, b_sin, b_cos, both_sin, both_cos, b_tanh, power, inverse };
    for (mpfr_prec_t bits = 4; bits < 24; bits++)
        for (int k = 1; k < 40; k++)
            for (size_t f = 0; f < sizeof all / sizeof *all; f++) {
                struct ask w = { .arith = &exact }, fine = { .arith = &exact };
                ask_reset(&w, bits), ask_reset(&fine, FINE);
                const double x = k * (f > 2 && f < 8 && k % 2 ? -0.0625 : 0.0625);
                const struct ball *y = all[f](&w, near(&w, x, 0)), *real = all[f](&fine, near(&fine, x, 0));
                const struct up off = up_far(y->mid, real->mid), half = half_unit(y);
                cr_assert(!up_less(half, off), "function %zu of %g, %ld bits: not to nearest", f, x, (long)bits);
                cr_assert(off.m == 0 || equal(y->rad, half), "function %zu of %g, %ld bits: radius", f, x, (long)bits);
                cr_assert(equal(y->mag, up_of(y->mid)) && y->n == 1, "function %zu of %g: its size and count", f, x);
                ask_clear(&w), ask_clear(&fine);
            }
    balls_forget();
}

/* So is pi, which counts as no operation; and of a power the radius of its base is no less than what it moves. */
Test(functions, pi_is_rounded_once_and_powers_move_with_their_base)
{
    struct ask w = { .arith = &exact };
    for (mpfr_prec_t bits = 4; bits < 80; bits++) {
        ask_reset(&w, bits);
        const struct ball *pi = b_pi(&w), *y = power(&w, near(&w, 2, 0.25));
        cr_expect(equal(pi->rad, half_unit(pi)) && equal(pi->mag, up_of(pi->mid)) && pi->n == 0, "%ld", (long)bits);
        cr_expect(b_radius(y) > pow(2.25, 0.375) - pow(2, 0.375), "%ld bits: %g", (long)bits, b_radius(y));
    }
    ask_clear(&w);
}

/* The series of erf against the C library's function, which is another: their constants and signs are the same. */
Test(functions, erf_is_that_of_the_c_library)
{
    struct ask w = { .arith = &exact };
    for (int k = -96; k <= 96; k++) {
        ask_reset(&w, 90);
        const struct ball *y = b_erf(&w, near(&w, k * 0.0625, 0));
        cr_expect(fabs(b_value(y) - erf(k * 0.0625)) <= 0x1p-50, "erf %g: %.17g", k * 0.0625, b_value(y));
        cr_expect(b_radius(y) <= ldexp(1, -88), "erf %g: +- %g", k * 0.0625, b_radius(y));
    }
    ask_clear(&w);
}

/* rx min(|other| + rx/2, 1) at least, where `other` is the other function's true magnitude, and a unit of it more at
 * most: also where a unit is much. */
static void slope_of(struct ask *w, struct ask *fine, one *of, one *its_other, double x, double r)
{
    const struct ball *y = of(w, near(w, x, r)), *other = its_other(fine, near(fine, x, 0)),
                      *coarse = its_other(w, near(w, x, 0));
    const struct up half = up_2exp(up_d(r), -1), some = up_d(r), all = up_d(1),
                    more = up_add(up_of(other->mid), up_2exp(half_unit(coarse), 1)),
                    least = up_add(up_mul(some, up_min(up_add(up_below(other->mid), half), all)), half_unit(y)),
                    most = up_add(up_mul(some, up_min(up_add(more, half), all)), half_unit(y));
    cr_assert(!up_less(y->rad, up_mul(least, up_gap(up_d(1), up_d(0x1p-45)))), "%g +- %g, %ld bits: too small", x, r,
        (long)w->prec);
    cr_assert(!up_less(up_mul(most, up_d(1 + 0x1p-45)), y->rad), "%g +- %g, %ld bits: too large", x, r, (long)w->prec);
}
Test(functions, sines_and_cosines_are_as_steep_as_the_other_is_at_few_bits)
{
    struct ask w = { .arith = &exact }, fine = { .arith = &exact };
    for (mpfr_prec_t bits = 4; bits < 14; bits++)
        for (int k = -60; k <= 60; k++) {
            if (!k)
                continue;
            ask_reset(&w, bits), ask_reset(&fine, FINE);
            for (double r = 0x1p-30; r < 1; r *= 0x1p9) {
                slope_of(&w, &fine, both_sin, both_cos, k * 0.0625, r);
                slope_of(&w, &fine, both_cos, both_sin, k * 0.0625, r);
            }
        }
    ask_reset(&w, 64);
    const struct ball *s, *c, *x = near(&w, 0, 0x1.8p-20);
    b_sincos(&w, x, &s, &c);
    cr_expect(equal(s->rad, up_mul(x->rad, up_min(up_add(up_d(1), up_2exp(x->rad, -1)), up_d(1)))));
    cr_expect(equal(c->rad, up_mul(x->rad, up_2exp(x->rad, -1))), "at 0 nothing is rounded");
    ask_clear(&w), ask_clear(&fine);
}

/* A bounded function of a ball that reaches far is off by its whole range, 2, and no more. */
Test(functions, of_a_wide_ball_are_as_wide_as_their_range)
{
    static one *const all[] = { b_sin, b_cos, both_sin, both_cos, b_tanh, b_erf };
    struct ask w = { .arith = &exact };
    ask_reset(&w, 64);
    for (size_t f = 0; f < sizeof all / sizeof *all; f++)
        for (int k = -6; k <= 6; k++) {
            const double radius = b_radius(all[f](&w, near(&w, k, 40)));
            cr_expect(radius >= 2 && radius < 2 + 0x1p-48, "function %zu: %g", f, radius);
        }
    ask_clear(&w);
}

/* What each function makes of no number, of the whole line and of infinities.  "none": certainly no number; "whole":
 * the whole line; "open": either; "any": a ball without end; else exactly that number. */
struct ends { const char *name; one *of; const char *at[4]; };
static const struct ends ends[] = {
    { "exp", b_exp, { "none", "any", "inf", "0" } },
    { "log", b_log, { "open", "whole", "inf", "whole" } },
    { "sqrt", b_sqrt, { "none", "whole", "inf", "whole" } },
    { "sin", b_sin, { "none", "whole", "whole", "whole" } },
    { "cos", b_cos, { "none", "whole", "whole", "whole" } },
    { "the sine of two", both_sin, { "none", "whole", "whole", "whole" } },
    { "the cosine of two", both_cos, { "none", "whole", "whole", "whole" } },
    { "tanh", b_tanh, { "none", "whole", "1", "-1" } },
    { "sigmoid", b_sigmoid, { "none", "whole", "1", "0" } },
    { "softplus", b_softplus, { "open", "whole", "inf", "0" } },
    { "erf", b_erf, { "open", "whole", "1", "-1" } },
    { "floor", b_floor, { "open", "whole", "inf", "-inf" } },
    { "ceil", b_ceil, { "open", "whole", "inf", "-inf" } },
    { "x^(3/8)", power, { "open", "any", "whole", "whole" } },
};

static bool none(const struct ball *y) { return mpfr_nan_p(y->mid) && y->rad.m == 0 && y->mag.m == 0 && y->n == 0; }
static bool whole_line(const struct ball *y) { return mpfr_zero_p(y->mid) && isinf(y->rad.m) && isinf(y->mag.m); }
static bool is(const struct ball *y, const char *what)
{
    return !strcmp(what, "none") ? none(y) :
        !strcmp(what, "whole")   ? whole_line(y) :
        !strcmp(what, "open")    ? none(y) || whole_line(y) :
        !strcmp(what, "any")     ? isinf(y->rad.m) && !mpfr_nan_p(y->mid) :
                                   y->rad.m == 0 && mpfr_cmp_d(y->mid, strtod(what, NULL)) == 0 && !mpfr_nan_p(y->mid);
}

static const struct ball *argument(struct ask *w, int k)
{
    return k == 0 ? b_nan(w) : k == 1 ? b_log(w, b_si(w, -1)) : b_inf(w, k == 2 ? 1 : -1);
}

Test(functions, of_no_number_of_the_whole_line_and_of_infinities)
{
    struct ask w = { .arith = &exact };
    for (const struct ends *f = ends; f < ends + sizeof ends / sizeof *ends; f++)
        for (int k = 0; k < 4; k++) {
            ask_reset(&w, 64);
            const struct ball *y = f->of(&w, argument(&w, k));
            cr_expect(is(y, f->at[k]), "%s, argument %d: %g +- %g is not %s", f->name, k, b_value(y), b_radius(y),
                f->at[k]);
        }
    ask_clear(&w);
}

/* Under tangents what is no number is the whole line, and so is its tangent. */
Test(functions, of_no_number_have_no_tangent_either)
{
    struct dual d = { .n = 0 };
    struct ask w = { .arith = &exact, .dual = &d };
    for (const struct ends *f = ends; f < ends + sizeof ends / sizeof *ends; f++)
        for (int k = 0; k < 4; k++) {
            ask_reset(&w, 64);
            const struct ball *y = f->of(&w, argument(&w, k));
            const char *want = k ? f->at[k] : "whole";
            cr_expect(is(y, want), "%s, argument %d: %g +- %g is not %s", f->name, k, b_value(y), b_radius(y), want);
            cr_expect(!isinf(y->rad.m) || isinf(b_radius(dual_tangent(&w, y))), "%s, argument %d: tangent", f->name, k);
        }
    ask_clear(&w), dual_close(&d);
}

/* e^x of a ball that lies below 0 and is too wide for e^rx: no more than its value at the upper end. */
Test(functions, exponentials_of_wide_balls_below_0_are_no_wider_than_their_end)
{
    static const double mids[] = { -0x1p41, -0x1p60, -0x1p900 };
    struct ask w = { .arith = &exact };
    ask_reset(&w, 64);
    for (size_t k = 0; k < sizeof mids / sizeof *mids; k++) {
        const struct ball *got = b_exp(&w, near(&w, mids[k], mids[k] * (0x1p-40 - 1)));
        const struct ball *end = b_exp(&w, near(&w, mids[k] * 0x1p-40, 0));
        cr_expect(!up_less(got->rad, up_gap(up_below(end->mid), up_of(got->mid))), "%g: too little", mids[k]);
        cr_expect(up_less(got->rad, up_2exp(up_of(end->mid), 1)) || mids[k] < -0x1p300, "%g: too much", mids[k]);
        cr_expect(up_less(got->rad, up_d(0.25)), "%g: too much", mids[k]);
    }
    cr_expect(isinf(b_radius(b_exp(&w, near(&w, -1, (double)INFINITY)))));
    ask_clear(&w);
}

/* Sigmoid and softplus of a large number with a radius of several units, as a gate of 16 bits has one. */
Test(functions, sigmoid_and_softplus_of_large_numbers_are_known_whatever_their_radius)
{
    struct ask w = { .arith = &exact };
    ask_reset(&w, 64);
    for (int k = 8; k <= 80; k += 8)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double x = sign * ldexp(1, k), rad = fabs(x) / 256;
            const struct ball *s = b_sigmoid(&w, near(&w, x, rad)), *p = b_softplus(&w, near(&w, x, rad));
            const double least = exp(rad - fabs(x)) * 1.01; /* the one that is farther from 0 or 1 */
            cr_expect(b_radius(s) <= 2 * least + 0x1p-50, "sigmoid of %g +- %g: %g", x, rad, b_radius(s));
            cr_expect(b_radius(p) <= 2 * rad + 0x1p-50 && (sign > 0 || b_radius(p) <= 2 * least + 0x1p-50),
                "softplus of %g +- %g: %g", x, rad, b_radius(p));
        }
    ask_clear(&w);
}

/* A logarithm of a ball that reaches 0 is the whole line, wherever its midpoint lies. */
Test(functions, logarithms_of_balls_that_reach_0_are_the_whole_line)
{
    struct ask w = { .arith = &exact };
    ask_reset(&w, 64);
    for (int k = 1; k < 8; k++)
        cr_expect(whole_line(b_log(&w, near(&w, k, k))) && whole_line(b_log(&w, near(&w, k, k + 1))) &&
                !isinf(b_radius(b_log(&w, near(&w, k, k - 0x1p-40)))),
            "%d", k);
    ask_clear(&w);
}

/* Sigmoid and softplus where e^x or e^-x is beyond all of MPFR's numbers, whose range is made narrow for it, so that
 * what lies beyond still counts among the bits. */
Test(functions, sigmoid_and_softplus_reach_beyond_all_exponents)
{
    enum { MOST = 1000, BITS = 3000 };
    static const double at[] = { -900, -800, -700, -1, 1, 700, 800, 900 };
    const mpfr_exp_t kept = mpfr_get_emax();
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        struct ask w = { .arith = &exact }, fine = { .arith = &exact };
        ask_reset(&w, BITS), ask_reset(&fine, 2 * BITS);
        const struct ball *one = b_si(&fine, 1), *e = b_exp(&fine, near(&fine, at[k], 0)),
                          *sigmoid = b_div(&fine, e, b_add(&fine, one, e)), *plus = b_log(&fine, b_add(&fine, one, e));
        mpfr_set_emax(MOST);
        const struct ball *got[] = { b_sigmoid(&w, near(&w, at[k], 0)), b_softplus(&w, near(&w, at[k], 0)) };
        mpfr_set_emax(kept);
        for (int f = 0; f < 2; f++) {
            const struct up off = up_far(got[f]->mid, (f ? plus : sigmoid)->mid);
            const bool holds = !up_less(got[f]->rad, up_mul(off, up_gap(up_d(1), up_d(0x1p-50))));
            cr_expect(holds && up_less(got[f]->rad, (struct up){ 0.5, 20 - BITS }),
                "%s of %g: off by %g 2^%ld, +- %g 2^%ld", f ? "softplus" : "sigmoid", at[k], off.m, off.e,
                got[f]->rad.m, got[f]->rad.e);
        }
        ask_clear(&w), ask_clear(&fine);
    }
    balls_forget();
}

/* Where e^-x and e^x are numbers, x counts once: s (1 - s) rx, and s rx. */
Test(functions, sigmoid_and_softplus_count_the_radius_of_their_argument_once)
{
    struct ask w = { .arith = &exact };
    ask_reset(&w, 300);
    for (int k = -40; k <= 40; k += 4) {
        const struct ball *x = near(&w, k, 0x1p-40), *s = b_sigmoid(&w, x);
        const double t = b_value(s), once = t * b_value(b_sub(&w, b_si(&w, 1), s)) * 0x1p-40;
        cr_expect(b_radius(s) >= once && b_radius(s) < once * 1.0001, "sigmoid %d: %g of it", k, b_radius(s) / once);
        const double soft = b_radius(b_softplus(&w, x)) / (t * 0x1p-40);
        cr_expect(soft >= 1 && soft < 1.0001, "softplus %d: %g of it", k, soft);
    }
    ask_clear(&w);
}

/* On the exact path powers of known numbers have the bits that they need, or those of their base; off it, those of the
 * ask.  The base is 1 + 2^-(bits - 1). */
static const struct {
    long bits;
    double exponent;
    bool twice;       /* Is the base squared first? */
    long least, most; /* So many bits of the power are right; at most 1 << 20: all. */
} powers[] = {
    { 150, 2, false, 1 << 20, 1 << 20 },
    { 150, 0.5, true, 1 << 20, 1 << 20 },
    { 300, 1.5, false, 290, 310 },
    { 300, 65537, false, 290, 310 },
    { 300, 0x1p70, false, 290, 310 },
    { 300, -65537, false, 290, 310 },
    { 300, -0x1p70, false, 290, 310 },
    { 40, 3, false, 1 << 20, 1 << 20 },
};
Test(functions, powers_on_the_exact_path_have_the_bits_they_need)
{
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++)
        for (int path = 0; path < 2; path++) {
            struct ask w = { .arith = &exact, .exact = path };
            ask_reset(&w, 64);
            struct ball *x = near(&w, 1, 0);
            mpfr_set_prec(x->mid, powers[k].bits);
            mpfr_set_ui_2exp(x->mid, 1, 1 - powers[k].bits, MPFR_RNDN), mpfr_add_ui(x->mid, x->mid, 1, MPFR_RNDN);
            if (powers[k].twice)
                mpfr_prec_round(x->mid, 2 * powers[k].bits, MPFR_RNDN), mpfr_sqr(x->mid, x->mid, MPFR_RNDN);
            const struct ball *y = b_pow(&w, x, near(&w, powers[k].exponent, 0)), *root = b_sqrt(&w, x);
            const long right = y->rad.m > 0 ? mpfr_get_exp(y->mid) - y->rad.e : 1 << 20;
            cr_expect(path ? right >= powers[k].least && right <= powers[k].most : mpfr_get_prec(y->mid) == 64,
                "%zu on path %d: %ld bits of %ld", k, path, right, (long)mpfr_get_prec(y->mid));
            cr_expect(path ? !powers[k].twice || root->rad.m == 0 : mpfr_get_prec(root->mid) == 64,
                "the root of %zu on path %d", k, path);
            ask_clear(&w);
        }
}

/* x^(n/d): exact where both parts of x are powers of that degree, n/d in lowest terms; a number else, of x > 0. */
Test(functions, roots_of_perfect_powers_are_exact)
{
    static const struct {
        const char *x;
        long n, d;
        double want;
        bool exact;
    } roots[] = { { "27", 2, 6, 3, true }, { "27", -2, 6, 1 / 3.0, false }, { "3/4", 1, 2, 0.8660254037844386, false },
        { "4/3", 1, 2, 1.1547005383792515, false }, { "1/4", 1, 2, 0.5, true }, { "9/4", 3, 2, 3.375, true },
        { "10", 1, 3, 2.154434690031884, false }, { "1", 5, 7, 1, true }, { "-8", 1, 3, (double)NAN, false } };
    mpq_t q;
    mpq_init(q);
    for (size_t k = 0; k < sizeof roots / sizeof *roots; k++) {
        struct ask w = { .arith = &exact };
        ask_reset(&w, 100);
        mpq_set_str(q, roots[k].x, 10);
        const struct ball *y = b_root(&w, q, roots[k].n, roots[k].d);
        const double off = fabs(b_value(y) - roots[k].want), radius = b_radius(y);
        cr_expect(isnan(roots[k].want) ? isinf(radius) :
                off <= 0x1p-50 && (roots[k].exact ? radius == 0 : radius > 0 && radius < 0x1p-80),
            "%s^(%ld/%ld): %g +- %g", roots[k].x, roots[k].n, roots[k].d, b_value(y), radius);
        ask_clear(&w);
    }
    mpq_clear(q);
}

/* Both ends of a ball decide its floor and its ceiling: exactly, however many bits the midpoint has and however near an
 * integer lies; and at either end an integer is a jump, where there is no tangent. */
Test(functions, floors_and_ceilings_are_those_of_both_ends)
{
    static const struct { double m, less, r, floor, ceil; bool jump; } cases[] = {
        { 2.5, 0, 0, 2, 3, false }, { 2, 0, 0, 2, 2, true }, { -3, 0, 0, -3, -3, true },
        { 3, 0x1p-200, 0, 2, 3, false }, { 3, -0x1p-200, 0, 3, 4, false },
        { 2.5, 0, 0.5 - 0x1p-40, 2, 3, false }, { 2.25, 0, 0.25, 2, NAN, true }, { 2.75, 0, 0.25, NAN, 3, true },
        { 2.9, 0, 0.2, NAN, NAN, true }, { -0.5, 0, 0.25, -1, 0, false } };
    double at = 0, v = 1;
    struct mer_array a = { "x", MER_F64, 1, { 1 }, &at };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int up = 0; up < 2; up++) {
            struct dual d = { .in = { { &a, &v } }, .n = 1 };
            struct ask w = { .arith = &exact, .dual = &d };
            ask_reset(&w, 64), at = cases[k].m;
            struct ball *x = (struct ball *)b_element(&w, &a, 0);
            mpfr_prec_round(x->mid, 300, MPFR_RNDN), mpfr_sub_d(x->mid, x->mid, cases[k].less, MPFR_RNDN);
            x->rad = up_d(cases[k].r);
            const struct ball *y = (up ? b_ceil : b_floor)(&w, x);
            const double want = up ? cases[k].ceil : cases[k].floor;
            cr_expect(isnan(want) ? w.undecided && b_radius(y) == 1 :
                    !w.undecided && y->rad.m == 0 && b_value(y) == want && equal(y->mag, up_d(fabs(want))),
                "case %zu, %d: %g +- %g, not %g", k, up, b_value(y), b_radius(y), want);
            const struct ball *t = dual_tangent(&w, y);
            cr_expect(cases[k].jump || isnan(want) ? isinf(b_radius(t)) : mpfr_zero_p(t->mid) && t->rad.m == 0,
                "case %zu, %d: its tangent is %g +- %g", k, up, b_value(t), b_radius(t));
            ask_clear(&w), dual_close(&d);
        }
}

/* The tangent of an element of an input is the direction's number itself, with its size; where the ask has fewer bits,
 * its rounding.  Elements before and behind that input have none, and there is no exact path. */
Test(functions, tangents_of_inputs_are_the_numbers_of_their_direction)
{
    enum { BEFORE = 2, N = 3, ALL = 7 };
    double at[ALL] = { 1, 2, 3, 4, 5, 6, 7 }, v[ALL] = { 5, 5, 1 + 0x1p-52, -(2 - 0x1p-52), 0x1p-1060, 5, 5 };
    struct mer_array all = { "all", MER_F64, 1, { ALL }, at }, a = { "x", MER_F64, 1, { N }, at + BEFORE };
    for (mpfr_prec_t bits = 8; bits <= 256; bits *= 2)
        for (int k = 0; k < ALL; k++) {
            struct dual d = { .in = { { &a, v + BEFORE } }, .n = 1 };
            struct ask w = { .arith = &exact, .dual = &d, .exact = true };
            ask_reset(&w, bits);
            const struct ball *t = dual_tangent(&w, b_element(&w, &all, k));
            const double want = k < BEFORE || k >= BEFORE + N ? 0 : v[k];
            mpfr_t real;
            mpfr_init2(real, 53), mpfr_set_d(real, want, MPFR_RNDN);
            cr_expect(equal(t->mag, up_of(t->mid)) && !up_less(t->rad, up_far(t->mid, real)) && !w.exact,
                "%d at %ld bits: %g", k, (long)bits, b_value(t));
            cr_expect(bits < 53 ? b_radius(t) <= ldexp(2, (int)-bits) : t->rad.m == 0, "%d at %ld bits", k, (long)bits);
            mpfr_clear(real), ask_clear(&w), dual_close(&d);
            cr_expect(!d.w.pool && !d.w.room, "nothing is left of the tangents");
        }
}

/* dual.h: tangents exist for real numbers only; who asks otherwise is told, and the program ends. */
Test(functions, tangents_of_rounded_values_end_the_program)
{
    char line[200] = "";
    int ends[2], status = 0;
    cr_assert_eq(pipe(ends), 0);
    const pid_t pid = fork();
    if (!pid) {
        struct arith round = { .how = ROUND };
        struct dual d = { .n = 0 };
        struct ask w = { .arith = &round, .dual = &d };
        dup2(ends[1], STDERR_FILENO);
        ask_reset(&w, 64);
        _exit(0);
    }
    close(ends[1]);
    const ssize_t n = read(ends[0], line, sizeof line - 1);
    cr_expect(n > 0 && !strcmp(line, "meridian: tangents of rounded values are not defined\n"), "%s", line);
    cr_expect(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    close(ends[0]);
}

/* up.h: a bound is rounded up, to whatever precision it is put, and of a number no bit is overlooked, in whatever limb
 * it stands; as a double it is infinite or the least one where its exponent is no int. */
Test(functions, bounds_are_rounded_up_from_any_limb_and_to_any_precision)
{
    mpfr_t x, y;
    mpfr_init2(x, 64), mpfr_init2(y, 64);
    for (mpfr_prec_t bits = 54; bits <= 330; bits += 23)
        for (long k = 53; k < bits; k++) {
            mpfr_set_prec(x, bits), mpfr_set_ui_2exp(x, 1, -k, MPFR_RNDN), mpfr_add_ui(x, x, 1, MPFR_RNDN);
            cr_assert(up_double(up_of(x)) == 1 + 0x1p-52 && up_double(up_below(x)) == 1, "bit %ld", k);
        }
    for (mpfr_prec_t bits = 2; bits < 60; bits++)
        for (long e = -70; e <= 70; e += 7) {
            const struct up bound = { 0.5 + 0x1p-53, e };
            mpfr_set_prec(x, bits), up_get(x, bound);
            mpfr_set_prec(y, 53), mpfr_set_d(y, bound.m, MPFR_RNDN), mpfr_mul_2si(y, y, e, MPFR_RNDN);
            cr_assert(bits < 53 ? mpfr_cmp(x, y) > 0 : mpfr_equal_p(x, y), "%ld bits", (long)bits);
            mpfr_nextbelow(x);
            cr_assert(mpfr_cmp(x, y) < 0, "%ld bits: not the next one", (long)bits);
        }
    for (long e = 1L << 11; e > 0 && e < 1L << 62; e *= 2)
        for (int k = -3; k <= 3; k++) {
            cr_assert(isinf(up_double((struct up){ 0.75, e + k })), "2^%ld", e + k);
            cr_assert(up_double((struct up){ 0.75, k - e }) == 0x1p-1074, "2^%ld", k - e);
        }
    mpfr_clears(x, y, (mpfr_ptr)0);
}
