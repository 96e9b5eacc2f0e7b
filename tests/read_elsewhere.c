/* Elements, lines and answers that are read elsewhere under an edit: at the index that a map of their axis says, summed
 * up to it, with two axes exchanged, or done differently by the words of numbers. */
#include "edit/maps.h"
#include "edit/site_parts.h"
#include "edit_as.h"
#include "words/each.h"
#include "words/read.h"

/* Where each of the indices of an axis of 5 and of 6 reads under each map; "-": nowhere. */
static const struct { const char *name, *of_5, *of_6; } maps[] = { { "reverse", "43210", "543210" },
    { "roll", "12340", "123450" }, { "back", "40123", "501234" }, { "first", "00000", "000000" },
    { "last", "44444", "555555" }, { "odd", "11334", "113355" }, { "even", "00224", "002244" },
    { "swap", "23401", "345012" }, { "half", "00112", "001122" }, { "spread", "02413", "024135" },
    { "gather", "03142", "031425" }, { "next", "12344", "123455" }, { "before", "00123", "001234" },
    { "without-first", "-1234", "-12345" }, { "without-last", "0123-", "01234-" }, { "tail-4", "0123-", "0123--" },
    { "tail-8", "-----", "------" } };
static long read_at(const char *map, long i) { return map[i] == '-' ? -1 : map[i] - '0'; }
Test(read_elsewhere, an_index_is_read_where_its_map_says)
{
    const size_t n = sizeof maps / sizeof *maps;
    for (size_t k = 0; k < n; k++) {
        const int map = index_map_named(maps[k].name, strlen(maps[k].name));
        cr_expect_str_eq(index_maps[map].name, maps[k].name);
        cr_expect_eq(index_map_named(maps[k].name, strlen(maps[k].name) - 1), -1, "%s", maps[k].name);
        for (long i = 0; i < 6; i++) {
            cr_expect(i == 5 || index_mapped(map, i, 5) == read_at(maps[k].of_5, i), "%s of 5: %ld", maps[k].name, i);
            cr_expect_eq(index_mapped(map, i, 6), read_at(maps[k].of_6, i), "%s of 6: %ld", maps[k].name, i);
        }
        cr_expect_eq(index_tells(map, 6), strcmp(maps[k].name, "tail-8") != 0, "%s", maps[k].name);
        cr_expect(!index_tells(map, 0), "%s", maps[k].name);
        size_t first = 0;
        while (strcmp(maps[first].of_6, maps[k].of_6))
            first++;
        cr_expect_eq(index_first(map, 6), index_map_named(maps[first].name, strlen(maps[first].name)), "%s",
            maps[k].name);
    }
    for (int bits = 2; bits <= 7; bits++) {
        char name[20];
        snprintf(name, sizeof name, "tail-%d", 1 << bits);
        const int map = index_map_named(name, strlen(name));
        for (long i = 0; i < 300; i++)
            cr_expect_eq(index_mapped(map, i, 299), i < 299 >> bits << bits ? i : -1, "%s: %ld", name, i);
    }
    cr_expect(!index_tells(index_map_named("half", 4), 1) && index_tells(index_map_named("half", 4), 2));
    /* Under these some places are read twice, and so under others none. */
    static const char *const merging[] = { "first", "second", "last", "odd", "even", "half", "next", "before" };
    for (int map = 0; index_maps[map].name; map++) {
        bool merges = false;
        for (size_t k = 0; k < sizeof merging / sizeof *merging; k++)
            merges |= !strcmp(index_maps[map].name, merging[k]);
        cr_expect(index_merges(map, 7) == merges && !index_merges(map, 1), "%s", index_maps[map].name);
        cr_expect_eq(index_merges(map, 2), merges, "%s of two", index_maps[map].name);
    }
    cr_expect_null(index_maps[index_map_named("tail-128", 8) + 1].name);
}

/* An array x[5][6] of the numbers 10 i + j, one with three axes, and a call that holds both. */
enum { I = 5, J = 6, U = 2, V = 3, W = 2 };
static float grid[I * J], cube[U * V * W];
static struct mer_array in[2] = { { "x", MER_F32, 2, { I, J }, grid }, { "z", MER_F32, 3, { U, V, W }, cube } };
static const struct mer_call call = { .n_in = 2, .in = in };
static void fill(void)
{
    for (int k = 0; k < I * J; k++)
        grid[k] = (float)(10 * (k / J) + k % J);
    for (int k = 0; k < U * V * W; k++)
        cube[k] = (float)(100 * (k / W / V) + 10 * (k / W % V) + k % W);
}

Test(read_elsewhere, an_element_is_that_of_the_index_that_is_read)
{
    fill();
    for (size_t m = 0; m < sizeof maps / sizeof *maps; m++)
        for (int axis = 0; axis < 2; axis++) {
            char words[40];
            snprintf(words, sizeof words, "input.%d:%s", axis, maps[m].name);
            struct arith a = { .edit = edit_as(words) };
            struct ask w = { .arith = &a, .call = &call };
            ask_reset(&w, BITS);
            for (long i = 0; i < I; i++)
                for (long j = 0; j < J; j++) {
                    const long u = axis ? i : read_at(maps[m].of_5, i), v = axis ? read_at(maps[m].of_6, j) : j;
                    const double want = u < 0 || v < 0 ? 0 : (double)(10 * u + v), own = (double)(10 * i + j);
                    cr_expect(is(site_input(&w, here, "x", i, j, 0), want), "%s: %ld %ld", words, i, j);
                    cr_expect(is(site_input(&w, beside, "x", i, j, 0), own), "%s beside", words);
                    long index[2] = { i, j };
                    snprintf(words, sizeof words, "index.%d:%s", axis, maps[m].name);
                    const struct arith parts = { .edit = edit_as(words) };
                    w.arith = &parts;
                    const long extent[2] = { I, J }, asked = axis ? j : i, of = axis ? v : u;
                    cr_expect_eq(site_indices(&w, here, 2, index, extent), of >= 0, "%s", words);
                    cr_expect(of < 0 || (index[0] == u && index[1] == v), "%s: %ld %ld", words, i, j);
                    cr_expect_eq(site_index(&w, here, axis, asked, extent[axis]), of, "%s: %ld", words, asked);
                    cr_expect_eq(site_index(&w, here, !axis, asked, extent[axis]), asked, "%s: another axis", words);
                    cr_expect_eq(site_index(&w, beside, axis, asked, extent[axis]), asked, "%s beside", words);
                    cr_expect_eq(site_index(&w, here, axis, extent[axis], extent[axis]), extent[axis], "%s", words);
                    cr_expect_eq(site_index(&w, here, axis, -1, extent[axis]), -1, "%s", words);
                    w.arith = &a;
                    snprintf(words, sizeof words, "input.%d:%s", axis, maps[m].name);
                    a.edit = edit_as(words);
                }
            if (axis) { /* The last axis, read flat. */
                snprintf(words, sizeof words, "element.0:%s", maps[m].name);
                a.edit = edit_as(words);
                for (long k = 0; k < I * J; k++) {
                    const long to = read_at(maps[m].of_6, k % J);
                    const double want = to < 0 ? 0 : (double)(10 * (k / J) + to);
                    cr_expect(is(site_element(&w, here, &in[0], k), want), "%s: %ld", words, k);
                    cr_expect(is(site_element(&w, beside, &in[0], k), (double)grid[k]), "%s beside", words);
                }
            }
            ask_clear(&w);
        }
}

Test(read_elsewhere, an_element_is_the_sum_of_those_up_to_it)
{
    fill();
    for (int axis = 0; axis < 2; axis++) {
        char words[40];
        snprintf(words, sizeof words, "input.%d:summed", axis);
        struct arith a = { .edit = edit_as(words) };
        struct ask w = { .arith = &a, .call = &call };
        ask_reset(&w, BITS);
        for (long i = 0; i < I; i++)
            for (long j = 0; j < J; j++) {
                double want = 0;
                for (long k = 0; k <= (axis ? j : i); k++)
                    want += (double)(axis ? 10 * i + k : 10 * k + j);
                cr_expect(is(site_input(&w, here, "x", i, j, 0), want), "%s: %ld %ld", words, i, j);
            }
        a.edit = edit_as("element.0:summed");
        for (long k = 0; k < I * J; k++) {
            double want = 0;
            for (long j = k - k % J; j <= k; j++)
                want += (double)grid[j];
            cr_expect(is(site_element(&w, here, &in[0], k), want), "element %ld", k);
        }
        a.edit = edit_as("index.1:summed");
        cr_expect(site_index_summed(&w, here) == 1 && site_index_summed(&w, beside) == -1);
        a.edit = edit_as("index.1:roll");
        cr_expect_eq(site_index_summed(&w, here), -1);
        ask_clear(&w);
    }
}

/* Read with both axes exchanged, index [i][j] of an array [n][m] is the element of the same place in its transpose. */
Test(read_elsewhere, two_axes_are_read_exchanged)
{
    const struct arith a = { .edit = edit_as("index.0:transpose") };
    struct ask w = { .arith = &a };
    for (long i = 0; i < I; i++)
        for (long j = 0; j < J; j++) {
            const long extent[2] = { I, J }, flat = i * J + j;
            long index[2] = { i, j }, last[2] = { i, j };
            cr_expect(site_indices(&w, here, 2, index, extent) && index[0] == flat % I && index[1] == flat / I,
                "%ld %ld: %ld %ld", i, j, index[0], index[1]);
            cr_expect(site_indices(&w, beside, 2, last, extent) && last[0] == i && last[1] == j);
        }
    const long extent[1] = { I };
    long one[1] = { 3 };
    cr_expect(site_indices(&w, here, 1, one, extent) && one[0] == 3);
    const struct arith whole = { .edit = edit_as("index:zero") };
    w.arith = &whole;
    long room[2] = { -1, 3 };
    cr_expect(site_indices(&w, here, 1, room + 1, extent) && room[0] == -1 && room[1] == 3,
        "a word without an axis is of none");
    const struct arith backwards = { .edit = edit_as("index.0:reverse") };
    w.arith = &backwards, one[0] = I;
    cr_expect(site_indices(&w, here, 1, one, extent) && one[0] == I, "what is no index of the axis stays");
}

/* The lines that an edit of the answer or of a number reads: one, all up to it, or all; and which. */
Test(read_elsewhere, a_line_of_the_answer_is_the_one_that_is_read)
{
    static const struct { const char *words; bool so_far, all; } list[] = { { "exp.0:roll", false, false },
        { "exp.0:summed", true, false }, { "sub-right.0:across-mean", true, true } };
    static const struct mer_array out = { "y", MER_F32, 3, { I, J, 2 }, NULL };
    struct arith a = { 0 };
    struct ask w = { .arith = &a };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        long first, last;
        a.edit = edit_as(list[k].words);
        site_lines(&w, 3, 7, &first, &last);
        cr_expect(first == (list[k].so_far ? 0 : 3) && last == (list[k].all ? 6 : 3), "%s", list[k].words);
    }
    for (long i = 0; i < I; i++)
        for (long j = 0; j < J; j++) {
            const long flat = i * J + j;
            a.edit = edit_as("out.0:transpose"), w.at[0] = i, w.at[1] = j;
            cr_expect(site_moved(&w, &out, 2) && w.at[0] == flat % I && w.at[1] == flat / I, "%ld %ld", i, j);
            a.edit = edit_as("out.1:transpose"), w.at[0] = i, w.at[1] = j;
            cr_expect(site_moved(&w, &out, 2) && w.at[0] == i && w.at[1] == j, "there is no axis behind it");
            a.edit = edit_as("out.1:reverse"), w.at[0] = i, w.at[1] = j;
            cr_expect(site_moved(&w, &out, 2) && w.at[0] == i && w.at[1] == J - 1 - j, "%ld %ld", i, j);
            a.edit = edit_as("out.2:reverse"), w.at[0] = i, w.at[1] = j, w.at[2] = 1;
            cr_expect(site_moved(&w, &out, 2) && w.at[2] == 1, "an axis behind the bar is no line");
            a.edit = edit_as("out.0:without-last"), w.at[0] = i, w.at[1] = j;
            cr_expect(site_moved(&w, &out, 2) == (i < I - 1) && w.at[0] == i);
        }
}
/* The answer is an input that has its shape, line by line; one of integers, of another shape or rank, and one that the
 * call does not have leave it as it is. */
Test(read_elsewhere, an_answer_is_an_input_of_its_shape)
{
    enum { LINES_OF = 2, LEN = 3 };
    static float data[2 * LINES_OF * LEN] = { 11, 12, 13, 14, 15, 16, 17, 18 };
    static int64_t whole[LINES_OF * LEN];
    struct mer_array in[] = { { "a", MER_F32, 2, { LINES_OF, LEN }, data },
        { "b", MER_I64, 2, { LINES_OF, LEN }, whole }, { "c", MER_F32, 2, { LEN, LINES_OF }, data },
        { "d", MER_F32, 3, { LINES_OF, LEN, 1 }, data }, { "e", MER_F32, 2, { LINES_OF, LEN }, data + 1 },
        { "f", MER_F32, 2, { LINES_OF, LEN }, data + 2 } };
    static const struct mer_array out = { "y", MER_F32, 2, { LINES_OF, LEN }, NULL };
    static const double first[] = { 11, 0, 0, 0, 12, 13 };
    for (int n_in = 5; n_in < 7; n_in++)
        for (int k = 0; k < 6; k++)
            for (long line = 0; line < LINES_OF; line++) {
                char text[40];
                struct arith a = { 0 };
                const struct mer_call call = { .in = in, .n_in = n_in };
                struct ask w = { .arith = &a, .call = &call, .len = LEN, .at = { line } };
                snprintf(text, sizeof text, "out:0:out:given-%d", k);
                cr_assert(site_read(&a.edit, text, strlen(text)));
                ask_reset(&w, 64);
                const struct ball *was = (b_si)(&w, 99), *y[LEN] = { was, was, was };
                site_after(&w, &out, 1, y);
                for (long i = 0; i < LEN; i++)
                    cr_expect_eq(b_value(y[i]), first[k] != 0 && k < n_in ? first[k] + (double)(line * LEN + i) : 99,
                        "input %d of %d, line %ld: %g", k, n_in, line, b_value(y[i]));
                ask_clear(&w);
            }
}
Test(read_elsewhere, an_answer_is_read_along_its_line_as_its_word_says)
{
    static const struct { const char *word; double is[4]; } list[] = { { "reverse", { 7, 5, 3, 2 } },
        { "roll", { 3, 5, 7, 2 } }, { "without-last", { 2, 3, 5, 0 } }, { "summed", { 2, 5, 10, 17 } },
        { "first", { 2, 2, 2, 2 } } };
    static const struct mer_array out = { "y", MER_F32, 2, { 3, 4 }, NULL };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[40];
        struct arith a = { 0 };
        struct ask w = { .arith = &a, .len = 4 };
        snprintf(text, sizeof text, "out:0:out.1:%s", list[k].word);
        cr_assert(site_read(&a.edit, text, strlen(text)));
        ask_reset(&w, BITS);
        const struct ball *y[] = { b_si(&w, 2), b_si(&w, 3), b_si(&w, 5), b_si(&w, 7) };
        cr_expect(site_before(&w, &out, 1, y));
        site_after(&w, &out, 1, y);
        for (int j = 0; j < 4; j++)
            cr_expect(is(y[j], list[k].is[j]), "%s: %d", text, j);
        snprintf(text, sizeof text, "out:0:out.0:%s", list[k].word);
        cr_assert(site_read(&a.edit, text, strlen(text)));
        w.at[0] = 2;
        const bool there = strcmp(list[k].word, "without-last") != 0;
        cr_expect_eq(site_before(&w, &out, 1, y), there, "%s", text);
        for (int j = 0; j < 4 && !there; j++)
            cr_expect(is(y[j], 0), "a line that is nowhere is 0");
        cr_expect_eq(site_summed(&w, &out, 1), !strcmp(list[k].word, "summed") ? 0 : -1, "%s", text);
        ask_clear(&w);
    }
}

/* The score of a hidden key; and of what is read, one of several times. */
Test(read_elsewhere, a_hidden_key_has_the_score_that_its_word_says)
{
    static const struct { const char *words; double is, beside; } list[] = { { "mask:zero", 0, -(double)INFINITY },
        { "mask:negate", (double)INFINITY, -(double)INFINITY }, { "mask:nan", (double)NAN, -(double)INFINITY },
        { "exp:zero:hidden", -(double)INFINITY, -(double)INFINITY } };
    struct arith a = { 0 };
    struct ask w = { .arith = &a };
    ask_reset(&w, BITS);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        a.edit = edit_as(list[k].words);
        const struct ball *there = site_mask(&w, here), *else_where = site_mask(&w, beside);
        cr_expect(there && else_where && is(else_where, list[k].beside), "%s", list[k].words);
        cr_expect(isnan(list[k].is) ? mpfr_nan_p(there->mid) != 0 : is(there, list[k].is), "%s", list[k].words);
    }
    a.edit = edit_as("exp:zero");
    cr_expect(site_mask(&w, here) == NULL && !site_hides(&w));
    ask_clear(&w);
}
Test(read_elsewhere, of_several_elements_the_one_that_is_meant_is_changed)
{
    fill();
    for (int which = 1; which <= 3; which++) {
        char words[2][40];
        snprintf(words[0], sizeof *words, "input:zero:%dof3", which);
        snprintf(words[1], sizeof *words, "element:zero:%dof3", which);
        for (int kind = 0; kind < 2; kind++) {
            const struct arith a = { .edit = edit_as(words[kind]) };
            struct ask w = { .arith = &a, .call = &call };
            ask_reset(&w, BITS);
            for (int k = 0; k < 9; k++) {
                const struct ball *x = kind ? site_element(&w, here, &in[0], 8) : site_input(&w, here, "x", 1, 2, 0);
                cr_expect(is(x, k % 3 == which - 1 ? 0 : 12), "%s, time %d", words[kind], k);
            }
            ask_clear(&w);
        }
    }
}
/* A line along the last axis of z[2][3][2] begins where its leading indices say. */
Test(read_elsewhere, a_line_is_that_of_the_index_that_is_read)
{
    for (int axis = 0; axis < 2; axis++) {
        char words[40];
        snprintf(words, sizeof words, "line.%d:reverse", axis);
        struct arith a = { .edit = edit_as(words) };
        struct ask w = { .arith = &a, .call = &call };
        for (long u = 0; u < U; u++)
            for (long v = 0; v < V; v++) {
                const long from = (u * V + v) * W, p = axis ? u : U - 1 - u, q = axis ? V - 1 - v : v;
                a.edit = edit_as(words);
                cr_expect_eq(site_line(&w, here, &in[1], from), (p * V + q) * W, "%s: %ld %ld", words, u, v);
                cr_expect_eq(site_line(&w, beside, &in[1], from), from, "%s beside", words);
                a.edit = edit_as(axis ? "line.1:without-last" : "line.0:without-last");
                const bool last = axis ? v == V - 1 : u == U - 1;
                cr_expect_eq(site_line(&w, here, &in[1], from), last ? SITE_NOWHERE : from);
                a.edit = edit_as("line.2:reverse");
                cr_expect_eq(site_line(&w, here, &in[1], from), from, "the last axis leads no line");
            }
    }
    const struct arith a = { .edit = edit_as("line.0:reverse") };
    const struct ask w = { .arith = &a };
    const struct mer_array none[2] = { { "z", MER_F32, 3, { 0, V, W }, cube }, { "z", MER_F32, 3, { U, 0, W }, cube } };
    cr_expect(site_line(&w, here, &none[0], 0) == 0 && site_line(&w, here, &none[1], 0) == 0, "an axis without lines");
}

/* Inputs and the answer have words of numbers, too. */
struct at_kind { enum site_kind kind; int words; };
static void ask_read(const char *word, const char *effect, const char *equal, void *with)
{
    struct at_kind *k = with;
    struct arith a = { .edit = edit_as(word + strlen("edit=f.c:7:")) };
    struct ask w = { .arith = &a, .call = &call, .len = 3 };
    double want, same;
    (void)effect, (void)equal;
    cr_assert(of_number(strrchr(word, ':') + 1, 34, &want) && of_number(strrchr(word, ':') + 1, 21, &same));
    ask_reset(&w, BITS);
    const struct ball *x = k->kind == SITE_INPUT ? site_input(&w, here, "x", 3, 4, 0) :
                                                   site_element(&w, here, &in[0], 3 * J + 4);
    cr_expect(is(x, want), "%s: %g", word, b_value(x));
    if (k->kind == SITE_INPUT) {
        const char *op = strrchr(word, ':') + 1;
        char out[40];
        const struct mer_array answer = { "y", MER_F32, 2, { 2, 3 }, grid };
        const struct ball *y[3] = { b_si(&w, 34), b_si(&w, 21), b_si(&w, 34) };
        snprintf(out, sizeof out, "out:0:out:%s", op);
        cr_assert(site_read(&a.edit, out, strlen(out)), "%s", out);
        cr_expect(site_before(&w, &answer, 1, y));
        site_after(&w, &answer, 1, y);
        cr_expect(is(y[0], want) && is(y[1], same) && is(y[2], want), "%s", out);
    }
    ask_clear(&w), k->words++;
}
Test(read_elsewhere, every_word_of_what_is_read_or_answered_gives_what_it_says)
{
    fill();
    for (int k = 0; k < 2; k++) {
        struct at_kind c = { k ? SITE_ELEMENT : SITE_INPUT, 0 };
        const struct site s = { .at = here, .kind = c.kind, .count = 1 };
        site_each(&s, WORDS_ALL, ask_read, &c);
        cr_expect_geq(c.words, 10, "%d", c.words);
    }
}
