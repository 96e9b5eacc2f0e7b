/* The first line of one output of a made-up case, as a test asks its page without a kernel. */
#ifndef PAGE_LINE_H
#define PAGE_LINE_H
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "edit/site.h"
#include "trial/trial.h"

enum { PAGE_LINE_MOST = 200, PAGE_LINE_BITS = 100 };
/* The case, its arithmetic, the ask, and what was answered: y[w.len], and NULL behind it. */
struct page_line { struct trial t; struct arith a; struct ask w; const struct ball *y[PAGE_LINE_MOST + 1]; };

/* words: of the arithmetic.  The test may change inputs and the ask before it asks; line_close is due. */
static inline void line_open(struct page_line *x, const struct trial_spec *of, const char *words, enum how how)
{
    char err[400];
    struct sign s;
    memset(x, 0, sizeof *x);
    cr_assert_eq(trial_make(&x->t, of, err, sizeof err), 0, "%s", err);
    cr_assert_geq(arith_read(&x->a, x->t.row, words, how, err, sizeof err), 0, "%s", err);
    sign_read(&s, row_quantity(x->t.row, of->outs)->sign);
    x->w = (struct ask){ .params = x->t.params, .call = &x->t.call, .arith = &x->a, .len = 1 };
    for (int k = s.out.lead; k < x->t.out[0].rank; k++)
        x->w.len *= x->t.out[0].dim[k];
    cr_assert_leq(x->w.len, PAGE_LINE_MOST);
}
static inline void line_ask(struct page_line *x)
{
    ask_reset(&x->w, PAGE_LINE_BITS), line_page(&x->w, row_quantity(x->t.row, x->t.out[0].name), NULL, x->y);
}
static inline void line_close(struct page_line *x) { ask_clear(&x->w), trial_close(&x->t); }
/* Asks the line with the word of edits that changes nothing, and notes in all, which is cleared, what operations it
 * makes; free(all->use) is due. */
static inline void line_sites(struct page_line *x, struct sites *all)
{
    memset(all, 0, sizeof *all), x->w.sites = all;
    line_ask(x);
}
/* How often operations of that kind are made in a file whose name holds `file`, of operands whose text holds
 * `text`: all together, and, in *most where it is not NULL, the one made most often. */
static inline long sites_made(
    const struct sites *all, enum site_kind kind, const char *file, const char *text, long *most)
{
    long made = 0, largest = 0;
    for (int k = 0; k < all->n; k++) {
        const struct site *s = &all->s[k];
        if (s->kind == kind && strstr(s->at.file, file) && (!*text || (s->at.text && strstr(s->at.text, text))))
            made += s->count, largest = s->count > largest ? s->count : largest;
    }
    if (most)
        *most = largest;
    return made;
}
#endif
