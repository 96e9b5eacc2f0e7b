/* Looks for one cause of all failures of a kernel; see joint.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/names.h"
#include "compare/power.h"
#include "diagnose/joint.h"
#include "trial/change.h"

/* KEPT: failures of a kernel.  LINES of each output, PLACES in all, are compared when an explanation is tried on
 * another failure; FEW, where causes are compared with one another.  ANATOMIES: failures of a kernel for which facts
 * are stated.  PARTED: times that causes of a kernel are told apart: what stands may be of another search by then. */
enum { KEPT = 16, PLACES = 96, LINES = 24, FEW = 6, ANATOMIES = 2, PARTED = 3 };
/* Work for the searches of one kernel's failures, and for all searches of this process, in that of one failure
 * (diagnosis_work): about 16 s and 45 s of a quiet core.  Trap: what joint_diagnose compares without a search is not
 * counted. */
static const double kernel_failures = 3.2, all_failures = 9;
static double all_spent;
/* The same for questions that tell causes apart, in this process, apart from searches: what it takes leaves them their
 * time. */
static const double all_parting = 2;
static double parting_spent;
/* What is known of one kernel's failures.  A subject's kernels are asked by questions and then once more by checks, so
 * KERNELS of them are remembered; the one that was named longest ago is forgotten first. */
enum { KERNELS = 24 };
struct joint {
    char about[300], row[240];   /* row: the subject and the row, which its other kernels have too; "": unknown */
    struct trial kept[KEPT];     /* n of them, owned */
    bool fresh[KEPT];            /* kept by joint_fresh: it must not contradict an explanation, nothing more */
    int n;
    struct reason standing[EXPLANATIONS]; /* explanations of every failure so far, best first */
    int standings;
    bool whole;                  /* what stands was tried on every failure so far, of which only some are kept */
    struct reason fallen;        /* stood until a failure that it does not explain; has_fallen: there is one */
    bool has_fallen;
    long failures;               /* calls of joint_diagnose */
    int anatomies;
    int parted;                  /* joint_unsure has said yes so often */
    double spent;                /* work of its searches */
    long asked;                  /* the value of `turn` when it was named last */
};
static struct joint none, *known[KERNELS], *here = &none;
static long turn;

static void forget(struct joint *j)
{
    for (int k = 0; k < j->n; k++)
        trial_close(&j->kept[k]);
    *j = (struct joint){ .n = 0 };
}

/* The entry of that name; else a new one, in a free place or that of the one named longest ago. */
static struct joint *kernel_named(const char *about)
{
    int at = 0;
    for (int k = 0; k < KERNELS; k++) {
        if (known[k] && !strcmp(known[k]->about, about))
            return known[k];
        if (known[at] && (!known[k] || known[k]->asked < known[at]->asked))
            at = k;
    }
    known[at] = known[at] ? known[at] : need(1, sizeof **known);
    forget(known[at]);
    snprintf(known[at]->about, sizeof known[at]->about, "%s", about);
    return known[at];
}

void joint_begin(const char *about)
{
    here = about && *about ? kernel_named(about) : &none;
    here->asked = ++turn;
    for (int k = 0; here == &none && k < KERNELS; k++) {
        if (known[k])
            forget(known[k]);
        free(known[k]), known[k] = NULL;
    }
}

void joint_kernel(const char *subject, const struct mer_kernel *k)
{
    char about[300];
    snprintf(about, sizeof about, "%.120s %s %.100s %s %p", subject, k->row, k->out, k->type, (const void *)k);
    joint_begin(about);
    snprintf(here->row, sizeof here->row, "%.120s %s", subject, k->row);
}

/* Keeps a copy of the failure while there is room. */
static void keep(const struct trial *t)
{
    char err[300];
    if (here->n == KEPT)
        return;
    struct trial *to = &here->kept[here->n];
    if (trial_copy(to, t, err, sizeof err))
        trial_close(to);
    else
        here->n++;
}

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

/* Whether e explains every element (every wrong one, where it is partly) of a sample of lines of t, by balls that no
 * trivial output fits.  Balls that hold anything say nothing: where there are such, e must say something of some wrong
 * elements all the same.  f: how; where e contradicts no element, f->over is 0. */
static bool explains(const struct trial *t, const struct reason *e, struct fit *f)
{
    struct place p[PLACES];
    struct hypothesis h, own;
    *f = (struct fit){ 0 };
    const int n = places_of(t, lines_for(t, LINES, PLACES), p, PLACES);
    char err[300];
    /* A listed mistake may break what trial_check asks of shapes and values; others must keep it. */
    const bool made = hypothesis_open(&h, t, e->m.change, *e->second ? e->second : NULL) &&
        (e->listed || !trial_check(&h.t, err, sizeof err));
    /* A listed mistake may itself give a trivial output; coarser steps and edits count only where no such output
     * fits. */
    const bool narrow = !e->listed || *h.alone;
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

/* Whether e, which explains another failure by narrow balls, explains the kept ones, or contradicts none of their
 * elements: of one it may say nothing, or its answer may be trivial (all that a short axis has lies in the lost tail).
 * A coarser step contradicts little, and has to explain. */
static bool explains_kept(const struct reason *e)
{
    struct fit f;
    for (int k = 0; k < here->n; k++)
        if (!explains(&here->kept[k], e, &f) && ((e->stepped && !here->fresh[k]) || f.over || !f.n))
            return false;
    return true;
}

/* How the declared row explains the elements of the sample of lines. */
static struct fit as_declared(const struct trial *t)
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

struct at_word { const char *change; struct mistake *m; };
static int change_is(const struct mistake *m, void *with)
{
    const struct at_word *w = with;
    return strcmp(m->change, w->change) || mistake_equivalent(m) ? 0 : (*w->m = *m, 1);
}

/* Rewrites a change such as "layout+=1" as what it means in t, "layout=half", under the id that the row's list has for
 * it. */
static void in_this_question(const struct trial *t, struct mistake *m)
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
        struct at_word w = { change, m };
        if (mistakes_each(t->row->name, change_is, &w) != 1)
            snprintf(m->id, sizeof m->id, "%s", change), snprintf(m->change, sizeof m->change, "%s", change);
    }
    trial_close(&after);
}

/* Fills d with the explanation `of`, which explains the f->n elements of t that were compared; the others that stand
 * are listed as its class. */
static void answer_with(struct diagnosis *d, const struct trial *t, const struct reason *of, const struct fit *f)
{
    struct answer *a = &d->answer[0];
    const struct fit declared = as_declared(t);
    *d = (struct diagnosis){ .explained = true, .answers = 1, .n = f->n, .declared = declared.n - declared.over };
    a->m = of->m;
    in_this_question(t, &a->m);
    if (strcmp(a->m.id, of->m.id))
        d->cause = of->m;
    a->listed = of->listed, a->partly = of->partly, a->worst = f->worst;
    a->n = f->n, a->open = f->open, a->explained = f->n - f->open;
    memcpy(a->second, of->second, sizeof a->second);
    a->convention = change_is_convention(t->row, a->m.change) && !*a->second;
    repair_write(t, a, a->repair, sizeof a->repair);
    for (int k = 0; k < here->standings; k++) {
        const char *id = here->standing[k].m.id;
        if (&here->standing[k] != of)
            names_add(d->same, sizeof d->same, id, strlen(id));
    }
    if (of == here->standing)
        joint_spelt(d);
}

/* How well an explanation does that stands: the fit, and whether it contradicts nothing and says nothing. */
struct standing { struct fit f; bool silent; };
/* Collects the standing explanations that explain t (of_the_wrong: its wrong elements; no coarser steps then) and
 * returns how many; first: how well the first of them does. */
static int still_standing(const struct trial *t, bool of_the_wrong, struct reason *still, struct standing *first)
{
    static struct fit one; /* large */
    int n = 0;
    for (int k = 0; k < here->standings; k++) {
        struct reason e = here->standing[k];
        e.partly |= of_the_wrong;
        /* What stands explains another failure by narrow balls.  Where the same cause makes this answer trivial (all
         * that a short axis has lies in the lost tail), it still has to explain all of it. */
        const bool is = !(of_the_wrong && e.stepped) && explains(t, &e, &one);
        if (is || (!e.stepped && one.n && !one.over)) {
            if (!n)
                first->f = one, first->silent = !is && one.open;
            still[n++] = e;
        }
    }
    return n;
}

/* Tries the standing explanations on t: those that explain it stay, the others are dropped, and d is filled.  Where
 * none but coarser steps do, those that explain its wrong elements stay instead.  false: a search is due, and nothing
 * changed. */
static bool stand(const struct trial *t, struct diagnosis *d)
{
    struct reason still[EXPLANATIONS];
    static struct standing first; /* large */
    int n = still_standing(t, false, still, &first);
    if (!n || still[0].stepped) { /* a cause of the wrong elements is better than a coarser step with its wide balls */
        struct reason part[EXPLANATIONS];
        static struct standing of_part;
        const int parts = still_standing(t, true, part, &of_part);
        if (parts)
            memcpy(still, part, (size_t)parts * sizeof *part), n = parts, first = of_part;
    }
    if (!n || (still[0].stepped && first.f.worst < tight_share)) /* something narrower may explain it as well */
        return false;
    memcpy(here->standing, still, (size_t)n * sizeof *still), here->standings = n;
    answer_with(d, t, &here->standing[0], &first.f);
    d->silent = first.silent;
    return true;
}

/* Is every element of t's outputs 0, or no number?  Too much gives such an answer for a search to be worth its work. */
static bool gives_nothing(const struct trial *t)
{
    for (int k = 0; k < t->call.n_out; k++)
        for (long i = 0; i < array_len(&t->out[k]); i++) {
            const double x = array_get(&t->out[k], i);
            if (x != 0 && !isnan(x))
                return false;
        }
    return true;
}

/* What stands for another output of the same row explains t and the kept failures: one function of a subject mostly
 * answers for several of its outputs, and one cause is then that of all.  Coarser steps are no such cause. */
static bool by_sibling(const struct trial *t, struct diagnosis *d)
{
    static struct fit f, first; /* large */
    const bool nothing = gives_nothing(t);
    struct reason still[EXPLANATIONS];
    int n = 0;
    for (int k = 0; k < KERNELS && *here->row && !n; k++) {
        const struct joint *other = known[k];
        const bool sibling = other && other != here && !strcmp(other->row, here->row);
        for (int j = 0; sibling && j < other->standings; j++) {
            const struct reason *e = &other->standing[j];
            const bool is = !e->stepped && !e->partly && (explains(t, e, &f) || (nothing && f.n && !f.over));
            if (!is || !explains_kept(e))
                continue;
            if (!n)
                first = f;
            still[n++] = *e;
        }
    }
    if (!n)
        return false;
    memcpy(here->standing, still, (size_t)n * sizeof *still), here->standings = n;
    answer_with(d, t, &here->standing[0], &first);
    d->silent = first.open;
    return true;
}

/* Whether a name of n bytes is that of an explanation that stands. */
static bool stands(const char *id, size_t n)
{
    for (int k = 0; k < here->standings; k++)
        if (strlen(here->standing[k].m.id) == n && !strncmp(here->standing[k].m.id, id, n))
            return true;
    return false;
}
/* Leaves those names in d->same whose explanations stand. */
static void class_that_stands(struct diagnosis *d)
{
    char left[sizeof d->same] = "";
    for (const char *s = d->same; *s; s = names_after(s))
        if (stands(s, strcspn(s, ",")))
            names_add(left, sizeof left, s, strcspn(s, ","));
    snprintf(d->same, sizeof d->same, "%s", left);
}

/* t was diagnosed by itself: the explanations in d that explain the kept failures as well stand from now on, and the
 * best of them becomes the answer. */
static void found(const struct trial *t, struct diagnosis *d)
{
    int n = 0;
    for (int k = 0; k < d->all_n; k++)
        if (explains_kept(&d->all[k]))
            here->standing[n++] = d->all[k];
    here->standings = n;
    struct fit f;
    if (n && !here->standing[0].stepped && strcmp(here->standing[0].m.change, d->answer[0].m.change) &&
        explains(t, &here->standing[0], &f))
        answer_with(d, t, &here->standing[0], &f);
    else if (n && d->all_n < EXPLANATIONS) /* With so many, some of the class were not tried. */
        class_that_stands(d);
    d->alone = !n && here->n > 0;
    d->single = d->answer[0].partly && !(n && here->n);
}

/* Where an explanation fits t alone, a longer search may find one that fits all failures: "sign=query-key" fits one of
 * two questions whose declared signs differ, and the negated distance fits both.  d is replaced if so. */
static void found_after_all(const struct trial *t, struct diagnosis *d)
{
    static struct diagnosis more; /* large */
    const bool is = diagnose_whole(t, &more);
    here->spent += more.work, all_spent += more.work;
    if (is)
        found(t, &more);
    if (is && !more.alone)
        *d = more;
}

/* Looks for what explains the kept failure k, and t as well as all others; true: d is that. */
static bool found_at(int k, const struct trial *t, struct diagnosis *d)
{
    static struct diagnosis other; /* large */
    static struct fit f;
    struct reason still[EXPLANATIONS];
    const bool is = diagnose(&here->kept[k], &other);
    int n = 0;
    here->spent += other.work, all_spent += other.work;
    for (int j = 0; is && j < other.all_n; j++) {
        const struct reason *e = &other.all[j];
        if (!e->stepped && !e->partly && (explains(t, e, &f) || (f.n && !f.over)) && explains_kept(e))
            still[n++] = *e;
    }
    const bool told = n && explains(t, &still[0], &f);
    if (!n || (!told && (f.over || !f.n)))
        return false;
    memcpy(here->standing, still, (size_t)n * sizeof *still), here->standings = n;
    answer_with(d, t, &here->standing[0], &f);
    d->silent = !told && f.open;
    return true;
}

/* The numbers of all arrays: what a search takes is about proportional to it. */
static double numbers(const struct trial *t)
{
    double n = 0;
    for (int k = 0; k < t->call.n_in + t->call.n_out; k++)
        n += (double)array_len(k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in]);
    return n;
}
/* The smallest of the kept failures, where it has at most half the numbers of t; -1: none has. */
static int much_smaller(const struct trial *t)
{
    int least = -1;
    for (int k = 0; k < here->n; k++)
        if (2 * numbers(&here->kept[k]) <= numbers(t) && !gives_nothing(&here->kept[k]) &&
            (least < 0 || numbers(&here->kept[k]) < numbers(&here->kept[least])))
            least = k;
    return least;
}

/* Nothing explains t by itself, perhaps because its answer is trivial.  Looks at the other failures, but for one. */
static bool found_elsewhere(const struct trial *t, int but, struct diagnosis *d)
{
    for (int k = 0; k < here->n && here->spent <= kernel_failures * diagnosis_work; k++)
        if (k != but && !gives_nothing(&here->kept[k]) && found_at(k, t, d))
            return true;
    return false;
}

bool joint_unsure(const struct diagnosis *d)
{
    int words = 1; /* that are known to be one cause */
    while (words < here->standings && here->standing[words].spelling)
        words++;
    const bool is = *here->about && here->parted < PARTED && d->explained && !d->alone && *d->same &&
        words < here->standings && parting_spent <= all_parting * diagnosis_work;
    here->parted += is;
    return is;
}

/* The few lines of a question on which causes are compared, and how many numbers these have in all. */
struct compared { struct place p[PLACES]; int n; long all; };
static struct compared compared_of(const struct trial *t)
{
    struct compared c = { .n = 0 };
    c.n = places_of(t, lines_for(t, FEW, LINES), c.p, PLACES);
    for (int k = 0; k < c.n; k++)
        c.all += place_len(t, &c.p[k]);
    return c;
}
/* Whether e has an answer to t, and v[] and r[], the numbers and radii of those lines, one behind the other.
 * What e changes nothing of, it answers as the row does. */
static bool says(const struct trial *t, const struct reason *e, const struct compared *c, double *v, double *r)
{
    struct hypothesis h;
    bool made = hypothesis_open(&h, t, e->m.change, *e->second ? e->second : NULL);
    if (!made) {
        hypothesis_close(&h);
        made = hypothesis_open(&h, t, "", NULL);
    }
    long at = 0;
    for (int k = 0; made && k < c->n; k++) {
        made = hypothesis_says(&h, &c->p[k], v + at, r + at);
        at += place_len(t, &c->p[k]);
    }
    hypothesis_close(&h);
    return made;
}

bool joint_splits(const struct trial *t)
{
    const struct compared c = compared_of(t);
    const double begun = hypotheses_work();
    const long all = c.all;
    double *room = need(4 * (size_t)all + 1, sizeof *room), *v = room + 2 * all;
    bool some = here->standings > 1 && says(t, &here->standing[0], &c, room, room + all), split = false;
    for (int k = 1; some && k < here->standings && !split; k++)
        split = says(t, &here->standing[k], &c, v, v + all) && !says_same(room, room + all, v, v + all, all);
    free(room);
    parting_spent += hypotheses_work() - begun;
    return split;
}

void joint_part(const struct trial *t, const struct trial *failure, struct diagnosis *d)
{
    struct fit f, declared = as_declared(t);
    int n = 0;
    bool first = true;
    for (int k = 0; k < here->standings; k++) {
        /* A cause that changes nothing of this question says that it is answered as declared. */
        const bool is = explains(t, &here->standing[k], &f) || (f.n ? !f.over : !declared.over);
        first &= k || is;
        if (is)
            here->standing[n++] = here->standing[k];
    }
    here->standings = n;
    for (int k = 0; k < n && !first; k++)
        here->standing[k].spelling = false;
    const int kept = here->n;
    joint_fresh(t);
    /* What is wrong with t may say more than the failure does. */
    const bool more = !n && declared.over && here->n > kept && here->spent <= kernel_failures * diagnosis_work;
    if (!n && !(more && found_at(kept, failure, d)))
        d->alone = true;
    if (!n)
        return;
    if (first)
        class_that_stands(d);
    else if (explains(failure, &here->standing[0], &f))
        answer_with(d, failure, &here->standing[0], &f);
}

/* Whether numbers v and w of these lines of t are the same but for the last place of the output, in which some are
 * stored and some are not. */
static bool numbers_same(const struct trial *t, const struct compared *c, const double *v, const double *w)
{
    for (int k = 0; k < c->n; k++) {
        const long len = place_len(t, &c->p[k]);
        const int type = t->out[c->p[k].out].type;
        const double ulp = type <= MER_BF16 ? ldexp(1, 1 - formats[type].p) : 0;
        for (long j = 0; j < len; j++, v++, w++)
            if (*v != *w && !(isnan(*v) && isnan(*w)) && !(fabs(*v - *w) <= ulp * fmax(fabs(*v), fabs(*w))))
                return false;
    }
    return true;
}

void joint_spell(const struct trial *t, bool begin)
{
    const struct compared c = compared_of(t);
    const double begun = hypotheses_work();
    const long all = c.all;
    double *room = need(3 * (size_t)all + 1, sizeof *room), *v = room + all, *radius = v + all;
    const bool told = here->standings && says(t, &here->standing[0], &c, room, radius);
    for (int k = 1; k < here->standings; k++) {
        struct reason *e = &here->standing[k];
        e->spelling = told && (begin || e->spelling) && !e->stepped && says(t, e, &c, v, radius) &&
            numbers_same(t, &c, room, v);
    }
    free(room);
    parting_spent += hypotheses_work() - begun;
}

void joint_spelt(struct diagnosis *d)
{
    const char *first = *d->cause.id ? d->cause.change : d->answer[0].m.change;
    *d->spelt = 0;
    for (int k = 1; k < here->standings && !strcmp(here->standing[0].m.change, first); k++) {
        const char *id = here->standing[k].m.id;
        if (here->standing[k].spelling)
            names_add(d->spelt, sizeof d->spelt, id, strlen(id));
    }
}

bool joint_first(void) { return *here->about && !here->failures; }
void joint_fresh(const struct trial *t)
{
    const int n = here->n;
    keep(t);
    if (here->n > n)
        here->fresh[n] = true;
}

/* Nothing explains all.  What stood until a failure that it does not explain may still be the cause of most: true,
 * where it is of this one, too, and d says so, and that it is alone. */
static bool by_fallen(const struct trial *t, struct diagnosis *d)
{
    static struct fit f; /* large */
    if (!here->has_fallen || !explains(t, &here->fallen, &f))
        return false;
    answer_with(d, t, &here->fallen, &f);
    return d->alone = true;
}

/* Are all failures of the kernel kept, but for the latest? */
static bool all_kept(long failures)
{
    long reported = 0;
    for (int k = 0; k < here->n; k++)
        reported += !here->fresh[k];
    return reported == failures - 1;
}

/* Diagnoses a failure of a named kernel, but for d->of_all. */
static bool diagnosed_here(const struct trial *t, struct diagnosis *d)
{
    if (here->standings && stand(t, d)) {
        keep(t);
        return true;
    }
    here->whole = all_kept(here->failures);
    if (by_sibling(t, d)) {
        keep(t);
        return true;
    }
    if (here->standings && !here->standing[0].stepped)
        here->fallen = here->standing[0], here->has_fallen = true;
    if (here->spent > kernel_failures * diagnosis_work || all_spent > all_failures * diagnosis_work) {
        *d = (struct diagnosis){ .spent = true };
        return by_fallen(t, d);
    }
    const bool was = here->standings > 0, first = here->failures == 1;
    const int small = first ? much_smaller(t) : -1; /* More is tried there in the same time. */
    if (small >= 0 && found_at(small, t, d)) {
        keep(t);
        return true;
    }
    const bool is = gives_nothing(t) ? diagnose_listed(t, d) : diagnose(t, d);
    here->spent += d->work, all_spent += d->work;
    if (is)
        found(t, d);
    else
        here->standings = 0;
    if (!is && first && found_elsewhere(t, small, d)) {
        keep(t);
        return true;
    }
    if (is && d->alone && here->spent <= kernel_failures * diagnosis_work)
        found_after_all(t, d);
    d->alone |= is && was && !here->standings;
    keep(t);
    return (is && !d->single) || (!is && by_fallen(t, d));
}

static bool unwanted;
void joint_want(bool yes) { unwanted = !yes; }
bool joint_wanted(void) { return !unwanted; }

bool joint_diagnose(const struct trial *t, struct diagnosis *d)
{
    if (!*here->about) {
        const bool found = diagnose(t, d);
        d->single = found && d->answer[0].partly;
        return found && !d->single;
    }
    here->failures++;
    const bool is = diagnosed_here(t, d);
    d->of_all = is && !d->alone && here->whole && here->standings;
    return is;
}

int joint_anatomy(void)
{
    if (!*here->about)
        return 1;
    return here->anatomies < ANATOMIES ? ++here->anatomies : 0;
}
