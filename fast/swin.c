/* Relative biases of windows, in double.           Liu et al. 2021, arXiv:2103.14030; Liu et al. 2022, arXiv:2111.09883
 * v0  the network of version 2 for each pair
 * v1  once for each distance: (2 height - 1)(2 width - 1) of them in place of (height width)^2 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "recurrent/doubles.h"

struct swin_call {
    const struct mer_call *c;
    double *block;
    int64_t high, wide, line, n, t, H, s, trained[2];
    const double *table, *w1, *b1, *w2, *up;
    int columns, query, linear;
    double top;
};
static int open_call(struct swin_call *w, const struct mer_call *c)
{
    const struct mer_array *table = mer_in(c, "table"), *w2 = mer_in(c, "w2"),
                           *up = mer_in(c, w2 ? "dcontinuous" : "dbias");
    *w = (struct swin_call){ .c = c, .high = mer_int(c, "height"), .wide = mer_int(c, "width"),
        .columns = mer_is(c, "order", "columns"), .query = mer_is(c, "sign", "key-query"),
        .linear = mer_is(c, "spacing", "linear"), .top = mer_real(c, "top"),
        .trained = { mer_int(c, "trained_height"), mer_int(c, "trained_width") } };
    w->n = w->high * w->wide, w->t = (2 * w->high - 1) * (2 * w->wide - 1), w->line = w->columns ? w->high : w->wide;
    w->trained[0] = w->trained[0] ? w->trained[0] : w->high, w->trained[1] = w->trained[1] ? w->trained[1] : w->wide;
    w->H = table ? table->dim[1] : w2 ? w2->dim[0] : up ? up->dim[0] : 0, w->s = w2 ? w2->dim[1] : 0;
    double *used = w->block = malloc((size_t)(doubles_of_all(c) + 1) * sizeof *used);
    if (!used)
        return MER_BAD;
    w->table = doubles_in(c, "table", &used), w->w1 = doubles_in(c, "w1", &used), w->b1 = doubles_in(c, "b1", &used);
    w->w2 = doubles_in(c, "w2", &used), w->up = doubles_in(c, w2 ? "dcontinuous" : "dbias", &used);
    return MER_OK;
}
static int64_t index_of(const struct swin_call *w, int64_t i, int64_t j)
{
    const int64_t far = i / w->line - j / w->line, near = i % w->line - j % w->line, sign = w->query ? -1 : 1;
    const int64_t dy = sign * (w->columns ? near : far), dx = sign * (w->columns ? far : near);
    return (dy + w->high - 1) * (2 * w->wide - 1) + dx + w->wide - 1;
}
static int indices(const struct mer_call *c)
{
    struct swin_call w;
    if (open_call(&w, c))
        return MER_BAD;
    for (int64_t k = 0; k < w.n * w.n; k++)
        ((int64_t *)c->out[0].data)[k] = index_of(&w, k / w.n, k % w.n);
    free(w.block);
    return MER_OK;
}
/* Writes bias[H][n][n], of which pair (i, j) has at[H][t] at its index. */
static int spread(const struct swin_call *w, const char *name, const double *at)
{
    double *line = malloc((size_t)w->n * sizeof *line);
    for (int64_t k = 0; k < w->H * w->n && line; k++) {
        for (int64_t j = 0; j < w->n; j++)
            line[j] = at[k / w->n * w->t + index_of(w, k % w->n, j)];
        doubles_out(mer_out(w->c, name), k * w->n, line, w->n);
    }
    free(line);
    return line ? MER_OK : MER_BAD;
}
static int biases(const struct mer_call *c)
{
    struct swin_call w;
    if (open_call(&w, c))
        return MER_BAD;
    double *at = malloc((size_t)(w.H * w.t + 1) * sizeof *at);
    for (int64_t k = 0; k < w.H * w.t && at; k++)
        at[k] = w.table[k % w.t * w.H + k / w.t];
    const int rc = at ? spread(&w, "bias", at) : MER_BAD;
    free(w.block), free(at);
    return rc;
}

/* The distances c[2] of index k, and hidden[s] before max(0, x). */
static void network(const struct swin_call *w, int64_t k, double c[2], double *hidden)
{
    const int64_t d[2] = { k / (2 * w->wide - 1) - w->high + 1, k % (2 * w->wide - 1) - w->wide + 1 };
    for (int a = 0; a < 2; a++) {
        const double x = 8 * (double)llabs(d[a]) / (double)(w->trained[a] - 1), y = w->linear ? x : log2(x + 1) / 3;
        c[a] = d[a] < 0 ? -y : y;
    }
    for (int64_t s = 0; s < w->s; s++)
        hidden[s] = w->b1[s] + w->w1[2 * s] * c[0] + w->w1[2 * s + 1] * c[1];
}
static double score(const struct swin_call *w, int64_t h, const double *hidden)
{
    double sum = 0;
    for (int64_t s = 0; s < w->s; s++)
        sum += w->w2[h * w->s + s] * (hidden[s] > 0 ? hidden[s] : 0);
    return sum;
}
/* p (1 - p) of p = sigmoid(x), without the difference, which loses all digits where p is near 1. */
static double slope_at(double x)
{
    const double e = exp(-fabs(x));
    return e / ((1 + e) * (1 + e));
}
static int continuous(const struct mer_call *c)
{
    struct swin_call w;
    if (open_call(&w, c))
        return MER_BAD;
    double *at = malloc((size_t)(w.H * w.t + w.s + 1) * sizeof *at), *hidden = at ? at + w.H * w.t : NULL, d[2];
    for (int64_t k = 0; k < w.t && at; k++) {
        network(&w, k, d, hidden);
        for (int64_t h = 0; h < w.H; h++)
            at[h * w.t + k] = w.top / (1 + exp(-score(&w, h, hidden)));
    }
    const int rc = at ? spread(&w, "continuous", at) : MER_BAD;
    free(w.block), free(at);
    return rc;
}

/* sum[H][t]: the seed of all pairs of an index. */
static void collect(const struct swin_call *w, double *sum)
{
    for (int64_t k = 0; k < w->H * w->n * w->n; k++)
        sum[k / (w->n * w->n) * w->t + index_of(w, k / w->n % w->n, k % w->n)] += w->up[k];
}
static int table_back(const struct mer_call *c)
{
    struct swin_call w;
    if (open_call(&w, c))
        return MER_BAD;
    double *sum = calloc((size_t)(w.H * w.t + 1), sizeof *sum);
    if (sum)
        collect(&w, sum);
    for (int64_t k = 0; k < w.H * w.t && sum; k++)
        doubles_out(mer_out(c, "dtable"), k % w.t * w.H + k / w.t, sum + k, 1);
    free(w.block), free(sum);
    return sum ? MER_OK : MER_BAD;
}
static int network_back(const struct mer_call *c)
{
    struct swin_call w;
    if (open_call(&w, c))
        return MER_BAD;
    double *sum = calloc((size_t)(w.H * w.t + w.s * (4 + w.H) + 1), sizeof *sum), d[2];
    double *hidden = sum ? sum + w.H * w.t : NULL, *dw1 = sum ? hidden + w.s : NULL, *db1 = sum ? dw1 + 2 * w.s : NULL,
           *dw2 = sum ? db1 + w.s : NULL;
    if (sum)
        collect(&w, sum);
    for (int64_t k = 0; k < w.t && sum; k++) {
        network(&w, k, d, hidden);
        for (int64_t h = 0; h < w.H; h++) {
            const double g = sum[h * w.t + k] * w.top * slope_at(score(&w, h, hidden));
            for (int64_t s = 0; s < w.s; s++) {
                const double back = hidden[s] > 0 ? g * w.w2[h * w.s + s] : 0;
                dw2[h * w.s + s] += hidden[s] > 0 ? g * hidden[s] : 0;
                db1[s] += back, dw1[2 * s] += back * d[0], dw1[2 * s + 1] += back * d[1];
            }
        }
    }
    if (sum)
        doubles_out(mer_out(c, "dw1"), 0, dw1, 2 * w.s), doubles_out(mer_out(c, "db1"), 0, db1, w.s),
            doubles_out(mer_out(c, "dw2"), 0, dw2, w.H * w.s);
    free(w.block), free(sum);
    return sum ? MER_OK : MER_BAD;
}

/* In half-ulps: log2 has 2 (glibc), with the sum before it and the quotient 4; exp 2, with its sum, quotient and factor
 * 5; the slope e / (1 + e)^2 has 2 + 1 of e, twice 2 of the square and its products. */
#define ARITH "distance=f64 log=f64:5 product=f64 hidden=f64 score=f64 curve=f64:6"
const struct mer_kernel swin_scalar[] = {
    { "swin", "index", "f32", "gather=f64", 0, indices },
    { "swin", "bias", "f32", "gather=f64", 1, biases },
    { "swin", "continuous", "f32", ARITH, 0, continuous },
    { "swin", "dtable", "f32", "gather=f64", 0, table_back },
    { "swin", "dw1 db1 dw2", "f32", ARITH " slope=f64:16 gather=f64", 0, network_back },
    { "swin", "bias", "bf16", "gather=f64", 1, biases },
    { "swin", "continuous", "bf16", ARITH, 0, continuous },
    { 0 },
};
