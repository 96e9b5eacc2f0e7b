/* Softmax of lines, 16 lanes: fast/core/attention/softmax_tile.h. */
#include "lanes512.h"
#include "attention/softmax_tile.h"

const struct mer_kernel softmax_avx512[] = { { "softmax", "p", "f32", SOFT_STEPS("lanes64"), 0, soft_run },
    { "softmax", "p", "bf16", SOFT_STEPS("lanes64"), 0, soft_run }, { 0 } };
