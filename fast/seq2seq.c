/* A recurrent encoder and decoder, float32 or bf16 in and out, with every operation in double: one pass through all
 * tokens, and states that are never rounded between them.
 * v0  plain loops; the half of the additive scorer that depends on keys is made once for a source, not once a step */
#include <math.h>
#include "half.h"
#include "meridian.h"

/* Every input as doubles, in one block; NULL where the call does not have it.  m source and t target tokens, states of
 * width d, source rows of width c, embeddings of width e, a scorer of width a, v words. */
struct kernel_seq2seq_net {
    double *block, *used;
    int64_t m, t, d, c, e, a, v;
    const double *x, *wx, *wh, *bh, *emb, *wy, *ws, *wc, *bs, *wa, *ua, *va, *wo, *bo, *query, *states, *dh, *seed;
    const int64_t *target;
};

static int64_t count(const struct mer_array *a)
{
    int64_t n = 1;
    for (int k = 0; k < a->rank; k++)
        n *= a->dim[k];
    return n;
}
static const double *doubles(struct kernel_seq2seq_net *w, const struct mer_call *c, const char *name)
{
    const struct mer_array *a = mer_in(c, name);
    double *to = w->used;
    if (!a)
        return NULL;
    for (int64_t k = 0, n = count(a); k < n; k++)
        *w->used++ = a->type == MER_F32 ? (double)((const float *)a->data)[k] :
                                          (double)from_bf16(((const uint16_t *)a->data)[k]);
    return to;
}
static int64_t dim(const struct mer_call *c, const char *name, int axis)
{
    const struct mer_array *a = mer_in(c, name);
    return a ? a->dim[axis] : 0;
}

static int open_net(struct kernel_seq2seq_net *w, const struct mer_call *c)
{
    int64_t all = 1;
    *w = (struct kernel_seq2seq_net){ .m = dim(c, "x", 0),
        .t = dim(c, "target", 0),
        .d = dim(c, "wh", 0),
        .c = dim(c, "x", 1),
        .e = dim(c, "emb", 1),
        .a = dim(c, "va", 0),
        .v = dim(c, "bo", 0) };
    for (int k = 0; k < c->n_in; k++)
        all += c->in[k].type < MER_I64 ? count(&c->in[k]) : 0;
    w->block = w->used = malloc((size_t)all * sizeof *w->block);
    if (!w->block)
        return MER_BAD;
    w->x = doubles(w, c, "x"), w->wx = doubles(w, c, "wx"), w->wh = doubles(w, c, "wh"), w->bh = doubles(w, c, "bh"),
    w->emb = doubles(w, c, "emb"), w->wy = doubles(w, c, "wy"), w->ws = doubles(w, c, "ws"),
    w->wc = doubles(w, c, "wc");
    w->bs = doubles(w, c, "bs"), w->wa = doubles(w, c, "wa"), w->ua = doubles(w, c, "ua"), w->va = doubles(w, c, "va"),
    w->wo = doubles(w, c, "wo"), w->bo = doubles(w, c, "bo"), w->query = doubles(w, c, "query"),
    w->states = doubles(w, c, "states"), w->dh = doubles(w, c, "dh"), w->seed = doubles(w, c, "dlogprob");
    w->target = mer_in(c, "target") ? mer_in(c, "target")->data : NULL;
    if (w->states)
        w->m = dim(c, "states", 0), w->d = dim(c, "states", 1);
    if (w->m > 0)
        return MER_OK;
    free(w->block); /* an empty source has no last state: MER_BAD */
    return MER_BAD;
}

static double dot(const double *a, const double *b, int64_t n)
{
    double s = 0;
    for (int64_t k = 0; k < n; k++)
        s += a[k] * b[k];
    return s;
}
static void add(double *y, const double *m, const double *x, int64_t rows, int64_t cols) /* y[rows] += m x */
{
    for (int64_t i = 0; i < rows; i++)
        y[i] += dot(m + i * cols, x, cols);
}
static void store(struct mer_array *y, int64_t at, const double *x, int64_t n)
{
    for (int64_t k = 0; y && k < n; k++)
        if (y->type == MER_F32)
            ((float *)y->data)[at + k] = (float)x[k];
        else
            ((uint16_t *)y->data)[at + k] = bf16_of_double(x[k]);
}

static int64_t read_at(const struct kernel_seq2seq_net *w, const struct mer_call *c, int64_t t)
{
    return mer_is(c, "source", "reversed") ? w->m - 1 - t : t;
}
/* The encoder's states h[m][d], which the caller frees; NULL: no memory. */
static double *encode(const struct kernel_seq2seq_net *w, const struct mer_call *c)
{
    double *h = malloc((size_t)(w->m * w->d + 1) * sizeof *h);
    for (int64_t t = 0; h && t < w->m; t++) {
        double *y = h + t * w->d;
        memcpy(y, w->bh, (size_t)w->d * sizeof *y);
        add(y, w->wx, w->x + read_at(w, c, t) * w->c, w->d, w->c);
        if (t)
            add(y, w->wh, y - w->d, w->d, w->d);
        for (int64_t i = 0; i < w->d; i++)
            y[i] = tanh(y[i]);
    }
    return h;
}

/* ua h_j of the additive scorer, [m][a], and zeros for the other scorers; the caller frees it.  NULL: no memory. */
static double *keys(const struct kernel_seq2seq_net *w, const struct mer_call *c, const double *h)
{
    double *u = calloc((size_t)(w->m * w->a + 1), sizeof *u);
    for (int64_t j = 0; u && j < w->m && mer_is(c, "attention", "additive"); j++)
        add(u + j * w->a, w->ua, h + j * w->d, w->a, w->d);
    return u;
}

/* One reading of the states h[m][d] by query[d], with u from keys(): its weights p[m] and its context[d]; q[a] is
 * room. */
static void read_states(const struct kernel_seq2seq_net *w, const struct mer_call *c, const double *query,
    const double *h,
    const double *u, double *q, double *p, double *context)
{
    const double scale = mer_real(c, "scale") > 0 ? mer_real(c, "scale") : 1 / sqrt((double)w->d);
    const int additive = mer_is(c, "attention", "additive"), linear = mer_is(c, "scorer", "linear");
    double top = (double)-INFINITY, total = 0;
    if (mer_is(c, "attention", "none")) {
        memset(p, 0, (size_t)w->m * sizeof *p);
        p[w->m - 1] = 1;
        memcpy(context, h + (w->m - 1) * w->d, (size_t)w->d * sizeof *context);
        return;
    }
    memset(q, 0, (size_t)w->a * sizeof *q);
    if (additive)
        add(q, w->wa, query, w->a, w->d);
    for (int64_t j = 0; j < w->m; j++) {
        p[j] = additive ? 0 : dot(query, h + j * w->d, w->d) * scale;
        for (int64_t k = 0; k < w->a && additive; k++)
            p[j] += w->va[k] * (linear ? q[k] + u[j * w->a + k] : tanh(q[k] + u[j * w->a + k]));
        top = p[j] > top ? p[j] : top;
    }
    memset(context, 0, (size_t)w->d * sizeof *context);
    for (int64_t j = 0; j < w->m; j++) {
        p[j] = exp(p[j] - top), total += p[j];
        for (int64_t i = 0; i < w->d; i++)
            context[i] += p[j] * h[j * w->d + i];
    }
    for (int64_t i = 0; i < w->d; i++)
        context[i] /= total;
    for (int64_t j = 0; j < w->m; j++)
        p[j] /= total;
}

static void log_softmax(double *y, int64_t n)
{
    double top = y[0], total = 0;
    for (int64_t k = 1; k < n; k++)
        top = y[k] > top ? y[k] : top;
    for (int64_t k = 0; k < n; k++)
        y[k] -= top, total += exp(y[k]);
    for (int64_t k = 0; k < n; k++)
        y[k] -= log(total);
}

static int states(const struct mer_call *c)
{
    struct kernel_seq2seq_net w;
    if (open_net(&w, c))
        return MER_BAD;
    double *h = encode(&w, c);
    if (h)
        store(mer_out(c, "h"), 0, h, w.m * w.d);
    free(h), free(w.block);
    return h ? MER_OK : MER_BAD;
}

static int reading(const struct mer_call *c)
{
    struct kernel_seq2seq_net w;
    if (open_net(&w, c))
        return MER_BAD;
    double *u = keys(&w, c, w.states), *p = malloc((size_t)(w.m + w.d + w.a + 1) * sizeof *p);
    for (int64_t t = 0; u && p && t < dim(c, "query", 0); t++) {
        read_states(&w, c, w.query + t * w.d, w.states, u, p + w.m + w.d, p, p + w.m);
        store(mer_out(c, "read"), t * w.d, p + w.m, w.d), store(mer_out(c, "align"), t * w.m, p, w.m);
    }
    int rc = u && p ? MER_OK : MER_BAD;
    free(u), free(p), free(w.block);
    return rc;
}

static int input(const struct mer_call *c)
{
    const struct mer_array *target = mer_in(c, "target");
    const int64_t *y = target->data, shifted = mer_is(c, "forcing", "shifted");
    for (int64_t t = 0; t < target->dim[0]; t++)
        ((int64_t *)mer_out(c, "input")->data)[t] = !shifted ? y[t] : t ? y[t - 1] : mer_int(c, "start");
    return MER_OK;
}

static int decoder(const struct mer_call *c)
{
    struct kernel_seq2seq_net w;
    if (open_net(&w, c))
        return MER_BAD;
    const int64_t lag = mer_int(c, "lag"), d = w.d, shifted = mer_is(c, "forcing", "shifted");
    double *h = encode(&w, c), *u = h ? keys(&w, c, h) : NULL,
           *s = calloc((size_t)((w.t + 1) * d + w.m + d + w.a + w.v + 1), sizeof *s);
    int rc = h && u && s ? MER_OK : MER_BAD;
    double *p = rc ? NULL : s + (w.t + 1) * d, *context = rc ? NULL : p + w.m, *y = rc ? NULL : context + d + w.a;
    if (!rc && mer_is(c, "init", "last"))
        memcpy(s, h + (w.m - 1) * d, (size_t)d * sizeof *s);
    for (int64_t t = 0; !rc && t < w.t; t++) {
        const int64_t id = !shifted ? w.target[t] : t ? w.target[t - 1] : mer_int(c, "start");
        double *to = s + (t + 1) * d;
        if (id < 0 || id >= dim(c, "emb", 0)) {
            rc = MER_BAD;
            break;
        }
        read_states(&w, c, s + (t > lag ? t - lag : 0) * d, h, u, context + d, p, context);
        memcpy(to, w.bs, (size_t)d * sizeof *to);
        add(to, w.wy, w.emb + id * w.e, d, w.e), add(to, w.ws, s + t * d, d, d), add(to, w.wc, context, d, d);
        for (int64_t i = 0; i < d; i++)
            to[i] = tanh(to[i]);
        store(mer_out(c, "weights"), t * w.m, p, w.m), store(mer_out(c, "context"), t * d, context, d),
            store(mer_out(c, "s"), t * d, to, d);
        if (w.wo) {
            memcpy(y, w.bo, (size_t)w.v * sizeof *y);
            add(y, w.wo, to, w.v, d), log_softmax(y, w.v), store(mer_out(c, "logprob"), t * w.v, y, w.v);
        }
    }
    free(h), free(u), free(s), free(w.block);
    return rc;
}

static int gradients(const struct mer_call *c)
{
    struct kernel_seq2seq_net w;
    if (open_net(&w, c))
        return MER_BAD;
    const int64_t d = w.d;
    double *h = encode(&w, c), *g = calloc((size_t)(w.m * d + d * d + w.c + d * w.c + d + 1), sizeof *g),
           *dwh = g ? g + w.m * d : NULL, *dx = g ? dwh + d * d : NULL, *dwx = g ? dx + w.c : NULL,
           *dbh = g ? dwx + d * w.c : NULL;
    for (int64_t t = w.m - 1; h && g && t >= 0; t--) {
        for (int64_t i = 0; i < d; i++) {
            double up = 0;
            for (int64_t k = 0; k < d && t < w.m - 1; k++)
                up += w.wh[k * d + i] * g[(t + 1) * d + k];
            g[t * d + i] = (1 - h[t * d + i] * h[t * d + i]) * (w.dh[t * d + i] + up);
        }
        for (int64_t k = 0; k < w.c; k++) {
            dx[k] = 0;
            for (int64_t i = 0; i < d; i++)
                dx[k] += w.wx[i * w.c + k] * g[t * d + i];
        }
        store(mer_out(c, "dx"), read_at(&w, c, t) * w.c, dx, w.c);
        for (int64_t k = 0; k < d * d && t; k++)
            dwh[k] += g[t * d + k / d] * h[(t - 1) * d + k % d];
        for (int64_t k = 0; k < d * w.c; k++)
            dwx[k] += g[t * d + k / w.c] * w.x[read_at(&w, c, t) * w.c + k % w.c];
        for (int64_t i = 0; i < d; i++)
            dbh[i] += g[t * d + i];
    }
    if (h && g)
        store(mer_out(c, "dwh"), 0, dwh, d * d), store(mer_out(c, "dwx"), 0, dwx, d * w.c),
            store(mer_out(c, "dbh"), 0, dbh, d);
    int rc = h && g ? MER_OK : MER_BAD;
    free(h), free(g), free(w.block);
    return rc;
}

/* Gradients of logprob, as ref/seq2seq.c defines them.  Each is an array like its input, in one block of doubles. */
enum { X, WX, WH, BH, EMB, WY, WS, WC, BS, WA, UA, VA, WO, BO, INPUTS };
static const char *const input_name[INPUTS] = { "x", "wx", "wh", "bh", "emb", "wy", "ws", "wc", "bs", "wa", "ua", "va",
    "wo", "bo" };
/* y = matrix x on the way back, where g is the gradient of y: to += g x^T and dx += matrix^T g. */
static void through(
    double *to, const double *matrix, const double *g, int64_t rows, const double *x, int64_t cols, double *dx)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            to[i * cols + j] += g[i] * x[j];
            dx[j] += matrix[i * cols + j] * g[i];
        }
}
/* g becomes the gradient by the argument of tanh, whose value is y[n]. */
static void bend(double *g, const double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        g[i] *= 1 - y[i] * y[i];
}
/* What the way forward leaves for the way back. */
struct course {
    double *h;         /* [m][d]: the encoder's states */
    double *s;         /* [t + 1][d]: the decoder's, s[0] before the first word */
    double *p;         /* [t][m]: the weights of each reading */
    double *contexts;  /* [t][d]: what each reading gives */
};
/* Gradients of the states, which start at 0, and of the inputs. */
struct seq2seq_slopes {
    double **to;       /* [INPUTS]: each as large as its input */
    double *dh, *ds;   /* [m][d], [t + 1][d] */
    double *room;      /* [max(v, d) + d + m + 2 a]: y of a word, dc of a reading, then dp, z and dz of read_back */
};
/* dc[d] of step t's reading to every state of the encoder, to the query, which is state `from` of the decoder, and to
 * the scorer's parameters; room[m + 2 a]. */
static void read_back(const struct kernel_seq2seq_net *w, const struct mer_call *c, const struct course *way,
    const struct seq2seq_slopes *g,
    int64_t t, int64_t from, const double *dc, double *room)
{
    const double *p = way->p + t * w->m, *h = way->h, *query = way->s + from * w->d;
    double *const *to = g->to, *dh = g->dh, *dq = g->ds + from * w->d, *dp = room;
    const double scale = mer_real(c, "scale") > 0 ? mer_real(c, "scale") : 1 / sqrt((double)w->d);
    const int additive = mer_is(c, "attention", "additive"), linear = mer_is(c, "scorer", "linear");
    double *z = dp + w->m, *dz = z + w->a, D = 0;
    for (int64_t j = 0; j < w->m; j++)
        dp[j] = dot(dc, h + j * w->d, w->d), D += p[j] * dp[j];
    for (int64_t j = 0; j < w->m; j++) {
        const double *state = h + j * w->d, ds = p[j] * (dp[j] - D);
        for (int64_t i = 0; i < w->d; i++) {
            dh[j * w->d + i] += p[j] * dc[i] + (additive ? 0 : scale * ds * query[i]);
            dq[i] += additive ? 0 : scale * ds * state[i];
        }
        for (int64_t k = 0; k < w->a && additive; k++) {
            z[k] = dot(w->wa + k * w->d, query, w->d) + dot(w->ua + k * w->d, state, w->d),
            z[k] = linear ? z[k] : tanh(z[k]);
            to[VA][k] += ds * z[k];
            dz[k] = ds * w->va[k];
        }
        if (additive && !linear)
            bend(dz, z, w->a);
        if (additive)
            through(to[WA], w->wa, dz, w->a, query, w->d, dq),
                through(to[UA], w->ua, dz, w->a, state, w->d, dh + j * w->d);
    }
}
/* The word that step t of the decoder is given. */
static int64_t token(const struct kernel_seq2seq_net *w, const struct mer_call *c, int64_t t)
{
    return !mer_is(c, "forcing", "shifted") ? w->target[t] : t ? w->target[t - 1] : mer_int(c, "start");
}

/* Fills s, p and contexts from h.  MER_BAD: a word that has no embedding, or no memory. */
static int forward(const struct kernel_seq2seq_net *w, const struct mer_call *c, const struct course *way)
{
    const int64_t lag = mer_int(c, "lag"), d = w->d;
    const double *h = way->h;
    double *s = way->s, *p = way->p, *contexts = way->contexts;
    double *u = keys(w, c, h), *q = malloc((size_t)(w->a + 1) * sizeof *q);
    int rc = u && q ? MER_OK : MER_BAD;
    if (mer_is(c, "init", "last"))
        memcpy(s, h + (w->m - 1) * d, (size_t)d * sizeof *s);
    for (int64_t t = 0; t < w->t && rc == MER_OK; t++) {
        const int64_t id = token(w, c, t);
        double *to = s + (t + 1) * d;
        if (id < 0 || id >= dim(c, "emb", 0)) {
            rc = MER_BAD;
            break;
        }
        read_states(w, c, s + (t > lag ? t - lag : 0) * d, h, u, q, p + t * w->m, contexts + t * d);
        memcpy(to, w->bs, (size_t)d * sizeof *to);
        add(to, w->wy, w->emb + id * w->e, d, w->e), add(to, w->ws, s + t * d, d, d),
            add(to, w->wc, contexts + t * d, d, d);
        for (int64_t i = 0; i < d; i++)
            to[i] = tanh(to[i]);
    }
    free(u), free(q);
    return rc;
}
/* All gradients, which begin as 0. */
static void backward(const struct kernel_seq2seq_net *w, const struct mer_call *c, const struct course *way,
    const struct seq2seq_slopes *all)
{
    const int64_t lag = mer_int(c, "lag"), d = w->d;
    const double *seed = w->seed, *h = way->h, *s = way->s, *contexts = way->contexts;
    double *const *to = all->to, *dh = all->dh, *ds = all->ds;
    double *y = all->room, *dc = y + (w->v > d ? w->v : d);
    for (int64_t t = 0; t < w->t; t++, seed += w->v) {
        double sum = 0;
        memcpy(y, w->bo, (size_t)w->v * sizeof *y);
        add(y, w->wo, s + (t + 1) * d, w->v, d), log_softmax(y, w->v);
        for (int64_t k = 0; k < w->v; k++)
            sum += seed[k];
        for (int64_t k = 0; k < w->v; k++)
            y[k] = seed[k] - exp(y[k]) * sum, to[BO][k] += y[k];
        through(to[WO], w->wo, y, w->v, s + (t + 1) * d, d, ds + (t + 1) * d);
    }
    for (int64_t t = w->t - 1; t >= 0; t--) {
        const int64_t id = token(w, c, t), from = t > lag ? t - lag : 0;
        double *g = ds + (t + 1) * d;
        bend(g, s + (t + 1) * d, d);
        memset(dc, 0, (size_t)d * sizeof *dc);
        for (int64_t i = 0; i < d; i++)
            to[BS][i] += g[i];
        through(to[WY], w->wy, g, d, w->emb + id * w->e, w->e, to[EMB] + id * w->e),
            through(to[WS], w->ws, g, d, s + t * d, d, ds + t * d),
            through(to[WC], w->wc, g, d, contexts + t * d, d, dc);
        if (mer_is(c, "attention", "none"))
            for (int64_t i = 0; i < d; i++)
                dh[(w->m - 1) * d + i] += dc[i];
        else
            read_back(w, c, way, all, t, from, dc, dc + d);
    }
    for (int64_t i = 0; i < d && mer_is(c, "init", "last"); i++)
        dh[(w->m - 1) * d + i] += ds[i];
    for (int64_t t = w->m - 1; t >= 0; t--) {
        double *g = dh + t * d;
        bend(g, h + t * d, d);
        for (int64_t i = 0; i < d; i++)
            to[BH][i] += g[i];
        through(to[WX], w->wx, g, d, w->x + read_at(w, c, t) * w->c, w->c, to[X] + read_at(w, c, t) * w->c);
        if (t)
            through(to[WH], w->wh, g, d, h + (t - 1) * d, d, dh + (t - 1) * d);
    }
}
static int gradients_of_words(const struct mer_call *c)
{
    struct kernel_seq2seq_net w;
    if (open_net(&w, c))
        return MER_BAD;
    const int64_t d = w.d,
                  kept = (w.t + 1) * d + w.t * (w.m + d) + w.m * d + (w.t + 1) * d + w.v + 2 * d + w.m + 2 * w.a;
    int64_t at = 0;
    double *to[INPUTS];
    for (int k = 0; k < INPUTS; k++)
        at += count(mer_in(c, input_name[k]));
    double *h = encode(&w, c), *all = calloc((size_t)(at + kept + 1), sizeof *all);
    int rc = h && all ? MER_OK : MER_BAD;
    at = 0;
    for (int k = 0; k < INPUTS && rc == MER_OK; k++)
        to[k] = all + at, at += count(mer_in(c, input_name[k]));
    if (rc == MER_OK) {
        double *s = all + at, *p = s + (w.t + 1) * d, *contexts = p + w.t * w.m, *dh = contexts + w.t * d,
               *ds = dh + w.m * d;
        const struct course way = { h, s, p, contexts };
        const struct seq2seq_slopes slopes = { to, dh, ds, ds + (w.t + 1) * d };
        rc = forward(&w, c, &way);
        if (rc == MER_OK)
            backward(&w, c, &way, &slopes);
    }
    for (int k = 0; k < INPUTS && rc == MER_OK; k++) {
        char name[20] = "d";
        struct mer_array *y = mer_out(c, strcat(strcat(name, input_name[k]), "_logprob"));
        if (y)
            store(y, 0, to[k], count(y));
    }
    free(h), free(all), free(w.block);
    return rc;
}
/* Weights of a scorer that is not the call's have gradient 0, and they are not offered. */
static int of_scorer(const struct mer_call *c)
{
    return mer_is(c, "attention", "additive") ? gradients_of_words(c) : MER_SKIP;
}

#define CELL "multiply=f64 gather=f64 act=f64:2"
#define READING CELL " dot=f64 product=f64 score=f64 shift=f64 exp=f64:2 weight=f64 sum=f64 total=f64 div=f64"
#define ALL READING " log=f64:2 normal=f64"
#define BACK CELL " slope=f64"
const struct mer_kernel seq2seq_scalar[] = {
    { "seq2seq", "h", "f32", CELL, 0, states },
    { "seq2seq", "read align", "f32", READING, 0, reading },
    { "seq2seq", "input", "f32", CELL, 0, input },
    { "seq2seq", "weights context s logprob", "f32", ALL, 0, decoder },
    { "seq2seq", "dx dwh dwx dbh", "f32", BACK, 0, gradients },
    { "seq2seq", "dx_logprob dwx_logprob dwh_logprob dbh_logprob demb_logprob dwy_logprob dws_logprob dwc_logprob "
        "dbs_logprob dwo_logprob dbo_logprob", "f32", ALL " slope=f64", 0, gradients_of_words },
    { "seq2seq", "dwa_logprob dua_logprob dva_logprob", "f32", ALL " slope=f64", 0, of_scorer },
    { "seq2seq", "dx_logprob dwx_logprob dwh_logprob dbh_logprob demb_logprob dwy_logprob dws_logprob dwc_logprob "
        "dbs_logprob dwo_logprob dbo_logprob", "bf16", ALL " slope=f64", 0, gradients_of_words },
    { "seq2seq", "h", "bf16", CELL, 0, states }, { "seq2seq", "read align", "bf16", READING, 0, reading },
    { "seq2seq", "weights context s logprob", "bf16", ALL, 0, decoder },
    { "seq2seq", "dx dwh dwx dbh", "bf16", BACK, 0, gradients },
    { 0 },
};
