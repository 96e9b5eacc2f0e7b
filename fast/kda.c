/* Kimi delta attention, float32 or bfloat16 in and out, with every operation in double (core/recurrent/loop.c). */
#include "recurrent/loop.h"

const struct mer_kernel kda_scalar[] = {
    { "kda", "o final", "f32", LOOP_DELTA LOOP_GATES, 0, loop_forward },
    { "kda", "dq dk dv dbeta dstate", "f32", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_backward },
    { "kda", "da", "f32", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_of_decay },
    { "kda", "dA_log ddt_bias", "f32", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_of_gate },
    { "kda", "o final", "bf16", LOOP_DELTA LOOP_GATES, 0, loop_forward },
    { "kda", "dq dk dv dbeta dstate", "bf16", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_backward },
    { "kda", "da", "bf16", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_of_decay },
    { "kda", "dA_log ddt_bias", "bf16", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_of_gate },
    { 0 },
};
