/* Rows tener and forget by lines; see line_rows.h. */
#include "lines/line_rows.h"
#include <math.h>
#include "lines/line_call.h"
#include "relative/relative.h"

/* Row tener: u and w of the head, and room for what they give: key_term[m], line_term[lines], gives[n][d]. */
static void tener_head(struct line_call *x, const struct mer_call *c, int64_t h, float *room)
{
    struct line_grad *g = &x->g;
    const int64_t d = g->d;
    const float *u = (const float *)mer_in(c, "u")->data + h * d, *w = (const float *)mer_in(c, "w")->data + h * d;
    float *key_term = room, *line_term = key_term + g->m, *gives = line_term + x->lines;
    line_of_head(x, c, h);
    for (int64_t j = 0; j < g->m; j++)
        key_term[j] = relative_dot(u, g->k + j * d, d);
    for (int64_t t = 0; t < x->lines; t++)
        line_term[t] = relative_dot(w, g->place + t * d, d);
    for (int64_t k = 0; k < g->n * d && g->seed; k++)
        gives[k] = g->content[k] + u[k % d];
    g->key_term = key_term, g->line_term = line_term, g->gives = gives;
}
int line_tener(const struct mer_call *c, line_head *head)
{
    const int64_t h = mer_in(c, "q")->dim[0], n = mer_in(c, "q")->dim[1], m = mer_in(c, "k")->dim[1],
                  d = mer_in(c, "q")->dim[2];
    struct line_call x;
    float *room;
    if (!mer_in(c, "do") && mer_in(c, "keep") && !mer_is(c, "empty", "zero"))
        return MER_SKIP;
    if (line_begin(&x, c, n + 2 * m + (n + 2 * h) * d, &room))
        return MER_BAD;
    float *at = room + n + 2 * m + n * d, *du = NULL, *dw = NULL;
    if (mer_in(c, "do"))
        du = line_zeros(c, "du", &at, h * d), dw = line_zeros(c, "dw", &at, h * d);
    x.g.scale = mer_is(c, "scale", "none") ? 1 : (float)(1 / sqrt((double)d));
    x.g.place = c->state, x.g.back = mer_is(c, "extra", "key") ? x.g.place + (n + m) * d : NULL;
    for (int64_t k = 0; k < h; k++) {
        tener_head(&x, c, k, room);
        if (du)
            x.g.keys = du + k * d, x.g.places = dw + k * d;
        head(&x.g);
    }
    if (du)
        line_times(du, h * d, x.g.scale), line_times(dw, h * d, x.g.scale);
    line_end(&x);
    return MER_OK;
}

/* Row forget: the logarithms of a head's gates, rounded once from double. */
static void forget_gates(const struct mer_call *c, int64_t h, int64_t m, float *gate)
{
    const float *a = (const float *)mer_in(c, "a")->data + h * m;
    const int given = mer_is(c, "gate", "log");
    for (int64_t l = 0; l < m; l++) {
        const double x = -(double)a[l];
        gate[l] = given ? a[l] : (float)-(x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)));
    }
}
/* da of head h, where the call wants it. */
static void forget_out(const struct mer_call *c, int64_t h, int64_t m, const float *dgate)
{
    struct mer_array *da = mer_out(c, "da");
    const float *a = (const float *)mer_in(c, "a")->data + h * m;
    const int given = mer_is(c, "gate", "log");
    for (int64_t l = 0; da && l < m; l++)
        ((float *)da->data)[h * m + l] = given ? dgate[l] : (float)((double)dgate[l] / (1 + exp((double)a[l])));
}
int line_forget(const struct mer_call *c, line_head *head)
{
    const struct mer_array *q = mer_in(c, "q"), *a = mer_in(c, "a");
    const int64_t h = q->dim[0], m = mer_in(c, "k")->dim[1];
    const float scale = (float)mer_real(c, "scale");
    struct line_call x;
    float *room;
    if (!mer_is(c, "right", "hidden"))
        return MER_SKIP;
    if (a->dim[0] != h || a->dim[1] != m || line_begin(&x, c, 2 * m, &room))
        return MER_BAD;
    x.g.scale = scale > 0 ? scale : (float)(1 / sqrt((double)q->dim[2]));
    x.g.bounded = 1, x.g.shift = mer_is(c, "start", "end") ? m - q->dim[1] : 0;
    x.g.gate = room, x.g.dgate = room + m, x.g.from = mer_is(c, "first", "next");
    for (int64_t k = 0; k < h; k++) {
        forget_gates(c, k, m, room);
        memset(room + m, 0, (size_t)m * sizeof *room);
        line_of_head(&x, c, k), head(&x.g);
        forget_out(c, k, m, room + m);
    }
    line_end(&x);
    return MER_OK;
}
