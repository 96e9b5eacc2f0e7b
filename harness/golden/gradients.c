/* Lists the real inputs without a gradient and finds their reasons in data/gradients; see gradients.h. */
#include "golden/gradients.h"
#include "base/tsv.h"
#include <stdio.h>
#include <stdlib.h>
#include "adjoint.h"
#include "core/data.h"
#include "base/words.h"

enum { REASONS = 128 };
struct gradients_reason { char row[64], outs[200], ins[200], why[300]; int used; };

static bool matches(const char *words, const char *word) { return words_have(words, "*") || words_have(words, word); }

/* Whether the row has a quantity d<in> that reads d<y>. */
static bool differentiable(const struct row *r, const struct quantity *y, const char *in)
{
    for (const struct quantity *q = r->q; q->sign; q++) {
        struct adjoint a;
        bool of = adjoint_of(r, q, &a) && !strcmp(a.in, in);
        for (int k = 0; of && k < a.n; k++)
            if (a.of[k] == y)
                return true;
    }
    return false;
}

/* Appends the lines of data/gradients/NAME.tsv, as about `row` (* any), to to[lines..]; a missing file has none.
 * Returns how many lines there are then, or -1 and one line. */
static int read_file(struct gradients_reason *to, int lines, const char *name, const char *row, char *err, size_t n)
{
    char what[120], path[600];
    struct tsv t;
    snprintf(what, sizeof what, "gradients/%s.tsv", name);
    for (tsv_open(&t, data_path(what, path, sizeof path)); lines >= 0 && tsv_next(&t);) {
        struct gradients_reason *r = &to[lines];
        const bool whole = lines < REASONS && tsv_take(&t, (const struct tsv_place[]){ { r->outs, sizeof r->outs },
            { r->ins, sizeof r->ins }, { r->why, sizeof r->why }, { 0 } }) == 3;
        if (!whole)
            snprintf(err, n, "%s: outputs, inputs, why, with tabs between: %.80s", path, t.text);
        else
            snprintf(r->row, sizeof r->row, "%s", row);
        lines = whole ? lines + 1 : -1;
    }
    tsv_close(&t);
    return lines;
}

static int read_reasons(struct gradients_reason *to, char *err, size_t n)
{
    int lines = 0;
    for (const struct row *const *r = all_rows; *r && lines >= 0; r++)
        lines = read_file(to, lines, (*r)->name, (*r)->name, err, n);
    /* read last, so that a row's own reasons come first */
    return lines < 0 ? -1 : read_file(to, lines, "any", "*", err, n);
}

static int holes_of(const struct row *r, const struct quantity *y, struct gradients_reason *list, int lines,
    int (*f)(const struct hole *h, void *with), void *with)
{
    struct sign s;
    struct adjoint a;
    int rc = 0;
    sign_read(&s, y->sign);
    for (int k = 0; k < s.n_in && !rc && !s.out.integer && !adjoint_of(r, y, &a); k++) {
        if (s.in[k].integer || differentiable(r, y, s.in[k].name))
            continue;
        struct hole h = { .row = r };
        memcpy(h.out, s.out.name, sizeof h.out), memcpy(h.in, s.in[k].name, sizeof h.in);
        for (int l = 0; l < lines && !*h.why; l++)
            if (matches(list[l].row, r->name) && matches(list[l].outs, h.out) && matches(list[l].ins, h.in))
                memcpy(h.why, list[l].why, sizeof h.why), list[l].used++;
        rc = f(&h, with);
    }
    return rc;
}

int holes_each(int (*f)(const struct hole *h, void *with), void *with, char *err, size_t n)
{
    struct gradients_reason *list = need(REASONS, sizeof *list);
    int lines = read_reasons(list, err, n), rc = lines < 0 ? -1 : 0;
    for (const struct row *const *r = all_rows; *r && !rc; r++)
        for (const struct quantity *y = (*r)->q; y->sign && !rc; y++)
            rc = holes_of(*r, y, list, lines, f, with);
    for (int l = 0; l < lines && !rc; l++)
        if (!list[l].used)
            rc = -1, snprintf(err, n, "data/gradients/%s.tsv: no hole is meant by '%s %s'",
                     *list[l].row == '*' ? "any" : list[l].row, list[l].outs, list[l].ins);
    free(list);
    return rc;
}
