/* DeltaNet, float32 or bfloat16 in and out, with every operation in double (core/recurrent/loop.c). */
#include "recurrent/loop.h"

const struct mer_kernel deltanet_scalar[] = {
    { "deltanet", "o final", "f32", LOOP_DELTA, 0, loop_forward },
    { "deltanet", "dq dk dv dbeta dstate", "f32", LOOP_DELTA LOOP_BACK, 0, loop_backward },
    { "deltanet", "o final", "bf16", LOOP_DELTA, 0, loop_forward },
    { "deltanet", "dq dk dv dbeta dstate", "bf16", LOOP_DELTA LOOP_BACK, 0, loop_backward },
    { 0 },
};
