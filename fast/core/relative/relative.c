/* Attention with scores and values by callbacks: relative.h. */
#include <math.h>
#include "relative/relative.h"

static int shapes(struct relative *r)
{
    const struct mer_array *q = mer_in(r->call, "q"), *k = mer_in(r->call, "k"), *v = mer_in(r->call, "v");
    r->h = q->dim[0], r->n = q->dim[1], r->d = q->dim[2], r->m = k->dim[1], r->e = v->dim[2];
    r->q = q->data, r->k = k->data, r->v = v->data;
    return k->dim[0] == r->h && v->dim[0] == r->h && k->dim[2] == r->d && v->dim[1] == r->m;
}

static int hidden(const struct relative *r, const struct mer_array *keep, int64_t h, int64_t i, int64_t j)
{
    return (keep && ((const int64_t *)keep->data)[(h * r->n + i) * r->m + j] == 0) ||
        (r->visible && !r->visible(r, h, i, j));
}

/* o[e] += p (v_j + place(i, j)) */
static void gather(const struct relative *r, int64_t h, int64_t i, int64_t j, float p, float *o)
{
    relative_gather(o, p, relative_v(r, h, j), r->place ? r->place(r, h, i, j) : NULL, r->e);
}

/* One query: s[m] is room, o[e] its output or NULL.  Returns its lse. */
static float one_query(const struct relative *r, const struct mer_array *keep, int64_t h, int64_t i, float *s, float *o)
{
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < r->m; j++) {
        if (hidden(r, keep, h, i, j))
            continue;
        s[j] = r->score(r, h, i, j);
        top = s[j] > top ? s[j] : top;
    }
    for (int64_t c = 0; o && c < r->e; c++)
        o[c] = 0;
    for (int64_t j = 0; j < r->m; j++) {
        if (hidden(r, keep, h, i, j))
            continue;
        float p = expf(s[j] - top);
        sum += p;
        if (o)
            gather(r, h, i, j, p, o);
    }
    for (int64_t c = 0; o && sum != 0 && c < r->e; c++)
        o[c] /= sum;
    return sum == 0 ? -INFINITY : top + logf(sum);
}

int relative_attend(struct relative *r)
{
    const struct mer_array *keep = mer_in(r->call, "keep");
    struct mer_array *O = mer_out(r->call, "o"), *L = mer_out(r->call, "lse");
    float *s = shapes(r) ? malloc((size_t)(r->m + 1) * sizeof *s) : NULL;
    for (int64_t t = 0; s && t < r->h * r->n; t++) {
        float lse = one_query(r, keep, t / r->n, t % r->n, s, O ? (float *)O->data + t * r->e : NULL);
        if (L)
            ((float *)L->data)[t] = lse;
    }
    free(s);
    return s ? MER_OK : MER_BAD;
}

/* The gradients that one query gives.  s[m], dp[m] and seen[m] are room, for the visible keys one behind another. */
static void one_query_back(const struct relative_grad *g, const struct mer_array *keep, int64_t h, int64_t i, float *s,
    float *dp, int64_t *seen)
{
    const struct relative *r = &g->r;
    const float *seed = relative_seed(g, h, i);
    float top = -INFINITY, sum = 0, D = 0;
    int64_t n = 0;
    for (int64_t j = 0; j < r->m; j++) {
        if (hidden(r, keep, h, i, j))
            continue;
        const float *v = relative_v(r, h, j), *t = r->place ? r->place(r, h, i, j) : NULL;
        s[n] = r->score(r, h, i, j);
        top = s[n] > top ? s[n] : top;
        dp[n] = relative_dot_joined(seed, v, t, r->e), seen[n++] = j;
    }
    for (int64_t k = 0; k < n; k++)
        sum += s[k] = expf(s[k] - top);
    for (int64_t k = 0; k < n; k++)
        s[k] /= sum, D += s[k] * dp[k];
    for (int64_t k = 0; k < n; k++)
        g->spread(g, h, i, seen[k], s[k] * (dp[k] - D), s[k]);
}

int relative_back(struct relative_grad *g)
{
    struct relative *r = &g->r;
    const struct mer_array *keep = mer_in(r->call, "keep"), *seed = mer_in(r->call, "do");
    /* one block of memory: seen[m], then s[m] and dp[m] */
    float *s = shapes(r) && seed->dim[0] == r->h && seed->dim[1] == r->n && seed->dim[2] == r->e ?
        malloc((size_t)(r->m + 1) * (2 * sizeof *s + sizeof(int64_t))) :
        NULL;
    int64_t *seen = (int64_t *)(void *)s;
    g->seed = seed->data;
    for (struct relative_out *o = g->out; s && o->name; o++) {
        struct mer_array *a = mer_out(r->call, o->name);
        o->to = a ? a->data : NULL, o->len = a != NULL;
        for (int k = 0; a && k < a->rank; k++)
            o->len *= a->dim[k];
        for (int64_t k = 0; k < o->len; k++)
            o->to[k] = 0;
    }
    for (int64_t t = 0; s && t < r->h * r->n; t++)
        one_query_back(
            g, keep, t / r->n, t % r->n, (float *)(void *)(seen + r->m), (float *)(void *)(seen + r->m) + r->m, seen);
    for (struct relative_out *o = g->out; s && o->name; o++)
        for (int64_t k = 0; o->scaled && k < o->len; k++)
            o->to[k] *= g->scale;
    free(s);
    return s ? MER_OK : MER_BAD;
}

void relative_spread_wave(
    const struct relative_grad *g, int64_t h, int64_t i, int64_t j, float ds, float p, const struct relative_wave *x)
{
    enum { DK = 1, DV, DU, DVR };
    const struct relative *r = &g->r;
    const float *q = relative_q(r, h, i);
    relative_add(&g->out[DK], h * r->m + j, ds, q, x->u, r->d);
    relative_add(&g->out[DV], h * r->m + j, p, relative_seed(g, h, i), NULL, r->e);
    relative_add(&g->out[DU], h, ds, relative_k(r, h, j), NULL, r->d);
    relative_add(&g->out[DVR], h, ds, x->r, NULL, r->d);
    relative_gather(x->moved, ds, q, x->v, r->d);
}

void relative_close_wave(
    const struct relative_grad *g, const char *dwr, const float *moved, const float *R, int64_t lines, int64_t width)
{
    struct mer_array *y = mer_out(g->r.call, dwr);
    const int64_t h = g->r.h, d = g->r.d;
    float *to = y ? y->data : NULL;
    for (int64_t k = 0; y && k < h * width * d; k++)
        to[k] = 0;
    for (int64_t t = 0; y && t < h * lines; t++)
        for (int64_t k = 0; k < width; k++)
            relative_gather(to + (t / lines * width + k) * d, R[t % lines * width + k], moved + t * d, NULL, d);
    for (int64_t k = 0; y && k < h * width * d; k++)
        to[k] *= g->scale;
}
