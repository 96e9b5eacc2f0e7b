/* Names sets of keys in words, "0..3 6", and finds those that a query sees; see sight.h. */
#include "reader/core/sight.h"
#include <math.h>
#include <stdio.h>

static void keys(char *text, size_t n, const double *weight, long m)
{
    size_t at = 0;
    *text = 0;
    for (long j = 0, end; j < m && at + 30 < n; j = end + 1) {
        for (end = j; end < m && weight[end] != 0; end++)
            ;
        if (end > j)
            at += (size_t)snprintf(text + at, n - at, end > j + 1 ? "%s%ld..%ld" : "%s%ld", at ? " " : "", j, end - 1);
    }
    if (!at)
        snprintf(text, n, "none");
}

void sight_words(struct probe *p, const struct trial *t)
{
    const struct mer_array *o = &t->out[0];
    long m = o->dim[2], rows = o->dim[0] * o->dim[1];
    double *got = need((size_t)m, sizeof *got);
    char sees[120], should[120];
    for (long r = 0; r < rows; r++) {
        bool off = false, numbers = true;
        for (long j = 0; j < m; j++) {
            off |= probe_misses(p, t, 0, r * m + j);
            got[j] = array_get(o, r * m + j);
            numbers &= !isnan(got[j]);
        }
        if (!off)
            continue;
        keys(sees, sizeof sees, got, m), keys(should, sizeof should, p->want[0] + r * m, m);
        if (!numbers)
            probe_say(
                p, "query %ld of %ld, %ld keys: NaN; declared to see %s", r % o->dim[1], (long)o->dim[1], m, should);
        else if (strcmp(sees, should))
            probe_say(p, "query %ld of %ld sees keys %s of %ld; declared %s", r % o->dim[1], (long)o->dim[1], sees, m,
                should);
        else
            probe_say(p, "query %ld of %ld sees the keys declared, with other weights", r % o->dim[1], (long)o->dim[1]);
        break;
    }
    free(got);
}

void sight_ask(struct probe *p, const char *more, const char *sizes)
{
    struct trial t;
    if (!probe_make(p, &t, more, sizes))
        return;
    probe_fill(&t, "q", 0), probe_fill(&t, "tv", 0); /* equal scores: every key that is seen has a weight */
    probe_keys(&t);
    if (!probe_ask(p, &t))
        return;
    if (!probe_judge(p, &t) && t.out[0].rank == 3)
        sight_words(p, &t);
    trial_close(&t);
}
