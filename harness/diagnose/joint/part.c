/* Causes of the same failures are told apart by further questions; see part.h. */
#include "diagnose/joint/part.h"
#include <math.h>
#include <stdlib.h>
#include "diagnose/joint/search.h"
#include "diagnose/hypotheses/condition.h"

/* FEW lines of each output are compared, where causes are compared with one another.  PARTED: so often the causes of a
 * kernel are told apart: what stands may be of another search by then. */
enum { FEW = 6, PARTED = 3 };
/* Work for comparisons of causes in this process, in that of one failure (diagnosis_work), apart from searches: what it
 * takes leaves them their time. */
static const double all_parting = 2;
static double parting_spent;

bool part_due(const struct diagnosis *d)
{
    struct failures *known = failures_here();
    int words = 1; /* that are known to be one cause */
    while (words < known->standings && known->standing[words].spelling)
        words++;
    const bool is = *known->about && known->parted < PARTED && d->explained && !d->alone && *d->same &&
        words < known->standings && parting_spent <= all_parting * diagnosis_work;
    known->parted += is;
    return is;
}

bool part_untried(const struct diagnosis *d)
{
    struct failures *known = failures_here();
    const bool is = *known->about && !known->tried && d->explained && !d->alone && !d->unwritten && !d->chance &&
        (d->apart || known->standings);
    known->tried |= is;
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

/* Whether e has an answer to t in finite numbers, and v[] and r[], the numbers and radii of those lines, one behind the
 * other.  What e changes nothing of, it answers as the row does. */
static bool says(const struct trial *t, const struct reason *e, const struct compared *c, double *v, double *r)
{
    bool finite = true;
    struct hypothesis h;
    const bool acts = under_holds(t, e->under);
    bool made = hypothesis_open(&h, t, acts ? e->m.change : "", acts && *e->second ? e->second : NULL);
    if (!made) {
        hypothesis_close(&h);
        made = hypothesis_open(&h, t, "", NULL);
    }
    long at = 0;
    for (int k = 0; made && k < c->n; k++) {
        finite &= hypothesis_middles(&h, &c->p[k], v + at, r + at);
        at += place_len(t, &c->p[k]);
    }
    hypothesis_close(&h);
    return made && finite;
}

bool part_splits(const struct trial *t)
{
    const struct failures *known = failures_here();
    const struct compared c = compared_of(t);
    const double begun = hypotheses_work();
    const long all = c.all;
    double *room = need(4 * (size_t)all + 1, sizeof *room), *v = room + 2 * all;
    bool some = known->standings > 1 && says(t, &known->standing[0], &c, room, room + all), split = false;
    for (int k = 1; some && k < known->standings && !split; k++)
        split = says(t, &known->standing[k], &c, v, v + all) && !says_same(room, room + all, v, v + all, all);
    free(room);
    parting_spent += hypotheses_work() - begun;
    return split;
}

void part_by(const struct trial *t, const struct trial *failure, struct diagnosis *d)
{
    struct failures *known = failures_here();
    struct fit f, declared = fit_as_declared(t);
    int n = 0;
    bool first = true;
    for (int k = 0; k < known->standings; k++) {
        /* A cause that changes nothing of this question says that it is answered as declared. */
        struct reason *e = &known->standing[k];
        const bool told = explains(t, e, &f), is = told || (f.n ? !f.over : !declared.over);
        e->number = told && e->number == UNREAD ? TOLD : e->number;
        first &= (k || is) && e->number != TOLD;
        if (is)
            known->standing[n++] = *e;
    }
    n = standing_promote(known->standing, n);
    known->standings = n;
    for (int k = 0; k < n && !first; k++)
        known->standing[k].spelling = false;
    const int kept = known->n;
    failures_keep(known, t, true);
    if (known->n > kept)
        known->right[kept] = !declared.over;
    /* What is wrong with t may say more than the failure does; what is right with it tells among more causes. */
    const bool more = !n && known->n > kept && search_left(known);
    if (!n && !(more && (declared.over ? search_at(known, kept, failure, d) : search_whole(known, failure, d))))
        d->alone = true;
    if (!n)
        return;
    if (first)
        standing_class(known, d);
    else if (explains(failure, &known->standing[0], &f))
        standing_answer(known, d, failure, &known->standing[0], &f);
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

void part_spell(const struct trial *t, bool begin)
{
    struct failures *known = failures_here();
    const struct compared c = compared_of(t);
    const double begun = hypotheses_work();
    const long all = c.all;
    double *room = need(3 * (size_t)all + 1, sizeof *room), *v = room + all, *radius = v + all;
    const bool told = known->standings && says(t, &known->standing[0], &c, room, radius);
    for (int k = 1; k < known->standings; k++) {
        struct reason *e = &known->standing[k];
        e->spelling = told && (begin || e->spelling) && !e->stepped && says(t, e, &c, v, radius) &&
            numbers_same(t, &c, room, v);
    }
    free(room);
    parting_spent += hypotheses_work() - begun;
}

void part_spelt(struct diagnosis *d) { standing_spelt(failures_here(), d); }
