/* What a mask does: a query of which every key is hidden, and one hidden key beside visible ones whose scores fall
 * to -X. A key that was left out weighs 0 for every X; one whose score is a finite constant gets weight again where
 * X exceeds the constant, which tells it.  Bugs of clusters A11 and A12 (harness/checks). */
#include <math.h>
#include <stdio.h>
#include "reader/core/reader.h"

enum { KEYS = 4 };

/* The weights of a line of KEYS keys: the last key has the score `own`, and is hidden by the input keep where
 * `hide`; the others have <q, k> = -x^2. false: not answered. */
static bool line(struct asking *a, double x, double own, bool hide, bool empty, double *w)
{
    struct trial t;
    if (!reader_make(a, &t, "", "h=1 g=1 n=4 m=4 d=1 e=4 keep"))
        return false;
    struct mer_array *q = reader_in(&t, "q"), *k = reader_in(&t, "k"), *keep = reader_in(&t, "keep");
    bool ok = q && k && keep && q->rank == 3 && q->dim[2] == 1 && array_len(k) == KEYS;
    if (ok) {
        reader_fill(q, x > 0 ? x : 1), reader_fill(k, -x), reader_fill(keep, 1);
        array_put(k, KEYS - 1, x > 0 ? own / x : 0);
        for (int i = 0; i < KEYS; i++)
            for (int j = 0; j < KEYS; j++)
                array_put(keep, i * KEYS + j, !((hide && j == KEYS - 1) || (empty && i == KEYS - 1)));
        double *all = reader_weights(a, &t, KEYS, KEYS);
        for (int j = 0; all && j < KEYS; j++)
            w[j] = all[(KEYS - 1) * KEYS + j];
        ok = all != NULL;
        free(all);
    }
    trial_close(&t);
    return ok;
}

static void read_empty(struct asking *a, struct reader_facts *r)
{
    double w[KEYS];
    if (!line(a, 0, 0, false, true, w))
        return;
    struct reader_fact *x = fact_add(r, "empty line");
    const char *what = isnan(w[0])    ? "nan" :
        w[0] == 0 && w[KEYS - 1] == 0 ? "zero" :
        fabs(w[0] - w[1]) < 1e-3      ? "mean" :
                                        "other";
    snprintf(x->value, sizeof x->value, "%s", what);
    snprintf(x->evidence, sizeof x->evidence, "keep hides all %d keys of equal scores: weights %g %g %g %g", KEYS, w[0],
        w[1], w[2], w[3]);
    if (row_has(a->row, "empty") && *what != 'o')
        snprintf(x->params, sizeof x->params, "empty=%s", what);
}

static void read_constant(struct asking *a, struct reader_facts *r)
{
    double w[KEYS], g, found = 0;
    if (!line(a, 1, 0, false, false, w) || !(w[0] > 0))
        return;
    g = log(w[KEYS - 1] / w[0]); /* the logit that a product <q, k> of 1 has */
    for (double X = 4; X <= 0x1p100 && found == 0; X *= 4)
        if (line(a, X, 0, true, false, w) && w[KEYS - 1] > 0)
            found = X;
    struct reader_fact *x = fact_add(r, "hidden keys");
    if (found == 0) {
        snprintf(x->value, sizeof x->value, "left out");
        snprintf(x->evidence, sizeof x->evidence, "weight 0 beside live scores of -4 .. -2^200");
        return;
    }
    double low = found / 4, high = found, c = (double)NAN, shifted = (double)NAN;
    for (int k = 0; k < 60 && !isfinite(c); k++) {
        double X = sqrt((low + high) * (low + high) / 4);
        if (!line(a, X, 0, true, false, w))
            break;
        if (w[0] > 1e-3 && w[KEYS - 1] > 1e-3) {
            c = log(w[KEYS - 1] / w[0]) - g * X * X;
            if (line(a, X, 1 / g, true, false, w))
                shifted = log(w[KEYS - 1] / w[0]) - g * X * X - c; /* 1 where the constant is added to the score */
        } else
            *(w[KEYS - 1] > w[0] ? &high : &low) = X;
    }
    if (line(a, found * 16, 0, true, false, w) && fabs(w[KEYS - 1] - w[0]) < 1e-3) {
        snprintf(x->value, sizeof x->value, "come back beside a cap");
        snprintf(x->evidence, sizeof x->evidence,
            "weight %.6g beside a live score of -%.3g: both are cut to -c after the mask", w[KEYS - 1],
            g * found * found * 256);
        reader_hint(r, "cap_at=after");
        return;
    }
    /* the constant is so large that one logit is below its last place */
    bool added = fabs(shifted - 1) < 0.5, rough = !isfinite(c);
    c = rough ? -g * low * low : c;
    snprintf(x->value, sizeof x->value, "a constant, %s: %.5g",
        rough     ? "added or filled in" :
            added ? "added" :
                    "filled in",
        c);
    snprintf(x->evidence, sizeof x->evidence,
        "hidden, yet of weight beside live scores of %.5g; one logit more of its own: %.3g more", -g * found * found,
        shifted);
    if (row_has(a->row, "constant")) {
        snprintf(x->params, sizeof x->params, "mask=%s constant=%.4g", added ? "add" : "fill", c);
        reader_hint(r, "constant=%.4g", c), reader_hint(r, "constant=%.3g", c), reader_hint(r, "constant=%.4g", c / 2);
    }
}
static void read_masks(struct asking *a, struct reader_facts *r)
{
    if (!reader_wants(a, "o") && !reader_wants(a, "weights"))
        return;
    read_empty(a, r);
    read_constant(a, r);
}
const struct reader reader_masks = { "masks", "empty lines, and what a hidden key weighs beside live scores that fall",
    4, read_masks };
