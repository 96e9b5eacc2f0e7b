/* Where balls come from and where they live: the elements of arrays, and the pool of a question, which keeps what is
 * still read, gives out the rest again and in the end gives everything back. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ball/dual.h"
#include "ball/input.h"
#include "ball/make.h"

static const struct arith exact = { 0 };

/* Elements of every type and rank are found; what an array does not have is no number, or 0 of integers. */
Test(ball_pool, elements_are_found_and_have_the_format_of_their_array)
{
    double room[24];
    struct mer_array in[] = { { "x", 0, 3, { 2, 3, 4 }, room }, { "one", MER_I32, 1, { 24 }, room },
        { "two", MER_I32, 2, { 6, 4 }, room } };
    const struct mer_call call = { .in = in, .n_in = 3 };
    struct dual none = { .n = 0 };
    struct ask w = { .arith = &exact, .call = &call };
    ask_reset(&w, 64);
    for (int type = 0; type < MER_TYPES; type++) {
        in[0].type = type;
        for (long k = 0; k < 24; k++)
            array_put(&in[0], k, (double)k);
        for (long k = 0; k < 24; k++) {
            const struct ball *b = b_in(&w, "x", k / 12, k / 4 % 3, k % 4);
            cr_expect(b_value(b) == (double)k && b->rad.m == 0, "%s %ld", type_name[type], k);
            cr_expect(b_is(b) == (type <= MER_BF16 ? &formats[type] : NULL), "%s", type_name[type]);
        }
        cr_expect(b_undefined(&w, b_in(&w, "x", 2, 0, 0)) && b_undefined(&w, b_in(&w, "x", 0, 0, -1)));
    }
    for (long k = 0; k < 24; k++)
        array_put(&in[1], k, (double)(k - 5));
    for (long k = 0; k < 24; k++)
        cr_expect(i_in(&w, "one", k, 0) == k - 5 && i_in(&w, "two", k / 4, k % 4) == k - 5 &&
            b_value(b_in(&w, "two", k / 4, k % 4, 3)) == (double)(k - 5) && i_in(&w, "one", k, 7) == k - 5);
    cr_expect(i_in(&w, "one", 24, 0) == 0 && i_in(&w, "one", -1, 0) == 0 && i_in(&w, "two", 6, 0) == 0);
    cr_expect(has_in(&w, "two") && !has_in(&w, "tw") && array_in(&w, "one") == &in[1] && dim_in(&w, "two", 1) == 4);
    const struct ball *one = b_si(&w, 1), *cell[] = { one, NULL };
    struct mer_array balls = { "b", BALLS, 1, { 2 }, cell };
    cr_expect(b_element(&w, &balls, 0) == one && b_undefined(&w, b_element(&w, &balls, 1)));
    cr_expect(b_undefined(&w, b_nan(&w)) && !b_undefined(&w, b_inf(&w, 1)));
    cr_expect(!b_undefined(&w, b_widen(&w, one, up_inf())), "it may be anything");
    w.dual = &none;
    cr_expect(!b_undefined(&w, b_nan(&w)), "tangents have none");
    w.dual = NULL;
    ask_clear(&w), dual_close(&none);
}

/* A page that asks for an input which its call does not hold ends the program, with one line that names it. */
Test(ball_pool, an_input_that_is_not_there_ends_the_program)
{
    const struct mer_call none = { .n_in = 0 };
    const struct ask w = { .call = &none };
    int ends[2], status;
    char said[200] = "";
    cr_assert(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        dup2(ends[1], 2);
        array_in(&w, "offsets");
        _exit(0);
    }
    close(ends[1]);
    cr_expect(read(ends[0], said, sizeof said - 1) > 0 && strstr(said, "'offsets'"), "%s", said);
    close(ends[0]);
    cr_expect(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* Those before the mark and the one that is kept stay in the pool; the others are given out again. */
Test(ball_pool, a_kept_ball_alone_stays)
{
    for (long mark = 0; mark < 5; mark++)
        for (long kept = 0; kept < 9; kept++) {
            struct ask w = { .arith = &exact };
            ask_reset(&w, 64);
            const struct ball *b[9];
            for (long k = 0; k < 9; k++)
                b[k] = b_si(&w, k);
            cr_assert_eq(ask_keep(&w, (size_t)mark, b[kept]), b[kept]);
            cr_assert_eq(w.used, (size_t)(kept < mark ? 9 : mark + 1), "ball %ld from %ld: %zu", kept, mark, w.used);
            for (long k = 0; k < 300; k++)
                b_si(&w, 1000);
            for (long k = 0; k < 9; k++)
                cr_expect(b_value(b[k]) == (double)k || (k >= mark && k != kept && kept >= mark), "ball %ld", k);
            ask_clear(&w);
        }
}

/* Of several, some older than the mark and one named twice, all stay where they are read; the others are given out. */
Test(ball_pool, kept_balls_stay)
{
    for (unsigned set = 0; set < 256; set++)
        for (long mark = 0; mark < 9; mark += 4) {
            struct ask w = { .arith = &exact };
            ask_reset(&w, 64);
            const struct ball *b[8], *kept[9];
            long n = 0, stay = mark;
            for (long k = 0; k < 8; k++)
                b[k] = b_si(&w, k);
            for (long k = 7; k >= 0; k--)
                if (set >> k & 1)
                    kept[n++] = b[k], stay += k >= mark;
            if (n)
                kept[n] = kept[0];
            ask_keep_all(&w, (size_t)mark, n ? kept : NULL, n + (n > 0)); /* Of none there may be no array. */
            cr_assert_eq(w.used, (size_t)stay, "set %x from %ld: %zu", set, mark, w.used);
            for (long k = 0; k < 300; k++)
                b_si(&w, 1000);
            for (long k = 0; k < 8; k++)
                cr_expect_eq(b_value(b[k]), k < mark || set >> k & 1 ? (double)k : 1000, "set %x, ball %ld", set, k);
            ask_clear(&w);
        }
}

enum { STAY = 1 << 13, MANY = 3 * STAY };
static const struct ball *made[MANY];
static void many(struct ask *w, long n) { for (long k = 0; k < n; k++) made[k] = b_si(w, k); }

Test(ball_pool, after_a_long_line_its_results_stay)
{
    struct ask w = { .arith = &exact };
    ask_reset(&w, 64), many(&w, 100);
    const size_t room = w.room;
    ask_trim(&w, made, 3);
    cr_expect(w.room == room && w.used == 100, "a small pool is left as it is");
    many(&w, MANY);
    const size_t large = w.room;
    ask_trim(&w, made, STAY + 1);
    cr_expect(w.room == large && w.used == 100 + MANY, "more results than stay are left as they are");
    const struct ball *y[] = { made[MANY - 1], made[5], made[STAY], made[5], made[MANY - 2] };
    ask_trim(&w, y, 5);
    cr_expect(w.room == STAY && w.used == 4, "%zu of %zu", w.used, w.room);
    many(&w, STAY - 4);
    cr_expect(w.room == STAY && w.used == STAY && b_value(y[0]) == MANY - 1 && b_value(y[1]) == 5 &&
        b_value(y[2]) == STAY && b_value(y[4]) == MANY - 2, "results are not given out again");
    ask_trim(&w, y, 1);
    cr_expect(w.used == STAY, "a pool of as many as stay is left as it is");
    ask_reset(&w, 64), many(&w, STAY + 1), ask_trim(&w, made, STAY);
    cr_expect(w.room == STAY && w.used == STAY && b_value(made[STAY - 1]) == STAY - 1, "as many results as stay");
    ask_clear(&w);
}

static long blocks; /* So many blocks of MPFR's and GMP's are not given back. */
static void *block(size_t n) { return blocks++, need(n, 1); }
static void *another(void *p, size_t old, size_t n) { return (void)old, need_more(p, n, 1); }
static void no_block(void *p, size_t n) { (void)n, blocks--, free(p); }

Test(ball_pool, an_ask_gives_everything_back_and_may_begin_anew)
{
    mpfr_mp_memory_cleanup();
    mp_set_memory_functions(block, another, no_block);
    struct ask w = { .arith = &exact };
    for (int pass = 0; pass < 3; pass++) {
        w.exact = false;
        ask_reset(&w, 64);
        cr_expect(pass || !w.names, "names are of the exact path");
        w.exact = true;
        for (int line = 0; line < 3; line++) {
            struct exact_names *before = w.names;
            ask_reset(&w, 64);
            cr_expect(w.names && (!line || w.names == before), "the table of names is emptied and stays");
            for (long k = 1; k < 400; k++)
                b_exp(&w, b_ratio(&w, k, 7));
        }
        many(&w, STAY), ask_trim(&w, made, 9);
        ask_clear(&w), balls_forget(), mpfr_mp_memory_cleanup();
        cr_expect_eq(blocks, 0, "%ld blocks are left", blocks);
        cr_expect(!w.pool && !w.names && !w.memo && w.used == 0 && w.room == 0);
    }
}

/* The pool of an ask that ended serves the next one, in which nothing of the first is left; what is long or large is
 * not kept, and what is kept the thread gives back. */
Test(ball_pool, the_pool_of_an_ask_serves_the_next_and_is_as_new)
{
    static const struct { long balls; mpfr_prec_t prec; bool kept; } ask[] = {
        { 1, 64, true },
        { 100, 200, true },
        { 1500, 64, true },
        { 3000, 64, true },
        { 40000, 64, false },
        { 100, 256, true },
        { 100, 257, false },
        { 3000, 4000, false },
    };
    balls_forget(), mpfr_mp_memory_cleanup();
    mp_set_memory_functions(block, another, no_block);
    for (size_t k = 0; k < sizeof ask / sizeof *ask; k++) {
        struct ask first = { .arith = &exact }, next = { .arith = &exact }, beside = { .arith = &exact };
        ask_reset(&first, ask[k].prec);
        for (long b = 0; b < ask[k].balls; b++)
            b_widen(&first, b_ratio(&first, b + 1, 7), up_d(1));
        const struct ball *own = first.pool[0];
        ask_reset(&first, 53), b_si(&first, 1); /* What was wide once leaves its room where a narrow one is now. */
        ask_clear(&first);
        cr_expect(!first.pool && first.room == 0 && first.widest == 0);
#ifdef __SANITIZE_ADDRESS__
        const bool kept = false;
#else
        const bool kept = ask[k].kept;
#endif
        cr_expect_eq(blocks > 0, kept, "%ld balls of %ld bits: %ld blocks", ask[k].balls, ask[k].prec, blocks);
        ask_reset(&next, 96), ask_reset(&beside, 96);
        const struct ball *y = b_si(&next, 5), *z = b_si(&beside, 6);
        cr_expect(y != z && (!kept || y == own || z == own), "it is of the first ask's pool");
        cr_expect(b_value(y) == 5 && b_value(z) == 6 && y->rad.m == 0 && y->n == 0 && mpfr_get_prec(y->mid) == 96);
        ask_clear(&next), ask_clear(&beside), balls_forget(), mpfr_mp_memory_cleanup();
        cr_expect_eq(blocks, 0, "%ld balls of %ld bits: %ld blocks are left", ask[k].balls, ask[k].prec, blocks);
    }
    struct ask many_asks[9] = { { .arith = &exact } };
    for (int k = 0; k < 9; k++)
        many_asks[k].arith = &exact, ask_reset(&many_asks[k], 64), b_si(&many_asks[k], k);
    for (int k = 0; k < 9; k++)
        ask_clear(&many_asks[k]);
    balls_forget(), mpfr_mp_memory_cleanup();
    cr_expect_eq(blocks, 0, "of nine asks at once: %ld blocks are left", blocks);
}
