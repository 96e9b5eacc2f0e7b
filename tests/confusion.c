/* The diagnosis names what is there, on a sample of mistakes, inputs and formats (the whole: `meridian power
 * confusion`); the published classes are those that come out again; right subjects are accepted.
 * mutants: what this suite expects is earlier output of this code. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "compare/ball_share.h"
#include "power/alarms.h"
#include "power/confusion.h"
#include "core/data.h"
#include "power/faults.h"

struct counted { const struct row *row; long turn, named, wrong; char text[2000]; };

static int some(const struct mistake *m, void *with)
{
    enum { EVERY = 13 };
    struct counted *c = with;
    struct diagnosis d = { 0 };
    const char *out;
    if (mistake_equivalent(m) || c->turn++ % EVERY)
        return 0;
    int turn = (int)(c->turn / EVERY);
    enum told told = confusion_first(c->row, m, turn % 2 ? MER_BF16 : MER_F32, family_name[turn % FAMILIES], &out, &d);
    c->named += told == RIGHT;
    c->wrong += told > RIGHT;
    if (told > RIGHT)
        snprintf(c->text + strlen(c->text), sizeof c->text - strlen(c->text), "%s.%s, %s: %s, %s\n", c->row->name,
            m->id, out ? out : "-", told_name[told], d.answer[0].m.id);
    return 0;
}

Test(confusion, ninety_five_of_a_hundred_single_mistakes_are_named_by_their_class, .timeout = 120)
{
    struct counted c = { 0 };
    for (const struct row *const *r = all_rows; *r; r++) {
        c.row = *r;
        mistakes_each(c.row->name, some, &c);
    }
    cr_expect_geq(c.named + c.wrong, 20, "%ld", c.named);
    cr_expect(
        (double)c.named >= 0.95 * (double)(c.named + c.wrong), "%ld of %ld:\n%s", c.named, c.named + c.wrong, c.text);
}

/* Small outputs in bfloat16 hide what a float32 subject shows: hidden by the classes' own criterion, not by failing to
 * name it. */
Test(confusion, what_lies_below_the_bounds_is_called_untold_and_not_missed)
{
    struct diagnosis d;
    struct mistake plain;
    const struct mistake hidden = { "h", "dim=16", "table=f32", "", "", "" };
    const struct fault_of_code *fault;
    cr_assert_eq(fault_find("rope.position+1", &plain, &fault), 0);
    cr_expect_eq(confusion_tell(row_named("rope"), &hidden, "cos", MER_BF16, "normal", &d), UNTOLD);
    cr_expect_eq(confusion_tell(row_named("rope"), &plain, "cos", MER_BF16, "normal", &d), RIGHT);
    cr_expect_eq(confusion_tell(row_named("rope"), &plain, "freq", MER_F32, "normal", &d), ABSENT,
        "frequencies have no positions");
}

static char *published(const struct row *r)
{
    char path[600], what[80], line[4000], *text;
    size_t n;
    snprintf(what, sizeof what, "classes/%s.tsv", r->name);
    FILE *f = fopen(data_path(what, path, sizeof path), "r"), *to = need_stream(&text, &n);
    while (f && fgets(line, sizeof line, f))
        if (*line != '#')
            fputs(line, to);
    fclose(to);
    return f ? fclose(f), text : (free(text), NULL);
}

Test(confusion, published_classes_come_out_again, .timeout = 60)
{
    /* Rows that are quick to ask; rmsnorm has a class of two in bf16. */
    static const char *const sample[] = { "alibi", "learned", "product", "t5", "rmsnorm" };
    for (size_t k = 0; k < sizeof sample / sizeof *sample; k++) {
        char *again, *were = published(row_named(sample[k]));
        size_t n;
        FILE *f = need_stream(&again, &n);
        classes_write(f, row_named(sample[k]), MER_F32), classes_write(f, row_named(sample[k]), MER_BF16);
        fclose(f);
        cr_expect_str_eq(were ? were : "", again, "%s: meridian power classes --write --row %s", sample[k], sample[k]);
        free(again), free(were);
    }
}

/* A new mistake is in no published class until they are made again: whole words, once in each format. */
static int in_both(const struct mistake *m, void *with)
{
    int found[2] = { 0 };
    const char *classes = with;
    for (const char *s = classes; s && *s && !mistake_equivalent(m); s += strcspn(s, "\n"), s += *s == '\n') {
        size_t len = strlen(m->id), end = strcspn(s, "\n");
        for (const char *w = s + strcspn(s, "\t"); w < s + end; w += 1 + strcspn(w + 1, " \n"))
            found[*s == 'b'] += strcspn(w + 1, " \n") == len && !strncmp(w + 1, m->id, len);
    }
    cr_expect(mistake_equivalent(m) || (found[0] == 1 && found[1] == 1), "%s: %d times in f32, %d in bf16", m->id,
        found[0], found[1]);
    return 0;
}
Test(confusion, every_mistake_is_in_one_published_class_of_its_row)
{
    for (const struct row *const *r = all_rows; *r; r++) {
        char *classes = published(*r);
        int made = mistakes_each((*r)->name, in_both, classes);
        cr_expect(classes || made < 0, "%s: meridian power classes --write --row %s", (*r)->name, (*r)->name);
        free(classes);
    }
}

struct citing { const char *classes; long public; };
/* Counts a mistake that comes first in a published class of f32 and cites a public issue as owner/repo#N. */
static int cites(const struct mistake *m, void *with)
{
    struct citing *c = with;
    char line[120];
    const char *hash = strchr(m->cite, '#'), *slash = strchr(m->cite, '/');
    snprintf(line, sizeof line, "f32\t%s", m->id);
    const char *at = strstr(c->classes, line);
    c->public +=
        at && strchr("\n ", at[strlen(line)]) && hash && slash && slash < hash && hash[1] >= '0' && hash[1] <= '9';
    return 0;
}

Test(confusion, more_than_150_classes_and_60_of_them_from_public_reports)
{
    long classes = 0, public = 0;
    for (const struct row *const *r = all_rows; *r; r++) {
        struct citing c = { published(*r), 0 };
        for (const char *s = c.classes; s && *s; s = strchr(s, '\n') + 1)
            classes += !strncmp(s, "f32\t", 4);
        if (c.classes)
            mistakes_each((*r)->name, cites, &c);
        public += c.public;
        free((void *)c.classes);
    }
    cr_expect_geq(classes, 150, "%ld", classes);
    cr_expect_geq(public, 60, "%ld", public);
}

struct heard { char last[12000], text[2000]; long combinations, alarms, judged, vacuous; const char *row; };
static void hear(const struct alarm *a, void *with)
{
    struct heard *h = with;
    char what[12000];
    snprintf(what, sizeof what, "%s %s %s %d", h->row, a->contract, a->preset, a->type);
    h->combinations += strcmp(what, h->last) != 0 && a->word != SKIPPED; /* Combinations come one after another. */
    snprintf(h->last, sizeof h->last, "%s", what);
    h->judged += a->word != SKIPPED, h->vacuous += a->word == VACUOUS;
    h->alarms += a->word == FAILED || a->word == UNDECIDED_VERDICT;
    if (a->word == FAILED || a->word == UNDECIDED_VERDICT)
        snprintf(h->text + strlen(h->text), sizeof h->text - strlen(h->text), "%s.%s %s, %s, %s: %g of the bound\n",
            h->row, a->out, type_name[a->type], a->contract, a->preset, a->ratio);
}

Test(confusion, two_hundred_right_subjects_are_accepted, .timeout = 120)
{
    enum { EVERY = 37 };
    static struct heard h;
    for (const struct row *const *r = all_rows; *r; r++) {
        h.row = (*r)->name;
        alarms_each(*r, EVERY, hear, &h);
    }
    cr_expect_geq(h.combinations, 200, "%ld", h.combinations);
    cr_expect_eq(h.alarms, 0, "%ld false alarms:\n%s", h.alarms, h.text);
    cr_expect((double)h.vacuous <= 0.05 * (double)h.judged, "%ld of %ld decide nothing", h.vacuous, h.judged);
}

/* bfloat16 has fewer bits than float16 and more range: a value of its own below 2^-14 is rounded by the store, and was
 * taken as kept. */
Test(confusion, a_bfloat16_frequency_stored_as_float16_is_rounded_there)
{
    struct trial t;
    struct tally y;
    struct arith a;
    char err[600];
    const char *profile = "cast=bf16";
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=128 base=1000000 scaling=linear factor=4", "freq",
        MER_F16, "", 3 }, err, sizeof err), 0, "%s", err);
    trial_profile(&t, profile, &a, ROUND, err, sizeof err);
    reference_run(&t, &a);
    trial_profile(&t, profile, &a, WIDEN, err, sizeof err);
    judge_outputs(&t, &a, 0, &y);
    cr_expect(y.over == 0 && y.own > 0.5, "%g of the bound", y.ratio);
    trial_close(&t);
}

Test(confusion, what_may_overflow_may_be_infinite_and_never_nan)
{
    struct ask w = { 0 };
    ask_reset(&w, 64);
    const struct ball *all = b_widen(&w, b_si(&w, 7), (struct up){ (double)INFINITY, 0 }),
                      *seven = b_widen(&w, b_si(&w, 7), up_d(1));
    cr_expect(
        ball_share(all, (double)INFINITY) == 0 && ball_share(all, -3) == 0 && !(ball_share(all, (double)NAN) <= 1));
    cr_expect(ball_share(seven, 7.5) == 0.5 && !(ball_share(seven, (double)INFINITY) <= 1) &&
        !(ball_share(seven, (double)NAN) <= 1));
    ask_clear(&w);
}
