/* Position-wise feed-forward layer.   Vaswani et al. 2017, eq. 2; Shazeer 2020 (arXiv:2002.05202)
 *   u = x w1 + b1      g = x wg + bg      t = act(u), or gated: act(g) u      y = t w2 + b2      act: activation.h
 * yt: the same in columns, Yt = w2t act(w1t Xt + b1) + b2, every matrix transposed.  a = act(u), element by element,
 * and du its gradient for da.
 * For dy the gradient of y, dt = dy w2^T:  du = dt act'(u), or dt act(g)    dg = dt u act'(g)
 *   dx = du w1^T + dg wg^T    dw1 = x^T du    dwg = x^T dg    dw2 = t^T dy    db1 = sum_i du_i    dbg = sum_i dg_i
 *   db2 = sum_i dy_i
 * Trap: in Llama's words w1 is up_proj and wg gate_proj; Shazeer's W is the gate and his V is w1. */
#include <stdlib.h>
#include "layer/activation.h"
#include "row/row.h"

struct feedforward { int act, gated, bias; mpq_t kink; };
enum { PRODUCT, SUM, ARGUMENT, CURVE, WEIGHT, ACTIVATE, SLOPE, GATE };

static bool needs(const void *q, const char *input)
{
    const struct feedforward *p = q;
    bool gate = input[1] == 'g';
    return (!gate || p->gated) && (*input != 'b' || p->bias);
}
static struct activation act_of(const struct ask *w)
{
    const struct feedforward *p = w->params;
    return (struct activation){ p->act, ARGUMENT, CURVE, WEIGHT, ACTIVATE, SLOPE, p->kink };
}

/* A line of the layer and of its gradients: u g t du dg [f].  turned: x, w1, wg, w2 are stored transposed, as xt, w1t
 * .. */
struct line { long d, f; const struct ball **u, **g, **t, **du, **dg; };

static const struct ball *at(struct ask *w, const char *name, bool turned, long i, long j)
{
    char other[8];
    snprintf(other, sizeof other, "%st", name);
    return turned ? b_in(w, other, j, i, 0) : b_in(w, name, i, j, 0);
}

/* <x, weight[.][k]> + bias[k] */
static const struct ball *linear(
    struct ask *w, bool turned, const struct ball *const *x, long n, const char *weight, const char *bias, long k)
{
    const struct ball **t = need((size_t)n + 2, sizeof *t), *y;
    bool more = needs(w->params, bias);
    size_t mark = w->used;
    for (long c = 0; c < n; c++)
        t[c] = b_step_own(w, PRODUCT, b_mul(w, x[c], at(w, weight, turned, c, k)));
    if (more)
        t[n] = b_in(w, bias, k, 0, 0);
    y = ask_keep(w, mark, b_sum(w, SUM, t, n + more));
    free(t);
    return y;
}

static struct line forward(struct ask *w, bool turned, long i)
{
    const struct feedforward *p = w->params;
    const struct mer_array *m = array_in(w, turned ? "w1t" : "w1");
    struct activation act = act_of(w);
    struct line l = { .d = m->dim[turned], .f = m->dim[!turned] };
    const struct ball **x = need((size_t)l.d + 1, sizeof *x);
    l.u = need(5 * (size_t)l.f + 1, sizeof *l.u), l.g = l.u + l.f, l.t = l.g + l.f, l.du = l.t + l.f, l.dg = l.du + l.f;
    for (long c = 0; c < l.d; c++)
        x[c] = at(w, "x", turned, i, c);
    for (long k = 0; k < l.f; k++) {
        l.u[k] = linear(w, turned, x, l.d, "w1", "b1", k);
        l.g[k] = p->gated ? linear(w, turned, x, l.d, "wg", "bg", k) : NULL;
        l.t[k] = activate(w, &act, p->gated ? l.g[k] : l.u[k]);
        l.t[k] = p->gated ? b_step(w, GATE, b_mul(w, l.t[k], l.u[k])) : l.t[k];
    }
    free(x);
    return l;
}
static void close_line(struct line *l) { free(l->u); }

static struct line backward(struct ask *w, long i) /* du, dg */
{
    const struct feedforward *p = w->params;
    struct activation act = act_of(w);
    struct line l = forward(w, false, i);
    const struct ball **t = need((size_t)l.d + 1, sizeof *t);
    for (long k = 0; k < l.f; k++) {
        for (long c = 0; c < l.d; c++)
            t[c] = b_step(w, PRODUCT, b_mul(w, b_in(w, "dy", i, c, 0), b_in(w, "w2", k, c, 0)));
        const struct ball *dt = b_sum(w, SUM, t, l.d), *slope = activation_slope(w, &act, p->gated ? l.g[k] : l.u[k]);
        l.du[k] = b_step(w, GATE, b_mul(w, dt, p->gated ? activate(w, &act, l.g[k]) : slope));
        /* what is not read has gradient 0 */
        l.dg[k] = p->gated ? b_step(w, GATE, b_mul(w, b_step(w, GATE, b_mul(w, dt, l.u[k])), slope)) : b_si(w, 0);
    }
    free(t);
    return l;
}

static void output(struct ask *w, const struct ball **y) /* y[d] */
{
    struct line l = forward(w, false, w->at[0]);
    for (long k = 0; k < w->len; k++)
        y[k] = linear(w, false, l.t, l.f, "w2", "b2", k);
    close_line(&l);
}
static void columns(struct ask *w, const struct ball **y) /* all of yt[d][n] */
{
    long n = array_in(w, "xt")->dim[1];
    for (long i = 0; i < n; i++) {
        struct line l = forward(w, true, i);
        for (long k = 0; k < l.d; k++)
            y[k * n + i] = linear(w, true, l.t, l.f, "w2", "b2", k);
        close_line(&l);
    }
}

static void input_grad(struct ask *w, const struct ball **y) /* dx[d]: both products in one sum */
{
    const bool gated = ((const struct feedforward *)w->params)->gated;
    struct line l = backward(w, w->at[0]);
    const struct ball **t = need(2 * (size_t)l.f + 1, sizeof *t);
    for (long c = 0; c < w->len; c++) {
        for (long k = 0; k < l.f; k++) {
            t[k] = b_step(w, PRODUCT, b_mul(w, l.du[k], b_in(w, "w1", c, k, 0)));
            t[l.f + k] = gated ? b_step(w, PRODUCT, b_mul(w, l.dg[k], b_in(w, "wg", c, k, 0))) : NULL;
        }
        y[c] = b_sum(w, SUM, t, gated ? 2 * l.f : l.f);
    }
    free(t), close_line(&l);
}

/* y[c][k] = sum_i left_i[c] right_i[k] over rows i, and the sums of right alone: the gradients of w1, wg, w2 (t dy) and
 * of the biases */
static void over_rows(struct ask *w, char of, bool bias, const struct ball **y)
{
    long n = array_in(w, "x")->dim[0], f = array_in(w, "w1")->dim[1], d = array_in(w, "w1")->dim[0],
         rows = bias ? 1 :
        of == '2'    ? f :
                       d,
         len = of == '2' ? d : f;
    const struct ball **t = need((size_t)(rows * len * n) + 1, sizeof *t);
    for (long i = 0; i < n; i++) {
        struct line l = of == '2' ? forward(w, false, i) : backward(w, i);
        for (long c = 0; c < rows; c++)
            for (long k = 0; k < len; k++) {
                const struct ball *right = of == '2' ? b_in(w, "dy", i, k, 0) : of == 'g' ? l.dg[k] : l.du[k];
                t[(c * len + k) * n + i] =
                    bias ? right : b_step(w, PRODUCT, b_mul(w, of == '2' ? l.t[c] : b_in(w, "x", i, c, 0), right));
            }
        close_line(&l);
    }
    for (long j = 0; j < rows * len; j++)
        y[j] = b_sum(w, SUM, t + j * n, n);
    free(t);
}
static void up_grad(struct ask *w, const struct ball **y) { over_rows(w, '1', false, y); }
static void up_bias(struct ask *w, const struct ball **y) { over_rows(w, '1', true, y); }
static void gate_grad(struct ask *w, const struct ball **y) { over_rows(w, 'g', false, y); }
static void gate_bias(struct ask *w, const struct ball **y) { over_rows(w, 'g', true, y); }
static void down_grad(struct ask *w, const struct ball **y) { over_rows(w, '2', false, y); }
static void down_bias(struct ask *w, const struct ball **y)
{
    long n = array_in(w, "dy")->dim[0];
    const struct ball **t = need((size_t)n + 1, sizeof *t);
    for (long k = 0; k < w->len; k++) {
        for (long i = 0; i < n; i++)
            t[i] = b_in(w, "dy", i, k, 0);
        y[k] = b_sum(w, SUM, t, n);
    }
    free(t);
}

static void pointwise(struct ask *w, const struct ball **y) /* a[f] */
{
    struct activation act = act_of(w);
    for (long k = 0; k < w->len; k++)
        y[k] = activate(w, &act, b_in(w, "u", w->at[0], k, 0));
}
static void pointwise_grad(struct ask *w, const struct ball **y) /* du[f] = da act'(u) */
{
    struct activation act = act_of(w);
    for (long k = 0; k < w->len; k++) {
        const struct ball *slope = activation_slope(w, &act, b_in(w, "u", w->at[0], k, 0));
        y[k] = mpfr_nan_p(slope->mid) ? slope : b_step(w, GATE, b_mul(w, b_in(w, "da", w->at[0], k, 0), slope));
    }
}

static const struct param params[] = {
    { "act", "relu", "activation: ref/core/layer/activation.h", ENUM, offsetof(struct feedforward, act),
        .choices = "relu gelu gelu-tanh silu" },
    { "gated", "no", "act(x wg) (x w1) in place of act(x w1)", ENUM, offsetof(struct feedforward, gated),
        .choices = "no yes" },
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
const struct row row_feedforward = {
    .name = "feedforward", .title = "position-wise feed-forward layer", .cite = "Vaswani et al. 2017; Shazeer 2020",
    .steps = { "product sum argument curve weight activate slope gate" },
    .params = params, .size = sizeof(struct feedforward), .presets = presets, .contracts = contracts,
    .needs = needs,
    .q = { { "x[n,d] w1[d,f] b1?[f] wg?[d,f] bg?[f] w2[f,d] b2?[d] -> y[n|d]", output },
      { "u[n,f] -> a[n|f]", pointwise }, { "u[n,f] da[n,f] -> du[n|f]", pointwise_grad },
      { "xt[d,n] w1t[f,d] b1?[f] wgt?[f,d] bg?[f] w2t[d,f] b2?[d] -> yt[|d,n]", columns },
      { "x[n,d] w1[d,f] b1?[f] wg?[d,f] bg?[f] w2[f,d] dy[n,d] -> dx[n|d]", input_grad },
      { "x[n,d] w1[d,f] b1?[f] wg?[d,f] bg?[f] w2[f,d] dy[n,d] -> dw1[|d,f]", up_grad },
      { "x[n,d] w1[d,f] b1?[f] wg?[d,f] bg?[f] w2[f,d] dy[n,d] -> db1[|f]", up_bias },
      { "x[n,d] w1[d,f] b1?[f] wg?[d,f] bg?[f] w2[f,d] dy[n,d] -> dwg[|d,f]", gate_grad },
      { "x[n,d] w1[d,f] b1?[f] wg?[d,f] bg?[f] w2[f,d] dy[n,d] -> dbg[|f]", gate_bias },
      { "x[n,d] w1[d,f] b1?[f] wg?[d,f] bg?[f] w2[f,d] dy[n,d] -> dw2[|f,d]", down_grad },
      { "dy[n,d] -> db2[|d]", down_bias } },
};
