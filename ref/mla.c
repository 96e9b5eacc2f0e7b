/* Multi-head latent attention.                    DeepSeek-AI 2024, arXiv:2405.04434, section 2.1; V3: arXiv:2412.19437
 * Of key j the cache holds the latent c_j (behind its norm) and one k_pe_j before its rotation, both shared by all
 * heads.  Key j stands at position j, query i of n at m - n + i:
 *   k_j = [W_uk c_j | rope(k_pe_j)]      v_j = W_uv c_j      q_i = [q_nope_i | rope(q_pe_i)]
 *   s_j = scale g^2 <q_i, k_j>           o_i = sum_j softmax(s)_j v_j
 * form=absorbed, the same numbers as decoding makes them: q_i = [W_uk^T q_nope_i | rope(q_pe_i)], one head of keys
 * [c_j | rope(k_pe_j)] and of values c_j, o_i = W_uv sum_j softmax(s)_j c_j.
 *   scale 0  1/sqrt(d + r), the width of q_nope and q_pe together
 *   g        0.1 mscale_all_dim ln factor + 1 under scaling=yarn, else 1; rope's own amplitude is row rope's
 * Gradients are those of <do, o>: ref/core/latent/latent_grad.c.
 * Traps: one key, and queries and keys at one position, show no wrong scale and no wrong rotation.  The absorbed form
 * keeps the scale of the naive one, though its vectors are l + r wide. */
#include <stdio.h>
#include <stdlib.h>
#include "latent/latent.h"
#include "row/called.h"
#include "row/shared.h"
extern const struct row row_rope, row_attention;

static const struct mla *own(const struct ask *w) { return w->params; }
/* y[len] of row attention for query i of head h. */
static void asked(struct ask *w, const char *out, bool absorbed, long len, const struct ball **y)
{
    const struct latent s = latent_of(w);
    const long h = w->at[0], i = w->at[1], wide = (absorbed ? s.l : s.d) + s.r, e = absorbed ? s.l : s.e;
    /* What stands behind the query is not seen, and not made; a query may see no key at all. */
    const long seen = i_add(w, lag(w, s.m, s.n), i + 1), all = own(w)->causal == CAUSAL_OFF,
               keys = all || seen > s.m ? s.m : seen < 0 ? 0 : seen;
    const struct ball **q = need((size_t)(wide + keys * (wide + e)) + 1, sizeof *q), **k = q + wide,
                      **v = k + keys * wide;
    latent_query(w, h, i, absorbed, q);
    for (long j = 0; j < keys; j++)
        latent_key(w, h, j, absorbed, k + j * wide), latent_value(w, h, j, absorbed, v + j * e);
    const struct mer_array in[] = { { .name = "q", .type = BALLS, .rank = 3, .dim = { 1, 1, wide }, .data = q },
        { .name = "k", .type = BALLS, .rank = 3, .dim = { 1, keys, wide }, .data = k },
        { .name = "v", .type = BALLS, .rank = 3, .dim = { 1, keys, e }, .data = v } };
    line_of(w, (struct page_of){ &row_attention, out, "scale=1", in, 3 }, NULL, len, y);
    free(q);
}
static void output(struct ask *w, const struct ball **y)
{
    const struct latent s = latent_of(w);
    if (own(w)->form == FORM_NAIVE) {
        asked(w, "o", false, s.e, y);
        return;
    }
    const struct ball **o = need((size_t)s.l + 1, sizeof *o);
    asked(w, "o", true, s.l, o);
    latent_times(w, LATENT_VALUE, "w_uv", w->at[0], false, o, y);
    free(o);
}
static void logsumexp(struct ask *w, const struct ball **y) { asked(w, "lse", own(w)->form == FORM_ABSORBED, 1, y); }

static const char *refuse(const void *params)
{
    const struct mla *p = params;
    const bool plain = p->scaling != SCALING_YARN, warm = mpq_sgn(p->mscale) || mpq_sgn(p->mscale_all_dim);
    /* No law of row rope asks for more than an even width. */
    return mpq_sgn(p->scale) < 0             ? "scale: must not be below 0" :
        plain && mpq_cmp_ui(p->factor, 1, 1) ? "factor: scaling=default has none; say scaling=yarn" :
        plain && warm                        ? "mscale: scaling=default has none; say scaling=yarn" :
                                               part_refuses(&row_rope, &row_mla, p, latent_turned, "dim=2");
}
static int misfit(const void *params, const struct mer_call *c, char *why, size_t n)
{
    const struct mer_array *q = mer_find(c->in, c->n_in, "q_pe");
    if (!q || ((const struct mla *)params)->rope == ROPE_OFF || q->dim[2] % 2 == 0)
        return 0;
    return snprintf(why, n, "rope turns pairs of channels: r=%ld must be even", (long)q->dim[2]), -1;
}
static const struct param params[] = {
    { "scale", "0", "0 = 1/sqrt(d + r)", RATIONAL, offsetof(struct mla, scale) },
    { "width", "whole", "what scale 0 is made of: d + r, d, or l + r", ENUM, offsetof(struct mla, width),
        .choices = "whole nope latent" },
    { "rope", "on", "are q_pe and k_pe rotated, or given as rotated?", ENUM, offsetof(struct mla, rope),
        .choices = "on off" },
    { .as = &param_neighbours, .at = offsetof(struct mla, layout) },
    { .as = &param_rope_base, .at = offsetof(struct mla, base) },
    { "scaling", "default", "rope's frequency law", ENUM, offsetof(struct mla, scaling), .choices = "default yarn" },
    { "factor", "1", "yarn: context extension f", RATIONAL, offsetof(struct mla, factor) },
    { "trained", "4096", "yarn: original_max_position_embeddings", INT, offsetof(struct mla, trained), .least = 0,
        .most = 1L << 30 },
    { .as = &param_beta_fast, .at = offsetof(struct mla, beta_fast) },
    { .as = &param_beta_slow, .at = offsetof(struct mla, beta_slow) },
    { .as = &param_truncate, .at = offsetof(struct mla, truncate) },
    { "mscale", "0", "yarn: of rope's amplitude; 0 = absent", RATIONAL, offsetof(struct mla, mscale) },
    { "mscale_all_dim", "0", "yarn: of rope's amplitude and of g; 0 = absent", RATIONAL,
        offsetof(struct mla, mscale_all_dim) },
    { "warming", "square", "g^2 in the scale, g alone, or neither", ENUM, offsetof(struct mla, warming),
        .choices = "square once none" },
    { .as = &param_start, .at = offsetof(struct mla, start) },
    { "causal", "on", "does a query see no key behind its place m - n + i?", ENUM, offsetof(struct mla, causal),
        .choices = "on off" },
    { "form", "naive", "keys and values of each head, or the latent itself", ROUTE, offsetof(struct mla, form),
        .choices = "naive absorbed" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2405.04434, equations 9 to 19" },
    { "DeepSeek-V2", "scaling=yarn factor=40 mscale=707/1000 mscale_all_dim=707/1000",
        "deepseek-ai/DeepSeek-V2 config.json: mscale_all_dim 0.707" },
    { "DeepSeek-V3", "scaling=yarn factor=40 mscale=1 mscale_all_dim=1",
        "deepseek-ai/DeepSeek-V3 inference/model.py: softmax_scale times mscale squared; config.json" },
    { "decoding", "scaling=yarn factor=40 mscale=1 mscale_all_dim=1 form=absorbed",
        "deepseek-ai/DeepSeek-V3 inference/model.py: attn_impl absorb" },
    { "rotated", "rope=off", "kernels behind the rotation: flashinfer, FlashMLA: the cache holds rotated k_pe" },
    { "half", "layout=half", "checkpoints whose rope channels were permuted to halves" },
    { "seen whole", "causal=off form=absorbed", "one new token of a decoder" }, { 0 },
};
static const struct preset contracts[] = { { 0 } };
static const struct row *const parts[] = { &row_attention, &row_rope, NULL };
#define CACHE "q_nope[h,n,d] q_pe[h,n,r] c[m,l] k_pe[m,r] w_uk[h,d,l] w_uv[h,e,l] "
const struct row row_mla = {
    .name = "mla", .title = "multi-head latent attention", .cite = "DeepSeek-AI 2024",
    .steps = { "key value query warm slope gather" }, .parts = parts,
    .declares = params, .size = sizeof(struct mla), .presets = presets, .contracts = contracts, .refuse = refuse,
    .misfit = misfit, .sizes = "d=2 r=4 e=2 l=3",
    .q = { { CACHE "-> o[h,n|e]", output }, { CACHE "-> lse[h,n|]", logsumexp },
        { CACHE "do[h,n,e] -> dq_nope[h,n|d]", latent_grad, .of = MLA_Q_NOPE },
        { CACHE "do[h,n,e] -> dq_pe[h,n|r]", latent_grad, .of = MLA_Q_PE },
        { CACHE "do[h,n,e] -> dc[m|l]", latent_grad, .of = MLA_C },
        { CACHE "do[h,n,e] -> dk_pe[m|r]", latent_grad, .of = MLA_K_PE },
        { CACHE "do[h,n,e] -> dw_uk[h,d|l]", latent_grad, .of = MLA_W_UK },
        { CACHE "do[h,n,e] -> dw_uv[h,e|l]", latent_grad, .of = MLA_W_UV } },
};
