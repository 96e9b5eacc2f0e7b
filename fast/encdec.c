/* An encoder-decoder Transformer and its gradients, float32, by the kernels of its parts, which are called as those of
 * any subject are.                                                     Vaswani et al. 2017, figure 1
 * v0  one call of row block's kernel for each block, and the head by fast/core/block/gemm.h:
 * fast/core/block/models.h */
#include "block/models.h"

static int run(const struct mer_call *c)
{
    const struct model_kernel s = model_of(c);
    const int64_t rows = s.m * s.width;
    float *memory = malloc((size_t)(rows + s.n * s.width + 1) * sizeof *memory), *t = memory + rows,
          *out = c->out->data;
    int rc = memory ? model_encode(&s, memory, s.encoders) : MER_BAD;
    if (rc == MER_OK && s.n)
        rc = model_decode(&s, t, memory);
    if (rc == MER_OK && !s.v)
        memcpy(out, s.n ? t : memory, (size_t)(s.n ? s.n * s.width : rows) * sizeof *out);
    if (rc == MER_OK && s.v)
        model_logits(&s, out, t);
    if (rc == MER_OK && !strcmp(c->out->name, "logprob"))
        model_logprob(&s, out);
    free(memory);
    return rc;
}
/* Without a norm at the end of the stacks its gradients are 0, and they are not offered. */
static int back_last(const struct mer_call *c) { return model_of(c).normed ? model_back(c) : MER_SKIP; }

#define BACK CENTRED_BACK MODEL_HEAD " join=f32"
const struct mer_kernel encdec_scalar[] = {
    { "encdec", "encoded", "f32", CENTRED_STEPS MODEL_HEAD, 0, run },
    { "encdec", "decoded", "f32", CENTRED_STEPS MODEL_HEAD, 0, run },
    { "encdec", "logits", "f32", CENTRED_STEPS MODEL_HEAD, 0, run },
    { "encdec", "logprob", "f32", CENTRED_STEPS MODEL_HEAD, 0, run },
    { "encdec", "dsrc dtgt dwi dbi dwo dbo dga dsa dw1 db1 dw2 db2 dgf dsf dxi dxb dxo dxc dgx dsx dhead", "f32", BACK,
        0, model_back },
    { "encdec", "dgl dsl", "f32", BACK, 0, back_last },
    { 0 },
};
