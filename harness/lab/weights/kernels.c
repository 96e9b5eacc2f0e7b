/* The engine of own kernels, in float32; see walk.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "block/gemm.h"
#include "lab/net/op.h"
#include "lab/weights/walk.h"

/* Operations that were asked before, with the words and extents that they were asked with. */
struct kernels_kept { char *key; struct op op; struct kernels_kept *next; };

/* Extents by letters and optional inputs, as op_open takes them; false: the arrays contradict each other. */
static bool sizes(const struct row_question *q, struct text *t)
{
    struct sign s;
    int64_t extent[128] = { 0 };
    sign_read(&s, row_quantity(row_named(q->row), q->out)->sign);
    for (int k = 0; k < q->n; k++)
        for (int i = 0; i < s.n_in; i++) {
            if (strcmp(s.in[i].name, q->in[k].name))
                continue;
            for (int x = 0; x < s.in[i].rank; x++) {
                const int c = s.in[i].axis[x] & 127;
                if (extent[c] && extent[c] != q->in[k].dim[x])
                    return false;
                if (!extent[c])
                    text_put(t, "%c=%lld ", c, (long long)q->in[k].dim[x]);
                extent[c] = q->in[k].dim[x];
            }
            if (s.in[i].optional)
                text_put(t, "%s ", s.in[i].name);
        }
    return !t->cut;
}

static struct op *of_question(struct engine *e, const struct row_question *q, char *err, size_t n)
{
    char key[TEXT_MAX + 300], extents[200];
    struct text t = text_in(extents, sizeof extents);
    if (!sizes(q, &t))
        return snprintf(err, n, "%s: its arrays do not fit together: %.150s", q->row, extents), NULL;
    snprintf(key, sizeof key, "%s|%s|%s|%s", q->row, q->out, extents, q->params);
    for (struct kernels_kept *k = e->own; k; k = k->next)
        if (!strcmp(k->key, key))
            return &k->op;
    struct kernels_kept *k = need(1, sizeof *k);
    k->key = need_copy(key), k->next = e->own, e->own = k;
    return op_open(&k->op, MER_F32, q->row, q->params, q->out, extents, err, n) ? NULL : &k->op;
}

static void product(const struct row_question *q, struct mer_array *y)
{
    const struct mer_array *x = &q->in[0], *w = &q->in[1];
    const int64_t in = w->dim[1], out = w->dim[0];
    const struct gemm_of by = { w->data, in, 1 };
    gemm_f32(y->data, out, (struct gemm_of){ x->data, in, 0 }, by, x->dim[0], out, in, 0);
    for (int64_t i = 0; q->n > 2 && i < x->dim[0]; i++)
        for (int64_t k = 0; k < out; k++)
            ((float *)y->data)[i * out + k] += ((const float *)q->in[2].data)[k];
}

/* Logits that are scaled and capped: cap tanh(x scale / cap); the question's words are walk.c's own. */
static void capped(const struct row_question *q, struct mer_array *y)
{
    float scale = 1, cap = 0, *x = y->data;
    struct row_question plain = { .in = { q->in[0], q->in[1] }, .n = 2 };
    const char *s = strstr(q->params, "scale="), *c = strstr(q->params, "cap=");
    scale = s ? strtof(s + 6, NULL) : 1, cap = c ? strtof(c + 4, NULL) : 0;
    plain.in[0].dim[0] = q->in[0].dim[1], plain.in[1].dim[0] = q->in[1].dim[1];
    plain.in[1].dim[1] = q->in[1].dim[2];
    product(&plain, y);
    for (int64_t k = 0; k < mer_count(y); k++) {
        x[k] *= scale;
        x[k] = cap > 0 ? tanhf(x[k] / cap) * cap : x[k];
    }
}

static int answer(struct engine *e, const struct row_question *q, struct mer_array *y, char *err, size_t n)
{
    if (!strcmp(q->row, "embedding") && !strcmp(q->out, "logits"))
        return product(q, y), 0;
    if (!strcmp(q->out, "scores"))
        return capped(q, y), 0;
    struct op *op = of_question(e, q, err, n);
    if (!op)
        return -1;
    for (int k = 0; k < q->n; k++)
        op_set(op, q->in[k].name, q->in[k].data);
    op_set(op, q->out, y->data);
    if (op_run(op) == MER_OK)
        return 0;
    return snprintf(err, n, "no kernel computes %s.%s %.300s", q->row, q->out, q->params), -1;
}

static void let_go(struct engine *e)
{
    for (struct kernels_kept *k = e->own, *next; k; k = next) {
        next = k->next;
        op_close(&k->op), free(k->key), free(k);
    }
    e->own = NULL;
}

void engine_kernels(struct engine *e)
{
    *e = (struct engine){ .type = MER_F32, .size = sizeof(float), .ask = answer, .close = let_go };
}
