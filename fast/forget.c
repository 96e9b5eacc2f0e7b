/* Forgetting attention, float32 or bfloat16 in and out, in double.                    Lin et al. 2025, arXiv:2503.02130
 * v0  plain loops, query by query; a pair's gates are added from the query on, so that no sum grows beyond its bias */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "recurrent/doubles.h"

/* A call as doubles, with the logarithms of all gates in g[H][m]; w is one query's line of weights, [m]. */
struct forget_call {
    const struct mer_call *c;
    double *block, *g, *w, *bias;
    int64_t H, G, n, m, d, e, from;
    const double *q, *k, *v, *a, *up;
    double scale;
    int given, difference, end;
};
static double softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
static int open_call(struct forget_call *w, const struct mer_call *c)
{
    const struct mer_array *a = mer_in(c, "a"), *q = mer_in(c, "q");
    *w = (struct forget_call){ .c = c, .H = a->dim[0], .m = a->dim[1], .given = mer_is(c, "gate", "log"),
        .difference = mer_is(c, "right", "difference"), .end = mer_is(c, "start", "end"),
        .from = mer_is(c, "first", "next"), .scale = mer_real(c, "scale") };
    w->n = q ? q->dim[1] : w->m, w->d = q ? q->dim[2] : 0, w->G = q ? mer_in(c, "k")->dim[0] : 1;
    w->e = q ? mer_in(c, "v")->dim[2] : 0, w->scale = w->scale > 0 ? w->scale : 1 / sqrt((double)w->d);
    double *used = w->block = malloc((size_t)(doubles_of_all(c) + w->H * w->m + 2 * w->m + 1) * sizeof *used);
    if (!used)
        return MER_BAD;
    w->q = doubles_in(c, "q", &used), w->k = doubles_in(c, "k", &used), w->v = doubles_in(c, "v", &used);
    w->a = doubles_in(c, "a", &used), w->up = doubles_in(c, q ? "do" : "dbias", &used);
    w->g = used, w->w = used + w->H * w->m, w->bias = w->w + w->m;
    for (int64_t k = 0; k < w->H * w->m; k++)
        w->g[k] = w->given ? w->a[k] : -softplus(-w->a[k]);
    return MER_OK;
}
static int64_t place_of(const struct forget_call *w, int64_t i) { return w->end ? w->m - w->n + i : i; }
/* The biases of head h at place p: key j to the left takes the gates j + from .. p + from - 1, one to the right minus
 * p + from .. j + from - 1. */
static void decay(const struct forget_call *w, int64_t h, int64_t p)
{
    const double *g = w->g + h * w->m;
    const int64_t near = p < w->m ? p : w->m - 1;
    double sum = 0;
    for (int64_t l = near + w->from; l < p + w->from && l < w->m; l++)
        sum += l >= 0 ? g[l] : 0;
    for (int64_t j = near; j >= 0; j--) {
        w->bias[j] = sum;
        sum += j + w->from > 0 ? g[j + w->from - 1] : 0;
    }
    sum = 0;
    for (int64_t j = p >= 0 ? p + 1 : 0; j < w->m; j++) {
        sum += j + w->from > 0 ? g[j + w->from - 1] : 0;
        w->bias[j] = w->difference ? -sum : (double)-INFINITY;
    }
}
/* The weights of query i of head h and their lse. */
static double weigh(const struct forget_call *w, int64_t h, int64_t i)
{
    const double *q = w->q + (h * w->n + i) * w->d, *k = w->k + h * w->G / w->H * w->m * w->d;
    decay(w, h, place_of(w, i));
    for (int64_t j = 0; j < w->m; j++) {
        double s = 0;
        for (int64_t c = 0; c < w->d; c++)
            s += q[c] * k[j * w->d + c];
        w->w[j] = w->scale * s + w->bias[j];
    }
    return doubles_softmax(w->w, w->m);
}
static int forward(const struct mer_call *c)
{
    struct forget_call w;
    if (open_call(&w, c))
        return MER_BAD;
    double *o = malloc((size_t)(w.e + 1) * sizeof *o);
    for (int64_t h = 0; h < w.H && o; h++)
        for (int64_t i = 0; i < w.n; i++) {
            const double *v = w.v + h * w.G / w.H * w.m * w.e, lse = weigh(&w, h, i);
            doubles_mix(o, w.w, v, w.m, w.e);
            doubles_out(mer_out(c, "o"), (h * w.n + i) * w.e, o, w.e);
            doubles_out(mer_out(c, "lse"), h * w.n + i, &lse, 1);
        }
    free(w.block), free(o);
    return o ? MER_OK : MER_BAD;
}
static int biases(const struct mer_call *c)
{
    struct forget_call w;
    if (open_call(&w, c))
        return MER_BAD;
    for (int64_t h = 0; h < w.H; h++)
        for (int64_t i = 0; i < w.m; i++) {
            decay(&w, h, i);
            doubles_out(mer_out(c, "bias"), (h * w.m + i) * w.m, w.bias, w.m);
        }
    free(w.block);
    return MER_OK;
}

/* Adds to da[m] what the gradients ds[m] by the biases at place p say of the gates between. */
static void gates_back(const struct forget_call *w, int64_t p, const double *ds, double *da)
{
    double sum = 0;
    for (int64_t j = 0; j < p && j < w->m; j++) {
        sum += ds[j];
        if (j + w->from < w->m)
            da[j + w->from] += sum;
    }
    sum = 0;
    for (int64_t j = w->m - 1; j > p && j >= 0 && w->difference; j--) {
        sum += ds[j];
        if (j + w->from > 0)
            da[j + w->from - 1] -= sum;
    }
}
static void gates_out(const struct forget_call *w, const char *name, int64_t h, double *da)
{
    for (int64_t l = 0; l < w->m; l++)
        da[l] *= w->given ? 1 : 1 / (1 + exp(w->a[h * w->m + l]));
    doubles_out(mer_out(w->c, name), h * w->m, da, w->m);
}
static int biases_back(const struct mer_call *c)
{
    struct forget_call w;
    if (open_call(&w, c))
        return MER_BAD;
    for (int64_t h = 0; h < w.H; h++) {
        memset(w.w, 0, (size_t)w.m * sizeof *w.w);
        for (int64_t i = 0; i < w.m; i++)
            gates_back(&w, i, w.up + (h * w.m + i) * w.m, w.w);
        gates_out(&w, "da_bias", h, w.w);
    }
    free(w.block);
    return MER_OK;
}

/* Gradients as they grow; ds is one query's line. */
struct forget_grads { double *dk, *dv, *dq, *da, *ds; };
static void query_back(const struct forget_call *w, int64_t h, int64_t i, const struct forget_grads *to)
{
    const int64_t g = h * w->G / w->H;
    const double *up = w->up + (h * w->n + i) * w->e, *q = w->q + (h * w->n + i) * w->d, *k = w->k + g * w->m * w->d;
    double D = 0;
    weigh(w, h, i);
    for (int64_t j = 0; j < w->m; j++) {
        const double *v = w->v + (g * w->m + j) * w->e;
        to->ds[j] = 0;
        for (int64_t a = 0; a < w->e; a++) {
            to->ds[j] += up[a] * v[a];
            to->dv[(g * w->m + j) * w->e + a] += w->w[j] * up[a];
        }
        D += w->w[j] * to->ds[j];
    }
    memset(to->dq, 0, (size_t)w->d * sizeof *to->dq);
    for (int64_t j = 0; j < w->m; j++) {
        to->ds[j] = w->w[j] * (to->ds[j] - D);
        for (int64_t c = 0; c < w->d; c++) {
            to->dq[c] += to->ds[j] * w->scale * k[j * w->d + c];
            to->dk[(g * w->m + j) * w->d + c] += to->ds[j] * w->scale * q[c];
        }
    }
    doubles_out(mer_out(w->c, "dq"), (h * w->n + i) * w->d, to->dq, w->d);
    gates_back(w, place_of(w, i), to->ds, to->da);
}
static int backward(const struct mer_call *c)
{
    struct forget_call w;
    if (open_call(&w, c))
        return MER_BAD;
    double *room = calloc((size_t)(w.G * w.m * (w.d + w.e) + w.d + 2 * w.m + 1), sizeof *room);
    struct forget_grads to = { .dk = room };
    if (room) {
        to.dv = to.dk + w.G * w.m * w.d, to.dq = to.dv + w.G * w.m * w.e, to.da = to.dq + w.d, to.ds = to.da + w.m;
    }
    for (int64_t h = 0; h < w.H && room; h++) {
        memset(to.da, 0, (size_t)w.m * sizeof *to.da);
        for (int64_t i = 0; i < w.n; i++)
            query_back(&w, h, i, &to);
        gates_out(&w, "da", h, to.da);
    }
    if (room)
        doubles_out(mer_out(c, "dk"), 0, to.dk, w.G * w.m * w.d),
            doubles_out(mer_out(c, "dv"), 0, to.dv, w.G * w.m * w.e);
    free(w.block), free(room);
    return room ? MER_OK : MER_BAD;
}

/* In half-ulps: log1p(e^x) has 5, with x added 6; the sigmoid of a gradient 4.  The scale is a root and a quotient. */
#define ARITH "logit=f64:6 cumulate=f64 dot=f64 product=f64 score=f64:3 bias=f64 shift=f64 exp=f64:2 weight=f64 " \
    "sum=f64 total=f64 div=f64 log=f64:2"
#define BACK " dp=f64 ds=f64:3 slope=f64:2 gather=f64"
const struct mer_kernel forget_scalar[] = {
    { "forget", "o lse", "f32", ARITH, 0, forward },
    { "forget", "bias", "f32", "logit=f64:6 cumulate=f64", 0, biases },
    { "forget", "dq dk dv da", "f32", ARITH BACK, 0, backward },
    { "forget", "da_bias", "f32", "logit=f64:6 gather=f64 slope=f64:2", 0, biases_back },
    { "forget", "o lse", "bf16", ARITH, 0, forward },
    { "forget", "bias", "bf16", "logit=f64:6 cumulate=f64", 0, biases },
    { "forget", "dq dk dv da", "bf16", ARITH BACK, 0, backward },
    { 0 },
};
