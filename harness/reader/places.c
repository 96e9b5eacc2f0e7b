/* Which row of a table of relative positions meets query i and key j: the map of integers itself where the subject
 * offers it; else rows of the table of values that hold their own number, with all weight on one key (a score of
 * 4096).  It reads sign, ends of the clip, and origin.  Bugs of cluster A9 (harness/checks). */
#include <math.h>
#include <stdio.h>
#include "reader/core/reader.h"

enum { SIDE = 9 };

static bool by_index(struct asking *a, double *at)
{
    struct trial t;
    if (!reader_wants(a, "index") || !reader_make(a, &t, "", "n=9 m=9"))
        return false;
    const struct mer_array *o = reader_out(&t, "index");
    bool ok = o->rank == 2 && reader_ask(a, &t);
    for (int k = 0; ok && k < SIDE * SIDE; k++)
        at[k] = array_get(o, k);
    trial_close(&t);
    return ok;
}

static bool by_values(struct asking *a, double *at)
{
    for (int j = 0; j < SIDE; j++) {
        struct trial t;
        if (!reader_wants(a, "o") || !reader_make(a, &t, "", "h=1 g=1 n=9 m=9 d=4 e=2"))
            return false;
        struct mer_array *q = reader_in(&t, "q"), *k = reader_in(&t, "k"), *tv = reader_in(&t, "tv");
        bool ok = q && k && tv && tv->rank == 2;
        for (int i = 0; ok && i < SIDE; i++)
            array_put(q, i * 4, 64);
        if (ok)
            array_put(k, j * 4, 64);
        for (long row = 0; ok && row < tv->dim[0]; row++)
            array_put(tv, row * tv->dim[1], (double)(row + 1));
        ok = ok && reader_ask(a, &t);
        for (int i = 0; ok && i < SIDE; i++)
            at[i * SIDE + j] = array_get(reader_out(&t, "o"), i * reader_out(&t, "o")->dim[2]) - 1;
        trial_close(&t);
        if (!ok)
            return false;
    }
    return true;
}

static void read_places(struct asking *a, struct reader_facts *r)
{
    double at[SIDE * SIDE];
    bool values = false;
    if (!by_index(a, at) && !(values = by_values(a, at)))
        return;
    const double *mid = at + SIDE / 2 * SIDE;
    double low = mid[0], high = mid[0];
    int from = 0, to = SIDE - 1;
    for (int j = 0; j < SIDE; j++)
        low = fmin(low, mid[j]), high = fmax(high, mid[j]);
    while (from < SIDE - 1 && fabs(mid[from + 1] - mid[from]) < 0.5)
        from++;
    while (to > 0 && fabs(mid[to - 1] - mid[to]) < 0.5)
        to--;
    double slope = mid[from < SIDE - 1 ? from + 1 : from] - mid[from];
    if (!(fabs(fabs(slope) - 1) < 1e-3))
        return;
    struct reader_fact *x = fact_add(r, "index");
    const char *rel = slope > 0 ? "key - query" : "query - key";
    snprintf(x->value, sizeof x->value, "%s, rows %.4g to %.4g, from %d to %+d of the query", rel, low, high,
        from - SIDE / 2, to - SIDE / 2);
    snprintf(x->evidence, sizeof x->evidence, "query 4 of 9 %s %.4g %.4g %.4g %.4g %.4g %.4g %.4g %.4g %.4g",
        values ? "reads value rows" : "has indices", mid[0], mid[1], mid[2], mid[3], mid[4], mid[5], mid[6], mid[7],
        mid[8]);
    if (row_has(a->row, "sign"))
        snprintf(x->params, sizeof x->params, "sign=%s", slope > 0 ? "key-query" : "query-key");
    int least = slope > 0 ? from - SIDE / 2 : SIDE / 2 - to, most = slope > 0 ? to - SIDE / 2 : SIDE / 2 - from;
    reader_hint(r, "least=%d", least), reader_hint(r, "most=%d", most), reader_hint(r, "clamp=%d", most);
    for (int m = -3; m <= 3; m++) /* another origin may be the length of a memory */
        reader_hint(r, "memory=%d", m);
}
const struct reader reader_places = { "places",
    "index sign and clip: the integer map, or value rows that are their own number", 2, read_places };
