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
bool under_explains(const struct trial *failure, const char *under, struct diagnosis *d)
{
    static struct reason all[EXPLANATIONS], still[EXPLANATIONS]; /* large */
    static struct fit f;                                         /* likewise */
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
    const bool is = n && explains(failure, still, &f);
    if (is)
        standing_answer(known, d, failure, &known->standing[0], &f);
    else
        known->standings = 0;
    return is;
}
