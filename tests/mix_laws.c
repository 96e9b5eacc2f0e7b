/* What ref/core/softmax/mix.h promises of a mixing: split is nothing but softmaxes of softmaxes, lines whose weights
 * are all lost end as lines without keys, weights are stored as they are divided, and what a page notes of itself on
 * its way. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ball/trace.h"
#include "edit/site.h"
#include "softmax/divided.h"
#include "softmax/mean.h"
#include "softmax/mix.h"
#include "given_ball.h"
#include "words/read.h"

enum { KEYS = 14, COLUMNS = 2, SINKS = 2 };
static const struct mer_call call = { .params = "" };
static long first_key; /* of the block that is asked by itself */
static bool hidden[KEYS], sharp; /* without radii */

static const struct ball *score(struct ask *w, long h, long i, long j)
{
    (void)h, (void)i;
    return given_ball(w, (double)(5 * (first_key + j) % 11) / 8, sharp || (first_key + j) % 3 ? 0 : 0x1p-12);
}
static const struct ball *value(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i;
    return given_ball(w, (double)((7 * (first_key + j) + 3 * c) % 13 - 6) / 4, sharp || c ? 0 : 0x1p-10);
}
static bool visible(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h, (void)i;
    return first_key + j < KEYS && !hidden[first_key + j];
}
static const struct mix mixing = { .keys = KEYS, .score = score, .value = value, .visible = visible, .slack = 3 };

/* The blocks as keys of a mixing of their own. */
static const struct ball *lse_of[KEYS], *o_of[KEYS * COLUMNS];
static bool block_seen[KEYS];
static const struct ball *block_score(struct ask *w, long h, long i, long j)
{
    (void)w, (void)h, (void)i;
    return lse_of[j];
}
static bool block_visible(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h, (void)i;
    return block_seen[j];
}
static void expect_same(const struct ball *is, const struct ball *want, const char *what, int k)
{
    cr_expect(mpfr_equal_p(is->mid, want->mid) && b_radius(is) == b_radius(want), "%s, case %d: %g +- %g, not %g +- %g",
        what, k, b_value(is), b_radius(is), b_value(want), b_radius(want));
}
static struct arith rounding(enum how how, int lanes, bool first)
{
    struct arith a = { .how = how, .divide_first = first };
    for (int s = 0; s < MIX_STEPS; s++)
        a.at[s] = (struct rounding){ .f = &formats[s % 2 ? MER_F16 : MER_F32], .ulps = 1 };
    a.at[SUM].lanes = a.at[TOTAL].lanes = lanes;
    return a;
}

/* Route split: every block by itself with keys of its own, then one softmax over the blocks that have a key. */
Test(mix_laws, split_is_softmaxes_of_softmaxes)
{
    for (int k = 0; k < 2 * 2 * 2 * KEYS; k++) {
        const long block = 1 + k / 8;
        struct arith a = rounding(k & 1 ? WIDEN : ROUND, k & 2 ? 8 : 0, k & 4);
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS };
        struct mix split = mixing, inner = mixing, outer = mixing;
        const struct ball *o[COLUMNS], *lse, *want[COLUMNS];
        const long parts = (KEYS + block - 1) / block;
        sharp = a.how == ROUND && !(k & 2);
        for (int s = 0; s < MIX_STEPS && (k & 3) == 2; s++)
            a.at[s].f = NULL; /* Nothing is rounded, so that scores and values may have radii. */
        a.at[LOG].f = block % 2 ? NULL : a.at[LOG].f; /* Then the blocks have scores with radii. */
        for (long j = 0; j < KEYS; j++)
            hidden[j] = j % 5 == 1 || j / 3 == 2;
        ask_reset(&w, 100);
        split.route = SPLIT, split.block = block, inner.keys = block;
        mix_output(&w, &split, o), mix_lse(&w, &split, &lse);
        for (long j = 0; j < parts; j++) {
            block_seen[j] = false, first_key = j * block;
            for (long l = 0; l < block; l++)
                block_seen[j] = block_seen[j] || visible(&w, 0, 0, l);
            mix_output(&w, &inner, o_of + j * COLUMNS), mix_lse(&w, &inner, &lse_of[j]);
            lse_of[j] = b_step(&w, LOG, lse_of[j]);
        }
        first_key = 0;
        outer.keys = parts, outer.score = block_score, outer.visible = block_visible, outer.given = o_of;
        mix_output(&w, &outer, want);
        for (long c = 0; c < COLUMNS; c++)
            expect_same(o[c], want[c], "o", k);
        mix_lse(&w, &outer, want), expect_same(lse, want[0], "lse", k);
        ask_clear(&w);
    }
}

/* A line without keys ends as 0, as none, or as the mean of the values, on every route the same; so does one whose keys
 * are all hidden by scores of minus infinity where the largest of them is known before. */
Test(mix_laws, lines_whose_weights_are_lost_end_as_lines_without_keys)
{
    static const struct { int route; long block; } routes[] = { { TWO_PASSES, 0 }, { ONLINE, 3 }, { SPLIT, 4 },
        { EXP2, 0 }, { LAZY, 5 } };
    for (int k = 0; k < 5 * 3 * 2 * 3; k++) {
        const int route = k % 5, empty = k / 5 % 3, seen = k / 15 % 2, way = k / 30; /* no edit, one, one that hides */
        struct arith a = rounding(WIDEN, 0, false);
        if (way == 2 && routes[route].block)
            continue;
        if (way)
            a.edit = (struct edit){ .step = SITE_EDIT, .kind = SITE_MUL, .file = "none.c", .file_len = 6, .line = 1,
                .axis = -1, .hidden = way == 2 };
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS };
        struct mix m = mixing;
        const struct ball *o[COLUMNS], *p[KEYS];
        double mean = 0;
        ask_reset(&w, 100);
        for (long j = 0; j < KEYS; j++)
            hidden[j] = !seen || j != 3, mean += j < KEYS - SINKS ? b_value(value(&w, 0, 0, j, 1)) / (KEYS - SINKS) : 0;
        m.route = routes[route].route, m.block = routes[route].block, m.empty = empty, m.sinks = SINKS;
        mix_output(&w, &m, o);
        const double want = seen ? b_value(value(&w, 0, 0, 3, 1)) : empty == EMPTY_MEAN ? mean : 0, is = b_value(o[1]);
        if (!seen && empty == EMPTY_NAN)
            cr_expect(isnan(is) || isinf(b_radius(o[1])), "case %d: %g", k, is);
        else
            cr_expect(fabs(is - want) < 1e-12 && b_radius(o[1]) < 0.02, "case %d: %g +- %g, not %g", k, is,
                b_radius(o[1]), want);
        if (!seen && way < 2) {
            struct mix plain = m;
            const struct ball *y[COLUMNS];
            plain.route = TWO_PASSES, plain.block = 0, mix_output(&w, &plain, y);
            cr_expect(b_radius(o[1]) == b_radius(y[1]), "case %d: %g, not %g", k, b_radius(o[1]), b_radius(y[1]));
        }
        mix_weights(&w, &m, p);
        if (seen || empty == EMPTY_ZERO)
            cr_expect(fabs(b_value(p[3]) - (seen ? 1 : 0)) < 1e-12 && b_value(p[4]) == 0, "case %d: %g", k,
                b_value(p[3]));
        ask_clear(&w);
    }
}

/* Weights as they are divided, and, where that comes first, as they are stored then; the words that say so are read. */
Test(mix_laws, weights_are_stored_as_they_are_divided)
{
    memset(hidden, 0, sizeof hidden), sharp = true;
    for (int k = 0; k < 3 * 2; k++) {
        struct arith a = rounding((enum how)(k % 3), 0, k / 3);
        struct trace *trace = calloc(1, sizeof *trace);
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS, .trace = trace };
        const struct ball *p[KEYS], *o[COLUMNS];
        a.divide_word = 7, a.at[WEIGHT].f = &formats[MER_BF16];
        ask_reset(&w, 100);
        mix_weights(&w, &mixing, p);
        const bool read = a.divide_first && a.how != EXACT;
        cr_expect_eq(trace->used[6], read, "weights, case %d", k);
        struct soft s = soft_gather(&w, &mixing);
        soft_two_passes(&w, &mixing, &s);
        for (long j = 0; j < KEYS; j++) {
            const struct ball *want = b_step(&w, DIV, b_div(&w, s.e[j], s.total));
            expect_same(p[j], a.divide_first ? b_step(&w, WEIGHT, want) : want, "weight", k);
        }
        memset(trace, 0, sizeof *trace);
        mix_output(&w, &mixing, o);
        cr_expect_eq(trace->used[6], read, "output, case %d", k);
        for (long c = 0; c < COLUMNS && a.how == ROUND && a.divide_first; c++) {
            const struct ball *t[KEYS];
            for (long j = 0; j < KEYS; j++)
                t[j] = b_step(&w, PRODUCT, b_mul(&w, p[j], value(&w, 0, 0, j, c)));
            expect_same(o[c], b_sum(&w, SUM, t, KEYS), "output", k);
        }
        soft_free(&s), ask_clear(&w), free(trace);
    }
}

/* Where operations are noted, a page notes by which parts it goes and whether it has left a key out. */
Test(mix_laws, a_page_notes_its_keys)
{
    for (int some = 0; some < 2; some++) {
        const struct arith a = { .how = ROUND, .edit = { .step = SITE_EDIT, .kind = SITE_MUL, .file = "none.c",
            .file_len = 6, .line = 1, .axis = -1 } };
        struct sites *all = calloc(1, sizeof *all);
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS, .sites = all };
        const struct ball *o[COLUMNS];
        int products = 0;
        memset(hidden, 0, sizeof hidden), hidden[5] = some;
        ask_reset(&w, 64);
        mix_output(&w, &mixing, o);
        cr_expect_eq(all->hidden, some, "%d", some);
        for (int k = 0; k < all->n; k++) {
            const struct site *s = &all->s[k];
            const bool by_key = s->kind == SITE_EXP || s->kind == SITE_MUL;
            products += by_key;
            cr_expect(!by_key || (s->parts == KEYS && !strcmp(s->part_of, "the keys")), "%s:%d: %ld parts", s->at.file,
                s->at.line, s->parts);
        }
        cr_expect_eq(products, 2, "%d operations by key", products);
        ask_clear(&w), free(all->use), free(all);
    }
}

/* Lanes go by visible key or, where hidden keys are added as zeros, by key, counted from where the keys begin. */
Test(mix_laws, lanes_are_counted_from_the_first_key)
{
    static const long places[] = { 0, 3, 4, 9 };
    enum { N = 4, ALL = 12 };
    for (int k = 0; k < 32; k++) {
        struct arith a = { .how = WIDEN };
        struct ask w = { .arith = &a, .call = &call };
        struct summand t[ALL], all[ALL] = { { 0 } }, few[ALL];
        long key[N];
        a.at[SUM] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
        *(k & 1 ? &a.at[SUM].lanes : &a.at[SUM].block) = 3 + (k & 1 ? 0 : 1);
        for (int j = 0; j < N; j++)
            t[j] = few[j] = all[places[j]] = (struct summand){ j % 2 ? 1.5 : 0.75, { 0.5, -20 }, NULL, 0 };
        for (int j = 0; j < N; j++)
            key[j] = places[j] + (k & 2 ? 24 : 0);
        const struct soft s = { .n = N, .from = k & 2 ? 24 : 0, .key = key };
        const struct weights x = { .block = k & 8 ? 3 : 0, .moving = k & 4 };
        const struct up is = keys_error(&w, &s, k & 16 ? NULL : &x, SUM, t, ALL),
                        want = k & 16 ? up_max(sum_error(&w, SUM, few, N, false), sum_error(&w, SUM, all, ALL, false)) :
                                        up_max(parts_error(&w, SUM, few, N, x.block, x.moving),
                                            parts_error(&w, SUM, all, ALL, x.block, x.moving));
        cr_expect(is.m == want.m && is.e == want.e, "%d: %g, not %g", k, up_double(is), up_double(want));
        ask_clear(&w);
    }
}

/* An edit of the exponential is of every weight, that of the largest score among them, which is 1 without one. */
Test(mix_laws, an_edit_of_the_exponential_is_of_every_weight)
{
    struct sites *all = calloc(1, sizeof *all);
    struct arith a = { .how = EXACT, .edit = { .step = SITE_EDIT, .kind = SITE_MUL, .file = "none.c", .file_len = 6,
        .line = 1, .axis = -1 } };
    struct ask w = { .arith = &a, .call = &call, .len = COLUMNS, .sites = all };
    char word[100] = "";
    memset(hidden, 0, sizeof hidden), sharp = true;
    ask_reset(&w, 64);
    struct mix m = mixing;
    m.keys = 5; /* Of these one score is the largest. */
    struct soft s = soft_gather(&w, &m);
    soft_two_passes(&w, &m, &s);
    for (int k = 0; k < all->n; k++)
        if (all->s[k].kind == SITE_EXP)
            snprintf(word, sizeof word, "%s:%d:exp:double", strstr(all->s[k].at.file, "softmax/"), all->s[k].at.line);
    cr_assert(site_read(&a.edit, word, strlen(word)) && s.top, "%s", word);
    double plain[5];
    for (int j = 0; j < 5; j++)
        plain[j] = b_value(s.e[j]);
    w.sites = NULL, soft_two_passes(&w, &m, &s);
    for (int j = 0; j < 5; j++)
        cr_expect(b_value(s.e[j]) == 2 * plain[j], "key %d: %g of %g", j, b_value(s.e[j]), plain[j]);
    soft_free(&s), ask_clear(&w), free(all->use), free(all);
}

/* Terms of a score join one after the other, or the two places first. */
Test(mix_laws, terms_join_in_turn_or_places_first)
{
    struct arith a = rounding(ROUND, 0, false);
    struct ask w = { .arith = &a };
    ask_reset(&w, 100);
    const struct ball *x = given_ball(&w, 1, 0), *y = given_ball(&w, 0x1p-11, 0);
    a.at[SCORE].f = &formats[MER_F16];
    cr_expect_eq(b_value(mix_terms(&w, SCORE, false, x, y, y)), 1);
    cr_expect_eq(b_value(mix_terms(&w, SCORE, true, x, y, y)), 1 + 0x1p-10);
    for (int first = 0; first < 2; first++) {
        cr_expect(mix_terms(&w, SCORE, first, x, NULL, NULL) == x);
        cr_expect_eq(b_value(mix_terms(&w, SCORE, first, x, x, NULL)), 2);
        cr_expect_eq(b_value(mix_terms(&w, SCORE, first, x, NULL, x)), 2);
    }
    ask_clear(&w);
}

/* Of the real numbers there is one softmax; a route is how a contract or a profile goes about it. */
Test(mix_laws, a_route_is_taken_where_something_rounds)
{
    static const struct tiles tiles = { .route = ONLINE, .block = 3 }, none = { .route = TWO_PASSES, .block = 3 };
    for (int how = EXACT; how <= WIDEN; how++) {
        const struct arith a = { .how = (enum how)how };
        const struct ask w = { .arith = &a };
        const struct mix m = mix_on(&w, mixing, &tiles), plain = mix_on(&w, mixing, &none);
        cr_expect(m.route == (how == EXACT ? TWO_PASSES : ONLINE) && m.block == (how == EXACT ? 0 : 3), "how %d", how);
        cr_expect(plain.route == TWO_PASSES && plain.block == 0 && plain.keys == KEYS, "how %d", how);
    }
}

/* The line of weights of a score that may have overflowed holds no number that is known, those of hidden keys among
 * them; of one that has not, hidden keys weigh nothing. */
static double radius_of_first;
static const struct ball *far_score(struct ask *w, long h, long i, long j)
{
    (void)h, (void)i;
    return given_ball(w, 3, j ? 0 : radius_of_first);
}
Test(mix_laws, weights_beside_an_overflow_are_unknown)
{
    for (int k = 0; k < 4; k++) {
        struct arith a = rounding(k & 1 ? WIDEN : ROUND, 0, false);
        struct ask w = { .arith = &a, .call = &call };
        struct mix m = mixing;
        const struct ball *p[KEYS];
        memset(hidden, 0, sizeof hidden), hidden[1] = hidden[4] = true, first_key = 0;
        radius_of_first = k & 2 ? (double)INFINITY : 0, m.score = far_score;
        ask_reset(&w, 64), mix_weights(&w, &m, p);
        const bool unknown = k == 3;
        for (long j = 0; j < KEYS; j++)
            cr_expect(k == 2 || (isinf(b_radius(p[j])) != 0) == unknown, "case %d, key %ld: %g +- %g", k, j,
                b_value(p[j]), b_radius(p[j]));
        cr_expect(k > 1 || (b_value(p[1]) == 0 && b_radius(p[1]) == 0), "case %d", k);
        ask_clear(&w);
    }
}
