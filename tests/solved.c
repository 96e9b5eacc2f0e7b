/* Numbers that somebody wrote into a program by hand: what they are is solved for, from what it answers. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "core/gen.h"
#include "diagnose/diagnose.h"
#include "diagnose/hypotheses/edits.h"
#include "edit/site.h"
#include "edited.h"
#include "part.h"
#include "words/each.h"
#include "words/read.h"

struct asked { const char *row, *params, *out, *sizes; };
static const struct asked asked[] = {
    { "rope", "dim=58", "y", "h=2 n=9 normal" },
    { "attention", "causal=bottomright", "o", "h=4 g=2 n=5 m=9 d=8 e=6 bias normal" },
    { "layernorm", "", "y", "n=3 d=58 gain normal" },
    { "alibi", "heads=6", "bias", "n=5 m=7" },
    { "sinusoid", "dim=58", "p", "n=9" },
};
enum { ASKED = sizeof asked / sizeof *asked };

/* Outputs with the change; diagnosed.  -1: they are within the declared bounds, so that nothing is to be found; 1: the
 * change has its name, alone or in a class, or another name of the same change; 0: it has another, or none. */
static int named(const struct asked *x, const char *change, struct diagnosis *d)
{
    struct trial t;
    int is = -1;
    if (!answered(&t, x->row, x->params, x->out, x->sizes, change))
        is = diagnose(&t, d) && (diagnosis_holds(d, change) ||
            same_effect(x->row, x->params, x->out, x->sizes, (const char *const[]){ change, d->answer[0].m.change }));
    trial_close(&t);
    return is;
}

/* Keeps a word that ends where its number is to follow. */
static void keep(const char *change, const char *effect, const char *equal, void *with)
{
    if (change[strlen(change) - 1] == '-')
        draw(change, effect, equal, with);
}
/* The words of a row's page that are to be followed by a number. */
static int words_of(const struct asked *x, struct edits_drawn *all)
{
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    char err[600];
    struct trial t;
    all->n = 0;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ x->row, x->params, x->out, MER_F32, x->sizes, 5 }, err,
        sizeof err), 0, "%s", err);
    edits_of_sites(&t, some, 2, WORDS_NUMBERS, keep, all);
    trial_close(&t);
    return all->n;
}

Test(solved, a_number_of_two_digits_at_any_place_of_a_page_is_found, .timeout = 300)
{
    static struct edits_drawn all;
    static struct diagnosis d;
    for (int a = 0; a < ASKED; a++) {
        int told = 0, found = 0;
        if (!is_due(a, ASKED))
            continue;
        const int n = words_of(&asked[a], &all), step = 1 + n / 12;
        cr_assert_gt(n, 2, "%s has %d numbers", asked[a].row, n);
        for (int k = 0; k < n; k += step) {
            char change[200];
            /* 1.1 to 1.8, or 0.21 to 0.92 */
            const unsigned lot = (unsigned)(gen_bits(2027, (uint64_t)a, (uint64_t)k) % 16);
            snprintf(change, sizeof change, "%.120s%s%u%s", all.change[k], lot % 2 ? "1." : "0.",
                lot / 2 + 1 + !(lot % 2), lot % 2 ? "" : "2");
            const int is = named(&asked[a], change, &d);
            told += is >= 0, found += is > 0;
            if (!is)
                cr_log_info("%s: %s: %s", asked[a].row, change, d.explained ? d.answer[0].m.id : "no name");
        }
        cr_expect(told && 10 * found >= 9 * told, "%s: %d of %d", asked[a].row, found, told);
        cr_log_info("%s: %d of %d", asked[a].row, found, told);
    }
}

/* An epsilon that somebody adds where the row has none: to a total before it divides, to a score, to an angle. */
Test(solved, a_small_number_added_anywhere_is_found, .timeout = 200)
{
    static struct edits_drawn all;
    static struct diagnosis d;
    for (int a = 0; a < ASKED; a++) {
        int told = 0, found = 0;
        if (!is_due(a + 1, ASKED))
            continue;
        const int n = words_of(&asked[a], &all);
        for (int k = 0; k < n; k++) {
            char change[200];
            const size_t len = strlen(all.change[k]);
            if (len < 5 || strcmp(all.change[k] + len - 5, "plus-") )
                continue;
            /* What changes scores by a thousandth is less than a step in f16 may, and is called that. */
            snprintf(change, sizeof change, "%.120s%s", all.change[k],
                strcmp(asked[a].row, "attention") ? "0.0013" : "0.21");
            const int is = named(&asked[a], change, &d);
            told += is >= 0, found += is > 0;
            if (!is)
                cr_log_info("%s: %s: %s", asked[a].row, change, d.explained ? d.answer[0].m.id : "no name");
        }
        /* One may be less than what a step in f16 or bf16 does, and have its name. */
        cr_expect(told && found + 1 >= told, "%s: %d of %d", asked[a].row, found, told);
        cr_log_info("%s: %d of %d", asked[a].row, found, told);
    }
}

/* Seven digits are as many as the outputs tell: any outputs that are off by a factor would have such a number. */
Test(solved, a_number_of_as_many_digits_as_are_known_is_no_name, .timeout = 120)
{
    static struct edits_drawn all;
    static struct diagnosis d;
    for (int a = 0; a < ASKED; a++) {
        if (!is_due(a, ASKED))
            continue;
        const int n = words_of(&asked[a], &all), step = 1 + n / 4;
        for (int k = 0; k < n; k += step) {
            char change[200];
            snprintf(change, sizeof change, "%.120s1.2837461", all.change[k]);
            if (named(&asked[a], change, &d) >= 0)
                cr_expect(!d.explained || !strstr(d.answer[0].m.change, "times-"), "%s: %s is called %s", asked[a].row,
                    change, d.answer[0].m.id);
        }
    }
}

Test(solved, the_value_of_a_parameter_is_found, .timeout = 120)
{
    static const struct { struct asked of; const char *change; } list[] = {
        { { "rope", "dim=58", "y", "h=2 n=9 normal" }, "base=50000" },
        { { "rope", "dim=58", "y", "h=2 n=9 normal" }, "base=12300" },
        { { "layernorm", "eps=1e-2", "y", "n=3 d=58 gain normal" }, "eps=0.035" },
        { { "attention", "causal=bottomright cap=2", "o", "h=4 g=2 n=5 m=9 d=8 e=6 bias normal" }, "cap=3.7" },
        { { "attention", "causal=bottomright window=3", "o", "h=4 g=2 n=5 m=40 d=8 e=6 bias normal" }, "window=16" },
        { { "t5", "buckets=16 max_distance=32", "bias", "n=130 m=133" }, "max_distance=128" },
    };
    static struct diagnosis d;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect_eq(named(&list[k].of, list[k].change, &d), 1, "%s: %s: %s", list[k].of.row, list[k].change,
            d.explained ? d.answer[0].m.id : "no name");
}

/* Quotients of a size, a parameter or a constant, however many digits they have. */
Test(solved, a_number_that_is_an_expression_of_the_question_is_read_as_one, .timeout = 120)
{
    static const struct { struct asked of; const char *ends; double x; const char *says; } list[] = {
        { { "rope", "dim=58", "y", "h=2 n=49 normal" }, ":mul:times-", 58.0 / 49, "d/n" },
        { { "rope", "dim=58 base=3000", "y", "h=2 n=7 normal" }, ":mul:times-", 0.69314718055994531, "ln 2" },
        { { "attention", "causal=bottomright", "o", "h=4 g=2 n=5 m=9 d=24 e=7 bias normal" }, ":mul:times-",
            0.37796447300922723, "1/sqrt e" },
        { { "attention", "causal=bottomright cap=7", "o", "h=4 g=2 n=5 m=9 d=11 e=6 bias normal" }, ":mul:times-",
            3.3166247903553998 / 7, "cap" },
    };
    static struct edits_drawn all;
    static struct diagnosis d;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char change[200] = "";
        const int n = words_of(&list[k].of, &all);
        for (int i = 0; i < n && !*change; i++)
            if (strstr(all.change[i], list[k].ends))
                snprintf(change, sizeof change, "%.120s%.17f", all.change[i], list[k].x);
        cr_assert(*change, "%s has no %s", list[k].of.row, list[k].ends);
        cr_expect_eq(named(&list[k].of, change, &d), 1, "%s: %s", change, d.explained ? d.answer[0].m.id : "no name");
        cr_expect(d.explained && strstr(d.answer[0].m.effect, list[k].says), "%s: %s", change, d.answer[0].m.effect);
    }
}

/* The words are read as they are written: a decimal number, and nothing else. */
Test(solved, what_is_no_number_is_no_word)
{
    static const struct { const char *op; bool is; } list[] = {
        { "times-1.01", true }, { "times--0.5", true }, { "times-3", true }, { "times-", false }, { "times", false },
        { "times-x", false }, { "times-1.0.1", false }, { "times-1e3", false }, { "times-.", false },
        { "times-1234567890123456789", false }, { "times--", false },
        { "plus-0.000001", true }, { "plus--3", true }, { "plus-", false }, { "plus-x", false }, { "plus", false },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct edit e;
        char word[100];
        const int n = snprintf(word, sizeof word, "rope.c:25:mul:%s", list[k].op);
        cr_expect_eq(site_read(&e, word, (size_t)n), list[k].is, "%s", list[k].op);
    }
}
