/* Turns a pass and its parts into trials of rows, whose pages give the exact values; see pair_row.h. */
#include "lab/net/pair_row.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

extern const struct mer_kernel encdec_scalar[], layer_scalar[], layernorm_scalar[], feedforward_scalar[],
    embedding_scalar[];

void pair_logprob(const struct pass *p, double *y)
{
    const int64_t v = p->m->size.vocab;
    for (int64_t i = 0; i < p->tokens; i++) {
        double top = -(double)INFINITY, sum = 0;
        for (int64_t k = 0; k < v; k++) {
            y[i * v + k] = p->a->get(p->logits, i * v + k);
            top = !(y[i * v + k] <= top) ? y[i * v + k] : top; /* a NaN stays */
        }
        for (int64_t k = 0; k < v; k++)
            sum += exp(y[i * v + k] - top);
        for (int64_t k = 0; k < v; k++)
            y[i * v + k] -= top + log(sum);
    }
}

static const struct field {
    const char *name;
    size_t at;
} both[] = {
    { "wi", offsetof(struct layer_blocks, wi) },
    { "bi", offsetof(struct layer_blocks, bi) },
    { "wo", offsetof(struct layer_blocks, wo) },
    { "bo", offsetof(struct layer_blocks, bo) },
    { "ga", offsetof(struct layer_blocks, ga) },
    { "sa", offsetof(struct layer_blocks, sa) },
    { "w1", offsetof(struct layer_blocks, w1) },
    { "b1", offsetof(struct layer_blocks, b1) },
    { "w2", offsetof(struct layer_blocks, w2) },
    { "b2", offsetof(struct layer_blocks, b2) },
    { "gf", offsetof(struct layer_blocks, gf) },
    { "sf", offsetof(struct layer_blocks, sf) },
}, cross[] = {
    { "xi", offsetof(struct layer_blocks, xi) },
    { "xb", offsetof(struct layer_blocks, xb) },
    { "xo", offsetof(struct layer_blocks, xo) },
    { "xc", offsetof(struct layer_blocks, xc) },
    { "gx", offsetof(struct layer_blocks, gx) },
    { "sx", offsetof(struct layer_blocks, sx) },
};
enum { BOTH = sizeof both / sizeof *both, CROSS = sizeof cross / sizeof *cross };

/* Copies the blocks of layers first .. last - 1 into the row's array f, from line `at` on. */
static void stacked(struct trial *t, const struct field *f, const struct pass *p, const void *params, int64_t first,
    int64_t last, int64_t at)
{
    char *to = trial_in(t, f->name)->data;
    for (int64_t l = first; l < last; l++) {
        const struct net_block *b = &p->m->block[*(const int *)((const char *)&p->m->layer[l] + f->at)];
        memcpy(to + (size_t)((at + l - first) * b->count) * p->a->size,
            (const char *)params + (size_t)b->at * p->a->size, (size_t)b->count * p->a->size);
    }
}
static void given(struct trial *t, const char *name, const struct pass *p, const void *x)
{
    memcpy(trial_in(t, name)->data, x, (size_t)(p->tokens * p->m->size.channels) * p->a->size);
}

/* Sets t->profile to that of the row's own kernel, with its formats replaced by `type`. */
static void declared(struct trial *t, const struct mer_kernel *k, const char *type)
{
    while (strcmp(k->type, "f32") || strcmp(k->out, t->out[0].name))
        k++;
    snprintf(t->profile, sizeof t->profile, "%s", k->profile);
    for (char *s = strstr(t->profile, "f32"); s; s = strstr(s + 1, "f32"))
        memcpy(s, type, 3);
}

int pair_trial(struct trial *t, const struct pass *p, const double *params, char *err, size_t n)
{
    const struct model *m = p->m;
    const struct lab_size *s = &m->size;
    char words[200], sizes[200];
    *t = (struct trial){ 0 };
    if (!p->source || !p->backward || p->rows != 1 || p->a->type != MER_F64 || m->enc->turn || m->enc->bias ||
        m->enc->attend)
        return snprintf(err, n, "row encdec has no place for encoding %s, or the pass is none of one row in float64",
                   m->enc->name),
               -1;
    snprintf(words, sizeof words, "encoders=%d decoders=%d heads=%d width=%d positions=none", (int)s->encoders,
        (int)s->layers, (int)s->heads, (int)(s->channels / s->heads));
    snprintf(sizes, sizeof sizes, "m=%d n=%d c=%d f=%d v=%d bi bo sa b1 b2 sf xb xc sx", (int)p->source->length,
        (int)p->length, (int)s->channels, (int)s->inner, (int)s->vocab);
    if (trial_make(t, &(struct trial_spec){ "encdec", words, "logprob", MER_F64, sizes, 1 }, err, n))
        return -1;
    for (int k = 0; k < BOTH; k++) /* the row has the encoder's first */
        stacked(t, &both[k], p, params, s->layers, s->layers + s->encoders, 0),
            stacked(t, &both[k], p, params, 0, s->layers, s->encoders);
    for (int k = 0; k < CROSS; k++)
        stacked(t, &cross[k], p, params, 0, s->layers, 0);
    given(t, "src", p->source, p->source->layer[0].x), given(t, "tgt", p, p->layer[0].x);
    for (int64_t v = 0; v < s->vocab; v++)
        for (int64_t c = 0; c < s->channels; c++)
            ((double *)trial_in(t, "head")->data)[c * s->vocab + v] = params[m->block[m->out].at + v * s->channels + c];
    pair_logprob(p, t->out[0].data);
    declared(t, encdec_scalar, "f64");
    return 0;
}

static int made(struct trial *t, const struct mer_kernel *k, const char *params, const char *out, const char *sizes,
    const void *y, char *err, size_t n) /* of the kernels' row */
{
    if (trial_make(t, &(struct trial_spec){ k->row, params, out, MER_F32, sizes, 1 }, err, n))
        return -1;
    memcpy(t->out[0].data, y, (size_t)array_len(&t->out[0]) * sizeof(float));
    declared(t, k, "f32");
    return 1;
}
static const float *block(const struct pass *p, const float *params, int b) { return params + p->m->block[b].at; }
static void given_block(struct trial *t, const char *name, const struct pass *p, const float *params, int b)
{
    memcpy(trial_in(t, name)->data, block(p, params, b), (size_t)p->m->block[b].count * sizeof *params);
}

static int norm(struct trial *t, const struct pass *p, const float *params, const void *x, const void *y,
    const int block_of[2], char *err, size_t n)
{
    char sizes[80];
    snprintf(sizes, sizeof sizes, "n=%d d=%d gain shift", (int)p->length, (int)p->m->size.channels);
    if (made(t, layernorm_scalar, "", "y", sizes, y, err, n) < 0)
        return -1;
    given(t, "x", p, x);
    given_block(t, "gain", p, params, block_of[0]), given_block(t, "shift", p, params, block_of[1]);
    return 1;
}

/* Queries of x, keys and values of z (self-attention: of x); wi[c][3 c] is q, k, v side by side. */
static int attention(struct trial *t, const struct pass *p, const float *params, const void *x, const struct pass *of,
    const int block_of[4], char *err, size_t n)
{
    const int64_t c = p->m->size.channels, h = p->m->size.heads;
    static const char *const weights[] = { "wq", "wk", "wv" }, *const biases[] = { "bq", "bk", "bv" };
    char words[120], sizes[160];
    snprintf(words, sizeof words, "heads=%d width=%d causal=%s", (int)h, (int)(c / h),
        of == p && !p->encoder ? "topleft" : "none");
    snprintf(sizes, sizeof sizes, "n=%d c=%d bq bk bv bo", (int)p->length, (int)c);
    if (of != p)
        snprintf(
            sizes + strlen(sizes), sizeof sizes - strlen(sizes), " m=%d a=%d b=%d", (int)of->length, (int)c, (int)c);
    if (made(t, layer_scalar, words, of == p ? "y" : "cross", sizes, p->dn, err, n) < 0)
        return -1;
    given(t, "x", p, x);
    if (of != p)
        given(t, "key", of, of->last), given(t, "value", of, of->last);
    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < c; i++)
            memcpy((float *)trial_in(t, weights[k])->data + i * c, block(p, params, block_of[0]) + i * 3 * c + k * c,
                (size_t)c * sizeof *params);
        memcpy(trial_in(t, biases[k])->data, block(p, params, block_of[1]) + k * c, (size_t)c * sizeof *params);
    }
    given_block(t, "wo", p, params, block_of[2]), given_block(t, "bo", p, params, block_of[3]);
    return 1;
}

static int feed(struct trial *t, const struct pass *p, const float *params, const void *x, const struct layer_blocks *b,
    char *err, size_t n)
{
    char sizes[80];
    snprintf(
        sizes, sizeof sizes, "n=%d d=%d f=%d b1 b2", (int)p->length, (int)p->m->size.channels, (int)p->m->size.inner);
    if (made(t, feedforward_scalar, "act=relu", "y", sizes, p->dn, err, n) < 0)
        return -1;
    given(t, "x", p, x), given_block(t, "w1", p, params, b->w1), given_block(t, "b1", p, params, b->b1),
        given_block(t, "w2", p, params, b->w2), given_block(t, "b2", p, params, b->b2);
    return 1;
}

/* Checks that sum = dn + x, bit by bit; 0, or -1 and one line in err. */
static int summed(const struct pass *p, const void *x, const void *sum, char *err, size_t n)
{
    const float *a = p->dn, *b = x, *c = sum;
    for (int64_t k = 0; k < p->tokens * p->m->size.channels; k++)
        if (!(a[k] + b[k] == c[k]))
            return snprintf(err, n, "element %lld of a sum is %a, not %a + %a", (long long)k, (double)c[k],
                       (double)a[k], (double)b[k]),
                   -1;
    return 0;
}

enum block_part { SELF, SELF_NORM, CROSS_ATTENTION, CROSS_NORM, FEED, FEED_NORM, PARTS };
static int part_of(struct trial *t, struct pass *p, const float *params, int64_t l, enum block_part part,
    char *err, size_t n)
{
    const struct tape *at = &p->layer[l];
    const struct layer_blocks *b = &p->m->layer[p->first + l];
    const void *next = l + 1 < p->layers ? p->layer[l + 1].x : p->last;
    switch (part) {
    case SELF:
        return pass_self(p, at, p->dn, at->x, params, b) != MER_OK || summed(p, at->x, at->x1, err, n) ?
            -1 :
            attention(t, p, params, at->x, p, (const int[]){ b->wi, b->bi, b->wo, b->bo }, err, n);
    case SELF_NORM:
        return norm(t, p, params, at->x1, at->n1, (const int[]){ b->ga, b->sa }, err, n);
    case CROSS_ATTENTION:
        return pass_cross(p, at, p->dn, params, b) != MER_OK || summed(p, at->n1, at->cross.x, err, n) ?
            -1 :
            attention(t, p, params, at->n1, p->source, (const int[]){ b->xi, b->xb, b->xo, b->xc }, err, n);
    case CROSS_NORM:
        return norm(t, p, params, at->cross.x, at->n2, (const int[]){ b->gx, b->sx }, err, n);
    case FEED:
        return pass_feed(p, at, p->dn, at->n2, params, b) != MER_OK || summed(p, at->n2, at->x3, err, n) ?
            -1 :
            feed(t, p, params, at->n2, b, err, n);
    default:
        return norm(t, p, params, at->x3, next, (const int[]){ b->gf, b->sf }, err, n);
    }
}

int pair_part(struct trial *t, struct pass *p, const float *params, int64_t k, char *err, size_t n)
{
    static const enum block_part encoder[] = { SELF, SELF_NORM, FEED, FEED_NORM };
    const struct model *m = p->m;
    const struct lab_size *s = &m->size;
    const int64_t first = 4 * s->encoders, all = first + PARTS * s->layers;
    char sizes[80];
    *t = (struct trial){ 0 };
    snprintf(err, n, "a kernel failed");
    if (!p->source || !p->backward || p->rows != 1 || p->a->type != MER_F32 || m->enc->turn || m->enc->bias ||
        m->enc->attend)
        return snprintf(err, n, "row layer has no place for encoding %s, or the pass is none of one row in float32",
                   m->enc->name),
               -1;
    if (k < first)
        return part_of(t, p->source, params, k / 4, encoder[k % 4], err, n);
    if (k < all)
        return part_of(t, p, params, (k - first) / PARTS, (enum block_part)((k - first) % PARTS), err, n);
    if (k > all)
        return 0;
    snprintf(sizes, sizeof sizes, "n=%d d=%d v=%d", (int)p->length, (int)s->channels, (int)s->vocab);
    if (made(t, embedding_scalar, "", "logits", sizes, p->logits, err, n) < 0)
        return -1;
    given(t, "h", p, p->last), given_block(t, "table", p, params, m->out);
    return 1;
}
