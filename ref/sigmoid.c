/* Sigmoid attention.                                                            Ramapuram et al. 2024, arXiv:2409.04431
 *   p_ij = 1 / (1 + exp(-(scale <q_i, k_j> + bias[i][j] + b)))  over visible j (visible.h)      o_i = sum_j p_ij v_j
 * Nothing is divided, so that a key's weight does not depend on the other keys; a hidden key's weight is 0, and that of
 * a bias of -inf.  The offset b holds the weights near 1/n at the start of training:
 *   shift=keys     b = -ln m, m all keys of the call, hidden ones too, one for all queries
 *   shift=visible  b = -ln of the number of keys that query i may see
 *   shift=trained  b = -ln trained, the length of training, whatever the call has
 *   shift=given    b = level
 * Query head h reads key head floor(h / (H/G)) (group=repeat) or h mod G (tile).
 * Gradients are those of <do, o>:  dp_ij = <do_i, v_j>,  ds_ij = p_ij (1 - p_ij) dp_ij.  Under the fault "unbent" they
 * lack 1 - p_ij; under "divided" the weights are divided by their sum.
 * Traps: a constant that all scores of a query share does not cancel, as it would in a softmax.  A model that was
 * trained with shift=keys needs that length when it decodes, since the keys of a cache are fewer. */
#include <stdlib.h>
#include "row/row.h"
#include "row/shared.h"
#include "sigmoid/sigmoid_grad.h"
#include "sigmoid/sigmoid_weight.h"

static void weights(struct ask *w, const struct ball **y)
{
    sigmoid_weights(w, w->at[0], w->at[1], y);
    for (long j = 0; j < w->len; j++)
        y[j] = y[j] ? y[j] : b_si(w, 0);
}
static void output(struct ask *w, const struct ball **y)
{
    const long h = w->at[0], m = sigmoid_keys(w), g = sigmoid_head(w, h);
    const struct ball **t = need(2 * (size_t)m + 1, sizeof *t), **p = t + m;
    sigmoid_weights(w, h, w->at[1], p);
    for (long c = 0; c < w->len; c++) {
        long used = 0;
        for (long j = 0; j < m; j++)
            if (p[j])
                t[used++] = b_step(w, VALUED, b_mul(w, p[j], b_in(w, "v", g, j, c)));
        y[c] = b_sum(w, MIXED, t, used);
    }
    free(t);
}

static const char *refuse(const void *params)
{
    const struct sigmoid *p = params;
    return mpq_sgn(p->scale) < 0                              ? "scale: must not be below 0" :
        p->offset < -(1L << 40) || p->offset > 1L << 40       ? "offset: must lie from -2^40 to 2^40" :
                                                                NULL;
}
static const struct param params[] = {
    { .as = &param_scale, .at = offsetof(struct sigmoid, scale) },
    { "shift", "keys", "b: -ln of all keys, of those the query sees, of the length of training; or level", ENUM,
        offsetof(struct sigmoid, shift), .choices = "keys visible trained given" },
    { "trained", "2048", "the length of training (shift=trained)", INT, offsetof(struct sigmoid, trained), .least = 1,
        .most = 1L << 40 },
    { "level", "0", "b itself (shift=given)", RATIONAL, offsetof(struct sigmoid, level) },
    { .as = &param_causal, .at = offsetof(struct sigmoid, causal) },
    { .as = &param_offset, .at = offsetof(struct sigmoid, offset) },
    { .as = &param_window, .at = offsetof(struct sigmoid, window) },
    { .as = &param_group, .at = offsetof(struct sigmoid, group) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2409.04431: b = -log(n)" },
    { "causal", "causal=bottomright", "arXiv:2409.04431: language models; here with n of the call" },
    { "code:apple/ml-sigmoid-attention", "shift=given level=-2 causal=bottomright", "flash_sigmoid: sigmoid_bias is a "
        "number that the caller passes; here -2" },
    { "code:apple/axlearn", "shift=trained trained=8 causal=bottomright", "axlearn SigmoidAttention: seq_len of the "
        "configuration; here 8" },
    { "visible", "shift=visible causal=bottomright", "the n of each row of a causal mask: another function" },
    { "unshifted", "shift=given", "arXiv:2409.04431, its ablations: b = 0" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "dot=f32 product=f32 score=f32 bias=f32 log=f32 raise=f32 weight=f32 value=f32 sum=f32 slope=f32 "
        "gather=f32", "naive loop" }, { 0 },
};
#define MIXING "q[h,n,d] k[g,m,d] v[g,m,e] "
#define MASKS "bias?[h,n,m] int keep?[h,n,m]<2 "
const struct row row_sigmoid = {
    .name = "sigmoid", .title = "sigmoid attention", .cite = "Ramapuram et al. 2024",
    .steps = { "dot product score bias log raise weight value sum slope gather" }, .faults = "unbent divided",
    .declares = params, .size = sizeof(struct sigmoid), .presets = presets, .contracts = contracts, .refuse = refuse,
    .empty = "nm", .sizes = "d=4 e=3",
    .q = { { MIXING MASKS "-> o[h,n|e]", output },
        { "q[h,n,d] k[g,m,d] " MASKS "-> weights[h,n|m]", weights },
        { MIXING "do[h,n,e] " MASKS "-> dq[h,n|d]", sigmoid_query_grad },
        { MIXING "do[h,n,e] " MASKS "-> dk[g,m|d]", sigmoid_key_grad },
        { MIXING "do[h,n,e] " MASKS "-> dv[g,m|e]", sigmoid_key_grad, .form = true },
        { MIXING "do[h,n,e] bias[h,n,m] int keep?[h,n,m]<2 -> dbias[h,n|m]", sigmoid_bias_grad } },
};
