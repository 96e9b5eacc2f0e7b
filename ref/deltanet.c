/* DeltaNet.                              Schlag, Irie, Schmidhuber 2021, arXiv:2102.11174; Yang et al. 2024, 2406.06484
 *   S_t = (I - beta_t k_t k_t^T) S_{t-1} + beta_t k_t v_t^T        o_t = S_t^T q_t
 * (the paper's S is the transpose of this one, which is [d,e]), token by token as it is computed:
 *   w = beta_t (v_t - S^T k_t)      S <- S + k_t w^T      o_t = S^T q_t
 * S before the first token is the input `state`, or 0; `final` is S behind the last.
 * q and k become unit vectors (l2norm), then q is multiplied by scale.  Value head h reads key head floor(g h / H).
 *   strength=given    beta_t as it is        strength=sigmoid  beta_max / (1 + exp(-beta_t))
 * With beta_max = 2 the state may turn a direction over (negative eigenvalues, arXiv:2411.12537).
 * Gradients are those of <do, o> + <dfinal, final>.  The recurrence, with its bounds: ref/core/state/state.h.
 * Traps: nothing is forgotten, so that errors stay; they do not grow while beta |k|^2 <= 2, which raw keys do not
 * keep. */
#include "state/delta.h"

static const struct param params[] = { { .list = delta_vectors }, { .list = delta_strengths }, { 0 } };
static const struct preset presets[] = {
    { "paper", "strength=sigmoid", "arXiv:2406.06484, section 2.2 and 3.3: beta = sigmoid, L2-normalised keys" },
    { "code:fla-org/flash-linear-attention", "", "fla/ops/delta_rule/naive.py: beta is given" },
    { "negative eigenvalues", "strength=sigmoid beta_max=2", "arXiv:2411.12537; fla DeltaNet allow_neg_eigval" },
    { "torch norm", "l2norm=max l2_eps=1e-12", "torch.nn.functional.normalize on q and k" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "product=f32 dot=f32 residual=f32 correct=f32 write=f32 state=f32 output=f32 slope=f32 gather=f32 "
        "square=f32 squares=f32 root=f32 unit=f32 query=f32 beta=f32", "the loop over tokens in float32" }, { 0 },
};
#define TOKENS "q[g,n,d] k[g,n,d] v[h,n,e] beta[h,n] state?[h,d,e] "
#define LOSS TOKENS "do[h,n,e] dfinal?[h,d,e] "
const struct row row_deltanet = {
    .name = "deltanet", .title = "delta rule", .cite = "Yang et al. 2024",
    .steps = { state_steps, token_steps },
    .declares = params, .size = sizeof(struct delta), .presets = presets, .contracts = contracts,
    .refuse = delta_refuse, .sizes = "d=4 e=3",
    .q = { { TOKENS "-> o[h,n|e]", delta_output }, { TOKENS "-> final[h,d|e]", delta_final },
        { LOSS "-> dq[g,n|d]", delta_grad, .of = D_Q }, { LOSS "-> dk[g,n|d]", delta_grad, .of = D_K },
        { LOSS "-> dv[h,n|e]", delta_grad, .of = D_V }, { LOSS "-> dbeta[h|n]", delta_grad, .of = D_BETA },
        { LOSS "-> dstate[h,d|e]", delta_grad, .of = D_STATE } },
};
