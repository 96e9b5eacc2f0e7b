/* Gated linear attention.                                                 Yang et al. 2023, arXiv:2312.06635, section 4
 *   S_t = diag(exp(g_t)) S_{t-1} + k_t v_t^T        o_t = scale S_t^T q_t
 * with a decay for each channel of the key.  S before the first token is the input `state`, or 0; `final` is S behind
 * the last.
 *   gate=log         g_t = a_t, as it is, at most 0
 *   gate=logsigmoid  g_t = log(1 / (1 + exp(-a_t))) / tau,  tau = 16 (section 4.4)
 * Gradients are those of <do, o> + <dfinal, final>.  The recurrence, with its bounds: ref/core/state/state.h.
 * Trap: chunk forms may split exp(G_i - G_j) into exp(G_i) exp(-G_j) only where neither overflows; in float32 the sums
 * G of a chunk end at 88. */
#include "state/decayed.h"
#include "row/shared.h"

struct gla { mpq_t scale, tau; int gate, read; };
enum { GATE_LOG, GATE_LOGSIGMOID };
enum { LOGIT = DECAYED_STEPS, LOG, FACTOR_OF };

static const struct gla *own(const struct ask *w) { return w->params; }
static const struct ball *tau(struct ask *w, int step) { return b_given(w, step, b_q(w, own(w)->tau)); }
static const struct ball *factor(struct ask *w, long h, long t, long i)
{
    const struct ball *a = b_in(w, "a", h, t, i);
    if (b_true(w, own(w)->gate == GATE_LOGSIGMOID))
        a = b_step(w, LOG, b_neg(w, b_div(w, token_softplus(w, LOGIT, b_neg(w, a)), tau(w, LOG))));
    return b_step(w, FACTOR_OF, b_exp(w, a));
}
static const struct ball *slope(struct ask *w, long h, long t, long i)
{
    return b_step(w, SLOPE, b_div(w, token_sigmoid(w, LOGIT, b_neg(w, b_in(w, "a", h, t, i))), tau(w, SLOPE)));
}
static struct decayed self(const struct ask *w)
{
    return (struct decayed){ .channels = true, .read_before = own(w)->read, .scale = own(w)->scale, .factor = factor,
        .slope = b_true(w, own(w)->gate == GATE_LOGSIGMOID) ? slope : NULL };
}
static const struct decayed_row family = { self };
static void page(struct ask *w, const struct ball **y) { decayed_page(w, &family, y); }

static const char *refuse(const void *params)
{
    const struct gla *p = params;
    return mpq_sgn(p->scale) < 0 ? "scale: must not be below 0" :
        mpq_sgn(p->tau) <= 0     ? "tau: must be greater than 0" :
                                   NULL;
}
static double most(const void *params, const char *input)
{
    return !strcmp(input, "a") && ((const struct gla *)params)->gate == GATE_LOG ? 0 : (double)INFINITY;
}
static const struct param params[] = {
    { .as = &param_scale, .at = offsetof(struct gla, scale) },
    { "gate", "log", "log of the decay: a, or log sigmoid(a) / tau", ENUM, offsetof(struct gla, gate),
        .choices = "log logsigmoid" },
    { "tau", "16", "of gate=logsigmoid", RATIONAL, offsetof(struct gla, tau) },
    { .as = &param_read, .at = offsetof(struct gla, read) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "gate=logsigmoid", "arXiv:2312.06635, section 4.4: tau = 16" },
    { "code:fla-org/flash-linear-attention", "", "fla/ops/gla/naive.py: gk is given, scale 1/sqrt(d)" },
    { "fla layer", "gate=logsigmoid", "fla/layers/gla.py: logsigmoid(gk) / gate_logit_normalizer" },
    { "unscaled", "scale=1", "arXiv:2312.06635, equation 3: no 1/sqrt(d)" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "product=f32 dot=f32 query=f32 decay=f32 write=f32 state=f32 output=f32 slope=f32 gather=f32 logit=f32 "
        "log=f32 factor=f32", "the loop over tokens in float32" }, { 0 },
};
#define TOKENS "q[h,n,d] k[h,n,d] v[h,n,e] a[h,n,d] state?[h,d,e] "
#define LOSS TOKENS "do[h,n,e] dfinal?[h,d,e] "
const struct row row_gla = {
    .name = "gla", .title = "gated linear attention", .cite = "Yang et al. 2023",
    .steps = { "product dot query decay write state output slope gather", "logit log factor" },
    .declares = params, .size = sizeof(struct gla), .presets = presets, .contracts = contracts,
    .refuse = refuse, .most = most, .sizes = "d=4 e=3",
    .q = { { TOKENS "-> o[h,n|e]", page }, { TOKENS "-> final[h,d|e]", page, .of = DECAYED_FINAL },
        { LOSS "-> dq[h,n|d]", page, .of = DECAYED_DQ }, { LOSS "-> dk[h,n|d]", page, .of = DECAYED_DK },
        { LOSS "-> dv[h,n|e]", page, .of = DECAYED_DV }, { LOSS "-> da[h,n|d]", page, .of = DECAYED_DA },
        { LOSS "-> dstate[h,d|e]", page, .of = DECAYED_DSTATE } },
};
