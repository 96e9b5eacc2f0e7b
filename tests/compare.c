/* The one comparison, part by part against exact arithmetic: the share of a ball that an error uses, what a tally keeps
 * of its elements, which lines are drawn, and that every element counts once and where it stands. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/clock.h"
#include "compare/answers.h"
#include "compare/ball_share.h"
#include "compare/compare.h"

static uint64_t state = 0x9e3779b97f4a7c15;
static uint64_t bits(void) { return state ^= state << 13, state ^= state >> 7, state ^= state << 17; }
static long below(long n) { return (long)(bits() >> 8) % n; }

/* m 2^e as a rational. */
static void scaled(mpq_t q, double m, long e)
{
    mpq_set_d(q, m);
    (e < 0 ? mpq_div_2exp : mpq_mul_2exp)(q, q, (mp_bitcnt_t)labs(e));
}

/* A ball with a midpoint of some bits near 2^e and a radius of 53 bits, or fewer, near 2^(e - gap). */
static void draw_ball(struct ball *b, long e, long gap)
{
    static const long precisions[] = { 2, 3, 24, 53, 64, 200 };
    mpfr_set_prec(b->mid, precisions[below(6)]);
    mpfr_set_d(b->mid, (double)(bits() >> 11) * (below(2) ? -0x1p-53 : 0x1p-53), MPFR_RNDN);
    if (below(2)) /* bits further down */
        mpfr_add_d(b->mid, b->mid, ldexp((double)(bits() >> 11), -170), MPFR_RNDN);
    mpfr_mul_2si(b->mid, b->mid, e, MPFR_RNDN);
    b->rad = (struct up){ below(3) ? ldexp((double)(bits() >> 12 | 1ull << 52), -53) : 0.5, e - gap };
    b->mag = up_of(b->mid);
}

/* Numbers beside the ends of a ball, within it, at its middle and far away. */
static double draw_got(const struct ball *b)
{
    static const double shares[] = { 0, 0.5, 1, 1, 1, 1.0000001, 3, 0x1p80 };
    mpfr_t x, r;
    mpfr_init2(x, 400), mpfr_init2(r, 53);
    mpfr_set_d(r, b->rad.m * (below(2) ? -1 : 1) * shares[below(8)], MPFR_RNDN), mpfr_mul_2si(r, r, b->rad.e,
        MPFR_RNDN);
    mpfr_add(x, b->mid, r, MPFR_RNDN);
    double got = mpfr_get_d(x, below(2) ? MPFR_RNDU : MPFR_RNDD);
    mpfr_clears(x, r, (mpfr_ptr)0);
    return got;
}

/* A number is inside where |got - mid| <= radius in exact arithmetic, however small all three are, and the share is
 * their
 * quotient but for the rounding of one division. */
Test(compare, a_share_is_the_exact_quotient_and_never_on_the_other_side_of_1)
{
    struct ball b = { 0 };
    mpq_t off, rad, mid, share, low, high;
    mpq_inits(off, rad, mid, share, low, high, NULL);
    mpfr_init2(b.mid, 53);
    long inside = 0, outside = 0, ends = 0;
    for (int k = 0; k < 20000; k++) {
        const long e = k % 4 ? below(40) - 20 : -1060 - below(30);
        draw_ball(&b, e, k % 7 ? below(90) : below(4));
        if (k % 50 == 0)
            b.rad = (struct up){ 0, 0 };
        double got = k % 11 ? draw_got(&b) : ldexp((double)bits(), (int)e - 64 + (int)below(150));
        if (k % 13 == 0 && mpfr_get_exp(b.mid) < 900) /* the distance is beyond a double by less than its last bit */
            got = ldexp(copysign(1, -mpfr_get_d(b.mid, MPFR_RNDN)), (int)mpfr_get_exp(b.mid) + 100),
            b.rad = up_d(fabs(got));
        mpfr_get_q(mid, b.mid);
        mpq_set_d(off, got), mpq_sub(off, off, mid), mpq_abs(off, off);
        scaled(rad, b.rad.m, b.rad.e);
        const double is = ball_share(&b, got);
        const int side = mpq_cmp(off, rad);
        cr_expect(side <= 0 ? is <= 1 : is > 1, "%a: %g of a radius, where the distance is %d of it", got, is, side);
        inside += side < 0, outside += side > 0, ends += side == 0;
        if (!mpq_sgn(off) || b.rad.m == 0) {
            cr_expect(mpq_sgn(off) ? isinf(is) : is == 0, "%g", is);
            continue;
        }
        mpq_div(share, off, rad), mpq_set_d(low, 1 - 0x1p-52), mpq_mul(low, low, share);
        mpq_set_d(high, 1 + 0x1p-51), mpq_mul(high, high, share), mpq_set_d(mid, is);
        cr_expect(mpq_cmp(low, mid) <= 0 && mpq_cmp(mid, high) <= 0, "%a: %a, exactly %g", got, is, mpq_get_d(share));
    }
    cr_expect(inside > 4000 && outside > 4000 && ends > 300, "%ld %ld %ld", inside, outside, ends);
    mpfr_clear(b.mid), mpq_clears(off, rad, mid, share, low, high, NULL);
}

/* What is no number or infinite: right only where the row asks for it, or where the bound is infinite. */
Test(compare, no_number_is_right_only_where_it_is_asked_for)
{
    static const double x[] = { NAN, INFINITY, -INFINITY, 0, -3 };
    static const struct up radii[] = { { 0, 0 }, { 0.5, 3 }, { 0.5, 3000 }, { (double)INFINITY, 0 } };
    struct ball b = { 0 };
    mpfr_init2(b.mid, 60);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (int r = 0; r < 4; r++) {
                mpfr_set_d(b.mid, x[i], MPFR_RNDN), b.rad = radii[r];
                const double got = x[j], is = ball_share(&b, got);
                const bool wide = r > 1, no = isnan(x[i]),
                           in = no ? (r == 0 && isnan(got)) || (wide && isinf(got)) :
                    isnan(got)       ? false :
                    got == x[i]      ? true :
                    isinf(x[i])      ? false :
                    isinf(got)       ? wide :
                                       fabs(got - x[i]) <= (r == 0 ? 0 : r == 1 ? 4 : (double)INFINITY);
                cr_expect_eq(is <= 1, in, "%g for %g, radius %d: %g", got, x[i], r, is);
                if (!no && got == x[i])
                    cr_expect(is == 0, "%g for itself: %g", got, is);
                struct tally y = { 0 };
                const long at[MER_RANK] = { 0 };
                b.mag = up_inf();
                tally_add(&y, &b, &b, got, &formats[0], at, 0, "o");
                cr_expect_eq(y.over, !in, "%g for %g, radius %d: %ld over", got, x[i], r, y.over);
                cr_expect(!y.correct || (no ? r == 0 && isnan(got) : got == x[i]), "%g is no correct %g", got, x[i]);
            }
    mpfr_clear(b.mid);
}

/* Digits of the midpoint: one fewer than |mid| / radius has, 1 at least and 40 at most. */
static void digits_of(const struct ball *b, char *text, size_t n)
{
    mpq_t q, r;
    int sure = 40;
    mpq_inits(q, r, NULL);
    mpfr_get_q(q, b->mid), mpq_abs(q, q), scaled(r, b->rad.m, b->rad.e);
    if (b->rad.m > 0)
        for (sure = -1, mpz_mul_ui(mpq_numref(r), mpq_numref(r), 10), mpq_canonicalize(r); sure < 40 && mpq_cmp(r,
            q) <= 0;
             sure++)
            mpz_mul_ui(mpq_numref(r), mpq_numref(r), 10), mpq_canonicalize(r);
    mpfr_snprintf(text, n, "%.*Rg", sure < 1 ? 1 : sure, b->mid);
    mpq_clears(q, r, NULL);
}

/* A tally is what its elements are one by one: sums, worst values, and the first element that is worst. */
Test(compare, a_tally_is_the_sum_and_the_worst_of_its_elements)
{
    static const char *const outs[] = { "o", "lse" };
    for (int round = 0; round < 300; round++) {
        const struct format *f = &formats[round % 4];
        struct tally y = { 0 }, want = { 0 };
        struct ball x = { 0 }, b = { 0 };
        char digits[64] = "";
        mpfr_init2(x.mid, 53), mpfr_init2(b.mid, 53);
        mpq_t derived, one, mag;
        mpq_inits(derived, one, mag, NULL);
        bool first = true;
        for (int k = 0, all = 1 + (int)below(8); k < all; k++) {
            draw_ball(&x, below(9) - 4, 60 + below(90)), draw_ball(&b, below(9) - 4, below(30));
            x.n = below(3), mpfr_set_prec(b.mid, mpfr_get_prec(x.mid)), mpfr_set(b.mid, x.mid, MPFR_RNDN);
            if (below(6) == 0)
                x.rad = (struct up){ 0, 0 };
            if (below(12) == 0)
                mpfr_set_inf(b.mid, 1), mpfr_set_inf(x.mid, 1), x.rad = b.rad = (struct up){ 0, 0 }, x.mag = up_inf();
            if (below(12) == 0)
                b.rad = up_inf();
            if (below(20) == 0)
                x.mag = (struct up){ 0, 0 };
            const double got = below(14) == 0 ? (double)NAN : below(14) == 0 ? (double)INFINITY : draw_got(&b);
            const long at[MER_RANK] = { below(5), below(7), k };
            const struct reading r = ruler_read(&x, got, f);
            const double share = isinf(got) && r.correct ? 0 : ball_share(&b, got),
                         ratio = isnan(share) ? (double)INFINITY : share;
            tally_add(&y, &x, &b, got, f, at, k + 3, outs[k % 2]);
            want.n++, want.correct += r.correct, want.class[r.class]++, want.over += !(share <= 1);
            want.ulp = isnan(r.ulp) || fabs(r.ulp) <= want.ulp ? want.ulp : fabs(r.ulp);
            want.gauge = isnan(r.gauge) || r.gauge <= want.gauge ? want.gauge : r.gauge;
            if (x.mag.m > 0 && isfinite(x.mag.m) && isfinite(b.rad.m)) {
                scaled(one, b.rad.m, b.rad.e + f->p), scaled(mag, x.mag.m, x.mag.e), mpq_div(one, one, mag);
                if (mpq_cmp(one, derived) > 0)
                    mpq_set(derived, one);
            }
            if (first || ratio > want.ratio || isnan(share)) {
                want.ratio = ratio, want.out = outs[k % 2], want.k = k + 3, want.got = got;
                want.want = mpfr_get_d(x.mid, MPFR_RNDN), want.bound = b_radius(&b);
                memcpy(want.at, at, sizeof at), digits_of(&x, digits, sizeof digits);
                first = false;
            }
        }
        cr_expect(y.n == want.n && y.correct == want.correct && y.over == want.over && y.ratio == want.ratio &&
                y.ulp == want.ulp && y.gauge == want.gauge, "%ld %ld %ld %g %g %g", y.n, y.correct, y.over, y.ratio,
                y.ulp,
            y.gauge);
        cr_expect_arr_eq(y.class, want.class, sizeof y.class);
        cr_expect(y.out == want.out && y.k == want.k && !memcmp(&y.got, &want.got, 8) && y.want == want.want &&
                y.bound == want.bound && !memcmp(y.at, want.at, sizeof y.at), "%s %ld: %g", y.out, y.k, y.got);
        cr_expect_str_eq(y.digits, digits);
        cr_expect(y.derived >= mpq_get_d(derived) && y.derived <= mpq_get_d(derived) * (1 + 0x1p-46), "%g, not %g",
            y.derived, mpq_get_d(derived));
        mpfr_clears(x.mid, b.mid, (mpfr_ptr)0), mpq_clears(derived, one, mag, NULL);
    }
}

/* Lines are different ones, with the first and the last; few of many stand where tiles end as often as it is said. */
Test(compare, lines_are_drawn_once_each_and_often_where_tiles_end)
{
    for (int k = 0; k < 200; k++) {
        struct mer_array a = { .rank = 4, .dim = { 1 + below(40), 1 + below(9), 1 + below(3), 7 } };
        const int lead = (int)below(4);
        long total = 1, again = 0;
        for (int j = 0; j < lead; j++)
            total *= a.dim[j];
        const long some = 1 + below(k % 3 ? total : total + 20), asked = some < total ? some : total;
        long *line = lines_sampled(&a, lead, k % 5, asked, total), *other = lines_sampled(&a, lead, k % 5, asked,
            total);
        char *seen = need((size_t)total, 1);
        for (long i = 0; i < asked; i++) {
            cr_assert(line[i] >= 0 && line[i] < total, "%ld of %ld", line[i], total);
            again += seen[line[i]]++, again += line[i] != other[i] || (asked == total && line[i] != i);
        }
        cr_expect(!again && seen[0] && (asked < 2 || seen[total - 1]), "%ld of %ld: %ld twice", asked, total, again);
        free(line), free(other), free(seen);
    }
    enum { DRAWN = 6000, N = 16007, M = 5003 };
    struct mer_array a = { .rank = 3, .dim = { N, M, 4 } };
    long count[2][4] = { { 0 } }, least[2] = { N, M }, *line = lines_sampled(&a, 2, 0, DRAWN, (long)N * M),
         *next = lines_sampled(&a, 2, 1, DRAWN, (long)N * M), same = 0;
    for (long i = 2; i < DRAWN; i++)
        for (int axis = 0; axis < 2; axis++) {
            const long at = axis ? line[i] % M : line[i] / M, n = axis ? M : N;
            count[axis][at == n - 1 ? 0 : at % 16 == 0 ? 1 : at % 16 == 15 ? 2 : 3]++;
            least[axis] = at < least[axis] ? at : least[axis];
            same += line[i] == next[i];
        }
    /* 1/4 are last, 1/4 end or begin a tile of 16, half of these each, and of the other half 1/16 stand at either
     * place:
     * within five standard deviations of the binomial law */
    for (int axis = 0; axis < 2; axis++)
        for (int c = 0; c < 4; c++) {
            const double p = c == 0 ? 0.25 : c < 3 ? 0.125 + 1 / 32.0 : 0.5 * 14 / 16, mean = p * DRAWN;
            cr_expect(fabs((double)count[axis][c] - mean) <= 5 * sqrt(mean * (1 - p)), "axis %d, %d: %ld, not %g", axis,
                c, count[axis][c], mean);
        }
    cr_expect(same < DRAWN / 4 && line[0] == 0 && line[1] == (long)N * M - 1, "outputs draw lines of their own: %ld",
        same);
    free(line), free(next);
}

/* Of what a line reads, the most lines that together read no more than LINES_READ numbers, but one at least. */
Test(compare, lines_are_fewer_where_each_reads_much)
{
    static const struct { const char *out, *sizes; long n, m, d, e, h, g; } list[] = {
        { "o", "h=4 g=2 n=%ld m=%ld d=%ld e=%ld", 100, 1 << 20, 8, 8, 4, 2 },
        { "o", "h=4 g=4 n=%ld m=%ld d=%ld e=%ld", 100, 1 << 18, 16, 3, 4, 4 },
        { "lse", "h=2 g=1 n=%ld m=%ld d=%ld e=%ld", 100, 1 << 18, 24, 1, 2, 1 },
        { "lse", "h=2 g=1 n=%ld m=%ld d=%ld e=%ld", 100, (1 << 20) - 1, 16, 1, 2, 1 }, /* a third of the limit */
        { "o", "h=1 g=1 n=%ld m=%ld d=%ld e=%ld", 100, ((1 << 21) - 2) / 3, 2, 1, 1, 1 }, /* a divisor of the limit */
        { "o", "h=1 g=1 n=%ld m=%ld d=%ld e=%ld", 100, 1 << 26, 1, 1, 1, 1 },
        { "o", "h=1 g=1 n=%ld m=%ld d=%ld e=%ld", 3, 1 << 18, 16, 16, 1, 1 },
        { "o", "h=1 g=1 n=%ld m=%ld d=%ld e=%ld", 50, 5, 4, 4, 1, 1 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (long lines = 0; lines < 200; lines = lines ? 3 * lines : 1) {
            struct trial t;
            struct sign s;
            char sizes[80], err[400];
            double bytes;
            snprintf(sizes, sizeof sizes, list[k].sizes, list[k].n, list[k].m, list[k].d, list[k].e);
            cr_assert_eq(trial_size(&t, &(struct trial_spec){ "attention", "", list[k].out, MER_F32, sizes, 1 }, &bytes,
                err, sizeof err), 0, "%s", err);
            sign_read(&s, row_quantity(t.row, list[k].out)->sign);
            const bool values = mer_in(&t.call, "v") != NULL;
            const long reads = list[k].d + list[k].m * (list[k].d + (values ? list[k].e : 0)),
                total = list[k].h * list[k].n,
                       most = LINES_READ / reads > 0 ? LINES_READ / reads : 1,
                       want = lines == 0 ? total : lines < most ? lines : most;
            cr_expect_eq(lines_compared(&t, &s, lines, total), want < total ? want : total, "%s, %ld: %ld, not %ld",
                sizes, lines, lines_compared(&t, &s, lines, total), want);
            trial_close(&t);
        }
}

static void make(struct trial *t, int type)
{
    char err[400];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ "attention", "causal=topleft", "o lse", type,
        "h=2 g=1 n=3 m=4 d=3 e=2", 5 }, err, sizeof err), 0, "%s", err);
}

/* Costs are those of all lines together, in nanoseconds of this thread. */
Test(compare, costs_of_lines_are_added_up)
{
    struct trial t;
    struct tally y;
    struct arith exact = { 0 };
    char err[400];
    double one = HUGE_VAL;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F64, "h=2 g=1 n=30 m=4 d=3 e=2", 5 },
        err, sizeof err), 0, "%s", err);
    reference_run(&t, &exact);
    for (int again = 0; again < 5; again++) {
        judge_outputs(&t, &exact, 1, &y);
        one = y.cost.ns < one ? y.cost.ns : one;
    }
    const double begun = thread_seconds(), ns = thread_ns();
    judge_outputs(&t, &exact, 0, &y);
    const double inner = thread_ns() - ns, outer = 1e9 * (thread_seconds() - begun);
    cr_expect(y.lines == 60 && y.cost.ns > 4 * one, "%ld lines for %g, one for %g", y.lines, y.cost.ns, one);
    cr_expect(inner <= outer && inner > outer / 2, "%g of %g nanoseconds", inner, outer);
    trial_close(&t);
}

/* Every element of every output is compared once, with its own exact value, and is named by its own place. */
Test(compare, a_fault_in_any_element_is_counted_once_and_named)
{
    struct trial t;
    struct tally y;
    struct arith wide;
    char err[400];
    make(&t, MER_F64);
    reference_run(&t, &(struct arith){ 0 });
    cr_assert_gt(trial_profile(&t, "exp=f64:2 dot=f64 sum=f64 div=f64", &wide, WIDEN, err, sizeof err), 0, "%s", err);
    const double begun = thread_ns();
    judge_outputs(&t, &wide, 0, &y);
    const double took = thread_ns() - begun, parts = y.cost.ns + y.bounds_ns + y.judging_ns;
    cr_expect(y.n == 18 && y.correct == 18 && !y.over && !y.undecided && y.lines == 12 && y.lines_of == 12 &&
            tally_passes(&y) && !strcmp(tally_verdict(&y), "PASS"), "%ld %ld %ld %ld", y.n, y.correct, y.lines,
            y.lines_of);
    cr_expect(y.cost.ns > 0 && y.bounds_ns > 0 && y.judging_ns > 0 && parts <= took && parts > took / 4,
        "%g %g %g of %g", y.cost.ns, y.bounds_ns, y.judging_ns, took);
    cr_expect(y.cost.elements == 18 && y.cost.prec >= 53 && y.cost.prec < 2000, "%llu %ld",
        (unsigned long long)y.cost.elements, (long)y.cost.prec);
    for (int o = 0; o < 2; o++)
        for (long i = 0; i < array_len(&t.out[o]); i++) {
            const double is = array_get(&t.out[o], i), wrong = i % 3 == 2 ? (double)NAN : is + 1;
            const long len = o ? 1 : 2, line = i / len;
            array_put(&t.out[o], i, wrong);
            judge_outputs(&t, &wide, 0, &y);
            cr_expect(y.n == 18 && y.over == 1 && y.correct == 17 && !tally_passes(&y) && !strcmp(tally_verdict(&y),
                "FAIL"),
                "%s %ld: %ld over", t.out[o].name, i, y.over);
            cr_expect(y.wrong[o] && !y.wrong[!o], "%s %ld: which output is wrong", t.out[o].name, i);
            cr_expect(!strcmp(y.out, t.out[o].name) && y.at[0] == line / 3 && y.at[1] == line % 3 && y.k == i % len &&
                    y.want == is, "%s[%ld] is named %s[%ld,%ld|%ld]", t.out[o].name, i, y.out, y.at[0], y.at[1], y.k);
            array_put(&t.out[o], i, is);
        }
    trial_close(&t);
}

/* The lines that are written are those that are compared, and the sharpened witness is the exact value. */
Test(compare, some_lines_are_the_same_for_writing_and_comparing)
{
    for (long lines = 1; lines < 8; lines++) {
        struct trial t;
        struct tally y;
        struct arith wide;
        char err[400];
        long written = 0;
        make(&t, MER_F32);
        reference_lines(&t, &(struct arith){ 0 }, lines);
        for (int o = 0; o < 2; o++)
            for (long i = 0; i < array_len(&t.out[o]); i++)
                written += !isnan(array_get(&t.out[o], i));
        const long each = lines < 6 ? lines : 6;
        cr_expect_eq(written, 3 * each, "%ld", written);
        cr_assert_gt(trial_profile(&t, "exp=f32:2 dot=f32", &wide, WIDEN, err, sizeof err), 0, "%s", err);
        judge_outputs(&t, &wide, lines, &y);
        cr_expect(y.n == 3 * each && y.correct == y.n && y.lines == 2 * each && y.lines_of == 12 && tally_passes(&y),
            "%ld of %ld lines, %ld elements", y.lines, y.lines_of, y.n);
        *y.digits = 0, tally_sharpen(&t, &y);
        cr_expect(strlen(y.digits) > 30 && (float)strtod(y.digits, NULL) == (float)y.want, "%s, %.9g", y.digits,
            y.want);
        trial_close(&t);
    }
}

/* Puts gaps that hold another number between the elements of a; the caller frees the old data. */
static void spread(struct mer_array *a, double filler)
{
    struct mer_array to = *a;
    long step = 2;
    for (int k = a->rank - 1; k >= 0; step *= a->dim[k], k--)
        to.stride[k] = step;
    to.data = need((size_t)(step + 2) * type_size(a->type), 1);
    struct mer_array flat = { .type = a->type, .rank = 1, .dim = { step }, .data = to.data };
    for (long i = 0; i < step; i++)
        array_put(&flat, i, filler);
    for (long i = 0; i < array_len(a); i++)
        array_put(&to, mer_at(&to, i), array_get(a, i));
    *a = to;
}

/* Any one array may have strides: what lies between its elements is neither read nor written. */
Test(compare, arrays_with_strides_are_read_and_written_through_them)
{
    for (int k = -1; k < 7; k++) {
        struct trial t;
        struct tally y;
        char err[400];
        void *old = NULL;
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o lse weights", MER_F32,
            "h=2 g=1 n=3 m=4 d=3 e=2", 5 }, err, sizeof err), 0, "%s", err);
        const int all = t.call.n_in + t.call.n_out;
        cr_assert_leq(all, 7);
        reference_run(&t, &(struct arith){ 0 });
        struct mer_array *a = k < 0 || k >= all ? NULL : k < t.call.n_in ? &t.in[k] : &t.out[k - t.call.n_in];
        if (a)
            old = a->data, spread(a, 99);
        judge_outputs(&t, &(struct arith){ .how = ROUND }, 0, &y);
        cr_expect(y.n == 6 * 2 + 6 + 6 * 4 && y.correct == y.n && tally_passes(&y),
            "%d: %ld of %ld over, %ld undecided",
            k, y.over, y.n, y.undecided);
        for (int o = 0; o < t.call.n_out; o++)
            for (long i = 0; i < array_len(&t.out[o]); i++)
                array_put(&t.out[o], mer_at(&t.out[o], i), -7);
        reference_run(&t, &(struct arith){ 0 });
        judge_outputs(&t, &(struct arith){ .how = ROUND }, 0, &y);
        cr_expect(y.n == 42 && y.correct == y.n, "%d: %ld of %ld are written", k, y.correct, y.n);
        if (a && k >= t.call.n_in) {
            struct mer_array flat = { .type = a->type, .rank = 1, .dim = { a->stride[0] * a->dim[0] },
                .data = a->data };
            long gaps = 0;
            for (long i = 0; i < flat.dim[0]; i++)
                gaps += array_get(&flat, i) == 99;
            cr_expect_eq(gaps, flat.dim[0] - array_len(a), "%d: %ld gaps are left", k, gaps);
        }
        free(old), trial_close(&t);
    }
}

/* Integers are compared as such, and a contract bit by bit: it is another number than the exact one somewhere, and one
 * bit beside it fails. */
Test(compare, integers_and_contracts_are_equalities)
{
    struct trial t;
    struct tally y;
    struct arith round;
    char err[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=topleft", "visible", MER_F32,
        "h=2 n=5 m=4", 5 }, err, sizeof err), 0, "%s", err);
    reference_run(&t, &(struct arith){ 0 });
    judge_outputs(&t, &(struct arith){ 0 }, 0, &y);
    cr_expect(y.n == 40 && y.correct == 40 && !y.over && tally_passes(&y), "%ld of %ld", y.correct, y.n);
    array_put(&t.out[0], 7, array_get(&t.out[0], 7) + 1);
    for (int how = 0; how < 2; how++) {
        if (how)
            cr_assert_geq(trial_profile(&t, "", &round, WIDEN, err, sizeof err), 0, "%s", err);
        judge_outputs(&t, how ? &round : &(struct arith){ 0 }, 0, &y);
        cr_expect(y.n == 40 && y.over == 1 && y.at[0] == 0 && y.at[1] == 1 && y.k == 3, "%ld over, at %ld,%ld|%ld",
            y.over,
            y.at[0], y.at[1], y.k);
        *y.digits = 0, tally_sharpen(&t, &y);
        cr_expect_eq(strtod(y.digits, NULL), y.want, "%s", y.digits);
    }
    trial_close(&t);
    make(&t, MER_F32);
    cr_assert_gt(trial_profile(&t, "dot=bf16 exp=bf16", &round, ROUND, err, sizeof err), 0, "%s", err);
    reference_run(&t, &round);
    judge_outputs(&t, &round, 0, &y);
    cr_expect(y.n == 18 && y.correct < 18 && !y.over && tally_passes(&y), "%ld over, %ld exact", y.over, y.correct);
    for (long i = 0; i < array_len(&t.out[0]); i++) {
        const double is = array_get(&t.out[0], i);
        array_put(&t.out[0], i, nextafterf((float)is, INFINITY));
        judge_outputs(&t, &round, 0, &y);
        cr_expect(y.over == 1 && isinf(y.ratio) && y.want == is, "%ld: %ld over, wanted %a, not %a", i, y.over, y.want,
            is);
        array_put(&t.out[0], i, is);
    }
    trial_close(&t);
}

/* Exact values that are kept are the same again, and only their time is not spent a second time; trivial outputs are
 * counted on every element. */
Test(compare, kept_answers_and_trivial_outputs_count_for_every_element)
{
    struct trial t;
    struct tally y[2];
    struct arith wide;
    struct exact_answers *kept = answers_open();
    char err[400];
    make(&t, MER_F32);
    t.answers = kept;
    reference_run(&t, &(struct arith){ 0 });
    cr_assert_gt(trial_profile(&t, "dot=f32", &wide, WIDEN, err, sizeof err), 0, "%s", err);
    for (int k = 0; k < 2; k++) {
        judge_outputs(&t, &wide, 0, &y[k]);
        for (int p = 0; p < y[k].power.used; p++)
            cr_expect_eq(y[k].power.at[p].n, strcmp(y[k].power.at[p].out, "o") ? 6 : 12, "%s %s: %ld",
                y[k].power.at[p].out,
                y[k].power.at[p].name, y[k].power.at[p].n);
        cr_expect_geq(y[k].power.used, 5);
    }
    cr_expect(y[0].n == y[1].n && y[0].cost.elements == y[1].cost.elements && y[0].cost.ns > 0 && y[1].cost.ns == 0 &&
            y[0].cost.prec == y[1].cost.prec && y[0].cost.retries == y[1].cost.retries, "%g and %g ns", y[0].cost.ns,
        y[1].cost.ns);
    trial_close(&t), answers_close(kept);
}

/* A profile that is impossible for the question, or a line that stays open, is no pass and says so. */
Test(compare, what_stays_open_is_counted)
{
    struct trial t;
    struct tally y;
    struct arith wide;
    char err[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, "h=1 g=1 n=3 m=2 d=40 e=2", 5 },
        err,
        sizeof err), 0, "%s", err);
    reference_run(&t, &(struct arith){ 0 });
    cr_assert_gt(trial_profile(&t, "dot=f32/h3", &wide, WIDEN, err, sizeof err), 0, "%s", err);
    judge_outputs(&t, &wide, 0, &y);
    cr_expect(*y.impossible && !tally_passes(&y) && y.lines == 3, "'%s' %ld", y.impossible, y.undecided);
    trial_close(&t);
}

/* Nothing compared, something undecided, or an impossible profile is no pass. */
Test(compare, a_pass_needs_elements_and_nothing_open)
{
    const struct tally ok = { .n = 1 };
    struct tally none = { .n = 0 }, open = { .n = 3, .undecided = 1 }, over = { .n = 3, .over = 1 },
                 impossible = { .n = 3, .impossible = "h" };
    cr_expect(tally_passes(&ok) && !tally_passes(&none) && !tally_passes(&open) && !tally_passes(&over) &&
        !tally_passes(&impossible));
}
