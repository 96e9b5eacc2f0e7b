/* Attention with capped scores.                                          Gemma Team 2024 (arXiv:2408.00118), section 2
 *   s[j] = c tanh(scale <q_i, k_j> / c) + bias[i][j]   over visible j      p = softmax s      o_i = sum_j p[j] v_j      lse_i = log sum exp s
 * cap=0: no cap.  order=mask-first: bias and mask, then the cap, c tanh((.. + bias) / c): a hidden key's -inf becomes -c, and it weighs exp(-c).
 * Trap: that was the ONNX text of opsets 23 and 24 (onnx/onnx#7865); with c = 50 no dense input shows it. */
#include <math.h>
#include "mix.h"
#include "row.h"

struct softcap { mpq_t cap, scale; int causal, order; };
enum { NONE, BOTTOMRIGHT }; enum { CAP_FIRST, MASK_FIRST };
enum { QUOTIENT = MIX_STEPS, TANH, CAPPED, BIAS };

static long dim(const struct ask *w, const char *a, int axis) { return array_in(w, a)->dim[axis]; }
static long key_head(const struct ask *w, long h) { return h / (dim(w, "q", 0) / dim(w, "k", 0)); }
static bool capped(const struct softcap *p) { return mpq_sgn(p->cap) != 0; }

static bool in_reach(const struct ask *w, long h, long i, long j)
{
    const struct softcap *p = w->params;
    const struct mer_array *bias = mer_in(w->call, "bias");
    bool hidden = bias && bias->type != BALLS && array_get(bias, (h * dim(w, "q", 1) + i) * dim(w, "k", 1) + j) == (double)-INFINITY;
    return !hidden && (p->causal == NONE || j <= i + dim(w, "k", 1) - dim(w, "q", 1));
}
static bool visible(const struct ask *w, long h, long i, long j)
{
    const struct softcap *p = w->params;
    return (capped(p) && p->order == MASK_FIRST) || in_reach(w, h, i, j);
}

static const struct ball *cap(struct ask *w, const struct ball *s)
{
    const struct softcap *p = w->params;
    if (!capped(p))
        return s;
    return b_step(w, CAPPED, b_mul(w, b_q(w, p->cap), b_step(w, TANH, b_tanh(w, b_step(w, QUOTIENT, b_div(w, s, b_q(w, p->cap)))))));
}

static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct softcap *p = w->params;
    if (!in_reach(w, h, i, j))
        return b_neg(w, b_abs(w, b_q(w, p->cap))); /* c tanh(-inf) */
    const struct ball *scale = mpq_sgn(p->scale) ? b_q(w, p->scale) : b_div(w, b_si(w, 1), b_sqrt(w, b_si(w, dim(w, "q", 2))));
    const struct ball *s = b_dot(w, PRODUCT, DOT, span(w, "q", h, i), span(w, "k", key_head(w, h), j), dim(w, "q", 2)), *bias = has_in(w, "bias") ? b_in(w, "bias", h, i, j) : NULL;
    s = b_step(w, SCORE, b_mul(w, s, b_step(w, SCORE, scale)));
    s = p->order == MASK_FIRST ? s : cap(w, s);
    s = bias ? b_step(w, BIAS, b_add(w, s, bias)) : s;
    return p->order == MASK_FIRST ? cap(w, s) : s;
}

static const struct ball *value(struct ask *w, long h, long i, long j, long c) { (void)i; return b_in(w, "v", key_head(w, h), j, c); }
static void output(struct ask *w, const struct ball **y) { struct mix m = { dim(w, "k", 1), score, value, visible }; mix_output(w, &m, y); }
static void lse(struct ask *w, const struct ball **y) { struct mix m = { dim(w, "k", 1), score, value, visible }; mix_lse(w, &m, y); }

static const struct param params[] = {
    { "cap", "50", "c of c tanh(s / c); 0 = none", RATIONAL, offsetof(struct softcap, cap) },
    { "scale", "0", "0 = 1/sqrt(d)", RATIONAL, offsetof(struct softcap, scale) },
    { "causal", "none", "which keys query i may see", ENUM, offsetof(struct softcap, causal), .choices = "none bottomright" },
    { "order", "cap-first", "cap, then bias and mask; or mask first", ENUM, offsetof(struct softcap, order), .choices = "cap-first mask-first" },
    { 0 },
};
static const struct preset presets[] = {
    { "gemma2", "causal=bottomright scale=1/16", "google/gemma-2-9b config.json: attn_logit_softcapping 50, query_pre_attn_scalar 256" }, { "code:xai-org/grok-1", "cap=30 causal=bottomright", "model.py: max_attn_val 30" },
    { "onnx-23", "cap=5 causal=bottomright order=mask-first", "ONNX Attention, opsets 23 and 24, before onnx/onnx#7867" }, { 0 },
};
static const struct preset contracts[] = { { "f32", "dot=f32 product=f32 score=f32 quotient=f32 tanh=f32 capped=f32 bias=f32 shift=f32 exp=f32 weight=f32 sum=f32 total=f32 div=f32 log=f32", "naive loop" }, { 0 } };
const struct row row_softcap = {
    .name = "softcap", .title = "attention with capped scores", .cite = "Gemma Team 2024",
    .steps = { mix_steps, "quotient tanh capped bias" },
    .params = params, .size = sizeof(struct softcap), .presets = presets, .contracts = contracts,
    .q = { { "q[h,n,d] k[g,m,d] v[g,m,e] bias?[h,n,m] -> o[h,n|e]", output }, { "q[h,n,d] k[g,m,d] v[g,m,e] bias?[h,n,m] -> lse[h,n|]", lse } },
};
