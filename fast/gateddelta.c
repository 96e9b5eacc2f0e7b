/* Gated DeltaNet, float32 or bfloat16 in and out, with every operation in double (core/recurrent/loop.c). */
#include "recurrent/loop.h"

#define FORWARD "decay=f64 product=f64 dot=f64 residual=f64 correct=f64 write=f64 state=f64 read=f64 square=f64 " \
    "squares=f64 root=f64:2 unit=f64 scale=f64:3 shift=f64 softplus=f64:4 rate=f64:2 gate=f64 factor=f64:2 beta=f64:5"
#define BACKWARD FORWARD " slope=f64:4 gather=f64"
#define GRADIENTS "dq dk dv dbeta da dA_log ddt_bias dstate"
const struct mer_kernel gateddelta_scalar[] = {
    { "gateddelta", "o final", "f32", FORWARD, 0, loop_forward },
    { "gateddelta", GRADIENTS, "f32", BACKWARD, 0, loop_backward },
    { "gateddelta", "o final", "bf16", FORWARD, 0, loop_forward },
    { "gateddelta", GRADIENTS, "bf16", BACKWARD, 0, loop_backward },
    { 0 },
};
