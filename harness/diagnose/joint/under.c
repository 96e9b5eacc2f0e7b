/* Causes that act under a condition; see under.h. */
#include "diagnose/joint/under.h"
#include <stdio.h>
#include <string.h>
#include "diagnose/joint/explains.h"
#include "diagnose/joint/standing.h"

/* All that explains the failure by itself, into e[EXPLANATIONS]; how many.  d may have forgotten all but its answer. */
static int explanations(const struct diagnosis *d, struct reason *e)
{
    const struct answer *a = &d->answer[0];
    memcpy(e, d->all, (size_t)d->all_n * sizeof *e);
    if (d->all_n)
        return d->all_n;
    *e = (struct reason){ .m = *d->cause.id ? d->cause : a->m, .listed = a->listed, .partly = a->partly,
        .stepped = *a->second };
    return 1;
}
/* The first that stands is the answer to the failure.  false: it does not explain it, and nothing stands any more. */
static bool first_answers(struct failures *known, const struct trial *failure, struct diagnosis *d)
{
    static struct fit f; /* large */
    const bool is = known->standings && explains(failure, &known->standing[0], &f);
    if (is)
        standing_answer(known, d, failure, &known->standing[0], &f);
    else
        known->standings = 0;
    return is;
}
bool under_explains(const struct trial *failure, const char *under, struct diagnosis *d)
{
    static struct reason all[EXPLANATIONS], still[EXPLANATIONS]; /* large */
    struct failures *known = failures_here();
    const int of = explanations(d, all);
    int n = 0;
    for (int k = 0; k < of; k++) {
        struct reason *e = &still[n];
        *e = all[k], e->number = READ;
        snprintf(e->under, sizeof e->under, "%s", under);
        n += !e->stepped && standing_explains_kept(known, e);
    }
    standing_are(known, still, n);
    return first_answers(known, failure, d);
}

bool under_by(const struct trial *t, const struct trial *failure, struct diagnosis *d)
{
    static struct fit f; /* large */
    struct failures *known = failures_here();
    const struct fit declared = fit_as_declared(t);
    const int kept = known->n;
    int n = 0;
    for (int k = 0; k < known->standings; k++)
        if (explains(t, &known->standing[k], &f) || (f.n ? !f.over : !declared.over))
            known->standing[n++] = known->standing[k];
    known->standings = n;
    failures_keep(known, t, true);
    if (known->n > kept)
        known->right[kept] = !declared.over;
    return first_answers(known, failure, d);
}
