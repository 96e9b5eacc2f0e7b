/* DeltaNet, forward, in float32 by fast/core/recurrent/delta_tile.h. */
#include "recurrent/delta.h"

const struct mer_kernel deltanet_avx2[] = {
    { "deltanet", "o final", "f32", DELTA_RULE, 0, delta_avx2 },
    { "deltanet", "o final", "bf16", DELTA_RULE, 0, delta_avx2 },
    { 0 },
};
