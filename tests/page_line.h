/* The first line of one output of a made-up case, as a test asks its page without a kernel. */
#ifndef PAGE_LINE_H
#define PAGE_LINE_H
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "edit/site.h"
#include "trial/trial.h"
#include "words/each.h"

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
/* Asks the line under every edit of the operations in all that `wanted` picks, and answers how many were asked; of
 * each, `answered` says whether a number of the line is as it should be. */
struct line_edits { struct page_line *x; long asked; bool (*answered)(const struct ball *y); };
static inline void line_edited(const char *word, const char *effect, const char *equal, void *with)
{
    struct line_edits *e = with;
    char err[300];
    (void)effect, (void)equal;
    cr_assert_geq(arith_read(&e->x->a, e->x->t.row, word, EXACT, err, sizeof err), 0, "%s", err);
    memset(e->x->y, 0, sizeof e->x->y);
    ask_clear(&e->x->w); /* What an ask keeps is of one arithmetic. */
    line_ask(e->x), e->asked++;
    for (long k = 0; k < e->x->w.len; k++)
        cr_expect(e->x->y[k] && e->answered(e->x->y[k]), "%s: number %ld is not answered", word, k);
}
static inline long line_each_edit(struct page_line *x, const struct sites *all, bool (*wanted)(const struct site *s),
    bool (*answered)(const struct ball *y))
{
    struct line_edits e = { x, 0, answered };
    x->w.sites = NULL;
    for (int k = 0; k < all->n; k++)
        if (wanted(&all->s[k]))
            site_each(&all->s[k], WORDS_ALL, line_edited, &e);
    return e.asked;
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
