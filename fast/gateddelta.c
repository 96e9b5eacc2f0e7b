/* Gated DeltaNet, float32 or bfloat16 in and out, with every operation in double (core/recurrent/loop.c). */
#include "recurrent/loop.h"

const struct mer_kernel gateddelta_scalar[] = {
    { "gateddelta", "o final", "f32", LOOP_DELTA LOOP_GATES, 0, loop_forward },
    { "gateddelta", "dq dk dv dbeta dstate", "f32", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_backward },
    { "gateddelta", "da", "f32", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_of_decay },
    { "gateddelta", "dA_log ddt_bias", "f32", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_of_gate },
    { "gateddelta", "o final", "bf16", LOOP_DELTA LOOP_GATES, 0, loop_forward },
    { "gateddelta", "dq dk dv dbeta dstate", "bf16", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_backward },
    { "gateddelta", "da", "bf16", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_of_decay },
    { "gateddelta", "dA_log ddt_bias", "bf16", LOOP_DELTA LOOP_GATES LOOP_BACK, 0, loop_of_gate },
    { 0 },
};
