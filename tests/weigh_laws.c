/* What the headers of ref/core/softmax promise of one softmax and its gradients, where each promise ends: which scores
 * are one number, what a rescaling may do, lines without keys, which pairs a line gathers, and what is kept. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "edit/maps.h"
#include "edit/site.h"
#include "ruler/bits.h"
#include "softmax/backward.h"
#include "softmax/divided.h"
#include "softmax/mean.h"
#include "softmax/mix_grad.h"
#include "softmax/plain.h"
#include "softmax/plain_mean.h"
#include "given_ball.h"

enum { KEYS = 12, COLUMNS = 2, HEADS = 2, QUERIES = 40 };
static const double inf = (double)INFINITY;
static const struct arith exact = { .how = EXACT };
/* Any edit of an operation that no page makes: keys that are hidden take part in it, or do not. */
#define ELSEWHERE(KIND, HIDDEN) \
    { .step = SITE_EDIT, .kind = (KIND), .file = "none.c", .file_len = 6, .line = 1, .hidden = (HIDDEN), .axis = -1 }

/* By key: the score and its radius, whether it is seen, and the value and its radius. */
static double s_of[KEYS], rs_of[KEYS], v_of[KEYS], rv_of[KEYS];
static bool hidden[KEYS];
static long last[4]; /* the indices that the value was asked for last */
static long part_of_score[KEYS], part_of_value[KEYS]; /* by key, the part of the line that the page was at */

static const struct ball *score(struct ask *w, long h, long i, long j)
{
    (void)h, (void)i;
    part_of_score[j] = w->parts == KEYS ? w->part : -1;
    return given_ball(w, s_of[j], rs_of[j]);
}
static const struct ball *value(struct ask *w, long h, long i, long j, long c)
{
    memcpy(last, (const long[]){ h, i, j, c }, sizeof last);
    if (j >= 0)
        part_of_value[j] = w->parts == KEYS ? w->part : -1;
    return given_ball(w, j < 0 ? 0 : v_of[j] + (double)c, j < 0 ? 0 : rv_of[j]);
}
static bool visible(const struct ask *w, long h, long i, long j)
{
    (void)w, (void)h, (void)i;
    return !hidden[j];
}
static void forget_all(void)
{
    memset(s_of, 0, sizeof s_of), memset(rs_of, 0, sizeof rs_of), memset(v_of, 0, sizeof v_of);
    memset(rv_of, 0, sizeof rv_of), memset(hidden, 0, sizeof hidden);
}
static struct mer_array q = { "q", MER_F32, 3, { HEADS, QUERIES, 1 }, NULL, { 0 } };
static const struct mer_call call = { .n_in = 1, .in = &q };
static const struct mix plain_mix = { .keys = KEYS, .score = score, .value = value, .visible = visible };

/* The greatest score of the block of real scores t that begins at j. */
static double top_of(const double *t, long n, long j, long block)
{
    double top = t[j];
    for (long l = j; l < n && l < j + block; l++)
        top = fmax(top, t[l]);
    return top;
}
/* A kernel of the routes online (slack 0) and lazy with real scores t[n]: fills R with the rescalings that come behind
 * each key; how many there are. */
static long rescaled(const double *t, long n, long block, double slack, long *R)
{
    double point = top_of(t, n, 0, block);
    long all = 0;
    for (long j = 0; j < n; j++)
        R[j] = 0;
    for (long j = block; j < n; j += block)
        if (top_of(t, n, j, block) > point + slack) {
            point = top_of(t, n, j, block), all++;
            for (long l = 0; l < j; l++)
                R[l]++;
        }
    return all;
}

/* However the scores lie in their balls, a kernel rescales no key more often than is counted. */
Test(weigh_laws, no_kernel_rescales_more_often_than_is_counted)
{
    enum { N = 5 };
    uint64_t state = 0;
    forget_all();
    for (int k = 0; k < 3000; k++) {
        const uint64_t bits = gen_bits(7, 1, state++);
        const struct arith a = { .how = WIDEN };
        const int slack = (int)(bits & 3);
        struct mix m = plain_mix;
        m.keys = N, m.block = 1 + (long)(bits >> 2 & 1), m.route = slack ? LAZY : ONLINE, m.slack = slack;
        for (int j = 0; j < N; j++)
            s_of[j] = (double)(bits >> (8 + 6 * j) & 31) / 4, rs_of[j] = bits >> (13 + 6 * j) & 1 ? 0.5 : 0;
        if (k == 0) /* The second block passes or does not, and then the third alone, or the fourth with it. */
            m.route = LAZY, m.slack = 2, m.block = 1, memcpy(s_of, (const double[]){ 0, 2, 2.5, 4.375, 0 }, 40),
            memcpy(rs_of, (const double[]){ 0, 0.5, 0, 0, 0 }, 40);
        struct ask w = { .arith = &a };
        ask_reset(&w, 100);
        struct soft s = soft_gather(&w, &m);
        struct weights x = weigh(&w, &m, &s);
        for (int draw = 0; draw < 24; draw++) {
            const uint64_t in = gen_bits(7, 2, state++);
            double t[N];
            long R[N];
            for (int j = 0; j < N; j++) /* From one end to the other, by sixteenths. */
                t[j] = s_of[j] + rs_of[j] * (double)((long)(in >> 5 * j & 31) % 17 - 8) / 8;
            const long all = rescaled(t, N, m.block, (double)m.slack, R);
            cr_assert(x.rescales >= all, "case %d: %ld of %ld", k, x.rescales, all);
            for (int j = 0; j < N; j++)
                cr_assert(x.R[j] >= R[j], "case %d, key %d: %ld of %ld", k, j, x.R[j], R[j]);
        }
        weights_free(&x), soft_free(&s), ask_clear(&w);
    }
}

/* The top is the score that is certainly above all others, wherever it stands; of two that may be equal there is
 * none. */
Test(weigh_laws, the_top_is_certainly_the_largest_score)
{
    static const struct { double s[3], r[3]; int top; } list[] = {
        { { 3, 1, 2 }, { 0, 0, 0 }, 0 },
        { { 1, 3, 2 }, { 0.5, 0.25, 0.5 }, 1 },
        { { 1, 2, 3 }, { 1, 0.25, 0.5 }, 2 },
        { { 3, 1, 2 }, { 0.5, 0, 0.5 }, -1 },
        { { 3, 3, 2 }, { 0, 0, 0 }, -1 },
        { { -1, -1, -2 }, { 0, 0.125, 0 }, -1 },
        { { -3, -1, -2 }, { 0.5, 0.25, 0.5 }, 1 },
        { { 2.75, 3, 1 }, { 0.5, 0, 0 }, -1 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct ask w = { .arith = &exact };
        struct mix m = plain_mix;
        forget_all(), m.keys = 3;
        memcpy(s_of, list[k].s, sizeof list[k].s), memcpy(rs_of, list[k].r, sizeof list[k].r);
        ask_reset(&w, 64);
        struct soft s = soft_gather(&w, &m);
        cr_expect_eq(s.top, list[k].top < 0 ? NULL : s.s[list[k].top], "%zu", k);
        soft_two_passes(&w, &m, &s);
        for (int j = 0; j < 3; j++)
            cr_expect((s.e[j]->rad.m == 0 && b_value(s.e[j]) == 1) == (j == list[k].top || (k == 4 && j < 2)),
                "%zu, key %d: %g", k, j, b_value(s.e[j]));
        soft_free(&s), ask_clear(&w);
    }
}

/* On the exact path scores that are one number have one error, which their weights do not see. */
static const struct ball *roots(struct ask *w, long h, long i, long j)
{
    (void)h, (void)i;
    return j == 2 ? b_si(w, 1) : b_sqrt(w, b_si(w, 2));
}
Test(weigh_laws, scores_of_one_name_share_their_error)
{
    struct mix m = plain_mix;
    m.keys = 3, m.score = roots;
    forget_all();
    struct ask w = { .arith = &exact, .exact = true };
    ask_reset(&w, 64);
    struct soft s = soft_gather(&w, &m);
    struct weights x = weigh(&w, &m, &s);
    cr_expect(x.shared.m > 0 && x.shared.m == s.max->rad.m && x.shared.e == s.max->rad.e);
    cr_expect(x.common.m == 0, "what has a name moves no weight as all are moved: %g", up_double(x.common));
    cr_expect(x.D[0].m == 0 && x.D[1].m == 0, "what is largest has a weight of 1 all the same");
    /* e^(1 - sqrt 2) is above 0.66. */
    cr_expect(!up_less(x.D[2], up_mul(x.shared, up_d(0.66))), "and the others see its error: %g", up_double(x.D[2]));
    weights_free(&x), soft_free(&s), ask_clear(&w);
}

/* What weighs most at hand is 1 and the error of an exponential; on the lazy route a score may be by the slack above
 * the reference point, as the step of the differences rounds that. */
Test(weigh_laws, the_highest_weight_at_hand_holds_the_errors_of_its_steps)
{
    const double u = ldexp(32, -11), own = u / (1 - u); /* of exp=f16:32 and shift=f16:32 */
    for (int lazy = 0; lazy < 2; lazy++) {
        const struct rounding coarse = { .f = &formats[MER_F16], .ulps = 32 };
        struct arith a = { .how = WIDEN, .at = { [EXP] = coarse, [SHIFT] = coarse } };
        struct ask w = { .arith = &a, .call = &call };
        struct mix m = plain_mix;
        m.keys = 2, m.block = 1, m.slack = 3, m.route = lazy ? LAZY : ONLINE;
        forget_all(), ask_reset(&w, 64);
        s_of[1] = 2;
        struct soft s = soft_gather(&w, &m);
        struct weights x = weigh(&w, &m, &s);
        const double high = exp((lazy ? 2 * (1 + u) : 0) + own);
        cr_expect(up_double(x.high) >= high * (1 - 1e-9) && up_double(x.high) < high * 1.0001, "%g, not %g",
            up_double(x.high), high);
        weights_free(&x), soft_free(&s), ask_clear(&w);
    }
}

/* The weight of the largest score is 1, as the step of exponentials gives it: of one that errs by more than half an ulp
 * that is not exact. */
Test(weigh_laws, the_largest_weight_has_the_error_of_its_step)
{
    for (int k = 0; k < 2; k++) {
        struct arith a = { .how = WIDEN, .at = { [EXP] = { .f = &formats[MER_F16], .ulps = k ? 2 : 1 } } };
        struct ask w = { .arith = &a, .call = &call };
        struct mix m = plain_mix;
        m.keys = 2;
        forget_all(), ask_reset(&w, 64);
        s_of[1] = 1;
        struct soft s = soft_gather(&w, &m);
        soft_two_passes(&w, &m, &s);
        cr_expect(b_value(s.e[1]) == 1 && (b_radius(s.e[1]) > 0) == k, "%g +- %g", b_value(s.e[1]), b_radius(s.e[1]));
        soft_free(&s), ask_clear(&w);
    }
}

/* What the maximum errs makes all weights larger together: then one that lies above the smallest normal number by less
 * than that may be subnormal where it is computed, and one that lies above it by more is not. */
Test(weigh_laws, a_weight_may_be_subnormal_by_what_all_have_in_common)
{
    static const double above[] = { 1.5, 2.5 }; /* times the least number that counts as normal */
    for (int k = 0; k < 2; k++) {
        struct arith a = { .how = WIDEN, .at = { [EXP] = { .f = &formats[MER_F16], .ulps = 1 } } };
        struct ask w = { .arith = &a, .call = &call };
        struct mix m = plain_mix;
        m.keys = 2;
        forget_all(), ask_reset(&w, 64);
        s_of[1] = log(above[k] * up_double(b_smallest(&w, EXP))), rs_of[0] = log(2);
        struct soft s = soft_gather(&w, &m);
        struct weights x = weigh(&w, &m, &s);
        cr_expect(up_double(x.common) > 0.99 && up_double(x.common) < 1.01, "%g", up_double(x.common));
        cr_expect_eq(x.underflow, k == 0, "%g times", above[k]);
        weights_free(&x), soft_free(&s), ask_clear(&w);
    }
}

/* A mean is known where all values are one number without a radius; with tangents, or in other arithmetic, none is. */
Test(weigh_laws, a_mean_is_known_of_equal_numbers)
{
    static const struct { double v[3], r[3]; long n; enum how how; bool dual, known; } list[] = {
        { { 3, 3, 3 }, { 0 }, 3, EXACT, false, true }, { { 3, 3, 3 }, { 0 }, 1, EXACT, false, true },
        { { 3, 3, 4 }, { 0 }, 3, EXACT, false, false }, { { 4, 3, 3 }, { 0 }, 3, EXACT, false, false },
        { { 3, 3, 3 }, { 0.5 }, 3, EXACT, false, false }, { { 3, 3, 3 }, { 0, 0, 0.5 }, 3, EXACT, false, false },
        { { 3, 3, 3 }, { 0 }, 3, WIDEN, false, false }, { { 3, 3, 3 }, { 0 }, 3, ROUND, false, false },
        { { 3, 3, 3 }, { 0 }, 3, EXACT, true, false },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct arith a = { .how = list[k].how };
        struct ask w = { .arith = &a };
        const struct soft s = { .n = list[k].n };
        const struct ball *v[3];
        ask_reset(&w, 64);
        for (int j = 0; j < 3; j++)
            v[j] = given_ball(&w, list[k].v[j], list[k].r[j]);
        w.dual = list[k].dual ? (struct dual *)(void *)&w : NULL; /* It is not looked at. */
        cr_expect_eq(soft_known_mean(&w, &s, v), list[k].known ? v[0] : NULL, "%zu", k);
        w.dual = NULL, ask_clear(&w);
    }
}

/* On the exact path a mean is known, too, where every group of equal scores has it. */
Test(weigh_laws, a_mean_is_known_of_groups_that_have_it)
{
    static const struct { double s[4], v[4]; double mean; } list[] = { /* NAN: it is not known */
        { { 1, 1, 2, 2 }, { 1, 3, 0, 4 }, 2 }, { { 1, 2, 1, 2 }, { 1, 0, 3, 4 }, 2 },
        { { 1, 1, 1, 2 }, { 1, 3, 2, 2 }, 2 }, { { 1, 1, 1, 2 }, { 1, 3, 2, 5 }, (double)NAN },
        { { 1, 1, 2, 2 }, { 1, 3, 2, 4 }, (double)NAN }, { { 2, 1, 1, 1 }, { 5, 1, 3, 2 }, (double)NAN },
        { { 2, 1, 1, 1 }, { 2, 1, 3, 2 }, 2 }, { { 1, 2, 3, 4 }, { 2, 2, 2, 3 }, (double)NAN },
        { { 1, 1, 2, 3 }, { 1, 2, 1.5, 1.5 }, 1.5 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int path = 0; path < 2; path++) {
            struct ask w = { .arith = &exact, .exact = path };
            const struct ball *s[4], *v[4];
            ask_reset(&w, 64);
            for (int j = 0; j < 4; j++)
                s[j] = given_ball(&w, list[k].s[j], 0), v[j] = given_ball(&w, list[k].v[j], 0);
            const struct ball *y = soft_known_mean(&w, &(struct soft){ .n = 4, .s = s }, v);
            const bool known = path && !isnan(list[k].mean);
            cr_expect(known ? y && b_value(y) == list[k].mean && y->rad.m == 0 : !y, "%zu, path %d", k, path);
            ask_clear(&w);
        }
}

/* A mean of values that are known no better than by balls is not known, be their midpoints equal. */
Test(weigh_laws, a_mean_of_balls_holds_the_means_of_what_lies_in_them)
{
    for (int first = 0; first < 2; first++)
        for (int path = 0; path < 2; path++) {
            struct ask w = { .arith = &exact, .exact = path };
            struct mix m = plain_mix;
            m.keys = 2;
            forget_all();
            ask_reset(&w, 64);
            struct soft s = soft_gather(&w, &m);
            soft_two_passes(&w, &m, &s);
            const struct ball *v[] = { given_ball(&w, 1, first ? 0.5 : 0), given_ball(&w, 1, first ? 0 : 0.5) },
                              *y = soft_mean(&w, &s, v);
            cr_expect(b_value(y) == 1 && b_radius(y) >= 0.25, "of 1 and 1.5: %g +- %g", b_value(y), b_radius(y));
            s_of[1] = 1, rv_of[first] = 0.5, v_of[0] = v_of[1] = 1;
            const struct ball *o[COLUMNS];
            w.len = 1;
            mix_output(&w, &m, o);
            const double share = first ? 1 / (1 + exp(-1)) : 1 / (1 + exp(1));
            cr_expect(b_radius(o[0]) >= 0.5 * share * (1 - 1e-12), "%g", b_radius(o[0]));
            soft_free(&s), ask_clear(&w);
        }
}

/* Where errors may be as large as the weights themselves, a mean still lies among its values, and no further off than
 * (max - min) T / 2 (soft.c, 2): of 0 and 1 with equal weights e^(+-T) it can move by tanh(T) / 2.  With an absolute
 * error of a weight nothing but the values bounds it. */
Test(weigh_laws, a_mean_of_uncertain_weights_stays_among_its_values)
{
    static const double T[] = { 0.75, 0.9, 1.5, 2.5 };
    for (int k = 0; k < 4; k++)
        for (int beside = 0; beside < 2; beside++) {
            struct arith a = { .how = WIDEN };
            struct ask w = { .arith = &a, .len = 1 };
            struct mix m = plain_mix;
            const struct ball *o;
            forget_all(), m.keys = 2, v_of[1] = 1;
            a.at[SHIFT] = (struct rounding){ .f = &formats[MER_F64], .ulps = 1, .absolute = T[k] };
            if (beside)
                a.at[EXP] = (struct rounding){ .f = &formats[MER_F64], .ulps = 1, .absolute = 0x1p-40 };
            ask_reset(&w, 100);
            mix_output(&w, &m, &o);
            const double most = beside ? 1 : fmin(1, T[k] / 2), is = b_radius(o);
            cr_expect(b_value(o) == 0.5 && is >= tanh(T[k]) / 2 && is >= most * (1 - 1e-9) && is <= most * (1 + 1e-9),
                "T = %g: %g, not %g", T[k], is, most);
            ask_clear(&w);
        }
}

/* While it goes over the keys a page is at each of them, and behind them at none (ball.h: ask_part). */
Test(weigh_laws, a_page_that_has_gone_by_keys_is_at_none)
{
    for (int how = EXACT; how <= WIDEN; how++) {
        const struct arith a = { .how = (enum how)how };
        struct ask w = { .arith = &a, .call = &call, .len = 1 };
        const struct ball *y[KEYS];
        forget_all();
        ask_reset(&w, 64);
        struct soft s = soft_gather(&w, &plain_mix);
        cr_expect_eq(w.part, 0, "gathered: %ld", w.part);
        soft_two_passes(&w, &plain_mix, &s);
        cr_expect_eq(w.part, 0, "weighed: %ld", w.part);
        memset(part_of_score, 0, sizeof part_of_score), memset(part_of_value, 0, sizeof part_of_value);
        mix_output(&w, &plain_mix, y);
        cr_expect_eq(w.part, 0, "summed: %ld", w.part);
        for (long j = 0; j < KEYS; j++)
            cr_expect(part_of_score[j] == j + 1 && (how != ROUND || part_of_value[j] == j + 1), "key %ld: %ld, %ld", j,
                part_of_score[j], part_of_value[j]);
        mix_lse(&w, &plain_mix, y);
        cr_expect_eq(w.part, 0, "the log-sum-exp: %ld", w.part);
        soft_free(&s), ask_clear(&w);
    }
}

/* The reference point is the largest score.  A kernel that hides all keys by scores of minus infinity takes 0. */
Test(weigh_laws, the_reference_point_is_0_where_all_keys_are_hidden_by_scores)
{
    static const struct { double first, others; bool edit, hides; double max; } list[] = {
        { -inf, -inf, false, false, -inf },
        { 5, -inf, false, false, 5 },
        { -inf, -inf, true, false, -inf },
        { -inf, -inf, true, true, 0 },
        { 5, -inf, true, true, 5 },
        { -3, -7, true, true, -3 },
        { -3, -7, true, false, -3 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct arith a = { .how = WIDEN };
        if (list[k].edit)
            a.edit = (struct edit)ELSEWHERE(SITE_MUL, list[k].hides);
        struct ask w = { .arith = &a, .call = &call, .len = 1 };
        forget_all();
        ask_reset(&w, 64);
        for (int j = 0; j < KEYS; j++)
            s_of[j] = j ? list[k].others : list[k].first;
        struct soft s = soft_gather(&w, &plain_mix);
        cr_expect(s.n == KEYS && b_value(s.max) == list[k].max && s.max->rad.m == 0, "%zu: %g", k, b_value(s.max));
        soft_free(&s), ask_clear(&w);
    }
}

/* Without a visible key the log-sum-exp is minus infinity and `empty` says what the weights are: all equal for a mean,
 * over the keys that have values.  Only under an edit of what is computed may a kernel have no number there. */
Test(weigh_laws, a_line_without_keys_ends_as_it_is_said)
{
    static const struct { int kind; bool none; } edits[] = { { -1, false }, { SITE_MUL, true }, { SITE_SUM, true },
        { SITE_INDEX, false }, { SITE_INPUT, false } };
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++)
        for (int how = EXACT; how <= WIDEN; how++)
            for (int empty = EMPTY_ZERO; empty <= EMPTY_MEAN; empty++) {
                struct arith a = { .how = (enum how)how };
                if (edits[k].kind >= 0)
                    a.edit = (struct edit)ELSEWHERE(edits[k].kind, false);
                const bool none = edits[k].none && how == WIDEN;
                struct ask w = { .arith = &a, .call = &call, .len = 1 };
                struct mix m = plain_mix;
                const struct ball *y[KEYS] = { NULL };
                m.empty = empty, m.sinks = 2;
                forget_all(), memset(hidden, 1, sizeof hidden);
                ask_reset(&w, 64);
                mix_lse(&w, &m, y);
                cr_expect(b_value(y[0]) == -inf && b_may_be_none(y[0]) == none && !y[1], "%zu, how %d: %g", k, how,
                    b_value(y[0]));
                mix_weights(&w, &m, y);
                cr_expect(!none || y[0] != y[1], "each has a mark of its own");
                const struct ball *o[1];
                mix_output(&w, &m, o);
                cr_expect_eq(b_may_be_none(o[0]), none, "output, %zu, how %d, empty %d", k, how, empty);
                for (int j = 0; j < KEYS - m.sinks; j++) {
                    const double p = b_value(y[j]), mean = 1.0 / (KEYS - 2);
                    cr_expect(empty == EMPTY_NAN ? isnan(p) : fabs(p - (empty == EMPTY_MEAN ? mean : 0)) < 1e-15,
                        "%zu, empty %d: %g", k, empty, p);
                    cr_expect_eq(b_may_be_none(y[j]), none, "%zu, how %d, empty %d", k, how, empty);
                }
                ask_clear(&w);
            }
}

/* Under an edit that reads a value nowhere, on whichever axis, the value is 0 and nothing is read. */
Test(weigh_laws, a_value_that_an_edit_reads_nowhere_is_0)
{
    static struct sites noted;
    struct arith a = { .how = WIDEN, .edit = ELSEWHERE(SITE_MUL, false) };
    struct ask w = { .arith = &a, .call = &call, .len = COLUMNS, .sites = &noted };
    int asked = 0;
    forget_all();
    for (int j = 0; j < KEYS; j++)
        v_of[j] = 1 + j;
    ask_reset(&w, 64);
    cr_expect(b_value(mix_value(&w, &plain_mix, 0, 0)) == 1);
    w.sites = NULL;
    for (int k = 0; k < noted.n; k++)
        for (int axis = 0; axis < 4; axis++)
            for (int map = 0; noted.s[k].kind == SITE_INDEX && index_maps[map].name; map++) {
                const struct source at = noted.s[k].at;
                const char *file = strstr(at.file, "softmax/"); /* as words of edits have it */
                const long extent[] = { HEADS, QUERIES, KEYS, COLUMNS }, from[] = { 1, 39, 11, 1 };
                if (noted.s[k].extent[axis] != extent[axis])
                    continue;
                a.edit = (struct edit){ .step = SITE_EDIT, .kind = SITE_INDEX, .axis = axis, .op = map,
                    .file = file, .file_len = strlen(file), .line = at.line };
                long to[] = { 1, 39, 11, 1 };
                to[axis] = index_mapped(map, from[axis], extent[axis]);
                w.at[0] = 1, w.at[1] = 39, last[2] = -9;
                const double y = b_value(mix_value(&w, &plain_mix, 11, 1));
                cr_expect(to[axis] < 0 ? y == 0 && last[2] == -9 : !memcmp(last, to, sizeof last), "%s:%d, axis %d, %s",
                    file, at.line, axis, index_maps[map].name);
                asked += to[axis] < 0;
            }
    cr_expect(asked > 1, "%d axes are read nowhere", asked);
    ask_clear(&w);
}

/* An exponential of a difference, each rounded at its step; in base 2 alone the difference is that of another unit. */
Test(weigh_laws, a_weight_is_the_exponential_of_a_difference)
{
    for (int route = TWO_PASSES; route <= LAZY; route++)
        for (int step = 0; step < 2; step++) {
            struct arith a = { .how = WIDEN };
            struct ask w = { .arith = &a };
            struct mix m = plain_mix;
            m.route = route;
            a.at[step ? EXP : SHIFT] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
            ask_reset(&w, 100);
            const struct ball *s = given_ball(&w, -1, 0), *max = given_ball(&w, 0.25, 0), *z = b_sub(&w, s, max),
                              *in_2 = b_step(&w, SHIFT, b_div(&w, z, b_ln2(&w))),
                              *y = soft_weight(&w, &m, s, max),
                              *want = b_step(&w, EXP, route == EXP2 ? b_pow(&w, b_si(&w, 2), in_2) :
                                                          b_exp(&w, b_step(&w, SHIFT, z)));
            cr_expect(mpfr_equal_p(y->mid, want->mid) && b_radius(y) == b_radius(want) && b_radius(y) > 0,
                "route %d, step %d: %g, not %g", route, step, b_radius(y), b_radius(want));
            ask_clear(&w);
        }
}

/* What a weight is at most while it is held: 1 where the reference point follows at once; on the lazy route as far
 * above it as a score may be, and no farther than the greatest one is above the first block's; with the roundings of
 * the difference and of the exponential. */
Test(weigh_laws, a_weight_is_held_no_higher_than_its_score_may_be_above_the_reference_point)
{
    static const struct { int route; long block, slack; double first, second, above; } list[] = {
        { TWO_PASSES, 0, 5, 0, 3, 0 },
        { ONLINE, 1, 5, 0, 3, 0 },
        { LAZY, 1, 5, 0, 3, 3 },
        { LAZY, 1, 5, 0, 9, 5 },
        { LAZY, 1, 5, 3, 0, 0 },
        { LAZY, 2, 5, 0, 3, 0 },
        { LAZY, 2, 5, 3, 0, 0 },
        { LAZY, 1, 2, 0, 3, 2 },
    };
    const double u = 0x1p-11;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int rounds = 0; rounds < 4; rounds++) {
            struct arith a = { .how = WIDEN };
            struct ask w = { .arith = &a, .call = &call };
            struct mix m = plain_mix;
            m.route = list[k].route, m.block = list[k].block, m.slack = list[k].slack;
            forget_all(), memset(hidden, 1, sizeof hidden), hidden[0] = hidden[1] = false;
            s_of[0] = list[k].first, s_of[1] = list[k].second;
            if (rounds)
                a.at[rounds == 1 ? SHIFT : EXP] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1,
                    .absolute = rounds == 3 ? 0.25 : 0 };
            ask_reset(&w, 100);
            struct soft s = soft_gather(&w, &m);
            struct weights x = weigh(&w, &m, &s);
            const double high = up_double(x.high),
                         want = exp(list[k].above * (rounds == 1 ? 1 + u : 1) + (rounds >= 2 ? u / (1 - u) : 0)) +
                (rounds == 3 ? 0.25 : 0);
            cr_expect(high >= want * (1 - 1e-14) && high <= want * (1 + 1e-4), "case %zu, %d: %.17g, not %.17g", k,
                rounds, high, want);
            weights_free(&x), soft_free(&s), ask_clear(&w);
        }
}
