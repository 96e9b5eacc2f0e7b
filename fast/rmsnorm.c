/* Root mean square normalisation in float32, with sums left to right.  bf16 is the same, rounded once, or also cast to
 * bf16 before the gain, as T5 and Llama do. */
#include "block/norm_lines.h"

#define FORWARD "square=f32 mean=f32/lanes1 root=f32 scale=f32 gain=f32"
#define BACKWARD FORWARD " product=f32 collect=f32/lanes1 combine=f32"

static int plain(const struct mer_call *c) { return norm_run(c, norm_no_mean, 0, 0, 0); }
static int cast(const struct mer_call *c) { return norm_run(c, norm_no_mean, 0, 0, 1); }

const struct mer_kernel rmsnorm_scalar[] = {
    { "rmsnorm", "y", "f32", FORWARD, 0, plain },
    { "rmsnorm", "y", "bf16", FORWARD, 0, plain },
    { "rmsnorm", "y", "bf16", FORWARD " cast=bf16", 0, cast },
    { "rmsnorm", "y", "f16", FORWARD, 0, plain }, { "rmsnorm", "rstd", "f32", FORWARD, 0, plain },
    { "rmsnorm", "dx", "f32", BACKWARD, 0, plain }, { "rmsnorm", "dx", "bf16", BACKWARD, 0, plain },
    { "rmsnorm", "dgain", "f32", BACKWARD, 0, plain }, { "rmsnorm", "dgain", "bf16", BACKWARD, 0, plain }, { 0 },
};
