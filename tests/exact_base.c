/* Bases of rotary encodings: what the march over all of them certifies, against balls at single bases and against
 * published numbers. */
#include <criterion/criterion.h>
#include <math.h>
#include "command.h"
#include "lab/exact/exact_base.h"
#include "core/gen.h"

/* The sign of B_m(base) over all m up to `length`, by balls: 1 where all are >= 0, -1 where one is < 0, 0 where one is
 * undecided.  It shares nothing with exact_base.c. */
static int sign_at(double base, long length, long dim)
{
    static const struct arith real = { 0 };
    struct ask w = { .arith = &real };
    struct mer_array a = { .name = "b", .type = MER_F64, .rank = 1, .dim = { 1 }, .data = &base };
    const struct ball *t[64];
    int sign = 1;
    ask_reset(&w, 128);
    for (long i = 0; i < dim / 2; i++)
        t[i] = b_pow(&w, b_element(&w, &a, 0), b_ratio(&w, -2 * i, dim));
    for (long m = 1; m <= length && sign >= 0; m++) {
        const size_t mark = w.used;
        const struct ball *sum = b_si(&w, 0);
        for (long i = 0; i < dim / 2; i++)
            sum = b_add(&w, sum, b_cos(&w, b_mul(&w, b_si(&w, m), t[i])));
        const int c = b_cmp(sum, b_si(&w, 0));
        sign = c == -1 ? -1 : c == 2 ? 0 : sign;
        w.used = mark;
    }
    ask_clear(&w);
    return sign;
}

static struct bases found(long length, long dim)
{
    struct bases b;
    char why[200];
    cr_assert_eq(bases_find(&b, length, dim, NULL, why, sizeof why), 0, "%s", why);
    return b;
}

/* d = 128: Men et al. 2024, table 2, says 4.3e3, 1.6e4, 2.7e4, 8.4e4; the second is no infimum. */
Test(exact_base, the_least_base_and_the_base_beyond_which_all_are_feasible_are_enclosed_to_eight_digits)
{
    static const struct { long dim, length; double least, robust; } want[] = {
        { 128, 1024, 4293.43757, 6018.28086 },
        { 128, 2048, 11587.2443, 22764.3038 },
        { 128, 4096, 26952.3392, 58789.5042 },
        { 64, 1024, 7752.98228, 23019.3271 },
        { 64, 2048, 29617.0463, 74767.0841 },
    };
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        struct bases b = found(want[k].length, want[k].dim);
        cr_expect(b.least[0] <= b.least[1] && b.least[1] - b.least[0] <= 1e-8 * b.least[0],
            "d=%ld L=%ld: [%.17g, %.17g]", want[k].dim, want[k].length, b.least[0], b.least[1]);
        cr_expect(b.robust[0] <= b.robust[1] && b.robust[1] - b.robust[0] <= 1e-8 * b.robust[0],
            "d=%ld L=%ld: [%.17g, %.17g]", want[k].dim, want[k].length, b.robust[0], b.robust[1]);
        cr_expect(fabs(b.least[0] - want[k].least) <= 2e-8 * want[k].least, "d=%ld L=%ld: %.12g", want[k].dim,
            want[k].length, b.least[0]);
        cr_expect(fabs(b.robust[0] - want[k].robust) <= 2e-8 * want[k].robust, "d=%ld L=%ld: %.12g", want[k].dim,
            want[k].length, b.robust[0]);
        cr_expect_eq(sign_at(b.least[0], want[k].length, want[k].dim), -1, "d=%ld L=%ld", want[k].dim, want[k].length);
        cr_expect_eq(sign_at(b.least[1], want[k].length, want[k].dim), 1, "d=%ld L=%ld", want[k].dim, want[k].length);
        bases_close(&b);
    }
}

/* Up to the first feasible stretch the march is the same; and where single distances are tried first, balls agree with
 * it at both ends of the infimum. */
Test(exact_base, the_infimum_alone_is_that_of_all_bases)
{
    static const struct { long dim, length; } at[] = { { 16, 64 }, { 22, 71 }, { 64, 1024 } };
    struct bases b;
    char why[200];
    for (int k = 0; k < 3; k++) {
        struct bases all = found(at[k].length, at[k].dim);
        cr_assert_eq(bases_least(&b, at[k].length, at[k].dim, NULL, why, sizeof why), 0, "%s", why);
        cr_expect(b.least[0] == all.least[0] && b.least[1] == all.least[1] && b.certificates <= all.certificates);
        bases_close(&b), bases_close(&all);
    }
    cr_assert_eq(bases_least(&b, 9001, 16, NULL, why, sizeof why), 0, "%s", why);
    cr_expect(b.least[1] - b.least[0] <= 1e-8 * b.least[0]);
    cr_expect_eq(sign_at(b.least[0], 9001, 16), -1);
    cr_expect_eq(sign_at(b.least[1], 9001, 16), 1);
    for (long s = 0; s < b.stretches; s++) /* what excludes a stretch does so at its ends */
        cr_expect(b.stretch[s].feasible != NO ||
                (sign_at(b.stretch[s].from, 9001, 16) == -1 && sign_at(b.stretch[s].to, 9001, 16) == -1),
            "[%.17g, %.17g]", b.stretch[s].from, b.stretch[s].to);
    bases_close(&b);
}

Test(exact_base, stretches_follow_each_other_from_1_to_the_tail_and_none_is_left_open)
{
    static const long dims[] = { 8, 22, 64, 100 }, lengths[] = { 1, 2, 7, 40, 333 };
    for (int d = 0; d < 4; d++)
        for (int l = 0; l < 5; l++) {
            struct bases b = found(lengths[l], dims[d]);
            cr_assert_gt(b.stretches, 0);
            cr_expect(b.stretch[0].from == 1 && b.stretch[b.stretches - 1].to >= b.everywhere &&
                b.stretch[b.stretches - 1].feasible == YES);
            for (long k = 0; k < b.stretches; k++) {
                const struct base_stretch *s = &b.stretch[k];
                cr_expect(s->from < s->to && (!k || (s[-1].to == s->from && s[-1].feasible != s->feasible)));
                cr_expect(s->feasible != UNDECIDED || s->to - s->from <= 1e-8 * s->from, "d=%ld L=%ld: [%.17g, %.17g]",
                    dims[d], lengths[l], s->from, s->to);
                cr_expect(s->feasible == UNDECIDED || !k || s[-1].feasible == UNDECIDED, "a change without a root");
            }
            bases_close(&b);
        }
}

/* At both ends of every stretch and at random bases within; widths and lengths that are no powers of two. */
Test(exact_base, balls_agree_at_the_ends_and_inside_of_every_stretch)
{
    static const struct {
        long dim, length;
    } at[] = { { 8, 5 }, { 8, 33 }, { 22, 2 }, { 22, 71 }, { 64, 129 }, { 100, 300 } };
    for (int k = 0; k < 6; k++) {
        struct bases b = found(at[k].length, at[k].dim);
        for (long s = 0; s < b.stretches; s++)
            for (int i = 0; i < 8 && b.stretch[s].feasible != UNDECIDED; i++) {
                const double from = b.stretch[s].from, to = b.stretch[s].to,
                             share = (double)(gen_bits(11, (uint64_t)s, (uint64_t)i) >> 11) * 0x1p-53;
                const double x = i == 0 ? from : i == 1 ? to : exp(log(from) + share * log(to / from));
                cr_expect_eq(sign_at(x, at[k].length, at[k].dim), b.stretch[s].feasible == YES ? 1 : -1,
                    "d=%ld L=%ld, base %.17g of [%.17g, %.17g]", at[k].dim, at[k].length, x, from, to);
            }
        for (double x = b.everywhere; x < b.everywhere * 1e6; x *= 7)
            cr_expect_eq(sign_at(x, at[k].length, at[k].dim), 1, "d=%ld L=%ld, base %.17g of the tail", at[k].dim,
                at[k].length, x);
        bases_close(&b);
    }
}

Test(exact_base, more_lengths_leave_fewer_bases)
{
    double last = 1;
    for (long length = 1; length < 60; length += 3) {
        struct bases b = found(length, 24);
        cr_expect(b.least[1] >= last, "L=%ld: %.17g after %.17g", length, b.least[1], last);
        last = b.least[0];
        bases_close(&b);
    }
}

Test(exact_base, sizes_beyond_the_proof_are_refused)
{
    static const long bad[][2] = { { 0, 64 }, { BASES_LENGTH + 1, 64 }, { 100, 7 }, { 100, 6 }, { 100, BASES_DIM + 2 },
        { -1, -2 } };
    struct bases b;
    char why[200];
    for (int k = 0; k < 6; k++) {
        cr_expect_eq(bases_find(&b, bad[k][0], bad[k][1], NULL, why, sizeof why), -1);
        cr_expect(strstr(why, "a dim even and 8 to 1024"), "%s", why);
    }
}

/* Men et al. 2024, table 2: every doubling from 1k to 1M, none left out, and bases that rise. */
Test(exact_base, the_published_table_is_whole)
{
    long length = 1024;
    double last = 0;
    for (const struct base_published *p = bases_published; p->length; p++, length *= 2) {
        cr_expect(p->length == length && strtod(p->base, NULL) > last, "L=%ld: %s", p->length, p->base);
        last = strtod(p->base, NULL);
    }
    cr_expect(length == 2L * BASES_LENGTH && last == 5.1e8, "it ends before L=%ld, with %g", length, last);
}
