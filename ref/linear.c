/* Linear attention.                                    Katharopoulos et al. 2020, arXiv:2006.16236, equations 9 to 12
 *   S_t = S_{t-1} + phi(k_t) v_t^T        z_t = z_{t-1} + phi(k_t)
 *   o_t = scale S_t^T phi(q_t) / (scale <phi(q_t), z_t> + eps)        normalise=none: without the division
 *   phi of one number:   elu1  x + 1 for x > 0, else e^x      relu  max(0, x)      exp  e^x      identity  x
 *   causal=off: every token reads the last S and z, that of all keys
 * S and z before the first token are the inputs `state` and `z`, or 0; `final` and `final_z` are those behind the last.
 * Gradients are those of <do, o> + <dfinal, final> + <dfinal_z, final_z>.  Bounds: ref/core/state/state.h.
 * Traps: eps joins behind the scale, so that a scale does not cancel.  elu1 made as elu(x) + 1 in bfloat16 is 0 at -8,
 * where e^-8 is 3.4e-4.  With phi=identity the denominator changes its sign, and no bound holds there. */
#include "edit/branches.h"
#include "row/shared.h"
#include "state/decayed.h"

struct ref_linear { mpq_t scale, eps; int feature, normalise, causal, read; };
enum { ELU1, FEATURE_RELU, FEATURE_EXP, IDENTITY };
enum { NORMALISE_SUM, NORMALISE_NONE };
enum { CAUSAL_ON, CAUSAL_OFF };
enum { PHI = DECAYED_OWN, TOTAL_OF = DECAYED_STEPS, QUOTIENT };

static const struct ref_linear *own(const struct ask *w) { return w->params; }
/* Whether x > 0; where its sign is open e^x holds both sides: there x + 1 and the slope 1 lie between 1 and e^x. */
static bool above(struct ask *w, const struct ball *x) { return b_cmp(x, b_si(w, 0)) == 1; }
static const struct ball *feature(struct ask *w, const struct ball *x)
{
    switch (own(w)->feature) {
    case ELU1: return b_step(w, PHI, b_true(w, above(w, x)) ? b_add(w, x, b_si(w, 1)) : b_exp(w, x));
    case FEATURE_RELU: return b_relu(w, x);
    case FEATURE_EXP: return b_step(w, PHI, b_exp(w, x));
    default: return x;
    }
}
static const struct ball *bend(struct ask *w, const struct ball *x)
{
    switch (own(w)->feature) {
    case ELU1: return b_step(w, PHI, b_true(w, above(w, x)) ? b_si(w, 1) : b_exp(w, x));
    case FEATURE_RELU: return heaviside_in_form(w, x, b_si(w, 0));
    default: return b_step(w, PHI, b_exp(w, x));
    }
}
static void vector(struct ask *w, const char *name, long h, long t, const struct ball **y)
{
    decayed_line(w, name, h, t, y);
    const bool mapped = b_true(w, *name != 'v');
    for (long i = 0, n = dim_in(w, name, 2); i < n && mapped; i++)
        y[i] = feature(w, y[i]);
}
static void back(
    struct ask *w, const char *name, long h, long t, const struct ball *const *up, const struct ball **y)
{
    const bool bends = *name != 'v' && own(w)->feature != IDENTITY;
    for (long i = 0, n = dim_in(w, name, 2); i < n; i++)
        y[i] = b_true(w, bends) ? b_step(w, SLOPE, b_mul(w, up[i], bend(w, b_in(w, name, h, t, i)))) : up[i];
}
static struct decayed self(const struct ask *w)
{
    const struct ref_linear *p = own(w);
    return (struct decayed){ .keys = true, .scale = p->scale,
        .eps = b_true(w, p->normalise == NORMALISE_SUM) ? p->eps : NULL,
        .at_end = p->causal == CAUSAL_OFF, .read_before = p->read && p->causal == CAUSAL_ON, .total = TOTAL_OF,
        .divide = QUOTIENT, .vector = vector, .back = back };
}
static const struct decayed_row family = { self };
static void page(struct ask *w, const struct ball **y) { decayed_page(w, &family, y); }

static const char *refuse(const void *params)
{
    const struct ref_linear *p = params;
    return mpq_sgn(p->scale) < 0 ? "scale: must not be below 0" :
        mpq_sgn(p->eps) < 0      ? "eps: must not be below 0" :
                                   NULL;
}
static const struct param params[] = {
    { .as = &param_unscaled, .at = offsetof(struct ref_linear, scale) },
    { "feature", "elu1", "phi, which q and k go through", ENUM, offsetof(struct ref_linear, feature),
        .choices = "elu1 relu exp identity" },
    { "normalise", "sum", "o is divided by <q, z> + eps, or is not", ENUM, offsetof(struct ref_linear, normalise),
        .choices = "sum none" },
    { "eps", "1e-6", "of normalise=sum", RATIONAL, offsetof(struct ref_linear, eps) },
    { "causal", "on", "token t reads the keys up to its own, or all", ENUM, offsetof(struct ref_linear, causal),
        .choices = "on off" },
    { .as = &param_read, .at = offsetof(struct ref_linear, read) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2006.16236, equations 7 and 12: elu(x) + 1" },
    { "bidirectional", "causal=off", "idiap/fast-transformers attention/linear_attention.py: eps 1e-6" },
    { "code:fla-org/flash-linear-attention", "feature=identity normalise=none scale=0",
        "fla/ops/linear_attn/naive.py: scale 1/sqrt(d), q and k as they are" },
    { "fla normalised", "scale=0 eps=1e-10", "fla/ops/linear_attn: z over scaled queries, then 1e-10" },
    { "relu", "feature=relu", "fla/layers/linear_attn.py feature_map=relu" },
    { "exp", "feature=exp", "made up: positive features of any sign" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "product=f32 dot=f32 query=f32 phi=f32:3 write=f32 state=f32 output=f32 slope=f32 gather=f32 total=f32 "
        "quotient=f32", "the loop over tokens in float32" }, { 0 },
};
#define TOKENS "q[h,n,d] k[h,n,d] v[h,n,e] state?[h,d,e] z?[h,d] "
#define LOSS TOKENS "do[h,n,e] dfinal?[h,d,e] dfinal_z?[h,d] "
const struct row row_linear = {
    .name = "linear", .title = "linear attention", .cite = "Katharopoulos et al. 2020",
    .steps = { "product dot query phi write state output slope gather", "total quotient" },
    .declares = params, .size = sizeof(struct ref_linear), .presets = presets, .contracts = contracts,
    .refuse = refuse, .sizes = "d=4 e=3",
    .q = { { TOKENS "-> o[h,n|e]", page }, { TOKENS "-> final[h,d|e]", page, .of = DECAYED_FINAL },
        { TOKENS "-> final_z[h|d]", page, .of = DECAYED_FINAL_Z },
        { LOSS "-> dq[h,n|d]", page, .of = DECAYED_DQ }, { LOSS "-> dk[h,n|d]", page, .of = DECAYED_DK },
        { LOSS "-> dv[h,n|e]", page, .of = DECAYED_DV }, { LOSS "-> dstate[h,d|e]", page, .of = DECAYED_DSTATE },
        { LOSS "-> dz[h|d]", page, .of = DECAYED_DZ } },
};
