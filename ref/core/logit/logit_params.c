/* The parameters of row attention in the order in which they are written out; ref/attention.c says what each is. */
#include "logit/logit.h"
#include "row/shared.h"

const struct param attention_params[] = {
    { .as = &param_scale, .at = offsetof(struct attention, scale) },
    { .as = &param_causal, .at = offsetof(struct attention, see.causal) },
    { "offset", "0", "query i stands at offset + i (causal=offset): the length of the past", INT,
        offsetof(struct attention, see.offset), .least = -(1L << 40), .most = 1L << 40 },
    { .as = &param_prefix, .at = offsetof(struct attention, see.prefix) },
    { .as = &param_window, .at = offsetof(struct attention, see.window) },
    { "windows", "past", "how window counts: visible.h", ENUM, offsetof(struct attention, see.windows),
        .choices = "past within closed halves uneven" },
    { .as = &param_left, .at = offsetof(struct attention, see.left) },
    { .as = &param_right, .at = offsetof(struct attention, see.right) },
    { .as = &param_chunk, .at = offsetof(struct attention, see.chunk) },
    { "start", "0", "where chunks start to count: padding on the left", INT, offsetof(struct attention, see.start),
        .least = -(1 << 30), .most = 1 << 30 },
    { "first", "0", "keys before it are padding", INT, offsetof(struct attention, see.first), .least = 0,
        .most = 1 << 30 },
    { "length", "-1", "keys from it on are padding; -1 = none", INT, offsetof(struct attention, see.length),
        .least = -1, .most = 1 << 30 },
    { "counted", "document", "positions under cu_seqlens: from each document's start, or the pack's", ENUM,
        offsetof(struct attention, see.counted), .choices = "document pack" },
    { "mask", "hide", "what a mask does: hide, add a constant, or fill it in", ENUM, offsetof(struct attention, mask),
        .choices = "hide add fill" },
    { "constant", "-10000", "of mask=add and fill", RATIONAL, offsetof(struct attention, constant) },
    { "times", "1", "masks that hide one key: their constants are added up first", INT,
        offsetof(struct attention, times), .least = 1, .most = 8 },
    { .as = &param_cap, .at = offsetof(struct attention, cap) },
    { "cap_at", "before", "bias and mask, or after them", ENUM, offsetof(struct attention, cap_at),
        .choices = "before after" },
    { .as = &param_softmax1, .at = offsetof(struct attention, softmax1) },
    { "norm", "none", "of q and k before their product", ENUM, offsetof(struct attention, norm),
        .choices = "none rms l2" },
    { .as = &param_norm_eps, .at = offsetof(struct attention, eps) },
    { "eps_at", "inside", "of the root, outside it, or only where it is larger", ENUM,
        offsetof(struct attention, eps_at), .choices = "inside outside clamp" },
    { "gain", "plain", "or 1 + q_gain, 1 + k_gain", ENUM, offsetof(struct attention, gain), .choices = "plain offset" },
    { "temperature", "none", "of a query, by its position", ENUM, offsetof(struct attention, temperature),
        .choices = "none llama4 logn ssmax" },
    { "temper", "1/10", "a of llama4 and ssmax", RATIONAL, offsetof(struct attention, temper) },
    { "warm_start", "0", "position from which the temperature counts: padding on the left", INT,
        offsetof(struct attention, warm_start), .least = -(1 << 30), .most = 1 << 30 },
    { "floor", "8192", "positions of one temperature (llama4)", INT, offsetof(struct attention, floor), .least = 1,
        .most = 1L << 40 },
    { "trained", "2048", "length up to which the temperature is 1 (logn)", INT, offsetof(struct attention, trained),
        .least = 1, .most = 1L << 40 },
    { .as = &param_group, .at = offsetof(struct attention, group) },
    { .as = &param_empty, .at = offsetof(struct attention, empty) },
    { "order", "scale-first", "scale, then bias; or scale both", ENUM, offsetof(struct attention, order),
        .choices = "scale-first bias-first" },
    { "base", "e", "of the logarithm in lse", ENUM, offsetof(struct attention, base), .choices = "e 2" },
    { "stage", "product", "which scores", ENUM, offsetof(struct attention, stage),
        .choices = "product capped biased weights" },
    { .as = &param_mixing_route, .at = offsetof(struct attention, route) },
    { .as = &param_mixing_block, .at = offsetof(struct attention, block) },
    { "slack", "5", "how far the lazy route's scores may pass the reference point", INT,
        offsetof(struct attention, slack), .least = 0, .most = 64 },
    { 0 },
};

const char *attention_refuse(const void *q)
{
    const struct attention *p = q;
    return mpq_sgn(p->cap) < 0                   ? "cap: not negative" :
        mpq_sgn(p->eps) < 0                      ? "eps: must not be below 0" :
        p->temperature == LOGN && p->trained < 2 ? "temperature=logn: trained of at least 2" :
                                                   NULL;
}
