/* Sigmoid attention, float32 or bfloat16 in and out, with every operation in double; ref/sigmoid.c has the formulas.
 * v0  plain loops over queries and keys */
#include <math.h>
#include "meridian_mask.h"
#include "recurrent/doubles.h"

/* A call as doubles: H query heads, G key heads, n queries, m keys.  What the call does not hold is NULL. */
struct kernel_sigmoid_call {
    const struct mer_call *c;
    double *block;
    struct mer_mask mask;
    int64_t H, G, n, m, d, e;
    const double *q, *k, *v, *up, *bias;
    double scale, level, trained;
    char shift; /* The first letter of the parameter's word: k v t g. */
    int tile;
};
static int open_call(struct kernel_sigmoid_call *w, const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v");
    double *used = malloc((size_t)(doubles_of_all(c) + 1) * sizeof *used);
    *w = (struct kernel_sigmoid_call){ .c = c, .block = used, .mask = mer_mask_of(c, q->dim[1], k->dim[1]),
        .H = q->dim[0],
        .G = k->dim[0], .n = q->dim[1], .m = k->dim[1], .d = q->dim[2], .e = v ? v->dim[2] : 0,
        .scale = mer_real(c, "scale"), .level = mer_real(c, "level"), .trained = mer_real(c, "trained"),
        .shift = *mer_text(c, "shift"), .tile = mer_is(c, "group", "tile") };
    if (!used)
        return MER_BAD;
    w->q = doubles_in(c, "q", &used), w->k = doubles_in(c, "k", &used), w->v = doubles_in(c, "v", &used);
    w->up = doubles_in(c, "do", &used), w->bias = doubles_in(c, "bias", &used);
    w->scale = w->scale > 0 ? w->scale : 1 / sqrt((double)w->d);
    return MER_OK;
}

static int64_t key_head(const struct kernel_sigmoid_call *w, int64_t h) { return w->tile ? h % w->G : w->G * h / w->H; }
static int sees(const struct kernel_sigmoid_call *w, int64_t h, int64_t i, int64_t j)
{
    return mer_sees(&w->mask, h, i, j) && !(w->bias && w->bias[(h * w->n + i) * w->m + j] == (double)-INFINITY);
}
static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t c = 0; c < n; c++)
        sum += x[c] * y[c];
    return sum;
}
static double sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
/* p[m] and, where it is not NULL, rest[m] = 1 - p of query i of head h; both 0 of a key that it does not see. */
static void weigh(const struct kernel_sigmoid_call *w, int64_t h, int64_t i, double *p, double *rest)
{
    const double *k = w->k + key_head(w, h) * w->m * w->d;
    int64_t seen = 0;
    for (int64_t j = 0; j < w->m; j++)
        seen += sees(w, h, i, j);
    const double b = w->shift == 'g' ? w->level :
        -log(w->shift == 't'         ? w->trained :
                w->shift == 'v'      ? (double)seen :
                                       (double)w->m);
    for (int64_t j = 0; j < w->m; j++) {
        const int there = sees(w, h, i, j);
        double s = there ? dot(w->q + (h * w->n + i) * w->d, k + j * w->d, w->d) * w->scale : 0;
        s += there && w->bias ? w->bias[(h * w->n + i) * w->m + j] : 0;
        p[j] = there ? sigmoid(s + b) : 0;
        if (rest)
            rest[j] = there ? sigmoid(-(s + b)) : 0;
    }
}
static int forward(const struct mer_call *c)
{
    struct kernel_sigmoid_call w;
    if (open_call(&w, c))
        return free(w.block), MER_BAD;
    double *p = malloc((size_t)(w.m + w.e + 1) * sizeof *p);
    for (int64_t k = 0; k < w.H * w.n && p; k++) {
        weigh(&w, k / w.n, k % w.n, p, NULL);
        doubles_out(mer_out(c, "weights"), k * w.m, p, w.m);
        if (w.v) {
            doubles_mix(p + w.m, p, w.v + key_head(&w, k / w.n) * w.m * w.e, w.m, w.e);
            doubles_out(mer_out(c, "o"), k * w.e, p + w.m, w.e);
        }
    }
    free(w.block), free(p);
    return p ? MER_OK : MER_BAD;
}

/* Gradients as they grow, in the shapes of their outputs, and room p[m], rest[m] of a query. */
struct sigmoid_grads { double *q, *k, *v, *bias, *p, *rest; };
static void query_back(const struct kernel_sigmoid_call *w, int64_t h, int64_t i, const struct sigmoid_grads *to)
{
    const int64_t at = h * w->n + i, g = key_head(w, h);
    const double *q = w->q + at * w->d, *up = w->up + at * w->e;
    weigh(w, h, i, to->p, to->rest);
    for (int64_t j = 0; j < w->m; j++) {
        const int64_t key = g * w->m + j;
        const double ds = to->p[j] * to->rest[j] * dot(up, w->v + key * w->e, w->e);
        to->bias[at * w->m + j] = ds;
        for (int64_t c = 0; c < w->d; c++) {
            to->q[at * w->d + c] += ds * w->scale * w->k[key * w->d + c];
            to->k[key * w->d + c] += ds * w->scale * q[c];
        }
        for (int64_t c = 0; c < w->e; c++)
            to->v[key * w->e + c] += to->p[j] * up[c];
    }
}
static int backward(const struct mer_call *c)
{
    struct kernel_sigmoid_call w;
    if (open_call(&w, c))
        return free(w.block), MER_BAD;
    const int64_t q = w.H * w.n * w.d, k = w.G * w.m * w.d, v = w.G * w.m * w.e, pairs = w.H * w.n * w.m;
    double *room = calloc((size_t)(q + k + v + pairs + 2 * w.m + 1), sizeof *room);
    struct sigmoid_grads to = { .q = room };
    if (room) {
        to.k = to.q + q, to.v = to.k + k, to.bias = to.v + v, to.p = to.bias + pairs, to.rest = to.p + w.m;
        for (int64_t at = 0; at < w.H * w.n; at++)
            query_back(&w, at / w.n, at % w.n, &to);
        doubles_out(mer_out(c, "dq"), 0, to.q, q), doubles_out(mer_out(c, "dk"), 0, to.k, k);
        doubles_out(mer_out(c, "dv"), 0, to.v, v), doubles_out(mer_out(c, "dbias"), 0, to.bias, pairs);
    }
    free(w.block), free(room);
    return room ? MER_OK : MER_BAD;
}

/* In half-ulps: the scale 1/sqrt(d) has 2 and its product 1; log 2; the sigmoid 6, as exp counts in numerator and
 * denominator; slope: a sigmoid in place of 1 - p. */
#define ARITH "dot=f64 product=f64 score=f64:3 bias=f64 log=f64:2 raise=f64 weight=f64:6"
#define MIXED ARITH " value=f64 sum=f64"
#define BACK ARITH " slope=f64:6 gather=f64"
const struct mer_kernel sigmoid_scalar[] = {
    { "sigmoid", "o", "f32", MIXED, 0, forward },
    { "sigmoid", "weights", "f32", ARITH, 0, forward },
    { "sigmoid", "dq dk dv dbias", "f32", BACK, 0, backward },
    { "sigmoid", "o", "bf16", MIXED, 0, forward },
    { "sigmoid", "weights", "bf16", ARITH, 0, forward },
    { "sigmoid", "dq dk dv dbias", "bf16", BACK, 0, backward },
    { 0 },
};
