/* Which words the operations of a page have: one for each map of each axis that it tells apart, one for each number
 * that other operations take as well, one for each way in which a line's numbers may be reduced, and what is noted of a
 * page to know these. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "edit/form.h"
#include "edit/maps.h"
#include "edit/site.h"
#include "edit/site_parts.h"
#include "edit/whole.h"
#include "trial/trial.h"
#include "words/each.h"
#include "words/read.h"

enum { WORDS = 2000, BITS = 64 };
static const struct source here = { "ref/core/f.c", 7, "s - max" }, beside = { "f.c", 8, NULL };

/* Words with what they say, in the order in which they came. */
struct words { char word[WORDS][80], effect[WORDS][200], equal[WORDS][80]; int n; };
static void keep(const char *word, const char *effect, const char *equal, void *with)
{
    struct words *w = with;
    struct edit e;
    cr_assert_lt(w->n, WORDS);
    snprintf(w->word[w->n], sizeof *w->word, "%s", word);
    snprintf(w->effect[w->n], sizeof *w->effect, "%s", effect);
    snprintf(w->equal[w->n++], sizeof *w->equal, "%s", equal ? equal : "");
    if (!strstr(word, "times-") && !strstr(word, "plus-")) {
        cr_expect(site_read(&e, word + strlen("edit="), strlen(word) - strlen("edit=")), "%s cannot be read", word);
        cr_expect(!equal || site_read(&e, equal + strlen("edit="), strlen(equal) - strlen("edit=")), "%s", equal);
    }
}
static struct words *words_of(struct site s, enum site_words which)
{
    static struct words w;
    w.n = 0;
    site_each(&s, which, keep, &w);
    return &w;
}
static int place(const struct words *w, const char *word)
{
    for (int k = 0; k < w->n; k++)
        if (!strcmp(w->word[k], word))
            return k;
    return -1;
}
/* How many words hold that text. */
static int holding(const struct words *w, const char *text)
{
    int n = 0;
    for (int k = 0; k < w->n; k++)
        n += strstr(w->word[k], text) != NULL;
    return n;
}

/* Does the map move an index of an axis, and keep one?  Then it has a word, and a map before it that moves all in the
 * same way is its equal. */
static bool moves(int map, long extent)
{
    bool moved = false, kept = false;
    for (long i = 0; i < extent; i++)
        moved |= index_mapped(map, i, extent) != i, kept |= index_mapped(map, i, extent) >= 0;
    return moved && kept;
}
/* Does the map take all of an axis away?  Then it does what "zero" does, where the operation has that. */
static bool empties(const struct words *w, const char *of, int map, long extent)
{
    char zero[80];
    long i = 0;
    snprintf(zero, sizeof zero, "edit=f.c:7:%.*s:zero", (int)strcspn(of, "."), of);
    while (i < extent && index_mapped(map, i, extent) < 0)
        i++;
    return extent > 1 && i == extent && place(w, zero) >= 0;
}
static int equal_to(int map, long extent)
{
    for (int k = 0; k < map; k++) {
        bool same = true;
        for (long i = 0; i < extent; i++)
            same &= index_mapped(k, i, extent) == index_mapped(map, i, extent);
        if (same)
            return k;
    }
    return -1;
}
/* Expects the words of an axis, "sub.0" of so many indices, and no other; ways: those besides the maps.  Answers how
 * many there are. */
static int expect_axis(const struct words *w, const char *of, long extent, const char *ways)
{
    int n = 0;
    char word[80];
    for (int k = 0; index_maps[k].name; k++) {
        snprintf(word, sizeof word, "edit=f.c:7:%s:%s", of, index_maps[k].name);
        const int at = place(w, word), equal = equal_to(k, extent);
        const bool zero = empties(w, of, k, extent);
        cr_expect_eq(at >= 0, moves(k, extent) || zero, "%s", word);
        if (at < 0)
            continue;
        if (zero)
            snprintf(word, sizeof word, "edit=f.c:7:%.*s:zero", (int)strcspn(of, "."), of);
        else
            snprintf(word, sizeof word, "edit=f.c:7:%s:%s", of, equal < 0 ? "" : index_maps[equal].name);
        cr_expect_str_eq(w->equal[at], equal < 0 && !zero ? "" : word);
        n++;
    }
    for (const char *s = ways; *s; s += strspn(s, " "), n++) {
        const int len = (int)strcspn(s, " ");
        snprintf(word, sizeof word, "edit=f.c:7:%s:%.*s", of, len, s);
        cr_expect(place(w, word) >= 0, "%s is not there", word);
        s += len;
    }
    char head[40];
    snprintf(head, sizeof head, ":%s:", of);
    cr_expect_eq(holding(w, head), n, "%s has %d words, not %d", of, holding(w, head), n);
    return n;
}

#define ALL_ACROSS "across-largest across-least across-mean across-total"
Test(edit_words, every_map_and_way_of_every_axis_has_one)
{
    struct site s = { .at = here, .kind = SITE_SUB, .count = 8, .parts = 4, .turns = 2, .part_of = "the keys",
        .axes = 2, .extent = { 3, 1 }, .elsewhere = { true, false }, .reduced = true };
    const struct words *w = words_of(s, WORDS_ALL);
    int n = 0;
    for (int operand = 0; operand < 2; operand++) {
        static const char *const of[2][4] = { { "sub.0", "sub.1", "sub.p", "sub.t" },
            { "sub-left.0", "sub-left.1", "sub-left.p", "sub-left.t" } };
        n += expect_axis(w, of[operand][0], 3, "summed") + expect_axis(w, of[operand][1], 1, "") +
            expect_axis(w, of[operand][2], 4, "summed") + expect_axis(w, of[operand][3], 2, "summed");
    }
    n += expect_axis(w, "sub-right.0", 0, ALL_ACROSS) + expect_axis(w, "sub-right.p", 0, ALL_ACROSS) +
        expect_axis(w, "sub-right.a", 0, ALL_ACROSS);
    cr_expect_eq(holding(w, "sub."), n - 12 - holding(w, "sub-left."));
    cr_expect(!holding(w, "sub-right:") && holding(w, "sub-left:"), "a number that others take has words of its own");
    s.reduced = false;
    cr_expect(!holding(words_of(s, WORDS_ALL), ".a:"), "where nothing is reduced, no axis is");
    s.reduced = true, s.parts = 1;
    cr_expect(!holding(words_of(s, WORDS_ALL), ".a:"), "one axis is not several");
    s.form = true;
    cr_expect(!holding(words_of(s, WORDS_ALL), ".0:"), "another form has no axes");
    s.form = false, s.parts = 4, s.kind = SITE_EXP;
    cr_expect(!holding(words_of(s, WORDS_ALL), ".a:") && !holding(words_of(s, WORDS_ALL), "across"));
    s.kind = SITE_DIV;
    expect_axis(words_of(s, WORDS_ALL), "div-right.p", 0, ALL_ACROSS);

    const struct site sum = { .at = here, .kind = SITE_SUM, .count = 1, .axes = 2, .extent = { 3, 2 },
        .reduced = true };
    w = words_of(sum, WORDS_ALL);
    expect_axis(w, "sum.0", 3, "transpose summed across-mean across-total");
    expect_axis(w, "sum.1", 2, "summed across-mean across-total");
    expect_axis(w, "sum.a", 0, "across-mean across-total");
    expect_axis(w, "sum.p", 0, ""), expect_axis(w, "sum.t", 0, "");
    const struct site in = { .at = here, .kind = SITE_INPUT, .count = 1, .axes = 2, .extent = { 5, 6 } };
    w = words_of(in, WORDS_ALL);
    expect_axis(w, "input.0", 5, "summed"), expect_axis(w, "input.1", 6, "summed");
    const struct site index = { .at = here, .kind = SITE_INDEX, .count = 1, .axes = 2, .extent = { 5, 6 } };
    w = words_of(index, WORDS_ALL);
    expect_axis(w, "index.0", 5, "transpose summed"), expect_axis(w, "index.1", 6, "summed");
    struct site truth = { .at = here, .kind = SITE_TRUTH, .count = 1, .axes = 1, .extent = { 5 }, .turns = 3 };
    w = words_of(truth, WORDS_ALL);
    expect_axis(w, "truth.0", 5, "summed"), expect_axis(w, "truth.t", 0, "");
    truth.parts = 2;
    w = words_of(truth, WORDS_ALL);
    cr_expect_eq(w->n, 3, "what is asked of each key has its indices where the key is asked for: %d words", w->n);
}

/* Sentences, with the place and what is written there, if it is short. */
Test(edit_words, say_what_they_do_and_where)
{
    static const char long_text[] = "an expression of forty letters, or more..";
    static const struct { enum site_kind kind; const char *word, *effect; } list[] = {
        { SITE_SUB, "edit=f.c:7:sub:add", "the difference 's - max' at ref/core/f.c:7 is a sum" },
        { SITE_SUB, "edit=f.c:7:sub-left:negate",
            "the difference 's - max' at ref/core/f.c:7 has a first number that is negated" },
        { SITE_SUB, "edit=f.c:7:sub-right:absolute",
            "the difference 's - max' at ref/core/f.c:7 has a second number that loses its sign" },
        { SITE_SUB, "edit=f.c:7:sub.0:reverse",
            "the difference 's - max' at ref/core/f.c:7 is taken along axis 0 of the answer backwards" },
        { SITE_SUB, "edit=f.c:7:sub.p:first",
            "the difference 's - max' at ref/core/f.c:7 is taken along the keys always at its first place" },
        { SITE_SUB, "edit=f.c:7:sub.t:summed",
            "the difference 's - max' at ref/core/f.c:7 is taken along its turns summed up to it" },
        { SITE_SUB, "edit=f.c:7:sub-right.a:across-mean",
            "the difference 's - max' at ref/core/f.c:7 has a second number that is taken along all axes at once as "
            "the mean of all its first numbers" },
        { SITE_INPUT, "edit=f.c:7:input.1:roll",
            "the element that is read 's - max' at ref/core/f.c:7 is read along axis 1 one further, the last as the "
            "first" },
        { SITE_INTEGER, "edit=f.c:7:integer:extent-3-2",
            "the whole number 's - max' at ref/core/f.c:7 is the extent of axis 2 of input 3" },
        { SITE_OUT, "edit=f.c:7:out:zero", "the answer is 0" },
        { SITE_OUT, "edit=f.c:7:out.1:reverse", "the answer is given along its axis 1 backwards" },
        { SITE_OUT, "edit=f.c:7:out.0:added-first", "the answer is given along its axis 0 added up always at its first "
            "place, and what nothing is written to is 0" },
        { SITE_OUT, "edit=f.c:7:out.1:written-half", "the answer is given along its axis 1 written at half the index, "
            "and what nothing is written to is 0" } };
    struct site s = { .at = here, .count = 8, .parts = 4, .turns = 2, .part_of = "the keys", .axes = 2,
        .extent = { 3, 2 }, .elsewhere = { true, true }, .reduced = true };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        s.kind = list[k].kind;
        const struct words *w = words_of(s, WORDS_ALL);
        const int at = place(w, list[k].word);
        cr_assert(at >= 0, "%s", list[k].word);
        cr_expect_str_eq(w->effect[at], list[k].effect);
    }
    s.kind = SITE_SUB, s.at.text = long_text;
    const struct words *w = words_of(s, WORDS_ALL);
    cr_expect_str_eq(w->effect[place(w, "edit=f.c:7:sub:add")], "the difference at ref/core/f.c:7 is a sum");
    s.may_hide = s.hides = true, s.at.text = NULL;
    w = words_of(s, WORDS_TWINS);
    cr_expect_str_eq(w->effect[place(w, "edit=f.c:7:sub:add:hidden")], "the difference at ref/core/f.c:7 (of hidden "
        "keys, too, whose scores are -inf) is a sum");
    cr_expect_str_eq(w->effect[place(w, "edit=f.c:7:sub:add:guarded")], "the difference at ref/core/f.c:7 (of hidden "
        "keys, too, whose scores are -inf, a total of 0 being 1) is a sum");
    w = words_of(s, WORDS_APART);
    cr_expect_str_eq(w->effect[place(w, "edit=f.c:7:sub:add:2of4")],
        "the difference at ref/core/f.c:7 (number 2 of every 4) is a sum");
}

/* Words of hidden keys, of every second turn, and of numbers that are solved for. */
Test(edit_words, are_asked_of_what_the_page_does)
{
    struct site s = { .at = here, .kind = SITE_SUM, .count = 1 };
    cr_expect_eq(words_of(s, WORDS_HIDDEN)->n + words_of(s, WORDS_GUARDED)->n + words_of(s, WORDS_TWINS)->n, 0);
    const int all = words_of(s, WORDS_ALL)->n;
    s.may_hide = true;
    cr_expect(!words_of(s, WORDS_HIDDEN)->n && !words_of(s, WORDS_GUARDED)->n);
    cr_expect_eq(words_of(s, WORDS_TWINS)->n, 2 * all);
    s.kind = SITE_LARGEST;
    cr_expect(words_of(s, WORDS_HIDDEN)->n && !words_of(s, WORDS_GUARDED)->n);
    s.kind = SITE_SUM, s.hides = true;
    cr_expect(words_of(s, WORDS_HIDDEN)->n == all && words_of(s, WORDS_GUARDED)->n == all);
    cr_expect_eq(holding(words_of(s, WORDS_HIDDEN), ":hidden"), all);

    static const struct { long count, parts; bool again; const char *turns, *axes, *left; } apart[] = {
        { 1, 0, true, "", "", "" }, { 4, 0, true, "24", "24", "24" }, { 6, 0, false, "23", "2", "" },
        { 9, 0, true, "3", "3", "3" }, { 8, 4, true, "24", "2", "2" }, { 12, 4, true, "234", "3", "3" },
        { 20, 4, true, "24", "", "" }, { 16, 4, true, "24", "24", "24" } };
    for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
        const struct site of = { .at = here, .kind = SITE_MUL, .count = apart[k].count, .parts = apart[k].parts,
            .turns = apart[k].count, .part_of = "the keys", .axes = 1, .extent = { 3 },
            .again = { apart[k].again, false }, .elsewhere = { true, true } };
        const struct words *w = words_of(of, WORDS_APART);
        for (int every = 2; every <= 4; every++)
            for (int which = 1; which <= every; which++) {
                char word[80];
                const struct { const char *head, *where; } asked[] = { { "mul:div", apart[k].turns },
                    { "mul.0:reverse", apart[k].axes }, { "mul-left:square", apart[k].left } };
                snprintf(word, sizeof word, "edit=f.c:7:mul-left:f16:%dof%d", which, every);
                cr_expect(place(w, word) < 0, "%s: a number is of half precision wherever it is taken", word);
                snprintf(word, sizeof word, "edit=f.c:7:mul.t:reverse:%dof%d", which, every);
                cr_expect_eq(place(w, word) >= 0,
                    strchr(apart[k].axes, '0' + every) != NULL && apart[k].count / every > 1, "%s", word);
                for (int a = 0; a < 3; a++) {
                    snprintf(word, sizeof word, "edit=f.c:7:%s:%dof%d", asked[a].head, which, every);
                    cr_expect_eq(place(w, word) >= 0, strchr(asked[a].where, '0' + every) != NULL,
                        "%ld times in %ld parts: %s", apart[k].count, apart[k].parts, word);
                }
            }
    }
}
/* The words of one sign are those of a function of one number, where some of its numbers have that sign. */
Test(edit_words, of_one_sign_are_those_of_functions)
{
    for (int kind = 0; kind < SITE_KINDS; kind++) {
        const bool branches = kind >= SITE_EXP && kind <= SITE_SOFTPLUS;
        for (int signs = 0; signs < 4; signs++) {
            const struct site s = { .at = here, .kind = (enum site_kind)kind, .count = 1,
                .sign = { signs & 1, signs & 2 } };
            const int all = words_of(s, WORDS_ALL)->n, n = branches ? all : 0;
            const struct words *w = words_of(s, WORDS_SIGNS);
            cr_expect_eq(w->n, n * ((signs & 1) + signs / 2), "kind %d: %d", kind, w->n);
            cr_expect_eq(holding(w, ":negative"), signs & 1 ? n : 0);
            cr_expect_eq(holding(w, ":positive"), signs & 2 ? n : 0);
        }
    }
}
Test(edit_words, of_numbers_that_are_solved_for)
{
    static const struct { enum site_kind kind; int times, plus; } list[] = { { SITE_ADD, 3, 1 }, { SITE_SUB, 3, 1 },
        { SITE_MUL, 1, 3 }, { SITE_DIV, 1, 3 }, { SITE_POW, 3, 3 }, { SITE_EXP, 1, 1 }, { SITE_SUM, 1, 1 },
        { SITE_INPUT, 1, 1 }, { SITE_ELEMENT, 1, 1 }, { SITE_OUT, 1, 1 }, { SITE_FLOOR, 0, 0 }, { SITE_CEIL, 0, 0 },
        { SITE_LESS, 0, 0 }, { SITE_INDEX, 0, 0 }, { SITE_WHOLE, 0, 0 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int hides = 0; hides < 2; hides++) {
            const struct site s = { .at = here, .kind = list[k].kind, .count = 1, .may_hide = hides,
                .elsewhere = { true, true } };
            const struct words *w = words_of(s, WORDS_NUMBERS);
            const int n = hides ? 3 : 1;
            cr_expect_eq(holding(w, "times-"), n * list[k].times, "kind %d: %d", (int)s.kind, holding(w, "times-"));
            cr_expect_eq(holding(w, "plus-"), n * list[k].plus, "kind %d: %d", (int)s.kind, holding(w, "plus-"));
            cr_expect_eq(holding(w, ":hidden"), hides * (list[k].times + list[k].plus));
        }
    cr_expect(site_number_has_word("edit=f.c:7:mul:times-", 2), "double");
    cr_expect(!site_number_has_word("edit=f.c:7:mul-left:times-", 2), "a factor's factor is that of the product");
    cr_expect(!site_number_has_word("edit=f.c:7:mul:times-", 3) && !site_number_has_word("edit=f.c:7:mul:plus-", 1));
    const enum site_kind turning[] = { SITE_INPUT, SITE_ELEMENT, SITE_MUL, SITE_INDEX, SITE_LINE, SITE_WHOLE };
    for (int k = 0; k < 6; k++) {
        const struct site of = { .at = here, .kind = turning[k], .count = 4, .axes = 1, .extent = { 3 } };
        cr_expect_eq(words_of(of, WORDS_APART)->n > 0, k < 3, "kind %d", (int)turning[k]);
    }
    const struct site alone = { .at = here, .kind = SITE_POW, .count = 1, .elsewhere = { false, true } };
    cr_expect_eq(words_of(alone, WORDS_NUMBERS)->n, 4, "a number that nothing else takes has no words of its own");
}

/* Words that are none. */
Test(edit_words, others_are_refused)
{
    static const char *const none[] = { "f.c:7:sub", "f.c:7", "f.c:7:nothing:add", "f.c:7:sub:nothing",
        "f.c:7:sub.:add", "f.c:7:sub.00:roll", "f.c:7:sub.x:roll", "f.c:7:sub.0:add", "f.c:7:exp-left:negate",
        "f.c:7:sub.a:roll", "f.c:7:sub.a:summed", "f.c:7:sub.p:across-mean", "f.c:7:sub-left.p:across-mean",
        "f.c:7:exp.p:across-mean", "f.c:7:sum.0:across-largest", "f.c:7:largest.0:across-total",
        "f.c:7:input.0:transpose", "f.c:7:less.0:summed", "f.c:7:line.0:summed", "f.c:7:sub:add:3of2",
        "f.c:7:sub:add:0of2", "f.c:7:sub:add:1of1", "f.c:7:sub:add:1of10", "f.c:7:sub:add:hid", "f.c:7:sub:add:2of4:1",
        "f.c:7:sub:add:abcdef", "f.c:7:sub:add:abcdefg", "f.c:7:integer:extent-4-0",
        "f.c:7:integer:extent-0-3", "f.c:7:integer:extent-0", "f.c:7:su:add", "f.c:7:mul:given-0", "out:0:out:given-x",
        "out:0:out:given-", "out:0:out.0:added-", "out:0:out.0:added", "out:0:out:added-first",
        "f.c:7:sub.0:added-first",
        "out:0:out.0:written-nowhere", "f.c:7:index.0:written-first", "" };
    static const char *const some[] = { "f.c:7:sub-right.p:across-mean", "f.c:7:sum.a:across-total",
        "f.c:7:largest.0:across-largest", "f.c:7:sub:add:1of2", "f.c:7:sub:add:9of9", "f.c:7:sub:add:hidden",
        "f.c:7:sub.5:roll", "f.c:7:integer:extent-3-2", "f.c:7:out.0:transpose",
        "out:0:out:given-9", "out:0:out.1:written-first", "out:0:out.0:added-half" };
    struct edit e;
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        cr_expect(!site_read(&e, none[k], strlen(none[k])), "'%s' is read", none[k]);
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
        cr_expect(site_read(&e, some[k], strlen(some[k])), "'%s' is refused", some[k]);
    cr_assert(site_read(&e, "f.c:7:sub:add:guarded", 21));
    cr_expect(e.guarded && e.hidden && e.line == 7 && e.file_len == 3 && e.axis == -1 && !e.operand);
    cr_assert(site_read(&e, "f.c:7:sub-right.3:roll:2of4", 27));
    cr_expect(!e.guarded && !e.hidden && e.operand == 2 && e.axis == 3 && e.which == 2 && e.of == 4);
}

/* An extent of an input stands for a whole number where the call has such an axis. */
Test(edit_words, of_an_extent_read_the_input_that_they_name)
{
    float data[6] = { 0 };
    struct mer_array in[2] = { { "a", MER_F32, 1, { 6 }, data }, { "b", MER_F32, 2, { 2, 3 }, data } };
    const struct mer_call call = { .n_in = 2, .in = in };
    static const struct { const char *op; long is; } list[] = { { "extent-0-0", 6 }, { "extent-1-0", 2 },
        { "extent-1-1", 3 }, { "extent-0-1", 77 }, { "extent-1-2", 77 }, { "extent-2-0", 77 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[60];
        struct arith a = { 0 };
        const struct ask w = { .arith = &a, .call = &call }, none = { .arith = &a };
        snprintf(text, sizeof text, "f.c:7:whole:%s", list[k].op);
        cr_assert(site_read(&a.edit, text, strlen(text)));
        cr_expect_eq(site_whole(&w, here, 77), list[k].is, "%s: %ld", list[k].op, site_whole(&w, here, 77));
        cr_expect_eq(site_whole(&none, here, 77), 77);
    }
}

static const struct site *noted_at(const struct sites *all, enum site_kind kind, struct source at)
{
    for (int k = 0; k < all->n; k++)
        if (all->s[k].kind == kind && same_place(all->s[k].at, at))
            return &all->s[k];
    cr_assert(false, "kind %d is not noted at line %d", (int)kind, at.line);
    return NULL;
}
/* A line of a page that has `parts` parts: a product of numbers that a sum takes as well, others of 0 and 1 alone. */
static void a_line(struct sites *all, int parts, bool more)
{
    static const struct mer_array out = { "y", MER_F32, 3, { 4, 5, 6 }, NULL };
    static const struct edit none = { .step = SITE_EDIT, .kind = SITE_MUL, .file = "none.c", .file_len = 6, .line = 1,
        .axis = -1 };
    static const long pair[3][2] = { { 3, 5 }, { 3, 7 }, { 2, 5 } };
    const struct arith a = { .edit = none };
    static float data[24];
    static struct mer_array in[1] = { { "a", MER_F32, 3, { 2, 4, 3 }, data } };
    const struct mer_call call = { .n_in = 1, .in = in };
    struct ask w = { .arith = &a, .sites = all, .call = &call };
    ask_reset(&w, BITS);
    all->out = out, all->lead = 2;
    for (int p = 0; p < parts; p++) {
        ask_part(&w, p, parts, "the keys");
        for (int k = 0; k < (more ? 2 : 3); k++)
            site_two(&w, here, SITE_MUL, b_mul, (b_si)(&w, pair[k][0]), (b_si)(&w, pair[k][1]));
    }
    ask_whole(&w);
    site_left_out(&w, more);
    site_two(&w, beside, SITE_ADD, b_add, (b_si)(&w, 5), (b_si)(&w, 9));
    for (int k = 0; k < 2; k++)
        site_two(&w, beside, SITE_SUB, b_sub, (b_si)(&w, k), (b_si)(&w, 1 - k));
    for (int k = 0; k < 3; k++)
        site_one(&w, beside, SITE_EXP, b_exp, (b_si)(&w, 4));
    if (more)
        site_one(&w, beside, SITE_SIN, b_sin, (b_si)(&w, 6));
    site_index(&w, beside, 1, 2, 8);
    site_input(&w, beside, "a", 0, 0, 0), site_element(&w, beside, &in[0], 3), site_line(&w, beside, &in[0], 0);
    ask_clear(&w);
}
/* Notes lines of four parts and of two, the latter with more operations, and joins them. */
static void note_lines(struct sites *all, bool more_first)
{
    static struct sites line;
    memset(all, 0, sizeof *all);
    for (int n = 0; n < 2; n++) {
        const bool more = (n == 0) == more_first;
        memset(&line, 0, sizeof line);
        a_line(&line, more ? 2 : 4, more);
        const struct site *mul = noted_at(&line, SITE_MUL, here), *index = noted_at(&line, SITE_INDEX, beside),
                          *e = noted_at(&line, SITE_EXP, beside), *in = noted_at(&line, SITE_INPUT, beside),
                          *element = noted_at(&line, SITE_ELEMENT, beside), *of = noted_at(&line, SITE_LINE, beside);
        cr_expect(mul->count == (more ? 4 : 12) && mul->parts == (more ? 2 : 4) && mul->turns == (more ? 2 : 3));
        cr_expect(mul->axes == 2 && mul->extent[0] == 4 && mul->extent[1] == 5 && !strcmp(mul->part_of, "the keys"));
        cr_expect(index->axes == 2 && index->extent[1] == 8 && !index->turns && !index->hides);
        cr_expect(in->axes == 3 && in->extent[1] == 4 && of->axes == 2 && of->extent[1] == 4);
        cr_expect(element->axes == 1 && element->extent[0] == 3 && !element->hides);
        cr_expect(line.hides && line.hidden == more && !mul->may_hide && e->may_hide && e->hides == more && !e->parts);
        sites_join(all, &line);
        cr_expect(!line.use && !line.n_use && all->lead == 2 && all->out.dim[1] == 5);
    }
}
Test(edit_words, what_a_page_does_is_noted)
{
    static struct sites all;
    for (int order = 0; order < 2; order++) {
        note_lines(&all, order);
        const struct site *mul = noted_at(&all, SITE_MUL, here), *add = noted_at(&all, SITE_ADD, beside),
                          *sub = noted_at(&all, SITE_SUB, beside), *e = noted_at(&all, SITE_EXP, beside);
        cr_expect(mul->count == 12 && mul->parts == 4 && mul->turns == 3, "the most of all lines: %ld", mul->count);
        cr_expect(mul->again[0] && mul->again[1], "3 and 5 twice, and others");
        cr_expect(!mul->elsewhere[0] && mul->elsewhere[1] && add->elsewhere[0] && !add->elsewhere[1], "5 is in both");
        cr_expect(!sub->elsewhere[0] && !sub->elsewhere[1] && !sub->again[0], "0 and 1 are no numbers of their own");
        cr_expect(!e->again[0] && e->hides && e->may_hide, "4 alone is not one of several");
        cr_expect_eq(noted_at(&all, SITE_SIN, beside)->count, 1);
    }
}

/* A number in another form is asked for where the edit is of one of the form's lines, and is noted as such. */
enum { FORM_LINE = 20 };
static const struct ball *in_another_form(struct ask *w, const void *of)
{
    const struct source at = { "ref/core/form/of.c", FORM_LINE, NULL };
    return site_two(w, at, SITE_ADD, b_add, (b_si)(w, *(const int *)of), (b_si)(w, 1));
}
Test(edit_words, of_another_form_are_of_its_lines)
{
    static const struct other_form form = { in_another_form, "ref/core/form/of.c", FORM_LINE, FORM_LINE + 2 };
    static const struct { const char *words; bool meant; double is; } list[] = {
        { "form/of.c:20:add:double", true, 12 },
        { "form/of.c:22:add:double", true, 6 },
        { "form/of.c:19:add:double", false, 0 },
        { "form/of.c:23:add:double", false, 0 },
        { "form/on.c:20:add:double", false, 0 },
        { "form/of.cc:20:add:double", false, 0 },
        { "of.c:20:add:double", false, 0 },
    };
    static struct sites all;
    const int five = 5;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int noting = 0; noting < 2; noting++) {
            struct arith a = { 0 };
            struct ask w = { .arith = &a, .sites = noting ? &all : NULL };
            memset(&all, 0, sizeof all);
            cr_assert(site_read(&a.edit, list[k].words, strlen(list[k].words)), "%s", list[k].words);
            ask_reset(&w, BITS);
            const struct ball *x = site_form(&w, &form, &five);
            cr_expect(list[k].meant ? x && b_value(x) == list[k].is : !x, "%s", list[k].words);
            cr_expect(!noting || (all.n == 1 && all.s[0].form && !all.form), "%s: what is noted is of a form",
                list[k].words);
            free(all.use), all.use = NULL, ask_clear(&w);
        }
}

/* A line on which three operations take 3, 3 and 5 as one of their numbers, and 4 and 4 as the other: whatever the
 * order in which they come, each takes a number again among others as that one alone. */
Test(edit_words, numbers_are_found_again_in_any_order)
{
    enum { OF = 3, USES = 5, ALL = OF * USES };
    static const long numbers[USES] = { 3, 4, 5, 3, 4 };
    static const int first[USES] = { 0, 1, 0, 0, 1 };
    static struct sites all, line;
    for (long turn = 2; turn < 2 * ALL; turn++) {
        const long step = turn / 2;
        const int one = turn % 2;
        if (step % 3 == 0 || step % 5 == 0)
            continue;
        const struct arith a = { 0 };
        struct ask w = { .arith = &a, .sites = &line };
        memset(&all, 0, sizeof all), memset(&line, 0, sizeof line);
        ask_reset(&w, BITS);
        for (int s = 0; s < OF; s++)
            note(&w, (struct source){ "f.c", s, NULL }, SITE_MUL, NULL);
        for (long k = 0; k < ALL; k++) {
            const long use = k * step % ALL, of = use % USES;
            note_use(&w, (struct source){ "f.c", (int)(use / USES), NULL }, SITE_MUL, (b_si)(&w, numbers[of]),
                first[of] ^ one);
        }
        sites_join(&all, &line);
        for (int s = 0; s < OF; s++)
            cr_expect(all.s[s].again[one] && !all.s[s].again[!one], "operation %d, every %ldth", s, step);
        ask_clear(&w);
    }
}

/* A number that no step rounded is noted where an operation takes it and rounds, which those do not that choose a
 * number or its sign. */
Test(edit_words, what_is_taken_bare_is_noted_where_it_is_rounded)
{
    static struct sites all;
    for (int kind = SITE_ADD; kind <= SITE_EXP; kind++) {
        const struct arith a = { .how = ROUND };
        struct ask w = { .arith = &a, .sites = &all };
        memset(&all, 0, sizeof all), all.bits = 8;
        ask_reset(&w, BITS);
        const bool chooses = kind == SITE_MAX || kind == SITE_MIN || kind == SITE_NEG || kind == SITE_ABS;
        note(&w, here, (enum site_kind)kind, NULL);
        note_use(&w, here, (enum site_kind)kind, (b_ratio)(&w, 255, 2), 0);
        cr_expect_eq(all.n_bare, 0, "kind %d: 8 bits hold 255 / 2", kind);
        note_use(&w, here, (enum site_kind)kind, (b_ratio)(&w, 257, 2), 0);
        cr_expect_eq(all.n_bare, !chooses, "kind %d", kind);
        note_use(&w, here, (enum site_kind)kind, (b_ratio)(&w, 257, 2), 1);
        cr_expect_eq(all.n_bare, !chooses, "kind %d: a place is noted once", kind);
        note_use(&w, beside, (enum site_kind)kind, (b_ratio)(&w, 257, 2), 0);
        cr_expect_eq(all.n_bare, chooses ? 0 : 2, "kind %d: two places are two", kind);
        free(all.use), ask_clear(&w);
    }
}

/* One place may read arrays of different ranks: it has the axes of the largest. */
Test(edit_words, an_operation_has_the_axes_of_all_its_arrays)
{
    static const struct mer_array of[] = { { .rank = 3, .dim = { 2, 4, 3 } }, { .rank = 1, .dim = { 5 } } };
    static struct sites all;
    const struct arith a = { 0 };
    for (int order = 0; order < 2; order++) {
        struct ask w = { .arith = &a, .sites = &all };
        memset(&all, 0, sizeof all);
        note(&w, here, SITE_INPUT, &of[order]), note(&w, here, SITE_INPUT, &of[!order]);
        const struct site *s = noted_at(&all, SITE_INPUT, here);
        cr_expect(s->axes == 3 && s->extent[0] == 5 && s->extent[1] == 4 && s->extent[2] == 3, "%d axes", s->axes);
    }
}
/* What hides keys on one of the lines does so when all are joined, in any order. */
Test(edit_words, what_hides_on_one_line_hides_on_all)
{
    static struct sites all, line;
    for (int order = 0; order < 2; order++) {
        memset(&all, 0, sizeof all);
        for (int n = 0; n < 2; n++) {
            memset(&line, 0, sizeof line);
            line.s[0] = (struct site){ .at = here, .kind = SITE_EXP, .hides = n == order, .may_hide = n == order };
            line.n = 1, sites_join(&all, &line);
        }
        cr_expect(all.n == 1 && all.s[0].hides && all.s[0].may_hide);
    }
}
/* A term that other operations take as well may be of half precision in this one alone. */
Test(edit_words, of_half_precision_one_number_has_where_all_its_turns_are_meant)
{
    const struct site add = { .at = here, .kind = SITE_ADD, .count = 2, .elsewhere = { true, true }, .again = { true,
        true } };
    for (int apart = 0; apart < 2; apart++) {
        const struct words *w = words_of(add, apart ? WORDS_APART : WORDS_ALL);
        cr_expect(holding(w, "add-left:f16") == !apart && holding(w, "add-right:bf16") == !apart);
        cr_expect_eq(holding(w, "add-left:negate"), apart ? 2 : 1);
    }
}
