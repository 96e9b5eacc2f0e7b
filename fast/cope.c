/* Contextual position encoding, float32 or bfloat16 in and out, in double.      Golovneva et al. 2024, arXiv:2405.18719
 * v0  plain loops, query by query; the products with all whole positions once a query */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "recurrent/doubles.h"

/* A call as doubles; g[m], p[m] and w[m] are one query's gates, positions and weights, z[P] its products with the
 * embeddings. */
struct cope_call {
    const struct mer_call *c;
    double *block, *g, *p, *w, *z;
    int64_t H, G, n, m, d, e, P;
    const double *q, *k, *v, *emb, *gate, *up;
    double scale, gated, added;
    int out, end, all, zero;
};
static int open_call(struct cope_call *w, const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v");
    *w = (struct cope_call){ .c = c, .H = q->dim[0], .n = q->dim[1], .d = q->dim[2], .G = k->dim[0], .m = k->dim[1],
        .e = v ? v->dim[2] : 0, .P = mer_in(c, "emb")->dim[0], .scale = mer_real(c, "scale"),
        .out = mer_is(c, "own", "out"), .end = mer_is(c, "upto", "end"), .all = mer_is(c, "causal", "off"),
        .zero = mer_is(c, "start", "zero") };
    w->scale = w->scale > 0 ? w->scale : 1 / sqrt((double)w->d);
    w->gated = mer_is(c, "gates", "raw") ? 1 : w->scale, w->added = mer_is(c, "add", "before") ? w->scale : 1;
    double *used = w->block = malloc((size_t)(doubles_of_all(c) + 3 * w->m + w->P + 1) * sizeof *used);
    if (!used)
        return MER_BAD;
    w->q = doubles_in(c, "q", &used), w->k = doubles_in(c, "k", &used), w->v = doubles_in(c, "v", &used);
    w->emb = doubles_in(c, "emb", &used), w->gate = doubles_in(c, "kg", &used), w->up = doubles_in(c, "do", &used);
    w->gate = w->gate ? w->gate : w->k;
    w->g = used, w->p = w->g + w->m, w->w = w->p + w->m, w->z = w->w + w->m;
    return MER_OK;
}
static int64_t place_of(const struct cope_call *w, int64_t i) { return w->zero ? i : w->m - w->n + i; }
static int64_t key_of(const struct cope_call *w, int64_t h) { return h * w->G / w->H * w->m; }
static double dot(const double *x, const double *y, int64_t d)
{
    double s = 0;
    for (int64_t c = 0; c < d; c++)
        s += x[c] * y[c];
    return s;
}
static int counts(const struct cope_call *w, int64_t p, int64_t l) { return l < p || (l == p ? !w->out : w->end); }
/* Gates, positions and products of query i of head h. */
static void count(const struct cope_call *w, int64_t h, int64_t i)
{
    const double *q = w->q + (h * w->n + i) * w->d, *k = w->gate + key_of(w, h) * w->d;
    double sum = 0;
    for (int64_t l = w->m - 1; l >= 0; l--) {
        const double x = w->gated * dot(q, k + l * w->d, w->d), e = exp(-fabs(x));
        w->g[l] = counts(w, place_of(w, i), l) ? (x < 0 ? e / (1 + e) : 1 / (1 + e)) : 0;
        sum += w->g[l];
        w->p[l] = sum < (double)(w->P - 1) ? sum : (double)(w->P - 1);
    }
    for (int64_t t = 0; t < w->P; t++)
        w->z[t] = dot(q, w->emb + t * w->d, w->d);
}
/* The whole position below p, and in *share what p is more than it; NaN is at 0. */
static int64_t below(double p, double *share)
{
    const int64_t t = p >= 0 ? (int64_t)p : 0;
    *share = p - (double)t;
    return t;
}
static double bias_at(const struct cope_call *w, int64_t j)
{
    double share;
    const int64_t t = below(w->p[j], &share);
    return w->added * (share != 0 ? w->z[t + 1] * share + w->z[t] * (1 - share) : w->z[t]);
}
/* The weights of query i of head h and their lse. */
static double weigh(const struct cope_call *w, int64_t h, int64_t i)
{
    count(w, h, i);
    for (int64_t j = 0; j < w->m; j++)
        w->w[j] = !w->all && j > place_of(w, i) ?
            (double)-INFINITY :
            w->scale * dot(w->q + (h * w->n + i) * w->d, w->k + (key_of(w, h) + j) * w->d, w->d) + bias_at(w, j);
    return doubles_softmax(w->w, w->m);
}
static int forward(const struct mer_call *c)
{
    struct cope_call w;
    if (open_call(&w, c))
        return MER_BAD;
    double *o = malloc((size_t)(w.e + 1) * sizeof *o);
    for (int64_t h = 0; h < w.H && o; h++)
        for (int64_t i = 0; i < w.n; i++) {
            const double *v = w.v + key_of(&w, h) * w.e, lse = weigh(&w, h, i);
            doubles_mix(o, w.w, v, w.m, w.e);
            doubles_out(mer_out(c, "o"), (h * w.n + i) * w.e, o, w.e);
            doubles_out(mer_out(c, "lse"), h * w.n + i, &lse, 1);
        }
    free(w.block), free(o);
    return o ? MER_OK : MER_BAD;
}
static int stages(const struct mer_call *c)
{
    struct cope_call w;
    if (open_call(&w, c))
        return MER_BAD;
    for (int64_t k = 0; k < w.H * w.n; k++) {
        count(&w, k / w.n, k % w.n);
        doubles_out(mer_out(c, "position"), k * w.m, w.p, w.m);
        for (int64_t j = 0; j < w.m; j++)
            w.w[j] = bias_at(&w, j);
        doubles_out(mer_out(c, "bias"), k * w.m, w.w, w.m);
    }
    free(w.block);
    return MER_OK;
}

/* Gradients as they grow; dk is through the scores, dkg through the gates; ds[m], dz[P] and dq[d] are one query's. */
struct cope_grads { double *dk, *dkg, *dv, *demb, *ds, *dz, *dq; };
/* The gradients of the scores of query i of head h, and those of the values. */
static void scores_back(const struct cope_call *w, int64_t h, int64_t i, const struct cope_grads *to)
{
    const double *up = w->up + (h * w->n + i) * w->e;
    double D = 0;
    weigh(w, h, i);
    for (int64_t j = 0; j < w->m; j++) {
        const int64_t at = (key_of(w, h) + j) * w->e;
        to->ds[j] = dot(up, w->v + at, w->e);
        for (int64_t a = 0; a < w->e; a++)
            to->dv[at + a] += w->w[j] * up[a];
        D += w->w[j] * to->ds[j];
    }
    for (int64_t j = 0; j < w->m; j++)
        to->ds[j] = w->w[j] * (to->ds[j] - D);
}
static void query_back(const struct cope_call *w, int64_t h, int64_t i, const struct cope_grads *to)
{
    const double *q = w->q + (h * w->n + i) * w->d;
    double sum = 0;
    scores_back(w, h, i, to);
    memset(to->dq, 0, (size_t)w->d * sizeof *to->dq), memset(to->dz, 0, (size_t)w->P * sizeof *to->dz);
    for (int64_t j = 0; j < w->m; j++) {
        const double ds = w->scale * to->ds[j], up = w->added * to->ds[j], g = w->g[j];
        const int64_t at = (key_of(w, h) + j) * w->d;
        double share;
        const int64_t t = below(w->p[j], &share);
        to->dz[t] += up * (1 - share);
        if (share != 0)
            to->dz[t + 1] += up * share, sum += up * (w->z[t + 1] - w->z[t]);
        const double dx = w->gated * sum * (g * (1 - g));
        for (int64_t c = 0; c < w->d; c++) {
            to->dq[c] += ds * w->k[at + c] + dx * w->gate[at + c];
            to->dk[at + c] += ds * q[c], to->dkg[at + c] += dx * q[c];
        }
    }
    for (int64_t t = 0; t < w->P; t++)
        for (int64_t c = 0; c < w->d; c++)
            to->dq[c] += to->dz[t] * w->emb[t * w->d + c], to->demb[t * w->d + c] += to->dz[t] * q[c];
    doubles_out(mer_out(w->c, "dq"), (h * w->n + i) * w->d, to->dq, w->d);
}
static int backward(const struct mer_call *c)
{
    struct cope_call w;
    if (open_call(&w, c))
        return MER_BAD;
    const int64_t keys = w.G * w.m, k = keys * w.d;
    double *room = calloc((size_t)(2 * k + keys * w.e + w.P * (w.d + 1) + w.m + w.d + 1), sizeof *room);
    struct cope_grads to = { .dk = room };
    if (room) {
        to.dkg = to.dk + k, to.dv = to.dkg + k, to.demb = to.dv + keys * w.e, to.ds = to.demb + w.P * w.d;
        to.dz = to.ds + w.m, to.dq = to.dz + w.P;
    }
    for (int64_t at = 0; at < w.H * w.n && room; at++)
        query_back(&w, at / w.n, at % w.n, &to);
    for (int64_t at = 0; at < k && room && w.gate == w.k; at++)
        to.dk[at] += to.dkg[at];
    if (room)
        doubles_out(mer_out(c, "dk"), 0, to.dk, k), doubles_out(mer_out(c, "dkg"), 0, to.dkg, k),
            doubles_out(mer_out(c, "dv"), 0, to.dv, keys * w.e), doubles_out(mer_out(c, "demb"), 0, to.demb, w.P * w.d);
    free(w.block), free(room);
    return room ? MER_OK : MER_BAD;
}

/* In half-ulps: a gate has 5, exp (2 of glibc), a sum and a quotient; the scale is a root and a quotient; a gradient is
 * multiplied by two of them. */
#define COUNT "term=f64 inner=f64 logit=f64:3 gate=f64:5 count=f64"
#define BLEND " share=f64 part=f64 blend=f64 factor=f64:3"
#define ARITH COUNT BLEND " dot=f64 product=f64 score=f64:3 bias=f64 shift=f64 exp=f64:2 weight=f64 sum=f64 " \
    "total=f64 div=f64 log=f64:2"
#define BACK ARITH " dp=f64 ds=f64:3 slope=f64:3 gather=f64"
const struct mer_kernel cope_scalar[] = {
    { "cope", "o lse", "f32", ARITH, 0, forward },
    { "cope", "position", "f32", COUNT, 0, stages },
    { "cope", "bias", "f32", COUNT BLEND, 0, stages },
    { "cope", "dq dk dv demb dkg", "f32", BACK, 0, backward },
    { "cope", "o lse", "bf16", ARITH, 0, forward },
    { "cope", "position", "bf16", COUNT, 0, stages },
    { "cope", "bias", "bf16", COUNT BLEND, 0, stages },
    { "cope", "dq dk dv demb dkg", "bf16", BACK, 0, backward },
    { 0 },
};
