/* Hypotheses about one failure: what each explains, and their order; see candidates.h. */
#include "diagnose/candidates.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "compare/power.h"
#include "trial/change.h"

double search_seconds(const struct search *s) { return 1e-9 * (thread_ns() - s->start); }
double search_work(const struct search *s) { return hypotheses_work() - s->begun + hypothesis_work(&s->on.own); }
bool search_late(const struct search *s)
{
    s->d->slow = s->d->slow || search_seconds(s) > slower * DIAGNOSIS_SECONDS;
    return s->d->slow || search_work(s) > s->most;
}

struct diagnose_candidate *candidate_add(struct search *s)
{
    if (s->n == s->room)
        s->c = need_more(s->c, (size_t)(s->room = 2 * s->room + 64), sizeof *s->c);
    memset(&s->c[s->n], 0, sizeof *s->c);
    s->c[s->n].born = s->n;
    return &s->c[s->n++];
}

/* Whether the change keeps an input ("pos@=bf16"), or what is read at one place of a page
 * ("edit=softmax/score.c:37:element:f16"), in a coarser format. */
static bool coarse(const char *change)
{
    static const char *const kept[] = { "@=f16", "@=bf16", ":f16", ":bf16" };
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        const char *s = strstr(change, kept[k]);
        if (s && strchr(" :", s[strlen(kept[k])])) /* strchr finds the closing 0 as well */
            return true;
    }
    return false;
}

/* Whether a coarser step owes what it explains to balls that hold anything: where some elements are as declared,
 * those of the others hold a trivial output and more.  Where scores are large, weights of bfloat16 scores are
 * anything, and so 0 and every mean of the values fit them; the narrow balls of other lines say nothing about what
 * is wrong.  Where no element is as declared, there is no such line (a total of 4096 weights kept in bfloat16). */
static bool toothless(const struct search *s, struct hypothesis *h)
{
    static struct fit of_the_wrong; /* large */
    of_the_wrong = (struct fit){ 0 };
    if (s->on.declared)
        spots_all(&s->on, h, true, &of_the_wrong);
    return s->on.declared && power_loose(&of_the_wrong.power);
}

/* Makes f that of what explains nothing. */
static void none(struct fit *f) { f->over = f->n, f->open = 0; }

/* Compares all lines.  What says nothing of most elements, or of what is wrong, as its balls hold anything there,
 * explains nothing. */
static void fit_all(const struct search *s, struct hypothesis *h, struct fit *f)
{
    static struct fit wrong; /* large */
    *f = wrong = (struct fit){ 0 };
    spots_all(&s->on, h, s->partly, f);
    if (!f->over && f->open)
        spots_all(&s->on, h, true, &wrong);
    if (!fit_tells(f) || !fit_tells_wrongs(&wrong))
        none(f);
}

/* Whether a candidate that explains all gives the numbers of the declared row. */
static bool as_declared(struct search *s, const struct diagnose_candidate *c)
{
    if (!s->says) {
        const size_t all = (size_t)s->on.all + 1;
        s->says = need(all, sizeof *s->says), s->radius = need(all, sizeof *s->radius);
        spots_says(&s->on, &s->on.own, s->says, s->radius);
    }
    return says_same(s->says, s->radius, c->says, c->radius, s->on.all);
}

enum { CLOSENESS = 1024 }; /* how close an explanation is: so many parts of a binary digit are told apart */
/* Fills c, whose change is made in h, with what it explains.  powerful: it must not explain by balls that a trivial
 * output fits as well. */
void candidate_fit(struct search *s, struct diagnose_candidate *c, struct hypothesis *h, bool powerful)
{
    struct fit f = { 0 };
    spots_sharp(&s->on, h, s->partly, !c->a.listed, &f);
    /* On the worst lines too, balls that a trivial output fits explain nothing, unless they say that it is this. */
    if (!f.over && powerful && power_loose(&f.power))
        none(&f);
    /* Where an input holds NaN, outputs that are all NaN say nothing about how they were computed. */
    if (s->on.poisoned && !fit_tells_numbers(&f))
        none(&f);
    if (!f.over)
        fit_all(s, h, &f);
    /* An edit whose outputs are all NaN has too many causes to be named, and balls that a trivial output fits explain
     * nothing. */
    if ((h->how[0].edit.step && !fit_tells_numbers(&f)) ||
        (!f.over && ((powerful && power_wide(&f.power)) || (c->stepped && toothless(s, h)))))
        none(&f);
    c->a.n = f.n, c->a.open = f.open, c->a.explained = f.n - f.over - f.open, c->a.worst = f.worst, c->a.left = f.left;
    if (answer_full(&c->a)) {
        s->full = true;
        const size_t all = (size_t)s->on.all + 1;
        c->says = need(all, sizeof *c->says), c->radius = need(all, sizeof *c->radius);
        /* Two ways to the same numbers differ in their last bits, which say nothing. */
        c->a.close = rint(CLOSENESS * spots_says(&s->on, h, c->says, c->radius)) / CLOSENESS;
        c->rounds |= f.finite == f.n && as_declared(s, c); /* Infinities and NaN no rounding gives. */
        c->rounds |= spots_mute(&s->on, c->says);
    }
}

/* The candidate that asked the question of this key, of all elements or of the wrong ones as now; NULL: none did. */
static const struct diagnose_candidate *asked_before(const struct search *s, uint64_t key)
{
    const bool maybe = s->asked[key >> 6 & 1023] >> (key & 63) & 1;
    for (int k = 0; maybe && k < s->n; k++)
        if (s->c[k].key == key && s->c[k].a.partly == s->partly)
            return &s->c[k];
    return NULL;
}

/* The change asks the same question here as one that explains all (of two heads, the next is the one before): it is
 * kept beside it, since other failures can tell them apart. */
static void keep_equal(struct search *s, const struct mistake *m, const struct diagnose_candidate *equal)
{
    struct diagnose_candidate one = *equal;
    if (!answer_full(&equal->a) || equal->stepped || *equal->a.second)
        return;
    one.a.m = *m, one.a.listed = false, one.says = one.radius = NULL, one.born = s->n;
    *candidate_add(s) = one;
}

/* Opens the hypothesis of a mistake, where it is possible here.  A listed one may break what trial_check asks of shapes
 * and values; others must keep it. */
bool candidate_opened(
    const struct search *s, struct hypothesis *h, const struct mistake *m, const char *second, bool listed)
{
    char err[400];
    if (s->on.sharps && !second && change_is_edit(m->change))
        return hypothesis_over(h, &s->on.own, m->change);
    return hypothesis_open(h, s->t, m->change, second) && (listed || !trial_check(&h->own, err, sizeof err));
}

/* Tries one hypothesis and keeps it with what it explains; powerful as fit_candidate has it.  NULL: the work is done,
 * the change is impossible here, or (unless it is listed) an equal question was tried before. */
struct diagnose_candidate *candidate_try(
    struct search *s, const struct mistake *m, const char *second, bool listed, bool powerful)
{
    struct hypothesis h;
    struct diagnose_candidate *c = NULL;
    if (search_late(s)) {
        s->d->untried++;
        return NULL;
    }
    const bool made = candidate_opened(s, &h, m, second, listed) && h.key != s->on.own.key;
    const struct diagnose_candidate *equal = made && !listed ? asked_before(s, h.key) : NULL;
    if (equal)
        keep_equal(s, m, equal);
    else if (made) {
        s->d->tried++;
        /* What is hardly outside its bound an edit without effect would explain by wider balls. */
        if (s->on.worst <= EDIT_ROUNDINGS)
            h.wider = 1;
        c = candidate_add(s);
        c->a.m = *m, c->a.listed = listed, c->a.partly = s->partly, c->solved = s->solving, c->key = h.key;
        s->asked[h.key >> 6 & 1023] |= (uint64_t)1 << (h.key & 63);
        snprintf(c->a.second, sizeof c->a.second, "%s", second ? second : "");
        c->stepped = *h.alone && !strstr(h.alone, "fault=") && !strstr(h.alone, "edit=");
        c->rounds = c->stepped || coarse(m->change);
        candidate_fit(s, c, &h, powerful);
    }
    hypothesis_close(&h);
    return c;
}

/* Makes a mistake of a change that is not of the row's list; false: it is too long for one. */
bool candidate_mistake(struct mistake *m, const char *change, const char *effect, const char *cite)
{
    *m = (struct mistake){ .id = "" };
    if (strlen(change) >= sizeof m->change)
        return false;
    snprintf(m->id, sizeof m->id, "%s", change), strcpy(m->change, change);
    snprintf(m->effect, sizeof m->effect, "%s", effect), snprintf(m->cite, sizeof m->cite, "%s", cite);
    return true;
}

/* Tries such a change. */
void candidate_change(struct search *s, const char *change, const char *effect, const char *cite, bool powerful)
{
    struct mistake m;
    if (candidate_mistake(&m, change, effect, cite))
        candidate_try(s, &m, NULL, false, powerful);
}

/* Tries an edit, or keeps it beside the one that asks the same. */
void candidate_edit(const char *change, const char *effect, const char *equal, void *with)
{
    struct search *s = with;
    struct mistake m;
    int k = equal && s->full ? 0 : s->n; /* What explains nothing has no equals. */
    while (k < s->n && (strcmp(s->c[k].a.m.change, equal) || s->c[k].a.partly != s->partly))
        k++;
    if (!equal)
        candidate_change(s, change, effect, "", true);
    else if (k < s->n && candidate_mistake(&m, change, effect, ""))
        keep_equal(s, &m, &s->c[k]);
}

/* The order of candidates: those that explain all come first, among them those that do not merely round, then those
 * that say something of more elements, then the closest; the others by the share of elements that they explain. */
static bool better(const struct diagnose_candidate *a, const struct diagnose_candidate *b)
{
    const bool x = answer_full(&a->a), y = answer_full(&b->a);
    if (x != y)
        return x;
    if (!x && (double)a->a.explained * (double)b->a.n != (double)b->a.explained * (double)a->a.n)
        return (double)a->a.explained * (double)b->a.n > (double)b->a.explained * (double)a->a.n;
    if (x && a->rounds != b->rounds) /* coarser formats have wide balls, which explain more by chance */
        return b->rounds;
    if (x && a->solved != b->solved)
        return b->solved;
    if (x && a->a.open != b->a.open)
        return a->a.open < b->a.open;
    return x && a->a.close < b->a.close;
}

/* Sorts the candidates, best first; equals stay in the order in which they were tried. */
static int order(const void *a, const void *b)
{
    const struct diagnose_candidate *x = a, *y = b;
    return better(x, y) ? -1 : better(y, x) ? 1 : x->born < y->born ? -1 : x->born > y->born;
}
void candidates_sort(struct search *s)
{
    if (s->n)
        qsort(s->c, (size_t)s->n, sizeof *s->c, order);
}

/* Sorts, and tells whether the best candidate explains every element. */
bool candidates_explain(struct search *s)
{
    candidates_sort(s);
    return s->n && answer_full(&s->c[0].a);
}
