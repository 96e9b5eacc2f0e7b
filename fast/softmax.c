/* Softmax of lines in float32, as it is written down, with sums left to right.  bf16 is the same, rounded once. */
#include <math.h>
#include "floats.h"

/* e[m] = the exponentials of a line, 0 where hidden.  Returns their sum, which is 0 where nothing is seen. */
static float line(const struct mer_call *c, const float *x, const int64_t *keep, int64_t m, float *e)
{
    const float scale = (float)mer_real(c, "scale");
    const int one = mer_is(c, "softmax1", "on");
    float top = one ? 0 : -INFINITY, total = 0;
    for (int64_t j = 0; j < m; j++) {
        e[j] = keep && !keep[j] ? -INFINITY : x[j] == -INFINITY ? x[j] : x[j] * scale;
        top = e[j] > top ? e[j] : top;
    }
    for (int64_t j = 0; j < m; j++)
        total += e[j] = e[j] == -INFINITY ? 0 : expf(e[j] - (top == -INFINITY ? 0 : top));
    return one ? total + expf(-top) : total;
}
static float top_of(const struct mer_call *c, const float *x, const int64_t *keep, int64_t m)
{
    const float scale = (float)mer_real(c, "scale");
    float top = mer_is(c, "softmax1", "on") ? 0 : -INFINITY;
    for (int64_t j = 0; j < m; j++)
        if (x[j] != -INFINITY && !(keep && !keep[j]) && x[j] * scale > top)
            top = x[j] * scale;
    return top;
}

/* y = one line of p, of lse or, with dp, of dx; e[m] is room. */
static void put(
    const struct mer_call *c, const float *x, const int64_t *keep, const float *dp, int64_t m, float *y, float *e)
{
    const float total = line(c, x, keep, m, e);
    if (mer_out(c, "lse")) {
        *y = total == 0 ? -INFINITY : top_of(c, x, keep, m) + logf(total);
        return;
    }
    for (int64_t j = 0; j < m; j++)
        y[j] = total != 0 ? e[j] / total : mer_is(c, "empty", "nan") ? NAN : 0;
    if (dp) {
        const float scale = (float)mer_real(c, "scale");
        float mean = 0;
        for (int64_t j = 0; j < m; j++)
            mean += y[j] * dp[j];
        for (int64_t j = 0; j < m; j++)
            y[j] = y[j] * (dp[j] - mean) * scale;
    }
}

static int run(const struct mer_call *c)
{
    const struct mer_array *a = mer_in(c, "x"), *keep = mer_in(c, "keep");
    const int64_t n = a->dim[0], m = a->dim[1], out = floats_count(&c->out[0]), wide = n ? out / n : 0;
    float *x = floats_of(a), *dp = floats_of(mer_out(c, "dx") ? mer_in(c, "dp") : NULL), *y = floats_room(out),
          *e = floats_room(m);
    for (int64_t i = 0; x && y && e && i < n; i++)
        put(c, x + i * m, keep ? (const int64_t *)keep->data + i * m : NULL, dp ? dp + i * m : NULL, m, y + i * wide,
            e);
    int rc = x && e ? floats_put(&c->out[0], y) : MER_BAD;
    free(x), free(dp), free(y), free(e);
    return rc;
}

#define FORWARD "score=f32 shift=f32 exp=f32:2 total=f32/lanes1 div=f32 "
const struct mer_kernel softmax_scalar[] = {
    { "softmax", "p", "f32", FORWARD, 0, run },
    { "softmax", "p", "bf16", FORWARD, 0, run },
    { "softmax", "lse", "f32", FORWARD "log=f32:2", 0, run },
    { "softmax", "lse", "bf16", FORWARD "log=f32:2", 0, run },
    { "softmax", "dx", "f32", FORWARD "product=f32 collect=f32/lanes1 combine=f32", 0, run },
    { "softmax", "dx", "bf16", FORWARD "product=f32 collect=f32/lanes1 combine=f32", 0, run },
    { 0 },
};
