/* The parameters of row layer in the order in which they are written out, and which of them go together; ref/layer.c
 * says what each is. */
#include "layer/mha.h"

const char *layer_refuse(const void *q)
{
    const struct layer *p = q;
    return p->heads % mha_heads(p, KEYS) ? "kv_heads: must divide heads" :
        p->rope == ON && p->width % 2    ? "width: rope turns pairs" :
        mpq_sgn(p->base) <= 0            ? "base: must be positive" :
        mpq_sgn(p->eps) < 0              ? "eps: must not be below 0" :
        mpq_sgn(p->cap) < 0              ? "cap: not negative" :
                                           NULL;
}

const struct param layer_params[] = {
    { "heads", "2", "number of query heads H", INT, offsetof(struct layer, heads), .least = 1, .most = 1024 },
    { "kv_heads", "0", "number of key heads G; 0 = heads", INT, offsetof(struct layer, kv_heads), .least = 0,
        .most = 1024 },
    { "width", "4", "of a head's q and k, d", INT, offsetof(struct layer, width), .least = 1, .most = 65536 },
    { "value_width", "0", "of a head's v; 0 = width", INT, offsetof(struct layer, value_width), .least = 0,
        .most = 65536 },
    { "split", "blocks", "which columns are a head's", ENUM, offsetof(struct layer, split),
        .choices = "blocks strided" },
    { "stored", "in-out", "how the numbers of wo lie: as the signature says, or [out][in]", ENUM,
        offsetof(struct layer, stored), .choices = "in-out out-in" },
    { "biases", "all", "which of the given biases are added", ENUM, offsetof(struct layer, biases),
        .choices = "all no-output no-input" },
    { "ones", "visible", "what a 1 of token says of that key", ENUM, offsetof(struct layer, ones),
        .choices = "visible hidden" },
    { "causal", "none", "which keys query i may see", ENUM, offsetof(struct layer, causal),
        .choices = "none topleft bottomright offset" },
    { "offset", "0", "query i stands at offset + i (causal=offset)", INT, offsetof(struct layer, offset),
        .least = -(1L << 40), .most = 1L << 40 },
    { "prefix", "0", "keys before it are visible whatever causal says", INT, offsetof(struct layer, prefix), .least = 0,
        .most = 1 << 30 },
    { "window", "0", "keys visible to the left, itself included; 0 = all", INT, offsetof(struct layer, window),
        .least = 0, .most = 1 << 30 },
    { "left", "-1", "keys visible to the left, itself not counted; -1 = all", INT, offsetof(struct layer, left),
        .least = -1, .most = 1 << 30 },
    { "right", "-1", "keys visible to the right; -1 = all, or none if causal", INT, offsetof(struct layer, right),
        .least = -1, .most = 1 << 30 },
    { "chunk", "0", "only keys of the query's own chunk of so many; 0 = all", INT, offsetof(struct layer, chunk),
        .least = 0, .most = 1 << 30 },
    { "scale", "0", "0 = 1/sqrt(width)", RATIONAL, offsetof(struct layer, scale) },
    { "cap", "0", "c of c tanh(s / c); 0 = none", RATIONAL, offsetof(struct layer, cap) },
    { "softmax1", "off", "a logit 0 joins the softmax where no input sink does", ENUM, offsetof(struct layer, softmax1),
        .choices = "off on" },
    { "norm", "none", "of q and k before their product, behind rope", ENUM, offsetof(struct layer, norm),
        .choices = "none rms l2" },
    { "eps", "1e-6", "of norm", RATIONAL, offsetof(struct layer, eps) },
    { "temperature", "none", "of a query, by its position", ENUM, offsetof(struct layer, temperature),
        .choices = "none llama4" },
    { "temper", "1/10", "a of llama4", RATIONAL, offsetof(struct layer, temper) },
    { "floor", "8192", "positions of one temperature", INT, offsetof(struct layer, floor), .least = 1,
        .most = 1L << 40 },
    { "group", "repeat", "which key head a query head reads", ENUM, offsetof(struct layer, group),
        .choices = "repeat tile" },
    { "empty", "zero", "output where nothing is visible", ENUM, offsetof(struct layer, empty),
        .choices = "zero nan mean" },
    { "rope", "off", "rotary encoding of q and k", ENUM, offsetof(struct layer, rope), .choices = "off on" },
    { "base", "10000", "rope: w_k = base^(-2k/d)", RATIONAL, offsetof(struct layer, base) },
    { "layout", "half", "rope: pairs (k, k + d/2) or (2k, 2k+1)", ENUM, offsetof(struct layer, layout),
        .choices = "half interleaved" },
    { "scaling", "default", "rope: frequency law", ENUM, offsetof(struct layer, scaling),
        .choices = "default linear dynamic ntk yarn llama3" },
    { "factor", "1", "rope: context extension", RATIONAL, offsetof(struct layer, factor) },
    { "trained", "0", "rope: original_max_position_embeddings", INT, offsetof(struct layer, trained), .least = 0,
        .most = 1L << 53 },
    { "beta_fast", "32", "yarn: turns above which w stays", RATIONAL, offsetof(struct layer, beta_fast) },
    { "beta_slow", "1", "yarn: turns below which w/f", RATIONAL, offsetof(struct layer, beta_slow) },
    { "truncate", "on", "yarn: floor and ceil of the ramp's ends", ENUM, offsetof(struct layer, truncate),
        .choices = "on off" },
    { "attention_factor", "0", "rope: amplitude; 0 = from the law", RATIONAL,
        offsetof(struct layer, attention_factor) },
    { "route", "two-passes", "which algorithm rounds: ref/core/softmax/mix.h", ROUTE, offsetof(struct layer, route),
        .choices = "two-passes online split exp2 lazy" },
    { "block", "16", "keys per step of online, lazy and split", INT, offsetof(struct layer, block), .least = 1,
        .most = 1 << 20, .route = true },
    { 0 },
};
