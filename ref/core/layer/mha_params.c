/* The parameters of row layer in the order in which they are written out, and which of them go together; ref/layer.c
 * says what each is. */
#include <stdio.h>
#include "layer/mha.h"
#include "row/called.h"
#include "row/shared.h"

const char mha_turned[] = "base layout scaling factor trained beta_fast beta_slow truncate attention_factor";

const char *layer_refuse(const void *q)
{
    const struct layer *p = q;
    char width[32];
    snprintf(width, sizeof width, "dim=%ld", p->width);
    return p->heads % mha_heads(p, KEYS) ? "kv_heads: must divide heads" :
        p->rope == ON && p->width % 2    ? "width: rope turns pairs" :
        mpq_sgn(p->base) <= 0            ? "base: must be positive" :
        mpq_sgn(p->eps) < 0              ? "eps: must not be below 0" :
        mpq_sgn(p->cap) < 0              ? "cap: not negative" :
        p->rope == ON                    ? part_refuses(&row_rope, &row_layer, p, mha_turned, width) :
                                           NULL;
}

const struct param layer_params[] = {
    { .as = &param_query_heads, .at = offsetof(struct layer, heads) },
    { .as = &param_kv_heads, .at = offsetof(struct layer, kv_heads) },
    { "width", "4", "of a head's q and k, d", INT, offsetof(struct layer, width), .least = 1, .most = 65536 },
    { .as = &param_value_width, .at = offsetof(struct layer, value_width) },
    { "split", "blocks", "which columns are a head's", ENUM, offsetof(struct layer, split),
        .choices = "blocks strided" },
    { "stored", "in-out", "how the numbers of wo lie: as the signature says, or [out][in]", ENUM,
        offsetof(struct layer, stored), .choices = "in-out out-in" },
    { "biases", "all", "which of the given biases are added", ENUM, offsetof(struct layer, biases),
        .choices = "all no-output no-input" },
    { "ones", "visible", "what a 1 of token says of that key", ENUM, offsetof(struct layer, ones),
        .choices = "visible hidden" },
    { .as = &param_causal, .at = offsetof(struct layer, causal) },
    { "offset", "0", "query i stands at offset + i (causal=offset)", INT, offsetof(struct layer, offset),
        .least = -(1L << 40), .most = 1L << 40 },
    { .as = &param_prefix, .at = offsetof(struct layer, prefix) },
    { .as = &param_window, .at = offsetof(struct layer, window) },
    { .as = &param_left, .at = offsetof(struct layer, left) },
    { .as = &param_right, .at = offsetof(struct layer, right) },
    { .as = &param_chunk, .at = offsetof(struct layer, chunk) },
    { "scale", "0", "0 = 1/sqrt(width)", RATIONAL, offsetof(struct layer, scale) },
    { .as = &param_cap, .at = offsetof(struct layer, cap) },
    { .as = &param_softmax1, .at = offsetof(struct layer, softmax1) },
    { "norm", "none", "of q and k before their product, behind rope", ENUM, offsetof(struct layer, norm),
        .choices = "none rms l2" },
    { .as = &param_norm_eps, .at = offsetof(struct layer, eps) },
    { "temperature", "none", "of a query, by its position", ENUM, offsetof(struct layer, temperature),
        .choices = "none llama4" },
    { "temper", "1/10", "a of llama4", RATIONAL, offsetof(struct layer, temper) },
    { "floor", "8192", "positions of one temperature", INT, offsetof(struct layer, floor), .least = 1,
        .most = 1L << 40 },
    { .as = &param_group, .at = offsetof(struct layer, group) },
    { .as = &param_empty, .at = offsetof(struct layer, empty) },
    { "rope", "off", "rotary encoding of q and k", ENUM, offsetof(struct layer, rope), .choices = "off on" },
    { .as = &param_rope_base, .at = offsetof(struct layer, base) },
    { .as = &param_rope_pairs, .at = offsetof(struct layer, layout) },
    { "scaling", "default", "rope: frequency law", ENUM, offsetof(struct layer, scaling),
        .choices = "default linear dynamic ntk yarn llama3" },
    { "factor", "1", "rope: context extension", RATIONAL, offsetof(struct layer, factor) },
    { "trained", "0", "rope: original_max_position_embeddings", INT, offsetof(struct layer, trained), .least = 0,
        .most = 1L << 53 },
    { .as = &param_beta_fast, .at = offsetof(struct layer, beta_fast) },
    { .as = &param_beta_slow, .at = offsetof(struct layer, beta_slow) },
    { .as = &param_truncate, .at = offsetof(struct layer, truncate) },
    { "attention_factor", "0", "rope: amplitude; 0 = from the law", RATIONAL,
        offsetof(struct layer, attention_factor) },
    { .as = &param_mixing_route, .at = offsetof(struct layer, route) },
    { .as = &param_mixing_block, .at = offsetof(struct layer, block) },
    { 0 },
};
