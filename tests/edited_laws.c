/* What pages and the edit machinery promise of places that few edits lead to: an index that leaves its axis, a whole
 * number beyond all reach, and what is noted of an operation's numbers and axes. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "edited.h"
#include "edit/reduced.h"
#include "edit/site_parts.h"
#include "edit/maps.h"
#include "edit/tape.h"
#include "edit/site.h"
#include "given_ball.h"
#include "relative/lattice.h"
#include "rotary/rope_words.h"
#include "words/each.h"

/* The first edit of an operation of `file`, with that way to do it, of a made-up case of a row. */
static void made(struct trial *t, struct sought *want, const struct trial_spec *of)
{
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    char err[600];
    cr_assert_eq(trial_make(t, of, err, sizeof err), 0, "%s", err);
    edits_of_sites(t, some, 2, WORDS_ALL, keep_first, want);
    cr_assert(*want->change, "%s: %s%s is not enumerated", of->row, want->kind, want->op);
    *t->profile = 0;
    cr_assert_eq(trial_change(t, want->change, err, sizeof err), 0, "%s", err);
}
static struct arith edited_arith(struct trial *t)
{
    struct arith a;
    char err[600];
    cr_assert_geq(trial_profile(t, t->profile, &a, ROUND, err, sizeof err), 0, "%s", err);
    return a;
}

/* Where an edit leaves a channel without a pair, the page answers no number. */
Test(edited_laws, a_channel_of_no_pair_is_no_number)
{
    struct sought want = { "remap.c:", ":mod:more" };
    struct trial t;
    made(&t, &want, &(struct trial_spec){ "streaming", "layout=half", "o", MER_F32, "h=1 n=1 m=2", 5 });
    const struct arith a = edited_arith(&t);
    reference_run(&t, &a);
    for (long k = 0; k < array_len(&t.out[0]); k++)
        cr_expect(isnan(array_get(&t.out[0], k)), "%s: element %ld is %g", want.change, k, array_get(&t.out[0], k));
    trial_close(&t);
}

/* A place that an edit makes larger than 2^40 is 2^40. */
Test(edited_laws, a_place_beyond_all_reach_is_the_last_one)
{
    struct sought want = { "remap.c:", ":plus:square" };
    struct trial t;
    made(&t, &want, &(struct trial_spec){ "streaming", "positions=text memory=1073741824", "distance", MER_F64,
        "n=2 m=3", 5 });
    const struct arith a = edited_arith(&t);
    reference_run(&t, &a);
    for (long k = 0; k < 6; k++)
        cr_expect_eq(array_get(&t.out[0], k), 0x1p40 - (double)(k % 3), "%s: %.17g", want.change,
            array_get(&t.out[0], k));
    trial_close(&t);
}

/* The end of a word beyond all words is the first character. */
Test(edited_laws, a_word_that_is_none_ends_at_the_first_character)
{
    struct sought want = { "lattice.c:", ":times:square" };
    struct trial t;
    made(&t, &want, &(struct trial_spec){ "flat", "chars=4 words=2,2,1,3", "o", MER_F32, "h=1", 5 });
    const struct arith a = edited_arith(&t);
    const struct ask w = { .params = t.params, .call = &t.call, .arith = &a };
    for (int tail = 0; tail < 2; tail++) {
        cr_expect_eq(lattice_end(&w, 3, tail), 3, "%s", want.change);
        cr_expect_eq(lattice_end(&w, 4, tail), 2, "%s", want.change);
        cr_expect_eq(lattice_end(&w, 5, tail), 0, "%s", want.change);
    }
    trial_close(&t);
}

enum { POSITIONS = 3, PAIRS = 4, WIDTH = 2 * PAIRS };
/* What is noted of a line that row rope turns by its own waves; and of one that it turns by those of another row. */
static void noted_of_rope(struct sites *all)
{
    struct trial t;
    struct arith a;
    char err[600];
    const struct ball *y[WIDTH];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=8", "y", MER_F32, "h=1 n=3", 5 }, err, sizeof err),
        0, "%s", err);
    cr_assert_geq(arith_read(&a, t.row, "edit=nowhere:0:add:zero", ROUND, err, sizeof err), 0, "%s", err);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &a, .sites = all, .len = WIDTH };
    ask_reset(&w, 100);
    line_page(&w, row_quantity(t.row, "y"), NULL, y);
    free(all->use), ask_clear(&w), trial_close(&t);
}
static void noted_of_turn(struct sites *all)
{
    double x[WIDTH] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    struct mer_array in = { .name = "x", .type = MER_F64, .rank = 3, .dim = { 1, 1, WIDTH }, .data = x };
    const struct mer_call call = { .params = "", .n_in = 1, .in = &in };
    const struct ball *t[WIDTH], *y[WIDTH];
    struct arith a;
    char err[600];
    mpq_t base;
    cr_assert_geq(arith_read(&a, row_named("rope"), "edit=nowhere:0:add:zero", ROUND, err, sizeof err), 0, "%s", err);
    struct ask w = { .call = &call, .arith = &a, .sites = all, .len = WIDTH };
    ask_reset(&w, 100);
    for (int k = 0; k < WIDTH; k++)
        t[k] = given_ball(&w, k < PAIRS, 0);
    mpq_init(base), mpq_set_ui(base, 10000, 1);
    rope_turn(&w, (struct rope_words){ .dim = WIDTH, .base = base }, false, t, y);
    for (int k = 0; k < WIDTH; k++)
        cr_expect_eq(b_value(y[k]), x[k], "a turn by nothing");
    mpq_clear(base), free(all->use), ask_clear(&w);
}
/* A table of waves is read along two axes, positions and pairs, by other rows, too, which hand row rope one vector. */
Test(edited_laws, the_axes_of_a_table_of_waves_are_noted)
{
    for (long own = 0; own < 2; own++) {
        struct sites *all = need(1, sizeof *all);
        int n = 0;
        own ? noted_of_rope(all) : noted_of_turn(all);
        for (int s = 0; s < all->n; s++)
            if (all->s[s].kind == SITE_INDEX && strstr(all->s[s].at.file, "ref/rope.c") && all->s[s].axes == 2) {
                cr_expect(all->s[s].extent[0] == (own ? POSITIONS : 1) && all->s[s].extent[1] == PAIRS,
                    "line %d: %ld positions, %ld pairs", all->s[s].at.line, all->s[s].extent[0], all->s[s].extent[1]);
                n++;
            }
        cr_expect_eq(n, own ? 3 : 2, "%ld: %d tables", own, n);
        free(all);
    }
}

static const struct source here = { "f.c", 7, NULL };
/* Of numbers that an operation takes: whether one comes more than once, beside others.  What is none is no other, and 0
 * and 1 come everywhere. */
Test(edited_laws, a_number_that_comes_again_beside_others_is_noted)
{
    static const struct { double x[4]; int n; bool again; } list[] = { { { 3, 5, 3 }, 3, true }, { { 3, 3 }, 2, false },
        { { 5, 3, 7, 5 }, 4, true }, { { 3, 5, 7 }, 3, false }, { { 3, 3, (double)NAN }, 3, false },
        { { 1, 5, 1 }, 3, false }, { { 0, 5, 0 }, 3, false }, { { 1, 1, 5, 5 }, 4, true } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct sites *line = need(1, sizeof *line), *all = need(1, sizeof *all);
        const struct arith a = { .how = ROUND };
        struct ask w = { .arith = &a, .sites = line };
        ask_reset(&w, 64);
        note(&w, here, SITE_MUL, NULL);
        for (int j = 0; j < list[k].n; j++)
            note_use(&w, here, SITE_MUL, given_ball(&w, list[k].x[j], 0), 0);
        sites_join(all, line);
        cr_expect_eq(all->s[0].again[0], list[k].again, "case %zu", k);
        ask_clear(&w), free(line), free(all);
    }
}

/* An input read as the sum of all up to an index is that along each of its axes. */
Test(edited_laws, an_input_is_summed_along_each_axis)
{
    double x[2][3][4];
    for (int k = 0; k < 24; k++)
        x[k / 12][k / 4 % 3][k % 4] = 1 << k % 20;
    const struct mer_array in = { .name = "x", .type = MER_F64, .rank = 3, .dim = { 2, 3, 4 }, .data = x };
    const struct mer_call call = { .n_in = 1, .in = (struct mer_array *)&in };
    for (int axis = 0; axis < 3; axis++) {
        const struct arith a = { .edit = { .step = SITE_EDIT, .kind = SITE_INPUT, .file = "f.c", .file_len = 3,
            .line = 7, .axis = axis, .way = SUMMED } };
        struct ask w = { .arith = &a, .call = &call };
        const long to[] = { 1, 2, 3 };
        long at[] = { 1, 2, 3 };
        double sum = 0;
        ask_reset(&w, 64);
        for (at[axis] = 0; at[axis] <= to[axis]; at[axis]++)
            sum += x[at[0]][at[1]][at[2]];
        const double y = b_value(site_input_edited(&w, here, "x", to));
        cr_expect_eq(y, sum, "axis %d: %g, not %g", axis, y, sum);
        ask_clear(&w);
    }
}

/* One reading of x[2][3], of which each number is its place. */
static double read_as(struct edit e, const long to[3])
{
    double x[6] = { 0, 1, 2, 3, 4, 5 };
    struct mer_array in = { .name = "x", .type = MER_F64, .rank = 2, .dim = { 2, 3 }, .data = x };
    const struct mer_call call = { .n_in = 1, .in = &in };
    e.step = SITE_EDIT, e.kind = SITE_INPUT, e.file = "f.c", e.file_len = 3, e.line = 7;
    const struct arith a = { .edit = e };
    struct ask w = { .arith = &a, .call = &call };
    ask_reset(&w, 64);
    const double y = b_value(site_input_edited(&w, here, "x", to));
    return ask_clear(&w), y;
}
/* An index is read where its map says, and as 0 where that is nowhere; below 0 it counts from the end of its axis; and
 * indices beyond the rank are not read. */
Test(edited_laws, an_input_is_read_where_a_map_says)
{
    for (int map = 0; index_maps[map].name; map++)
        for (long k = 0; k < 6; k++) {
            const long i = index_mapped(map, k / 3, 2), j = index_mapped(map, k % 3, 3), to[] = { k / 3, k % 3, 0 };
            const double row = read_as((struct edit){ .op = map }, to),
                         column = read_as((struct edit){ .op = map, .axis = 1 }, to);
            cr_expect(row == (double)(i < 0 ? 0 : 3 * i + k % 3), "map %d, %ld: row %g", map, k, row);
            cr_expect(column == (double)(j < 0 ? 0 : k / 3 * 3 + j), "map %d, %ld: column %g", map, k, column);
        }
    cr_expect_eq(read_as((struct edit){ .axis = 0, .way = SUMMED }, (long[]){ 1, -1, 0 }), 2 + 5);
    cr_expect_eq(read_as((struct edit){ .axis = 2 }, (long[]){ 1, 1, -1 }), 4);
}

/* What one line has of an operation's numbers, all lines that are joined have, of the first number and the second. */
Test(edited_laws, what_one_line_has_of_a_number_is_joined)
{
    for (int k = 0; k < 4; k++) {
        struct sites *all = need(1, sizeof *all);
        for (int second = 0; second < 2; second++) {
            struct sites *line = need(1, sizeof *line);
            line->n = 1, line->s[0] = (struct site){ .at = here, .kind = SITE_MUL, .count = 1 };
            (k < 2 ? line->s[0].elsewhere : line->s[0].again)[k % 2] = second;
            sites_join(all, line);
            free(line);
        }
        const struct site *s = &all->s[0];
        const bool is[] = { s->elsewhere[0], s->elsewhere[1], s->again[0], s->again[1] };
        for (int j = 0; j < 4; j++)
            cr_expect_eq(is[j], j == k, "%d of %d", j, k);
        free(all);
    }
}

/* The last axis has no next one to be transposed with, and what lies behind the indices is none of them. */
Test(edited_laws, the_last_axis_is_not_transposed)
{
    for (int axis = 0; axis < 2; axis++) {
        const struct arith a = { .edit = { .step = SITE_EDIT, .kind = SITE_INDEX, .file = "f.c", .file_len = 3,
            .line = 7, .axis = axis, .way = TRANSPOSED } };
        struct ask w = { .arith = &a };
        long index[] = { 1, 2, -1 };
        cr_expect(site_indices(&w, here, 2, index, (const long[]){ 2, 3 }));
        /* Number 5 of 2 by 3, which is the last one of 3 by 2. */
        cr_expect(index[0] == 1 && index[1] == 2 && index[2] == -1, "axis %d: %ld %ld %ld", axis, index[0], index[1],
            index[2]);
        ask_clear(&w);
    }
}

/* A number is rounded to a type once: just below the middle between two numbers of bfloat16 it becomes the lower one,
 * however near the middle; and where the ball holds numbers of both sides, it becomes both. */
Test(edited_laws, a_number_is_rounded_to_a_type_once)
{
    /* 1 + up / 256 + off 2^-70, which becomes 1 + least / 256, or up to 1 + most / 256. */
    static const struct { int up, off; double radius, least, most; } list[] = { { 3, -1, 0, 2, 2 }, { 3, 1, 0, 4, 4 },
        { 3, 0, 0, 4, 4 }, { 1, 0, 0, 0, 0 }, { 1, 1, 0, 2, 2 }, { 1, -1, 0, 0, 0 }, { 3, -1, 0x1p-60, 2, 4 },
        { 2, 0, 0x1p-60, 2, 2 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct arith a = { 0 };
        struct ask w = { .arith = &a };
        ask_reset(&w, 128);
        const struct ball *x = b_add(&w, b_ratio(&w, 256 + list[k].up, 256), given_ball(&w, list[k].off * 0x1p-70,
            list[k].radius));
        const struct ball *y = site_value(&w, AS_BF16, x);
        const double least = b_value(y) - b_radius(y), most = b_value(y) + b_radius(y);
        cr_expect(w.arith == &a && !w.undecided, "the ask is another one");
        cr_expect(least <= 1 + list[k].least / 256 && most >= 1 + list[k].most / 256 &&
            (b_radius(y) == 0) == (list[k].least == list[k].most), "case %zu: %.17g .. %.17g", k, least, most);
        ask_clear(&w);
    }
}

static int threes;
static const struct ball *three(struct ask *w, const void *of) { return (void)of, threes++, (b_si)(w, 3); }
/* An edit is of another form of a number where it names a line of the form, in the form's own file; elsewhere the form
 * takes no time. */
Test(edited_laws, a_form_is_asked_by_edits_of_its_own_lines)
{
    static const struct other_form form = { three, "f.c", 5, 9 };
    static const struct { const char *file; int line; bool meant; } list[] = { { "f.c", 7, true }, { "f.c", 5, true },
        { "f.c", 9, true }, { "f.c", 4, false }, { "f.c", 10, false }, { "g.c", 7, false }, { "f.cc", 7, false },
        { "f.", 7, false } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct arith a = { .edit = { .step = SITE_EDIT, .kind = SITE_POW, .file = list[k].file,
            .file_len = strlen(list[k].file), .line = list[k].line } };
        struct ask w = { .arith = &a };
        ask_reset(&w, 64);
        threes = 0;
        cr_expect_eq(site_form(&w, &form, NULL) != NULL, list[k].meant, "%s:%d", list[k].file, list[k].line);
        cr_expect_eq(threes, list[k].meant, "%s:%d is made %d times", list[k].file, list[k].line, threes);
        ask_clear(&w);
    }
}

/* An ask notes operations where its arithmetic has an edit of one, and nothing where it has none (noted.h). */
Test(edited_laws, without_an_edit_nothing_is_noted)
{
    static const struct mer_array out = { "y", MER_F32, 2, { 3, 1 }, NULL };
    struct sites *all = need(1, sizeof *all);
    for (int edited = 0; edited < 2; edited++) {
        const struct arith a = { .edit = { .step = edited ? SITE_EDIT : 0, .kind = SITE_POW, .file = "g.c",
            .file_len = 3, .axis = -1 } };
        struct ask w = { .arith = &a, .sites = all };
        ask_reset(&w, 64);
        const struct ball *x = given_ball(&w, 3, 0);
        cr_expect_eq(b_value(site_reduced(&w, here, SITE_LARGEST, &x, 1)), 3);
        cr_expect(site_before(&w, &out, 1, &x));
        cr_expect_eq(all->n, 2 * edited);
        ask_clear(&w);
    }
    free(all);
}

/* No number is none whatever number the words of another operation have, and the largest of one term is that term,
 * which a sum would round. */
Test(edited_laws, an_operation_is_done_as_its_name_says)
{
    struct arith a = { .how = ROUND, .edit = { .step = SITE_EDIT, .kind = SITE_SUM, .op = LARGEST, .file = "f.c",
        .file_len = 3, .line = 7, .axis = -1, .number_of = 3, .number_over = 2 } };
    struct ask w = { .arith = &a };
    cr_assert_null(rounding_read(&a.at[0], "bf16"));
    ask_reset(&w, 64);
    const struct ball *x = given_ball(&w, 1 + 0x1p-20, 0);
    cr_expect(mpfr_nan_p(site_value(&w, IS_NAN, x)->mid));
    cr_expect_eq(b_value(site_value(&w, TIMES, x)), 1.5 + 1.5 * 0x1p-20);
    cr_expect_eq(b_value((b_sum)(&w, 0, &x, 1)), 1);
    cr_expect_eq(b_value(site_terms(&w, (struct source){ "f.c", 7, NULL }, 0, &x, 1)), 1 + 0x1p-20);
    ask_clear(&w);
}

/* Two operations that take the same number are known to do so, if there is no other number. */
Test(edited_laws, a_number_that_two_operations_take_is_noted)
{
    struct sites *line = need(1, sizeof *line), *all = need(1, sizeof *all);
    const struct arith a = { .how = ROUND };
    struct ask w = { .arith = &a, .sites = line };
    ask_reset(&w, 64);
    for (int k = 0; k < 2; k++) {
        const enum site_kind kind = k ? SITE_ADD : SITE_MUL;
        note(&w, here, kind, NULL), note_use(&w, here, kind, given_ball(&w, 3, 0), k);
    }
    sites_join(all, line);
    cr_expect(all->s[0].elsewhere[0] && !all->s[0].elsewhere[1] && all->s[1].elsewhere[1] && !all->s[1].elsewhere[0]);
    ask_clear(&w), free(line), free(all);
}
/* Only numbers that a page computes are made of the keys that it has gathered, and only what may be taken from another
 * line has the axes of the lines. */
Test(edited_laws, hidden_keys_and_lines_are_noted_of_what_they_are_of)
{
    static const struct { enum site_kind kind; bool hides; int axes; } list[] = { { SITE_EXP, true, 2 },
        { SITE_WHOLE, false, 2 }, { SITE_CLIP, false, 2 }, { SITE_TRUTH, false, 2 }, { SITE_LESS, false, 0 },
        { SITE_BOTH, false, 0 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct sites *line = need(1, sizeof *line);
        const struct arith a = { .how = ROUND, .edit = { .step = SITE_EDIT } };
        const struct ask w = { .arith = &a, .sites = line };
        line->out = (struct mer_array){ .rank = 3, .dim = { 2, 3, 4 } }, line->lead = 2;
        site_left_out(&w, true), note(&w, here, list[k].kind, NULL);
        const struct site *s = &line->s[0];
        cr_expect(s->hides == list[k].hides && s->may_hide == list[k].hides && s->axes == list[k].axes,
            "kind %d: %d, %d, %d axes", (int)list[k].kind, s->hides, s->may_hide, s->axes);
        free(line);
    }
}

/* One reading of an element. */
static double element_as(struct edit e, const struct mer_array *in, long k)
{
    e.step = SITE_EDIT, e.kind = SITE_ELEMENT, e.file = "f.c", e.file_len = 3, e.line = 7;
    const struct arith a = { .edit = e };
    struct ask w = { .arith = &a };
    ask_reset(&w, 64);
    const double y = b_value(site_element_edited(&w, here, in, k));
    return ask_clear(&w), y;
}
/* An element is read where the map of its last axis says, on its own line, be it of one element; or as the sum of all
 * up to it.  In front of all is 0, and a number without axes is itself. */
Test(edited_laws, an_element_is_read_where_a_map_says)
{
    double x[6] = { 1, 2, 3, 4, 5, 6 };
    for (long n = 1; n <= 6; n += n == 3 ? 3 : 1) {
        const struct mer_array in = { .name = "x", .type = MER_F64, .rank = 2, .dim = { 6 / n, n }, .data = x };
        for (int map = 0; index_maps[map].name; map++)
            for (long k = 0; k < 6; k++) {
                const long c = index_mapped(map, k % n, n);
                const double y = element_as((struct edit){ .op = map }, &in, k);
                cr_expect_eq(y, (double)(c < 0 ? 0 : k / n * n + c + 1), "map %d of %ld, %ld: %g", map, n, k, y);
            }
        for (long k = 0; k < 6; k++) {
            const long from = k / n * n;
            const double sum = element_as((struct edit){ .way = SUMMED }, &in, k);
            cr_expect_eq(sum, (double)((from + k + 2) * (k - from + 1)) / 2, "sum of %ld, %ld: %g", n, k, sum);
        }
        cr_expect_eq(element_as((struct edit){ .way = MAPPED }, &in, -1), 0, "in front of all");
        cr_expect_eq(element_as((struct edit){ .way = SUMMED }, &in, -1), 0, "in front of all");
    }
    const struct mer_array one = { .name = "x", .type = MER_F64, .rank = 0, .data = &x[4] };
    cr_expect_eq(element_as((struct edit){ .way = MAPPED }, &one, 0), 5);
}

/* A sum of whole numbers is kept as it is, and one of half precision is rounded. */
Test(edited_laws, a_sum_is_kept_as_its_array_keeps_it)
{
    static const struct { enum mer_type type; double is; } list[] = { { MER_F64, 4097 }, { MER_F16, 4096 },
        { MER_BF16, 4096 }, { MER_I64, 4097 }, { MER_I32, 4097 } };
    const struct arith a = { .how = ROUND };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct ask w = { .arith = &a };
        ask_reset(&w, 64);
        const double y =
            b_value(site_sum(&w, &(struct mer_array){ .type = list[k].type }, b_si(&w, 4096), b_si(&w, 1)));
        cr_expect_eq(y, list[k].is, "type %d: %g", (int)list[k].type, y);
        ask_clear(&w);
    }
}

/* What is played back is a ball of the ask's, as any operation gives it, which a step may widen in place: the
 * recording stays as it is. */
Test(edited_laws, a_number_is_played_back_as_it_was_recorded)
{
    struct arith a = { .how = WIDEN, .edit = { .way = ACROSS_LARGEST, .axis = 0 } };
    struct elsewhere tape = { .n = 0 };
    struct ask w = { .arith = &a, .tape = &tape };
    ask_reset(&w, 100);
    const struct ball *x = given_ball(&w, 3, 0);
    tape_begin(&tape, false, true), tape_across(&w, x, x);
    for (int k = 0; k < 2; k++) {
        tape_begin(&tape, true, false);
        const struct ball *y = tape_across(&w, x, b_si(&w, 1));
        cr_expect(b_value(y) == 3 && b_radius(y) == 0, "play %d: %g +- %g", k, b_value(y), b_radius(y));
        struct ball *more = (struct ball *)y;
        more->rad = up_d(1);
    }
    tape_free(&tape), ask_clear(&w);
}
