/* Multi-head latent attention of a few queries, 16 lanes: fast/core/tile/absorbed_tile.h. */
#include "lanes512.h"
#define LANES_NAME "lanes16"
#include "tile/absorbed_tile.h"

const struct mer_kernel mla_avx512[] = {
    { "mla", "o lse", "f32", ARITH, 0, attend, absorbed_prepare, absorbed_release },
    { "mla", "o lse", "bf16", ARITH, 0, attend, absorbed_prepare, absorbed_release },
    { 0 },
};
