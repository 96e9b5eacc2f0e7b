/* What each operation of an edit makes of a number and of the terms of a sum, by its name; and that a step of another
 * number, or another kind of operation, is left as it is. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "trial/trial.h"
#include "edit/site.h"
#include "words/each.h"
#include "words/read.h"

enum { MOST = 9, STEP = 3 };

static struct arith edit_by(const char *name)
{
    return (struct arith){ .edit = { .step = STEP + 1, .op = edit_named(name, strlen(name)) } };
}

Test(editing, changes_a_number_as_its_name_says)
{
    static const struct { const char *name; double at[4]; } list[] = { /* Of -3, -1/2, 4 and 0. */
        { "zero", { 0, 0, 0, 0 } },
        { "one", { 1, 1, 1, 1 } },
        { "negate", { 3, 0.5, -4, 0 } },
        { "double", { -6, -1, 8, 0 } },
        { "halve", { -1.5, -0.25, 2, 0 } },
        { "square", { 9, 0.25, 16, 0 } },
        { "invert", { -1 / 3.0, -2, 0.25, (double)INFINITY } },
        { "absolute", { 3, 0.5, 4, 0 } },
    };
    static const long numbers[] = { -6, -1, 8, 0 };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int j = 0; j < 4; j++) {
            const struct arith a = edit_by(list[k].name);
            struct ask w = { .arith = &a };
            ask_reset(&w, 64);
            const struct ball *x = b_ratio(&w, numbers[j], 2), *y = edit_value(&w, STEP, x);
            const double want = list[k].at[j];
            cr_expect(b_value(y) == want && b_radius(y) <= 0x1p-60, "%s of %g: %g", list[k].name, b_value(x),
                b_value(y));
            cr_expect(edit_value(&w, STEP + 1, x) == x && edit_value(&w, STEP - 1, x) == x, "%s at another step",
                list[k].name);
            ask_clear(&w);
        }
}

/* Expects that of the terms 1 .. n those remain whose numbers these digits are, as they were. */
static void remains(const char *name, long n, const char *digits)
{
    const struct arith a = edit_by(name);
    struct ask w = { .arith = &a };
    ask_reset(&w, 64);
    const struct ball *t[MOST];
    for (long k = 0; k < n; k++)
        t[k] = b_si(&w, k + 1);
    long left = n;
    const struct ball **to = edit_terms(&w, STEP, t, &left);
    cr_assert(to && left == (long)strlen(digits), "%s of %ld terms leaves %ld", name, n, left);
    for (long k = 0; k < left; k++)
        cr_expect(to[k] == t[digits[k] - '1'], "%s of %ld terms: term %ld", name, n, k);
    free(to);
    cr_expect(!edit_terms(&w, STEP + 1, t, &n) && edit_value(&w, STEP, t[0]) == t[0], "%s elsewhere", name);
    ask_clear(&w);
}

Test(editing, keeps_the_terms_that_its_name_says)
{
    static const struct { const char *name; long n; const char *digits; } list[] = {
        { "without-first", 5, "2345" }, { "without-first", 1, "" }, { "without-last", 5, "1234" },
        { "without-last", 1, "" }, { "odd-only", 5, "24" }, { "odd-only", 6, "246" }, { "even-only", 5, "135" },
        { "even-only", 6, "135" }, { "first-half", 5, "12" }, { "first-half", 6, "123" }, { "first-half", 1, "" },
        { "tail-4", 3, "" }, { "tail-4", 4, "1234" }, { "tail-4", 7, "1234" }, { "tail-4", 8, "12345678" },
        { "tail-8", 7, "" }, { "tail-8", 9, "12345678" }, { "tail-16", 9, "" }, { "tail-32", 9, "" },
        { "tail-64", 9, "" }, { "tail-128", 9, "" } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        remains(list[k].name, list[k].n, list[k].digits);
}

Test(editing, makes_a_mean_of_a_sum)
{
    const struct arith a = edit_by("mean");
    for (long n = 1; n < MOST; n++) {
        struct ask w = { .arith = &a };
        ask_reset(&w, 64);
        const struct ball *t[MOST];
        for (long k = 0; k < n; k++)
            t[k] = b_si(&w, n * (k + 1));
        long left = n;
        const struct ball **to = edit_terms(&w, STEP, t, &left);
        cr_assert(to && left == n, "all %ld terms stay", n);
        for (long k = 0; k < n; k++)
            cr_expect(b_value(to[k]) == (double)(k + 1), "term %ld of %ld: %g", k, n, b_value(to[k]));
        free(to), ask_clear(&w);
    }
}

/* An edit of numbers leaves the terms of a sum, and names are read whole. */
Test(editing, of_numbers_leaves_terms_alone_and_names_are_read_whole)
{
    for (int k = 0; edit_ops[k].name; k++) {
        const struct arith a = edit_by(edit_ops[k].name);
        struct ask w = { .arith = &a };
        ask_reset(&w, 64);
        const struct ball *t[] = { b_si(&w, 1), b_si(&w, 2) };
        long n = 2;
        const struct ball **to = edit_terms(&w, STEP, t, &n);
        cr_expect_eq(to != NULL, edit_ops[k].sums, "%s", edit_ops[k].name);
        cr_expect(edit_ops[k].sums || n == 2, "%s", edit_ops[k].name);
        cr_expect_eq(edit_named(edit_ops[k].name, strlen(edit_ops[k].name)), k);
        cr_expect_eq(edit_named(edit_ops[k].name, strlen(edit_ops[k].name) - 1), -1, "less of %s", edit_ops[k].name);
        free(to), ask_clear(&w);
    }
    cr_expect(edit_named("", 0) == -1 && edit_named("zeroth", 6) == -1 && edit_named("zeroth", 4) == 0);
}

/* What an operation on whole numbers gives where it is done differently, of 14 and 4, and of -3 and 5. */
struct whole { const char *word; long of_14_and_4, of_3_and_5; };
static const struct whole wholes[] = {
    { "whole:more", 15, -2 }, { "whole:less", 13, -4 }, { "whole:zero", 0, 0 }, { "whole:one", 1, 1 },
    { "whole:negate", -14, 3 }, { "whole:double", 28, -6 }, { "whole:halve", 7, -1 }, { "whole:absolute", 14, 3 },
    { "whole:square", 196, 9 }, { "whole:two", 2, 2 }, { "whole:two-more", 16, -1 }, { "whole:two-less", 12, -5 },
    { "whole:f16", 14, -3 }, { "whole:bf16", 14, -3 },
    { "apart:add", 18, 2 }, { "apart:reversed", -10, 8 }, { "apart:left", 14, -3 }, { "apart:right", 4, 5 },
    { "apart:right-negated", -4, -5 },
    { "apart:more", 11, -7 }, { "apart:less", 9, -9 }, { "apart:two-more", 12, -6 }, { "apart:two-less", 8, -10 },
    { "apart:zero", 0, 0 }, { "apart:one", 1, 1 }, { "apart:double", 20, -16 }, { "apart:halve", 5, -4 },
    { "apart:absolute", 10, 8 }, { "apart:square", 100, 64 },
    { "plus:sub", 10, -8 }, { "plus:mul", 56, -15 }, { "plus:left", 14, -3 }, { "plus:right", 4, 5 },
    { "plus:more", 19, 3 }, { "plus:less", 17, 1 }, { "plus:zero", 0, 0 }, { "plus:one", 1, 1 },
    { "plus:double", 36, 4 }, { "plus:halve", 9, 1 }, { "plus:absolute", 18, 2 }, { "plus:square", 324, 4 },
    { "plus:negate", -18, -2 }, { "plus:two-more", 20, 4 }, { "plus:two-less", 16, 0 },
    { "times:add", 18, 2 }, { "times:sub", 10, -8 }, { "times:div", 3, 0 }, { "times:left", 14, -3 },
    { "times:right", 4, 5 }, { "times:more", 57, -14 }, { "times:less", 55, -16 }, { "times:zero", 0, 0 },
    { "times:one", 1, 1 }, { "times:negate", -56, 15 }, { "times:double", 112, -30 }, { "times:halve", 28, -7 },
    { "times:square", 3136, 225 }, { "times:absolute", 56, 15 },
    { "over:mul", 56, -15 }, { "over:add", 18, 2 }, { "over:sub", 10, -8 }, { "over:left", 14, -3 },
    { "over:right", 4, 5 }, { "over:ceil", 4, 0 }, { "over:rest", 2, -3 }, { "over:more", 4, 1 },
    { "over:less", 2, -1 }, { "over:zero", 0, 0 }, { "over:one", 1, 1 }, { "over:double", 6, 0 },
    { "over:halve", 1, 0 }, { "over:negate", -3, 0 }, { "over:absolute", 3, 0 }, { "over:square", 9, 0 },
    { "mod:div", 3, 0 }, { "mod:left", 14, -3 }, { "mod:right", 4, 5 }, { "mod:more", 3, -2 }, { "mod:less", 1, -4 },
    { "mod:zero", 0, 0 }, { "mod:double", 4, -6 }, { "mod:halve", 1, -1 },
    { "mod:one", 1, 1 }, { "mod:negate", -2, 3 }, { "mod:absolute", 2, 3 }, { "mod:square", 4, 9 },
    { "apart-left:negate", -18, -2 }, { "apart-left:double", 24, -11 }, { "apart-left:halve", 3, -6 },
    { "apart-left:square", 192, 4 }, { "apart-left:absolute", 10, -2 },
    { "apart-right:negate", 18, 2 }, { "apart-right:double", 6, -13 }, { "apart-right:halve", 12, -5 },
    { "apart-right:square", -2, -28 }, { "apart-right:absolute", 10, -8 },
    { "plus-left:negate", -10, 8 }, { "plus-left:double", 32, -1 }, { "plus-left:halve", 11, 4 },
    { "plus-left:square", 200, 14 }, { "plus-left:absolute", 18, 8 },
    { "plus-right:negate", 10, -8 }, { "plus-right:double", 22, 7 }, { "plus-right:halve", 16, -1 },
    { "plus-right:square", 30, 22 }, { "plus-right:absolute", 18, 2 },
    { "times-left:more", 60, -10 }, { "times-left:less", 52, -20 }, { "times-left:square", 784, 45 },
    { "times-left:absolute", 56, 15 },
    { "times-right:more", 70, -18 }, { "times-right:less", 42, -12 }, { "times-right:square", 224, -75 },
    { "times-right:absolute", 56, -15 },
    { "over-left:more", 3, 0 }, { "over-left:less", 3, 0 }, { "over-left:double", 7, -1 },
    { "over-left:square", 49, 1 }, { "over-left:absolute", 3, 0 },
    { "over-right:more", 2, 0 }, { "over-right:less", 4, 0 }, { "over-right:double", 1, 0 },
    { "over-right:square", 0, 0 }, { "over-right:absolute", 3, 0 },
    { "mod-left:more", 3, -2 }, { "mod-left:less", 1, -4 }, { "mod-left:double", 0, -1 }, { "mod-left:square", 0, 4 },
    { "mod-left:absolute", 2, 3 },
    { "mod-right:more", 4, -3 }, { "mod-right:less", 2, -3 }, { "mod-right:double", 6, -3 },
    { "mod-right:square", 14, -3 }, { "mod-right:absolute", 2, -3 },
    { "less-left:negate", 1, 1 }, { "less-left:double", 0, 1 }, { "less-left:halve", 0, 1 },
    { "less-left:square", 0, 0 }, { "less-left:absolute", 0, 1 },
    { "less-right:negate", 0, 0 }, { "less-right:double", 0, 1 }, { "less-right:halve", 0, 1 },
    { "less-right:square", 1, 1 }, { "less-right:absolute", 0, 1 },
    { "most-left:negate", 1, 1 }, { "most-left:double", 0, 1 }, { "most-left:halve", 0, 1 },
    { "most-left:square", 0, 0 }, { "most-left:absolute", 0, 1 },
    { "most-right:negate", 0, 0 }, { "most-right:double", 0, 1 }, { "most-right:halve", 0, 1 },
    { "most-right:square", 1, 1 }, { "most-right:absolute", 0, 1 },
    /* Within 5 .. 7. */
    { "clip:none", 14, -3 }, { "clip:from-below", 14, 5 }, { "clip:from-above", 7, -3 }, { "clip:more", 8, 6 },
    { "clip:less", 6, 4 }, { "clip:zero", 0, 0 }, { "clip:negate", -7, -5 }, { "clip:double", 14, 10 },
    { "clip:halve", 3, 2 }, { "clip:absolute", 7, 5 },
    { "clip:one", 1, 1 }, { "clip:square", 49, 25 },
    { "less:further", 0, 1 }, { "less:shorter", 0, 1 }, { "less:reversed", 1, 0 }, { "less:equal", 0, 0 },
    { "less:unequal", 1, 1 }, { "less:not", 1, 0 }, { "less:true", 1, 1 }, { "less:false", 0, 0 },
    { "most:further", 0, 1 }, { "most:shorter", 0, 1 }, { "most:reversed", 1, 0 }, { "most:equal", 0, 0 },
    { "most:unequal", 1, 1 }, { "most:not", 1, 0 }, { "most:true", 1, 1 }, { "most:false", 0, 0 },
    { "truth:not", 0, 1 }, { "truth:true", 1, 1 }, { "truth:false", 0, 0 },
    { "both:either", 1, 1 }, { "both:left", 1, 0 }, { "both:right", 1, 1 }, { "both:not", 0, 1 },
};
enum { LINE = 7 };
/* The operation of that name on a line of a page "f.c", done as the edit has it; `kind`: which it is. */
static long whole_at(const struct ask *w, const char *word, int line, long x, long y, enum site_kind *kind)
{
    const struct source at = { "f.c", line, NULL };
    const size_t n = strcspn(word, "-:"); /* "apart-left:double" is of one of the two numbers */
#define IS(NAME, KIND, GIVES) if (n == strlen(NAME) && !strncmp(word, NAME, n)) return *kind = KIND, GIVES
    IS("whole", SITE_WHOLE, site_whole(w, at, x));
    IS("apart", SITE_APART, site_apart(w, at, x, y));
    IS("plus", SITE_PLUS, site_plus(w, at, x, y));
    IS("times", SITE_TIMES, site_times(w, at, x, y));
    IS("over", SITE_OVER, site_over(w, at, x, y));
    IS("mod", SITE_MOD, site_rest(w, at, x, y));
    IS("clip", SITE_CLIP, site_clip(w, at, x, 5, 7));
    IS("less", SITE_LESS, site_less(w, at, x, y));
    IS("most", SITE_MOST, site_most(w, at, x, y));
    IS("truth", SITE_TRUTH, site_truth(w, at, x > 0));
    IS("both", SITE_BOTH, site_both(w, at, x > 0, y > 0));
#undef IS
    cr_assert(0, "%s: no such operation", word);
    return 0;
}
static void is_listed(const char *word, const char *effect, const char *equal, void *with)
{
    const char *s = word + strlen("edit=f.c:7:");
    size_t k = 0;
    (void)equal, (void)with;
    while (k < sizeof wholes / sizeof *wholes && strcmp(wholes[k].word, s))
        k++;
    cr_expect(k < sizeof wholes / sizeof *wholes || strstr(s, "extent-"), "%s (%s): not listed", word, effect);
}
/* Every word of every operation on whole numbers does what it says, on its own line alone, and there is no other. */
Test(editing, whole_numbers_change_as_its_name_says)
{
    static const long x[] = { 14, -3 }, y[] = { 4, 5 };
    for (size_t k = 0; k < sizeof wholes / sizeof *wholes; k++) {
        char value[60];
        struct arith a = { 0 }, plain = { 0 };
        const struct ask w = { .arith = &a }, page = { .arith = &plain };
        enum site_kind kind = SITE_KINDS;
        snprintf(value, sizeof value, "f.c:%d:%s", LINE, wholes[k].word);
        cr_assert(site_read(&a.edit, value, strlen(value)), "%s", value);
        for (int j = 0; j < 2; j++) {
            const long want = j ? wholes[k].of_3_and_5 : wholes[k].of_14_and_4,
                       other = whole_at(&page, wholes[k].word, LINE, x[j], y[j], &kind);
            cr_expect_eq(whole_at(&w, wholes[k].word, LINE, x[j], y[j], &kind), want, "%s", value);
            cr_expect_eq(whole_at(&w, wholes[k].word, LINE + 1, x[j], y[j], &kind), other, "%s elsewhere", value);
        }
        const struct site s = { .at = { "f.c", LINE, NULL }, .kind = kind, .count = 4 };
        site_each(&s, WORDS_ALL, is_listed, NULL), site_each(&s, WORDS_APART, is_listed, NULL);
    }
}

/* Where an edit takes a whole number beyond all numbers of a page, the operation gives its first number. */
Test(editing, a_whole_number_beyond_all_reach_is_the_first_one)
{
    static const char *const words[] = { "f.c:7:times-left:more", "f.c:7:plus-left:more", "f.c:7:apart-left:more" };
    for (int k = 0; k < 3; k++) {
        struct arith a = { 0 };
        const struct ask w = { .arith = &a };
        enum site_kind kind;
        cr_assert(site_read(&a.edit, words[k], strlen(words[k])), "%s", words[k]);
        const long far = LONG_MAX - 4, y = k < 2 ? 9 : -9;
        cr_expect_eq(whole_at(&w, words[k] + strlen("f.c:7:"), LINE, far, y, &kind), far + 1, "%s", words[k]);
    }
}

/* The words of what an operation gives, with a space behind each. */
struct word_list { char text[6000]; };
static void add_word(const char *word, const char *effect, const char *equal, void *with)
{
    char *text = ((struct word_list *)with)->text;
    (void)effect, (void)equal;
    if (!strstr(word, "-left") && !strstr(word, "-right") && strlen(text) + strlen(word) + 2 < sizeof(struct word_list))
        strcat(strcat(text, word), " ");
}
/* Every number may be lost, negated, doubled, halved, squared, and one more or less, whatever operation gives it: by a
 * word, or by a number that is solved for, and not by both. */
Test(editing, every_number_has_every_word)
{
    static const struct { const char *word, *times; double x; } every[] = {
        { ":zero ", NULL, 0 },
        { ":square ", NULL, 0 },
        { ":negate ", ":times- ", -1 },
        { ":double ", ":times- ", 2 },
        { ":halve ", ":times- ", 0.5 },
        { ":more ", ":plus- ", 1 },
        { ":less ", ":plus- ", -1 },
    };
    for (int kind = 0; kind <= SITE_CLIP; kind++) {
        const struct site s = { .at = { "f.c", LINE, NULL }, .kind = (enum site_kind)kind, .count = 4 };
        struct word_list all = { "" }, numbers = { "" };
        site_each(&s, WORDS_ALL, add_word, &all), site_each(&s, WORDS_NUMBERS, add_word, &numbers);
        for (size_t k = 0; k < sizeof every / sizeof *every; k++) {
            const char *number = every[k].times ? strstr(numbers.text, every[k].times) : NULL;
            bool has = strstr(all.text, every[k].word), solved = false;
            if (number) {
                char word[80] = "";
                const char *from = number;
                while (from > numbers.text && from[-1] != ' ')
                    from--;
                snprintf(word, sizeof word, "%.*s", (int)(number + strlen(every[k].times) - 1 - from), from);
                solved = !site_number_has_word(word, every[k].x);
                cr_expect_eq(solved, !has, "%s%g in %s", word, every[k].x, all.text);
            }
            has = has || (!strcmp(every[k].word, ":negate ") && (strstr(all.text, ":reversed ") || kind == SITE_NEG));
            cr_expect(has || solved, "%d: no %s in %s", kind, every[k].word, all.text);
        }
    }
}

/* Counts that a half precision has not are the nearest that it has; beyond its largest number they stay. */
Test(editing, whole_numbers_may_be_held_in_half_precision)
{
    static const struct { const char *word; long n, held; } list[] = {
        { "whole:f16", 2047, 2047 }, { "whole:f16", 2049, 2048 }, { "whole:f16", 2051, 2052 },
        { "whole:f16", -4097, -4096 }, { "whole:f16", 70000, 70000 }, { "whole:bf16", 255, 255 },
        { "whole:bf16", 257, 256 }, { "whole:bf16", 259, 260 }, { "whole:bf16", 70000, 70144 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char value[60];
        struct arith a = { 0 };
        const struct ask w = { .arith = &a };
        enum site_kind kind;
        snprintf(value, sizeof value, "f.c:%d:%s", LINE, list[k].word);
        cr_assert(site_read(&a.edit, value, strlen(value)), "%s", value);
        cr_expect_eq(whole_at(&w, list[k].word, LINE, list[k].n, 0, &kind), list[k].held, "%s of %ld", value,
            list[k].n);
    }
}
