/* A page rounds what every operation gives at a named step, before another one takes it and before it is the answer, so
 * that a program which does the same in one format stays in its ball: an intermediate that no step rounds is an error
 * that no profile counts.  Asked in float32 of every operation that a page of any row makes, under every preset and
 * every single other choice, with all constants such that no format holds them, in an adverse arithmetic, which rounds
 * what a program may round (b_inner). */
#include "part.h"
#include "rounded.h"

/* A row with MANY outputs or more, a whole block with its gradients, is asked of some of them under each word, of
 * others on another day (SEED). */
enum { MANY = 10 };

/* Every output of the row with these parameters, without its optional inputs and with them; with them at a width d too,
 * whose root no format holds, where that is free. */
static void ask_row(const struct row *r, const char *params)
{
    static long words;
    long outputs = 0;
    while (r->q[outputs].sign)
        outputs++;
    words++;
    for (int q = 0; r->q[q].sign; q++)
        for (int all = 0; all < 3 && (outputs < MANY || is_due(words + q, MANY)); all++) {
            struct sign s;
            struct trial t = { 0 };
            char sizes[400], question[600], err[400];
            snprintf(sizes, sizeof sizes, "n=2 m=3%s", all == 2 ? " d=6" : "");
            sign_read(&s, r->q[q].sign);
            for (int k = 0; k < s.n_in && all; k++)
                if (!s.in[k].integer && s.in[k].optional)
                    snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), " %s", s.in[k].name);
            snprintf(question, sizeof question, "%s.%s %s", r->name, s.out.name, params);
            const struct trial_spec of = { r->name, params, s.out.name, MER_F32, sizes, 3 };
            if (!s.out.integer && !trial_make(&t, &of, err, sizeof err) && !trial_holds(&t, err, sizeof err))
                ask_page(&t, q, question);
            if (t.row)
                trial_close(&t);
        }
}

/* The number of a parameter's default and 3/10 more, which no binary format holds. */
static void rational(const struct param *p, char *word, size_t n)
{
    snprintf(word, n, "%s=%g", p->name, atof(p->value) + 0.3);
}

static void every_operation_of(const struct row *r)
{
    char words[900];
    found[0] = 0;
    for (const struct preset *p = r->presets; p->name; p++)
        ask_row(r, p->text);
    for (const struct param *p = row_params(r); p->name; p++) {
        for (const char *c = p->kind == ENUM || p->kind == ROUTE ? p->choices : ""; *c; c += strspn(c, " ")) {
            snprintf(words, sizeof words, "%s %s=%.*s", r->presets[0].text, p->name, (int)strcspn(c, " "), c);
            ask_row(r, words);
            c += strcspn(c, " ");
        }
        for (const struct preset *of = r->presets; of->name && p->kind == RATIONAL; of++) {
            snprintf(words, sizeof words, "%s ", of->text);
            rational(p, words + strlen(words), sizeof words - strlen(words));
            ask_row(r, words);
        }
        for (int k = 3; k <= 6 && p->kind == INT; k += 3) {
            snprintf(words, sizeof words, "%s %s=%d", r->presets[0].text, p->name, k);
            ask_row(r, words);
        }
    }
    cr_expect_str_empty(found, "not rounded before another operation takes it:%s", found);
    cr_expect_gt(asked, 1, "%s: nothing was asked", r->name);
}

/* A test a row: `make mutants` asks none that takes longer than the seconds which it has for a mutant. */
#define ROW(name) Test(each_rounded, every_operation_of_##name, .timeout = 300) \
    { every_operation_of(row_named(#name)); }
#include "rows.h"
#undef ROW
