/* The forward pass, from tokens to logits; see model.h. */
#include <stdio.h>
#include <string.h>
#include "lab/net/pair.h"

static const void *at(const struct pass *p, const void *params, int block)
{
    return (const char *)params + (size_t)p->m->block[block].at * p->a->size;
}
static struct matrix plain(const void *data, int64_t stride) { return (struct matrix){ data, stride, 0 }; }

/* y[N][out] = x[N][in] w[in][out] + b */
void pass_linear(
    const struct pass *p, void *y, const void *x, const void *params, int w, int b, int64_t in, int64_t out)
{
    p->a->product(y, out, plain(x, in), plain(at(p, params, w), out), p->tokens, out, in, 0);
    p->a->add_line(y, at(p, params, b), p->tokens, out);
}

int pass_normalise(struct pass *p, void *y, void *x, const void *params, int gain, int shift)
{
    op_set(&p->norm, "x", x), op_set(&p->norm, "y", y), op_set(&p->norm, "gain", (void *)at(p, params, gain)),
        op_set(&p->norm, "shift", (void *)at(p, params, shift));
    return op_run(&p->norm);
}

void pass_split(const struct pass *p, void *heads, const void *x, int64_t first, int64_t stride)
{
    const int64_t h = p->m->size.heads, n = p->length, d = p->m->size.channels / h;
    const size_t size = p->a->size;
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t k = 0; k < h; k++)
            for (int64_t i = 0; i < n; i++)
                memcpy((char *)heads + (size_t)(((r * h + k) * n + i) * d) * size,
                    (const char *)x + (size_t)((r * n + i) * stride + first + k * d) * size, (size_t)d * size);
}
void pass_join(const struct pass *p, void *x, const void *heads, int64_t first, int64_t stride)
{
    const int64_t h = p->m->size.heads, n = p->length, d = p->m->size.channels / h;
    const size_t size = p->a->size;
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t k = 0; k < h; k++)
            for (int64_t i = 0; i < n; i++)
                memcpy((char *)x + (size_t)((r * n + i) * stride + first + k * d) * size,
                    (const char *)heads + (size_t)(((r * h + k) * n + i) * d) * size, (size_t)d * size);
}

/* Gates g[rows][h][n] of x[tokens][c]. */
static void gates(struct pass *p, void *g, const void *x, const void *params, const struct layer_blocks *b)
{
    const int64_t h = p->m->size.heads;
    pass_linear(p, p->gates[0], x, params, b->wg, b->bg, p->m->size.channels, h);
    pass_transpose(p, g, p->gates[0], false);
}
void pass_transpose(const struct pass *p, void *heads, void *tokens, bool back)
{
    const int64_t h = p->m->size.heads, n = p->length;
    const size_t size = p->a->size;
    for (int64_t t = 0; t < p->tokens; t++)
        for (int64_t k = 0; k < h; k++) {
            char *to = (char *)heads + (size_t)((t / n * h + k) * n + t % n) * size,
                 *from = (char *)tokens + (size_t)(t * h + k) * size;
            memcpy(back ? from : to, back ? to : from, size);
        }
}

/* Turns queries (k = 0) or keys (1). */
static int turned(struct pass *p, int k, void *y, void *x)
{
    op_set(&p->turn[k], "x", x), op_set(&p->turn[k], "y", y);
    return op_run(&p->turn[k]);
}

static int attend(struct pass *p, const struct tape *t, const void *params, const struct layer_blocks *b)
{
    const struct model *m = p->m;
    int rc = MER_OK;
    struct op *of = m->enc->bias ? &p->bias_of : &p->attend;
    for (int k = 0; k < m->extras && !m->enc->place; k++)
        op_set(of, m->extra[k], (void *)at(p, params, b->extra[k]));
    if (m->enc->bias && m->extras)
        rc = op_run(&p->bias_of);
    for (int64_t r = 0; r < p->rows && rc == MER_OK; r++) {
        const size_t from = (size_t)(r * p->length * m->size.channels) * p->a->size;
        if (p->keep_row)
            op_set(&p->attend, "keep", p->keep + r * p->keep_row);
        if (*m->gate)
            op_set(&p->attend, m->gate, (char *)t->g + (size_t)(r * m->size.heads * p->length) * p->a->size);
        op_set(&p->attend, "q", (char *)t->q + from), op_set(&p->attend, "k", (char *)t->k + from),
            op_set(&p->attend, "v", (char *)t->v + from), op_set(&p->attend, "o", (char *)t->o + from);
        rc = op_run(&p->attend);
    }
    return rc;
}

int pass_self(struct pass *p, const struct tape *t, void *y, void *x, const void *params, const struct layer_blocks *b)
{
    const int64_t c = p->m->size.channels;
    int rc = MER_OK;
    pass_linear(p, t->qkv, x, params, b->wi, b->bi, c, 3 * c);
    void *q = p->turns ? p->raw[0] : t->q, *k = p->turns ? p->raw[1] : t->k;
    pass_split(p, q, t->qkv, 0, 3 * c), pass_split(p, k, t->qkv, c, 3 * c), pass_split(p, t->v, t->qkv, 2 * c, 3 * c);
    if (*p->m->gate)
        gates(p, t->g, x, params, b);
    if (p->turns && (rc = turned(p, 0, t->q, q)) == MER_OK)
        rc = turned(p, 1, t->k, k);
    rc = rc == MER_OK ? attend(p, t, params, b) : rc;
    pass_join(p, t->oc, t->o, 0, c);
    pass_linear(p, y, t->oc, params, b->wo, b->bo, c, c);
    return rc;
}

int pass_feed(struct pass *p, const struct tape *t, void *y, void *x, const void *params, const struct layer_blocks *b)
{
    const int64_t c = p->m->size.channels, f = p->m->size.inner;
    pass_linear(p, t->u, x, params, b->w1, b->b1, c, f);
    op_set(&p->act, "u", t->u), op_set(&p->act, "a", t->t);
    int rc = op_run(&p->act);
    pass_linear(p, y, t->t, params, b->w2, b->b2, f, c);
    return rc;
}

/* One layer of a decoder alone, with the norms before each half. */
static int layer(struct pass *p, const struct tape *t, void *next, const void *params, const struct layer_blocks *b)
{
    const int64_t all = p->tokens * p->m->size.channels;
    int rc = pass_normalise(p, t->n1, t->x, params, b->ga, b->sa);
    rc = rc == MER_OK ? pass_self(p, t, t->x1, t->n1, params, b) : rc;
    p->a->add(t->x1, t->x, all);
    rc = rc == MER_OK ? pass_normalise(p, t->n2, t->x1, params, b->gf, b->sf) : rc;
    rc = rc == MER_OK ? pass_feed(p, t, next, t->n2, params, b) : rc;
    p->a->add(next, t->x1, all);
    return rc;
}

/* Copies y[N][width] to the columns first .. first + width - 1 of x[N][c], or (out) those columns to y. */
static void columns(const struct pass *p, void *x, void *y, int64_t first, int64_t width, int out)
{
    const size_t size = p->a->size, c = (size_t)p->m->size.channels * size, bytes = (size_t)width * size;
    for (int64_t i = 0; i < p->tokens; i++) {
        char *at = (char *)x + (size_t)i * c + (size_t)first * size, *of = (char *)y + (size_t)i * bytes;
        memcpy(out ? of : at, out ? at : of, bytes);
    }
}

/* Computes the vectors of tokens as waves, with the real and imaginary parts side by side. */
static int waves(struct pass *p, const void *params, const int64_t *token)
{
    const int64_t half = p->m->size.channels / 2;
    for (int k = 0; k < 3; k++)
        op_set(&p->embed, model_waves[k], (void *)at(p, params, p->m->waves[k]));
    op_set(&p->embed, "word", (void *)token), op_set(&p->embed, "re", p->raw[0]), op_set(&p->embed, "im", p->raw[1]);
    int rc = op_run(&p->embed);
    columns(p, p->layer[0].x, p->raw[0], 0, half, 0), columns(p, p->layer[0].x, p->raw[1], half, half, 0);
    return rc;
}

int pass_waves_back(struct pass *p, const void *params, const int64_t *token, void *grad) /* from dx */
{
    const int64_t half = p->m->size.channels / 2;
    char name[40];
    columns(p, p->dx, p->raw[0], 0, half, 1), columns(p, p->dx, p->raw[1], half, half, 1);
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "d%s", model_waves[k]);
        op_set(&p->table_back, model_waves[k], (void *)at(p, params, p->m->waves[k])),
            op_set(&p->table_back, name, p->extra[k]);
    }
    op_set(&p->table_back, "word", (void *)token), op_set(&p->table_back, "dre", p->raw[0]),
        op_set(&p->table_back, "dim", p->raw[1]);
    int rc = op_run(&p->table_back);
    for (int k = 0; k < 3; k++)
        p->a->add((void *)at(p, grad, p->m->waves[k]), p->extra[k], p->m->block[p->m->waves[k]].count);
    return rc;
}

/* Computes the positions' vectors from the trained inputs of enc->place for one row; all rows have the same. */
static int places(struct pass *p, const void *params)
{
    const size_t bytes = (size_t)(p->length * p->m->size.channels) * p->a->size;
    for (int k = 0; k < p->m->extras; k++)
        op_set(&p->place, p->m->extra[k], (void *)at(p, params, p->m->layer[0].extra[k]));
    int rc = op_run(&p->place);
    for (int64_t r = 1; r < p->rows; r++)
        memcpy((char *)p->places + (size_t)r * bytes, p->places, bytes);
    return rc;
}

int pass_stack(struct pass *p, const void *params, const int64_t *token) /* p->last, from tokens */
{
    const struct model *m = p->m;
    const int place = m->place[p->encoder];
    int rc = MER_OK;
    if (place >= 0) {
        op_set(&p->place, "table", (void *)at(p, params, place));
        rc = op_run(&p->place);
    }
    if (m->enc->place && m->extras)
        rc = places(p, params);
    if (!m->enc->embed)
        op_set(&p->embed, "token", (void *)token), op_set(&p->embed, "table", (void *)at(p, params, m->token)),
            op_set(&p->embed, "y", p->layer[0].x);
    rc = rc != MER_OK ? rc : m->enc->embed ? waves(p, params, token) : op_run(&p->embed);
    for (int64_t l = 0; l < p->layers && rc == MER_OK; l++) {
        void *next = l + 1 < p->layers && p->backward ? p->layer[l + 1].x : p->last;
        rc = (m->size.encoders ? pair_layer : layer)(p, &p->layer[l], next, params, &m->layer[p->first + l]);
        if (!p->backward && l + 1 < p->layers) /* one tape for all layers */
            memcpy(p->layer[0].x, p->last, (size_t)(p->tokens * m->size.channels) * p->a->size);
    }
    return rc;
}

int pass_logits(struct pass *p, const void *params, const int64_t *token)
{
    const struct model *m = p->m;
    const int64_t c = m->size.channels;
    int rc = pass_stack(p, params, token);
    if (!m->size.encoders)
        rc = rc == MER_OK ? pass_normalise(p, p->hidden, p->last, params, m->g, m->s) : rc;
    p->a->product(p->logits, m->size.vocab, plain(p->hidden, c), (struct matrix){ at(p, params, m->out), c, 1 },
        p->tokens, m->size.vocab, c, 0);
    return rc;
}

int pass_forward(struct pass *p, const void *params, const int64_t *token)
{
    const int rc = p->source ? pair_encode(p, params, token) : MER_OK;
    return rc == MER_OK ? pass_logits(p, params, p->source ? p->word : token) : rc;
}
