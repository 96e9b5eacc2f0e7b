/* Sums over numbers of at most 24 bits as doubles (plain.c and plain_mean.c of ref/core/softmax) against the same sums
 * made by balls, which are asked at a precision at which their midpoints are exact: the radius is theirs, and beside it
 * the error of the twofold sum by its formula and the rounding of the midpoint, to nine digits. */
#include "formula.h"
#include "softmax/plain.h"
#include "softmax/plain_mean.h"
#include "given_ball.h"

enum { WIDE = 1200, MOST = 12, DOT_STEP = 1, TERM_STEP = 0 };

/* The twofold sum of t[n] with every operation of its own in MPFR: *sum becomes hi + lo; was lo ever rounded? */
static bool twofold_rounds(mpfr_ptr sum, const double *t, long n)
{
    mpfr_t hi, lo, e;
    bool inexact = false;
    mpfr_init2(hi, 53), mpfr_init2(lo, 53), mpfr_init2(e, WIDE);
    mpfr_set_zero(hi, 1), mpfr_set_zero(lo, 1);
    for (long k = 0; k < n; k++) {
        mpfr_add_d(e, hi, t[k], MPFR_RNDN);
        mpfr_set(hi, e, MPFR_RNDN);
        mpfr_sub(e, e, hi, MPFR_RNDN);
        inexact |= mpfr_add(lo, lo, e, MPFR_RNDN) != 0;
    }
    mpfr_add(sum, hi, lo, MPFR_RNDN);
    mpfr_clears(hi, lo, e, (mpfr_ptr)0);
    return inexact;
}

/* Numbers of the type that t can hold: of one binade, of any, or around the smallest. */
static void fill(struct mer_array *a, void *data, double *kept)
{
    const enum mer_type types[] = { MER_F32, MER_F16, MER_BF16 };
    *a = (struct mer_array){ .name = "x", .type = types[draw(3)], .rank = 1, .dim = { 2 * MOST }, .data = data };
    const struct format *f = &formats[a->type];
    const long kind = draw(4), near = f->emin - f->p + 2 + draw(f->p + 4);
    for (long k = 0; k < 2 * MOST; k++) {
        const long e = kind == 0 ? 0 : kind == 1 ? near : kind == 2 ? f->emax - draw(3) : f->emin / 2 + draw(f->emax);
        const double x = draw(9) ? real(e) : 0;
        array_put(a, k, draw(2) ? x : -x);
        if (draw(3) == 0) /* A number of few bits. */
            array_put(a, k, ldexp((double)(1 + draw(7)), (int)e - 3));
        kept[k] = array_get(a, k);
    }
}

static struct arith any_arith(void)
{
    struct arith a = { .how = draw(5) ? WIDEN : EXACT, .ftz = draw(4) == 0 };
    for (int s = 0; s < 2; s++)
        if (draw(5))
            a.at[s] = any_rounding();
    struct rounding *r = &a.at[DOT_STEP];
    const long way = r->f ? draw(4) : 0;
    r->height = way == 1 ? 1 + (int)draw(MOST) : 0, r->lanes = way == 2 ? 1 + (int)draw(5) : 0;
    if (way == 3) /* A matrix unit, whose products are exact. */
        *r = (struct rounding){ .f = r->f, .ulps = 1, .block = 1 + (int)draw(5) }, a.at[TERM_STEP].f = NULL;
    return a;
}

static void dot(int k)
{
    static float x_of[2 * MOST], y_of[2 * MOST];
    double x[2 * MOST], y[2 * MOST], t[MOST], size = 0;
    struct mer_array a, b;
    struct arith arith = any_arith();
    struct ask narrow = { .arith = &arith }, wide = { .arith = &arith };
    ask_reset(&narrow, 48 + draw(PLAIN_BITS - 47)), ask_reset(&wide, WIDE);
    fill(&a, x_of, x), fill(&b, y_of, y);
    const long d = 2 + draw(MOST - 1);
    const struct span at = { .a = &a, .at = draw(MOST) }, with = { .a = &b, .at = draw(MOST) };
    const struct ball *plain = plain_dot(&narrow, TERM_STEP, DOT_STEP, at, with, d),
                      *balls = b_dot(&wide, TERM_STEP, DOT_STEP, at, with, d);
    cr_assert(plain && !plain_dot(&wide, TERM_STEP, DOT_STEP, at, with, d), "case %d", k);
    for (long j = 0; j < d; j++)
        t[j] = x[at.at + j] * y[with.at + j], size += fabs(t[j]);
    mpfr_t sum, mid;
    mpfr_init2(sum, WIDE), mpfr_init2(mid, narrow.prec);
    const bool rounds = twofold_rounds(sum, t, d), inexact = mpfr_set(mid, sum, MPFR_RNDN) != 0;
    double want = b_radius(balls) + (rounds ? ldexp(size * (double)(d * d), -105) : 0);
    if (inexact)
        want += ldexp(0.5, (int)(mpfr_get_exp(mid) - narrow.prec));
    cr_assert(mpfr_equal_p(plain->mid, mid), "case %d: %g", k, b_value(plain));
    const double least = 0x1p-1060; /* up_double raises subnormals. */
    cr_assert(isinf(want) ? isinf(b_radius(plain)) : fabs(b_radius(plain) - want) <= 1e-9 * want + least,
        "case %d: radius %.17g, by balls %.17g", k, b_radius(plain), want);
    cr_assert(b_is(plain) == b_is(balls) && plain->lift == 0, "case %d", k);
    cr_assert(fabs(up_double(plain->mag) - size) <= 1e-9 * size + 0x1p-890, "case %d: mag %g, not %g", k,
        up_double(plain->mag), size);
    cr_assert(plain->n == (double)d, "case %d: n is %g", k, plain->n);
    /* b_dot asks this first, and leaves one ball either way. */
    const size_t narrow_used = narrow.used, wide_used = wide.used;
    const struct ball *dot = b_dot(&narrow, TERM_STEP, DOT_STEP, at, with, d);
    b_dot(&wide, TERM_STEP, DOT_STEP, at, with, d);
    cr_assert(b_radius(dot) == b_radius(plain) && dot->n == plain->n && mpfr_equal_p(dot->mid, mid), "case %d", k);
    cr_assert(narrow.used == narrow_used + 1 && wide.used == wide_used + 1, "case %d: more than the sum is left", k);
    mpfr_clears(sum, mid, (mpfr_ptr)0), ask_clear(&narrow), ask_clear(&wide);
}
Test(plain_laws, a_dot_product_in_doubles_is_that_of_balls)
{
    for (int k = 0; k < 4000; k++)
        dot(k);
}

/* A product that the format of its step holds loses nothing, down to the smallest subnormal and up to the largest
 * number; every other one loses what b_step says. */
Test(plain_laws, a_product_loses_what_its_format_does_not_hold)
{
    static float x_of[2], one[] = { 1, 1 };
    struct mer_array x = { .name = "x", .type = MER_F32, .rank = 1, .dim = { 2 }, .data = x_of }, y = x;
    int held = 0, lost = 0;
    y.data = one;
    for (const struct format *f = formats; f->name; f++)
        for (int bits = 1; bits <= f->p + 1 && bits <= 24; bits++)
            for (int k = 0; k < 60; k++) {
                const long e = k < 40 ? f->emin - 30 + k : f->emax - 50 + k;
                const double t = ldexp(ldexp(1, bits) - 1, (int)e - bits); /* So many ones, below 2^e. */
                struct arith a = { .how = WIDEN, .at = { { .f = f, .ulps = 1 } } };
                struct ask w = { .arith = &a };
                x_of[0] = (float)t;
                if (!isfinite(t) || (double)x_of[0] != t)
                    continue;
                ask_reset(&w, 64);
                const struct ball *plain = plain_dot(&w, 0, 1, (struct span){ .a = &x }, (struct span){ .a = &y }, 2),
                                  *ball = b_step(&w, 0, b_element(&w, &x, 0));
                cr_expect(b_value(plain) == t && b_radius(plain) == b_radius(ball), "%s, %d bits, 2^%ld: %g, not %g",
                    f->name, bits, e, b_radius(plain), b_radius(ball));
                ball->rad.m > 0 ? lost++ : held++;
                ask_clear(&w);
            }
    cr_expect(held > 1000 && lost > 300, "%d are held, %d are not", held, lost);
}

/* Where a line is summed by doubles, and where it is not. */
Test(plain_laws, lines_that_doubles_do_not_sum_are_left_to_balls)
{
    static float x_of[PLAIN_TERMS + 1], inf[] = { 1, (float)INFINITY }, nan[] = { (float)NAN, 1 };
    static double f64_of[] = { 1, 2 };
    static const struct { long d; enum how how; bool exact, edit, dual; long prec; enum mer_type type; void *y;
        bool plain; } list[] = {
        { 2, EXACT, false, false, false, 64, MER_F32, x_of, true },
        { 2, WIDEN, false, false, false, PLAIN_BITS, MER_F32, x_of, true },
        { 2, WIDEN, false, false, false, PLAIN_BITS + 1, MER_F32, x_of, false },
        { 2, ROUND, false, false, false, 64, MER_F32, x_of, false },
        { 2, EXACT, true, false, false, 64, MER_F32, x_of, false },
        { 2, EXACT, false, true, false, 64, MER_F32, x_of, false },
        { 2, EXACT, false, false, true, 64, MER_F32, x_of, false },
        { 2, WIDEN, false, false, false, 64, MER_F64, f64_of, false },
        { 2, WIDEN, false, false, false, 64, MER_F32, inf, false },
        { 2, WIDEN, false, false, false, 64, MER_F32, nan, false },
        { 0, WIDEN, false, false, false, 64, MER_F32, x_of, false },
        { 1, WIDEN, false, false, false, 64, MER_F32, x_of, false },
        { PLAIN_TERMS, EXACT, false, false, false, 64, MER_F32, x_of, true },
        { PLAIN_TERMS + 1, EXACT, false, false, false, 64, MER_F32, x_of, false },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int swap = 0; swap < 2; swap++) {
            struct arith a = { .how = list[k].how, .edit = { .step = list[k].edit } };
            struct ask w = { .arith = &a };
            struct mer_array x = { .name = "x", .type = MER_F32, .rank = 1, .dim = { PLAIN_TERMS + 1 }, .data = x_of },
                             y = { .name = "y", .type = list[k].type, .rank = 1, .dim = { 2 }, .data = list[k].y };
            ask_reset(&w, list[k].prec), w.exact = list[k].exact;
            w.dual = list[k].dual ? (struct dual *)(void *)&a : NULL;
            const struct span at = { .a = swap ? &x : &y }, with = { .a = swap ? &y : &x };
            cr_expect_eq(plain_dot(&w, 0, 1, at, with, list[k].d) != NULL, list[k].plain, "%zu", k);
            w.dual = NULL, ask_clear(&w);
        }
}

/* The exponent that a single product has above its factors, which a matrix unit may align a later sum by. */
Test(plain_laws, a_single_product_keeps_its_lift)
{
    static float x_of[] = { 0x1p-140f, 1.5f };
    struct mer_array x = { .name = "x", .type = MER_F32, .rank = 1, .dim = { 2 }, .data = x_of };
    const struct arith a = { .how = WIDEN };
    struct ask w = { .arith = &a };
    ask_reset(&w, 64);
    for (long k = 0; k < 2; k++) {
        const struct span at = { .a = &x, .at = k };
        const struct ball *one = b_mul(&w, b_element(&w, &x, k), b_element(&w, &x, k));
        cr_expect(b_dot(&w, 0, 1, at, at, 1)->lift == one->lift && (k || one->lift < 0), "%ld: %d", k, one->lift);
    }
    ask_clear(&w);
}

/* Means.  By key, the weight and its radius, and the value, of query 2 of head 1. */
enum { KEYS = 6, COLUMNS = 2 };
struct weighing { double e[KEYS], lo[KEYS], rad[KEYS], v[KEYS]; long n; };
static float value_of_key[2][3][KEYS][COLUMNS];
static struct mer_array values_of = { .name = "v", .type = MER_F32, .rank = 3, .dim = { 2, 3 * KEYS, COLUMNS },
    .data = value_of_key };
static struct span values(const struct ask *w, long h, long i, long j)
{
    (void)w;
    return (struct span){ .a = &values_of, .at = ((h * 3 + i) * KEYS + j) * COLUMNS };
}
static const struct mix mixing = { .keys = KEYS, .values = values };

/* The second column of these weights, e + lo, over a total of 1: its o is the numerator. */
static bool column_of(struct ask *w, const struct weighing *q, struct up D, struct column *y)
{
    static struct up widths[KEYS], none[KEYS];
    long key[KEYS], R[KEYS] = { 0 };
    const struct ball *e[KEYS];
    struct weights x = { .D = widths, .R = R };
    for (long j = 0; j < q->n; j++) {
        e[j] = b_widen(w, b_add(w, given_ball(w, q->e[j], 0), given_ball(w, q->lo[j], 0)), up_d(q->rad[j]));
        key[j] = j, widths[j] = D, value_of_key[1][2][j][1] = (float)q->v[j], value_of_key[1][2][j][0] = 9;
    }
    struct soft s = { .n = q->n, .key = key, .e = e, .total = b_si(w, 1) };
    w->at[0] = 1, w->at[1] = 2;
    struct plain *p = plain_open(w, &mixing, &s, &x, none);
    const bool plain = p && plain_column(w, p, 1, y);
    plain_free(p);
    return plain;
}

/* A numerator is off by the radius of each weight times its value, by n^2 2^-102 of the sum of its terms, and by the
 * rounding of its midpoint. */
Test(plain_laws, a_numerator_has_the_radius_of_its_formula)
{
    static const struct weighing list[] = {
        { { 1, 0.5, 0.25 }, { 0 }, { 0 }, { 1, -2, 3 }, 3 },
        { { 1, 0.5, 0.25 }, { 0 }, { 0x1p-20, 0x1p-10, 0x1p-30 }, { 5, -3, 7 }, 3 },
        { { 1, 0x1p-40, 0x1p-80 }, { 0 }, { 0 }, { 0x1.fffffep10, 0x1.000002p0, -0x1.800002p1 }, 3 },
        { { 1, 1, 1, 1, 1, 1 }, { 0 }, { 0 }, { 0x1.fffffep60, 0x1.8p0, -0x1.000002p40, 3, 5, -7 }, 6 },
        { { 0x1.123456789abcdp-1, 0x1.fedcba9876543p-2 }, { 0 }, { 0 }, { 0x1.abcdeep0, 0x1.fffffep30 }, 2 },
        { { 1, 0.5 }, { 0x1p-58, -0x1p-61 }, { 0 }, { 0x1.abcdeep0, 3 }, 2 }, /* Of 59 and of 61 bits. */
        { { 0x1p-699, 0x1p-690 }, { 0 }, { 0, 0x1p-710 }, { 1, 3 }, 2 },
        { { 0x1p-700, 0x1.8p-701 }, { 0 }, { 0 }, { 1, 3 }, 2 },
        { { 0x1p-703, 0 }, { 0 }, { 0, 0x1p-800 }, { 3, 5 }, 2 },
        { { -0.5, 1 }, { 0 }, { 0.25, 0 }, { 3, 5 }, 2 }, /* Of what is not positive, all is a radius. */
        { { 1 }, { 0 }, { 0 }, { -3 }, 1 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (long prec = 64; prec <= PLAIN_BITS; prec += 16) {
            const struct arith a = { .how = WIDEN };
            struct ask w = { .arith = &a };
            struct column y = { 0 };
            double size = 0, off = 0;
            mpfr_t sum, term, mid;
            mpfr_init2(sum, WIDE), mpfr_init2(term, WIDE), mpfr_init2(mid, prec), mpfr_set_zero(sum, 1);
            ask_reset(&w, prec);
            cr_assert(column_of(&w, &list[k], (struct up){ 0, 0 }, &y));
            for (long j = 0; j < list[k].n; j++) {
                const double e = list[k].e[j], v = fabs((double)(float)list[k].v[j]);
                const bool in_doubles = e >= 0x1p-700;
                mpfr_set_d(term, in_doubles ? e : 0, MPFR_RNDN);
                mpfr_add_d(term, term, list[k].lo[j], MPFR_RNDN);
                mpfr_mul_d(term, term, (double)(float)list[k].v[j], MPFR_RNDN);
                mpfr_add(sum, sum, term, MPFR_RNDN);
                size += in_doubles ? e * v : 0, off += (list[k].rad[j] + (in_doubles ? 0 : fabs(e))) * v;
            }
            double want = off + ldexp(size * (double)(list[k].n * list[k].n), -102);
            if (mpfr_set(mid, sum, MPFR_RNDN))
                want += ldexp(0.5, (int)(mpfr_get_exp(mid) - prec));
            want += 0x1p-901; /* Of plain_up. */
            cr_expect(mpfr_equal_p(y.o->mid, mid), "%zu, %ld bits: %g", k, prec, b_value(y.o));
            cr_expect(fabs(b_radius(y.o) - want) <= 1e-9 * want, "%zu, %ld bits: radius %.17g, not %.17g", k, prec,
                b_radius(y.o), want);
            cr_expect(fabs(up_double(y.o->mag) - size) <= 1e-9 * size + 0x1p-890 && y.o->n == 2 * list[k].n + 1,
                "%zu: mag %g, n %g", k, up_double(y.o->mag), y.o->n);
            mpfr_clears(sum, term, mid, (mpfr_ptr)0), ask_clear(&w);
        }
}

/* The exact arithmetic knows a mean of equal values, whatever the weights are; no other arithmetic and no other mean is
 * known. */
Test(plain_laws, a_mean_of_equal_values_is_known)
{
    static const struct weighing list[] = { { { 1, 0.5, 0.25 }, { 0 }, { 0x1p-60, 0, 0 }, { 3, 3, 3 }, 3 },
        { { 1, 0.5 }, { 0 }, { 0 }, { -0.125, -0.125 }, 2 }, { { 1, 0.5 }, { 0 }, { 0 }, { 3, 3.5 }, 2 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int how = EXACT; how <= WIDEN; how += WIDEN - EXACT) {
            const struct arith a = { .how = (enum how)how };
            struct ask w = { .arith = &a };
            struct column y = { 0 };
            ask_reset(&w, 64);
            cr_assert(column_of(&w, &list[k], (struct up){ 0, 0 }, &y));
            const bool known = how == EXACT && k < 2;
            cr_expect_eq(y.known != NULL, known, "%zu, how %d", k, how);
            cr_expect(!known || (b_value(y.known) == list[k].v[0] && y.known->rad.m == 0), "%zu", k);
            cr_expect(fabs(up_double(y.range) - (k == 2 ? 0.5 : 0)) <= 1e-9, "%zu: %g", k, up_double(y.range));
            ask_clear(&w);
        }
}

/* More keys than PLAIN_TERMS are left to balls, and so are values that are given, or that lie in no array. */
Test(plain_laws, means_that_doubles_do_not_make_are_left_to_balls)
{
    static const struct ball *given[1];
    static const struct { long n; bool given, in_an_array, plain; } list[] = { { 1, false, true, true },
        { 1, true, true, false }, { 1, false, false, false }, { PLAIN_TERMS + 1, false, true, false } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct arith a = { .how = WIDEN };
        struct ask w = { .arith = &a };
        struct mix m = mixing;
        struct up D = { 0, 0 }, none = D;
        long key = 0, R = 0;
        ask_reset(&w, 64);
        const struct ball *e = b_si(&w, 1);
        const struct soft s = { .n = list[k].n, .key = &key, .e = &e, .total = e };
        m.given = list[k].given ? given : NULL, m.values = list[k].in_an_array ? values : NULL;
        struct plain *p = plain_open(&w, &m, &s, &(struct weights){ .D = &D, .R = &R }, &none);
        cr_expect_eq(p != NULL, list[k].plain, "%zu", k);
        plain_free(p), ask_clear(&w);
    }
}
