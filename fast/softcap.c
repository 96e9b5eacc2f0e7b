/* Attention with capped scores in plain loops, float32; tanh through float64, so that it rounds once.
 * v0  two passes, scores kept */
#include <math.h>
#include "meridian.h"

static int softcap(const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v"), *bias = mer_in(c, "bias"); /* q[h][n][d] k[g][m][d] v[g][m][e] bias[h][n][m] */
    struct mer_array *o = mer_out(c, "o"), *lse = mer_out(c, "lse");
    int64_t heads = q->dim[0], n = q->dim[1], d = q->dim[2], groups = k->dim[0], m = k->dim[1], e = v->dim[2], causal = mer_is(c, "causal", "bottomright"), mask_first = mer_is(c, "order", "mask-first");
    float cap = (float)mer_real(c, "cap"), scale = (float)mer_real(c, "scale");
    float *s = malloc((size_t)(m + e + 1) * sizeof *s), *sum = s + m;
    if (!s || heads % groups)
        return free(s), MER_BAD;
    scale = scale == 0 ? (float)(1 / sqrt((double)d)) : scale;
    for (int64_t r = 0; r < heads * n; r++) {
        const float *qr = (const float *)q->data + r * d, *br = bias ? (const float *)bias->data + r * m : NULL;
        int64_t g = r / n / (heads / groups);
        float top = -INFINITY, total = 0;
        for (int64_t j = 0; j < m; j++) {
            const float *kr = (const float *)k->data + (g * m + j) * d;
            float t = 0, b = causal && j > r % n + m - n ? -INFINITY : br ? br[j] : 0;
            for (int64_t x = 0; x < d; x++)
                t += qr[x] * kr[x];
            t *= scale;
            t = mask_first ? t + b : t;
            t = cap == 0 ? t : cap * (float)tanh((double)(t / cap));
            s[j] = mask_first ? t : t + b;
            top = s[j] > top ? s[j] : top;
        }
        memset(sum, 0, (size_t)e * sizeof *sum);
        for (int64_t j = 0; j < m; j++) {
            float p = s[j] == -INFINITY ? 0 : expf(s[j] - top);
            total += p;
            for (int64_t x = 0; p > 0 && x < e; x++)
                sum[x] += p * ((const float *)v->data)[(g * m + j) * e + x];
        }
        for (int64_t x = 0; o && x < e; x++)
            ((float *)o->data)[r * e + x] = total > 0 ? sum[x] / total : 0;
        if (lse)
            ((float *)lse->data)[r] = total > 0 ? top + logf(total) : -INFINITY;
    }
    free(s);
    return MER_OK;
}
const struct mer_kernel softcap_scalar[] = {
    { "softcap", "o lse", "f32", "dot=f32/lanes1 product=f32 score=f32 quotient=f32 tanh=f32:1.001 capped=f32 bias=f32 shift=f32 exp=f32:2 sum=f32/lanes1 total=f32/lanes1 div=f32 log=f32:2", 0, softcap }, { 0 },
};
