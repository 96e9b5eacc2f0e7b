/* From <q, k> to a weight: two keys, one with score 0 and one with <q, k> = s; ln(w1 / w0) is the logit g(s).  A
 * linear g is a scale; one that is bounded by c is c tanh; the same whatever the length of q means that q and k are
 * normalised; another one at each query is a temperature; weights that do not add up to 1 mean a sink.  Bugs of
 * cluster A16 (harness/checks). */
#include <math.h>
#include <stdio.h>
#include "reader/core/reader.h"

enum { WIDTH = 7, KEYS = 4 };

/* ln(w1 / w0) in query `row` of KEYS x KEYS: w1 is of key row - 1 = y e_0, w0 of key row = 0, and q = x (e_0 + e_1);
 * NaN where one of the two is not seen. *total: the sum of all weights of the line. */
static double gap(struct asking *a, double x, double y, int row, double *total)
{
    struct trial t;
    double g = (double)NAN, all = 0;
    char sizes[80];
    snprintf(sizes, sizeof sizes, "h=1 g=1 n=%d m=%d d=%d e=%d", KEYS, KEYS, WIDTH, KEYS);
    if (!reader_make(a, &t, "", sizes))
        return g;
    struct mer_array *q = reader_in(&t, "q"), *k = reader_in(&t, "k");
    if (q && k && q->rank == 3 && k->rank == 3 && q->dim[2] == WIDTH) {
        for (int i = 0; i < KEYS; i++)
            array_put(q, i * WIDTH, x), array_put(q, i * WIDTH + 1, x);
        array_put(k, (row - 1) * WIDTH, y);
        double *w = reader_weights(a, &t, KEYS, KEYS);
        if (w)
            g = log(w[row * KEYS + row - 1] / w[row * KEYS + row]);
        for (int j = 0; w && j < KEYS; j++)
            all += w[row * KEYS + j];
        free(w);
    }
    trial_close(&t);
    if (total)
        *total = all;
    return isfinite(g) ? g : (double)NAN;
}

/* a scale in words: "1/sqrt(d)", or a decimal */
static const char *as_scale(double x, double sharp, char *text, char *param)
{
    sprintf(text, "%.6g", x), sprintf(param, "%.7g", x);
    if (fabs(x * sqrt(WIDTH) - 1) <= sharp)
        strcpy(text, "1/sqrt(d)"), strcpy(param, "0");
    else if (fabs(x * WIDTH - 1) <= sharp)
        strcpy(text, "1/d");
    else if (fabs(x - 1) <= sharp)
        strcpy(text, "1"), strcpy(param, "1");
    return text;
}

static double cap_of(double scaled, double got) /* the c for which c tanh(scaled / c) = got < scaled */
{
    double low = got, high = 1e6;
    for (int k = 0; k < 200; k++) {
        double c = (low + high) / 2;
        *(c * tanh(scaled / c) < got ? &low : &high) = c;
    }
    return (low + high) / 2;
}

static void read_score(struct asking *a, struct reader_facts *r)
{
    const double sharp = 64 * unit_of_type(a->type), s0 = 1;
    char text[40], param[40];
    double total, g = gap(a, 1, s0, KEYS - 1, &total), longer = gap(a, 4, s0, KEYS - 1, NULL),
                  far = gap(a, 4, 12, KEYS - 1, NULL);
    if (!(g != 0) || isnan(g))
        return;
    bool normed = fabs(longer / g - 1) < 0.02; /* a query four times as long has the same logit */
    if (normed) {
        struct reader_fact *x = fact_add(r, "norm");
        snprintf(x->value, sizeof x->value, "q and k brought to one length");
        snprintf(x->evidence, sizeof x->evidence, "the logit of q is %.6g, that of 4 q is %.6g", g, longer);
        /* the logit of two unit vectors at 45 degrees is the scale / sqrt(2); under rms it is d times that */
        double one = g * sqrt(2);
        reader_hint(r, "norm=rms"), reader_hint(r, "norm=l2"), reader_hint(r, "scale=%.6g", one),
            reader_hint(r, "scale=%.6g", one / WIDTH);
    } else {
        struct reader_fact *x = fact_add(r, "scale");
        /* 0: linear up to 48; else the c of a bounded one */
        double tail = fabs(far - 48 * g) <= 48 * fabs(g) * fmax(64 * sharp, 1e-4) ? 0 : cap_of(48 * g, far);
        double one = g;
        for (int k = 0; k < 20 && tail > 0; k++) /* solves c tanh(one / c) = g and c tanh(48 one / c) = far together */
            one = tail * atanh(fmin(g / tail, 0.999)), tail = cap_of(48 * one, far);
        snprintf(x->value, sizeof x->value, "%s", as_scale(one / s0, tail > 0 ? 1e-3 : sharp, text, param));
        snprintf(
            x->evidence, sizeof x->evidence, "<q, k> = 1 gives the logit %.9g at d = %d, 48 gives %.9g", g, WIDTH, far);
        if (row_has(a->row, "scale"))
            reader_hint(r, "scale=%s", param);
        if (row_has(a->row, "cap") && tail == 0)
            snprintf(x->params, sizeof x->params, "scale=%s cap=0", param);
        if (tail > 0 && far < 48 * g) {
            x = fact_add(r, "soft-cap");
            snprintf(x->value, sizeof x->value, "%.5g tanh(s / %.5g)", tail, tail);
            snprintf(x->evidence, sizeof x->evidence, "48 times a logit of %.6g is %.6g", g, far);
            reader_hint(r, "cap=%.4g", tail), reader_hint(r, "cap=%.0f", tail);
            if (row_has(a->row, "cap"))
                snprintf(x->params, sizeof x->params, "scale=%s cap=%.3g", param, tail);
        }
    }
    double early = gap(a, 1, s0, 1, NULL);
    if (early > 0 && fabs(early / g - 1) > 64 * sharp) {
        struct reader_fact *x = fact_add(r, "temperature");
        snprintf(x->value, sizeof x->value, "by position: query %d has %.6g of query 1's", KEYS - 1, g / early);
        snprintf(x->evidence, sizeof x->evidence, "the same q and k: logits %.6g and %.6g", early, g);
    }
    gap(a, 0, 0, KEYS - 1, &total);
    struct reader_fact *x = fact_add(r, "sink");
    bool none = fabs(total - 1) <= sharp;
    snprintf(x->value, sizeof x->value, none ? "none" : "weight %.6g of its own beside equal scores of 0", 1 - total);
    snprintf(x->evidence, sizeof x->evidence, "the weights of equal keys add up to %.9g", total);
    if (row_has(a->row, "softmax1"))
        snprintf(x->params, sizeof x->params, "softmax1=%s", none ? "off" : "on");
}
const struct reader reader_score = { "score",
    "scale, soft-cap, norm, temperature, sink: the weight ratio of two keys with a known logit gap", 3, read_score };
