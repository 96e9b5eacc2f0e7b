/* State-space duality, the recurrence of Mamba-2.                 Dao, Gu 2024, arXiv:2405.21060, equations 1 and 2
 *   S_t = exp(dt_t A_h) S_{t-1} + dt_t B_t x_t^T        y_t = S_t^T C_t + D_h x_t
 * of heads h with one number A_h < 0 each; S is [d,e], where d is the paper's N and e its P.  Head h reads B and C of
 * group floor(g h / H) (group=repeat) or h mod g (tile).  S before the first token is the input `state`, or 0; `final`
 * is S behind the last.
 *   a_log        on: the input A holds A_log, and A_h = -exp(A_log); off: it is A_h itself, at most 0
 *   dt_softplus  on: dt_t = log(1 + exp(dt + dt_bias)); off: dt + dt_bias.  dt_bias may be absent
 *   dt_min, dt_max  then dt_t is clamped; clamp=before: dt + dt_bias is, before the softplus
 *   D            absent: y_t = S_t^T C_t
 *   z            where it is given, y_t is multiplied by z / (1 + exp(-z)), or (gate=sigmoid) by 1 / (1 + exp(-z))
 *   cu_seqlens   packed documents: the first token of each but the first finds a state of 0
 * Gradients are those of <dy, y> + <dfinal, final>, and a clamped dt passes none on.  The recurrence, with its bounds:
 * ref/core/state/state.h; tokens and gradients: duality.h and duality_grad.h beside it.
 * Traps: mamba_ssm keeps the state as [e,d].  D multiplies x, not dt x (fault "skip-of-value").  The norm of
 * RMSNormGated stands behind the gate or before it (norm_before_gate); here is the gate alone.  Chunks form only exp of
 * differences of the cumulated dt A, which are at most 0: each factor of exp(a) exp(-b) alone overflows float32 at
 * 88. */
#include "row/question.h"
#include "row/row.h"
#include "row/shared.h"
#include "state/duality.h"
#include "state/duality_grad.h"

enum { OF_Y, OF_FINAL };
/* On the exact path a number gets all the bits that it needs, and a state needs more with each token. */
enum { LONGEST_EXACT = 12 };

/* Every y[h,n,e], then every final[h,d,e]. */
static void outputs(struct ask *w, const struct ball **all)
{
    const struct state_rule r = duality_rule(w);
    const long heads = dim_in(w, "x", 0), o = r.n * r.e, s = r.d * r.e;
    for (long h = 0; h < heads; h++) {
        const struct ball **y = all + h * o;
        state_forward(w, &r, h, y, all + heads * o + h * s);
        for (long k = 0; k < o; k++) {
            y[k] = duality_joined(w, y[k], h, k / r.e, k % r.e);
            if (has_in(w, "z"))
                y[k] = b_step(w, GATED, b_mul(w, y[k], duality_gate(w, h, k / r.e, k % r.e)));
        }
    }
}

/* The line from place `from` on of what `make` makes, all[n]. */
static void line(struct ask *w, question_make *make, long n, long from, const struct ball **y)
{
    const bool exact = w->exact;
    w->exact = exact && dim_in(w, "x", 1) <= LONGEST_EXACT;
    question_line(w, make, n, from, y);
    w->exact = exact;
}
static void output(struct ask *w, const struct ball **y)
{
    const struct state_rule r = duality_rule(w);
    const long heads = dim_in(w, "x", 0), rows = w->of == OF_FINAL ? r.d : r.n;
    const long first = w->of == OF_FINAL ? heads * r.n * r.e : 0;
    line(w, outputs, heads * (r.n + r.d) * r.e, first + (w->at[0] * rows + w->at[1]) * r.e, y);
}
/* The line of the gradient that w->of names. */
static void grad(struct ask *w, const struct ball **y)
{
    long place[DUALITY_END];
    const long all = duality_places(w, place), n = dim_in(w, "x", 1);
    const long rows = w->of == DUALITY_DSTATE ? dim_in(w, "B", 2) : n;
    const long at = w->of == DUALITY_DDT ? w->at[0] : w->at[0] * rows + w->at[1];
    line(w, duality_gradients, all, place[w->of] + at * w->len, y);
}

static const char *refuse(const void *params)
{
    const struct duality *p = params;
    return mpq_sgn(p->dt_min) < 0                                       ? "dt_min: must not be below 0" :
        mpq_sgn(p->dt_max) < 0                                          ? "dt_max: must not be below 0" :
        mpq_sgn(p->dt_max) && mpq_cmp(p->dt_max, p->dt_min) <= 0        ? "dt_max: must be greater than dt_min, or 0" :
                                                                          NULL;
}
static double most(const void *params, const char *input)
{
    return !strcmp(input, "A") && ((const struct duality *)params)->a_log == IS_OFF ? 0 : (double)INFINITY;
}
static const struct param params[] = {
    { "a_log", "on", "the input A holds A_log, and A = -exp(A_log); or A itself", ENUM, offsetof(struct duality, a_log),
        .choices = "on off" },
    { "dt_softplus", "on", "is dt + dt_bias put through log(1 + exp)?", ENUM, offsetof(struct duality, dt_softplus),
        .choices = "on off" },
    { "dt_min", "0", "dt is at least this", RATIONAL, offsetof(struct duality, dt_min) },
    { "dt_max", "0", "and at most this; 0: no limit", RATIONAL, offsetof(struct duality, dt_max) },
    { "clamp", "after", "where dt_min and dt_max hold: behind the softplus, or before it", ENUM,
        offsetof(struct duality, clamp), .choices = "after before" },
    { "gate", "silu", "what z is put through", ENUM, offsetof(struct duality, gate), .choices = "silu sigmoid" },
    { .as = &param_group, .at = offsetof(struct duality, group) },
    { .as = &param_read, .at = offsetof(struct duality, read) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2405.21060, section 7.1: A is a number a head, dt through softplus" },
    { "code:state-spaces/mamba", "", "mamba_ssm/modules/mamba2.py: A = -exp(A_log), dt_softplus=True, "
        "dt_limit=(0, inf)" },
    { "code:huggingface/transformers", "", "modeling_mamba2.py: softplus(dt + dt_bias), then clamp to "
        "time_step_limit = (0, inf)" },
    { "kernel", "a_log=off dt_softplus=off", "mamba_ssm mamba_chunk_scan_combined: A is given, dt_softplus=False by "
        "default; ssd_minimal_discrete is given dt x and dt A" },
    { "limited", "dt_min=1/1000 dt_max=1", "mamba_ssm/modules/mamba2.py: dt_limit where a model sets one, here "
        "(0.001, 1)" },
    { "zamba2", "dt_min=1/1000", "transformers modeling_zamba2.py: time_step_limit = (time_step_min, inf)" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "product=f32 dot=f32 value=f32 decay=f32 write=f32 state=f32 output=f32 slope=f32 gather=f32 shift=f32 "
        "softplus=f32 limit=f32 rate=f32 log=f32 factor=f32 skip=f32 join=f32 share=f32 silu=f32 gated=f32",
        "the loop over tokens in float32" }, { 0 },
};
#define STEPS "x[h,n,e] dt[h,n] A[h] B[g,n,d] C[g,n,d] "
#define MORE "dt_bias?[h] z?[h,n,e] state?[h,d,e] int cu_seqlens?[b]^n "
#define TOKENS STEPS "D?[h] " MORE
#define UP "dy[h,n,e] dfinal?[h,d,e] "
#define LOSS TOKENS "dy[h,n,e] dfinal?[h,d,e] "
const struct row row_ssd = {
    .name = "ssd", .title = "state-space duality (Mamba-2)", .cite = "Dao, Gu 2024",
    .steps = { "product dot value decay write state output slope gather", "shift softplus limit rate log factor",
        "skip join share silu gated" }, .faults = "skip-of-value",
    .declares = params, .size = sizeof(struct duality), .presets = presets, .contracts = contracts, .refuse = refuse,
    .most = most, .sizes = "d=4 e=3 b=3",
    .q = { { TOKENS "-> y[h,n|e]", output, .of = OF_Y }, { TOKENS "-> final[h,d|e]", output, .of = OF_FINAL },
        { LOSS "-> dx[h,n|e]", grad, .of = DUALITY_DX }, { LOSS "-> ddt[h|n]", grad, .of = DUALITY_DDT },
        { LOSS "-> dA[|h]", grad, .of = DUALITY_DA }, { LOSS "-> dB[g,n|d]", grad, .of = DUALITY_DB },
        { LOSS "-> dC[g,n|d]", grad, .of = DUALITY_DC }, { STEPS "D[h] " MORE UP "-> dD[|h]", grad, .of = DUALITY_DD },
        { STEPS "D?[h] dt_bias[h] z?[h,n,e] state?[h,d,e] int cu_seqlens?[b]^n " UP "-> ddt_bias[|h]", grad,
            .of = DUALITY_DDT_BIAS },
        { STEPS "D?[h] dt_bias?[h] z[h,n,e] state?[h,d,e] int cu_seqlens?[b]^n " UP "-> dz[h,n|e]", grad,
            .of = DUALITY_DZ },
        { LOSS "-> dstate[h,d|e]", grad, .of = DUALITY_DSTATE } },
};
