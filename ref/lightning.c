/* Lightning attention.                   Qin et al. 2024, arXiv:2401.04658, section 3; MiniMax 2025, arXiv:2501.08313
 *   S_t = exp(-s_h f_l) S_{t-1} + k_t v_t^T        o_t = scale S_t^T q_t
 * of H heads, h from 0, and layer l of L.  q, k and v go through x / (1 + exp(-x)) first where act=silu.
 *   slopes=alibi        s_h as row alibi has it: 2^(-8 (h+1)/H) where H is a power of two    (MiniMax)
 *   slopes=power        s_h = 2^(-8 (h+1)/H) for every H                                      (transformers)
 *   slopes=linear       s_h = 8 h / H: head 0 never decays                                    (fla)
 *   layers_of=minimax       f_l = 1 - l/(L-1) + 1e-5;  1 + 1e-5 where L = 1
 *   layers_of=transformers  f_l = 1 - l/(L-1 + 1e-5) + 1e-5
 *   layers_of=fla           f_l = 1 - l/L
 * S before the first token is the input `state`, or 0; `final` is S behind the last.
 * Gradients are those of <do, o> + <dfinal, final>.  The recurrence, with its bounds: ref/core/state/state.h.
 * Traps: the three families agree in no head of no layer but the first of H a power of two, by 1e-5.  A short last
 * block needs the last rows of the table of key decays, not the first. */
#include <stdio.h>
#include "row/shared.h"
#include "state/decayed.h"
extern const struct row row_alibi;

struct lightning { mpq_t scale; long layer, layers; int slopes, layers_of, act, read; };
enum { SLOPES_ALIBI, SLOPES_POWER, SLOPES_LINEAR };
enum { LAYERS_MINIMAX, LAYERS_TRANSFORMERS, LAYERS_FLA };
enum { ACT_NONE, ACT_SILU };
enum { RATE_OF = DECAYED_STEPS, FACTOR_OF, SHARE, ACTIVATE };

static const struct lightning *own(const struct ask *w) { return w->params; }
static const struct ball *slope_of(struct ask *w, long h)
{
    const long heads = dim_in(w, "v", 0);
    const struct ball *y;
    char text[80];
    if (own(w)->slopes == SLOPES_LINEAR)
        return b_ratio(w, 8 * h, heads);
    snprintf(text, sizeof text, "heads=%ld family=%s", heads,
        b_true(w, own(w)->slopes == SLOPES_ALIBI) ? "interleave" : "geometric");
    /* mutant: constant 961a: row alibi answers one slope, and misfit has seen to it that there is one. */
    line_of(w, (struct page_of){ &row_alibi, "slopes", text, NULL, 0 }, &h, 1, &y);
    return y;
}
static const struct ball *part(struct ask *w, const struct ball *x) { return b_inner(w, RATE_OF, x); }
/* 1 - l / under + more: f_l, of a whole number below and the 1e-5 that joins it. */
static const struct ball *share_of(struct ask *w)
{
    const struct lightning *p = own(w);
    const struct ball *small = part(w, b_ratio(w, 1, 100000)),
                      *under = b_si(w, p->layers - b_true(w, p->layers_of != LAYERS_FLA));
    if (b_true(w, p->layers_of == LAYERS_MINIMAX && p->layers == 1))
        return part(w, b_add(w, b_si(w, 1), small));
    if (b_true(w, p->layers_of == LAYERS_TRANSFORMERS))
        under = part(w, b_add(w, under, small));
    const struct ball *f = part(w, b_sub(w, b_si(w, 1), part(w, b_div(w, b_si(w, p->layer), under))));
    return b_true(w, p->layers_of == LAYERS_FLA) ? f : part(w, b_add(w, f, small));
}
static const struct ball *factor(struct ask *w, long h, long t, long i)
{
    (void)t, (void)i;
    const struct ball *rate = b_step(w, RATE_OF, b_mul(w, slope_of(w, h), share_of(w)));
    return b_step(w, FACTOR_OF, b_exp(w, b_neg(w, rate)));
}
static const struct ball *silu(struct ask *w, const struct ball *x)
{
    return b_step(w, ACTIVATE, b_mul(w, x, token_sigmoid(w, SHARE, x)));
}
/* s + x s (1 - s), s the sigmoid of x. */
static const struct ball *silu_slope(struct ask *w, const struct ball *x)
{
    const struct ball *s = token_sigmoid(w, SHARE, x),
                      *bend = b_step(w, SLOPE, b_mul(w, s, b_step(w, SLOPE, b_sub(w, b_si(w, 1), s))));
    return b_step(w, SLOPE, b_add(w, s, b_step(w, SLOPE, b_mul(w, x, bend))));
}
static void vector(struct ask *w, const char *name, long h, long t, const struct ball **y)
{
    decayed_line(w, name, h, t, y);
    const bool bends = b_true(w, own(w)->act == ACT_SILU);
    for (long i = 0, n = dim_in(w, name, 2); i < n && bends; i++)
        y[i] = silu(w, y[i]);
}
static void back(
    struct ask *w, const char *name, long h, long t, const struct ball *const *up, const struct ball **y)
{
    for (long i = 0, n = dim_in(w, name, 2); i < n; i++)
        y[i] = b_true(w, own(w)->act == ACT_SILU) ?
            b_step(w, SLOPE, b_mul(w, up[i], silu_slope(w, b_in(w, name, h, t, i)))) :
            up[i];
}
static struct decayed self(const struct ask *w)
{
    return (struct decayed){
        .scale = own(w)->scale, .read_before = own(w)->read, .factor = factor, .vector = vector, .back = back
    };
}
static const struct decayed_row family = { self };
static void page(struct ask *w, const struct ball **y) { decayed_page(w, &family, y); }

static const char *refuse(const void *params)
{
    const struct lightning *p = params;
    return mpq_sgn(p->scale) < 0    ? "scale: must not be below 0" :
        p->layer >= p->layers       ? "layer: must be below layers" :
                                      NULL;
}
static int misfit(const void *params, const struct mer_call *c, char *why, size_t n)
{
    /* mutant: call 82ea: heads are the first axis of every input. */
    const struct mer_array *v = mer_find(c->in, c->n_in, "v");
    if (!v || v->dim[0] <= 1024 || ((const struct lightning *)params)->slopes == SLOPES_LINEAR)
        return 0;
    return snprintf(why, n, "h=%ld: slopes are those of at most 1024 heads", (long)v->dim[0]), -1;
}
static const struct param params[] = {
    { .as = &param_unscaled, .at = offsetof(struct lightning, scale) },
    { "slopes", "alibi", "s_h: row alibi's, 2^(-8 (h+1)/H), or 8 h / H", ENUM, offsetof(struct lightning, slopes),
        .choices = "alibi power linear" },
    { "layer", "0", "l, from 0", INT, offsetof(struct lightning, layer), .least = 0, .most = 4095 },
    { "layers", "8", "L", INT, offsetof(struct lightning, layers), .least = 1, .most = 4096 },
    { "layers_of", "minimax", "f_l: 1 - l/(L-1) + 1e-5, with 1e-5 in the divisor too, or 1 - l/L", ENUM,
        offsetof(struct lightning, layers_of), .choices = "minimax transformers fla" },
    { "act", "none", "what q, k and v go through", ENUM, offsetof(struct lightning, act), .choices = "none silu" },
    { .as = &param_read, .at = offsetof(struct lightning, read) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "layers=1", "arXiv:2401.04658, section 3: one decay a head; q, k and v as they are" },
    { "MiniMax-01", "act=silu layers=80 layer=3", "MiniMax-Text-01 modeling_minimax_text_01.py: "
        "build_slope_tensor, layer factor" },
    { "code:huggingface/transformers", "act=silu slopes=power layers_of=transformers layers=80 layer=3",
        "modeling_minimax.py MiniMaxLightningAttention: get_slope_rate" },
    { "code:fla-org/flash-linear-attention", "slopes=linear layers_of=fla scale=0 layer=2",
        "fla/ops/lightning_attn: s = 8/H (1 - layer_idx/num_layers) arange(H)" },
    { "unscaled middle", "layer=4", "made up: MiniMax's decays without silu" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "product=f32 dot=f32 query=f32 decay=f32 write=f32 state=f32 output=f32 slope=f32 gather=f32 rate=f32:4 "
        "factor=f32 sigmoid=f32 activate=f32", "the loop over tokens in float32" }, { 0 },
};
static const struct row *const parts[] = { &row_alibi, NULL };
#define TOKENS "q[h,n,d] k[h,n,d] v[h,n,e] state?[h,d,e] "
#define LOSS TOKENS "do[h,n,e] dfinal?[h,d,e] "
const struct row row_lightning = {
    .name = "lightning", .title = "lightning attention", .cite = "Qin et al. 2024",
    .steps = { "product dot query decay write state output slope gather", "rate factor sigmoid activate" },
    .parts = parts, .declares = params, .size = sizeof(struct lightning), .presets = presets, .contracts = contracts,
    .refuse = refuse, .misfit = misfit, .sizes = "d=4 e=3",
    .q = { { TOKENS "-> o[h,n|e]", page }, { TOKENS "-> final[h,d|e]", page, .of = DECAYED_FINAL },
        { LOSS "-> dq[h,n|d]", page, .of = DECAYED_DQ }, { LOSS "-> dk[h,n|d]", page, .of = DECAYED_DK },
        { LOSS "-> dv[h,n|e]", page, .of = DECAYED_DV },
        { LOSS "-> dstate[h,d|e]", page, .of = DECAYED_DSTATE } },
};
