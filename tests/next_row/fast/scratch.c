/* Scratch kernels. v0 does one product an element. */
#include "meridian.h"

static int scale(const struct mer_call *c, const char *in, const char *out)
{
    const struct mer_array *x = mer_in(c, in);
    const float gain = (float)mer_real(c, "gain");
    for (int64_t i = 0; i < mer_count(x); i++)
        ((float *)mer_out(c, out)->data)[i] = ((const float *)x->data)[i] * gain;
    return MER_OK;
}
static int forward(const struct mer_call *c) { return scale(c, "x", "y"); }
static int backward(const struct mer_call *c) { return scale(c, "dy", "dx"); }
static int places(const struct mer_call *c)
{
    const struct mer_array *pos = mer_in(c, "pos"), *p = mer_out(c, "p");
    for (int64_t i = 0; i < p->dim[0]; i++)
        for (int64_t k = 0; k < p->dim[1]; k++)
            ((float *)p->data)[i * p->dim[1] + k] =
                (float)((double)((const int64_t *)pos->data)[i] * mer_real(c, "gain"));
    return MER_OK;
}
const struct mer_kernel scratch_scalar[] = { { "scratch", "y", "f32", "product=f32", 1, forward },
    { "scratch", "dx", "f32", "product=f32", 1, backward }, { "scratch", "p", "f32", "product=f32", 1, places },
    { 0 } };
