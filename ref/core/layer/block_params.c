/* The parameters of row block in the order in which they are written out, and which of them go together; ref/block.c
 * says what each is. */
#include "layer/block.h"

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
        mpq_sgn(p->base) <= 0                    ? "base: must be positive" :
        mpq_sgn(p->eps) < 0                      ? "eps: must not be below 0" :
                                                   NULL;
}

const struct param block_params[] = {
    { "order", "post", "where the norms stand", ENUM, offsetof(struct block, order), .choices = "post pre parallel" },
    { "norm", "layer", "layer normalisation, or root mean square", ENUM, offsetof(struct block, norm),
        .choices = "layer rms" },
    { "eps", "1/100000", "of the norms", RATIONAL, offsetof(struct block, eps) },
    { "residual", "input", "what a sublayer's output is added to: its input, itself, nothing", ENUM,
        offsetof(struct block, residual), .choices = "input doubled none" },
    { "act", "relu", "activation: row feedforward", ENUM, offsetof(struct block, act),
        .choices = "relu gelu gelu-tanh silu" },
    { "gated", "no", "act(x wg) (x w1) in place of act(x w1)", ENUM, offsetof(struct block, gated),
        .choices = "no yes" },
    { "heads", "2", "number of query heads H", INT, offsetof(struct block, heads), .least = 1, .most = 1024 },
    { "kv_heads", "0", "number of key heads G; 0 = heads", INT, offsetof(struct block, kv_heads), .least = 0,
        .most = 1024 },
    { "width", "4", "of a head's q and k", INT, offsetof(struct block, width), .least = 1, .most = 65536 },
    { "value_width", "0", "of a head's v; 0 = width", INT, offsetof(struct block, value_width), .least = 0,
        .most = 65536 },
    { "logit_scale", "0", "of attention; 0 = 1/sqrt(width)", RATIONAL, offsetof(struct block, scale) },
    { "causal", "none", "which keys query i may see", ENUM, offsetof(struct block, causal),
        .choices = "none topleft bottomright" },
    { "window", "0", "keys visible to the left, itself included; 0 = all", INT, offsetof(struct block, window),
        .least = 0, .most = 1 << 30 },
    { "group", "repeat", "which key head a query head reads", ENUM, offsetof(struct block, group),
        .choices = "repeat tile" },
    { "rope", "off", "rotary encoding of q and k of self-attention", ENUM, offsetof(struct block, rope),
        .choices = "off on" },
    { "base", "10000", "rope: w_k = base^(-2k/d)", RATIONAL, offsetof(struct block, base) },
    { "layout", "half", "rope: pairs (k, k + d/2) or (2k, 2k+1)", ENUM, offsetof(struct block, layout),
        .choices = "half interleaved" },
    { "keys", "memory", "of cross-attention: the memory's, or the decoder's own x", ENUM, offsetof(struct block, keys),
        .choices = "memory own" },
    { "memory_norm", "none", "the memory as it is, or by gx once more", ENUM, offsetof(struct block, memory),
        .choices = "none again" },
    { "cross_causal", "none", "which keys of the memory query i may see", ENUM, offsetof(struct block, cross_causal),
        .choices = "none topleft bottomright" },
    { "moments", "two-passes", "route of row layernorm", ROUTE, offsetof(struct block, moments),
        .choices = "two-passes one-pass welford" },
    { "apply", "centred", "of row layernorm: (x - mu) r, or x r - mu r", ROUTE, offsetof(struct block, apply),
        .choices = "centred folded" },
    { "route", "two-passes", "which algorithm rounds: ref/core/softmax/mix.h", ROUTE, offsetof(struct block, route),
        .choices = "two-passes online split exp2 lazy" },
    { "block", "16", "keys per step of online, lazy and split", INT, offsetof(struct block, keys_a_step), .least = 1,
        .most = 1 << 20, .route = true },
    { 0 },
};
