/* The exact path: values that tie, cancel or are exact are decided by arithmetic; what only a theorem could decide
 * stays UNDECIDED. */
#include <criterion/criterion.h>
#include <math.h>
#include <time.h>
#include "compare/compare.h"
#include "softmax/mix.h"
#include "row/row.h"
#include "trial/trial.h"

static double *given; /* The numbers that the contrived pages below read. */
static long given_n;
static const struct arith real = { 0 };

static const struct ball *exactly(struct ask *w, double x)
{
    double cell = x;
    struct mer_array a = { "x", MER_F64, 1, { 1 }, &cell };
    return b_element(w, &a, 0);
}

static enum truth ask_page(void (*page)(struct ask *, const struct ball **), const struct arith *a,
    const struct format *f, double *y, struct cost *cost)
{
    const struct quantity q = { "-> y[|]", page };
    struct ask w = { .arith = a, .len = 1, .cost = cost };
    const struct ball *b;
    enum truth t = line_eval(&w, &q, f, &b);
    mpfr_t r;
    mpfr_init2(r, mpfr_get_prec(b->mid));
    mpfr_set(r, b->mid, MPFR_RNDN);
    round_to(r, f);
    *y = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clear(r);
    ask_clear(&w);
    return t;
}

/* The sum of given[3k] given[3k+1] given[3k+2], rounded by step 0 at its end. */
static void triple_dot(struct ask *w, const struct ball **y)
{
    const struct ball *s = b_si(w, 0);
    for (long k = 0; k < given_n; k += 3)
        s = b_add(w, s, b_mul(w, b_mul(w, exactly(w, given[k]), exactly(w, given[k + 1])), exactly(w, given[k + 2])));
    y[0] = b_step(w, 0, s);
}

/* The value m 2^q, or the tie (m + 1/2) 2^q, or that tie plus or minus 2^-3000, hidden behind terms of 2^3000 that
 * cancel. */
static void tie(const struct format *f, double m, long q, int beside, double want)
{
    struct arith a = { .how = ROUND, .at = { { .f = f, .ulps = 1 } } };
    double x[] = { 0x1p1000, 0x1p1000, 0x1p1000, m, ldexp(1, (int)(q / 2)), ldexp(1, (int)(q - q / 2)), 0.5,
        ldexp(1, (int)(q / 2)), ldexp(1, (int)(q - q / 2)), beside * 0x1p-1000, 0x1p-1000, 0x1p-1000, -0x1p1000,
        0x1p1000, 0x1p1000 },
           y;
    struct cost c = { 0 };
    given = x, given_n = 15;
    enum truth t = ask_page(triple_dot, &a, f, &y, &c);
    cr_assert(t == YES && y == want, "%s (%a + 1/2) 2^%ld beside %d: truth %d, got %a want %a", f->name, m, q, beside,
        t, y, want);
    cr_assert(
        c.exact == 1 && c.prec <= 4 * (f->p + 40), "%s: decided by %ld bits, not by the exact path", f->name, c.prec);
}

Test(exact, a_tie_is_decided_in_every_format_down_to_the_last_subnormal)
{
    for (const struct format *f = formats; f->name; f++) {
        const long eta = f->emin - f->p + 1, places[] = { eta, eta + 1, 0, f->emax - f->p + 1, -40 / (54 - f->p) };
        const double least[] = { 0, ldexp(1, f->p - 1), ldexp(1, f->p - 1), ldexp(1, f->p) - 4, ldexp(1, f->p - 1) };
        for (int k = 0; k < 5; k++)
            for (int m = 0; m < 4; m++)
                for (int beside = -1; beside <= 1; beside++) {
                    double n = least[k] + m, up = n + (beside > 0 || (beside == 0 && fmod(n, 2) == 1));
                    const double end = ldexp(1, f->p) - 1 - f->gone; /* of the largest binade */
                    double want = k != 3 || up <= end ? ldexp(up, (int)places[k]) :
                        f->saturates                  ? ldexp(end, (int)places[k]) :
                                                        (double)INFINITY;
                    tie(f, n, places[k], beside, want);
                }
    }
}

Test(exact, a_dot_that_cancels_over_ten_thousand_bits_is_exact)
{
    double x[] = { 0x1.8p1000, 0x1p1000, 0x1p1000, 0x1.5p-1020, 0x1.1p-1000, 0x1p-990, -0x1.8p1000, 0x1p1000, 0x1p1000,
        -0x1.5p-1020, 0x1.1p-1000, 0x1p-990 },
           y;
    struct cost c = { 0 };
    given = x, given_n = 12;
    cr_expect(
        ask_page(triple_dot, &real, &formats[0], &y, &c) == YES && y == 0 && c.prec <= 400, "%a, %ld bits", y, c.prec);
    x[11] = 0x1.8p-990; /* Now about -2^-3011 is left, which is far below the last subnormal and known to be. */
    cr_expect(ask_page(triple_dot, &real, &formats[0], &y, &c) == YES && y == 0 && signbit(y), "%a", y);
}

static void squares(struct ask *w, const struct ball **s, const struct ball **one)
{
    const struct ball *sin, *cos;
    b_sincos(w, b_si(w, 1), &sin, &cos);
    *s = b_add(w, b_mul(w, sin, sin), b_mul(w, cos, cos));
    *one = b_si(w, 1);
}
static void floor_of_one(struct ask *w, const struct ball **y)
{
    const struct ball *one;
    squares(w, &y[0], &one);
    y[0] = b_floor(w, y[0]);
}
static void tie_of_one(struct ask *w, const struct ball **y)
{
    const struct ball *s, *one;
    squares(w, &s, &one);
    /* The tie (1 + 2^-24) (sin^2 + cos^2). */
    y[0] = b_step(w, 0, b_mul(w, s, b_add(w, one, b_div(w, one, b_si(w, 1L << 24)))));
}

Test(exact, what_bits_cannot_decide_and_names_do_not_see_is_undecided)
{
    struct arith contract = { .how = ROUND, .at = { { .f = &formats[1], .ulps = 1 } } };
    struct cost c = { 0 };
    double y;
    cr_expect(ask_page(floor_of_one, &real, &formats[1], &y, &c) == UNDECIDED && c.prec == 4096,
        "floor(sin^2 + cos^2), %ld bits", c.prec);
    cr_expect(ask_page(tie_of_one, &contract, &formats[1], &y, &c) == UNDECIDED, "a rounding inside a contract");
    c = (struct cost){ 0 };
    cr_expect(ask_page(tie_of_one, &real, &formats[1], &y, &c) == YES && c.ties == 1,
        "the value is known, its rounding is not: %d, %d ties", 0, (int)c.ties);
}

Test(exact, equal_numbers_are_known_by_how_they_were_made)
{
    struct ask w = { .arith = &real, .exact = true };
    for (int pass = 0; pass < 2; pass++) { /* The second pass finds the names cleared. */
        ask_reset(&w, 64);
        const struct ball *a = b_exp(&w, b_mul(&w, b_ratio(&w, 2, 6), b_sqrt(&w, b_si(&w, 2)))),
                          *b = b_exp(&w, b_mul(&w, b_sqrt(&w, b_si(&w, 2)), b_ratio(&w, -1, -3)));
        const struct ball *c = b_exp(&w, b_mul(&w, b_ratio(&w, 1, 3), b_sqrt(&w, b_si(&w, 3)))),
                          *two = b_mul(&w, b_sqrt(&w, b_si(&w, 2)), b_sqrt(&w, b_si(&w, 2)));
        const struct ball *d = b_sub(&w, a, b), *q = b_div(&w, a, b);
        cr_expect(a->rad.m > 0 && d->rad.m == 0 && mpfr_zero_p(d->mid) && q->rad.m == 0 &&
            mpfr_cmp_ui(q->mid, 1) == 0 && b_cmp(a, b) == 0);
        cr_expect(b_cmp(a, c) == -1 && !b_same(a, c) && b_sub(&w, a, c)->rad.m > 0);
        cr_expect(b_cmp(two, b_si(&w, 2)) == 2, "sqrt(2) sqrt(2) is not seen to be 2");
        cr_expect(b_cmp(b_widen(&w, a, up_d(0x1p-80)), a) == 2 && b_cmp(b_at(&w, a), a) == 2,
            "a moved ball is another number");
        cr_expect(b_same(b_max(&w, a, b), a) && b_same(b_max(&w, a, c), c) && b_same(b_min(&w, a, c), a) &&
            b_same(b_neg(&w, a), b_neg(&w, b)) && !b_same(b_neg(&w, a), b));
        cr_expect(!b_same(b_sub(&w, a, c), b_sub(&w, c, a)) && b_same(b_add(&w, a, c), b_add(&w, c, b)) &&
            !b_same(b_div(&w, a, c), b_div(&w, c, a)));
        cr_expect(!b_same(b_sin(&w, a), b_cos(&w, a)) && !b_same(b_log(&w, c), b_exp(&w, c)));
    }
    ask_clear(&w);
    struct ask plain = { .arith = &real };
    ask_reset(&plain, 64);
    const struct ball *third = b_ratio(&plain, 1, 3);
    cr_expect(b_cmp(third, b_ratio(&plain, 1, 3)) == 2, "without the exact path nothing has a name");
    ask_clear(&plain);
}

Test(exact, a_sum_keeps_its_carry_and_a_product_all_its_bits)
{
    struct ask w = { .arith = &real, .exact = true };
    ask_reset(&w, 64);
    const struct ball *big = b_pow(&w, b_si(&w, 2), b_si(&w, 100)), *ones = b_sub(&w, big, b_si(&w, 1)),
                      *less = b_sub(&w, big, b_si(&w, 2));
    const struct ball *sum = b_add(&w, ones, less), *square = b_mul(&w, ones, ones), *back = b_div(&w, square, ones);
    cr_expect(sum->rad.m == 0 && mpfr_cmp(b_sub(&w, sum, ones)->mid, less->mid) == 0, "2^101 - 3");
    cr_expect(
        square->rad.m == 0 && back->rad.m == 0 && mpfr_equal_p(back->mid, ones->mid) && b_sqrt(&w, square)->rad.m == 0);
    w.exact = false;
    cr_expect(b_add(&w, ones, less)->rad.m > 0, "and not off the exact path");
    ask_clear(&w);
}

Test(exact, exact_powers_and_roots_are_exact)
{
    struct ask w = { .arith = &real, .exact = true };
    mpq_t q;
    mpq_init(q);
    ask_reset(&w, 64);
    for (long k = -40; k <= 40; k++) {
        const struct ball *p = b_pow(&w, b_si(&w, 2), b_si(&w, k)),
                          *t = b_pow(&w, b_si(&w, 3), b_si(&w, k < 0 ? -k * 10 : k));
        cr_expect(p->rad.m == 0 && mpfr_cmp_d(p->mid, ldexp(1, (int)k)) == 0 && t->rad.m == 0, "2^%ld, 3^%ld", k,
            k < 0 ? -k * 10 : k);
    }
    mpq_set_ui(q, 10000, 1);
    const struct ball *ten = b_root(&w, q, 24, 96), *odd = b_root(&w, q, 1, 3);
    mpq_set_ui(q, 8, 27);
    const struct ball *ninths = b_root(&w, q, 2, 3), *back = b_root(&w, q, -2, 3);
    cr_expect(ten->rad.m == 0 && mpfr_cmp_ui(ten->mid, 10) == 0 && odd->rad.m > 0);
    cr_expect(
        fabs(b_value(ninths) - 4.0 / 9) < 1e-15 && b_radius(ninths) < 1e-15 && fabs(b_value(back) - 2.25) < 1e-15);
    cr_expect(b_sqrt(&w, b_mul(&w, ten, ten))->rad.m == 0 && b_floor(&w, ten)->rad.m == 0 && !w.undecided);
    mpq_clear(q);
    ask_clear(&w);
}

/* n equal keys with d = 2: the scale 1/sqrt(2) is not dyadic, so that only names can show that the scores are equal. */
static enum truth equal_keys(
    const char *contract, const char *sizes, double v0, double v1, double *o, struct cost *cost)
{
    struct trial t;
    struct arith a;
    char err[300];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, sizes, 1 }, err, sizeof err), 0,
        "%s", err);
    cr_assert_geq(arith_read(&a, t.row, contract, *contract ? ROUND : EXACT, err, sizeof err), 0, "%s", err);
    for (long j = 0; j < array_len(&t.in[1]); j++)
        array_put(&t.in[1], j, j % 2 ? 0.75 : 1.25);
    for (long j = 0; j < array_len(&t.in[2]); j++)
        array_put(&t.in[2], j, j % 2 ? v1 : v0);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &a, .len = 1, .cost = cost };
    const struct ball *y;
    enum truth known = line_eval(&w, row_quantity(t.row, "o"), &formats[1], &y);
    *o = b_value(y);
    ask_clear(&w), trial_close(&t);
    return known;
}

Test(exact, equal_scores_decide_under_a_contract_and_in_the_real_numbers)
{
    struct cost c = { 0 };
    double o;
    /* 256 + 1 is a tie in bf16: the total stays 256. */
    enum truth t = equal_keys("total=bf16", "h=1 g=1 n=1 m=257 d=2 e=1", 1, 1, &o, &c);
    cr_expect(t == YES && o == 257.0 / 256 && c.exact == 1, "truth %d, o = %a, %ld bits", t, o, c.prec);
    t = equal_keys("total=bf16 sum=f32 exp=f32 div=f32", "h=1 g=1 n=1 m=257 d=2 e=1", 3, 3, &o, &c);
    cr_expect(t == YES && o == 771.0 / 256, "truth %d, o = %a", t, o);
    /* The mean is a tie of f32, and known to be one. */
    t = equal_keys("", "h=1 g=1 n=1 m=2 d=2 e=1", 1, 1 + 0x1p-23, &o, &c);
    cr_expect(t == YES && o == 1 + 0x1p-24 && c.ties == 0, "truth %d, o = %a, %d ties", t, o, (int)c.ties);
    t = equal_keys("", "h=1 g=1 n=1 m=3 d=2 e=1", 0x1.23p-140, 0x1.23p-140, &o, &c);
    cr_expect(t == YES && o == 0x1.23p-140, "a mean of equal values: %a", o);
    t = equal_keys("", "h=1 g=1 n=1 m=1 d=2 e=1", 0x1.fffffep127, 0, &o, &c);
    cr_expect(t == YES && o == 0x1.fffffep127 && c.ties == 0, "one visible key: %a", o);
}

/* The shared error of soft.c: scores 64 log K_j in few bits, so that the radius of a score is all that matters, against
 * 400 bits. */
static long K[4];
static const struct ball *log_score(struct ask *w, long h, long i, long j)
{
    (void)h, (void)i;
    return b_mul(w, b_log(w, b_si(w, K[j])), b_si(w, 64));
}
static const struct ball *value(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i, (void)c;
    return b_si(w, j < 2 ? 1 : -1);
}
static bool all_visible(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h, (void)i, (void)j;
    return true;
}

Test(exact, scores_that_share_their_error_stay_in_their_ball)
{
    const struct mix m = { 4, log_score, value, all_visible, 0 };
    double used[2] = { 0 };
    for (int k = 0; k < 3000; k++) {
        struct ask low = { .arith = &real, .len = 1, .exact = true }, high = { .arith = &real, .len = 1 };
        const struct ball *y[2], *x[2];
        K[0] = K[1] = 1000000 + (long)(gen_bits(5, 0, (uint64_t)k) % 100000);
        K[2] = K[0] - 1 - (long)(gen_bits(5, 1, (uint64_t)k) % (k % 2 ? 20000 : 500000)), K[3] = k % 3 ? K[2] : K[0];
        ask_reset(&low, 24), ask_reset(&high, 400);
        mix_output(&low, &m, &y[0]), mix_lse(&low, &m, &y[1]);
        mix_output(&high, &m, &x[0]), mix_lse(&high, &m, &x[1]);
        for (int q = 0; q < 2; q++) {
            struct up off = up_far(x[q]->mid, y[q]->mid);
            cr_assert(!up_less(y[q]->rad, off), "%s, case %d: off %g, radius %g", q ? "lse" : "o", k, up_double(off),
                b_radius(y[q]));
            used[q] = fmax(used[q], y[q]->rad.m > 0 ? up_double(off) / b_radius(y[q]) : 0);
        }
        ask_clear(&low), ask_clear(&high);
    }
    cr_expect(used[0] > 0.5 && used[1] > 0.5, "of the radius, o uses %g and lse %g", used[0], used[1]);
}

Test(exact, the_cost_of_the_truth_is_counted)
{
    struct cost c = { 0 };
    double y, x[] = { 1, 1, 1.5 };
    given = x, given_n = 3;
    cr_assert_eq(ask_page(triple_dot, &real, &formats[1], &y, &c), YES);
    cr_expect(c.elements == 1 && c.retries == 0 && c.exact == 0 && c.prec == 64 && c.ns > 0 && c.ties == 0);
    cr_assert_eq(ask_page(floor_of_one, &real, &formats[1], &y, &c), UNDECIDED);
    cr_expect(c.elements == 2 && c.retries == 6 && c.exact == 1 && c.prec == 4096, "%d retries", (int)c.retries);
}

/* Printed, never asserted: a loaded machine is no fault of the reference. */
Test(exact, a_dot_product_of_64_and_its_price)
{
    struct trial t;
    char err[300];
    struct arith a[2] = { { 0 } };
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, "n=1 m=64 d=64 h=1 g=1", 1 }, err,
        sizeof err), 0);
    cr_assert_geq(arith_read(&a[1], t.row, "dot=f32/lanes16 product=f32", WIDEN, err, sizeof err), 0);
    double us[2] = { (double)INFINITY, (double)INFINITY };
    for (int k = 0; k < 2; k++) {
        struct ask w = { .params = t.params, .call = &t.call, .arith = &a[k] };
        for (int repeat = 0; repeat < 20; repeat++) {
            struct timespec from, to;
            ask_reset(&w, 88);
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
            for (int j = 0; j < 64; j++)
                b_dot(&w, PRODUCT, DOT, span(&w, "q", 0, 0), span(&w, "k", 0, j), 64);
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
            us[k] = fmin(
                us[k], ((double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) * 1e-3) / 64);
        }
        ask_clear(&w);
    }
    cr_log_info("dot of 64 at 88 bits with its radius: %.1f us exact, %.1f us with a profile", us[0], us[1]);
    trial_close(&t);
}

/* 771 / 1.5 = 514 lies halfway between the bfloat16 numbers 512 and 516; 1/1.5 has no end in bits, the product has. */
Test(exact, a_tie_of_rationals_is_decided_by_their_value)
{
    struct trial t;
    struct arith a;
    char err[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=4 scaling=linear factor=1.5", "angle", MER_BF16,
        "n=1", 1 }, err, sizeof err), 0, "%s", err);
    array_put(&t.in[0], 0, 771);
    cr_assert_gt(arith_read(&a, t.row, "phase=bf16", ROUND, err, sizeof err), 0);
    reference_run(&t, &a);
    cr_expect_eq(array_get(&t.out[0], 0), 512, "%g", array_get(&t.out[0], 0));
    array_put(&t.in[0], 0, 777); /* 518 lies halfway between 516 and 520, which is even. */
    reference_run(&t, &a);
    cr_expect_eq(array_get(&t.out[0], 0), 520, "%g", array_get(&t.out[0], 0));
    trial_close(&t);
}

Test(exact, a_sum_that_carries_keeps_its_last_bit)
{
    struct ask w = { .arith = &real, .len = 1 };
    ask_reset(&w, 32);
    w.exact = true;
    /* 2^54 - 3 takes 54 bits, and either summand 53. */
    const struct ball *y = b_add(&w, exactly(&w, 0x1p53 - 1), exactly(&w, 0x1p53 - 2));
    cr_expect(y->rad.m == 0 && mpfr_cmp_si(y->mid, (1L << 54) - 3) == 0, "radius %g, %g off", b_radius(y),
        mpfr_get_d(y->mid, MPFR_RNDN) - 0x1p54);
    ask_clear(&w);
}
