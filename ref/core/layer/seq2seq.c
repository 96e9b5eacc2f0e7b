/* The recurrent encoder and decoder, step by step, and the parameters; see seq2seq.h. */
#include <stdlib.h>
#include "layer/seq2seq.h"
#include "row/question.h"

const struct ball *seq2seq_affine(struct ask *w, const struct part *p, int n, const char *bias, long i)
{
    const size_t mark = w->used;
    long room = 1, used = 0;
    for (int k = 0; k < n; k++)
        room += dim_in(w, p[k].matrix, !p[k].across);
    const struct ball **t = need((size_t)room + 1, sizeof *t);
    for (int k = 0; k < n; k++)
        for (long j = 0; p[k].x && j < dim_in(w, p[k].matrix, !p[k].across); j++)
            t[used++] = b_step_own(w, MULTIPLY,
                b_mul(w, p[k].across ? b_in(w, p[k].matrix, j, i, 0) : b_in(w, p[k].matrix, i, j, 0), p[k].x[j]));
    if (bias)
        t[used++] = b_in(w, bias, i, 0, 0);
    const struct ball *y = b_sum(w, GATHER, t, used);
    free(t);
    return ask_keep(w, mark, y);
}
/* Fills y[d] with tanh of the sum of n parts and the bias. */
static void cell(struct ask *w, const struct part *p, int n, const char *bias, const struct ball **y)
{
    for (long i = 0, d = dim_in(w, bias, 0); i < d; i++)
        y[i] = b_step(w, ACT, b_tanh(w, seq2seq_affine(w, p, n, bias, i)));
}
void seq2seq_line(struct ask *w, const char *name, long i, const struct ball **y)
{
    for (long j = 0; j < dim_in(w, name, 1); j++)
        y[j] = b_in(w, name, i, j, 0);
}

long seq2seq_read_at(const struct ask *w, long t)
{
    const long last = dim_in(w, "x", 0) - 1;
    if (b_true(w, ((const struct seq2seq *)w->params)->source == FORWARD))
        return t;
    const long at = lag(w, last, t);
    return at < 0 ? 0 : at < last ? at : last;
}
/* Every state of the encoder, h[m][d]. */
static void encode(struct ask *w, const struct ball **h)
{
    const long n = dim_in(w, "x", 0), d = dim_in(w, "bh", 0);
    const struct ball **x = need((size_t)dim_in(w, "x", 1) + 1, sizeof *x);
    for (long t = 0; t < n; t++) {
        seq2seq_line(w, "x", seq2seq_read_at(w, t), x);
        cell(w, (struct part[]){ { "wx", x, false }, { "wh", t ? h + (t - 1) * d : NULL, false } }, 2, "bh", h + t * d);
    }
    free(x);
}
/* y[len]: from place `from` on of all[n], which `make` gives once for all lines. */
static void part_of(struct ask *w, question_make *make, long n, long from, long len, const struct ball **y)
{
    const long was = w->len;
    w->len = len;
    question_line(w, make, n, from, y);
    w->len = was;
}
void seq2seq_states(struct ask *w, long from, long len, const struct ball **y)
{
    part_of(w, encode, dim_in(w, "x", 0) * dim_in(w, "bh", 0), from, len, y);
}
const struct ball **seq2seq_encode(struct ask *w)
{
    const long n = dim_in(w, "x", 0) * dim_in(w, "bh", 0);
    const struct ball **h = need((size_t)n + 1, sizeof *h);
    seq2seq_states(w, 0, n, h);
    return h;
}

void seq2seq_read_by(struct ask *w, const char *what, const struct ball *const *query, const struct ball *const *h,
    long n, long len, const struct ball **y)
{
    struct mer_array in[5] = { { .name = "query", .type = BALLS, .rank = 2, .dim = { 1, dim_in(w, "bh", 0) } },
        { .name = "states", .type = BALLS, .rank = 2, .dim = { n, dim_in(w, "bh", 0) } }, *array_in(w, "wa"),
        *array_in(w, "ua"), *array_in(w, "va") };
    memcpy(&in[0].data, &query, sizeof query), memcpy(&in[1].data, &h, sizeof h);
    line_of(w, (struct page_of){ &row_seq2seq, what, w->call->params, in, 5 }, NULL, len, y);
}

long seq2seq_input_id(const struct ask *w, long t)
{
    const struct seq2seq *p = w->params;
    if (b_true(w, p->forcing == UNSHIFTED))
        return i_in(w, "target", t, 0);
    return b_true(w, t > 0) ? i_in(w, "target", lag(w, t, 1), 0) : p->start;
}

long seq2seq_query_at(const struct ask *w, long t)
{
    const struct seq2seq *p = w->params;
    const long at = i_less(w, p->lag, t) ? lag(w, t, p->lag) : 0;
    return at < 0 ? 0 : at < t ? at : t;
}
/* Every state of the decoder, [steps + 1][d], of which the first stands before the first token, then every context,
 * [steps][d]. */
static void decode(struct ask *w, const struct ball **s)
{
    const struct seq2seq *p = w->params;
    const long n = dim_in(w, "x", 0), d = dim_in(w, "bh", 0), steps = dim_in(w, "target", 0);
    const struct ball **h = seq2seq_encode(w), **c = s + (steps + 1) * d,
                      **e = need((size_t)dim_in(w, "emb", 1) + 1, sizeof *e);
    /* mutant: loop 303e: the first state that is made is written over it. */
    for (long i = 0; i < d; i++)
        s[i] = p->init == LAST ? h[(n - 1) * d + i] : b_si(w, 0);
    for (long t = 0; t < steps; t++) {
        seq2seq_read_by(w, "read", s + seq2seq_query_at(w, t) * d, h, n, d, c + t * d);
        seq2seq_line(w, "emb", seq2seq_input_id(w, t), e);
        cell(w, (struct part[]){ { "wy", e, false }, { "ws", s + t * d, false }, { "wc", c + t * d, false } }, 3, "bs",
            s + (t + 1) * d);
    }
    free(h), free(e);
}
void seq2seq_decoded(struct ask *w, long from, long n, const struct ball **y)
{
    const long d = dim_in(w, "bh", 0), steps = dim_in(w, "target", 0);
    part_of(w, decode, (2 * steps + 1) * d, from * d, n * d, y);
}
void seq2seq_state(struct ask *w, const struct ball **y) { seq2seq_decoded(w, w->at[0] + 1, 1, y); }
void seq2seq_context(struct ask *w, const struct ball **y)
{
    seq2seq_decoded(w, dim_in(w, "target", 0) + 1 + w->at[0], 1, y);
}
void seq2seq_weights(struct ask *w, const struct ball **y)
{
    const long n = dim_in(w, "x", 0), d = dim_in(w, "bh", 0);
    const struct ball **h = seq2seq_encode(w), **query = need((size_t)d + 1, sizeof *query);
    seq2seq_decoded(w, seq2seq_query_at(w, w->at[0]), 1, query);
    seq2seq_read_by(w, "align", query, h, n, n, y);
    free(h), free(query);
}

long seq2seq_extent(const void *q, char axis) { return axis == 'v' ? ((const struct seq2seq *)q)->vocab : 0; }
const char *seq2seq_refuse(const void *q)
{
    const struct seq2seq *p = q;
    return p->start >= p->vocab ? "start: not in the vocabulary" :
        mpq_sgn(p->scale) < 0   ? "scale: must not be below 0" :
                                  NULL;
}
const struct param seq2seq_params[] = {
    { "vocab", "7", "tokens of the target", INT, offsetof(struct seq2seq, vocab), .least = 2, .most = 1 << 20 },
    { "start", "0", "the decoder's first input", INT, offsetof(struct seq2seq, start), .least = 0, .most = 1 << 20 },
    { "attention", "dot", "the context: the last state, or a mean of all", ENUM, offsetof(struct seq2seq, attention),
        .choices = "none dot additive" },
    { "scale", "0", "of the dot product; 0 = 1/sqrt(d)", RATIONAL, offsetof(struct seq2seq, scale) },
    { "scorer", "tanh", "of attention=additive", ENUM, offsetof(struct seq2seq, scorer), .choices = "tanh linear" },
    { "lag", "0", "the query of step t is s_{t-1-lag}", INT, offsetof(struct seq2seq, lag), .least = 0, .most = 65536 },
    { "forcing", "shifted", "teacher forcing: y_{t-1}, or y_t itself", ENUM, offsetof(struct seq2seq, forcing),
        .choices = "shifted unshifted" },
    { "init", "last", "the decoder's first state: the encoder's last, or 0", ENUM, offsetof(struct seq2seq, init),
        .choices = "last zero" },
    { "source", "forward", "order of reading", ENUM, offsetof(struct seq2seq, source), .choices = "forward reversed" },
    { .list = tiles_params, .at = offsetof(struct seq2seq, tiles) },
    { 0 },
};
