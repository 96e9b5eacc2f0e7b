/* Multi-head latent attention: what its two forms round, what a query answers that sees no key, and what row attention
 * is handed. */
#include <criterion/criterion.h>
#include <math.h>
#include "page_line.h"

/* The first number of o under that form and these words. */
static double first_of(const char *form, const char *words)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "mla", form, "o", MER_F64, "h=1 n=1 m=3", 5 }, words, ROUND);
    line_ask(&x);
    const double y = b_value(x.y[0]);
    return line_close(&x), y;
}
/* Keys are made of the latent in the naive form, and queries are brought to it in the absorbed one: each form rounds
 * where it computes, and the other's step is none of its own. */
Test(mla, each_form_rounds_what_it_makes)
{
    static const char *const form[] = { "form=naive", "form=absorbed" }, *const step[] = { "key=bf16", "query=bf16" };
    for (int f = 0; f < 2; f++)
        for (int s = 0; s < 2; s++) {
            const double plain = first_of(form[f], ""), rounded = first_of(form[f], step[s]);
            cr_expect_eq(plain != rounded, f == s, "%s %s: %.17g, %.17g", form[f], step[s], plain, rounded);
        }
}

/* Where there are more queries than keys, the first ones see none: a sum of nothing is 0, and its logarithm minus
 * infinity; the line ends where it ends otherwise. */
Test(mla, a_query_without_a_key_answers_nothing)
{
    static const char *const out[] = { "o", "lse" }, *const form[] = { "form=naive", "form=absorbed" };
    for (int k = 0; k < 4; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "mla", form[k / 2], out[k % 2], MER_F64, "h=1 n=3 m=1", 5 }, "", EXACT);
        for (x.w.at[1] = 0; x.w.at[1] < 2; x.w.at[1]++) {
            memset(x.y, 0, sizeof x.y);
            line_ask(&x);
            for (long c = 0; c < x.w.len; c++)
                cr_expect(k % 2 ? isinf(b_value(x.y[c])) && b_value(x.y[c]) < 0 : b_value(x.y[c]) == 0,
                    "%s, %s of query %ld: %g", form[k / 2], out[k % 2], x.w.at[1], b_value(x.y[c]));
            cr_expect(!x.y[x.w.len], "%s: %s has no number %ld", form[k / 2], out[k % 2], x.w.len);
        }
        line_close(&x);
    }
}

/* An edit that has a query see more keys shows the first query the next one, and the last query no other, since there
 * is none. */
Test(mla, an_edit_sees_no_more_keys_than_there_are)
{
    int met = 0;
    for (int line = 0; line < 60; line++) {
        double y[2][2];
        char words[80];
        snprintf(words, sizeof words, "edit=mla.c:%d:plus:more", line);
        for (long k = 0; k < 4; k++) {
            struct page_line x;
            line_open(&x, &(struct trial_spec){ "mla", "", "lse", MER_F64, "h=1 n=2 m=2", 5 }, k / 2 ? words : "",
                ROUND);
            x.w.at[1] = k % 2;
            line_ask(&x);
            y[k / 2][k % 2] = b_value(x.y[0]);
            line_close(&x);
        }
        met += y[1][0] != y[0][0];
        cr_expect_eq(y[1][1], y[0][1], "line %d: %.17g, not %.17g", line, y[1][1], y[0][1]);
    }
    cr_expect_eq(met, 1, "%d", met);
}

/* Row attention is asked about one query of one head: what an edit may exchange there are keys and channels alone. */
Test(mla, row_attention_is_handed_one_query_of_one_head)
{
    enum { KEYS = 3, CHANNELS = 2 };
    struct page_line x;
    struct sites *all = need(1, sizeof *all);
    int pairs = 0, lines[KEYS + 1] = { 0 }, values = 0;
    line_open(&x, &(struct trial_spec){ "mla", "", "o", MER_F64, "h=2 n=2 m=3 e=2", 5 }, "edit=nowhere:0:add:zero",
        ROUND);
    x.w.at[1] = 1;
    line_sites(&x, all);
    for (int k = 0; k < all->n; k++) {
        const struct site *s = &all->s[k];
        const long *n = s->extent;
        if (s->kind == SITE_INDEX && s->axes == 3) { /* head, query and key of a pair */
            cr_expect(n[0] == 1 && n[1] == 1 && n[2] == KEYS, "%s:%d: %ld heads, %ld queries, %ld keys", s->at.file,
                s->at.line, n[0], n[1], n[2]);
            pairs++;
        }
        if (s->kind == SITE_LINE) { /* the query's line, and those of keys */
            cr_expect(s->axes == 2 && n[0] == 1 && (n[1] == 1 || n[1] == KEYS), "%s:%d: %ld heads of %ld lines",
                s->at.file, s->at.line, n[0], n[1]);
            lines[n[1] <= KEYS ? n[1] : 0]++;
        }
        if (s->kind == SITE_INPUT && strstr(s->at.file, "ref/attention.c")) {
            cr_expect(n[0] == 1 && n[1] == KEYS && n[2] == CHANNELS, "%ld %ld %ld", n[0], n[1], n[2]);
            values++;
        }
    }
    cr_expect(pairs && lines[1] && lines[KEYS] && values, "%d, %d, %d, %d", pairs, lines[1], lines[KEYS], values);
    free(all->use), free(all), line_close(&x);
}
