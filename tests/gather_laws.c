/* What the gradients of ref/core/softmax gather: which pairs with which factors, under every reading of the arithmetic,
 * against the definition in doubles; and which errors their balls hold. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "softmax/backward.h"
#include "softmax/divided.h"
#include "softmax/mean.h"
#include "softmax/mix_grad.h"
#include "softmax/plain.h"
#include "softmax/plain_mean.h"
#include "ball/trace.h"
#include "given_ball.h"

enum { HEADS = 2, QUERIES = 40, KEYS = 12, COLUMNS = 2 };
static double seed_of[HEADS * QUERIES * COLUMNS];
static struct mer_array in[] = { { "do", MER_F64, 3, { HEADS, QUERIES, COLUMNS }, seed_of, { 0 } },
    { "q", MER_F64, 3, { HEADS, QUERIES, COLUMNS }, seed_of, { 0 } } };
static const struct mer_call call = { .n_in = 2, .in = in, .params = "" };
static double blur; /* the radius of every factor */
static long made;   /* how many queries were opened, by a score that counts */

/* Scores, values, factors and slopes, as numbers that tell every index from every other. */
static double score_of(long h, long i, long j) { return (double)((7 * h + 3 * i + 5 * j) % 11) / 8; }
static double value_of(long h, long j, long c) { return (double)((3 * h + 5 * j + 7 * c) % 13 - 6) / 4; }
static double slope_of(long h, long i, long j) { return 1 + (double)(h + 2 * i + 128 * j) / 256; }
static double by_key(long h, long i, long j, long c) { return (double)((h + 5 * i + 3 * j + 11 * c) % 17 - 8) / 4; }
static double by_query(long h, long i, long c) { return (double)((5 * h + 3 * i + 7 * c) % 19 - 9) / 4; }
static bool seen(long h, long i, long j) { return (h + i + j) % 5 != 0; }

static const struct ball *score(struct ask *w, long h, long i, long j) { return given_ball(w, score_of(h, i, j), 0); }
static const struct ball *even_score(struct ask *w, long h, long i, long j)
{
    (void)h, (void)i, (void)j;
    return b_si(w, 0);
}
static const struct ball *value(struct ask *w, long h, long i, long j, long c)
{
    (void)i;
    return given_ball(w, value_of(h, j, c), 0);
}
static const struct ball *slope(struct ask *w, long h, long i, long j) { return given_ball(w, slope_of(h, i, j), 0); }
static const struct ball *key(struct ask *w, long h, long i, long j, long c)
{
    return given_ball(w, by_key(h, i, j, c), blur);
}
static const struct ball *query(struct ask *w, long h, long i, long c)
{
    return given_ball(w, by_query(h, i, c), blur);
}
static bool visible(const struct ask *w, long h, long i, long j)
{
    (void)w;
    return seen(h, i, j);
}
static bool three(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h, (void)i;
    return j < 3;
}
static const struct mix plain_mix = { .keys = KEYS, .score = score, .value = value, .visible = visible };
static void seed(void)
{
    for (long k = 0; k < HEADS * QUERIES * COLUMNS; k++)
        seed_of[k] = (double)(k * 7 % 23 - 11) / 4;
}

/* p and ds of one query by their definition. */
static void way_back(long h, long i, double *p, double *ds)
{
    double total = 0, D = 0, dp[KEYS] = { 0 };
    for (long j = 0; j < KEYS; j++)
        total += p[j] = seen(h, i, j) ? exp(score_of(h, i, j)) : 0;
    for (long j = 0; j < KEYS; j++) {
        for (long c = 0; c < COLUMNS; c++)
            dp[j] += seed_of[(h * QUERIES + i) * COLUMNS + c] * value_of(h, j, c);
        p[j] /= total, D += p[j] * dp[j];
    }
    for (long j = 0; j < KEYS; j++)
        ds[j] = p[j] * (dp[j] - D);
}

enum line { OF_QUERY, OF_SCORES, OF_KEY, OF_PAIRS, PAIRS_OF_HEAD, OF_VALUE, VALUES_OF_HEAD, LINES };
/* Element c of that line by its definition; of key 3, head 1 or query 2 of head 1. */
static double defined(enum line line, long c)
{
    double y = 0, p[KEYS], ds[KEYS];
    for (long i = 0; i < QUERIES; i++) {
        way_back(1, i, p, ds);
        for (long j = 0; j < KEYS; j++) {
            const double s = ds[j] * slope_of(1, i, j), by = by_key(1, i, j, c);
            const bool one = line < OF_KEY ? i == 2 : line == PAIRS_OF_HEAD || line == VALUES_OF_HEAD || j == 3;
            if (one && (line != OF_SCORES || j == c))
                y += line == OF_VALUE || line == VALUES_OF_HEAD ? p[j] * seed_of[(QUERIES + i) * COLUMNS + c] :
                    line == OF_KEY ? s * by_query(1, i, c) : line == OF_SCORES ? s : s * by;
        }
    }
    return y;
}
static void ask_line(struct ask *w, const struct mix_grad *g, enum line line, const struct ball **y)
{
    const bool head = line == PAIRS_OF_HEAD || line == VALUES_OF_HEAD;
    const struct mix_met met = { head ? mix_of_head : mix_of_key, line == OF_KEY ? query : NULL,
        line == OF_KEY ? NULL : key };
    w->at[0] = 1, w->at[1] = line < OF_KEY ? 2 : 3, w->len = line == OF_SCORES ? KEYS : COLUMNS;
    (line == OF_QUERY        ? mix_query_grad :
            line == OF_SCORES ? mix_score_grad :
            line == OF_KEY   ? mix_key_grad :
            line < OF_VALUE  ? mix_pair_grad :
                            mix_value_grad)(w, g, &met, y);
}

/* Each line gathers its own pairs, all of them and more than a few, with the factors and slopes of their indices. */
Test(gather_laws, lines_gather_their_pairs)
{
    seed();
    for (int k = 0; k < 3 * 2 * LINES; k++) {
        const enum line line = (enum line)(k % LINES);
        const struct arith a = { .how = (enum how)(k / LINES % 3) };
        struct mix_grad g = { .m = plain_mix, .seed = "do", .slope = slope };
        struct ask w = { .arith = &a, .call = &call };
        const struct ball *y[KEYS];
        if (k / LINES / 3)
            g.m.route = ONLINE, g.m.block = 5;
        blur = 0;
        ask_reset(&w, 100);
        ask_line(&w, &g, line, y);
        for (long c = 0; c < w.len; c++) {
            const double want = defined(line, c), is = b_value(y[c]);
            cr_expect(fabs(is - want) <= 1e-11 && b_radius(y[c]) < 1e-11, "line %d, how %d, element %ld: %g, not %g",
                line, a.how, c, is, want);
        }
        ask_clear(&w);
    }
}

/* What multiplies ds may be a product, whose last factor a program keeps for the end, when the key has met ds: there
 * underflow costs half of 2^-149 for each pair, times the last factor, and an overflow all. */
static double key_is, last_is;
static const struct ball *large_key(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i, (void)j, (void)c;
    return given_ball(w, key_is, 0);
}
static const struct ball *last(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)c;
    return given_ball(w, i == 2 && j == 3 ? last_is : 0, 0);
}
Test(gather_laws, the_last_factor_of_a_product_may_wait)
{
    static const struct { double key, last, least, most; } list[] = {
        { 1, 0x1p20, 0x1p-130, 0x1p10 },
        { 0x1p-140, 0x1p100, 0x1p-50, 0x1.01p-50 },
        { 0x1p135, 0x1p-100, (double)INFINITY, (double)INFINITY },
        { 0x1p120, 0x1p-100, 0x1p-30, 0x1p10 },
        { 0x1p135, 0x1p-100, (double)INFINITY, (double)INFINITY }, /* from here on the sum rounds, not the product */
        { 0x1p120, 0x1p-100, 0, 1 },
    };
    double p[KEYS], ds[KEYS];
    seed(), way_back(1, 2, p, ds);
    for (int k = 0; k < 12; k++) {
        struct arith a = { .how = k & 1 ? WIDEN : EXACT };
        a.at[k < 8 ? PRODUCT : SUM] = (struct rounding){ .f = format_named("f32", 3), .ulps = 1 };
        const struct mix_grad g = { .m = plain_mix, .seed = "do" };
        struct ask w = { .arith = &a, .call = &call, .at = { 1, 3 }, .len = 1 };
        const struct ball *y[1];
        key_is = list[k / 2].key, last_is = list[k / 2].last;
        ask_reset(&w, 100);
        mix_pair_grad(&w, &g, &(struct mix_met){ mix_of_key, .key = large_key, .last = last }, y);
        const double want = ds[3] * key_is * last_is, r = b_radius(y[0]);
        cr_expect(fabs(b_value(y[0]) - want) <= 1e-11 * fabs(want), "case %d: %g, not %g", k, b_value(y[0]), want);
        cr_expect(k & 1 ? r >= list[k / 2].least && r <= list[k / 2].most : r < 1e-11 * fabs(want), "case %d: +- %g", k,
            r);
        ask_clear(&w);
    }
}

/* A sum over ds holds what it would be of any factors that lie in theirs. */
Test(gather_laws, radii_of_factors_are_in_the_sum)
{
    seed();
    for (int how = EXACT; how <= WIDEN; how += WIDEN - EXACT) {
        const struct arith a = { .how = (enum how)how };
        const struct mix_grad g = { .m = plain_mix, .seed = "do" };
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS };
        const struct ball *x[KEYS];
        double away = 0;
        w.at[0] = 1, w.at[1] = 2;
        ask_reset(&w, 100);
        struct backward b = backward_open(&w, &g, NULL);
        for (long j = 0; j < b.s.n; j++)
            x[j] = given_ball(&w, 1 + (double)j, 0.25), away += 0.25 * fabs(b_value(b.ds[j]));
        cr_expect(away > 0.1 && b_radius(backward_sum(&w, &b, x)) >= away * (1 - 1e-12), "how %d: %g, not %g", how,
            b_radius(backward_sum(&w, &b, x)), away);
        for (long j = 0; j < b.s.n; j++)
            x[j] = given_ball(&w, 3, 0);
        const struct ball *none = backward_sum(&w, &b, x); /* The ds sum to 0. */
        cr_expect(how != EXACT || (mpfr_zero_p(none->mid) && none->rad.m == 0), "of equal factors: %g", b_value(none));
        backward_free(&b), ask_clear(&w);
    }
}

/* Where one key outweighs the others by far, wherever it stands, the sum is tiny, and what its balls of 100 bits leave
 * open is of the second order: 2^-200. */
static const struct ball *far_score(struct ask *w, long h, long i, long j)
{
    (void)h;
    return b_si(w, j == i ? 700 : 0);
}
Test(gather_laws, a_sum_under_one_large_weight_is_known_to_the_second_order)
{
    seed();
    for (long i = 0; i < 3; i++) {
        const struct arith a = { .how = WIDEN };
        struct mix_grad g = { .m = plain_mix, .seed = "do" };
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS };
        const struct ball *y[COLUMNS];
        g.m.score = far_score, g.m.visible = three, blur = 0;
        w.at[0] = 0, w.at[1] = i;
        ask_reset(&w, 100);
        mix_query_grad(&w, &g, &(struct mix_met){ .key = key }, y);
        for (long c = 0; c < COLUMNS; c++)
            cr_expect(fabs(b_value(y[c])) < 1e-300 && b_radius(y[c]) < 0x1p-180, "key %ld, %ld: %g +- %g", i, c,
                b_value(y[c]), b_radius(y[c]));
        ask_clear(&w);
    }
}

/* Under the fault without D, ds is p dp, whose sum is not 0. */
Test(gather_laws, the_fault_without_D_is_of_products_alone)
{
    seed();
    for (int k = 0; k < 3 * 2; k++) {
        const struct arith a = { .how = (enum how)(k % 3), .fault = FAULT_UNCENTRED };
        struct mix_grad g = { .m = plain_mix, .seed = "do" };
        struct ask w = { .arith = &a, .call = &call };
        const struct ball *y[KEYS];
        double p[KEYS], ds[KEYS];
        if (k / 3)
            g.m.route = ONLINE, g.m.block = 5;
        blur = 0;
        ask_reset(&w, 100);
        ask_line(&w, &g, OF_QUERY, y);
        way_back(1, 2, p, ds);
        for (long c = 0; c < COLUMNS; c++) {
            double want = 0, D = 0;
            for (long j = 0; j < KEYS; j++)
                for (long e = 0; e < COLUMNS; e++)
                    D += p[j] * seed_of[(QUERIES + 2) * COLUMNS + e] * value_of(1, j, e);
            for (long j = 0; j < KEYS; j++)
                want += (ds[j] + p[j] * D) * by_key(1, 2, j, c);
            cr_expect(fabs(b_value(y[c]) - want) < 1e-11 && b_radius(y[c]) < 1e-11, "how %d, %ld: %g, not %g", a.how, c,
                b_value(y[c]), want);
        }
        ask_clear(&w);
    }
}

/* A slope that is known no better than by a ball makes the gradient one. */
static const struct ball *wide_slope(struct ask *w, long h, long i, long j)
{
    return given_ball(w, slope_of(h, i, j), 0.125);
}
Test(gather_laws, radii_of_slopes_are_in_the_sum)
{
    seed();
    for (int k = 0; k < 2 * OF_VALUE; k++) {
        const enum line line = (enum line)(k / 2);
        const struct arith a = { .how = k % 2 ? WIDEN : EXACT };
        const struct mix_grad g = { .m = plain_mix, .seed = "do", .slope = wide_slope };
        struct ask w = { .arith = &a, .call = &call };
        const struct ball *y[KEYS];
        ask_reset(&w, 100);
        ask_line(&w, &g, line, y);
        for (long c = 0; c < w.len; c++) {
            double away = 0, p[KEYS], ds[KEYS];
            for (long i = 0; i < QUERIES; i++) {
                way_back(1, i, p, ds);
                for (long j = 0; j < KEYS; j++)
                    if (line < OF_KEY ? i == 2 && (line == OF_QUERY || j == c) : line == PAIRS_OF_HEAD || j == 3)
                        away += fabs(ds[j] * 0.125 * (line == OF_SCORES ? 1 :
                            line == OF_KEY ? by_query(1, i, c) : by_key(1, i, j, c)));
            }
            cr_expect(b_radius(y[c]) >= away * (1 - 1e-12), "line %d, how %d, %ld: %g, not %g", line, a.how, c,
                b_radius(y[c]), away);
        }
        ask_clear(&w);
    }
}

/* The last rounding of a line is that of its sum, in whose format it is; a scale that is a power of two adds none. */
static const struct ball *four(struct ask *w) { return b_si(w, 4); }
Test(gather_laws, a_line_is_of_the_format_of_its_sum)
{
    seed();
    for (int k = 0; k < 3 * LINES; k++) {
        const enum line line = (enum line)(k % LINES);
        struct arith a = { .how = WIDEN };
        const struct mix_grad plain = { .m = plain_mix, .seed = "do" }, times_4 = { plain_mix, "do", four, NULL };
        const struct ball *y[2][KEYS];
        struct ask w[2] = { { .arith = &a, .call = &call }, { .arith = &a, .call = &call } };
        const struct format *f = k / LINES ? &formats[k / LINES] : NULL;
        a.at[SUM] = a.at[SCORE] = (struct rounding){ .f = f, .ulps = 1 };
        blur = 0;
        for (int scaled = 0; scaled < 2; scaled++)
            ask_reset(&w[scaled], 100), ask_line(&w[scaled], scaled ? &times_4 : &plain, line, y[scaled]);
        for (long c = 0; c < w[0].len; c++) {
            const double times = line < OF_VALUE ? 4 : 1, r = b_radius(y[0][c]);
            if (line == OF_SCORES) /* It has no sum. */
                continue;
            cr_expect(b_is(y[0][c]) == f && b_is(y[1][c]) == f, "line %d: not of its format", line);
            cr_expect(fabs(b_radius(y[1][c]) - times * r) <= 1e-9 * r, "line %d: %g, not %g", line,
                b_radius(y[1][c]), times * r);
        }
        ask_clear(&w[0]), ask_clear(&w[1]);
    }
}

/* Weights of three keys that are each stored too small make a sum that is too small by all three. */
Test(gather_laws, the_errors_of_stored_weights_add_up)
{
    memset(seed_of, 0, sizeof seed_of); /* One query alone has a gradient, or errors of several might cancel. */
    for (int c = 0; c < COLUMNS; c++)
        seed_of[QUERIES * COLUMNS + c] = 1;
    const struct ball *y[2][COLUMNS];
    struct mix_grad g = { .m = plain_mix, .seed = "do" };
    struct arith a[2] = { { .how = ROUND }, { .how = WIDEN } };
    struct ask w[2] = { { .arith = &a[0], .call = &call }, { .arith = &a[1], .call = &call } };
    g.m.visible = three, g.m.score = even_score;
    for (int k = 0; k < 2; k++) {
        a[k].at[WEIGHT] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
        ask_reset(&w[k], 100);
        w[k].at[0] = 1, w[k].len = COLUMNS;
        mix_value_grad(&w[k], &g, &(struct mix_met){ .of = mix_of_head }, y[k]);
    }
    for (long c = 0; c < COLUMNS; c++)
        cr_expect(b_overlap(y[0][c], y[1][c]) && b_cmp(y[0][c], b_at(&w[1], y[1][c])) != 0, "%g is not in %g +- %g",
            b_value(y[0][c]), b_value(y[1][c]), b_radius(y[1][c]));
    ask_clear(&w[0]), ask_clear(&w[1]);
}

/* The weights of a query of which a score may have overflowed may be no numbers, those of keys that it does not see
 * among them: nothing is known of a line of its head.  Another head's line is known, and a contract asks no query that
 * sees none of the line's keys. */
static long overflows; /* the head of which a score is unknown */
static const struct ball *unsure_score(struct ask *w, long h, long i, long j)
{
    made += j == 5;
    return given_ball(w, score_of(h, i, j), h == overflows && i == 7 && j == 5 ? (double)INFINITY : 0);
}
static bool not_the_third(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h;
    return j != 3 || i == 9;
}
Test(gather_laws, a_query_of_unknown_weights_leaves_lines_of_its_head_unknown)
{
    seed();
    for (int k = 0; k < 2 * 3 * LINES; k++) {
        const enum line line = (enum line)(k % LINES);
        const struct arith a = { .how = k / LINES % 2 ? WIDEN : ROUND };
        struct mix_grad g = { .m = plain_mix, .seed = "do" };
        struct ask w = { .arith = &a, .call = &call };
        const struct ball *y[KEYS];
        overflows = k / LINES / 2 - 1, blur = 0, made = 0;
        g.m.score = unsure_score, g.m.visible = not_the_third;
        ask_reset(&w, 100), ask_line(&w, &g, line, y);
        /* Query 2 sees no overflow: its own lines are known. */
        const bool of_key = line == OF_KEY || line == OF_PAIRS || line == OF_VALUE,
                   of_head = line == PAIRS_OF_HEAD || line == VALUES_OF_HEAD;
        for (long c = 0; a.how == WIDEN && c < w.len; c++)
            cr_expect_eq(isinf(b_radius(y[c])) != 0, overflows == 1 && (of_key || of_head),
                "line %d, overflow in head %ld: %g +- %g", line, overflows, b_value(y[c]), b_radius(y[c]));
        const long asked = line < OF_KEY || (of_key && a.how == ROUND) ? 1 : QUERIES;
        cr_expect_eq(made, asked, "line %d, how %d: %ld queries, not %ld", line, a.how, made, asked);
        ask_clear(&w);
    }
}

/* Where ds overflows or underflows as it meets the slope, that is lost, whatever the other order would keep. */
static int steep, small;
static const struct ball *extreme_slope(struct ask *w, long h, long i, long j)
{
    (void)j;
    return given_ball(w, h == 1 && i == 2 ? ldexp(1, steep) : 1, 0);
}
static const struct ball *extreme_key(struct ask *w, long h, long i, long j, long c)
{
    return given_ball(w, ldexp(1 + (double)((h + i + j + c) % 3), small), 0);
}
static const struct ball *extreme_query(struct ask *w, long h, long i, long c) { return extreme_key(w, h, i, 0, c); }
Test(gather_laws, what_ds_loses_as_it_meets_its_slope)
{
    /* As the product of ds and the slope is made, or as it is summed up with a factor that is not small. */
    for (int k = 0; k < 12; k++) {
        const bool summed = k > 5, over = k % 6 < 3;
        const enum line line = k % 3 == 0 ? OF_QUERY : k % 3 == 1 ? OF_KEY : OF_PAIRS;
        struct arith a = { .how = WIDEN };
        struct mix_grad g = { .m = plain_mix, .seed = "do", .slope = extreme_slope };
        struct ask w = { .arith = &a, .call = &call };
        const struct ball *y[COLUMNS];
        a.at[summed ? SUM : PRODUCT] = (struct rounding){ .f = &formats[MER_F32], .ulps = 1 };
        /* ds is some 2^60, and its product with the slope 2^140, or 2^-20 */
        steep = over ? 80 : -80, small = over && !summed ? -80 : 0;
        seed();
        for (long i = 0; i < HEADS * QUERIES * COLUMNS; i++)
            seed_of[i] *= 0x1p60;
        ask_reset(&w, 100);
        const struct mix_met met = { mix_of_key, line == OF_KEY ? extreme_query : NULL,
            line == OF_KEY ? NULL : extreme_key };
        w.at[0] = 1, w.at[1] = line == OF_QUERY ? 2 : 3, w.len = COLUMNS;
        (line == OF_QUERY ? mix_query_grad : line == OF_KEY ? mix_key_grad : mix_pair_grad)(&w, &g, &met, y);
        for (long c = 0; c < w.len; c++)
            cr_expect_eq(isinf(b_radius(y[c])) != 0, over, "case %d: %g +- %g", k, b_value(y[c]), b_radius(y[c]));
        ask_clear(&w);
    }
}

static const struct ball *half_scale(struct ask *w) { return given_ball(w, 0.75, 0); }
/* The word of an order is read where there is a scale that ds meets first. */
Test(gather_laws, the_word_of_an_order_is_read_where_it_decides)
{
    for (int k = 0; k < 16; k++) {
        const bool first = k & 1, there = k & 2, wide = k & 4;
        struct arith a = { .how = wide ? WIDEN : ROUND, .dscale_first = first, .dscale_word = 7,
            .fault = k & 8 ? FAULT_UNSCALED : FAULT_NONE };
        const struct mix_grad g = { .m = plain_mix, .seed = "do", .scale = there ? half_scale : NULL };
        struct trace t = { .rounded = false };
        struct ask w = { .arith = &a, .call = &call, .trace = &t };
        const struct ball *y[COLUMNS];
        ask_reset(&w, 100), ask_line(&w, &g, OF_QUERY, y);
        cr_expect_eq(t.used[6], first && there && !(k & 8), "case %d", k);
        ask_clear(&w);
    }
}

/* ds meets the slope with a rounding of its own, also where the slope and the other factor make an exact product. */
static const struct ball *three_halves(struct ask *w, long h, long i, long j)
{
    (void)h, (void)i, (void)j;
    return given_ball(w, 1.5, 0);
}
static const struct ball *one_key(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i, (void)j, (void)c;
    return b_si(w, 1);
}
static const struct ball *one_query(struct ask *w, long h, long i, long c) { return one_key(w, h, i, 0, c); }
Test(gather_laws, an_exact_product_is_a_rounding_of_ds)
{
    long moved = 0;
    for (int k = 500; k < 560; k++) {
        const bool of_key = k & 1, by_scale = k & 2;
        struct arith a[2] = { { .how = ROUND }, { .how = WIDEN } };
        struct mix_grad g = { .m = plain_mix, .seed = "do", .slope = by_scale ? NULL : three_halves,
            .scale = by_scale ? half_scale : NULL };
        struct ask w[2] = { { .arith = &a[0], .call = &call }, { .arith = &a[1], .call = &call } };
        const struct ball *y[2][COLUMNS];
        seed();
        for (long i = 0; i < HEADS * QUERIES * COLUMNS; i++) /* One query alone has a gradient. */
            seed_of[i] = i / COLUMNS == QUERIES + 2 ? seed_of[i] * (513 + k) / 512 : 0;
        for (int how = 0; how < 2; how++) {
            a[how].dscale_first = true;
            a[how].at[by_scale ? SCORE : PRODUCT] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
            const struct mix_met met = { mix_of_key, of_key ? one_query : NULL, of_key ? NULL : one_key };
            ask_reset(&w[how], 100);
            w[how].at[0] = 1, w[how].at[1] = of_key ? 3 : 2, w[how].len = COLUMNS;
            (of_key ? mix_key_grad : mix_query_grad)(&w[how], &g, &met, y[how]);
        }
        for (long c = 0; c < COLUMNS; c++) {
            moved += b_cmp(y[0][c], y[1][c]) != 0;
            cr_expect(b_overlap(y[0][c], y[1][c]), "case %d: %.9g is not in %.9g +- %g", k, b_value(y[0][c]),
                b_value(y[1][c]), b_radius(y[1][c]));
        }
        ask_clear(&w[0]), ask_clear(&w[1]);
    }
    cr_expect_gt(moved, 60);
}

/* The mean of a column in doubles is given where it is a number, and is left to balls elsewhere. */
static float stored_values[KEYS];
static struct mer_array stored = { "v", MER_F32, 2, { KEYS, 1 }, stored_values, { 0 } };
static struct span values(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h, (void)i;
    return (struct span){ &stored, j, NULL, 0 };
}
Test(gather_laws, a_mean_in_doubles_is_of_numbers)
{
    static const struct { double v, rad; bool plain; } list[] = { { 1, 0, true }, { 0x1.fffffep127, 0x1p-10, true },
        { INFINITY, 0, false }, { NAN, 0, false }, { -INFINITY, 1, false }, { 1, INFINITY, false },
        { 0, INFINITY, false } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct arith a = { .how = WIDEN };
        struct ask w = { .arith = &a, .call = &call, .len = 1 };
        struct mix m = plain_mix;
        struct column y;
        m.values = values, m.visible = three;
        ask_reset(&w, 64);
        struct soft s = soft_gather(&w, &m);
        struct weights x = weigh(&w, &m, &s);
        const struct up none[KEYS] = { { 0, 0 } };
        stored_values[0] = (float)list[k].v;
        s.e[0] = given_ball(&w, 1, list[k].rad);
        struct plain *p = plain_open(&w, &m, &s, &x, none);
        cr_expect(p && plain_column(&w, p, 0, &y) == list[k].plain, "%zu", k);
        plain_free(p), weights_free(&x), soft_free(&s), ask_clear(&w);
    }
}

/* The output is a number of the format in which its last operation is kept: divided first, that is the sum. */
Test(gather_laws, an_output_is_of_the_format_of_its_last_step)
{
    for (int first = 0; first < 2; first++)
        for (int f = -1; f < MER_I64; f++) {
            struct arith a = { .how = WIDEN, .divide_first = first };
            struct ask w = { .arith = &a, .call = &call, .len = 1 };
            const struct format *is = f < 0 ? NULL : &formats[f];
            const struct ball *o;
            struct mix m = plain_mix;
            m.visible = three;
            a.at[first ? SUM : DIV] = (struct rounding){ .f = is, .ulps = 1 };
            a.at[first ? DIV : SUM] = (struct rounding){ .f = &formats[MER_F64], .ulps = 1 };
            ask_reset(&w, 100);
            struct soft s = soft_gather(&w, &m);
            first ? divided_output(&w, &m, &s, &o, NULL) : soft_output(&w, &m, &s, &o, NULL);
            cr_expect_eq(b_is(o), is, "first %d, format %d", first, f);
            soft_free(&s), ask_clear(&w);
        }
}
