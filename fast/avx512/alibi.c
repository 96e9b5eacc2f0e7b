/* Linear biases: the lines of fast/alibi.c, copied past the caches where the output is larger than those. */
#include "relative/slices.h"

static int bias(const struct mer_call *c) { return alibi_bias(c, slice_avx512); }
const struct mer_kernel alibi_avx512[] = {
    { "alibi", "bias", "f32", "slope=f64:3 bias=f32:1.001", 1.01, bias },
    { "alibi", "bias", "f16", "slope=f64:3 bias=f16:1.001", 1.01, bias },
    { "alibi", "bias", "bf16", "slope=f64:3 bias=bf16:1.001", 1.01, bias },
    { 0 },
};
