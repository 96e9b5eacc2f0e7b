/* The order in which hypotheses about a failure are tried, and what is said of those that explain it; see
 * diagnose.h. */
#include "base/clock.h"
#include "base/names.h"
#include "compare/power.h"
#include "diagnose/candidates.h"
#include "diagnose/diagnose.h"
#include "diagnose/hypotheses/edits.h"
#include "diagnose/reword.h"
#include "diagnose/hypotheses/solved.h"
#include "diagnose/hypotheses/spots.h"
#include "trial/change.h"
#include "trial/mistake.h"
#include "base/words.h"
#include "words/each.h"
#include <math.h>
#include <stdlib.h>

/* How many of the best listed mistakes are tried together with a coarser step. */
enum { SINGLES = 6 };

const double tight_share = 0.1;
const double diagnosis_work = 30e6;

/* Tries one mistake of the row's list, unless it is known to change nothing. */
static int listed(const struct mistake *m, void *with)
{
    if (!mistake_equivalent(m))
        candidate_try(with, m, NULL, true, false);
    return 0;
}

/* Tries every other value of each enumerated parameter, and every preset with the sizes of this case. */
static void conventions(struct search *s)
{
    const struct row *r = s->t->row;
    char change[120], effect[160];
    for (const struct param *p = row_params(r); p->name; p++)
        for (const char *v = p->kind == ENUM ? p->choices : ""; *v; v = word_next(v)) {
            snprintf(change, sizeof change, "%s=%.*s", p->name, (int)strcspn(v, " "), v);
            candidate_change(s, change, p->help, "", s->partly);
        }
    for (const struct preset *p = r->presets; p->name; p++) {
        snprintf(effect, sizeof effect, "the preset %s", p->name);
        if (*p->text && strlen(p->text) < sizeof change)
            candidate_change(s, p->text, effect, p->cite ? p->cite : "", s->partly);
    }
}

/* Adds candidate k once more under another change, if that asks the same question here. */
static void add_alias(struct search *s, int k, const struct reworded *r)
{
    struct hypothesis h;
    if (!*r->change || !strcmp(r->change, s->c[k].a.m.change))
        return;
    if (hypothesis_open(&h, s->t, r->change, NULL) && h.key == s->c[k].key) {
        struct diagnose_candidate *c = candidate_add(s);
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

/* The same of candidates without a number that was solved for. */
static bool explained_as_is(struct search *s) { return candidates_explain(s) && !s->c[0].solved; }

/* The same of candidates that do more than round. */
static bool structured(struct search *s)
{
    int k = 0;
    for (candidates_sort(s); k < s->n && answer_full(&s->c[k].a) && s->c[k].rounds;)
        k++;
    return k < s->n && answer_full(&s->c[k].a);
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
        candidate_change(s, change, effect, "", true);
}

/* Tries an edit of what the quantity answers, or of what its page computes. */
static bool of_answer(const char *change) { return !strncmp(change, "edit=out:", 9); }
static void answered(const char *change, const char *effect, const char *equal, void *with)
{
    if (of_answer(change))
        candidate_edit(change, effect, equal, with);
}
static void computed(const char *change, const char *effect, const char *equal, void *with)
{
    if (!of_answer(change))
        candidate_edit(change, effect, equal, with);
}
/* Tries every operation of the page done differently, as they are met on the sharpest lines, by f. */
static void sites(struct search *s, enum site_words words, site_word *f)
{
    const struct place p[] = { s->on.sharp[0].p, s->on.sharp[1].p };
    edits_of_sites(s->t, p, s->on.sharps, words, f, s);
}
/* Tries every edit of what is answered, which are few, then those of inputs, parameters and steps.  Of equals the
 * latter have the name: an index that is wrong in an input says more than one in the answer.  true: something explains
 * all that is no coarser step. */
static bool with_edits(struct search *s)
{
    const int first = s->n;
    sites(s, WORDS_ALL, answered);
    const int edits = s->n;
    edits_each(s->t, candidate_edit, s);
    for (int k = first; k < s->n; k++)
        s->c[k].born += k < edits ? s->n - edits : first - edits;
    return structured(s);
}

/* The share of the work for numbers that are solved for. */
static const double solving_share = 0.2;
static void solved(struct search *s)
{
    s->solving = true;
    if (!search_late(s))
        solved_each(&s->on, hypotheses_work() + solving_share * fmin(s->most, diagnosis_work), candidate_edit, s);
    s->solving = false;
}
/* Tries numbers that are solved for, then all times of every operation, and where that explains nothing, or other
 * failures contradict it, hidden keys with them, and some of them alone.  true: something explains all that is no
 * coarser step. */
static bool with_sites(struct search *s)
{
    solved(s);
    sites(s, WORDS_ALL, computed);
    if (candidates_explain(s) && s->c[0].solved) /* A cause without a number is looked for a little longer. */
        s->most = fmin(s->most, search_work(s) + twin_share * diagnosis_work);
    for (enum site_words words = WORDS_ALL + 1; (s->whole || !explained_as_is(s)) && words <= WORDS_TURNS; words++)
        sites(s, words, candidate_edit);
    if (structured(s)) {
        /* Another failure may have hidden keys where this one has none.  They are few, and due without work left. */
        s->most = fmax(s->most, search_work(s)) + twin_share * diagnosis_work;
        sites(s, WORDS_TWINS, twin);
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
    edits_each(s->t, candidate_edit, s);
    if (!candidates_explain(s))
        sites(s, WORDS_ALL, candidate_edit);
    s->partly = false;
    return candidates_explain(s);
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
                candidate_try(s, single, text, false, true);
            else
                candidate_change(s, text, "a step is coarser than declared", "", true);
        }
}

/* Compares the n best listed mistakes, which were excluded on the sharpest lines, on all lines, so that the share of
 * elements that they explain can be reported. */
static void complete(struct search *s, int n)
{
    for (int k = 0; n > 0 && k < s->n && !search_late(s); k++) {
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
    candidates_sort(s);
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
        found = with_edits(s) || with_sites(s) || candidates_explain(s);
    else if (reach == WHOLE)
        with_edits(s), found = with_sites(s) || candidates_explain(s);
    if (!found)
        found = of_the_wrong(s);
    if (!found || s->c[0].rounds) { /* a coarse step has wide balls, and what rounds may be one */
        if (!found)
            complete(s, SINGLES);
        coarser(s, NULL);
        found = candidates_explain(s);
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
    return candidates_explain(s);
}

/* Numbers that cannot be read and explain all: factors, terms, values of parameters; m: the first n of them. */
struct rivals { struct search *s; int times, plus, params, n; struct mistake m[RIVALS]; };
static void rival(const char *change, const char *effect, const char *equal, void *with)
{
    struct rivals *r = with;
    struct diagnose_candidate c = { 0 };
    struct hypothesis h;
    struct mistake m;
    (void)equal;
    if (search_late(r->s) || !candidate_mistake(&m, change, effect, ""))
        return;
    if (candidate_opened(r->s, &h, &m, NULL, false))
        candidate_fit(r->s, &c, &h, true);
    hypothesis_close(&h);
    if (answer_full(&c.a)) {
        if (r->n < RIVALS)
            r->m[r->n++] = m;
        *(!change_is_edit(change) ? &r->params : strstr(change, ":times-") ? &r->times : &r->plus) += 1;
    }
    free(c.says), free(c.radius);
}

/* Looks for one number of the page that explains all that a coarser step does.  What differs from line to line has
 * another rounding on each, and one number for all of them is hardly chance: it is a factor where what it changes
 * varies, or a term, and not both.  Of a constant it says nothing, as its rounding is a factor, a term, and another
 * value of a parameter: then r has none. */
static void find_rivals(struct search *s, struct rivals *r)
{
    s->most = fmax(s->most, search_work(s)) + solving_share * diagnosis_work;
    solved_unread(&s->on, hypotheses_work() + solving_share * diagnosis_work, rival, r);
    r->n = !r->params && !r->times != !r->plus ? r->n : 0;
    if (r->n)
        snprintf(s->d->rival, sizeof s->d->rival, "a number that is not as it should be explains them as well: %s",
            r->m[0].effect);
}

/* All that diagnose and its kin do. */
static bool diagnosed(const struct trial *t, struct diagnosis *d, enum search_reach reach, double most)
{
    struct search s = { .t = t, .d = d, .most = most, .start = thread_ns(), .begun = hypotheses_work(),
        .whole = reach == WHOLE };
    *d = (struct diagnosis){ 0 };
    spots_open(&s.on, t, most);
    d->n = s.on.all, d->declared = s.on.declared;
    mistakes_each(t->row->name, listed, &s);
    conventions(&s);
    bool found = s.on.sharps && candidates_explain(&s);
    if (s.on.sharps && !found) /* Of zeros nothing else can be told. */
        candidate_change(&s, zero_answer, "the answer is 0", "", false), found = candidates_explain(&s);
    if (s.on.sharps && reach != LISTED)
        found = beyond_the_list(&s, found, reach);
    if (found)
        prefer_steps(&s);
    struct rivals r = { .s = &s };
    if (found && s.c[0].stepped && reach != LISTED) {
        /* Balls of a coarser step are wide, and it is named only where nothing structural fits. */
        if (d->untried)
            snprintf(d->rival, sizeof d->rival, "the work was done before all that could be its cause was tried");
        find_rivals(&s, &r);
    }
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
            *e = (struct reason){ .m = a->m, .listed = a->listed, .stepped = s.c[k].stepped, .partly = a->partly },
            memcpy(e->second, a->second, sizeof e->second), d->all_n++;
        if (answer_full(a) && e->stepped)
            memcpy(e->rival, d->rival, sizeof e->rival);
    }
    d->all_n = r.n && d->all_n > EXPLANATIONS - r.n ? EXPLANATIONS - r.n : d->all_n;
    for (int k = 0; k < r.n; k++)
        d->all[d->all_n++] = (struct reason){ .m = r.m[k], .number = UNREAD };
    for (int k = 0; k < s.n; k++)
        free(s.c[k].says), free(s.c[k].radius);
    d->work = search_work(&s), d->seconds = search_seconds(&s);
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
