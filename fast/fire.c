/* Interpolated relative biases (FIRE), in double.                               Li et al. 2024, arXiv:2310.04418
 * v0  the network of every pair of a query and a key, its hidden units once for all heads
 * v1  logarithms once for each distance and each query, hidden units side by side in vectors */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "recurrent/doubles.h"

/* Two doubles, which every processor of this kind has vectors for. */
typedef double fire_lanes __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long fire_mask __attribute__((vector_size(16)));
enum { FIRE_LANES = 2 };
/* Arrays of hidden units are padded with zeros to whole vectors: S units of `wide`. */
struct fast_fire {
    const struct mer_call *call;
    double *block;
    double *w1, *b1, *w2, *hidden;      /* [wide], [wide], [H][wide]; hidden[wide] is max(0, x) of a pair */
    double *near, *far;                 /* psi of offset + i - j by i - j + m - 1, and psi(L) + eps by i */
    const double *b2, *up;
    int64_t H, S, wide, n, m, offset;
    double c, least, eps;
    int linear, fixed;
};
static void close_fire(struct fast_fire *w) { free(w->block); }
static double psi(const struct fast_fire *w, double t) { return w->linear ? w->c * t : log1p(w->c * t); }
/* to[wide] = x[S] and zeros. */
static double *padded(const struct fast_fire *w, double *to, const double *x)
{
    memcpy(to, x, (size_t)w->S * sizeof *to);
    memset(to + w->S, 0, (size_t)(w->wide - w->S) * sizeof *to);
    return to + w->wide;
}
/* The logarithms of all distances and of all queries. */
static void fill_tables(struct fast_fire *w)
{
    for (int64_t t = 0; t < w->n + w->m - 1; t++)
        w->near[t] = psi(w, (double)llabs(w->offset + t - w->m + 1));
    for (int64_t i = 0; i < w->n; i++)
        w->far[i] = psi(w, w->fixed ? w->least : fmax((double)(w->offset + i), w->least)) + w->eps;
}
/* pairs: the array [h][n][m] whose extents are those of the question. */
static int open_fire(struct fast_fire *w, const struct mer_call *c, const struct mer_array *pairs)
{
    *w = (struct fast_fire){ .call = c, .H = pairs->dim[0], .n = pairs->dim[1], .m = pairs->dim[2],
        .S = mer_in(c, "w1")->dim[0], .offset = mer_int(c, "offset"), .c = mer_real(c, "rate"),
        .least = mer_real(c, "threshold"), .eps = mer_real(c, "eps"), .linear = mer_is(c, "transform", "linear"),
        .fixed = mer_is(c, "normaliser", "threshold") };
    w->wide = (w->S + FIRE_LANES - 1) / FIRE_LANES * FIRE_LANES;
    const int64_t own = w->wide * (w->H + 3) + 2 * w->n + w->m + 1;
    double *used = w->block = malloc((size_t)(doubles_of_all(c) + own) * sizeof *used);
    if (!used)
        return MER_BAD;
    const double *w1 = doubles_in(c, "w1", &used), *b1 = doubles_in(c, "b1", &used), *w2 = doubles_in(c, "w2", &used);
    w->b2 = doubles_in(c, "b2", &used), w->up = mer_in(c, "dbias") ? doubles_in(c, "dbias", &used) : NULL;
    w->w1 = used, w->b1 = padded(w, w->w1, w1), w->w2 = padded(w, w->b1, b1), used = w->w2;
    for (int64_t h = 0; h < w->H; h++)
        used = padded(w, used, w2 + h * w->S);
    w->hidden = used, w->near = w->hidden + w->wide, w->far = w->near + w->n + w->m;
    if (w->n && w->m)
        fill_tables(w);
    return MER_OK;
}
/* x of query i and key j; fills hidden. */
static double share(const struct fast_fire *w, int64_t i, int64_t j)
{
    const double x = w->near[i - j + w->m - 1] / w->far[i];
    for (int64_t s = 0; s < w->wide; s += FIRE_LANES) {
        const fire_lanes h = *(const fire_lanes *)(w->b1 + s) + *(const fire_lanes *)(w->w1 + s) * x;
        *(fire_lanes *)(w->hidden + s) = (fire_lanes)((fire_mask)h & (h > 0));
    }
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
            fire_lanes sum = { w.b2[h] };
            for (int64_t s = 0; s < w.wide; s += FIRE_LANES)
                sum += *(const fire_lanes *)(w.w2 + h * w.wide + s) * *(const fire_lanes *)(w.hidden + s);
            const double all = sum[0] + sum[1];
            doubles_out(y, h * w.n * w.m + k, &all, 1);
        }
    }
    close_fire(&w);
    return MER_OK;
}
/* Adds what pair k, query k / m and key k % m, gives to dw1[wide], db1[wide], dw2[H][wide] and db2[H], one behind
 * another. */
static void add_pair(const struct fast_fire *w, int64_t k, double *sum)
{
    double *dw1 = sum, *db1 = dw1 + w->wide, *dw2 = db1 + w->wide, *db2 = dw2 + w->H * w->wide;
    const double x = share(w, k / w->m, k % w->m);
    for (int64_t h = 0; h < w->H; h++)
        db2[h] += w->up[h * w->n * w->m + k];
    for (int64_t s = 0; s < w->wide; s += FIRE_LANES) {
        const fire_lanes hidden = *(const fire_lanes *)(w->hidden + s);
        fire_lanes back = { 0 };
        for (int64_t h = 0; h < w->H; h++) {
            const double g = w->up[h * w->n * w->m + k];
            back += g * *(const fire_lanes *)(w->w2 + h * w->wide + s);
            *(fire_lanes *)(dw2 + h * w->wide + s) += g * hidden;
        }
        back = (fire_lanes)((fire_mask)back & (hidden > 0));
        *(fire_lanes *)(db1 + s) += back, *(fire_lanes *)(dw1 + s) += back * x;
    }
}
static int gradients(const struct mer_call *c)
{
    struct fast_fire w;
    if (open_fire(&w, c, mer_in(c, "dbias")))
        return MER_BAD;
    double *sum = calloc((size_t)(w.wide * (2 + w.H) + w.H + 1), sizeof *sum), *dw2 = sum + 2 * w.wide;
    for (int64_t k = 0; k < w.n * w.m && sum; k++)
        add_pair(&w, k, sum);
    if (sum) {
        doubles_out(mer_out(c, "dw1"), 0, sum, w.S), doubles_out(mer_out(c, "db1"), 0, sum + w.wide, w.S);
        for (int64_t h = 0; h < w.H; h++)
            doubles_out(mer_out(c, "dw2"), h * w.S, dw2 + h * w.wide, w.S);
        doubles_out(mer_out(c, "db2"), 0, dw2 + w.H * w.wide, w.H);
    }
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
