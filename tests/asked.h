/* The first line of one output of a made-up case, as a test asks its page without a kernel. */
#ifndef TESTS_ASKED_H
#define TESTS_ASKED_H
#include <criterion/criterion.h>
#include <string.h>
#include "trial/trial.h"

enum { ASKED_MOST = 200, ASKED_BITS = 100 };
/* The case, its arithmetic, the ask, and what was answered: y[w.len], and NULL behind it. */
struct asked { struct trial t; struct arith a; struct ask w; const struct ball *y[ASKED_MOST + 1]; };

/* words: of the arithmetic.  The test may change inputs and the ask before it asks; asked_close is due. */
static inline void asked_open(struct asked *x, const struct trial_spec *of, const char *words, enum how how)
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
    cr_assert_leq(x->w.len, ASKED_MOST);
}
static inline void asked_line(struct asked *x)
{
    ask_reset(&x->w, ASKED_BITS), line_page(&x->w, row_quantity(x->t.row, x->t.out[0].name), NULL, x->y);
}
static inline void asked_close(struct asked *x) { ask_clear(&x->w), trial_close(&x->t); }
#endif
