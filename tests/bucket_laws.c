/* What buckets.h and log_index.h promise of logarithmic buckets: a bucket is that of the integers, at every precision
 * and at every tie. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "edit/site.h"
#include "relative/buckets.h"
#include "row/row.h"
#include "words/read.h"

static const struct bucket_steps none = { 0, -1, 0, 0, 0 };

/* Distances at the edge of a bucket, and next to it: with few bits their logarithms look alike.  More bits may be asked
 * for next to an edge, but not at one, where there are never enough. */
Test(bucket_laws, where_few_bits_leave_a_bucket_open_the_integers_decide)
{
    static const struct { struct bucket of; long is; bool tie; } list[] = {
        { { { 999999, 1, 1000000, 8 }, BUCKET_DOWN, 9, 0 }, 8, false },
        { { { 1000000, 1, 1000000, 8 }, BUCKET_DOWN, 9, 0 }, 9, true },
        { { { 10, 1, 1000, 3 }, BUCKET_DOWN, 9, 0 }, 2, true },
        { { { 100, 1, 1000, 3 }, BUCKET_DOWN, 9, 0 }, 3, true },
        { { { 999999, 1, 1000000000000, 1 }, BUCKET_NEAREST, 9, 0 }, 1, false },
        { { { 1000000, 1, 1000000000000, 1 }, BUCKET_NEAREST, 9, 0 }, 2, true },
        { { { 1000000, 1, 1000000, 8 }, BUCKET_UP, 9, 0 }, 9, true },
        { { { 1000001, 1, 1000000, 8 }, BUCKET_UP, 9, 0 }, 10, false },
    };
    static const struct arith exact = { .how = EXACT };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct bucket *b = &list[k].of;
        cr_expect_eq(bucket_number(b), list[k].is, "%ld, %d: %ld", b->x.n, b->how, bucket_number(b));
        for (int bits = 10; bits < 80; bits++) {
            struct ask w = { .arith = &exact };
            ask_reset(&w, bits);
            const double x = b_value(bucket_ball(&w, b, none));
            cr_expect(w.undecided ? !list[k].tie : x == (double)list[k].is, "%ld, %d, %d bits: %g", b->x.n,
                b->how, bits, x);
            ask_clear(&w);
        }
    }
}

/* Numbers b^i of steps that end at b^j are whole, though the quotient of their logarithms mostly is not. */
Test(bucket_laws, a_whole_number_of_steps_is_none_of_rounding)
{
    for (long b = 3, exact = 1; b < 40; b++, exact = b % 5 + 1)
        for (long i = 1, n = b * exact; i <= 6; i++, n *= b)
            for (long j = i, far = n; j <= 6; j++, far *= b) {
                const struct log_index x = { n, exact, far, j }, below = { n - 1, exact, far, j },
                                       above = { n + 1, exact, far, j };
                cr_expect(log_index_floor(&x, j) == i && log_index_nearest(&x, j) == i && log_index_ceil(&x) == i,
                    "%ld^%ld of %ld: %ld, %ld", b, i, j, log_index_floor(&x, j), log_index_ceil(&x));
                cr_expect(log_index_floor(&below, j) == i - 1 && log_index_ceil(&below) == i, "%ld^%ld - 1", b, i);
                cr_expect(log_index_floor(&above, j) == i && log_index_ceil(&above) == i + 1, "%ld^%ld + 1", b, i);
            }
}

/* What is rounded is n / exact, as it stands, before its logarithm is taken: not exact / n. */
Test(bucket_laws, the_ratio_of_a_bucket_is_rounded_as_it_stands)
{
    enum { RATIO, LOG, EXACTLY = 3, FAR = 1000, STEPS_OF = 200 };
    struct arith a = { .how = ROUND };
    a.at[RATIO] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
    for (long n = EXACTLY + 1; n < FAR; n++) {
        const struct bucket b = { { n, EXACTLY, FAR, STEPS_OF }, BUCKET_DOWN, STEPS_OF, 0 };
        struct ask w = { .arith = &a };
        ask_reset(&w, 100);
        const double ratio = b_value(b_step(&w, RATIO, b_ratio(&w, n, EXACTLY))),
                     step = STEPS_OF * log(ratio) / log((double)FAR / EXACTLY),
                     x = b_value(bucket_ball(&w, &b, (struct bucket_steps){ RATIO, -1, LOG, LOG, LOG }));
        if (fabs(step - round(step)) > 1e-9)
            cr_expect_eq(x, EXACTLY + fmin(floor(step), STEPS_OF), "%ld: %g, not %g", n, x, EXACTLY + floor(step));
        ask_clear(&w);
    }
}
/* The last bucket begins beyond the exact ones, and not before as many as there are. */
Test(bucket_laws, buckets_that_have_no_room_are_refused)
{
    static const struct { const char *words, *says; } list[] = {
        { "distance=log span=1 max_position=12", "span: fewer than 2 buckets" }, { "distance=linear span=1", NULL },
        { "distance=log span=2 max_position=2", "max_position: must exceed" },
        { "distance=log span=2 max_position=3", NULL }, { "distance=log span=5 max_position=4", "and reach span" },
        { "distance=log span=4 max_position=4", NULL } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char why[300] = "";
        const int rc = row_takes(row_named("deberta"), list[k].words, why, sizeof why);
        cr_expect(list[k].says ? rc == -1 && strstr(why, list[k].says) : !rc, "%s: %d, %s", list[k].words, rc, why);
    }
}

/* The search for a bucket begins next to it, however many there are: step by step, powers of this size would take
 * minutes. */
Test(bucket_laws, a_bucket_far_out_is_found_at_once)
{
    const struct log_index x = { 3, 1, 9, 60000 };
    cr_expect_eq(log_index_floor(&x, 60000), 30000);
}
/* Powers that no memory holds are not written down: GMP ended the program.  steps ln(n/exact) / ln(far/exact), rounded
 * down, by 60 digits. */
Test(bucket_laws, powers_of_any_size_have_an_order)
{
    static const struct { struct log_index x; long most, is; bool whole; } list[] = {
        { { 9, 1, 27, 3000000000 }, 3000000000, 2000000000, true },
        { { 10, 1, 27, 3000000000 }, 3000000000, 2095903274, false },
        { { 7, 2, 100003, 1000000000000 }, 1000000000000, 115784211292, false },
        { { 1000005, 1000000, 1000007, 1000000000 }, 1000000000, 714286428, false },
        { { (1 << 20) + 3, 1 << 20, 1 << 21, 1L << 40 }, 1L << 40, 4538319, false },
        { { 1L << 40, 1 << 20, (1 << 20) + 1, 1L << 40 }, 1L << 39, 1L << 39, true },
        { { 5, 5, 7, 1L << 40 }, 9, 0, true },
        { { 6, 5, 7, 0 }, 9, 0, true } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct log_index *x = &list[k].x;
        cr_expect_eq(log_index_floor(x, list[k].most), list[k].is, "%zu: %ld", k, log_index_floor(x, list[k].most));
        if (list[k].is < list[k].most)
            cr_expect_eq(log_index_ceil(x), list[k].is + !list[k].whole, "%zu: %ld", k, log_index_ceil(x));
    }
}

/* Next to a whole number of steps, 10^-20 of it away, below or above: fractions t / steps of the continued fraction of
 * ln(n/exact) / ln(far/exact), by 120 digits.  Numbers of 64 bits do not tell. */
Test(bucket_laws, logarithms_tell_what_powers_do_not)
{
    static const struct { struct log_index x; long t; int sign; } list[] = {
        { { 7, 2, 100003, 3880859022 }, 449342201, -1 }, { { 7, 2, 100003, 4760351069 }, 551173494, 1 },
        { { 7, 2, 100003, 318064029576 }, 36826792805, -1 }, { { 7, 2, 100003, 640888410221 }, 74204759104, 1 },
        { { 7, 2, 100003, 958952439797 }, 111031551909, -1 }, { { 10, 1, 27, 1411815071 }, 986342610, -1 },
        { { 10, 1, 27, 8761943961 }, 6121395679, 1 }, { { 10, 1, 27, 124079030525 }, 86685882116, -1 },
        { { 10, 1, 27, 132840974486 }, 92807277795, 1 }, { { 17, 16, 128, 1735408567 }, 50594588, 1 },
        { { 17, 16, 128, 3542134792 }, 103268391, -1 }, { { 17, 16, 128, 12361812943 }, 360399761, 1 },
        { { 17, 16, 128, 28265760678 }, 824067913, -1 }, { { 17, 16, 128, 153690616333 }, 4480739326, 1 },
        { { 17, 16, 128, 489337609677 }, 14266285891, -1 }, { { 129, 16, 1000, 5561997447 }, 2807416009, 1 },
        { { 129, 16, 1000, 34425651149 }, 17376333786, -1 }, { { 129, 16, 1000, 143264602043 }, 72312751153, 1 },
        { { 3, 1, 10, 2959027830 }, 1411815071, 1 }, { { 3, 1, 10, 6121395679 }, 2920647987, -1 },
        { { 3, 1, 10, 272300437706 }, 129920326499, 1 }, { { 3, 1, 10, 278421833385 }, 132840974486, -1 },
        { { 3, 1, 10, 1L << 40 }, 1, 1 }, { { 3, 1, 10, 1 }, 1L << 40, -1 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect_eq(log_index_cmp(&list[k].x, list[k].t, 1), list[k].sign, "%ld / %ld", list[k].t, list[k].x.steps);
}

/* Each of the six whole numbers of a bucket may be another, also where the distance is 0, up to 2^40 steps; what nobody
 * counts with leaves the bucket as it is.  Which line makes which is not asked: all of the file are tried. */
Test(bucket_laws, edited_counts_are_those_that_are_counted_with)
{
    enum { LINES_OF = 80 };
    static const struct { const char *op; struct bucket b; int changed; } list[] = {
        { "more", { { 0, 3, 9, 5 }, BUCKET_DOWN, 5, 2 }, 6 }, { "less", { { 0, 3, 9, 5 }, BUCKET_DOWN, 5, 2 }, 5 },
        { "double", { { 4, 3, 9, 1L << 39 }, BUCKET_DOWN, 5, 2 }, 6 },
        { "double", { { 4, 3, 9, 1L << 40 }, BUCKET_DOWN, 5, 2 }, 5 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct bucket *b = &list[k].b;
        int changed = 0;
        for (int line = 1; line < LINES_OF; line++) {
            char words[80];
            struct arith a = { 0 };
            snprintf(words, sizeof words, "relative/buckets.c:%d:whole:%s", line, list[k].op);
            cr_assert(site_read(&a.edit, words, strlen(words)), "%s", words);
            struct ask w = { .arith = &a };
            ask_reset(&w, 64);
            const struct bucket is = bucket_counted(&w, *b);
            changed += is.x.n != b->x.n || is.x.exact != b->x.exact || is.x.far != b->x.far ||
                is.x.steps != b->x.steps || is.most != b->most || is.first != b->first;
            ask_clear(&w);
        }
        cr_expect_eq(changed, list[k].changed, "%zu, %s: %d numbers", k, list[k].op, changed);
    }
}
