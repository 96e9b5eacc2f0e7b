/* Gated DeltaNet, float32 or bfloat16 in and out, with every operation in double (core/recurrent/loop.c). */
#include "recurrent/loop.h"

/* Gradients that are 0 by definition are not offered: of the decay of one token that finds no state, and of parameters
 * of a gate that is not the call's. */
static int of_decay(const struct mer_call *c)
{
    return mer_in(c, "v")->dim[1] > 1 || mer_in(c, "state") ? loop_backward(c) : MER_SKIP;
}
static int of_gate(const struct mer_call *c) { return mer_is(c, "gate", "log") ? MER_SKIP : of_decay(c); }

#define FORWARD "decay=f64 product=f64 dot=f64 residual=f64 correct=f64 write=f64 state=f64 output=f64 square=f64 " \
    "squares=f64 root=f64:2 unit=f64 query=f64:3 shift=f64 softplus=f64:4 rate=f64:2 log=f64 factor=f64:2 beta=f64:5"
#define BACKWARD FORWARD " slope=f64:4 gather=f64"
const struct mer_kernel gateddelta_scalar[] = {
    { "gateddelta", "o final", "f32", FORWARD, 0, loop_forward },
    { "gateddelta", "dq dk dv dbeta dstate", "f32", BACKWARD, 0, loop_backward },
    { "gateddelta", "da", "f32", BACKWARD, 0, of_decay },
    { "gateddelta", "dA_log ddt_bias", "f32", BACKWARD, 0, of_gate },
    { "gateddelta", "o final", "bf16", FORWARD, 0, loop_forward },
    { "gateddelta", "dq dk dv dbeta dstate", "bf16", BACKWARD, 0, loop_backward },
    { "gateddelta", "da", "bf16", BACKWARD, 0, of_decay },
    { "gateddelta", "dA_log ddt_bias", "bf16", BACKWARD, 0, of_gate },
    { 0 },
};
