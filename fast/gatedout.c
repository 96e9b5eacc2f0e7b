/* Attention with a gated output, float32 or bfloat16 in and out, in double; ref/gatedout.c has the formulas.
 * v0  plain loops, query by query */
#include <math.h>
#include "meridian_mask.h"
#include "recurrent/doubles.h"

/* A call as doubles: H query heads, G key heads, n queries, m keys.  What the call does not hold is NULL; one: there is
 * one gate for all channels of a head. */
struct kernel_gatedout_call {
    const struct mer_call *c;
    double *block;
    struct mer_mask mask;
    int64_t H, G, n, m, d, e;
    const double *q, *k, *v, *gate, *up;
    double scale;
    int one, silu, raw, tile;
};
static int open_call(struct kernel_gatedout_call *w, const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v");
    double *used = malloc((size_t)(doubles_of_all(c) + 1) * sizeof *used);
    *w = (struct kernel_gatedout_call){ .c = c, .block = used, .mask = mer_mask_of(c, q->dim[1], k->dim[1]),
        .H = q->dim[0],
        .G = k->dim[0], .n = q->dim[1], .m = k->dim[1], .d = q->dim[2], .e = v->dim[2],
        .scale = mer_real(c, "scale"), .one = mer_in(c, "gate_head") != NULL, .silu = mer_is(c, "act", "silu"),
        .raw = mer_is(c, "act", "identity"), .tile = mer_is(c, "group", "tile") };
    if (!used)
        return MER_BAD;
    w->q = doubles_in(c, "q", &used), w->k = doubles_in(c, "k", &used), w->v = doubles_in(c, "v", &used);
    w->gate = doubles_in(c, w->one ? "gate_head" : "gate", &used);
    w->up = doubles_in(c, w->one ? "dy_head" : "dy", &used);
    w->scale = w->scale > 0 ? w->scale : 1 / sqrt((double)w->d);
    return MER_OK;
}

static int64_t key_head(const struct kernel_gatedout_call *w, int64_t h)
{
    return w->tile ? h % w->G : w->G * h / w->H;
}
static double sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
/* What channel c of query `at` is multiplied by, and (slope) the slope of that by the gate. */
static double gate(const struct kernel_gatedout_call *w, int64_t at, int64_t c, int slope)
{
    const double x = w->gate[w->one ? at : at * w->e + c], s = sigmoid(x), bend = s * sigmoid(-x);
    if (w->raw)
        return slope ? 1 : x;
    return slope ? (w->silu ? s + x * bend : bend) : (w->silu ? x * s : s);
}
/* The weights p[m] of query i of head h, and its output o[e]. */
static void attend(const struct kernel_gatedout_call *w, int64_t h, int64_t i, double *p, double *o)
{
    const double *q = w->q + (h * w->n + i) * w->d, *k = w->k + key_head(w, h) * w->m * w->d;
    for (int64_t j = 0; j < w->m; j++) {
        double s = 0;
        for (int64_t c = 0; c < w->d; c++)
            s += q[c] * k[j * w->d + c];
        p[j] = mer_sees(&w->mask, h, i, j) ? w->scale * s : (double)-INFINITY;
    }
    doubles_softmax(p, w->m);
    doubles_mix(o, p, w->v + key_head(w, h) * w->m * w->e, w->m, w->e);
}
static int forward(const struct mer_call *c)
{
    struct kernel_gatedout_call w;
    if (open_call(&w, c))
        return free(w.block), MER_BAD;
    double *p = malloc((size_t)(w.m + w.e + 1) * sizeof *p);
    for (int64_t at = 0; at < w.H * w.n && p; at++) {
        double *o = p + w.m;
        attend(&w, at / w.n, at % w.n, p, o);
        for (int64_t k = 0; k < w.e; k++)
            o[k] *= gate(&w, at, k, 0);
        doubles_out(mer_out(c, w.one ? "y_head" : "y"), at * w.e, o, w.e);
    }
    free(w.block), free(p);
    return p ? MER_OK : MER_BAD;
}

/* Gradients as they grow, in the shapes of their outputs, and room: p[m], dp[m], o[e] and seed[e] of a query. */
struct gatedout_grads { double *q, *k, *v, *gate, *p, *dp, *o, *seed; };
static void query_back(const struct kernel_gatedout_call *w, int64_t h, int64_t i, const struct gatedout_grads *to)
{
    const int64_t at = h * w->n + i, g = key_head(w, h);
    const double *up = w->up + at * w->e, *q = w->q + at * w->d;
    double D = 0;
    attend(w, h, i, to->p, to->o);
    for (int64_t c = 0; c < w->e; c++) {
        to->seed[c] = up[c] * gate(w, at, c, 0);
        to->gate[w->one ? at : at * w->e + c] += up[c] * to->o[c] * gate(w, at, c, 1);
    }
    for (int64_t j = 0; j < w->m; j++) {
        to->dp[j] = 0;
        for (int64_t c = 0; c < w->e; c++) {
            to->dp[j] += to->seed[c] * w->v[(g * w->m + j) * w->e + c];
            to->v[(g * w->m + j) * w->e + c] += to->p[j] * to->seed[c];
        }
        D += to->p[j] * to->dp[j];
    }
    for (int64_t j = 0; j < w->m; j++) {
        const double ds = to->p[j] * (to->dp[j] - D) * w->scale;
        for (int64_t c = 0; c < w->d; c++) {
            to->q[at * w->d + c] += ds * w->k[(g * w->m + j) * w->d + c];
            to->k[(g * w->m + j) * w->d + c] += ds * q[c];
        }
    }
}
static int backward(const struct mer_call *c)
{
    struct kernel_gatedout_call w;
    if (open_call(&w, c))
        return free(w.block), MER_BAD;
    const int64_t q = w.H * w.n * w.d, k = w.G * w.m * w.d, v = w.G * w.m * w.e;
    const int64_t gates = w.H * w.n * (w.one ? 1 : w.e);
    double *room = calloc((size_t)(q + k + v + gates + 2 * (w.m + w.e) + 1), sizeof *room);
    struct gatedout_grads to = { .q = room };
    if (room) {
        to.k = to.q + q, to.v = to.k + k, to.gate = to.v + v, to.p = to.gate + gates, to.dp = to.p + w.m;
        to.o = to.dp + w.m, to.seed = to.o + w.e;
        for (int64_t at = 0; at < w.H * w.n; at++)
            query_back(&w, at / w.n, at % w.n, &to);
        doubles_out(mer_out(c, w.one ? "dq_y_head" : "dq"), 0, to.q, q);
        doubles_out(mer_out(c, w.one ? "dk_y_head" : "dk"), 0, to.k, k);
        doubles_out(mer_out(c, w.one ? "dv_y_head" : "dv"), 0, to.v, v);
        doubles_out(mer_out(c, w.one ? "dgate_head" : "dgate"), 0, to.gate, gates);
    }
    free(w.block), free(room);
    return room ? MER_OK : MER_BAD;
}

/* In half-ulps: exp has 2 (glibc); the sigmoid 6, as exp counts in numerator and denominator; slope: a sigmoid in place
 * of 1 - s. */
#define ARITH "dot=f64 product=f64 score=f64:3 shift=f64 exp=f64:2 weight=f64 sum=f64 total=f64 div=f64 " \
    "share=f64:6 silu=f64"
#define BACK ARITH " dp=f64 ds=f64:3 slope=f64:6"
#define GRADIENTS "dq dk dv"
#define GRADIENTS_HEAD "dq_y_head dk_y_head dv_y_head"
const struct mer_kernel gatedout_scalar[] = {
    { "gatedout", "y", "f32", ARITH " gated=f64", 0, forward },
    { "gatedout", "y_head", "f32", ARITH " gated=f64", 0, forward },
    { "gatedout", GRADIENTS, "f32", BACK, 0, backward },
    { "gatedout", "dgate", "f32", BACK, 0, backward },
    { "gatedout", GRADIENTS_HEAD, "f32", BACK, 0, backward },
    { "gatedout", "dgate_head", "f32", BACK " gather=f64", 0, backward },
    { "gatedout", "y", "bf16", ARITH " gated=f64", 0, forward },
    { "gatedout", "y_head", "bf16", ARITH " gated=f64", 0, forward },
    { "gatedout", GRADIENTS, "bf16", BACK, 0, backward },
    { "gatedout", "dgate", "bf16", BACK, 0, backward },
    { "gatedout", GRADIENTS_HEAD, "bf16", BACK, 0, backward },
    { "gatedout", "dgate_head", "bf16", BACK " gather=f64", 0, backward },
    { 0 },
};
