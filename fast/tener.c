/* Direction-aware attention, float32.
 * v0  the definition (relative.h), with one sinusoidal row for each distance */
#include <math.h>
#include "lines/line_rows.h"
#include "relative/relative.h"
#include "table/sines.h"

/* R[lines][d], whose row n - 1 + j - i is the sinusoids of that pair's distance, then as many rows of minus it. */
struct fast_tener { const float *u, *w, *R; int64_t n, lines; int extra; float scale; };

static int64_t distance(const struct mer_call *c, int64_t i, int64_t j)
{
    int64_t at = mer_int(c, "memory") + i;
    return mer_is(c, "sign", "key-query") ? j - at : at - j;
}

static float score(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct fast_tener *p = r->row;
    const float *q = relative_q(r, h, i), *k = relative_k(r, h, j), *R = p->R + (p->n - 1 + j - i) * r->d;
    float s = relative_dot(q, k, r->d) + relative_dot(q, R, r->d) + relative_dot(p->u + h * r->d, k, r->d) +
        relative_dot(p->w + h * r->d, R, r->d);
    s = p->extra ? s + relative_dot(k, R + p->lines * r->d, r->d) : s;
    return s * p->scale;
}

enum { DQ, DK, DV, DU, DW };
static void spread(const struct relative_grad *g, int64_t h, int64_t i, int64_t j, float ds, float p)
{
    const struct relative *r = &g->r;
    const struct fast_tener *t = r->row;
    const float *q = relative_q(r, h, i), *k = relative_k(r, h, j), *R = t->R + (t->n - 1 + j - i) * r->d,
                *u = t->u + h * r->d;
    float *dk = g->out[DK].to ? g->out[DK].to + (h * r->m + j) * r->d : NULL;
    relative_add(&g->out[DQ], h * r->n + i, ds, k, R, r->d);
    for (int64_t c = 0; dk && t->extra && c < r->d; c++)
        dk[c] += ds * (q[c] + u[c] + R[t->lines * r->d + c]);
    if (dk && !t->extra)
        relative_gather(dk, ds, q, u, r->d);
    relative_add(&g->out[DV], h * r->m + j, p, relative_seed(g, h, i), NULL, r->e);
    relative_add(&g->out[DU], h, ds, k, NULL, r->d);
    relative_add(&g->out[DW], h, ds, R, NULL, r->d);
}

/* c->state is R. */
int tener_prepare(struct mer_call *c)
{
    const struct sines s = sines_read(c);
    const int64_t n = mer_in(c, "q")->dim[1], lines = n + mer_in(c, "k")->dim[1];
    float *R = mer_in(c, "q")->dim[2] == s.dim ? malloc((size_t)(2 * lines * s.dim + 1) * sizeof *R) : NULL;
    c->state = R;
    if (!R)
        return MER_BAD;
    for (int64_t k = 0; k < lines; k++) {
        int64_t t = distance(c, n - 1, k);
        sines_row(R + k * s.dim, &s, t);
        sines_row(R + (lines + k) * s.dim, &s, -t);
    }
    return MER_OK;
}

static int asked(const struct mer_call *c, int back)
{
    const float *R = c->state;
    const int64_t n = mer_in(c, "q")->dim[1], lines = n + mer_in(c, "k")->dim[1], d = mer_in(c, "q")->dim[2];
    if (!back && mer_in(c, "keep") && !mer_is(c, "empty", "zero"))
        return MER_SKIP;
    const struct fast_tener p = { mer_in(c, "u")->data, mer_in(c, "w")->data, R, n, lines, mer_is(c, "extra", "key"),
        mer_is(c, "scale", "none") ? 1 : (float)(1 / sqrt((double)d)) };
    struct relative_grad g = { { .call = c, .row = &p, .score = score },
        { { "dq", 1 }, { "dk", 1 }, { "dv" }, { "du", 1 }, { "dw", 1 } }, p.scale, spread };
    return back ? relative_back(&g) : relative_attend(&g.r);
}
static int attend_f32(const struct mer_call *c) { return asked(c, 0); }
static int gradients_f32(const struct mer_call *c) { return asked(c, 1); }

static int table_f32(const struct mer_call *c)
{
    const int64_t *t = mer_in(c, "distance")->data;
    const struct sines s = sines_read(c);
    struct mer_array *y = mer_out(c, "r"); /* [n][d] */
    for (int64_t i = 0; i < y->dim[0]; i++)
        sines_row((float *)y->data + i * s.dim, &s, t[i]);
    return MER_OK;
}

static int index_i64(const struct mer_call *c)
{
    struct mer_array *y = mer_out(c, "index"); /* [n][m] */
    for (int64_t k = 0; k < y->dim[0] * y->dim[1]; k++)
        ((int64_t *)y->data)[k] = distance(c, k / y->dim[1], k % y->dim[1]);
    return MER_OK;
}
const struct mer_kernel tener_scalar[] = {
    { "tener", "o lse", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32 join=f32 " SINES_STEPS, 0, attend_f32,
        tener_prepare,
        free },
    { "tener", "dq dk dv du dw", "f32", RELATIVE_GRAD_STEPS " dot=f32/lanes1 score=f32 join=f32 " SINES_STEPS, 0,
        gradients_f32, tener_prepare, free },
    { "tener", "r", "f32", SINES_STEPS, 0, table_f32 }, { "tener", "index", "f32", "join=f32", 0, index_i64 }, { 0 },
};
