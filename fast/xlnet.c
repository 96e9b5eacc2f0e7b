/* XLNet's relative attention, float32.                                  Yang et al. 2019, sections 2.4, 2.5
 * v0  the definition: W_kR R once for every distance, then three dot products and that of a segment for each pair
 *     (relative.h) */
#include <math.h>
#include "relative/distance.h"
#include "relative/relative.h"

/* r and, for gradients, moved are [h][n + m - 1][d], with row t of distance t + 1 - n. */
struct fast_xlnet {
    int64_t clamp, segments;
    int causal, both;
    float scale;
    const float *r, *u, *vr, *rs, *se, *seg;
    float *moved;
};

static int visible(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    (void)h;
    return !((const struct fast_xlnet *)r->row)->causal || relative_distance(r, i, j) >= 0;
}
/* The row of r, and of R, for a pair. */
static int64_t line_of(const struct relative *r, int64_t i, int64_t j)
{
    const struct fast_xlnet *p = r->row;
    const int64_t delta = relative_distance(r, i, j), far = p->clamp;
    return (far < 0 ? delta : delta > far ? far : delta < -far && p->both ? -far : delta) + r->n - 1;
}
static const float *place_of(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    return ((const struct fast_xlnet *)r->row)->r + (h * (r->n + r->m - 1) + line_of(r, i, j)) * r->d;
}
static float score(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct fast_xlnet *p = r->row;
    float s = relative_dot_biased(r, h, i, p->u, relative_k(r, h, j)) +
        relative_dot_biased(r, h, i, p->vr, place_of(r, h, i, j)),
          segment = 0;
    for (int64_t k = 0; k < p->segments; k++)
        segment += p->seg[(i * r->m + j) * p->segments + k] *
            relative_dot_biased(r, h, i, p->rs, p->se + (k * r->h + h) * r->d);
    return (s + segment) * p->scale;
}

enum { DQ, DRS = 6, DSE };
static void spread(const struct relative_grad *g, int64_t h, int64_t i, int64_t j, float ds, float p)
{
    const struct relative *r = &g->r;
    const struct fast_xlnet *t = r->row;
    const float *q = relative_q(r, h, i), *k = relative_k(r, h, j), *place = place_of(r, h, i, j),
                *seg = t->seg + (i * r->m + j) * t->segments;
    for (int64_t c = 0; c < r->d; c++) {
        float e = 0; /* the term of the pair's segment */
        for (int64_t s = 0; s < t->segments; s++) {
            const int64_t at = (s * r->h + h) * r->d + c;
            e += seg[s] * t->se[at];
            if (g->out[DSE].to)
                g->out[DSE].to[at] += ds * (seg[s] * (q[c] + t->rs[h * r->d + c]));
        }
        if (g->out[DQ].to)
            g->out[DQ].to[(h * r->n + i) * r->d + c] += ds * (k[c] + place[c] + e);
        if (g->out[DRS].to)
            g->out[DRS].to[h * r->d + c] += ds * e;
    }
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
    struct fast_xlnet p = { mer_int(c, "clamp"), mer_in(c, "se")->dim[0], mer_is(c, "causal", "causal"),
        mer_is(c, "cut", "both"), (float)mer_real(c, "scale"), lines, mer_in(c, "u")->data, mer_in(c, "vr")->data,
        mer_in(c, "rs")->data, mer_in(c, "se")->data, mer_in(c, "seg")->data, moved };
    p.scale = p.scale != 0 ? p.scale : (float)(1 / sqrt((double)mer_in(c, "q")->dim[2]));
    struct relative_grad g = { { .call = c, .row = &p, .score = score, .visible = visible },
        { { "dq", 1 }, { "dk", 1 }, { "dv" }, { "du", 1 }, { "dvr", 1 }, { "dwr", 1 }, { "drs", 1 }, { "dse", 1 } },
        p.scale, spread };
    int rc = !lines || (back && !(R && moved)) ? MER_BAD : back ? relative_back(&g) : relative_attend(&g.r);
    if (back && rc == MER_OK)
        relative_close_wave(&g, "dwr", moved, R, count, wr->dim[1]);
    free(lines), free(R), free(moved);
    return rc;
}
static int attend_f32(const struct mer_call *c) { return asked(c, 0); }
static int gradients_f32(const struct mer_call *c) { return asked(c, 1); }
const struct mer_kernel xlnet_scalar[] = {
    { "xlnet", "o lse", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32 join=f32 bias=f32 project=f32 "
        "collect=f32/lanes1 store=f32", 0, attend_f32, distance_prepare, distance_release },
    { "xlnet", "dq dk dv du dvr dwr drs dse", "f32", RELATIVE_GRAD_STEPS
        " dot=f32/lanes1 score=f32 join=f32 bias=f32 project=f32 collect=f32/lanes1 store=f32", 0, gradients_f32,
        distance_prepare, distance_release },
    { 0 },
};
