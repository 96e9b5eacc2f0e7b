/* The base of the logarithm in lse: n equal scores of 0 sum to n.  Bugs of cluster A17 (harness/checks). */
#include <math.h>
#include <stdio.h>
#include "reader/core/reader.h"

static void read_lse(struct asking *a, struct reader_facts *r)
{
    struct trial t;
    if (!reader_wants(a, "lse") || !reader_make(a, &t, "", "h=1 g=1 n=6 m=6 d=4 e=6"))
        return;
    double *w = reader_weights(a, &t, 6, 6);
    double keys = 0, all = 0;
    for (int j = 0; w && j < 6; j++)
        keys += w[5 * 6 + j] > 0, all += w[5 * 6 + j];
    struct mer_array *l = reader_out(&t, "lse");
    if (w && keys > 0 && l) {
        struct reader_fact *x = fact_add(r, "lse base");
        /* a sink takes its share, so the weights may add up to less than 1 */
        double got = array_get(l, 5), n = keys / all, sharp = 64 * unit_of_type(a->type);
        bool e = fabs(got - log(n)) <= sharp * 4, two = fabs(got - log2(n)) <= sharp * 4;
        snprintf(x->value, sizeof x->value, e && two ? "not told: one key" : e ? "e" : two ? "2" : "neither e nor 2");
        snprintf(x->evidence, sizeof x->evidence,
            "%.0f equal scores of 0, weights of %.6g together: %.9g; ln %.6g = %.9g, log2 = %.9g", keys, all, got, n,
            log(n), log2(n));
        if (row_has(a->row, "base") && e != two)
            snprintf(x->params, sizeof x->params, "base=%s", e ? "e" : "2");
    }
    free(w);
    trial_close(&t);
}
const struct reader reader_lse = { "lse", "the base of lse: equal scores", 3, read_lse };
