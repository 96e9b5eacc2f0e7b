/* Words of a profile as ref/core/row/arith.c reads them, of every row: its faults, the routes of its parts, and what is
 * said of a word that nobody has. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"
#include "row/row.h"

/* Has the row, or a part of it, a fault of its own of that name? */
static bool has_own(const struct row *r, const char *fault, size_t len)
{
    for (const char *s = r->faults ? r->faults : ""; *s; s = word_next(s))
        if (strcspn(s, " ") == len && !strncmp(s, fault, len))
            return true;
    for (const struct row *const *p = r->parts; p && *p; p++)
        if (has_own(*p, fault, len))
            return true;
    return false;
}
static int read_fault(const struct row *r, const char *name, size_t len, struct arith *a, char *err, size_t n)
{
    char word[80];
    snprintf(word, sizeof word, "fault=%.*s", (int)len, name);
    return arith_read(a, r, word, ROUND, err, n);
}

/* Each row reads the faults that all rows share, its own behind them, those of its parts as none of its own, and
 * refuses every other with the list of what it has. */
Test(arith_words, of_faults_each_row_has_its_own)
{
    long own = 0, refused = 0;
    char err[900];
    struct arith a;
    for (const struct row *const *r = all_rows; *r; r++) {
        for (int k = 0; k < FAULTS; k++)
            cr_expect(read_fault(*r, fault_name[k], strlen(fault_name[k]), &a, err, sizeof err) == 1 && a.fault == k,
                "%s %s: %d", (*r)->name, fault_name[k], a.fault);
        for (const struct row *const *of = all_rows; *of; of++) {
            int k = FAULTS;
            for (const char *s = (*of)->faults ? (*of)->faults : ""; *s; s = word_next(s), k++) {
                const size_t len = strcspn(s, " ");
                const int words = read_fault(*r, s, len, &a, err, sizeof err);
                const bool mine = has_own(*r, s, len);
                cr_expect((words == 1) == mine, "%s fault=%.*s: %d", (*r)->name, (int)len, s, words);
                cr_expect(*of != *r || a.fault == k, "%s fault=%.*s: %d, not %d", (*r)->name, (int)len, s, a.fault, k);
                cr_expect(mine || (strstr(err, "none uncentred unscaled overwritten") &&
                        (!(*r)->faults || strstr(err, (*r)->faults)) && !strchr(err, '\n')), "%s", err);
                own += *of == *r, refused += !mine;
            }
        }
    }
    cr_expect(own > 4 && refused > 100, "%ld %ld", own, refused);
}

/* Is " PREFIXname" one of the words of the text, or what begins one? */
static bool tells(const char *text, const char *prefix, const char *name, size_t len)
{
    char word[80];
    snprintf(word, sizeof word, " %s%.*s", prefix, (int)len, name);
    return strstr(text, word) != NULL;
}

/* The line about an unknown word holds every name that the row has, and is cut where there is no room. */
Test(arith_words, of_an_unknown_word_every_name_is_said_in_any_room)
{
    char all[3000], some[3000];
    const char *s;
    size_t len;
    for (const struct row *const *r = all_rows; *r; r++) {
        cr_assert_eq(row_knows(*r, "nosuch=f32", all, sizeof all), -1);
        for (const struct param *p = row_params(*r); p->name; p++)
            cr_expect(tells(all, "", p->name, strlen(p->name)), "%s %s: %s", (*r)->name, p->name, all);
        for (int k = 0; (s = row_step(*r, k, &len)); k++)
            cr_expect(tells(all, "", s, len), "%s %.*s: %s", (*r)->name, (int)len, s, all);
        cr_expect_eq(strstr(all, "; steps ") != NULL, row_step(*r, 0, &len) != NULL, "%s", all);
        for (int k = 0; (s = row_input(*r, k, &len)); k++)
            cr_expect(tells(all, "in.", s, len), "%s in.%.*s: %s", (*r)->name, (int)len, s, all);
        for (const struct row *const *p = (*r)->parts; p && *p; p++)
            cr_expect(tells(all, "and those of ", (*p)->name, strlen((*p)->name)), "%s", all);
        const size_t whole = strlen(all);
        for (size_t n = 1; n <= whole; n++) {
            memset(some, '#', sizeof some);
            cr_expect_eq(row_knows(*r, "nosuch=f32", some, n), -1);
            cr_expect(strlen(some) == n - 1 && !strncmp(some, all, n - 1), "%s, %zu: %s", (*r)->name, n, some);
            cr_expect(some[n] == '#' && !memcmp(some + n, some + n + 1, sizeof some - n - 1), "%s, %zu", (*r)->name, n);
        }
    }
}

/* A route of a part is read with the part's name before it; a value that the part does not have is refused by name, and
 * what is no route of it is an unknown word. */
Test(arith_words, routes_of_parts_are_read_behind_their_name)
{
    static const struct { const char *row, *text; int words; const char *says; } list[] = {
        { "streaming", "rope.route=iterated", 1, "" }, { "streaming", "rope.route=powers rope.freq=f32", 2, "" },
        { "streaming", "rope.route=nonsense", -1, "found 'nonsense', allowed: powers iterated" },
        { "streaming", "rope.route", -1, "unknown word 'rope.route'" },
        { "streaming", "rope.base=5", -1, "unknown word 'rope.base=5'" },
        { "streaming", "rop.route=iterated", -1, "unknown word" },
        { "streaming", "alibi.route=powers", -1, "unknown word" },
        { "rope", "ftx=on", -1, "did you mean 'ftz'" }, { "rope", "fre=f32", -1, "did you mean 'freq'" },
        { "attention", "in.quey=f16", -1, "unknown word" }, { "streaming", "a.bcd=powers", -1, "unknown word" },
        { "layernorm", "in.gian=f16", -1, "did you mean 'gain'" }, { "softmax", "divide=first", -1, "unknown word" },
        { "layer", "attention.exp=f99", -1, "format: f64 f32" },
        { "attention", "divid=first", -1, "did you mean 'divide'" },
        { "attention", "dscal=first", -1, "did you mean 'dscale'" },
        { "attention", "in.divid=f16", -1, "unknown word 'in.divid=f16'; attention has" },
    };
    char err[2000];
    struct arith a;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const int words = arith_read(&a, row_named(list[k].row), list[k].text, ROUND, err, sizeof err);
        cr_expect(list[k].words < 0 ? words < 0 && strstr(err, list[k].says) : words >= 0, "%s %s: %d, %s", list[k].row,
            list[k].text, words, words < 0 ? err : "");
    }
}

/* What goes back through scores has multiplied them by a scale: an order of both is said of step score. */
Test(arith_words, a_row_with_step_ds_has_step_score)
{
    char err[2000];
    struct arith a;
    long some = 0;
    for (const struct row *const *r = all_rows; *r; r++) {
        const bool ds = arith_read(&a, *r, "ds=f32", ROUND, err, sizeof err) == 1;
        some += ds;
        cr_expect(!ds || arith_read(&a, *r, "score=f32", ROUND, err, sizeof err) == 1, "%s", (*r)->name);
    }
    cr_expect(some > 10, "%ld", some);
}

/* Is the name one that a word of the row may begin with? */
static bool takes(const struct row *r, const char *name)
{
    char word[120], err[2000];
    snprintf(word, sizeof word, "%s=1", name);
    return !row_knows(r, word, err, sizeof err) || !row_knows(r, name, err, sizeof err);
}
/* What is proposed for a misspelt word is a word of the row: a parameter of its part is none. */
Test(arith_words, what_is_proposed_would_be_read)
{
    long proposed = 0, none = 0;
    char word[80], err[2000], meant[80];
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct row *const *of = all_rows; *of; of++)
            for (const struct param *p = row_params(*of); p->name; p++) {
                snprintf(word, sizeof word, "%s_=1", p->name);
                cr_assert_eq(row_knows(*r, word, err, sizeof err), -1);
                const char *hint = strstr(err, "did you mean '");
                cr_expect(hint || !takes(*r, p->name) || strlen(p->name) < 2, "%s %s: %s", (*r)->name, word, err);
                none += !hint, proposed += hint != NULL;
                if (hint && sscanf(hint, "did you mean '%70[^']", meant) == 1)
                    cr_expect(takes(*r, meant), "%s %s: %s", (*r)->name, word, meant);
            }
    cr_expect(proposed > 1000 && none > 1000, "%ld %ld", proposed, none);
}
