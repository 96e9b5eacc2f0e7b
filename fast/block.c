/* A Transformer block and its gradients, float32 and bf16 (widened, computed in float32, rounded once), by
 * fast/core/block/blocks.h.                                          Vaswani et al. 2017, section 3.1 */
#include "block/blocks.h"

/* Inputs that some parameters do not read (the gate, shifts of an RMS norm, the last norm of parallel sublayers) have
 * gradient 0.  They are given beside the other gradients, and not offered alone. */
static int back_gate(const struct mer_call *c) { return mer_is(c, "gated", "no") ? MER_SKIP : blocks_back(c); }
static int back_shift(const struct mer_call *c) { return mer_is(c, "norm", "rms") ? MER_SKIP : blocks_back(c); }
static int back_last(const struct mer_call *c) { return mer_is(c, "order", "parallel") ? MER_SKIP : blocks_back(c); }
static int back_last_shift(const struct mer_call *c)
{
    return mer_is(c, "order", "parallel") ? MER_SKIP : back_shift(c);
}

const struct mer_kernel block_scalar[] = {
    { "block", "encoder", "f32", BLOCK_STEPS, 0, blocks_run, blocks_prepare, blocks_release },
    { "block", "encoder", "bf16", BLOCK_STEPS, 0, blocks_run, blocks_prepare, blocks_release },
    { "block", "decoder", "f32", BLOCK_STEPS, 0, blocks_run, blocks_prepare, blocks_release },
    { "block", "decoder", "bf16", BLOCK_STEPS, 0, blocks_run, blocks_prepare, blocks_release },
    { "block", "dx dwi dbi dwo dbo dga dw1 db1 dw2 db2", "f32", BLOCK_BACK, 0, blocks_back, blocks_prepare,
        blocks_release },
    { "block", "dx dwi dbi dwo dbo dga dw1 db1 dw2 db2", "bf16", BLOCK_BACK, 0, blocks_back, blocks_prepare,
        blocks_release },
    { "block", "dwg dbg", "f32", BLOCK_BACK, 0, back_gate, blocks_prepare, blocks_release },
    { "block", "dsa", "f32", BLOCK_BACK, 0, back_shift, blocks_prepare, blocks_release },
    { "block", "dgf", "f32", BLOCK_BACK, 0, back_last, blocks_prepare, blocks_release },
    { "block", "dsf", "f32", BLOCK_BACK, 0, back_last_shift, blocks_prepare, blocks_release },
    { "block", "dx_decoder dmemory_decoder dwi_decoder dbi_decoder dwo_decoder dbo_decoder dga_decoder dxi_decoder "
        "dxb_decoder dxo_decoder dxc_decoder dgx_decoder dw1_decoder db1_decoder dw2_decoder db2_decoder dgf_decoder",
        "f32", BLOCK_BACK, 0, blocks_back, blocks_prepare, blocks_release },
    { "block", "dx_decoder dmemory_decoder dwi_decoder dbi_decoder dwo_decoder dbo_decoder dga_decoder dxi_decoder "
        "dxb_decoder dxo_decoder dxc_decoder dgx_decoder dw1_decoder db1_decoder dw2_decoder db2_decoder dgf_decoder",
        "bf16", BLOCK_BACK, 0, blocks_back, blocks_prepare, blocks_release },
    { "block", "dwg_decoder dbg_decoder", "f32", BLOCK_BACK, 0, back_gate, blocks_prepare, blocks_release },
    { "block", "dsa_decoder dsx_decoder dsf_decoder", "f32", BLOCK_BACK, 0, back_shift, blocks_prepare,
        blocks_release },
    { 0 },
};
