/* What a mixing is asked of a query and a key (ref/core/softmax/score.h): which score, mask and value, under edits of
 * their indices, too, of which each is tried on each place where the pair is read; products of lines, and the scale. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compare/compare.h"
#include "edit/maps.h"
#include "edit/site.h"
#include "edit/tape.h"
#include "logit/logit.h"
#include "softmax/mix_grad.h"

enum { HEADS = 2, QUERIES = 5, KEYS = 7, COLUMNS = 3, SINKS = 2 };
static const long whole[] = { HEADS, QUERIES, KEYS };
static struct mer_array q = { "q", MER_F32, 3, { HEADS, QUERIES, 1 }, NULL, { 0 } };
static const struct mer_call call = { .n_in = 1, .in = &q };
static int scores_asked;

static double score_of(long h, long i, long j) { return (double)(100 * h + 10 * i + j + 1); }
static bool seen(long h, long i, long j) { return (3 * h + 5 * i + 2 * j) % 4 != 1; }
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    scores_asked++;
    return b_si(w, (long)score_of(h, i, j));
}
static bool visible(const struct ask *w, long h, long i, long j)
{
    (void)w;
    return seen(h, i, j);
}
static const struct ball *value(struct ask *w, long h, long i, long j, long c)
{
    return b_si(w, 1000 * h + 100 * i + 10 * j + c + 1);
}
static const struct mix mixing = { .keys = KEYS, .score = score, .visible = visible, .value = value, .sinks = SINKS };

/* How an index is read otherwise: by one of index_maps, exchanged with the next axis, or as the sum of all up to it. */
enum way { MAPPED, TRANSPOSED, SUMMED };
struct index_reading { enum way way; int axis, map, hidden; };
/* Changes index[3] of extents n as that says; false: it is nowhere. */
static bool moved(const struct index_reading *e, long *index, const long *n)
{
    if (e->way == SUMMED)
        return true;
    if (e->way == TRANSPOSED) {
        const long a = e->axis, flat = a < 2 ? index[a] * n[a + 1] + index[a + 1] : 0;
        if (a < 2)
            index[a] = flat % n[a], index[a + 1] = flat / n[a];
        return true;
    }
    return (index[e->axis] = index_mapped(e->map, index[e->axis], n[e->axis])) >= 0;
}
/* The score of that pair after its mask, where the edit is of what hides keys (1), of what shows them (2), of the score
 * (3) or of none; NAN: the key is hidden. */
static double masked(const struct index_reading *e, int place, const long *index)
{
    long at[3][3];
    for (int k = 0; k < 3; k++)
        at[0][k] = at[1][k] = at[2][k] = index[k];
    const bool shown = place == 1 && !moved(e, at[2], whole);
    bool sees = place != 2 || moved(e, at[0], whole);
    const bool some = place != 3 || moved(e, at[1], whole), summed = place == 2 && e->way == SUMMED;
    const long last = summed ? at[0][e->axis] : 0;
    for (long x = 0; x <= last; x++) {
        if (summed)
            at[0][e->axis] = x;
        sees = sees && seen(at[0][0], at[0][1], at[0][2]);
    }
    const double hidden = e->hidden ? -(double)INFINITY : (double)NAN;
    return !sees && !shown ? hidden : some ? score_of(at[1][0], at[1][1], at[1][2]) : 0;
}
/* The same where the edit may be of both together (0). */
static double asked(const struct index_reading *e, int place, const long *from)
{
    long at[] = { from[0], from[1], from[2] };
    if (place || e->way != SUMMED)
        return place || moved(e, at, whole) ? masked(e, place, at) : 0;
    double sum = 0;
    for (at[e->axis] = 0; at[e->axis] <= from[e->axis]; at[e->axis]++)
        sum += masked(e, place, at);
    return sum;
}

/* The edit of an operation that has been noted, by its words: "index.0:roll", "truth:not". */
static struct edit edit_of(const struct site *s, const char *words, bool hidden)
{
    static char text[200]; /* Edits borrow it. */
    struct edit e;
    snprintf(text, sizeof text, "%s:%d:%s%s", strstr(s->at.file, "softmax/"), s->at.line, words,
        hidden ? ":hidden" : "");
    cr_assert(site_read(&e, text, strlen(text)), "%s", text);
    return e;
}
static struct edit edit_of_index(const struct site *s, struct index_reading r)
{
    char words[64];
    const char *const way = r.way == TRANSPOSED ? "transpose" : r.way == SUMMED ? "summed" : index_maps[r.map].name;
    snprintf(words, sizeof words, "index.%d:%s", r.axis, way);
    return edit_of(s, words, r.hidden);
}
/* The n-th noted operation of a kind. */
static const struct site *noted_as(const struct sites *all, enum site_kind kind, int n)
{
    for (int k = 0; k < all->n; k++)
        if (all->s[k].kind == kind && !n--)
            return &all->s[k];
    cr_assert(false, "operation %d of kind %d is not noted", n, (int)kind);
    return NULL;
}
static const struct edit none = { .step = SITE_EDIT, .kind = SITE_MUL, .file = "none.c", .file_len = 6, .line = 1,
    .axis = -1 };
/* The operations of the scores of a query of that call, or of one value. */
static void note_them(struct sites *all, const struct mer_call *of, bool of_value)
{
    const struct arith a = { .how = WIDEN, .edit = none };
    struct ask w = { .arith = &a, .call = of, .len = COLUMNS, .sites = all, .at = { 1, 2 } };
    ask_reset(&w, 64);
    if (of_value)
        mix_value(&w, &mixing, 3, 1);
    else
        for (long j = 0; j < KEYS; j++)
            mix_masked(&w, &mixing, j);
    ask_clear(&w);
}

/* Every pair, with the score that an edit leaves there. */
static void every_pair(const struct edit *edit, const struct index_reading *e, int place)
{
    const struct arith a = { .how = WIDEN, .edit = *edit };
    struct ask w = { .arith = &a, .call = &call, .len = COLUMNS };
    for (long k = 0; k < HEADS * QUERIES * KEYS; k++) {
        const long from[] = { k / KEYS / QUERIES, k / KEYS % QUERIES, k % KEYS };
        ask_reset(&w, 64), w.at[0] = from[0], w.at[1] = from[1];
        const struct ball *s = mix_masked(&w, &mixing, from[2]);
        const double want = asked(e, place, from), is = s ? b_value(s) : (double)NAN;
        cr_assert(isnan(want) ? !s : is == want, "place %d, way %d, axis %d, map %d, hidden %d, pair %ld: %g, not %g",
            place, e->way, e->axis, e->map, e->hidden, k, is, want);
    }
    ask_clear(&w);
}
Test(pair_laws, scores_and_masks_are_read_where_an_edit_says)
{
    static struct sites all;
    note_them(&all, &call, false);
    for (int place = 0; place < 4; place++) {
        const struct site *s = noted_as(&all, SITE_INDEX, place);
        cr_assert(s->axes == 3 && !memcmp(s->extent, whole, sizeof whole), "place %d", place);
        for (int axis = 0; axis < 3; axis++)
            for (int hidden = 0; hidden < 2; hidden++)
                for (enum way way = MAPPED; way <= SUMMED; way++)
                    for (int map = 0; index_maps[map].name && (way == MAPPED || !map); map++) {
                        const struct index_reading r = { way, axis, map, hidden };
                        const struct edit e = edit_of_index(s, r);
                        if (way != SUMMED || place < 3) /* A score by itself is summed up by no edit. */
                            every_pair(&e, &r, place);
                    }
    }
}

/* A query without axes for heads and queries is the only one. */
Test(pair_laws, extents_are_those_of_the_queries)
{
    static const struct { int rank, n_in; long heads, queries; } list[] = { { 3, 1, HEADS, QUERIES }, { 2, 1, 1, 1 },
        { 1, 1, 1, 1 }, { 3, 0, 1, 1 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int of_value = 0; of_value < 2; of_value++) {
            struct mer_array in = q;
            const struct mer_call of = { .n_in = list[k].n_in, .in = &in };
            struct sites *all = calloc(1, sizeof *all);
            in.rank = list[k].rank;
            note_them(all, &of, of_value);
            const long want[] = { list[k].heads, list[k].queries, of_value ? KEYS - SINKS : KEYS },
                       *is = noted_as(all, SITE_INDEX, 0)->extent;
            cr_expect(!memcmp(is, want, sizeof want), "%zu: %ld %ld %ld", k, is[0], is[1], is[2]);
            free(all);
        }
}

/* The condition that a key is seen, and the score of a hidden one. */
Test(pair_laws, a_hidden_key_has_a_score_where_an_edit_says)
{
    static const double none_at_all = -1; /* No score of a hidden key is that. */
    static const struct { const char *words; enum site_kind kind; bool hides; double hidden; } asked_as[] = {
        { "truth:true", SITE_TRUTH, false, (double)NAN },
        { "truth:false", SITE_TRUTH, false, none_at_all },
        { "truth:not", SITE_TRUTH, false, none_at_all },
        { "truth:false", SITE_TRUTH, true, -(double)INFINITY },
        { "truth:not", SITE_TRUTH, true, -(double)INFINITY },
        { "mask:zero", SITE_MASK, false, 0 },
        { "mask:negate", SITE_MASK, false, (double)INFINITY },
        { "mask:nan", SITE_MASK, false, (double)NAN },
    };
    static struct sites all;
    note_them(&all, &call, false);
    for (size_t k = 0; k < sizeof asked_as / sizeof *asked_as * KEYS; k++) {
        const size_t one = k / KEYS;
        const long j = (long)(k % KEYS);
        const char *words = asked_as[one].words;
        const struct arith a = { .how = WIDEN,
            .edit = edit_of(noted_as(&all, asked_as[one].kind, 0), words, asked_as[one].hides) };
        struct ask w = { .arith = &a, .call = &call, .len = COLUMNS, .at = { 1, 2 } };
        ask_reset(&w, 64);
        const struct ball *s = mix_masked(&w, &mixing, j);
        const bool sees = !strcmp(words, "truth:not") ? !seen(1, 2, j) :
            !strcmp(words, "truth:true")              ? true :
            !strcmp(words, "truth:false")             ? false :
                                                        seen(1, 2, j);
        const double want = sees ? score_of(1, 2, j) : asked_as[one].hidden, is = s ? b_value(s) : none_at_all;
        cr_expect(is == want || (isnan(is) && isnan(want)), "%s, hides %d, key %ld: %g, not %g", words,
            asked_as[one].hides, j, is, want);
        ask_clear(&w);
    }
}

/* The score of a hidden key is computed where the page runs to record its numbers, and nowhere else. */
Test(pair_laws, scores_of_hidden_keys_are_not_computed)
{
    struct elsewhere tape = { 0 };
    for (int edited = 0; edited < 2; edited++)
        for (int way = 0; way < 3; way++) { /* no tape, one that records, one that plays */
            const struct arith a = { .how = WIDEN, .edit = edited ? none : (struct edit){ 0 } };
            struct ask w = { .arith = &a, .call = &call, .len = COLUMNS, .tape = way ? &tape : NULL,
                .at = { 1, 2 } };
            tape.playing = way == 2, scores_asked = 0;
            ask_reset(&w, 64);
            for (long j = 0; j < KEYS; j++)
                cr_expect_eq(mix_masked(&w, &mixing, j) == NULL, !seen(1, 2, j));
            int want = 0;
            for (long j = 0; j < KEYS; j++)
                want += way == 1 || seen(1, 2, j);
            cr_expect_eq(scores_asked, want, "tape %d: %d", way, scores_asked);
            ask_clear(&w);
        }
}

/* A value is read where an edit says, too, given or computed; no key but a sink lies behind those that have values. */
Test(pair_laws, values_are_read_where_an_edit_says)
{
    static struct sites all;
    note_them(&all, &call, true);
    const long extent[] = { HEADS, QUERIES, KEYS - SINKS, COLUMNS };
    for (int axis = 0; axis < 4; axis++)
        for (int map = -1; map < 0 || index_maps[map].name; map++)
            for (long k = 0; k < HEADS * QUERIES * (KEYS - SINKS) * COLUMNS; k++) {
                const struct site *s = noted_as(&all, SITE_INDEX, axis == 3);
                struct arith a = { .how = WIDEN };
                struct ask w = { .arith = &a, .call = &call, .len = COLUMNS };
                long at[] = { k / COLUMNS / (KEYS - SINKS) / QUERIES, k / COLUMNS / (KEYS - SINKS) % QUERIES,
                    k / COLUMNS % (KEYS - SINKS), k % COLUMNS };
                const long j = at[2], c = at[3];
                if (map >= 0)
                    a.edit = edit_of_index(s, (struct index_reading){ MAPPED, axis, map, 0 }),
                    at[axis] = index_mapped(map, at[axis], extent[axis]);
                ask_reset(&w, 64), w.at[0] = k / COLUMNS / (KEYS - SINKS) / QUERIES;
                w.at[1] = k / COLUMNS / (KEYS - SINKS) % QUERIES;
                const double want = at[axis] < 0 ? 0 : (double)(1000 * at[0] + 100 * at[1] + 10 * at[2] + at[3] + 1);
                cr_assert(b_value(mix_value(&w, &mixing, j, c)) == want, "axis %d, map %d, %ld: not %g", axis, map, k,
                    want);
                const struct ball *given[KEYS * COLUMNS];
                for (long g = 0; g < KEYS * COLUMNS; g++)
                    given[g] = b_si(&w, 5 + g);
                struct mix m = mixing;
                m.given = given;
                cr_assert(b_value(mix_value(&w, &m, j, c)) == (at[axis] < 0 ? 0 : (double)(5 + j * COLUMNS + at[3])),
                    "given, axis %d, map %d, %ld", axis, map, k);
                ask_clear(&w);
            }
}

/* A line that an edit has taken away is 0 and is not read; nor is a line of no elements. */
Test(pair_laws, lines_that_are_not_there_are_not_read)
{
    static double three[] = { 3, 5, 7 };
    struct mer_array a = { .name = "q", .type = MER_F64, .rank = 1, .dim = { 3 }, .data = three }, nothing = a;
    struct arith arith = { .how = WIDEN, .edit = none };
    struct ask w = { .arith = &arith, .call = &call };
    nothing.data = NULL;
    const struct span some = { .a = &a }, empty = { .a = &nothing }, nowhere = { .a = &nothing, .at = SITE_NOWHERE };
    for (int edited = 0; edited < 2; edited++) {
        arith.edit.step = edited ? SITE_EDIT : 0;
        ask_reset(&w, 64);
        cr_expect(b_value(b_dot(&w, 0, 1, some, nowhere, 3)) == 0 && b_value(b_dot(&w, 0, 1, nowhere, some, 3)) == 0);
        cr_expect(b_value(b_dot(&w, 0, 1, empty, empty, 0)) == 0);
        cr_expect(b_value(b_dot(&w, 0, 1, some, some, 3)) == 9 + 25 + 49);
        cr_expect(b_value(b_dot(&w, 0, 1, some, (struct span){ .a = &a, .at = 1 }, 2)) == 15 + 35);
    }
    ask_clear(&w);
}

/* A scale that is held may have been rounded once, or twice, behind the root and behind the quotient. */
Test(pair_laws, a_scale_holds_the_roundings_of_its_root_and_of_its_quotient)
{
    for (long d = 1; d < 200; d++)
        for (int f = 0; f < FORMATS; f++) {
            struct arith a = { .how = WIDEN, .at = { { .f = &formats[f], .ulps = 1 } } };
            struct ask w = { .arith = &a, .call = &call };
            ask_reset(&w, 128);
            const long root = lround(sqrt((double)d));
            const bool whole_root = root * root == d, power = whole_root && !(root & (root - 1));
            const double s = sqrt((double)d), held = whole_root ? 0 : up_double(b_rounding(&w, 0, up_d(s))),
                         quotient = 1 / s * held / (s - held),
                         want = power ? 0 : quotient + up_double(b_rounding(&w, 0, up_d(1 / s + quotient)));
            const struct ball *y = b_width(&w, 0, NULL, d);
            cr_expect(fabs(b_value(y) - 1 / s) <= 1e-15 && fabs(b_radius(y) - want) <= 1e-9 * want,
                "%ld, %s: %g, not %g", d, formats[f].name, b_radius(y), want);
            a.how = ROUND; /* A contract rounds the quotient alone. */
            mpfr_t once;
            mpfr_init2(once, 128);
            mpfr_sqrt_ui(once, (unsigned long)d, MPFR_RNDN), mpfr_ui_div(once, 1, once, MPFR_RNDN);
            round_to(once, &formats[f]);
            cr_expect(mpfr_equal_p(b_width(&w, 0, NULL, d)->mid, once), "%ld, %s", d, formats[f].name);
            mpfr_clear(once), ask_clear(&w);
        }
}

/* A scale that is given is held as the step holds a constant; 0 and none stand for the width. */
Test(pair_laws, a_scale_that_is_given_is_held)
{
    const struct arith a = { .how = ROUND, .at = { { .f = &formats[MER_BF16], .ulps = 1 } } };
    struct ask w = { .arith = &a, .call = &call };
    mpq_t third, zero;
    mpq_inits(third, zero, (mpq_ptr)0), mpq_set_ui(third, 1, 3);
    ask_reset(&w, 64);
    cr_expect(b_value(b_width(&w, 0, third, 9)) == 0x1.56p-2, "%a", b_value(b_width(&w, 0, third, 9)));
    cr_expect(b_value(b_width(&w, 0, zero, 16)) == 0.25 && b_value(b_width(&w, 0, NULL, 16)) == 0.25);
    mpq_clears(third, zero, (mpq_ptr)0), ask_clear(&w);
}

/* The terms of a score, each sum rounded to bfloat16: 1/4096 is lost beside 1, and two of 1/256 are not. */
Test(pair_laws, terms_are_added_in_the_order_that_is_said)
{
    static const struct { bool places_first; double x, y, z, sum; } list[] = { /* 0: left out */
        { false, 1, 0x1p-9, 0x1p-9, 1 }, { true, 1, 0x1p-8, 0x1p-8, 1 + 0x1p-7 }, { true, 1, 0x1p-8, 0, 1 },
        { true, 1, 0, 0x1p-8, 1 }, { false, 1, 0x1p-7, 0, 1 + 0x1p-7 }, { false, 1, 0, 0x1p-7, 1 + 0x1p-7 },
        { true, 1, 0, 0, 1 }, { false, 0x1.00ffp0, 0, 0, 0x1.00ffp0 }, { true, 0x1p-20, 1, 0x1p-8, 1 },
        { false, 4, 0x1p-20, 2, 6 }, { true, 4, 0.5, 2, 6.5 }, { false, 1, 3, 0x1p-20, 4 },
    };
    const struct arith a = { .how = ROUND, .at = { { .f = &formats[MER_BF16], .ulps = 1 } } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        static double of[3];
        struct mer_array x = { .name = "x", .type = MER_F64, .rank = 1, .dim = { 3 }, .data = of };
        struct ask w = { .arith = &a, .call = &call };
        ask_reset(&w, 64);
        of[0] = list[k].x, of[1] = list[k].y, of[2] = list[k].z;
        const struct ball *y = mix_terms(&w, 0, list[k].places_first, b_element(&w, &x, 0),
            of[1] != 0 ? b_element(&w, &x, 1) : NULL, of[2] != 0 ? b_element(&w, &x, 2) : NULL);
        cr_expect(b_value(y) == list[k].sum, "%zu: %a, not %a", k, b_value(y), list[k].sum);
        ask_clear(&w);
    }
}

/* One query and one key of four numbers: products at step product, their sum at step dot, the score at step score. */
static double q_of[4] = { 1.375, 1.125, 1.625, 1.25 }, k_of[4] = { 1.0078125, 1.0234375, 1.0390625, 1.0546875 };
static struct mer_array pair[] = { { "q", MER_F64, 3, { 1, 1, 4 }, q_of, { 0 } },
    { "k", MER_F64, 3, { 1, 1, 4 }, k_of, { 0 } } };
static const struct mer_call pair_call = { .n_in = 2, .in = pair };
Test(pair_laws, a_product_is_rounded_at_its_steps)
{
    for (int s = 0; s < 2; s++) {
        struct arith a = { .how = ROUND };
        struct ask w = { .arith = &a, .call = &pair_call };
        const struct ball *t[4];
        a.at[s ? PRODUCT : DOT] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
        ask_reset(&w, 64);
        for (long c = 0; c < 4; c++)
            t[c] = b_step(&w, PRODUCT, b_mul(&w, b_element(&w, &pair[0], c), b_element(&w, &pair[1], c)));
        cr_expect(mpfr_equal_p(mix_qk(&w, 0, 0, 0)->mid, b_sum(&w, DOT, t, 4)->mid), "step %d", s);
        ask_clear(&w);
    }
}

/* A score by its scale: a power of two rounds nothing of a number that the step's format holds; no scale is 1. */
Test(pair_laws, a_score_is_scaled_at_its_step)
{
    struct arith a = { .how = WIDEN };
    struct ask w = { .arith = &a, .call = &pair_call };
    mpq_t half, third;
    mpq_inits(half, third, (mpq_ptr)0), mpq_set_ui(half, 1, 2), mpq_set_ui(third, 1, 3);
    a.at[SCORE] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
    ask_reset(&w, 64);
    struct ball *s = (struct ball *)b_widen(&w, b_si(&w, 3), up_d(0x1p-20));
    b_becomes(s, &formats[MER_F16]);
    const double small = up_double(b_rounding(&w, SCORE, (struct up){ 0, 0 }));
    cr_expect(b_value(mix_scaled(&w, s, half)) == 1.5 &&
        fabs(b_radius(mix_scaled(&w, s, half)) - 0x1p-21 - small) < 1e-9 * small);
    cr_expect(b_value(mix_by_width(&w, SCALE_WIDTH, s)) == 1.5 && mix_by_width(&w, SCALE_NONE, s) == s &&
        fabs(b_radius(mix_by_width(&w, SCALE_WIDTH, s)) - 0x1p-21 - small) < 1e-9 * small);
    const struct ball *scale = mix_scale(&w, third);
    const double want = b_radius(b_mul(&w, s, scale)) + up_double(b_rounding(&w, SCORE, b_top(b_mul(&w, s, scale))));
    cr_expect(fabs(b_radius(mix_scaled(&w, s, third)) - want) < 1e-9 * want && fabs(b_value(mix_scaled(&w, s, third)) -
        1) < 1e-12);
    cr_expect(!mix_grad_by_width(mixing, SCALE_NONE).scale);
    cr_expect(mix_grad_by_width(mixing, SCALE_WIDTH).scale == mix_width);
    mpq_clears(half, third, (mpq_ptr)0), ask_clear(&w);
}

/* Which keys are kept, visible and of whose document: input by input. */
Test(pair_laws, keys_behind_the_last_one_kept_are_hidden)
{
    static int keep_of[2 * 2 * 3] = { 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0 };
    struct mer_array keep = { "keep", MER_I32, 3, { 2, 2, 3 }, keep_of, { 0 } };
    const struct mer_call with = { .n_in = 1, .in = &keep };
    const struct arith a = { .how = EXACT };
    const struct ask w = { .arith = &a, .call = &with }, without = { .arith = &a, .call = &call };
    for (long k = 0; k < 2 * 2 * 5; k++) {
        const long h = k / 10, i = k / 5 % 2, j = k % 5;
        cr_expect_eq(mix_kept(&w, h, i, j), j < 3 && keep_of[(h * 2 + i) * 3 + j], "%ld", k);
        cr_expect(mix_kept(&without, h, i, j));
    }
}

/* A line of the score is noted where the page reads it, and where the page makes it itself, in score.c. */
Test(pair_laws, elements_of_a_line_are_noted_where_it_is_read)
{
    struct sites *all = calloc(1, sizeof *all);
    const struct arith a = { .how = WIDEN, .edit = none };
    struct ask w = { .arith = &a, .call = &pair_call, .sites = all };
    ask_reset(&w, 64);
    b_dot(&w, PRODUCT, DOT, (struct span){ .a = &pair[0] }, (struct span){ &pair[1], 0, "softmax/here.c", 5 }, 4);
    int here = 0, own = 0; /* in either order */
    for (int n = 0; n < 2; n++) {
        const struct source at = noted_as(all, SITE_ELEMENT, n)->at;
        here += at.file && strstr(at.file, "softmax/here.c") && at.line == 5;
        own += at.file && strstr(at.file, "softmax/score.c");
    }
    cr_expect(here == 1 && own == 1, "%d there, %d in score.c", here, own);
    ask_clear(&w), free(all->use), free(all);
}

/* The place of a query, and which keys it sees, by document and by pack; cumulative lengths of queries alone say
 * nothing. */
Test(pair_laws, places_are_counted_in_a_document_or_in_the_pack)
{
    static int q_starts[] = { 0, 2, 5 }, k_starts[] = { 0, 3, 7 };
    struct mer_array starts[] = { { "cu_seqlens_q", MER_I32, 1, { 3 }, q_starts, { 0 } },
        { "cu_seqlens_k", MER_I32, 1, { 3 }, k_starts, { 0 } } };
    const struct arith a = { .how = EXACT };
    for (int n_in = 0; n_in <= 2; n_in++)
        for (int pack = 0; pack < 2; pack++)
            for (long i = 0; i < 5; i++) {
                const struct mer_call with = { .n_in = n_in, .in = starts };
                const struct ask w = { .arith = &a, .call = &with };
                const struct visible p = { .causal = BOTTOMRIGHT, .left = -1, .right = -1, .length = -1,
                    .counted = pack ? BY_PACK : BY_DOCUMENT };
                const bool apart = n_in == 2, by = apart && !pack;
                const long q0 = by && i >= 2 ? 2 : 0, n = !by ? 5 : i < 2 ? 2 : 3, m = !by ? 7 : i < 2 ? 3 : 4,
                           k0 = by && i >= 2 ? 3 : 0, place = i - q0 + m - n;
                cr_expect_eq(visible_position(&w, &p, i, 5, 7), place, "%d, %d, %ld: %ld", n_in, pack, i,
                    visible_position(&w, &p, i, 5, 7));
                for (long j = 0; j < 7; j++) {
                    const bool own = !apart || (i < 2) == (j < 3);
                    cr_expect_eq(visible_key(&w, &p, 0, i, j, 5, 7), own && j - k0 <= place, "%d, %d, %ld, %ld", n_in,
                        pack, i, j);
                }
            }
}

/* The rules read query and key where an edit says. */
Test(pair_laws, rules_are_asked_where_an_edit_says)
{
    struct sites *all = calloc(1, sizeof *all);
    struct arith a = { .how = EXACT, .edit = none };
    struct ask w = { .arith = &a, .call = &call, .sites = all };
    const struct visible p = { .causal = TOPLEFT, .left = 2, .right = -1, .length = -1 };
    const long extent[] = { 6, 9 };
    visible_key(&w, &p, 0, 4, 3, 6, 9);
    const struct site *s = noted_as(all, SITE_INDEX, 0);
    cr_assert(s->axes == 2 && !memcmp(s->extent, extent, sizeof extent));
    w.sites = NULL;
    for (int axis = 0; axis < 2; axis++)
        for (int map = 0; index_maps[map].name; map++)
            for (long k = 0; k < 6 * 9; k++) {
                long at[] = { k / 9, k % 9 };
                a.edit = edit_of_index(s, (struct index_reading){ MAPPED, axis, map, 0 });
                at[axis] = index_mapped(map, at[axis], extent[axis]);
                const bool sees = at[axis] >= 0 && at[1] <= at[0] && at[1] >= at[0] - 2;
                cr_expect_eq(visible_key(&w, &p, 0, k / 9, k % 9, 6, 9), sees, "axis %d, map %d, %ld", axis, map, k);
            }
    free(all->use), free(all);
}

/* The score of row attention under a contract: a bias that comes first is rounded before the scale; the cap, and the
 * constant of a mask, are held in the format of their step. */
static void with_params(struct attention *p, const char *text)
{
    char err[200];
    cr_assert_eq(params_read(params_of(attention_params), p, text, err, sizeof err), 0, "%s", err);
}
Test(pair_laws, a_score_of_attention_is_rounded_at_its_steps)
{
    static const struct { const char *params; int step; } list[] = { { "order=bias-first scale=1", BIAS },
        { "cap=7/3 scale=1", CAPPED }, { "cap=7/3 scale=1", QUOTIENT }, { "scale=1", DOT },
        { "mask=add constant=-7/3 causal=offset offset=-1", MASKING },
        { "mask=fill constant=-7/3 times=3 causal=offset offset=-1", MASKING } };
    static double bias_of[] = { 0x1.0038p-2 };
    struct mer_array in[] = { pair[0], pair[1], { "bias", MER_F64, 3, { 1, 1, 1 }, bias_of, { 0 } } };
    const struct mer_call with = { .n_in = 3, .in = in }, without = { .n_in = 2, .in = in };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct attention p;
        struct arith a = { .how = ROUND };
        with_params(&p, list[k].params);
        struct ask w = { .arith = &a, .call = p.order == BIAS_FIRST ? &with : &without, .params = &p };
        a.at[list[k].step] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
        ask_reset(&w, 100);
        const struct ball *s = mix_qk(&w, 0, 0, 0), *c = b_held(&w, MASKING, b_q(&w, p.constant)), *all = c;
        s = p.order == BIAS_FIRST ? b_step(&w, BIAS, b_add(&w, s, b_element(&w, &in[2], 0))) : s;
        if (!mpq_sgn(p.cap) && p.mask == HIDE)
            cr_expect(mpfr_equal_p(logit_product(&w, 0, 0, 0, NULL)->mid, s->mid), "%zu", k);
        for (long times = 1; times < p.times; times++)
            all = b_step(&w, MASKING, b_add(&w, all, c));
        for (long j = 1; j < 60; j++) {
            const struct ball *x = b_div(&w, b_si(&w, j), b_si(&w, 8)),
                              *masked = p.mask == ADD ? b_step(&w, MASKING, b_add(&w, x, all)) : all;
            cr_expect(p.mask == HIDE || mpfr_equal_p(logit_masked(&w, x, 0, 0, 0, NULL)->mid, masked->mid),
                "%zu, %ld", k, j);
            const struct ball *by = b_step(&w, QUOTIENT, b_div(&w, x, b_held(&w, QUOTIENT, b_q(&w, p.cap)))),
                              *capped = b_mul(&w, b_held(&w, CAPPED, b_q(&w, p.cap)), b_step(&w, TANH, b_tanh(&w, by)));
            cr_expect(!mpq_sgn(p.cap) || mpfr_equal_p(logit_capped(&w, x, NULL)->mid, b_step(&w, CAPPED, capped)->mid),
                "%zu, %ld", k, j);
        }
        params_clear(params_of(attention_params), &p), ask_clear(&w);
    }
}

/* A scale that is a power of two adds nothing to a product that is a number of the score's format. */
Test(pair_laws, a_product_of_attention_is_scaled_at_its_step)
{
    struct attention p;
    struct arith a = { .how = WIDEN };
    struct ask w = { .arith = &a, .call = &pair_call, .params = &p };
    with_params(&p, "scale=4");
    a.at[DOT] = a.at[SCORE] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
    ask_reset(&w, 64);
    const double once = b_radius(mix_qk(&w, 0, 0, 0)), is = b_radius(logit_product(&w, 0, 0, 0, NULL));
    cr_expect(once > 0 && fabs(is - 4 * once) <= 1e-9 * is, "%g, not %g", is, 4 * once);
    params_clear(params_of(attention_params), &p), ask_clear(&w);
}

/* A product of which an edit leaves the first number is the sum of the query's. */
Test(pair_laws, a_product_is_of_query_and_key_in_that_order)
{
    struct sites *all = calloc(1, sizeof *all);
    struct attention p;
    with_params(&p, "scale=1");
    struct arith a = { .how = WIDEN, .edit = none };
    struct ask w = { .arith = &a, .call = &pair_call, .params = &p, .sites = all };
    ask_reset(&w, 64);
    logit_product(&w, 0, 0, 0, NULL);
    for (int right = 0; right < 2; right++) {
        a.edit = edit_of(noted_as(all, SITE_MUL, 0), right ? "mul:right" : "mul:left", false), w.sites = NULL;
        const double want = right ? 1.0078125 + 1.0234375 + 1.0390625 + 1.0546875 : 1.375 + 1.125 + 1.625 + 1.25;
        cr_expect(b_value(mix_qk(&w, 0, 0, 0)) == want, "%d", right);
        cr_expect(b_value(logit_product(&w, 0, 0, 0, NULL)) == want, "%d", right);
    }
    params_clear(params_of(attention_params), &p), ask_clear(&w), free(all->use), free(all);
}

/* The gradient of a gain under a contract: each line's gradient behind its norm times the line at unit length, rounded,
 * and their sum. */
static void make_trial(struct trial *t, const char *params, const char *out, struct arith *a)
{
    char err[600];
    const struct trial_spec of = { "attention", params, out, MER_F64, "h=1 g=1 n=2 m=3 d=2 e=2 q_gain", 5 };
    cr_assert_eq(trial_make(t, &of, err, sizeof err), 0, "%s", err);
    cr_assert_geq(trial_profile(t, "unit=bf16 squares=f32", a, ROUND, err, sizeof err), 0, "%s", err);
}
Test(pair_laws, the_gradient_of_a_gain_is_rounded_at_its_steps)
{
    struct trial back, plain;
    struct arith a;
    make_trial(&plain, "scale=1", "dq", &a), make_trial(&back, "norm=rms scale=1", "dq_gain", &a);
    struct ask w = { .arith = &a };
    const struct ball *x[2][2], *y[2];
    mpq_t eps;
    mpq_init(eps), mpq_set_ui(eps, 1, 1000000), ask_reset(&w, 100);
    for (int key = 0; key < 2; key++) /* The norm is not of the other trial: its lines are of unit length already. */
        for (long r = 0; r < 2 + key; r++) {
            struct mer_array *in = mer_find(back.in, back.call.n_in, key ? "k" : "q"),
                             *to = mer_find(plain.in, plain.call.n_in, key ? "k" : "q");
            struct unit u = { UNIT_RMS, EPS_INSIDE, false, eps, NULL, SQUARES, UNIT };
            const struct ball *line[] = { b_element(&w, in, 2 * r), b_element(&w, in, 2 * r + 1) };
            unit_line(&w, &u, line, 2, y);
            for (long c = 0; c < 2 && !key; c++)
                x[r][c] = y[c];
            u.gain = key ? NULL : mer_find(back.in, back.call.n_in, "q_gain");
            unit_line(&w, &u, line, 2, y);
            array_put(to, 2 * r, b_value(y[0])), array_put(to, 2 * r + 1, b_value(y[1]));
        }
    for (int j = 0; j < plain.call.n_in; j++) {
        struct mer_array *to = &plain.in[j], *from = mer_find(back.in, back.call.n_in, to->name);
        for (long k = 0; strcmp(to->name, "q") && strcmp(to->name, "k") && from && k < array_len(to); k++)
            array_put(to, k, array_get(from, k));
    }
    reference_run(&plain, &a), reference_run(&back, &a);
    for (long c = 0; c < 2; c++) {
        const struct ball *t[2];
        for (long r = 0; r < 2; r++)
            t[r] = b_step(&w, UNIT, b_mul(&w, (b_element)(&w, &plain.out[0], 2 * r + c), x[r][c]));
        cr_expect(array_get(&back.out[0], c) == b_value(b_sum(&w, SQUARES, t, 2)), "%ld: %.17g, not %.17g", c,
            array_get(&back.out[0], c), b_value(b_sum(&w, SQUARES, t, 2)));
    }
    mpq_clear(eps), ask_clear(&w), trial_close(&plain), trial_close(&back);
}
