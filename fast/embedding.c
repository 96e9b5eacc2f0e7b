/* Token embedding and tied output in float32: a gather, then one product and one addition for each element; logits and
 * gradients are sums left to right. */
#include <math.h>
#include "floats.h"

/* The factor of embeddings: the given scale, or sqrt(d). */
static float factor(const struct mer_call *c)
{
    double s = mer_real(c, "scale");
    return s != 0 ? (float)s : sqrtf((float)mer_in(c, "table")->dim[1]);
}
/* The token whose vector, or whose position, is zero, where the parameter pad is that; -1: none. */
static int64_t padding(const struct mer_call *c, const char *pad)
{
    return mer_is(c, "pad", pad) ? mer_int(c, "padding") : -1;
}

static int gather(const struct mer_call *c)
{
    const struct mer_array *table = mer_in(c, "table"); /* [v][d] */
    const int64_t *token = mer_in(c, "token")->data, d = table->dim[1];
    struct mer_array *out = mer_out(c, "y"); /* [n][d] */
    float *e = floats_of(table), *p = floats_where(c, "place", mer_is(c, "positions", "yes")),
          *y = floats_room(floats_count(out)), s = factor(c);
    const int64_t no_token = padding(c, "zero-token"), no_place = padding(c, "zero-position");
    int rc = e && y ? MER_OK : MER_BAD;
    for (int64_t i = 0; i < out->dim[0] && rc == MER_OK; i++) {
        if (token[i] < 0 || token[i] >= table->dim[0]) {
            rc = MER_BAD;
            break;
        }
        int zero = token[i] == no_token, place = p && token[i] != no_place;
        for (int64_t k = 0; k < d; k++) {
            float x = zero ? 0 : s == 1 ? e[token[i] * d + k] : s * e[token[i] * d + k];
            y[i * d + k] = place ? x + p[i * d + k] : x;
        }
    }
    rc = rc == MER_OK ? floats_put(out, y) : rc;
    free(e), free(p), free(y);
    return rc;
}

/* The first output y[n,m] from an input x[n,l]: x E^T + bias with `rows`, which gives logits, else x E, which gives
 * dh. */
static int product(const struct mer_call *c, const char *name, int rows)
{
    const struct mer_array *table = mer_in(c, "table"), *in = mer_in(c, name);
    float *e = floats_of(table), *x = floats_of(in), *bias = floats_where(c, "bias", rows && mer_is(c, "bias", "yes")),
          *y = floats_room(floats_count(c->out));
    int64_t d = table->dim[1], l = in->dim[1], m = c->out[0].dim[1];
    int rc = e && x && y ? MER_OK : MER_BAD;
    for (int64_t i = 0; rc == MER_OK && i < in->dim[0]; i++)
        for (int64_t k = 0; k < m; k++) {
            float sum = 0;
            for (int64_t j = 0; j < l; j++)
                sum += x[i * l + j] * (rows ? e[k * d + j] : e[j * d + k]);
            y[i * m + k] = bias ? sum + bias[k] : sum;
        }
    rc = rc == MER_OK ? floats_put(c->out, y) : rc;
    free(e), free(x), free(bias), free(y);
    return rc;
}
static int logits(const struct mer_call *c) { return product(c, "h", 1); }
static int hidden_grad(const struct mer_call *c) { return product(c, "dlogits", 0); }

static int tied_grad(const struct mer_call *c)
{
    const struct mer_array *in = mer_in(c, "h"), *seed = mer_in(c, "dlogits");
    const int64_t n = in->dim[0], d = in->dim[1], v = seed->dim[1];
    float *h = floats_of(in), *dy = floats_of(seed), *y = floats_room(v * d);
    for (int64_t i = 0; h && dy && y && i < n; i++)
        for (int64_t k = 0; k < v * d; k++)
            y[k] += dy[i * v + k / d] * h[i * d + k % d];
    int rc = h && dy ? floats_put(c->out, y) : MER_BAD;
    free(h), free(dy), free(y);
    return rc;
}
static int bias_grad(const struct mer_call *c) { return floats_sum(c, "dlogits"); }

static int table_grad(const struct mer_call *c)
{
    const struct mer_array *in = mer_in(c, "dy"); /* [n][d] */
    struct mer_array *out = mer_out(c, "dtable"); /* [v][d] */
    const int64_t *token = mer_in(c, "token")->data, d = in->dim[1];
    float *dy = floats_of(in), *y = floats_room(floats_count(out)), s = factor(c);
    const int64_t no_token = padding(c, "zero-token");
    int rc = dy && y ? MER_OK : MER_BAD;
    for (int64_t i = 0; rc == MER_OK && i < in->dim[0]; i++) {
        if (token[i] < 0 || token[i] >= out->dim[0])
            rc = MER_BAD;
        for (int64_t k = 0; k < d && rc == MER_OK && token[i] != no_token; k++)
            y[token[i] * d + k] += dy[i * d + k];
    }
    for (int64_t k = 0; rc == MER_OK && k < floats_count(out); k++)
        y[k] = s == 1 ? y[k] : s * y[k];
    rc = rc == MER_OK ? floats_put(out, y) : rc;
    free(dy), free(y);
    return rc;
}

const struct mer_kernel embedding_scalar[] = {
    { "embedding", "y", "f32", "factor=f32 token=f32 add=f32", 0, gather },
    { "embedding", "y", "bf16", "factor=f32 token=f32 add=f32", 0, gather },
    { "embedding", "logits", "f32", "product=f32 sum=f32/lanes1", 0, logits },
    { "embedding", "logits", "bf16", "product=f32 sum=f32/lanes1", 0, logits },
    { "embedding", "dh", "f32", "product=f32 sum=f32/lanes1", 0, hidden_grad },
    { "embedding", "dh", "bf16", "product=f32 sum=f32/lanes1", 0, hidden_grad },
    { "embedding", "dtable", "f32", "factor=f32 token=f32 sum=f32/lanes1", 0, table_grad },
    { "embedding", "dtable", "bf16", "factor=f32 token=f32 sum=f32/lanes1", 0, table_grad },
    { "embedding", "dtable_logits", "f32", "product=f32 sum=f32/lanes1", 0, tied_grad },
    { "embedding", "dtable_logits", "bf16", "product=f32 sum=f32/lanes1", 0, tied_grad },
    { "embedding", "dbias", "f32", "sum=f32/lanes1", 0, bias_grad },
    { "embedding", "dbias", "bf16", "sum=f32/lanes1", 0, bias_grad },
    { 0 },
};
