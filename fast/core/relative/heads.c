/* Projections in float32: heads.h. */
#include "relative/heads.h"

struct mer_array to_heads(
    const char *name, const struct mer_array *x, const struct mer_array *weight, const struct mer_array *bias)
{
    const int64_t n = x->dim[0], c = x->dim[1], h = weight->dim[0], d = weight->dim[2];
    const float *from = x->data, *w = weight->data, *b = bias ? bias->data : NULL;
    float *y = weight->dim[1] == c ? malloc((size_t)(h * n * d + 1) * sizeof *y) : NULL;
    for (int64_t k = 0; y && k < h * n * d; k++) {
        const int64_t i = k / d % n, head = k / (n * d);
        y[k] = 0;
        for (int64_t j = 0; j < c; j++)
            y[k] += from[i * c + j] * w[(head * c + j) * d + k % d];
        y[k] += b ? b[head * d + k % d] : 0;
    }
    return (struct mer_array){ .name = name, .type = MER_F32, .rank = 3, .dim = { h, n, d }, .data = y };
}
