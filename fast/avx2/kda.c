/* Kimi delta attention, forward, in float32 by fast/core/recurrent/delta_tile.h. */
#include "recurrent/delta.h"

const struct mer_kernel kda_avx2[] = {
    { "kda", "o final", "f32", DELTA_RULE DELTA_CHANNELS, 0, delta_avx2 },
    { "kda", "o final", "bf16", DELTA_RULE DELTA_CHANNELS, 0, delta_avx2 },
    { 0 },
};
