/* XLNet's relative attention, float32.
 * v0  the definition: W_kR R once for every distance, then three dot products and a segment's a pair (relative.h) */
#include <math.h>
#include "distance.h"
#include "relative.h"

struct xlnet { int64_t clamp, first, segments; int causal, both; float scale, *r, *sum; const float *u, *vr, *rs, *se, *seg; }; /* r[h][n + m - 1][d], row t of distance first + t; sum[d]: scratch */

static int64_t distance_of(const struct relative *r, int64_t i, int64_t j) { return r->m - r->n + i - j; }
static int visible(const struct relative *r, int64_t h, int64_t i, int64_t j) { (void)h; return !((const struct xlnet *)r->row)->causal || distance_of(r, i, j) >= 0; }

static float with_bias(const struct relative *r, int64_t h, int64_t i, const float *b, const float *to) /* <q_i + b_h, to> */
{
    const float *q = relative_q(r, h, i);
    float *sum = ((const struct xlnet *)r->row)->sum;
    for (int64_t k = 0; k < r->d; k++)
        sum[k] = q[k] + b[h * r->d + k];
    return relative_dot(sum, to, r->d);
}
static float score(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct xlnet *p = r->row;
    const int64_t delta = distance_of(r, i, j), far = p->clamp, x = far < 0 ? delta : delta > far ? far : delta < -far && p->both ? -far : delta;
    float s = with_bias(r, h, i, p->u, relative_k(r, h, j)) + with_bias(r, h, i, p->vr, p->r + (h * (r->n + r->m - 1) + x - p->first) * r->d), segment = 0;
    for (int64_t k = 0; k < p->segments; k++)
        segment += p->seg[(i * r->m + j) * p->segments + k] * with_bias(r, h, i, p->rs, p->se + (k * r->h + h) * r->d);
    return (s + segment) * p->scale;
}

static int attend_f32(const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *wr = mer_in(c, "wr"); /* wr[h][c][d] */
    const int64_t h = q->dim[0], n = q->dim[1], d = q->dim[2], m = mer_in(c, "k")->dim[1], P = n + m - 1 > 0 ? n + m - 1 : 0, width = wr->dim[1];
    const int negated = mer_is(c, "sign", "key-query");
    if (mer_in(c, "rows"))
        return MER_SKIP;
    struct xlnet p = { mer_int(c, "clamp"), 1 - n, mer_in(c, "se")->dim[0], mer_is(c, "causal", "causal"), mer_is(c, "cut", "both"), (float)mer_real(c, "scale") };
    p.scale = p.scale != 0 ? p.scale : (float)(1 / sqrt((double)d));
    p.u = mer_in(c, "u")->data, p.vr = mer_in(c, "vr")->data, p.rs = mer_in(c, "rs")->data, p.se = mer_in(c, "se")->data, p.seg = mer_in(c, "seg")->data;
    p.r = malloc((size_t)((h * P + 1) * d) * sizeof *p.r), p.sum = p.r ? p.r + h * P * d : NULL;
    float *R = distance_table(c, width, negated ? 1 - m : p.first, P); /* row t: distance first + t, or minus that, from the other end */
    for (int64_t t = 0; p.r && R && t < h * P * d; t++) {
        const float *from = R + (negated ? P - 1 - t / d % P : t / d % P) * width, *by = (const float *)wr->data + t / (P * d) * width * d + t % d;
        p.r[t] = 0;
        for (int64_t k = 0; k < width; k++)
            p.r[t] += from[k] * by[k * d];
    }
    struct relative r = { .call = c, .row = &p, .score = score, .visible = visible };
    int rc = p.r && R ? relative_attend(&r) : MER_BAD;
    free(p.r), free(R);
    return rc;
}
const struct mer_kernel xlnet_scalar[] = {
    { "xlnet", "o lse", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32:2 join=f32 bias=f32 project=f32 collect=f32/lanes1 store=f32", 0, attend_f32 }, { 0 },
};
