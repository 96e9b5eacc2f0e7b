/* Copies of arrays as float32 and back: floats.h.  Arrays of float32 are copied too. */
#include "floats.h"
#include "half.h"

int64_t floats_count(const struct mer_array *a)
{
    int64_t n = 1;
    for (int k = 0; k < a->rank; k++)
        n *= a->dim[k];
    return n;
}

float *floats_room(int64_t n) { return calloc((size_t)n + 1, sizeof(float)); }

static float element(const struct mer_array *a, int64_t i)
{
    const uint16_t *half = a->data;
    return a->type == MER_F32 ? ((const float *)a->data)[i] :
        a->type == MER_BF16   ? from_bf16(half[i]) :
                                from_f16(half[i]);
}

float *floats_of(const struct mer_array *a)
{
    const int64_t n = a ? floats_count(a) : 0;
    float *x = a ? malloc((size_t)(n + 1) * sizeof *x) : NULL;
    if (x && a->type == MER_F32 && n)
        memcpy(x, a->data, (size_t)n * sizeof *x);
    for (int64_t i = 0; x && i < n && a->type != MER_F32; i++)
        x[i] = element(a, i);
    return x;
}

float *floats_where(const struct mer_call *c, const char *name, int read)
{
    return read ? floats_of(mer_in(c, name)) : NULL;
}

float *floats_turned(const struct mer_array *a)
{
    float *x = a ? floats_room(floats_count(a)) : NULL;
    for (int64_t i = 0; x && i < a->dim[0]; i++)
        for (int64_t j = 0; j < a->dim[1]; j++)
            x[j * a->dim[0] + i] = element(a, i * a->dim[1] + j);
    return x;
}

int floats_put(struct mer_array *a, const float *x)
{
    uint16_t *half = a->data;
    int64_t n = floats_count(a);
    if (!x)
        return MER_BAD;
    if (a->type == MER_F32 && n)
        memcpy(a->data, x, (size_t)n * sizeof *x);
    for (int64_t i = 0; i < n && a->type != MER_F32; i++)
        half[i] = a->type == MER_BF16 ? to_bf16(x[i]) : to_f16(x[i]);
    return MER_OK;
}

int floats_sum(const struct mer_call *c, const char *name)
{
    const struct mer_array *a = mer_in(c, name);
    float *x = floats_of(a), *sum = floats_room(c->out[0].dim[0]);
    int rc = x && sum ? MER_OK : MER_BAD;
    for (int64_t i = 0; rc == MER_OK && i < a->dim[0]; i++)
        for (int64_t k = 0; k < a->dim[1]; k++)
            sum[k] += x[i * a->dim[1] + k];
    rc = rc == MER_OK ? floats_put(c->out, sum) : rc;
    free(x), free(sum);
    return rc;
}
