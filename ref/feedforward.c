/* Position-wise feed-forward layer.   Vaswani et al. 2017, eq. 2; Shazeer 2020 (arXiv:2002.05202)
 *   u = x w1 + b1      g = x wg + bg      t = act(u), or gated: act(g) u      y = t w2 + b2      act: activation.h
 * Quantity yt is the same in columns, Yt = w2t act(w1t Xt + b1) + b2, every matrix transposed.  a = act(u), element by
 * element, and du its gradient for da.  Gradients: ref/core/layer/feed.h.
 * Trap: in Llama's words w1 is up_proj and wg gate_proj; Shazeer's W is the gate and his V is w1. */
#include <stdlib.h>
#include "layer/feed.h"
#include "row/shared.h"
#include "row/row.h"

static void output(struct ask *w, const struct ball **y)
{
    struct feed_line l = feed_forward(w, false, w->at[0]);
    for (long k = 0; k < w->len; k++)
        y[k] = feed_output(w, false, &l, k);
    feed_close(&l);
}
/* All of yt[d][n]. */
static void columns(struct ask *w, const struct ball **y)
{
    long n = array_in(w, "xt")->dim[1];
    for (long i = 0; i < n; i++) {
        struct feed_line l = feed_forward(w, true, i);
        for (long k = 0; k < l.d; k++)
            y[k * n + i] = feed_output(w, true, &l, k);
        feed_close(&l);
    }
}

static void pointwise(struct ask *w, const struct ball **y) /* a[f] */
{
    struct activation act = feed_act(w);
    for (long k = 0; k < w->len; k++)
        y[k] = activate(w, &act, b_in(w, "u", w->at[0], k, 0));
}
static void pointwise_grad(struct ask *w, const struct ball **y) /* du[f] = da act'(u) */
{
    struct activation act = feed_act(w);
    for (long k = 0; k < w->len; k++) {
        const struct ball *slope = activation_slope(w, &act, b_in(w, "u", w->at[0], k, 0));
        y[k] = mpfr_nan_p(slope->mid) ? slope : b_step(w, GATE, b_mul(w, b_in(w, "da", w->at[0], k, 0), slope));
    }
}

static const struct param params[] = {
    { "act", "relu", "activation: ref/core/layer/activation.h", ENUM, offsetof(struct feedforward, act),
        .choices = "relu gelu gelu-tanh silu quick-gelu sigmoid" },
    { .as = &param_gated, .at = offsetof(struct feedforward, gated) },
    { "bias", "yes", "b1, b2, and bg if gated", ENUM, offsetof(struct feedforward, bias), .choices = "no yes" },
    { "kink", "0", "slope of relu at 0", RATIONAL, offsetof(struct feedforward, kink) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:1706.03762, eq. 2" }, { "seed", "", "W2 ReLU(W1 X + b1) + b2, in columns: yt" },
    { "BERT", "act=gelu", "google-research/bert; torch gelu" },
    { "gpt2", "act=gelu-tanh", "openai/gpt-2 model.py gelu" },
    { "GEGLU", "act=gelu gated=yes", "arXiv:2002.05202, eq. 5, with its biases" },
    { "llama", "act=silu gated=yes bias=no", "SwiGLU: w2 (silu(wg x) * w1 x), huggingface/transformers LlamaMLP "
        "gate_proj up_proj down_proj" },
    { "gemma", "act=gelu-tanh gated=yes bias=no", "GEGLU: google/gemma_pytorch" },
    { "CLIP", "act=quick-gelu", "openai/CLIP model.py QuickGELU" },
    { "GLU", "act=sigmoid gated=yes", "arXiv:1612.08083; arXiv:2002.05202, eq. 4, with its biases" },
    { "t5", "bias=no", "modeling_t5.py T5DenseActDense" },
    { "jnp.maximum", "kink=1/2", "jax.numpy.maximum(x, 0); jax.nn.relu, torch and TensorFlow: 0" },
    { 0 },
};
static const struct preset contracts[] = {
    { "f32", "act=gelu product=f32 sum=f32 argument=f32 curve=f32 weight=f32 activate=f32 slope=f32 gate=f32",
        "naive loop" },
    { "geglu f32",
        "act=gelu-tanh gated=yes product=f32 sum=f32 argument=f32 curve=f32 weight=f32 activate=f32 "
        "slope=f32 gate=f32",
        "naive loop" },
    { 0 }
};
#define LAYER "x[n,d] w1[d,f] b1?[f] wg?[d,f] bg?[f] w2[f,d] b2?[d] "
#define GRADIENT "x[n,d] w1[d,f] b1?[f] wg?[d,f] bg?[f] w2[f,d] dy[n,d] "
const struct row row_feedforward = {
    .name = "feedforward", .title = "position-wise feed-forward layer", .cite = "Vaswani et al. 2017; Shazeer 2020",
    .steps = { "product sum argument curve weight activate slope gate" },
    .declares = params, .size = sizeof(struct feedforward), .presets = presets, .contracts = contracts,
    .needs = feed_needs,
    .q = {
      { LAYER "-> y[n|d]", output },
      { "u[n,f] -> a[n|f]", pointwise }, { "u[n,f] da[n,f] -> du[n|f]", pointwise_grad },
      { "xt[d,n] w1t[f,d] b1?[f] wgt?[f,d] bg?[f] w2t[d,f] b2?[d] -> yt[|d,n]", columns },
      { GRADIENT "-> dx[n|d]", feed_input_grad },
      { GRADIENT "-> dw1[|d,f]", feed_weight_grad, .of = FEED_UP },
      { GRADIENT "-> db1[|f]", feed_weight_grad, .of = FEED_UP, .form = true },
      { GRADIENT "-> dwg[|d,f]", feed_weight_grad, .of = FEED_GATE },
      { GRADIENT "-> dbg[|f]", feed_weight_grad, .of = FEED_GATE, .form = true },
      { GRADIENT "-> dw2[|f,d]", feed_weight_grad, .of = FEED_DOWN },
      { "dy[n,d] -> db2[|d]", feed_weight_grad, .of = FEED_DOWN, .form = true } },
};
