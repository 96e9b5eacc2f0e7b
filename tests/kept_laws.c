/* What is kept between the lines of an asker, by ways back (ref/core/softmax/backward_memo.c) and of whole questions
 * (ref/core/row/question.c): of which question, how much of it, and what gives way. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "row/question.h"
#include "softmax/backward.h"

enum { HEADS = 2, QUERIES = 40, KEYS = 12, COLUMNS = 2 };
static double seed_of[HEADS * QUERIES * COLUMNS];
static struct mer_array in[] = { { "do", MER_F64, 3, { HEADS, QUERIES, COLUMNS }, seed_of, { 0 } },
    { "q", MER_F64, 3, { HEADS, QUERIES, COLUMNS }, seed_of, { 0 } } };
static const struct mer_call call = { .n_in = 2, .in = in, .params = "" };

/* What the keys of a question answer is never asked: a question is known by its functions. */
static const struct ball *score(struct ask *w, long h, long i, long j) { return b_si(w, h + i + j); }
static const struct ball *even_score(struct ask *w, long h, long i, long j) { return b_si(w, 0 * (h + i + j)); }
static const struct ball *value(struct ask *w, long h, long i, long j, long c) { return b_si(w, h + i + j + c); }
static bool visible(const struct ask *w, long h, long i, long j) { return w && h >= 0 && i >= 0 && j >= 0; }
static bool three(const struct ask *w, long h, long i, long j) { return visible(w, h, i, j) && j < 3; }
static const struct mix plain_mix = { .keys = KEYS, .score = score, .value = value, .visible = visible };

/* What is kept of one question is given to that question alone. */
Test(kept_laws, a_mixing_that_differs_is_another_question)
{
    const struct arith a = { .how = WIDEN };
    const struct mix_grad base = { .m = plain_mix, .seed = "do" };
    struct mix_grad other[10];
    for (int k = 0; k < 10; k++)
        other[k] = base;
    other[0].m.keys++, other[1].m.block++, other[2].m.route = EXP2, other[3].m.empty = EMPTY_MEAN;
    other[4].m.slack++, other[5].m.gather = TOTAL, other[6].m.score = even_score, other[7].m.visible = three;
    other[8].m.with = &base, other[9].seed = "q";
    for (int k = 0; k < 10; k++) {
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS };
        ask_reset(&w, 100);
        const struct backward_question *kept = backward_kept(&w, &base), *its = backward_kept(&w, &other[k]);
        cr_assert(kept && its);
        cr_expect(kept != its && backward_kept(&w, &base) == kept && backward_kept(&w, &other[k]) == its, "%d", k);
        ask_clear(&w);
    }
}

/* Of very many queries nothing is kept. */
Test(kept_laws, of_very_many_queries_nothing_is_kept)
{
    static const struct { long heads, queries; bool kept; } list[] = { { 1, 1 << 14, true },
        { 1, (1 << 14) + 1, false }, { 2, 1 << 13, true }, { 3, 5462, false }, { 2, 0, false } };
    const struct arith a = { .how = WIDEN };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double *numbers = calloc((size_t)(list[k].heads * list[k].queries) + 1, sizeof *numbers);
        struct mer_array of = { "do", MER_F64, 3, { list[k].heads, list[k].queries, 1 }, numbers, { 0 } };
        const struct mer_call long_call = { .n_in = 1, .in = &of, .params = "" };
        const struct mix_grad g = { .m = plain_mix, .seed = "do" };
        struct ask w = { .arith = &a, .call = &long_call, .len = 1 };
        ask_reset(&w, 64);
        cr_expect_eq(backward_kept(&w, &g) != NULL, list[k].kept, "%ld queries", list[k].heads * list[k].queries);
        ask_clear(&w), free(numbers);
    }
}

/* The way back of a query of n keys, with no balls but D. */
static struct backward of_no_balls(const struct ball *D, long n)
{
    struct backward b = { .D = D };
    const struct ball ***balls[] = { &b.p, &b.dp, &b.g, &b.ds };
    b.s.n = n, b.s.key = calloc((size_t)n, sizeof *b.s.key);
    for (int k = 0; k < 4; k++)
        *balls[k] = calloc((size_t)n, sizeof **balls[k]);
    return b;
}
/* A line of key-side gradients uses the queries of the heads from .. to; answers how many were made anew. */
static long made_by_line(struct ask *w, const struct mix_grad *g, long from, long to)
{
    struct backward_question *kept = backward_kept(w, g);
    const struct ball *x = b_si(w, 7);
    cr_assert_not_null(kept);
    long made = 0;
    for (long q = from * QUERIES; q < to * QUERIES; q++) {
        const struct backward *found = backward_found(kept, q);
        if (found)
            cr_expect(found->s.n == g->m.keys && !found->p[0] && b_value(found->D) == 7 &&
                found->D == found->balls + 4 * found->s.n);
        else {
            struct backward b = of_no_balls(x, g->m.keys);
            made++;
            cr_expect_eq(backward_keep(kept, q, &b), b.kept);
            backward_free(&b);
        }
    }
    return made;
}

static long makes; /* how often seven was called */
static void seven(struct ask *w, const struct ball **all)
{
    makes++;
    for (long k = 0; k < w->of; k++)
        all[k] = b_si(w, 7);
}
/* Asks question number `which`, which many[n] numbers answer; whether they were made anew. */
static bool made(struct ask *w, long which, long n)
{
    const struct mer_call of = { .n_in = 2, .in = in, .params = "" };
    const struct ball *y[2];
    const long before = makes;
    w->call = &of, w->of = (int)n, w->len = 2;
    ask_reset(w, 64 + which);
    cr_assert(question_part(w, seven, n, n - 2, y));
    cr_expect(b_value(y[0]) == 7 && b_value(y[1]) == 7);
    return makes > before;
}
/* 16 questions are kept; of long ones as many as have 2^18 numbers together, but always four. */
Test(kept_laws, of_long_questions_fewer_are_kept)
{
    static const struct { long n, kept; } list[] = { { 2, 16 }, { 1 << 14, 16 }, { (1 << 14) + 1, 15 }, { 1 << 15, 8 },
        { (1 << 15) + 1, 7 }, { 1 << 16, 4 }, { 1 << 17, 4 } };
    const struct arith a = { .how = WIDEN };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct ask w = { .arith = &a };
        for (long q = 0; q < 40; q++)
            cr_expect(made(&w, q, list[k].n) && !made(&w, q, list[k].n));
        /* What is kept is found whatever is asked before it. */
        for (long q = 40 - list[k].kept; q < 40; q++)
            cr_expect(!made(&w, q, list[k].n), "%ld numbers, question %ld", list[k].n, q);
        cr_expect(made(&w, 39 - list[k].kept, list[k].n), "%ld numbers", list[k].n);
        ask_clear(&w);
    }
}

/* 2^17 pairs are kept, each query counting as one more.  Where there is no room, what neither this line nor the one
 * before used is given up, of every question: a head of which no line asks any more, but nothing that every line
 * uses.  One question stands in each of the three places that there are. */
Test(kept_laws, the_heads_that_lines_use_are_kept)
{
    static const long many[] = { 2047, 2048 }; /* 64 queries just fit; the last of 64 would not, were it no pair more */
    for (int size = 0; size < 2; size++) {
        const long all = HEADS * QUERIES, room = (1 << 17) / (many[size] + 1), one = QUERIES, left = all - room;
        const struct { int of; long from, to, made; } line[] = { { 0, 0, 1, one }, { 0, 0, 1, 0 }, { 0, 0, 1, 0 },
            /* head 0 is still that of the line before */
            { 0, 1, 2, one }, { 0, 1, 2, left }, { 0, 1, 2, 0 }, { 0, 1, 2, 0 },
            /* both in one line: what has no room is made by every line */
            { 0, 0, 2, one }, { 0, 0, 2, left }, { 0, 0, 2, left },
            { 1, 0, 1, one }, { 1, 0, 1, one }, { 1, 0, 1, 0 },
            { 2, 0, 1, one }, { 2, 0, 1, left }, { 2, 0, 1, 0 },
            { 0, 0, 2, all }, { 0, 0, 2, all - (room - one) }, { 0, 0, 2, left } };
        const struct arith a = { .how = ROUND };
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS };
        struct mix_grad g[3];
        ask_reset(&w, 64);
        for (int k = 0; k < 3; k++)
            g[k] = (struct mix_grad){ .m = plain_mix, .seed = k == 1 ? "q" : "do" },
            g[k].m.keys = many[size], g[k].m.slack = k;
        for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
            const long made = made_by_line(&w, &g[line[k].of], line[k].from, line[k].to);
            cr_expect_eq(made, line[k].made, "%ld keys, line %zu: %ld, not %ld", many[size], k, made, line[k].made);
        }
        ask_clear(&w);
    }
}
