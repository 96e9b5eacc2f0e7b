/* Transformer block and its gradients, float32 and bfloat16 (widened, computed in float32, rounded once):
 * core/blocks.h.          Vaswani et al. 2017, section 3.1 */
#include "block/blocks.h"

/* What some parameters do not read (the gate, shifts of an RMS norm, the last norm of parallel sublayers) has gradient
 * 0: asked for beside the others, and not offered alone. */
static int back_gate(const struct mer_call *c) { return mer_is(c, "gated", "no") ? MER_SKIP : blocks_back(c); }
static int back_shift(const struct mer_call *c) { return mer_is(c, "norm", "rms") ? MER_SKIP : blocks_back(c); }
static int back_last(const struct mer_call *c) { return mer_is(c, "order", "parallel") ? MER_SKIP : blocks_back(c); }
static int back_last_shift(const struct mer_call *c)
{
    return mer_is(c, "order", "parallel") ? MER_SKIP : back_shift(c);
}

#define BOTH(out, profile, run) \
    { "block", out, "f32", profile, 0, run, blocks_prepare, blocks_release }, \
    { "block", out, "bf16", profile, 0, run, blocks_prepare, blocks_release }
#define FLOAT(out, run) { "block", out, "f32", BLOCK_BACK, 0, run, blocks_prepare, blocks_release }
const struct mer_kernel block_scalar[] = {
    BOTH("encoder", BLOCK_STEPS, blocks_run), BOTH("decoder", BLOCK_STEPS, blocks_run),
        BOTH("dx dwi dbi dwo dbo dga dw1 db1 dw2 db2", BLOCK_BACK, blocks_back),
    FLOAT("dwg dbg", back_gate), FLOAT("dsa", back_shift), FLOAT("dgf", back_last), FLOAT("dsf", back_last_shift),
    BOTH("dx_decoder dmemory_decoder dwi_decoder dbi_decoder dwo_decoder dbo_decoder dga_decoder dxi_decoder "
        "dxb_decoder dxo_decoder dxc_decoder dgx_decoder dw1_decoder db1_decoder dw2_decoder db2_decoder dgf_decoder",
        BLOCK_BACK, blocks_back),
    FLOAT("dwg_decoder dbg_decoder", back_gate), FLOAT("dsa_decoder dsx_decoder dsf_decoder", back_shift), { 0 },
};
