/* A number of a page in another form (edit/form.h) is the same number: an edit that multiplies a result on one of the
 * form's lines by 1 takes the form and changes nothing, so that the answer keeps every bit.  Asked of all forms that
 * the pages of all rows have under their presets. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "edit/site.h"
#include "edited.h"
#include "part.h"

/* Room for the forms' operations that have been met, each once, by their words without the last part. */
enum { FORMS = 200 };
struct met { char word[FORMS][96]; int n, forms; };

/* Keeps the first word of an operation up to its last colon. */
static void first_word(const char *change, const char *effect, const char *equal, void *with)
{
    char *to = with;
    (void)effect, (void)equal;
    if (!*to)
        snprintf(to, 90, "%.*s", (int)(strrchr(change, ':') - change), change);
}

static bool is_new(struct met *m, const char *word)
{
    for (int k = 0; k < m->n; k++)
        if (!strcmp(m->word[k], word))
            return false;
    cr_assert_lt(m->n, FORMS);
    return strcpy(m->word[m->n++], word);
}

/* Notes the operations of the first line of that output, and asks each of another form that is new. */
static void ask_forms(struct met *m, const struct row *r, const char *params, const char *sizes)
{
    struct sign s;
    struct arith a;
    char err[600];
    for (int q = 0; r->q[q].sign; q++) {
        struct trial t = { 0 };
        sign_read(&s, r->q[q].sign);
        const struct trial_spec of = { r->name, params, s.out.name, MER_F32, sizes, 6 };
        if (s.out.integer || trial_make(&t, &of, err, sizeof err) || trial_holds(&t, err, sizeof err)) {
            if (t.row)
                trial_close(&t);
            continue;
        }
        cr_assert_geq(arith_read(&a, r, "edit=nowhere:0:add:zero", EXACT, err, sizeof err), 0, "%s", err);
        struct sites *all = need(1, sizeof *all);
        struct ask w = { .params = t.params, .call = &t.call, .arith = &a, .sites = all, .len = 1 };
        for (int k = s.out.lead; k < t.out[0].rank; k++)
            w.len *= t.out[0].dim[k];
        const struct ball **y = need((size_t)w.len + 1, sizeof *y);
        ask_reset(&w, 100);
        if (array_len(&t.out[0]))
            line_page(&w, &r->q[q], NULL, y);
        for (int k = 0; k < all->n; k++) {
            char word[96] = "", change[120];
            if (all->s[k].form)
                site_each(&all->s[k], WORDS_ALL, first_word, word);
            if (!*word || !is_new(m, word))
                continue;
            snprintf(change, sizeof change, "%s:times-1", word);
            m->forms++;
            cr_expect(same_effect(r->name, params, s.out.name, sizes,
                          (const char *const[]){ change, "edit=nowhere:0:add:zero" }),
                "%s.%s %s: %s is another number", r->name, s.out.name, params, change);
        }
        free(y), free(all->use), free(all), ask_clear(&w), trial_close(&t);
    }
}

static void forms_of(struct met *m, const struct row *r)
{
    for (const struct preset *p = r->presets; p->name; p++)
        if (!r->parts)
            ask_forms(m, r, p->text, "n=5 m=3");
}

/* A test a row: each is cheap enough for `make mutants` to ask. */
#define ROW(name) Test(forms, of_##name##_are_the_same_numbers, .timeout = 300) \
    { forms_of(&(struct met){ .n = 0 }, row_named(#name)); }
#include "rows.h"
#include "words/each.h"
#undef ROW

/* The forms that there are, of a frequency, of a scale and of a mean, have been asked. */
Test(forms, are_met)
{
    static struct met m;
    static const char *const row[] = { "rope", "attention" },
                            *const file[] = { "rotary/rotary.c", "softmax/mix.c", "softmax/score.c" };
    for (int k = 0; k < 2; k++)
        forms_of(&m, row_named(row[k]));
    cr_expect_gt(m.forms, 5);
    for (size_t k = 0; k < sizeof file / sizeof *file; k++) {
        bool met = false;
        for (int j = 0; j < m.n; j++)
            met |= strstr(m.word[j], file[k]) != NULL;
        cr_expect(met, "the form of %s was not asked", file[k]);
    }
}
