/* The causes that explain every failure of a kernel so far; see standing.h. */
#include "diagnose/joint/standing.h"
#include <stdio.h>
#include <string.h>
#include "base/names.h"

bool standing_explains_kept(const struct failures *known, const struct reason *e)
{
    struct fit f;
    for (int k = 0; k < known->n; k++)
        if (!explains(&known->kept[k], e, &f) &&
            ((e->stepped && !known->fresh[k]) || f.over || (!f.n && !known->right[k])))
            return false;
    return true;
}

int standing_promote(struct reason *e, int n)
{
    static struct reason was[EXPLANATIONS]; /* large */
    bool told = false;
    int left = 0;
    for (int k = 0; k < n; k++)
        told |= e[k].number == TOLD;
    if (!told) /* A first one that contradicts nothing, which is no reason to name it, is none. */
        return n && e->number == UNREAD ? 0 : n;
    memcpy(was, e, (size_t)n * sizeof *e);
    for (int k = 0; k < n; k++)
        if (was[k].number == TOLD)
            e[left] = was[k], e[left++].number = READ;
    for (int k = 0; k < n; k++)
        if (was[k].number == READ && !was[k].stepped)
            e[left++] = was[k];
    return left;
}

void standing_are(struct failures *known, const struct reason *e, int n)
{
    memcpy(known->standing, e, (size_t)n * sizeof *e), known->standings = n;
}

/* Is it the same word with more behind it, such as hidden keys?  What gives the same numbers without is no other. */
static bool more_of(const char *id, const char *first)
{
    const size_t n = strlen(first);
    return !strncmp(id, first, n) && id[n] == ':';
}
void standing_spelt(const struct failures *known, struct diagnosis *d)
{
    const char *first = *d->cause.id ? d->cause.change : d->answer[0].m.change;
    *d->spelt = 0;
    for (int k = 1; k < known->standings && !strcmp(known->standing[0].m.change, first); k++) {
        const char *id = known->standing[k].m.id;
        if (known->standing[k].spelling && !more_of(id, first))
            names_add(d->spelt, sizeof d->spelt, id, strlen(id));
    }
}

void standing_answer(const struct failures *known, struct diagnosis *d, const struct trial *t, const struct reason *of,
    const struct fit *f)
{
    struct answer *a = &d->answer[0];
    const struct fit declared = fit_as_declared(t);
    *d = (struct diagnosis){ .explained = true, .answers = 1, .n = f->n };
    d->declared = declared.n - declared.over;
    a->m = of->m;
    name_in_question(t, &a->m);
    if (strcmp(a->m.id, of->m.id))
        d->cause = of->m;
    a->listed = of->listed, a->partly = of->partly, a->worst = f->worst;
    a->n = f->n, a->open = f->open, a->explained = f->n - f->open, a->left = f->left;
    memcpy(a->second, of->second, sizeof a->second), memcpy(d->rival, of->rival, sizeof d->rival);
    memcpy(a->under, of->under, sizeof a->under);
    a->convention = change_is_convention(t->row, a->m.change) && !*a->second;
    repair_write(t, a, a->repair, sizeof a->repair);
    for (int k = 0; k < known->standings; k++) {
        const char *id = known->standing[k].m.id;
        if (&known->standing[k] != of && known->standing[k].number != UNREAD)
            names_add(d->same, sizeof d->same, id, strlen(id));
    }
    if (of == known->standing)
        standing_spelt(known, d);
}

/* How well an explanation does that stands: the fit, and whether it contradicts nothing and says nothing. */
struct standing { struct fit f; bool silent; };
/* Explanations in the order in which they stood, but for those that say NaN where there is an infinity, or the reverse:
 * these are last.  first: how well e[0] does; unlike[k]: elements of e[k] that are so. */
struct still { struct reason e[EXPLANATIONS]; long unlike[EXPLANATIONS]; int n; struct standing first; };
static void still_add(struct still *s, const struct reason *e, const struct fit *f, bool silent)
{
    int at = s->n++;
    for (; at && s->unlike[at - 1] > f->unlike; at--)
        s->e[at] = s->e[at - 1], s->unlike[at] = s->unlike[at - 1];
    s->e[at] = *e, s->unlike[at] = f->unlike;
    if (!at)
        s->first = (struct standing){ *f, silent };
}
/* Collects the standing explanations that explain t (of_the_wrong: its wrong elements; no coarser steps then). */
static void still_standing(const struct failures *known, const struct trial *t, bool of_the_wrong, struct still *s)
{
    static struct fit one;     /* large */
    static struct standing by; /* likewise */
    bool told = false;
    s->n = 0;
    for (int k = 0; k < known->standings; k++) {
        struct reason e = known->standing[k];
        e.partly |= of_the_wrong;
        /* What stands explains another failure by narrow balls.  Where the same cause makes this answer trivial (all
         * that a short axis has lies in the lost tail), it still has to explain all of it. */
        const bool is = !(of_the_wrong && e.stepped) && explains(t, &e, &one);
        if (is && e.number == UNREAD && !of_the_wrong) {
            e.number = TOLD;
            if (!told)
                by = (struct standing){ one, false };
            told = true;
        }
        if (is || (!e.stepped && one.n && !one.over))
            still_add(s, &e, &one, !is && one.open);
    }
    s->n = standing_promote(s->e, s->n);
    if (told)
        s->first = by;
}

/* They stand from now on, and the first of them is the answer. */
static void answer_still(struct failures *known, const struct trial *t, const struct still *s, struct diagnosis *d)
{
    standing_are(known, s->e, s->n);
    standing_answer(known, d, t, &known->standing[0], &s->first.f);
    d->silent = s->first.silent;
}

bool standing_try(struct failures *known, const struct trial *t, struct diagnosis *d)
{
    static struct still all, part; /* large */
    const struct still *s = &all;
    still_standing(known, t, false, &all);
    if (!all.n || all.e[0].stepped) { /* a cause of the wrong elements is better than a coarser step's wide balls */
        still_standing(known, t, true, &part);
        s = part.n ? &part : s;
    }
    if (!s->n || (s->e[0].stepped && s->first.f.worst < tight_share)) /* something narrower may explain it as well */
        return false;
    answer_still(known, t, s, d);
    return true;
}

bool standing_of_sibling(struct failures *known, const struct trial *t, struct diagnosis *d)
{
    static struct fit f;       /* large */
    static struct still still; /* likewise */
    const bool nothing = outputs_give_nothing(t);
    const struct failures *other;
    still.n = 0;
    for (int next = 0; !still.n && (other = failures_sibling(known, &next));)
        for (int j = 0; j < other->standings; j++) {
            struct reason e = other->standing[j];
            e.spelling = false; /* What is one cause in two words there may be two here. */
            const bool may = !e.stepped && !e.partly && e.number == READ;
            const bool is = may && (explains(t, &e, &f) || (nothing && f.n && !f.over));
            if (is && standing_explains_kept(known, &e))
                still_add(&still, &e, &f, f.open);
        }
    if (still.n)
        answer_still(known, t, &still, d);
    return still.n;
}

/* Whether a name of n bytes is that of an explanation that stands. */
static bool stands(const struct failures *known, const char *id, size_t n)
{
    for (int k = 0; k < known->standings; k++)
        if (strlen(known->standing[k].m.id) == n && !strncmp(known->standing[k].m.id, id, n))
            return true;
    return false;
}

void standing_class(const struct failures *known, struct diagnosis *d)
{
    char left[sizeof d->same] = "";
    for (const char *s = d->same; *s; s = names_after(s))
        if (stands(known, s, strcspn(s, ",")))
            names_add(left, sizeof left, s, strcspn(s, ","));
    snprintf(d->same, sizeof d->same, "%s", left);
}

bool standing_fallen(const struct failures *known, const struct trial *t, struct diagnosis *d)
{
    static struct fit f; /* large */
    if (!known->has_fallen || !explains(t, &known->fallen, &f))
        return false;
    standing_answer(known, d, t, &known->fallen, &f);
    return d->alone = true;
}
