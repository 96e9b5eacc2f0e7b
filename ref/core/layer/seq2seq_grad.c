/* Gradients of the recurrent encoder and decoder: of its states, and of logprob from the last step to the first;
 * seq2seq.h. */
#include <stdlib.h>
#include "row/question.h"
#include "layer/seq2seq.h"

/* The gradients g[m][d] of what tanh is given at the steps >= from, in the order of reading.  The caller frees them. */
static const struct ball **back(struct ask *w, const struct ball *const *h, long from)
{
    const long n = dim_in(w, "x", 0), d = dim_in(w, "bh", 0);
    const struct ball **g = need((size_t)(n * d) + 1, sizeof *g);
    for (long t = n - 1; t >= from; t--)
        for (long i = 0; i < d; i++) {
            const struct ball *later = t < n - 1 ?
                seq2seq_affine(w, (struct part[]){ { "wh", g + (t + 1) * d, true } }, 1, NULL, i) :
                NULL,
                              *up = b_in(w, "dh", t, i, 0);
            const struct ball *slope =
                b_step(w, SLOPE, b_sub(w, b_si(w, 1), b_step(w, SLOPE, b_mul(w, h[t * d + i], h[t * d + i]))));
            g[t * d + i] = b_step(w, SLOPE, b_mul(w, slope, later ? b_step(w, GATHER, b_add(w, up, later)) : up));
        }
    return g;
}
void seq2seq_source_grad(struct ask *w, const struct ball **y)
{
    const long d = dim_in(w, "bh", 0), t = seq2seq_read_at(w, w->at[0]);
    const struct ball **h = seq2seq_encode(w), **g = back(w, h, t);
    for (long c = 0; c < w->len; c++)
        y[c] = seq2seq_affine(w, (struct part[]){ { "wx", g + t * d, true } }, 1, NULL, c);
    free(h), free(g);
}
void seq2seq_recurrent_grad(struct ask *w, const struct ball **y)
{
    const long d = dim_in(w, "bh", 0), n = dim_in(w, "x", 0), i = w->at[0];
    const struct ball **h = seq2seq_encode(w), **g = back(w, h, 1), **t = need((size_t)n + 1, sizeof *t);
    for (long j = 0; j < d; j++) {
        for (long k = 1; k < n; k++)
            t[k - 1] = b_step(w, MULTIPLY, b_mul(w, g[k * d + i], h[(k - 1) * d + j]));
        y[j] = b_sum(w, GATHER, t, n - 1);
    }
    free(h), free(g), free(t);
}

void seq2seq_input_weights_grad(struct ask *w, bool of_bias, const struct ball **y)
{
    const long d = dim_in(w, "bh", 0), n = dim_in(w, "x", 0);
    const struct ball **h = seq2seq_encode(w), **g = back(w, h, 0), **t = need((size_t)n + 1, sizeof *t);
    for (long c = 0; c < w->len; c++) {
        for (long k = 0; k < n; k++)
            t[k] = of_bias ?
                g[k * d + c] :
                b_step(w, MULTIPLY, b_mul(w, g[k * d + w->at[0]], b_in(w, "x", seq2seq_read_at(w, k), c, 0)));
        y[c] = b_sum(w, GATHER, t, n);
    }
    free(h), free(g), free(t);
}

/* Of logprob: every entry of every gradient is a list of terms, summed when all are there. */
static const char *const input_name[INPUTS] = { "x", "wx", "wh", "bh", "emb", "wy", "ws", "wc", "bs", "wa", "ua", "va",
    "wo", "bo" };
struct seq2seq_terms { const struct ball **t; long n, room; };
/* The way forward, states h[n][d] and s[steps + 1][d], and lists of terms: all by place, dh[n][d], ds[steps + 1][d]. */
struct seq2seq_tape {
    struct ask *w;
    long n, d, steps, place[INPUTS + 1];
    struct seq2seq_terms *all, *dh, *ds;
    const struct ball **h, **s;
};

static void join(struct seq2seq_terms *s, const struct ball *x)
{
    if (s->n == s->room)
        s->room = s->room ? 2 * s->room : 4, s->t = need_more(s->t, (size_t)s->room, sizeof *s->t);
    s->t[s->n++] = x;
}
static const struct ball *total(struct ask *w, const struct seq2seq_terms *s)
{
    return site_gathered(w, HERE_AS("s->t"), GATHER, s->t, s->n);
}
static void totals(struct ask *w, const struct seq2seq_terms *s, long n, const struct ball **y)
{
    for (long k = 0; k < n; k++)
        y[k] = total(w, s + k);
}
/* The map y = matrix x on the way back, with g that of y[rows]: g x^T joins the terms of the matrix, and matrix^T g
 * those of dx[cols].  dx NULL: it is not wanted; x NULL: the map was left out, and nothing is joined. */
static void through(struct seq2seq_tape *t, enum seq2seq_input matrix, const struct ball *const *g, long rows,
    const struct ball *const *x, long cols, struct seq2seq_terms *dx)
{
    struct ask *w = t->w;
    for (long i = 0; i < rows && x; i++)
        for (long j = 0; j < cols; j++) {
            join(&t->all[t->place[matrix] + i * cols + j], b_step(w, MULTIPLY, b_mul(w, g[i], x[j])));
            if (dx)
                join(dx + j, b_step(w, MULTIPLY, b_mul(w, b_in(w, input_name[matrix], i, j, 0), g[i])));
        }
}
static const struct ball *bend(struct ask *w, const struct ball *y, const struct ball *g)
{
    return b_step(w, SLOPE, b_mul(w, b_step(w, SLOPE, b_sub(w, b_si(w, 1), b_step(w, SLOPE, b_mul(w, y, y)))), g));
}

/* One reading by `query` on the way back: from dc, the gradient of the context, to the terms of every h_j, of dq and of
 * the scorer's weights.  p[n] are the weights of that reading. */
static void read_back(struct seq2seq_tape *t, const struct ball *const *dc, const struct ball *const *p,
    const struct ball *const *query, struct seq2seq_terms *dq)
{
    struct ask *w = t->w;
    const struct seq2seq *s = w->params;
    const long n = t->n, d = t->d, a = dim_in(w, "va", 0);
    const struct ball **dp = need((size_t)(2 * n + 2 * a + d) + 1, sizeof *dp), **term = dp + n, **z = term + n + d,
                      **dz = z + a, *D;
    for (long j = 0; j < n; j++) {
        for (long i = 0; i < d; i++)
            term[i] = b_step(w, PRODUCT, b_mul(w, dc[i], t->h[j * d + i]));
        dp[j] = b_sum(w, DOT, term, d);
    }
    for (long j = 0; j < n; j++)
        term[j] = b_step(w, PRODUCT, b_mul(w, p[j], dp[j]));
    D = w->arith->fault == FAULT_UNCENTRED ? b_si(w, 0) : b_sum(w, SUM, term, n);
    for (long j = 0; j < n; j++) {
        const struct ball *ds = b_step(w, PRODUCT, b_mul(w, p[j], b_step(w, SUM, b_sub(w, dp[j], D)))),
                          *const *h = t->h + j * d;
        for (long i = 0; i < d; i++)
            join(&t->dh[j * d + i], b_step(w, PRODUCT, b_mul(w, p[j], dc[i])));
        if (s->attention == DOT_PRODUCT) {
            ds = b_scaled(w, SCORE, ds, b_width(w, SCORE, s->scale, d));
            for (long i = 0; i < d; i++)
                join(&t->dh[j * d + i], b_step(w, PRODUCT, b_mul(w, ds, query[i]))),
                    join(dq + i, b_step(w, PRODUCT, b_mul(w, ds, h[i])));
            continue;
        }
        for (long k = 0; k < a; k++) {
            z[k] = seq2seq_affine(w, (struct part[]){ { "wa", query, false }, { "ua", h, false } }, 2, NULL, k);
            z[k] = s->scorer == TANH ? b_step(w, ACT, b_tanh(w, z[k])) : z[k];
            join(&t->all[t->place[VA] + k], b_step(w, PRODUCT, b_mul(w, ds, z[k])));
            dz[k] = b_step(w, PRODUCT, b_mul(w, ds, b_in(w, "va", k, 0, 0)));
            dz[k] = s->scorer == TANH ? bend(w, z[k], dz[k]) : dz[k];
        }
        through(t, WA, dz, a, query, d, dq), through(t, UA, dz, a, h, d, &t->dh[j * d]);
    }
    free(dp);
}

/* From dlogprob to the terms of wo, bo and every state. */
static void logits_back(struct seq2seq_tape *t)
{
    struct ask *w = t->w;
    const long v = ((const struct seq2seq *)w->params)->vocab, d = t->d;
    const struct ball **y = need(2 * (size_t)v + 1, sizeof *y), **seed = y + v, *max;
    for (long k = 0; k < t->steps; k++) {
        const struct ball *const *s = t->s + (k + 1) * d;
        max = NULL;
        for (long x = 0; x < v; x++)
            y[x] = seq2seq_affine(w, (struct part[]){ { "wo", s, false } }, 1, "bo", x),
            max = max ? b_max(w, max, y[x]) : y[x];
        for (long x = 0; x < v; x++)
            y[x] = b_step(w, SHIFT, b_sub(w, y[x], max)), y[x] = b_step(w, EXP, b_exp(w, y[x])),
            seed[x] = b_in(w, "dlogprob", k, x, 0);
        const struct ball *all = b_sum(w, TOTAL, y, v), *sum = b_sum(w, SUM, seed, v);
        for (long x = 0; x < v; x++) {
            y[x] = b_step(
                w, NORMAL, b_sub(w, seed[x], b_step(w, PRODUCT, b_mul(w, b_step(w, DIV, b_div(w, y[x], all)), sum))));
            join(&t->all[t->place[BO] + x], y[x]);
        }
        through(t, WO, y, v, s, d, t->ds + (k + 1) * d);
    }
    free(y);
}

static void decoder_back(struct seq2seq_tape *t)
{
    struct ask *w = t->w;
    const struct seq2seq *p = w->params;
    const long n = t->n, d = t->d, width = dim_in(w, "emb", 1);
    const struct ball **g = need((size_t)(3 * d + n + width) + 1, sizeof *g), **c = g + d, **dc = c + d,
                      **weight = dc + d, **e = weight + n;
    for (long k = t->steps - 1; k >= 0; k--) {
        const long from = seq2seq_query_at(w, k), id = seq2seq_input_id(w, k);
        const long row = site_written(w, id, dim_in(w, "emb", 0));
        const struct ball **query = t->s + from * d;
        struct seq2seq_terms *de = row < 0 ? NULL : t->all + t->place[EMB] + row * width;
        struct seq2seq_terms *back = need((size_t)d + 1, sizeof *back);
        totals(w, t->ds + (k + 1) * d, d, g);
        for (long i = 0; i < d; i++)
            g[i] = bend(w, t->s[(k + 1) * d + i], g[i]), join(&t->all[t->place[BS] + i], g[i]);
        seq2seq_line(w, "emb", id, e), seq2seq_read_by(w, "read", query, t->h, n, d, c);
        through(t, WY, g, d, e, width, de), through(t, WS, g, d, t->s + k * d, d, t->ds + k * d),
            through(t, WC, g, d, c, d, back);
        totals(w, back, d, dc);
        if (p->attention == NONE)
            for (long i = 0; i < d; i++)
                join(&t->dh[(n - 1) * d + i], dc[i]);
        else
            seq2seq_read_by(w, "align", query, t->h, n, n, weight), read_back(t, dc, weight, query, t->ds + from * d);
        for (long i = 0; i < d; i++)
            free(back[i].t);
        free(back);
    }
    totals(w, t->ds, d, g);
    /* mutant: loop 3a88: there is room for one more behind the last state, which nobody reads. */
    for (long i = 0; i < d && p->init == LAST; i++)
        join(&t->dh[(n - 1) * d + i], g[i]);
    free(g);
}
static void encoder_back(struct seq2seq_tape *t)
{
    struct ask *w = t->w;
    const long d = t->d, c = dim_in(w, "x", 1);
    const struct ball **g = need((size_t)(d + c) + 1, sizeof *g), **x = g + d;
    for (long k = t->n - 1; k >= 0; k--) {
        totals(w, t->dh + k * d, d, g);
        for (long i = 0; i < d; i++)
            g[i] = bend(w, t->h[k * d + i], g[i]), join(&t->all[t->place[BH] + i], g[i]);
        seq2seq_line(w, "x", seq2seq_read_at(w, k), x);
        through(t, WX, g, d, x, c, t->all + t->place[X] + seq2seq_read_at(w, k) * c);
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
    struct seq2seq_tape t = { .w = w, .n = dim_in(w, "x", 0), .d = dim_in(w, "bh", 0),
        .steps = dim_in(w, "target", 0) };
    lay_out(w, t.place);
    const long entries = t.place[INPUTS] + (t.n + t.steps + 1) * t.d;
    t.all = need((size_t)entries + 1, sizeof *t.all), t.dh = t.all + t.place[INPUTS], t.ds = t.dh + t.n * t.d;
    t.h = seq2seq_encode(w), t.s = need((size_t)((t.steps + 1) * t.d) + 1, sizeof *t.s);
    seq2seq_decoded(w, 0, t.steps + 1, t.s);
    logits_back(&t), decoder_back(&t), encoder_back(&t);
    totals(w, t.all, t.place[INPUTS], all);
    for (long k = 0; k < entries; k++)
        free(t.all[k].t);
    free(t.all), free(t.h), free(t.s);
}
void seq2seq_grad(struct ask *w, enum seq2seq_input of, const struct ball **y)
{
    long place[INPUTS + 1];
    lay_out(w, place);
    question_line(w, make, place[INPUTS], place[of], y);
}
