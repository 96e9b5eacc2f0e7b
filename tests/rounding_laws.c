/* What the headers of rounding promise, at the places where each promise ends: products of subnormal factors, numbers
 * out of range under an edit, elements of arrays, inputs that are stored, and what is noted of sums. */
#include <criterion/criterion.h>
#include <math.h>
#include "ball/adverse.h"
#include "ball/ball.h"
#include "ball/input.h"
#include "ball/make.h"
#include "ball/stored.h"
#include "ball/trace.h"
#include "given_ball.h"

enum { F16 = MER_F16, BF16 = MER_BF16, NONE = -1 };
static const struct arith real = { .how = EXACT };
static const double inf = (double)INFINITY, nan_ = (double)NAN;

static const struct format *format(int k) { return k == NONE ? NULL : &formats[k]; }
static bool same_up(struct up x, struct up y) { return x.m == y.m && x.e == y.e; }
/* x 2^e exactly, of as many bits as it needs. */
static struct ball *power(struct ask *w, double x, long e)
{
    struct ball *b = given_ball(w, x, 0);
    mpfr_mul_2si(b->mid, b->mid, e, MPFR_RNDN);
    b->mag = up_of(b->mid);
    return b;
}

/* A matrix unit takes a subnormal factor for one of its format's least normal numbers.  Of two normal factors, of a 0
 * and of numbers of no format it says nothing. */
Test(rounding_laws, a_subnormal_factor_is_seen_as_the_least_normal_number)
{
    static const struct { int f; double x; int g; double y, seen; } list[] = {
        { F16, 1, F16, 1, 0 },
        { F16, 0x1p-14, F16, 3, 0 },
        { F16, 0x1p-15, F16, 3, 3 * 0x1p-14 },
        { F16, 3, F16, 0x1p-15, 3 * 0x1p-14 },
        { F16, 0x1.8p-15, F16, 0x1p-24, 0x1p-28 },
        { F16, 0, F16, 0x1p-15, 0 },
        { F16, 0x1p-15, F16, 0, 0 },
        { NONE, 0x1p-30, F16, 1, 0 },
        { NONE, 0x1p-30, F16, 0x1p-20, 0x1p-44 },
        { F16, 0x1p-20, NONE, 0x1p-30, 0x1p-44 },
        { NONE, 0x1p-200, NONE, 0x1p-200, 0 },
        { F16, 1, BF16, 0x1p-100, 0 },
        { BF16, 0x1p-130, F16, 5, 5 * 0x1p-126 },
        { F16, 0x1p-20, BF16, 0x1p-120, 0x1p-134 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const double y = b_seen(format(list[k].f), up_d(list[k].x), format(list[k].g), up_d(list[k].y));
        cr_expect(y >= list[k].seen && y <= list[k].seen * (1 + 0x1p-50), "%zu: %a", k, y);
    }
}

/* Another size than its own is said of a term only where one of its factors was subnormal. */
Test(rounding_laws, a_term_of_a_sum_is_seen_larger_where_it_was_lifted)
{
    static const struct { double x, rad; short lift; double seen; } list[] = {
        { 3, 0, 1, 0 },
        { 3, 0.5, 0, 0 },
        { 0, 0, 0, 0 },
        { 5, 0, -1, 10 },
        { -1, 0.25, -9, 640 },
    };
    struct ask w = { .arith = &real };
    ask_reset(&w, 64);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct ball *x = given_ball(&w, list[k].x, list[k].rad);
        x->lift = list[k].lift;
        const struct summand y = b_summand(x, (struct up){ 0, 0 }, NULL);
        cr_expect(y.seen >= list[k].seen && y.seen <= list[k].seen * (1 + 0x1p-48), "%zu: %a", k, y.seen);
        cr_expect(y.mid == list[k].x && y.rad.m == up_d(list[k].rad).m && !y.f);
    }
    ask_clear(&w);
}

/* A profile's bound never says that a number has become 0 or an infinity; of a page with an edit it does, where that is
 * certain. */
Test(rounding_laws, under_an_edit_numbers_out_of_range_are_0_or_infinities)
{
    enum what { STAYS, ZERO, INFINITE, ITSELF, NO_NUMBER };
    /* The numbers of float16 are multiples of 2^-24, and 2^-48 is where no library rounds up to one of them.  To 65520
     * it has 65504 in the place of a number; what is off by 3 half-ulps may have it further up. */
    static const struct { double x, rad; enum what what; double ulps, absolute; } list[] = {
        { 65505, 0, STAYS },
        { 65519, 0, STAYS },
        { 65537, 0, INFINITE },
        { 65537, 0, STAYS, 3, 0 },
        { 140000, 0, INFINITE, 3, 0 },
        { 0x1p-49, 0, ZERO, 3, 0 },
        { 0x1p-49, 0, STAYS, 1, 1e-7 },
        { 0, 0, STAYS },
        { 0x1p-49, 0, ZERO },
        { -0x1p-49, 0, ZERO },
        { 0, 0x1p-49, ZERO },
        { 0x1p-50, 0x1p-51, ZERO },
        { 0x1p-48 * (1 - 0x1p-20), 0, ZERO },
        { 0x1p-49, 0x1p-49, STAYS },
        { 0x1p-48, 0, STAYS },
        { 0, 0x1p-48, STAYS },
        { 0x1p-24, 0, STAYS },
        { 1, 0.5, STAYS },
        { 65504, 0, STAYS },
        { 65504, 1, STAYS },
        { 66000, 600, STAYS },
        { 66000, 1, INFINITE },
        { -70000, 0, INFINITE },
        { inf, 0, ITSELF },
        { -inf, 1, ITSELF },
        { inf, inf, STAYS },
        { nan_, 0, NO_NUMBER },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int step = 0; step < 2; step++) {
            struct arith a = { .how = WIDEN, .edit.step = 7 * step };
            a.at[0] = (struct rounding){ .f = &formats[F16], .ulps = list[k].ulps > 0 ? list[k].ulps : 1,
                .absolute = list[k].absolute };
            struct ask w = { .arith = &a };
            ask_reset(&w, 200);
            const struct ball *x = given_ball(&w, list[k].x, list[k].rad), *y = b_step(&w, 0, x);
            const enum what what = list[k].what == NO_NUMBER || step ? list[k].what : STAYS;
            switch (what) {
            case ZERO: cr_expect(mpfr_zero_p(y->mid) && y->rad.m == 0, "%zu: not 0", k); break;
            case INFINITE: cr_expect(mpfr_inf_p(y->mid) && y->rad.m == 0 && b_value(y) * b_value(x) > 0); break;
            case ITSELF: cr_expect_eq(x, y, "%zu: an infinity", k); break;
            case NO_NUMBER: cr_expect(mpfr_nan_p(y->mid) && y->rad.m == 0, "%zu: a number", k); break;
            case STAYS: cr_expect(mpfr_equal_p(x->mid, y->mid) && b_is(y) == a.at[0].f, "%zu: moved", k);
            }
            ask_clear(&w);
        }
}

/* MPFR makes 0 of what lies below its own least number: the radius is that number. */
Test(rounding_laws, a_number_below_all_of_mpfr_is_held_by_a_radius)
{
    struct ask w = { .arith = &real };
    ask_reset(&w, 64);
    const struct up least = { 0.5, mpfr_get_emin() };
    const struct ball *tiny = power(&w, 1, mpfr_get_emin() - 1), *three = b_si(&w, 3),
                      *list[] = { b_mul(&w, tiny, b_ratio(&w, 1, 4)), b_div(&w, tiny, b_si(&w, -8)),
                          b_exp(&w, power(&w, -1, 80)), b_mul(&w, tiny, tiny) };
    cr_assert(same_up(up_of(tiny->mid), least) && b_div(&w, three, b_si(&w, 2))->rad.m == 0);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect(mpfr_zero_p(list[k]->mid) && same_up(list[k]->rad, least), "%zu", k);
    ask_clear(&w);
}

/* What is undefined somewhere in its argument may be any number, and has no name. */
Test(rounding_laws, an_undefined_number_is_the_whole_line)
{
    struct ask w = { .arith = &real, .exact = true };
    ask_reset(&w, 64);
    const struct ball *list[] = { b_log(&w, b_si(&w, -1)), b_sqrt(&w, b_si(&w, -2)), b_div(&w, b_pi(&w), b_si(&w, 0)),
        b_add(&w, b_inf(&w, 1), b_inf(&w, -1)) };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect(mpfr_zero_p(list[k]->mid) && isinf(list[k]->rad.m) && isinf(list[k]->mag.m) && !list[k]->id);
    ask_clear(&w);
}

/* Work is counted in balls, from when the question was zeroed. */
Test(rounding_laws, every_ball_is_counted)
{
    struct ask w = { .arith = &real };
    ask_reset(&w, 64);
    for (int k = 1; k <= 200; k++) {
        b_si(&w, k);
        cr_expect_eq(w.made, k);
    }
    ask_reset(&w, 64);
    cr_expect_eq(w.made, 200);
    ask_clear(&w);
}

/* A ball of the pool says nothing of what lay there before. */
Test(rounding_laws, a_new_ball_knows_nothing_of_the_last_one)
{
    struct ask w = { .arith = &real };
    ask_reset(&w, 64);
    struct ball *b = (struct ball *)b_si(&w, 3);
    *b = (struct ball){ { *b->mid }, up_inf(), up_inf(), 7, 2, -9, 5, b };
    ask_reset(&w, 64);
    const struct ball *y = b_nan(&w);
    cr_assert_eq(y, b);
    cr_expect(y->rad.m == 0 && y->mag.m == 0 && y->n == 0 && !y->format && !y->lift && !y->id && !y->d);
    ask_clear(&w);
}

/* Every element type gives back what it holds; what it cannot hold is rounded once, as its format rounds. */
Test(rounding_laws, elements_of_arrays_are_rounded_once)
{
    static const struct { int type; size_t bytes; double x, y; } list[] = {
        { MER_F64, 8, 0x1.fffffffffffffp-1022, 0x1.fffffffffffffp-1022 },
        { MER_F32, 4, 1 + 0x1p-24, 1 },
        { MER_F32, 4, -0x1.8p-149, -0x1p-148 },
        { MER_I64, 8, -0x1p53, -0x1p53 },
        { MER_I64, 8, 0x1.8p40, 0x1.8p40 },
        { MER_I32, 4, -0x1p31, -0x1p31 },
        { MER_I32, 4, 70000.75, 70000 },
        { MER_U8, 1, 255, 255 },
        { MER_U8, 1, 2.5, 2 },
        { MER_F16, 2, 65519, 65504 },
        { MER_F16, 2, 65520, inf },
        { MER_F16, 2, -inf, -inf },
        { MER_BF16, 2, 0x1.fep127, 0x1.fep127 },
        { MER_BF16, 2, 0x1.ffp127, inf },
        { MER_BF16, 2, -0.0, -0.0 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        /* The neighbours stay as they are. */
        union { double d[3]; unsigned char bytes[24]; } room;
        const size_t n = list[k].bytes;
        struct mer_array a = { "x", list[k].type, 1, { 3 }, &room, { 0 } };
        memset(&room, 0x5a, sizeof room);
        array_put(&a, 1, list[k].x);
        const double y = array_get(&a, 1);
        cr_expect(y == list[k].y && !signbit(y) == !signbit(list[k].y), "%zu: %a", k, y);
        for (size_t j = 0; j < sizeof room; j++)
            cr_expect(j / n == 1 || room.bytes[j] == 0x5a, "%zu: byte %zu", k, j);
        cr_expect_eq(type_size(list[k].type), n);
    }
    for (int t = 0; t < MER_TYPES; t++)
        cr_expect_eq(type_named(type_name[t]), t);
    cr_expect(type_named("f65") == -1 && type_named("") == -1);
    const struct mer_array shape = { .rank = 3, .dim = { 2, 3, 5, 7 } };
    cr_expect(array_len(&shape) == 30 && array_len(&(struct mer_array){ .rank = 0, .dim = { 4 } }) == 1);
}

/* A 16-bit number is put as it was got, every one of them; between two neighbours the nearer one is put, at a tie the
 * even one. */
Test(rounding_laws, every_16_bit_number_is_put_as_it_was_got)
{
    static const struct { int type, inf, quiet; double least; } list[] = {
        { MER_F16, 0x7c00, 0x7e00, 0x1p-24 }, { MER_BF16, 0x7f80, 0x7fc0, 0x1p-133 } };
    for (int t = 0; t < 2; t++) {
        uint16_t cell = 1;
        struct mer_array a = { "x", list[t].type, 1, { 1 }, &cell, { 0 } };
        cr_expect_eq(array_get(&a, 0), list[t].least);
        double last = -1;
        for (int k = 0; k < 0x10000; k++) {
            const int sign = k & 0x8000, size = k & 0x7fff;
            cell = (uint16_t)k;
            const double x = array_get(&a, 0);
            cell = 0;
            array_put(&a, 0, x);
            if (isnan(x))
                cr_assert(size > list[t].inf && cell == (sign | list[t].quiet), "%04x: %04x", (unsigned)k, cell);
            else
                cr_assert(cell == k && !isinf(x) == (size != list[t].inf) && !signbit(x) == !sign, "%04x", (unsigned)k);
            if (size && size < list[t].inf) {
                cr_assert(fabs(x) > last, "%04x: not in order", (unsigned)k);
                const double middle = (fabs(x) + last) / 2;
                array_put(&a, 0, copysign(middle, x));
                cr_assert_eq(cell, k - size % 2, "%04x: a tie", (unsigned)k);
                array_put(&a, 0, copysign(nextafter(middle, inf), x));
                cr_assert_eq(cell, k, "%04x: above a tie", (unsigned)k);
            }
            last = fabs(x);
        }
    }
}

/* What is stored in a narrower format is known by its memory; "in.k=f16" is about all of k, and of nothing beside
 * it. */
Test(rounding_laws, what_is_stored_is_known_by_its_memory)
{
    /* 2^-11 is half a unit of float16 at 1; k lies between numbers that are not stored so. */
    float cell[] = { 1 + 0x1p-11f, 3, 1 + 0x1p-11f, 3 + 0x1p-11f, 70000, (float)NAN, 1 + 0x1p-11f, 3 },
          *k_at = cell + 2;
    struct mer_array in[] = { { "k", MER_F32, 1, { 0 }, k_at, { 0 } }, { "k", MER_F32, 2, { 2, 2 }, k_at, { 0 } },
        { "k", MER_F32, 1, { 2 }, k_at + 4, { 0 } }, { "kk", MER_F32, 1, { 2 }, cell, { 0 } },
        { "part", MER_F32, 1, { 2 }, k_at + 1, { 0 } } };
    struct mer_call call = { .n_in = 5, .in = in };
    static const double kept[] = { 1, 3, inf, nan_ };
    for (int how = EXACT; how <= WIDEN; how++)
        for (int ulps = 1; ulps < 3; ulps++)
            for (int absolute = 0; absolute < 2; absolute++) {
                const struct rounding r = { .f = &formats[F16], .ulps = ulps, .absolute = absolute * 0x1p-30 };
                struct arith a = { .how = (enum how)how, .inputs = 1, .in = { { "k,", 1, r } } };
                struct ask w = { .arith = &a, .call = &call };
                struct stored s;
                ask_reset(&w, 100);
                stored_open(&s, &w);
                cr_assert_eq(w.stored, how == EXACT ? NULL : &s);
                cr_expect_eq(stored_here(&w, &in[1]), how != EXACT);
                cr_expect_eq(stored_here(&w, &in[4]), how != EXACT);
                cr_expect(!stored_here(&w, &in[2]) && !stored_here(&w, &in[3]));
                for (int k = 0; k < 4; k++) {
                    const bool certain = how != EXACT && ulps == 1 && !absolute;
                    const double x = stored_value(&w, &in[1], k), want = certain ? kept[k] : (double)k_at[k];
                    cr_expect(x == want || (isnan(x) && isnan(want)), "how %d, element %d is %a", how, k, x);
                    cr_expect(stored_value(&w, &in[2], 0) == 1 + 0x1p-11 && stored_value(&w, &in[3], 1) == 3);
                }
                const struct ball *x = b_element(&w, &in[4], 0), *y = b_element(&w, &in[3], 0);
                cr_expect(y->rad.m == 0 && b_value(y) == 1 + 0x1p-11);
                cr_expect(b_value(x) == (how == ROUND ? 3 : 3 + 0x1p-11) && (x->rad.m > 0) == (how == WIDEN));
                cr_expect(how != WIDEN || b_radius(x) < 0x1.01p-10 * ulps);
                ask_clear(&w);
            }
}

/* Words of a page that was called come after those of its caller, since that is the way of the data: rounding twice
 * depends on the order. */
Test(rounding_laws, the_words_of_the_outer_page_come_first)
{
    /* For bfloat16 this is above a tie, for float16 the next number is that tie. */
    double cell[] = { 1, 1 + 0x1p-8 + 0x1p-12 };
    struct mer_array in[] = { { "k", MER_F64, 1, { 2 }, cell, { 0 } } };
    struct mer_call call = { .n_in = 1, .in = in };
    const struct rounding narrow = { .f = &formats[BF16], .ulps = 1, .word = 4 },
                          wide = { .f = &formats[F16], .ulps = 1, .word = 9 };
    for (int outer = 0; outer < 2; outer++) {
        struct trace trace = { .rounded = false };
        struct arith first = { .how = ROUND, .inputs = 1, .in = { { "k", 1, outer ? wide : narrow } } },
                     second = { .how = ROUND, .inputs = 1, .in = { { "k", 1, outer ? narrow : wide } } };
        struct ask w = { .arith = &first, .call = &call, .trace = &trace };
        struct stored s[2];
        ask_reset(&w, 100);
        stored_open(&s[0], &w);
        w.arith = &second;
        stored_open(&s[1], &w);
        cr_expect_eq(b_value(b_element(&w, in, 1)), outer ? 1 : 1 + 0x1p-7);
        cr_expect_eq(stored_as(&w, in)->f, second.in[0].r.f, "the innermost word");
        cr_expect(trace.used[3] && trace.used[8] && trace.last == second.in[0].r.word);
        ask_clear(&w);
    }
}

/* A tree of height h has room for 2^h terms. */
Test(rounding_laws, a_tree_that_is_too_low_is_noted)
{
    static const struct { int height, word; long n; const char *why; } list[] = {
        { 3, 1, 8, "" },
        { 3, 1, 9, "dot=f32/h3 contradicts the question: 9 terms need a tree of height 4 at least" },
        { 3, 12, 16, "sum=f16 contradicts the question: 16 terms need a tree of height 4 at least" },
        { 1, 1, 2, "" },
        { 1, 1, 3, "dot=f32/h3 contradicts the question: 3 terms need a tree of height 2 at least" },
        { 1, 0, 5, "sum contradicts the question: 5 terms need a tree of height 3 at least" },
        { 1, 1, 1, "" },
        { 1, 1, 0, "" },
        { 0, 1, 1L << 50, "" },
        { 60, 1, 1L << 60, "" },
        { 60, 1, (1L << 60) + 1,
            "dot=f32/h3 contradicts the question: 1152921504606846977 terms need a tree of height 61 at least" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int text = 0; text < 2; text++) {
            struct trace trace = { .rounded = false };
            struct arith a = { .text = text ? "dot=f32/h3 sum=f16 ftz=on" : NULL };
            struct ask w = { .arith = &a, .trace = &trace };
            a.at[2] = (struct rounding){ .f = &formats[1], .height = list[k].height, .word = list[k].word };
            trace_sum(&w, 2, list[k].n);
            const char *said = trace.impossible, *want = list[k].why;
            if (text || !*want)
                cr_expect_str_eq(said, want, "%zu", k);
            else
                cr_expect(!strncmp(said, "sum contradicts", 15), "%zu: %s", k, said);
            cr_expect_eq(trace.rounded && trace.summed[list[k].word - 1], list[k].word > 0);
            trace_impossible(&w, "another");
            cr_expect_str_eq(said, *want ? said : "another");
            cr_expect(!*want || strcmp(said, "another"), "the first reason stays");
            w.trace = NULL, trace_sum(&w, 2, list[k].n), trace_impossible(&w, "nobody asks");
            trace.impossible[0] = 0, w.trace = &trace, a.at[2].f = NULL, trace_sum(&w, 2, list[k].n);
            cr_expect_str_eq(trace.impossible, "", "a step that does not round");
        }
}

/* The sum at step 0 of two numbers of 11 and 12 bits, or of these and 0, by that word. */
static double sum_by(enum how how, const char *word, const struct adverse *x, long n)
{
    struct arith a = { .how = how, .adverse = x };
    struct ask w = { .arith = &a };
    cr_assert_null(rounding_read(&a.at[0], word));
    ask_reset(&w, 100);
    const struct ball *t[] = { given_ball(&w, 1 + 0x1p-11, 0), given_ball(&w, 0x1p-11, 0), given_ball(&w, 0, 0) };
    const double y = b_value(b_sum(&w, 0, t, n));
    ask_clear(&w);
    return y;
}

/* From left to right the first term is rounded to the accumulator and the others join as they are, and so they do in a
 * tree that is as high as that; in a lower tree all join as they are.  An adverse arithmetic may take another order. */
Test(rounding_laws, a_contract_adds_up_as_it_is_declared)
{
    static const struct adverse back = { .tree = { RIGHT_TO_LEFT } };
    static const struct { const char *word; long n; double sum; } list[] = {
        { "f16", 2, 1 },
        { "f16/h1", 2, 1 },
        { "f16/h2", 2, 1 },
        { "f16/h3", 2, 1 },
        { "f16", 3, 1 },
        { "f16/h2", 3, 1 },
        { "f16/lanes1", 3, 1 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect(sum_by(ROUND, list[k].word, NULL, list[k].n) == list[k].sum, "%s of %ld: %a", list[k].word, list[k].n,
            sum_by(ROUND, list[k].word, NULL, list[k].n));
    cr_expect_eq(sum_by(ROUND, "f16", &back, 2), 1 + 0x1p-10);
}

/* Under an edit a sum that is certainly infinite has no error; every other one has that of its additions. */
Test(rounding_laws, a_sum_under_an_edit_has_its_error_unless_it_is_infinite)
{
    struct arith a = { .how = WIDEN };
    cr_assert_null(rounding_read(&a.at[0], "f16"));
    for (int k = 0; k < 4; k++) {
        struct ask w = { .arith = &a };
        a.edit.step = k % 2 ? 7 : 0;
        ask_reset(&w, 100);
        const struct ball *t[] = { given_ball(&w, k < 2 ? 1 : inf, 0), given_ball(&w, 3, 0) }, *y = b_sum(&w, 0, t, 2);
        cr_expect(k == 3 ? y->rad.m == 0 && b_value(y) == inf : y->rad.m > 0, "case %d: %g", k, b_radius(y));
        ask_clear(&w);
    }
}

/* A constant that the format does not hold is rounded where the step is, by programs and not by contracts; one beyond
 * its range is no number of the format at all, and stays as it is. */
Test(rounding_laws, a_constant_is_rounded_within_the_range)
{
    static const struct adverse near = { .seed = 1 };
    for (int k = 0; k < 6; k++) {
        struct arith a = { .how = k % 2 ? WIDEN : ROUND, .adverse = k / 2 == 1 ? &near : NULL };
        struct ask w = { .arith = &a };
        if (k / 2 < 2)
            cr_assert_null(rounding_read(&a.at[0], "f16"));
        ask_reset(&w, 100);
        const struct ball *x = given_ball(&w, 1 + 0x1p-20, 0), *far = given_ball(&w, 500000, 0);
        cr_expect(b_given(&w, 0, far) == far, "case %d", k);
        const struct ball *y = b_given(&w, 0, x);
        const bool exact = k / 2 == 2 || k == 0;
        cr_expect(exact ? y == x : k % 2 ? y->rad.m > 0 : b_value(y) == 1, "case %d: %a +- %g", k, b_value(y),
            b_radius(y));
        ask_clear(&w);
    }
}

/* Running sums that a page keeps side by side: as many as there are lanes, or as a height asks for; they are added up
 * by halves, and what is 0 joins nothing. */
Test(rounding_laws, running_sums_are_those_of_the_structure)
{
    static const struct { enum how how; const char *word; long n, sums; } list[] = {
        { ROUND, "f16", 9, 1 },
        { ROUND, "f16/lanes4", 9, 4 },
        { ROUND, "f16/lanes4", 2, 2 },
        { ROUND, "f16/lanes4", 1, 1 },
        { WIDEN, "f16/lanes4", 9, 1 },
        { ROUND, "f16/h8", 9, 1 },
        { ROUND, "f16/h4", 9, 3 },
        { ROUND, "f16/h5", 9, 2 },
        { ROUND, "f16/h1", 2, 1 },
        { ROUND, "exact", 9, 1 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct arith a = { .how = list[k].how };
        struct ask w = { .arith = &a };
        if (strcmp(list[k].word, "exact"))
            cr_assert_null(rounding_read(&a.at[0], list[k].word));
        cr_expect(running_sums(&w, 0, list[k].n) == list[k].sums, "%s of %ld: %ld", list[k].word, list[k].n,
            running_sums(&w, 0, list[k].n));
    }
    struct arith a = { .how = ROUND };
    struct ask w = { .arith = &a };
    cr_assert_null(rounding_read(&a.at[0], "f16/lanes3"));
    ask_reset(&w, 100);
    const struct ball *t[] = { given_ball(&w, 1, 0), given_ball(&w, 1, 0), given_ball(&w, 0x1p-11, 0) };
    cr_expect_eq(b_value(running_total(&w, 0, t, 3)), 2);
    const struct ball *s[] = { given_ball(&w, 0x1p-11, 0), given_ball(&w, 1, 0), given_ball(&w, 0x1p-11, 0) };
    cr_expect_eq(b_value(running_total(&w, 0, s, 3)), 1, "one half is 1 and a tie");
    ask_clear(&w);
}
