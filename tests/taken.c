/* What a row takes has an answer: where a page asks another row, that row must not refuse the words that the asking row
 * has let through, since then there is no value, and nobody is told why.  Asked of every row, of every single choice of
 * a parameter under every preset, and of pairs of choices of the day. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/gen.h"
#include "trial/trial.h"

enum { WORDS = 400 };
/* All single words "name=value" of a row that are tried: every choice, and numbers at the edges of what pages divide
 * by. */
struct word_list { char word[WORDS][80]; int n; };
static void add(struct word_list *l, const struct param *p, const char *value, size_t len)
{
    if (l->n < WORDS)
        snprintf(l->word[l->n++], sizeof l->word[0], "%s=%.*s", p->name, (int)len, value);
}
static void list_words(const struct row *r, struct word_list *l)
{
    static const char *const number[] = { "-1", "0", "0.5", "1", "1.3", "2", "3", "8", NULL };
    l->n = 0;
    for (const struct param *p = row_params(r); p->name; p++) {
        for (const char *c = p->kind == ENUM || p->kind == ROUTE ? p->choices : ""; *c; c += strspn(c, " ")) {
            add(l, p, c, strcspn(c, " "));
            c += strcspn(c, " ");
        }
        for (int k = 0; (p->kind == INT || p->kind == RATIONAL) && number[k]; k++)
            add(l, p, number[k], strlen(number[k]));
    }
}

/* Whether the first line of output q has an answer, where the row takes the words and the arrays. */
static bool answered(const struct row *r, long q, const char *params, long *taken)
{
    struct trial t = { 0 };
    struct sign s;
    char err[400];
    bool known = true;
    sign_read(&s, r->q[q].sign);
    const struct trial_spec of = { r->name, params, s.out.name, MER_F32, "n=2 m=3", 3 };
    if (!trial_make(&t, &of, err, sizeof err) && !trial_holds(&t, err, sizeof err) && array_len(&t.out[0])) {
        struct ask w = { .params = t.params, .call = &t.call, .arith = &(struct arith){ 0 }, .len = 1 };
        const struct mer_array *out = &t.out[0];
        for (int k = s.out.lead; k < out->rank; k++)
            w.len *= out->dim[k];
        const struct ball **y = need((size_t)w.len + 1, sizeof *y);
        /* Whole blocks lose a few hundred bits; what a part refuses has no value in any number of them. */
        for (mpfr_prec_t bits = 100; bits < 4000 && (bits == 100 || !known); bits *= 6) {
            ask_reset(&w, bits);
            line_page(&w, &r->q[q], NULL, y);
            known = !w.undecided || !isinf(y[0]->rad.m);
        }
        ++*taken;
        free(y), ask_clear(&w);
    }
    if (t.row)
        trial_close(&t);
    return known;
}

/* Asks one output in these words, and tells of it where it has no answer. */
static bool ask_words(const struct row *r, const char *params, long q, long *taken)
{
    const bool known = answered(r, q, params, taken);
    cr_expect(known, "%s takes '%s', and %s has no value", r->name, params, r->q[q].sign);
    return known;
}

static void every_answer_of(const struct row *r)
{
    struct word_list *l = need(1, sizeof *l);
    char params[900];
    const char *day = getenv("SEED");
    const uint64_t seed = (uint64_t)(day ? atol(day) : 1);
    long taken = 0, outputs = 0;
    bool ok = true;
    list_words(r, l);
    while (r->q[outputs].sign)
        outputs++;
    for (const struct preset *p = r->presets; p->name && ok; p++)
        for (int k = 0; k < l->n && ok; k++) {
            snprintf(params, sizeof params, "%s %s", p->text, l->word[k]);
            ok = ask_words(r, params, (k + (long)(seed % 1000)) % outputs, &taken);
        }
    const int pairs = getenv("MERIDIAN_FULL") ? 4000 : 200;
    for (int k = 0; k < pairs && ok && l->n; k++) {
        const uint64_t draw = gen_bits(seed, 7, (uint64_t)k);
        const uint64_t words = (uint64_t)l->n;
        snprintf(params, sizeof params, "%s %s", l->word[draw % words], l->word[(draw >> 20) % words]);
        ok = ask_words(r, params, (long)((draw >> 40) % (uint64_t)outputs), &taken);
    }
    cr_expect(taken > 1 || !ok, "%s: nothing was asked", r->name);
    free(l);
}

#define ROW(name) Test(taken, every_answer_of_##name, .timeout = 300) { every_answer_of(row_named(#name)); }
#include "rows.h"
#undef ROW
