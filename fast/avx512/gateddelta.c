/* Gated DeltaNet, forward, in float32 by fast/core/recurrent/delta_tile.h. */
#include "recurrent/delta.h"

const struct mer_kernel gateddelta_avx512[] = {
    { "gateddelta", "o final", "f32", DELTA_RULE DELTA_GATES, 0, delta_avx512 },
    { "gateddelta", "o final", "bf16", DELTA_RULE DELTA_GATES, 0, delta_avx512 },
    { 0 },
};
