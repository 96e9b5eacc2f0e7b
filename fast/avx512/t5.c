/* Bucketed relative bias: the lines of fast/t5.c, copied past the caches where the output is larger than those. */
#include "relative/slices.h"

static int bias(const struct mer_call *c) { return t5_bias(c, slice_avx512); }
const struct mer_kernel t5_avx512[] = {
    { "t5", "bias", "f32", "table=f32", 1, bias, t5_prepare, t5_release, 1 },
    { "t5", "bias", "bf16", "table=bf16", 1, bias, t5_prepare, t5_release, 1 },
    { "t5", "bias", "f16", "table=f16", 1, bias, t5_prepare, t5_release, 1 }, { 0 },
};
