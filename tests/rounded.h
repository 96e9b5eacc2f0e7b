/* A page is asked, in an adverse arithmetic of float32, which of its numbers an operation takes without a rounding. */
#ifndef ROUNDED_H
#define ROUNDED_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "ball/adverse.h"
#include "ball/trace.h"
#include "trial/trial.h"

/* The significand of float32. */
enum { BITS = 24 };

/* What the questions of the running test have found: the lines of pages, a few of them in words. */
static char found[1200];
static long asked;

static inline void keep(const struct sites *all, const char *question)
{
    for (int k = 0; k < all->n_bare; k++) {
        char place[400];
        const char *file = strstr(all->bare[k].file, "ref/"), *text = all->bare[k].text;
        snprintf(place, sizeof place, "\n%s:%d (%s)", file ? file : all->bare[k].file, all->bare[k].line,
            text ? text : "");
        const size_t at = strlen(found);
        if (!strstr(found, place))
            snprintf(found + at, sizeof found - at, "%s in %s", place, question);
    }
}

/* Notes what the page does on the last line of that output. */
static inline void ask_page(const struct trial *t, int q, const char *question)
{
    static const struct adverse any = { 0 };
    struct arith a;
    struct sign s;
    char err[400];
    cr_assert_geq(arith_read(&a, t->row, "f32 edit=nowhere:0:add:zero", ROUND, err, sizeof err), 0, "%s", err);
    a.adverse = &any;
    struct sites *all = need(1, sizeof *all);
    struct trace some = { 0 }; /* An answer that no step has a part in is rounded by its store. */
    struct ask w = { .params = t->params, .call = &t->call, .arith = &a, .trace = &some, .sites = all, .len = 1 };
    const struct mer_array *out = &t->out[0];
    sign_read(&s, t->row->q[q].sign);
    all->bits = BITS;
    for (int k = 0; k < out->rank; k++)
        k < s.out.lead ? (w.at[k] = out->dim[k] - 1) : (w.len *= out->dim[k]);
    if (array_len(out)) {
        const struct ball **y = need((size_t)w.len + 1, sizeof *y);
        ask_reset(&w, 100);
        line_page(&w, &t->row->q[q], NULL, y);
        for (long k = 0; k < w.len && some.rounded; k++)
            note_bare(&w, (struct source){ "the answer", 0, NULL }, y[k]);
        keep(all, question), asked++;
        free(y);
    }
    free(all->use), free(all);
    ask_clear(&w);
}
#endif
