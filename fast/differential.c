/* Differential attention, float32 or bfloat16 in and out, in double.                 Ye et al. 2024, arXiv:2410.05258
 * v0  plain loops, query by query: both halves' outputs, then what is left of them */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "recurrent/doubles.h"

/* A call as doubles. */
struct kernel_differential_call {
    const struct mer_call *c;
    double *block;
    int64_t H, G, n, m, d, e;
    int gated, causal, repeated, norm, fade;
    double scale, eps, level;
    const double *q[2], *k[2], *v, *vector[4], *a, *gain, *up;
};
static double level_of(const struct mer_call *c)
{
    const double level = mer_real(c, "level");
    return level > 0 ? level : 0.8 - 0.6 * exp(-0.3 * (mer_real(c, "layer") - 1));
}
static int open_call(struct kernel_differential_call *w, const struct mer_call *c)
{
    static const char *const vector[] = { "lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2" };
    const struct mer_array *q = mer_in(c, "q1"), *v = mer_in(c, "v");
    *w = (struct kernel_differential_call){ .c = c, .H = q->dim[0], .G = v->dim[0], .n = q->dim[1], .m = v->dim[1],
        .d = q->dim[2],
        .e = v->dim[2], .gated = mer_in(c, "k") != NULL, .causal = mer_is(c, "causal", "on"),
        .norm = mer_is(c, "norm", "rms"), .fade = mer_is(c, "fade", "on"), .scale = mer_real(c, "scale"),
        .eps = mer_real(c, "eps"), .level = level_of(c) };
    w->repeated = !w->gated && mer_is(c, "keys", "repeated");
    w->scale = w->scale > 0 ? w->scale : 1 / sqrt((double)w->d);
    double *used = w->block = malloc((size_t)(doubles_of_all(c) + 1) * sizeof *used);
    if (!used)
        return MER_BAD;
    w->q[0] = doubles_in(c, "q1", &used), w->q[1] = doubles_in(c, "q2", &used);
    w->k[0] = doubles_in(c, w->gated ? "k" : "k1", &used), w->k[1] = w->gated ? w->k[0] : doubles_in(c, "k2", &used);
    w->v = doubles_in(c, "v", &used), w->a = doubles_in(c, "a", &used);
    for (int k = 0; k < 4; k++)
        w->vector[k] = doubles_in(c, vector[k], &used);
    w->gain = doubles_in(c, "gain", &used);
    w->up = doubles_in(c, w->gated ? "dgated" : "do", &used);
    return MER_OK;
}
/* The keys that a half of head h reads, [m][d]; *head and *of say where they are. */
static const double *keys_of(const struct kernel_differential_call *w, int64_t h, int half, int64_t *head, int *of)
{
    const int64_t flat = (2 * h + half) * w->G / w->H;
    *head = w->repeated ? flat / 2 : h * w->G / w->H, *of = w->repeated ? (int)(flat % 2) : half;
    return w->k[*of] + *head * w->m * w->d;
}
static double power(const struct kernel_differential_call *w, int half)
{
    double sum = 0;
    for (int64_t c = 0; c < w->d; c++)
        sum += w->vector[2 * half][c] * w->vector[2 * half + 1][c];
    return exp(sum);
}
static double share(const struct kernel_differential_call *w, int64_t h, int64_t i)
{
    return w->gated ? 1 / (1 + exp(-w->a[h * w->n + i])) : power(w, 0) - power(w, 1) + w->level;
}

/* How many keys query i sees, the first ones. */
static int64_t seen_by(const struct kernel_differential_call *w, int64_t i)
{
    const int64_t place = w->m - w->n + i + 1;
    return !w->causal ? w->m : place > 0 ? place : 0;
}
/* The weights p[m] of query i of one half, and the output o[e] that they make. */
static void attend(const struct kernel_differential_call *w, int64_t h, int64_t i, int half, double *p, double *o)
{
    int64_t head;
    int of;
    const double *q = w->q[half] + (h * w->n + i) * w->d, *k = keys_of(w, h, half, &head, &of);
    const double *v = w->v + h * w->G / w->H * w->m * w->e;
    const int64_t seen = seen_by(w, i);
    memset(p, 0, (size_t)w->m * sizeof *p), memset(o, 0, (size_t)w->e * sizeof *o);
    for (int64_t j = 0; j < seen; j++) {
        for (int64_t c = 0; c < w->d; c++)
            p[j] += q[c] * k[j * w->d + c];
        p[j] *= w->scale;
    }
    doubles_softmax(p, seen);
    for (int64_t j = 0; j < seen; j++)
        for (int64_t c = 0; c < w->e; c++)
            o[c] += p[j] * v[j * w->e + c];
}
/* 1 / rms of z[e]. */
static double inverse(const struct kernel_differential_call *w, const double *z)
{
    double sum = 0;
    for (int64_t c = 0; c < w->e; c++)
        sum += z[c] * z[c];
    return 1 / sqrt(sum / (double)w->e + w->eps);
}
static int forward(const struct mer_call *c)
{
    struct kernel_differential_call w;
    if (open_call(&w, c))
        return MER_BAD;
    double *p = malloc((size_t)(w.m + 2 * w.e + 1) * sizeof *p), *z = p ? p + w.m : NULL, *o = p ? z + w.e : NULL;
    for (int64_t h = 0; h < w.H && p; h++)
        for (int64_t i = 0; i < w.n; i++) {
            attend(&w, h, i, 0, p, z), attend(&w, h, i, 1, p, o);
            const double part = share(&w, h, i);
            for (int64_t k = 0; k < w.e; k++)
                z[k] -= part * o[k];
            const double r = w.norm ? inverse(&w, z) : 1;
            for (int64_t k = 0; k < w.e; k++)
                z[k] = z[k] * r * (w.gain ? w.gain[k] : 1) * (w.fade ? 1 - w.level : 1);
            doubles_out(mer_out(c, w.gated ? "gated" : "o"), (h * w.n + i) * w.e, z, w.e);
        }
    free(w.block), free(p);
    return p ? MER_OK : MER_BAD;
}

/* Gradients as they grow; those of one head's halves, which are added to them behind it, hk[2][m][d] and hv[2][m][e];
 * and room: p[2][m], o[2][e], dz[e] and line[e] of a query. */
struct differential_grads { double *dq[2], *dk[2], *dv, *gain, *a, *hk, *hv, *p, *o, *dz, *line, share; };
/* dz[e] becomes the gradient by what is left of the halves; that of the gain grows. */
static void norm_back(const struct kernel_differential_call *w, const double *up, const struct differential_grads *to)
{
    const double *z = to->line, r = w->norm ? inverse(w, z) : 1;
    double dot = 0;
    for (int64_t c = 0; c < w->e; c++) {
        const double y = w->fade ? (1 - w->level) * up[c] : up[c];
        to->gain[c] += w->gain ? y * (z[c] * r) : 0;
        to->dz[c] = w->gain ? y * w->gain[c] : y;
        dot += to->dz[c] * (z[c] * r);
    }
    for (int64_t c = 0; c < w->e && w->norm; c++)
        to->dz[c] = r * (to->dz[c] - z[c] * r * (dot / (double)w->e));
}
/* What the gradient dz[e], times `by`, says of a half's scores. */
static void half_back(const struct kernel_differential_call *w, int64_t h, int64_t i, int half, double by,
    const struct differential_grads *to)
{
    int64_t head;
    int of;
    const double *q = w->q[half] + (h * w->n + i) * w->d, *k = keys_of(w, h, half, &head, &of);
    const double *p = to->p + half * w->m, *v = w->v + h * w->G / w->H * w->m * w->e;
    const int64_t seen = seen_by(w, i);
    double D = 0, *dq = to->dq[half] + (h * w->n + i) * w->d;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t j = 0; j < seen; j++) {
            double dp = 0, *dv = to->hv + (half * w->m + j) * w->e, *dk = to->hk + (half * w->m + j) * w->d;
            for (int64_t c = 0; c < w->e; c++)
                dp += by * to->dz[c] * v[j * w->e + c];
            if (!pass) {
                D += p[j] * dp;
                continue;
            }
            const double ds = p[j] * (dp - D) * w->scale;
            for (int64_t c = 0; c < w->d; c++)
                dq[c] += ds * k[j * w->d + c], dk[c] += ds * q[c];
            for (int64_t c = 0; c < w->e; c++)
                dv[c] += p[j] * (by * to->dz[c]);
        }
}
/* Adds what the halves of head h have to the gradients of keys and values, and empties it. */
static void gather(const struct kernel_differential_call *w, int64_t h, const struct differential_grads *to)
{
    const int64_t keys = w->m * w->d, values = w->m * w->e;
    for (int half = 0; half < 2; half++) {
        int64_t head;
        int of;
        keys_of(w, h, half, &head, &of);
        for (int64_t k = 0; k < keys; k++)
            to->dk[of][head * keys + k] += to->hk[half * keys + k];
        for (int64_t k = 0; k < values; k++)
            to->dv[h * w->G / w->H * values + k] += to->hv[half * values + k];
    }
    memset(to->hk, 0, (size_t)(2 * keys) * sizeof *to->hk), memset(to->hv, 0, (size_t)(2 * values) * sizeof *to->hv);
}
static void query_back(const struct kernel_differential_call *w, int64_t h, int64_t i, struct differential_grads *to)
{
    const double part = share(w, h, i);
    double dpart = 0;
    for (int half = 0; half < 2; half++)
        attend(w, h, i, half, to->p + half * w->m, to->o + half * w->e);
    for (int64_t c = 0; c < w->e; c++)
        to->line[c] = to->o[c] - part * to->o[w->e + c];
    norm_back(w, w->up + (h * w->n + i) * w->e, to);
    for (int64_t c = 0; c < w->e; c++)
        dpart -= to->dz[c] * to->o[w->e + c];
    half_back(w, h, i, 0, 1, to), half_back(w, h, i, 1, -part, to);
    to->share += dpart;
    if (w->gated)
        to->a[h * w->n + i] = dpart * (part * (1 / (1 + exp(w->a[h * w->n + i]))));
}
/* The gradients of the four vectors of lambda. */
static void vectors_out(const struct kernel_differential_call *w, const struct differential_grads *to)
{
    static const char *const name[] = { "dlambda_q1", "dlambda_k1", "dlambda_q2", "dlambda_k2" };
    for (int k = 0; k < 4 && !w->gated; k++) {
        const double by = (k < 2 ? to->share : -to->share) * power(w, k / 2);
        for (int64_t c = 0; c < w->d; c++) {
            const double y = by * w->vector[k ^ 1][c];
            doubles_out(mer_out(w->c, name[k]), c, &y, 1);
        }
    }
}
static void out(const struct kernel_differential_call *w, const char *plain, const char *gated, const double *x,
    int64_t n)
{
    doubles_out(mer_out(w->c, w->gated ? gated : plain), 0, x, n);
}
static int backward(const struct mer_call *c)
{
    struct kernel_differential_call w;
    if (open_call(&w, c))
        return MER_BAD;
    const int64_t q = w.H * w.n * w.d, k = w.G * w.m * w.d, v = w.G * w.m * w.e;
    const int64_t all = 2 * (q + k) + v + w.H * w.n + 2 * w.m * (w.d + w.e + 1) + 5 * w.e + 1;
    double *room = calloc((size_t)all, sizeof *room);
    struct differential_grads to = { .dq = { room } };
    if (room) {
        to.dq[1] = room + q, to.dk[0] = to.dq[1] + q, to.dk[1] = w.gated ? to.dk[0] : to.dk[0] + k;
        to.dv = to.dk[0] + 2 * k, to.gain = to.dv + v, to.a = to.gain + w.e, to.hk = to.a + w.H * w.n;
        to.hv = to.hk + 2 * w.m * w.d, to.p = to.hv + 2 * w.m * w.e;
        to.o = to.p + 2 * w.m, to.dz = to.o + 2 * w.e, to.line = to.dz + w.e;
    }
    for (int64_t h = 0; h < w.H && room; h++) {
        for (int64_t i = 0; i < w.n; i++)
            query_back(&w, h, i, &to);
        gather(&w, h, &to);
    }
    if (room) {
        out(&w, "dq1", "dq1_gated", to.dq[0], q), out(&w, "dq2", "dq2_gated", to.dq[1], q);
        out(&w, "dk1", "dk_gated", to.dk[0], k), out(&w, "dk2", "", to.dk[1], k), out(&w, "dv", "dv_gated", to.dv, v);
        out(&w, "dgain", "dgain_gated", to.gain, w.e), out(&w, "", "da", to.a, w.H * w.n);
        vectors_out(&w, &to);
    }
    free(w.block), free(room);
    return room ? MER_OK : MER_BAD;
}

/* In half-ulps: exp has 2 (glibc).  level: an exponential of a product (of which 0.3 is rounded), a product and a
 * difference; share: the sigmoid, 5, or a difference and a sum; normal: a quotient and two products. */
#define MAPS "dot=f64 product=f64 score=f64:3 shift=f64 exp=f64:2 weight=f64 sum=f64 total=f64 div=f64 " \
    "lambda_init=f64:8 share=f64:5 part=f64 rest=f64 square=f64 moment=f64:2 root=f64:3 normal=f64 faded=f64:2"
#define VECTORS " inner=f64 power=f64:2"
#define BACK " dp=f64 ds=f64:3 slope=f64:2 gather=f64"
#define GRADIENTS "dq1 dq2 dk1 dk2 dv dlambda_q1 dlambda_k1 dlambda_q2 dlambda_k2 dgain"
#define GATED "dq1_gated dq2_gated dk_gated dv_gated da dgain_gated"
const struct mer_kernel differential_scalar[] = {
    { "differential", "o", "f32", MAPS VECTORS " gained=f64", 0, forward },
    { "differential", "gated", "f32", MAPS " gained=f64", 0, forward },
    { "differential", GRADIENTS, "f32", MAPS VECTORS BACK, 0, backward },
    { "differential", GATED, "f32", MAPS BACK, 0, backward },
    { "differential", "o", "bf16", MAPS VECTORS " gained=f64", 0, forward },
    { "differential", "gated", "bf16", MAPS " gained=f64", 0, forward },
    { "differential", GRADIENTS, "bf16", MAPS VECTORS BACK, 0, backward },
    { "differential", GATED, "bf16", MAPS BACK, 0, backward },
    { 0 },
};
