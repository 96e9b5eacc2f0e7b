/* Attention over selected keys.           DeepSeek-V3.2-Exp, DeepSeek_V3_2.pdf, equations 1 and 2; arXiv:2502.11089
 * index[g,n,c]: query i of key head g selects c entries; entry x is the keys x B .. x B + B - 1 of those that there are
 * (B = block_size; 1: an entry is a token).  -1, and any number behind the last block, selects nothing.
 *   o_i = softmax over the selected keys j of (scale <q_i, k_j>) mixed with v_j          lse_i = its log-sum-exp
 *   causal, window   hide selected keys, also some of a block; places as in row attention
 *   duplicates       a key that two entries select: counted, as it is gathered twice; once, as masks have it
 *   empty, alone     a query that sees no key: o is 0 or NaN, lse minus or plus infinity
 * Query head h reads key head floor(h / (H/G)) (group=repeat) or h mod G (tile).  cap, base: row attention.
 *   I_ij = sum over index heads b of iw_bi max(0, <iq_bi, ik_j>), -inf of a hidden key                   index_score
 *   selected[i][j]   1 of the topk visible keys of largest I, of equal ones the first; else 0
 * Faults, of those who gather by hand: an entry that names no block is read as the "first" block, or as the "last", as
 * index -1 of an array is; "tokens", a block's number is taken for its first key; "whole", a mask sees blocks, by their
 * first key; "linear", index scores without the maximum with 0.
 * Traps: lengths of a selection (FlashMLA's topk_length, block_counts of NSA) are padding here.  Blocks are counted
 * from the first key, not from the query.  torch.topk promises no order of equal scores, and the maximum makes many of
 * them 0.  FlashMLA's README has lse in base 2, its kernels answer base e; its attn_sink is not here: lse leaves it
 * out. */
#include <stdlib.h>
#include "row/shared.h"
#include "sparse/gather.h"

static const struct sparse *of(const struct ask *w) { return w->params; }
static void logsumexp(struct ask *w, const struct mix *m, const struct ball **y)
{
    bool some = of(w)->alone == MINUS;
    /* mutant: loop c398: a place behind the last entry has no key. */
    for (long j = 0; j < m->keys && !some; j++)
        some = sparse_sees(w, w->at[0], w->at[1], j);
    mix_lse(w, m, y);
    if (b_true(w, of(w)->base))
        y[0] = b_step(w, LOG, b_div(w, b_inner(w, LOG, y[0]), b_given(w, LOG, b_ln2(w))));
    y[0] = some ? y[0] : b_inf(w, 1);
}

/* s[len], NULL of a hidden key. */
static void votes(struct ask *w, const struct ball **s)
{
    const long i = w->at[0], heads = dim_in(w, "iq", 0), a = dim_in(w, "iq", 2);
    const struct ball **t = need((size_t)heads + 1, sizeof *t), *zero = b_si(w, 0);
    for (long j = 0; j < w->len; j++) {
        const bool seen = sparse_in_sight(w, i, j, dim_in(w, "iq", 1), w->len);
        for (long b = 0; b < heads && seen; b++) {
            const struct span q = span(w, "iq", b, i), k = span(w, "ik", j, 0);
            const struct ball *x = b_dot(w, PAIR, MATCH, q, k, a);
            x = w->arith->fault == LINEAR ? x : b_max(w, x, zero);
            t[b] = b_step(w, WEIGHED, b_mul(w, b_in(w, "iw", b, i, 0), x));
        }
        s[j] = seen ? b_sum(w, VOTE, t, heads) : NULL;
    }
    free(t);
}
static void index_score(struct ask *w, const struct ball **y)
{
    votes(w, y);
    for (long j = 0; j < w->len; j++)
        y[j] = y[j] ? y[j] : b_minus_inf(w);
}
/* Of each key it counts the keys before it, and those of which that is open. */
static void selected(struct ask *w, const struct ball **y)
{
    const struct ball **s = need((size_t)w->len + 1, sizeof *s);
    votes(w, s);
    for (long j = 0; j < w->len; j++) {
        long before = 0, open = 0;
        for (long l = 0; l < w->len && s[j]; l++) {
            const int c = s[l] && l != j ? b_cmp(s[l], s[j]) : -1;
            before += c == 1 || (c == 0 && l < j), open += c == 2;
        }
        y[j] = b_si(w, s[j] && i_less(w, before, of(w)->topk));
        if (s[j] && before < of(w)->topk && before + open >= of(w)->topk) /* It may be either. */
            y[j] = b_widen(w, y[j], up_si(1));
    }
    free(s);
}

static const char *refuse(const void *params)
{
    const struct sparse *p = params;
    return mpq_sgn(p->scale) < 0 ? "scale: must not be below 0" :
        mpq_sgn(p->cap) < 0      ? "cap: must not be below 0" :
                                   NULL;
}
static const struct param params[] = {
    { "block_size", "1", "B: consecutive keys that an entry selects", INT, offsetof(struct sparse, block_size),
        .least = 1, .most = 1 << 20 },
    { "duplicates", "counted", "a key that two entries select counts twice, or once", ENUM,
        offsetof(struct sparse, duplicates), .choices = "counted once" },
    { .as = &param_scale, .at = offsetof(struct sparse, scale) },
    { .as = &param_cap, .at = offsetof(struct sparse, cap) },
    { .as = &param_causal, .at = offsetof(struct sparse, causal) },
    { .as = &param_offset, .at = offsetof(struct sparse, offset) },
    { .as = &param_window, .at = offsetof(struct sparse, window) },
    { .as = &param_group, .at = offsetof(struct sparse, group) },
    { "empty", "zero", "output of a query that sees no key", ENUM, offsetof(struct sparse, empty),
        .choices = "zero nan" },
    { "alone", "minus", "lse of a query that sees no key: minus or plus infinity", ENUM,
        offsetof(struct sparse, alone), .choices = "minus plus" },
    { .as = &param_lse_base, .at = offsetof(struct sparse, base) },
    { "topk", "2", "keys that `selected` takes", INT, offsetof(struct sparse, topk), .least = 1, .most = 1 << 20 },
    { .list = tiles_params, .at = offsetof(struct sparse, tiles) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "causal=bottomright duplicates=once", "DeepSeek_V3_2.pdf, equations 1 and 2; there topk is 2048" },
    { "code:deepseek-ai/FlashMLA", "alone=plus", "flash_mla_sparse_fwd: indices [s_q, h_kv, topk], of which -1 or "
        "those >= s_kv are invalid" },
    { "code:deepseek-ai/DeepSeek-V3.2-Exp", "causal=bottomright duplicates=once empty=nan topk=3",
        "inference/model.py: index_mask scatters 0 into -inf" },
    { "code:fla-org/native-sparse-attention", "block_size=2 causal=topleft empty=nan",
        "naive_nsa, its selected part: block_indices [T, H, S]; arXiv:2502.11089 has blocks of 64" },
    { "code:MoonshotAI/MoBA", "block_size=2 causal=topleft duplicates=once empty=nan",
        "moba_attn_varlen_naive, a selection a head; examples/llama.py has chunks of 4096" },
    { "code:flashinfer-ai/flashinfer", "block_size=3 cap=30 base=2", "BlockSparseAttentionWrapper: logits_soft_cap" },
    { "windowed", "causal=bottomright window=3", "made up" }, { 0 },
};
static const struct preset contracts[] = { { 0 } };
/* t is no axis: made-up entries are below it, so that some name no block. */
#define MIXING "q[h,n,d] k[g,m,d] v[g,m,e] int index[g,n,c]<t~ "
#define INDEXER "iq[b,n,a] ik[m,a] iw[b,n] "
const struct row row_sparse = {
    .name = "sparse", .title = "attention over selected keys", .cite = "DeepSeek-AI 2025",
    .steps = { mix_steps, grad_steps, "quotient tanh capped pair match weighed vote" },
    .faults = "first last tokens whole linear",
    .declares = params, .size = sizeof(struct sparse), .presets = presets, .contracts = contracts, .refuse = refuse,
    .sizes = "d=4 e=3 m=6 c=6 t=7 b=2 a=4",
    .q = {
      { MIXING "-> o[h,n|e]", .ask = mix_output, .mix = sparse_mix },
      { MIXING "-> lse[h,n|]", .ask = logsumexp, .mix = sparse_mix },
      { MIXING "do[h,n,e] -> dq[h,n|d]", .grad = mix_query_grad, .back = sparse_grad, .met.key = sparse_key },
      { MIXING "do[h,n,e] -> dk[g,m|d]", .grad = mix_key_grad, .back = sparse_grad, .met = { sparse_of_key, mix_q } },
      { MIXING "do[h,n,e] -> dv[g,m|e]", .grad = mix_value_grad, .back = sparse_grad, .met.of = sparse_of_key },
      { INDEXER "-> index_score[n|m]", index_score },
      { INDEXER "-> int selected[n|m]", selected } },
};
