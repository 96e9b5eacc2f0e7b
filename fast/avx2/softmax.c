/* Softmax of lines, 8 lanes: fast/core/attention/softmax_tile.h. */
#include "lanes256.h"
#include "attention/softmax_tile.h"

const struct mer_kernel softmax_avx2[] = { { "softmax", "p", "f32", SOFT_STEPS("lanes32"), 0, soft_run },
    { "softmax", "p", "bf16", SOFT_STEPS("lanes32"), 0, soft_run }, { 0 } };
