/* Sums up attention weights of all layers by octaves of distance; see reading.h. */
#include "lab/text/reading.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t octave_first(int k) { return k ? (int64_t)1 << (k - 1) : 0; }
static int octave(int64_t distance)
{
    int k = 0;
    while (octave_first(k + 1) <= distance)
        k++;
    return k;
}

int reads_open(struct op *weights, const struct pass *p, char *err, size_t n) /* the row that attends, its parameters */
{
    const struct lab_size *s = &p->m->size;
    const struct row *r = p->attend.t.row;
    if (p->m->enc->attend)
        return *weights = (struct op){ .outs = "" }, 0;
    char params[TEXT_MAX], own[80], sizes[300];
    const long long h = s->heads, d = s->channels / s->heads, l = p->length;
    params_write(row_params(r), p->attend.t.params, params, sizeof params);
    encoding_text(own, sizeof own, p->m->enc->sizes, s, p->length);
    snprintf(sizes, sizeof sizes, "h=%lld g=%lld n=%lld m=%lld d=%lld e=%lld%s%s %s", h, h, l, l, d, d,
        p->keep ? " keep" : "", p->m->enc->bias ? " bias" : "", own);
    if (op_open(weights, p->a->type, r->name, params, "weights", sizes, err, n))
        return -1;
    op_set(weights, "keep", p->keep), op_set(weights, "bias", p->bias);
    return 0;
}

/* Adds the weights w[rows][n] to the sums; rows is a multiple of n. */
static void take(struct reads *d, const float *w, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++) {
        const int64_t i = r % n;
        const double own = log(fmax((double)w[r * n + i], 0x1p-149));
        for (int64_t j = 0; j <= i; j++) {
            const double x = (double)w[r * n + j];
            const int k = octave(i - j);
            d->share[k] += x, d->score[k] += log(fmax(x, 0x1p-149)) - own, d->n[k]++, d->mean += x * (double)(i - j);
        }
    }
}

/* Reads weights from outputs, for a row of its own, which may add something to values: the output for v less that for 0
 * is the weights times v, and a block of the unit matrix as v shows the weights themselves. */
static int by_values(struct pass *p, const float *params, int l, float *w)
{
    const struct model *m = p->m;
    const int64_t n = p->length, h = m->size.heads, d = m->size.channels / h;
    float *v = need((size_t)(2 * h * n * d), sizeof *v), *none = v + h * n * d, *o = p->layer[l].o;
    int rc = MER_OK;
    for (int k = 0; k < m->extras; k++)
        op_set(&p->attend, m->extra[k], (void *)(params + m->block[m->layer[l].extra[k]].at));
    if (*m->gate)
        op_set(&p->attend, m->gate, p->layer[l].g);
    op_set(&p->attend, "q", p->layer[l].q), op_set(&p->attend, "k", p->layer[l].k), op_set(&p->attend, "v", v),
        op_set(&p->attend, "o", none);
    rc = op_run(&p->attend);
    op_set(&p->attend, "o", o);
    for (int64_t from = 0; from < n && rc == MER_OK; from += d) {
        const int64_t wide = from + d < n ? d : n - from;
        memset(v, 0, (size_t)(h * n * d) * sizeof *v);
        for (int64_t k = 0; k < h; k++)
            for (int64_t c = 0; c < wide; c++)
                v[(k * n + from + c) * d + c] = 1;
        rc = op_run(&p->attend);
        for (int64_t r = 0; r < h * n; r++)
            for (int64_t c = 0; c < wide; c++)
                w[r * n + from + c] = o[r * d + c] - none[r * d + c];
    }
    free(v);
    return rc;
}

int reads_add(struct reads *d, struct pass *p, struct op *weights, const float *params, const int64_t *token, float *w)
{
    const struct model *m = p->m;
    int rc = pass_forward(p, params, token);
    for (int l = 0; l < m->size.layers && rc == MER_OK; l++) {
        if (m->enc->attend)
            rc = by_values(p, params, l, w);
        else {
            for (int k = 0; k < m->extras && m->enc->bias; k++)
                op_set(&p->bias_of, m->extra[k], (void *)(params + m->block[m->layer[l].extra[k]].at));
            if (m->enc->bias && m->extras)
                rc = op_run(&p->bias_of);
            op_set(weights, "q", p->layer[l].q), op_set(weights, "k", p->layer[l].k), op_set(weights, "weights", w);
            rc = rc == MER_OK ? op_run(weights) : rc;
        }
        if (rc == MER_OK)
            take(d, w, m->size.heads * p->length, p->length);
    }
    return rc;
}

int reads_make(struct reads *d, const struct model *m, const float *params, const struct corpus *c, int64_t length,
    int64_t windows, char *err, size_t n)
{
    struct pass p = { 0 };
    struct op weights = { 0 };
    const int64_t held = c->length - c->train - length - 2, queries = windows * m->size.layers * m->size.heads * length;
    *d = (struct reads){ .octaves = octave(length - 1) + 1, .own = m->enc->attend != NULL };
    int64_t *token = need((size_t)length, sizeof *token), did = MER_OK;
    float *w = need((size_t)(m->size.heads * length * length), sizeof *w);
    /* backward: every layer keeps its own q and k */
    int rc = pass_open(&p, m, (struct pass_form){ .maths = &maths_f32, .rows = 1, .length = length, .backward = 1 },
        err, n) || reads_open(&weights, &p, err, n) ? -1 : 0;
    for (int64_t at = 0; at < windows && !rc && did == MER_OK; at++) {
        const uint16_t *from = c->symbol + c->train + held * at / windows;
        for (int64_t i = 0; i < length; i++)
            token[i] = from[i];
        did = reads_add(d, &p, &weights, params, token, w);
    }
    if (!rc && did != MER_OK && did != MER_SKIP)
        rc = (snprintf(err, n, "weights at length %lld: a kernel failed", (long long)length), -1);
    d->answered = !rc && did == MER_OK;
    for (int k = 0; k < d->octaves && d->answered; k++)
        d->share[k] /= (double)queries, d->score[k] /= (double)(d->n[k] ? d->n[k] : 1);
    d->mean /= (double)queries;
    op_close(&weights), pass_close(&p);
    free(token), free(w);
    return rc;
}
