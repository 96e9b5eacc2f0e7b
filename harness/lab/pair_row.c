/* See pair_row.h. */
#include "pair_row.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

extern const struct mer_kernel encdec_scalar[], block_scalar[], embedding_scalar[];

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

#define OF(name) { #name, offsetof(struct layer_blocks, name) }
static const struct field { const char *name; size_t at; } both[] = { OF(wi), OF(bi), OF(wo), OF(bo), OF(ga), OF(sa), OF(w1), OF(b1), OF(w2), OF(b2), OF(gf), OF(sf) }, cross[] = { OF(xi), OF(xb), OF(xo), OF(xc), OF(gx), OF(sx) };
enum { BOTH = sizeof both / sizeof *both, CROSS = sizeof cross / sizeof *cross };

/* The row's array f, from line `at` on, is the blocks of layers first .. last - 1. */
static void stacked(struct trial *t, const struct field *f, const struct pass *p, const void *params, int64_t first, int64_t last, int64_t at)
{
    char *to = trial_in(t, f->name)->data;
    for (int64_t l = first; l < last; l++) {
        const struct block *b = &p->m->block[*(const int *)((const char *)&p->m->layer[l] + f->at)];
        memcpy(to + (size_t)((at + l - first) * b->count) * p->a->size, (const char *)params + (size_t)b->at * p->a->size, (size_t)b->count * p->a->size);
    }
}
static void given(struct trial *t, const char *name, const struct pass *p, const void *x) { memcpy(trial_in(t, name)->data, x, (size_t)(p->tokens * p->m->size.channels) * p->a->size); }

static void declared(struct trial *t, const struct mer_kernel *k, const char *type) /* the profile of the row's own kernel, in that type */
{
    while (strcmp(k->type, "f32") || !strstr(k->out, t->out[0].name))
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
    if (!p->source || !p->backward || p->rows != 1 || p->a->type != MER_F64 || m->enc->turn || m->enc->bias || m->enc->attend)
        return snprintf(err, n, "row encdec has no place for encoding %s, or the pass is none of one row in float64", m->enc->name), -1;
    snprintf(words, sizeof words, "encoders=%d decoders=%d heads=%d width=%d positions=none", (int)s->encoders, (int)s->layers, (int)s->heads, (int)(s->channels / s->heads));
    snprintf(sizes, sizeof sizes, "m=%d n=%d c=%d f=%d v=%d bi bo sa b1 b2 sf xb xc sx", (int)p->source->length, (int)p->length, (int)s->channels, (int)s->inner, (int)s->vocab);
    if (trial_make(t, "encdec", words, "logprob", MER_F64, sizes, 1, err, n))
        return -1;
    for (int k = 0; k < BOTH; k++) /* the row has the encoder's first */
        stacked(t, &both[k], p, params, s->layers, s->layers + s->encoders, 0), stacked(t, &both[k], p, params, 0, s->layers, s->encoders);
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

int pair_block(struct trial *t, const struct pass *p, const float *params, int encoder, int64_t l, char *err, size_t n)
{
    const struct model *m = p->m;
    const struct lab_size *s = &m->size;
    const struct pass *side = encoder ? p->source : p;
    char words[200], sizes[200];
    *t = (struct trial){ 0 };
    if (!p->source || !p->backward || p->rows != 1 || p->a->type != MER_F32 || m->enc->turn || m->enc->bias || m->enc->attend)
        return snprintf(err, n, "row block has no place for encoding %s, or the pass is none of one row in float32", m->enc->name), -1;
    if (!encoder && l == s->layers) {
        snprintf(sizes, sizeof sizes, "n=%d d=%d v=%d", (int)p->length, (int)s->channels, (int)s->vocab);
        if (trial_make(t, "embedding", "", "logits", MER_F32, sizes, 1, err, n))
            return -1;
        given(t, "h", p, p->last);
        memcpy(trial_in(t, "table")->data, params + m->block[m->out].at, (size_t)m->block[m->out].count * sizeof *params);
        memcpy(t->out[0].data, p->logits, (size_t)(p->tokens * s->vocab) * sizeof *params);
        declared(t, embedding_scalar, "f32");
        return 0;
    }
    snprintf(words, sizeof words, "heads=%d width=%d causal=%s", (int)s->heads, (int)(s->channels / s->heads), encoder ? "none" : "topleft");
    snprintf(sizes, sizeof sizes, "n=%d c=%d f=%d bi bo sa b1 b2 sf%s", (int)side->length, (int)s->channels, (int)s->inner, encoder ? "" : " xb xc sx");
    if (!encoder)
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), " m=%d", (int)p->source->length);
    if (trial_make(t, "block", words, encoder ? "encoder" : "decoder", MER_F32, sizes, 1, err, n))
        return -1;
    for (int k = 0; k < BOTH; k++)
        stacked(t, &both[k], p, params, side->first + l, side->first + l + 1, 0);
    for (int k = 0; k < CROSS && !encoder; k++)
        stacked(t, &cross[k], p, params, l, l + 1, 0);
    given(t, "x", side, side->layer[l].x);
    if (!encoder)
        given(t, "memory", p->source, p->source->last);
    memcpy(t->out[0].data, l + 1 < side->layers ? side->layer[l + 1].x : side->last, (size_t)(side->tokens * s->channels) * sizeof *params);
    declared(t, block_scalar, "f32");
    return 0;
}
