/* Excludes hypotheses on the lines that fail worst, ranks those that remain, and groups those that these inputs cannot
 * tell apart; see diagnose.h. */
#include "base/clock.h"
#include "base/names.h"
#include "compare/power.h"
#include "diagnose/diagnose.h"
#include "diagnose/hypotheses/edits.h"
#include "diagnose/reword.h"
#include "diagnose/hypotheses/solved.h"
#include "diagnose/hypotheses/spots.h"
#include "trial/change.h"
#include "trial/mistake.h"
#include "base/words.h"
#include <math.h>
#include <stdlib.h>

/* How many of the best listed mistakes are tried together with a coarser step. */
enum { SINGLES = 6 };

const double tight_share = 0.1;
const double diagnosis_work = 12e6;
/* One hypothesis that was tried.  stepped: it computes a step in another format, whose balls are wide; rounds: that, or
 * it keeps an input in a coarser format, or its numbers are those of the declared row, so that it explains by its balls
 * alone (the least score in place of the largest); solved: it has a number that was solved for, so that of two which
 * explain the same, the other is the cause; born: how many were tried before.  says and radius, one number per
 * element, are owned, and NULL unless it explains all. */
struct diagnose_candidate {
    struct answer a;
    uint64_t key;
    int born;
    bool stepped, rounds, solved;
    double *says, *radius;
};
struct search {
    const struct trial *t;
    struct spots on;
    int n, room;
    bool partly;              /* explanations of the wrong elements alone are being tried */
    bool solving;             /* those with a number that was solved for are */
    struct diagnose_candidate *c;      /* n of room, owned */
    uint64_t asked[1024];     /* a bit for each value that the last 16 bits of a candidate's key may have */
    double most;              /* work that it may take */
    double start, begun;      /* ns of this thread's processor time; hypotheses_work */
    double *says, *radius;    /* of the declared row, as a candidate has them; owned, and NULL until they are asked */
    struct diagnosis *d;
};

static double spent(const struct search *s) { return 1e-9 * (thread_ns() - s->start); }
static double work(const struct search *s) { return hypotheses_work() - s->begun + hypothesis_work(&s->on.own); }
static bool late(const struct search *s)
{
    s->d->slow = s->d->slow || spent(s) > slower * DIAGNOSIS_SECONDS;
    return s->d->slow || work(s) > s->most;
}

static struct diagnose_candidate *add(struct search *s)
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

/* Fills c, whose change is made in h, with what it explains.  powerful: it must not explain by balls that a trivial
 * output fits as well. */
static void fit_candidate(struct search *s, struct diagnose_candidate *c, struct hypothesis *h, bool powerful)
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
    c->a.n = f.n, c->a.open = f.open, c->a.explained = f.n - f.over - f.open, c->a.worst = f.worst;
    if (answer_full(&c->a)) {
        const size_t all = (size_t)s->on.all + 1;
        c->says = need(all, sizeof *c->says), c->radius = need(all, sizeof *c->radius);
        c->a.close = spots_says(&s->on, h, c->says, c->radius);
        c->rounds |= f.finite == f.n && as_declared(s, c); /* Infinities and NaN no rounding gives. */
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
    *add(s) = one;
}

/* Opens the hypothesis of a mistake, where it is possible here.  A listed one may break what trial_check asks of shapes
 * and values; others must keep it. */
static bool opened(
    const struct search *s, struct hypothesis *h, const struct mistake *m, const char *second, bool listed)
{
    char err[400];
    if (s->on.sharps && !second && change_is_edit(m->change))
        return hypothesis_over(h, &s->on.own, m->change);
    return hypothesis_open(h, s->t, m->change, second) && (listed || !trial_check(&h->own, err, sizeof err));
}

/* Tries one hypothesis and keeps it with what it explains; powerful as fit_candidate has it.  NULL: the work is done,
 * the change is impossible here, or (unless it is listed) an equal question was tried before. */
static struct diagnose_candidate *try_mistake(
    struct search *s, const struct mistake *m, const char *second, bool listed, bool powerful)
{
    struct hypothesis h;
    struct diagnose_candidate *c = NULL;
    if (late(s)) {
        s->d->untried++;
        return NULL;
    }
    const bool made = opened(s, &h, m, second, listed) && h.key != s->on.own.key;
    const struct diagnose_candidate *equal = made && !listed ? asked_before(s, h.key) : NULL;
    if (equal)
        keep_equal(s, m, equal);
    else if (made) {
        s->d->tried++;
        /* What is hardly outside its bound an edit without effect would explain by wider balls. */
        if (s->on.worst <= EDIT_ROUNDINGS)
            h.wider = 1;
        c = add(s);
        c->a.m = *m, c->a.listed = listed, c->a.partly = s->partly, c->solved = s->solving, c->key = h.key;
        s->asked[h.key >> 6 & 1023] |= (uint64_t)1 << (h.key & 63);
        snprintf(c->a.second, sizeof c->a.second, "%s", second ? second : "");
        c->stepped = *h.alone && !strstr(h.alone, "fault=") && !strstr(h.alone, "edit=");
        c->rounds = c->stepped || coarse(m->change);
        fit_candidate(s, c, &h, powerful);
    }
    hypothesis_close(&h);
    return c;
}

/* Tries one mistake of the row's list, unless it is known to change nothing. */
static int listed(const struct mistake *m, void *with)
{
    if (!mistake_equivalent(m))
        try_mistake(with, m, NULL, true, false);
    return 0;
}

/* Makes a mistake of a change that is not of the row's list; false: it is too long for one. */
static bool mistake_of(struct mistake *m, const char *change, const char *effect, const char *cite)
{
    *m = (struct mistake){ .id = "" };
    if (strlen(change) >= sizeof m->change)
        return false;
    snprintf(m->id, sizeof m->id, "%s", change), strcpy(m->change, change);
    snprintf(m->effect, sizeof m->effect, "%s", effect), snprintf(m->cite, sizeof m->cite, "%s", cite);
    return true;
}

/* Tries such a change. */
static void try_change(struct search *s, const char *change, const char *effect, const char *cite, bool powerful)
{
    struct mistake m;
    if (mistake_of(&m, change, effect, cite))
        try_mistake(s, &m, NULL, false, powerful);
}

/* Tries every other value of each enumerated parameter, and every preset with the sizes of this case. */
static void conventions(struct search *s)
{
    const struct row *r = s->t->row;
    char change[120], effect[160];
    for (const struct param *p = row_params(r); p->name; p++)
        for (const char *v = p->kind == ENUM ? p->choices : ""; *v; v = word_next(v)) {
            snprintf(change, sizeof change, "%s=%.*s", p->name, (int)strcspn(v, " "), v);
            try_change(s, change, p->help, "", s->partly);
        }
    for (const struct preset *p = r->presets; p->name; p++) {
        snprintf(effect, sizeof effect, "the preset %s", p->name);
        if (*p->text && strlen(p->text) < sizeof change)
            try_change(s, p->text, effect, p->cite ? p->cite : "", s->partly);
    }
}

/* Tries an edit, or keeps it beside the one that asks the same. */
static void edit(const char *change, const char *effect, const char *equal, void *with)
{
    struct search *s = with;
    struct mistake m;
    int k = equal ? 0 : s->n;
    while (k < s->n && (strcmp(s->c[k].a.m.change, equal) || s->c[k].a.partly != s->partly))
        k++;
    if (!equal)
        try_change(s, change, effect, "", true);
    else if (k < s->n && mistake_of(&m, change, effect, ""))
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

/* Adds candidate k once more under another change, if that asks the same question here. */
static void add_alias(struct search *s, int k, const struct reworded *r)
{
    struct hypothesis h;
    if (!*r->change || !strcmp(r->change, s->c[k].a.m.change))
        return;
    if (hypothesis_open(&h, s->t, r->change, NULL) && h.key == s->c[k].key) {
        struct diagnose_candidate *c = add(s);
        *c = s->c[k], c->a.listed = false, c->says = c->radius = NULL;
        c->a.m = (struct mistake){ .id = "" };
        snprintf(c->a.m.id, sizeof c->a.m.id, "%s", r->change), strcpy(c->a.m.change, r->change);
        snprintf(c->a.m.effect, sizeof c->a.m.effect, "%s", r->effect);
    }
    hypothesis_close(&h);
}

/* Adds to each explanation the other ways to state it.  Where 3 is declared, a kernel whose window is always 4 and one
 * whose window is one too wide answer alike; so do, where half is declared, a kernel that always interleaves and one
 * that exchanges two layouts.  Later failures can tell them apart only if both are kept. */
static void by_other_words(struct search *s)
{
    for (int k = 0, n = s->n; k < n; k++) {
        struct reworded r[3];
        if (!answer_full(&s->c[k].a) || s->c[k].stepped || *s->c[k].a.second)
            continue;
        values_after(s->t, &s->c[k].a.m, r[2].change, sizeof r[2].change);
        snprintf(r[2].effect, sizeof r[2].effect, "whatever is declared, it computes with %.110s", r[2].change);
        add_alias(s, k, &r[2]);
        word_moved(s->t, s->c[k].a.m.change, r);
        for (int j = 0; j < 2; j++)
            add_alias(s, k, &r[j]);
    }
}

/* Sorts the candidates, best first; equals stay in the order in which they were tried. */
static int order(const void *a, const void *b)
{
    const struct diagnose_candidate *x = a, *y = b;
    return better(x, y) ? -1 : better(y, x) ? 1 : x->born < y->born ? -1 : x->born > y->born;
}
static void sort(struct search *s)
{
    if (s->n)
        qsort(s->c, (size_t)s->n, sizeof *s->c, order);
}

/* Sorts, and tells whether the best candidate explains every element. */
static bool explained(struct search *s)
{
    sort(s);
    return s->n && answer_full(&s->c[0].a);
}

/* The same of candidates without a number that was solved for. */
static bool explained_as_is(struct search *s) { return explained(s) && !s->c[0].solved; }

/* The same of candidates that do more than round. */
static bool structured(struct search *s)
{
    int k = 0;
    for (sort(s); k < s->n && answer_full(&s->c[k].a) && s->c[k].rounds;)
        k++;
    return k < s->n && answer_full(&s->c[k].a);
}

/* Tries every edit of inputs, parameters and steps.  true: something explains all that is no coarser step. */
static bool with_edits(struct search *s)
{
    edits_each(s->t, edit, s);
    return structured(s);
}

/* Work for twins, in that of one failure. */
static const double twin_share = 0.1;
/* Tries an edit with hidden keys, or with a total of 0 taken as 1, where the same operation under another condition, or
 * under none, explains all: what this failure does not tell apart, another may. */
static void twin(const char *change, const char *effect, const char *equal, void *with)
{
    struct search *s = with;
    const size_t plain = (size_t)(strrchr(change, ':') - change);
    bool explains = false, known = false;
    (void)equal;
    for (int k = 0; k < s->n && answer_full(&s->c[k].a); k++) {
        const char *of = s->c[k].a.m.change;
        explains |= !strncmp(of, change, plain) && (!of[plain] || of[plain] == ':');
        known |= !strcmp(of, change);
    }
    if (explains && !known)
        try_change(s, change, effect, "", true);
}

/* Tries every operation of the page done differently, as they are met on the sharpest lines. */
static void sites(struct search *s, enum site_words words)
{
    const struct place p[] = { s->on.sharp[0].p, s->on.sharp[1].p };
    edits_of_sites(s->t, p, s->on.sharps, words, words == WORDS_TWINS ? twin : edit, s);
}
/* Work for numbers that are solved for, in that of one failure. */
static const double solving_share = 0.2;
static void solved(struct search *s)
{
    s->solving = true;
    if (!late(s))
        solved_each(&s->on, hypotheses_work() + solving_share * diagnosis_work, edit, s);
    s->solving = false;
}
/* Tries numbers that are solved for, then all times of every operation, and where that explains nothing, hidden keys
 * with them, and some of them alone.  true: something explains all that is no coarser step. */
static bool with_sites(struct search *s)
{
    solved(s);
    sites(s, WORDS_ALL);
    if (explained(s) && s->c[0].solved) /* A cause without a number is looked for a little longer. */
        s->most = fmin(s->most, work(s) + twin_share * diagnosis_work);
    for (enum site_words words = WORDS_ALL + 1; !explained_as_is(s) && words <= WORDS_APART; words++)
        sites(s, words);
    if (structured(s)) {
        /* Another failure may have hidden keys where this one has none.  They are few, and due without work left. */
        s->most = fmax(s->most, work(s)) + twin_share * diagnosis_work;
        sites(s, WORDS_TWINS);
    }
    return structured(s);
}

/* Tries explanations of the wrong elements alone, where the others are as declared: only one head, tail or block is
 * wrong.  true: something explains all of them. */
static bool of_the_wrong(struct search *s)
{
    if (s->d->n - s->d->declared < WRONGS || s->d->declared < 1)
        return false;
    s->partly = true;
    mistakes_each(s->t->row->name, listed, s);
    conventions(s);
    edits_each(s->t, edit, s);
    if (!explained(s))
        sites(s, WORDS_ALL);
    s->partly = false;
    return explained(s);
}

/* Tries each step in each format that is coarser than declared: alone, or together with the mistake `single`. */
static void coarser(struct search *s, const struct mistake *single)
{
    static const char *const formats_tried[] = { "bf16", "f16", "f32" };
    size_t len;
    const char *step;
    char text[64];
    for (int k = 0; (step = row_step(s->t->row, k, &len)); k++)
        for (int f = 0; f < 3; f++) {
            const struct rounding *now = &s->on.own.how[2].at[k];
            const struct format *to = format_named(formats_tried[f], strlen(formats_tried[f]));
            if (now->f && now->f->p <= to->p)
                continue;
            snprintf(text, sizeof text, "%.*s=%s", (int)len, step, to->name);
            if (single)
                try_mistake(s, single, text, false, true);
            else
                try_change(s, text, "a step is coarser than declared", "", true);
        }
}

/* Compares the n best listed mistakes, which were excluded on the sharpest lines, on all lines, so that the share of
 * elements that they explain can be reported. */
static void complete(struct search *s, int n)
{
    for (int k = 0; n > 0 && k < s->n && !late(s); k++) {
        struct hypothesis h;
        struct fit f = { 0 };
        n -= s->c[k].a.listed;
        if (s->c[k].a.listed && !s->c[k].a.partly && s->c[k].a.n < s->on.all &&
            hypothesis_open(&h, s->t, s->c[k].a.m.change, *s->c[k].a.second ? s->c[k].a.second : NULL)) {
            spots_all(&s->on, &h, s->partly, &f);
            s->c[k].a.n = f.n, s->c[k].a.open = f.open, s->c[k].a.explained = f.n - f.over - f.open;
            s->c[k].a.worst = f.worst;
            hypothesis_close(&h);
        }
    }
    sort(s);
}

static bool same_class(const struct search *s, const struct diagnose_candidate *c)
{
    return s->c->says && c->says && says_same(s->c->says, s->c->radius, c->says, c->radius, s->on.all);
}

/* Where the best candidate keeps an input in a coarser format, a coarser step of the same class takes its place: a step
 * has a name that can be declared. */
static void prefer_steps(struct search *s)
{
    for (int k = 1; k < s->n && s->c[0].rounds && !s->c[0].stepped; k++)
        if (s->c[k].stepped && answer_full(&s->c[k].a) && same_class(s, &s->c[k])) {
            const struct diagnose_candidate step = s->c[k];
            memmove(&s->c[1], &s->c[0], (size_t)k * sizeof *s->c);
            s->c[0] = step;
        }
}

/* Lists the ids of the candidates that are one class with the best. */
static void name_class(struct search *s)
{
    struct diagnosis *d = s->d;
    for (int k = 1; k < s->n; k++)
        if (same_class(s, &s->c[k]))
            names_add(d->same, sizeof d->same, s->c[k].a.m.id, strlen(s->c[k].a.m.id));
}

/* How far a search goes: what is listed, and conventions, alone; until something explains all; edits in any case. */
enum search_reach { LISTED, ENOUGH, WHOLE };

/* Looks for what is not listed; true: something explains all.  `listed_does`: so does something of the row's list. */
static bool beyond_the_list(struct search *s, bool listed_does, enum search_reach reach)
{
    static const struct mistake nothing;
    bool found = listed_does;
    if (!found || s->c[0].stepped) /* a coarser step is named only where nothing structural fits */
        found = with_edits(s) || with_sites(s) || explained(s);
    else if (reach == WHOLE)
        with_edits(s), found = with_sites(s) || explained(s);
    if (!found)
        found = of_the_wrong(s);
    if (!found || s->c[0].rounds) { /* a coarse step has wide balls, and what rounds may be one */
        if (!found)
            complete(s, SINGLES);
        coarser(s, NULL);
        found = explained(s);
    }
    if (found)
        return true;
    struct mistake best[SINGLES] = { nothing };
    int n = 0;
    for (int k = 0; k < s->n && n < SINGLES; k++) /* two coarser steps together would explain too much */
        if (!*s->c[k].a.second && s->c[k].a.listed && !s->c[k].stepped)
            best[n++] = s->c[k].a.m;
    for (int k = 0; k < n; k++)
        coarser(s, &best[k]);
    return explained(s);
}

/* All that diagnose and its kin do. */
static bool diagnosed(const struct trial *t, struct diagnosis *d, enum search_reach reach, double most)
{
    struct search s = { .t = t, .d = d, .most = most, .start = thread_ns(), .begun = hypotheses_work() };
    *d = (struct diagnosis){ 0 };
    spots_open(&s.on, t, most);
    d->n = s.on.all, d->declared = s.on.declared;
    mistakes_each(t->row->name, listed, &s);
    conventions(&s);
    bool found = s.on.sharps && explained(&s);
    if (s.on.sharps && !found) /* Of zeros nothing else can be told. */
        try_change(&s, "edit=out:0:out:zero", "the answer is 0", "", false), found = explained(&s);
    if (s.on.sharps && reach != LISTED)
        found = beyond_the_list(&s, found, reach);
    if (found)
        prefer_steps(&s);
    name_class(&s);
    if (found)
        by_other_words(&s);
    for (int k = 0; k < s.n && d->answers < ANSWERS; k++) {
        struct answer *a = &d->answer[d->answers];
        *a = s.c[k].a;
        if (k && (!a->explained || (found && (!s.c[k].says || !answer_full(a) || same_class(&s, &s.c[k])))))
            continue;
        a->convention = answer_full(a) && change_is_convention(t->row, a->m.change) && !*a->second;
        repair_write(t, a, a->repair, sizeof a->repair);
        d->answers++;
    }
    d->explained = found;
    for (int k = 0; found && k < s.n && d->all_n < EXPLANATIONS; k++) {
        const struct answer *a = &s.c[k].a;
        struct reason *e = &d->all[d->all_n];
        if (answer_full(a))
            e->m = a->m, e->listed = a->listed, e->stepped = s.c[k].stepped, e->partly = a->partly,
            memcpy(e->second, a->second, sizeof e->second), d->all_n++;
    }
    for (int k = 0; k < s.n; k++)
        free(s.c[k].says), free(s.c[k].radius);
    d->work = work(&s), d->seconds = spent(&s);
    spots_close(&s.on);
    free(s.c), free(s.says), free(s.radius);
    return found;
}

bool diagnose(const struct trial *t, struct diagnosis *d) { return diagnosed(t, d, ENOUGH, diagnosis_work); }
bool diagnose_whole(const struct trial *t, struct diagnosis *d) { return diagnosed(t, d, WHOLE, diagnosis_work); }
bool diagnose_listed(const struct trial *t, struct diagnosis *d)
{
    return diagnosed(t, d, LISTED, diagnosis_work);
}
bool diagnose_within(const struct trial *t, struct diagnosis *d, double most) { return diagnosed(t, d, ENOUGH, most); }

bool diagnosis_holds(const struct diagnosis *d, const char *id)
{
    if (!d->explained)
        return false;
    if (!strcmp(d->answer[0].m.id, id))
        return true;
    return names_hold(d->same, id, strlen(id));
}
