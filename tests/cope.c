/* What is pinned for contextual positions: where a position may lie on both sides of a whole number, its bound holds
 * the slopes of both; a position that a double rounds to a whole number keeps the one below; and products have a step
 * of their own. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "given_ball.h"
#include "page_line.h"
#include "context/context.h"
#include "edit/site.h"
#include "law.h"
#include "words/read.h"

enum { M = 2, P = 4 };
/* y[0]: the gradient of the gates' first key, where both gate keys are t. */
static const struct ball *gradient(struct ask *w, double t)
{
    const double q = 1, k[M] = { 0.25, -0.5 }, v[M] = { 1, 2 }, emb[P] = { 0, 1, -3, 2 }, kg[M] = { t, t }, up = 1;
    const struct given in[] = { { "q", &q, 3, { 1, 1, 1 } }, { "k", k, 3, { 1, M, 1 } }, { "v", v, 3, { 1, M, 1 } },
        { "emb", emb, 2, { P, 1 } }, { "kg", kg, 3, { 1, M, 1 } }, { "do", &up, 3, { 1, 1, 1 } } };
    const struct ball *y[1];
    law_line(w, (struct law_of){ &row_cope, "dkg", "gates=raw" }, (struct givens){ in, 6 }, (long[MER_RANK]){ 0, 0 }, 1,
        y);
    return y[0];
}
Test(cope, a_bound_at_a_whole_position_holds_the_slopes_of_both_sides)
{
    struct law_ask bound = { .w = { .arith = &bound.a } }, left, right;
    char err[300];
    cr_assert_eq(arith_read(&bound.a, &row_cope, "gate=bf16:2", WIDEN, err, sizeof err), 1, "%s", err);
    ask_reset(&bound.w, 128);
    /* Two gates of 1/2 are position 1; two half-ulps of a gate in bfloat16 are more than the 1/2048 of these keys. */
    const struct ball *wide = gradient(&bound.w, 0), *below = gradient(law_open(&left, "", 128), -1.0 / 512),
                      *above = gradient(law_open(&right, "", 128), 1.0 / 512);
    cr_expect(b_cmp(below, above) != 2 && b_cmp(below, above) != 0, "the slopes are told apart");
    cr_expect(b_overlap(wide, below) && b_overlap(wide, above), "%g %g in %g +- %g", b_value(below), b_value(above),
        b_value(wide), b_radius(wide));
    law_close(&bound, true), law_close(&left, true), law_close(&right, true);
}
Test(cope, a_position_just_below_a_whole_one_keeps_the_one_below)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    for (long t = 1; t < 1L << 40; t *= 2) {
        const struct ball *p = b_sub(w, b_si(w, t), b_ratio(w, 1, 1L << 60));
        const struct cope_span s = cope_near(p, t + 2);
        cr_expect(s.from < t && s.to >= t, "%ld: %ld .. %ld", t, s.from, s.to);
    }
    law_close(&l, true);
}

/* With products in bfloat16 alone, (1 + 2^-8)^2 is 1 + 2^-7 before 1 is added, and the sum is not rounded. */
Test(cope, products_of_a_gate_are_rounded_at_their_own_step)
{
    double line[] = { 1 + 0x1p-8, 1 };
    struct mer_array in[] = { { .name = "q", .type = MER_F64, .rank = 3, .dim = { 1, 1, 2 }, .data = line },
        { .name = "k", .type = MER_F64, .rank = 3, .dim = { 1, 1, 2 }, .data = line },
        { .name = "emb", .type = MER_F64, .rank = 2, .dim = { 1, 2 }, .data = line } };
    const struct mer_call call = { .n_in = 3, .in = in };
    const struct cope p = { .gates = GATES_RAW };
    struct arith a;
    char err[300];
    cr_assert_geq(arith_read(&a, &row_cope, "term=bf16", ROUND, err, sizeof err), 0, "%s", err);
    struct ask w = { .params = &p, .call = &call, .arith = &a };
    ask_reset(&w, 128);
    const struct ball *s = cope_logit(&w, 0, 0, 0);
    cr_expect(b_value(s) == 2 + 0x1p-7 && b_radius(s) == 0, "%.17g", b_value(s));
    cope_products(&w, 0, 0, &s); /* So are those with the embeddings. */
    cr_expect(b_value(s) == 2 + 0x1p-7 && b_radius(s) == 0, "%.17g", b_value(s));
    ask_clear(&w);
}

/* Of one query alone where that one is named, of all otherwise; and under an edit, which may read another one. */
Test(cope, biases_of_one_query_are_those_alone)
{
    for (int how = 0; how < 4; how++) {
        const bool all = how & 1, edited = how & 2;
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "cope", "", "dq", MER_F32, "h=2 g=1 n=2 m=2 d=2 e=1 p=3", 3 },
            edited ? edit_nowhere : "", EXACT);
        ask_reset(&x.w, PAGE_LINE_BITS);
        const struct ball **b = cope_biases(&x.w, all ? NULL : (long[MER_RANK]){ 1, 0 });
        for (int k = 0; k < 8; k++)
            cr_expect_eq(b[k] != NULL, all || edited || k / 2 == 2, "number %d, edited %d", k, edited);
        free(b), line_close(&x);
    }
}
/* Near a whole position, the first one and the last, no other is asked about than two on each side. */
Test(cope, few_whole_positions_are_near_one)
{
    enum { LAST = 20 };
    const struct arith a = { 0 };
    struct ask w = { .arith = &a };
    ask_reset(&w, PAGE_LINE_BITS);
    for (long t = 0; t <= LAST; t++) {
        const struct cope_span s = cope_near(b_si(&w, t), LAST + 1);
        cr_expect(s.from >= t - 2 && s.from >= 0 && s.from <= t && s.to >= t && s.to <= t + 2 && s.to <= LAST,
            "%ld: %ld .. %ld", t, s.from, s.to);
    }
    ask_clear(&w);
}
/* The only whole position there is has a share for every key, and it is asked once. */
Test(cope, one_whole_position_is_asked_about_once_a_key)
{
    static struct sites all;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "cope", "", "bias", MER_F32, "h=1 g=1 n=1 m=4 d=2 p=1", 3 }, edit_nowhere,
        EXACT);
    long most;
    line_sites(&x, &all), sites_made(&all, SITE_MAX, "context.c", "", &most);
    cr_expect_eq(most, 4, "%ld shares of four keys", most);
    free(all.use), line_close(&x);
}
/* A slope that is known has no middle of two. */
Test(cope, a_slope_between_two_whole_positions_is_taken_as_it_is)
{
    static struct sites all;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "cope", "", "dq", MER_F32, "h=1 g=1 n=2 m=3 d=2 e=1 p=4", 3 }, edit_nowhere,
        EXACT);
    line_sites(&x, &all);
    cr_expect(all.n && !sites_made(&all, SITE_ADD, "context_grad.c", "low", NULL) &&
        !sites_made(&all, SITE_MUL, "context_grad.c", "half", NULL));
    free(all.use), line_close(&x);
}
/* Near a position that is known within a few whole ones are all those whose share may be above 0. */
Test(cope, whole_positions_are_near_both_ends_of_a_wide_one)
{
    enum { P20 = 20 };
    const struct arith a = { 0 };
    struct ask w = { .arith = &a };
    ask_reset(&w, PAGE_LINE_BITS);
    for (int at = 0; at < P20; at++)
        for (int off = 0; off < P20; off++) {
            const struct cope_span s = cope_near(given_ball(&w, at, off), P20);
            const int least = at - off < 0 ? 0 : at - off, most = at + off > P20 - 1 ? P20 - 1 : at + off;
            cr_expect(s.from <= least && s.from >= 0 && s.to >= most && s.to < P20, "%d +- %d: %ld .. %ld", at, off,
                s.from, s.to);
        }
    ask_clear(&w);
}
/* A query's own gate counts where `own` says so, whichever gates behind it do. */
Test(cope, gates_count_up_to_the_query_or_to_the_end_and_its_own_or_not)
{
    enum { N = 3, BEFORE = 1 };
    struct mer_array in[] = { { .name = "q", .type = MER_F64, .rank = 3, .dim = { 1, N - BEFORE, 1 } },
        { .name = "k", .type = MER_F64, .rank = 3, .dim = { 1, N, 1 } } };
    const struct mer_call call = { .n_in = 2, .in = in };
    const struct arith a = { 0 };
    for (int ways = 0; ways < 4; ways++) {
        const struct cope p = { .own = ways & 1 ? OWN_OUT : OWN_COUNTED, .upto = ways & 2 ? UPTO_END : UPTO_QUERY };
        const struct ask w = { .params = &p, .call = &call, .arith = &a };
        for (long i = 0; i < N - BEFORE; i++)
            for (long l = 0; l < N; l++) {
                const long at = i + BEFORE;
                const bool due = l < at || (l == at && p.own == OWN_COUNTED) || (l > at && p.upto == UPTO_END);
                cr_expect_eq(cope_counts(&w, i, l), due, "%d, query %ld, gate %ld", ways, i, l);
            }
    }
}
/* Two gates of about 1/2 are about position 1, the last one, behind which there is no slope: the gradient lies between
 * 0 and that of the slope up to it, which has the sign of the larger value. */
Test(cope, a_bound_at_the_last_position_holds_no_slope_behind_it)
{
    static const double q = 1, zero[M] = { 0 }, v[M] = { 2, 1 }, emb[2] = { 0, 1 }, up = 1;
    const struct given in[] = { { "q", &q, 3, { 1, 1, 1 } }, { "k", zero, 3, { 1, M, 1 } }, { "v", v, 3, { 1, M, 1 } },
        { "emb", emb, 2, { 2, 1 } }, { "kg", zero, 3, { 1, M, 1 } }, { "do", &up, 3, { 1, 1, 1 } } };
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *y[1];
    char err[300];
    cr_assert_eq(arith_read(&l.a, &row_cope, "gate=bf16:2", WIDEN, err, sizeof err), 1, "%s", err);
    ask_reset(&l.w, 128);
    law_line(&l.w, (struct law_of){ &row_cope, "dkg", "gates=raw" }, (struct givens){ in, 6 },
        (long[MER_RANK]){ 0, 0 }, 1, y);
    const double least = b_value(y[0]) - b_radius(y[0]), most = b_value(y[0]) + b_radius(y[0]);
    cr_expect(least > -0.01 && least <= 0 && most > 0.04, "%g .. %g", least, most);
    law_close(&l, true);
}
/* Each number of the queries is read once for each embedding. */
Test(cope, embeddings_gather_the_queries_that_there_are)
{
    static struct sites all;
    struct page_line x;
    long most;
    line_open(&x, &(struct trial_spec){ "cope", "", "demb", MER_F32, "h=2 g=1 n=3 m=2 d=2 e=1 p=5", 3 }, edit_nowhere,
        EXACT);
    line_sites(&x, &all), sites_made(&all, SITE_INPUT, "context_grad.c", "q", &most);
    cr_expect_eq(most, 5 * 2 * 2 * 3, "%ld", most);
    free(all.use), line_close(&x);
}

/* Keys and embeddings say nothing of the second channel: a query is moved along it by the gates' own keys alone. */
Test(cope, a_query_opens_the_gates_of_their_own_keys)
{
    const double q[] = { 1, 0.5 }, k[] = { 0.25, 0, -0.5, 0 }, v[] = { 1, 2 }, emb[] = { 0, 0, 1, 0, -3, 0, 2, 0 },
                 up = 1;
    for (int own = 0; own < 2; own++) {
        const double kg[] = { 1, own, -1, 3 * own };
        const struct given in[] = { { "q", q, 3, { 1, 1, 2 } }, { "k", k, 3, { 1, M, 2 } }, { "v", v, 3, { 1, M, 1 } },
            { "emb", emb, 2, { P, 2 } }, { "kg", kg, 3, { 1, M, 2 } }, { "do", &up, 3, { 1, 1, 1 } } };
        struct law_ask l;
        const struct ball *y[2];
        law_line(law_open(&l, "", 128), (struct law_of){ &row_cope, "dq", "" }, (struct givens){ in, 6 },
            (long[MER_RANK]){ 0, 0 }, 2, y);
        cr_expect_eq(b_value(y[1]) != 0, own, "%g", b_value(y[1]));
        law_close(&l, true);
    }
}
