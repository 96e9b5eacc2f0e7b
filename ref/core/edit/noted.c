/* Keeps what a page does on a line; see noted.h. */
#include <stdlib.h>
#include <string.h>
#include "edit/noted.h"

bool same_place(struct source a, struct source b) { return a.line == b.line && !strcmp(a.file, b.file); }
static struct site *site_of(struct sites *all, struct source at, enum site_kind kind)
{
    struct site *s = all->s;
    while (s < all->s + all->n && (s->kind != kind || !same_place(s->at, at)))
        s++;
    return s;
}
static void note_axes(struct site *s, const struct mer_array *a, int axes)
{
    for (int k = 0; k < axes; k++)
        s->extent[k] = a->dim[k] > s->extent[k] ? a->dim[k] : s->extent[k], s->axes = k + 1 > s->axes ? k + 1 : s->axes;
}
static void note_turn(struct site *s, const struct sites *all, const struct ask *w)
{
    if (!w->making) /* What is made once for all lines is the same for each of them. */
        note_axes(s, &all->out, all->lead);
    s->parts = w->part && w->parts > s->parts ? w->parts : s->parts;
    s->part_of = w->part_of;
    s->run = s->count > 1 && s->last == w->part ? s->run + 1 : 1, s->last = w->part;
    s->turns = s->run > s->turns ? s->run : s->turns;
    s->hides |= all->hidden && kind_computed((int)s->kind), s->may_hide |= all->hides && kind_computed((int)s->kind);
}
void note(const struct ask *w, struct source at, enum site_kind kind, const struct mer_array *a)
{
    struct sites *all = w->sites;
    struct site *s = site_of(all, at, kind);
    if (s == all->s + SITES)
        return;
    if (s == all->s + all->n)
        *s = (struct site){ .at = at, .kind = kind }, all->n++;
    s->count++, s->form = all->form;
    if (a)
        note_axes(s, a, a->rank);
    else if (kind_taken((int)kind))
        note_turn(s, all, w);
}
void note_bare(const struct ask *w, struct source at, const struct ball *x)
{
    struct sites *all = w->sites;
    const bool held = b_is(x) || (x->rad.m == 0 && mpfr_min_prec(x->mid) <= all->bits);
    if (!all->bits || held || w->arith->how == EXACT || !mpfr_number_p(x->mid) || all->n_bare == SITES)
        return;
    int k = 0;
    while (k < all->n_bare && !same_place(all->bare[k], at))
        k++;
    all->bare[k] = at, all->n_bare += k == all->n_bare;
}
/* Does an operation of this kind round nothing: does it answer a number that it was given, or one with another sign? */
static bool rounds_nothing(enum site_kind kind)
{
    return kind == SITE_MAX || kind == SITE_MIN || kind == SITE_NEG || kind == SITE_ABS;
}
void note_use(const struct ask *w, struct source at, enum site_kind kind, const struct ball *x, int as)
{
    enum { USES = 1 << 16 }; /* A long line tells the same with fewer. */
    struct sites *all = w->sites;
    const long site = site_of(all, at, kind) - all->s;
    if (!rounds_nothing(kind))
        note_bare(w, at, x);
    if (site == all->n || all->n_use == USES || mpfr_nan_p(x->mid))
        return;
    if (all->n_use == all->room)
        all->use = need_more(all->use, (size_t)(all->room = 2 * all->room + 64), sizeof *all->use);
    all->use[all->n_use++] = (struct site_use){ b_value(x), (short)site, (short)as };
}
static int by_number(const void *a, const void *b)
{
    const struct site_use *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}
static int by_taker(const void *a, const void *b)
{
    const struct site_use *x = a, *y = b;
    return x->site != y->site ? x->site - y->site : x->as != y->as ? x->as - y->as : by_number(a, b);
}
static bool same_taker(const struct site_use *x, const struct site_use *y)
{
    return x->site == y->site && x->as == y->as;
}
/* Reads which operations take a number that another one takes as well, and which take one several times beside others.
 * What is the same to the last bit of a double is one number, but for 0 and 1. */
static void read_uses(struct sites *all)
{
    struct site_use *u = all->use, *end = u + all->n_use;
    /* mutant: condition 508f: without any the loops below do nothing. */
    if (!all->n_use)
        return;
    qsort(u, (size_t)all->n_use, sizeof *u, by_taker);
    /* mutant: loop 5d59: the last use alone, the only one it leaves out, is not one of several. */
    for (struct site_use *x = u, *next; x < end; x = next) {
        bool twice = false, other = false;
        const double least = x->number;
        for (next = x + 1; next < end && same_taker(x, next); next++)
            twice |= next->number == next[-1].number && next->number != 0 && next->number != 1,
                other |= next->number != next[-1].number;
        all->s[x->site].again[x->as] = twice && other;
        all->s[x->site].sign[0] |= least < 0, all->s[x->site].sign[1] |= next[-1].number > 0;
    }
    qsort(u, (size_t)all->n_use, sizeof *u, by_number);
    for (struct site_use *x = u; x + 1 < end; x++)
        if (x->number == x[1].number && x->number != 0 && x->number != 1 && !same_taker(x, x + 1))
            all->s[x->site].elsewhere[x->as] = all->s[x[1].site].elsewhere[x[1].as] = true;
}
void sites_join(struct sites *to, struct sites *line)
{
    to->out = line->out, to->lead = line->lead;
    read_uses(line);
    free(line->use), line->use = NULL, line->n_use = line->room = 0;
    for (int k = 0; k < line->n; k++) {
        const struct site *x = &line->s[k];
        struct site *s = site_of(to, x->at, x->kind);
        if (s == to->s + SITES)
            continue;
        if (s == to->s + to->n)
            *s = *x, to->n++;
        s->count = s->count > x->count ? s->count : x->count;
        s->parts = s->parts > x->parts ? s->parts : x->parts;
        s->turns = s->turns > x->turns ? s->turns : x->turns;
        s->hides |= x->hides, s->may_hide |= x->may_hide;
        s->sign[0] |= x->sign[0], s->sign[1] |= x->sign[1];
        s->elsewhere[0] |= x->elsewhere[0], s->elsewhere[1] |= x->elsewhere[1];
        s->again[0] |= x->again[0], s->again[1] |= x->again[1];
    }
}
