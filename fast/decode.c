/* Decoding over a table of log-probabilities of the next token, float32 or float64, with every sum and score in double,
 * by fast/core/relative/beam.h.
 * v0  the log-softmax of a row is made again wherever a search comes by */
#include <math.h>
#include "relative/beam.h"

/* A table: markov, a row for each last token, else one for each prefix; logit, rows that are to be normalised. */
struct decode_table { const struct mer_array *a; int64_t vocab, start; int markov, logit; };

static double at(const struct mer_array *a, int64_t k)
{
    return a->type == MER_F64 ? ((const double *)a->data)[k] : (double)((const float *)a->data)[k];
}
static void put(struct mer_array *a, int64_t k, double x)
{
    if (a->type == MER_F64)
        ((double *)a->data)[k] = x;
    else
        ((float *)a->data)[k] = (float)x;
}

/* The model of a search (beam.h).  MER_BAD where the table has no row for the tokens. */
static int next(void *with, const int64_t *token, int64_t n, double *y)
{
    const struct decode_table *t = with;
    int64_t level = 0, row = 0, size = 1;
    for (int64_t k = 0; k < n && !t->markov; k++, size *= t->vocab)
        level += size, row = row * t->vocab + token[k];
    row = t->markov ? (n ? token[n - 1] : t->start) : level + row;
    if (row >= t->a->dim[0])
        return MER_BAD;
    double max = (double)-INFINITY, total = 0;
    for (int64_t v = 0; v < t->vocab; v++)
        y[v] = at(t->a, row * t->vocab + v), max = y[v] > max ? y[v] : max;
    for (int64_t v = 0; v < t->vocab && t->logit; v++)
        y[v] -= max, total += exp(y[v]);
    for (int64_t v = 0; v < t->vocab && t->logit; v++)
        y[v] -= log(total);
    return MER_OK;
}
static struct decode_table table_of(const struct mer_call *c)
{
    return (struct decode_table){ mer_in(c, "table"), mer_int(c, "vocab"), mer_int(c, "start"),
        mer_is(c, "form", "markov"),
        mer_is(c, "given", "logit") };
}

static int decode(const struct mer_call *c)
{
    const struct beam_rules r = beam_rules_of(c);
    struct decode_table t = table_of(c);
    struct mer_array *tokens = mer_out(c, "tokens"), *score = mer_out(c, "score"); /* [k][s], [k] */
    const struct beam_model m = { next, &t };
    struct beam_guess *found = calloc((size_t)r.beam, sizeof *found);
    int64_t n = 0, pad = mer_int(c, "pad");
    int rc = found ? beam_search(&r, &m, found, &n) : MER_BAD;
    for (int64_t h = 0; rc == MER_OK && tokens && h < tokens->dim[0]; h++)
        for (int64_t s = 0, front = t.start >= 0; s < tokens->dim[1]; s++)
            ((int64_t *)tokens->data)[h * tokens->dim[1] + s] = s < front ? t.start :
                h < n && s - front < found[h].n                           ? found[h].token[s - front] :
                                                                            pad;
    for (int64_t h = 0; rc == MER_OK && score && h < score->dim[0]; h++)
        put(score, h, h < n ? found[h].score : (double)-INFINITY);
    free(found);
    return rc;
}

static int cumulative(const struct mer_call *c)
{
    struct decode_table t = table_of(c);
    struct mer_array *y = mer_out(c, "cumulative"); /* [n] */
    const int64_t *target = mer_in(c, "target")->data, length = mer_int(c, "length");
    double *lp = malloc((size_t)t.vocab * sizeof *lp), sum = 0;
    int rc = lp ? MER_OK : MER_BAD;
    for (int64_t n = 0; n < y->dim[0] && rc == MER_OK; n++) {
        rc = n < length ? next(&t, target, n, lp) : MER_OK;
        sum = n < length && rc == MER_OK ? sum + lp[target[n]] : (double)NAN;
        put(y, n, sum);
    }
    free(lp);
    return rc;
}

static int penalty(const struct mer_call *c)
{
    const struct beam_rules r = beam_rules_of(c);
    const int64_t *len = mer_in(c, "len")->data;
    struct mer_array *y = mer_out(c, "penalty"); /* [n] */
    if (mer_is(c, "penalty", "none")) /* it is 1 whatever the length: there is nothing to judge */
        return MER_SKIP;
    for (int64_t k = 0; k < y->dim[0]; k++)
        put(y, k, beam_penalty(&r, len[k], 1));
    return MER_OK;
}

#define IN_DOUBLE \
    "shift=f64 exp=f64:2 total=f64 log=f64:2 next=f64 sum=f64 ratio=f64 exponent=f64 power=f64:2 score=f64"
const struct mer_kernel decode_scalar[] = {
    { "decode", "tokens score", "f32", IN_DOUBLE, 0, decode },
    { "decode", "cumulative", "f32", IN_DOUBLE, 0, cumulative },
    { "decode", "penalty", "f32", IN_DOUBLE, 0, penalty },
    { "decode", "tokens score", "f64", IN_DOUBLE, 0, decode },
    { "decode", "cumulative", "f64", IN_DOUBLE, 0, cumulative },
    { "decode", "penalty", "f64", IN_DOUBLE, 0, penalty },
    { 0 },
};
