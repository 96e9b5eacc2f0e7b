/* Attention whose score is expanded into four terms, float32.
 * v0  the definition: projections (heads.h), then term by term (relative.h) */
#include <math.h>
#include "relative/heads.h"
#include "relative/relative.h"

enum { QX, QP, KX, KS, VY, VS, LOCAL };
struct fast_expansion {
    int64_t least, most, memory, heads, n, m, d, e;
    /* the choices of the parameters, each by the first letter of its name: n, p, r, b or s */
    int key_query, reversed, content, back, pair, value;
    float scale;
    struct mer_array in[LOCAL];
    const float *rk, *rq, *rv, *u, *w, *beta;
};

static int64_t index_of(const struct fast_expansion *p, int64_t i, int64_t j, int back)
{
    int64_t at = p->memory + i, t = p->key_query ? j - at : at - j, x = back && p->reversed ? -t : t;
    return (x < p->least ? p->least : x > p->most ? p->most : x) - p->least;
}
static int64_t rows(const struct fast_expansion *p) { return p->most - p->least + 1; }
static const float *line(const struct fast_expansion *p, int which, int64_t h, int64_t i)
{
    const struct mer_array *a = &p->in[which];
    return (const float *)a->data + (h * a->dim[1] + i) * a->dim[2];
}

/* 0, or -1 without memory or where shapes disagree. */
static int expansion_read(struct fast_expansion *p, const struct mer_call *c)
{
    static const char *const from[LOCAL] = { "x", "p", "y", "s", "y", "s" },
                             *const weight[LOCAL] = { "wq", "wq", "wk", "wk", "wv", "wv" };
    const struct mer_array *tables[] = { mer_in(c, "rk"), mer_in(c, "rq"), mer_in(c, "rv"), mer_in(c, "u"),
        mer_in(c, "w"), mer_in(c, "beta") };
    const float **to[] = { &p->rk, &p->rq, &p->rv, &p->u, &p->w, &p->beta };
    *p = (struct fast_expansion){ mer_int(c, "least"), mer_int(c, "most"), mer_int(c, "memory"),
        .key_query = mer_is(c, "sign", "key-query"), .reversed = mer_is(c, "back", "reversed"),
        .content = *mer_text(c, "content_position"), .back = *mer_text(c, "position_content"),
        .pair = *mer_text(c, "position_position"), .value = *mer_text(c, "value") };
    int bad = 0;
    for (int k = 0; k < 6; k++)
        *to[k] = tables[k] ? tables[k]->data : NULL;
    for (int k = 0; k < LOCAL; k++) {
        p->in[k] = to_heads(k == QX ? "q" :
                k == KX             ? "k" :
                k == VY             ? "v" :
                                      "-",
            mer_in(c, from[k]), mer_in(c, weight[k]), NULL);
        bad |= !p->in[k].data;
    }
    for (int k = 0; k < 3; k++)
        bad |= tables[k] && tables[k]->dim[1] != rows(p);
    p->heads = p->in[QX].dim[0], p->n = p->in[QX].dim[1], p->m = p->in[KX].dim[1], p->d = p->in[QX].dim[2],
    p->e = p->in[VY].dim[2];
    const int64_t terms = 1 + (p->content != 'n') + (p->back != 'n') + (p->pair != 'n');
    p->scale = mer_is(c, "scale", "none") ?
        1 :
        (float)(1 / sqrt((double)p->d * (double)(mer_is(c, "scale", "terms") ? terms : 1)));
    return bad || p->in[QP].dim[1] != p->n || p->in[KS].dim[1] != p->m ? -1 : 0;
}
static void expansion_clear(struct fast_expansion *p)
{
    for (int k = 0; k < LOCAL; k++)
        free(p->in[k].data);
}

/* t[4] = the terms of a pair, 0 where one is dropped. */
static void terms_of(const struct fast_expansion *p, int64_t h, int64_t i, int64_t j, float *t)
{
    const float *qx = line(p, QX, h, i), *qp = line(p, QP, h, i), *kx = line(p, KX, h, j), *ks = line(p, KS, h, j),
                *rk = p->rk + (h * rows(p) + index_of(p, i, j, 0)) * p->d;
    t[0] = relative_dot(qx, kx, p->d);
    t[1] = p->content == 'n' ? 0 : relative_dot(qx, p->content == 'p' ? ks : rk, p->d);
    t[2] = p->back == 'n' ? 0 :
                            relative_dot(p->back == 'p' ? qp :
                                    p->back == 'b'      ? p->u + h * p->d :
                                                          p->rq + (h * rows(p) + index_of(p, i, j, 1)) * p->d,
                                kx, p->d);
    t[3] = p->pair == 'n' ? 0 :
        p->pair == 's'    ? p->beta[(h * p->n + i) * p->m + j] :
                            relative_dot(p->pair == 'p' ? qp : p->w + h * p->d, p->pair == 'p' ? ks : rk, p->d);
}
static float score_of(const struct fast_expansion *p, int64_t h, int64_t i, int64_t j)
{
    float t[4];
    terms_of(p, h, i, j, t);
    return (t[0] + t[1] + t[2] + t[3]) * p->scale;
}
static float score(const struct relative *r, int64_t h, int64_t i, int64_t j) { return score_of(r->row, h, i, j); }
static const float *place(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct fast_expansion *p = r->row;
    return p->value == 'p' ? line(p, VS, h, j) : p->rv + (h * rows(p) + index_of(p, i, j, 0)) * p->e;
}

static int attend_f32(const struct mer_call *c)
{
    struct fast_expansion p;
    int rc = expansion_read(&p, c) ? MER_BAD : MER_OK;
    const struct mer_array *keep = mer_in(c, "keep");
    struct mer_array in[4] = { p.in[QX], p.in[KX], p.in[VY] };
    if (keep)
        in[3] = *keep;
    const struct mer_call inner = {
        .row = c->row, .params = c->params, .n_in = keep ? 4 : 3, .n_out = c->n_out, .in = in, .out = c->out
    };
    struct relative r = { .call = &inner, .row = &p, .score = score, .place = p.value == 'n' ? NULL : place };
    rc = rc == MER_OK ? relative_attend(&r) : rc;
    expansion_clear(&p);
    return rc;
}

static int terms_f32(const struct mer_call *c)
{
    struct fast_expansion p;
    int rc = expansion_read(&p, c) ? MER_BAD : MER_OK;
    struct mer_array *s = mer_out(c, "score"), *t = mer_out(c, "terms"); /* [h][n][m], [h][n][m][4] */
    for (int64_t k = 0; rc == MER_OK && k < p.heads * p.n * p.m; k++) {
        int64_t h = k / (p.n * p.m), i = k / p.m % p.n, j = k % p.m;
        if (s)
            ((float *)s->data)[k] = score_of(&p, h, i, j);
        if (t)
            terms_of(&p, h, i, j, (float *)t->data + 4 * k);
    }
    expansion_clear(&p);
    return rc;
}

static int index_i64(const struct mer_call *c)
{
    const struct fast_expansion p = { mer_int(c, "least"), mer_int(c, "most"), mer_int(c, "memory"),
        .key_query = mer_is(c, "sign", "key-query"), .reversed = mer_is(c, "back", "reversed") };
    for (int o = 0; o < c->n_out; o++)
        for (int64_t k = 0; k < c->out[o].dim[0] * c->out[o].dim[1]; k++)
            ((int64_t *)c->out[o].data)[k] =
                index_of(&p, k / c->out[o].dim[1], k % c->out[o].dim[1], !strcmp(c->out[o].name, "index_back"));
    return MER_OK;
}
const struct mer_kernel expansion_scalar[] = {
    { "expansion", "o lse", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32 join=f32 " HEADS_STEPS, 0, attend_f32 },
    { "expansion", "score terms", "f32", "product=f32 dot=f32/lanes1 score=f32 join=f32 " HEADS_STEPS, 0, terms_f32 },
    { "expansion", "index index_back", "f32", "join=f32", 0, index_i64 }, { 0 },
};
