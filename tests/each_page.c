/* What every page of every row promises, whatever it answers: it writes the numbers of its line and nothing behind
 * them, and it gives back what it took.  Asked of every output under every preset.  A test a row: each is cheap enough
 * for `make mutants` to ask. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "given_back.h"
#include "trial/trial.h"

/* One output of a made-up case; y has room for one number more than the line has. */
struct page_of_row { struct trial t; struct ask w; const struct quantity *q; const struct ball **y; int lead; };

/* false: there is no such case. */
static bool open_page(struct page_of_row *x, const struct row *r, const char *params, const struct quantity *q)
{
    struct sign s;
    char err[600];
    sign_read(&s, q->sign);
    *x = (struct page_of_row){ .q = q, .lead = s.out.lead };
    const int type = s.out.integer ? MER_I64 : MER_F32;
    const struct trial_spec of = { r->name, params, s.out.name, type, "n=3 m=4 c=4 f=3 v=3", 6 };
    if (trial_make(&x->t, &of, err, sizeof err) || trial_holds(&x->t, err, sizeof err) || !array_len(&x->t.out[0])) {
        if (x->t.row)
            trial_close(&x->t);
        return false;
    }
    x->w = (struct ask){ .params = x->t.params, .call = &x->t.call, .len = 1 };
    for (int k = s.out.lead; k < x->t.out[0].rank; k++)
        x->w.len *= x->t.out[0].dim[k];
    x->y = need((size_t)x->w.len + 1, sizeof *x->y);
    return true;
}
static void close_page(struct page_of_row *x) { free(x->y), ask_clear(&x->w), trial_close(&x->t); }

/* Asks the first line, or the last, under that arithmetic. */
static void ask_page(struct page_of_row *x, const struct arith *a, bool exact, bool last)
{
    x->w.arith = a, x->w.exact = exact;
    for (int k = 0; k < x->lead; k++)
        x->w.at[k] = last ? x->t.out[0].dim[k] - 1 : 0;
    ask_reset(&x->w, 64);
    line_page(&x->w, x->q, NULL, x->y);
}

/* ways: 1, the first line; 2, the last one on the exact path, too. */
static void writes_its_line(const struct row *r, const char *params, const struct quantity *q, int ways)
{
    static const struct arith exact = { .how = EXACT }, rounded = { .how = ROUND };
    static const struct ball behind;
    struct page_of_row x;
    if (!open_page(&x, r, params, q))
        return;
    for (int k = 0; k < ways; k++) {
        for (long c = 0; c <= x.w.len; c++)
            x.y[c] = c < x.w.len ? NULL : &behind;
        ask_page(&x, k ? &exact : &rounded, k, k);
        for (long c = 0; c < x.w.len; c++)
            cr_expect(x.y[c], "%s.%s %s: number %ld is not answered", r->name, x.t.out[0].name, params, c);
        cr_expect(x.y[x.w.len] == &behind, "%s.%s %s: there is no number %ld", r->name, x.t.out[0].name, params,
            x.w.len);
    }
    close_page(&x);
}
static void write_their_lines(const struct row *r)
{
    for (const struct preset *p = r->presets; p->name; p++)
        for (int q = 0; r->q[q].sign; q++)
            writes_its_line(r, p->text, &r->q[q], p == r->presets ? 2 : 1);
}
#define ROW(name) Test(each_page, of_##name##_writes_its_line, .timeout = 300) { write_their_lines(row_named(#name)); }
#include "rows.h"
#undef ROW

struct asked_page { const struct row *r; const char *params; const struct quantity *q; };
static void ask_one(const void *with)
{
    static const struct arith exact = { .how = EXACT };
    const struct asked_page *of = with;
    struct page_of_row x;
    if (open_page(&x, of->r, of->params, of->q))
        ask_page(&x, &exact, false, true), close_page(&x);
}
static void gives_back(const struct asked_page *of)
{
    const size_t kept = given_back_less(ask_one, of);
    cr_expect_eq(kept, 0, "%s %s, %s: a run keeps %zu bytes", of->r->name, of->params, of->q->sign, kept);
}
static void give_back(const struct row *r)
{
    for (const struct preset *p = r->presets; p->name; p++)
        for (int q = 0; r->q[q].sign; q++)
            gives_back(&(struct asked_page){ r, p->text, &r->q[q] });
}
#define ROW(name) Test(each_page, of_##name##_gives_back_what_it_took, .timeout = 300) { give_back(row_named(#name)); }
#include "rows.h"
#undef ROW
