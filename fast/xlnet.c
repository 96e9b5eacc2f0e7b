/* XLNet's relative attention, float32.
 * v0  the definition: W_kR R once for every distance, then three dot products and a segment's a pair (relative.h) */
#include <math.h>
#include "distance.h"
#include "relative.h"

struct xlnet { int64_t clamp, segments; int causal, both; float scale; const float *r, *u, *vr, *rs, *se, *seg; }; /* r[h][n + m - 1][d], row t of distance t + 1 - n */

static int visible(const struct relative *r, int64_t h, int64_t i, int64_t j) { (void)h; return !((const struct xlnet *)r->row)->causal || relative_distance(r, i, j) >= 0; }
static float score(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct xlnet *p = r->row;
    const int64_t delta = relative_distance(r, i, j), far = p->clamp, x = far < 0 ? delta : delta > far ? far : delta < -far && p->both ? -far : delta;
    float s = relative_dot_biased(r, h, i, p->u, relative_k(r, h, j)) + relative_dot_biased(r, h, i, p->vr, p->r + (h * (r->n + r->m - 1) + x + r->n - 1) * r->d), segment = 0;
    for (int64_t k = 0; k < p->segments; k++)
        segment += p->seg[(i * r->m + j) * p->segments + k] * relative_dot_biased(r, h, i, p->rs, p->se + (k * r->h + h) * r->d);
    return (s + segment) * p->scale;
}

static int attend_f32(const struct mer_call *c)
{
    if (mer_in(c, "rows"))
        return MER_SKIP;
    float *lines = distance_lines(c);
    struct xlnet p = { mer_int(c, "clamp"), mer_in(c, "se")->dim[0], mer_is(c, "causal", "causal"), mer_is(c, "cut", "both"), (float)mer_real(c, "scale"),
                       lines, mer_in(c, "u")->data, mer_in(c, "vr")->data, mer_in(c, "rs")->data, mer_in(c, "se")->data, mer_in(c, "seg")->data };
    p.scale = p.scale != 0 ? p.scale : (float)(1 / sqrt((double)mer_in(c, "q")->dim[2]));
    struct relative r = { .call = c, .row = &p, .score = score, .visible = visible };
    int rc = lines ? relative_attend(&r) : MER_BAD;
    free(lines);
    return rc;
}
const struct mer_kernel xlnet_scalar[] = {
    { "xlnet", "o lse", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32:2 join=f32 bias=f32 project=f32 collect=f32/lanes1 store=f32", 0, attend_f32 }, { 0 },
};
