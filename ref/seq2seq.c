/* Recurrent encoder and decoder.      Elman 1990; Sutskever et al. 2014; Cho et al. 2014; Bahdanau et al. 2015; Luong et al. 2015
 *   h_t = tanh(wx x_t + wh h_{t-1} + bh),  h before the first token = 0
 *   s_t = tanh(wy e_t + ws s_{t-1} + wc c_t + bs),  s before the first token = h_last (init=last) or 0      log p_t = log softmax(wo s_t + bo)
 *   e_t = emb[id_t]:  teacher forcing shifts, id = start, y_1, .. y_{T-1}, where y_t is to be predicted at t
 *   c_t  attention=none      h_last, the same at every step
 *        attention=dot       sum_j p_j h_j,  p = softmax_j <s_{t-1}, h_j> scale
 *        attention=additive  the same with p = softmax_j <va, tanh(wa s_{t-1} + ua h_j)>
 * Gradients of the encoder: with dh upstream, g_t = (1 - h_t^2) (dh_t + wh^T g_{t+1}),  dx_t = wx^T g_t,  dwh = sum_t g_t h_{t-1}^T,
 * dwx = sum_t g_t x_t^T,  dbh = sum_t g_t.
 * Of the whole (d<input>_logprob), for dlogprob: dl_t = dlogprob_t - p_t sum dlogprob_t,  ds_t = wo^T dl_t + ws^T g_{t+1} + what the next contexts' queries give,
 * g_t = (1 - s_t^2) ds_t;  dc_t = wc^T g_t goes through softmax and scores to every h_j and to the query's state;  ds_0 to h_last (init=last).
 * fault=overwritten: of all terms of a sum over time the last is kept.
 * source=reversed reads the last token first (Sutskever et al.); h_t is then the state after t tokens read so.
 * An empty source has no last state and nothing to read: no number.
 * Traps: the query of c_t is the state before the step (lag=0), not the one before that; without the shift the answer is among the inputs. */
#include <stdlib.h>
#include "mix.h"
#include "question.h"
#include "row.h"

struct seq2seq { long vocab, start, lag; mpq_t scale; int attention, scorer, forcing, init, source; };
enum { NONE, DOT_PRODUCT, ADDITIVE }; enum { TANH, LINEAR }; enum { SHIFTED, UNSHIFTED }; enum { LAST, ZERO }; enum { FORWARD, REVERSED };
enum { MULTIPLY = MIX_STEPS, GATHER, ACT, NORMAL, SLOPE };
extern const struct row row_seq2seq;
static long dim(const struct ask *w, const char *a, int axis) { return array_in(w, a)->dim[axis]; }

struct part { const char *matrix; const struct ball *const *x; bool across; }; /* matrix x, or matrix^T x; x NULL: not there */

/* Entry i of the sum of the parts, and of `bias` unless NULL. */
static const struct ball *affine(struct ask *w, const struct part *p, int n, const char *bias, long i)
{
    const size_t mark = w->used;
    long room = 1, used = 0;
    for (int k = 0; k < n; k++)
        room += dim(w, p[k].matrix, !p[k].across);
    const struct ball **t = need((size_t)room + 1, sizeof *t);
    for (int k = 0; k < n; k++)
        for (long j = 0; p[k].x && j < dim(w, p[k].matrix, !p[k].across); j++)
            t[used++] = b_step_own(w, MULTIPLY, b_mul(w, p[k].across ? b_in(w, p[k].matrix, j, i, 0) : b_in(w, p[k].matrix, i, j, 0), p[k].x[j]));
    if (bias)
        t[used++] = b_in(w, bias, i, 0, 0);
    const struct ball *y = b_sum(w, GATHER, t, used);
    free(t);
    return ask_keep(w, mark, y);
}
static void cell(struct ask *w, const struct part *p, int n, const char *bias, const struct ball **y) /* y[d] = tanh of all of it */
{
    for (long i = 0, d = dim(w, bias, 0); i < d; i++)
        y[i] = b_step(w, ACT, b_tanh(w, affine(w, p, n, bias, i)));
}
static void line_in(struct ask *w, const char *name, long i, const struct ball **y)
{
    for (long j = 0; j < dim(w, name, 1); j++)
        y[j] = b_in(w, name, i, j, 0);
}

static void undefined(struct ask *w, const struct ball **y, long n)
{
    for (long k = 0; y && k < n; k++)
        y[k] = b_nan(w);
}

static long read_at(const struct ask *w, long t) { return ((const struct seq2seq *)w->params)->source == REVERSED ? dim(w, "x", 0) - 1 - t : t; }
static const struct ball **encode(struct ask *w, long n) /* h[m][d]; the caller frees */
{
    const long d = dim(w, "bh", 0);
    const struct ball **h = need((size_t)(n * d) + 1, sizeof *h), **x = need((size_t)dim(w, "x", 1) + 1, sizeof *x);
    for (long t = 0; t < n; t++) {
        line_in(w, "x", read_at(w, t), x);
        cell(w, (struct part[]){ { "wx", x, false }, { "wh", t ? h + (t - 1) * d : NULL, false } }, 2, "bh", h + t * d);
    }
    free(x);
    return h;
}
static void states(struct ask *w, const struct ball **y)
{
    const struct ball **h = encode(w, w->at[0] + 1);
    for (long i = 0; i < w->len; i++)
        y[i] = h[w->at[0] * w->len + i];
    free(h);
}

/* One reading: query at[0], every state a key and a value.  h of mix.h is the query's number here. */
static const struct ball *score(struct ask *w, long query, long i, long j)
{
    const struct seq2seq *p = w->params;
    const long d = dim(w, "states", 1);
    (void)i;
    if (p->attention == DOT_PRODUCT) {
        const struct ball *s = b_dot(w, PRODUCT, DOT, span(w, "query", query, 0), span(w, "states", j, 0), d);
        return b_step(w, SCORE, mpq_sgn(p->scale) ? b_mul(w, s, b_q(w, p->scale)) : b_div(w, s, b_sqrt(w, b_si(w, d))));
    }
    const long a = dim(w, "va", 0);
    const struct ball **q = need(2 * (size_t)d + (size_t)a + 1, sizeof *q), **h = q + d, **t = h + d;
    line_in(w, "query", query, q), line_in(w, "states", j, h);
    for (long k = 0; k < a; k++) {
        const struct ball *z = affine(w, (struct part[]){ { "wa", q, false }, { "ua", h, false } }, 2, NULL, k);
        z = p->scorer == TANH ? b_step(w, ACT, b_tanh(w, z)) : z;
        t[k] = b_step(w, PRODUCT, b_mul(w, b_in(w, "va", k, 0, 0), z));
    }
    const struct ball *s = b_sum(w, DOT, t, a);
    free(q);
    return s;
}
static const struct ball *value(struct ask *w, long query, long i, long j, long c) { (void)query, (void)i; return b_in(w, "states", j, c, 0); }
static bool all(const struct ask *w, long query, long i, long j) { (void)w, (void)query, (void)i, (void)j; return true; }
static void reading(struct ask *w, const struct ball **y)
{
    struct mix m = { dim(w, "states", 0), score, value, all };
    if (!m.keys)
        undefined(w, y, w->len);
    else if (((const struct seq2seq *)w->params)->attention == NONE)
        line_in(w, "states", m.keys - 1, y);
    else
        mix_output(w, &m, y);
}
static void alignment(struct ask *w, const struct ball **y)
{
    struct mix m = { dim(w, "states", 0), score, value, all };
    for (long j = 0; j < w->len; j++)
        y[j] = b_si(w, j == w->len - 1);
    if (((const struct seq2seq *)w->params)->attention != NONE)
        mix_weights(w, &m, y);
}

static void read_by(struct ask *w, const char *what, const struct ball *const *query, const struct ball *const *h, long n, long len, const struct ball **y)
{
    struct mer_array in[5] = { { .name = "query", .type = BALLS, .rank = 2, .dim = { 1, dim(w, "bh", 0) } }, { .name = "states", .type = BALLS, .rank = 2, .dim = { n, dim(w, "bh", 0) } }, *array_in(w, "wa"), *array_in(w, "ua"), *array_in(w, "va") };
    memcpy(&in[0].data, &query, sizeof query), memcpy(&in[1].data, &h, sizeof h);
    line_of(w, &row_seq2seq, what, w->call->params, in, 5, NULL, len, y);
}

static long input_id(const struct ask *w, long t)
{
    const struct seq2seq *p = w->params;
    return p->forcing == UNSHIFTED ? i_in(w, "target", t, 0) : t ? i_in(w, "target", t - 1, 0) : p->start;
}
static void input(struct ask *w, const struct ball **y) { y[0] = b_si(w, input_id(w, w->at[0])); }

/* The chain to step at[0]: its weights (m), context or state (d).  Unwanted ones: NULL. */
static void decode(struct ask *w, const struct ball **weights, const struct ball **context, const struct ball **state)
{
    const struct seq2seq *p = w->params;
    const long n = dim(w, "x", 0), d = dim(w, "bh", 0), last = w->at[0];
    if (!n) {
        undefined(w, context, d), undefined(w, state, d);
        return;
    }
    const struct ball **h = encode(w, n), **s = need((size_t)((last + 2) * d) + 1, sizeof *s), **c = need((size_t)d + 1, sizeof *c), **e = need((size_t)dim(w, "emb", 1) + 1, sizeof *e);
    for (long i = 0; i < d; i++)
        s[i] = p->init == LAST ? h[(n - 1) * d + i] : b_si(w, 0);
    for (long t = 0; t <= last; t++) { /* s[0] stands before the first token */
        const struct ball **query = s + (t > p->lag ? t - p->lag : 0) * d;
        if (t == last && weights)
            read_by(w, "align", query, h, n, n, weights);
        if (t < last || context || state)
            read_by(w, "read", query, h, n, d, c);
        line_in(w, "emb", input_id(w, t), e);
        if (t < last || state)
            cell(w, (struct part[]){ { "wy", e, false }, { "ws", s + t * d, false }, { "wc", c, false } }, 3, "bs", s + (t + 1) * d);
    }
    for (long i = 0; i < d; i++) {
        if (context)
            context[i] = c[i];
        if (state)
            state[i] = s[(last + 1) * d + i];
    }
    free(h), free(s), free(c), free(e);
}
static void weights(struct ask *w, const struct ball **y) { decode(w, y, NULL, NULL); }
static void context(struct ask *w, const struct ball **y) { decode(w, NULL, y, NULL); }
static void state(struct ask *w, const struct ball **y) { decode(w, NULL, NULL, y); }
static void logprob(struct ask *w, const struct ball **y) /* y[v] */
{
    const struct ball **s = need((size_t)dim(w, "bs", 0) + 1, sizeof *s), **e = need((size_t)w->len + 1, sizeof *e), *max = NULL;
    decode(w, NULL, NULL, s);
    for (long v = 0; v < w->len; v++)
        y[v] = affine(w, (struct part[]){ { "wo", s, false } }, 1, "bo", v), max = max ? b_max(w, max, y[v]) : y[v];
    for (long v = 0; v < w->len; v++)
        y[v] = b_step(w, SHIFT, b_sub(w, y[v], max)), e[v] = b_step(w, EXP, b_exp(w, y[v]));
    const struct ball *lse = b_step(w, LOG, b_log(w, b_sum(w, TOTAL, e, w->len)));
    for (long v = 0; v < w->len; v++)
        y[v] = b_step(w, NORMAL, b_sub(w, y[v], lse));
    free(s), free(e);
}

static const struct ball **back(struct ask *w, const struct ball *const *h, long from) /* g[m][d] of steps >= from, in the order of reading; the caller frees */
{
    const long n = dim(w, "x", 0), d = dim(w, "bh", 0);
    const struct ball **g = need((size_t)(n * d) + 1, sizeof *g);
    for (long t = n - 1; t >= from; t--)
        for (long i = 0; i < d; i++) {
            const struct ball *later = t < n - 1 ? affine(w, (struct part[]){ { "wh", g + (t + 1) * d, true } }, 1, NULL, i) : NULL, *up = b_in(w, "dh", t, i, 0);
            const struct ball *slope = b_step(w, SLOPE, b_sub(w, b_si(w, 1), b_step(w, SLOPE, b_mul(w, h[t * d + i], h[t * d + i]))));
            g[t * d + i] = b_step(w, SLOPE, b_mul(w, slope, later ? b_step(w, GATHER, b_add(w, up, later)) : up));
        }
    return g;
}
static void source_grad(struct ask *w, const struct ball **y) /* y[c] of token at[0] */
{
    const long d = dim(w, "bh", 0), t = read_at(w, w->at[0]);
    const struct ball **h = encode(w, dim(w, "x", 0)), **g = back(w, h, t);
    for (long c = 0; c < w->len; c++)
        y[c] = affine(w, (struct part[]){ { "wx", g + t * d, true } }, 1, NULL, c);
    free(h), free(g);
}
static void recurrent_grad(struct ask *w, const struct ball **y) /* y[d] of row at[0] */
{
    const long d = dim(w, "bh", 0), n = dim(w, "x", 0), i = w->at[0];
    const struct ball **h = encode(w, n), **g = back(w, h, 1), **t = need((size_t)n + 1, sizeof *t);
    for (long j = 0; j < d; j++) {
        for (long k = 1; k < n; k++)
            t[k - 1] = b_step(w, MULTIPLY, b_mul(w, g[k * d + i], h[(k - 1) * d + j]));
        y[j] = b_sum(w, GATHER, t, n - 1);
    }
    free(h), free(g), free(t);
}

static void input_weights_grad(struct ask *w, bool of_bias, const struct ball **y) /* of row at[0] of wx; of bh, all */
{
    const long d = dim(w, "bh", 0), n = dim(w, "x", 0);
    const struct ball **h = encode(w, n), **g = back(w, h, 0), **t = need((size_t)n + 1, sizeof *t);
    for (long c = 0; c < w->len; c++) {
        for (long k = 0; k < n; k++)
            t[k] = of_bias ? g[k * d + c] : b_step(w, MULTIPLY, b_mul(w, g[k * d + w->at[0]], b_in(w, "x", read_at(w, k), c, 0)));
        y[c] = b_sum(w, GATHER, t, n);
    }
    free(h), free(g), free(t);
}
static void dwx(struct ask *w, const struct ball **y) { input_weights_grad(w, false, y); }
static void dbh(struct ask *w, const struct ball **y) { input_weights_grad(w, true, y); }

/* ---- of logprob: every entry of every gradient is a list of terms, summed when all are there ---- */
enum input { X, WX, WH, BH, EMB, WY, WS, WC, BS, WA, UA, VA, WO, BO, INPUTS };
static const char *const input_name[INPUTS] = { "x", "wx", "wh", "bh", "emb", "wy", "ws", "wc", "bs", "wa", "ua", "va", "wo", "bo" };
struct terms { const struct ball **t; long n, room; };
struct tape { struct ask *w; long n, d, steps, place[INPUTS + 1]; struct terms *all, *dh, *ds; const struct ball **h, **s; }; /* all: by place; dh[n][d], ds[steps + 1][d] */

static void join(struct terms *s, const struct ball *x)
{
    if (s->n == s->room)
        s->room = s->room ? 2 * s->room : 4, s->t = need_more(s->t, (size_t)s->room, sizeof *s->t);
    s->t[s->n++] = x;
}
static const struct ball *total(struct ask *w, const struct terms *s) { return w->arith->fault == FAULT_OVERWRITTEN && s->n ? s->t[s->n - 1] : b_sum(w, GATHER, s->t, s->n); }
static void totals(struct ask *w, const struct terms *s, long n, const struct ball **y)
{
    for (long k = 0; k < n; k++)
        y[k] = total(w, s + k);
}
/* y = matrix x on the way back: matrix += g x^T, bias += g, dx += matrix^T g; dx NULL: not wanted, x NULL: was not there */
static void through(struct tape *t, enum input matrix, const struct ball *const *g, long rows, const struct ball *const *x, long cols, struct terms *dx)
{
    struct ask *w = t->w;
    for (long i = 0; i < rows && x; i++)
        for (long j = 0; j < cols; j++) {
            join(&t->all[t->place[matrix] + i * cols + j], b_step(w, MULTIPLY, b_mul(w, g[i], x[j])));
            if (dx)
                join(dx + j, b_step(w, MULTIPLY, b_mul(w, b_in(w, input_name[matrix], i, j, 0), g[i])));
        }
}
static const struct ball *bend(struct ask *w, const struct ball *y, const struct ball *g) { return b_step(w, SLOPE, b_mul(w, b_step(w, SLOPE, b_sub(w, b_si(w, 1), b_step(w, SLOPE, b_mul(w, y, y)))), g)); }

/* dc of one reading by `query` to h_j and to dq; weights p[n] */
static void read_back(struct tape *t, const struct ball *const *dc, const struct ball *const *p, const struct ball *const *query, struct terms *dq)
{
    struct ask *w = t->w;
    const struct seq2seq *s = w->params;
    const long n = t->n, d = t->d, a = dim(w, "va", 0);
    const struct ball **dp = need((size_t)(2 * n + 2 * a + d) + 1, sizeof *dp), **term = dp + n, **z = term + n + d, **dz = z + a, *D;
    for (long j = 0; j < n; j++) {
        for (long i = 0; i < d; i++)
            term[i] = b_step(w, PRODUCT, b_mul(w, dc[i], t->h[j * d + i]));
        dp[j] = b_sum(w, DOT, term, d);
    }
    for (long j = 0; j < n; j++)
        term[j] = b_step(w, PRODUCT, b_mul(w, p[j], dp[j]));
    D = w->arith->fault == FAULT_UNCENTRED ? b_si(w, 0) : b_sum(w, SUM, term, n);
    for (long j = 0; j < n; j++) {
        const struct ball *ds = b_step(w, PRODUCT, b_mul(w, p[j], b_step(w, SUM, b_sub(w, dp[j], D)))), *const *h = t->h + j * d;
        for (long i = 0; i < d; i++)
            join(&t->dh[j * d + i], b_step(w, PRODUCT, b_mul(w, p[j], dc[i])));
        if (s->attention == DOT_PRODUCT) {
            ds = b_step(w, SCORE, mpq_sgn(s->scale) ? b_mul(w, ds, b_q(w, s->scale)) : b_div(w, ds, b_sqrt(w, b_si(w, d))));
            for (long i = 0; i < d; i++)
                join(&t->dh[j * d + i], b_step(w, PRODUCT, b_mul(w, ds, query[i]))), join(dq + i, b_step(w, PRODUCT, b_mul(w, ds, h[i])));
            continue;
        }
        for (long k = 0; k < a; k++) {
            z[k] = affine(w, (struct part[]){ { "wa", query, false }, { "ua", h, false } }, 2, NULL, k);
            z[k] = s->scorer == TANH ? b_step(w, ACT, b_tanh(w, z[k])) : z[k];
            join(&t->all[t->place[VA] + k], b_step(w, PRODUCT, b_mul(w, ds, z[k])));
            dz[k] = b_step(w, PRODUCT, b_mul(w, ds, b_in(w, "va", k, 0, 0)));
            dz[k] = s->scorer == TANH ? bend(w, z[k], dz[k]) : dz[k];
        }
        through(t, WA, dz, a, query, d, dq), through(t, UA, dz, a, h, d, &t->dh[j * d]);
    }
    free(dp);
}

static void logits_back(struct tape *t) /* dlogprob to wo, bo and every state */
{
    struct ask *w = t->w;
    const long v = ((const struct seq2seq *)w->params)->vocab, d = t->d;
    const struct ball **y = need(3 * (size_t)v + 1, sizeof *y), **e = y + v, **seed = e + v, *max;
    for (long k = 0; k < t->steps; k++) {
        const struct ball *const *s = t->s + (k + 1) * d;
        max = NULL;
        for (long x = 0; x < v; x++)
            y[x] = affine(w, (struct part[]){ { "wo", s, false } }, 1, "bo", x), max = max ? b_max(w, max, y[x]) : y[x];
        for (long x = 0; x < v; x++)
            y[x] = b_step(w, SHIFT, b_sub(w, y[x], max)), e[x] = b_step(w, EXP, b_exp(w, y[x])), seed[x] = b_in(w, "dlogprob", k, x, 0);
        const struct ball *all = b_sum(w, TOTAL, e, v), *sum = b_sum(w, SUM, seed, v);
        for (long x = 0; x < v; x++) {
            y[x] = b_step(w, NORMAL, b_sub(w, seed[x], b_step(w, PRODUCT, b_mul(w, b_step(w, DIV, b_div(w, e[x], all)), sum))));
            join(&t->all[t->place[BO] + x], y[x]);
        }
        through(t, WO, y, v, s, d, t->ds + (k + 1) * d);
    }
    free(y);
}

static void decoder_back(struct tape *t)
{
    struct ask *w = t->w;
    const struct seq2seq *p = w->params;
    const long n = t->n, d = t->d, width = dim(w, "emb", 1);
    const struct ball **g = need((size_t)(3 * d + n + width) + 1, sizeof *g), **c = g + d, **dc = c + d, **weight = dc + d, **e = weight + n;
    for (long k = t->steps - 1; k >= 0; k--) {
        const long from = k > p->lag ? k - p->lag : 0, id = input_id(w, k);
        const struct ball **query = t->s + from * d;
        struct terms *de = t->all + t->place[EMB] + id * width, *back = need((size_t)d + 1, sizeof *back);
        totals(w, t->ds + (k + 1) * d, d, g);
        for (long i = 0; i < d; i++)
            g[i] = bend(w, t->s[(k + 1) * d + i], g[i]), join(&t->all[t->place[BS] + i], g[i]);
        line_in(w, "emb", id, e), read_by(w, "read", query, t->h, n, d, c);
        through(t, WY, g, d, e, width, de), through(t, WS, g, d, t->s + k * d, d, t->ds + k * d), through(t, WC, g, d, c, d, back);
        totals(w, back, d, dc);
        if (p->attention == NONE)
            for (long i = 0; i < d; i++)
                join(&t->dh[(n - 1) * d + i], dc[i]);
        else
            read_by(w, "align", query, t->h, n, n, weight), read_back(t, dc, weight, query, t->ds + from * d);
        for (long i = 0; i < d; i++)
            free(back[i].t);
        free(back);
    }
    totals(w, t->ds, d, g);
    for (long i = 0; i < d && p->init == LAST; i++)
        join(&t->dh[(n - 1) * d + i], g[i]);
    free(g);
}
static void encoder_back(struct tape *t)
{
    struct ask *w = t->w;
    const long d = t->d, c = dim(w, "x", 1);
    const struct ball **g = need((size_t)(d + c) + 1, sizeof *g), **x = g + d;
    for (long k = t->n - 1; k >= 0; k--) {
        totals(w, t->dh + k * d, d, g);
        for (long i = 0; i < d; i++)
            g[i] = bend(w, t->h[k * d + i], g[i]), join(&t->all[t->place[BH] + i], g[i]);
        line_in(w, "x", read_at(w, k), x);
        through(t, WX, g, d, x, c, t->all + t->place[X] + read_at(w, k) * c);
        through(t, WH, g, d, k ? t->h + (k - 1) * d : NULL, d, k ? t->dh + (k - 1) * d : NULL);
    }
    free(g);
}

static void lay_out(const struct ask *w, long place[INPUTS + 1])
{
    place[0] = 0;
    for (int k = 0; k < INPUTS; k++)
        place[k + 1] = place[k] + array_len(array_in(w, input_name[k]));
}
static void make(struct ask *w, const struct ball **all)
{
    struct tape t = { .w = w, .n = dim(w, "x", 0), .d = dim(w, "bh", 0), .steps = dim(w, "target", 0) };
    lay_out(w, t.place);
    const long entries = t.place[INPUTS] + (t.n + t.steps + 1) * t.d, at = w->at[0];
    t.all = need((size_t)entries + 1, sizeof *t.all), t.dh = t.all + t.place[INPUTS], t.ds = t.dh + t.n * t.d;
    t.h = encode(w, t.n), t.s = need((size_t)((t.steps + 1) * t.d) + 1, sizeof *t.s);
    for (long i = 0; i < t.d; i++)
        t.s[i] = ((const struct seq2seq *)w->params)->init == LAST ? t.h[(t.n - 1) * t.d + i] : b_si(w, 0);
    for (w->at[0] = 0; w->at[0] < t.steps; w->at[0]++)
        decode(w, NULL, NULL, t.s + (w->at[0] + 1) * t.d);
    w->at[0] = at;
    logits_back(&t), decoder_back(&t), encoder_back(&t);
    totals(w, t.all, t.place[INPUTS], all);
    for (long k = 0; k < entries; k++)
        free(t.all[k].t);
    free(t.all), free(t.h), free(t.s);
}
static void grad(struct ask *w, enum input of, const struct ball **y)
{
    long place[INPUTS + 1];
    lay_out(w, place);
    if (!dim(w, "x", 0))
        undefined(w, y, w->len);
    else if (!question_part(w, make, place[INPUTS], place[of], y)) {
        const struct ball **all = need((size_t)place[INPUTS] + 1, sizeof *all);
        make(w, all);
        memcpy(y, all + place[of], (size_t)w->len * sizeof *y);
        free(all);
    }
}
static void dx_logprob(struct ask *w, const struct ball **y) { grad(w, X, y); }
static void dwx_logprob(struct ask *w, const struct ball **y) { grad(w, WX, y); }
static void dwh_logprob(struct ask *w, const struct ball **y) { grad(w, WH, y); }
static void dbh_logprob(struct ask *w, const struct ball **y) { grad(w, BH, y); }
static void demb_logprob(struct ask *w, const struct ball **y) { grad(w, EMB, y); }
static void dwy_logprob(struct ask *w, const struct ball **y) { grad(w, WY, y); }
static void dws_logprob(struct ask *w, const struct ball **y) { grad(w, WS, y); }
static void dwc_logprob(struct ask *w, const struct ball **y) { grad(w, WC, y); }
static void dbs_logprob(struct ask *w, const struct ball **y) { grad(w, BS, y); }
static void dwa_logprob(struct ask *w, const struct ball **y) { grad(w, WA, y); }
static void dua_logprob(struct ask *w, const struct ball **y) { grad(w, UA, y); }
static void dva_logprob(struct ask *w, const struct ball **y) { grad(w, VA, y); }
static void dwo_logprob(struct ask *w, const struct ball **y) { grad(w, WO, y); }
static void dbo_logprob(struct ask *w, const struct ball **y) { grad(w, BO, y); }

static long extent(const void *q, char axis) { return axis == 'v' ? ((const struct seq2seq *)q)->vocab : 0; }
static const char *refuse(const void *q)
{
    const struct seq2seq *p = q;
    return p->start >= p->vocab ? "start: not in the vocabulary" : mpq_sgn(p->scale) < 0 ? "scale: must not be below 0" : NULL;
}
static const struct param params[] = {
    { "vocab", "7", "tokens of the target", INT, offsetof(struct seq2seq, vocab), .least = 2, .most = 1 << 20 },
    { "start", "0", "the decoder's first input", INT, offsetof(struct seq2seq, start), .least = 0, .most = 1 << 20 },
    { "attention", "dot", "the context: the last state, or a mean of all", ENUM, offsetof(struct seq2seq, attention), .choices = "none dot additive" },
    { "scale", "0", "of the dot product; 0 = 1/sqrt(d)", RATIONAL, offsetof(struct seq2seq, scale) },
    { "scorer", "tanh", "of attention=additive", ENUM, offsetof(struct seq2seq, scorer), .choices = "tanh linear" },
    { "lag", "0", "the query of step t is s_{t-1-lag}", INT, offsetof(struct seq2seq, lag), .least = 0, .most = 65536 },
    { "forcing", "shifted", "teacher forcing: y_{t-1}, or y_t itself", ENUM, offsetof(struct seq2seq, forcing), .choices = "shifted unshifted" },
    { "init", "last", "the decoder's first state: the encoder's last, or 0", ENUM, offsetof(struct seq2seq, init), .choices = "last zero" },
    { "source", "forward", "order of reading", ENUM, offsetof(struct seq2seq, source), .choices = "forward reversed" },
    { 0 },
};
static const struct preset presets[] = {
    { "seed", "", "000_8611a63759cff694.txt: softmax(s H^T / sqrt d) H" }, { "Cho", "attention=none", "arXiv:1406.1078: one context" },
    { "Sutskever", "attention=none source=reversed", "arXiv:1409.3215" }, { "Bahdanau", "attention=additive start=2", "arXiv:1409.0473, A.1.2" },
    { "unscaled", "scale=1 init=zero", "arXiv:1508.04025, dot" }, { 0 },
};
static const struct preset contracts[] = { { "f32", "multiply=f32 gather=f32 act=f32 dot=f32 product=f32 score=f32 shift=f32 exp=f32 weight=f32 sum=f32 total=f32 div=f32 log=f32 normal=f32 slope=f32", "naive loops" }, { 0 } };
#define ENCODER "x[m,c] wx[d,c] wh[d,d] bh[d] "
#define DECODER ENCODER "int target[t]<v emb[v,e] wy[d,e] ws[d,d] wc[d,d] bs[d] wa[a,d] ua[a,d] va[a] "
#define LOSS DECODER "wo[v,d] bo[v] dlogprob[t,v] "
const struct row row_seq2seq = {
    .name = "seq2seq", .title = "recurrent encoder and decoder", .cite = "Bahdanau et al. 2015",
    .steps = { mix_steps, "multiply gather act normal slope" },
    .params = params, .size = sizeof(struct seq2seq), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse, .sizes = "d=3 c=4 e=2 a=5 t=6",
    .q = { { ENCODER "-> h[m|d]", states }, { "query[t,d] states[m,d] wa[a,d] ua[a,d] va[a] -> read[t|d]", reading }, { "query[t,d] states[m,d] wa[a,d] ua[a,d] va[a] -> align[t|m]", alignment },
           { "int target[t]<v -> int input[t|]", input }, { DECODER "-> weights[t|m]", weights }, { DECODER "-> context[t|d]", context }, { DECODER "-> s[t|d]", state },
           { DECODER "wo[v,d] bo[v] -> logprob[t|v]", logprob }, { ENCODER "dh[m,d] -> dx[m|c]", source_grad }, { ENCODER "dh[m,d] -> dwh[d|d]", recurrent_grad },
           { ENCODER "dh[m,d] -> dwx[d|c]", dwx }, { ENCODER "dh[m,d] -> dbh[|d]", dbh },
           { LOSS "-> dx_logprob[|m,c]", dx_logprob }, { LOSS "-> dwx_logprob[|d,c]", dwx_logprob }, { LOSS "-> dwh_logprob[|d,d]", dwh_logprob },
           { LOSS "-> dbh_logprob[|d]", dbh_logprob }, { LOSS "-> demb_logprob[|v,e]", demb_logprob }, { LOSS "-> dwy_logprob[|d,e]", dwy_logprob },
           { LOSS "-> dws_logprob[|d,d]", dws_logprob }, { LOSS "-> dwc_logprob[|d,d]", dwc_logprob }, { LOSS "-> dbs_logprob[|d]", dbs_logprob },
           { LOSS "-> dwa_logprob[|a,d]", dwa_logprob }, { LOSS "-> dua_logprob[|a,d]", dua_logprob }, { LOSS "-> dva_logprob[|a]", dva_logprob },
           { LOSS "-> dwo_logprob[|v,d]", dwo_logprob }, { LOSS "-> dbo_logprob[|v]", dbo_logprob } },
};
