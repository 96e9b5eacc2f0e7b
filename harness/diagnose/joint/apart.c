/* Each output of a kernel's failures by itself; see apart.h. */
#include "diagnose/joint/apart.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "diagnose/joint/explains.h"
#include "diagnose/joint/search.h"

/* Work for the search of one output, in that of one failure, and how many searches a kernel has. */
static const double output_share = 0.4;
enum { SEARCHES = 5 };

static int output_named(const struct trial *t, const char *name)
{
    int o = 0;
    while (o < t->call.n_out && strcmp(t->out[o].name, name))
        o++;
    return o < t->call.n_out ? o : -1;
}

/* Is every element of the only output of this view 0?  Any hypothesis has balls that such an answer fits, or says no
 * more than this, so that it is a cause for itself. */
static bool is_zero(const struct trial *view)
{
    long i = array_len(view->out);
    while (i > 0 && array_get(view->out, i - 1) == 0)
        i--;
    return array_len(view->out) && !i;
}
static const struct mistake zero = { .id = "edit=out:0:out:zero", .change = "edit=out:0:out:zero",
    .effect = "the answer is 0", .repair = "write what is computed: nothing but zeros comes back" };
static bool is_unwritten(const struct trial *view)
{
    struct diagnosis *d = need(1, sizeof *d);
    const bool is = explains_unwritten(view, d);
    free(d);
    return is;
}
/* The only output of this view is empty in a way that has no numbers to explain: what is said of it; NULL: it is
 * not. */
static const struct mistake *emptiness(const struct trial *view)
{
    return is_zero(view) ? &zero : is_unwritten(view) ? &never_written : NULL;
}

/* Whether e explains the only output of this view, or contradicts none of its elements; fit: how. */
static bool agrees(const struct trial *view, const struct reason *e, struct output_fit *fit)
{
    static struct fit f; /* large */
    const bool numbers = strcmp(e->m.id, zero.id) && strcmp(e->m.id, never_written.id);
    *fit = (struct output_fit){ .n = array_len(view->out) };
    if (!numbers) {
        const struct mistake *m = emptiness(view);
        return (m && !strcmp(m->id, e->m.id)) || !fit_as_declared(view).over;
    }
    const bool is = explains(view, e, &f);
    *fit = (struct output_fit){ f.n, f.open, f.left, f.worst };
    return is || (f.n ? !f.over : !fit_as_declared(view).over);
}
/* The same of that output of all kept failures that have it. */
static bool agrees_kept(const struct failures *known, const char *name, const struct reason *e)
{
    static struct trial view; /* large */
    struct output_fit fit;
    int k = 0;
    for (; k < known->n; k++) {
        const int o = output_named(&known->kept[k], name);
        if (o >= 0 && !agrees(output_alone(&known->kept[k], o, &view), e, &fit))
            break;
    }
    return k == known->n;
}

static bool tells_enough(const struct trial *view, const struct reason *e)
{
    static struct fit f; /* large */
    return explains(view, e, &f) && f.n - f.open >= WRONGS;
}
static void cause_add(struct output_cause *c, const struct reason *e)
{
    if (c->n < OUTPUT_CAUSES)
        c->e[c->n++] = *e;
}
/* Adds what those causes explain of this output, whose view of a failure is given. */
static void causes_of(
    const struct failures *known, const struct apart *of, const struct trial *view, struct output_cause *c)
{
    for (int k = 0; k < of->n; k++)
        for (int j = 0; j < of->of[k].n; j++)
            if (tells_enough(view, &of->of[k].e[j]) && agrees_kept(known, c->out, &of->of[k].e[j]))
                cause_add(c, &of->of[k].e[j]);
}
/* What is known of other outputs, or of the kernel of another type, may be the cause of this one, too. */
static void causes_of_others(const struct failures *known, const struct trial *view, struct output_cause *c)
{
    const struct failures *other;
    causes_of(known, &known->apart, view, c);
    for (int next = 0; !c->n && (other = failures_sibling(known, &next));)
        causes_of(known, &other->apart, view, c);
}
/* Searches on one failure, `where`, for what explains that output of t as well, and of all others that are kept. */
static void causes_searched(
    struct failures *known, const struct trial *where, const struct trial *t, struct output_cause *c)
{
    static struct trial here, view; /* large */
    const int o = output_named(where, c->out);
    struct diagnosis *d = need(1, sizeof *d);
    if (o >= 0 && known->apart.searches < SEARCHES && search_left_for_any()) {
        known->apart.searches++;
        const bool is = diagnose_within(output_alone(where, o, &here), d, output_share * diagnosis_work);
        search_paid(d);
        output_alone(t, output_named(t, c->out), &view);
        for (int k = 0; is && k < d->all_n; k++) {
            const struct reason *e = &d->all[k];
            if (!e->stepped && !e->partly && e->number == READ && tells_enough(&here, e) && agrees(&view, e, &c->fit) &&
                agrees_kept(known, c->out, e))
                cause_add(c, e);
        }
    }
    free(d);
}
/* The smallest kept failure with that output wrong; NULL: none is smaller than t. */
static const struct trial *smallest_with(const struct failures *known, const struct trial *t, const char *name)
{
    static struct trial view; /* large */
    const struct trial *least = NULL;
    for (int k = 0; k < known->n; k++) {
        const int o = output_named(&known->kept[k], name);
        const struct trial *by = least ? least : t;
        if (o >= 0 && array_len(&known->kept[k].out[o]) < array_len(&by->out[output_named(by, name)]) &&
            fit_as_declared(output_alone(&known->kept[k], o, &view)).over >= WRONGS)
            least = &known->kept[k];
    }
    return least;
}
/* Finds what explains output o of t, which is wrong and has no cause yet; false: nothing was found. */
static bool found_for(struct failures *known, const struct trial *t, int o, struct output_cause *c)
{
    static struct trial view; /* large */
    snprintf(c->out, sizeof c->out, "%s", t->out[o].name), c->n = 0;
    const struct mistake *empty = emptiness(output_alone(t, o, &view));
    if (empty) {
        const struct reason e = { .m = *empty };
        if (array_len(&t->out[o]) > 1 && agrees_kept(known, c->out, &e))
            cause_add(c, &e);
        return c->n > 0;
    }
    causes_of_others(known, &view, c);
    const struct trial *small = c->n ? NULL : smallest_with(known, t, c->out);
    if (small)
        causes_searched(known, small, t, c);
    if (!c->n)
        causes_searched(known, t, t, c);
    return c->n > 0;
}

/* Drops the first causes that contradict this view, or, behind the very first, a kept failure; false: none is left. */
static bool cause_left(const struct failures *known, struct output_cause *c, const struct trial *view)
{
    bool first = true;
    while (c->n && !(agrees(view, &c->e[0], &c->fit) && (first || agrees_kept(known, c->out, &c->e[0])))) {
        memmove(c->e, c->e + 1, (size_t)--c->n * sizeof *c->e);
        first = false;
    }
    return c->n > 0;
}
/* Sees to the cause of output o of t, which is wrong or not: a wrong one needs one. */
static bool looked_at(struct failures *known, const struct trial *t, int o, bool wrong)
{
    static struct trial view; /* large */
    struct apart *a = &known->apart;
    int k = 0;
    while (k < a->n && strcmp(a->of[k].out, t->out[o].name))
        k++;
    struct output_cause *c = &a->of[k];
    if (k < a->n)
        return cause_left(known, c, output_alone(t, o, &view));
    return !wrong || (found_for(known, t, o, c) && agrees(output_alone(t, o, &view), &c->e[0], &c->fit) && ++a->n);
}

/* Adds the first cause of an output to d, beside the outputs that have the same one; false: there is no room. */
static bool answer_add(struct diagnosis *d, const struct trial *view, const struct output_cause *c)
{
    int k = 0;
    while (k < d->answers && strcmp(d->answer[k].m.id, c->e[0].m.id))
        k++;
    if (k == ANSWERS)
        return false;
    struct answer *a = &d->answer[k];
    if (k == d->answers) {
        *a = (struct answer){ .m = c->e[0].m, .listed = c->e[0].listed };
        repair_write(view, a, a->repair, sizeof a->repair);
        d->answers++;
    }
    a->n += c->fit.n, a->open += c->fit.open, a->left += c->fit.left, a->explained = a->n - a->open;
    a->worst = c->fit.worst > a->worst ? c->fit.worst : a->worst, d->n += c->fit.n;
    names_add(a->of, sizeof a->of, c->out, strlen(c->out));
    return true;
}

/* Writes which output has which cause, those that have the same one together. */
static void write_each(const struct apart *a, char *text, size_t n)
{
    size_t at = 0;
    *text = 0;
    for (int k = 0; k < a->n; k++) {
        const char *id = a->of[k].e[0].m.id;
        char outs[120] = "";
        int first = 0;
        while (strcmp(a->of[first].e[0].m.id, id))
            first++;
        for (int j = k; j < a->n; j++)
            if (!strcmp(a->of[j].e[0].m.id, id))
                names_add(outs, sizeof outs, a->of[j].out, strlen(a->of[j].out));
        if (first == k && at < n)
            at += (size_t)snprintf(text + at, n - at, "%s%s: %s", at ? "; " : "", outs, id);
    }
}

bool apart_diagnose(const struct trial *t, const bool *wrong, struct diagnosis *d)
{
    static struct trial view; /* large */
    struct failures *known = failures_here();
    struct diagnosis *apart = need(1, sizeof *apart);
    const bool some = *known->about && !known->apart.fallen && t->call.n_out > 1;
    bool is = some;
    for (int o = 0; is && o < t->call.n_out; o++)
        is = looked_at(known, t, o, wrong[o]);
    for (int k = 0; is && k < known->apart.n; k++) {
        const int o = output_named(t, known->apart.of[k].out);
        is = o < 0 || !wrong[o] || answer_add(apart, output_alone(t, o, &view), &known->apart.of[k]);
    }
    known->apart.fallen |= some && !is;
    is = is && apart->answers;
    if (is) {
        apart->explained = apart->apart = apart->of_all = true;
        write_each(&known->apart, apart->each, sizeof apart->each);
        *d = *apart;
    }
    free(apart);
    return is;
}

bool apart_by(const struct trial *t, struct diagnosis *d)
{
    static struct trial view; /* large */
    struct failures *known = failures_here();
    bool is = true;
    for (int k = 0; k < known->apart.n && is; k++) {
        const int o = output_named(t, known->apart.of[k].out);
        is = o < 0 || cause_left(known, &known->apart.of[k], output_alone(t, o, &view));
    }
    for (int o = 0; o < t->call.n_out && is; o++) {
        int k = 0;
        while (k < known->apart.n && strcmp(known->apart.of[k].out, t->out[o].name))
            k++;
        is = k < known->apart.n || !fit_as_declared(output_alone(t, o, &view)).over;
    }
    known->apart.fallen |= !is, d->alone |= !is;
    return is;
}
