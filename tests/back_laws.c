/* One query on its way back (ref/core/softmax/backward.h): step by step as a contract rounds it, exactly where its
 * definition is exact, and kept for the next lines of the asker; and what pages of softmax leave behind of balls and of
 * memory. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "edit/site.h"
#include "softmax/backward.h"
#include "softmax/divided.h"
#include "softmax/mean.h"
#include "softmax/mix_grad.h"
#include "given_back.h"
#include "words/read.h"

enum { KEYS = 16, QUERIES = 6, COLUMNS = 4, SEEDS = QUERIES * COLUMNS };
static double seed_of[SEEDS];
static struct mer_array in[] = { { "do", MER_F64, 3, { 1, QUERIES, COLUMNS }, seed_of, { 0 } },
    { "q", MER_F32, 3, { 1, QUERIES, 1 }, seed_of, { 0 } } };
static const struct mer_call call = { .n_in = 2, .in = in, .params = "" };
static int scores_asked, values_asked;
static bool opens; /* A score of query 2 is undecided. */

static const struct ball *number(struct ask *w, double x)
{
    struct ball *b = (struct ball *)b_si(w, 0);
    mpfr_set_d(b->mid, x, MPFR_RNDN);
    b->mag = up_of(b->mid);
    return b;
}
/* Several operations each, so that a page that keeps more than what it needs is seen. */
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    (void)h;
    scores_asked++;
    w->undecided |= opens && i == 2;
    return b_add(w, number(w, (double)((3 * i + 5 * j) % 11) / 7), number(w, 0.125));
}
static const struct ball *value(struct ask *w, long h, long i, long j, long c)
{
    (void)h;
    values_asked++;
    return b_add(w, number(w, (double)((i + 5 * j + 7 * c) % 13 - 6) / 3), number(w, 0.5));
}
static const struct ball *one_value(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i, (void)j;
    return number(w, (double)(1 + c) / 3);
}
static bool visible(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h;
    return (i + j) % 5 != 0;
}
static bool all_visible(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h, (void)i, (void)j;
    return true;
}
static const struct ball *key(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i;
    return b_add(w, number(w, (double)((3 * j + 2 * c) % 7)), number(w, 0.25));
}
static const struct ball *query(struct ask *w, long h, long i, long c) { return key(w, h, 0, i, c); }
static const struct ball *slope(struct ask *w, long h, long i, long j) { return key(w, h, i, j, 1); }
static const struct mix mixing = { .keys = KEYS, .score = score, .value = value, .visible = visible };
static void make_seed(void)
{
    for (long k = 0; k < SEEDS; k++)
        seed_of[k] = (double)(k * 7 % 23 - 11) / 4;
}

static const struct { int route; long block; } routes[] = { { TWO_PASSES, 0 }, { ONLINE, 3 }, { SPLIT, 5 }, { EXP2, 0 },
    { LAZY, 4 } };
enum { ROUTES = 5 };

/* D as mix_grad.h has it of a contract: by two passes the sum of p dp, else that of the products with the stored
 * output. */
static const struct ball *defined_D(
    struct ask *w, const struct backward *b, const struct ball *const *o, const struct ball *const *p)
{
    const struct ball *t[KEYS + COLUMNS];
    for (long j = 0; !o && j < b->s.n; j++)
        t[j] = b_step(w, PRODUCT, b_mul(w, p[j], b->dp[j]));
    for (long c = 0; o && c < COLUMNS; c++)
        t[c] = b_step(w, PRODUCT, b_mul(w, b_element(w, &in[0], w->at[1] * COLUMNS + c), b_step(w, OUTPUT, o[c])));
    return o ? b_sum(w, DOT, t, COLUMNS) : b_sum(w, SUM, t, b->s.n);
}
/* The weights by the same, from the log-sum-exp as it is stored, in base 2 on route exp2; NULL: by two passes. */
static void defined_p(
    struct ask *w, const struct mix *m, struct backward *b, const struct ball *lse, const struct ball **p)
{
    const bool base_2 = m->route == EXP2;
    if (!lse)
        soft_two_passes(w, m, &b->s);
    else
        lse = b_step(w, LOG, lse), lse = base_2 ? b_step(w, LOG, b_div(w, lse, b_ln2(w))) : lse;
    for (long j = 0; j < b->s.n; j++) {
        const struct ball *z = lse ? b_step(w, SHIFT, b_sub(w, b->s.s[j], lse)) : NULL;
        p[j] = lse ? b_step(w, EXP, base_2 ? b_pow(w, b_si(w, 2), z) : b_exp(w, z)) :
                     b_step(w, DIV, b_div(w, b->s.e[j], b->s.total));
    }
}
static void expect_same(const struct ball *is, const struct ball *want, const char *what, int k, long j)
{
    cr_expect(mpfr_equal_p(is->mid, want->mid), "%s, case %d, key %ld: %.17g, not %.17g", what, k, j, b_value(is),
        b_value(want));
}

/* Under a contract whose steps have formats of their own, one of them at a time rounding to half as many bits. */
Test(back_laws, a_contract_is_rounded_step_by_step)
{
    make_seed();
    for (int k = 0; k < ROUTES * GRAD_STEPS; k++) {
        struct arith a = { .how = ROUND };
        for (int s = 0; s < GRAD_STEPS; s++)
            a.at[s] = (struct rounding){ .f = &formats[s == k / ROUTES ? MER_BF16 : MER_F16], .ulps = 1 };
        struct mix_grad g = { .m = mixing, .seed = "do" };
        g.m.route = routes[k % ROUTES].route, g.m.block = routes[k % ROUTES].block, g.m.slack = 1;
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS, .at = { 0, 3 } };
        ask_reset(&w, 100);
        struct backward b = backward_open(&w, &g, NULL);
        const struct ball *o[COLUMNS], *lse = NULL, *p[KEYS];
        if (g.m.route != TWO_PASSES)
            soft_forward(&w, &g.m, &b.s, o, &lse);
        defined_p(&w, &g.m, &b, lse, p);
        const struct ball *D = defined_D(&w, &b, lse ? o : NULL, p);
        expect_same(b.D, D, "D", k, 0);
        for (long j = 0; j < b.s.n; j++) {
            const struct ball *t[COLUMNS], *d = b_step(&w, SUM, b_sub(&w, b.dp[j], D));
            for (long c = 0; c < COLUMNS; c++)
                t[c] = b_step(&w, PRODUCT, b_mul(&w, b_element(&w, &in[0], 3 * COLUMNS + c),
                    value(&w, 0, 3, b.s.key[j], c)));
            expect_same(b.dp[j], b_step(&w, DP, b_sum(&w, DOT, t, COLUMNS)), "dp", k, j);
            expect_same(b.p[j], p[j], "p", k, j), expect_same(b.g[j], d, "g", k, j);
            expect_same(b.ds[j], b_step(&w, DS, b_step(&w, PRODUCT, b_mul(&w, p[j], d))), "ds", k, j);
        }
        backward_free(&b), ask_clear(&w);
    }
}

/* The lines of a gradient under the same contracts: key 3 of all queries that see it, or query 3. */
enum { QUERY_LINE, SCORE_LINE, KEY_LINE, PAIR_LINE, VALUE_LINE, LINES };
static const struct ball *three_eighths(struct ask *w) { return b_ratio(w, 3, 8); }
static void ask_line(struct ask *w, const struct mix_grad *g, int line, const struct ball **y)
{
    const struct mix_met met = { mix_of_key, line == KEY_LINE ? query : NULL,
        line == KEY_LINE || line == VALUE_LINE ? NULL : key };
    w->at[0] = 0, w->at[1] = 3, w->len = line == SCORE_LINE ? KEYS : COLUMNS;
    (line == QUERY_LINE ? mix_query_grad : line == SCORE_LINE ? mix_score_grad : line == KEY_LINE ? mix_key_grad :
        line == PAIR_LINE ? mix_pair_grad : mix_value_grad)(w, g, &met, y);
}
/* Element c of it, from the ways back of all queries. */
static const struct ball *defined_element(
    struct ask *w, const struct mix_grad *g, const struct backward *b, int line, long c)
{
    const struct ball *t[KEYS * QUERIES];
    long n = 0;
    for (long i = 0; i < QUERIES; i++)
        for (long j = 0; j < b[i].s.n; j++) {
            const long k = b[i].s.key[j];
            if (line <= SCORE_LINE ? i != 3 || (line == SCORE_LINE && k != c) : k != 3)
                continue;
            const struct ball *by = line == KEY_LINE ? query(w, 0, i, c) : key(w, 0, i, k, c),
                              *f = g->slope ? b_step(w, PRODUCT, b_mul(w, b[i].ds[j], slope(w, 0, i, k))) : b[i].ds[j];
            if (line == VALUE_LINE)
                f = b_step(w, WEIGHT, b[i].p[j]), by = b_element(w, &in[0], i * COLUMNS + c);
            t[n++] = line == SCORE_LINE ? f : b_step(w, PRODUCT, b_mul(w, f, by));
        }
    const struct ball *y = line == SCORE_LINE && n ? t[0] : b_sum(w, SUM, t, n);
    return line == VALUE_LINE || !g->scale ? y : b_step(w, SCORE, b_mul(w, y, g->scale(w)));
}
Test(back_laws, lines_are_rounded_step_by_step)
{
    make_seed();
    for (int k = 0; k < LINES * GRAD_STEPS; k++)
        for (int way = 0; way < 4; way++) {
            struct arith a = { .how = ROUND };
            for (int s = 0; s < GRAD_STEPS; s++)
                a.at[s] = (struct rounding){ .f = &formats[s == k / LINES ? MER_BF16 : MER_F16], .ulps = 1 };
            const struct mix_grad g = { .m = mixing, .seed = "do", .slope = way & 1 ? slope : NULL,
                .scale = way & 2 ? three_eighths : NULL };
            struct ask w = { .arith = &a, .call = &call };
            struct backward b[QUERIES];
            const struct ball *y[KEYS];
            ask_reset(&w, 100);
            for (long i = 0; i < QUERIES; i++)
                w.at[0] = 0, w.at[1] = i, b[i] = backward_open(&w, &g, NULL);
            ask_line(&w, &g, k % LINES, y);
            for (long c = 0; c < w.len; c++)
                expect_same(y[c], defined_element(&w, &g, b, k % LINES, c), "line", k, c);
            for (long i = 0; i < QUERIES; i++)
                backward_free(&b[i]);
            ask_clear(&w);
        }
}

/* Where the page of the way back has an operation of that kind with such an operand. */
static struct source place_of(struct ask *w, const struct mix_grad *g, enum site_kind kind, const char *operand)
{
    static struct sites all;
    const struct ball *y[KEYS];
    memset(&all, 0, sizeof all), w->sites = &all;
    ask_line(w, g, QUERY_LINE, y);
    w->sites = NULL, free(all.use);
    for (int k = 0; k < all.n; k++)
        if (all.s[k].kind == kind && strstr(all.s[k].at.file, "backward.c") && strstr(all.s[k].at.text, operand))
            return all.s[k].at;
    cr_assert(false, "%s is nowhere", operand);
    return all.s[0].at;
}
/* That the ds of a query sum to 0 holds for the page as it is written.  With D alone, or without it, a kernel adds up
 * what it has, and so does the page. */
Test(back_laws, what_an_edit_breaks_is_summed_as_it_is)
{
    static const char *const words[] = { "right-negated", "left", "add", "double" };
    make_seed();
    for (int k = 0; k < 2 * ROUTES * 4; k++) {
        struct arith a = { .how = k & 1 ? WIDEN : EXACT };
        for (int s = 0; s < GRAD_STEPS; s++)
            a.at[s] = (struct rounding){ .f = &formats[MER_F64], .ulps = 1 };
        struct mix_grad g = { .m = mixing, .seed = "do" };
        g.m.route = routes[k / 2 % ROUTES].route, g.m.block = routes[k / 2 % ROUTES].block, g.m.slack = 1;
        struct ask w = { .arith = &a, .call = &call };
        struct backward b[QUERIES] = { { .kept = false } };
        const struct ball *y[KEYS];
        char text[100];
        cr_assert(site_read(&a.edit, edit_nowhere + 5, strlen(edit_nowhere + 5)));
        ask_reset(&w, 100);
        const struct source at = place_of(&w, &g, SITE_SUB, "->D");
        ask_clear(&w), ask_reset(&w, 100); /* What an ask keeps is of one arithmetic. */
        snprintf(text, sizeof text, "%s:%d:sub:%s", strstr(at.file, "softmax/"), at.line, words[k / 2 / ROUTES]);
        cr_assert(site_read(&a.edit, text, strlen(text)), "%s", text);
        w.at[0] = 0, w.at[1] = 3, b[3] = backward_open(&w, &g, NULL);
        ask_line(&w, &g, QUERY_LINE, y);
        for (long c = 0; c < w.len; c++) {
            const struct ball *want = defined_element(&w, &g, b, QUERY_LINE, c), *far = b_sub(&w, y[c], want);
            cr_expect(fabs(b_value(far)) <= b_radius(far) + 0x1p-80 && b_radius(far) < 0x1p-40,
                "case %d, %s, column %ld: %g +- %g", k, text, c, b_value(far), b_radius(far));
        }
        backward_free(&b[3]), ask_clear(&w);
    }
}

/* D is the mean of dp by the weights that the kernel has, though they are no longer those of a softmax. */
Test(back_laws, edited_weights_make_the_mean_that_is_subtracted)
{
    struct arith a = { .how = EXACT };
    struct mix_grad g = { .m = mixing, .seed = "do" };
    struct ask w = { .arith = &a, .call = &call };
    char text[100];
    make_seed();
    cr_assert(site_read(&a.edit, edit_nowhere + 5, strlen(edit_nowhere + 5)));
    ask_reset(&w, 100);
    const struct source at = place_of(&w, &g, SITE_DIV, "total");
    ask_clear(&w), ask_reset(&w, 100);
    snprintf(text, sizeof text, "%s:%d:div:left", strstr(at.file, "softmax/"), at.line);
    cr_assert(site_read(&a.edit, text, strlen(text)), "%s", text);
    w.at[0] = 0, w.at[1] = 3, w.len = COLUMNS;
    struct backward b = backward_open(&w, &g, NULL);
    double want = 0, plain = 0;
    for (long j = 0; j < b.s.n; j++)
        want += b_value(b.p[j]) * b_value(b.dp[j]), plain += b_value(b.p[j]);
    cr_expect(fabs(b_value(b.D) - want) < 1e-12 && plain > 1.5, "%s: %g, not %g; the weights add up to %g", text,
        b_value(b.D), want, plain);
    backward_free(&b), ask_clear(&w);
}

/* A line asks the queries that give it something, and no other; what it answers are balls of its own, and of no key
 * behind its end. */
Test(back_laws, lines_ask_what_they_need)
{
    static const struct arith a = { .how = ROUND };
    make_seed();
    for (int line = 0; line < LINES; line++) {
        const struct mix_grad g = { .m = mixing, .seed = "do" };
        struct ask w = { .arith = &a, .call = &call };
        const struct ball *y[KEYS + 1], *const none = (const struct ball *)(const void *)&w;
        int want = 0;
        ask_reset(&w, 64);
        scores_asked = values_asked = 0, ask_line(&w, &g, line, y);
        for (long i = 0; i < QUERIES; i++)
            for (long j = 0; j < KEYS; j++)
                want += visible(&w, 0, i, j) && (line <= SCORE_LINE ? i == 3 : visible(&w, 0, i, 3));
        cr_expect_eq(scores_asked, want, "line %d: %d, not %d", line, scores_asked, want);
        cr_expect_eq(values_asked, want * COLUMNS, "line %d: %d, not %d", line, values_asked, want * COLUMNS);
        for (long end = 0; line == SCORE_LINE && end <= KEYS; end++) {
            for (long j = 0; j <= KEYS; j++)
                y[j] = none;
            w.len = end, mix_score_grad(&w, &g, &(struct mix_met){ NULL }, y);
            for (long j = 0; j <= KEYS; j++)
                cr_expect_eq(y[j] == none, j >= end, "%ld of %ld", j, end);
        }
        const struct backward *kept = backward_found(backward_kept(&w, &g), 3);
        for (long j = 0; j < kept->s.n; j++)
            for (long c = 0; c < w.len; c++)
                cr_expect_neq(y[c], kept->ds[j], "line %d: a ball that is kept", line);
        ask_clear(&w);
    }
}

/* Exact arithmetic follows the definition on every route: where all values are equal, D is what all dp are. */
Test(back_laws, equal_values_have_no_gradient)
{
    make_seed();
    for (int k = 0; k < ROUTES; k++) {
        const struct arith a = { .how = EXACT };
        struct mix_grad g = { .m = mixing, .seed = "do" };
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS, .at = { 0, 3 } };
        g.m.route = routes[k].route, g.m.block = routes[k].block, g.m.slack = 1, g.m.value = one_value;
        ask_reset(&w, 100);
        struct backward b = backward_open(&w, &g, NULL);
        for (long j = 0; j < b.s.n; j++) /* No products of thirds and quarters have radii that meet exactly. */
            ((struct ball *)b.dp[j])->rad = (struct up){ 0, 0 };
        cr_expect(b.s.n > 9 && mpfr_equal_p(b.D->mid, b.dp[0]->mid), "route %d: %g, not %g", routes[k].route,
            b_value(b.D), b_value(b.dp[0]));
        for (long j = 0; j < b.s.n; j++)
            cr_expect(mpfr_zero_p(b.ds[j]->mid) && b.ds[j]->rad.m == 0, "route %d, key %ld: %g +- %g", routes[k].route,
                j, b_value(b.ds[j]), b_radius(b.ds[j]));
        backward_free(&b), ask_clear(&w);
    }
}

static const struct ball *even_score(struct ask *w, long h, long i, long j)
{
    (void)h, (void)i, (void)j;
    return b_si(w, 3);
}
Test(back_laws, even_weights_are_exact)
{
    make_seed();
    for (int k = 0; k < ROUTES; k++) {
        const struct arith a = { .how = EXACT };
        struct mix_grad g = { .m = mixing, .seed = "do" };
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS, .at = { 0, 3 } };
        g.m.route = routes[k].route, g.m.block = routes[k].block, g.m.slack = 1;
        g.m.score = even_score, g.m.visible = all_visible;
        ask_reset(&w, 100);
        struct backward b = backward_open(&w, &g, NULL);
        for (long j = 0; j < KEYS; j++)
            cr_expect(b_value(b.p[j]) == 1.0 / KEYS && (g.m.route == EXP2 || b.p[j]->rad.m == 0), "route %d: %g +- %g",
                g.m.route, b_value(b.p[j]), b_radius(b.p[j]));
        backward_free(&b), ask_clear(&w);
    }
}

/* What is decided is kept, and asked once; what is open is neither, and leaves the ask open, as it may be before. */
Test(back_laws, what_is_decided_is_kept)
{
    static const struct arith a = { .how = ROUND };
    const struct mix_grad g = { .m = mixing, .seed = "do" };
    make_seed();
    for (int k = 0; k < 8; k++) {
        const bool before = k & 1, keeps = k & 2;
        opens = k & 4;
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS, .at = { 0, 2 } };
        ask_reset(&w, 64);
        struct backward_question *kept = keeps ? backward_kept(&w, &g) : NULL;
        w.undecided = before, scores_asked = 0;
        const size_t mark = w.used;
        struct backward b = backward_open(&w, &g, kept);
        const int once = scores_asked;
        cr_expect_eq(w.undecided, before || opens, "%d", k);
        cr_expect_eq(b.kept, keeps && !opens, "%d", k);
        cr_expect(b.kept ? w.used == mark : w.used > mark, "%d: %zu balls are left of what is kept", k, w.used - mark);
        backward_free(&b);
        b = backward_open(&w, &g, kept);
        cr_expect(once > 9 && scores_asked == (keeps && !opens ? once : 2 * once), "%d: %d and %d", k, once,
            scores_asked);
        cr_expect_eq(w.undecided, before || opens, "%d", k);
        backward_free(&b), ask_clear(&w), opens = false;
    }
}

/* A page leaves the balls that it answers and those that say so here, and no other: by key that is seen and by column,
 * whatever it has made on its way. */
enum { WEIGH, OUTPUTS, DIVIDED, LSE, GATHER, FORWARD, QUERY, SCORES, KEY, PAIRS, VALUES, SUM_BACK, PAGES };
static void run_page(int page, struct ask *w, struct mix_grad *g)
{
    const struct ball *y[64];
    const struct mix_met met = { mix_of_head, page == KEY ? query : NULL, page == KEY || page == VALUES ? NULL : key };
    if (page >= QUERY && page < SUM_BACK) {
        w->len = page == SCORES ? g->m.keys : w->len;
        (page == QUERY ? mix_query_grad : page == SCORES ? mix_score_grad : page == KEY ? mix_key_grad :
            page == PAIRS ? mix_pair_grad : mix_value_grad)(w, g, &met, y);
        return;
    }
    struct soft s = soft_gather(w, &g->m);
    const size_t mark = w->used;
    if (page == WEIGH) {
        struct weights x = weigh(w, &g->m, &s);
        weights_free(&x);
    } else if (page == OUTPUTS)
        soft_output(w, &g->m, &s, y, NULL);
    else if (page == DIVIDED)
        divided_output(w, &g->m, &s, y, NULL);
    else if (page == LSE)
        soft_lse(w, &g->m, &s);
    else if (page == FORWARD)
        soft_forward(w, &g->m, &s, y, NULL);
    else if (page == SUM_BACK) {
        struct backward b = backward_open(w, g, NULL);
        const size_t start = w->used;
        for (long j = 0; j < b.s.n; j++)
            y[j] = b.dp[j];
        backward_sum(w, &b, y);
        w->used = w->used - start + mark; /* of the sum alone */
        backward_free(&b);
    }
    w->used = page == GATHER ? w->used : w->used - mark;
    soft_free(&s);
}
static long balls_of(int page, enum how how, bool first, long keys, long len, long queries)
{
    const struct arith a = { .how = how, .divide_first = first };
    struct mix_grad g = { .m = mixing, .seed = "do", .slope = slope };
    struct ask w = { .arith = &a, .call = &call, .len = len, .at = { 0, 2 } };
    g.m.keys = keys, g.m.visible = all_visible, in[0].dim[1] = queries;
    ask_reset(&w, 64);
    run_page(page, &w, &g);
    const long used = (long)w.used;
    ask_clear(&w), in[0].dim[1] = QUERIES;
    return used;
}
Test(back_laws, pages_leave_what_they_answer)
{
    /* How many there are by key, by column, and of gradients that are gathered by query: of 8 keys one factor each, and
     * the sum of the query's factors where there are bounds, by column where the factors depend on the key. */
    static const struct { int page; enum how how; bool first; long key, column, query; } list[] = {
        { GATHER, WIDEN, false, 1, 0, 0 }, { WEIGH, WIDEN, false, 1, 0, 0 }, { OUTPUTS, WIDEN, false, 1, 1, 0 },
        { OUTPUTS, EXACT, false, 1, 1, 0 }, { DIVIDED, WIDEN, true, 2, 1, 0 }, { LSE, WIDEN, false, 1, 0, 0 },
        { FORWARD, ROUND, false, 2, 1, 0 }, { FORWARD, ROUND, true, 3, 1, 0 }, { SCORES, WIDEN, false, 1, 0, 0 },
        { SUM_BACK, WIDEN, false, 0, 0, 0 }, { SUM_BACK, EXACT, false, 0, 0, 0 }, { QUERY, WIDEN, false, 0, 1, 0 },
        { QUERY, EXACT, false, 0, 1, 0 }, { KEY, WIDEN, false, 6, 1, 8 + 1 }, { KEY, EXACT, false, 6, 1, 8 },
        { PAIRS, WIDEN, false, 6, 1 + QUERIES, 8 + 2 }, { PAIRS, EXACT, false, 6, 1, 8 },
        { VALUES, WIDEN, false, 6, 1, 8 + 1 }, { VALUES, EXACT, false, 6, 1, 8 },
    };
    make_seed();
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const long few = balls_of(list[k].page, list[k].how, list[k].first, 8, 2, QUERIES),
                   keys = balls_of(list[k].page, list[k].how, list[k].first, 12, 2, QUERIES) - few,
                   columns = balls_of(list[k].page, list[k].how, list[k].first, 8, 4, QUERIES) - few,
                   queries = few - balls_of(list[k].page, list[k].how, list[k].first, 8, 2, QUERIES - 2);
        cr_expect(list[k].page != SUM_BACK || few == 1, "%zu: %ld balls of one sum", k, few);
        cr_expect(keys == 4 * list[k].key, "%zu: %g balls by key, not %ld", k, (double)keys / 4, list[k].key);
        cr_expect(list[k].page == SCORES || columns == 2 * list[k].column, "%zu: %g balls by column, not %ld", k,
            (double)columns / 2, list[k].column);
        cr_expect(queries == 2 * list[k].query, "%zu: %g balls by query, not %ld", k, (double)queries / 2,
            list[k].query);
    }
}

/* Memory goes back: asking the same again takes no more of it, nor do other questions in the place of kept ones. */
static void ask_everything(const void *of)
{
    (void)of;
    const struct arith a = { .how = WIDEN };
    struct ask w = { .arith = &a, .call = &call };
    for (int page = 0; page < PAGES; page++)
        for (int k = 0; k < 5; k++) {
            struct mix_grad g = { .m = mixing, .seed = "do" };
            g.m.slack = k, g.m.route = routes[k].route, g.m.block = routes[k].block;
            w.len = COLUMNS, w.at[0] = 0, w.at[1] = 2;
            ask_reset(&w, 64);
            run_page(page, &w, &g);
        }
    ask_clear(&w);
    balls_forget();
}
Test(back_laws, memory_goes_back)
{
    make_seed();
    cr_expect_eq(given_back_less(ask_everything, NULL), 0);
}
