/* Kimi delta attention.                                                      Kimi team 2025, arXiv:2510.26692, eq. 1
 *   S_t = (I - beta_t k_t k_t^T) diag(exp(g_t)) S_{t-1} + beta_t k_t v_t^T        o_t = S_t^T q_t
 * token by token, as Gated DeltaNet with a decay for each channel of the key:
 *   S <- diag(exp(g_t)) S      w = beta_t (v_t - S^T k_t)      S <- S + k_t w^T      o_t = S^T q_t
 * S before the first token is the input `state`, or 0; `final` is S behind the last.
 * q and k become unit vectors (l2norm), then q is multiplied by scale.  Value head h reads key head floor(g h / H).
 *   gate=log          g_t = a_t, as it is, at most 0
 *   gate=softplus     g_t = -exp(A_log) log(1 + exp(a_t + dt_bias)), A_log a number a head, dt_bias one a channel
 *   gate=lower-bound  g_t = lower_bound / (1 + exp(-exp(A_log) (a_t + dt_bias)))
 *   strength=given    beta_t as it is        strength=sigmoid  beta_max / (1 + exp(-beta_t))
 * Gradients are those of <do, o> + <dfinal, final>.  The recurrence, with its bounds: ref/core/state/state.h.
 * Traps: the decay precedes the correction (order).  Chunk forms may split exp(G_i - G_j) only at one anchor a product:
 * 64 tokens at lower_bound = -5 overflow. */
#include "state/delta.h"

static const struct param params[] = { { .list = delta_vectors }, { .list = delta_strengths },
    { .list = delta_channel_gates }, { .list = delta_orders }, { 0 } };
static const struct preset presets[] = {
    { "paper", "gate=softplus strength=sigmoid", "arXiv:2510.26692, section 4: Kimi Linear" },
    { "code:fla-org/flash-linear-attention", "", "fla/ops/kda/naive.py: g and beta are given" },
    { "lower bound", "gate=lower-bound strength=sigmoid", "fla/ops/kda: safe gate, lower_bound -5" },
    { "negative eigenvalues", "gate=softplus strength=sigmoid beta_max=2", "fla KimiDeltaAttention allow_neg_eigval" },
    { 0 },
};
#define TOKENS "q[g,n,d] k[g,n,d] v[h,n,e] beta[h,n] a[h,n,d] A_log?[h] dt_bias?[h,d] state?[h,d,e] "
#define LOSS TOKENS "do[h,n,e] dfinal?[h,d,e] "
const struct row row_kda = {
    .name = "kda", .title = "delta rule with decays of channels", .cite = "Kimi team 2025",
    .steps = { state_steps, token_steps, decay_steps },
    .declares = params, .size = sizeof(struct delta), .presets = presets, .contracts = delta_contracts,
    .refuse = delta_refuse, .needs = delta_needs, .most = delta_most, .sizes = "d=4 e=3",
    .q = { { TOKENS "-> o[h,n|e]", delta_output }, { TOKENS "-> final[h,d|e]", delta_final },
        { LOSS "-> dq[g,n|d]", delta_grad, .of = D_Q }, { LOSS "-> dk[g,n|d]", delta_grad, .of = D_K },
        { LOSS "-> dv[h,n|e]", delta_grad, .of = D_V }, { LOSS "-> dbeta[h|n]", delta_grad, .of = D_BETA },
        { LOSS "-> da[h,n|d]", delta_grad, .of = D_A }, { LOSS "-> dA_log[|h]", delta_grad, .of = D_A_LOG },
        { LOSS "-> ddt_bias[h|d]", delta_grad, .of = D_DT_BIAS },
        { LOSS "-> dstate[h,d|e]", delta_grad, .of = D_STATE } },
};
