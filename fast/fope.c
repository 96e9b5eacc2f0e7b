/* Fourier position embedding, float32 or bfloat16 in and out, in double.         Hua et al. 2024, arXiv:2412.17739
 * v0  plain loops: the waves of a token once for all groups, the sums of a group once for all its heads */
#include <math.h>
#include <stdlib.h>
#include "recurrent/doubles.h"

/* A call as doubles; freq[K]; of one token cs[K] and sn[K], of a group tc[K] and ts[K]; v[d] is one line. */
struct fope_call {
    const struct mer_call *c;
    double *block, *freq, *cs, *sn, *tc, *ts, *v;
    const double *x, *up, *cc, *sc;
    int64_t H, G, n, d, K, in, out, live;
    double pad;
    int half;
};
static int64_t above(double base, int64_t trained, int64_t K)
{
    int64_t k = 0;
    while (k < K && (double)k * log(base) < (double)K * log((double)trained / (2 * 3.14159265358979323846)))
        k++;
    return k;
}
static int open_call(struct fope_call *w, const struct mer_call *c)
{
    const struct mer_array *x = mer_in(c, "x"), *up = mer_in(c, "dy"), *a = x ? x : up, *pos = mer_in(c, "pos");
    const struct mer_array *cc = mer_in(c, "cos_coef"), *coef = cc ? cc : mer_in(c, "sin_coef");
    const int floored = mer_is(c, "clip", "floor") && !mer_int(c, "keep");
    const double base = mer_real(c, "base");
    *w = (struct fope_call){ .c = c, .H = a ? a->dim[0] : 1, .n = pos ? pos->dim[0] : 0, .d = mer_int(c, "dim"),
        .G = coef ? coef->dim[0] : 1, .in = coef ? coef->dim[1] : 0, .out = coef ? coef->dim[2] : 0,
        .pad = mer_is(c, "pad", "one"), .half = mer_is(c, "layout", "half") };
    w->K = w->d / 2;
    double *used = w->block = malloc((size_t)(doubles_of_all(c) + 5 * w->K + w->d + 1) * sizeof *used);
    if (!used)
        return MER_BAD;
    w->x = doubles_in(c, "x", &used), w->up = doubles_in(c, "dy", &used);
    w->cc = doubles_in(c, "cos_coef", &used), w->sc = doubles_in(c, "sin_coef", &used);
    w->freq = used, w->cs = w->freq + w->K, w->sn = w->cs + w->K, w->tc = w->sn + w->K, w->ts = w->tc + w->K;
    w->v = w->ts + w->K;
    w->live = mer_int(c, "keep") ? mer_int(c, "keep") :
        mer_is(c, "clip", "none") ? w->K :
                                    above(base, mer_int(c, "trained"), w->K);
    for (int64_t k = 0; k < w->K; k++)
        w->freq[k] = k < w->live ? pow(base, -(double)(2 * k) / (double)w->d) :
            floored              ? 2 * 3.14159265358979323846 / (double)mer_int(c, "trained") :
                                   0;
    return MER_OK;
}
static void waves(struct fope_call *w, int64_t i)
{
    const double at = (double)((const int64_t *)mer_in(w->c, "pos")->data)[i];
    for (int64_t k = 0; k < w->K; k++)
        w->cs[k] = cos(at * w->freq[k]), w->sn[k] = sin(at * w->freq[k]);
}
/* The sums of group g, with these coefficients (NULL: they are not asked for). */
static void sums(const struct fope_call *w, int64_t g, const double *coef, const double *v, double pad, double *y)
{
    for (int64_t o = 0; o < w->K && coef; o++) {
        double s = o < w->out ? 0 : pad;
        for (int64_t k = 0; k < w->in && o < w->out; k++)
            s += coef[(g * w->in + k) * w->out + o] * v[k];
        y[o] = s;
    }
}
static void group(struct fope_call *w, int64_t g)
{
    sums(w, g, w->cc, w->cs, 1, w->tc), sums(w, g, w->sc, w->sn, w->pad, w->ts);
}
static int rotate(const struct mer_call *c)
{
    struct fope_call w;
    if (open_call(&w, c))
        return MER_BAD;
    const double sign = w.up ? -1 : 1;
    for (int64_t i = 0; i < w.n; i++) {
        waves(&w, i);
        for (int64_t h = 0; h < w.H; h++) {
            const double *x = (w.up ? w.up : w.x) + (h * w.n + i) * w.d;
            if (h * w.G % w.H == 0 || w.G == 1)
                group(&w, h * w.G / w.H);
            for (int64_t k = 0; k < w.K; k++) {
                const int64_t a = w.half ? k : 2 * k, b = w.half ? k + w.K : 2 * k + 1;
                w.v[a] = x[a] * w.tc[k] - sign * (x[b] * w.ts[k]), w.v[b] = x[b] * w.tc[k] + sign * (x[a] * w.ts[k]);
            }
            doubles_out(mer_out(c, w.up ? "dx" : "y"), (h * w.n + i) * w.d, w.v, w.d);
        }
    }
    free(w.block);
    return MER_OK;
}
static int tables(const struct mer_call *c)
{
    struct fope_call w;
    if (open_call(&w, c))
        return MER_BAD;
    doubles_out(mer_out(c, "freq"), 0, w.freq, w.K);
    for (int64_t i = 0; i < w.n; i++) {
        waves(&w, i);
        for (int64_t g = 0; g < w.G; g++) {
            group(&w, g);
            doubles_out(mer_out(c, "cos"), (g * w.n + i) * w.K, w.tc, w.K);
            doubles_out(mer_out(c, "sin"), (g * w.n + i) * w.K, w.ts, w.K);
        }
    }
    free(w.block);
    return MER_OK;
}
static int coef_back(const struct mer_call *c)
{
    struct fope_call w;
    if (open_call(&w, c))
        return MER_BAD;
    const int64_t all = w.G * w.in * w.out;
    double *g = calloc((size_t)(2 * all + 1), sizeof *g);
    for (int64_t i = 0; i < w.n && g; i++) {
        waves(&w, i);
        for (int64_t h = 0; h < w.H; h++) {
            const double *x = w.x + (h * w.n + i) * w.d, *up = w.up + (h * w.n + i) * w.d;
            for (int64_t o = 0; o < w.out; o++) {
                const int64_t a = w.half ? o : 2 * o, b = w.half ? o + w.K : 2 * o + 1;
                for (int64_t k = 0; k < w.in; k++) {
                    double *to = g + (h * w.G / w.H * w.in + k) * w.out + o;
                    to[0] += w.cs[k] * (up[a] * x[a]) + w.cs[k] * (up[b] * x[b]);
                    to[all] += w.sn[k] * (up[b] * x[a]) - w.sn[k] * (up[a] * x[b]);
                }
            }
        }
    }
    if (g)
        doubles_out(mer_out(c, "dcos_coef"), 0, g, all), doubles_out(mer_out(c, "dsin_coef"), 0, g + all, all);
    free(w.block), free(g);
    return g ? MER_OK : MER_BAD;
}

/* In half-ulps: pow, sin and cos of glibc have 2, and the base is rounded before; the floor is a quotient of 2 pi,
 * which is rounded. */
#define FREQ "exponent=f64 power=f64:4 freq=f64 floor=f64:3"
#define WAVES FREQ " phase=f64 table=f64:2"
#define SUMS WAVES " term=f64 mix=f64"
#define TURN SUMS " product=f64 sum=f64"
const struct mer_kernel fope_scalar[] = {
    { "fope", "y", "f32", TURN, 0, rotate },
    { "fope", "dx", "f32", TURN, 0, rotate },
    { "fope", "cos", "f32", SUMS, 0, tables },
    { "fope", "sin", "f32", SUMS, 0, tables },
    { "fope", "freq", "f32", FREQ, 0, tables },
    { "fope", "dcos_coef dsin_coef", "f32", WAVES " slope=f64 gather=f64", 0, coef_back },
    { "fope", "y", "bf16", TURN, 0, rotate },
    { "fope", "dx", "bf16", TURN, 0, rotate },
    { "fope", "cos", "bf16", SUMS, 0, tables },
    { "fope", "sin", "bf16", SUMS, 0, tables },
    { 0 },
};
