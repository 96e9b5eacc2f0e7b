/* Transformer-XL's relative attention, float32.
 * v0  the definition: W_kR R once for every distance, then two dot products a pair (relative.h) */
#include <math.h>
#include "distance.h"
#include "relative.h"

struct txl { int64_t clamp, first; int causal, negated; float scale, *r, *sum; const float *u, *vr; }; /* r[h][n + m - 1][d], row t of distance first + t; sum[d]: scratch */

static int64_t distance_of(const struct relative *r, int64_t i, int64_t j) { return r->m - r->n + i - j; }
static int visible(const struct relative *r, int64_t h, int64_t i, int64_t j) { (void)h; return !((const struct txl *)r->row)->causal || distance_of(r, i, j) >= 0; }

static float with_bias(const struct relative *r, int64_t h, int64_t i, const float *b, const float *to) /* <q_i + b_h, to> */
{
    const float *q = relative_q(r, h, i);
    float *sum = ((const struct txl *)r->row)->sum;
    for (int64_t k = 0; k < r->d; k++)
        sum[k] = q[k] + b[h * r->d + k];
    return relative_dot(sum, to, r->d);
}
static float score(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct txl *p = r->row;
    int64_t x = distance_of(r, i, j);
    x = p->clamp >= 0 && x > p->clamp ? p->clamp : x;
    return (with_bias(r, h, i, p->u, relative_k(r, h, j)) + with_bias(r, h, i, p->vr, p->r + (h * (r->n + r->m - 1) + x - p->first) * r->d)) * p->scale;
}

static int attend_f32(const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *wr = mer_in(c, "wr"); /* wr[h][c][d] */
    const int64_t h = q->dim[0], n = q->dim[1], d = q->dim[2], m = mer_in(c, "k")->dim[1], P = n + m - 1 > 0 ? n + m - 1 : 0, width = wr->dim[1];
    struct txl p = { mer_int(c, "clamp"), 1 - n, mer_is(c, "causal", "causal"), mer_is(c, "sign", "key-query"), (float)mer_real(c, "scale") };
    p.scale = p.scale != 0 ? p.scale : (float)(1 / sqrt((double)d));
    p.u = mer_in(c, "u")->data, p.vr = mer_in(c, "vr")->data;
    p.r = malloc((size_t)((h * P + 1) * d) * sizeof *p.r), p.sum = p.r ? p.r + h * P * d : NULL;
    float *R = distance_table(c, width, p.negated ? 1 - m : p.first, P); /* row t: distance first + t, or minus that, from the other end */
    for (int64_t t = 0; p.r && R && t < h * P * d; t++) {
        const float *from = R + (p.negated ? P - 1 - t / d % P : t / d % P) * width, *by = (const float *)wr->data + t / (P * d) * width * d + t % d;
        p.r[t] = 0;
        for (int64_t k = 0; k < width; k++)
            p.r[t] += from[k] * by[k * d];
    }
    struct relative r = { .call = c, .row = &p, .score = score, .visible = visible };
    int rc = p.r && R ? relative_attend(&r) : MER_BAD;
    free(p.r), free(R);
    return rc;
}

const struct mer_kernel txl_scalar[] = {
    { "txl", "o lse", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32:2 join=f32 bias=f32 project=f32 collect=f32/lanes1 store=f32", 0, attend_f32 }, { 0 },
};
