/* Gated DeltaNet.                                             Yang, Kautz, Hatamizadeh 2024, arXiv:2412.06464, eq. 10
 *   S_t = exp(g_t) (I - beta_t k_t k_t^T) S_{t-1} + beta_t k_t v_t^T        o_t = S_t^T q_t
 * (the paper's S is the transpose of this one, which is [d,e]), token by token as it is computed:
 *   S <- exp(g_t) S      w = beta_t (v_t - S^T k_t)      S <- S + k_t w^T      o_t = S^T q_t
 * S before the first token is the input `state`, or 0; `final` is S behind the last.
 * q and k become unit vectors (l2norm), then q is multiplied by scale.  Value head h reads key head floor(g h / H).
 *   gate=log       g_t = a_t, as it is, at most 0
 *   gate=softplus  g_t = -exp(A_log) log(1 + exp(a_t + dt_bias)),  A_log and dt_bias a number a head
 *   strength=given    beta_t as it is        strength=sigmoid  beta_max / (1 + exp(-beta_t))
 * Gradients are those of <do, o> + <dfinal, final>.  The recurrence, with its bounds: ref/core/state/state.h.
 * Traps: what w corrects has decayed; made of the state before (order), it is off by the decay.  eps of l2norm joins
 * the square: a key of norm 1e-3 comes out at 0.707.  Convolution, silu, and the gated norm behind o are layers. */
#include "state/delta.h"

static const struct param params[] = { { .list = delta_vectors }, { .list = delta_strengths },
    { .list = delta_gates }, { .list = delta_orders }, { 0 } };
static const struct preset presets[] = {
    { "paper", "gate=softplus strength=sigmoid", "arXiv:2412.06464, section 3.4 and figure 1: Mamba-2's gate" },
    { "code:fla-org/flash-linear-attention", "", "fla/ops/gated_delta_rule/naive.py: g and beta are given" },
    { "Qwen3-Next", "gate=softplus strength=sigmoid", "transformers modeling_qwen3_next.py "
        "Qwen3NextGatedDeltaNet: use_qk_l2norm_in_kernel" },
    { "negative eigenvalues", "gate=softplus strength=sigmoid beta_max=2", "arXiv:2411.12537; fla GatedDeltaNet "
        "allow_neg_eigval" },
    { "torch norm", "l2norm=max l2_eps=1e-12", "torch.nn.functional.normalize on q and k" }, { 0 },
};
#define TOKENS "q[g,n,d] k[g,n,d] v[h,n,e] beta[h,n] a[h,n] A_log?[h] dt_bias?[h] state?[h,d,e] "
#define LOSS TOKENS "do[h,n,e] dfinal?[h,d,e] "
const struct row row_gateddelta = {
    .name = "gateddelta", .title = "gated delta rule", .cite = "Yang et al. 2024",
    .steps = { state_steps, token_steps, decay_steps },
    .declares = params, .size = sizeof(struct delta), .presets = presets, .contracts = delta_contracts,
    .refuse = delta_refuse, .needs = delta_needs, .most = delta_most, .sizes = "d=4 e=3",
    .q = { { TOKENS "-> o[h,n|e]", delta_output }, { TOKENS "-> final[h,d|e]", delta_final },
        { LOSS "-> dq[g,n|d]", delta_grad, .of = D_Q }, { LOSS "-> dk[g,n|d]", delta_grad, .of = D_K },
        { LOSS "-> dv[h,n|e]", delta_grad, .of = D_V }, { LOSS "-> dbeta[h|n]", delta_grad, .of = D_BETA },
        { LOSS "-> da[h|n]", delta_grad, .of = D_A }, { LOSS "-> dA_log[|h]", delta_grad, .of = D_A_LOG },
        { LOSS "-> ddt_bias[|h]", delta_grad, .of = D_DT_BIAS },
        { LOSS "-> dstate[h,d|e]", delta_grad, .of = D_STATE } },
};
