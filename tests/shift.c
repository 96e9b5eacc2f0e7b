/* Whole numbers that are off by an extent (ref/core/edit/shift.h): which extents a call has, the words, and what they
 * do. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "edit/shift.h"
#include "edit/site.h"
#include "words/each.h"
#include "words/read.h"

/* Behind the three inputs stand two that the call does not have. */
static struct mer_array in[] = { { .name = "q", .rank = 3, .dim = { 2, 5, 8 } }, { .name = "k", .rank = 3,
    .dim = { 2, 7, 8 } }, { .name = "one", .rank = 1, .dim = { 1 } }, { .rank = 1, .dim = { 50 } }, { .rank = 1,
    .dim = { 60 } } },
                        out[] = { { .name = "o", .rank = 3, .dim = { 4, 5, 7 } }, { .name = "lse", .rank = 2,
                            .dim = { 4, 9 } } };
static const struct mer_call call = { .n_in = 3, .n_out = 2, .in = in, .out = out, .params = "" };

Test(shift, every_extent_comes_once)
{
    static const struct { int array, axis; } want[] = { { 9, 0 }, { 9, 1 }, { 9, 2 }, { 1, 0 }, { 1, 2 } };
    struct shift_places p;
    shift_places_of(&call, 0, &p);
    cr_assert_eq(p.n, 5, "%d", p.n);
    for (int k = 0; k < p.n; k++)
        cr_expect(p.at[k].array == want[k].array && p.at[k].axis == want[k].axis, "%d: axis %d of %d", k, p.at[k].axis,
            p.at[k].array);
    in[0].dim[1] = 6;
    shift_places_of(&call, 0, &p);
    cr_expect(p.n == 6 && p.at[5].array == 0 && p.at[5].axis == 1, "%d", p.n);
    in[0].dim[1] = 5;
    /* Without the second input the first has what the answer has not; the answer is never left out. */
    shift_places_of(&call, 1UL << 1 | 1UL << 9, &p);
    cr_expect(p.n == 5 && p.at[0].array == 9 && p.at[3].array == 0 && p.at[3].axis == 0 && p.at[4].array == 0 &&
        p.at[4].axis == 2, "%d", p.n);
    /* There is room for six. */
    struct mer_array many[] = { { .rank = 6, .dim = { 2, 3, 4, 5, 6, 7 } }, { .rank = 3, .dim = { 8, 9, 10 } } };
    const struct mer_call more = { .n_in = 1, .n_out = 1, .in = &many[1], .out = many, .params = "" };
    shift_places_of(&more, 0, &p);
    cr_expect(p.n == 6 && p.at[5].array == 9 && p.at[5].axis == 5, "%d", p.n);
    const struct mer_call none = { .n_in = 1, .in = &in[2], .params = "" };
    shift_places_of(&none, 0, &p);
    cr_expect_eq(p.n, 0);
}

Test(shift, words_are_read_as_they_are_written)
{
    static const char *const wrong[] = { "up-9-6", "up-10-0", "up-9", "ups-9-0", "up-last-twice-9-0", "", "up-9-00",
        "-9-0" };
    static const struct { const char *word, *says; } list[] = {
        { "up-9-1", "is larger by the extent of axis 1 of the answer" },
        { "down-twice-9-0", "is smaller by twice the extent of axis 0 of the answer" },
        { "down-twice-last-0-2", "is smaller by twice the last index of axis 2 of input 0" },
        { "from-last-8-5", "is taken from the last index of axis 5 of input 8" },
    };
    char word[40], says[80];
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const int shift = shift_named(list[k].word, strlen(list[k].word));
        cr_assert_geq(shift, 0, "%s", list[k].word);
        shift_say(shift, word, sizeof word, says, sizeof says);
        cr_expect(!strcmp(word, list[k].word) && !strcmp(says, list[k].says), "%s: %s", word, says);
    }
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        cr_expect_eq(shift_named(wrong[k], strlen(wrong[k])), -1, "%s", wrong[k]);
    /* Every way at a place is another word, which is that of its number. */
    struct shift_places p;
    shift_places_of(&call, 0, &p);
    cr_expect_eq(shift_at(&p, 1, 0), shift_named("up-9-1", 6));
    cr_expect_eq(shift_at(&p, 3, 3), shift_named("up-twice-last-1-0", 17));
    cr_expect_eq(shift_at(&p, 4, 8), shift_named("from-1-2", 8));
    for (int k = 0; k < p.n * SHIFT_WAYS; k++) {
        const int shift = shift_at(&p, k / SHIFT_WAYS, k % SHIFT_WAYS);
        shift_say(shift, word, sizeof word, says, sizeof says);
        cr_expect_eq(shift_named(word, strlen(word)), shift, "%s", word);
    }
    /* Of a distance or a sum alone, as a whole. */
    static const struct { const char *word; bool is; } edits[] = { { "f.c:7:apart:up-9-1", true },
        { "f.c:7:plus:from-twice-1-2", true }, { "f.c:7:times:up-9-1", false }, { "f.c:7:apart-left:up-9-1", false },
        { "f.c:7:mul:up-9-1", false }, { "out:0:out:up-9-1", false } };
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
        struct edit e;
        cr_expect_eq(site_read(&e, edits[k].word, strlen(edits[k].word)), edits[k].is, "%s", edits[k].word);
    }
}

/* A distance or a sum has a word for each way at each place, and nothing else has one. */
struct found { int n; bool last; };
static void count_shifts(const char *word, const char *effect, const char *equal, void *with)
{
    struct found *f = with;
    (void)equal;
    const char *from = strstr(word, ":from-"); /* A number within bounds may be bounded "from-below". */
    f->n += strstr(word, ":up-") || strstr(word, ":down-") || (from && from[6] != 'b' && from[6] != 'a');
    f->last |= !strcmp(word, "edit=f.c:7:apart:from-twice-last-1-2") &&
        strstr(effect, "is taken from twice the last index of axis 2 of input 1");
}
Test(shift, distances_and_sums_have_words)
{
    struct shift_places p;
    shift_places_of(&call, 0, &p);
    for (int kind = 0; kind < SITE_KINDS; kind++)
        for (int some = 0; some < 2; some++) {
            const struct site s = { .at = { "f.c", 7, NULL }, .kind = (enum site_kind)kind, .count = 4,
                .places = some ? &p : NULL };
            struct found f = { 0, false };
            site_each(&s, WORDS_ALL, count_shifts, &f);
            const bool takes = some && (kind == SITE_APART || kind == SITE_PLUS);
            cr_expect(f.n == (takes ? p.n * SHIFT_WAYS : 0) && f.last == (some && kind == SITE_APART), "kind %d: %d",
                kind, f.n);
            site_each(&s, WORDS_APART, count_shifts, &f);
            cr_expect_eq(f.n, takes ? p.n * SHIFT_WAYS : 0, "kind %d: some of them", kind);
        }
}

Test(shift, a_number_is_off_by_what_is_said)
{
    static const struct { const char *word; long is; } of_3[] = { { "up-9-1", 8 }, { "down-9-1", -2 },
        { "from-9-1", 2 },
        { "up-twice-9-1", 13 }, { "up-last-9-1", 7 }, { "down-twice-last-9-2", -9 }, { "from-twice-last-1-1", 9 },
        { "up-0-0", 5 }, { "up-9-3", 3 }, { "up-4-0", 3 } };
    struct ask w = { .call = &call };
    for (size_t k = 0; k < sizeof of_3 / sizeof *of_3; k++)
        cr_expect_eq(shift_edited(&w, shift_named(of_3[k].word, strlen(of_3[k].word)), 3), of_3[k].is, "%s: %ld",
            of_3[k].word, shift_edited(&w, shift_named(of_3[k].word, strlen(of_3[k].word)), 3));
    /* As the page has it. */
    struct arith a = { .how = EXACT };
    const char word[] = "f.c:7:apart:down-twice-9-1";
    struct ask page = { .call = &call, .arith = &a };
    cr_assert(site_read(&a.edit, word, strlen(word)));
    cr_expect_eq(site_apart(&page, (struct source){ "f.c", 7, NULL }, 9, 2), -3);
    cr_expect_eq(site_apart(&page, (struct source){ "f.c", 8, NULL }, 9, 2), 7);
    /* What is beyond all numbers stays as it is. */
    const int up = shift_named("up-9-1", 6), down = shift_named("down-9-1", 8), from = shift_named("from-9-1", 8);
    const long most = __LONG_MAX__, least = -most - 1;
    cr_expect(shift_edited(&w, up, most - 4) == most - 4 && shift_edited(&w, up, most - 5) == most);
    cr_expect(shift_edited(&w, down, least + 4) == least + 4 && shift_edited(&w, down, least + 5) == least);
    cr_expect(shift_edited(&w, from, least) == least);
    const struct mer_call none = { .params = "" };
    w.call = &none;
    cr_expect_eq(shift_edited(&w, up, 3), 3);
    w.call = NULL;
    cr_expect_eq(shift_edited(&w, up, 3), 3);
}

/* Turns that an extent counts: their words, and how many they are in a call. */
Test(shift, turns_of_an_extent_are_read_as_they_are_written)
{
    static const char *const wrong[] = { "first-of-9", "first-of-9-6", "first-of-9-22", "first-of9-2", "of-9-2", "",
        "first-of-9_2", "last-of-a-0", "last-of-0-/", "last-of-/-0", "last-of_0-1" };
    char word[40], says[80];
    int which, of;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        cr_expect(!turns_read(wrong[k], strlen(wrong[k]), &which, &of), "%s", wrong[k]);
    struct shift_places p;
    shift_places_of(&call, 0, &p);
    struct ask w = { .call = &call };
    for (int k = 0; k < 2 * p.n; k++) {
        turns_say(&p, k / 2, k % 2, word, sizeof word, says, sizeof says);
        cr_expect(turns_read(word, strlen(word), &which, &of) && which == k % 2, "%s", word);
        cr_expect_eq(turns_of(&w, of), p.at[k / 2].extent, "%s", word);
    }
    turns_say(&p, 2, true, word, sizeof word, says, sizeof says);
    cr_expect(!strcmp(word, "first-of-9-2") && !strcmp(says, " (the first of as many as axis 2 of the answer has)"),
        "%s%s", word, says);
    turns_say(&p, 4, false, word, sizeof word, says, sizeof says);
    cr_expect(!strcmp(word, "last-of-1-2") && !strcmp(says, " (the last of as many as axis 2 of input 1 has)"), "%s%s",
        word, says);
    cr_expect(turns_read("first-of-0-2", 12, &which, &of) && turns_of(&w, of) == in[0].dim[2]);
    /* What the call does not have has no turns, and small numbers are themselves. */
    cr_expect(turns_read("last-of-4-0", 11, &which, &of) && turns_of(&w, of) == 0);
    cr_expect(turns_read("last-of-2-1", 11, &which, &of) && turns_of(&w, of) == 0);
    cr_expect(turns_read("last-of-9-3", 11, &which, &of) && turns_of(&w, of) == 0);
    cr_expect(turns_of(&(struct ask){ .call = NULL }, of) == 0);
    for (int k = 0; k < TURNS_OF_EXTENT; k++)
        cr_expect_eq(turns_of(&w, k), k);
}
/* Some of all turns of a line: those that each word means, of lines that take three to eight. */
Test(shift, some_of_all_turns_of_a_line_are_those_that_are_said)
{
    static const struct { const char *word; long all; const char *meant; } list[] = { { "early", 4, "1100" },
        { "late", 4, "0011" }, { "first", 4, "1000" }, { "last", 4, "0001" }, { "early", 8, "11110000" },
        { "late", 8, "00001111" }, { "early", 5, "11000" }, { "late", 5, "00111" }, { "last", 3, "001" },
        { "early", SITE_COUNTING, "000" }, { "late", SITE_COUNTING, "000" }, { "first", SITE_COUNTING, "000" },
        { "last", SITE_COUNTING, "000" } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct arith a = { .how = EXACT };
        char word[40];
        snprintf(word, sizeof word, "f.c:7:mul:zero:%s", list[k].word);
        cr_assert(site_read(&a.edit, word, strlen(word)), "%s", word);
        const struct ask w = { .call = &call, .arith = &a, .site_all = list[k].all };
        cr_expect(turns_counted(&w) && a.edit.of == TURNS_OF_LINE);
        for (long turn = 0; list[k].meant[turn]; turn++)
            cr_expect_eq(turns_mean(&w, turn), list[k].meant[turn] == '1', "%s of %ld: turn %ld", word, list[k].all,
                turn);
    }
    static const char *const others[] = { "1of2", "2of4", "first-of-9-2" };
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        struct arith a = { .how = EXACT };
        char word[40];
        snprintf(word, sizeof word, "f.c:7:mul:zero:%s", others[k]);
        cr_assert(site_read(&a.edit, word, strlen(word)), "%s", word);
        cr_expect(!turns_counted(&(struct ask){ .call = &call, .arith = &a }), "%s", word);
    }
    int which, of;
    cr_expect(!turns_read("earl", 4, &which, &of) && !turns_read("earlyy", 6, &which, &of));
}
/* The halves are of operations with an even number of turns, and what is left out in the first or the last of more
 * than two, unless an extent counts them. */
struct turn_words { int early, late, first, last; };
static void count_turns(const char *word, const char *effect, const char *equal, void *with)
{
    struct turn_words *n = with;
    const char *of = strrchr(word, ':') + 1;
    struct edit e;
    (void)equal;
    cr_expect(site_read(&e, word + strlen("edit="), strlen(word) - strlen("edit=")) && strstr(effect, "turn"), "%s: %s",
        word, effect);
    n->early += !strcmp(of, "early"), n->late += !strcmp(of, "late");
    n->first += !strcmp(of, "first"), n->last += !strcmp(of, "last");
}
Test(shift, operations_have_words_of_some_of_their_turns)
{
    static const struct { enum site_kind kind; bool takes; int left_out; } kinds[] = { { SITE_MUL, true, 3 },
        { SITE_EXP, true, 2 }, { SITE_INPUT, true, 1 }, { SITE_ELEMENT, true, 1 }, { SITE_NEG, true, 2 },
        { SITE_WHOLE, false, 0 }, { SITE_INDEX, false, 0 }, { SITE_OUT, false, 0 } };
    struct shift_places p;
    shift_places_of(&call, 0, &p); /* 4, 5, 7, 2 and 8 */
    const struct shift_places one = { .n = 1, .at = { { 9, 0, 4 }, { 9, 1, 6 } } };
    const struct site six = { .at = { "ref/f.c", 7, NULL }, .kind = SITE_MUL, .count = 6, .places = &one };
    struct turn_words of_six = { 0 };
    site_each(&six, WORDS_TURNS, count_turns, &of_six);
    cr_expect_eq(of_six.first, 3, "what is behind the list is none of it");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (long count = 1; count < 12; count++)
            for (int form = 0; form < 2; form++) {
                const struct site s = { .at = { "ref/f.c", 7, NULL }, .kind = kinds[k].kind, .count = count,
                    .form = form, .places = &p };
                const bool some = kinds[k].takes && !form && count > 2;
                const bool of_extent = count == 4 || count == 5 || count == 7 || count == 8;
                struct turn_words n = { 0 };
                site_each(&s, WORDS_TURNS, count_turns, &n);
                cr_expect_eq(n.early > 0, some && count % 2 == 0, "kind %d, %ld turns", (int)s.kind, count);
                cr_expect_eq(n.early, n.late);
                cr_expect_eq(n.first, some && !of_extent ? kinds[k].left_out : 0, "kind %d, %ld turns: %d",
                    (int)s.kind, count, n.first);
                cr_expect_eq(n.first, n.last);
            }
}
/* Only operations that may be left out have such words, each for the first and the last of every extent that they are
 * made as often as. */
static void count_ends(const char *word, const char *effect, const char *equal, void *with)
{
    int *n = with;
    (void)equal;
    *n += (strstr(word, ":first-of-") || strstr(word, ":last-of-")) && strstr(effect, " of as many as axis ");
}
Test(shift, operations_that_are_left_out_have_ends)
{
    static const struct { enum site_kind kind; int left_out; } kinds[] = { { SITE_MUL, 3 }, { SITE_EXP, 2 },
        { SITE_WHOLE, 0 }, { SITE_INPUT, 0 }, { SITE_NEG, 2 }, { SITE_LESS, 0 } };
    /* The extents of the call are 4, 5, 7, 2 and 8. */
    static const struct { long count; int extents; } counts[] = { { 4, 2 }, { 5, 1 }, { 1, 0 }, { 8, 3 }, { 40, 4 },
        { 3, 0 }, { 280, 5 } };
    struct shift_places p;
    shift_places_of(&call, 0, &p);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t j = 0; j < sizeof counts / sizeof *counts; j++)
            for (int form = 0; form < 2; form++) {
                struct site s = { .at = { "ref/f.c", 7, NULL }, .kind = kinds[k].kind, .count = counts[j].count,
                    .form = form };
                int n = 0;
                site_each(&s, WORDS_ENDS, count_ends, &n);
                cr_expect_eq(n, 0, "without places");
                s.places = &p, site_each(&s, WORDS_ENDS, count_ends, &n);
                cr_expect_eq(n, form ? 0 : 2 * kinds[k].left_out * counts[j].extents, "kind %d, %ld times: %d",
                    (int)kinds[k].kind, counts[j].count, n);
            }
}
