/* Searches for a cause of all failures of a kernel; see search.h. */
#include "diagnose/joint/search.h"
#include <string.h>

/* Work for the searches of one kernel's failures, and for all searches of this process, in that of one failure
 * (diagnosis_work): about 16 s and 45 s of a quiet core.  Trap: what is compared without a search is not counted. */
static const double kernel_failures = 3.2, all_failures = 9;
/* That of the first search, which is made on the smallest failure: there most hypotheses can be tried, and what a
 * larger one would try again is known to fail. */
static const double first_search = 2;
static double all_spent;

bool search_left(const struct failures *known) { return known->spent <= kernel_failures * diagnosis_work; }
bool search_left_for_any(void) { return all_spent <= all_failures * diagnosis_work; }
void search_paid(const struct diagnosis *d) { all_spent += d->work; }
static void pay(struct failures *known, const struct diagnosis *d) { known->spent += d->work, search_paid(d); }

/* Whether e explains one of the kept failures. */
static bool explains_some(const struct failures *known, const struct reason *e)
{
    static struct fit f; /* large */
    int k = 0;
    while (k < known->n && !explains(&known->kept[k], e, &f))
        k++;
    return k < known->n;
}

/* t was diagnosed by itself: the explanations in d that explain the kept failures as well stand from now on, and the
 * best of them becomes the answer. */
static void found(struct failures *known, const struct trial *t, struct diagnosis *d)
{
    int n = 0;
    for (int k = 0; k < d->all_n; k++)
        if (standing_explains_kept(known, &d->all[k])) {
            struct reason *e = &known->standing[n++];
            *e = d->all[k];
            e->number = e->number == UNREAD && explains_some(known, e) ? TOLD : e->number;
        }
    n = standing_promote(known->standing, n);
    known->standings = n;
    struct fit f;
    if (n && !known->standing[0].stepped && strcmp(known->standing[0].m.change, d->answer[0].m.change) &&
        explains(t, &known->standing[0], &f))
        standing_answer(known, d, t, &known->standing[0], &f);
    else if (n && d->all_n < EXPLANATIONS) /* With so many, some of the class were not tried. */
        standing_class(known, d);
    d->alone = !n && known->n > 0;
    d->single = d->answer[0].partly && !(n && known->n);
}

/* Where an explanation fits t alone, a longer search may find one that fits all failures: "sign=query-key" fits one of
 * two questions whose declared signs differ, and the negated distance fits both.  d is replaced if so. */
bool search_whole(struct failures *known, const struct trial *t, struct diagnosis *d)
{
    static struct diagnosis more; /* large */
    const bool is = diagnose_whole(t, &more);
    pay(known, &more);
    if (is)
        found(known, t, &more);
    if (is && !more.alone)
        *d = more;
    return is && !more.alone;
}

/* See search_at; most: the work for it. */
static bool searched_at(struct failures *known, int k, const struct trial *t, struct diagnosis *d, double most)
{
    static struct diagnosis other; /* large */
    static struct fit f;
    struct reason still[EXPLANATIONS];
    const bool is = diagnose_within(&known->kept[k], &other, most);
    int n = 0;
    pay(known, &other);
    for (int j = 0; is && j < other.all_n; j++) {
        const struct reason *e = &other.all[j];
        if (e->stepped || e->partly || !(explains(t, e, &f) || (e->number == READ && f.n && !f.over)))
            continue;
        if (standing_explains_kept(known, e))
            still[n] = *e, still[n++].number = READ; /* It explains both. */
    }
    const bool told = n && explains(t, &still[0], &f);
    if (!n || (!told && (f.over || !f.n)))
        return false;
    standing_are(known, still, n);
    standing_answer(known, d, t, &known->standing[0], &f);
    d->silent = !told && f.open;
    return true;
}

bool search_at(struct failures *known, int k, const struct trial *t, struct diagnosis *d)
{
    return searched_at(known, k, t, d, diagnosis_work);
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
static int much_smaller(const struct failures *known, const struct trial *t)
{
    int least = -1;
    for (int k = 0; k < known->n; k++)
        if (2 * numbers(&known->kept[k]) <= numbers(t) && !outputs_give_nothing(&known->kept[k]) &&
            (least < 0 || numbers(&known->kept[k]) < numbers(&known->kept[least])))
            least = k;
    return least;
}

/* Looks at the kept failures, but for number `but`, for what explains t as well.  By itself t has no name, or it is an
 * answer of zeros, which has one that says no more than that. */
static bool found_elsewhere(struct failures *known, const struct trial *t, int but, struct diagnosis *d)
{
    for (int k = 0; k < known->n && search_left(known); k++)
        if (k != but && !outputs_give_nothing(&known->kept[k]) && search_at(known, k, t, d))
            return true;
    return false;
}

bool search_for(struct failures *known, const struct trial *t, struct diagnosis *d)
{
    if (!search_left(known) || !search_left_for_any()) {
        *d = (struct diagnosis){ .spent = true };
        return false;
    }
    const bool was = known->standings > 0, first = known->failures == 1;
    const int small = first ? much_smaller(known, t) : -1; /* More is tried there in the same time. */
    if (small >= 0 && searched_at(known, small, t, d, first_search * diagnosis_work))
        return true;
    const bool nothing = outputs_give_nothing(t), is = nothing ? diagnose_listed(t, d) :
        diagnose_within(t, d, (first && small < 0 ? first_search : 1) * diagnosis_work);
    pay(known, d);
    if (is)
        found(known, t, d);
    else
        known->standings = 0;
    if (first && (!is || (nothing && d->alone)) && found_elsewhere(known, t, small, d))
        return true;
    if (is && d->alone && search_left(known))
        search_whole(known, t, d);
    d->alone |= is && was && !known->standings;
    return is;
}
