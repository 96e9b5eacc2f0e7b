/* Row attention with a norm: the same question asked of normalised arrays, and gradients on their way back through the
 * norm; see logit.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "logit/logit.h"
#include "row/question.h"
#include "row/row.h"
extern const struct row row_attention;

static struct unit unit_of(const struct ask *w, const char *gain)
{
    const struct attention *p = w->params;
    return (struct unit){ p->norm, p->eps_at, b_true(w, p->gain == OFFSET_GAIN), p->eps, mer_in(w->call, gain), SQUARES,
        UNIT };
}
/* The lines of a at unit length into y[array_len(a)]. */
static void normalise(struct ask *w, const struct mer_array *a, const char *gain, const struct ball **y)
{
    struct unit u = unit_of(w, gain);
    long d = a->dim[a->rank - 1], n = array_len(a);
    for (long k = 0; k < n; k++)
        y[k] = b_element(w, a, k);
    for (long k = 0; k < n; k += d)
        unit_line(w, &u, y + k, d, y + k);
}
/* All queries, and behind them all keys. */
static void make(struct ask *w, const struct ball **all)
{
    const struct mer_array *q = array_in(w, "q"), *k = array_in(w, "k");
    normalise(w, q, "q_gain", all), normalise(w, k, "k_gain", all + array_len(q));
}
/* The same, made once for all lines of one asker; the caller frees the pointers.  An edit may be of one occurrence of
 * an operation, which is counted for every line anew. */
static const struct ball **normalised(struct ask *w)
{
    const long n = array_len(array_in(w, "q")) + array_len(array_in(w, "k")), len = w->len;
    const struct ball **all = need((size_t)n + 1, sizeof *all);
    w->len = n;
    if (w->arith->edit.step || !question_part(w, make, n, 0, all))
        make(w, all);
    w->len = len;
    return all;
}
bool logit_normed(struct ask *w, const char *out, const struct ball **y)
{
    const struct mer_call *c = w->call;
    char text[TEXT_MAX];
    if (((const struct attention *)w->params)->norm == UNIT_NONE || !has_in(w, "k"))
        return false; /* What this quantity does not read needs no norm; whatever reads k reads q. */
    struct mer_array *in = need((size_t)c->n_in, sizeof *in);
    memcpy(in, c->in, (size_t)c->n_in * sizeof *in);
    struct mer_array *q = mer_find(in, c->n_in, "q"), *k = mer_find(in, c->n_in, "k");
    const struct ball **all = normalised(w);
    q->type = k->type = BALLS, q->data = all, k->data = all + array_len(q);
    snprintf(text, sizeof text, "%s norm=none", c->params);
    line_of(w, (struct page_of){ &row_attention, out, text, in, c->n_in }, w->at, w->len, y);
    free(all), free(in);
    return true;
}

void logit_through_norm(struct ask *w, const char *name, const char *gain, const struct ball **y)
{
    struct unit u = unit_of(w, gain);
    const struct ball **x = need((size_t)w->len + 1, sizeof *x);
    for (long c = 0; c < w->len; c++)
        x[c] = b_in(w, name, w->at[0], w->at[1], c);
    unit_grad(w, &u, x, w->len, y, y);
    free(x);
}
/* Of a gain: the gradient of each normalised line times that line at unit length, over all lines of all heads; not
 * read, 0. */
void logit_gain_grad(struct ask *w, const char *name, const char *gain, const char *out, const struct ball **y)
{
    const struct mer_array *a = array_in(w, name);
    struct unit plain = unit_of(w, gain);
    const long d = w->len;
    const long n = plain.kind == UNIT_NONE ? 0 : a->dim[0] * a->dim[1];
    const struct ball **x = need((size_t)(2 * n * d) + 1, sizeof *x), **by = x + n * d,
                      **term = need((size_t)n + 1, sizeof *term);
    long line[MER_RANK];
    plain.gain = NULL, memcpy(line, w->at, sizeof line);
    for (long r = 0; r < n; r++) {
        w->at[0] = r / a->dim[1], w->at[1] = r % a->dim[1];
        logit_normed(w, out, by + r * d);
        for (long c = 0; c < d; c++)
            x[r * d + c] = b_element(w, a, r * d + c);
        unit_line(w, &plain, x + r * d, d, x + r * d);
    }
    memcpy(w->at, line, sizeof line);
    for (long c = 0; c < d; c++) {
        for (long r = 0; r < n; r++)
            term[r] = b_step(w, UNIT, b_mul(w, by[r * d + c], x[r * d + c]));
        y[c] = b_sum(w, SQUARES, term, n);
    }
    free(x), free(term);
}
