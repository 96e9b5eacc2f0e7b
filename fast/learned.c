/* Learned absolute positions: a gather, which is exact in every type; hierarchical positions in double, rounded once.
 * v0  one memcpy for each row; of hierarchical positions, u_i and u_j are made again for every element */
#include "meridian.h"

static int plain(const struct mer_call *c) { return mer_is(c, "form", "table"); }
static int64_t first_of(const struct mer_call *c) { return mer_int(c, "offset"); }

static int look_up(const struct mer_call *c)
{
    const struct mer_array *table = mer_in(c, "table"); /* [r][d] */
    struct mer_array *p = mer_out(c, "p");              /* [n][d] */
    const int64_t *pos = mer_in(c, "pos")->data;
    const size_t row = (size_t)table->dim[1] * (p->type == MER_F32 ? 4 : 2);
    for (int64_t i = 0; i < p->dim[0]; i++) {
        if (pos[i] < 0 || pos[i] >= table->dim[0] - first_of(c))
            return MER_BAD;
        memcpy(
            (char *)p->data + (size_t)i * row, (const char *)table->data + (size_t)(first_of(c) + pos[i]) * row, row);
    }
    return MER_OK;
}

static int hierarchical(const struct mer_call *c)
{
    const struct mer_array *table = mer_in(c, "table"); /* [r][d] */
    struct mer_array *p = mer_out(c, "p");              /* [n][d] */
    const int64_t *pos = mer_in(c, "pos")->data, d = table->dim[1], n = table->dim[0] - first_of(c);
    const float *t = (const float *)table->data + first_of(c) * d;
    const double a = mer_real(c, "alpha"), rest = 1 - a;
    for (int64_t i = 0; i < p->dim[0]; i++) {
        if (pos[i] < 0 || pos[i] >= n * n)
            return MER_BAD;
        const float *x = t + pos[i] / n * d, *y = t + pos[i] % n * d;
        for (int64_t k = 0; k < d; k++) {
            double first = a * (double)t[k], u = ((double)x[k] - first) / rest, v = ((double)y[k] - first) / rest;
            ((float *)p->data)[i * d + k] = (float)(a * u + rest * v);
        }
    }
    return MER_OK;
}

static int vectors_f32(const struct mer_call *c) { return plain(c) ? look_up(c) : hierarchical(c); }
static int vectors_16(const struct mer_call *c) { return plain(c) ? look_up(c) : MER_SKIP; }

/* The gradient of the table: sums in double, in the order of the positions, rounded once, so the bits are always the
 * same. */
static int scatter(const struct mer_call *c)
{
    const struct mer_array *dp = mer_in(c, "dp"), *pos = mer_in(c, "pos"); /* [n][d], [n] */
    struct mer_array *dt = mer_out(c, "dtable");                           /* [r][d] */
    const int64_t r = dt->dim[0], d = dt->dim[1], n = r - first_of(c), held = plain(c) ? n : n * n;
    const double a = mer_real(c, "alpha"), rest = 1 - a;
    double *sum = calloc((size_t)(r * d) + 1, sizeof *sum), *from = sum ? sum + first_of(c) * d : NULL;
    for (int64_t i = 0; sum && i < dp->dim[0]; i++) {
        const int64_t at = ((const int64_t *)pos->data)[i];
        const float *g = (const float *)dp->data + i * d;
        if (at < 0 || at >= held)
            return free(sum), MER_BAD;
        for (int64_t k = 0; k < d && plain(c); k++)
            from[at * d + k] += (double)g[k];
        for (int64_t k = 0; k < d && !plain(c); k++) {
            double high = a * (double)g[k] / rest, low = rest * (double)g[k] / rest;
            from[at / n * d + k] += high, from[at % n * d + k] += low;
            from[k] -= a * high, from[k] -= a * low;
        }
    }
    for (int64_t k = 0; sum && k < r * d; k++)
        ((float *)dt->data)[k] = (float)sum[k];
    free(sum);
    return sum ? MER_OK : MER_BAD;
}

static int rows(const struct mer_call *c)
{
    const int64_t *token = mer_in(c, "token")->data, padding = mer_int(c, "padding");
    struct mer_array *y = mer_out(c, "row"); /* [n] */
    int64_t next = first_of(c) + mer_int(c, "past"), skips = mer_is(c, "positions", "unpadded");
    for (int64_t i = 0; i < y->dim[0]; i++)
        ((int64_t *)y->data)[i] = skips && token[i] == padding ? padding : next++;
    return MER_OK;
}

const struct mer_kernel learned_scalar[] = {
    { "learned", "p", "f32", "table=f32 weight=f64 unit=f64 mix=f64", 1.001, vectors_f32 },
    { "learned", "p", "bf16", "table=bf16", 1, vectors_16, .correct = 1 },
    { "learned", "p", "f16", "table=f16", 1, vectors_16, .correct = 1 },
    { "learned", "row", "f32", "table=f32", 0, rows },
    { "learned", "dtable", "f32", "weight=f64 unit=f64 mix=f64 scatter=f64", 1.001, scatter }, { 0 },
};
