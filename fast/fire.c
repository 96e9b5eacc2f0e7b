/* Interpolated relative biases (FIRE), in double.                               Li et al. 2024, arXiv:2310.04418
 * v0  the network of every pair of a query and a key, its hidden units once for all heads */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "recurrent/doubles.h"

struct fast_fire {
    const struct mer_call *call;
    double *block, *hidden;             /* hidden[S], before max(0, x) */
    const double *w1, *b1, *w2, *b2, *up;
    int64_t H, S, n, m, offset;
    double c, least, eps;
    int linear, fixed;
};
static void close_fire(struct fast_fire *w) { free(w->block), free(w->hidden); }
/* pairs: the array [h][n][m] whose extents are those of the question. */
static int open_fire(struct fast_fire *w, const struct mer_call *c, const struct mer_array *pairs)
{
    *w = (struct fast_fire){ .call = c, .H = pairs->dim[0], .n = pairs->dim[1], .m = pairs->dim[2],
        .S = mer_in(c, "w1")->dim[0], .offset = mer_int(c, "offset"), .c = mer_real(c, "rate"),
        .least = mer_real(c, "threshold"), .eps = mer_real(c, "eps"), .linear = mer_is(c, "transform", "linear"),
        .fixed = mer_is(c, "normaliser", "threshold") };
    double *used = w->block = malloc((size_t)(doubles_of_all(c) + 1) * sizeof *used);
    w->hidden = malloc((size_t)(w->S + 1) * sizeof *w->hidden);
    if (!used || !w->hidden)
        return close_fire(w), MER_BAD;
    w->w1 = doubles_in(c, "w1", &used), w->b1 = doubles_in(c, "b1", &used), w->w2 = doubles_in(c, "w2", &used);
    w->b2 = doubles_in(c, "b2", &used), w->up = mer_in(c, "dbias") ? doubles_in(c, "dbias", &used) : NULL;
    return MER_OK;
}
static double psi(const struct fast_fire *w, double t) { return w->linear ? w->c * t : log1p(w->c * t); }
/* x of query i and key j; fills hidden. */
static double share(const struct fast_fire *w, int64_t i, int64_t j)
{
    const double at = (double)(w->offset + i), far = w->fixed ? w->least : fmax(at, w->least);
    const double x = psi(w, (double)llabs(w->offset + i - j)) / (psi(w, far) + w->eps);
    for (int64_t s = 0; s < w->S; s++)
        w->hidden[s] = w->b1[s] + w->w1[s] * x;
    return x;
}
static int bias(const struct mer_call *c)
{
    struct mer_array *y = mer_out(c, "bias");
    struct fast_fire w;
    if (open_fire(&w, c, y))
        return MER_BAD;
    for (int64_t k = 0; k < w.n * w.m; k++) {
        share(&w, k / w.m, k % w.m);
        for (int64_t h = 0; h < w.H; h++) {
            double sum = w.b2[h];
            for (int64_t s = 0; s < w.S; s++)
                sum += w.hidden[s] > 0 ? w.w2[h * w.S + s] * w.hidden[s] : 0;
            doubles_out(y, h * w.n * w.m + k, &sum, 1);
        }
    }
    close_fire(&w);
    return MER_OK;
}
/* Adds what pair k, query k / m and key k % m, gives to dw1[S], db1[S], dw2[H][S] and db2[H], one behind another. */
static void add_pair(const struct fast_fire *w, int64_t k, double *sum)
{
    double *dw1 = sum, *db1 = dw1 + w->S, *dw2 = db1 + w->S, *db2 = dw2 + w->H * w->S;
    const double x = share(w, k / w->m, k % w->m);
    for (int64_t h = 0; h < w->H; h++)
        db2[h] += w->up[h * w->n * w->m + k];
    for (int64_t s = 0; s < w->S; s++) {
        double back = 0;
        for (int64_t h = 0; h < w->H && w->hidden[s] > 0; h++) {
            const double g = w->up[h * w->n * w->m + k];
            back += g * w->w2[h * w->S + s], dw2[h * w->S + s] += g * w->hidden[s];
        }
        db1[s] += back, dw1[s] += back * x;
    }
}
static int gradients(const struct mer_call *c)
{
    struct fast_fire w;
    if (open_fire(&w, c, mer_in(c, "dbias")))
        return MER_BAD;
    const int64_t HS = w.H * w.S;
    double *sum = calloc((size_t)(2 * w.S + HS + w.H + 1), sizeof *sum);
    for (int64_t k = 0; k < w.n * w.m && sum; k++)
        add_pair(&w, k, sum);
    if (sum)
        doubles_out(mer_out(c, "dw1"), 0, sum, w.S), doubles_out(mer_out(c, "db1"), 0, sum + w.S, w.S),
            doubles_out(mer_out(c, "dw2"), 0, sum + 2 * w.S, HS),
            doubles_out(mer_out(c, "db2"), 0, sum + 2 * w.S + HS, w.H);
    free(sum), close_fire(&w);
    return sum ? MER_OK : MER_BAD;
}

/* In half-ulps: c, L and the product of a distance 3; log1p of the GNU C library 2; eps and its sum 2. */
#define ARITH "distance=f64:3 log=f64:3 normal=f64:2 ratio=f64 product=f64 hidden=f64 "
const struct mer_kernel fire_scalar[] = {
    { "fire", "bias", "f32", ARITH "score=f64", 0, bias },
    { "fire", "bias", "bf16", ARITH "score=f64", 0, bias },
    { "fire", "dw1 db1 dw2 db2", "f32", ARITH "slope=f64:2 gather=f64", 0, gradients },
    { 0 },
};
