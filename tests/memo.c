/* Kept balls are the balls that would be made: one asker over changing lines, parameters, precisions and arithmetics
 * against an asker for each. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "row/memo.h"
#include "trial/trial.h"

static const struct { const char *row, *out, *params, *profile; enum how how; } asked[] = {
    { "rope", "cos", "dim=16", "", EXACT },
    { "rope", "cos", "dim=16 base=500000", "", EXACT },
    { "rope", "cos", "dim=16", "", WIDEN },
    { "rope", "cos", "dim=16", "freq=f32 phase=f32 table=f32:2", WIDEN },
    { "rope", "cos", "dim=16", "freq=f32 phase=f32 table=f32:2", ROUND },
    { "rope", "cos", "dim=16", "freq=f32/lanes2 cast=bf16 phase=f32 table=f32:2", WIDEN },
    { "rope", "cos", "dim=16", "freq=f32 phase=f32 table=f32:2 ftz=on", WIDEN },
    { "rope", "cos", "dim=16", "freq=f32:3 phase=f32 table=f32:2", WIDEN },
    { "rope", "cos", "dim=16 scaling=yarn factor=4 trained=4096", "amplitude=f32", WIDEN },
    { "rope", "cos", "dim=16 scaling=llama3 factor=8 trained=8192", "", EXACT },
    { "rope", "cos", "dim=8 scaling=longrope factor=4 trained=4096 short_factor=1,2,3,4 long_factor=1,2,3,4", "",
        EXACT },
    { "rope", "cos", "dim=8 scaling=longrope factor=4 trained=4096 short_factor=1,2,3,5 long_factor=1,2,3,4", "",
        EXACT },
    { "sinusoid", "p", "dim=16", "", EXACT },
    { "sinusoid", "p", "dim=16 min_timescale=2", "freq=f32 phase=f32", WIDEN },
};
enum { ASKED = sizeof asked / sizeof *asked, WIDTH = 16 };

static int answer(struct ask *w, int k, long pos, mpfr_prec_t prec, const struct ball **y)
{
    struct trial t;
    struct arith a = { 0 };
    char err[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ asked[k].row, asked[k].params, asked[k].out, MER_F32, "n=1", 1 },
        err, sizeof err), 0, "%s", err);
    cr_assert_geq(trial_profile(&t, asked[k].profile, &a, asked[k].how, err, sizeof err), 0, "%s", err);
    array_put(&t.in[0], 0, (double)pos);
    w->params = t.params, w->call = &t.call, w->arith = &a, w->len = array_len(&t.out[0]);
    ask_reset(w, prec);
    line_page(w, row_quantity(t.row, asked[k].out), NULL, y);
    trial_close(&t);
    return (int)w->len;
}

static bool identical(const struct ball *x, const struct ball *y)
{
    return mpfr_equal_p(x->mid, y->mid) && mpfr_get_prec(x->mid) == mpfr_get_prec(y->mid) && x->rad.m == y->rad.m &&
        x->rad.e == y->rad.e && x->mag.m == y->mag.m && x->mag.e == y->mag.e && x->n == y->n &&
        x->format == y->format &&
        x->lift == y->lift;
}

Test(memo, what_is_kept_is_what_would_be_made)
{
    struct ask kept = { 0 };
    for (long round = 0; round < 400; round++) {
        const struct ball *x[WIDTH], *y[WIDTH];
        struct ask fresh = { 0 };
        int k = (int)(gen_bits(1, 1, (uint64_t)round / 2) % ASKED), n; /* Each question is asked twice, then another. */
        long pos = (long)(gen_bits(1, 2, (uint64_t)round) % 100000);
        mpfr_prec_t prec = gen_bits(1, 3, (uint64_t)round) % 2 ? 64 : 128;
        kept.exact = fresh.exact = asked[k].how == EXACT && round % 5 == 0;
        n = answer(&kept, k, pos, prec, x);
        cr_assert_eq(answer(&fresh, k, pos, prec, y), n);
        for (int j = 0; j < n; j++)
            cr_assert(identical(x[j], y[j]), "%s %s %s, position %ld, element %d", asked[k].row, asked[k].params,
                asked[k].profile, pos, j);
        ask_clear(&fresh);
    }
    ask_clear(&kept);
}

/* The weights of all queries are kept over the lines of dk; a changed input, route or precision is another question. */
Test(memo, weights_kept_for_gradients_are_those_of_the_question)
{
    static const struct arith exact = { 0 };
    struct trial t;
    char err[300];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "dk", MER_F32, "h=2 g=1 n=3 m=4", 7 }, err,
        sizeof err), 0, "%s", err);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &exact, .len = t.out[0].dim[2] };
    for (int change = 0; change < 5; change++) {
        const struct mer_array *a = trial_in(&t, change == 1 ? "q" : change == 2 ? "v" : "do");
        if (change && change < 4)
            array_put((struct mer_array *)a, array_len(a) - 1, 0.625 + change);
        for (long j = 0; j < 4; j++) {
            struct ask fresh = { .params = t.params, .call = &t.call, .arith = &exact, .len = w.len, .at = { 0, j } };
            const struct ball *y[2][16];
            w.at[1] = j;
            ask_reset(&w, change == 4 ? 100 : 64), ask_reset(&fresh, change == 4 ? 100 : 64);
            line_page(&w, row_quantity(t.row, "dk"), NULL, y[0]),
                line_page(&fresh, row_quantity(t.row, "dk"), NULL, y[1]);
            for (long c = 0; c < w.len; c++)
                cr_expect(mpfr_equal_p(y[0][c]->mid, y[1][c]->mid) && b_radius(y[0][c]) == b_radius(y[1][c]),
                    "change %d, key %ld: %.20g +- %g, it is %.20g +- %g", change, j, b_value(y[0][c]),
                    b_radius(y[0][c]), b_value(y[1][c]), b_radius(y[1][c]));
            ask_clear(&fresh);
        }
    }
    ask_clear(&w), trial_close(&t);
}

/* The number that stands for `what`, and the row x of a table of them. */
static double value_of(long what) { return 3 * (double)what + 1; }
static int rows_made;
static void make_row(struct ask *w, long x, long width, const struct ball **R)
{
    for (long k = 0; k < width; k++)
        R[k] = b_si(w, 1000 * x + k);
    rows_made++;
}

/* Every number from -MEMO_WORDS to below MEMO_MOST is its own, however many there are; others are made each time. */
Test(memo, every_name_has_its_own_ball)
{
    static const long names[][2] = { { -MEMO_WORDS, 3000 }, { MEMO_MOST - 1500, MEMO_MOST } };
    static const struct arith exact = { 0 };
    struct trial t;
    char err[300];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=8", "cos", MER_F32, "n=1", 1 }, err, sizeof err), 0);
    const struct param *of = row_params(t.row);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &exact };
    ask_reset(&w, 64);
    for (int pass = 0; pass < 2; pass++)
        for (int part = 0; part < 2; part++)
            for (long k = names[part][0]; k < names[part][1]; k++) {
                const struct ball *kept = memo_get(&w, of, t.params, t.row->size, k);
                cr_assert(pass ? kept && b_value(kept) == value_of(k) : !kept, "%ld, pass %d", k, pass);
                if (!kept)
                    memo_put(&w, k, b_si(&w, (long)value_of(k)));
                w.used = 0;
            }
    static const long far[] = { MEMO_MOST, MEMO_MOST + 1, -MEMO_WORDS - 1 };
    for (int k = 0; k < 3; k++) {
        cr_expect(!memo_get(&w, of, t.params, t.row->size, far[k]));
        memo_put(&w, far[k], b_si(&w, 1));
        cr_expect(!memo_get(&w, of, t.params, t.row->size, far[k]), "%ld is kept", far[k]);
    }
    w.exact = true;
    cr_expect(!memo_get(&w, of, t.params, t.row->size, 5), "nothing is kept on the exact path");
    w.exact = false, w.undecided = true;
    memo_get(&w, of, t.params, t.row->size, 3500), memo_put(&w, 3500, b_si(&w, 1));
    cr_expect(!memo_get(&w, of, t.params, t.row->size, 3500), "what left a question open is not kept");
    ask_clear(&w), trial_close(&t);
}

/* So it is with names that fall on few of the places of a table: multiples of a Fibonacci number, which Fibonacci
 * hashing puts at both of its ends. */
Test(memo, names_that_meet_have_their_own_balls)
{
    static const struct arith exact = { 0 };
    struct trial t;
    char err[300];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=8", "cos", MER_F32, "n=1", 1 }, err, sizeof err), 0);
    for (long from = 610, last = 377, sum; from < 5000; sum = from + last, last = from, from = sum) {
        struct ask w = { .params = t.params, .call = &t.call, .arith = &exact };
        ask_reset(&w, 64);
        for (int pass = 0; pass < 2; pass++)
            for (long what = 0; what < MEMO_MOST; what += from) {
                const struct ball *kept = memo_get(&w, row_params(t.row), t.params, t.row->size, what);
                cr_assert(pass ? kept && b_value(kept) == value_of(what) : !kept, "%ld, pass %d", what, pass);
                if (!kept)
                    memo_put(&w, what, b_si(&w, (long)value_of(what)));
            }
        ask_clear(&w);
    }
    trial_close(&t);
}

Test(memo, a_row_of_a_table_is_made_once)
{
    enum { WIDE = 7 };
    static const long at[] = { 0, 1, -1, 2, -2, 100, -100, 4680, -4680, 4681, -4681, 1000000, -1000000 };
    static const struct arith exact = { 0 };
    struct trial t;
    char err[300];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=8", "cos", MER_F32, "n=1", 1 }, err, sizeof err), 0);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &exact };
    ask_reset(&w, 64);
    rows_made = 0;
    for (int pass = 0; pass < 3; pass++)
        for (size_t n = 0; n < sizeof at / sizeof *at; n++) {
            const struct ball *R[WIDE];
            const int made = rows_made;
            memo_row(&w, row_params(t.row), t.params, t.row->size, at[n], WIDE, make_row, R);
            for (long k = 0; k < WIDE; k++)
                cr_expect_eq(b_value(R[k]), (double)(1000 * at[n] + k), "row %ld, number %ld", at[n], k);
            const bool near = at[n] <= MEMO_MOST / (2 * WIDE) - 1 && at[n] >= 1 - MEMO_MOST / (2 * WIDE);
            cr_expect_eq(rows_made - made, !pass || !near, "row %ld, pass %d", at[n], pass);
        }
    ask_clear(&w), trial_close(&t);
}

/* What is kept with a memo is one for each function, begins as zeros, and is released once. */
static int released[2];
static void release_first(void *thing) { released[0] += *(int *)thing, free(thing); }
static void release_second(void *thing) { released[1] += *(int *)thing, free(thing); }
Test(memo, what_is_kept_with_it_is_released_once)
{
    static const struct arith exact = { 0 };
    struct ask w = { .arith = &exact };
    released[0] = released[1] = 0;
    for (int pass = 0; pass < 2; pass++) {
        int **first = memo_own(&w, sizeof(int), release_first), **second = memo_own(&w, sizeof(int), release_second);
        cr_assert(first != second && *first != *second && **first == pass && **second == 10 * pass);
        **first += 1, **second += 10;
    }
    ask_clear(&w);
    cr_expect(released[0] == 2 && released[1] == 20, "%d %d", released[0], released[1]);
}

/* Room is for four tables, as memo.c says: the one that is made then takes the place of the oldest, and what the other
 * three keep is there. */
Test(memo, the_oldest_table_makes_room)
{
    enum { KEPT = 4, MADE = 7 };
    static const struct arith exact = { 0 };
    struct trial t;
    char err[300];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=8", "cos", MER_F32, "n=1", 1 }, err, sizeof err), 0);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &exact };
    for (int k = 0; k < MADE; k++) {
        ask_reset(&w, 64 + k);
        cr_expect(!memo_get(&w, row_params(t.row), t.params, t.row->size, 0), "nobody has asked at %d bits", 64 + k);
        memo_put(&w, 0, b_si(&w, k));
        for (int j = k < KEPT ? 0 : k - KEPT + 1; j <= k; j++) {
            ask_reset(&w, 64 + j);
            const struct ball *x = memo_get(&w, row_params(t.row), t.params, t.row->size, 0);
            cr_expect(x && b_value(x) == j, "table %d, where %d was made last", j, k);
        }
    }
    ask_reset(&w, 64);
    cr_expect(!memo_get(&w, row_params(t.row), t.params, t.row->size, 0), "the oldest is there");
    ask_clear(&w), trial_close(&t);
}
