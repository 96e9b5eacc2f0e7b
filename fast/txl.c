/* Transformer-XL's relative attention, float32.                               Dai et al. 2019, section 3.3
 * v0  the definition: W_kR R once for every distance, then two dot products for each pair (relative.h) */
#include <math.h>
#include "relative/distance.h"
#include "relative/relative.h"

/* r and, for gradients, moved are [h][n + m - 1][d], with row t of distance t + 1 - n. */
struct fast_txl { int64_t clamp; int causal; float scale; const float *r, *u, *vr; float *moved; };

static int visible(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    (void)h;
    return !((const struct fast_txl *)r->row)->causal || relative_distance(r, i, j) >= 0;
}
/* The row of r, and of R, for a pair. */
static int64_t line_of(const struct relative *r, int64_t i, int64_t j)
{
    const struct fast_txl *p = r->row;
    int64_t x = relative_distance(r, i, j);
    return (p->clamp >= 0 && x > p->clamp ? p->clamp : x) + r->n - 1;
}
static const float *place_of(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    return ((const struct fast_txl *)r->row)->r + (h * (r->n + r->m - 1) + line_of(r, i, j)) * r->d;
}
static float score(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct fast_txl *p = r->row;
    return (relative_dot_biased(r, h, i, p->u, relative_k(r, h, j)) +
               relative_dot_biased(r, h, i, p->vr, place_of(r, h, i, j))) *
        p->scale;
}
static void spread(const struct relative_grad *g, int64_t h, int64_t i, int64_t j, float ds, float p)
{
    const struct relative *r = &g->r;
    const struct fast_txl *t = r->row;
    const float *place = place_of(r, h, i, j);
    relative_add(&g->out[0], h * r->n + i, ds, relative_k(r, h, j), place, r->d);
    relative_spread_wave(g, h, i, j, ds, p,
        &(struct relative_wave){
            t->u + h * r->d, t->vr + h * r->d, place, t->moved + (h * (r->n + r->m - 1) + line_of(r, i, j)) * r->d });
}

static int asked(const struct mer_call *c, int back)
{
    const struct mer_array *q = mer_in(c, "q"), *wr = mer_in(c, "wr");
    const int64_t count = q->dim[1] + mer_in(c, "k")->dim[1] - 1;
    float *lines = distance_lines(c), *R = back ? distance_rows(c) : NULL,
          *moved = back ? calloc((size_t)(q->dim[0] * (count > 0 ? count : 0) * q->dim[2]) + 1, sizeof *moved) : NULL;
    struct fast_txl p = { mer_int(c, "clamp"), mer_is(c, "causal", "causal"), (float)mer_real(c, "scale"), lines,
        mer_in(c, "u")->data, mer_in(c, "vr")->data, moved };
    p.scale = p.scale != 0 ? p.scale : (float)(1 / sqrt((double)mer_in(c, "q")->dim[2]));
    struct relative_grad g = { { .call = c, .row = &p, .score = score, .visible = visible },
        { { "dq", 1 }, { "dk", 1 }, { "dv" }, { "du", 1 }, { "dvr", 1 }, { "dwr", 1 } }, p.scale, spread };
    int rc = !lines || (back && !(R && moved)) ? MER_BAD : back ? relative_back(&g) : relative_attend(&g.r);
    if (back && rc == MER_OK)
        relative_close_wave(&g, "dwr", moved, R, count, wr->dim[1]);
    free(lines), free(R), free(moved);
    return rc;
}
static int attend_f32(const struct mer_call *c) { return asked(c, 0); }
static int gradients_f32(const struct mer_call *c) { return asked(c, 1); }

const struct mer_kernel txl_scalar[] = {
    { "txl", "o lse", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32 join=f32 bias=f32 project=f32 "
        "collect=f32/lanes1 store=f32", 0, attend_f32, distance_prepare, distance_release },
    { "txl", "dq dk dv du dvr dwr", "f32", RELATIVE_GRAD_STEPS
        " dot=f32/lanes1 score=f32 join=f32 bias=f32 project=f32 collect=f32/lanes1 store=f32", 0, gradients_f32,
        distance_prepare, distance_release },
    { 0 },
};
