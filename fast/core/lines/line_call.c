/* Opens and closes calls of relative rows that are answered by lines of distances; see line_call.h. */
#include "lines/line_call.h"
#include <math.h>

enum { LINE = 16 }; /* floats of a cache line */
int64_t line_floats(const struct line_grad *g)
{
    return (g->m + LINE_SPARE) * (3 + g->d + g->e) + (g->n + g->m + LINE_SPARE) * (2 * g->d + g->e);
}

int64_t line_length(const struct mer_array *a)
{
    int64_t n = 1;
    for (int k = 0; k < a->rank; k++)
        n *= a->dim[k];
    return n;
}
int line_finite(const struct mer_call *c, const char *name)
{
    const struct mer_array *a = mer_in(c, name);
    const int64_t n = a ? line_length(a) : 0;
    int64_t k = 0;
    while (k < n && isfinite(((const float *)a->data)[k]))
        k++;
    return k == n;
}
float *line_zeros(const struct mer_call *c, const char *name, float **room, int64_t n)
{
    struct mer_array *a = mer_out(c, name);
    float *to = a ? a->data : *room;
    *room += a ? 0 : n;
    for (int64_t k = 0; k < n; k++)
        to[k] = 0;
    return to;
}
int line_begin(struct line_call *x, const struct mer_call *c, int64_t more, float **room)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v"), *seed = mer_in(c, "do"),
                           *keep = mer_in(c, "keep");
    const int64_t h = q->dim[0], g = k->dim[0], n = q->dim[1], m = k->dim[1], d = q->dim[2], e = v->dim[2];
    *x = (struct line_call){ .g = { .n = n, .m = m, .d = d, .e = e }, .h = h, .groups = g,
        .lines = n + m > 0 ? n + m - 1 : 0, .keep = keep ? keep->data : NULL };
    if (g < 1 || h % g || v->dim[0] != g || v->dim[1] != m || k->dim[2] != d ||
        (seed && (seed->dim[0] != h || seed->dim[1] != n || seed->dim[2] != e)))
        return MER_BAD;
    const int64_t outs = seed ? h * n * d + g * m * (d + e) : 0, all = outs + line_floats(&x->g) + 2 * LINE + more;
    x->own = aligned_alloc(64, ((size_t)all + 16) / 16 * 64);
    if (!x->own)
        return MER_BAD;
    float *at = x->own;
    if (seed)
        x->dq = line_zeros(c, "dq", &at, h * n * d), x->dk = line_zeros(c, "dk", &at, g * m * d),
        x->dv = line_zeros(c, "dv", &at, g * m * e);
    x->g.room = x->own + (outs + LINE - 1) / LINE * LINE;
    *room = x->g.room + (line_floats(&x->g) + LINE - 1) / LINE * LINE;
    return MER_OK;
}
void line_of_head(struct line_call *x, const struct mer_call *c, int64_t h)
{
    struct line_grad *g = &x->g;
    const struct mer_array *seed = mer_in(c, "do"), *o = mer_out(c, "o"), *lse = mer_out(c, "lse");
    const int64_t n = g->n, m = g->m, d = g->d, e = g->e, of = h * x->groups / x->h; /* its keys and values */
    g->content = g->position = g->gives = (const float *)mer_in(c, "q")->data + h * n * d;
    g->k = (const float *)mer_in(c, "k")->data + of * m * d, g->v = (const float *)mer_in(c, "v")->data + of * m * e;
    g->seed = seed ? (const float *)seed->data + h * n * e : NULL;
    if (seed)
        g->dq = x->dq + h * n * d, g->dk = x->dk + of * m * d, g->dv = x->dv + of * m * e;
    g->o = o ? (float *)o->data + h * n * e : NULL, g->lse = lse ? (float *)lse->data + h * n : NULL;
    g->keep = x->keep ? x->keep + h * n * m : NULL;
}
void line_times(float *x, int64_t n, float by)
{
    for (int64_t k = 0; k < n; k++)
        x[k] *= by;
}
void line_end(struct line_call *x)
{
    if (x->dq)
        line_times(x->dq, x->h * x->g.n * x->g.d, x->g.scale),
            line_times(x->dk, x->groups * x->g.m * x->g.d, x->g.scale);
    free(x->own);
}
