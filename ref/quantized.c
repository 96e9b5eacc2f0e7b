/* Attention over a quantized cache of keys and values: codes of few bits, and a scale for each block of them.
 *                                OCP Microscaling Formats 1.0; KIVI, Liu et al. 2024, arXiv:2402.02750
 *   K[j][c] = scale k[j][c]             scale = k_scale[j div k_tokens][c div k_width]; the last one goes on to the end
 *   o_i = row attention of q_i over K and V        lse_i = its log-sum-exp        key, value: K and V themselves
 * V likewise, by v_scale, v_tokens, v_width.  So one scale for all is an array of one; a scale a token has k_tokens=1;
 * one a channel and 32 tokens has k_tokens=32, k_width=1.  k and v hold the numbers that the codes stand for
 * (arith/code.h), in the type of q; how codes are packed into bytes is not this row's.  Query head h reads key head
 * floor(h / (H/G)).
 *   zero=before   K = scale (k - k_zero), where k_zero is given       ONNX QuantizeLinear, GPTQ
 *   zero=after    K = scale k + k_zero, a minimum in units of K       ggml's Q4_1, KIVI
 * scale, window, cap, causal, offset and base are those of row attention.
 * Traps: a kernel may leave the scales to the score and to o where a block is a whole line: no number rounds as K then,
 * and the score is rounded once more.  e4m3 of older AMD machines (fnuz) halves every number of a code.  Blocks are
 * counted from the first key of the cache, not from the query. */
#include <stdlib.h>
#include "layer/project.h"
#include "row/shared.h"
#include "row/shared_head.h"
extern const struct row row_attention, row_quantized;

struct coded { long tokens, width; int code; };
struct quantized { mpq_t scale, cap; struct coded k, v; long window, offset; int scales, zero, causal, base; };
enum { BEFORE, AFTER };
/* The own steps: K as it is stored, and what a zero is added to or taken from. */
enum { UNPACK, ZEROING };
static const char code_names[] = "any " CODE_NAMES;

static const struct quantized *own(const struct ask *w) { return w->params; }
/* Element c of key or value j of head g, unpacked. */
static const struct ball *unpacked(
    struct ask *w, const char *const *name, const struct coded *b, long g, long j, long c)
{
    const struct mer_array *scales = array_in(w, name[1]);
    const long row = i_clip(w, i_div(w, j, b->tokens), 0, scales->dim[1] - 1),
               column = i_clip(w, i_div(w, c, b->width), 0, scales->dim[2] - 1);
    const struct ball *x = b_in(w, name[0], g, j, c), *s = b_in(w, name[1], g, row, column);
    if (!has_in(w, name[2]))
        return b_step(w, UNPACK, b_mul(w, x, s));
    const struct ball *zero = b_in(w, name[2], g, row, column);
    return b_true(w, own(w)->zero == BEFORE) ?
        b_step(w, UNPACK, b_mul(w, b_step(w, ZEROING, b_sub(w, x, zero)), s)) :
        b_step(w, ZEROING, b_add(w, b_step(w, UNPACK, b_mul(w, x, s)), zero));
}
static const char *const key_names[] = { "k", "k_scale", "k_zero" };
static const char *const value_names[] = { "v", "v_scale", "v_zero" };

/* All lines of head g as balls [lines][width]; the caller frees them. */
static struct mer_array lines(struct ask *w, const char *const *name, const struct coded *b, long g)
{
    const long n = dim_in(w, name[0], 1), width = dim_in(w, name[0], 2);
    const struct ball **y = need((size_t)(n * width) + 1, sizeof *y);
    for (long at = 0; at < n * width; at++)
        y[at] = unpacked(w, name, b, g, at / width, at % width);
    return (struct mer_array){ .name = *name, .type = BALLS, .rank = 3, .dim = { 1, n, width }, .data = y };
}
/* y[len] of row attention for the asked query. */
static void asked(struct ask *w, const char *out, const struct ball **y)
{
    const long h = w->at[0], line[MER_RANK] = { 0, w->at[1] }, n = dim_in(w, "q", 1), d = dim_in(w, "q", 2);
    const long g = shared_head(w, false, h, dim_in(w, "q", 0), dim_in(w, "k", 0));
    struct mer_array in[] = { head_of(array_in(w, "q"), h, (struct mer_array){ .rank = 3, .dim = { 1, n, d } }),
        lines(w, key_names, &own(w)->k, g), lines(w, value_names, &own(w)->v, g) };
    char text[TEXT_MAX];
    params_pick(row_params(&row_quantized), w->params, "scale window cap causal offset base", text, sizeof text);
    in[0].name = "q";
    line_of(w, (struct page_of){ &row_attention, out, text, in, 3 }, line, w->len, y);
    free(in[1].data), free(in[2].data);
}
static void output(struct ask *w, const struct ball **y) { asked(w, "o", y); }
static void logsumexp(struct ask *w, const struct ball **y) { asked(w, "lse", y); }
static void key(struct ask *w, const struct ball **y)
{
    for (long c = 0; c < w->len; c++)
        y[c] = unpacked(w, key_names, &own(w)->k, w->at[0], w->at[1], c);
}
static void value(struct ask *w, const struct ball **y)
{
    for (long c = 0; c < w->len; c++)
        y[c] = unpacked(w, value_names, &own(w)->v, w->at[0], w->at[1], c);
}

/* The words of codes begin with "any", and those of scales are all of them. */
static const struct code *code(const void *params, const char *input)
{
    const struct quantized *p = params;
    const int of = !strcmp(input, "k") ? p->k.code : !strcmp(input, "v") ? p->v.code :
        !strcmp(input, "k_scale") || !strcmp(input, "v_scale")             ? p->scales :
                                                                             0;
    return of ? &codes[of - 1] : NULL;
}
static const char *refuse(const void *params)
{
    const struct quantized *p = params;
    return mpq_sgn(p->scale) < 0 ? "scale: must not be below 0" :
        mpq_sgn(p->cap) < 0      ? "cap: must not be below 0" :
                                   NULL;
}
static const struct param params[] = {
    { "k_code", "e4m3", "the numbers that k holds", ENUM, offsetof(struct quantized, k.code), .choices = code_names },
    { "k_tokens", "1", "consecutive keys that share a scale", INT, offsetof(struct quantized, k.tokens), .least = 1,
        .most = 1L << 30 },
    { "k_width", "16", "channels of a key that share a scale", INT, offsetof(struct quantized, k.width), .least = 1,
        .most = 1 << 20 },
    { "v_code", "e4m3", "the numbers that v holds", ENUM, offsetof(struct quantized, v.code), .choices = code_names },
    { "v_tokens", "1", "consecutive values that share a scale", INT, offsetof(struct quantized, v.tokens), .least = 1,
        .most = 1L << 30 },
    { "v_width", "16", "channels of a value that share a scale", INT, offsetof(struct quantized, v.width), .least = 1,
        .most = 1 << 20 },
    { "scales", "any", "the numbers that scales hold", ENUM, offsetof(struct quantized, scales),
        .choices = code_names },
    { "zero", "before", "a zero is taken from the code, or added to the product", ENUM,
        offsetof(struct quantized, zero), .choices = "before after" },
    { .as = &param_scale, .at = offsetof(struct quantized, scale) },
    { .as = &param_window, .at = offsetof(struct quantized, window) },
    { .as = &param_cap, .at = offsetof(struct quantized, cap) },
    { .as = &param_causal, .at = offsetof(struct quantized, causal) },
    { .as = &param_offset, .at = offsetof(struct quantized, offset) },
    { .as = &param_lse_base, .at = offsetof(struct quantized, base) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "k_code=int4 v_code=int4 k_tokens=32 k_width=1 v_width=32 zero=after", "KIVI, arXiv:2402.02750" },
    { "code:vllm-project/vllm", "causal=bottomright", "kv_cache_dtype=fp8: a scale for all, of length 1 in both axes" },
    { "code:Dao-AILab/flash-attention", "causal=bottomright k_tokens=1073741824 v_tokens=1073741824",
        "hopper: k_descale, v_descale, a number a key head" },
    { "code:ggml-org/llama.cpp", "k_code=int8 v_code=int8 k_width=32 v_width=32 causal=bottomright",
        "cache-type q8_0" },
    { "nvfp4", "k_code=e2m1 v_code=e2m1 scales=e4m3 causal=bottomright", "blocks of 16, scales of e4m3" },
    { "mxfp4", "k_code=e2m1 v_code=e2m1 scales=e8m0 k_width=32 v_width=32", "OCP MX 1.0: blocks of 32, scales 2^n" },
    { "mxfp8", "k_code=e5m2 v_code=e4m3 scales=e8m0 k_width=32 v_width=32", "OCP MX 1.0" },
    { "code:thu-ml/SageAttention", "k_code=int8 k_tokens=64 k_width=1048576 v_tokens=1073741824 v_width=1",
        "arXiv:2411.10958: keys by blocks of 64, values in fp8 by channel" },
    { "ragged", "k_code=uint8 v_code=uint4 k_tokens=3 k_width=3 v_tokens=2 v_width=2 zero=after window=2",
        "made up" }, { 0 },
};
static const struct preset contracts[] = { { 0 } };
static const struct row *const parts[] = { &row_attention, NULL };
#define KEYS "k[g,m,d] k_scale[g,r,a] k_zero?[g,r,a] "
#define VALUES "v[g,m,e] v_scale[g,t,b] v_zero?[g,t,b] "
#define MIXING "q[h,n,d] " KEYS VALUES
const struct row row_quantized = {
    .name = "quantized", .title = "attention over a quantized cache", .cite = "Liu et al. 2024",
    .steps = { "unpack zeroing" }, .parts = parts, .declares = params, .size = sizeof(struct quantized),
    .presets = presets, .contracts = contracts, .refuse = refuse, .code = code,
    .sizes = "d=4 e=3 r=3 a=2 t=3 b=2",
    .q = { { MIXING "-> o[h,n|e]", output }, { MIXING "-> lse[h,n|]", logsumexp },
      { "k[h,m,d] k_scale[h,r,a] k_zero?[h,r,a] -> key[h,m|d]", key },
      { "v[h,m,e] v_scale[h,t,b] v_zero?[h,t,b] -> value[h,m|e]", value } },
};
