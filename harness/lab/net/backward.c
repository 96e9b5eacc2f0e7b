/* The gradients of a pass, from that of the logits to those of every block; see model.h.  It follows forward.c line by
 * line in reverse order. */
#include <stdio.h>
#include <string.h>
#include "lab/net/pair.h"
#include "base/words.h"

static void *at(const struct pass *p, const void *params, int block)
{
    return (char *)params + (size_t)p->m->block[block].at * p->a->size;
}
static struct matrix plain(const void *data, int64_t stride) { return (struct matrix){ data, stride, 0 }; }
static struct matrix turned(const void *data, int64_t stride) { return (struct matrix){ data, stride, 1 }; }
static int either(int a, int b) { return a != MER_OK ? a : b; }

/* y[N][out] = x[N][in] w[in][out] + b:  dw += x^T dy   db += sum dy   dx = dy w^T */
void pass_linear_back(const struct pass *p, void *dx, const void *dy, const void *x, const void *params, void *grad,
    struct linear_of l)
{
    p->a->product(at(p, grad, l.w), l.out, turned(x, l.in), plain(dy, l.out), l.in, l.out, p->tokens, 1);
    p->a->sum_lines(at(p, grad, l.b), dy, p->tokens, l.out);
    p->a->product(dx, l.in, plain(dy, l.out), turned(at(p, params, l.w), l.out), p->tokens, l.in, l.out, 0);
}

/* Runs an operation and adds its output `name` to the gradient of a block. */
static int collect(struct pass *p, struct op *o, const char *name, void *grad, int block)
{
    op_set(o, name, p->one);
    int rc = op_run(o);
    p->a->add(at(p, grad, block), p->one, p->m->block[block].count);
    return rc;
}

int pass_normalise_back(
    struct pass *p, void *dx, void *dy, void *x, const void *params, void *grad, int gain, int shift)
{
    for (int k = 0; k < 3; k++)
        op_set(&p->norm_back[k], "x", x), op_set(&p->norm_back[k], "dy", dy),
            op_set(&p->norm_back[k], "gain", at(p, params, gain));
    op_set(&p->norm_back[0], "dx", dx);
    return either(op_run(&p->norm_back[0]),
        either(collect(p, &p->norm_back[1], "dgain", grad, gain), collect(p, &p->norm_back[2], "dshift", grad, shift)));
}

/* Adds what one row contributes to the gradient of the bias: the weights come from the attention kernel of the same
 * row, dw = do v^T. */
static int bias_row(struct pass *p, const struct tape *t, size_t from)
{
    const int64_t n = p->length, h = p->m->size.heads, d = p->m->size.channels / h;
    const size_t size = p->a->size;
    op_set(&p->weights, "q", (char *)t->q + from), op_set(&p->weights, "k", (char *)t->k + from);
    for (int64_t k = 0; k < h; k++) {
        const size_t head = from + (size_t)(k * n * d) * size;
        p->a->product((char *)p->dw + (size_t)(k * n * n) * size, n, plain((char *)p->dox + head, d),
            turned((char *)t->v + head, d), n, n, d, 0);
    }
    int rc = op_run(&p->weights);
    p->a->scores_back(p->dbias, p->w, p->dw, h * n, n);
    return rc;
}

/* Adds the gradients of the trained inputs of a bias or a table of positions, from the sum over rows. */
static int extras_back(struct pass *p, struct op *o, const void *params, void *grad, const struct layer_blocks *b)
{
    const struct model *m = p->m;
    const char *out = m->enc->grads;
    for (int k = 0; k < m->extras; k++) {
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(out, " "), out);
        out = word_next(out);
        op_set(o, m->extra[k], at(p, params, b->extra[k])), op_set(o, name, p->extra[k]);
    }
    int rc = op_run(o);
    for (int k = 0; k < m->extras; k++)
        p->a->add(at(p, grad, b->extra[k]), p->extra[k], m->block[b->extra[k]].count);
    return rc;
}

static int attend_back(
    struct pass *p, const struct tape *t, const void *params, void *grad, const struct layer_blocks *b)
{
    const struct model *m = p->m;
    struct op *o = &p->attend_back;
    const int biased = m->enc->bias && m->extras, own = m->enc->attend ? m->extras : 0;
    const size_t size = p->a->size;
    int rc = MER_OK;
    for (int k = 0; k < own; k++) {
        char name[40] = "d";
        op_set(o, m->extra[k], at(p, params, b->extra[k]));
        op_set(o, strcat(name, m->extra[k]), p->extra[k]);
    }
    if (biased) { /* the layer's own: one tape of biases serves all layers */
        for (int k = 0; k < m->extras; k++)
            op_set(&p->bias_of, m->extra[k], at(p, params, b->extra[k]));
        rc = op_run(&p->bias_of);
        memset(p->dbias, 0, (size_t)(m->size.heads * p->length * p->length) * p->a->size);
    }
    for (int64_t r = 0; r < p->rows && rc == MER_OK; r++) {
        const size_t from = (size_t)(r * p->length * m->size.channels) * size;
        if (p->keep_row)
            op_set(o, "keep", p->keep + r * p->keep_row), op_set(&p->weights, "keep", p->keep + r * p->keep_row);
        op_set(o, "q", (char *)t->q + from), op_set(o, "k", (char *)t->k + from), op_set(o, "v", (char *)t->v + from),
            op_set(o, "do", (char *)p->dox + from);
        op_set(o, "dq", (char *)p->dq + from), op_set(o, "dk", (char *)p->dk + from),
            op_set(o, "dv", (char *)p->dv + from);
        if (*m->gate) {
            const size_t first = (size_t)(r * m->size.heads * p->length) * size;
            char name[40] = "d";
            op_set(o, m->gate, (char *)t->g + first), op_set(o, strncat(name, m->gate, 32), (char *)p->dg + first);
        }
        rc = op_run(o);
        if (biased)
            rc = either(rc, bias_row(p, t, from));
        for (int k = 0; k < own; k++)
            p->a->add(at(p, grad, b->extra[k]), p->extra[k], m->block[b->extra[k]].count);
    }
    return biased ? either(rc, extras_back(p, &p->bias_back, params, grad, b)) : rc;
}

/* The gradient of turning q (k = 0) or k (1): *dy is replaced by dx. */
static int turn_back(struct pass *p, int k, void **dy, void *dx)
{
    op_set(&p->turn_back[k], "dy", *dy), op_set(&p->turn_back[k], "dx", dx);
    *dy = dx;
    return op_run(&p->turn_back[k]);
}

int pass_feed_back(struct pass *p, const struct tape *t, void *dx, void *dy, void *x, const void *params, void *grad,
    const struct layer_blocks *b)
{
    const int64_t c = p->m->size.channels, f = p->m->size.inner;
    pass_linear_back(p, p->dt, dy, t->t, params, grad, (struct linear_of){ b->w2, b->b2, f, c });
    op_set(&p->act_back, "u", t->u), op_set(&p->act_back, "da", p->dt), op_set(&p->act_back, "du", p->du);
    int rc = op_run(&p->act_back);
    pass_linear_back(p, dx, p->du, x, params, grad, (struct linear_of){ b->w1, b->b1, c, f });
    return rc;
}

int pass_self_back(struct pass *p, const struct tape *t, void *dx, void *dy, void *x, const void *params, void *grad,
    const struct layer_blocks *b)
{
    const int64_t c = p->m->size.channels;
    void *dq = p->dq, *dk = p->dk;
    pass_linear_back(p, dx, dy, t->oc, params, grad, (struct linear_of){ b->wo, b->bo, c, c });
    pass_split(p, p->dox, dx, 0, c);
    int rc = attend_back(p, t, params, grad, b);
    if (p->m->enc->turn)
        rc = either(rc, either(turn_back(p, 0, &dq, p->raw[0]), turn_back(p, 1, &dk, p->raw[1])));
    pass_join(p, p->dqkv, dq, 0, 3 * c), pass_join(p, p->dqkv, dk, c, 3 * c),
        pass_join(p, p->dqkv, p->dv, 2 * c, 3 * c);
    pass_linear_back(p, dx, p->dqkv, x, params, grad, (struct linear_of){ b->wi, b->bi, c, 3 * c });
    if (*p->m->gate) {
        pass_transpose(p, p->dg, p->gates[0], true);
        pass_linear_back(p, p->gates[1], p->gates[0], x, params, grad,
            (struct linear_of){ b->wg, b->bg, c, p->m->size.heads });
        p->a->add(dx, p->gates[1], p->tokens * c);
    }
    return rc;
}

/* p->dx is the gradient of the layer's output, then that of its input. */
static int layer_back(
    struct pass *p, const struct tape *t, const void *params, void *grad, const struct layer_blocks *b)
{
    const int64_t all = p->tokens * p->m->size.channels;
    int rc = pass_feed_back(p, t, p->dn, p->dx, t->n2, params, grad, b);
    rc = either(rc, pass_normalise_back(p, p->dc, p->dn, t->x1, params, grad, b->gf, b->sf));
    p->a->add(p->dx, p->dc, all);
    rc = either(rc, pass_self_back(p, t, p->dn, p->dx, t->n1, params, grad, b));
    rc = either(rc, pass_normalise_back(p, p->dc, p->dn, t->x, params, grad, b->ga, b->sa));
    p->a->add(p->dx, p->dc, all);
    return rc;
}

int pass_stack_back(struct pass *p, const void *params, const int64_t *token, void *grad) /* from p->dx, of p->last */
{
    const struct model *m = p->m;
    const int64_t c = m->size.channels;
    const int place = m->place[p->encoder];
    int rc = MER_OK;
    for (int64_t l = p->layers - 1; l >= 0 && rc == MER_OK; l--)
        rc = (m->size.encoders ? pair_layer_back : layer_back)(p, &p->layer[l], params, grad, &m->layer[p->first + l]);
    if (m->enc->embed)
        return either(rc, pass_waves_back(p, params, token, grad));
    op_set(&p->table_back, "token", (void *)token), op_set(&p->table_back, "table", at(p, params, m->token)),
        op_set(&p->table_back, "dy", p->dx);
    rc = either(rc, collect(p, &p->table_back, "dtable", grad, m->token));
    if (m->enc->place && m->extras && rc == MER_OK) {
        memset(p->one, 0, (size_t)(p->length * c) * p->a->size);
        for (int64_t r = 0; r < p->rows; r++)
            p->a->add(p->one, (char *)p->dx + (size_t)(r * p->length * c) * p->a->size, p->length * c);
        rc = extras_back(p, &p->place_back, params, grad, &m->layer[0]);
    }
    if (place >= 0 && rc == MER_OK) {
        op_set(&p->place_back, "dp", p->dx);
        rc = collect(p, &p->place_back, "dtable", grad, place);
    }
    return rc;
}

int pass_backward(struct pass *p, const void *params, const int64_t *token, const void *dlogits, void *grad)
{
    const struct model *m = p->m;
    const int64_t c = m->size.channels, v = m->size.vocab;
    void *dy = m->size.encoders ? p->dx : p->dn;
    p->a->product(at(p, grad, m->out), c, turned(dlogits, v), plain(p->hidden, c), v, c, p->tokens, 1);
    p->a->product(dy, c, plain(dlogits, v), plain(at(p, params, m->out), c), p->tokens, c, v, 0);
    if (p->source)
        return pair_back(p, params, grad);
    const int rc = pass_normalise_back(p, p->dx, dy, p->last, params, grad, m->g, m->s);
    return rc == MER_OK ? pass_stack_back(p, params, token, grad) : rc;
}
