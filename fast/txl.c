/* Transformer-XL's relative attention, float32.
 * v0  the definition: W_kR R once for every distance, then two dot products a pair (relative.h) */
#include <math.h>
#include "distance.h"
#include "relative.h"

struct txl { int64_t clamp; int causal; float scale; const float *r, *u, *vr; }; /* r[h][n + m - 1][d], row t of distance t + 1 - n */

static int visible(const struct relative *r, int64_t h, int64_t i, int64_t j) { (void)h; return !((const struct txl *)r->row)->causal || relative_distance(r, i, j) >= 0; }
static float score(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct txl *p = r->row;
    int64_t x = relative_distance(r, i, j);
    x = p->clamp >= 0 && x > p->clamp ? p->clamp : x;
    return (relative_dot_biased(r, h, i, p->u, relative_k(r, h, j)) + relative_dot_biased(r, h, i, p->vr, p->r + (h * (r->n + r->m - 1) + x + r->n - 1) * r->d)) * p->scale;
}

static int attend_f32(const struct mer_call *c)
{
    float *lines = distance_lines(c);
    struct txl p = { mer_int(c, "clamp"), mer_is(c, "causal", "causal"), (float)mer_real(c, "scale"), lines, mer_in(c, "u")->data, mer_in(c, "vr")->data };
    p.scale = p.scale != 0 ? p.scale : (float)(1 / sqrt((double)mer_in(c, "q")->dim[2]));
    struct relative r = { .call = c, .row = &p, .score = score, .visible = visible };
    int rc = lines ? relative_attend(&r) : MER_BAD;
    free(lines);
    return rc;
}

const struct mer_kernel txl_scalar[] = {
    { "txl", "o lse", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32:2 join=f32 bias=f32 project=f32 collect=f32/lanes1 store=f32", 0, attend_f32 }, { 0 },
};
