/* What a mixing is asked of a query and a key (ref/core/softmax/score.h): which score, mask and value, under edits of
 * their indices, too, of which each is tried on each place where the pair is read; and which lines are read. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "edit/maps.h"
#include "edit/tape.h"
#include "logit/logit.h"
#include "noted_edits.h"
#include "rotary/pairs.h"

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

static struct edit edit_of_index(const struct site *s, struct index_reading r)
{
    char words[64];
    const char *const way = r.way == TRANSPOSED ? "transpose" : r.way == SUMMED ? "summed" : index_maps[r.map].name;
    snprintf(words, sizeof words, "index.%d:%s", r.axis, way);
    return edit_of(s, words, r.hidden);
}

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

/* The rules read query and key where an edit says. */
Test(pair_laws, rules_are_asked_where_an_edit_says)
{
    struct sites *all = calloc(1, sizeof *all);
    struct arith a = { .how = EXACT, .edit = none };
    struct ask w = { .arith = &a, .call = &call, .sites = all };
    const struct visible p = { .causal = TOPLEFT, .left = 2, .right = -1, .length = -1 };
    const long extent[] = { 6, 9 };
    visible_key(&w, &p, 0, 4, 3, 6, 9);
    /* The first index is that of the pair, which an edit may exchange; the second one is that of the rules. */
    const struct site *s = noted_as(all, SITE_INDEX, 1);
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

/* A key whose bias is minus infinity takes no part, for that head and query alone. */
Test(pair_laws, a_bias_of_minus_infinity_takes_away_its_own_pair)
{
    enum { PAIRS = HEADS * QUERIES * KEYS };
    double numbers[PAIRS] = { 0 };
    struct mer_array in[] = { { "q", MER_F64, 3, { HEADS, QUERIES, 1 }, numbers, { 0 } },
        { "k", MER_F64, 3, { HEADS, KEYS, 1 }, numbers, { 0 } },
        { "bias", MER_F64, 3, { HEADS, QUERIES, KEYS }, numbers, { 0 } } };
    const struct mer_call of = { .n_in = 3, .in = in };
    const struct attention p = { .mask = ADD };
    const struct arith exact = { 0 };
    const struct ask w = { .params = &p, .call = &of, .arith = &exact };
    for (long k = 0; k < PAIRS; k++)
        numbers[k] = k % 3 == 1 ? -(double)INFINITY : (double)k;
    for (long k = 0; k < PAIRS; k++)
        cr_expect_eq(in_sums(&w, k / (QUERIES * KEYS), k / KEYS % QUERIES, k % KEYS), (bool)isfinite(numbers[k]),
            "pair %ld", k);
}

/* A pair of which one end lies in no head is none. */
Test(pair_laws, both_ends_lie_in_the_head)
{
    const struct arith a = { .how = EXACT };
    const struct ask w = { .arith = &a };
    for (int neighbours = 0; neighbours < 2; neighbours++)
        for (long dim = 0; dim <= 9; dim++)
            for (long k = 0; k < 4; k++) {
                long at[2];
                const long want[2] = { neighbours ? 2 * k : k, neighbours ? 2 * k + 1 : k + 4 };
                const bool is = pair_ends(&w, (struct paired){ dim, 4, neighbours }, k, &at[0], &at[1]);
                cr_expect_eq(is, want[0] < dim && want[1] < dim, "pair %ld of %ld channels", k, dim);
                for (int end = 0; end < 2; end++)
                    cr_expect_eq(at[end], want[end] < dim ? want[end] : -1, "pair %ld of %ld channels", k, dim);
            }
}
