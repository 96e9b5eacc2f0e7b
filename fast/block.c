/* Transformer block and its gradients, float32 and bfloat16 (widened, computed in float32, rounded once): core/blocks.h.          Vaswani et al. 2017, section 3.1 */
#include "blocks.h"

static int run(const struct mer_call *c)
{
    const struct blocks *s = c->state;
    const struct blocks_norm a = blocks_norm_of(c, s, "ga", "sa"), b = blocks_norm_of(c, s, "gx", "sx"), f = blocks_norm_of(c, s, "gf", "sf");
    const float *x = widen_in(c, s->wide, "x"), *z = widen_in(c, s->wide, mer_is(c, "keys", "own") && mer_in(c, "memory") ? "x" : "memory");
    struct mer_array *out = c->out;
    float *y = out->type == MER_BF16 ? s->y : out->data, *t = s->t, *u = s->u;
    blocks_masks(c, s);
    if (s->pre)
        blocks_normalise(s, u, x, s->n, a);
    if (blocks_attend(c, s, t, s->pre ? u : x, NULL) != MER_OK)
        return MER_BAD;
    blocks_add(s, y, x, t);
    if (!s->pre)
        blocks_normalise(s, y, y, s->n, a);
    if (z) {
        if (mer_is(c, "memory_norm", "again"))
            blocks_normalise(s, s->z, z, s->m, b), z = s->z;
        if (s->pre)
            blocks_normalise(s, u, y, s->n, b);
        if (blocks_attend(c, s, t, s->pre ? u : y, z) != MER_OK)
            return MER_BAD;
        blocks_add(s, y, y, t);
        if (!s->pre)
            blocks_normalise(s, y, y, s->n, b);
    }
    if (s->pre && (!s->parallel || z))
        blocks_normalise(s, u, y, s->n, f);
    blocks_feed(c, s, t, s->pre ? u : y);
    blocks_add(s, y, y, t);
    if (!s->pre)
        blocks_normalise(s, y, y, s->n, f);
    if (out->type == MER_BF16)
        widen_out(out, y);
    return MER_OK;
}

/* What some parameters do not read (the gate, shifts of an RMS norm, the last norm of parallel sublayers) has gradient 0: asked for beside the others, and not offered alone. */
static int back_gate(const struct mer_call *c) { return mer_is(c, "gated", "no") ? MER_SKIP : blocks_back(c); }
static int back_shift(const struct mer_call *c) { return mer_is(c, "norm", "rms") ? MER_SKIP : blocks_back(c); }
static int back_last(const struct mer_call *c) { return mer_is(c, "order", "parallel") ? MER_SKIP : blocks_back(c); }
static int back_last_shift(const struct mer_call *c) { return mer_is(c, "order", "parallel") ? MER_SKIP : back_shift(c); }

#define BOTH(out, profile, run) { "block", out, "f32", profile, 0, run, blocks_prepare, blocks_release }, { "block", out, "bf16", profile, 0, run, blocks_prepare, blocks_release }
#define FLOAT(out, run) { "block", out, "f32", BLOCK_BACK, 0, run, blocks_prepare, blocks_release }
const struct mer_kernel block_scalar[] = {
    BOTH("encoder", BLOCK_STEPS, run), BOTH("decoder", BLOCK_STEPS, run), BOTH("dx dwi dbi dwo dbo dga dw1 db1 dw2 db2", BLOCK_BACK, blocks_back),
    FLOAT("dwg dbg", back_gate), FLOAT("dsa", back_shift), FLOAT("dgf", back_last), FLOAT("dsf", back_last_shift),
    BOTH("dx_decoder dmemory_decoder dwi_decoder dbi_decoder dwo_decoder dbo_decoder dga_decoder dxi_decoder dxb_decoder dxo_decoder dxc_decoder dgx_decoder dw1_decoder db1_decoder dw2_decoder db2_decoder dgf_decoder", BLOCK_BACK, blocks_back),
    FLOAT("dwg_decoder dbg_decoder", back_gate), FLOAT("dsa_decoder dsx_decoder dsf_decoder", back_shift), { 0 },
};
