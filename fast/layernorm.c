/* Layer normalisation in float32 (Ba, Kiros, Hinton 2016) in two passes, in one pass, and by Welford's recursion, with
 * x - mu taken first, or folded into x r - mu r as torch does on a processor.  Sums go left to right.  16-bit arrays
 * are widened, computed in float32, and rounded once. */
#include "block/norm_lines.h"

#define FORWARD "mean=f32/lanes1 centre=f32 square=f32 moment=f32/lanes1 root=f32 scale=f32 gain=f32 shift=f32"
/* A recursion has no sum whose order could be said. */
#define RECURSIVE "mean=f32 centre=f32 square=f32 moment=f32 root=f32 scale=f32 gain=f32 shift=f32 route=welford"
#define BACKWARD FORWARD " product=f32 collect=f32/lanes1 combine=f32"

static int two_passes(const struct mer_call *c) { return norm_run(c, norm_two_passes, 1, 0, 0); }
static int one_pass(const struct mer_call *c) { return norm_run(c, norm_one_pass, 1, 0, 0); }
static int welford(const struct mer_call *c) { return norm_run(c, norm_welford, 1, 0, 0); }
static int folded(const struct mer_call *c) { return norm_run(c, norm_welford, 1, 1, 0); }

static int shift_grad(const struct mer_call *c) { return floats_sum(c, "dy"); }

const struct mer_kernel layernorm_scalar[] = {
    { "layernorm", "y", "f32", FORWARD, 0, two_passes },
    { "layernorm", "y", "f32", FORWARD " route=one-pass", 0, one_pass },
    { "layernorm", "y", "f32", RECURSIVE, 0, welford },
    { "layernorm", "y", "f32", RECURSIVE " apply=folded", 0, folded },
    { "layernorm", "y", "bf16", FORWARD, 0, two_passes }, { "layernorm", "y", "f16", FORWARD, 0, two_passes },
    { "layernorm", "mean", "f32", FORWARD, 0, two_passes }, { "layernorm", "rstd", "f32", FORWARD, 0, two_passes },
    { "layernorm", "dx", "f32", BACKWARD, 0, two_passes }, { "layernorm", "dx", "bf16", BACKWARD, 0, two_passes },
    { "layernorm", "dgain", "f32", BACKWARD, 0, two_passes }, { "layernorm", "dgain", "bf16", BACKWARD, 0, two_passes },
    { "layernorm", "dshift", "f32", "collect=f32/lanes1", 0, shift_grad },
    { "layernorm", "dshift", "bf16", "collect=f32/lanes1", 0, shift_grad },
    { 0 },
};
