/* What an adverse arithmetic may choose, against a second way to find it: the farthest of all float16 numbers within
 * the error, one choice for one number, and the orders of additions that the declared structure of a sum leaves
 * open. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "ball/adverse.h"
#include "ball/input.h"
#include "core/gen.h"
#include "given_ball.h"

enum { STEP = 3, MOST = 7, ALL = 132 };
static uint64_t state;
static long draw(long n) { return (long)(gen_bits(41, 0, state++) % (uint64_t)n); }

/* The number of float16 whose bits these are, and x rounded to bfloat16. */
static double f16(uint16_t cell) { return array_get(&(struct mer_array){ "x", MER_F16, 1, { 1 }, &cell, { 0 } }, 0); }
static double bf16(double x)
{
    uint16_t cell;
    struct mer_array a = { "x", MER_BF16, 1, { 1 }, &cell, { 0 } };
    array_put(&a, 0, x);
    return array_get(&a, 0);
}

/* y, which is changed, as step 3 rounds it by that word. */
static double rounded(const struct adverse *from, const char *word, mpfr_ptr y, bool ftz)
{
    struct arith arith = { .how = ROUND, .adverse = from, .ftz = ftz };
    cr_assert_null(rounding_read(&arith.at[STEP], word));
    adverse_round(&arith, STEP, y);
    return mpfr_get_d(y, MPFR_RNDN);
}
static double rounded_d(const struct adverse *from, const char *word, double x, bool ftz)
{
    mpfr_t y;
    mpfr_init2(y, 53);
    mpfr_set_d(y, x, MPFR_RNDN);
    x = rounded(from, word, y, ftz);
    mpfr_clear(y);
    return x;
}

/* What float16 makes of x, found among all its numbers.  Behind the largest one stands 65536, which is infinity where
 * the error is that of rounding to nearest, and else the largest one. */
static double chosen(double x, double ulps, double absolute, enum adverse_way way)
{
    enum { END = 0x7c00 };
    static double number[END];
    for (int k = 0; k < END && number[END - 1] == 0; k++)
        number[k] = f16((uint16_t)k);
    const int sign = signbit(x) ? -1 : 1,
              to = way == UPWARD ? 1 : way == DOWNWARD ? -1 : way == TOWARD_ZERO ? -sign : sign;
    const double error = ulps * ldexp(1, (int)fmax(ilogb(x), -14) - 11) + absolute;
    const bool near = ulps <= 1 && absolute == 0;
    double best = (double)NAN, least = (double)INFINITY;
    for (int k = 0; k <= END && fabs(x) < 65536; k++) {
        const double y = sign * (k < END ? number[k] : 65536), off = fabs(y - x);
        const bool further = isnan(best) || (y - best) * to > 0, even = k % 2 == 0;
        if (way == TO_NEAREST || near ? off < least || (off == least && (way == TO_NEAREST ? even : further)) :
                                        off <= error && further)
            best = y, least = off;
    }
    return isnan(best) ? sign * (double)INFINITY :
        fabs(best) < 65536 ? best :
        near || way == TO_NEAREST ? sign * (double)INFINITY :
                                    sign * 65504.0;
}

/* A number where something happens: a tie or none, among the subnormals, at 1, or at the largest number; or just below
 * the end of the normal numbers on either side. */
static double any_number(void)
{
    if (draw(8) == 0)
        return (draw(2) ? 65536 - (double)draw(200) : 0x1p-14 - ldexp((double)draw(9), -27)) * (draw(2) ? 1 : -1);
    static const int at[] = { -26, -24, -22, -15, -14, -13, 0, 14, 15, 16 };
    const double few = (double)(4096 + draw(4096)) / 4096, many = few + ldexp((double)draw(1 << 20), -40);
    return ldexp((draw(2) ? few : many) * (draw(2) ? 1 : -1), at[draw(10)]);
}

Test(adverse_laws, a_rounding_goes_as_far_as_it_may)
{
    static const double ulps[] = { 1, 1, 1.25, 2, 3.5, 64 };
    for (int k = 0; k < 1000; k++) {
        const double x = any_number(), u = ulps[draw(6)], absolute = draw(3) ? 0 : ldexp(1.5, (int)draw(26) - 27);
        const enum adverse_way way = (enum adverse_way)draw(ANY_WAY);
        const bool ftz = draw(2), flush = draw(2);
        const struct adverse a = { .way = { [STEP] = (unsigned char)way }, .flush = flush };
        char word[60];
        snprintf(word, sizeof word, absolute > 0 ? "f16:%.17g+%.17g" : "f16:%.17g", u, absolute);
        double want = chosen(x, u, absolute, way);
        const double y = rounded_d(&a, word, x, ftz);
        /* A machine sees that a number is tiny before it is rounded, or after. */
        if (ftz && flush && (fabs(x) < 0x1p-14 || fabs(want) < 0x1p-14))
            want = copysign(0, x);
        cr_assert(y == want && signbit(y) == signbit(x), "case %d: %s, way %d: %a gives %a, not %a", k, word, way, x, y,
            want);
    }
}

/* Is a ball decided exactly where all of its numbers are rounded alike?  Its numbers are those at powers of two, just
 * beside them, and many between its ends; what is close to a boundary of theirs may be open. */
Test(adverse_laws, a_ball_is_decided_where_all_its_numbers_go_one_way)
{
    enum { INSIDE = 60 };
    static const char *const word[] = { "e4m3:4", "f16:2", "f16:3.5", "bf16:32", "e5m2:1+0.3", "f16:8+0.01", "e4m3" };
    long decided = 0, open = 0, over = 0, doubted = 0;
    for (int k = 0; k < 4000; k++) {
        struct adverse a = { .way = { (unsigned char)draw(ADVERSE_WAYS) }, .seed = (uint64_t)k };
        struct arith how = { .how = ROUND, .adverse = &a, .ftz = draw(2) };
        struct ask w = { .arith = &how };
        a.flush = draw(2);
        cr_assert(!rounding_read(&how.at[0], word[draw(7)]));
        /* Halfway to some number, or near a power of two, as there the ends of a ball may agree by chance. */
        const double unit = ldexp(1, (int)draw(24) - 16),
                     x = unit * ((double)draw(5) - 2 + ldexp((double)draw(17) - 8, -(int)draw(13))),
                     r = draw(6) ? unit * ldexp(1 + (double)draw(3), -(int)draw(30)) : 0;
        ask_reset(&w, 120);
        const double got = b_value(b_step(&w, 0, given_ball(&w, x, r)));
        bool same = true, across = false;
        for (int i = 0; i <= INSIDE; i++) {
            const double at = x - r + 2 * r * i / INSIDE;
            mpfr_t y;
            mpfr_init2(y, 120);
            for (int beside = -1; beside <= 2; beside++) {
                /* The number itself, and the power of two below it, from both sides. */
                const double power = copysign(ldexp(1, at == 0 ? -30 : ilogb(at)), at);
                mpfr_set_d(y, beside == 2 ? at : power, MPFR_RNDN);
                beside == -1 ? mpfr_nextbelow(y) : beside == 1 ? mpfr_nextabove(y) : (void)0;
                if (mpfr_cmp_d(y, x - r) < 0 || mpfr_cmp_d(y, x + r) > 0)
                    continue;
                across |= beside == 0;
                adverse_round(&how, 0, y);
                same &= mpfr_cmp_d(y, got) == 0;
            }
            mpfr_clear(y);
        }
        cr_expect(w.undecided || same, "case %d: %s, way %d: %a +- %a is not all %a", k, how.at[0].f->name, a.way[0], x,
            r, got);
        decided += !w.undecided && r > 0, open += w.undecided && !same, over += !w.undecided && across && r > 0;
        doubted += w.undecided && same;
        ask_clear(&w);
    }
    cr_expect(decided > 900 && open > 300 && over > 100, "%ld decided, %ld open, %ld over a power", decided, open,
        over);
    /* A boundary may lie between two numbers that were tried, and what is any way may be the same by chance. */
    cr_expect_lt(doubted, decided / 20);
}

/* Off by several half-ulps, the farthest number up from just above -1 lies below the one from just below it: a ball on
 * both sides decides nothing, though its ends agree.  To nearest, or in one binade, they do. */
Test(adverse_laws, a_ball_over_a_power_of_two_is_open)
{
    static const struct { double x, r, ulps; bool open; } list[] = { { -1, 0.0625, 4, true }, { -1, 0, 4, false },
        { -1.01, 0.02, 1, false }, { -1.3, 0.001, 4, false }, { 2, 0x1p-40, 4, true }, { 2, 0x1p-40, 1, false } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct adverse up = { .way = { UPWARD } };
        struct arith a = { .how = ROUND, .adverse = &up };
        struct ask w = { .arith = &a };
        a.at[0] = (struct rounding){ .f = format_named("e4m3", 4), .ulps = list[k].ulps };
        if (!(list[k].ulps > 1))
            up.way[0] = TO_NEAREST;
        ask_reset(&w, 100);
        b_step(&w, 0, given_ball(&w, list[k].x, list[k].r));
        cr_expect_eq(w.undecided, list[k].open, "case %zu", k);
        ask_clear(&w);
    }
}

/* To nearest, too, any way may flush one tiny number and not the next: a ball is open whose ends become 0 and whose
 * midpoint does not. */
Test(adverse_laws, a_ball_with_a_number_that_is_not_flushed_is_open)
{
    long open = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct adverse any = { .way = { ANY_WAY }, .flush = true, .seed = seed };
        const struct arith a = { .how = ROUND, .adverse = &any, .ftz = true,
            .at = { { .f = &formats[MER_F16], .ulps = 1 } } };
        double y[3];
        for (int k = 0; k < 3; k++) {
            mpfr_t x;
            mpfr_init2(x, 60), mpfr_set_ui_2exp(x, (unsigned long)k + 7, -24, MPFR_RNDN);
            adverse_round(&a, 0, x);
            y[k] = mpfr_get_d(x, MPFR_RNDN);
            mpfr_clear(x);
        }
        if (y[0] != 0 || y[2] != 0 || y[1] == 0)
            continue;
        struct ask w = { .arith = &a };
        ask_reset(&w, 100);
        b_step(&w, 0, given_ball(&w, 0x1p-21, 0x1p-24));
        cr_expect(w.undecided, "seed %d", (int)seed);
        open++;
        ask_clear(&w);
    }
    cr_expect(open > 10, "%ld", open);
}

/* Both zeros are one number: a ball around 0 is decided where its two ends go to them. */
Test(adverse_laws, a_choice_does_not_see_the_sign_of_zero)
{
    long decided = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const struct adverse any = { .way = { ANY_WAY }, .seed = seed };
        const struct arith a = { .how = ROUND, .adverse = &any, .at = { { .f = &formats[MER_F16], .ulps = 1 } } };
        struct ask w = { .arith = &a };
        ask_reset(&w, 100);
        const struct ball *y = b_step(&w, 0, given_ball(&w, 0, 0x1p-30));
        decided += !w.undecided && mpfr_zero_p(y->mid);
        ask_clear(&w);
    }
    cr_expect(decided > 10, "%ld", decided);
}

/* An infinity and no number are rounded to what the format has: the infinity, or its largest number where it saturates,
 * and no number.  No format moves 0. */
Test(adverse_laws, what_is_no_finite_number_is_rounded_too)
{
    for (const struct format *f = formats; f->name; f++) {
        const double end = ldexp(2 - ldexp(1 + f->gone, 1 - f->p), (int)f->emax), x[] = { INFINITY, -INFINITY, 0, NAN };
        for (int k = 0; k < 4; k++) {
            mpfr_t y;
            mpfr_init2(y, 60), mpfr_set_d(y, x[k], MPFR_RNDN);
            const int inexact = round_to(y, f);
            const double got = mpfr_get_d(y, MPFR_RNDN);
            cr_expect(k == 3 ? isnan(got) : k < 2 && f->saturates ? got == copysign(end, x[k]) : got == x[k],
                "%s: %g gives %g", f->name, x[k], got);
            if (k < 2 && f->saturates)
                cr_expect(x[k] > 0 ? inexact < 0 : inexact > 0, "%s: %d", f->name, inexact);
            else
                cr_expect(inexact == 0, "%s: %d", f->name, inexact);
            mpfr_clear(y);
        }
        /* The largest number of a format has two bits at least: with one it is as near above as below, or nearer. */
        mpfr_t one_bit;
        mpfr_init2(one_bit, 1), mpfr_set_inf(one_bit, 1);
        round_to(one_bit, f);
        cr_expect(!f->saturates || mpfr_cmp_d(one_bit, ldexp(1, (int)f->emax + 1)) == 0, "%s", f->name);
        mpfr_clear(one_bit);
    }
}

/* Only the last bits of half-ulps and of the absolute error together reach the next number. */
Test(adverse_laws, no_bit_of_an_error_is_lost)
{
    const struct adverse a = { .way = { [STEP] = UPWARD } };
    mpfr_t y;
    mpfr_init2(y, 42);
    mpfr_set_ui_2exp(y, 1, -130, MPFR_RNDN);
    char word[80];
    /* 2^-24 - 2^-77, and 2^-77 - 2^-130. */
    snprintf(word, sizeof word, "f16:%.17g+%.17g", 2 - 0x1p-52, 0x1p-77 - 0x1p-130);
    cr_expect_eq(rounded(&a, word, y, false), 0x1p-24);
    mpfr_set_ui_2exp(y, 1, -131, MPFR_RNDN);
    cr_expect_eq(rounded(&a, word, y, false), 0);
    mpfr_clear(y);
}

/* Where any way may be taken, a number goes one way, however many bits it is held with; other seeds, steps and numbers
 * may go another, and each way is taken. */
Test(adverse_laws, a_choice_is_made_from_the_seed_the_step_and_the_number)
{
    enum { SEEDS = 100 };
    long ways[5] = { 0 }, flushed = 0, moved[3] = { 0 };
    mpfr_t y;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct adverse a = { .seed = seed, .flush = true };
        memset(a.way, ANY_WAY, sizeof a.way);
        double first = 0;
        for (mpfr_prec_t prec = 30; prec < 200; prec += 17) {
            mpfr_init2(y, prec);
            mpfr_set_si(y, seed % 2 ? 1 : -1, MPFR_RNDN), mpfr_div_ui(y, y, 3, MPFR_RNDN);
            const double got = rounded(&a, "bf16:4", y, false);
            cr_expect(prec == 30 || got == first, "seed %d at %ld bits", (int)seed, (long)prec);
            first = got;
            mpfr_clear(y);
        }
        /* A third is 0x1.5555p-2; two units of 2^-9 beside it are the farthest. */
        ways[lround((fabs(first) - 0x1.56p-2) * 0x1p9) + 2]++;
        moved[0] += rounded_d(&a, "bf16:4", 1 + 0x1p-9, false) > 1;
        const double other = 1 + (double)seed * 0x1p-7;
        a.seed = 5, moved[1] += rounded_d(&a, "bf16:4", other + 0x1p-9, false) > other, a.seed = seed;
        flushed += rounded_d(&a, "bf16:4", 0x1p-130 * (1 + (double)seed / 256), true) == 0;
        cr_expect_neq(rounded_d(&a, "bf16:4", 0x1p-130, false), 0);
        a.flush = false;
        cr_expect_neq(rounded_d(&a, "bf16:4", 0x1p-130, true), 0);
        struct arith arith = { .how = ROUND, .adverse = &a };
        cr_assert_null(rounding_read(&arith.at[STEP + 1], "bf16:4"));
        mpfr_init2(y, 53), mpfr_set_d(y, 1 + 0x1p-9, MPFR_RNDN), adverse_round(&arith, STEP + 1, y);
        moved[2] += (mpfr_cmp_ui(y, 1) > 0) != (rounded_d(&a, "bf16:4", 1 + 0x1p-9, false) > 1);
        mpfr_clear(y);
    }
    cr_expect(ways[0] > 20 && ways[2] > 5 && ways[3] > 20, "%ld, %ld and %ld of each", ways[0], ways[2], ways[3]);
    for (int k = 0; k < 3; k++)
        cr_expect(moved[k] > 20 && moved[k] < 80, "%d: %ld", k, moved[k]);
    cr_expect(flushed > 20 && flushed < 80, "flushed %ld", flushed);
}

/* Below, sums of bfloat16 a second time.  Exactly 0 is no term: nothing is added and nothing rounded. */
static double add(double x, double y) { return y == 0 ? x : x == 0 ? bf16(y) : bf16(x + y); }

/* The results of every tree of at most that height over t[n] in order. */
static int all_trees(const double *t, int n, int height, double *to)
{
    double x[ALL], y[ALL];
    int found = 0;
    if (n == 1)
        return to[0] = t[0], 1;
    for (int k = 1; k < n && height > 0; k++) {
        const int a = all_trees(t, k, height - 1, x), b = all_trees(t + k, n - k, height - 1, y);
        for (int i = 0; i < a * b; i++)
            to[found++] = add(x[i / b], y[i % b]);
    }
    return found;
}
/* The tree whose left sides are as large as its height allows. */
static double left(const double *t, int n, int height)
{
    if (n == 1)
        return t[0];
    const int most = 1 << (height - 1), k = most < n ? most : n - 1;
    return add(left(t, k, height - 1), left(t + k, n - k, height - 1));
}
static double halves(const double *t, int n)
{
    return n == 1 ? t[0] : add(halves(t, n / 2), halves(t + n / 2, n - n / 2));
}
static double in_lanes(const double *t, int n, int lanes)
{
    double lane[MOST];
    for (int k = 0; k < n; k++)
        lane[k % lanes] = k < lanes ? bf16(t[k]) : add(lane[k % lanes], t[k]);
    return halves(lane, n < lanes ? n : lanes);
}
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Puts the terms in the order of the tree, converted where they are. */
static void in_order(double *t, int n, enum adverse_tree tree, bool convert)
{
    int terms = 0;
    for (int k = 0; k < n; k++)
        terms += t[k] != 0;
    for (int k = 0; k < n; k++)
        t[k] = convert || terms < 2 ? bf16(t[k]) : t[k];
    if (tree == LEAST_FIRST || tree == GREATEST_FIRST)
        qsort(t, (size_t)n, sizeof *t, ascending);
    for (int k = 0; k < n / 2 && (tree == GREATEST_FIRST || tree == RIGHT_TO_LEFT); k++) {
        const double x = t[k];
        t[k] = t[n - 1 - k], t[n - 1 - k] = x;
    }
}

/* Stored cases name a seed: the choices that it makes are these in every version.  Each digit is how far beside a third
 * the number of that seed is taken. */
Test(adverse_laws, a_seed_makes_the_choices_that_stored_cases_have)
{
    enum { SEEDS = 48 };
    char made[SEEDS + 1] = "";
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct adverse a = { .seed = seed * 0x100000001u };
        memset(a.way, ANY_WAY, sizeof a.way);
        const double y = rounded_d(&a, "bf16:4", 1.0 / 3, false);
        made[seed] = (char)('2' + lround((y - 0x1.56p-2) * 0x1p9));
    }
    cr_expect_str_eq(made, "000300002300333003300023322200300303303022302033", "%s", made);
}

static double summed(const struct adverse *a, const char *word, const double *x, int n)
{
    struct arith arith = { .how = ROUND, .adverse = a };
    struct ask w = { .arith = &arith };
    const struct ball *t[MOST];
    cr_assert_null(rounding_read(&arith.at[STEP], word));
    ask_reset(&w, 200);
    for (int k = 0; k < n; k++) {
        const struct mer_array one = { "x", MER_F64, 1, { 1 }, (void *)&x[k], { 0 } };
        t[k] = b_element(&w, &one, 0);
    }
    const double y = b_value(adverse_sum(&w, STEP, t, n));
    ask_clear(&w);
    return y;
}

/* Terms of which additions round: large and small, with bits that bfloat16 has not, and 0. */
static void any_terms(double *t, int n)
{
    for (int k = 0; k < n; k++)
        t[k] = draw(6) == 0 ? 0 : ldexp((double)(1 + draw(700)) * (draw(3) ? 1 : -1), -(int)draw(9));
}

/* The least height of a tree of n terms. */
static int least_height(int n)
{
    int h = 0;
    while (1 << h < n)
        h++;
    return h;
}

/* A height that is declared too low for the terms counts as the least that they need. */
Test(adverse_laws, a_sum_goes_by_its_declared_structure_and_its_order)
{
    for (int k = 0; k < 4000; k++) {
        const int n = 1 + (int)draw(MOST), lanes = draw(3) ? 0 : 1 + (int)draw(5), least = least_height(n),
                  height = lanes || draw(2) ? 0 : 1 + (int)draw(5), used = height > least ? height : least;
        const enum adverse_tree tree = (enum adverse_tree)draw(ADVERSE_TREES);
        bool sums[STEPS] = { false };
        const struct adverse a = { .seed = (uint64_t)k, .tree = { [STEP] = (unsigned char)tree }, .convert = draw(2),
            .sums = draw(2) ? sums : NULL };
        double t[MOST], every[ALL];
        char word[20];
        snprintf(word, sizeof word, lanes ? "bf16/lanes%d" : height ? "bf16/h%d" : "bf16", lanes + height);
        any_terms(t, n);
        const double y = summed(&a, word, t, n);
        for (int s = 0; s < STEPS; s++)
            cr_assert_eq(sums[s], a.sums && s == STEP);
        if (!lanes)
            in_order(t, n, tree, a.convert);
        const int most = height ? used : n - 1; /* The height of its tree. */
        const double want = lanes ? in_lanes(t, n, lanes) : tree == HALVES ? halves(t, n) : left(t, n, most);
        if (lanes || tree != RANDOM_TREE) {
            cr_assert_eq(y, want, "case %d: %s, tree %d, %d terms: %a, not %a", k, word, tree, n, y, want);
            continue;
        }
        bool found = false;
        for (int j = all_trees(t, n, most, every); j--;)
            found = found || every[j] == y;
        cr_assert(found, "case %d: %s, a random tree of %d terms: %a", k, word, n, y);
    }
}

/* A number of the sum's format joins it as it is, even where a rounding would move it; and a term is rounded only where
 * the structure says so, so that nothing else can leave a sum open. */
Test(adverse_laws, a_sum_makes_no_other_roundings)
{
    const struct adverse up = { .way = { [STEP] = UPWARD } }, near = { .tree = { 0 } };
    cr_expect_eq(summed(&up, "bf16:2", (double[]){ 1, 0 }, 2), 1);
    cr_expect_eq(summed(&up, "bf16:2", (double[]){ 1 + 0x1p-9, 0 }, 2), 1 + 0x1p-7);
    cr_expect_eq(summed(&up, "bf16:2/lanes2", (double[]){ 1, 0, 0 }, 3), 1);
    struct arith arith = { .how = ROUND, .adverse = &near };
    struct ask w = { .arith = &arith };
    cr_assert_null(rounding_read(&arith.at[STEP], "bf16/lanes1"));
    ask_reset(&w, 200);
    struct ball *tie = (struct ball *)b_add(&w, b_si(&w, 1), b_ratio(&w, 1, 256));
    tie->rad = up_d(0x1p-40);
    const struct ball *t[] = { b_si(&w, 256), tie };
    cr_expect(b_value(adverse_sum(&w, STEP, t, 2)) == 258 && !w.undecided, "257 and a little is 258");
    cr_expect(b_step(&w, STEP, tie)->rad.m > 0 && w.undecided, "a rounding of the term alone is open");
    ask_clear(&w);
}

/* Of every tree that the height allows some seed takes one that gives its result. */
Test(adverse_laws, a_random_tree_may_be_any)
{
    static const double x[] = { 256, 1, 1.5, 2, 129, -255 };
    static const char *const word[] = { "bf16", "bf16/h2", "bf16/h3", "bf16/h4" };
    for (int n = 1; n <= 6; n++)
        for (int h = 0; h < 4; h++) {
            double every[ALL];
            bool met[ALL] = { false };
            const int least = least_height(n), height = h + 1 > least ? h + 1 : least,
                      all = all_trees(x, n, h ? height : n - 1, every);
            for (uint64_t seed = 0; seed < 600; seed++) {
                const struct adverse a = { .seed = seed, .tree = { [STEP] = RANDOM_TREE } };
                const double y = summed(&a, word[h], x, n);
                for (int j = 0; j < all; j++)
                    met[j] |= every[j] == y;
            }
            for (int j = 0; j < all; j++)
                cr_expect(met[j], "%d terms, %s: %a", n, word[h], every[j]);
        }
}

/* A sum's one term that is not 0 comes out as a number of the sum's format, and stays a number of its own for whoever
 * reads it again: below the normal numbers of float16 a matrix unit sees the one and the other differently. */
Test(adverse_laws, a_single_term_has_the_format_of_its_sum_and_is_left_as_it_is)
{
    static uint16_t cell[] = { 0x0080, 0 };
    static const struct adverse from = { .seed = 1 };
    struct arith a = { .how = ROUND, .adverse = &from };
    a.at[STEP] = (struct rounding){ .f = &formats[MER_F32], .ulps = 2 };
    struct ask w = { .arith = &a };
    struct mer_array x = { "x", MER_F16, 1, { 2 }, cell, { 0 } };
    ask_reset(&w, 64);
    const struct ball *t[] = { b_element(&w, &x, 0), b_element(&w, &x, 1) }, *sum = b_sum(&w, STEP, t, 2);
    cr_expect(b_value(sum) == 0x1p-17 && b_is(sum) == &formats[MER_F32]);
    cr_expect(b_value(t[0]) == 0x1p-17 && b_is(t[0]) == &formats[MER_F16], "the term is of another format now");
    ask_clear(&w);
}
