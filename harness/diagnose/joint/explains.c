/* Whether a cause explains a failure, by a sample of its lines; see explains.h. */
#include "diagnose/joint/explains.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diagnose/hypotheses/condition.h"
#include "trial/change.h"
#include "trial/rearrange.h"

/* Adds to f how h explains line p.  own: the declared row, if only the elements that it does not explain count; NULL:
 * all count. */
static void fit_one(struct hypothesis *h, struct hypothesis *own, const struct trial *t, const struct place *p,
    struct fit *f)
{
    struct fit declared = { 0 };
    bool *wrong = own ? need((size_t)place_len(t, p) + 1, sizeof *wrong) : NULL;
    if (own)
        hypothesis_wrong(own, t, p, wrong, &declared);
    hypothesis_fit(h, t, p, wrong, f);
    free(wrong);
}

/* Whether the hypothesis says something of what is wrong on n lines. */
static bool tells(struct hypothesis *h, const struct trial *t, const struct place *p, int n)
{
    struct hypothesis own;
    static struct fit f; /* large */
    f = (struct fit){ 0 };
    const bool made = hypothesis_open(&own, t, "", NULL);
    for (int k = 0; made && k < n; k++)
        fit_one(h, &own, t, &p[k], &f);
    hypothesis_close(&own);
    return fit_tells_wrongs(&f);
}

bool explains(const struct trial *t, const struct reason *e, struct fit *f)
{
    struct place p[PLACES];
    struct hypothesis h, own;
    *f = (struct fit){ 0 };
    if (!under_holds(t, e->under)) { /* It says that this is as declared. */
        *f = fit_as_declared(t);
        return false;
    }
    const int n = places_of(t, lines_for(t, LINES, PLACES), p, PLACES);
    char err[300];
    /* A listed mistake may break what trial_check asks of shapes and values; others must failures_keep it. */
    const bool made = hypothesis_open(&h, t, e->m.change, *e->second ? e->second : NULL) &&
        (e->listed || !trial_check(&h.own, err, sizeof err));
    /* A listed mistake may itself give a trivial output; coarser steps and edits count only where no such output
     * fits. */
    const bool narrow = strcmp(e->m.change, zero_answer) != 0 && (!e->listed || *h.alone);
    const bool stood = !e->partly || hypothesis_open(&own, t, "", NULL);
    for (int k = 0; made && stood && k < n && !f->over; k++)
        fit_one(&h, e->partly ? &own : NULL, t, &p[k], f);
    const bool fits = made && stood && f->n - f->open >= (e->partly ? WRONGS : 1) && !f->over && fit_tells(f) &&
        (e->partly || !f->open || tells(&h, t, p, n)) && (!narrow || !power_wide(&f->power));
    hypothesis_close(&h);
    if (e->partly)
        hypothesis_close(&own);
    return fits;
}

/* Counts in d the elements of line p, those that are as declared, and the wrong ones that were never written; false: a
 * wrong one was written. */
static bool count_unwritten(struct hypothesis *own, const struct trial *t, const struct place *p, struct diagnosis *d)
{
    const long len = place_len(t, p);
    bool *wrong = need((size_t)len + 1, sizeof *wrong), all = true;
    struct fit f = { 0 };
    hypothesis_wrong(own, t, p, wrong, &f);
    for (long k = 0; k < len; k++) {
        const bool left = wrong[k] && element_unwritten(&t->out[p->out], p->line * len + k);
        all = all && left == wrong[k];
        d->n++, d->declared += !wrong[k], d->answer[0].n += left;
    }
    free(wrong);
    return all;
}
/* Is there an element that the subject never wrote?  Without one no page has to be asked. */
static bool some_unwritten(const struct trial *t)
{
    for (int k = 0; k < t->call.n_out; k++)
        for (long i = 0; i < array_len(&t->out[k]); i++)
            if (element_unwritten(&t->out[k], i))
                return true;
    return false;
}
const struct mistake never_written = { .id = "unwritten", .change = "unwritten",
    .effect = "every wrong element was never written", .repair = "write every element of every output" };
bool explains_unwritten(const struct trial *t, struct diagnosis *d)
{
    struct place p[PLACES];
    struct hypothesis own;
    *d = (struct diagnosis){ 0 };
    if (!some_unwritten(t))
        return false;
    const int n = places_of(t, lines_for(t, LINES, PLACES), p, PLACES);
    bool all = hypothesis_open(&own, t, "", NULL);
    for (int k = 0; all && k < n; k++)
        all = count_unwritten(&own, t, &p[k], d);
    hypothesis_close(&own);
    struct answer *a = d->answer;
    if (!all || !a->n)
        return false;
    a->m = never_written, a->partly = a->n < d->n, a->explained = a->n;
    snprintf(a->repair, sizeof a->repair, "%s", never_written.repair);
    d->unwritten = d->explained = true, d->answers = 1;
    return true;
}
const struct trial *output_alone(const struct trial *t, int o, struct trial *view)
{
    *view = *t;
    view->call.in = view->in, view->call.out = view->out;
    view->out[0] = t->out[o], view->call.n_out = 1;
    view->call.n_in = 0;
    for (int k = 0; k < t->call.n_in; k++) { /* What other outputs alone read is foreign to it. */
        struct axes x;
        if (input_axes(view, t->in[k].name, &x))
            view->in[view->call.n_in++] = t->in[k];
    }
    return view;
}
struct fit fit_as_declared(const struct trial *t)
{
    struct place p[PLACES];
    struct hypothesis own;
    struct fit f = { 0 };
    const int n = places_of(t, lines_for(t, LINES, PLACES), p, PLACES);
    const bool made = hypothesis_open(&own, t, "", NULL);
    for (int k = 0; made && k < n; k++)
        hypothesis_fit(&own, t, &p[k], NULL, &f);
    hypothesis_close(&own);
    return f;
}

void name_in_question(const struct trial *t, struct mistake *m)
{
    char key[32], change[sizeof m->change], err[400];
    long by;
    struct trial after;
    if (sscanf(m->change, "%31[A-Za-z_0-9]+=%ld", key, &by) != 2)
        return;
    const struct param *p = row_params(t->row);
    while (p->name && strcmp(p->name, key))
        p++;
    if (!p->name || p->kind != ENUM)
        return;
    if (!trial_copy(&after, t, err, sizeof err) && !trial_change(&after, m->change, err, sizeof err)) {
        const char *is = mer_text(&after.call, key);
        snprintf(change, sizeof change, "%s=%.*s", key, (int)strcspn(is, " "), is);
        if (!mistake_called(t->row->name, change, m))
            snprintf(m->id, sizeof m->id, "%s", change), snprintf(m->change, sizeof m->change, "%s", change);
    }
    trial_close(&after);
}

bool outputs_give_nothing(const struct trial *t)
{
    for (int k = 0; k < t->call.n_out; k++)
        for (long i = 0; i < array_len(&t->out[k]); i++) {
            const double x = array_get(&t->out[k], i);
            if (x != 0 && !isnan(x))
                return false;
        }
    return true;
}
