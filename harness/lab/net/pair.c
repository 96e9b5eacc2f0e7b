/* The passes of an encoder-decoder, forward and backward; see pair.h. */
#include "lab/net/pair.h"
#include <stdio.h>
#include <string.h>

static void *at(const struct pass *p, const void *params, int block, int64_t column)
{
    return (char *)params + (size_t)(p->m->block[block].at + column) * p->a->size;
}
static struct matrix plain(const void *data, int64_t stride) { return (struct matrix){ data, stride, 0 }; }
static struct matrix turned(const void *data, int64_t stride) { return (struct matrix){ data, stride, 1 }; }

int pair_takes(const struct variant *v) { return !v->attention && !v->attend && !v->window; }

int pair_attend(struct pass *p, char *err, size_t n)
{
    const long long h = p->m->size.heads, d = p->m->size.channels / h, l = p->length;
    const char *params = "causal=none";
    char sizes[200];
    snprintf(sizes, sizeof sizes, "h=%lld g=%lld n=%lld m=%lld d=%lld e=%lld keep%s", h, h, l, l, d, d,
        p->m->enc->bias ? " bias" : "");
    p->keep_row = h * l * l;
    p->keep = need((size_t)(p->rows * p->keep_row), sizeof *p->keep);
    if (op_open(&p->attend, p->a->type, "attention", params, "o", sizes, err, n) ||
        (p->backward && op_open(&p->attend_back, p->a->type, "attention", params, "dq dk dv", sizes, err, n)))
        return -1;
    if (pass_weights(p, "attention", params, 1, err, n))
        return -1;
    op_set(&p->attend, "bias", p->bias), op_set(&p->attend_back, "bias", p->bias), op_set(&p->weights, "bias", p->bias);
    return 0;
}

static int open_cross(struct pass *p, char *err, size_t n)
{
    const long long h = p->m->size.heads, d = p->m->size.channels / h;
    char sizes[200];
    snprintf(sizes, sizeof sizes, "h=%lld g=%lld n=%lld m=%lld d=%lld e=%lld keep", h, h, (long long)p->length,
        (long long)p->source->length, d, d);
    p->cross_keep = need((size_t)(p->tokens * h * p->source->length), sizeof *p->cross_keep);
    return op_open(&p->cross, p->a->type, "attention", "causal=none", "o", sizes, err, n) ||
            (p->backward &&
                op_open(&p->cross_back, p->a->type, "attention", "causal=none", "dq dk dv", sizes, err, n)) ?
        -1 :
        0;
}

int pass_open_pair(struct pass *p, const struct model *m, struct pass_form f, char *err, size_t n)
{
    const struct lab_size *s = &m->size;
    const struct variant *v = f.variant;
    if (!f.source)
        return pass_open(p, m, f, err, n);
    *p = (struct pass){ .m = m, .layers = s->layers };
    if (!s->encoders)
        return snprintf(err, n, "a source of %lld tokens, and a model without an encoder", (long long)f.source), -1;
    if (v && !pair_takes(v))
        return snprintf(err, n, "%s: an encoder-decoder is changed in its encoding alone", v->name), -1;
    p->source = need(1, sizeof *p->source);
    *p->source = (struct pass){ .m = m, .first = s->layers, .layers = s->encoders, .encoder = 1 };
    if (pass_make(p->source, &f, f.source, err, n) || pass_make(p, &f, f.length, err, n))
        return -1;
    p->word = need((size_t)p->tokens, sizeof *p->word),
    p->source->word = need((size_t)p->source->tokens, sizeof *p->word);
    return open_cross(p, err, n);
}

/* Fills keep[lines][m]: every line sees the tokens that are no padding. */
static void see(int64_t *keep, int64_t lines, const int64_t *token, int64_t m)
{
    for (int64_t i = 0; i < lines; i++)
        for (int64_t j = 0; j < m; j++)
            keep[i * m + j] = token[j] >= 0;
}

int pair_encode(struct pass *p, const void *params, const int64_t *token)
{
    struct pass *s = p->source;
    const int64_t n = p->length, m = s->length, h = p->m->size.heads;
    for (int64_t r = 0; r < p->rows; r++) {
        const int64_t *from = token + r * (m + n), *to = from + m;
        see(s->keep + r * s->keep_row, h * m, from, m), see(p->cross_keep + r * h * n * m, h * n, from, m);
        for (int64_t j = 0; j < m; j++)
            s->word[r * m + j] = from[j] < 0 ? 0 : from[j];
        for (int64_t i = 0; i < n; i++)
            p->word[r * n + i] = to[i] < 0 ? 0 : to[i];
    }
    return pass_stack(s, params, s->word);
}

static void put(struct op *o, const char *name, void *data, int64_t from, size_t size)
{
    op_set(o, name, (char *)data + (size_t)from * size);
}

/* Sets the data of cross-attention for row r of the batch: queries begin at r n c, keys at r m c. */
static void cross_row(const struct pass *p, struct op *o, const struct cross_tape *x, int64_t r)
{
    const int64_t c = p->m->size.channels, n = p->length, m = p->source->length;
    put(o, "q", x->heads[0], r * n * c, p->a->size), put(o, "k", x->heads[1], r * m * c, p->a->size),
        put(o, "v", x->heads[2], r * m * c, p->a->size);
    op_set(o, "keep", p->cross_keep + r * p->m->size.heads * n * m);
}

int pass_cross(struct pass *p, const struct tape *t, void *y, const void *params, const struct layer_blocks *b)
{
    const struct pass *s = p->source;
    const struct cross_tape *x = &t->cross;
    const int64_t c = p->m->size.channels;
    int rc = MER_OK;
    p->a->product(x->q, c, plain(t->n1, c), plain(at(p, params, b->xi, 0), 3 * c), p->tokens, c, c, 0);
    p->a->product(x->kv, 2 * c, plain(s->last, c), plain(at(p, params, b->xi, c), 3 * c), s->tokens, 2 * c, c, 0);
    p->a->add_line(x->q, at(p, params, b->xb, 0), p->tokens, c),
        p->a->add_line(x->kv, at(p, params, b->xb, c), s->tokens, 2 * c);
    pass_split(p, x->heads[0], x->q, 0, c), pass_split(s, x->heads[1], x->kv, 0, 2 * c),
        pass_split(s, x->heads[2], x->kv, c, 2 * c);
    for (int64_t r = 0; r < p->rows && rc == MER_OK; r++) {
        cross_row(p, &p->cross, x, r);
        put(&p->cross, "o", x->o, r * p->length * c, p->a->size);
        rc = op_run(&p->cross);
    }
    pass_join(p, x->oc, x->o, 0, c);
    pass_linear(p, y, x->oc, params, b->xo, b->xc, c, c);
    return rc;
}

/* The gradient of cross-attention; adds to that of the encoder's output, p->source->dx. */
static int cross_back(struct pass *p, const struct tape *t, void *dx, void *dy, const void *params, void *grad,
    const struct layer_blocks *b)
{
    struct pass *s = p->source;
    const struct cross_tape *x = &t->cross;
    const int64_t c = p->m->size.channels;
    const size_t size = p->a->size;
    void *dq = p->dqkv; /* [tokens][c] of its room */
    int rc = MER_OK;
    pass_linear_back(p, dx, dy, x->oc, params, grad, (struct linear_of){ b->xo, b->xc, c, c });
    pass_split(p, p->dox, dx, 0, c);
    for (int64_t r = 0; r < p->rows && rc == MER_OK; r++) {
        const int64_t here = r * p->length * c, there = r * s->length * c;
        cross_row(p, &p->cross_back, x, r);
        put(&p->cross_back, "do", p->dox, here, size), put(&p->cross_back, "dq", p->dq, here, size),
            put(&p->cross_back, "dk", s->dk, there, size), put(&p->cross_back, "dv", s->dv, there, size);
        rc = op_run(&p->cross_back);
    }
    pass_join(p, dq, p->dq, 0, c), pass_join(s, p->dkv, s->dk, 0, 2 * c), pass_join(s, p->dkv, s->dv, c, 2 * c);
    p->a->product(at(p, grad, b->xi, 0), 3 * c, turned(t->n1, c), plain(dq, c), c, c, p->tokens, 1);
    p->a->product(at(p, grad, b->xi, c), 3 * c, turned(s->last, c), plain(p->dkv, 2 * c), c, 2 * c, s->tokens, 1);
    p->a->sum_lines(at(p, grad, b->xb, 0), dq, p->tokens, c),
        p->a->sum_lines(at(p, grad, b->xb, c), p->dkv, s->tokens, 2 * c);
    p->a->product(dx, c, plain(dq, c), turned(at(p, params, b->xi, 0), 3 * c), p->tokens, c, c, 0);
    p->a->product(s->dx, c, plain(p->dkv, 2 * c), turned(at(p, params, b->xi, c), 3 * c), s->tokens, c, 2 * c, 1);
    return rc;
}

int pair_layer(struct pass *p, const struct tape *t, void *next, const void *params, const struct layer_blocks *b)
{
    const int64_t all = p->tokens * p->m->size.channels;
    int rc = pass_self(p, t, t->x1, t->x, params, b);
    p->a->add(t->x1, t->x, all);
    rc = rc == MER_OK ? pass_normalise(p, t->n1, t->x1, params, b->ga, b->sa) : rc;
    if (p->source && rc == MER_OK) {
        rc = pass_cross(p, t, t->cross.x, params, b);
        p->a->add(t->cross.x, t->n1, all);
        rc = rc == MER_OK ? pass_normalise(p, t->n2, t->cross.x, params, b->gx, b->sx) : rc;
    }
    rc = rc == MER_OK ? pass_feed(p, t, t->x3, t->n2, params, b) : rc; /* an encoder's n2 is n1 */
    p->a->add(t->x3, t->n2, all);
    return rc == MER_OK ? pass_normalise(p, next, t->x3, params, b->gf, b->sf) : rc;
}

/* The gradient of x + f(x): the sum of dc and dn becomes p->dx. */
static void summed(struct pass *p)
{
    void *keep = p->dx;
    p->a->add(p->dc, p->dn, p->tokens * p->m->size.channels);
    p->dx = p->dc, p->dc = keep;
}

int pair_layer_back(struct pass *p, const struct tape *t, const void *params, void *grad, const struct layer_blocks *b)
{
    int rc = pass_normalise_back(p, p->dc, p->dx, t->x3, params, grad, b->gf, b->sf);
    rc = rc == MER_OK ? pass_feed_back(p, t, p->dn, p->dc, t->n2, params, grad, b) : rc;
    summed(p);
    if (p->source) {
        rc = rc == MER_OK ? pass_normalise_back(p, p->dc, p->dx, t->cross.x, params, grad, b->gx, b->sx) : rc;
        rc = rc == MER_OK ? cross_back(p, t, p->dn, p->dc, params, grad, b) : rc;
        summed(p);
    }
    rc = rc == MER_OK ? pass_normalise_back(p, p->dc, p->dx, t->x1, params, grad, b->ga, b->sa) : rc;
    rc = rc == MER_OK ? pass_self_back(p, t, p->dn, p->dc, t->x, params, grad, b) : rc;
    summed(p);
    return rc;
}

int pair_back(struct pass *p, const void *params, void *grad)
{
    struct pass *s = p->source;
    memset(s->dx, 0, (size_t)(s->tokens * p->m->size.channels) * p->a->size);
    const int rc = pass_stack_back(p, params, p->word, grad);
    return rc == MER_OK ? pass_stack_back(s, params, s->word, grad) : rc;
}
