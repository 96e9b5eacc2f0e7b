/* Buckets of distances, read as integers over -2000 .. 2000: which direction has buckets of its own, up to where
 * each distance has one, where the last begins.  The parameters are those of the few (buckets, furthest distance)
 * whose whole table is the one that was read.  Bugs of cluster A8 (harness/checks). */
#include <math.h>
#include <stdio.h>
#include "reader/core/reader.h"

enum { FAR = 2000, ALL = 2 * FAR + 1 };

/* T5's bucket of a distance d >= 0 among `own` buckets: d itself below e = own/2, else e + floor((own - e) log(d/e)
 * / log(far/e)), at most own - 1. */
static long t5_bucket(long d, long own, long far)
{
    long e = own / 2,
         b = d < e ?
        d :
        e + (long)floor(log((double)d / (double)e) / log((double)far / (double)e) * (double)(own - e) + 1e-9);
    return b < own ? b : own - 1;
}

/* Suggests the furthest distances under which all of that side is right. */
static void suggest_far(struct reader_facts *r, const double *b, long sign, long base, long own)
{
    int found = 0;
    for (long far = own / 2 + 1; far <= FAR && found < 6; far++) {
        bool all = true;
        for (long d = 1; d <= FAR && all; d++)
            all = (long)b[FAR + sign * d] - base == t5_bucket(d, own, far);
        if (all)
            reader_hint(r, "max_distance=%ld", far), found++;
    }
}

static void read_buckets(struct asking *a, struct reader_facts *r)
{
    struct trial t;
    double *b = need(ALL, sizeof *b), top = 0;
    char sizes[32];
    snprintf(sizes, sizeof sizes, "n=%d", ALL);
    if (!reader_wants(a, "bucket") || !reader_make(a, &t, "", sizes)) {
        free(b);
        return;
    }
    struct mer_array *p = reader_in(&t, "relative_position"), *o = reader_out(&t, "bucket");
    for (long i = 0; p && i < ALL; i++)
        array_put(p, i, (double)(i - FAR));
    if (p && reader_ask(a, &t)) {
        for (long i = 0; i < ALL; i++)
            b[i] = array_get(o, i), top = fmax(top, b[i]);
        bool behind = b[0] != b[FAR], ahead = b[ALL - 1] != b[FAR], odd = b[0] == -b[ALL - 1];
        long exact = 0, last = FAR, side = behind ? -1 : 1;
        while (exact < FAR && fabs(b[FAR + side * (exact + 1)] - b[FAR + side * exact]) == 1)
            exact++;
        while (last > 1 && b[FAR + side * (last - 1)] == b[FAR + side * FAR])
            last--;
        struct reader_fact *x = fact_add(r, "buckets");
        snprintf(x->value, sizeof x->value, "%s, %.0f is the greatest",
            behind && ahead ? odd ? "both sides, by sign" : "both sides" :
                behind      ? "keys behind only" :
                ahead       ? "keys ahead only" :
                              "one for all",
            top);
        snprintf(x->evidence, sizeof x->evidence,
            "distances -%d..%d: one by one to %ld, the last from %ld on; bucket(-1) %.0f, bucket(0) %.0f, bucket(1) "
            "%.0f, bucket(-%d) %.0f",
            FAR, FAR, exact, last, b[FAR - 1], b[FAR], b[FAR + 1], FAR, b[0]);
        if (row_has(a->row, "buckets")) {
            long all = (long)top + 1, own = behind && ahead ? all / 2 : all;
            snprintf(x->params, sizeof x->params, "buckets=%ld direction=%s", all,
                behind && ahead ? "bidirectional" : "causal");
            suggest_far(r, b, side, behind && ahead && b[FAR + side] >= (double)own ? own : 0, own);
        }
        reader_hint(r, "span=%ld", exact), reader_hint(r, "span=%ld", 2 * exact),
            reader_hint(r, "max_position=%ld", last), reader_hint(r, "max_position=%ld", last + 1);
    }
    trial_close(&t);
    free(b);
}
const struct reader reader_buckets = { "buckets", "the whole bucket table of -2000 .. 2000", 1, read_buckets };
