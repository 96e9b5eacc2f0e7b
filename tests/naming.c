/* Names of the exact path (ref/core/ball/same.h), at the ends of what they promise: one name for one number, however it
 * was made and however many there are, up to a size; and no name where nothing is known. */
#include <criterion/criterion.h>
#include "ball/ball.h"
#include "ball/make.h"

static const struct arith real = { .how = EXACT };

/* x 2^e exactly. */
static struct ball *power(struct ask *w, double x, long e)
{
    struct ball *b = (struct ball *)b_si(w, 0);
    mpfr_set_d(b->mid, x, MPFR_RNDN);
    mpfr_mul_2si(b->mid, b->mid, e, MPFR_RNDN);
    b->mag = up_of(b->mid);
    return b;
}

/* However many numbers there are, each has one name, and no two have the same. */
Test(naming, a_name_is_found_again_among_many)
{
    enum { MANY = 3000 }; /* So that names share chains. */
    struct ask w = { .arith = &real, .exact = true };
    unsigned *first = need(3 * MANY, sizeof *first), last = 0;
    ask_reset(&w, 64);
    const struct ball *seven = b_si(&w, 7);
    last = name_result(&w, LOG, seven, NULL);
    const size_t mark = w.used;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < MANY; k++) {
            /* All of one binade, and no multiples of 7. */
            const struct ball *x = b_si(&w, (1L << 40) + 7 * k);
            for (int j = 0; j < 3; j++) {
                const unsigned id = j ? name_result(&w, j > 1 ? POW : DIV, x, seven) : name_result(&w, EXP, x, NULL);
                unsigned *then = &first[3 * k + j];
                cr_assert(pass ? id == *then : id > last, "number %d, name %d: %u", k, j, id);
                last = *then = id;
            }
            w.used = mark;
        }
    free(first);
    ask_clear(&w);
}

/* Each line begins with an empty table, whatever the names of the line before stood for. */
Test(naming, a_line_knows_no_names_of_the_last_one)
{
    struct ask w = { .arith = &real, .exact = true };
    for (int line = 0; line < 6; line++) {
        ask_reset(&w, 64);
        if (line % 3 == 1) {
            cr_expect_eq(name_result(&w, DIV, b_si(&w, 3), b_si(&w, 7)), 3);
            continue;
        }
        const struct ball *pi = b_pi(&w);
        cr_expect_eq(pi->id, 1);
        cr_expect_eq(name_result(&w, line ? COS : EXP, pi, NULL), 2, "line %d", line);
        cr_expect_eq(name_result(&w, line ? EXP : COS, pi, NULL), 3, "line %d", line);
    }
    ask_clear(&w);
}

/* A name stays what it is while the table grows, and is found soon: of one operation on many numbers, and of one number
 * with many others. */
Test(naming, names_stay_while_a_table_grows, .timeout = 60)
{
    enum { MANY = 60000 };
    struct ask w = { .arith = &real, .exact = true };
    ask_reset(&w, 64);
    unsigned *seen = need(2 * MANY, sizeof *seen);
    const struct ball *one = b_pi(&w);
    for (int pass = 0; pass < 2; pass++)
        for (long k = 0; k < MANY; k++) {
            const size_t mark = w.used;
            const struct ball *x = b_si(&w, k + 2);
            const unsigned two[] = { name_result(&w, EXP, x, NULL), name_result(&w, POW, one, x) };
            for (int j = 0; j < 2; j++) {
                if (pass && seen[2 * k + j] != two[j])
                    cr_assert_fail("%ld: %u was %u", k, two[j], seen[2 * k + j]);
                seen[2 * k + j] = two[j];
            }
            w.used = mark;
        }
    cr_expect_eq(one->id, 1);
    cr_expect_eq(name_result(&w, PI, NULL, NULL), 1, "the first name is in the table, too");
    free(seen), ask_clear(&w);
}

/* Where a table is full, new numbers have no names; those that it has stay. */
Test(naming, a_full_table_leaves_numbers_unknown)
{
    for (unsigned most = 0; most < 8; most++) {
        struct ask w = { .arith = &real, .prec = 64, .exact = true, .names = names_new(most) };
        const struct ball *x = b_si(&w, 5), *y = b_si(&w, 7);
        for (int pass = 0; pass < 2; pass++) {
            cr_expect_eq(name_result(&w, PI, NULL, NULL), most >= 1, "the first name of an empty table");
            cr_expect_eq(name_result(&w, EXP, x, NULL), most >= 3 ? 3 : 0, "x itself is the second");
            cr_expect_eq(name_result(&w, DIV, x, y), most >= 5 ? 5 : 0, "y is the fourth");
            cr_expect_eq(name_result(&w, LOG, y, NULL), most >= 6 ? 6 : 0);
            cr_expect_eq(name_result(&w, POW, x, y), most >= 7 ? 7 : 0);
        }
        ask_clear(&w);
    }
}

/* Equal numbers are one, of whatever precision they are held; others are not. */
Test(naming, a_name_does_not_depend_on_the_precision)
{
    static const double list[] = { 0, 1, 3, -3, 0x1.8p-5, 0x1.0000001p70, -0x1.fffffffffffffp-300 };
    struct ask w = { .arith = &real, .exact = true };
    ask_reset(&w, 64);
    unsigned seen[7];
    for (size_t k = 0; k < 7; k++) {
        seen[k] = name_result(&w, EXP, power(&w, list[k], 0), NULL);
        for (mpfr_prec_t p = 53; p < 260; p++) {
            struct ball *x = take_bits(&w, p);
            mpfr_set_d(x->mid, list[k], MPFR_RNDN);
            cr_expect_eq(name_result(&w, EXP, x, NULL), seen[k], "%g of %ld bits", list[k], (long)p);
        }
        for (size_t j = 0; j < k; j++)
            cr_expect_neq(seen[j], seen[k]);
    }
    ask_clear(&w);
}

/* The exact path gives a result the bits that it needs, up to a number of bits that is far beyond every use. */
Test(naming, a_result_of_too_many_bits_is_rounded)
{
    struct ask w = { .arith = &real, .exact = true };
    ask_reset(&w, 64);
    for (int k = -2; k < 3; k++) { /* A sum has one bit more for its carry. */
        const struct ball *sum = b_add(&w, power(&w, 1, EXACT_BITS - 2 + k), b_si(&w, 1));
        cr_expect_eq(sum->rad.m == 0, k <= 0, "%d bits beyond", k);
        cr_expect_eq(mpfr_get_prec(sum->mid), k <= 0 ? EXACT_BITS + k : 64);
    }
    ask_clear(&w);
}

/* An odd number of so many bits, which 3 does not divide: of 2^even it leaves 1, of 2^odd 2. */
static const struct ball *odd(struct ask *w, mpfr_prec_t bits)
{
    struct ball *x = take_bits(w, bits);
    mpfr_set_ui_2exp(x->mid, 1, bits - 1, MPFR_RNDN);
    mpfr_add_ui(x->mid, x->mid, bits % 2 ? 1 : 3, MPFR_RNDN);
    return x;
}

/* A rational number is known by its value where it is not too large: by whatever way it was made, it has one name. */
Test(naming, rationals_are_known_by_their_value_up_to_a_size)
{
    enum { MOST = 1 << 14 };
    struct ask w = { .arith = &real, .exact = true };
    ask_reset(&w, 64);
    const struct ball *one = b_si(&w, 1), *three = b_si(&w, 3), *third = b_div(&w, one, three);
    cr_assert(third->id && third->rad.m > 0);
    for (int k = -3; k < 3; k++) { /* The last is one bit short of too large. */
        const struct ball *x = odd(&w, MOST - 2 + k), *inverse = b_div(&w, one, x);
        cr_expect_eq(name_result(&w, DIV, x, three) == name_result(&w, MUL, x, third), k < 0, "%d bits above", k);
        cr_expect_eq(name_result(&w, DIV, third, x) == name_result(&w, MUL, inverse, third), k < 0, "%d bits below", k);
    }
    for (int sign = -1; sign <= 1; sign += 2)
        for (int k = -2; k < 3; k++) {
            /* The exponent of 2^e is e + 1.  Times a third that is nearly its inverse it is small again. */
            const long e = sign * (MOST + k) - 1, back = sign * (MOST - 20);
            const struct ball *x = power(&w, 1, e), *part = b_div(&w, power(&w, 1, -back), three);
            cr_assert(part->id);
            const unsigned want = name_result(&w, DIV, power(&w, 1, e - back), three);
            cr_expect_eq(name_result(&w, MUL, x, part) == want, k < 0, "exponent %ld", e + 1);
        }
    ask_clear(&w);
}

/* Field operations on rationals give rationals, whose names are those of their values; what no rational is has the name
 * of the operation, and what has no name leaves a result without one. */
Test(naming, names_follow_the_operations)
{
    struct ask w = { .arith = &real, .exact = true };
    ask_reset(&w, 64);
    const struct ball *zero = b_si(&w, 0), *two = b_si(&w, 2), *third = b_ratio(&w, 1, 3), *x = b_ratio(&w, 2, 7),
                      *e = b_exp(&w, two), *open = b_widen(&w, two, up_d(0.5)), *none = b_inf(&w, 1);
    const struct { enum same_op op; const struct ball *x, *y; long n, d; } list[] = {
        { ADD, zero, third, 1, 3 },
        { ADD, third, x, 13, 21 },
        { ADD, x, third, 13, 21 },
        { MUL, third, x, 2, 21 },
        { DIV, third, x, 7, 6 },
        { DIV, x, third, 6, 7 },
        { NEG, x, NULL, -2, 7 },
        { MUL, b_neg(&w, x), b_neg(&w, third), 2, 21 },
        { DIV, two, b_neg(&w, third), -6, 1 },
        { DIV, zero, third, 0, 1 },
        { MUL, third, zero, 0, 1 },
        { ADD, x, b_neg(&w, x), 0, 1 },
        { MUL, b_ratio(&w, 3, 7), b_si(&w, 14), 6, 1 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const unsigned id = name_result(&w, list[k].op, list[k].x, list[k].y);
        cr_expect(id && id == name_result(&w, DIV, b_si(&w, list[k].n), b_si(&w, list[k].d)), "%zu", k);
        cr_expect(id != name_result(&w, DIV, b_si(&w, list[k].n + 1), b_si(&w, list[k].d)), "%zu", k);
        mpfr_t y;
        mpfr_init2(y, 10);
        cr_expect_eq(name_dyadic(&w, id, y), list[k].d == 1, "%zu: finished by bits", k);
        cr_expect(list[k].d > 1 || mpfr_cmp_si(y, list[k].n) == 0, "%zu: not %ld", k, list[k].n);
        mpfr_clear(y);
    }
    const unsigned there = name_result(&w, POW, third, x), back = name_result(&w, POW, x, third);
    cr_expect(there && back && there != back);
    const unsigned sum = name_result(&w, ADD, e, third);
    cr_expect(sum == name_result(&w, ADD, third, e) && sum != name_result(&w, ADD, b_exp(&w, third), third));
    cr_expect(sum != third->id && name_result(&w, MUL, e, zero) != name_result(&w, MUL, third, zero));
    cr_expect_neq(name_result(&w, DIV, e, x), name_result(&w, DIV, x, e));
    const unsigned nothing = name_result(&w, DIV, third, zero);
    cr_expect(nothing && nothing != name_result(&w, DIV, x, zero));
    cr_expect(!name_result(&w, ADD, open, x) && !name_result(&w, ADD, x, open));
    cr_expect(!name_result(&w, MUL, none, x) && !name_result(&w, EXP, open, NULL));
    struct ask plain = { .arith = &real };
    cr_expect_eq(name_result(&plain, ADD, third, x), 0, "without a table there are no names");
    ask_clear(&w);
}

/* A rational that bits can finish is finished, with all its bits; no other number is touched. */
Test(naming, bits_finish_what_they_can)
{
    static const struct { long n, d; } list[] = { { 6, 1 }, { 3, 8 }, { -5, 4 }, { 0, 3 }, { 1, 1L << 40 },
        { (1L << 61) - 1, 1L << 60 }, { -((1L << 61) - 1), 1 }, { 1, 3 }, { 5, 12 }, { 1L << 60, 7 } };
    struct ask w = { .arith = &real, .exact = true };
    ask_reset(&w, 64);
    mpfr_t y;
    mpfr_init2(y, 20);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const unsigned id = name_result(&w, DIV, b_si(&w, list[k].n), b_si(&w, list[k].d));
        mpfr_set_ui(y, 77, MPFR_RNDN);
        const bool finished = k < 7;
        cr_expect_eq(name_dyadic(&w, id, y), finished, "%zu", k);
        if (finished)
            mpfr_mul_si(y, y, list[k].d, MPFR_RNDN);
        cr_expect(mpfr_cmp_si(y, finished ? list[k].n : 77) == 0, "%zu: %g", k, mpfr_get_d(y, MPFR_RNDN));
    }
    cr_expect(!name_dyadic(&w, 0, y) && !name_dyadic(&w, name_result(&w, EXP, b_si(&w, 1), NULL), y));
    mpfr_clear(y);
    const struct ball *x = b_mul(&w, b_ratio(&w, 3, 7), b_si(&w, 14)),
                      *half = b_add(&w, b_ratio(&w, 1, 6), b_ratio(&w, 1, 3));
    cr_expect(x->rad.m == 0 && !x->id && mpfr_cmp_ui(x->mid, 6) == 0);
    cr_expect(half->rad.m == 0 && !half->id && mpfr_cmp_d(half->mid, 0.5) == 0);
    ask_clear(&w);
}
