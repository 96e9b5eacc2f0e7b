/* The parameters of row block in the order in which they are written out, and which of them go together; ref/block.c
 * says what each is. */
#include "layer/block.h"
#include "row/called.h"
#include "row/shared.h"

long block_extent(const void *q, char axis)
{
    const struct block *p = q;
    return axis == 's' ? block_size(p, 0) + block_size(p, 1) + block_size(p, 2) :
        axis == 'u'    ? p->heads * (p->value_width ? p->value_width : p->width) :
        axis == 't'    ? 2 :
                         0;
}
bool block_needs(const void *q, const char *input) { return !strcmp(input, "wg") && ((const struct block *)q)->gated; }
const char *block_refuse(const void *q)
{
    const struct block *p = q;
    return p->kv_heads && p->heads % p->kv_heads ? "kv_heads: must divide heads" :
        p->rope && p->width % 2                  ? "width: rope turns pairs" :
        mpq_sgn(p->eps) < 0                      ? "eps: must not be below 0" :
        part_refuses(&row_layer, &row_block, p, BLOCK_ATTENDING " " BLOCK_TURNING, "");
}

const struct param block_params[] = {
    { "order", "post", "where the norms stand", ENUM, offsetof(struct block, order), .choices = "post pre parallel" },
    { "norm", "layer", "layer normalisation, or root mean square", ENUM, offsetof(struct block, norm),
        .choices = "layer rms" },
    { .as = &param_norms_eps, .at = offsetof(struct block, eps) },
    { "residual", "input", "what a sublayer's output is added to: its input, itself, nothing", ENUM,
        offsetof(struct block, residual), .choices = "input doubled none" },
    { .as = &param_act, .at = offsetof(struct block, act) },
    { .as = &param_gated, .at = offsetof(struct block, gated) },
    { .as = &param_query_heads, .at = offsetof(struct block, heads) },
    { .as = &param_kv_heads, .at = offsetof(struct block, kv_heads) },
    { "width", "4", "of a head's q and k", INT, offsetof(struct block, width), .least = 1, .most = 65536 },
    { .as = &param_value_width, .at = offsetof(struct block, value_width) },
    { "logit_scale", "0", "of attention; 0 = 1/sqrt(width)", RATIONAL, offsetof(struct block, scale) },
    { "causal", "none", "which keys query i may see", ENUM, offsetof(struct block, causal),
        .choices = "none topleft bottomright" },
    { .as = &param_window, .at = offsetof(struct block, window) },
    { .as = &param_group, .at = offsetof(struct block, group) },
    { "rope", "off", "rotary encoding of q and k of self-attention", ENUM, offsetof(struct block, rope),
        .choices = "off on" },
    { .as = &param_rope_base, .at = offsetof(struct block, base) },
    { .as = &param_rope_pairs, .at = offsetof(struct block, layout) },
    { "keys", "memory", "of cross-attention: the memory's, or the decoder's own x", ENUM, offsetof(struct block, keys),
        .choices = "memory own" },
    { "memory_norm", "none", "the memory as it is, or by gx once more", ENUM, offsetof(struct block, memory),
        .choices = "none again" },
    { "cross_causal", "none", "which keys of the memory query i may see", ENUM, offsetof(struct block, cross_causal),
        .choices = "none topleft bottomright" },
    { .as = &param_moments, .at = offsetof(struct block, moments) },
    { .as = &param_apply, .at = offsetof(struct block, apply) },
    { .as = &param_mixing_route, .at = offsetof(struct block, route) },
    { .as = &param_mixing_block, .at = offsetof(struct block, keys_a_step) },
    { 0 },
};
