/* Sums as honest machines add them up: every tree, height and number of lanes, terms converted first or together with
 * the addition they join, results flushed where the profile lets them be, near underflow and near overflow.  No such
 * sum leaves the bound that the declared structure has. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "ball/adverse.h"
#include "compare/compare.h"
#include "row/row.h"
#include "trial/trial.h"

/* WIDTH bits reach from float64's largest number to the square of its smallest, so that sums of terms are exact. */
enum { TERMS = 40, WIDTH = 2400 };
static uint64_t drawn;
static long draw(long n) { return (long)(gen_bits(71, 0, drawn++) % (uint64_t)n); }

/* `of` is the format of the terms, or NULL; `flushes` says how many results in 8 are flushed. */
struct machine { const struct rounding *r; const struct format *of; bool ftz, fused; int flushes; };

static bool small(mpfr_srcptr x, const struct format *f) { return mpfr_regular_p(x) && mpfr_get_exp(x) <= f->emin; }
static void result(const struct machine *m, mpfr_t x) /* Rounds the result of one operation of the accumulator. */
{
    round_to(x, m->r->f);
    if (m->ftz && small(x, m->r->f) && draw(8) < m->flushes)
        mpfr_set_zero(x, 1);
}

/* Adds y to x; x + 0 and 0 + y are no additions and round nothing. */
static void together(const struct machine *m, mpfr_t x, mpfr_srcptr y)
{
    if (mpfr_zero_p(y))
        return;
    mpfr_add(x, x, y, MPFR_RNDN);
    result(m, x);
}

/* Leaves as the accumulators first hold them.  A fused term is left as it is: the addition that it joins rounds it. */
static void convert(const struct machine *m, mpfr_t *x, long n)
{
    for (long k = 0; k < n; k++)
        if (!m->fused)
            result(m, x[k]);
}

/* Adds up in lanes, as step.h says; the sum is then in x[0]. */
static void in_lanes(const struct machine *m, mpfr_t *x, long n)
{
    const long lanes = m->r->lanes;
    for (long k = 0; k < n && k < lanes; k++)
        result(m, x[k]);
    for (long k = lanes; k < n; k++)
        together(m, x[k % lanes], x[k]);
    for (long step = 1; step < lanes; step *= 2)
        for (long k = 0; k + step < lanes && k + step < n; k += 2 * step)
            together(m, x[k], x[k + step]);
}

/* Any tree of the declared height: two of the roots so far are joined, as long as the rest can still be joined in a
 * balanced way. */
static void in_a_tree(const struct machine *m, mpfr_t *x, long n)
{
    long height[TERMS] = { 0 }, left = n;
    const long most = m->r->height ? m->r->height : TERMS;
    const bool chain = draw(3) == 0 && !m->r->height;
    if (n == 1)
        result(m, x[0]);
    while (left > 1) {
        long a = chain ? 0 : draw(left), b = chain ? left - 1 : (a + 1 + draw(left - 1)) % left;
        double room = 0; /* By Kraft's inequality the others and the joined one fit under the height `most`. */
        const long joined = 1 + (height[a] > height[b] ? height[a] : height[b]);
        for (long k = 0; k < left; k++)
            room += k == a || k == b ? 0 : ldexp(1, (int)height[k]);
        /* Otherwise the two lowest are joined, which always fit. */
        if (room + ldexp(1, (int)joined) > ldexp(1, (int)most)) {
            a = 0;
            for (long k = 1; k < left; k++)
                a = height[k] < height[a] ? k : a;
            b = a == 0;
            for (long k = 0; k < left; k++)
                b = k != a && height[k] < height[b] ? k : b;
        }
        mpfr_add(x[a], x[a], x[b], MPFR_RNDN);
        result(m, x[a]);
        height[a] = 1 + (height[a] > height[b] ? height[a] : height[b]);
        mpfr_swap(x[b], x[left - 1]);
        height[b] = height[--left];
    }
}

/* A term at binade e: of format `of`, or of 53 bits; few bits, all bits, just above or below a half; the same magnitude
 * again and again, or not. */
static void term(mpfr_t x, const struct format *of, long e, int way)
{
    const double frac = way == 0 ? 0.5 :
        way == 1                 ? 0.5 + 0x1p-53 :
        way == 2                 ? 1 - 0x1p-53 :
        way == 3                 ? 0.9 :
                                   0.5 + ldexp((double)draw(1L << 52), -53);
    mpfr_set_d(x, frac, MPFR_RNDN);
    mpfr_mul_2si(x, x, e, MPFR_RNDN);
    if (of)
        round_to(x, of);
}

/* A binade where something happens: around eta, around 2^emin, at 1, or near the largest number. */
static long binade(const struct format *f)
{
    static const int near[] = { 3, 6, 2, 12 };
    const long at[] = { f->emin - f->p, f->emin, 0, f->emax - 2 };
    const long k = draw(4);
    return at[k] + draw(2 * near[k] + 1) - near[k];
}

static double share_of_bound(const char *words, const struct format *of, bool ftz)
{
    struct rounding r;
    cr_assert_null(rounding_read(&r, words));
    struct arith a = { .how = WIDEN, .ftz = ftz };
    a.at[0] = r;
    struct ask w = { .arith = &a };
    /* An exact product exists only inside a fused addition. */
    struct machine m = { &r, of, ftz, !of || draw(2), (int)draw(9) };
    const long n = 1 + (draw(3) ? draw(r.height ? 16 : TERMS) : draw(3)), e = binade(of && draw(2) ? of : r.f);
    const int way = (int)draw(6), signs = (int)draw(3);
    mpfr_t x[TERMS], sum;
    struct ball b[TERMS];
    struct summand t[TERMS];
    mpfr_init2(sum, WIDTH);
    mpfr_set_zero(sum, 1);
    for (long k = 0; k < n; k++) {
        mpfr_init2(x[k], WIDTH);
        term(x[k], of, way == 5 ? binade(r.f) : e, way);
        if (signs == 2 || (signs == 1 && draw(2)))
            mpfr_neg(x[k], x[k], MPFR_RNDN);
        if (draw(12) == 0)
            mpfr_set_zero(x[k], 1);
        if (mpfr_inf_p(x[k]))
            mpfr_set_ui(x[k], 1, MPFR_RNDN);
        *b[k].mid = *x[k], b[k].rad = (struct up){ 0, 0 };
        t[k] = b_summand(&b[k], (struct up){ 0, 0 }, of);
        mpfr_add(sum, sum, x[k], MPFR_RNDN);
    }
    struct up bound = sum_error(&w, 0, t, n, false);
    convert(&m, x, n);
    r.lanes ? in_lanes(&m, x, n) : in_a_tree(&m, x, n);
    double share = 0;
    if (!isinf(bound.m)) {
        cr_assert(mpfr_number_p(x[0]), "%s of %s: overflow within a finite bound", words, of ? of->name : "products");
        struct up off = up_far(x[0], sum);
        cr_assert(!up_less(bound, off), "%s of %s%s%s, %ld terms at 2^%ld, way %d: off by %g, bound %g", words,
            of ? of->name : "products", ftz ? ", flushed" : "", m.fused ? ", fused" : "", n, e, way, up_double(off),
            up_double(bound));
        share = bound.m > 0 ? up_double(up_div(off, bound)) : 0;
    }
    for (long k = 0; k < n; k++)
        mpfr_clear(x[k]);
    mpfr_clear(sum);
    return share;
}

Test(sums, no_honest_sum_leaves_its_bound_and_some_reach_it, .timeout = 300)
{
    static const char *const structure[] = { "", "/lanes1", "/lanes4", "/lanes16", "/h4", "/h9" };
    for (const struct format *f = formats; f->name; f++)
        for (size_t s = 0; s < sizeof structure / sizeof *structure; s++)
            for (const struct format *of = formats;; of++) {
                for (int ftz = 0; ftz < 2; ftz++) {
                    char words[32];
                    double worst = 0;
                    snprintf(words, sizeof words, "%s%s", f->name, structure[s]);
                    for (int k = 0; k < 400; k++)
                        worst = fmax(worst, share_of_bound(words, of->name ? of : NULL, ftz));
                    if (!of->name || of->p >= f->p) /* Sums of fewer bits are mostly exact. */
                        cr_expect_gt(worst, 0.3, "%s of %s%s uses %g", words, of->name ? of->name : "products",
                            ftz ? ", flushed" : "", worst);
                }
                if (!of->name)
                    break;
            }
}

/* One key, so that the log-sum-exp is the score itself: whole dot products that vanish, term by term. */
Test(sums, products_below_the_accumulators_smallest_number_are_within_the_bound)
{
    static const struct { const char *words; int type; double at; } cases[] = {
        { "dot=f16", MER_F16, 0x1p-13 },
        { "dot=f16/h8", MER_F16, 0x1p-13 },
        { "dot=f16/lanes1", MER_F16, 0x1p-13 },
        { "dot=f16/lanes16", MER_F16, 0x1p-13 },
        { "product=f32 dot=f16", MER_F16, 0x1p-13 },
        { "product=bf16 dot=f16", MER_F16, 0x1p-13 },
        { "dot=f32", MER_F32, 0.9 * 0x1p-75 },
        { "dot=f32/h8", MER_F32, 0.9 * 0x1p-75 },
        { "dot=f32/lanes1", MER_F32, 0.9 * 0x1p-75 },
        { "product=f64 dot=f32", MER_F32, 0.9 * 0x1p-75 },
        { "dot=f16 ftz=on", MER_F16, 0x1p-12 },
        { "product=f32 dot=f16", MER_F16, 0x1p9 },
        { "product=bf16 dot=f16/lanes4", MER_BF16, 0x1p9 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trial t;
        struct tally y;
        struct arith round, wide;
        char err[400], text[200];
        snprintf(text, sizeof text, "scale=1 %s", cases[k].words);
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", text, "lse", cases[k].type,
            "h=1 g=1 n=1 m=1 d=64", 1 }, err, sizeof err), 0, "%s", err);
        for (int a = 0; a < 2; a++)
            for (long j = 0; j < 64; j++)
                array_put(&t.in[a], j, cases[k].at);
        cr_assert_geq(arith_read(&round, t.row, text, ROUND, err, sizeof err), 0, "%s", err);
        cr_assert_geq(trial_profile(&t, text, &wide, WIDEN, err, sizeof err), 0, "%s", err);
        reference_run(&t, &round);
        judge_outputs(&t, &wide, 0, &y);
        cr_expect(
            tally_passes(&y), "%s: %g of the bound: got %a, want %a, bound %g", text, y.ratio, y.got, y.want, y.bound);
        /* In a tree two products meet before they are rounded. */
        const double least = strstr(text, "/h") ? 0.1 : 0.2;
        cr_expect(cases[k].at > 1 || wide.ftz || y.own > least, "%s is loose: %g", text, y.ratio);
        trial_close(&t);
    }
}

/* A contract adds up in the structure that it declares: 2^24 takes 1 and 1 one after the other for nothing, and
 * takes the 2 that they make. */
Test(sums, of_a_contract_have_their_declared_structure)
{
    static const struct { const char *word; double sum; long side_by_side; } cases[] = {
        { "f32", 0x1p24, 1 },
        { "f32/lanes1", 0x1p24, 1 },
        { "f32/h3", 0x1p24, 1 },
        { "f32/h100", 0x1p24, 1 },
        { "f32/lanes2", 0x1p24 + 2, 2 },
        { "f32/lanes3", 0x1p24 + 2, 3 },
        { "f32/lanes4", 0x1p24 + 2, 4 },
        { "f32/lanes16", 0x1p24 + 2, 4 },
        { "f32/h2", 0x1p24 + 2, 2 },
        { "f32/h1", 0x1p24 + 2, 2 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct arith a = { .how = ROUND };
        struct ask w = { .arith = &a };
        cr_assert_null(rounding_read(&a.at[2], cases[k].word));
        ask_reset(&w, 100);
        const struct ball *t[] = { b_si(&w, 1L << 24), b_si(&w, 1), b_si(&w, 1), b_si(&w, 1) };
        cr_expect_eq(b_value(b_sum(&w, 2, t, 4)), cases[k].sum, "%s: %a", cases[k].word, b_value(b_sum(&w, 2, t, 4)));
        cr_expect_eq(running_sums(&w, 2, 4), cases[k].side_by_side, "%s", cases[k].word);
        ask_clear(&w);
    }
}
