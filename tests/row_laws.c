/* What row.h and every.h promise of any row, of rows that are made up here: their inputs, presets, contracts and
 * signatures, and where words stand. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "row/every.h"
#include "row/row.h"
#include "row/shared_head.h"

static const struct param nothing[] = { { 0 } };
static const struct preset listed[] = { { 0 }, { "one", "c=1", "x" }, { "two", "c=2", "y" }, { "three", "", "z" },
    { 0 } };
static const struct row made = { .name = "made", .steps = { "a bb", "c" }, .declares = nothing, .presets = listed + 1,
    .contracts = listed + 1, .q = { { .sign = "int of[n]<r intensity[n,d] -> y[n|d]" },
        { .sign = "int int_table[n] intensity[n,d] plus?[d] -> z[n|d]" } } };

/* "int " makes an input one of whole numbers, and a name that begins so is a name. */
Test(row_laws, inputs_of_real_numbers_are_named)
{
    static const char *const names[] = { "intensity", "plus", "of", "int_table", "ensity", "int", "y" };
    size_t len;
    for (int k = 0; k < 2; k++) {
        const char *is = row_input(&made, k, &len);
        cr_expect(is && len == strlen(names[k]) && !strncmp(is, names[k], len), "%d: %s", k, is);
    }
    cr_expect(!row_input(&made, 2, &len));
    for (int k = 0; k < 7; k++)
        cr_expect_eq(row_stores(&made, names[k], strlen(names[k])), k < 2, "%s", names[k]);
}

Test(row_laws, presets_are_counted)
{
    struct row r = made;
    for (int n = 0; n <= 3; n++) {
        r.presets = listed + 4 - n;
        cr_expect_eq(row_presets(&r), n, "%d, not %d", row_presets(&r), n);
    }
}

/* A contract is found by its whole name; else one line says which there are, and which of them is near. */
Test(row_laws, contracts_are_found_by_name)
{
    struct row bare = made;
    char err[200] = "";
    cr_expect_eq(row_contract(&made, "two", err, sizeof err), listed[2].text);
    cr_expect_eq(row_contract(&made, "three", err, sizeof err), listed[3].text);
    cr_expect(!*err && !row_contract(&made, "thre", err, sizeof err));
    cr_expect_str_eq(err, "made has no contract 'thre' (did you mean 'three'?); it has 'one', 'two', 'three'");
    cr_expect(!row_contract(&made, "quite other", err, sizeof err));
    cr_expect_str_eq(err, "made has no contract 'quite other'; it has 'one', 'two', 'three'");
    for (int k = 0; k < 2; k++) {
        bare.contracts = k ? listed : NULL;
        cr_expect(!row_contract(&bare, "one", err, sizeof err));
        cr_expect_str_eq(err, "made has no contract 'one'; it has none");
    }
}

/* A word about all inputs is one about each, and says where it stands, behind blanks as well. */
Test(row_laws, a_word_about_all_is_noted_where_it_stands)
{
    static const char text[] = "f16 bf16   in=f16 f32 c=f64";
    struct arith a;
    cr_assert(!arith_scope(&a, &made, &made, text + 8, WIDEN));
    cr_expect_eq(a.inputs, 2);
    for (int k = 0; k < 2; k++)
        cr_expect(a.in[k].r.word == 4 && a.in[k].r.f == format_named("f16", 3) && a.in[k].len == (k ? 4 : 9), "%d: %d",
            k, a.in[k].r.word);
    for (int k = 0; k < 2; k++)
        cr_expect(a.at[k].word == 11 && a.at[k].f == format_named("f32", 3), "%d: %d", k, a.at[k].word);
    cr_expect(a.at[2].word == 15 && a.at[2].f == format_named("f64", 3), "%d", a.at[2].word);
    /* What stands before the text is not read. */
    cr_assert(!arith_scope(&a, &made, &made, text + 8, WIDEN) && !arith_scope(&a, &made, &made, text + 17, WIDEN));
    cr_expect(!a.inputs && a.at[0].f == format_named("f32", 3));
    cr_assert(!arith_scope(&a, &made, &made, text + 21, WIDEN));
    cr_expect(!a.at[0].f && !a.at[1].f && a.at[2].f);
}

/* Each of many inputs may be named, and all of them at once, as long as there is room. */
Test(row_laws, more_than_32_inputs_are_refused)
{
    char sign[2][400] = { "", "" }, words[1000] = "";
    for (int k = 0; k < 40; k++)
        snprintf(sign[k / 20] + strlen(sign[k / 20]), 20, "x%d[n] ", k);
    strcat(sign[0], "-> y[n]"), strcat(sign[1], "-> z[n]");
    const struct row many = { .name = "many", .steps = { "a" }, .declares = nothing, .presets = listed,
        .q = { { .sign = sign[0] }, { .sign = sign[1] } } };
    for (int k = 0; k < 40; k++) {
        struct arith a;
        snprintf(words + strlen(words), 20, " in.x%d=f16", k);
        const char *bad = arith_scope(&a, &many, &many, words, WIDEN);
        cr_expect(k < INPUT_WORDS ? !bad && a.inputs == k + 1 : bad && !strcmp(bad, "more than 32 inputs"), "%d: %s", k,
            bad);
    }
    struct arith a;
    const char *bad = arith_scope(&a, &many, &many, "in=f16", WIDEN);
    cr_expect(bad && strstr(bad, "more than 32 inputs"), "%s", bad);
}

/* A word about all inputs is about those of the asked row, and each such word has to be right. */
Test(row_laws, a_word_about_all_inputs_is_the_asked_rows)
{
    static const char *const wrong[] = { "in=f99", "in=f99 in=f16", "in=f16 in=f99" };
    const struct row asked = { .name = "asked", .steps = { "c" }, .declares = nothing,
        .q = { { .sign = "x[n] -> y[n]" } } };
    struct arith a;
    cr_expect(!arith_scope(&a, &asked, &made, "in=f16", WIDEN) && a.inputs == 0);
    for (int k = 0; k < 3; k++)
        cr_expect(arith_scope(&a, &made, &made, wrong[k], WIDEN) != NULL, "%s", wrong[k]);
}

/* A fault that only a part has is none of the row that was asked, and the part's own. */
Test(row_laws, a_fault_of_a_part_is_none_of_the_row)
{
    const struct row part = { .name = "part", .steps = { "c" }, .declares = nothing, .faults = "other lost" };
    const struct row *const parts[] = { &part, NULL };
    const struct row whole = { .name = "whole", .steps = { "c" }, .declares = nothing, .faults = "bent",
        .parts = parts };
    static const struct { const char *word; int whole, part; } list[] = { { "fault=lost", FAULT_NONE, FAULTS + 1 },
        { "fault=other", FAULT_NONE, FAULTS }, { "fault=bent", FAULTS, FAULT_NONE },
        { "fault=unscaled", FAULT_UNSCALED, FAULT_UNSCALED } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct arith a, b;
        cr_assert(!arith_scope(&a, &whole, &whole, list[k].word, WIDEN) &&
            !arith_scope(&b, &whole, &part, list[k].word, WIDEN));
        cr_expect(a.fault == list[k].whole && b.fault == list[k].part, "%s: %d, %d", list[k].word, a.fault, b.fault);
    }
}

/* The edit of a step that the row has not changes nothing in it. */
Test(row_laws, an_edit_of_another_rows_step_is_none)
{
    static const char *const words[] = { "edit=a:negate", "edit=bb:negate", "edit=c:negate", "edit=b:negate",
        "edit=nosuch:negate" };
    for (int k = 0; k < 5; k++) {
        struct arith a;
        cr_assert(!arith_scope(&a, &made, &made, words[k], WIDEN));
        cr_expect_eq(a.edit.step, k < 3 ? k + 1 : 0, "%s: %d", words[k], a.edit.step);
    }
}

/* What a word of no meaning may have meant is a word that the row has: parts give it steps, but no parameters. */
static bool unknown(const struct row *r, const char *word, char *err, size_t n)
{
    struct arith a;
    return arith_read(&a, r, word, WIDEN, err, n) == -1 && strstr(err, "unknown word");
}
Test(row_laws, parameters_of_parts_are_no_words_of_a_row)
{
    long asked = 0;
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct row *const *part = (*r)->parts; part && *part; part++)
            for (const struct param *p = row_params(*part); p->name; p++) {
                char word[100], near[100], hint[120], err[2000];
                snprintf(word, sizeof word, "%s=f32", p->name), snprintf(near, sizeof near, "%sq=f32", p->name);
                snprintf(hint, sizeof hint, "mean '%s'", p->name);
                if (!unknown(*r, word, err, sizeof err) || !unknown(*r, near, err, sizeof err))
                    continue;
                cr_expect(!strstr(err, hint), "%s: %s", (*r)->name, err);
                asked++;
            }
    cr_expect_gt(asked, 100, "%ld", asked);
}

/* A profile in plain words is written where it fits, and nothing else is touched. */
Test(row_laws, plain_words_are_written_where_they_fit)
{
    char to[20];
    for (size_t n = 0; n < 12; n++) {
        memset(to, '#', sizeof to);
        const int rc = every_plain("bf16 in, f32", to, n);
        cr_expect_eq(rc, n > 11 ? 0 : -1, "%zu: %d", n, rc);
        cr_expect(to[n] == '#', "%zu: %s", n, to);
        memset(to, '#', sizeof to);
        cr_expect(!every_plain(" ,", to, n) && (n ? !*to : *to == '#') && to[1] == '#', "%zu", n);
    }
}

/* A signature is read with its blanks, marks and bounds; a name that is too long is cut. */
Test(row_laws, a_signature_is_read)
{
    struct sign s;
    sign_read(&s, "  -> y[n,d]");
    cr_expect(s.n_in == 0 && !strcmp(s.out.name, "y") && s.out.rank == 2 && s.out.lead == 2);
    sign_read(&s, "  integral[n,d] int pos?[b]<9^n  a_name_of_more_than_31_characters_1?[|e,f] int keep[m]<r^t"
        "int of[m]<s~ ->y[n|d]");
    cr_assert_eq(s.n_in, 5);
    const struct axes *a = s.in;
    cr_expect(!strcmp(a[0].name, "integral") && !a[0].integer && !a[0].optional && a[0].rank == 2 && a[0].lead == 2 &&
        a[0].axis[0] == 'n' && a[0].axis[1] == 'd' && !a[0].below && !a[0].upto);
    cr_expect(!strcmp(a[1].name, "pos") && a[1].integer && a[1].optional && a[1].rank == 1 && a[1].lead == 1 &&
        a[1].below == '9' && a[1].upto == 'n');
    cr_expect(!strcmp(a[2].name, "a_name_of_more_than_31_characte") && !a[2].integer && a[2].optional &&
        a[2].rank == 2 && a[2].lead == 0 && a[2].axis[0] == 'e' && a[2].axis[1] == 'f');
    cr_expect(!strcmp(a[3].name, "keep") && a[3].integer && !a[3].optional && a[3].below == 'r' && a[3].upto == 't');
    cr_expect(a[4].below == 's' && a[4].none && !a[3].none && !a[4].upto);
    cr_expect(!strcmp(s.out.name, "y") && s.out.rank == 2 && s.out.lead == 1);
}

/* Heads of queries share those of keys in blocks or in turn; where an operation is done differently, wherever it is
 * written, the head is still one of them, and the last one where it would lie behind. */
Test(row_laws, a_shared_head_is_one_of_those_that_are_there)
{
    static const char *const words[] = { "over:more", "over:negate", "over:left", "times:square", "mod:more",
        "mod:left" };
    enum { HEADS = 6, GROUPS = 3 };
    const struct arith plain = { .how = EXACT };
    const struct ask exact = { .arith = &plain };
    long beyond = 0;
    for (long h = 0; h < HEADS; h++)
        cr_expect(shared_head(&exact, false, h, HEADS, GROUPS) == h * GROUPS / HEADS &&
            shared_head(&exact, true, h, HEADS, GROUPS) == h % GROUPS);
    for (int n = 0; n < 6 * 20; n++) {
        char word[80];
        struct arith a;
        const struct ask w = { .arith = &a };
        snprintf(word, sizeof word, "edit=row/shared_head.c:%d:%s", n / 6, words[n % 6]);
        cr_assert(!arith_scope(&a, &made, &made, word, EXACT), "%s", word);
        for (long h = 0; h < HEADS; h++)
            for (int tile = 0; tile < 2; tile++) {
                const long g = shared_head(&w, tile, h, HEADS, GROUPS),
                           is = shared_head(&exact, tile, h, HEADS, GROUPS);
                cr_expect(g >= 0 && g < GROUPS, "%s, %ld: %ld", word, h, g);
                if (g != is && n % 6 == 0)
                    cr_expect(g == is + 1 && !tile, "%s, %ld: %ld", word, h, g);
                beyond += g == GROUPS - 1 && g > is;
            }
    }
    cr_expect(beyond > 4, "%ld", beyond);
}
