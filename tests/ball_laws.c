/* What ball.h promises of single balls, case by case in tables: how many bits a result has, which numbers are exact,
 * what is no number, and which of two is the larger. */
#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include "edit/site.h"
#include "ball/dual.h"
#include "ball/input.h"
#include "ball/make.h"

static const struct arith exact = { 0 };
typedef const struct ball *two(struct ask *, const struct ball *, const struct ball *);

/* The number m 2^e + more with all its bits, the largest whole number of p bits, and a ball of these two numbers. */
struct dyadic { long m, e, more; };
static const struct ball *number(struct ask *w, struct dyadic x)
{
    struct ball *b = take_bits(w, labs(x.e) + 128);
    mpfr_set_si_2exp(b->mid, x.m, x.e, MPFR_RNDN);
    mpfr_add_si(b->mid, b->mid, x.more, MPFR_RNDN);
    absolute(b);
    return b;
}
static const struct ball *of_bits(struct ask *w, long p) { return number(w, (struct dyadic){ 1, p, -1 }); }
static const struct ball *wide(struct ask *w, double mid, double rad)
{
    struct ball *b = take_bits(w, 64);
    mpfr_set_d(b->mid, mid, MPFR_RNDN);
    absolute(b);
    b->rad = isinf(rad) ? up_inf() : up_d(rad);
    return b;
}
static bool same_up(struct up x, struct up y) { return x.m == y.m && (x.m == 0 || x.e == y.e); }

/* On the exact path a result has all its bits: no more than there are from its first place to its last one, and
 * EXACT_BITS at most.  The numbers are longer than those that names would finish. */
Test(ball_laws, known_numbers_get_the_bits_that_their_results_need)
{
    enum { ALL = 1 << 17 };
    static const struct { two *op; int (*mpfr)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
        struct dyadic x, y; long bits; } law[] = {
        { b_add, mpfr_add, { 1, 0, 0 }, { 1, -20000, 0 }, 20002 },
        { b_add, mpfr_add, { 1, -20000, 0 }, { 1, 0, 0 }, 20002 },
        { b_add, mpfr_add, { -1, 0, 0 }, { 1, 20000, 0 }, 20002 },
        { b_add, mpfr_add, { 1, 20000, -1 }, { 1, 20000, -2 }, 20001 },
        { b_add, mpfr_add, { 1, 30000, 0 }, { 1, -30000, 0 }, 60002 },
        { b_add, mpfr_add, { 0, 0, 0 }, { 1, 20000, 1 }, 20001 },
        { b_add, mpfr_add, { 1, 20000, 1 }, { 0, 0, 0 }, 20001 },
        { b_add, mpfr_add, { 1, 0, 0 }, { 1, 2 - EXACT_BITS, 0 }, EXACT_BITS },
        { b_add, mpfr_add, { 1, 0, 0 }, { 1, 1 - EXACT_BITS, 0 }, 0 },
        { b_sub, mpfr_sub, { 1, -20000, 0 }, { 3, 0, 0 }, 20003 },
        { b_sub, mpfr_sub, { 1, 20000, 1 }, { 1, 20000, -1 }, 20002 },
        { b_mul, mpfr_mul, { 1, 20000, 1 }, { 1, 20000, -1 }, 40001 },
        { b_mul, mpfr_mul, { 1, 20000, 1 }, { 3, 0, 0 }, 20003 },
        { b_mul, mpfr_mul, { 1, EXACT_BITS / 2, -1 }, { 1, EXACT_BITS / 2, -1 }, EXACT_BITS },
        { b_mul, mpfr_mul, { 1, EXACT_BITS / 2 + 1, -1 }, { 1, EXACT_BITS / 2, -1 }, 0 },
        { b_div, mpfr_div, { 1, 40000, -1 }, { 1, 20000, 1 }, 40000 },
        { b_div, mpfr_div, { 1, 20000, 1 }, { 1, 5, 0 }, 20001 },
    };
    struct ask w = { .arith = &exact, .exact = true };
    mpfr_t want, top;
    mpfr_init2(want, ALL), mpfr_init2(top, ALL);
    for (size_t k = 0; k < sizeof law / sizeof *law; k++) {
        ask_reset(&w, 64);
        const struct ball *x = number(&w, law[k].x), *y = number(&w, law[k].y), *b = law[k].op(&w, x, y);
        cr_assert_eq(law[k].mpfr(want, x->mid, y->mid, MPFR_RNDN), 0, "case %zu", k);
        const long bits = (long)mpfr_get_prec(b->mid), due = law[k].bits ? law[k].bits : 64;
        cr_expect_eq(bits, due, "case %zu: %ld bits, and not %ld", k, bits, due);
        cr_expect(law[k].bits ? b->rad.m == 0 && mpfr_equal_p(b->mid, want) : b->rad.m > 0, "case %zu is exact", k);
        up_get(top, b->rad);
        mpfr_sub(want, want, b->mid, MPFR_RNDA);
        cr_expect(mpfr_cmpabs(want, top) <= 0, "case %zu lies outside", k);
    }
    mpfr_clears(want, top, (mpfr_ptr)0);
    ask_clear(&w);
}

/* Elsewhere it has those of the ask, however many its operands have; a copy has all of its original. */
Test(ball_laws, other_results_have_the_bits_of_the_ask)
{
    static two *const op[] = { b_add, b_sub, b_mul, b_div };
    for (int on = 0; on < 2; on++) {
        struct ask w = { .arith = &exact, .exact = on };
        ask_reset(&w, 64);
        const struct ball *known[] = { of_bits(&w, 200), of_bits(&w, 300) },
                          *open[] = { b_widen(&w, known[0], up_d(0x1p-99)), b_widen(&w, known[1], up_d(0x1p-99)) };
        for (int k = 0; k < 16; k++) {
            const struct ball *x = (k & 1 ? open : known)[0], *y = (k & 2 ? open : known)[1], *b = op[k / 4](&w, x, y);
            const bool all = on && !(k & 3);
            cr_expect_eq(mpfr_get_prec(b->mid) > 64, all, "operation %d, %d%d: %ld bits", k / 4, on, k & 3,
                (long)mpfr_get_prec(b->mid));
            cr_expect(all == (b->rad.m == 0) || k / 4 == 3, "operation %d, %d%d: radius %g", k / 4, on, k & 3,
                b_radius(b));
        }
        for (int k = 0; k < 2; k++) {
            const struct ball *x = open[0], *same[] = { b_widen(&w, x, up_d(1)), b_neg(&w, b_neg(&w, x)),
                b_abs(&w, b_neg(&w, x)), b_at(&w, x), k ? b_max(&w, x, wide(&w, 0, HUGE_VAL)) :
                b_min(&w, wide(&w, HUGE_VAL, HUGE_VAL), x) };
            for (int j = 0; j < 5; j++)
                cr_expect(mpfr_equal_p(same[j]->mid, x->mid), "copy %d", j);
        }
        ask_clear(&w);
    }
}

/* The midpoint is off by no more than the radius, where 24 bits are too few; on the exact path there are as many as the
 * number has. */
static void held(const struct ball *b, mpq_srcptr q, bool fits, const char *what)
{
    mpfr_t far, rad;
    mpfr_init2(far, 64), mpfr_init2(rad, 64);
    mpfr_sub_q(far, b->mid, q, MPFR_RNDA);
    up_get(rad, b->rad);
    cr_expect(mpfr_cmpabs(far, rad) <= 0, "%s: off by %g, radius %g", what, mpfr_get_d(far, MPFR_RNDN), b_radius(b));
    cr_expect_eq(b->rad.m == 0, fits, "%s: radius %g", what, b_radius(b));
    const struct up size = up_of(b->mid);
    cr_expect(!up_less(b->mag, size) && !up_less(up_mul(size, up_d(1 + 0x1p-49)), b->mag), "%s: magnitude", what);
    mpfr_clears(far, rad, (mpfr_ptr)0);
}

Test(ball_laws, a_number_that_does_not_fit_is_rounded_and_its_radius_says_so)
{
    static const long list[] = { 0, 1, -3, (1L << 24) + 1, (1L << 25) - 1, (1L << 26) - 1, -(1L << 30) - 3, LONG_MAX,
        LONG_MIN };
    mpq_t q;
    mpq_init(q);
    for (int on = 0; on < 2; on++) {
        struct ask w = { .arith = &exact, .exact = on };
        for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
            ask_reset(&w, 24);
            mpq_set_si(q, list[k], 1);
            const bool fits = on || k < 3 || list[k] == LONG_MIN;
            held(b_si(&w, list[k]), q, fits, "a whole number");
            held(b_ratio(&w, list[k], 1), q, fits, "a ratio");
            held(b_q(&w, q), q, fits, "a rational");
            double x = (double)(list[k] / (1L << 11));
            struct mer_array a = { "x", MER_F64, 1, { 1 }, &x };
            mpq_set_d(q, x);
            held(b_element(&w, &a, 0), q, on || k != 7, "an element");
            mpq_set_si(q, list[k], 8);
            mpq_canonicalize(q);
            held(b_ratio(&w, list[k], 8), q, fits, "eighths");
            held(b_ratio(&w, list[k] / 4, -2), (mpq_set_si(q, -(list[k] / 4), 2), mpq_canonicalize(q), q),
                on || k < 7 || k == 8, "halves");
        }
        for (int sign = -1; sign <= 1; sign += 2) /* These have more bits than even the exact path gives. */
            for (unsigned long less = 0; less < 4; less++) {
                ask_reset(&w, 64);
                mpz_set_si(mpq_numref(q), sign), mpz_set_ui(mpq_denref(q), 1);
                mpz_mul_2exp(mpq_numref(q), mpq_numref(q), EXACT_BITS + 100);
                mpz_sub_ui(mpq_numref(q), mpq_numref(q), less);
                held(b_q(&w, q), q, less == 0, "a long number");
            }
        ask_clear(&w);
    }
    mpq_clear(q);
}

/* Every ratio of one value is one number, whatever its terms are. */
Test(ball_laws, equal_ratios_are_the_same_number)
{
    struct ask w = { .arith = &exact, .exact = true };
    ask_reset(&w, 64);
    const struct ball *third = b_ratio(&w, 1, 3), *minus = b_ratio(&w, -1, 3);
    cr_expect(third->rad.m > 0 && b_same(third, b_ratio(&w, 7, 21)) && b_same(third, b_ratio(&w, -5, -15)));
    cr_expect(b_same(minus, b_ratio(&w, 2, -6)) && b_same(minus, b_neg(&w, third)) && !b_same(minus, third));
    cr_expect(b_same(b_ratio(&w, 6, 4), b_ratio(&w, -3, -2)) && b_same(b_ratio(&w, 0, -7), b_si(&w, 0)));
    const struct ball *zero = b_sub(&w, third, b_ratio(&w, 2, 6)), *one = b_div(&w, third, b_ratio(&w, 3, 9));
    cr_expect(zero->rad.m == 0 && mpfr_zero_p(zero->mid) && one->rad.m == 0 && mpfr_cmp_ui(one->mid, 1) == 0);
    const struct ball *root = b_sqrt(&w, b_si(&w, 2)), *like = b_sqrt(&w, b_si(&w, 2)), *none = b_sub(&w, root, like);
    cr_expect(none->rad.m == 0 && mpfr_zero_p(none->mid) && same_up(none->mag, up_add(root->mag, like->mag)) &&
        none->n == root->n + like->n && none->n == 2, "the magnitude and the count are those of a sum");
    one = b_div(&w, root, like);
    cr_expect(one->rad.m == 0 && mpfr_cmp_ui(one->mid, 1) == 0 && one->n == 3);
    const struct ball *same = b_widen(&w, root, (struct up){ 0, 0 }), *more = b_widen(&w, root, up_d(0x1p-200));
    struct ball *moved = (struct ball *)b_widen(&w, root, (struct up){ 0, 0 });
    moved->rad = (struct up){ 0, 0 };
    cr_expect(!b_same(moved, root) && !b_same(root, moved), "a root of 2 is not its midpoint");
    one = b_div(&w, third, b_sub(&w, b_si(&w, 1), b_ratio(&w, 2, 3)));
    cr_expect(one->rad.m == 0 && mpfr_cmp_ui(one->mid, 1) == 0, "of equal numbers of other midpoints, too");
    cr_expect(b_same(same, root) && same->id == root->id && root->id && more->id == 0);
    cr_expect(b_at(&w, root)->id == 0 && b_at(&w, more)->rad.m == 0 && mpfr_equal_p(b_at(&w, more)->mid, root->mid));
    ask_clear(&w);
}

/* What is no number stays none; what is merely undefined is the whole line, but under an edit, where kernels compute it
 * all the same, what certainly leaves no finite number is none. */
enum { NONE, PLUS, MINUS, ZERO, ONE, NEAR, AROUND, ANY, KINDS };
static const struct ball *kind(struct ask *w, int k)
{
    static const double mid[] = { 0, 1, -1, 0, 1, 1, 0, 0 }, rad[] = { 0, 0, 0, 0, 0, 0.125, 1, HUGE_VAL };
    return k == NONE ? b_nan(w) : k == PLUS || k == MINUS ? b_inf(w, (int)mid[k]) : wide(w, mid[k], rad[k]);
}
/* This is n of no number, l of the whole line and of whatever else has an infinite radius, and D of a definite ball. */
static char class_of(const struct ball *b)
{
    return isinf(b->rad.m) ? 'l' : !mpfr_nan_p(b->mid) ? 'D' : b->rad.m == 0 ? 'n' : '?';
}

Test(ball_laws, what_is_no_number_and_what_may_be_any)
{
    /* The rows are x and the columns y, in the order of the kinds above. */
    static const struct { const char *name; two *op; const char *is, *edited; } law[] = {
        { "+", b_add, "nnnnnnnn nDlDDDDl nlDDDDDl nDDDDDDl nDDDDDDl nDDDDDDl nDDDDDDl nlllllll",
            "nnnnnnnn nDnDDDDl nnDDDDDl nDDDDDDl nDDDDDDl nDDDDDDl nDDDDDDl nlllllll" },
        { "-", b_sub, "nnnnnnnn nlDDDDDl nDlDDDDl nDDDDDDl nDDDDDDl nDDDDDDl nDDDDDDl nlllllll",
            "nnnnnnnn nnDDDDDl nDnDDDDl nDDDDDDl nDDDDDDl nDDDDDDl nDDDDDDl nlllllll" },
        { "*", b_mul, "nnnnnnnn nDDlDlll nDDlDlll nllDDDDl nDDDDDDl nllDDDDl nllDDDDl nlllllll",
            "nnnnnnnn nDDnDlll nDDnDlll nnnDDDDl nDDDDDDl nllDDDDl nllDDDDl nlllllll" },
        { "/", b_div, "nnnnnnnn nlllDlll nlllDlll nDDlDDll nDDlDDll nDDlDDll nDDlDDll nlllllll",
            "nnnnnnnn nnnDDlll nnnDDlll nDDnDDll nDDDDDll nDDDDDll nDDnDDll nllnllll" },
    };
    const struct arith edit = { .edit = { .step = STEPS } };
    struct ask w = { .arith = &exact, .prec = 64 };
    cr_expect(class_of(b_widen(&w, b_nan(&w), up_d(1))) == 'n' && isinf(b_inf(&w, -1)->mag.m) && !b_nan(&w)->rad.m);
    ask_clear(&w);
    for (int k = 0; k < 2 * 2 * 4 * KINDS * KINDS; k++) {
        const int y = k % KINDS, x = k / KINDS % KINDS, o = k / KINDS / KINDS % 4, how = k / KINDS / KINDS / 4;
        w = (struct ask){ .arith = how & 1 ? &edit : &exact, .exact = how & 2 };
        ask_reset(&w, 64);
        const char due = (how & 1 ? law[o].edited : law[o].is)[x * (KINDS + 1) + y];
        const struct ball *b = law[o].op(&w, kind(&w, x), kind(&w, y));
        cr_expect_eq(class_of(b), due, "%d %s %d%s: %c, and not %c", x, law[o].name, y, how & 1 ? ", edited" : "",
            class_of(b), due);
        /* Of these two, an infinite radius may have any midpoint. */
        const bool point = x != ANY && x != NEAR && y != ANY && y != NEAR;
        cr_expect(due != 'l' || !point || (mpfr_zero_p(b->mid) && isinf(b->mag.m)));
        cr_expect(due == 'D' || !b->id);
        ask_clear(&w);
    }
}

/* An infinity has no product with 0 and no sum with the other infinity.  What may be either leaves the whole line, and
 * not an infinity whose sign is that of a midpoint: (1 +- 2) may be negative.  Under an edit inf - inf is certainly no
 * number, with a number more or less, too. */
Test(ball_laws, what_an_infinity_meets_has_a_certain_sign_or_leaves_the_whole_line)
{
    static const struct { two *op; double x, rx, y, ry; char is; } law[] = {
        { b_mul, HUGE_VAL, 0, 1, 2, 'l' },
        { b_mul, -3, 5, HUGE_VAL, 0, 'l' },
        { b_mul, HUGE_VAL, 0, 1, 1, 'l' },
        { b_mul, HUGE_VAL, 0, 0x1p-70, 0x1p-60, 'l' },
        { b_mul, HUGE_VAL, 0, 5, HUGE_VAL, 'l' },
        { b_mul, HUGE_VAL, 0, 1, 0.5, '+' },
        { b_mul, 0x1p-60, 0x1p-70, HUGE_VAL, 0, '+' },
        { b_mul, HUGE_VAL, 0, HUGE_VAL, 0, '+' },
        { b_mul, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, '+' },
        { b_add, HUGE_VAL, 0, 1, HUGE_VAL, 'l' },
        { b_add, 1, HUGE_VAL, HUGE_VAL, 0, 'l' },
        { b_add, HUGE_VAL, 0, -1, 2, '+' },
        { b_add, HUGE_VAL, HUGE_VAL, HUGE_VAL, 0, '+' },
        { b_add, HUGE_VAL, HUGE_VAL, 3, 1, '+' },
        { b_sub, HUGE_VAL, 0, 1, HUGE_VAL, 'l' },
        { b_div, HUGE_VAL, 0, 1, 2, 'l' },
        { b_div, HUGE_VAL, 0, 1, 0.5, '+' },
    };
    for (int how = 0; how < 2; how++)
        for (size_t k = 0; k < sizeof law / sizeof *law; k++) {
            const struct arith edit = { .edit = { .step = STEPS } };
            struct ask w = { .arith = how ? &edit : &exact };
            ask_reset(&w, 64);
            const struct ball *b = law[k].op(&w, wide(&w, law[k].x, law[k].rx), wide(&w, law[k].y, law[k].ry));
            cr_expect_eq(mpfr_inf_p(b->mid) && mpfr_sgn(b->mid) > 0, law[k].is == '+', "%zu", k);
            cr_expect(law[k].is == '+' || (mpfr_zero_p(b->mid) && isinf(b->rad.m) && isinf(b->mag.m)), "%zu", k);
            ask_clear(&w);
        }
    const struct arith edit = { .edit = { .step = STEPS } };
    struct ask w = { .arith = &edit };
    ask_reset(&w, 64);
    const struct ball *inf = b_inf(&w, 1), *near = b_add(&w, inf, b_widen(&w, b_si(&w, 1), up_d(2))),
                      *either = b_mul(&w, inf, b_widen(&w, b_si(&w, 1), up_d(2)));
    cr_expect_eq(class_of(b_sub(&w, inf, inf)), 'n');
    cr_expect_eq(class_of(b_sub(&w, inf, near)), 'n');
    cr_expect_eq(class_of(b_sub(&w, inf, either)), 'l');
    const struct ball *anything = b_widen(&w, inf, up_inf()); /* Its midpoint is infinite, and it may be a number. */
    cr_expect_eq(class_of(b_sub(&w, inf, anything)), 'l');
    cr_expect_eq(class_of(b_mul(&w, anything, b_si(&w, 0))), 'l');
    ask_clear(&w);
}

/* Which of two is larger is certain where the radii together are smaller than what the midpoints differ by. */
Test(ball_laws, which_of_two_is_larger)
{
    const double inf = HUGE_VAL;
    const struct { double x, rx, y, ry; int is; } law[] = { { 1, 0, 1, 0, 0 }, { 1, 0, 2, 0, -1 },
        { 1, 0.25, 2, 0.25, -1 }, { 1, 0.5, 2, 0.5, 2 }, { 1, 1, 2, 0, 2 }, { 1, 0, 1, 0.5, 2 }, { 1, 0.5, 1, 0.5, 2 },
        { inf, 0, inf, 0, 0 }, { inf, 0, -inf, 0, 1 }, { inf, 0, 5, 1, 1 }, { -inf, 0, 5, inf, 2 },
        { inf, inf, inf, inf, 2 }, { inf, 0, inf, inf, 2 }, { (double)NAN, 0, 1, 0, 2 },
        { (double)NAN, 0, (double)NAN, 0, 2 }, { 0, 0, 0, 0, 0 }, { -0.0, 0, 0, 0, 0 }, { 0, 0, 0x1p-1022, 0, -1 },
        { 0, 0, 0x1p-1022, 0x1p-1021, 2 }, { 0, inf, 1, 0, 2 },
        /* What is far below the radii still decides. */
        { 0, 1, 1 + 0x1p-40, 0, -1 }, { 0, 0.5, 1 + 0x1p-40, 0.5, -1 }, { 3, 2, 0, 1 - 0x1p-45, 1 } };
    struct ask w = { .arith = &exact, .prec = 64 };
    for (size_t k = 0; k < sizeof law / sizeof *law; k++) {
        const struct ball *x = wide(&w, law[k].x, law[k].rx), *y = wide(&w, law[k].y, law[k].ry);
        const int is = law[k].is, back = is == 2 ? 2 : -is;
        cr_expect(b_cmp(x, y) == is && b_cmp(y, x) == back, "case %zu: %d and back %d, not %d", k, b_cmp(x, y),
            b_cmp(y, x), is);
        cr_expect_eq(b_overlap(x, y), (is == 0 || is == 2) && !isnan(law[k].x + law[k].y), "case %zu", k);
        cr_expect(!b_overlap(x, b_nan(&w)) && !b_overlap(b_nan(&w), x), "case %zu: no number", k);
    }
    cr_expect(!b_overlap(b_nan(&w), b_nan(&w)));
    /* Two numbers whose difference is below MPFR's least one are still two. */
    struct ball *x = (struct ball *)wide(&w, 1, 0), *y = (struct ball *)wide(&w, 1.5, 0);
    mpfr_set_exp(x->mid, mpfr_get_emin()), mpfr_set_exp(y->mid, mpfr_get_emin());
    cr_expect(b_cmp(x, y) == -1 && b_cmp(y, x) == 1 && b_cmp(x, x) == 0);
    ask_clear(&w);
}

/* A certain extreme is that operand itself.  An open one holds the extreme of every pair of their numbers, its radius
 * is the larger of both, its magnitude its own, and its count the larger. */
Test(ball_laws, an_extreme_holds_that_of_every_pair)
{
    static const struct { double x, rx, y, ry; } law[] = { { 10, 1, 9, 1 }, { 9, 1, 10, 1 }, { 10, 4, 9, 0.5 },
        { 9, 0.5, 10, 4 }, { -3, 0, -2, 3 }, { -2, 3, -3, 0 }, { 0, 1, 0, 2 }, { 5, 0.25, 5, 0.125 } };
    struct ask w = { .arith = &exact };
    ask_reset(&w, 53);
    for (size_t k = 0; k < 2 * sizeof law / sizeof *law; k++) {
        const double x = law[k / 2].x, rx = law[k / 2].rx, y = law[k / 2].y, ry = law[k / 2].ry;
        struct ball *a = (struct ball *)wide(&w, x, rx), *c = (struct ball *)wide(&w, y, ry);
        a->n = k & 2 ? 7 : 5, c->n = k & 4 ? 7 : 6;
        const struct ball *b = k & 1 ? b_max(&w, a, c) : b_min(&w, a, c);
        const double low = k & 1 ? fmax(x - rx, y - ry) : fmin(x - rx, y - ry),
                     high = k & 1 ? fmax(x + rx, y + ry) : fmin(x + rx, y + ry), mid = b_value(b), rad = b_radius(b);
        cr_expect(mid - rad <= low && high <= mid + rad, "case %zu: %g +- %g not %g .. %g", k, mid, rad, low, high);
        cr_expect(mid == (k & 1 ? fmax(x, y) : fmin(x, y)) && rad == fmax(rx, ry), "case %zu: %g +- %g", k, mid, rad);
        cr_expect(same_up(b->mag, up_of(b->mid)) && b->n == fmax(a->n, c->n) && b->id == 0 && b->format == 0);
    }
    const struct ball *one = wide(&w, 1, 0.25), *two = wide(&w, 2, 0.25), *none = b_nan(&w);
    cr_expect(b_max(&w, one, two) == two && b_max(&w, two, one) == two && b_min(&w, one, two) == one &&
        b_min(&w, two, one) == one);
    for (int k = 0; k < 4; k++) {
        const struct ball *b = (k & 1 ? b_max : b_min)(&w, k & 2 ? none : one, k & 2 ? one : none);
        cr_expect(class_of(b) == 'l', "an extreme beside what is no number may be any");
    }
    ask_clear(&w);
}

Test(ball_laws, the_slope_of_a_positive_part)
{
    const double inf = HUGE_VAL;
    const struct { double x, rx, mid, rad; bool open; } law[] = { { 3, 0, 1, 0, false }, { -3, 0, 0, 0, false },
        { 0, 0, 0.25, 0, false }, { -0.0, 0, 0.25, 0, false }, { 1, 0.5, 1, 0, false }, { -1, 0.5, 0, 0, false },
        { 0, 1, 0.5, 0.5, true }, { 1, 1, 0.5, 0.5, true }, { -1, 2, 0.5, 0.5, true }, { 0, inf, 0.5, inf, true },
        { 1, inf, 0.5, inf, true }, { inf, 0, 1, 0, false }, { -inf, 0, 0, 0, false } };
    for (int how = EXACT; how <= WIDEN; how++)
        for (size_t k = 0; k < sizeof law / sizeof *law; k++) {
            const struct arith a = { .how = (enum how)how };
            struct ask w = { .arith = &a };
            ask_reset(&w, 64);
            const struct ball *kink = wide(&w, 0.25, 0), *b = b_heaviside(&w, wide(&w, law[k].x, law[k].rx), kink);
            cr_expect(b_value(b) == law[k].mid && b_radius(b) == law[k].rad, "case %zu: %g +- %g", k, b_value(b),
                b_radius(b));
            cr_expect_eq(w.undecided, law[k].open && how != WIDEN, "case %zu of %d", k, how);
            w.undecided = true;
            cr_expect((b_heaviside(&w, wide(&w, law[k].x, law[k].rx), kink), w.undecided), "what is open stays open");
            ask_clear(&w);
        }
}

/* The lift of a product counts from the exponents of normal numbers, and is held at the end of its type; real numbers
 * have none. */
Test(ball_laws, the_lift_of_a_product)
{
    const struct format *const f = &formats[2]; /* Its least normal number is 2^-14. */
    static const struct { double x, y; int is; } law[] = { { 1, 1, 0 }, { 1.5, 1.5, 1 }, { 1.5, 1.25, 0 }, { -3, 5, 0 },
        { 0x1p-14, 1, 0 }, { 0x1.8p-14, 1.5, 1 }, { 0x1p-15, 1, -1 }, { 1, 0x1p-16, -2 }, { 0x1p-24, 0x1p-24, -20 },
        { 0x1p-15, 0, 0 }, { 0, 1, 0 }, { HUGE_VAL, 1, 0 } };
    for (int how = EXACT; how <= WIDEN; how++) {
        const struct arith a = { .how = (enum how)how };
        struct ask w = { .arith = &a };
        ask_reset(&w, 64);
        for (size_t k = 0; k < sizeof law / sizeof *law; k++) {
            struct ball *x = (struct ball *)wide(&w, law[k].x, 0), *y = (struct ball *)wide(&w, law[k].y, 0);
            cr_expect_leq(b_mul(&w, x, y)->lift, 1, "of no format");
            cr_expect_geq(b_mul(&w, x, y)->lift, 0, "of no format");
            b_becomes(x, f), b_becomes(y, f);
            const int is = how == EXACT ? 0 : law[k].is, got = b_mul(&w, x, y)->lift;
            cr_expect_eq(got, is, "%g times %g: %d, and not %d", law[k].x, law[k].y, got, is);
        }
        for (long e = 32770; e < 32790; e++) { /* 2^-e is taken for 2^-14. */
            struct ball *x = (struct ball *)number(&w, (struct dyadic){ 1, -e, 0 });
            b_becomes(x, f);
            const long is = how == EXACT ? 0 : 14 - e < -SHRT_MAX ? -SHRT_MAX : 14 - e;
            cr_expect_eq(b_mul(&w, x, b_si(&w, 1))->lift, is, "2^-%ld", e);
        }
        ask_clear(&w);
    }
}

/* A copy that is moved by nothing keeps its tangent; one that is moved, an open or equal extreme of two, and the size
 * of what reaches 0 have a corner. */
Test(ball_laws, tangents_of_copies)
{
    struct dual d = { .n = 0 };
    struct ask w = { .arith = &exact, .dual = &d };
    ask_reset(&w, 64);
    struct ball *x = (struct ball *)wide(&w, 2, 0.25), *y = (struct ball *)wide(&w, 2, 0.25);
    x->d = y->d = wide(&d.w, 3, 0);
    const struct up nothing = { 0, 0 };
    cr_expect(b_widen(&w, x, nothing)->d == x->d && b_value(dual_tangent(&w, b_widen(&w, x, nothing))) == 3);
    cr_expect(b_widen(&w, x, up_d(0.5))->d == d.whole && b_at(&w, x)->d == NULL);
    cr_expect(b_max(&w, x, y)->d == x->d && b_min(&w, x, y)->d == x->d, "an open one of equal tangents");
    static const struct { double mid, rad, slope; } size[] = { { 2, 1, 3 }, { -2, 1, -3 }, { 2, 2, 0 }, { -2, 2, 0 },
        { 1, 2, 0 }, { -1, 2, 0 }, { 0, 0, 0 }, { 0.5, 0, 3 }, { -0.5, 0, -3 } };
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        struct ball *z = (struct ball *)wide(&w, size[k].mid, size[k].rad);
        z->d = x->d;
        const struct ball *slope = dual_tangent(&w, b_abs(&w, z));
        cr_expect(size[k].slope == 0 ? slope == d.whole : slope->rad.m == 0 && b_value(slope) == size[k].slope,
            "of the size of %g +- %g: %g", size[k].mid, size[k].rad, b_value(slope));
    }
    x->rad = y->rad = nothing;
    cr_expect(b_max(&w, x, y)->d == x->d && b_min(&w, x, y)->d == x->d, "equal ones of equal tangents");
    cr_expect(b_max(&w, x, y)->rad.m == 0 && b_min(&w, x, y)->rad.m == 0 && b_value(b_max(&w, x, y)) == 2);
    y->d = wide(&d.w, 4, 0);
    cr_expect(b_max(&w, x, y)->d == d.whole && b_min(&w, x, y)->d == d.whole, "equal ones");
    cr_expect(b_value(x->d) == 3 && b_value(y->d) == 4, "both keep their own");
    const struct ball *far = wide(&w, 9, 0.25);
    cr_expect(b_max(&w, x, far) == far && b_max(&w, far, x) == far && b_min(&w, x, far) == x);
    x->rad = up_d(1);
    cr_expect(b_max(&w, x, y)->d == d.whole && b_min(&w, y, x)->d == d.whole, "an open one");
    ask_clear(&w), dual_close(&d);
}

/* How many operations on the way to a number may underflow: those of both sides together. */
Test(ball_laws, operations_on_the_way_are_counted)
{
    struct ask w = { .arith = &exact };
    ask_reset(&w, 64);
    struct ball *x = (struct ball *)b_si(&w, 3), *y = (struct ball *)b_si(&w, 5);
    x->n = 3, y->n = 40;
    cr_expect_eq(b_add(&w, x, y)->n, 43);
    cr_expect_eq(b_sub(&w, x, y)->n, 43);
    cr_expect_eq(b_add(&w, y, b_si(&w, 1))->n, 40);
    cr_expect_eq(b_add(&w, b_si(&w, 1), y)->n, 40);
    ask_clear(&w);
}

/* Under an edit a kernel divides by 0, too: what is not 0 becomes an infinity of the sign that both signs make. */
Test(ball_laws, a_quotient_by_zero_has_the_sign_of_both)
{
    static const struct { double x, y; int sign; } list[] = { { 3, 0, 1 }, { -3, 0, -1 }, { 3, -0.0, -1 },
        { -3, -0.0, 1 } };
    const struct arith edited = { .how = EXACT, .edit = { .step = SITE_EDIT, .kind = SITE_MUL, .file = "none.c",
        .file_len = 6, .line = 1, .axis = -1 } };
    struct ask w = { .arith = &edited, .prec = 64 };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct ball *y = (b_div)(&w, wide(&w, list[k].x, 0), wide(&w, list[k].y, 0));
        cr_expect(mpfr_inf_p(y->mid) && mpfr_sgn(y->mid) == list[k].sign, "case %zu: %g", k, b_value(y));
    }
    const struct ball *any = (b_div)(&w, wide(&w, 3, 0), wide(&w, 0, 1));
    cr_expect(!mpfr_inf_p(any->mid) && isinf(b_radius(any)), "what may be 0 is not 0: %g", b_value(any));
    ask_clear(&w);
}

/* On the exact path, too, a quotient of numbers whose digits are not known has all bits of the ask. */
Test(ball_laws, a_quotient_of_unknown_numbers_has_the_bits_of_the_ask)
{
    struct ask w = { .arith = &exact, .exact = true };
    ask_reset(&w, 64);
    const struct ball *one = wide(&w, 1, 0), *three = (b_si)(&w, 3);
    for (int k = 0; k < 4; k++) {
        const struct ball *y = (b_div)(&w, k & 1 ? one : (b_si)(&w, 1), k & 2 ? three : wide(&w, 3, 0));
        cr_expect(b_radius(y) < 0x1p-62 && fabs(b_value(y) - 1.0 / 3) < 0x1p-50, "%d: %g +- %g", k, b_value(y),
            b_radius(y));
    }
    ask_clear(&w);
}
